"""Effect sizes stand beside every comparison, whatever the procedure."""

from __future__ import annotations

import json

import numpy as np
import pytest
import zoo

from bakeoff.effects import independent_effect, paired_effect
from bakeoff.judging import analyse, judge
from bakeoff.measures import known_measure
from bakeoff.procedures.card import Answers
from bakeoff.procedures.result import Procedure
from bakeoff.registry import procedures
from bakeoff.scores import Scores

PAIRS = [p for p in procedures() if p.card.answers is Answers.PAIRS]


@pytest.mark.parametrize("procedure", PAIRS, ids=lambda p: p.name)
def test_every_pair_has_an_effect(procedure: Procedure) -> None:
    card = procedure.card
    scores = zoo.scores_for(card, zoo.values_for(card, 3, np.random.default_rng(1)))
    found = analyse(scores, card.name, anyway=True, **zoo.options_for(card))  # type: ignore[arg-type]
    if procedure.on_predictions or procedure.long:
        return
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
    assert found.effects == (independent_effect("bob − ada", values[:, 1], values[:, 0], larger_is_better=True),)


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
