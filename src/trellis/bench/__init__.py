"""Measuring: one way to time things, ours beside other systems."""
