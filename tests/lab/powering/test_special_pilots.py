"""What pilots say to tests that need more than the sd of a difference."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from scipy import stats

from bakeoff import power
from bakeoff.errors import DegenerateError, MisfitError
from bakeoff.lab.null_designs import table
from bakeoff.lab.powering.families import card_of
from bakeoff.lab.powering.guess import Guess
from bakeoff.lab.powering.pilot import CORRELATION, DISTANCE, RATIO, Pilot
from bakeoff.lab.powering.simulated_scores import Design
from bakeoff.lab.powering.special_pilots import pilot_for
from bakeoff.lab.powering.special_tables import HOLES, MEASURES, RUNS, SCORES, SQUARES, simulated_table
from bakeoff.scores import Level, Missing, Scores

DESIGNS = {
    "delong": Design(Level.INSTANCES, shape=SCORES),
    "skillings-mack": Design(Level.TASKS, shape=HOLES),
    "two-way-anova": Design(Level.TASKS, paired=False, folds=6, shape=RUNS),
    "hotelling": Design(Level.RESAMPLES, shape=MEASURES),
    "variance-ratio": Design(Level.INSTANCES, paired=False, shape=SQUARES),
}


def drawn(test: str, n: int, difference: float = 0.0, seed: int = 1, **guess: Any) -> Scores:
    return simulated_table(DESIGNS[test], Guess(**guess), n, difference, np.random.default_rng(seed))


def read(scores: Scores, test: str) -> Pilot:
    return pilot_for(scores, card_of(test), measure=None, level=None, missing=Missing.ERROR, correlation=None)


def test_areas_and_how_alike_they_order() -> None:
    found = read(drawn("delong", 4000, 0.05, auc=0.8, positives=0.25, correlation=0.5), "delong")
    assert (found.first, found.second, found.measure, found.varies) == ("learner 1", "learner 2", "auc", CORRELATION)
    assert found.auc == pytest.approx(0.8, abs=0.03)
    assert found.difference == pytest.approx(0.05, abs=0.03)
    assert found.positives == pytest.approx(0.25)
    assert found.lower < 0.5 < found.upper
    assert found.unlucky == found.lower
    assert not found.is_difference


def test_the_interval_of_the_correlation_covers_it() -> None:
    cover = 0
    for seed in range(200):
        found = read(drawn("delong", 120, seed=seed, auc=0.75, correlation=0.6), "delong")
        cover += found.lower <= 0.6 <= found.upper
    assert cover / 200 == pytest.approx(0.9, abs=4 * np.sqrt(0.09 / 200))


def test_power_of_delong_from_a_pilot() -> None:
    pilot = drawn("delong", 200, 0.05, auc=0.8, correlation=0.5)
    found = power("delong", pilot=pilot, difference=0.05, n=400, replications=60)
    assert found.guess.auc == pytest.approx(found.pilot.auc)  # type: ignore[union-attr]
    assert found.guess.correlation == pytest.approx(found.pilot.value)  # type: ignore[union-attr]
    assert found.pessimistic is not None
    assert found.pessimistic.value == found.pilot.lower  # type: ignore[union-attr]
    assert "the lower 95 % confidence limit of the pilot" in found.to_text().replace("\n  ", " ")
    assert not found.standardised


def test_the_distance_over_several_measures() -> None:
    pilot = drawn("hotelling", 25, 1.0, measures=3)
    found = read(pilot, "hotelling")
    assert (found.varies, found.measures, found.n) == (DISTANCE, 3, 25)
    assert found.value == found.difference
    # At the ends of the interval the T² that was seen is just as surprising as it may be.
    f = 25 * found.value**2 * 22 / (3 * 24)
    assert stats.ncf.sf(f, 3, 22, 25 * found.lower**2) == pytest.approx(0.05, abs=1e-6)
    assert stats.ncf.sf(f, 3, 22, 25 * found.upper**2) == pytest.approx(0.95, abs=1e-6)
    assert "better by" not in found.sentence


def test_power_of_hotelling_from_a_pilot() -> None:
    pilot = drawn("hotelling", 25, 1.2, measures=3)
    found = power("hotelling", pilot=pilot)
    assert found.guess.measures == 3
    assert found.difference == pytest.approx(found.pilot.difference)  # type: ignore[union-attr]
    assert found.pessimistic is not None
    assert found.pessimistic.point is not None
    assert found.pessimistic.point.n > found.n
    assert any("likely to be too large" in note for note in found.notes)
    assert found.standardised
    said = power("hotelling", pilot=pilot, difference="1sd")
    assert said.pessimistic is None


def test_a_distance_that_may_be_none_finds_nothing() -> None:
    found = power("hotelling", pilot=drawn("hotelling", 12, 0.0, measures=2))
    assert found.pessimistic is not None
    assert found.pessimistic.point is None
    assert "there is nothing to find" in found.to_text()


def test_runs_on_tasks_vary_within_cells() -> None:
    pilot = drawn("two-way-anova", 12, 0.3, sd=0.2, learners=3)
    found = read(pilot, "two-way-anova")
    assert found.value == pytest.approx(0.2, rel=0.15)
    assert found.lower < found.value < found.upper
    assert (found.folds, found.n, found.first) == (6, 12, "learner 1")
    made = power("two-way-anova", pilot=pilot, difference=0.1)
    assert made.guess.folds == 6
    assert made.guess.learners == 3
    assert made.guess.sd == pytest.approx(found.value)


def test_what_is_missing_in_a_pilot() -> None:
    pilot = drawn("skillings-mack", 60, 0.5, absent=0.2, learners=4)
    found = read(pilot, "skillings-mack")
    assert found.absent == pytest.approx(0.2, abs=0.06)
    assert found.n < 60, "the sd is that of tasks with all learners"
    made = power("skillings-mack", pilot=pilot, difference="1sd", n=20, replications=20)
    assert made.guess.absent == found.absent
    assert np.isnan(read(drawn("skillings-mack", 20, absent=0.01, learners=2), "skillings-mack").absent)


def test_the_ratio_of_mean_squared_errors() -> None:
    pilot = drawn("variance-ratio", 80, 0.7)
    found = read(pilot, "variance-ratio")
    assert found.varies == RATIO
    width = np.log(stats.f.ppf(0.95, 80, 80))
    assert found.lower == pytest.approx(found.value - width)
    assert found.upper == pytest.approx(found.value + width)
    made = power("variance-ratio", pilot=pilot, n=100)
    assert made.solved_for == "difference"
    assert made.pessimistic is None
    lucky = power("variance-ratio", pilot=pilot)
    assert lucky.difference == pytest.approx(found.difference)
    assert lucky.pessimistic is not None


def test_other_tests_read_as_ever() -> None:
    scores = table(np.array([[0.2, 0.3], [0.25, 0.27], [0.1, 0.22]]), {"task": ["1", "2", "3"]})
    assert read(scores, "wilcoxon").varies == "sd"


def alike(p: int) -> Scores:
    """Measures that follow from each other."""
    made = drawn("hotelling", 12, 0.5, measures=p)
    first = made.value[made.measure.codes == 0]
    values = made.value.copy()
    values[made.measure.codes == 1] = 2 * first
    return replace(made, value=values)


@pytest.mark.parametrize(
    ("scores", "test", "error", "said"),
    [
        (drawn("hotelling", 10, measures=2), "delong", MisfitError, "keeps none"),
        (drawn("delong", 4, auc=0.6), "delong", MisfitError, "too few instances of each class"),
        (drawn("skillings-mack", 8, absent=0.1), "hotelling", MisfitError, "several measures at once"),
        (drawn("hotelling", 3, measures=4), "hotelling", MisfitError, "takes more than 4 resamples"),
        (alike(2), "hotelling", DegenerateError, "follow from each other"),
        (drawn("hotelling", 9, measures=2, learners=1), "manova", MisfitError, "has one learner"),
        (drawn("skillings-mack", 8, absent=0.1), "two-way-anova", MisfitError, "two of them at least"),
        (
            table(np.array([[0.0, 1.0], [0.0, 2.0]]), {"instance": ["1", "2"]}, "squared_error"),
            "variance-ratio",
            DegenerateError,
            "makes no errors at all",
        ),
    ],
)
def test_pilots_that_do_not_fit_are_refused(scores: Scores, test: str, error: type, said: str) -> None:
    with pytest.raises(error, match=said):
        read(scores, test)
