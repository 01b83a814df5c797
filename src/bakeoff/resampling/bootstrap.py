"""Bootstrap estimates of the error: out-of-bootstrap, .632 and .632+.

The losses stand in a table with a row for each bootstrap sample and a column for each observation; NaN where the
observation was drawn, so that only out-of-bootstrap predictions count.

Reference: Efron and Tibshirani (1997), doi:10.1080/01621459.1997.10474007.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from math import e, isfinite
from typing import ClassVar

import numpy as np
from numpy.typing import ArrayLike

from bakeoff.errors import DegenerateError, UsageError
from bakeoff.mathematics.checks import Array, choice
from bakeoff.records import Record
from bakeoff.resampling.scheme import REAL_WORLD, Combination, Scheme, Sharing, split
from bakeoff.resampling.split import APPARENT, TEST, Sample, Split
from bakeoff.resampling.units import Numbers, Units, bootstrap_draw, generator, uniform

LIMIT_LEFT_OUT = 1 / e
AVERAGES = ("observation", "replicate", "pooled")


def chance_left_out(n: int) -> float:
    """The chance (1 − 1/n)ⁿ that a bootstrap sample of n leaves a given observation out; 1/e = .368 for large n.

    >>> chance_left_out(1), chance_left_out(2), round(chance_left_out(1000), 4)
    (0.0, 0.25, 0.3677)
    """
    if n < 1 or n != int(n):
        raise UsageError(f"A sample has at least one observation, and a whole number of them; found {n!r}.")
    return float((1 - 1 / n) ** n)


@dataclass(frozen=True, slots=True, eq=False)
class Estimate632(Record):
    """The estimates and what they are made of.

    `e1` is the out-of-bootstrap error Err⁽¹⁾, `overfitting` the relative overfitting rate R′, `weight` that of e1.
    """

    apparent: float
    no_information: float
    e1: float
    e632: float
    overfitting: float
    weight: float
    e632plus: float


def estimate_632(
    losses: ArrayLike, apparent: float, no_information: float, average: str = "observation"
) -> Estimate632:
    """The .632 and .632+ estimates.

        Err.632  = .368 err + .632 Err⁽¹⁾
        R        = (Err⁽¹⁾ − err)/(γ − err), kept in [0, 1]
        w        = .632/(1 − .368 R)
        Err.632+ = (1 − w) err + w min(Err⁽¹⁾, γ)

    err is the apparent error: that of the model fitted to all observations, on the same observations. γ is the error
    without information (module results.values). Bounding Err⁽¹⁾ by γ keeps the estimate an error rate; software
    that does not can answer more than 1.

    `average` says how Err⁽¹⁾ is formed. Efron and Tibshirani average over the samples that leave an *observation* out,
    then over observations. Many packages average over the observations that a *replicate* leaves out, then over
    replicates; *pooled* weighs all predictions alike. Observations that no sample leaves out, and samples that leave
    none out, are skipped.

    >>> none = float("nan")
    >>> result = estimate_632([[0, none, 1], [none, 1, 1]], apparent=0.0, no_information=0.5)
    >>> round(result.e1, 3), result.overfitting, result.e632plus
    (0.667, 1.0, 0.5)
    """
    return weigh_632(apparent, _average(_losses(losses), choice(average, AVERAGES, "average")), no_information)


def weigh_632(apparent: float, out_of_bootstrap: float, no_information: float) -> Estimate632:
    """The same from the three errors that it is made of: err, Err⁽¹⁾ and γ.

    >>> result = weigh_632(0.05, 0.2, 0.5)
    >>> round(result.overfitting, 4), round(result.weight, 4), round(result.e632plus, 4)
    (0.3333, 0.7204, 0.1581)
    """
    err, gamma = _rate(apparent, "apparent error"), _rate(no_information, "error without information")
    e1 = _rate(out_of_bootstrap, "out-of-bootstrap error")
    bounded = min(e1, gamma)
    overfitting = (bounded - err) / (gamma - err) if bounded > err else 0.0
    weight = 0.632 / (1 - 0.368 * overfitting)
    return Estimate632(
        apparent=err,
        no_information=gamma,
        e1=e1,
        e632=0.368 * err + 0.632 * e1,
        overfitting=overfitting,
        weight=weight,
        e632plus=(1 - weight) * err + weight * bounded,
    )


def combine_632(
    apparent: float, oob_values: ArrayLike, no_information: float | None = None, plus: bool = False
) -> Array:
    """A value for each replicate, so that their mean is the .632 (or, with `plus`, the .632+) estimate of a score.

    `oob_values` are the scores of the replicates on the rows they left out; NaN, for one that failed, stays NaN and is
    not averaged. All replicates share the apparent score and the weights, so that their values differ as far as the
    out-of-bootstrap ones do. For .632 any measure will do; .632+ needs a loss and the loss without information.

        .632    .368 err + .632 e_b
        .632+   (1 − w) err + w e_b·min(Err⁽¹⁾, γ)/Err⁽¹⁾, where Err⁽¹⁾ is the mean of the e_b

    >>> combine_632(0.1, [0.2, 0.4]).tolist()
    [0.1632, 0.2896]
    >>> combine_632(0.0, [0.4, 0.6], no_information=0.5, plus=True).tolist()
    [0.4, 0.6]
    """
    try:
        values = np.asarray(oob_values, dtype=float)
    except (TypeError, ValueError):
        raise UsageError("Out-of-bootstrap scores must be numbers, one a replicate; found something else.") from None
    if values.ndim != 1:
        raise UsageError(f"Out-of-bootstrap scores must be one column; found the shape {values.shape}.")
    if not plus:
        return 0.368 * float(apparent) + 0.632 * values
    if no_information is None:
        raise UsageError("The .632+ estimate needs the loss without information; none was given. Use .632 instead.")
    if (values < 0).any():
        raise UsageError(f"The .632+ estimate is for losses, which are not negative; found {np.nanmin(values)}.")
    estimate = estimate_632(values.reshape(-1, 1), apparent, no_information, average="replicate")
    bound = min(1.0, estimate.no_information / estimate.e1) if estimate.e1 > 0 else 1.0
    return np.asarray((1 - estimate.weight) * estimate.apparent + estimate.weight * bound * values)


def _losses(losses: ArrayLike) -> Array:
    try:
        table = np.asarray(losses, dtype=float)
    except (TypeError, ValueError):
        raise UsageError("Losses must be a table of numbers, a row a replicate; found something else.") from None
    if table.ndim != 2 or table.size == 0:
        raise UsageError(f"Losses must be a table, replicates × observations; found the shape {table.shape}.")
    if np.isinf(table).any():
        raise UsageError("Losses must be finite, or NaN where an observation was drawn; found an infinite one.")
    if np.isnan(table).all():
        raise DegenerateError("No observation is ever left out, so there is no out-of-bootstrap error.")
    return table


def _rate(value: float, name: str) -> float:
    if not isfinite(value) or value < 0:
        raise UsageError(f"The {name} must be a finite number that is not negative; found {value!r}.")
    return float(value)


def _average(table: Array, average: str) -> float:
    if average == "pooled":
        return float(np.nanmean(table))
    axis = 0 if average == "observation" else 1
    there = ~np.isnan(table).all(axis=axis)
    kept = table[:, there] if axis == 0 else table[there]
    return float(np.nanmean(kept, axis=axis).mean())


# ----------------------------------------------------------------------------------------------------------------------
# Schemes that learn from bootstrap samples: as many units as there are, drawn with replacement.
#
# All of them draw the same samples from the same seed. Where rows belong to groups, groups are drawn, each with all its
# rows. Classes are not kept in proportion: a bootstrap sample is a sample from the empirical distribution.


def copies(units: Units, seed: int, repeat: int) -> Numbers:
    """How often each unit is in the bootstrap sample of a repeat."""
    return np.bincount(bootstrap_draw(units.n, units.n, generator(seed, repeat)), minlength=units.n)


@dataclass(frozen=True)
class Bootstrap(Scheme):
    """Learned from a bootstrap sample, tested on the original sample.

    Optimistic: 63.2 % of the rows tested on were learned from. (Alpaydın 19.6.3 calls the estimate pessimistic, which
    is true of the rows left out only.) Use out-of-bootstrap to compare learners that can learn rows by heart.

    >>> [s.train.tolist() for s in Bootstrap(repeats=2).splits(Sample(5), seed=1).splits]
    [[0, 0, 1, 1, 4], [0, 1, 2, 3, 4]]
    """

    scheme: ClassVar[str] = "bootstrap"
    about: ClassVar[str] = "bootstrap samples, tested on the original sample: optimistic"
    shares: ClassVar[Sharing] = Sharing.NOTHING
    with_copies: ClassVar[bool] = True
    optimistic: ClassVar[str] = "most"
    overlaps: ClassVar[bool] = True
    problem: ClassVar[str] = REAL_WORLD

    repeats: int = 100

    def _make(self, sample: Sample, units: Units, seed: int) -> Iterator[Split]:
        everything = np.arange(sample.n)
        for repeat in range(1, self.repeats + 1):
            yield split(repeat, 1, units.rows(copies(units, seed, repeat)), everything)

    def _notes(self, sample: Sample, units: Units, splits: tuple[Split, ...]) -> Iterator[str]:
        yield from super()._notes(sample, units, splits)
        yield (
            "The original sample is tested on, most of which was learned from: scores are optimistic, and most for "
            "learners that learn rows by heart. Out-of-bootstrap is not."
        )


@dataclass(frozen=True)
class OutOfBootstrap(Scheme):
    """Learned from a bootstrap sample, tested on the rows that were never drawn: 36.8 % of them on average.

    A sample that leaves nothing out, which happens to very few rows or groups, is skipped and noted; drawing another
    one would favour samples that leave much out.

    >>> result = OutOfBootstrap(repeats=2).splits(Sample(5), seed=1)
    >>> [(s.train.tolist(), s.test.tolist()) for s in result.splits]
    [([0, 0, 1, 1, 4], [2, 3])]
    >>> result.notes
    ('Of 2 bootstrap samples 1 left nothing out to test on and had to be skipped.',)
    """

    scheme: ClassVar[str] = "out-of-bootstrap"
    about: ClassVar[str] = "bootstrap samples, tested on the rows that were not drawn"
    synonyms: ClassVar[tuple[str, ...]] = ("oob", "out-of-bag")
    shares: ClassVar[Sharing] = Sharing.NOTHING
    with_copies: ClassVar[bool] = True
    problem: ClassVar[str] = REAL_WORLD

    repeats: int = 100

    def _make(self, sample: Sample, units: Units, seed: int) -> Iterator[Split]:
        for repeat in range(1, self.repeats + 1):
            times = copies(units, seed, repeat)
            if (times == 0).any():
                yield split(repeat, 1, units.rows(times), units.rows(times == 0))

    def _notes(self, sample: Sample, units: Units, splits: tuple[Split, ...]) -> Iterator[str]:
        yield from super()._notes(sample, units, splits)
        skipped = self.repeats - sum(one.role == TEST for one in splits)
        if skipped:
            yield f"Of {self.repeats} bootstrap samples {skipped} left nothing out to test on and had to be skipped."


@dataclass(frozen=True)
class OutOfBootstrap2n(OutOfBootstrap):
    """Out-of-bootstrap of the learning sample and the test sample that came with it, merged into one.

    What Hothorn et al. (2005) recommend instead of setting a test sample aside: RW-OOB-2n in their section 5.
    """

    scheme: ClassVar[str] = "out-of-bootstrap-2n"
    about: ClassVar[str] = "out-of-bootstrap of the learning sample merged with the test sample that came with it"
    synonyms: ClassVar[tuple[str, ...]] = ("oob-2n",)
    needs_given_test: ClassVar[bool] = True


@dataclass(frozen=True)
class Bootstrap632(OutOfBootstrap):
    """Out-of-bootstrap, and one split more that learns from all rows and is tested on all: the apparent score.

    Out-of-bootstrap errors are pessimistic, apparent ones optimistic; .368 of the one and .632 of the other make
    Efron's estimate. The apparent split has the role "apparent" and the repeat 0, so that it stays where it is when
    repeats are added. `bootstrap.combine_632` combines the scores.
    """

    scheme: ClassVar[str] = "632"
    about: ClassVar[str] = "out-of-bootstrap weighed against the apparent score, .632 to .368"
    synonyms: ClassVar[tuple[str, ...]] = (".632", "0.632")
    optimistic: ClassVar[str] = "part"
    combine: ClassVar[Combination] = Combination.WEIGHED

    def count(self, sample: Sample) -> int:
        return self.repeats + 1

    def _make(self, sample: Sample, units: Units, seed: int) -> Iterator[Split]:
        tested = list(super()._make(sample, units, seed))
        if tested:
            everything = np.arange(sample.n)
            yield split(0, 1, everything, everything, APPARENT)
            yield from tested


@dataclass(frozen=True)
class Bootstrap632Plus(Bootstrap632):
    """The same splits; the weight of the apparent error shrinks the more a learner overfits.

    Efron and Tibshirani (1997), doi:10.1080/01621459.1997.10474007. For losses only: it needs the loss that predictions
    without information would have.
    """

    scheme: ClassVar[str] = "632+"
    about: ClassVar[str] = "as 632, with more weight on out-of-bootstrap the more a learner overfits"
    synonyms: ClassVar[tuple[str, ...]] = (".632+", "0.632+")
    combine: ClassVar[Combination] = Combination.WEIGHED_PLUS


# ----------------------------------------------------------------------------------------------------------------------
# The Bayesian bootstrap: chances of the rows are drawn first, then rows by those chances.


def unequal_copies(units: Units, seed: int, repeat: int) -> Numbers:
    """How often each unit is drawn, among as many draws as there are units, by chances that are drawn themselves."""
    rng = generator(seed, repeat)
    # Standard exponentials over their sum are uniform among all chances that add up to one: Dirichlet(1, …, 1).
    weight = -np.log(uniform(units.n, rng))
    upto = np.cumsum(weight)
    chosen = np.searchsorted(upto, uniform(units.n, rng) * upto[-1])
    return np.bincount(np.minimum(chosen, units.n - 1), minlength=units.n)


@dataclass(frozen=True)
class OutOfBayesianBootstrap(OutOfBootstrap):
    """Learned from a sample of the Bayesian bootstrap, tested on the rows that were not drawn: half of them.

    The chances of the rows are a draw from the posterior of the law they came from, under a prior that favours
    nothing: Rubin (1981), doi:10.1214/aos/1176345338. Learning samples vary more than those of the bootstrap, and hold
    fewer different rows: the chance to be left out is about 1/2 instead of 1/e.

    >>> result = OutOfBayesianBootstrap(repeats=2).splits(Sample(5), seed=1)
    >>> [(s.train.tolist(), s.test.tolist()) for s in result.splits]
    [([0, 0, 2, 3, 4], [1]), ([0, 0, 1, 3, 3], [2, 4])]
    """

    scheme: ClassVar[str] = "bayesian-bootstrap"
    about: ClassVar[str] = "samples of the Bayesian bootstrap, tested on the rows that were not drawn"
    synonyms: ClassVar[tuple[str, ...]] = ()

    def _make(self, sample: Sample, units: Units, seed: int) -> Iterator[Split]:
        for repeat in range(1, self.repeats + 1):
            times = unequal_copies(units, seed, repeat)
            if (times == 0).any():
                yield split(repeat, 1, units.rows(times), units.rows(times == 0))
