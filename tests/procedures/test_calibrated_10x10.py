"""Bouckaert's calibrated test: its definition, its neighbour, its error rate, and the design it is for."""

from __future__ import annotations

import numpy as np
import pytest
import zoo
from scipy import stats

from bakeoff.errors import MisfitError, UsageError
from bakeoff.judging import advise, analyse
from bakeoff.procedures.calibrated_10x10 import PROCEDURE, calibrated_10x10
from bakeoff.procedures.corrected_t import corrected_t

D = np.random.default_rng(1).normal(0.02, 0.03, 100)


def test_the_definition() -> None:
    found = calibrated_10x10(D, np.zeros(100))
    t = np.sqrt(11) * D.mean() / D.std(ddof=1)
    assert found.statistic == pytest.approx(t)
    assert found.df == (10.0,)
    assert found.p == pytest.approx(2 * stats.t.sf(t, 10))
    half = stats.t.ppf(0.975, 10) * D.std(ddof=1) / np.sqrt(11)
    assert (found.lower, found.upper) == pytest.approx((D.mean() - half, D.mean() + half))


def test_it_is_nearly_the_corrected_t() -> None:
    ours, theirs = calibrated_10x10(D, np.zeros(100)), corrected_t(D, np.zeros(100), ratio=1 / 9)
    assert (ours.upper - ours.lower) / (theirs.upper - theirs.lower) == pytest.approx(1, abs=0.04)


def test_identical_learners() -> None:
    assert calibrated_10x10(D, D).p == 1


def test_other_designs_are_refused_unless_the_user_insists() -> None:
    values = np.random.default_rng(2).random((20, 2)).round(3)
    table = zoo.table(values, kind="repeats:2")
    with pytest.raises(MisfitError, match="calibrated for 10 × 10 folds, and the splits here are: 2 × 10"):
        analyse(table, "calibrated-10x10")
    assert analyse(table, "calibrated-10x10", anyway=True).pairs[0].df == (10.0,)


def test_the_advisor_prefers_the_corrected_t() -> None:
    card = PROCEDURE.card
    advice = advise(zoo.scores_for(card, zoo.values_for(card, 2, np.random.default_rng(3))))
    assert advice.recommended == "corrected-t"
    assert card.name in [candidate.procedure for candidate in advice.fitting]


def test_one_value_is_not_enough() -> None:
    with pytest.raises(UsageError, match="at least two paired values"):
        calibrated_10x10([0.1], [0.2])


def test_error_rate_on_cross_validated_differences() -> None:
    """Differences whose correlation is that of 10×10 folds: ρ = n_test / n = .1 within a repeat and between repeats."""
    rng, rejected, runs = np.random.default_rng(4), 0, 2000
    for _ in range(runs):
        d = np.sqrt(0.1) * rng.standard_normal() + np.sqrt(0.9) * rng.standard_normal(100)
        rejected += calibrated_10x10(d, np.zeros(100)).p <= 0.05
    assert rejected / runs == pytest.approx(0.05, abs=0.02)
