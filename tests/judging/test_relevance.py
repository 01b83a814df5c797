"""Superiority, non-inferiority and equivalence: p-values that agree with intervals, decisions and other software."""

from __future__ import annotations

import json
from dataclasses import astuple
from itertools import combinations, product
from math import inf, isnan

import numpy as np
import pytest
import zoo
from scipy import stats

from bakeoff.errors import UsageError
from bakeoff.inference.effects import independent_effects, paired_effect
from bakeoff.inference.evidence import Interval
from bakeoff.inference.finding import Finding
from bakeoff.judging import Decision, analyse, judge
from bakeoff.judging import relevance as relevance_of
from bakeoff.judging.relevance import level_of_passing
from bakeoff.measures import known_measure
from bakeoff.procedures import procedures
from bakeoff.procedures.card import Answers
from bakeoff.procedures.procedure import Procedure
from bakeoff.scores import Scores

A = np.array([0.82, 0.80, 0.85, 0.79, 0.83, 0.84, 0.81, 0.80, 0.86, 0.82])
B = np.array([0.80, 0.79, 0.82, 0.80, 0.81, 0.82, 0.80, 0.77, 0.84, 0.82])
WITH_INTERVALS = [
    p
    for p in procedures()
    if p.card.answers is Answers.PAIRS and not p.card.posterior and not p.card.ranks and not p.card.scale
]


def relevance(values: np.ndarray, margin: float, procedure: str = "paired-t", **request: object) -> Finding:
    scores = zoo.table(values, kind="instances", name=str(request.pop("measure_name", "accuracy")))
    return analyse(scores, procedure, margin=margin, **request)  # type: ignore[arg-type]


def test_equivalence_is_two_one_sided_tests() -> None:
    # statsmodels 0.15.0: ttost_paired(a, b, -0.03, 0.03) has p = 0.002323314043806875, p_low = 6.855888305171873e-07
    (row,) = relevance(np.column_stack([A, B]), 0.03).relevance
    assert row.equivalent == pytest.approx(0.002323314043806875, rel=1e-9)
    assert row.non_inferior == pytest.approx(6.855888305171873e-07, rel=1e-7)
    d = A - B
    assert row.superior == pytest.approx(stats.ttest_1samp(d, 0.03, alternative="greater").pvalue, rel=1e-9)


def test_the_direction_is_that_of_the_measure() -> None:
    # R: t.test(a, b, paired = TRUE, mu = -margin, alternative = "greater") has p = 0.00275890358314019
    a = np.array([0.125, 0.15, 0.11, 0.14, 0.16, 0.135, 0.12, 0.145, 0.155, 0.13])
    b = np.array([0.118, 0.139, 0.121, 0.128, 0.149, 0.131, 0.117, 0.129, 0.151, 0.122])
    found = relevance(np.column_stack([b, a]), 0.002, control="ada")  # bob − ada: a − b, larger is better
    assert found.relevance[0].non_inferior == pytest.approx(0.00275890358314019, rel=1e-9)
    # Of errors a smaller one is better, and it is b whose superiority by 0.002 is tested by mean(b − a) ≥ −0.002.
    errors = relevance(np.column_stack([b, a]), 0.002, control="bob", measure_name="error")
    assert errors.relevance[0].superior == pytest.approx(
        stats.ttest_1samp(b - a, -0.002, alternative="less").pvalue, rel=1e-9
    )


@pytest.mark.parametrize("side", ["two-sided", "better", "worse"])
def test_the_request_does_not_change_the_questions(side: str) -> None:
    plain, sided = (relevance(np.column_stack([A, B]), 0.01, alternative=s) for s in ("two-sided", side))
    assert plain.relevance == sided.relevance
    assert ("at 0.025" in sided.relevance_rule) == (side == "two-sided")


