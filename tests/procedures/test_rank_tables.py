"""Friedman's test on aligned ranks: against R's coin, against all orders, with ties, and at its limits."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import permutations, product
from math import inf, isnan

import numpy as np
import pytest
from scipy import stats

from bakeoff.errors import DegenerateError, MisfitError, UsageError
from bakeoff.inference.adjustments import adjust
from bakeoff.judging import Decision, analyse, judge
from bakeoff.measures import known_measure
from bakeoff.procedures import sign
from bakeoff.procedures.friedman import DEMSAR, friedman
from bakeoff.procedures.rank_tables import aligned_ranks, quade, skillings_mack
from bakeoff.scores import Scores


def test_the_formula_of_the_papers_without_ties() -> None:
    """T = (k−1)(Σ R_j² − (k n²/4)(kn+1)²) / (kn(kn+1)(2kn+1)/6 − Σ R_i²/k), Hodges and Lehmann (1962)."""
    n, k = 9, 4
    table = np.random.default_rng(1).random((n, k))
    ranks = stats.rankdata(table - table.mean(axis=1, keepdims=True)).reshape(n, k)
    above = np.sum(ranks.sum(axis=0) ** 2) - k * n**2 / 4 * (k * n + 1) ** 2
    below = k * n * (k * n + 1) * (2 * k * n + 1) / 6 - np.sum(ranks.sum(axis=1) ** 2) / k
    assert aligned_ranks(table).tests[0].statistic == pytest.approx((k - 1) * above / below)


def test_the_variance_of_pairs_is_that_of_all_orders() -> None:
    table = np.array([[1.0, 2.0, 4.0], [2.0, 2.5, 2.0], [1.0, 5.0, 9.0]])
    estimates = aligned_ranks(table).estimates
    assert estimates is not None
    rows = product(*map(permutations, table.tolist()))
    every = np.array([aligned_ranks(np.array(row)).details["mean_aligned_ranks"] for row in rows])
    difference = every[:, 0] - every[:, 1]
    assert difference.mean() == pytest.approx(0, abs=1e-12)
    assert np.mean(difference**2) == pytest.approx(2 * estimates.covariance[0, 0])


def test_a_task_s_own_level_does_not_matter() -> None:
    table = np.round(np.random.default_rng(3).random((8, 3)), 3)
    moved = table + np.arange(8)[:, None] / 4
    assert aligned_ranks(moved).tests[0].statistic == pytest.approx(aligned_ranks(table).tests[0].statistic)


def test_pairs_keep_their_level() -> None:
    """With the printed variance k(N+1)/6 more than a third of these would be rejected."""
    rng = np.random.default_rng(4)
    wrong = 0
    for _ in range(1500):
        estimates = aligned_ranks(rng.normal(size=(12, 5))).estimates
        assert estimates is not None
        z = (estimates.values[0] - estimates.values[1]) / np.sqrt(2 * estimates.covariance[0, 0])
        wrong += abs(z) > 1.96
    assert wrong / 1500 == pytest.approx(0.05, abs=4 * np.sqrt(0.05 * 0.95 / 1500))


def test_the_limits() -> None:
    alike = aligned_ranks(np.repeat(np.arange(4.0)[:, None], 3, axis=1))
    assert (alike.tests[0].statistic, alike.tests[0].p) == (0.0, 1.0)
    assert alike.details["mean_aligned_ranks"].tolist() == [6.5, 6.5, 6.5]
    tiny = np.random.default_rng(5).random((6, 3))
    for factor in (1e-250, 1e250):
        assert aligned_ranks(tiny * factor).tests[0].p == pytest.approx(aligned_ranks(tiny).tests[0].p)
    for bad in ([[1.0], [2.0]], [[1.0, float("nan")]], [1.0, 2.0]):
        with pytest.raises(UsageError):
            aligned_ranks(bad)


# ----------------------------------------------------------------------------------------------------------------------
# Quade's test: against R, with ties, its pairs against all orders, and at its limits.


def test_r_quade_test() -> None:
    """R 4.2.2: quade.test(round(M, 10)) of Demšar's AUCs, which have ties."""
    test = quade(-np.array(DEMSAR)).tests[0]
    assert test.statistic == pytest.approx(4.62790516224)
    assert test.p == pytest.approx(0.00730268051489)


