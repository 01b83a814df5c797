"""Planning an experiment: how many blocks it needs, what it can find, and how likely it is to find it."""
