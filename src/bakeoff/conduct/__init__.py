"""The conduct of an experiment: what is done before, between and after its runs, by whoever knows plans and tests."""
