"""The learner."""

from benchopt import BaseSolver
from sklearn.naive_bayes import GaussianNB


class Solver(BaseSolver):
    name = "naive-bayes"
    sampling_strategy = "run_once"

    def set_objective(self, X, y, X_test):
        self.X, self.y, self.X_test = X, y, X_test

    def run(self, _):
        model = GaussianNB().fit(self.X, self.y)
        self.predicted, self.probabilities = model.predict(self.X_test), model.predict_proba(self.X_test)

    def get_result(self):
        return {"predicted": self.predicted, "probabilities": self.probabilities}
