"""Distributions and small numerical tools that procedures share. Plain arrays in, plain arrays out."""
