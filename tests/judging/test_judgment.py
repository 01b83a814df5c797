from __future__ import annotations

import numpy as np
import pytest
import zoo

from bakeoff.errors import MisfitError, UsageError
from bakeoff.judging import Decision, judge


def codes(verdict: object) -> list[str]:
    return [warning.code for warning in verdict.warnings]  # type: ignore[attr-defined]


def folds(k: int = 2, n: int = 10, seed: int = 0, gap: float = 0.0, noise: float = 0.001) -> np.ndarray:
    rng = np.random.default_rng(seed)
    return 0.7 + 0.02 * rng.standard_normal((n, 1)) + gap * np.arange(k) + noise * rng.standard_normal((n, k))


def test_the_advisor_chooses_when_nobody_else_does() -> None:
    assert judge(zoo.table(folds(), kind="kfold")).finding.procedure == "corrected-t"
    assert judge(zoo.table(folds(2), kind="tasks")).finding.procedure == "wilcoxon"
    assert judge(zoo.table(folds(4), kind="tasks")).finding.procedure == "friedman"
    assert judge(zoo.table(folds(2), kind="repeats:5")).finding.procedure == "5x2-f"
    assert judge(zoo.table(folds(3, 40), kind="instances")).finding.procedure == "hochberg-tamhane"
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
    verdict = judge(zoo.table(folds(3), kind="tasks"), margin=0.01)
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
    verdict = judge(zoo.table(folds(2, 5, gap=0.1), kind="tasks"))
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
