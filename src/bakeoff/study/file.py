"""Reading a study file, and writing one. Everything is checked here, and nothing of it is run."""

from __future__ import annotations

import json
import re
import tomllib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

from bakeoff.errors import InputError, UsageError, nearest
from bakeoff.importing import check_path
from bakeoff.learners.fit import check_learner
from bakeoff.learners.learner import PATH, PREPARE, SHORT_NAMES, Learner, Step, Tuning, full_path
from bakeoff.measures.response import Response
from bakeoff.measures.responses import response_from
from bakeoff.running.work import Limits, seconds, size
from bakeoff.study.study import CHECKS, Analysis, Study, described_resampling
from bakeoff.tasks.kept_apart import KeptApart
from bakeoff.tasks.task import Task, tasks_from

# ----------------------------------------------------------------------------------------------------------------------
# Reading a table of a study file: every key checked, every message with the file, the key and what is allowed.


_NAMES = {
    str: "a text",
    int: "a whole number",
    float: "a number",
    bool: "true or false",
    list: "a list [ … ]",
    dict: "a table { … }",
}
_MISSING = object()


class Fields:
    """The keys of one table, taken one by one; what was not taken at the end is unknown."""

    def __init__(self, table: Mapping[str, Any], source: str, where: str = "") -> None:
        self._table, self._source, self._where = table, source, where
        self._taken: set[str] = set()
        self._asked_for: set[str] = set()  # keys that may be there, whether or not they were taken

    def place(self, key: str) -> str:
        """A key with its table, as messages name it: learner[2].parameters."""
        return f"{self._where}.{key}" if self._where and key else self._where or key

    def error(self, key: str, message: str) -> InputError:
        return InputError(message, source=f"{self._source}, key {self.place(key)}" if self.place(key) else self._source)

    def take(self, key: str, kind: type, default: Any = _MISSING) -> Any:
        """The value of a key, which must be of that type."""
        self._taken.add(key)
        if key not in self._table:
            if default is _MISSING:
                raise self.error(key, f"The key {key!r} is missing: {_NAMES[kind]} was expected.")
            return default
        value = self._table[key]
        if kind is float and isinstance(value, int) and not isinstance(value, bool):
            value = float(value)
        if not isinstance(value, kind) or (isinstance(value, bool) and kind is not bool):
            raise self.error(key, f"{_NAMES[kind].capitalize()} was expected; found {value!r}.")
        return value

    def texts(self, key: str, default: Sequence[str] = ()) -> tuple[str, ...]:
        """A list of texts; one text by itself is a list of one."""
        self._taken.add(key)
        value = self._table.get(key, list(default))
        value = [value] if isinstance(value, str) else value
        if not isinstance(value, list) or not all(isinstance(item, str) for item in value):
            raise self.error(key, f"A list of texts was expected; found {value!r}.")
        return tuple(value)

    def choice(self, key: str, allowed: Sequence[str], default: str) -> str:
        value: str = self.take(key, str, default)
        if value not in allowed:
            raise self.error(key, f"{value!r} is not possible. {nearest(value, allowed)}")
        return value

    def tables(self, key: str) -> list[Fields]:
        """The tables of an array [[key]]."""
        self._taken.add(key)
        value = self._table.get(key, [])
        if isinstance(value, Mapping):
            raise self.error(key, f"An array of tables was expected: write [[{key}]] with two brackets, not [{key}].")
        if not isinstance(value, list) or not all(isinstance(item, Mapping) for item in value):
            raise self.error(key, f"Tables headed [[{key}]] were expected; found {value!r}.")
        return [Fields(item, self._source, f"{self.place(key)}[{i}]") for i, item in enumerate(value, 1)]

    def table(self, key: str) -> Fields:
        """The table [key]; an empty one if it is not there."""
        return Fields(self.take(key, dict, {}), self._source, self.place(key))

    def raw(self, key: str, default: Any = None) -> Any:
        """The value as it stands, for what has several forms."""
        self._taken.add(key)
        return self._table.get(key, default)

    def rest(self) -> dict[str, Any]:
        """All keys that were not taken, for what checks them itself."""
        left = {key: value for key, value in self._table.items() if key not in self._taken}
        self._taken.update(left)
        return left

    def __contains__(self, key: str) -> bool:
        self._asked_for.add(key)
        return key in self._table

    def checked(self, key: str, make: Callable[[], Any]) -> Any:
        """What `make` returns; a complaint of it gets the file and the key in front."""
        try:
            return make()
        except InputError:
            raise
        except UsageError as error:
            raise self.error(key, str(error)) from error

    def done(self) -> None:
        """Refuse keys that nothing asked for: a misspelt one would silently mean the default."""
        unknown = [key for key in self._table if key not in self._taken]
        if unknown:
            known = self._taken | self._asked_for
            raise self.error(unknown[0], f"There is no key {unknown[0]!r} here. {nearest(unknown[0], known)}")


