"""The smallest p that a design can reach: with too few blocks no data are significant, whatever they say.

Tests that count relabellings of the data have a smallest p: with n tasks there are 2ⁿ ways to swap two learners, and
the most extreme of them, in both directions, are 2 of these. Tests with a continuous law reach any p.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from math import comb, exp, factorial, lgamma

from bakeoff.errors import UsageError
from bakeoff.mathematics.laws import check_alpha
from bakeoff.presentation import count, noun, number
from bakeoff.registry import answering, explain

# p from (blocks, learners); two-sided where the test has sides.
Law = Callable[[int, int], float]


def _flips(n: int, _learners: int) -> float:
    return min(1.0, 2.0 ** (1 - n))


def _orders(n: int, learners: int) -> float:
    """All blocks order the learners alike: k! of the (k!)ⁿ relabellings."""
    return exp((1 - n) * lgamma(learners + 1))


def _two_samples(n: int, _learners: int) -> float:
    return min(1.0, 2 / comb(2 * n, n))


def _several_samples(n: int, learners: int) -> float:
    """One of the (kn)!/(n!)ᵏ ways to deal values, or one of its k! renamings."""
    ways = lgamma(learners * n + 1) - learners * lgamma(n + 1)
    return min(1.0, factorial(learners) * exp(-ways))


# What is counted, the law, whether it has sides, and in words when p is that small.
_LAWS: Mapping[str, tuple[str, Law, bool, str]] = {
    "sign": ("tasks", _flips, True, "one learner wins on all of them"),
    "sign-one": ("tasks", _flips, True, "all of them lie on one side of the constant"),
    "win-loss-tie": ("tasks", _flips, True, "one learner wins on all of them"),
    "wilcoxon": ("tasks", _flips, True, "one learner wins on all of them (exact law)"),
    "mcnemar": ("discordant instances", _flips, True, "all of them favour the same learner (exact law)"),
    "paired-permutation": ("blocks", _flips, True, "one learner wins in all of them"),
    "permutation": ("blocks", _orders, False, "all of them order the learners alike"),
    "closed-testing": ("blocks", _orders, False, "all of them order the learners alike"),
    "friedman": ("tasks", _orders, False, "all of them order the learners alike (exact law of the test of all)"),
    "skillings-mack": ("tasks", _flips, False, "one of two learners wins on all of them, and both are there on all"),
    "independent-permutation": ("runs of each learner", _two_samples, True, "the samples do not overlap"),
    "kruskal-wallis": (
        "values of each learner",
        _several_samples,
        False,
        "the samples do not overlap (exact law of the test of all)",
    ),
}
_MOST = 1000


@dataclass(frozen=True, slots=True)
class SmallestP:
    """The smallest p of a test on n blocks. `needed` is the number of blocks from which on α can be reached.

    p is that of one test; of several pairs that share α, `tests` of them, the smallest adjusted p is p × tests.
    """

    procedure: str
    n: int
    blocks: str
    p: float
    alpha: float
    needed: int
    when: str
    tests: int = 1

    @property
    def adjusted(self) -> float:
        return min(1.0, self.p * self.tests)

    @property
    def in_reach(self) -> bool:
        return self.adjusted <= self.alpha

    @property
    def sentence(self) -> str:
        """The answer in words, a warning if α is out of reach."""
        family = ""
        if self.tests > 1:
            family = f" ({number(self.adjusted)} after adjustment for {self.tests} comparisons)"
        said = (
            f"With {count(self.n)} {noun(self.n, self.blocks)}, p of {self.procedure} cannot go below "
            f"{number(self.p)}{family}: "
            f"that is when {self.when}."
        )
        if self.in_reach:
            return said
        return (
            f"{said} α = {number(self.alpha)} is out of reach whatever the data say: it takes {self.needed} "
            f"{self.blocks} at least."
        )


def smallest_p(
    procedure: str,
    n: int,
    *,
    learners: int = 2,
    alpha: float = 0.05,
    sides: int = 2,
    resamples: int | None = None,
    tests: int = 1,
) -> SmallestP | None:
    """The smallest p of a test with n blocks; None if it can be as small as you like.

    `resamples` is the number of relabellings that a Monte-Carlo test draws: its p is 1/(resamples + 1) at least.

    >>> found = smallest_p("sign", 5)
    >>> found.p, found.in_reach, found.needed
    (0.0625, False, 6)
    >>> smallest_p("paired-permutation", 40, resamples=999).p
    0.001
    """
    check_alpha(alpha)
    if procedure not in _LAWS or answering(explain(procedure), learners).name not in _LAWS:
        return None
    if n < 1:
        raise UsageError(f"The number of blocks is one at least; found {n!r}.")
    blocks, law, sided, when = _LAWS[procedure]
    half = 2 if sided and sides == 1 else 1
    drawn = 1 / (resamples + 1) if resamples else 0.0

    def least(blocks_: int) -> float:
        return max(law(blocks_, learners) / half, drawn)

    needed = next((m for m in range(1, _MOST) if least(m) * tests <= alpha), 0)
    if not needed:
        raise UsageError(
            f"With {resamples} relabellings drawn, p is {number(drawn)} at least, and α = {number(alpha)} for {tests} "
            f"comparison{'s' * (tests != 1)} is out of reach: draw at least {int(tests / alpha)}."
        )
    return SmallestP(procedure, int(n), blocks, least(int(n)), alpha, needed, when, tests)


def has_smallest_p() -> tuple[str, ...]:
    """The tests whose p has a lower end."""
    return tuple(_LAWS)
