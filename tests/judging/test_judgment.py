from __future__ import annotations

from itertools import product

import numpy as np
import pytest
import zoo

from bakeoff.errors import MisfitError, UsageError
from bakeoff.judging import analyse, judge
from bakeoff.judging.judgment import alike
from bakeoff.judging.verdict import Decision
from bakeoff.procedures import procedure_named
from bakeoff.scores import Scores, blocks


def codes(verdict: object) -> list[str]:
    return [warning.code for warning in verdict.warnings]  # type: ignore[attr-defined]


def folds(k: int = 2, n: int = 10, seed: int = 0, gap: float = 0.0, noise: float = 0.001) -> np.ndarray:
    rng = np.random.default_rng(seed)
    return 0.7 + 0.02 * rng.standard_normal((n, 1)) + gap * np.arange(k) + noise * rng.standard_normal((n, k))


def test_the_advisor_chooses_when_nobody_else_does() -> None:
    assert judge(zoo.table(folds(), kind="kfold")).finding.procedure == "corrected-t"
    assert judge(zoo.table(folds(2), kind="tasks")).finding.procedure == "wilcoxon"
    assert judge(zoo.table(folds(4), kind="tasks")).finding.procedure == "task-flips"
    assert judge(zoo.table(folds(2), kind="repeats:5")).finding.procedure == "5x2-f"
    assert judge(zoo.table(folds(3, 40), kind="instances")).finding.procedure == "bootstrap-t"
    assert judge(zoo.table((folds(2, 40) > 0.7).astype(float), kind="instances")).finding.procedure == "mcnemar"
    assert judge(zoo.table((folds(1, 40) > 0.7).astype(float), kind="instances")).finding.procedure == "wilson"


def test_a_single_run_is_refused() -> None:
    with pytest.raises(MisfitError, match="single-run") as refusal:
        judge(zoo.table(folds(3, 1), kind="tasks"))
    assert refusal.value.exit_code == 3


def test_equivalence_needs_a_margin_and_uses_simultaneous_intervals() -> None:
    scores = zoo.table(folds(3), kind="kfold")
    assert {j.decision for j in judge(scores).decisions} == {Decision.UNDECIDED}
    verdict = judge(scores, margin=0.01)
    assert {j.decision for j in verdict.decisions} == {Decision.EQUIVALENT}
    assert {j.row.interval.value for j in verdict.decisions} == {"simultaneous"}
    assert "equivalent within the margin" in verdict.paragraph


def test_a_stepwise_adjustment_gives_way_to_a_margin() -> None:
    verdict = judge(zoo.table(folds(3), kind="kfold"), margin=0.01, adjust="holm")
    assert "stepwise-margin" in codes(verdict)
    assert verdict.finding.adjust == "bonferroni"


def test_a_margin_is_not_applied_to_ranks() -> None:
    verdict = judge(zoo.table(folds(3), kind="tasks"), "friedman", margin=0.01)
    assert "margin-not-applicable" in codes(verdict)
    assert verdict.margin is None


@pytest.mark.parametrize("margin", [0.0, -1.0, float("nan")])
def test_a_margin_is_positive(margin: float) -> None:
    with pytest.raises(UsageError, match="positive difference"):
        judge(zoo.table(folds(3), kind="kfold"), margin=margin)


def test_global_procedures_give_no_verdict() -> None:
    with pytest.raises(UsageError, match="bakeoff analyse --with permutation"):
        judge(zoo.table(folds(3), kind="kfold"), "permutation")


def test_against_a_control_there_are_no_groups() -> None:
    verdict = judge(zoo.table(folds(4, gap=0.05), kind="kfold"), control="ada")
    assert verdict.groups is None
    assert [j.second for j in verdict.decisions] == ["ada"] * 3
    assert {j.decision for j in verdict.decisions} == {Decision.BETTER}


def test_a_clear_order_is_found() -> None:
    verdict = judge(zoo.table(folds(4, gap=0.05), kind="kfold"))
    assert verdict.order == (("dee",), ("cyd",), ("bob",), ("ada",))


def test_smaller_is_better_turns_everything_round() -> None:
    verdict = judge(zoo.table(folds(4, gap=0.05), kind="kfold", name="error"))
    assert verdict.order == (("ada",), ("bob",), ("cyd",), ("dee",))
    assert all(j.advantage > 0 for j in verdict.decisions)


def test_five_tasks_cannot_reach_five_per_cent() -> None:
    verdict = judge(zoo.table(folds(2, 5, gap=0.1), kind="tasks"), "wilcoxon")
    assert "alpha-unreachable" in codes(verdict)
    assert verdict.decisions[0].decision is Decision.UNDECIDED
    assert verdict.decisions[0].row.p == pytest.approx(0.0625)
    assert "alpha-unreachable" not in codes(judge(zoo.table(folds(2, 6, gap=0.1), kind="tasks")))


