"""Aggregates: one number for all runs on all tasks, for all answers to all items, or for all test rows together.

    iqm             the interquartile mean of runs on tasks, from runs resampled within their tasks, as rliable does
    improvement     the probability that a run of one learner is better than one of another, on a task of the list
    pass@K          the chance that one of K answers to an item is right; items are the blocks
    any measure     of a file of predictions, such as auc, f1 or mcc: from test rows resampled, the same for all

Each has an interval. Those of pairs share their error (Bonferroni): what such an interval leaves out is claimed.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from html import escape
from itertools import combinations
from math import sqrt
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from bakeoff import text as show
from bakeoff.errors import DegenerateError, MisfitError, UsageError, nearest
from bakeoff.judging.judgment import judge
from bakeoff.judging.verdict import Decision, Verdict
from bakeoff.judging.wording import wins_in_words
from bakeoff.mathematics.checks import count as whole_number
from bakeoff.mathematics.laws import check_confidence, normal_quantile, symmetric_interval, t_quantile
from bakeoff.mathematics.run_aggregates import RESAMPLES, Aggregate, improvement, interquartile_means, pass_at_k
from bakeoff.measures import Measure
from bakeoff.measures.response import Needs, Prediction, Response, Truth, Undefined
from bakeoff.measures.responses import computed_response
from bakeoff.procedures.clusters import FEWEST_RESAMPLED
from bakeoff.records import Answer, Record
from bakeoff.scores import Scores, long_form
from bakeoff.scores.table import Labels, Predictions, cell_numbers, frozen
from bakeoff.text import CodedWarning

if TYPE_CHECKING:
    import pandas as pd

IQM, IMPROVEMENT, PASS = "iqm", "improvement", re.compile(r"pass[@_-]?(?:at[_-]?)?(\d+)")
FEW_RUNS = 10  # below so many runs a task intervals of the bootstrap alone are too short
MEASURE_RESAMPLES = 2_999
FEWEST_RUNS = 3  # with two, intervals of 95 % leave out the truth in up to a sixth, widened or not
# 2 to 30 tasks whose runs vary unequally, normal and exponential, 600 simulations each.
_MEASURED = "of tasks with 3, 5 and 10 runs, intervals of 95 % cover in 92 to 97, 93 to 97 and 92 to 97 %"
Array = NDArray[np.float64]


@dataclass(frozen=True, slots=True, eq=False)
class AggregateRow(Record):
    """One learner, or one of two against the other (`second`), with its interval and, of a pair, what is claimed."""

    first: str
    second: str
    estimate: float
    lower: float
    upper: float
    decision: Decision | None = None


@dataclass(frozen=True, eq=False)
class AggregateScores(Answer):
    """Numbers of learners and of pairs. `null` is what two equal learners have: 0, or ½ of a probability.

    `confidence` is that of each learner; intervals of pairs cover at once. `verdict` is the one on items, for pass@K.
    """

    source: str
    title: str
    how: str
    larger_is_better: bool
    learners: tuple[AggregateRow, ...]
    pairs: tuple[AggregateRow, ...]
    pair_title: str
    null: float
    confidence: float
    resamples: int
    seed: int
    verdict: Verdict | None = None
    warnings: tuple[CodedWarning, ...] = ()

    @property
    def sentence(self) -> str:
        """What may be claimed."""
        best = self.learners[0]
        level = show.percent(self.confidence)
        text = f"{self.title}: {self.how}."
        if best.first and not np.isnan(best.estimate):
            at = f"{show.number(best.estimate)}, {level} interval {show.interval(best.lower, best.upper)}"
            text += f" {best.first} has the best ({at})."
        if self.verdict is not None:
            return f"{text} {self.verdict.paragraph}"
        apart = [row for row in self.pairs if row.decision in (Decision.BETTER, Decision.WORSE)]
        wins = [(r.first, r.second) if r.decision is Decision.BETTER else (r.second, r.first) for r in apart]
        if wins:
            text += f" {'; '.join(wins_in_words(wins))}."
        if self.pairs and len(apart) < len(self.pairs):
            left, total = len(self.pairs) - len(apart), len(self.pairs)
            which = "The pair is" if total == 1 else f"{left} of {total} pairs {'is' if left == 1 else 'are'}"
            text += f" {which} undecided, which is not evidence that they are equal."
        return text

    def table(self) -> tuple[list[str], list[list[str]]]:
        header = ["learner", self.title, f"{show.percent(self.confidence)} interval"]
        return header, [[r.first, show.number(r.estimate), show.interval(r.lower, r.upper)] for r in self.learners]

    def pair_table(self) -> tuple[list[str], list[list[str]]]:
        several = "simultaneous " if len(self.pairs) > 1 else ""
        header = ["", "decision", "", self.pair_title, f"{several}{show.percent(self.confidence)} interval"]
        rows = [
            [r.first, "" if r.decision is None else r.decision.value, r.second, show.number(r.estimate),
             show.interval(r.lower, r.upper)]
            for r in self.pairs
        ]  # fmt: skip
        return header, rows

    def to_text(self) -> str:
        parts = [show.wrapped(self.sentence)]
        if any(not np.isnan(row.estimate) for row in self.learners):
            parts.append(show.text_table(*self.table()))
        if self.pairs:
            parts.append(show.text_table(*self.pair_table(), left=3))
        parts += [show.wrapped(f"Warning {warning}", indent="  ") for warning in self.warnings]
        return "\n\n".join(parts)

    def to_frame(self) -> pd.DataFrame:
        """Learners, then pairs, with full precision."""
        import pandas as pd

        rows = (*self.learners, *self.pairs)
        names = ("first", "second", "estimate", "lower", "upper", "decision")
        return pd.DataFrame({name: [getattr(row, name) for row in rows] for name in names})

    def to_dict(self) -> dict[str, Any]:
        fields: dict[str, Any] = {"sentence": self.sentence, **show.to_json_value(replace(self, verdict=None))}
        return fields if self.verdict is None else {**fields, "verdict": self.verdict.to_dict()}

    def _repr_html_(self) -> str:
        return f"<p>{escape(self.sentence)}</p>{show.html_table(*self.table())}{show.html_table(*self.pair_table())}"


def aggregate(
    scores: Scores,
    statistic: str,
    *,
    confidence: float = 0.95,
    resamples: int | None = None,
    seed: int = 0,
) -> AggregateScores:
    """One number for each learner over all runs, answers or test rows, with intervals, and the pairs compared by it.

    `statistic` is "iqm" or "improvement" (runs on tasks), "pass@5" (several right or wrong answers to each item), or a
    measure that is computed from predictions, such as "auc" or "f1" (`read_scores` of a file of predictions).
    """
    check_confidence(confidence)
    name = statistic.strip().lower()
    draws = None if resamples is None else whole_number(resamples, "resamples")
    if name in (IQM, IMPROVEMENT):
        runs = _runs(scores)
        of_runs = _interquartile if name == IQM else _improvement
        return of_runs(scores, runs, confidence, RESAMPLES if draws is None else draws, seed)
    if match := PASS.fullmatch(name):
        return _pass(scores, int(match[1]), confidence)
    return _of_predictions(scores, name, confidence, MEASURE_RESAMPLES if draws is None else draws, seed)


# ----------------------------------------------------------------------------------------------------------------------
# Runs on tasks.


Runs = dict[str, list[Array]]


def _runs(scores: Scores) -> Runs:
    """For each learner the runs on each task, the tasks in one order for all."""
    if len(scores.measure.labels) > 1:
        raise UsageError(
            f"{scores.source} holds {len(scores.measure.labels)} measures ({', '.join(scores.measure.labels)}). Say "
            "which one the question is about: --measure NAME."
        )
    values, learner, task = long_form(scores)
    by_learner: Runs = {}
    for name in scores.learners:
        by_learner[name] = [values[(learner == name) & (task == each)] for each in scores.tasks]
        empty = [each for each, runs in zip(scores.tasks, by_learner[name], strict=True) if not len(runs)]
        if empty:
            raise MisfitError(
                f"{name} has no run on {show.listing(empty, 4)}: every learner needs runs on every task. Leave the "
                "task or the learner out (--task, --without)."
            )
    fewest = _fewest(by_learner)
    if fewest < FEWEST_RUNS:
        few = "one run" if fewest == 1 else "two runs"
        raise MisfitError(
            f"{scores.source} has {few} of a learner on a task: how much runs vary does not show; three are the "
            "least. Give a row a run, with a column such as seed or run; over tasks alone use `bakeoff compare`."
        )
    return by_learner


def _fewest(runs: Runs) -> int:
    return min(len(task) for tasks in runs.values() for task in tasks)


def _widened(interval: Aggregate, *sides: Sequence[Array], confidence: float) -> Aggregate:
    """Ends as far out as resamples of few runs put them too near: √(m/(m − 1)) times, m the fewest runs on a task,
    for a variance about m runs' own mean, and the quantile of t for that of the normal law."""
    m = min(len(task) for side in sides for task in side)
    df = sum(len(task) - 1 for side in sides for task in side)
    level = (1 + confidence) / 2
    factor = sqrt(m / (m - 1)) * t_quantile(level, df) / normal_quantile(level)
    lower, upper = (interval.estimate + factor * (end - interval.estimate) for end in (interval.lower, interval.upper))
    return replace(interval, lower=float(lower), upper=float(upper))


