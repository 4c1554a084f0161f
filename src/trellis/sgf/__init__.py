"""Games of Go in the Smart Game Format: read, replayed, written, annotated."""
