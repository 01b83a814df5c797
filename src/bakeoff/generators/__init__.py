"""Generators: laws from which learning and test samples are drawn, as many as are wanted."""
