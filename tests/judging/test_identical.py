"""Scores that are the same in every block are no evidence of equivalence, and stand-ins for failures still less."""

from __future__ import annotations

import numpy as np
import pytest
import zoo

from bakeoff.judging import analyse, judge
from bakeoff.judging.identical import alike
from bakeoff.judging.verdict import Decision
from bakeoff.registry import procedure_named
from bakeoff.scores import Scores, blocks

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
    ("procedure", "kind"),
    [("wilcoxon", "tasks"), ("sign", "tasks"), ("win-loss-tie", "tasks"), ("paired-permutation", "kfold")],
)
@pytest.mark.parametrize("alternative", ["two-sided", "better", "worse"])
def test_an_interval_of_order_statistics_without_width_neither(procedure: str, kind: str, alternative: str) -> None:
    if procedure == "win-loss-tie" and alternative != "two-sided":
        return
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
