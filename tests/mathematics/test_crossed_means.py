"""Items and runs as random effects: against lme4, and by definition."""

from __future__ import annotations

import numpy as np
import pytest

from bakeoff import judge, read_scores
from bakeoff.errors import MisfitError, UsageError
from bakeoff.mathematics.clusters import as_table, crossed_mean

ITEM, R = np.arange(1.0, 13)[:, None], np.arange(1.0, 6)
C = np.repeat(np.arange(4), 3)


@pytest.mark.parametrize(
    ("values", "clusters", "wanted"),
    [
        # R 4.2.2, lme4 1.1.31 and lmerTest 3.1.3, i = 1 … 12, r = 1 … 5, c = (i − 1) %/% 3, values rounded to 3 digits:
        # m <- lmer(d ~ 1 + (1|item) + (1|run), control = lmerControl("bobyqa", optCtrl = list(rhoend = 1e-12)))
        # coef(summary(m)); VarCorr(m)                          d = sin(1.7 i) + .5 cos(2.3 r) + .4 sin(5 i r) + .3
        (
            np.sin(1.7 * ITEM) + 0.5 * np.cos(2.3 * R) + 0.4 * np.sin(5 * ITEM * R) + 0.3,
            None,
            (0.275466666667, 0.27202279, 14.3039585, 0.60792376, 0.10956656, 0.08536633),
        ),
        # d = sin(1.7 i) + .6 sin(5 i r) + .3
        (
            np.sin(1.7 * ITEM) + 0.6 * np.sin(5 * ITEM * R) + 0.3,
            None,
            (0.292533333333, 0.24070533, 12.0273424, 0.61155229, 0.01887289, 0.19210714),
        ),
        # d = .5 cos(2.3 r) + .9 sin(7 i r) + .3: the variance of items is zero
        (
            0.5 * np.cos(2.3 * R) + 0.9 * np.sin(7 * ITEM * R) + 0.3,
            None,
            (0.29725, 0.154309211217, 4.0, 0.0, 0.0805462066, 0.4621254803),
        ),
        # lmer(d ~ 1 + (1|cl) + (1|item) + (1|run)), d = sin(1.7 i) + 1.5 cos(4 c) + .5 cos(2.3 r) + .4 sin(5 i r) + .3
        (
            np.sin(1.7 * ITEM)
            + 1.5 * np.cos(4 * C[:, None])
            + 0.5 * np.cos(2.3 * R)
            + 0.4 * np.sin(5 * ITEM * R)
            + 0.3,
            C,
            (0.667233333333, 0.544009641538, 3.48014956616, None, 0.109588481, 0.08536977643),
        ),
    ],
)
def test_as_lme4_has_it(values: np.ndarray, clusters: np.ndarray | None, wanted: tuple[float | None, ...]) -> None:
    found = crossed_mean(np.round(values, 3), clusters)
    ours = (found.estimate, found.standard_error, found.df, found.items, found.runs, found.rest)
    for number, theirs in zip(ours, wanted, strict=True):
        if theirs is not None:  # the optimiser of lme4 stops at some six digits
            assert number == pytest.approx(theirs, rel=2e-6, abs=1e-9)


def test_without_any_component_all_values_are_independent() -> None:
    x = np.array([[1.0, 2.0], [2.0, 1.0], [1.0, 2.0], [2.0, 1.0]])
    found = crossed_mean(x)
    assert (found.items, found.runs) == (0.0, 0.0)
    assert found.standard_error == pytest.approx(x.std(ddof=1) / 8**0.5)
    assert found.df == pytest.approx(7.0)


def test_runs_that_do_not_differ_leave_the_t_of_items() -> None:
    x = np.arange(6.0)[:, None] + np.array([[0.1, -0.1]]) * np.array([1, -1, 1, -1, 1, -1])[:, None]
    found = crossed_mean(x)
    assert found.runs == 0
    assert found.standard_error == pytest.approx(np.arange(6).std(ddof=1) / 6**0.5)
    assert found.df == pytest.approx(5.0)


@pytest.mark.parametrize("lacking", [[("a", 3, 2)], [("a", 3, 2), ("b", 3, 2)]], ids=["of one learner", "of both"])
def test_tables_with_holes_are_refused_with_the_reason(lacking: list[tuple[str, int, int]]) -> None:
    rng = np.random.default_rng(1)
    cells = [(m, i, r) for m in "ab" for i in range(20) for r in range(4) if (m, i, r) not in lacking]
    rows = [{"model": m, "item": i, "run": r, "loss": rng.normal()} for m, i, r in cells]
    with pytest.raises(MisfitError, match="every run must answer every instance, and here some answers are missing"):
        judge(read_scores(rows), "mixed-model")


def test_a_missing_answer_is_refused() -> None:
    with pytest.raises(UsageError, match="Every one of 2 runs must answer every one of 2 items"):
        as_table([1.0, 2.0, 3.0], [0, 0, 1], [0, 1, 0])
