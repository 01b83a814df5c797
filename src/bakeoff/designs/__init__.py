"""Designs: which settings of the factors to run, in which order, and what the answers say about the factors.

A design is a table with a row a run and a column a factor. Coded levels are −1 (low), 0 (centre) and +1 (high).
"""
