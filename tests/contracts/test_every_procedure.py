"""What every procedure promises. A new procedure is tested here by being registered."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import FrozenInstanceError, fields
from functools import wraps
from inspect import signature
from itertools import pairwise

import numpy as np
import pytest
import zoo

from bakeoff.errors import MisfitError
from bakeoff.inference.adjustments import ADJUSTMENTS
from bakeoff.inference.evidence import Interval
from bakeoff.inference.finding import COLUMNS, Finding
from bakeoff.judging import Decision, advise, analyse, judge
from bakeoff.judging.advice import unmet_needs
from bakeoff.procedures import procedures
from bakeoff.procedures.card import Answers, Compares
from bakeoff.procedures.procedure import Procedure
from bakeoff.scores import layout

ALL = procedures()
COMPARING = [p for p in ALL if p.card.answers is Answers.PAIRS]
TESTING = [p for p in COMPARING if not p.card.posterior]
POSTERIOR = [p for p in COMPARING if p.card.posterior]
MULTIVARIATE = [p for p in ALL if p.card.answers is Answers.MULTIVARIATE]
UNIVARIATE = [p for p in ALL if p not in MULTIVARIATE]
WITH_INTERVALS = [p for p in COMPARING if p.card.intervals]
SEEDS = range(3)  # what is exact holds for any values: few are enough
SLOW = "bayes-hierarchical"  # a fifth of a second each time: once is enough


def every(some: list[Procedure] | tuple[Procedure, ...]) -> pytest.MarkDecorator:
    return pytest.mark.parametrize("procedure", some, ids=lambda p: p.name)


def over(seeds: range) -> Callable[[Callable[..., None]], Callable[..., None]]:
    """A test of values drawn from each seed, as one test: to report five thousand takes longer than to run them."""

    def decorate(test: Callable[..., None]) -> Callable[..., None]:
        @wraps(test)
        def every_seed(procedure: Procedure, **arguments: object) -> None:
            for seed in seeds[:1] if procedure.name == SLOW else seeds:
                try:
                    test(procedure=procedure, **arguments, seed=seed)
                except BaseException as error:
                    error.add_note(f"with seed {seed}")
                    raise

        given = signature(test)
        kept = [parameter for name, parameter in given.parameters.items() if name != "seed"]
        every_seed.__signature__ = given.replace(parameters=kept)  # type: ignore[attr-defined]
        return every_seed

    return decorate


def find(procedure: Procedure, values: np.ndarray, names: tuple[str, ...] = zoo.NAMES, **request: object) -> Finding:
    card = procedure.card
    asked = {"anyway": True, **zoo.options_for(card), **request}
    return analyse(zoo.scores_for(card, values, names), card.name, **asked)  # type: ignore[arg-type]


@every(ALL)
def test_card_is_complete(procedure: Procedure) -> None:
    card = procedure.card
    for text in (card.name, card.title, card.question, card.null, card.recommended_for):
        assert text.strip(), f"{card.name}: an empty text on the card"
    assert card.question.endswith("?")
    assert card.needs
    assert card.assumes
    assert card.conventions
    assert card.references
    assert all(need.asks for need in card.needs)
    assert card.name in card.to_text()
    assert set(card.to_dict()) >= {"needs", "cautions", "options", "published", "references"}


@every(ALL)
def test_published_value_is_reproduced(procedure: Procedure) -> None:
    published = procedure.card.published
    assert published.values
    ours = published.reproduced()
    for name, printed in published.values.items():
        mantissa, _, exponent = printed.lower().partition("e")
        digits = len(mantissa.partition(".")[2]) - int(exponent or 0)
        assert ours[name] == pytest.approx(float(printed), abs=0.5 * 10.0**-digits * (1 + 1e-9)), (
            f"{published.where}: {name}"
        )


@every(ALL)
def test_columns_are_fixed_and_records_frozen(procedure: Procedure) -> None:
    k = zoo.learners_for(procedure.card)
    found = find(procedure, zoo.values_for(procedure.card, k, np.random.default_rng(1)))
    assert tuple(found.to_frame().columns) == COLUMNS
    assert found.rows
    with pytest.raises(FrozenInstanceError):
        found.alpha = 0.5  # type: ignore[misc]
    with pytest.raises((FrozenInstanceError, AttributeError)):
        found.rows[0].p = 0.0  # type: ignore[misc]
    assert {f.name for f in fields(found)} <= set(found.to_dict())
    assert "NaN" not in found.to_json()
    assert found.title in found.to_text()
    assert "<table>" in found._repr_html_()


@every(ALL)
def test_same_input_same_output(procedure: Procedure) -> None:
    k = zoo.learners_for(procedure.card)
    values = zoo.values_for(procedure.card, k, np.random.default_rng(2))
    assert find(procedure, values).to_json() == find(procedure, values.copy()).to_json()


@every(COMPARING)
@over(SEEDS)
def test_swapping_a_pair_flips_the_sign_and_keeps_p(procedure: Procedure, seed: int) -> None:
    values = zoo.values_for(procedure.card, 2, np.random.default_rng(seed))
    there = find(procedure, values, control="ada").pairs[0]
    back = find(procedure, values, control="bob").pairs[0]
    assert there.estimate == pytest.approx(-back.estimate, abs=1e-12)
    assert there.p == pytest.approx(back.p, rel=1e-9, nan_ok=True)
    assert there.p_adjusted == pytest.approx(back.p_adjusted, rel=1e-9, nan_ok=True)
    assert (there.worse, there.same) == pytest.approx((back.better, back.same), abs=1e-9, nan_ok=True)
    assert there.lower == pytest.approx(-back.upper, abs=1e-9, nan_ok=True)
    assert there.upper == pytest.approx(-back.lower, abs=1e-9, nan_ok=True)


@every(MULTIVARIATE)
def test_swapping_keeps_a_multivariate_p(procedure: Procedure) -> None:
    values = zoo.values_for(procedure.card, 2, np.random.default_rng(3))
    there, back = (find(procedure, values, control=name).pairs[0] for name in ("ada", "bob"))
    assert there.p == pytest.approx(back.p, rel=1e-9)


@every(ALL)
def test_names_do_not_matter(procedure: Procedure) -> None:
    k = zoo.learners_for(procedure.card)
    values = zoo.values_for(procedure.card, k, np.random.default_rng(4))
    plain = find(procedure, values)
    other = find(procedure, values, ("zoë, the 1st", '<b>"x"</b>', "🙂", "a\tb", "e", "f"))
    assert np.array_equal([r.p for r in plain.rows], [r.p for r in other.rows], equal_nan=True)
    assert np.array_equal([r.estimate for r in plain.rows], [r.estimate for r in other.rows], equal_nan=True)
    assert "<b>" not in other._repr_html_()


@every(UNIVARIATE)  # the zoo makes the second measure of the others from the order of the columns
@over(SEEDS)
def test_column_order_does_not_matter(procedure: Procedure, seed: int) -> None:
    card = procedure.card
    k = max(zoo.learners_for(card), 3) if card.compares is not Compares.ONE else 1
    values = zoo.values_for(card, k, np.random.default_rng(seed))
    order = np.random.default_rng(seed + 100).permutation(k)
    renamed = tuple(zoo.NAMES[i] for i in order)
    there, back = (
        {frozenset((r.first, r.second)): r for r in found.rows if r.first}
        for found in (find(procedure, values), find(procedure, values[:, order], renamed))
    )
    assert there.keys() == back.keys()
    for pair, row in there.items():
        assert row.p == pytest.approx(back[pair].p, rel=1e-9, nan_ok=True)
        assert abs(row.estimate) == pytest.approx(abs(back[pair].estimate), abs=1e-12)


@every([p for p in COMPARING if not zoo.unitless(p.card)])
@over(SEEDS)
def test_shifting_and_scaling_leave_p(procedure: Procedure, seed: int) -> None:
    values = zoo.values_for(procedure.card, 3, np.random.default_rng(seed))
    plain = find(procedure, values).rows
    for changed, factor in ((values + 5.0, 1.0), (values * 8.0, 8.0), (values * 1e-7, 1e-7), (values * 1e7, 1e7)):
        for before, after in zip(plain, find(procedure, changed).rows, strict=True):
            assert after.p == pytest.approx(before.p, rel=1e-6, nan_ok=True), factor
            assert after.better == pytest.approx(before.better, abs=1e-6, nan_ok=True), factor
            if not procedure.card.ranks and before.second:
                assert after.estimate == pytest.approx(before.estimate * factor, rel=1e-6, abs=1e-9 * factor)
                assert after.lower == pytest.approx(before.lower * factor, rel=1e-6, abs=1e-9 * factor, nan_ok=True)


@every([p for p in UNIVARIATE if p.card.compares is not Compares.ONE and not p.card.posterior])
@pytest.mark.parametrize("k", [2, 3])
def test_identical_learners_never_yield_a_winner(procedure: Procedure, k: int) -> None:
    one = zoo.values_for(procedure.card, 1, np.random.default_rng(5))
    values = np.repeat(one, k, axis=1)
    for row in find(procedure, values).rows:
        assert row.p == 1.0
        assert row.p_adjusted == 1.0
        assert not math.isnan(row.statistic)
        if row.second:
            assert row.estimate == 0.0
    if procedure.card.answers is Answers.PAIRS:
        verdict = judge(zoo.scores_for(procedure.card, values), procedure.name, anyway=True)
        assert {judged.decision for judged in verdict.decisions} == {Decision.UNDECIDED}
        assert verdict.groups == (zoo.NAMES[:k],)


@every(MULTIVARIATE)
@pytest.mark.parametrize("k", [2, 3])
def test_measures_that_never_vary_are_refused(procedure: Procedure, k: int) -> None:
    values = np.repeat(zoo.values_for(procedure.card, 1, np.random.default_rng(5)), k, axis=1)
    with pytest.raises(MisfitError):
        find(procedure, values * 0)


@every(WITH_INTERVALS)
@over(SEEDS)
def test_a_higher_level_gives_a_wider_interval(procedure: Procedure, seed: int) -> None:
    values = zoo.values_for(procedure.card, 3, np.random.default_rng(seed))
    levels = (0.3, 0.1, 0.05, 0.01)
    adjust = "none" if procedure.card.posterior else "bonferroni"
    by_level = [find(procedure, values, alpha=alpha, adjust=adjust).pairs for alpha in levels]
    for narrow, wide in pairwise(by_level):
        for inner, outer in zip(narrow, wide, strict=True):
            assert outer.lower <= inner.lower + 1e-12
            assert outer.upper >= inner.upper - 1e-12


@every([p for p in COMPARING if p not in WITH_INTERVALS])
def test_who_has_no_intervals_gives_none(procedure: Procedure) -> None:
    for row in find(procedure, zoo.values_for(procedure.card, 3, np.random.default_rng(1))).pairs:
        assert row.interval is Interval.NONE
        assert math.isnan(row.lower)
        assert math.isnan(row.upper)


# One of each way in which intervals come about: from each pair alone, from a level shared out, from steps, from the law
# of all pairs. The others share theirs with one of them (tests/inference/test_evidence.py has all of them at many p),
# and are tried on the values of one seed.
WAYS = ("none", "bonferroni", "holm", "single-step")


@every([p for p in TESTING if p in WITH_INTERVALS])
@over(SEEDS)
def test_interval_and_p_of_a_row_agree(procedure: Procedure, seed: int) -> None:
    """With every adjustment that the procedure takes."""
    values = zoo.values_for(procedure.card, 4, np.random.default_rng(seed), spread=0.008)
    for adjust in (*ADJUSTMENTS, *(["single-step"] if procedure.card.single_step else [])):
        if seed and adjust not in WAYS:
            continue
        for row in find(procedure, values, adjust=adjust, alpha=0.1).pairs:
            assert row.interval is not Interval.NONE, (adjust, row)
            p = row.p if row.interval is Interval.POINTWISE else row.p_adjusted
            excludes = row.lower > 0 or row.upper < 0
            assert excludes == (p <= 0.1), (adjust, row)


@every([p for p in COMPARING if p.card.sides])
@over(SEEDS)
def test_one_sided_p_is_on_the_side_of_the_estimate(procedure: Procedure, seed: int) -> None:
    values = zoo.values_for(procedure.card, 2, np.random.default_rng(seed))
    found, other = (find(procedure, values, alternative=side, adjust="none") for side in ("better", "worse"))
    better, worse = found.pairs[0], other.pairs[0]
    advantage = better.estimate * found.sign
    if abs(better.statistic) > 1e-9 and abs(advantage) > 1e-9 and better.p != worse.p:  # as many wins as losses
        assert (better.p < worse.p) == (advantage > 0)
    assert better.p + worse.p >= 1 - 1e-9  # both tails include the observed value


def test_refusals_give_every_reason_and_an_alternative() -> None:
    rng = np.random.default_rng(6)
    refused = 0
    for other in {zoo.kind_of_table(p.card): p for p in ALL}.values():
        scores = zoo.scores_for(other.card, zoo.values_for(other.card, 3, rng))
        one = scores.only(measure=scores.measure.labels[0])
        candidates = {c.procedure: c for c in advise(one).candidates}
        for card in (p.card for p in UNIVARIATE if not candidates[p.name].fits):
            refused += 1
            with pytest.raises(MisfitError) as refusal:
                analyse(one, card.name, **zoo.options_for(card))  # type: ignore[arg-type]
            for reason in candidates[card.name].unmet or unmet_needs(card, layout(one)):
                assert reason in str(refusal.value)
            assert refusal.value.alternatives
            assert refusal.value.exit_code == 3
    assert refused > 40


@every(COMPARING)
def test_the_advisor_knows_what_fits(procedure: Procedure) -> None:
    k = 2 if procedure.card.compares is Compares.PAIR else 3
    scores = zoo.scores_for(procedure.card, zoo.values_for(procedure.card, k, np.random.default_rng(7)))
    advice = advise(scores)
    assert procedure.name in [c.procedure for c in advice.fitting]
    assert advice.recommended
    assert advice.recommended in advice.to_text()


@every(POSTERIOR)
@over(SEEDS)
def test_posterior_probabilities_add_up_and_follow_the_rope(procedure: Procedure, seed: int) -> None:
    values = zoo.values_for(procedure.card, 2, np.random.default_rng(seed))
    ropes = (0.0, 0.001, 0.01, 0.1, 10.0)
    rows = [find(procedure, values, rope=rope).pairs[0] for rope in ropes]
    for row in rows:
        assert row.worse + row.same + row.better == pytest.approx(1.0, abs=1e-9)
        assert min(row.worse, row.same, row.better) >= 0
        assert math.isnan(row.p)
        assert row.lower <= row.estimate <= row.upper
    assert rows[0].same == 0
    assert all(narrow.same <= wide.same + 1e-9 for narrow, wide in pairwise(rows))
    assert rows[-1].same > 0.99
    margin = judge(
        zoo.scores_for(procedure.card, values), procedure.name, margin=0.01, **zoo.options_for(procedure.card)
    )
    assert margin.decisions[0].row == find(procedure, values, margin=0.01).pairs[0]
    assert margin.decisions[0].row.same == rows[2].same


@every(POSTERIOR)
@pytest.mark.parametrize("k", [2, 3])
def test_identical_learners_are_as_probably_better_as_worse(procedure: Procedure, k: int) -> None:
    values = np.repeat(zoo.values_for(procedure.card, 1, np.random.default_rng(5)), k, axis=1)
    for row in find(procedure, values).pairs:
        assert (row.worse, row.same, row.better) == (0.5, 0.0, 0.5)
        assert row.estimate == 0
    verdict = judge(zoo.scores_for(procedure.card, values), procedure.name, margin=0.01)
    assert {judged.decision for judged in verdict.decisions} == {Decision.EQUIVALENT}
