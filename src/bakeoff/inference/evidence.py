"""From evidence to adjusted p-value and interval, in one place, so that the two cannot disagree.

Three kinds of interval come out, and each says which it is:

    pointwise     covers its own difference at the level asked; agrees with the unadjusted p
    simultaneous  all of the family's intervals cover at once; agrees with the adjusted p (single-step methods)
    stepwise      at the level at which this row was tested by a stepwise method; agrees with the adjusted p
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from itertools import chain, repeat
from math import inf, isnan, nan
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from bakeoff.errors import MisfitError, UsageError
from bakeoff.inference.adjustments import Pairs, adjust, adjustment_named
from bakeoff.inference.contrasts import Contrasts
from bakeoff.inference.joint_laws import JointLaw, MaxTLaw
from bakeoff.mathematics.laws import t_quantiles, t_sf
from bakeoff.mathematics.step_down import Intervals, JointTest

Array = NDArray[np.float64]
SINGLE_STEP = "single-step"


class Interval(StrEnum):
    POINTWISE = "pointwise"
    SIMULTANEOUS = "simultaneous"
    STEPWISE = "stepwise"
    NONE = "none"


@dataclass(frozen=True, slots=True, eq=False)
class Estimates:
    """One estimate a learner, their covariance, degrees of freedom, and the joint law of single-step inference.

    `laws` holds further joint laws by the name of the adjustment that they make, such as "scheffe".
    """

    values: Array
    covariance: Array
    df: float
    law: JointLaw
    laws: Mapping[str, JointLaw] = field(default_factory=dict)

    def law_of(self, adjustment: str) -> JointLaw | None:
        return self.law if adjustment == SINGLE_STEP else self.laws.get(adjustment)


@dataclass(frozen=True, slots=True, eq=False)
class DecidedPairs:
    """Pairs whose p-values were adjusted by the procedure itself, as in closed testing; there is no interval.

    All are k × k matrices: the difference (row − column), its p by itself, its adjusted p, and its statistic, if any.
    `values` is where each learner stands, for a procedure on ranks.
    """

    difference: Array
    p: Array
    p_adjusted: Array
    statistic: Array | None = None
    statistic_name: str = ""
    notes: Mapping[tuple[int, int], str] = field(default_factory=dict)
    df: tuple[float, ...] = ()
    values: Array | None = None


@dataclass(frozen=True, slots=True, eq=False)
class JointTests:
    """A family of contrasts, tested by draws that are common to all of them.

    `statistic`, `p` and the step-down `p_adjusted` have an entry a contrast, `intervals` cover all at once, and
    `statistic_at` gives the statistics of all contrasts, were their differences that number. `tail` turns such numbers
    into one-sided p-values: by themselves, and as the largest of the family, which is half of what it is two-sided and
    agrees with the intervals. `draws` is how many outcomes were looked at, and `exact` tells that these are all.
    """

    statistic: Array
    p: Array
    p_adjusted: Array
    intervals: Intervals
    statistic_at: Callable[[float], Array]
    tail: Callable[[Array], tuple[Array, Array]]
    draws: int
    exact: bool = False
    df: Array | None = None
    notes: Mapping[int, str] = field(default_factory=dict)

    @classmethod
    def of(
        cls,
        test: JointTest,
        intervals: Intervals,
        statistic_at: Callable[[float], Array],
        alone: Callable[[Array], Array],
        notes: Mapping[int, str] | None = None,
    ) -> JointTests:
        """From a test by draws of the largest statistic; `alone` is the one-sided p of a statistic by itself."""

        def tail(statistic: Array) -> tuple[Array, Array]:
            by_itself = alone(statistic)
            jointly = np.where(statistic > 0, test.tail(statistic) / 2, 0.5)
            return by_itself, np.maximum(by_itself, jointly)

        return cls(
            test.statistic, test.p, test.p_adjusted, intervals, statistic_at, tail, test.draws, test.exact,
            notes=notes or {},
        )  # fmt: skip

    @property
    def single_step(self) -> Array:
        """The two-sided adjusted p-values that the intervals agree with, without steps."""
        jointly = 2 * self.tail(np.abs(self.statistic))[1]
        return np.where(np.isnan(self.p), nan, np.maximum(self.p, np.minimum(jointly, 1.0)))


@dataclass(frozen=True, slots=True, eq=False)
class Joint:
    """Contrasts that are tested together, whichever they are: `test` takes their weights, α and the alternative.

    What is drawn is drawn from `seed`. `best`, where there is one, tests of each learner whether it may be the best;
    it takes the measure's sign.
    """

    test: Callable[[Array, float, str], JointTests]
    statistic_name: str = "z"
    seed: int = 0
    best: Callable[[int], JointTest] | None = None


class Comparison(NamedTuple):
    """One contrast, ready to become a row of a Finding, in whose order its fields are.

    A tuple, because a thousand learners make half a million.
    """

    estimate: float
    lower: float
    upper: float
    confidence: float
    interval: Interval
    statistic: float
    statistic_name: str
    df: tuple[float, ...]
    p: float
    p_adjusted: float
    worse: float = nan
    same: float = nan
    better: float = nan
    note: str = ""
    refused: bool = False
    symbol: str = ""


def compare_estimates(
    estimates: Estimates, contrasts: Contrasts, adjustment: str, alpha: float, alternative: str
) -> list[Comparison]:
    """All contrasts of correlated estimates: t = c'θ / √(c'Vc), adjusted p and interval from the same quantile."""
    difference, se, law = fitted_to(estimates, contrasts, adjustment)
    constant = (se == 0) & (difference != 0)
    with np.errstate(divide="ignore", invalid="ignore"):
        t = np.where(se > 0, difference / se, 0.0)
    p = _one_p(t, estimates.df, alternative)
    p[constant] = nan

    if law is not None:
        if alternative != "two-sided":
            raise UsageError("Single-step adjustment is two-sided; choose another one for a one-sided alternative.")
        p_adjusted = np.where(constant, nan, law.tail(t, len(contrasts)))
        p_adjusted = np.maximum(p_adjusted, p)
        quantiles = np.full(len(t), law.critical(alpha, len(contrasts)))
        kind, levels = Interval.SIMULTANEOUS, np.full(len(t), alpha)
    else:
        p_adjusted, levels, kind = adjusted_levels(p, adjustment, alpha, contrasts.pairs)
        tail = levels / 2 if alternative == "two-sided" else levels
        quantiles = t_quantiles(1 - tail, estimates.df)
    lower = difference - quantiles * se if alternative != "less" else np.full(len(t), -inf)
    upper = difference + quantiles * se if alternative != "greater" else np.full(len(t), inf)
    # Without a standard error there is no interval either: [d, d] would claim what nobody knows, that of 0 included.
    unknown = se == 0
    lower[unknown] = upper[unknown] = levels[unknown] = nan
    df = () if estimates.df == inf else (estimates.df,)
    name = "z" if estimates.df == inf else "t"
    statistic = np.where(constant, np.copysign(inf, difference), t)
    kinds = [Interval.NONE if without else kind for without in unknown.tolist()]
    same = np.where(unknown, SAME_NOTE, "")
    notes = np.where(constant, CONSTANT_NOTE, same).tolist()
    bounds = (difference.tolist(), lower.tolist(), upper.tolist(), (1 - levels).tolist())
    tests = (statistic.tolist(), repeat(name), repeat(df), p.tolist(), p_adjusted.tolist())
    comparisons = map(Comparison, *bounds, kinds, *tests, repeat(nan), repeat(nan), repeat(nan), notes)
    if not constant.any():
        return list(comparisons)
    return [one._replace(refused=bool(no)) for one, no in zip(comparisons, constant, strict=True)]


def fitted_to(estimates: Estimates, contrasts: Contrasts, adjustment: str) -> tuple[Array, Array, JointLaw | None]:
    """The estimate of each contrast, its standard error, and the joint law of the adjustment, if it has one."""
    law = estimates.law_of(adjustment)
    if isinstance(law, MaxTLaw):
        law = law.fitted(estimates.covariance, contrasts.kind, lambda: contrasts.matrix)
    return *_differences(estimates, contrasts), law


def _differences(estimates: Estimates, contrasts: Contrasts) -> tuple[Array, Array]:
    """The estimate of each contrast and its standard error; rounding error of their parts counts as zero."""
    theta, V = estimates.values, estimates.covariance
    if contrasts.pairs:  # without the matrix, which for a thousand learners would not fit
        first, second = np.fromiter(chain.from_iterable(contrasts.pairs), dtype=np.intp).reshape(-1, 2).T
        variances = np.diag(V)
        difference = theta[first] - theta[second]
        variance = variances[first] + variances[second] - 2 * V[first, second]
        noise = variances[first] + variances[second]
        scale = np.maximum(np.abs(theta[first]), np.abs(theta[second]))
    else:
        C = contrasts.matrix
        difference, variance = C @ theta, np.einsum("ij,jk,ik->i", C, V, C)
        noise, scale = C**2 @ np.diag(V), np.max(np.abs(C * theta), axis=1)
    se = np.sqrt(np.where(variance <= 1e-13 * noise, 0.0, variance))
    return np.where(np.abs(difference) <= 1e-13 * scale, 0.0, difference), se


def compare_decided(decided: DecidedPairs, contrasts: Contrasts, adjustment: str = SINGLE_STEP) -> list[Comparison]:
    """Rows of pairs that a procedure adjusted itself, which is its single-step adjustment; others start from p."""
    if not contrasts.pairs:
        raise UsageError("This procedure compares pairs of learners; contrasts between groups need another one.")
    p = np.array([decided.p[pair] for pair in contrasts.pairs])
    own = np.array([decided.p_adjusted[pair] for pair in contrasts.pairs])
    adjusted = own if adjustment == SINGLE_STEP else adjust(p, adjustment, contrasts.pairs)
    return [
        Comparison(
            estimate=float(decided.difference[pair]),
            lower=nan,
            upper=nan,
            confidence=nan,
            interval=Interval.NONE,
            statistic=nan if decided.statistic is None else float(decided.statistic[pair]),
            df=decided.df,
            p=float(p[item]),
            p_adjusted=float(adjusted[item]),
            statistic_name=decided.statistic_name,
            note=decided.notes.get(pair, ""),
            refused=pair in decided.notes and isnan(float(decided.p[pair])),
        )
        for item, pair in enumerate(contrasts.pairs)
    ]


def compare_jointly(
    joint: Joint,
    tested: JointTests,
    contrasts: Contrasts,
    adjustment: str,
    alpha: float,
    alternative: str,
    *,
    stepwise: bool = True,
) -> list[Comparison]:
    """Contrasts that share their draws. Their own adjustment steps down from the largest statistic, and has intervals
    that cover at once; where a step further down claims what such an interval does not, the end next to zero is moved
    onto it and the interval is called stepwise. If not `stepwise`, because intervals are held against a margin, the
    first step is the only one. Other adjustments start from each contrast by itself."""
    weights = contrasts.matrix
    if adjustment == SINGLE_STEP:
        adjusted = tested.p_adjusted if stepwise else tested.single_step
        return [_one_of(tested, item, adjusted, alpha, joint.statistic_name) for item in range(len(weights))]

    def compute(item: int, confidence: float) -> Comparison:
        alone = joint.test(weights[item : item + 1], 1 - confidence, alternative)
        return _one_of(alone, 0, alone.p, 1 - confidence, joint.statistic_name)

    return compare_each(len(weights), compute, adjustment, alpha, contrasts.pairs)


def _one_of(tested: JointTests, item: int, all_adjusted: Array, alpha: float, name: str) -> Comparison:
    family = len(tested.p)
    low, high = float(tested.intervals.lower[item]), float(tested.intervals.upper[item])
    estimate, adjusted = float(tested.intervals.estimate[item]), float(all_adjusted[item])
    note, kind = tested.notes.get(item, ""), Interval.SIMULTANEOUS if family > 1 else Interval.POINTWISE
    refused = isnan(float(tested.p[item]))
    if refused or low == high:  # an interval without width would claim what nobody knows
        note = CONSTANT_NOTE if refused else note or SAME_NOTE if estimate == 0 else NO_WIDTH
        low = high = nan
    if isnan(low) or isnan(high):
        kind = Interval.NONE
        note = note or (SAME_NOTE if estimate == 0 else "")
    else:
        moved = align_interval_with_p(low, high, adjusted, 1 - alpha, estimate=estimate)
        if moved != (low, high):
            (low, high), kind = moved, Interval.STEPWISE if family > 1 else kind
    confidence = nan if kind is Interval.NONE else 1 - alpha
    df = () if tested.df is None else (float(tested.df[item]),)
    return Comparison(
        estimate, low, high, confidence, kind, float(tested.statistic[item]), name, df, float(tested.p[item]), adjusted,
        note=note, refused=refused,
    )  # fmt: skip


NO_WIDTH = "the difference is the same in every block, so there is no interval"
CONSTANT_NOTE = "refused: the difference is the same in every block, so its standard error is zero"
SAME_NOTE = "no difference in any block, so there is no standard error and no interval"


def _one_p(t: Array, df: float, alternative: str) -> Array:
    if alternative == "two-sided":
        return np.asarray(np.minimum(1.0, 2 * t_sf(np.abs(t), df)))
    return np.asarray(t_sf(t if alternative == "greater" else -t, df))


def adjusted_levels(
    p: Array, adjustment: str, alpha: float, pairs: Pairs | None = None
) -> tuple[Array, Array, Interval]:
    """Adjusted p-values, the error rate at which each row was tested by itself, and the kind of interval it makes.

    A row is rejected if p_adjusted ≤ α, which is the same as p ≤ level; an interval of confidence 1 − level
    therefore leaves zero out exactly when the adjusted p rejects.
    """
    method = adjustment_named(adjustment)
    adjusted = adjust(p, adjustment, pairs)
    m = int(np.sum(~np.isnan(p)))
    if m <= 1 or method.name == "none":
        return adjusted, np.full(len(p), alpha), Interval.POINTWISE
    if method.name == "sidak":
        return adjusted, np.full(len(p), -np.expm1(np.log1p(-alpha) / m)), Interval.SIMULTANEOUS
    levels = np.full(len(p), alpha / m)
    if not method.stepwise:
        return adjusted, levels, Interval.SIMULTANEOUS
    # Where the adjusted p was cut off at one, the widest level stands: such a row is never rejected.
    inner = (p > 0) & (adjusted < 1)
    levels[inner] = alpha * (p[inner] / adjusted[inner])
    return adjusted, levels, Interval.STEPWISE


def compare_each(
    count: int,
    compute: Callable[[int, float], Comparison],
    adjustment: str,
    alpha: float,
    pairs: Pairs | None = None,
) -> list[Comparison]:
    """The same for a procedure that takes one contrast at a time: p-values first, then intervals at the levels found.

    `compute` takes the number of the contrast and the confidence of its interval; `pairs` says which learners it is
    about.
    """
    if adjustment == SINGLE_STEP:
        raise UsageError(
            "This procedure takes one pair at a time and knows no joint law: "
            "choose an adjustment such as holm or bonferroni instead of single-step."
        )
    plain = [compute(item, 1 - alpha) for item in range(count)]
    p = np.array([row.p for row in plain])
    if len(plain) > 1 and np.isnan(p).all():
        raise MisfitError(f"None of the {len(plain)} comparisons could be made. {plain[0].note}")
    adjusted, levels, kind = adjusted_levels(p, adjustment, alpha, pairs)
    rows = []
    for item, (row, p_adjusted, level) in enumerate(zip(plain, adjusted, levels, strict=True)):
        at_level = row if level == alpha else compute(item, 1 - float(level))
        given = Interval.NONE if isnan(row.lower) and isnan(row.upper) else kind
        rows.append(
            row._replace(
                lower=at_level.lower,
                upper=at_level.upper,
                confidence=1 - float(level),
                interval=given,
                p_adjusted=float(p_adjusted),
            )
        )
    return rows


def align_interval_with_p(
    lower: float, upper: float, p: float, confidence: float, null: float = 0.0, estimate: float = nan
) -> tuple[float, float]:
    """An interval that never contradicts its test about the null value.

    Discrete tests (signed ranks with ties, exact McNemar) have no interval that inverts them to the last digit. Where
    the two would disagree, the end that is nearer to the null value is moved onto it: just short of it if the test
    rejects, just beyond it if the test does not.
    """
    alpha = 1 - confidence
    rejected = p <= alpha * (1 + 1e-12)
    if isnan(lower) or isnan(upper):
        return lower, upper
    if rejected and lower <= null <= upper:
        centre = estimate if not isnan(estimate) else (lower + upper) / 2
        # An interval that is the null value alone moves as a whole.
        above, below = float(np.nextafter(null, inf)), float(np.nextafter(null, -inf))
        return (above, max(above, upper)) if centre > null else (min(below, lower), below)
    if not rejected and lower > null:
        return null, upper
    if not rejected and upper < null:
        return lower, null
    return lower, upper