# ----------------------------------------------------------------------------------------------------------------------


def read_study(path: str | Path) -> Study:
    """The study that a TOML file describes.

    Refuses what it does not know, with the file, the key and the nearest match.
    """
    file = Path(path)
    if file.is_dir():
        raise InputError("This is a folder; a study file in TOML was expected.", source=str(path))
    try:
        text = file.read_text(encoding="utf-8")
    except FileNotFoundError:
        raise InputError(
            "There is no such file. `bakeoff init` writes a study file to begin with.", source=str(path)
        ) from None
    except (OSError, ValueError) as error:  # no text in UTF-8, or no path
        raise InputError(f"The file cannot be read: {error}.", source=str(path)) from error
    try:
        table = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise InputError(f"This is not TOML: {error}.", source=str(path)) from error
    return study_from(table, str(path), file.stem, file.parent)


def study_from(table: dict[str, Any], source: str, name: str, folder: Path) -> Study:
    """The study of a parsed file; paths in it are relative to `folder`."""
    top = Fields(table, source)
    alpha: float = top.take("alpha", float, 0.05)
    margin: float | None = top.take("margin", float, None)
    tasks = [task for each in top.tables("task") for task in _tasks(each, folder)]
    learners = [_learner(each, folder) for each in top.tables("learner")]
    for noun, items in (("task", tasks), ("learner", learners)):
        if not items:
            raise top.error(noun, f"There is no {noun}: write a table headed [[{noun}]] for each.")
    measures = _measures(top)
    analyses = [_analysis(each, measures, learners, alpha, margin) for each in top.tables("analysis")]
    parts = {
        "tasks": tasks,
        "learners": learners,
        "resampling": _resampling(top, folder),
        "measures": measures,
        "seed": top.take("seed", int, 1),
        "alpha": alpha,
        "margin": margin,
        "question": top.take("question", str, ""),
        "limits": _limits(top.table("limits")),
        "analyses": tuple(analyses),
        "name": top.take("name", str, name),
        "keep_scores": top.take("keep_scores", bool, True),
        "holdout": _holdout(top),
        "factors": _factors(top),
        "design": top.take("design", dict, None),
        "folder": str(folder),
    }
    top.done()
    for key, check in CHECKS.items():
        top.checked(key, partial(check, parts[key]))
    study: Study = top.checked("", lambda: Study(**parts))
    return study


def _tasks(fields: Fields, folder: Path) -> list[Task]:
    tasks: list[Task] = fields.checked("", lambda: tasks_from(fields.rest(), folder))
    return tasks


def _learner(fields: Fields, folder: Path) -> Learner:
    ways = [key for key in ("path", "pipeline", "command") if key in fields]
    if len(ways) != 1:
        raise fields.error(
            "",
            "A learner is given by exactly one of path (an import path), pipeline (a list of steps) and command (a "
            f"list of texts); found {' and '.join(ways) or 'none of them'}.",
        )
    steps: tuple[Step, ...] = ()
    command = fields.texts("command")
    if "path" in fields:
        steps = (_step(fields),)
    elif "pipeline" in fields:
        steps = tuple(_pipeline_step(each) for each in fields.tables("pipeline"))
        if not steps:
            raise fields.error("pipeline", "A pipeline needs at least one step.")
    default_name = (steps[-1].path.rpartition(".")[2] if steps else Path(command[0]).name) if steps or command else ""
    name: str = fields.take("name", str, default_name)
    prepare = fields.choice("prepare", PREPARE, "auto")
    tuning = _tuning(fields)
    fits: int = fields.take("fits", int, 1)
    validation: float | None = fields.take("validation", float, None)
    fields.done()
    learner = Learner(name, steps, None, command, prepare, tuning, str(folder), fits, validation=validation)
    fields.checked("", lambda: check_learner(learner))
    return learner


