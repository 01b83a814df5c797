"""The faces of an answer."""

from __future__ import annotations

import json
from dataclasses import FrozenInstanceError
from math import isnan

import numpy as np
import pytest

from bakeoff.errors import UsageError
from bakeoff.power_analysis.answer import has_smallest_p, power_curve, smallest_p
from bakeoff.power_analysis.power import power
from bakeoff.procedures import explain, procedure_named, procedure_names
from bakeoff.procedures.mcnemar import mcnemar_counts
from bakeoff.procedures.permutations import paired_permutation, permutation
from bakeoff.procedures.wilcoxon import compute as wilcoxon


def test_sentences() -> None:
    n = power("t", difference=0.02, sd=0.05)
    assert n.sentence == "52 pairs find a difference of 0.02 with a power of 0.808 (0.8 was wanted)."
    assert str(n) == n.to_text()
    d = power("t", n=20, sd=0.05)
    assert d.sentence == "With 20 pairs, a difference of 0.03302 or more is found with a power of 0.8."
    p = power("t", n=20, difference="0.5sd")
    assert p.sentence.startswith("With 20 pairs, a difference of 0.5 sd is found with a power of 0.56")
    assert "it is missed with a probability of 0.4" in p.sentence
    sure = power("t", n=100, difference="2sd")
    assert "power of >0.999;" in sure.sentence


def test_text_says_what_it_rests_on() -> None:
    text = power("sign", n=5, wins=0.9).to_text()
    for part in ("two-sided, α = 0.05", "exact, by the binomial law", "there are no ties", "Warning: With 5 tasks"):
        assert part in text
    simulated = power("wilcoxon", n=8, difference="1sd", replications=20).to_text()
    assert "simulated, 20 replications, seed 0" in simulated
    assert " ± " in simulated
    assert "two-sided" not in power("anova", n=8, difference="1sd").to_text()


def test_the_curve_is_a_table() -> None:
    found = power("t", difference=0.02, sd=0.05)
    header, cells = found.table()
    assert header == ["pairs", "difference", "power"]
    assert ["52", "0.02", "0.808"] in cells
    frame = found.to_frame()
    assert list(frame.columns) == ["n", "difference", "power", "error"]
    assert frame.power.is_monotonic_increasing
    banded = power("t", n=8, difference="1sd", simulate=True, replications=20, curve=True)
    assert banded.table()[0][-1] == "Monte-Carlo error"
    assert len(power("wilcoxon", n=8, difference="1sd", replications=20).to_frame()) == 1


def test_json_and_html() -> None:
    found = power("t", difference=0.02, sd=0.05)
    made = json.loads(found.to_json())
    assert (made["at"]["n"], made["at"]["error"], made["solved_for"]) == (52, None, "n")
    assert made["sentence"] == found.sentence
    assert "residuals" not in made["guess"]
    html = found._repr_html_()
    assert "<b>52 pairs find" in html
    assert "<table>" in html


def test_it_cannot_be_changed() -> None:
    with pytest.raises(FrozenInstanceError):
        power("t", n=9).blocks = "folds"  # type: ignore[misc]


# ----------------------------------------------------------------------------------------------------------------------
# The table behind the figure of a power curve.


EXACT = power("t", difference=0.02, sd=0.05)
SIMULATED = power("t", n=8, difference="1sd", simulate=True, replications=20, curve=True)


def test_over_n() -> None:
    info = power_curve(EXACT)
    assert info.at in [(x, y) for x, y, _, _ in info.points]
    assert (info.axis, info.wanted, info.alpha) == ("pairs", 0.8, 0.05)
    assert info.title == "Power of paired-t for a difference of 0.02"
    assert not info.banded
    assert all(isnan(lower) and isnan(upper) for _, _, lower, upper in info.points)
    assert list(info.to_frame().columns) == ["x", "power", "lower", "upper"]


def test_over_the_difference() -> None:
    info = power_curve(power("t", n=20))
    assert info.axis == "difference (sd)"
    assert info.points[0][:2] == (0.0, pytest.approx(0.025))
    assert info.title == "Power of paired-t for 20 pairs"