def _few(runs: Runs) -> tuple[CodedWarning, ...]:
    fewest = _fewest(runs)
    if fewest >= FEW_RUNS:
        return ()
    return (
        CodedWarning(
            "few-runs",
            f"With {fewest} runs on a task the bootstrap makes intervals too short. They were widened for it, which "
            f"mends most of it ({_MEASURED}).",
            "Make ten runs.",
        ),
    )


def _over(scores: Scores, runs: Runs) -> str:
    sizes = sorted({len(task) for tasks in runs.values() for task in tasks})
    each = f"{sizes[0]}" if len(sizes) == 1 else f"{sizes[0]} to {sizes[-1]}"
    return f"over {show.counted(len(scores.tasks), 'tasks')} with {each} runs each, runs resampled within their task"


def _interquartile(scores: Scores, runs: Runs, confidence: float, resamples: int, seed: int) -> AggregateScores:
    settings: dict[str, Any] = {"resamples": resamples, "seed": seed}
    measure = scores.measures[scores.measure.labels[0]]

    def middle(*sides: Sequence[Array], level: float = confidence) -> Aggregate:
        return _widened(interquartile_means(*sides, confidence=level, **settings), *sides, confidence=level)

    alone = {name: middle(tasks) for name, tasks in runs.items()}

    def pair(first: str, second: str, level: float) -> Aggregate:
        return middle(runs[first], runs[second], level=level)

    result = _compared(alone, pair, measure, 0.0, confidence)
    return AggregateScores(
        scores.source, f"interquartile mean of {measure.name}", _over(scores, runs), measure.larger_is_better, *result,
        "difference", 0.0, confidence, resamples, seed, None, _few(runs),
    )  # fmt: skip


