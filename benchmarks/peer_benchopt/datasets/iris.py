"""One split of iris for each value of a parameter, which is how benchopt repeats over splits."""

import os

import numpy as np
from benchopt import BaseDataset


class Dataset(BaseDataset):
    name = "iris"
    parameters = {"split": list(range(int(os.environ.get("BENCHOPT_SPLITS", "10"))))}  # noqa: RUF012

    def get_data(self):
        from sklearn.datasets import load_iris

        X, y = load_iris(return_X_y=True)
        fold = np.random.default_rng(self.split // 10).permutation(len(y)) % 10
        test = fold == self.split % 10
        return {"X": X[~test], "y": y[~test], "X_test": X[test], "y_test": y[test]}