def test_naive_t_over_repeated_cross_validation_is_refused_and_marked() -> None:
    scores = zoo.table(folds(2, 30), kind="repeats:3")
    with pytest.raises(MisfitError, match="corrected-t"):
        judge(scores, "kfold-t")
    verdict = judge(scores, "kfold-t", anyway=True)
    assert "naive-repeated-cv" in codes(verdict)
    assert verdict.finding.against_advice


def test_ceiling_and_floor_are_seen() -> None:
    rng = np.random.default_rng(1)
    high = 1 - 0.01 * rng.random((20, 3))
    assert "ceiling" in codes(judge(zoo.table(high, kind="tasks")))
    assert "floor" in codes(judge(zoo.table(1 - high, kind="tasks")))
    assert "ceiling" in codes(judge(zoo.table(1 - high, kind="tasks", name="error")))
    assert not {"ceiling", "floor"} & set(codes(judge(zoo.table(rng.random((20, 3)), kind="tasks"))))


def test_unadjusted_comparisons_are_pointed_out() -> None:
    verdict = judge(zoo.table(folds(3), kind="kfold"), adjust="none")
    assert "pointwise" in codes(verdict)


def with_a_hole(values: np.ndarray) -> np.ndarray:
    values = values.copy()
    values[3, 1] = np.nan
    return values


def test_missing_values_are_an_error_that_names_them_unless_a_policy_is_chosen() -> None:
    scores = zoo.table(with_a_hole(folds(3)), kind="kfold")
    with pytest.raises(MisfitError, match="bob on fold f3") as refusal:
        judge(scores)
    assert any("--missing drop-block" in alternative for alternative in refusal.value.alternatives)
    dropped = judge(scores, missing="drop-block")
    assert dropped.finding.n_blocks == 9
    assert "missing-cells" in codes(dropped)
    worst = judge(scores, missing="worst")
    assert worst.finding.n_blocks == 10
    assert "missing-cells" in codes(worst)
    assert worst.means["bob"] < dropped.means["bob"]


def test_a_constant_difference_is_refused_in_its_row_only() -> None:
    values = folds(3)
    values[:, 2] = values[:, 0] + 0.05
    verdict = judge(zoo.table(np.round(values, 6), kind="kfold"))
    assert "degenerate" in codes(verdict)
    by_pair = {frozenset((j.first, j.second)): j for j in verdict.decisions}
    assert by_pair[frozenset(("ada", "cyd"))].row.note.startswith("refused")
    assert by_pair[frozenset(("ada", "bob"))].row.p > 0


# ----------------------------------------------------------------------------------------------------------------------
# Identical


SAME = np.repeat(np.linspace(0.1, 0.3, 10)[:, None], 2, axis=1)


@pytest.mark.parametrize("alternative", ["two-sided", "better"])
@pytest.mark.parametrize(
    ("procedure", "kind"),
    [
        ("corrected-t", "kfold"),
        ("kfold-t", "kfold"),
        ("rm-anova", "kfold"),
        ("aligned-tukey", "kfold"),
        ("paired-t", "instances"),
        ("hochberg-tamhane", "instances"),
        ("diebold-mariano", "instances"),
        ("5x2-t", "repeats:5"),
    ],
)
def test_without_a_standard_error_nothing_is_claimed(procedure: str, kind: str, alternative: str) -> None:
    for blocks_ in (2, 10) if procedure != "5x2-t" else (10,):
        adjust = "holm" if alternative != "two-sided" else None
        asked = {"margin": 0.01, "alternative": alternative, "anyway": True, "adjust": adjust}
        verdict = judge(zoo.table(SAME[:blocks_], kind=kind), procedure, **asked)  # type: ignore[arg-type]
        (judged,) = verdict.decisions
        assert judged.decision is Decision.UNDECIDED
        assert np.isnan(judged.at_least)
        assert all(np.isnan(row.equivalent) for row in verdict.finding.relevance)
        assert "identical-scores" in {w.code for w in verdict.warnings}


@pytest.mark.parametrize(
    ("procedure", "kind", "alternative"),
    [
        *product(["wilcoxon", "sign"], ["tasks"], ["two-sided", "better", "worse"]),
        *product(["paired-permutation"], ["kfold"], ["two-sided", "better", "worse"]),
        ("win-loss-tie", "tasks", "two-sided"),
    ],
)
def test_an_interval_of_order_statistics_without_width_neither(procedure: str, kind: str, alternative: str) -> None:
    verdict = judge(
        zoo.table(SAME, kind=kind), procedure, margin=0.01, alternative=alternative, adjust="none", anyway=True
    )
    assert [judged.decision for judged in verdict.decisions] == [Decision.UNDECIDED]
    assert np.isnan(verdict.decisions[0].row.lower)
    assert not verdict.finding.relevance
    assert "identical-scores" in {w.code for w in verdict.warnings}


