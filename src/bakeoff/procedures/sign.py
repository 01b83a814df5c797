"""Sign tests over tasks: of two learners by who wins how often, and of one learner against a constant."""

from __future__ import annotations

from math import isfinite
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from bakeoff.errors import UsageError
from bakeoff.inference.evidence import align_interval_with_p
from bakeoff.mathematics.checks import choice, differences, number_column, rounded
from bakeoff.mathematics.laws import check_confidence, direction
from bakeoff.mathematics.ranks import METHODS, TIES, critical_wins, median_interval, sign_test, without_odd_tie
from bakeoff.procedures.card import PowerFormula, SmallestP, flips
from bakeoff.procedures.friedman import DEMSAR
from bakeoff.procedures.needs import SAMPLE_OF_PROBLEMS
from bakeoff.procedures.procedure import Compares, Example, Level, Options, Result, numbers, procedure

FIVE_TASKS = (
    "With five tasks no result is significant at .05. The smallest two-sided p with n tasks is 2/2ⁿ: .0625 for five."
)
OPTIONS: Options = {
    "ties": ("what becomes of ties", tuple(TIES)),
    "method": ("which law p comes from", tuple(METHODS)),
    "correction": "continuity correction of the normal approximation",
}
_ERRORS = (0.012, 0.018, 0.025, 0.011, 0.019, 0.031, 0.015, 0.017, 0.009, 0.016)


def sign_of(
    d: ArrayLike,
    constant: float = 0.0,
    *,
    confidence: float = 0.95,
    alternative: str = "two-sided",
    ties: str = "split",
    method: str = "exact",
    correction: bool = False,
) -> Result:
    """Test whether the median of values is `constant`, by counting how many are above it and how many below.

    Useful where only the order counts: training times of seconds and of days weigh the same. It uses less than the
    signed-rank test, which also looks at the size of differences, and assumes less: no symmetry. The null hypothesis is
    that a value is as likely above as below; values equal to `constant` are ties, and are split evenly with an odd one
    dropped, or all dropped. The interval for the median runs between two order statistics.

    >>> result = sign_of([3, 1, 4, -1, 5, 9, 2, 6, -5, 3])
    >>> result.statistic, round(result.p, 4), result.estimate, (result.lower, result.upper)
    (8.0, 0.1094, 3.0, (-1.0, 6.0))
    """
    check_confidence(confidence)
    choice(ties, TIES, "treatment of ties")
    x = number_column(d, "differences")
    away = differences(x, np.full(len(x), constant)) if constant else rounded(x)
    above, below = int(np.sum(away > 0)), int(np.sum(away < 0))
    tied = len(x) - above - below
    test = sign_test(above, below, tied, alternative=alternative, ties=ties, method=method, correction=correction)
    kept = without_odd_tie(x, away) if ties == "split" and len(x) > 1 else x
    lower, upper = median_interval(kept, confidence, alternative)
    side = constant + direction(alternative, above - below)
    lower, upper = align_interval_with_p(lower, upper, test.p, confidence, null=constant, estimate=side)
    counted = f"{METHODS[method]}; larger on {above}, smaller on {below}"
    counted += f", equal on {tied} ({TIES[ties]})" if tied else ""
    counts = {"above": above, "below": below, "ties": tied}
    return Result(
        estimate=min(max(float(np.median(kept)), lower), upper),
        lower=lower,
        upper=upper,
        statistic=float(test.wins) if method == "exact" else test.z,
        statistic_name="X" if method == "exact" else "z",
        p=test.p,
        note=counted if test.n else "all are ties",
        details={**counts, "wins_adjusted": test.wins, "n_adjusted": test.n, "z": test.z},
    )


def _published(result: Result) -> list[float]:
    critical = critical_wins(14), critical_wins(14, alternative="greater")
    return [*numbers(result, "statistic n_adjusted"), sign_test(8, 2, alternative="greater").p, *critical]


