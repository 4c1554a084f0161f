"""Boards and reports as pictures: SVG and HTML for notebooks, files and pages."""