def test_direction_does_not_matter_to_f() -> None:
    table = np.array(DEMSAR)
    assert quade(table).tests[0].statistic == pytest.approx(quade(-table).tests[0].statistic)


def test_the_variance_of_pairs_is_that_of_all_orders_quade() -> None:
    table = np.array([[1.0, 2.0, 4.0], [2.0, 2.5, 2.0], [1.0, 5.0, 9.0]])
    estimates = quade(table).estimates
    assert estimates is not None
    every = [
        quade(np.array(rows)).details["weighted_mean_ranks"] for rows in product(*map(permutations, table.tolist()))
    ]
    difference = np.array(every)[:, 0] - np.array(every)[:, 1]
    assert difference.mean() == pytest.approx(0, abs=1e-12)
    variance = estimates.covariance[0, 0] + estimates.covariance[1, 1]
    assert np.mean(difference**2) == pytest.approx(variance)


def test_without_ties_the_variance_is_the_formula() -> None:
    n, k = 12, 5
    table = np.random.default_rng(1).random((n, k))
    estimates = quade(table).estimates
    assert estimates is not None
    assert 2 * estimates.covariance[0, 0] == pytest.approx(k * (k + 1) * (2 * n + 1) / (9 * n * (n + 1)))
    ranks, weights = stats.rankdata(table, axis=1), stats.rankdata(np.ptp(table, axis=1))
    assert estimates.values == pytest.approx(weights @ ranks / (n * (n + 1) / 2))


def test_the_limits_quade() -> None:
    alike = quade(np.full((4, 3), 0.5)).tests[0]
    assert (alike.statistic, alike.p) == (0.0, 1.0)
    perfect = quade([[1, 2, 3], [1, 3, 5], [2, 3, 9]]).tests[0]
    assert perfect.p < 0.2
    proportional = quade([[1, 2, 3]] * 4).tests[0]
    assert (proportional.statistic, proportional.p, proportional.note[:10]) == (inf, 0.0, "every task")
    assert isnan(quade([[1, 2, 3]]).tests[0].p)
    for bad in ([[1.0], [2.0]], [[1.0, float("nan")]], [1.0, 2.0]):
        with pytest.raises(UsageError):
            quade(bad)


def test_size_at_a_true_null() -> None:
    rng = np.random.default_rng(2)
    p = [quade(rng.normal(size=(15, 4))).tests[0].p for _ in range(1500)]
    assert np.mean(np.array(p) <= 0.05) == pytest.approx(0.05, abs=4 * np.sqrt(0.05 * 0.95 / 1500))


# ----------------------------------------------------------------------------------------------------------------------
# Skillings mack


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
    assert ours.details["mean_ranks"] == pytest.approx(his.details["mean_ranks"])


def test_tasks_with_one_learner_say_nothing() -> None:
    table = np.array([[1.0, 2, 3], [2, 3, 1], [1, 3, 2], [1, 2, nan]])
    more = np.vstack([table, [nan, 5.0, nan], [nan, nan, nan]])
    assert skillings_mack(more).tests[0].statistic == pytest.approx(skillings_mack(table).tests[0].statistic)


def test_size_at_a_true_null_skillings_mack() -> None:
    rng = np.random.default_rng(2)
    wrong = 0
    for _ in range(700):
        table = np.where(rng.random((20, 4)) < 0.3, nan, rng.normal(size=(20, 4)))
        wrong += skillings_mack(table).tests[0].p <= 0.05
    assert wrong / 700 == pytest.approx(0.05, abs=4 * np.sqrt(0.05 * 0.95 / 700))  # .033: twice the level is beyond


def test_the_limits_skillings_mack() -> None:
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


