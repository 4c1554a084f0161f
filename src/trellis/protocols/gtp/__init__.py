"""The Go Text Protocol, version 2: one line a command, one reply each."""