def _improvement(scores: Scores, runs: Runs, confidence: float, resamples: int, seed: int) -> AggregateScores:
    """The chance to be better: scores of which less is better are turned."""
    measure = scores.measures[scores.measure.labels[0]]
    turned = {name: [measure.sign * task for task in tasks] for name, tasks in runs.items()}
    if len(turned) < 2:
        raise MisfitError(f"{scores.source} has one learner; an improvement is over another one.")
    names = sorted(turned, key=lambda name: -sum(float(np.median(task)) for task in turned[name]))
    pairs = list(combinations(names, 2))
    level = 1 - (1 - confidence) / len(pairs)
    rows = []
    for first, second in pairs:
        sides = turned[first], turned[second]
        chance = improvement(*sides, confidence=level, resamples=resamples, seed=seed)
        chance = _widened(chance, *sides, confidence=level)
        rows.append(
            _row(first, second, replace(chance, lower=max(chance.lower, 0), upper=min(chance.upper, 1)), 0.5, 1)
        )
    learners = tuple(AggregateRow(name, "", np.nan, np.nan, np.nan) for name in names)
    return AggregateScores(
        scores.source, f"probability of improvement in {measure.name}", _over(scores, runs), True, learners,
        tuple(rows), "P(a run of the first is better)", 0.5, confidence, resamples, seed, None, _few(runs),
    )  # fmt: skip


