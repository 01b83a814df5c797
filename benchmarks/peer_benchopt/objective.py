"""The same study for benchopt: the error on a test part."""

import numpy as np
from benchopt import BaseObjective


class Objective(BaseObjective):
    name = "error"
    sampling_strategy = "run_once"

    def set_data(self, X, y, X_test, y_test):
        self.X, self.y, self.X_test, self.y_test = X, y, X_test, y_test

    def get_objective(self):
        return {"X": self.X, "y": self.y, "X_test": self.X_test}

    def evaluate_result(self, predicted, probabilities):
        return {"value": float(np.mean(predicted != self.y_test))}

    def get_one_result(self):
        return {"predicted": self.y_test, "probabilities": None}
