"""Defaults for many learners use each pair's own variance: faults that a pooled procedure makes, planted."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from bakeoff import judge
from bakeoff.errors import MisfitError
from bakeoff.judging.verdict import Decision, Verdict
from bakeoff.scores import Scores, read_scores


def rows(values: np.ndarray, block: str, measure: str = "accuracy") -> Scores:
    """A block × learner matrix, read as a file of rows would be."""
    n, k = values.shape
    frame = pd.DataFrame(
        {
            "learner": np.tile([f"m{j + 1}" for j in range(k)], n),
            block: np.repeat(np.arange(1, n + 1), k),
            measure: values.ravel(),
        }
    )
    return read_scores(frame)


def decision(verdict: Verdict, first: str, second: str) -> Decision:
    found = [j for j in verdict.decisions if {j.first, j.second} == {first, second}]
    assert len(found) == 1
    return found[0].decision


def codes(verdict: Verdict) -> set[str]:
    return {warning.code for warning in verdict.warnings}


# Of a hundred experiments: 5 % and three standard errors. What pooled variances do lies above it.
LIMIT = 0.05 + 3 * (0.05 * 0.95 / 100) ** 0.5


def rate(claims: list[bool]) -> float:
    return sum(claims) / len(claims)


def claims(scores: Scores, procedure: str | None = None, **asked: object) -> bool:
    return any(judged.apart for judged in judge(scores, procedure, **asked).decisions)  # type: ignore[arg-type]


# ----------------------------------------------------------------------------------------------------------------------
# Runs and draws: unequal variances.


def test_learners_of_unequal_variance_are_not_told_apart_over_runs_of_their_own() -> None:
    """Eight equal learners, two of them noisy: analysis of variance claims a difference in one experiment of six."""
    spread = np.array([5.0, 5, 1, 1, 1, 1, 1, 1])
    tables = [rows(0.5 + 0.01 * spread * np.random.default_rng(i).normal(size=(10, 8)), "seed") for i in range(100)]
    ours = [claims(table, runs="fixed-split") for table in tables]
    pooled = [claims(table, "anova", anyway=True, runs="fixed-split") for table in tables]
    # Where nothing is said of the runs, the test is the same, asked for each of what they may be: no more is claimed.
    assert judge(tables[0]).finding.procedure == "unpaired-t"
    assert all(claims(table) <= claim for table, claim in zip(tables[:10], ours, strict=False))
    assert rate(ours) <= LIMIT
    assert rate(pooled) >= 0.12


def test_learners_of_unequal_variance_are_not_told_apart_over_shared_runs() -> None:
    spread = np.array([5.0, 5, 1, 1, 1, 1, 1, 1, 1, 1])
    rng = np.random.default_rng(5)
    tables = [
        rows(0.5 + 0.02 * rng.normal(size=(12, 1)) + 0.01 * spread * rng.normal(size=(12, 10)), "run")
        for _ in range(100)
    ]
    ours = [claims(table, runs="independent") for table in tables]
    pooled = [claims(table, "rm-anova", runs="independent") for table in tables]
    assert judge(tables[0], runs="independent").finding.procedure == "run-flips"
    assert rate(ours) <= LIMIT
    assert rate(pooled) >= 0.12


def test_a_broken_learner_does_not_hide_a_pair_that_wins_every_run() -> None:
    """Without the fifth column the pair has p < .001; with it, analysis of variance finds p = .6."""
    rng = np.random.default_rng(1)
    base = 0.8 + 0.02 * rng.normal(size=(100, 1))
    close = base + np.array([0.004, 0.0, 0.001, 0.002]) + 0.0005 * rng.normal(size=(100, 4))
    broken = 0.4 + 0.35 * rng.random((100, 1))
    values = np.hstack([close, broken])
    assert (values[:, 0] > values[:, 1]).all()
    scores = rows(values, "run")
    verdict = judge(scores, runs="independent")
    assert verdict.finding.procedure == "run-flips"
    assert decision(verdict, "m1", "m2") is Decision.BETTER
    hidden = judge(scores, "rm-anova", runs="independent")
    assert decision(hidden, "m1", "m2") is Decision.UNDECIDED
    warned = next(warning for warning in hidden.warnings if warning.code == "pooled")
    assert "assumes one variance for all pairs" in warned.text
    assert "times as much" in warned.text
    assert "pooled" not in codes(verdict)


# ----------------------------------------------------------------------------------------------------------------------
# Instances: near-clones.


def answers(rng: np.random.Generator, loadings: list[float], n: int, level: list[float]) -> np.ndarray:
    """Answers that are right where a latent variable, which the models share to a degree, is above a level."""
    a = np.sqrt(np.array(loadings))
    latent = a * rng.normal(size=(n, 1)) + np.sqrt(1 - a**2) * rng.normal(size=(n, len(a)))
    return (latent > np.array(level)).astype(float)


def test_unlike_models_beside_near_clones_are_not_told_apart() -> None:
    rng = np.random.default_rng(2)
    loadings = [0.98] * 8 + [0.1] * 2
    tables = [rows(answers(rng, loadings, 200, [-0.84] * 10), "item", "correct") for _ in range(100)]
    ours = [claims(table) for table in tables]
    pooled = [claims(table, "dunn") for table in tables]
    assert judge(tables[0]).finding.procedure == "item-flips"
    assert rate(ours) <= LIMIT
    assert rate(pooled) >= 0.08
    assert rate(pooled) > rate(ours)


def test_a_weak_third_model_does_not_hide_what_mcnemar_finds() -> None:
    rng = np.random.default_rng(3)
    n = 400
    hard = rng.random(n)
    first, weak = (hard < 0.9).astype(float), (rng.random(n) < 0.5).astype(float)
    second = first.copy()
    second[np.flatnonzero(first)[:14]] = 0.0  # fourteen instances that only the first gets right
    scores = rows(np.column_stack([first, second, weak]), "item", "correct")
    pair = judge(scores.only(learners=["m1", "m2"]))
    assert pair.finding.procedure == "mcnemar"
    assert pair.decisions[0].row.p < 0.001
    verdict = judge(scores)
    assert verdict.finding.procedure == "item-flips"
    assert decision(verdict, "m1", "m2") is Decision.BETTER
    assert decision(judge(scores, "dunn"), "m1", "m2") is Decision.UNDECIDED


def test_two_classifiers_have_the_mid_p_and_too_few_discordant_instances_are_named() -> None:
    table = np.ones((60, 2))
    table[:4, 1] = 0.0
    verdict = judge(rows(table, "item", "correct"))
    row = verdict.finding.pairs[0]
    assert row.p == pytest.approx(2 * 0.5 * 0.5**4)
    assert "too few for any claim" in row.note
    table[4, 1] = 0.0
    row = judge(rows(table, "item", "correct")).finding.pairs[0]
    assert row.p == pytest.approx(2**-5)
    assert "too few" not in row.note


# ----------------------------------------------------------------------------------------------------------------------
# Tasks: mean ranks.


def test_ten_learners_of_equal_mean_rank_two_of_them_variable() -> None:
    spread = np.array([5.0, 5, 1, 1, 1, 1, 1, 1, 1, 1])
    rng = np.random.default_rng(4)
    tables = [rows(0.5 + 0.01 * spread * rng.normal(size=(15, 10)), "task") for _ in range(100)]
    ours = [claims(table) for table in tables]
    assert judge(tables[0]).finding.procedure == "task-flips"
    assert rate(ours) <= LIMIT


def test_what_others_do_does_not_tell_two_equal_learners_apart() -> None:
    """Benavoli, Corani and Mangili (2016): mean ranks of two equal learners differ because of the others."""
    rng, false, pooled = np.random.default_rng(6), [], []
    for _ in range(40):
        spread = np.array([3.0, 0.3, 0.3, 0.3, 0.3])
        values = 10 + np.array([0, 0, 0.5, 0.5, 0.5]) + spread * rng.normal(size=(60, 5))
        scores = rows(values, "task", "reward")
        false.append(decision(judge(scores), "m1", "m2") is not Decision.UNDECIDED)
        pooled.append(decision(judge(scores, "friedman"), "m1", "m2") is not Decision.UNDECIDED)
    assert rate(false) <= 0.15
    assert rate(pooled) >= 0.5


def test_mean_ranks_are_spoken_of_as_such() -> None:
    values = 0.5 + 0.1 * np.arange(4) + 0.01 * np.random.default_rng(1).normal(size=(12, 4))
    verdict = judge(rows(values, "task"), "friedman")
    assert "has a better mean rank, among these learners, than" in verdict.paragraph
    assert "is better than" not in verdict.paragraph
    assert "pooled" in codes(verdict)
    assert "is better than" in judge(rows(values, "task")).paragraph


# ----------------------------------------------------------------------------------------------------------------------
# Few seeds.


def test_five_seeds_of_two_learners_find_three_standard_deviations() -> None:
    rng, found, false = np.random.default_rng(7), [], []
    for _ in range(100):
        noise = 0.01 * rng.normal(size=(5, 2))
        found.append(claims(rows(0.8 + noise + np.array([0.03, 0.0]), "seed"), runs="fixed-split"))
        false.append(claims(rows(0.8 + noise, "seed"), runs="fixed-split"))
    assert rate(found) >= 0.9
    assert rate(false) <= LIMIT


def test_seeds_are_no_pairs_unless_they_share_something_that_was_said() -> None:
    scores = rows(0.8 + 0.01 * np.random.default_rng(8).normal(size=(5, 2)) + np.array([0.02, 0.0]), "seed")
    assert judge(scores).finding.procedure == "unpaired-t"
    assert judge(scores, runs="fixed-split").finding.procedure == "unpaired-t"
    assert judge(scores, runs="independent").finding.procedure == "run-t"
    assert "unknown-runs" in codes(judge(scores))
    assert "normality" in codes(judge(scores))


@pytest.mark.parametrize("k", [2, 3])
@pytest.mark.parametrize("said", [None, "fixed-split", "independent"])
def test_two_runs_of_each_learner_are_refused(k: int, said: str | None) -> None:
    scores = rows(0.8 + 0.01 * np.random.default_rng(9).normal(size=(2, k)), "run")
    with pytest.raises(MisfitError, match="at least 3 runs of each learner, and some learner has 2"):
        judge(scores, runs=said)


# ----------------------------------------------------------------------------------------------------------------------
# What is recommended, by how much there is.


@pytest.mark.parametrize(
    ("block", "n", "k", "said", "procedure"),
    [
        ("task", 20, 5, None, "task-flips"),
        ("task", 6, 3, None, "task-flips"),
        ("task", 5, 3, None, "task-t"),
        ("task", 4, 3, None, "task-flips"),  # which can claim nothing, and says so
        ("task", 6, 2, None, "wilcoxon"),
        ("task", 5, 2, None, "task-t"),
        ("task", 4, 2, None, "task-t"),
        ("task", 3, 2, None, "wilcoxon"),
        ("task", 8, 61, None, "task-t"),
        ("run", 8, 3, "independent", "run-flips"),
        ("run", 7, 3, "independent", "run-t"),
        ("run", 3, 3, "independent", "run-t"),
        ("run", 8, 2, "independent", "paired-permutation"),
        ("run", 7, 2, "independent", "run-t"),
        ("run", 5, 4, "fixed-split", "unpaired-t"),
        ("instance", 20, 3, None, "bootstrap-t"),
        ("instance", 20, 2, None, "bootstrap-t"),
        ("instance", 19, 3, None, "paired-t"),
        ("instance", 6, 2, None, "paired-t"),
        ("instance", 5, 2, None, "item-flips"),
        ("instance", 5, 3, None, "item-flips"),
    ],
)
def test_the_default_by_the_number_of_blocks(block: str, n: int, k: int, said: str | None, procedure: str) -> None:
    measure = "squared_error" if block == "instance" else "accuracy"
    values = 0.5 + 0.1 * np.random.default_rng(n).random((n, k))
    verdict = judge(rows(values, block, measure), runs=said)
    assert verdict.finding.procedure == procedure
    few = {"task-t": 6, "run-t": 6, "unpaired-t": 6, "paired-t": 20}.get(procedure, 0)
    assert ("normality" in codes(verdict)) == (n < few)
    out_of_reach = procedure in ("task-flips", "wilcoxon", "item-flips") and n < 6
    assert ("alpha-unreachable" in codes(verdict)) == out_of_reach
    if out_of_reach:
        assert "6 " in next(w.action for w in verdict.warnings if w.code == "alpha-unreachable")
        assert not any(judged.apart for judged in verdict.decisions)


@pytest.mark.parametrize("block", ["task", "run", "seed", "instance"])
@pytest.mark.parametrize("k", [2, 4])
def test_with_a_margin_the_default_can_use_it(block: str, k: int) -> None:
    values = 0.5 + 0.001 * np.random.default_rng(3).random((30, k))
    said = {"run": "independent", "seed": "fixed-split"}.get(block)
    measure = "squared_error" if block == "instance" else "accuracy"
    verdict = judge(rows(values, block, measure), runs=said, margin=0.01)
    assert verdict.margin == 0.01
    assert {judged.decision for judged in verdict.decisions} == {Decision.EQUIVALENT}
    for judged, held in zip(verdict.decisions, verdict.finding.relevance, strict=True):
        assert held.equivalent_adjusted <= 0.025
        assert -0.01 < judged.at_least <= judged.at_most < 0.01


# ----------------------------------------------------------------------------------------------------------------------
# The test of all at once, and what it would take.


def test_global_yes_and_no_pair() -> None:
    """Many small differences: together they are no chance, and no pair of them is beyond it."""
    rng = np.random.default_rng(11)
    for _ in range(200):
        values = 0.5 + np.linspace(0, 0.016, 6) + 0.02 * rng.normal(size=(14, 6))
        verdict = judge(rows(values, "task"))
        global_p = verdict.finding.tests[1].p
        if global_p <= 0.05 and not any(judged.apart for judged in verdict.decisions):
            break
    assert "The test of all learners at once shows a difference (Iman–Davenport F(5, 65) = " in verdict.paragraph
    assert "and no pair shows it; more tasks would tell which learners differ" in verdict.paragraph
    assert "power)" in verdict.paragraph


def test_a_pair_does_not_wait_for_the_test_of_all() -> None:
    """Two close precise learners and noisy ones: the pair is found though Friedman's test sees nothing."""
    rng = np.random.default_rng(12)
    noisy = 0.5 + 0.2 * rng.normal(size=(12, 3))
    precise = 0.5 + np.array([0.01, 0.0]) + 0.002 * rng.normal(size=(12, 2))
    verdict = judge(rows(np.hstack([precise, noisy]), "task"))
    assert decision(verdict, "m1", "m2") is Decision.BETTER
    assert verdict.finding.tests[1].p > 0.05
    assert "pairs do not wait for it" in verdict.paragraph


