"""Protocols: how other programs talk to this one, and it to them."""