@pytest.mark.parametrize(
    ("procedure", "adjust", "seed"),
    [
        *product(WITH_INTERVALS, ["none"], [0]),
        *product(WITH_INTERVALS, ["bonferroni"], [1]),
        *product(WITH_INTERVALS, ["sidak"], [2]),
        *product([p for p in WITH_INTERVALS if p.card.single_step], ["single-step"], [0, 1]),
    ],
    ids=lambda x: x.name if isinstance(x, Procedure) else str(x),
)
def test_decisions_and_p_values_agree_for_every_procedure(procedure: Procedure, adjust: str, seed: int) -> None:
    card = procedure.card
    values = zoo.values_for(card, 3, np.random.default_rng(seed), spread=0.015)
    scores, options = zoo.scores_for(card, values), zoo.options_for(card)
    for margin in (0.004, 0.03):
        verdict = judge(scores, card.name, margin=margin, adjust=adjust, alpha=0.1, anyway=True, **options)  # type: ignore[arg-type]
        if all(judged.row.interval is Interval.NONE for judged in verdict.decisions):
            assert "not used" in verdict.finding.relevance_rule
            continue
        for judged, row in zip(verdict.decisions, verdict.finding.relevance, strict=True):
            if judged.row.interval is Interval.NONE:
                assert isnan(row.equivalent)
                continue
            assert row.contrast == judged.row.contrast
            assert (row.superior_adjusted <= 0.05) == (judged.at_least > margin), (row, judged)
            assert (row.non_inferior_adjusted <= 0.05) == (judged.at_least > -margin), (row, judged)
            assert (row.equivalent_adjusted <= 0.05) == (judged.decision is Decision.EQUIVALENT), (row, judged)
            for plain, adjusted in (
                (row.superior, row.superior_adjusted),
                (row.non_inferior, row.non_inferior_adjusted),
                (row.equivalent, row.equivalent_adjusted),
            ):
                assert 0 <= plain <= adjusted <= 1


@pytest.mark.parametrize("law", [stats.norm(0.3, 0.2), stats.t(1.5, 0.3, 0.2)], ids=["normal", "heavy tails"])
def test_a_search_over_levels_finds_what_the_formula_says_and_soon(law) -> None:  # type: ignore[no-untyped-def]
    asked = []

    def ends(confidence: float) -> tuple[float, float]:
        asked.append(confidence)
        return law.interval(confidence)  # type: ignore[no-any-return]

    for c in (-0.4, 0.0, 0.25, 0.3, 0.5, 0.9):
        assert level_of_passing(ends, c) == pytest.approx(law.cdf(c), rel=1e-5, abs=1e-10)
    assert len(asked) < 6 * 15


def test_steps_are_found_too() -> None:
    def ends(confidence: float) -> tuple[float, float]:
        return (0.2, 0.4) if confidence < 0.9 else (-0.1, 0.7)

    assert level_of_passing(ends, 0.1) == pytest.approx(0.05, rel=1e-5)
    assert level_of_passing(ends, -0.2) < 1e-9
    assert level_of_passing(ends, 0.3) == 0.5
    assert level_of_passing(ends, 0.5) == pytest.approx(0.95, rel=1e-5)
    assert level_of_passing(lambda _: (-inf, inf), 0.0) == 0.5


def test_an_interval_that_is_empty_at_low_confidence() -> None:
    def ends(confidence: float) -> tuple[float, float]:
        half = stats.norm.ppf((1 + confidence) / 2) - 1
        return (0.3 - half, 0.3 + half) if half >= 0 else (float("nan"), float("nan"))

    assert level_of_passing(ends, 0.0, 0.3) == pytest.approx(stats.norm.sf(1.3), rel=1e-5)
    assert level_of_passing(ends, 0.6, 0.3) == pytest.approx(stats.norm.cdf(1.3), rel=1e-5)


@pytest.mark.parametrize("procedure", ["paired-t", "hochberg-tamhane"])
def test_identical_learners_are_no_evidence_of_equivalence(procedure: str) -> None:
    found = relevance(np.column_stack([A, A]), 0.01, procedure=procedure, anyway=True)
    assert found.relevance == ()
    assert "there are none" in found.relevance_rule