def test_every_verdict_of_many_has_a_word_about_all_at_once() -> None:
    rng = np.random.default_rng(13)
    for block, said in (
        ("task", None),
        ("run", "independent"),
        ("seed", "fixed-split"),
        ("fold", None),
        ("item", None),
    ):
        verdict = judge(rows(0.5 + 0.1 * rng.random((10, 3)), block), runs=said)
        assert "all learners at once" in verdict.paragraph, block


def test_how_many_blocks_would_decide_is_about_right() -> None:
    """With as many tasks as the verdict says, most experiments like it do decide."""
    rng = np.random.default_rng(14)
    values = rng.normal(size=(30, 2))
    values[:, 0] += 0.35 - (values[:, 0] - values[:, 1]).mean()  # the difference seen is the true one
    paragraph = judge(rows(values, "task", "accuracy")).paragraph
    said = int(paragraph.partition("is what was seen, about ")[2].partition(" tasks")[0])
    found = [claims(rows(values[rng.integers(0, 30, said)], "task")) for _ in range(100)]
    assert 0.65 <= rate(found) <= 0.93


# ----------------------------------------------------------------------------------------------------------------------
# Draws.


def test_draws_and_seed_are_printed_and_a_p_near_alpha_is_not_settled() -> None:
    rng = np.random.default_rng(15)
    for _ in range(300):
        values = 0.5 + np.array([0.01, 0, 0]) + 0.02 * rng.normal(size=(25, 3))
        verdict = judge(rows(values, "task"), "task-flips", resamples=199)
        p = min(row.p_adjusted for row in verdict.finding.pairs)
        if 0.03 < p < 0.07:
            break
    assert "199 draws from seed 1" in verdict.paragraph
    assert "not-settled" in codes(verdict)
    sure = 0.5 + np.array([0.2, 0, 0]) + 0.02 * rng.normal(size=(25, 3))
    assert "9,999 draws from seed 1" in judge(rows(sure, "task")).paragraph
    few = judge(rows(sure[:10], "task"))
    assert "all flips gone through" in few.paragraph
    assert "not-settled" not in codes(few)


def test_losses_that_one_instance_decides_are_named() -> None:
    rng = np.random.default_rng(16)
    values = rng.random((100, 2))
    assert not codes(judge(rows(values, "instance", "squared_error"))) & {"one-instance", "skewed-losses"}
    values[17, 0] = 30.0
    assert {"one-instance", "skewed-losses"} <= codes(judge(rows(values, "instance", "squared_error")))
