"""What is computed from a store: scores, curves, counts, tables."""