def test_a_stepwise_adjustment_gives_way_to_bonferroni() -> None:
    three = np.column_stack([A, B, B[::-1]])
    holm, bonferroni = (relevance(three, 0.01, adjust=name) for name in ("holm", "bonferroni"))
    assert holm.relevance == bonferroni.relevance
    assert "stepwise" in holm.relevance_rule
    assert "Bonferroni" in bonferroni.relevance_rule
    for row in holm.relevance:
        assert row.superior_adjusted == pytest.approx(min(1, 3 * row.superior))


def test_ranks_have_no_margin() -> None:
    found = analyse(zoo.table(np.random.default_rng(0).random((12, 4)), kind="tasks"), "friedman", margin=0.1)
    assert found.relevance == ()
    assert "not used: it is a difference in accuracy, and here learners are compared by mean rank" in " ".join(
        found.to_text().split()
    )


def test_refused_pairs_have_no_p() -> None:
    three = np.column_stack([A, A + 0.01, B])
    found = relevance(three, 0.005)
    assert [isnan(row.superior) for row in found.relevance].count(True) == 1
    assert "NaN" not in found.to_json()


@pytest.mark.parametrize("margin", [0.0, -1.0, inf, float("nan")])
def test_a_margin_is_positive_and_finite(margin: float) -> None:
    with pytest.raises(UsageError, match="positive difference"):
        relevance(np.column_stack([A, B]), margin)


def test_a_margin_and_another_rope_contradict_each_other() -> None:
    scores = zoo.table(np.column_stack([A, B]), kind="kfold")
    with pytest.raises(UsageError, match="Give one of them"):
        analyse(scores, "bayes-correlated-t", margin=0.01, rope=0.02)
    assert analyse(scores, "bayes-correlated-t", margin=0.01, rope=0.01).options["rope"] == 0.01


def test_verdict_text_html_and_json_show_it() -> None:
    verdict = judge(zoo.table(np.column_stack([A, B, B[::-1]]), kind="kfold"), margin=0.01)
    assert "superior p  non-inferior p  equivalent p" in verdict.to_text()
    assert "equivalent p" in verdict._repr_html_()
    data = json.loads(verdict.to_json())["finding"]
    assert data["margin"] == 0.01
    assert len(data["relevance"]) == 3
    assert {"superior", "equivalent_adjusted"} <= set(data["relevance"][0])
    without = judge(zoo.table(np.column_stack([A, B]), kind="kfold"))
    assert "superior p" not in without.to_text() + without._repr_html_()


ONE = ["binomial", "normal-approximation", "mean-t", "mean-z", "sign-one"]


def test_one_learner_is_held_against_a_value_and_the_margin() -> None:
    found = analyse(zoo.table(A[:, None], kind="kfold"), "mean-t", margin=0.03, p0=0.8)
    (row,) = found.relevance
    assert row.contrast == "ada − 0.8"
    assert row.superior == pytest.approx(stats.ttest_1samp(A, 0.83, alternative="greater").pvalue, rel=1e-9)
    assert row.non_inferior == pytest.approx(stats.ttest_1samp(A, 0.77, alternative="greater").pvalue, rel=1e-9)
    (errors,) = analyse(zoo.table(A[:, None], kind="kfold", name="error"), "mean-t", margin=0.03, p0=0.8).relevance
    assert errors.superior == pytest.approx(stats.ttest_1samp(A, 0.77, alternative="less").pvalue, rel=1e-9)
    assert errors.equivalent == row.equivalent


@pytest.mark.parametrize("name", ONE)
def test_every_procedure_for_one_learner_agrees_with_its_interval(name: str) -> None:
    card = next(p.card for p in procedures() if p.name == name)
    values = zoo.values_for(card, 1, np.random.default_rng(5))
    options = {"p0": 0.7, **zoo.options_for(card)} if name != "sign-one" else zoo.options_for(card)
    reference = float(options.get("p0", options.get("constant")))  # type: ignore[arg-type]
    for margin in (0.01, 0.05, 0.2):
        found = analyse(zoo.scores_for(card, values), name, margin=margin, **options)  # type: ignore[arg-type]
        (row,), (against,) = found.rows, found.relevance
        assert (against.superior <= 0.025) == (row.lower > reference + margin)
        assert (against.non_inferior <= 0.025) == (row.lower > reference - margin)


