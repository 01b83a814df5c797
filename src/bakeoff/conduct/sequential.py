"""Replication until it is decided: run, look, drop the clearly worse, and stop as soon as nothing is left open.

The blocks are what the conclusion is a sample of: learning samples that are drawn anew (from a generator, or by the
bootstrap from one learning sample), or whole tasks. After each stage every pair of learners that is still in the race
has a confidence sequence for the mean of its paired differences, at α over the number of all pairs, so that with
probability 1 − α no claim that is made at any time is wrong, however often one looks and whatever makes one stop. Folds
and random splits of one data set share rows: more of them do not bring the mean nearer to its true value, and no
sequence of them has that guarantee; they are refused.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from functools import lru_cache
from itertools import combinations
from math import ceil, exp, inf, isfinite, log, sqrt
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from bakeoff import text as show
from bakeoff.errors import MisfitError, UsageError
from bakeoff.keys import seed_of
from bakeoff.mathematics.laws import check_alpha
from bakeoff.records import Record

if TYPE_CHECKING:
    from bakeoff.measures import Measure
    from bakeoff.scores import Scores
    from bakeoff.store.database import Place
    from bakeoff.study.run import Summary
    from bakeoff.study.study import Study


# ----------------------------------------------------------------------------------------------------------------------
# Confidence sequences: intervals for a mean that cover at all sample sizes at once, so that one may stop by looking.
#
# An interval of the usual kind covers at a sample size that was fixed in advance. Whoever looks after each observation,
# and stops when the interval leaves zero out, is wrong far more often than α. A confidence sequence is right at all
# times together with probability 1 − α, whatever makes one stop (Ville 1939; Robbins 1970).


_TRUNCATION = 0.5  # of the bets, as the authors advise
_OF_SKEWNESS = 75  # observations for each squared skewness. Cochran's rule for one look at a mean is 25


def t_radius(n: int, sd: float, alpha: float, spread: float) -> float:
    """Half the length of the confidence sequence of a normal mean at n observations with the standard deviation `sd`.

    All means that the e-value of Student's t does not reject at α: the likelihood ratio of t, under effect sizes
    δ = μ/σ that are normal with variance g (`spread`), to that under δ = 0. With r = 1 + n g and ν = n − 1

        e = r^(−1/2) · [(1 + t²/ν) / (1 + t²/(ν r))]^(n/2).

    It does not depend on σ. As n grows it is a martingale under the null, so that it exceeds 1/α at any time with a
    probability of at most α: one may stop when one likes. It is 1/α at t² = ν (c − 1)/(1 − c/r) with c = (√r/α)^(2/n);
    infinite as long as c ≥ r, where no data could reject anything. Lai (1976), doi:10.1214/aos/1176343406; Gönen,
    Johnson, Lu and Westfall (2005), doi:10.1198/000313005X55233; Wang and Ramdas (2023), arXiv:2310.03722.

    >>> round(t_radius(40, 1.0, 0.05, 0.2), 4), t_radius(2, 1.0, 0.05, 0.2)
    (0.5064, inf)
    """
    check_alpha(alpha)
    _check(n, spread)
    ratio = 1 + n * spread
    c = exp((log(ratio) - 2 * log(alpha)) / n)
    if c >= ratio:
        return inf
    return sd * sqrt((n - 1) * (c - 1) / (1 - c / ratio) / n)


def spread_for(n: int, alpha: float) -> float:
    """The variance of effect sizes that makes the sequence about shortest at n observations.

    That of the mixture for a known variance, ρ² = (−2 log α + log(1 − 2 log α))/n: Waudby-Smith, Arbour, Sinha, Kennedy
    and Ramdas (2024), doi:10.1214/24-AOS2408, appendix B.2. Fixed before the first observation.
    """
    check_alpha(alpha)
    if n < 1:
        raise UsageError(f"A confidence sequence is made for a positive number of observations; found {n!r}.")
    return (-2 * log(alpha) + log(1 - 2 * log(alpha))) / n


def _check(n: int, spread: float) -> None:
    if n < 2:
        raise UsageError(f"A t statistic needs at least two observations; found {n!r}.")
    if not spread > 0:
        raise UsageError(f"The variance of effect sizes must be positive; found {spread!r}.")


def t_sequence(values: ArrayLike, alpha: float, spread: float) -> tuple[Array, Array]:
    """Lower and upper ends after each observation: the best of all ends so far, since all of them cover at once.

    Exact for normal values of any variance. Of others the mean is nearly normal only once there are many for their
    skewness, which whoever looks often finds out: as long as there are fewer than 75 times its square there are no ends
    (Cochran 1977, Sampling Techniques, section 2.15, has 25 for a single look). `tools/sequential.py` measures what
    that is good for, and what it costs.
    """
    x = np.asarray(values, dtype=float)
    n = np.arange(1, len(x) + 1)
    centred = x - x[:1]  # so that large numbers do not cancel
    mean, square, cube = (np.cumsum(centred**power) / n for power in (1, 2, 3))
    variance = np.maximum(0.0, square - mean**2)
    third = cube - 3 * mean * square + 2 * mean**3
    enough = third**2 * _OF_SKEWNESS <= n * variance**3
    reach = np.array([_unit_radius(count, alpha, spread) for count in n.tolist()])
    length = np.full(len(x), inf)
    sd = np.sqrt(variance * n / np.maximum(1, n - 1))
    np.multiply(sd, reach, out=length, where=np.isfinite(reach) & enough)
    means = x[:1] + mean
    return np.maximum.accumulate(means - length), np.minimum.accumulate(means + length)


@lru_cache(maxsize=100_000)
def _unit_radius(n: int, alpha: float, spread: float) -> float:
    return t_radius(n, 1.0, alpha, spread) if n > 1 else inf


def bernstein_sequence(values: ArrayLike, alpha: float) -> tuple[Array, Array]:
    """The same for observations between 0 and 1, of whatever law: the predictable plug-in empirical Bernstein sequence.

    With bets λ_i that depend on the observations before, and ψ(λ) = −log(1 − λ) − λ, the lower end at n is

        (Σ λ_i x_i − log(2/α) − Σ (x_i − x̄_{i−1})² ψ(λ_i)) / Σ λ_i,

    and the upper end is one minus that of 1 − x. Waudby-Smith and Ramdas (2024), doi:10.1093/jrsssb/qkad009, theorem 2.
    """
    check_alpha(alpha)
    x = np.asarray(values, dtype=float)
    if len(x) and not (x.min() >= 0 and x.max() <= 1):
        raise UsageError(f"Observations must lie between 0 and 1; found {x.min():g} to {x.max():g}.")
    lower, upper = _lower(x, alpha / 2), 1 - _lower(1 - x, alpha / 2)
    return np.maximum.accumulate(np.maximum(lower, 0.0)), np.minimum.accumulate(np.minimum(upper, 1.0))


def _lower(x: Array, alpha: float) -> Array:
    t = np.arange(1, len(x) + 1)
    mean = (0.5 + np.cumsum(x)) / (t + 1)  # with one observation of ½ and variance ¼ before the first
    variance = (0.25 + np.cumsum((x - mean) ** 2)) / (t + 1)
    before = np.concatenate([[0.25], variance[:-1]])
    bets = np.minimum(_TRUNCATION, np.sqrt(2 * log(1 / alpha) / (t * np.log1p(t) * before)))
    plain = np.concatenate([[0.0], (np.cumsum(x) / t)[:-1]])
    cost = np.cumsum((x - plain) ** 2 * (-np.log1p(-bets) - bets))
    return np.asarray((np.cumsum(bets * x) - log(1 / alpha) - cost) / np.cumsum(bets))


# ----------------------------------------------------------------------------------------------------------------------


DECIDED = "until decided"  # the kind of record under which a store knows of such a run
FIRST, GROWTH = 10, 1.5  # blocks of the first stage, and by what each is larger than the one before
FEWEST_TASKS = 6
Array = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class PairSequence(Record):
    """A pair as it stands when the run stops: by how much the first is better, and what was decided after how many
    blocks (0: not yet). With the interval [L, U] and the margin Δ: better if L > 0, worse if U < 0, equivalent if it
    lies within (−Δ, Δ)."""

    first: str
    second: str
    blocks: int
    advantage: float
    lower: float
    upper: float
    decision: str = "undecided"
    after: int = 0


@dataclass(frozen=True, eq=False)
class Race(Record):
    """A run that was stopped when it was decided, or at its limit. `learners` has, for each, the blocks it was run on;
    `cells` were run in all of `planned`."""

    measure: str
    margin: float | None
    alpha: float
    unit: str
    about: str
    at_most: int
    blocks: int
    pairs: tuple[PairSequence, ...]
    learners: Mapping[str, int]
    dropped: Mapping[str, int]
    cells: int
    planned: int
    bounded: bool = False
    notes: tuple[str, ...] = ()

    @property
    def left(self) -> list[str]:
        """The learners that no other is known to be better than."""
        return [name for name in self.learners if name not in self.dropped]

    @property
    def decided(self) -> bool:
        """Whether nothing is open among those."""
        left = set(self.left)
        return all(pair.decision != "undecided" for pair in self.pairs if {pair.first, pair.second} <= left)

    @property
    def sentence(self) -> str:
        left = self.left
        if len(left) == 1 and self.dropped:
            others = show.listing(list(self.dropped), 6)
            answer = (
                f"{left[0]} is the best in {self.measure}: {others} {'is' if len(self.dropped) == 1 else 'are'} worse"
            )
        elif self.decided:
            within = f"equivalent within {show.number(self.margin)}" if self.margin is not None else "alike"
            answer = f"{show.listing(left)} are {within} in {self.measure}"
            if self.dropped:
                answer += f", and each of {show.listing(list(self.dropped))} is worse than one of them or of the others"
        else:
            answer = f"Undecided among {show.listing(left)} after {self.blocks} {self.unit}"
            answer += " (the limit)" if self.blocks >= self.at_most else ""
            answer += ", which is not evidence that they are equal"
        return f"{answer}. {self._saved}"

    @property
    def _saved(self) -> str:
        spared = self.planned - self.cells
        share = f" ({show.percent(spared / self.planned)})" if self.planned else ""
        return (
            f"{self.blocks} of at most {self.at_most} {self.unit} were run, {show.count(self.cells)} cells of "
            f"{show.count(self.planned)}: {show.count(spared)}{share} were saved."
        )

    @property
    def guarantee(self) -> str:
        any_law = "for any law of scores within their ends"
        kind = (
            any_law
            if self.bounded
            else "exactly for normal differences, and for others once there are many for their skewness"
        )
        return (
            f"Confidence sequences at the level {show.percent(1 - self.alpha)} for all {len(self.pairs)} pairs and all "
            f"times together, {kind}: stopping by looking costs nothing. They speak about {self.about}."
        )

    def table(self) -> tuple[list[str], list[list[str]]]:
        """The pairs: what is decided, how much better the first is, and after how many blocks that was known."""
        rows = [
            [pair.first, pair.decision, pair.second, show.number(pair.advantage),
             show.interval(pair.lower, pair.upper) if isfinite(pair.lower) else "", str(pair.blocks),
             str(pair.after) if pair.after else ""]
            for pair in self.pairs
        ]  # fmt: skip
        level = show.percent(1 - self.alpha)
        return ["", "", "", f"better {self.measure} by", f"{level} sequence", self.unit, "decided after"], rows

    def to_text(self) -> str:
        table = show.text_table(*self.table(), left=3)
        parts = [show.wrapped(self.sentence), table, show.wrapped(self.guarantee)]
        parts += [show.wrapped(f"Note  {note}", indent="  ") for note in self.notes]
        return "\n\n".join(parts)

    def to_dict(self) -> dict[str, Any]:
        fields: dict[str, Any] = show.to_json_value({**asdict(self), "left": self.left, "sentence": self.sentence})
        return fields

    @classmethod
    def of(cls, record: Mapping[str, Any]) -> Race:
        """From what a store holds."""
        known = {name: value for name, value in record.items() if name in cls.__dataclass_fields__}
        numbers = ("lower", "upper", "advantage")
        pairs = [
            PairSequence(**{**pair, **{name: _number(pair[name], name) for name in numbers}})
            for pair in record["pairs"]
        ]
        return cls(**{**known, "pairs": tuple(pairs), "notes": tuple(record.get("notes", ()))})

    def __str__(self) -> str:
        return self.to_text()


def _number(value: float | None, name: str) -> float:
    return float(value) if value is not None else {"lower": -inf, "upper": inf}.get(name, float("nan"))


# ----------------------------------------------------------------------------------------------------------------------
# The decisions: a function of the matrix of blocks × learners, in the order in which blocks were run.


def race(
    values: Array,
    learners: Sequence[str],
    *,
    alpha: float,
    margin: float | None,
    at_most: int,
    bounds: tuple[float, float] | None = None,
) -> tuple[tuple[PairSequence, ...], dict[str, int]]:
    """What is decided after the rows of `values` (larger is better; NaN where a learner was not run), and the learners
    that are dropped, with the number of blocks after which they were.

    `bounds` are the ends of the measure, for sequences that hold for any law within them.
    """
    k = len(learners)
    level = alpha / max(1, k * (k - 1) // 2)
    spread = spread_for(max(FIRST, ceil(at_most / 5)), level)
    pairs, dropped = [], dict[str, int]()
    for i, j in combinations(range(k), 2):
        differences = values[:, i] - values[:, j]
        there = np.flatnonzero(~np.isnan(differences))
        d = differences[there]
        pair = _sequence(learners[i], learners[j], d, level, spread, margin, bounds)
        pairs.append(pair)
        loser = {"better": pair.second, "worse": pair.first}.get(pair.decision)
        if loser is not None:
            when = int(there[pair.after - 1]) + 1
            dropped[loser] = min(when, dropped.get(loser, when))
    return tuple(pairs), dropped


def _sequence(
    first: str,
    second: str,
    d: Array,
    level: float,
    spread: float,
    margin: float | None,
    bounds: tuple[float, float] | None,
) -> PairSequence:
    if not len(d):
        return PairSequence(first, second, 0, float("nan"), -inf, inf)
    if bounds is None:
        lower, upper = t_sequence(d, level, spread)
        if np.ptp(d) == 0:  # a difference that never varies has no standard error, and is no evidence
            lower, upper = np.full(len(d), -inf), np.full(len(d), inf)
        lower[: FIRST - 1], upper[: FIRST - 1] = -inf, inf  # too few to lean on normality
    else:
        span = bounds[1] - bounds[0]
        low, high = bernstein_sequence(np.clip((d / span + 1) / 2, 0.0, 1.0), level)
        lower, upper = (2 * low - 1) * span, (2 * high - 1) * span
    within = np.zeros(len(d), dtype=bool) if margin is None else (lower > -margin) & (upper < margin)
    moments = {"equivalent": within, "better": lower > 0, "worse": upper < 0}
    reached = {name: int(np.argmax(when)) + 1 for name, when in moments.items() if when.any()}
    decision = min(reached, key=lambda name: reached[name], default="undecided")
    ends = float(lower[-1]), float(upper[-1])
    return PairSequence(first, second, len(d), float(d.mean()), *ends, decision, reached.get(decision, 0))


# ----------------------------------------------------------------------------------------------------------------------
# The run.


def run_until_decided(
    study: Study,
    store: str | Place,
    *,
    margin: float | None = None,
    at_most: int | None = None,
    workers: int = 1,
    bounded: bool = False,
    watcher: Any = None,
    tell: Callable[[str], None] | None = None,
) -> tuple[Race, Summary]:
    """Run a study stage by stage until its first planned analysis is decided, or `at_most` blocks are run.

    `margin` is the difference that would matter (by default the study's): without one, learners that are alike are
    never told to be so. `bounded` asks for sequences that hold for any law of a measure with two ends, and take more
    blocks. What was run is kept in the store, with the decision.
    """
    from bakeoff.store.database import place_of
    from bakeoff.store.reader import Reader
    from bakeoff.store.writer import Store
    from bakeoff.study.run import run_study

    path = place_of(store)
    measure, sign = _measure(study)
    margin = _margin(study, margin)
    bounds = _bounds(measure) if bounded else None
    unit, about, total = _unit(study)
    at_most = total if at_most is None else at_most
    if at_most < FIRST or at_most > total:
        raise UsageError(_about_limit(at_most, total, unit))
    order = _order(study, unit, total)
    alive, n, summary, notes = set(range(len(study.learners))), FIRST, None, list[str]()
    while True:
        chosen, names = order[:n], [study.learners[i].name for i in sorted(alive)]
        summary = run_study(study, path, workers=workers, watcher=watcher, among=_mask(study, unit, chosen, alive))
        if summary.interrupted:
            break
        with Reader(path) as stored:
            values = sign * _matrix(stored, study, measure.name, unit, chosen)
        every = [learner.name for learner in study.learners]
        pairs, dropped = race(
            values, every, alpha=study.analyses[0].alpha, margin=margin, at_most=at_most, bounds=bounds
        )
        alive = {i for i, name in enumerate(every) if name not in dropped}
        left = [pair for pair in pairs if {pair.first, pair.second} <= {every[i] for i in alive}]
        open_ = [pair for pair in left if pair.decision == "undecided"]
        if tell is not None:
            tell(f"after {n} {unit}: {len(names)} learners run, {len(open_)} pairs open")
        if not open_ or n >= at_most:
            break
        n = min(at_most, max(n + 1, ceil(n * GROWTH)))
    if summary.interrupted:
        raise KeyboardInterrupt
    counts = {name: int((~np.isnan(column)).sum()) for name, column in zip(every, values.T, strict=True)}
    if summary.failed + summary.failed_before:
        notes.append("Cells that failed are left out, pair by pair; a learner that fails on hard samples gains by it.")
    notes += _skewed(open_, unit, bounded)
    cells, planned = _cells(path, study, at_most, total)
    result = Race(
        measure.name, margin, study.analyses[0].alpha, unit, about, at_most, n, pairs, counts, dropped, cells, planned,
        bounded, tuple(notes),
    )  # fmt: skip
    with Store.open(path) as stored:
        stored.keep(DECIDED, study.key, result.to_dict())
        stored.keep("remark", f"{study.key}/{STOPPED}", _remark(result))
    return result, summary


def _skewed(pairs: Sequence[PairSequence], unit: str, bounded: bool) -> list[str]:
    """Of pairs that are open and have no ends, because their mean is not nearly normal yet."""
    without = [f"{pair.first} and {pair.second}" for pair in pairs if not isfinite(pair.lower)]
    if bounded or not without:
        return []
    return [
        f"The differences between {'; between '.join(without)} are so skewed that there are too few {unit} for an "
        "interval: one learner now and then is far off. Of a measure with two ends --bounded gives intervals that hold "
        "for any law."
    ]


STOPPED = "stopped-when-decided"
DRAWS, TASKS = "draws", "tasks"


def _remark(race: Race) -> dict[str, str]:
    return {
        "code": STOPPED,
        "text": "The run was stopped by looking at its scores (--until-decided), and p-values and intervals for a "
        f"number of {race.unit} that is fixed in advance do not hold for it. What it decided: {race.sentence}",
        "action": "Claim what the run decided; bakeoff judge without flags shows it again.",
    }


def _measure(study: Study) -> tuple[Measure, int]:
    """The measure that decides, and 1 if larger is better, else −1."""
    analysis = study.analyses[0]
    if not isinstance(analysis.measure, str):
        raise UsageError("The first planned analysis is about several measures at once, and a run is stopped by one.")
    if analysis.control is not None or analysis.contrast != "all-pairs" or analysis.alternative != "two-sided":
        raise UsageError(
            "A run until it is decided compares all pairs from both sides; the first planned analysis asks for "
            f"something else ({analysis.sentence})."
        )
    if len(study.learners) < 2:
        raise UsageError("There is one learner, and nothing to decide between.")
    response = next(each for each in study.measures if each.name == analysis.measure)
    return response.measure, response.measure.sign


def _margin(study: Study, margin: float | None) -> float | None:
    margin = study.analyses[0].margin if margin is None else margin
    if margin is not None and not 0 < margin < inf:
        raise UsageError(f"The margin must be a positive difference in the first measure; found {margin!r}.")
    return margin


def _bounds(measure: Measure) -> tuple[float, float]:
    if not isfinite(measure.upper - measure.lower):
        raise UsageError(
            f"{measure.name} has no two ends, and sequences for any law need them (--bounded). Leave --bounded out, or "
            "choose a measure such as error."
        )
    return measure.lower, measure.upper


def _unit(study: Study) -> tuple[str, str, int]:
    """What the blocks are, what the conclusion is about, and how many the study has; a refusal where they are no sample
    of independent draws."""
    from bakeoff.resampling import SCHEMES
    from bakeoff.resampling.scheme import SIMULATION
    from bakeoff.study.study import is_independent

    kind = SCHEMES.get(study.resampling.scheme)
    problem = "" if kind is None else kind.problem
    if is_independent(study.resampling):
        raise MisfitError("Each learner has samples of its own here; a race is run over samples that all share.")
    if problem:
        what = (
            "new learning samples of the same law"
            if problem == SIMULATION
            else "learning samples drawn like these from the one at hand: not about other data sets"
        )
        if kind is not None and kind.needs_given_test:
            what += ", and this test sample"
        several = f", on average over {len(study.tasks)} tasks" if len(study.tasks) > 1 else ""
        return DRAWS, what + several, study.resampling.n_repeats
    if len(study.tasks) >= FEWEST_TASKS:
        return TASKS, "tasks like these, as far as they are a sample of such", len(study.tasks)
    raise MisfitError(
        f"Splits by {study.resampling.scheme!r} share rows of one data set: more of them do not bring a difference "
        "nearer to its true value, and nothing that is decided by looking at them would hold. Run until it is decided "
        "where blocks are drawn anew: a generator with scheme = 'simulation', bootstrap samples with scheme = "
        f"'out-of-bootstrap', or at least {FEWEST_TASKS} tasks; this study has {len(study.tasks)}."
    )


def _about_limit(at_most: int, total: int, unit: str) -> str:
    if at_most < FIRST:
        return f"A run until it is decided begins with {FIRST} {unit}; found at most {at_most}."
    more = f"Write repeats = {at_most} under [resampling]" if unit == DRAWS else "Add tasks"
    return (
        f"The study has {total} {unit}, and at most {at_most} are asked for. {more}: what is not needed is not run, "
        "and the plan is fixed before there are results."
    )


def _order(study: Study, unit: str, total: int) -> NDArray[np.int64]:
    """The numbers of the blocks in the order in which they are run: draws as they come, tasks in random order."""
    if unit == DRAWS:
        return np.arange(total, dtype=np.int64)
    rng = np.random.Generator(np.random.PCG64(seed_of("order of tasks", study.key)))
    return rng.permutation(total)


def _mask(
    study: Study, unit: str, chosen: NDArray[np.int64], alive: set[int]
) -> Callable[[Any, Any], NDArray[np.bool_]]:
    """Which cells a stage is made of."""
    wanted = set(chosen.tolist())
    owner = [number for number, learner in enumerate(study.learners) for _ in learner.single_fits]

    def among(prepared: Any, store: Any) -> NDArray[np.bool_]:
        rows = []
        for block, task_id, name in zip(prepared.grid.blocks, prepared.task_ids, prepared.splittings, strict=True):
            index = store.splits_index(task_id, name)
            blocks = index.repeat - 1 if unit == DRAWS else np.full(len(index), block.task)
            rows.append(np.isin(blocks, list(wanted)))
        learners = np.array([number in alive for number in owner])
        return np.asarray((np.concatenate(rows)[:, None] & learners).ravel())

    return among


def _matrix(stored: Any, study: Study, measure: str, unit: str, chosen: NDArray[np.int64]) -> Array:
    """Blocks × learners: the mean over tasks, or over the splits of a task; NaN where anything of it is lacking."""
    from bakeoff.results.scores import scores_of

    scores: Scores = scores_of(stored, study.key, [measure])
    k, tasks = len(study.learners), len(study.tasks)
    names = [learner.name for learner in study.learners]
    learner = np.array([names.index(name) for name in scores.learners])[scores.learner.codes]
    task = np.array([[each.name for each in study.tasks].index(name) for name in scores.tasks])[scores.task.codes]
    repeat = np.array([int(label) - 1 if label else 0 for label in scores.repeat.labels])[scores.repeat.codes]
    block = repeat if unit == DRAWS else task
    place = {int(number): row for row, number in enumerate(chosen)}
    row = np.array([place.get(int(number), -1) for number in block])
    table = np.full((len(chosen), k), np.nan)
    sums, counts, bad = (np.zeros((len(chosen), k)) for _ in range(3))
    here = row >= 0
    known = here & ~np.isnan(scores.value)
    np.add.at(sums, (row[known], learner[known]), scores.value[known])
    np.add.at(counts, (row[known], learner[known]), 1)
    np.add.at(bad, (row[here & ~known], learner[here & ~known]), 1)
    needed = tasks if unit == DRAWS else 1
    whole = (counts >= needed) & (bad == 0)
    table[whole] = sums[whole] / counts[whole]
    return table


def _cells(path: Place, study: Study, at_most: int, total: int) -> tuple[int, int]:
    """How many cells were run, and how many the whole experiment would have had."""
    from bakeoff.results.status import progress
    from bakeoff.store.reader import Reader

    with Reader(path) as stored:
        state = progress(stored, study.key)
    return state.ok + state.failed, round(state.cells * at_most / total)


def stopped_race(stored: Any, study_key: str) -> Race | None:
    """The race that a study was, if it was stopped when it was decided."""
    record = stored.records(DECIDED).get(study_key)
    return None if record is None else Race.of(record)