@procedure(
    Compares.PAIR,
    Level.TASKS,
    name="sign",
    order_only=True,
    title="Sign test",
    question="Does one of two learners win on more tasks than the other?",
    null="on a task the first is as likely to be above as below the second",
    assumes=(
        SAMPLE_OF_PROBLEMS,
        "Nothing is assumed about the sizes of the differences: not even that they can be compared across tasks.",
    ),
    conventions=(
        "Ties are split evenly between the two; if their number is odd, one is dropped and N is reduced. With the "
        "option ties=dropped all ties are dropped, the classical way.",
        "p is exact: P(X ≥ e), P(X ≤ e), or twice the smaller, for X ~ Bin(N, ½). The statistic X counts the tasks "
        "on which the first has the larger value.",
        "The normal approximation, if asked for, is z = (e − N/2) / √(N/4), without continuity correction.",
        "Differences are rounded to the precision of the data before ties are looked for.",
        "The estimate is the median difference, its interval runs between two order statistics; where it and the "
        "test disagree about 0, the end next to 0 is moved onto it. Where the level is out of reach for so few "
        "tasks, the interval has no ends.",
    ),
    cautions=(
        "It has little power, because it ignores how large the differences are: wilcoxon uses their order.",
        FIVE_TASKS,
        "Splitting ties pulls p towards 1: seven wins, two losses and three ties have p = .227, with the ties "
        "dropped .180.",
        "Alpaydın, section 19.13.1, prints the tails of both one-sided tests the wrong way round, and exercise "
        "6 “reject if P(X < e) > α”: few wins speak against the first, many for it, and a small P(X ≥ e) is "
        "what rejects.",
    ),
    references=("dixon1946", "alpaydin2014 section 19.13.1", "demsar2006 section 3.1.4"),
    published="Demšar (2006), section 3.1.4 (C4.5 with and without tuned leaf size on 14 data sets), and R 4.2.2, "
    "binom.test(8, 10, alternative = 'greater') and pbinom for the critical numbers",
    printed="wins of C4.5+m, one of two ties counted = 11; tasks = 14; p of 8 wins in 10, one-sided = 0.0546875; "
    "critical wins of 14, two-sided = 12; critical wins of 14, one-sided = 11",
    example=Example(_published, *np.array(DEMSAR).T[[1, 0]]),
    recommended_for="two learners over many tasks, of which only the order counts",
    rank=40,
    options=OPTIONS,
    estimate="median difference in {measure}",
    smallest_p=SmallestP(flips, "tasks", "one learner wins on all of them"),
    power=PowerFormula.SIGNS,
    options_of=sign_of,
    synonyms=("sign test", "win counts"),
)
def compute(a: ArrayLike, b: ArrayLike, **options: Any) -> Result:
    """The same from two columns, a row a task; the estimate is the median of a − b.

    Differences are rounded to the precision of the data first, so that what is a tie on paper is one here.

    >>> compute([0.3, 0.1, 0.9, 0.5], [0.2, 0.2, 0.5, 0.5]).details["ties"]
    1
    """
    return sign_of(differences(a, b), **options)


# --- The sign test of one learner against a constant, over many tasks -------------------------------------------------
@procedure(
    Compares.ONE,
    Level.TASKS,
    title="Sign test of one learner against a constant",
    question="On most problems like these, is this learner's value above (or below) a value fixed in advance?",
    null="the median over problems is the constant (without a constant none is tested: an interval is given)",
    assumes=(SAMPLE_OF_PROBLEMS, "The constant was chosen without these data."),
    conventions=(
        "A value equal to the constant is a tie. Ties are split evenly; if their number is odd, one is dropped and "
        "N is reduced. With the option ties=dropped all ties are dropped, the classical way.",
        "p is exact: P(X ≥ e), P(X ≤ e), or twice the smaller, for X ~ Bin(N, ½), X the number of values above.",
        "The estimate is the median, its interval runs between two order statistics; where it and the test "
        "disagree about the constant, the end next to it is moved onto it.",
    ),
    cautions=(
        "It is about the median: on a few problems the learner may do as badly as it likes.",
        "Another learner is not a constant: to compare two over the same tasks use wilcoxon or sign.",
    ),
    references=("alpaydin2014 section 19.13.1", "dixon1946"),
    published="R's BSDA 1.2.2, SIGN.test(x, md = .02, alternative = 'less') on ten made-up error rates; no "
    "document prints a p",
    printed="values below .02 = 8; p = 0.0546875; median = 0.0165",
    example=Example("below p estimate", _ERRORS, constant=0.02, alternative="less"),
    recommended_for="one learner's scores over many tasks, whose median needs an interval",
    rank=10,
    options={"constant": ("the median tested against, fixed in advance", (), "without it no test"), **OPTIONS},
    estimate="median {measure}",
    smallest_p=SmallestP(flips, "tasks", "all of them lie on one side of the constant"),
    against="constant",
    options_of=sign_of,
    power=PowerFormula.SIGNS,
)
def sign_one(x: ArrayLike, *, constant: float | None = None, **options: Any) -> Result:
    """The median of one learner's values over tasks, and the sign test of whether it is `constant`.

    Useful to ask whether a learner's error is below two percent on most tasks, whatever it is on the others. "less" is
    that most values lie below the constant. Without a constant there is an interval for the median and no test.

    >>> errors = [0.012, 0.018, 0.025, 0.011, 0.019, 0.031, 0.015, 0.017, 0.009, 0.016]
    >>> result = sign_one(errors, constant=0.02, alternative="less")
    >>> round(result.p, 4), result.details["below"]
    (0.0547, 8)
    """
    values = np.asarray(x, dtype=float)
    if constant is None:
        ends = median_interval(values, options.get("confidence", 0.95), options.get("alternative", "two-sided"))
        return Result(float(np.median(values)), *ends, details={"tasks": len(values)})
    if not isfinite(constant):
        raise UsageError(f"The constant tested against must be a finite number; found {constant!r}.")
    return sign_of(values, float(constant), **options)
