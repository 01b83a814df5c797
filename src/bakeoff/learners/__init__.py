"""Learners: how to make a fresh estimator, and those of the founding documents that no library has."""
