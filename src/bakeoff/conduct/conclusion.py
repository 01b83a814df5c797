"""The conclusion of a study: the chosen learner on the test set that was kept apart, once, and the final model.

Alpaydın, Introduction to Machine Learning, section 19.1: a part of the data is left aside first; learners are compared
on the rest; and the one that was chosen is fitted to all of the rest and scored on what was left aside, whose error is
then reported. A second look would make that part one more sample to choose by, so there is none.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, replace
from math import isnan, nan, sqrt
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from bakeoff import __version__
from bakeoff import text as show
from bakeoff.errors import BakeoffError, InputError, MisfitError, UsageError, nearest
from bakeoff.keys import seed_of
from bakeoff.mathematics.clusters import cluster_means, gather
from bakeoff.mathematics.laws import t_quantile
from bakeoff.mathematics.proportions import proportion_interval
from bakeoff.measures.response import Prediction, Response, Truth, Undefined
from bakeoff.records import Answer, Record

if TYPE_CHECKING:
    from bakeoff.judging.verdict import Verdict
    from bakeoff.learners.learner import FitResult, Learner
    from bakeoff.store.database import Place
    from bakeoff.study.study import Study
    from bakeoff.tasks.dataset import Dataset

SPENT = "spent test set"  # the kind of record under which a store knows that a test set was looked at
CONFIDENCE = 0.95
RESAMPLES = 1999
_ENOUGH = 0.95  # of the draws must have a value, else there is no interval
Array = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class FinalScore(Record):
    """One measure of the final model on the test set, with an interval and how it was made; NaN where there is none."""

    measure: str
    value: float
    lower: float = nan
    upper: float = nan
    how: str = ""

    @property
    def in_words(self) -> str:
        if isnan(self.value):
            return f"{self.measure} has no value: {self.how}"
        ends = "" if isnan(self.lower) else f", {show.percent(CONFIDENCE)} interval {self.interval} ({self.how})"
        return f"{self.measure} is {show.number(self.value)}{ends}"

    @property
    def interval(self) -> str:
        return "" if isnan(self.lower) else show.interval(self.lower, self.upper)


@dataclass(frozen=True, eq=False)
class TaskConclusion(Record):
    """The final model of a task: rows that it learned from, rows of its test set, its scores there, its files."""

    task: str
    learned: int
    tested: int
    scores: tuple[FinalScore, ...]
    in_study: float  # the mean of the first measure in the study, by which the learner was chosen
    model: str = ""
    recipe: str = ""
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, eq=False)
class Conclusion(Answer):
    """The learner that was chosen, why, and what it does on rows that nobody had seen."""

    study: str
    key: str
    learner: str
    why: str
    tasks: tuple[TaskConclusion, ...]
    by_user: bool = False

    @property
    def sentences(self) -> list[str]:
        return [
            f"{self.learner} was fitted to all {one.learned} other rows of {one.task}; on the {one.tested} rows that "
            f"were kept apart its {one.scores[0].in_words}."
            + ("" if isnan(one.in_study) else f" In the study it had {show.number(one.in_study)} on average.")
            for one in self.tasks
        ]

    def to_text(self) -> str:
        parts = [show.wrapped(f"{self.learner} was chosen: {self.why}")]
        parts += [show.wrapped(sentence) for sentence in self.sentences]
        rows = [
            [one.task, each.measure, show.number(each.value), each.interval, each.how]
            for one in self.tasks
            for each in one.scores
        ]
        if len(rows) > len(self.tasks):
            parts.append(show.text_table(["task", "measure", "test set", "95 % interval", ""], rows, left=2))
        notes = dict.fromkeys(note for one in self.tasks for note in one.notes)
        parts += [show.wrapped(f"Note  {note}", indent="  ") for note in notes]
        files = [name for one in self.tasks for name in (one.model, one.recipe) if name]
        parts.append("\n".join(f"Written: {name}" for name in files))
        parts.append(
            show.wrapped(
                "The test set is spent: whatever is chosen by looking at these numbers needs rows that nobody has seen."
            )
        )
        return "\n\n".join(part for part in parts if part)

    def to_dict(self) -> dict[str, Any]:
        fields: dict[str, Any] = show.to_json_value(asdict(self))
        return fields


# ----------------------------------------------------------------------------------------------------------------------
# Choosing: by the verdict on the first planned analysis of one measure, or by the user.


def chosen_by(verdict: Verdict) -> tuple[str, str]:
    """The learner that a verdict is for, and why: alone at the top, or the best of those that are not told apart."""
    best = verdict.finding.ranking[0]
    measure = verdict.finding.measure.name
    beaten = {judged.second for judged in verdict.decisions if judged.first == best and judged.decision == "better"}
    beaten |= {judged.first for judged in verdict.decisions if judged.second == best and judged.decision == "worse"}
    tied = [name for name in verdict.finding.learners if name != best and name not in beaten]
    if not tied:
        return best, f"it is better than all others in {measure} by the planned analysis."
    return best, (
        f"it has the best {measure}, and the planned analysis does not tell it from {show.listing(tied, 6)}: "
        "any of these could have been chosen as well, by cost or by taste (--learner NAME)."
    )


# ----------------------------------------------------------------------------------------------------------------------


def conclude(
    study: Study,
    store: str | Place,
    learner: str | None = None,
    *,
    folder: str | Path | None = None,
    anyway: bool = False,
) -> Conclusion:
    """Score the chosen learner on the rows that the study keeps apart, once, and fit the final model to all others.

    The learner is the one that the verdict on the planned analysis is for, or the one that is named. Models are written
    to `folder` (by default beside the store, study-final), with skops if it is installed, and with a recipe in JSON.
    """
    from bakeoff.store.database import place_of
    from bakeoff.store.reader import Reader
    from bakeoff.study.run import importing_from

    if study.holdout is None:
        raise UsageError(
            "The study keeps no test set apart. Write [holdout] with fraction = 0.333 into its file before it is run "
            "(in Python holdout=1/3): rows that were compared on are of no use for a final score."
        )
    path = place_of(store)
    names = [each.name for each in study.learners]
    if learner is not None and learner not in names:
        raise UsageError(f"The study has no learner {learner!r}. {nearest(learner, names)}")
    with importing_from(study.folder):
        apart = [task.load_kept_apart() for task in study.tasks]
        with Reader(path) as stored:
            _check_unspent(stored.records(SPENT), apart, study)
            _check_unseen(study, stored, anyway)
            chosen, why = (learner, "you named it.") if learner else _winner(study, stored)
            means = _means(study, stored, chosen)
        place = Path(folder) if folder is not None else _beside(path, study)
        winner = next(each for each in study.fitted if each.name == chosen)
        fitted = [_fit(winner, task.load(), rows, study) for task, rows in zip(study.tasks, apart, strict=True)]
        parts = []
        for task, rows, final in zip(study.tasks, apart, fitted, strict=True):
            scores = tuple(_scores(study, rows, final))
            parts.append(TaskConclusion(task.name, task.load().n, rows.n, scores, means.get(task.name, nan)))
        conclusion = Conclusion(study.name, study.key, chosen, why, tuple(parts), learner is not None)
        _spend(path, conclusion, apart)  # from here on it is known
        return _written(conclusion, study, winner, fitted, place)


def _beside(path: Place, study: Study) -> Path:
    """A folder for models beside the store, or, if that is a server, beside the study."""
    return (
        path.with_name(f"{path.stem}-final") if isinstance(path, Path) else Path(study.folder) / f"{study.name}-final"
    )


def _check_unspent(spent: Mapping[str, Any], apart: list[Dataset], study: Study) -> None:
    for data in apart:
        if (before := spent.get(data.key)) is not None:
            raise MisfitError(
                f"The test set of task {data.name!r} is spent: {before['learner']} was scored on it on "
                f"{before['when']} ({before['in_words']}). A test set answers once; for another final score collect "
                "rows that nobody has seen."
            )


def _check_unseen(study: Study, stored: Any, anyway: bool) -> None:
    """Rows that an earlier version of the study was run on are no test set."""
    from bakeoff.results.planned import study_of_first_results
    from bakeoff.study.stored import recognise

    if changes := recognise(study, stored):
        raise InputError(
            f"The study was not run as it is now: {'; '.join(map(str, changes))}. Run it first (bakeoff run).",
            source=str(stored.path),
        )
    first = study_of_first_results(stored, study.key)
    if first is None:
        raise InputError(
            "No cell of the study has been run yet: there is nothing to choose by.", source=str(stored.path)
        )
    now = study.describe()
    if not anyway and any(first.description.get(part) != now.get(part) for part in ("holdout", "seed")):
        raise MisfitError(
            "When the first results of this study came in, other rows or none were kept apart: rows of today's test "
            "set were learned from and tested on then. It cannot tell how the chosen learner does on rows that nobody "
            "has seen. Collect new rows; or say --anyway (in Python anyway=True), and say so where you publish."
        )


def _winner(study: Study, stored: Any) -> tuple[str, str]:
    from bakeoff.judging.judgment import judge
    from bakeoff.study.stored import scores_for

    if len(study.learners) == 1:
        return study.learners[0].name, "the study has no other."
    single = [each for each in study.analyses if isinstance(each.measure, str)]
    if not single:
        raise MisfitError(
            "No analysis of a single measure is planned, to choose by. Name the learner (--learner NAME)."
        )
    scores = scores_for(stored, study.key, single[0].measures, level=single[0].level)
    try:
        verdict: Verdict = judge(scores, single[0].procedure, **single[0].request())
    except MisfitError as error:
        raise MisfitError(f"There is no verdict to choose by: {error} Or name the learner (--learner NAME).") from error
    return chosen_by(verdict)


def _means(study: Study, stored: Any, learner: str) -> dict[str, float]:
    """The mean of the first measure on each task, as the study has it."""
    from bakeoff.results.scores import scores_of

    scores = scores_of(stored, study.key, [study.measure_names[0]])
    means = {}
    for number, task in enumerate(scores.tasks):
        here = (scores.task.codes == number) & (scores.learner.codes == scores.learners.index(learner))
        values = scores.value[here & ~np.isnan(scores.value)]
        means[task] = float(values.mean()) if len(values) else nan
    return means


def _fit(learner: Learner, rest: Dataset, apart: Dataset, study: Study) -> FitResult:
    """The learner, fitted to all rows but those that are kept apart, and what it says of these."""
    from bakeoff.learners.fit import fit_and_predict, watches
    from bakeoff.learners.learner import facts_of
    from bakeoff.learners.make import make
    from bakeoff.learners.seeds import seed_everything
    from bakeoff.learners.tuning import is_tuned
    from bakeoff.resampling.cross_validation import inner_groups

    info = facts_of(rest)
    seed = final_seed(study, learner, rest)
    try:
        seed_everything(seed)
        estimator = make(learner, info, seed)
        rows = np.arange(rest.n)
        with_groups = is_tuned(estimator) or watches(estimator)
        groups = inner_groups(rows, rest.groups) if with_groups else None
        return fit_and_predict(
            estimator, *rest.rows(rows), apart.rows(np.arange(apart.n))[0], info, groups, rest.weights
        )
    except BakeoffError:
        raise
    except Exception as error:  # the learner's own code may raise anything
        raise MisfitError(
            f"{learner.name} failed when it was fitted to all {rest.n} rows of {rest.name} or predicted those "
            f"that were kept apart: {type(error).__name__}: {error}. No score was made, and the test set is not spent."
        ) from error


def final_seed(study: Study, learner: Learner, rest: Dataset) -> int:
    """The seed of a final fit: from content, as that of any cell."""
    return seed_of("final", str(study.seed), learner.identity, rest.key)


# ----------------------------------------------------------------------------------------------------------------------
# Scores on the test set, with intervals that speak about this fitted model on new rows of the same kind.


def _scores(study: Study, apart: Dataset, fitted: FitResult) -> list[FinalScore]:
    from bakeoff.measures.responses import ScorerInput, evaluate
    from bakeoff.study.prepare import responses_for, truth_of

    responses, truth = responses_for(study, apart), truth_of(apart)
    X, y = apart.rows(np.arange(apart.n))
    resources = fitted.timings.resources()
    values, undefined = evaluate(responses, truth, fitted.prediction, resources, ScorerInput(fitted.estimator, X, y))
    units = apart.clusters if apart.clusters is not None else apart.groups
    scores = []
    for response in responses:
        if response.name not in values:
            scores.append(FinalScore(response.name, nan, how=undefined.get(response.name, "it is not defined here")))
        else:
            ends = final_interval(response, truth, fitted.prediction, units)
            scores.append(FinalScore(response.name, values[response.name], *ends))
    return scores


def final_interval(
    response: Response, truth: Truth, prediction: Prediction, units: NDArray[Any] | None = None
) -> tuple[float, float, str]:
    """An interval of CONFIDENCE for what a fitted model scores on rows of this kind, and how it was made.

    Shares of right or wrong rows by Wilson's interval, means of losses by Student's t, both over the `units` that
    several rows come from, if there are any; other measures by resampling the rows.
    """
    if not response.after_the_run:
        return nan, nan, ""
    try:
        losses = response.losses(truth, prediction)
    except Undefined:
        return _resampled(response, truth, prediction, units)
    n = len(losses)
    if units is not None:
        if len(np.unique(units)) < 2:
            return nan, nan, ""
        errors = cluster_means(gather(losses[:, None], units))
        reach = t_quantile(1 - (1 - CONFIDENCE) / 2, float(errors.df[0])) * float(errors.standard_error[0])
        mean = float(errors.estimate[0])
        return *_within(response, mean - reach, mean + reach), f"over {len(np.unique(units))} groups of rows"
    if np.isin(losses, (0.0, 1.0)).all():
        return *proportion_interval(round(float(losses.sum())), n, confidence=CONFIDENCE), "Wilson"
    if n < 2:
        return nan, nan, ""
    mean, reach = (
        float(losses.mean()),
        t_quantile(1 - (1 - CONFIDENCE) / 2, n - 1) * float(losses.std(ddof=1)) / sqrt(n),
    )
    return *_within(response, mean - reach, mean + reach), "Student's t over rows"


def _within(response: Response, lower: float, upper: float) -> tuple[float, float]:
    """Cut at the ends of what the measure can be."""
    return max(lower, response.measure.lower), min(upper, response.measure.upper)


def _resampled(
    response: Response, truth: Truth, prediction: Prediction, units: NDArray[Any] | None
) -> tuple[float, float, str]:
    n = len(truth.values)
    codes = np.arange(n) if units is None else np.unique(units, return_inverse=True)[1].ravel()
    members = [np.flatnonzero(codes == unit) for unit in range(int(codes.max()) + 1)]
    rng = np.random.Generator(np.random.PCG64(0))
    drawn = []
    for _ in range(RESAMPLES):
        rows = np.concatenate([members[unit] for unit in rng.integers(0, len(members), len(members))])
        scores = None if prediction.scores is None else prediction.scores[rows]
        some = Prediction(prediction.values[rows], scores, prediction.probabilistic)
        try:
            drawn.append(response.of(truth.rows(rows), some))
        except Undefined:
            continue
    if len(drawn) < _ENOUGH * RESAMPLES:
        return nan, nan, ""
    tail = (1 - CONFIDENCE) / 2
    lower, upper = np.quantile(drawn, [tail, 1 - tail])
    what = "rows" if units is None else "groups of rows"
    return float(lower), float(upper), f"{RESAMPLES} resamples of {what}"


# ----------------------------------------------------------------------------------------------------------------------
# What is kept: that the test set is spent, the model, and the recipe by which it can be made again. No pickle.


def _spend(path: Place, conclusion: Conclusion, apart: list[Dataset]) -> None:
    from datetime import UTC, datetime

    from bakeoff.store.writer import Store

    when = datetime.now(UTC).strftime("%Y-%m-%d")
    with Store.open(path, create=False) as store:
        for data, one in zip(apart, conclusion.tasks, strict=True):
            first = one.scores[0]
            record = {"study": conclusion.key, "learner": conclusion.learner, "task": one.task, "when": when}
            ends = None if isnan(first.lower) else [first.lower, first.upper]
            value = None if isnan(first.value) else first.value
            store.keep(
                SPENT,
                data.key,
                {**record, "measure": first.measure, "value": value, "interval": ends, "in_words": first.in_words},
            )


def _written(
    conclusion: Conclusion, study: Study, learner: Learner, fitted: list[FitResult], place: Path
) -> Conclusion:
    try:
        place.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        note = f"No model was written: {place} cannot be made ({error.strerror})."
        return replace(conclusion, tasks=tuple(replace(one, notes=(note,)) for one in conclusion.tasks))
    tasks = []
    for task, one, final in zip(study.tasks, conclusion.tasks, fitted, strict=True):
        stem = "".join(letter if letter.isalnum() or letter in "-_." else "-" for letter in one.task)
        model, notes, untrusted = _model(final.estimator, place / f"{stem}.skops", learner.name)
        file = place / f"{stem}.json"
        recipe = {
            "format": "bakeoff.recipe/1",
            "bakeoff": __version__,
            "study": {"name": study.name, "key": study.key},
            "task": {"name": one.task, **task.describe()},
            "rows": {"learned": one.learned, "key": task.load().key, "holdout": study.holdout.describe()},
            "learner": {"name": learner.name, **learner.describe()},
            "seed": final_seed(study, learner, task.load()),
            "packages": _versions(),
            "model": {"file": Path(model).name, "sha256": _sha256(Path(model)), "types": untrusted} if model else None,
            "scores": show.to_json_value([asdict(each) for each in one.scores]),
            "chosen": conclusion.why,
        }
        file.write_text(json.dumps(recipe, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
        tasks.append(replace(one, model=model, recipe=str(file), notes=tuple(notes)))
    return replace(conclusion, tasks=tuple(tasks))


def _model(estimator: Any, file: Path, learner: str) -> tuple[str, list[str], list[str]]:
    """The file of a fitted model, what is to be said of it, and the types that whoever loads it must trust."""
    if estimator is None:
        return "", [f"{learner} is a program: its recipe is written, and no model."], []
    try:
        import skops.io as skops
    except ImportError:
        return "", ["No model is written, only its recipe: pip install skops (or bakeoff[models]) for models."], []
    try:
        skops.dump(estimator, file)
        untrusted = sorted(skops.get_untrusted_types(file=file))
    except Exception as error:  # noqa: BLE001  (what an estimator of the user's holds may be of any kind)
        file.unlink(missing_ok=True)
        return "", [f"skops cannot write {learner} ({type(error).__name__}: {error}); its recipe is written."], []
    notes = [f"To load the model, say that you trust {show.listing(untrusted)}."] if untrusted else []
    return str(file), notes, untrusted


def _sha256(file: Path) -> str:
    return hashlib.sha256(file.read_bytes()).hexdigest()


def _versions() -> dict[str, str]:
    from importlib.metadata import PackageNotFoundError, version

    versions = {}
    for name in ("numpy", "scipy", "scikit-learn", "pandas", "skops"):
        try:
            versions[name] = version(name)
        except PackageNotFoundError:
            continue
    return versions