def _compared(
    alone: dict[str, Aggregate],
    pair: Callable[[str, str, float], Aggregate],
    measure: Measure,
    null: float,
    confidence: float,
) -> tuple[tuple[AggregateRow, ...], tuple[AggregateRow, ...]]:
    """Learners from the best, and all pairs at a level that they share."""
    names = sorted(alone, key=lambda name: -measure.sign * alone[name].estimate)
    pairs = list(combinations(names, 2))
    level = 1 - (1 - confidence) / max(len(pairs), 1)
    rows = tuple(_row(first, second, pair(first, second, level), null, measure.sign) for first, second in pairs)
    return tuple(_alone(name, alone[name]) for name in names), rows


def _alone(name: str, value: Aggregate) -> AggregateRow:
    return AggregateRow(name, "", value.estimate, value.lower, value.upper)


def _row(first: str, second: str, value: Aggregate, null: float, sign: int) -> AggregateRow:
    above, below = value.lower > null, value.upper < null
    decision = Decision.UNDECIDED
    if above or below:
        decision = Decision.BETTER if above == (sign > 0) else Decision.WORSE
    return AggregateRow(first, second, value.estimate, value.lower, value.upper, decision)


# ----------------------------------------------------------------------------------------------------------------------
# pass@K.


def _pass(scores: Scores, k: int, confidence: float) -> AggregateScores:
    """Items are blocks: the estimate of each item goes where the answer of one try would go."""
    scores = _with_items(scores)
    measure = scores.measures[scores.measure.labels[0]]
    per_item = items_passed(scores, k)
    rows = []
    for code, name in enumerate(per_item.learners):
        values = per_item.value[per_item.learner.codes == code]
        mean, low, high = float(values.mean()), np.nan, np.nan
        if len(values) > 1 and np.ptp(values) > 0:  # else how items vary does not show
            error = float(values.std(ddof=1)) / np.sqrt(len(values))
            low, high = symmetric_interval(mean, error, len(values) - 1, confidence, "two-sided")
        rows.append(AggregateRow(name, "", mean, max(low, 0.0), min(high, 1.0)))
    verdict = judge(per_item, alpha=1 - confidence) if len(per_item.learners) > 1 else None
    n = len(per_item) // len(per_item.learners)
    tried = int(np.bincount(_item_numbers(scores)).min())
    return AggregateScores(
        scores.source,
        f"pass@{k}",
        f"the chance that one of {k} answers is right, estimated without bias from at least {tried} answers to each of "
        f"{show.counted(n, 'items')}; t intervals over items",
        measure.larger_is_better,
        tuple(sorted(rows, key=lambda row: -row.estimate)),
        (),
        "",
        0.0,
        confidence,
        0,
        0,
        verdict,
    )


def _with_items(scores: Scores) -> Scores:
    """Problems with several answers each, as in HumanEval, are the items, if there are no items within them."""
    if scores.instance.labels != ("",) or len(scores.task.labels) == 1:
        return scores
    return replace(scores, task=scores.instance, instance=scores.task)


def _item_numbers(scores: Scores) -> NDArray[np.intp]:
    return np.unique(cell_numbers(scores, ("learner", "task", "instance")), return_inverse=True)[1]


def items_passed(scores: Scores, k: int) -> Scores:
    """Scores with one value for each learner and item: its estimate of pass@K from all answers to it."""
    measure = scores.measures[scores.measure.labels[0]]
    if scores.instance.labels == ("",) or not np.isin(scores.value, (0.0, 1.0)).all():
        raise MisfitError(
            f"pass@{k} is counted from several right or wrong answers (1 or 0) to each item: a row an answer, with "
            f"columns such as model, item, sample, correct. {scores.source} holds something else."
        )
    right = scores.value if measure.larger_is_better else 1 - scores.value
    item = _item_numbers(scores)
    first = np.unique(item, return_index=True)[1]
    tried, won = np.bincount(item), np.bincount(item, weights=right)
    if tried.min() < k:
        few = int(np.argmin(tried))
        where = ", ".join(
            label for column in (scores.learner, scores.instance) if (label := column.labels[column.codes[first[few]]])
        )
        raise MisfitError(
            f"pass@{k} needs at least {k} answers to each item; {where} has {tried[few]}. Ask for a smaller K, or "
            "leave the item out."
        )
    clusters = scores.clusters
    rows = np.zeros(len(scores), dtype=bool)
    rows[first] = True
    order = np.flatnonzero(rows)
    values = pass_at_k(won, tried, k)[item[order]]
    name = f"pass@{k}"
    columns = {key: getattr(scores, key).where(rows) for key in ("task", "learner", "instance")}
    passes = Scores.of(
        values, **columns, measures={name: Measure(name, True, 0.0, 1.0, measure.origin)}, source=scores.source
    )
    kept = None if clusters is None else replace(clusters, labels=clusters.labels.where(rows))
    return replace(passes, clusters=kept, about=scores.about)


