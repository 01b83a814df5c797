"""What learners answered: bands that cover, pooled curves, and who is cheapest for which losses."""

from __future__ import annotations

from itertools import pairwise
from math import inf

import numpy as np
import pandas as pd
import pytest
from scipy.stats import norm

from bakeoff.errors import MisfitError, UsageError
from bakeoff.measures.answers import (
    GRID,
    AnsweredRows,
    LearnerAnswers,
    LearnerCurve,
    confusion,
    learner_curve,
    pointwise_band,
    preferences,
    reliability,
    simultaneous_band,
)
from bakeoff.measures.curves import cost_curve, roc_curve
from bakeoff.scores import read_scores


def sample(n: int, rng: np.random.Generator, shift: float = 1.0) -> tuple[np.ndarray, np.ndarray]:
    truth = (np.arange(n) % 2).astype(float)
    return truth, rng.standard_normal(n) + shift * truth


def answers(truth: np.ndarray, scores: np.ndarray, name: str = "svm") -> LearnerAnswers:
    return LearnerAnswers("t", name, ("no", "yes"), (AnsweredRows(truth.astype(int), None, scores),))


def test_bands_cover_the_true_curve() -> None:
    """Binormal scores: the height at x is Φ(shift + Φ⁻¹(x)). All of it at once, and each place by itself."""
    rng = np.random.default_rng(4)
    true = norm.cdf(1.0 + norm.ppf(np.clip(GRID, 1e-12, 1 - 1e-12)))
    whole, at_03 = 0, 0
    for i in range(60):
        truth, scores = sample(80, rng)
        _, low, high = simultaneous_band(truth, scores, 0.9)
        whole += bool(((low <= true + 1e-9) & (true <= high + 1e-9)).all())
        _, low, high = pointwise_band(truth, scores, 0.9, seed=i)
        at_03 += bool(low[30] <= true[30] <= high[30])
    assert whole >= 50, "it is conservative"
    assert 46 <= at_03 <= 60
    wide, narrow = (simultaneous_band(*sample(80, rng), level) for level in (0.99, 0.5))
    assert (wide[2] - wide[1]).mean() > (narrow[2] - narrow[1]).mean()


def test_bands_by_name_and_kind() -> None:
    truth, scores = sample(60, np.random.default_rng(1))
    one = learner_curve(answers(truth, scores))
    assert one.band == "simultaneous"
    assert (one.lower <= one.upper).all()
    assert learner_curve(answers(truth, scores), band="pointwise").band == "pointwise"
    assert learner_curve(answers(truth, scores), band="none").band == ""
    assert learner_curve(answers(truth, scores), "pr").band == ""
    turned = learner_curve(answers(truth, scores), "sensitivity-specificity")
    inside = np.interp(GRID, turned.band_x, turned.upper) + 1e-9 >= np.interp(GRID, turned.x, turned.y)
    assert inside.mean() > 0.95
    with pytest.raises(UsageError, match="simultaneous, pointwise or none"):
        learner_curve(answers(truth, scores), band="95")
    assert one.area[1] < one.area[0] < one.area[2]
    several = LearnerAnswers("t", "svm", ("no", "yes"), answers(truth, scores).samples * 3)
    assert learner_curve(several).band == "spread"


def test_leave_one_out_is_pooled() -> None:
    truth, scores = sample(40, np.random.default_rng(2))
    rows = tuple(AnsweredRows(truth[i : i + 1].astype(int), None, scores[i : i + 1]) for i in range(40))
    made = learner_curve(LearnerAnswers("t", "svm", ("no", "yes"), rows))
    whole = roc_curve(truth, scores)
    assert made.pooled
    assert made.samples == 40
    assert made.x.tolist() == whole.x.tolist()
    assert made.y.tolist() == whole.y.tolist()
    halves = tuple(AnsweredRows(truth[a:b].astype(int), None, scores[a:b]) for a, b in ((0, 20), (20, 40)))
    apart = learner_curve(LearnerAnswers("t", "svm", ("no", "yes"), halves))
    assert not apart.pooled
    assert learner_curve(LearnerAnswers("t", "svm", ("no", "yes"), halves), pool=True).x.tolist() == whole.x.tolist()
    lone = (AnsweredRows(np.zeros(3, dtype=int), None, np.arange(3.0)),)
    with pytest.raises(MisfitError, match="rows both of 'yes' and of others"):
        learner_curve(LearnerAnswers("t", "svm", ("no", "yes"), lone))


