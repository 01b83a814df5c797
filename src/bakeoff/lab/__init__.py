"""The laboratory: what an experiment can find before it is run, and the experiments of the founding documents."""
