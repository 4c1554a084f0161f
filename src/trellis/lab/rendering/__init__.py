"""How results are shown: a small model of chapters and tables, and a writer for each format."""