def _pipeline_step(fields: Fields) -> Step:
    step, name = _step(fields), fields.take("name", str, "")
    fields.done()
    return replace(step, name=name)


def _step(fields: Fields) -> Step:
    path: str = full_path(fields.take("path", str))
    fields.checked("path", lambda: _check_learner_path(path))
    return Step(path, fields.take("parameters", dict, {}))


def _check_learner_path(path: str) -> None:
    try:
        check_path(path, "learner", PATH)
    except UsageError as error:
        close = nearest(path, [known.name for known in SHORT_NAMES.values()]) if "." not in path else ""
        raise UsageError(f"{error} {close}".strip()) from None


def _tuning(fields: Fields) -> Tuning | None:
    grid = fields.take("tune", dict, {})
    how = fields.table("tuning")
    folds, measure = how.take("folds", int, 5), how.take("measure", str, None)
    how.done()
    if not grid:
        if "tuning" in fields:
            raise fields.error(
                "tuning", "There is nothing to tune: give the values to try, tune = { C = [0.1, 1, 10] }."
            )
        return None
    for parameter, values in grid.items():
        if not isinstance(values, list) or not values:
            raise fields.error(f"tune.{parameter}", f"A list of values to try was expected; found {values!r}.")
    if folds < 2:
        raise fields.error("tuning.folds", f"At least 2 folds were expected; found {folds}.")
    return Tuning({parameter: tuple(values) for parameter, values in grid.items()}, folds, measure)


def _resampling(top: Fields, folder: Path) -> Any:
    if "resampling" not in top:
        return None
    short = isinstance(top.raw("resampling"), str)  # the name of a scheme, whose parameters have defaults
    description = {"scheme": top.take("resampling", str)} if short else top.take("resampling", dict)
    return top.checked("resampling", lambda: described_resampling(description, folder))


def _measures(top: Fields) -> list[Response]:
    given = top.raw("measures", ["error"])
    given = [given] if isinstance(given, (str, dict)) else given
    if not isinstance(given, list) or not all(isinstance(spec, (str, dict)) for spec in given):
        raise top.error("measures", f"A list of names and tables was expected; found {given!r}.")
    return [top.checked("measures", partial(response_from, spec)) for spec in given]


def _holdout(top: Fields) -> KeptApart | None:
    if "holdout" not in top:
        return None
    given = top.raw("holdout")
    apart: KeptApart | None = top.checked("holdout", lambda: KeptApart.of(given))
    return apart


def _factors(top: Fields) -> dict[str, Any] | None:
    """The table of factors. TOML reads pca.n_components without quotes as a table pca: it is the same factor."""
    given: dict[str, Any] | None = top.take("factors", dict, None)
    if given is None:
        return None
    flat: dict[str, Any] = {}
    for name, spec in given.items():
        inner = isinstance(spec, dict) and spec and all(isinstance(one, (list, dict)) for one in spec.values())
        flat |= (
            {f"{name}.{part}": one for part, one in spec.items()} if inner and "levels" not in spec else {name: spec}
        )
    return flat


def _limits(fields: Fields) -> Limits:
    limits: Limits = fields.checked(
        "",
        lambda: Limits(
            fields.checked("time_limit", lambda: seconds(fields.raw("time_limit"))),
            fields.checked("memory_limit", lambda: size(fields.raw("memory_limit"))),
            fields.take("threads", int, 1),
        ),
    )
    fields.done()
    return limits