# ----------------------------------------------------------------------------------------------------------------------
# Any measure of a file of predictions.


def _of_predictions(scores: Scores, name: str, confidence: float, resamples: int, seed: int) -> AggregateScores:
    response = computed_response(name)
    if response is None or not response.after_the_run or response.needs is Needs.LOG_DENSITIES:
        known = (IQM, IMPROVEMENT, "pass@1", "auc", "f1", "mcc", "balanced_accuracy", "accuracy", "rmse", "r2")
        raise UsageError(f"There is no aggregate {name!r}. {nearest(name, known)} Measures: `bakeoff measures`.")
    kept = scores.predictions
    if kept is None:
        raise MisfitError(
            f"{response.name} of all rows together needs a file of predictions without gaps: the truth and a column of "
            f"predictions for each learner. {scores.source} holds scores."
        )
    truth, columns = _understood(kept, response, scores.source)
    unit = _units(scores, len(kept.truth))
    rng = np.random.Generator(np.random.SFC64(seed))
    estimates = np.array([response.of(truth, column) for column in columns])
    drawn, undefined = _resampled(response, truth, columns, unit, resamples, rng)
    alone = {learner: _percentiles(estimates[i], drawn[:, i], confidence) for i, learner in enumerate(kept.learners)}
    place = {learner: i for i, learner in enumerate(kept.learners)}

    def pair(first: str, second: str, level: float) -> Aggregate:
        i, j = place[first], place[second]
        return _percentiles(estimates[i] - estimates[j], drawn[:, i] - drawn[:, j], level)

    result = _compared(alone, pair, response.measure, 0.0, confidence)
    n_units = int(unit.max()) + 1
    what = "test rows" if n_units == len(unit) else f"{scores.clusters.column}s" if scores.clusters else "units"
    how = (
        f"of {show.counted(len(unit), 'test rows')} together, {show.counted(n_units, what)} resampled, the same for "
        "all learners; it speaks about these fitted models"
    )
    return AggregateScores(
        scores.source, response.name, how, response.measure.larger_is_better, *result, f"difference in {response.name}",
        0.0, confidence, len(drawn), seed, None, _about_resampling(undefined, resamples, n_units),
    )  # fmt: skip


def _about_resampling(undefined: int, resamples: int, n_units: int) -> tuple[CodedWarning, ...]:
    warnings = []
    if undefined:
        warnings.append(
            CodedWarning(
                "undefined-resamples",
                f"In {undefined} of {resamples} resamples the measure does not exist (a class was not drawn); they "
                "were left out.",
                "Intervals hold for samples in which it does.",
            )
        )
    if n_units < 30:
        warnings.append(
            CodedWarning(
                "few-rows",
                f"Percentiles of resamples of {n_units} make intervals that are too short.",
                "Take their ends for too near.",
            )
        )
    return tuple(warnings)


def _units(scores: Scores, n: int) -> NDArray[np.intp]:
    """What is drawn: test rows, or clusters of them."""
    if scores.clusters is None or scores.clusters.fixed:
        return np.arange(n)
    labels: Labels = scores.clusters.labels
    if len(labels.labels) < FEWEST_RESAMPLED:
        raise MisfitError(
            f"Percentiles of {len(labels.labels)} resampled clusters ({scores.clusters.column}) claim too much: with 8 "
            f"of them 12 to 15 % where 5 % is asked for. {FEWEST_RESAMPLED} are the fewest.",
            alternatives=[
                "a measure that each row has a value of, such as accuracy: `bakeoff compare`, which knows "
                "clusters from 3 on",
                f"--ignore {scores.clusters.column}, if it has nothing to do with the answers",
            ],
        )
    codes = labels.codes[scores.learner.codes == 0]
    return np.unique(codes, return_inverse=True)[1] if len(codes) == n else np.arange(n)


