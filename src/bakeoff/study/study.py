"""Study: the question, frozen. Tasks, learners, resampling, measures, seed, and the analyses that were planned."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

from bakeoff.errors import InputError, UsageError
from bakeoff.keys import canonical_json, key_of
from bakeoff.learners.code import Code, code_of_function
from bakeoff.learners.fit import check_unpatched
from bakeoff.learners.learner import Learner, Step, full_path
from bakeoff.measures.response import Response
from bakeoff.measures.responses import response_from
from bakeoff.resampling import resampling_from
from bakeoff.resampling.cross_validation import CrossValidation
from bakeoff.resampling.predefined import OfSplitter, Predefined
from bakeoff.resampling.simulation import Simulation, owners_of
from bakeoff.resampling.split import Resampling
from bakeoff.running.work import Limits
from bakeoff.tasks.kept_apart import KeptApart
from bakeoff.tasks.task import Task, as_task

if TYPE_CHECKING:
    from bakeoff.measures.answers import Confusion, LearnerCurve
    from bakeoff.results.status import FailureGroup
    from bakeoff.scores import Scores
    from bakeoff.store.reader import Reader
    from bakeoff.study.plan import Plan


# ----------------------------------------------------------------------------------------------------------------------
# A planned analysis: what will be asked of the scores, written down before there are any.


@dataclass(frozen=True)
class Analysis:
    """The request as `judge` takes it. None and the defaults mean what they mean there."""

    measure: str | tuple[str, ...]  # several are a question about all of them at once
    procedure: str | None = None
    contrast: str | tuple[str, ...] = "all-pairs"
    control: str | None = None
    adjust: str | None = None
    alternative: str = "two-sided"
    level: str | None = None
    missing: str = "error"
    alpha: float = 0.05
    margin: float | None = None
    options: Mapping[str, Any] = field(default_factory=dict)

    @property
    def measures(self) -> tuple[str, ...]:
        return (self.measure,) if isinstance(self.measure, str) else self.measure

    def describe(self) -> dict[str, Any]:
        description = asdict(self)
        description["measure"] = self.measure if isinstance(self.measure, str) else list(self.measure)
        description["contrast"] = self.contrast if isinstance(self.contrast, str) else list(self.contrast)
        description["options"] = dict(self.options)
        return description

    def request(self) -> dict[str, Any]:
        """Keyword arguments of `judge`."""
        return {
            "measure": self.measure if isinstance(self.measure, str) else list(self.measure),
            "contrast": self.contrast if isinstance(self.contrast, str) else list(self.contrast),
            "control": self.control,
            "adjust": self.adjust,
            "alternative": self.alternative,
            "level": self.level,
            "missing": self.missing,
            "alpha": self.alpha,
            "margin": self.margin,
            **self.options,
        }

    @property
    def sentence(self) -> str:
        """The analysis in a line."""
        what = self.contrast if isinstance(self.contrast, str) else ", ".join(self.contrast)
        parts = [
            " and ".join(self.measures),
            f"by {self.procedure}" if self.procedure else "by the procedure that fits",
            f"against {self.control}" if self.control else what,
            f"{self.adjust} adjustment" if self.adjust else "",
            self.alternative if self.alternative != "two-sided" else "",
            f"α = {self.alpha:g}",
            f"margin {self.margin:g}" if self.margin is not None else "",
        ]
        return ", ".join(part for part in parts if part)


# ----------------------------------------------------------------------------------------------------------------------
# Simulated tasks in a study: how many samples it draws of each, and what goes together.


def bound(tasks: tuple[Task, ...], resampling: Any, seed: int, learners: Sequence[Learner]) -> tuple[Task, ...]:
    """The tasks, those that are simulated with the samples and the seed of the study.

    Under the scheme "simulation" there is a learning sample a repeat. Under any other scheme there is a single one,
    which is resampled as if it were all that is known.
    """
    samples = resampling.samples(len(learners)) if isinstance(resampling, Simulation) else None
    owners = tuple(sorted(owners_of(each.describe() for each in learners))) if is_independent(resampling) else ()
    for task in tasks:
        if samples is not None and not task.is_simulated:
            raise UsageError(
                f"The scheme 'simulation' draws its learning samples, and task {task.name!r} is a data set. Say how to "
                "draw from it (bootstrap = 'parametric', 'nonparametric' or 'bayesian'), give a generator, or use "
                "another scheme, such as 'out-of-bootstrap'."
            )
    return tuple(task.bound(samples, seed, owners) for task in tasks)


def is_independent(resampling: Any) -> bool:
    """Whether each learner learns from samples of its own."""
    return bool(getattr(resampling, "independent", False))


# ----------------------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, eq=False)
class Study:
    """A comparative experiment, described and not yet run.

    Tasks may be given as names of bundled data sets, paths, (X, y) pairs, DataFrames or functions; learners as
    scikit-learn estimators, import paths, or `Learner`s; the resampling as the name of a scheme, a table, or a number
    of folds; measures by name, as tables, or as scorers. Nothing is imported, read or run before `run`. With `factors`,
    levels by name, and a `design`, each setting of the factors is a learner: see docs/designs.md.

    >>> study = Study(tasks=["iris", "wine"], learners={"tree": "sklearn.tree.DecisionTreeClassifier"})
    >>> [task.name for task in study.tasks], study.measure_names
    (['iris', 'wine'], ('error',))
    """

    tasks: Any
    learners: Any
    resampling: Any = None
    measures: Any = ("error",)
    seed: int = 1
    alpha: float = 0.05
    margin: float | None = None
    question: str = ""
    limits: Limits = field(default_factory=Limits)
    analyses: tuple[Analysis, ...] = ()
    name: str = "study"
    folder: str = "."
    keep_scores: bool = True  # of the classes, beside the predicted ones: what later measures such as the AUC need
    holdout: Any = None  # the fraction of the rows that are kept apart until `conclude`, or a table
    factors: Any = None
    design: Any = None

    def __post_init__(self) -> None:
        def put(name: str, value: Any) -> None:
            object.__setattr__(self, name, value)

        put("tasks", _named(_tasks(self.tasks), "task"))
        put("learners", _named(_learners(self.learners), "learner"))
        if self.factors is not None or self.design is not None:
            self._lay_out(put)
        put("resampling", _resampling(self.resampling))
        put("measures", tuple(_with_code(response, self.folder) for response in _measures(self.measures)))
        put("analyses", tuple(self.analyses) or (self._default_analysis(),))
        for name, check in CHECKS.items():
            check(getattr(self, name))
        put("tasks", bound(self.tasks, self.resampling, self.seed, self.learners))
        if self.holdout is not None:
            put("holdout", KeptApart.of(self.holdout))
            put("tasks", tuple(task.keeping_apart(self.holdout, self.seed) for task in self.tasks))
        for analysis in self.analyses:
            if unknown := [name for name in analysis.measures if name not in self.measure_names]:
                raise UsageError(
                    f"An analysis is planned of {unknown[0]!r}, which is not among the measures of the study: "
                    f"{', '.join(self.measure_names)}."
                )

    def _lay_out(self, put: Callable[[str, Any], None]) -> None:
        """Make a learner of each setting; a design that was laid out before stays as it is."""
        from bakeoff.study.design import StudyDesign, designed

        if isinstance(self.design, StudyDesign):
            return
        names = [task.name for task in self.tasks]
        design, learners = designed(self.learners, self.factors, self.design, names, self.seed)
        put("design", design)
        put("factors", design.factors)
        put("learners", _named(list(learners), "learner"))

    def _default_analysis(self) -> Analysis:
        return Analysis(self.measure_names[0], alpha=self.alpha, margin=self.margin)

    @property
    def measure_names(self) -> tuple[str, ...]:
        return tuple(response.name for response in self.measures)

    @property
    def own_code(self) -> dict[tuple[str, str], Code]:
        """What learners and scorers of one's own are made of, as it was when the study was made: by what it is the code
        of, and the name of that."""
        learners = {("learner", learner.name): learner.code for learner in self.learners}
        scorers = {("measure", one.name): one.code for one in self.measures if one.code is not None}
        return learners | scorers

    @cached_property
    def fitted(self) -> tuple[Learner, ...]:
        """What is run: a learner for each fit to a learning sample, those of one learner in a row, under its name."""
        return tuple(one for learner in self.learners for one in learner.single_fits)

    def describe(self) -> dict[str, Any]:
        """All that makes this study this study, as JSON. Limits, workers and the place of files are not part of it."""
        scheme: Resampling = self.resampling
        return {
            "question": self.question,
            "seed": self.seed,
            "alpha": self.alpha,
            "margin": self.margin,
            "tasks": [{"name": task.name, **task.describe(), **_content(task)} for task in self.tasks],
            "learners": [{"name": learner.name, **learner.describe()} for learner in self.learners],
            "resampling": scheme.describe(),
            "measures": [response.describe() for response in self.measures],
            "analyses": [analysis.describe() for analysis in self.analyses],
            **({} if self.holdout is None else {"holdout": self.holdout.describe()}),
            **({"design": self.design.describe()} if self.design is not None else {}),
        }

    @cached_property
    def key(self) -> str:
        """The hash of the study: it stands on every result."""
        return key_of(self.describe())

    def plan(self) -> Plan:
        """The grid of cells, before anything is run."""
        from bakeoff.study.plan import plan

        return plan(self)

    def run(
        self,
        *,
        n_jobs: int = 1,
        store: str | Path | None = None,
        retry_failed: bool = False,
        again: str | Sequence[str] = (),
        progress: bool | None = None,
        only: Sequence[str] = (),
        budget: float | str | None = None,
        engine: Any = None,
    ) -> Scores:
        """Run all cells that are not stored yet, and return the scores.

        `store` names the file that keeps them (or a database, postgresql://USER@HOST/NAME), so that the study can be
        resumed and extended; without it they are kept for this call only. `n_jobs=-1` uses all processors. Cells that
        fail have scores without a value, and a FailedCellsWarning counts them. A learner whose code was changed is
        another one, and is run by itself; `again` names those that are to be run anew for other reasons. `only` names a
        part to be run ("tree", "tree/iris", "/iris"); after a `budget` ("10 min", or seconds) no cell is begun any
        more. `progress` shows how far it is; in a notebook it does so unless told otherwise. `engine` runs the cells
        elsewhere: the address of a scheduler of Dask, a client of it, or a concurrent.futures.Executor.
        """
        from bakeoff.store.database import place_of
        from bakeoff.study.run import run

        if store is not None:
            vars(self)["_store"] = place_of(store)
        names = [again] if isinstance(again, str) else again
        part: dict[str, Any] = {"only": only, "budget": budget, "again": names, "engine": engine}
        return run(self, n_jobs=n_jobs, store=store, retry_failed=retry_failed, progress=progress, **part)

    def _repr_html_(self) -> str:
        """The study as a notebook shows it: what it consists of, and how far it is."""
        from bakeoff.study.progress import study_as_html

        return study_as_html(self, vars(self).get("_store"))

    def scores(
        self, store: str | Path, measures: Sequence[str | Mapping[str, Any]] | None = None, *, instances: bool = False
    ) -> Scores:
        """The scores that a store holds of this study; nothing is run.

        `measures` may name any that the stored predictions are enough for. `instances` gives the loss of each test row,
        for tasks with one test sample.
        """
        from bakeoff.results.scores import scores_of
        from bakeoff.store.reader import Reader
        from bakeoff.study.stored import with_test_rows

        with Reader(store) as stored:
            key = self._key_in(stored)
            if instances:
                return scores_of(stored, key, measures, instances=True)
            return with_test_rows(stored, key, measures)

    def _key_in(self, stored: Reader) -> str:
        """The key under which a store holds this study: with the steps that followed its first design, if any did."""
        if self.design is None:
            return self.key
        from bakeoff.study.search import at_end

        return at_end(self, stored).key

    def confusions(self, store: str | Path) -> list[Confusion]:
        """Which classes were taken for which, for each task and learner, from the stored predictions."""
        from bakeoff.results.curves import confusions
        from bakeoff.store.reader import Reader

        with Reader(store) as stored:
            return confusions(stored, self._key_in(stored))

    def curves(self, store: str | Path, kind: str = "roc", *, positive: str | None = None) -> list[LearnerCurve]:
        """Curves over thresholds for each task and learner, from the stored predictions: roc, pr, lift, cost, or
        sensitivity-specificity. `positive` is the class that is held against the others."""
        from bakeoff.results.curves import study_curves
        from bakeoff.store.reader import Reader

        with Reader(store) as stored:
            return study_curves(stored, self._key_in(stored), kind, positive=positive)

    def failures(self, store: str | Path) -> list[FailureGroup]:
        """What went wrong in the cells of this study that a store holds, grouped, the largest groups first."""
        from bakeoff.results.status import failures
        from bakeoff.store.reader import Reader

        with Reader(store) as stored:
            return failures(stored, self._key_in(stored))


def _content(task: Task) -> dict[str, Any]:
    """The hash of the data in a file, which belong to what was planned; None if the file is not there any more."""
    source = getattr(task.source, "base", None) or task.source  # what a bootstrap draws from
    if "file" not in source.describe():
        return {}
    try:
        return {"content": source.key(task.roles)}
    except InputError:
        return {"content": None}


def _tasks(given: Any) -> list[Task]:
    if isinstance(given, Mapping):
        return [as_task(name, what) for name, what in given.items()]
    if isinstance(given, (str, Path, Task)):
        given = [given]
    if not isinstance(given, Iterable):
        raise UsageError(f"Tasks are a list of names, paths or Tasks, or a mapping by name; found {given!r}.")
    tasks = []
    for what in given:
        if not isinstance(what, (str, Path, Task)) and not callable(what):
            raise UsageError(
                f"A task without a name must be a bundled data set, a path or a function; found "
                f"{type(what).__name__}. Give it a name: tasks={{'mine': …}}."
            )
        tasks.append(what if isinstance(what, Task) else as_task(_task_name(what), what))
    return tasks


def _task_name(what: Any) -> str:
    if isinstance(what, (str, Path)):
        return Path(what).stem
    return str(getattr(what, "__name__", type(what).__name__)).removeprefix("load_")


def _learners(given: Any) -> list[Learner]:
    if isinstance(given, Mapping):
        return [as_learner(name, what) for name, what in given.items()]
    if isinstance(given, Learner) or hasattr(given, "get_params") or isinstance(given, str):
        given = [given]
    if not isinstance(given, Iterable):
        raise UsageError(f"Learners are estimators by name, or a list of them; found {given!r}.")
    return [as_learner(None, what) for what in given]


def as_learner(name: str | None, what: Any) -> Learner:
    """A learner from what a user has: an estimator, an import path, a command, or a Learner.

    >>> as_learner(None, "sklearn.svm.SVC").name
    'SVC'
    """
    check_unpatched(what.estimator if isinstance(what, Learner) else what, f"learner {name or type(what).__name__!r}")
    if isinstance(what, Learner):
        return what if name is None else replace(what, name=name)
    if isinstance(what, str):
        return Learner(name or what.rpartition(".")[2], steps=(Step(full_path(what)),))
    if isinstance(what, (list, tuple)) and what and all(isinstance(part, str) for part in what):
        return Learner(name or what[0], command=tuple(what), folder=".")
    if isinstance(what, type):
        raise UsageError(
            f"Learner {name or what.__name__!r} is the class {what.__name__}; pass an object: {what.__name__}()."
        )
    if hasattr(what, "get_params") and hasattr(what, "fit"):
        return Learner(name or type(what).__name__, estimator=what)
    raise UsageError(
        f"Learner {name or what!r} must be a scikit-learn estimator, an import path such as 'sklearn.svm.SVC', a "
        f"command as a list of texts, or a bakeoff.Learner; found {type(what).__name__}."
    )


def _resampling(given: Any) -> Resampling:
    """By default tenfold cross-validation; a number is one of folds, as scikit-learn's users write cv=5."""
    if given is None:
        given = 10
    if isinstance(given, int) and not isinstance(given, bool):
        given = {"scheme": CrossValidation.scheme, "folds": given}
    if isinstance(given, (str, Mapping)):
        return described_resampling({"scheme": given} if isinstance(given, str) else given)
    if isinstance(given, (list, tuple)):
        return Predefined.of_pairs(given)
    if all(hasattr(given, part) for part in ("split", "get_n_splits")):
        return OfSplitter(given)
    if all(hasattr(given, part) for part in ("describe", "count", "splits")):
        scheme: Resampling = given
        return scheme
    raise UsageError(
        "The resampling is the name of a scheme, a table such as {'scheme': 'cross-validation', 'folds': 10}, a number "
        "of folds, a list of pairs (rows to learn from, rows to test on), or a splitter of scikit-learn's; found "
        f"{given!r}."
    )


def described_resampling(description: Mapping[str, Any], folder: str | Path = ".") -> Resampling:
    """The scheme of a table. A file of splits, where the scheme takes one, is read; it lies in `folder`."""
    if not isinstance(description, Mapping) or "file" not in description or "scheme" not in description:
        return resampling_from(description)
    rest = {name: value for name, value in description.items() if name != "file"}
    scheme = resampling_from(rest)
    if not scheme.reads_file:
        return resampling_from(description)  # which refuses it with the parameters that there are
    from bakeoff.tasks.sources import read_splits

    if not isinstance(description["file"], str):
        raise UsageError(f"file is {description['file']!r}, but the path of a file of splits was expected.")
    splits = read_splits(Path(folder) / description["file"])
    return type(scheme)(splits_by_task=splits)  # type: ignore[call-arg] # every scheme that reads a file has it


def _named(things: list[Any], noun: str) -> tuple[Any, ...]:
    """At least one of them, and no name twice."""
    if not things:
        raise UsageError(f"A study needs at least one {noun}.")
    names = [thing.name for thing in things]
    for name in names:
        if names.count(name) > 1:
            raise UsageError(f"There are {names.count(name)} {noun}s named {name!r}. Give each a name of its own.")
        if not name.strip():
            raise UsageError(f"A {noun} has an empty name.")
    return tuple(things)


def _measures(given: Any) -> tuple[Response, ...]:
    """Names, tables, scorers and Responses, one or many; a mapping gives scorers and tables their names."""
    if isinstance(given, Mapping) and "name" not in given:
        measures = [_measure_named(name, spec) for name, spec in given.items()]
    else:
        several = isinstance(given, Iterable) and not isinstance(given, (str, Mapping))
        measures = [response_from(spec) for spec in (given if several else [given])]
    if not measures:
        raise UsageError("A study needs at least one measure; the first one is what the question is about.")
    names = [response.name for response in measures]
    for name in names:
        if names.count(name) > 1:
            raise UsageError(f"The measure {name!r} is named twice.")
    return tuple(measures)


def _with_code(response: Response, folder: str) -> Response:
    """A scorer or a measure of the user's own with the code that it consists of: edited, it is another measure."""
    source = response.scorer or response.function
    code = None if source is None else code_of_function(source, folder)
    if code is None or not code.describe():
        return response
    return replace(response, content=canonical_json({**response.describe(), "code": code.describe()}), code=code)


def _measure_named(name: str, spec: Any) -> Response:
    if isinstance(spec, Mapping):
        return response_from({"name": name, **spec})
    return response_from({"name": name, "scorer": spec})


def _check_seed(seed: Any) -> None:
    if isinstance(seed, bool) or not isinstance(seed, int) or seed < 0:
        raise UsageError(f"seed must be a whole number that is not negative; found {seed!r}.")


def _check_alpha(alpha: Any) -> None:
    if not _is_number(alpha) or not 0 < alpha < 1:
        raise UsageError(f"alpha, the error rate, lies strictly between 0 and 1; found {alpha!r}.")


def _check_margin(margin: Any) -> None:
    if margin is not None and (not _is_number(margin) or not 0 < margin < float("inf")):
        raise UsageError(f"margin must be a positive difference in the first measure; found {margin!r}.")


def _is_number(value: Any) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool)


# By the name of the argument, which is that of the key in a study file.
CHECKS: dict[str, Callable[[Any], None]] = {"seed": _check_seed, "alpha": _check_alpha, "margin": _check_margin}