def _analysis(
    fields: Fields, measures: list[Response], learners: list[Learner], alpha: float, margin: float | None
) -> Analysis:
    names = [response.name for response in measures]
    measure_names = fields.texts("measure", names[:1])
    for name in measure_names:
        if name not in names:
            raise fields.error("measure", f"{name!r} is not a measure of this study. {nearest(name, names)}")
    if not measure_names or len(set(measure_names)) < len(measure_names):
        raise fields.error(
            "measure", f"A measure, or a list of different ones, was expected; found {list(measure_names)!r}."
        )
    control: str | None = fields.take("control", str, None)
    if control is not None and control not in [each.name for each in learners]:
        raise fields.error(
            "control", f"There is no learner {control!r}. {nearest(control, [each.name for each in learners])}"
        )
    contrast = fields.texts("contrast", ["control" if control else "all-pairs"])
    analysis = Analysis(
        measure=measure_names[0] if len(measure_names) == 1 else measure_names,
        procedure=fields.take("with", str, None),
        contrast=contrast[0] if len(contrast) == 1 else contrast,
        control=control,
        adjust=fields.take("adjust", str, None),
        alternative=fields.choice("alternative", ("two-sided", "better", "worse"), "two-sided"),
        level=fields.choice("level", ("instances", "resamples", "tasks"), "tasks") if "level" in fields else None,
        missing=fields.choice("missing", ("error", "drop-block", "worst"), "error"),
        alpha=fields.take("alpha", float, alpha),
        # The margin of the study is a difference in its first measure, and says nothing about another.
        margin=fields.take("margin", float, margin if measure_names == (names[0],) else None),
        options=fields.take("options", dict, {}),
    )
    fields.done()
    for key in ("alpha", "margin"):
        fields.checked(key, partial(CHECKS[key], getattr(analysis, key)))
    return analysis


# ----------------------------------------------------------------------------------------------------------------------
# The study file that `bakeoff init` writes: commented, and running as it is.


TEMPLATE = """\
# A study: which learners, on which data, compared how. Written by `bakeoff init`; it runs as it is:
#
#   bakeoff plan study.toml        what will be run
#   bakeoff run study.toml -j 2    run it; stop with Ctrl-C, and run again to go on
#   bakeoff judge study.toml       what may be claimed
#
# Running a study runs the code that it names. Reading, planning and judging it do not.

question = "Which classifier learns most from small data sets?"
seed = 1                            # the same seed gives the same splits and scores, on any number of workers
alpha = 0.05                        # the error rate of all claims together
# margin = 0.01                     # the difference in the first measure that would matter in practice

# The first measure is the one the question is about. `bakeoff measures` lists them all.
measures = ["error", "fit_time"]
# A cost for each kind of mistake (rows: true class, columns: predicted), or another summary of the losses:
# measures = [
#     { name = "cost", loss_matrix = [[0, 1], [5, 0]] },
#     { name = "q95", loss = "absolute_error", functional = "q0.95" },
# ]

[resampling]
scheme = "cross-validation"         # or hold-out, 5x2, leave-one-out, out-of-bootstrap, 632+, ...
folds = 10
# repeats = 10

# [holdout]                         # a test set that nothing reads until `bakeoff conclude study.toml`
# fraction = 0.333

# Data sets that come with bakeoff (`bakeoff datasets` lists them) ...
[[task]]
data = "iris"

[[task]]
data = "wine"

[[task]]
data = "sonar"

[[task]]
data = "glass"

[[task]]
data = "heart"

[[task]]
data = "ionosphere"

# ... or your own: CSV, Parquet or ARFF, beside this file.
# [[task]]
# name = "mine"
# file = "mine.csv"
# target = "class"                  # the column to predict
# group = "patient"                 # rows of a group are never split between learning and testing

# ... or a function that returns (X, y); it is called by `bakeoff run` only.
# [[task]]
# name = "digits"
# loader = "sklearn.datasets.load_digits"

[[learner]]
name = "tree"
path = "sklearn.tree.DecisionTreeClassifier"

[[learner]]
name = "forest"
path = "sklearn.ensemble.RandomForestClassifier"
parameters = { n_estimators = 50 }

[[learner]]
name = "logistic"
path = "sklearn.linear_model.LogisticRegression"
parameters = { max_iter = 1000 }
prepare = "standard"                # auto: impute and encode where needed; standard: also standardise; none

[[learner]]
name = "tuned svm"
path = "sklearn.svm.SVC"
prepare = "standard"
tune = { C = [0.1, 1, 10] }         # chosen inside each learning sample, by cross-validation of it
tuning = { folds = 3 }

# A program in any language; {train}, {test} and {output} are CSV files.
# [[learner]]
# name = "mine in R"
# command = ["Rscript", "mine.R", "{train}", "{test}", "{output}", "{seed}"]

[limits]                            # of a single cell, that is one learner on one split
time_limit = "60 s"
memory_limit = "4 GB"
# threads = 1

# Analyses that are written here before the run are planned; all others are marked as exploratory.
[[analysis]]
measure = "error"
"""