def _resampled(
    response: Response,
    truth: Truth,
    columns: Sequence[Prediction],
    unit: NDArray[np.intp],
    resamples: int,
    rng: np.random.Generator,
) -> tuple[Array, int]:
    """The measure of each learner in each resample of units; and in how many resamples it does not exist."""
    rows_of = np.split(np.argsort(unit, kind="stable"), np.cumsum(np.bincount(unit))[:-1])
    single = len(rows_of) == len(unit)
    draws, undefined = [], 0
    for _ in range(resamples):
        which = rng.integers(0, len(rows_of), len(rows_of))
        rows = which if single else np.concatenate([rows_of[one] for one in which])
        part = truth.rows(rows)
        try:
            draws.append([response.of(part, _rows(column, rows)) for column in columns])
        except Undefined:
            undefined += 1
    if len(draws) < 0.9 * resamples:
        raise DegenerateError(
            f"{response.name} does not exist in {undefined} of {resamples} resamples: too few rows of a class for an "
            "interval. Give more rows, or choose another measure."
        )
    return np.array(draws), undefined


def _rows(prediction: Prediction, rows: NDArray[np.intp]) -> Prediction:
    scores = None if prediction.scores is None else prediction.scores[rows]
    return Prediction(prediction.values[rows], scores, prediction.probabilistic)


def _percentiles(estimate: float, drawn: Array, confidence: float) -> Aggregate:
    tail = (1 - confidence) / 2
    if len(drawn) * tail < 1:
        raise UsageError(
            f"{len(drawn)} resamples are too few for an interval of confidence {confidence:.4g}: say --resamples."
        )
    lower, upper = (float(np.quantile(drawn, share)) for share in (tail, 1 - tail))
    return Aggregate(float(estimate), lower, upper, len(drawn))


def _understood(kept: Predictions, response: Response, source: str) -> tuple[Truth, list[Prediction]]:
    """Truth and predictions as the measure takes them: numbers, scores of the second class, or classes."""
    values = kept.values.T
    if response.needs is Needs.NUMBERS:
        if kept.classes:
            raise MisfitError(f"{response.name} is about numbers, and the predictions of {source} are labels.")
        return Truth("regression", kept.truth), [Prediction(column) for column in values]
    shares = bool(((values >= 0) & (values <= 1)).all()) and kept.binary
    if response.needs in (Needs.SCORES, Needs.PROBABILITIES):
        if not kept.binary:
            raise MisfitError(
                f"{response.name} needs a truth of 0 and 1 and a score or probability of 1 for each row in {source}."
            )
        codes = (values >= 0.5).astype(np.int64)
        truth = Truth("classification", kept.truth.astype(np.int64), ("0", "1"))
        return truth, [Prediction(c, column, shares) for c, column in zip(codes, values, strict=True)]
    if kept.classes:
        truth = Truth("classification", kept.truth.astype(np.int64), kept.classes)
        return truth, [Prediction(column.astype(np.int64)) for column in values]
    classes: tuple[str, ...] = ("0", "1")
    fractions = shares and bool((values != np.floor(values)).any())
    if fractions:  # probabilities: the class that is the more probable one
        codes, truth_codes = (values >= 0.5).astype(np.int64), kept.truth.astype(np.int64)
    else:
        labels = np.unique(kept.truth)
        if not np.isin(values, labels).all() or len(labels) > 0.5 * len(kept.truth):
            raise MisfitError(f"{response.name} is about classes, and {source} holds predictions of numbers.")
        truth_codes, codes = np.searchsorted(labels, kept.truth), np.searchsorted(labels, values)
        classes = tuple(show.number(label) for label in labels)
    misfit = response.misfit("classification", classes)
    if misfit:
        raise MisfitError(misfit)
    return Truth("classification", frozen(truth_codes), classes), [Prediction(c) for c in codes]