def holed(folds: int = 1, lost: Sequence[tuple[int, str, int]] = ((1, "a", 0), (5, "c", 0))) -> Scores:
    rng = np.random.default_rng(3)
    accuracy = known_measure("accuracy")
    assert accuracy is not None
    rows = [
        (f"t{task}", learner, f"f{fold}", round(float(rng.random()), 3))
        for task in range(8)
        for learner in "abc"
        for fold in range(folds)
        if (task, learner, fold) not in lost
    ]
    task, learner, fold, value = zip(*rows, strict=True)
    splits = {"fold": fold} if folds > 1 else {}
    return Scores.of(value, learner=learner, task=task, measures={"accuracy": accuracy}, **splits)


@pytest.mark.parametrize("folds", [1, 3])
def test_tables_with_holes_are_analysed(folds: int) -> None:
    scores = holed(folds, [(task, learner, fold) for task, learner in ((1, "a"), (5, "c")) for fold in range(folds)])
    found = analyse(scores, "skillings-mack")
    assert found.rows[0].p < 1
    assert found.details["tasks_of_each"].tolist() == [7, 8, 7]
    assert set(found.position) == {"a", "b", "c"}
    assert all(np.isfinite(list(found.position.values())))
    assert "NaN" not in found.to_json()
    with pytest.raises(MisfitError, match=f"{2 * folds} of") as refusal:
        analyse(scores, "friedman")
    assert refusal.value.alternatives[-1].startswith("--with skillings-mack")
    with pytest.raises(MisfitError) as refusal:
        analyse(scores.only(learners=["a", "b"]), "wilcoxon")
    assert not refusal.value.alternatives[-1].startswith("--with"), "of two learners nothing is gained by it"


def test_a_policy_for_missing_values_comes_first() -> None:
    found = analyse(holed(), "skillings-mack", missing="drop-block")
    other = analyse(holed(), "friedman", missing="drop-block")
    assert found.n_blocks == other.n_blocks == 6
    assert found.rows[0].p == pytest.approx(other.rows[0].p)


def pair_p(table: np.ndarray) -> np.ndarray:
    decided = skillings_mack(table).decided
    assert decided is not None
    return np.array([decided.p[pair] for pair in PAIRS])


def test_pairs_are_sign_tests_on_the_tasks_that_have_both() -> None:
    rng = np.random.default_rng(5)
    table = np.where(rng.random((25, 4)) < 0.3, nan, np.round(rng.normal(size=(25, 4)) + np.arange(4) / 2, 1))
    decided = skillings_mack(table).decided
    assert decided is not None
    for i, j in PAIRS:
        both = table[~np.isnan(table[:, [i, j]]).any(axis=1)]
        alone = sign.compute(both[:, i], both[:, j])
        assert decided.p[i, j] == decided.p[j, i] == alone.p
        assert decided.difference[i, j] == pytest.approx((alone.details["above"] - alone.details["below"]) / len(both))
        assert decided.statistic is not None
        assert decided.statistic[j, i] == alone.statistic
        assert decided.notes[i, j].startswith(f"of {len(both)} tasks with both")


def test_two_learners_are_told_apart_as_the_sign_test_does() -> None:
    """For two learners χ² of this test is z² of the sign test, holes or not."""
    table = np.array([[1.0, 2], [3, 4], [2, 1], [5, 9], [nan, 1], [3, nan], [1, 2]])
    many = skillings_mack(table)
    alone = sign.compute(*table[~np.isnan(table).any(axis=1)].T)
    assert many.tests[0].statistic == pytest.approx(alone.details["z"] ** 2)
    assert many.decided is not None
    assert many.decided.p[0, 1] == alone.p


PAIRS = [(i, j) for i in range(4) for j in range(i + 1, 4)]
ALIKE = {"nobody": (0, 0, 0, 0), "the first two": (3, 3, 0, 0), "two and two": (0, 0, 1, 1)}


@pytest.mark.parametrize("better", ALIKE.values(), ids=ALIKE)
def test_the_familywise_error_of_pairs(better: tuple[int, ...]) -> None:
    """Whoever else differs and wherever the holes are, equal learners are told apart in 5 % at most."""
    rng = np.random.default_rng(11)
    same = [number for number, (i, j) in enumerate(PAIRS) if better[i] == better[j]]
    wrong = 0
    for _ in range(300):
        table = rng.normal(size=(24, 4)) + np.array(better)
        table[:12, 1] = nan  # the second is absent where the third and the fourth meet
        table[12:, 3] = nan
        table[rng.random((24, 4)) < 0.1] = nan
        wrong += (adjust(pair_p(table), "holm", PAIRS)[same] <= 0.05).any()
    assert wrong / 300 <= 0.05


