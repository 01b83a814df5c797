"""Which comparisons are made, how they are adjusted, and p and interval from one place."""