def test_without_a_value_the_margin_says_what_it_needs() -> None:
    found = analyse(zoo.table(A[:, None], kind="kfold"), "mean-t", margin=0.03)
    assert "there are none without a value to hold the learners against (--p0)" in found.relevance_rule


# ----------------------------------------------------------------------------------------------------------------------
# Effect sizes stand beside every comparison, whatever the procedure.


PAIRS = [p for p in procedures() if p.card.answers is Answers.PAIRS]
ON_VALUES = [p for p in PAIRS if not p.card.on_predictions and not p.card.takes_long_table]


def found_by(procedure: Procedure) -> Finding:
    card = procedure.card
    scores = zoo.scores_for(card, zoo.values_for(card, 3, np.random.default_rng(1)))
    return analyse(scores, card.name, anyway=True, **zoo.options_for(card))  # type: ignore[arg-type]


@pytest.mark.parametrize("procedure", [p for p in PAIRS if p not in ON_VALUES], ids=lambda p: p.name)
def test_what_is_not_computed_from_values_has_no_effect(procedure: Procedure) -> None:
    found = found_by(procedure)
    assert found.pairs
    assert not found.effects


@pytest.mark.parametrize("procedure", ON_VALUES, ids=lambda p: p.name)
def test_every_pair_has_an_effect(procedure: Procedure) -> None:
    found = found_by(procedure)
    assert [effect.contrast for effect in found.effects] == [row.contrast for row in found.pairs]
    assert "P(first better)" in found.to_text()
    assert "P(first better)" in found._repr_html_()


def test_a_ratio_that_was_said_counts_for_both_intervals() -> None:
    values = zoo.values_for(PAIRS[0].card, 2, np.random.default_rng(2))
    runs = [f"r{i}" for i in range(len(values)) for _ in range(2)]
    scores = Scores.of(
        values.ravel(), learner=["ada", "bob"] * len(values), repeat=runs, measures={"auc": known_measure("auc")}
    )
    found = analyse(scores, "corrected-t", ratio=0.1)  # little enough that no end is cut at the range of the AUC
    (effect,), (row,) = found.effects, found.rows
    assert (effect.lower, effect.upper) == pytest.approx((row.lower, row.upper))


def test_they_are_those_of_the_values() -> None:
    values = zoo.values_for(PAIRS[0].card, 2, np.random.default_rng(2))
    scores = zoo.table(values, kind="kfold")
    (effect,) = analyse(scores, "corrected-t", control="ada").effects
    ratio = 1 / (len(values) - 1)  # of test to training cases
    assert effect == paired_effect("bob − ada", values[:, 1], values[:, 0], larger_is_better=True, inflation=ratio)
    found = analyse(scores, "corrected-t", control="ada", alpha=0.1)
    ends = (found.rows[0].lower, found.rows[0].upper)
    assert (found.effects[0].lower, found.effects[0].upper) == pytest.approx(ends), "folds share training data"
    (plain,) = analyse(zoo.table(values, kind="tasks"), "wilcoxon", control="ada").effects
    assert plain.upper - plain.lower < effect.upper - effect.lower, "tasks do not"
    (mirrored,) = analyse(zoo.table(values, kind="kfold", name="error"), "corrected-t", control="ada").effects
    assert mirrored.superiority == pytest.approx(1 - effect.superiority)
    assert mirrored.standardised == pytest.approx(-effect.standardised)


def test_independent_samples_have_them_too() -> None:
    from bakeoff.scores import unpaired

    values = zoo.values_for(PAIRS[0].card, 2, np.random.default_rng(3))
    found = analyse(unpaired(zoo.table(values, kind="kfold")), "unpaired-t", control="ada")
    assert found.effects == independent_effects(["bob − ada"], values[None, :, 1], values[None, :, 0], True)


