"""Running: from cells to outcomes, each fit isolated from all others."""
