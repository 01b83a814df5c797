"""Items and runs as random effects: against lme4, and by definition."""

from __future__ import annotations

import numpy as np
import pytest

from bakeoff import judge, read_scores
from bakeoff.errors import DegenerateError, MisfitError, UsageError
from bakeoff.mathematics.clusters import as_table, crossed_mean, crossed_mean_of_cells

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


ITEMS, RUNS = (part.ravel() for part in np.broadcast_arrays(ITEM, R))


@pytest.mark.parametrize(
    ("values", "kept", "wanted"),
    [
        # As above, of the rows that are kept: lmer(d ~ 1 + (1|item) + (1|run), data = f[(item + 3 * run) %% 7 != 0, ])
        (
            np.sin(1.7 * ITEMS) + 0.5 * np.cos(2.3 * RUNS) + 0.4 * np.sin(5 * ITEMS * RUNS) + 0.3,
            (ITEMS + 3 * RUNS) % 7 != 0,
            (0.301435607, 0.283553784, 14.186566105, 0.657958735, 0.120389928, 0.075428340),
        ),
        # f[(item * run) %% 4 != 1, ]
        (
            np.sin(1.7 * ITEMS) + 0.5 * np.cos(2.3 * RUNS) + 0.4 * np.sin(5 * ITEMS * RUNS) + 0.3,
            (ITEMS * RUNS) % 4 != 1,
            (0.260091804, 0.271428974, 14.481263153, 0.623463484, 0.100071479, 0.080671787),
        ),
        # d = .5 cos(2.3 r) + .9 sin(7 i r) + .3: a singular fit, the variance of items is zero
        (
            0.5 * np.cos(2.3 * RUNS) + 0.9 * np.sin(7 * ITEMS * RUNS) + 0.3,
            (ITEMS + 3 * RUNS) % 7 != 0,
            (0.279897546, 0.161257915, 3.963114310, 0.0, 0.084012922, 0.468828677),
        ),
        # d = sin(1.7 i) + .05 sin(5 i r) + .3: next to nothing between runs
        (
            np.sin(1.7 * ITEMS) + 0.05 * np.sin(5 * ITEMS * RUNS) + 0.3,
            (ITEMS + 3 * RUNS) % 7 != 0,
            (0.373566316, 0.222556004, 11.020558901, 0.593537755, 0.000232006, 0.001175651),
        ),
    ],
)
def test_answers_that_are_missing_as_lme4_has_it(
    values: np.ndarray, kept: np.ndarray, wanted: tuple[float, ...]
) -> None:
    found = crossed_mean_of_cells(np.round(values, 3)[kept], ITEMS[kept], RUNS[kept])
    ours = (found.estimate, found.standard_error, found.df, found.items, found.runs, found.rest)
    assert ours == pytest.approx(wanted, rel=4e-6, abs=1e-9)  # the optimiser of lme4 stops at some six digits


def test_sums_of_items_and_runs_leave_nothing() -> None:
    with pytest.raises(DegenerateError, match="Items and runs account for all"):
        crossed_mean_of_cells((ITEMS + RUNS**2)[1:], ITEMS[1:], RUNS[1:])


def test_a_complete_table_has_one_answer() -> None:
    table = np.round(np.sin(1.7 * ITEM) + 0.5 * np.cos(2.3 * R) + 0.4 * np.sin(5 * ITEM * R), 3)
    whole, cells = crossed_mean(table), crossed_mean_of_cells(table.ravel(), ITEMS, RUNS)
    for name in ("estimate", "standard_error", "df", "items", "runs", "rest"):
        assert getattr(cells, name) == pytest.approx(getattr(whole, name), rel=1e-5)


def test_too_few_answers_are_refused() -> None:
    with pytest.raises(UsageError, match="5 answers to 3 items in 3 runs do not tell"):
        crossed_mean_of_cells([1.0, 2.0, 0.0, 3.0, 1.0], [0, 0, 1, 1, 2], [0, 1, 1, 2, 2])


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
def test_holes_are_left_out_of_the_pairs(lacking: list[tuple[str, int, int]]) -> None:
    rng = np.random.default_rng(1)
    cells = [(m, i, r) for m in "ab" for i in range(20) for r in range(4) if (m, i, r) not in lacking]
    rows = [{"model": m, "item": i, "run": r, "loss": rng.normal()} for m, i, r in cells]
    value = {(row["model"], row["item"], row["run"]): row["loss"] for row in rows}
    pairs = [(i, r) for i in range(20) for r in range(4) if (i, r) != (3, 2)]
    differences = [value["a", i, r] - value["b", i, r] for i, r in pairs]
    wanted = crossed_mean_of_cells(differences, [i for i, _ in pairs], [r for _, r in pairs])
    (row,) = judge(read_scores(rows), "mixed-model").finding.rows
    assert abs(row.estimate) == pytest.approx(abs(wanted.estimate), rel=1e-6)


def test_holes_in_clusters_are_refused_with_what_to_do() -> None:
    rng = np.random.default_rng(1)
    cells = [(m, i, r) for m in "ab" for i in range(20) for r in range(4) if (i, r) != (3, 2)]
    rows = [{"model": m, "item": i, "passage": i // 4, "run": r, "loss": rng.normal()} for m, i, r in cells]
    with pytest.raises(UsageError, match="1 of 80 answers are missing, and instances lie in clusters"):
        judge(read_scores(rows), "mixed-model")


def test_runs_that_no_two_learners_share_are_refused() -> None:
    rng = np.random.default_rng(1)
    cells = [(m, i, f"{m}{r}") for m in "ab" for i in range(20) for r in range(4)]
    rows = [{"model": m, "item": i, "run": r, "loss": rng.normal()} for m, i, r in cells]
    with pytest.raises(MisfitError, match="no two learners share one here"):
        judge(read_scores(rows), "mixed-model")


def test_a_missing_answer_is_refused() -> None:
    with pytest.raises(UsageError, match="Every one of 2 runs must answer every one of 2 items"):
        as_table([1.0, 2.0, 3.0], [0, 0, 1], [0, 1, 0])
