"""Studies: the question frozen in a file, the plan that follows from it, and the run."""
