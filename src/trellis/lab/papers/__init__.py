"""One file a paper: its experiment, and the figures it prints."""