def test_two_curves_without_a_fault_are_not_shown_equal() -> None:
    card = procedure_named("delong").card
    values = np.repeat(zoo.values_for(card, 3, np.random.default_rng(1))[:, :1], 2, axis=1)
    (judged,) = judge(zoo.scores_for(card, values), "delong", margin=0.05).decisions
    assert judged.decision is Decision.UNDECIDED


def test_many_rows_answered_alike_are_evidence() -> None:
    right = np.repeat([[0.0], [1.0]], 500, axis=0).repeat(2, axis=1)
    (judged,) = judge(zoo.table(right, kind="instances"), "mcnemar", margin=0.05).decisions
    assert judged.decision is Decision.EQUIVALENT


def test_dunn_neither() -> None:
    right = np.repeat([[0.0], [1.0]], 2, axis=1)
    (judged,) = judge(zoo.table(right, kind="instances"), "dunn", margin=0.01, anyway=True).decisions
    assert judged.decision is Decision.UNDECIDED


def test_the_one_without_any_spread_stays_undecided_beside_others() -> None:
    rng = np.random.default_rng(0)
    table = zoo.table(np.column_stack([SAME, SAME[:, 0] + 0.1 + 0.01 * rng.random(10)]), kind="kfold")
    verdict = judge(table, margin=0.01)
    by_pair = {(j.first, j.second): j.decision for j in verdict.decisions}
    assert by_pair["ada", "bob"] is Decision.UNDECIDED
    assert by_pair["cyd", "ada"] is Decision.BETTER
    (warning,) = [w for w in verdict.warnings if w.code == "identical-scores"]
    assert "in all 10 resamples: ada and bob." in warning.text


def test_rounding_error_is_no_difference_and_one_block_is_no_pattern() -> None:
    nearly = np.column_stack([[0.1 + 0.2, 0.5], [0.3, 0.5]])
    assert alike(blocks(zoo.table(nearly, kind="kfold"))) == [("ada", "bob")]
    assert alike(blocks(zoo.table(np.ones((1, 2)), kind="kfold"))) == []
    assert alike(blocks(zoo.table(np.array([[0.1, 0.1], [0.2, 0.3]]), kind="kfold"))) == []


def test_a_posterior_from_few_blocks_comes_with_a_caution() -> None:
    two, ten = (judge(zoo.table(SAME[:n], kind="tasks"), "bayes-sign", margin=0.01) for n in (2, 10))
    assert "few-blocks" in {w.code for w in two.warnings}
    assert "few-blocks" not in {w.code for w in ten.warnings}


def failing(*failed: str) -> Scores:
    """Three learners in ten folds, of which some never gave a result."""
    rng = np.random.default_rng(1)
    values = np.round(0.2 + 0.02 * rng.random((10, 3)), 4)
    for name in failed:
        values[:, zoo.NAMES.index(name)] = np.nan
    return zoo.table(values, kind="kfold", name="error")


@pytest.mark.parametrize("procedure", [None, "bayes-correlated-t"])
def test_learners_that_never_gave_a_result_are_not_equivalent(procedure: str | None) -> None:
    verdict = judge(failing("ada", "bob"), procedure, missing="worst", margin=0.5)
    by_pair = {frozenset((j.first, j.second)): j for j in verdict.decisions}
    assert by_pair[frozenset(("ada", "bob"))].decision is Decision.UNDECIDED
    for judged in verdict.decisions:
        if "cyd" in (judged.first, judged.second):
            assert judged.decision in (Decision.UNDECIDED, Decision.NON_INFERIOR)
    (warning,) = [w for w in verdict.warnings if w.code == "never-succeeded"]
    assert warning.text.startswith("ada and bob gave no result")
    assert "identical-scores" not in {w.code for w in verdict.warnings}


def test_a_learner_that_never_gave_a_result_may_be_worse() -> None:
    verdict = judge(failing("ada"), missing="worst")
    assert {j.second for j in verdict.decisions if j.decision is Decision.BETTER} == {"ada"}


def test_who_failed_once_is_judged_as_ever() -> None:
    values = np.round(0.2 + 0.02 * np.random.default_rng(1).random((10, 2)), 4)
    values[0, 0] = np.nan
    verdict = judge(zoo.table(values, kind="kfold", name="error"), missing="worst", margin=0.5)
    assert verdict.decisions[0].decision is Decision.EQUIVALENT
    assert "never-succeeded" not in {w.code for w in verdict.warnings}


def test_an_analysis_shows_no_interval_either() -> None:
    (row,) = analyse(zoo.table(SAME, kind="kfold"), "corrected-t").pairs
    assert (row.statistic, row.p) == (0.0, 1.0)
    assert np.isnan(row.lower)