def test_samples_of_unlike_sizes_have_the_effects_of_their_pairs(monkeypatch: pytest.MonkeyPatch) -> None:
    """Pairs of the same sizes are computed together, at most so many at a time; they stay in their order."""
    rng = np.random.default_rng(2)
    samples = [rng.normal(size=n) for n in (5, 8, 5, 8, 3)]
    pairs = list(combinations(range(5), 2))
    names = [f"{i} − {j}" for i, j in pairs]
    each = [
        independent_effects([name], samples[i][None], samples[j][None], True)[0]
        for name, (i, j) in zip(names, pairs, strict=True)
    ]
    for at_once in (relevance_of.AT_ONCE, 20, 1):
        monkeypatch.setattr(relevance_of, "AT_ONCE", at_once)
        found = relevance_of._independent_effects(names, pairs, samples, True, 0.95)
        assert [effect.contrast for effect in found] == names
        for effect, alone in zip(found, each, strict=True):
            assert astuple(effect)[1:] == pytest.approx(astuple(alone)[1:], rel=1e-12)


def test_groups_of_learners_have_them() -> None:
    values = zoo.values_for(PAIRS[0].card, 3, np.random.default_rng(4))
    (effect,) = analyse(zoo.table(values, kind="kfold"), "corrected-t", contrast="bob + cyd vs ada").effects
    assert effect.difference == pytest.approx(values[:, 1:].mean() - values[:, 0].mean())


def test_ranks_do_not_turn_them_round() -> None:
    # The learner with the better mean rank has the worse mean: its effect is still that of the row.
    values = np.column_stack([np.linspace(0.5, 0.6, 9), np.linspace(0.51, 0.61, 9), np.full(9, 0.1)])
    values[0, 1] = 0.0
    values[:, 2] = 0.1 + 0.001 * np.arange(9)
    found = analyse(zoo.table(values, kind="tasks"), "friedman")
    assert [effect.contrast for effect in found.effects] == [row.contrast for row in found.pairs]
    assert found.effects[0].superiority == pytest.approx(8 / 9)


def test_all_learners_at_once_have_those_of_the_pairs_too() -> None:
    values = zoo.values_for(PAIRS[0].card, 3, np.random.default_rng(6))
    found = analyse(zoo.table(values, kind="kfold"), "permutation")
    assert [len(found.pairs), len(found.effects)] == [0, 3]
    assert "95 % interval" in found.to_text()


def test_incomplete_tables_have_them_over_the_blocks_of_both() -> None:
    values = np.round(np.random.default_rng(7).random((6, 3)), 3)
    values[:3, 0] = values[3:, 1] = np.nan
    effects = {e.contrast: e for e in analyse(zoo.table(values, kind="tasks"), "skillings-mack").effects}
    apart = next(e for name, e in effects.items() if {"ada", "bob"} == set(name.split(" − ")))
    assert np.isnan([apart.difference, apart.superiority]).all(), "no task has both"
    name = next(name for name in effects if {"ada", "cyd"} == set(name.split(" − ")))
    sign = 1 if name.startswith("ada") else -1
    assert effects[name].difference == pytest.approx(sign * (values[3:, 0] - values[3:, 2]).mean())


def test_the_verdict_shows_them() -> None:
    values = zoo.values_for(PAIRS[0].card, 3, np.random.default_rng(5))
    verdict = judge(zoo.table(values, kind="kfold"))
    header, cells = verdict.table()
    assert header[-2:] == ["adjusted p", "P(first better)"]
    shares = [effect.superiority for effect in verdict.finding.effects]
    assert [float(cell[-1]) for cell in cells] == pytest.approx(shares, abs=5e-4)
    assert verdict.to_frame()["superiority"].to_list() == shares
    assert [e["superiority"] for e in json.loads(verdict.to_json())["finding"]["effects"]] == shares
    assert "standardised" in verdict._repr_html_()
