"""Figures, one a file: a function that makes a small table, and one that draws it on a matplotlib ax."""
