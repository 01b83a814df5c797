"""What a pilot says."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from bakeoff.errors import DegenerateError, MisfitError, UsageError
from bakeoff.lab.null_designs import table
from bakeoff.lab.powering.families import card_of
from bakeoff.lab.powering.pilot import Pilot, read_pilot
from bakeoff.scores import Level, Scores

VALUES = np.array([[0.2, 0.3], [0.25, 0.27], [0.1, 0.22], [0.3, 0.35], [0.15, 0.3]])


def scores(values: Any = VALUES, key: str = "task", measure: str = "error") -> Scores:
    made = np.asarray(values, dtype=float)
    return table(made, {key: [str(i) for i in range(len(made))]}, measure)


def read(made: Scores, test: str, **more: Any) -> Pilot:
    return read_pilot(made, card_of(test), **more)


def test_sd_and_its_interval() -> None:
    found = read(scores(), "wilcoxon")
    d = VALUES[:, 1] - VALUES[:, 0]
    assert found.value == pytest.approx(d.std(ddof=1))
    assert found.difference == pytest.approx(d.mean())
    assert (found.first, found.second, found.n, found.blocks) == ("learner 1", "learner 2", 5, "tasks")
    # the 5 % and 95 % points of χ² with 4 df, from a table
    assert found.lower == pytest.approx(found.value * np.sqrt(4 / 9.488), rel=1e-4)
    assert found.upper == pytest.approx(found.value * np.sqrt(4 / 0.7107), rel=1e-4)
    assert "90 % interval" in found.sentence


def test_the_interval_covers_the_sd() -> None:
    rng = np.random.default_rng(5)
    cover = 0
    for _ in range(300):
        found = read(scores(rng.normal(0.5, 0.01, (12, 2)), measure="rmse"), "wilcoxon")
        cover += found.lower <= 0.01 * np.sqrt(2) <= found.upper
    assert cover / 300 == pytest.approx(0.9, abs=4 * np.sqrt(0.09 / 300))


def test_larger_may_be_better() -> None:
    found = read(scores(1 - VALUES, measure="accuracy"), "wilcoxon")
    assert found.first == "learner 1"
    assert found.difference > 0


def test_folds_are_correlated() -> None:
    found = read(scores(key="fold"), "corrected-t")
    d = VALUES[:, 1] - VALUES[:, 0]
    assert found.folds == 5
    assert found.value == pytest.approx(d.std(ddof=1) / np.sqrt(1 - 1 / 5))
    assert read(scores(key="fold"), "corrected-t", correlation=0.0).value == pytest.approx(d.std(ddof=1))


def test_residuals_vary_as_the_pilot_did() -> None:
    found = read(scores(), "wilcoxon")
    assert found.residuals is not None
    d = found.residuals[:, 1] - found.residuals[:, 0]
    assert d.mean() == pytest.approx(0, abs=1e-12)
    assert d.std() == pytest.approx(found.value)


@pytest.mark.parametrize("measure", ["error", "accuracy"])
def test_right_and_wrong_answers(measure: str) -> None:
    wrong = np.array([[0, 1], [0, 1], [1, 1], [0, 0], [1, 0], [0, 0], [0, 0], [0, 1], [0, 0], [0, 0]], dtype=float)
    found = read(scores(wrong if measure == "error" else 1 - wrong, "instance", measure), "mcnemar")
    assert (found.value, found.error, found.varies) == (0.4, 0.4, "share of discordant instances")
    assert found.difference == pytest.approx(0.2)
    assert found.lower < 0.4 < found.upper
    apart = read(scores(wrong, "instance"), "two-proportions")
    assert (apart.varies, apart.value) == ("error rate", 0.4)


def test_one_learner() -> None:
    found = read(scores(VALUES[:, :1], "repeat"), "mean-t")
    assert found.value == pytest.approx(VALUES[:, 0].std(ddof=1))
    assert np.isnan(found.difference)
    assert read(scores([[0], [1], [0], [0]], "instance"), "binomial").error == 0.25
    with pytest.raises(UsageError, match="Name one"):
        read(scores(key="repeat"), "mean-t")


def test_independent_samples_have_the_sd_of_their_values() -> None:
    found = read(scores(key="repeat"), "unpaired-t")
    assert found.value == pytest.approx(np.sqrt(VALUES.var(axis=0, ddof=1).mean()))


def test_a_t_test_is_planned_for_any_blocks() -> None:
    assert read(scores(), "t").blocks == "tasks"
    assert read(scores(key="fold"), "t", level=Level.RESAMPLES).blocks == "resamples"


@pytest.mark.parametrize(
    ("made", "test", "error", "sentence"),
    [
        (scores(VALUES[:1], "repeat"), "wilcoxon", MisfitError, "level of tasks"),
        (scores(key="fold"), "wilcoxon", MisfitError, "level of tasks"),
        (scores(VALUES[:, :1]), "wilcoxon", MisfitError, "compares two at least"),
        (scores(VALUES + np.array([0.0, 0.1]) - VALUES[:, :1]), "sign", None, ""),
        (scores(np.full((4, 2), 0.5)), "wilcoxon", DegenerateError, "do not vary"),
        (scores(key="instance"), "mcnemar", MisfitError, "not 0 or 1"),
    ],
)
def test_what_does_not_fit_is_a_sentence(made: Scores, test: str, error: Any, sentence: str) -> None:
    if error is None:
        assert read(made, test).value > 0
        return
    with pytest.raises(error, match=sentence):
        read(made, test)
