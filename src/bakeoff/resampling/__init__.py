"""Resampling: from a sample to learning and test samples, and from their losses to an estimate."""