def template_values() -> dict[str, Any]:
    """What `written_study` takes, as it stands in the template."""
    usual = tomllib.loads(TEMPLATE)
    chosen = {
        "tasks": [each["data"] for each in usual["task"]],
        "learners": [each["name"] for each in usual["learner"]],
    }
    plain = {name: usual[name] for name in ("question", "seed", "alpha", "measures")}
    return plain | {"margin": None, "resampling": dict(usual["resampling"])} | chosen


def written_study(values: Mapping[str, Any]) -> str:
    """The template of `bakeoff init` with these values in their places; without any it is the template.

    >>> written_study({}) == TEMPLATE
    True
    >>> 'data = "zoo"' in written_study({"tasks": ["zoo"], "learners": ["tree", "knn"], "seed": 7})
    True
    """
    usual = template_values()
    answers = {**usual, **{name: value for name, value in values.items() if value not in (None, "", [], {})}}
    text = TEMPLATE
    for name in ("question", "seed", "alpha", "measures"):
        text = _set(text, name, _toml(answers[name]))
    if answers["margin"] is not None:
        text = _set(text, "# margin", _toml(answers["margin"]), "margin")
    text = _set(text, "measure", _toml(answers["measures"][0]))
    if answers["resampling"] != usual["resampling"]:
        start, end = text.index("[resampling]"), text.index("# [holdout]")
        lines = [f"{name} = {_toml(value)}" for name, value in answers["resampling"].items()]
        text = text[:start] + "\n".join(["[resampling]", *lines]) + "\n\n" + text[end:]
    text = _with_blocks(text, "task", answers["tasks"], lambda name: f"data = {_toml(name)}")
    return _with_blocks(
        text, "learner", answers["learners"], lambda name: f"name = {_toml(name)}\npath = {_toml(name)}"
    )


def _toml(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False)


def _set(text: str, name: str, value: str, new: str = "") -> str:
    """The text with another value behind a name; what follows it on the line stays where it was."""

    def replaced(match: re.Match[str]) -> str:
        old = match[2]
        return match[0] if old == value and not new else f"{new or name} = {value}{' ' * max(1, len(old) - len(value))}"

    line = re.compile(rf"^({re.escape(name)} = )(\[[^\n]*\]|\"[^\n]*\"|[^\s#]+)", re.MULTILINE)
    return re.sub(r" +$", "", line.sub(replaced, text, count=1), flags=re.MULTILINE)


def _with_blocks(text: str, table: str, names: Sequence[str], write: Callable[[str], str]) -> str:
    """The text with these [[tables]]: those that it has stay as they are, others are written, the rest goes."""
    block = re.compile(rf"^\[\[{table}\]\]\n(?:[^\n]+\n)+\n?", re.MULTILINE)
    blocks = list(block.finditer(text))
    parsed = [tomllib.loads(match[0])[table][0] for match in blocks]
    have = {each.get("name", each.get("data")): match[0].rstrip() for each, match in zip(parsed, blocks, strict=True)}
    if list(have) == list(names):
        return text
    tables = "\n\n".join(have.get(name) or f"[[{table}]]\n{write(name)}" for name in names)
    return f"{text[: blocks[0].start()]}{tables}\n\n{text[blocks[-1].end() :]}"
