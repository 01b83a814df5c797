"""Wins, losses and ties: counted by hand, the sign test, significant wins, the matrix, and bad input."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

from bakeoff.errors import DegenerateError, UsageError
from bakeoff.judging import analyse
from bakeoff.mathematics.ranks import count_winners
from bakeoff.measures import known_measure
from bakeoff.procedures.win_loss_tie import record_tables, win_loss_tie
from bakeoff.scores import Scores

A = [0.9, 0.8, 0.7, 0.9, 0.6, 0.3, 0.5, 0.8, 0.9]
B = [0.8, 0.7, 0.7, 0.6, 0.7, 0.1, 0.4, 0.7, 0.7]


def test_counting() -> None:
    result = win_loss_tie(A, B)
    assert result.details["record"] == "7-1-1"
    assert result.note == "wins-losses-ties 7-1-1"
    assert result.p == pytest.approx(stats.binomtest(7, 8).pvalue)
    assert win_loss_tie(A, B, ties="dropped").p == pytest.approx(stats.binomtest(7, 8).pvalue)
    assert result.estimate == pytest.approx(0.1)


def test_smaller_may_be_better() -> None:
    result = win_loss_tie(A, B, larger_is_better=False)
    assert result.details["record"] == "1-7-1"
    assert result.estimate == pytest.approx(0.1)
    greater = win_loss_tie(A, B, larger_is_better=False, alternative="greater")
    assert greater.p == pytest.approx(win_loss_tie(A, B, alternative="greater").p)
    assert greater.p < 0.05


def folds(seed: int = 1) -> tuple[list[np.ndarray], list[np.ndarray]]:
    """Nine tasks of ten folds: three with a clear winner on either side, six with noise."""
    rng = np.random.default_rng(seed)
    lead = np.array([0.2, 0.2, -0.2, 0, 0, 0, 0, 0, 0])
    common = [0.7 + 0.05 * rng.normal(size=10) for _ in lead]
    first = [base + shift + 0.02 * rng.normal(size=10) for base, shift in zip(common, lead, strict=True)]
    return first, [base + 0.02 * rng.normal(size=10) for base in common]


def test_only_significant_wins() -> None:
    first, second = folds()
    result = win_loss_tie(first, second, count="significant", ratio=1 / 9)
    assert result.details["record"] == "2-1-6"
    assert np.isnan(result.lower)
    assert win_loss_tie(first, second).details["ties"] == 0
    assert win_loss_tie(first, second, count="significant").details["record"] == "2-1-6"  # ten folds: 1/9
    strict = win_loss_tie(first, second, count="significant", task_alpha=1e-12)
    assert strict.details["record"] == "0-0-9"
    assert strict.p == 1.0


def test_a_constant_lead_is_a_significant_win() -> None:
    result = win_loss_tie([[0.5, 0.6], [0.5, 0.5]], [[0.4, 0.5], [0.5, 0.5]], count="significant", ratio=0.5)
    assert result.details["record"] == "1-0-1"


def test_significance_needs_folds() -> None:
    with pytest.raises(DegenerateError, match="each task has one value"):
        win_loss_tie(A, B, count="significant")


@pytest.mark.parametrize(
    ("a", "b", "options", "message"),
    [
        ([1.0], [1.0, 2.0], {}, "the same tasks; found 1 and 2"),
        ([], [], {}, "at least one task"),
        (1.0, [1.0], {}, "an item a task"),
        ([1.0, float("nan")], [1.0, 2.0], {}, "finite number"),
        ([[1.0, 2.0]], [[1.0]], {"count": "significant"}, "equally long"),
        ([1.0], [1.0], {"count": "some"}, "no way to count wins 'some'"),
        ([[1.0, 2.0]], [[1.0, 3.0]], {"count": "significant", "task_alpha": 2.0}, "between 0 and 1"),
    ],
)
def test_bad_input_is_refused(a: object, b: object, options: dict[str, object], message: str) -> None:
    with pytest.raises(UsageError, match=message):
        win_loss_tie(a, b, **options)  # type: ignore[arg-type]


def record(wins: int, losses: int, ties: int) -> dict[str, int]:
    return {"wins": wins, "losses": losses, "ties": ties}


def test_the_matrix() -> None:
    """Three of the four methods of Riddle's table without noise."""
    records = {("c", "a"): record(5, 0, 4), ("c", "b"): record(1, 6, 2), ("b", "a"): record(6, 0, 3)}
    ((header, cells),) = record_tables(records, ["a", "b", "c"]).values()
    assert header == ["", "a", "b", "c"]
    assert cells == [["a", "", "0-6-3", "0-5-4"], ["b", "6-0-3", "", "6-1-2"], ["c", "5-0-4", "1-6-2", ""]]


def test_folds_reach_it_from_a_table_of_scores() -> None:
    first, second = folds()
    error = known_measure("error")
    assert error is not None
    values = np.concatenate([np.concatenate(first), np.concatenate(second)])
    scores = Scores.of(
        values,
        learner=["new"] * 90 + ["old"] * 90,
        task=[f"t{i // 10}" for i in range(90)] * 2,
        fold=[f"f{i % 10}" for i in range(90)] * 2,
        measures={"error": error},
    )
    every = analyse(scores, "win-loss-tie", control="old").pairs[0]
    some = analyse(scores, "win-loss-tie", control="old", count="significant").pairs[0]
    assert some.note == "wins-losses-ties 1-2-6 (significant)"
    assert every.note.count("-") == some.note.count("-")
    assert every.first == some.first == "new"
    assert "wins-losses-ties of the row against the column:" in analyse(scores, "win-loss-tie").to_text()


def test_overall_winners_alone_and_among_others() -> None:
    errors = [[0.1, 0.1, 0.3], [0.3, 0.1 + 0.2, 0.2], [0.3, 0.1 + 0.2, 0.4], [0.2, 0.5, 0.2]]
    found = count_winners(errors, larger_is_better=False)
    assert found.alone.tolist() == [0, 0, 1]
    assert found.among.tolist() == [3, 2, 2]
    assert found.ties == 3
    with pytest.raises(UsageError):
        count_winners([[1.0], [2.0]])
