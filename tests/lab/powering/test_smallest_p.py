"""The smallest p of a design, against what the procedures give for the most extreme data."""

from __future__ import annotations

import numpy as np
import pytest

from bakeoff.errors import UsageError
from bakeoff.lab.powering.smallest_p import has_smallest_p, smallest_p
from bakeoff.procedures.mcnemar import mcnemar_counts
from bakeoff.procedures.paired_permutation import paired_permutation
from bakeoff.procedures.permutation import permutation
from bakeoff.procedures.permutation_independent import PROCEDURE as INDEPENDENT
from bakeoff.procedures.wilcoxon import compute as wilcoxon
from bakeoff.registry import MODULES, explain, procedure_named

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
    assert INDEPENDENT.compute(X, X + 100, method="exact").p == pytest.approx(least("independent-permutation", 6))
    table = np.arange(12.0).reshape(4, 3) * [1, 10, 100]
    assert permutation(table, method="exact").tests[0].p == pytest.approx(least("permutation", 4, learners=3))
    drawn = permutation(table, resamples=99).tests[0].p
    assert drawn >= least("permutation", 4, learners=3, resamples=99) == 0.01


def test_of_several_samples() -> None:
    # 3 learners with 2 values each: 6!/(2!)³ = 90 ways to deal them, of which 3! = 6 do not overlap
    assert least("kruskal-wallis", 2, learners=3) == pytest.approx(6 / 90)


def test_those_whose_cards_say_that_there_is_one_are_here() -> None:
    assert {name for name in MODULES if explain(name).smallest_p is not None} <= set(has_smallest_p())


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
