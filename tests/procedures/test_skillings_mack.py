"""Skillings and Mack's test: published values, Friedman's without holes, its law at a true null, and its limits."""

from __future__ import annotations

import numpy as np
import pytest

from bakeoff.errors import DegenerateError, MisfitError, UsageError
from bakeoff.judging import analyse
from bakeoff.measures import known_measure
from bakeoff.procedures.friedman import DEMSAR, friedman
from bakeoff.procedures.skillings_mack import skillings_mack
from bakeoff.scores import Scores

nan = float("nan")


def test_a_second_published_table() -> None:
    """Brady (1969), in Hollander and Wolfe (1999), Table 7.19, and PMCMRplus's help: χ² = 13.281 by the formula."""
    columns = [3, 1, 5, 2, 0, 0, 0, 0], [5, 3, 4, nan, 2, 2, 3, 2], [15, 18, 21, 6, 17, 10, 8, 13]
    many = skillings_mack(np.array(columns).T)
    assert many.details["chi2_raw"] == pytest.approx(13.2809518446)
    assert many.details["p_raw"] == pytest.approx(0.0013064053)
    assert many.tests[0].statistic == pytest.approx(13.2809518446)


@pytest.mark.parametrize("table", [-np.array(DEMSAR), np.random.default_rng(1).integers(0, 4, (9, 5))])
def test_without_holes_it_is_friedman(table: np.ndarray) -> None:
    ours, his = skillings_mack(table), friedman(table)
    assert ours.tests[0].statistic == pytest.approx(his.tests[0].statistic)
    assert ours.details["chi2_raw"] == pytest.approx(his.details["chi2_raw"])
    assert ours.tests[0].p == pytest.approx(his.tests[0].p)


def test_tasks_with_one_learner_say_nothing() -> None:
    table = np.array([[1.0, 2, 3], [2, 3, 1], [1, 3, 2], [1, 2, nan]])
    more = np.vstack([table, [nan, 5.0, nan], [nan, nan, nan]])
    assert skillings_mack(more).tests[0].statistic == pytest.approx(skillings_mack(table).tests[0].statistic)


def test_size_at_a_true_null() -> None:
    rng = np.random.default_rng(2)
    wrong = 0
    for _ in range(1500):
        table = np.where(rng.random((20, 4)) < 0.3, nan, rng.normal(size=(20, 4)))
        wrong += skillings_mack(table).tests[0].p <= 0.05
    assert wrong / 1500 == pytest.approx(0.05, abs=4 * np.sqrt(0.05 * 0.95 / 1500))


def test_the_limits() -> None:
    alike = skillings_mack([[1.0, 1.0, nan], [2.0, 2.0, 2.0]]).tests[0]
    assert (alike.statistic, alike.p) == (0.0, 1.0)
    with pytest.raises(DegenerateError, match="column 3, 4 of the table is not connected to column 1"):
        skillings_mack([[1.0, 2.0, nan, nan], [nan, nan, 1.0, 2.0]])
    with pytest.raises(UsageError, match="infinite"):
        skillings_mack([[1.0, float("inf")]])
    with pytest.raises(UsageError, match="table of numbers"):
        skillings_mack([["a", "b"]])  # type: ignore[list-item]
    with pytest.raises(UsageError, match="at least 1 row and 2 columns"):
        skillings_mack([[1.0], [2.0]])


def holed(folds: int = 1) -> Scores:
    rng = np.random.default_rng(3)
    accuracy = known_measure("accuracy")
    assert accuracy is not None
    rows = [
        (f"t{task}", learner, f"f{fold}", round(float(rng.random()), 3))
        for task in range(8)
        for learner in "abc"
        for fold in range(folds)
        if (task, learner, fold) not in ((1, "a", 0), (5, "c", 0))
    ]
    task, learner, fold, value = zip(*rows, strict=True)
    splits = {"fold": fold} if folds > 1 else {}
    return Scores.of(value, learner=learner, task=task, measures={"accuracy": accuracy}, **splits)


@pytest.mark.parametrize("folds", [1, 3])
def test_tables_with_holes_are_analysed(folds: int) -> None:
    scores = holed(folds)
    found = analyse(scores, "skillings-mack")
    assert found.rows[0].p < 1
    assert found.details["tasks_of_each"].tolist() == [7, 8, 7]
    assert set(found.position) == {"a", "b", "c"}
    assert all(np.isfinite(list(found.position.values())))
    assert "NaN" not in found.to_json()
    with pytest.raises(MisfitError, match="2 of"):
        analyse(scores, "friedman")


def test_a_policy_for_missing_values_comes_first() -> None:
    found = analyse(holed(), "skillings-mack", missing="drop-block")
    other = analyse(holed(), "friedman", missing="drop-block")
    assert found.n_blocks == other.n_blocks == 6
    assert found.rows[0].p == pytest.approx(other.rows[0].p)
