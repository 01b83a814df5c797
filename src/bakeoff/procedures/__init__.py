"""Procedures: one idea a file, each pure mathematics on plain arrays with a card that says everything about it."""
