"""The built-in games, one file or folder each; `catalogue` lists them as plain data."""