def test_simulated_powers_have_a_band() -> None:
    info = power_curve(SIMULATED)
    assert info.banded
    for (_, y, lower, upper), point in zip(info.points, SIMULATED.curve, strict=True):
        assert 0 <= lower <= y <= upper <= 1
        assert lower == max(0, point.power - 2 * point.error)
    assert "Monte-Carlo" in info.caption


def test_an_answer_without_a_curve_is_refused() -> None:
    with pytest.raises(UsageError, match="curve=True"):
        power_curve(power("t", n=8, difference="1sd", curve=False))


# ----------------------------------------------------------------------------------------------------------------------
# The smallest p of a design, against what the procedures give for the most extreme data.


X = np.array([1.0, 2.5, 4.0, 7.0, 11.0, 16.0])


def least(name: str, n: int, **more: int) -> float:
    found = smallest_p(name, n, **more)
    assert found is not None
    return found.p


def test_procedures_reach_it() -> None:
    zero = np.zeros(6)
    assert wilcoxon(X, zero).p == pytest.approx(least("wilcoxon", 6))
    assert wilcoxon(X, zero, alternative="greater").p == pytest.approx(least("wilcoxon", 6, sides=1))
    assert mcnemar_counts(0, 0, 6, 0).p == pytest.approx(least("mcnemar", 6))
    assert paired_permutation(X, zero, method="exact").p == pytest.approx(least("paired-permutation", 6))
    assert procedure_named("sign").compute(X, zero).p == pytest.approx(least("sign", 6))
    assert procedure_named("independent-permutation").compute(X, X + 100, method="exact").p == pytest.approx(
        least("independent-permutation", 6)
    )
    table = np.arange(12.0).reshape(4, 3) * [1, 10, 100]
    assert permutation(table, method="exact").tests[0].p == pytest.approx(least("permutation", 4, learners=3))
    drawn = permutation(table, resamples=99).tests[0].p
    assert drawn >= least("permutation", 4, learners=3, resamples=99) == 0.01


def test_of_several_samples() -> None:
    # 3 learners with 2 values each: 6!/(2!)³ = 90 ways to deal them, of which 3! = 6 do not overlap
    assert least("kruskal-wallis", 2, learners=3) == pytest.approx(6 / 90)


def test_those_whose_cards_say_that_there_is_one_are_here() -> None:
    assert {name for name in procedure_names() if explain(name).smallest_p is not None} <= set(has_smallest_p())


@pytest.mark.parametrize(
    ("name", "learners", "needed"),
    [("sign", 2, 6), ("wilcoxon", 2, 6), ("permutation", 3, 3), ("friedman", 4, 2), ("independent-permutation", 2, 4)],
)
def test_the_number_of_blocks_from_which_on_alpha_is_in_reach(name: str, learners: int, needed: int) -> None:
    before, after = (smallest_p(name, n, learners=learners) for n in (needed - 1, needed))
    assert before is not None
    assert after is not None
    assert before.needed == after.needed == needed
    assert (before.in_reach, after.in_reach) == (False, True)
    assert f"it takes {needed}" in before.sentence
    assert "out of reach" not in after.sentence


def test_several_pairs_share_alpha() -> None:
    found = smallest_p("wilcoxon", 6, tests=10)
    assert found is not None
    assert found.adjusted == pytest.approx(10 / 32)
    assert "after adjustment for 10 comparisons" in found.sentence
    assert found.needed == 9


def test_continuous_tests_have_none() -> None:
    assert smallest_p("paired-t", 3) is None


def test_bad_input_is_refused_in_a_sentence() -> None:
    with pytest.raises(UsageError, match="one at least"):
        smallest_p("sign", 0)
    with pytest.raises(UsageError, match="draw at least 20"):
        smallest_p("permutation", 9, resamples=10)
    with pytest.raises(UsageError, match="α"):
        smallest_p("sign", 6, alpha=2)


def test_a_single_block_is_in_the_singular() -> None:
    for name, said in (("sign", "With 1 task, "), ("mcnemar", "With 1 discordant instance, ")):
        found = smallest_p(name, 1)
        assert found is not None
        assert found.sentence.startswith(said)