def test_rank_sums_would_tell_equal_learners_apart() -> None:
    """What the caution on the card says: the second is as bad as the first, and missed the tasks of the better two."""
    table = np.random.default_rng(1).normal(size=(200, 4)) + np.array([3, 3, 0, 0])
    table[:100, 1] = nan
    table[100:, 3] = nan
    many = skillings_mack(table)
    first, second = many.details["weighted_ranks"][:2]
    ranks = many.details["mean_ranks"]
    # Every task has three learners: Var(A₁ − A₂) = 2·200 + 2·100 + 2·100, of shared tasks and of those of one.
    assert (first - second) / np.sqrt(800) > 5
    assert abs(ranks[0] - ranks[1]) < 0.1
    assert pair_p(table)[0] > 0.05


def test_pairs_that_never_met_are_refused_and_the_others_compared() -> None:
    table = np.array([[1.0, 2, nan], [1, 2, nan], [nan, 1, 2], [nan, 1, 2]])
    decided = skillings_mack(table).decided
    assert decided is not None
    assert np.isnan(decided.p[0, 2])
    assert decided.notes[0, 2] == "refused: no task has both"
    assert decided.p[0, 1] == 0.5
    found = analyse(holed(lost=[(task, "c" if task % 2 else "a", 0) for task in range(8)]), "skillings-mack")
    (apart,) = [row for row in found.pairs if row.note.startswith("refused")]
    assert {apart.first, apart.second} == {"a", "c"}
    assert "NaN" not in found.to_json()
    verdict = judge(holed(lost=[(task, "c" if task % 2 else "a", 0) for task in range(8)]), "skillings-mack")
    assert {"degenerate", "missing-cells"} <= {warning.code for warning in verdict.warnings}


@pytest.mark.parametrize("larger", [True, False])
def test_a_verdict_on_a_table_with_holes(larger: bool) -> None:
    sign_ = 1 if larger else -1
    values = np.array([[0.9, 0.5, 0.1]] * 12) * sign_
    values[0, 0] = values[5, 2] = nan
    verdict = judge(made(values, "accuracy" if larger else "error"), "skillings-mack")
    assert verdict.ranking == ("a", "b", "c")
    assert [(j.first, j.decision, j.second) for j in verdict.decisions] == [
        ("a", Decision.BETTER, "b"), ("a", Decision.BETTER, "c"), ("b", Decision.BETTER, "c"),
    ]  # fmt: skip
    (warning,) = [each for each in verdict.warnings if each.code == "missing-cells"]
    assert warning.text.startswith("2 of 36 cells have no value")
    control = analyse(made(values, "accuracy" if larger else "error"), "skillings-mack", control="b")
    assert {(row.first, row.second) for row in control.pairs} == {("a", "b"), ("c", "b")}
    assert [row.p_adjusted for row in control.pairs] == pytest.approx([2 * 2.0**-10] * 2)
    assert control.heading.startswith("Skillings–Mack test for incomplete tables (two-sided, Holm adjustment")
    assert "among the two, on the tasks that have both" in control.to_text()


def test_too_few_tasks_are_warned_of() -> None:
    verdict = judge(made(np.array([[0.9, 0.5, 0.1]] * 5), "accuracy"), "skillings-mack")
    assert "alpha-unreachable" in {warning.code for warning in verdict.warnings}
    assert {judged.decision for judged in verdict.decisions} == {Decision.UNDECIDED}


def made(values: np.ndarray, name: str) -> Scores:
    measure = known_measure(name)
    assert measure is not None
    row, column = (part.ravel() for part in np.indices(values.shape))
    return Scores.of(
        values.ravel(),
        learner=["abc"[j] for j in column],
        task=[f"t{i}" for i in row],
        measures={name: measure},
    )