def test_the_cheapest_learner_is_that_of_the_cost_curves() -> None:
    """By search: at each ratio of losses the least expected cost over all thresholds of each learner."""
    rng = np.random.default_rng(7)
    truth = (rng.random(200) < 0.3).astype(float)
    steady = truth + rng.standard_normal(200)
    steep = np.where((truth == 1) & (rng.random(200) < 0.4), 9.0, rng.standard_normal(200))
    curves = [learner_curve(answers(truth, s, name)) for name, s in (("steady", steady), ("steep", steep))]
    made = preferences(curves)
    assert (made[0].ratio_from, made[-1].ratio_to) == (0.0, inf)
    assert all(a.ratio_to == b.ratio_from for a, b in pairwise(made))
    assert {"steady", "steep"} <= {name for one in made for name in one.learners}
    share = truth.mean()
    for ratio in (0.05, 0.4, 1.0, 2.5, 6.0, 30.0):
        weight = share * ratio / (share * ratio + 1 - share)
        costs = {one.learner: float(np.min((1 - weight) * one.x + weight * (1 - one.y))) for one in curves}
        best = min(costs.values())
        named = next(one for one in made if one.ratio_from <= ratio <= one.ratio_to)
        assert all(costs[name] == pytest.approx(best) for name in named.learners), ratio
    grid = cost_curve(truth, steady)
    assert grid.y[50] == pytest.approx(float(np.min(0.5 * curves[0].x + 0.5 * (1 - curves[0].y))))


def test_a_curve_above_all_others_is_preferred_throughout() -> None:
    names = ("fp-rate", "tp-rate")
    good = LearnerCurve("t", "good", "roc", "1", names, np.array([0, 0, 1.0]), np.array([0, 0.9, 1.0]), 1, share=0.5)
    bad = LearnerCurve("t", "bad", "roc", "1", names, np.array([0, 0.5, 1.0]), np.array([0, 0.6, 1.0]), 1, share=0.5)
    able = [one for one in preferences([good, bad]) if len(one.learners) == 1]
    assert {one.learners for one in able} == {("good",)}


def test_predictions_of_a_file_as_answers() -> None:
    labels = read_scores(pd.DataFrame({"truth": list("abca"), "u": list("abcb"), "v": list("aaca")}))
    first, second = labels.predictions.answers()
    assert first.classes == ("a", "b", "c")
    assert confusion(first).matrix.tolist() == [[1, 1, 0], [0, 1, 0], [0, 0, 1]]
    assert confusion(second).matrix.tolist() == [[2, 0, 0], [1, 0, 0], [0, 0, 1]]
    digits = read_scores(pd.DataFrame({"truth": [3, 5, 5], "u": [3, 3, 5]}), measure="error")
    assert confusion(digits.predictions.answers()[0]).matrix.tolist() == [[1, 0], [1, 1]]
    chances = read_scores(pd.DataFrame({"truth": [0, 1, 1, 0], "u": [0.1, 0.9, 0.4, 0.6]}))
    (one,) = chances.predictions.answers()
    assert confusion(one).matrix.tolist() == [[1, 1], [1, 1]]
    assert learner_curve(one).area[0] == 0.75
    assert sum(each.rows for each in reliability(one)) == 4
    numbers = read_scores(pd.DataFrame({"truth": [0.5, 1.5], "u": [0.4, 1.6]}))
    assert numbers.predictions.answers() == []
    with pytest.raises(UsageError, match="2 to 100 classes"):
        reliability(one, classes=1)
