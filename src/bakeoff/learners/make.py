"""Making: from the description of a learner to a fresh, seeded estimator for one cell.

What the user described is made first and seeded; preparation is put before it, and the search over a grid around both:

    steps or object ─→ seeded ─→ Pipeline(prepare, learner) ─→ GridSearchCV

Every `random_state`, `seed` or `random_seed` that is None, at any depth, gets the seed of the cell or one derived from
it and from the name of the parameter; one that is given is respected. `n_jobs` is left as it is given, and is 1 where
it is not.
"""

from __future__ import annotations

import inspect
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any

from bakeoff.errors import UsageError, nearest
from bakeoff.importing import imported
from bakeoff.keys import canonical_value, seed_of
from bakeoff.learners.code import written
from bakeoff.learners.commands import CommandLearner
from bakeoff.learners.fit import takes_weights
from bakeoff.learners.learner import PATH, STATISTICS, DataInfo, Learner, Step, is_relative, why_unsuitable
from bakeoff.learners.prepare import preparation_of, transformer
from bakeoff.learners.seeds import RANDOM_STATE, small, unseeded
from bakeoff.learners.tuning import check_tuning, scoring_for, tuned

# Made anew for each cell without scikit-learn's clone, which would take longer than a small fit.
_UNCHANGEABLE = (bool, int, float, str, type(None))

Make = Callable[[int], Any]


def make(learner: Learner, info: DataInfo, seed: int) -> Any:
    """A fresh estimator for one cell. Whoever makes many keeps `maker(learner, facts)`, which checks only once."""
    return maker(learner, info)(seed)


def maker(learner: Learner, info: DataInfo) -> Make:
    """A function from the seed of a cell to a fresh estimator. All that can be wrong is found here."""
    whose = f"learner {learner.name!r}"
    if learner.command:
        if info.form != "table" or info.weighted:
            what = "weights of rows" if info.form == "table" else info.form
            raise UsageError(f"a command reads tables in CSV, and {info.name!r} has {what}. Leave it out.", whose=whose)
        if info.targets:
            raise UsageError(
                f"a command predicts one target, and {info.name!r} has {len(info.targets)} that are predicted "
                "together. Say separate = true for a task of each.",
                whose=whose,
            )
        return lambda seed: CommandLearner(learner.name, learner.command, learner.folder, info, seed)
    prototype = described(learner)
    if (why := why_unsuitable(prototype, info.problem, info.name)) is not None:
        raise UsageError(why, whose=whose)
    _refuse_warm_start(prototype.get_params(deep=True), whose)
    if info.weighted and not takes_weights(prototype):
        raise UsageError(
            f"{type(prototype).__name__} takes no weights of rows (sample_weight), and {info.name!r} has "
            "them. Leave the learner or the weights out.",
            whose=whose,
        )
    fresh = _fresh(prototype)
    preparation = preparation_of(learner, info)
    grid = _addressed(learner, prototype, whose)
    tuning = learner.tuning
    if learner.validation is not None:
        return _watching(fresh, prototype, preparation, learner, info)
    if preparation.nothing and tuning is None:
        return fresh
    if tuning is not None:
        scoring_for(tuning.measure, info, whose)

    def complete(seed: int) -> Any:
        from sklearn.pipeline import Pipeline

        estimator = fresh(seed)
        if not preparation.nothing:
            estimator = Pipeline([("prepare", transformer(preparation, info)), ("learner", estimator)])
        if tuning is None:
            return estimator
        prefix = "" if preparation.nothing else "learner__"
        settings = {prefix + name: [_seeded(value, seed) for value in values] for name, values in grid.items()}
        return tuned(estimator, tuning, settings, info, seed, whose)

    return complete


def _watching(fresh: Make, prototype: Any, preparation: Any, learner: Learner, info: DataInfo) -> Make:
    """What makes an estimator for which a part of the learning sample is set aside."""
    from bakeoff.learners.wrappers import WithValidation, check_watches

    check_watches(prototype, f"learner {learner.name!r}")
    share = learner.validation
    assert share is not None

    def complete(seed: int) -> Any:
        from sklearn.pipeline import make_pipeline

        estimator, before = fresh(seed), []
        if not preparation.nothing:
            before.append(transformer(preparation, info))
        if getattr(estimator, "steps", None):
            before += [step for _, step in estimator.steps[:-1]]
            estimator = estimator.steps[-1][1]
        prepare = make_pipeline(*before) if before else None
        return WithValidation(estimator, prepare, share, info.kind, seed_of(str(seed), "validation"))

    return complete


def check_makeable(learner: Learner) -> None:
    """Refuse a learner that no data could make: a path or a parameter, given or tuned, that does not exist."""
    if not learner.command:
        prototype, whose = described(learner), f"learner {learner.name!r}"
        _refuse_warm_start(prototype.get_params(deep=True), whose)
        _addressed(learner, prototype, whose)
        if learner.validation is not None:
            from bakeoff.learners.wrappers import check_watches

            check_watches(prototype, whose)


def check_written(learner: Learner) -> tuple[str, ...]:
    """Refuse as `check_makeable` does, as far as that is known without importing anything: by what the files of its
    classes say. Returns warnings about what is not on this machine."""
    if learner.estimator is not None:
        check_makeable(learner)  # it is here, and so is all that it is made of
    whose = f"learner {learner.name!r}"
    warnings = [text for step in learner.steps for text in _check_step(step, learner.folder, whose)]
    if learner.tuning is not None and learner.steps and learner.steps[-1].path.startswith("sklearn."):
        known = written(learner.steps[-1].path, learner.folder).parameters
        steps = [step.path.rpartition(".")[2].lower() for step in learner.steps]
        whole = {*_OF_PIPELINES, *steps} if len(steps) > 1 else set()
        for name in learner.tuning.grid:
            if known is not None and "__" not in name and name not in {*known, *whole}:
                raise _untunable(whose, name, known)
    return tuple(warnings)


_OF_PIPELINES = ("steps", "memory", "verbose", "transform_input")


def _check_step(step: Step, folder: str, whose: str) -> Iterator[str]:
    definition = written(step.path, folder)
    if definition.absent:
        raise UsageError(definition.absent, whose=whose)
    if definition.unknown:
        yield f"{whose}: the module {definition.unknown!r} is not found on this machine."
    known = definition.parameters
    for name in step.parameters:
        if known is not None and name not in known and "__" not in name:
            raise _no_parameter(whose, step.path, name, known)
    own = {name: value for name, value in (known or {}).items() if name == "warm_start"}
    _refuse_warm_start({**own, **step.parameters}, whose)
    # What scikit-learn takes a list of, its get_params looks into; what others do with one is not known.
    inner = list(step.parameters.values())
    while inner:
        value = inner.pop()
        if isinstance(value, Mapping) and "path" in value and set(value) <= {"path", "parameters"}:
            yield from _check_step(Step(value["path"], value.get("parameters", {})), folder, whose)
        elif isinstance(value, (list, tuple)) and step.path.startswith("sklearn."):
            inner += value


def _no_parameter(whose: str, path: str, name: str, known: Iterable[str]) -> UsageError:
    return UsageError(f"{path} has no parameter {name!r}. {nearest(name, known)}", whose=whose)


def _untunable(whose: str, name: str, known: Iterable[str]) -> UsageError:
    return UsageError(f"cannot tune {name!r}: there is no such parameter. {nearest(name, known)}", whose=whose)


def _refuse_warm_start(parameters: Mapping[str, Any], whose: str) -> None:
    """A fit that begins where the one before ended has seen other rows: test rows of this cell among them."""
    for name, value in parameters.items():
        if name.rpartition("__")[2] == "warm_start" and value is True:
            raise UsageError(
                f"{name} is True. A warm start goes on from an earlier fit, and here each cell is a fit of "
                "its own to its own rows. Leave it out.",
                whose=whose,
            )


def described(learner: Learner) -> Any:
    """The estimator as the user described it: without preparation, tuning and seeds, not to be fitted itself."""
    whose = f"learner {learner.name!r}"
    if learner.estimator is not None:
        _check_estimator(learner.estimator, whose, type(learner.estimator).__name__)
        return learner.estimator
    if not learner.steps:
        raise UsageError(f"{whose} has neither path, pipeline, estimator nor command. Give one of them.")
    estimators = [_step(step, whose) for step in learner.steps]
    for step, part in zip(learner.steps[:-1], estimators[:-1], strict=True):
        if not hasattr(part, "transform"):
            raise UsageError(
                f"{step.path!r} has no transform, so that it cannot stand before another step of a pipeline.",
                whose=whose,
            )
    if len(estimators) == 1:
        return estimators[0]
    from sklearn.pipeline import make_pipeline

    return make_pipeline(*estimators)


def _step(step: Step, whose: str) -> Any:
    """One estimator from its path and parameters."""
    kind = imported(step.path, whose, PATH)
    known = _parameters_of(kind)
    given = {name: value if is_relative(value) else _value(value, whose) for name, value in step.parameters.items()}
    later = {name: given.pop(name) for name in list(given) if is_relative(given[name]) or _is_inside(name, known)}
    if known is not None:
        for name, value in [*given.items(), *((name, later[name]) for name in later if "__" not in name)]:
            if name not in known:
                raise _no_parameter(whose, step.path, name, known)
            # A study file has lists only; scikit-learn insists on a tuple where the default is one.
            if isinstance(value, list) and isinstance(known[name], tuple):
                given[name] = tuple(value)
    try:
        estimator = kind(**given)
        if inside := {name: value for name, value in later.items() if not is_relative(value)}:
            estimator.set_params(**inside)
    except Exception as error:
        raise UsageError(f"{step.path} could not be made: {type(error).__name__}: {error}", whose=whose) from error
    _check_estimator(estimator, whose, step.path)
    relative = {name: value for name, value in later.items() if is_relative(value)}
    return _relative(estimator, relative, whose) if relative else estimator


def _is_inside(name: str, known: Mapping[str, Any] | None) -> bool:
    """Whether a parameter is one of an estimator inside the estimator, as scikit-learn names it."""
    return "__" in name and (known is None or name not in known)


def _relative(estimator: Any, relative: Mapping[str, Mapping[str, Any]], whose: str) -> Any:
    """An estimator some of whose parameters are found in each learning sample."""
    from bakeoff.learners.wrappers import RelativeParameters

    parameters = estimator.get_params(deep=True)
    for name, how in relative.items():
        if name not in parameters:
            raise _no_parameter(whose, type(estimator).__name__, name, parameters)
        if how["of"] not in STATISTICS:
            raise UsageError(
                f"{name} is a multiple of {how['of']!r}. {nearest(str(how['of']), STATISTICS)}", whose=whose
            )
    return RelativeParameters(estimator, {name: dict(how) for name, how in relative.items()})


def _value(value: Any, whose: str) -> Any:
    """A parameter of a study file: a table with a path is an estimator to be made, the text "None" is None, since TOML
    has no word for it."""
    if isinstance(value, str):
        return None if value == "None" else value
    if isinstance(value, Mapping):
        if "path" in value and set(value) <= {"path", "parameters"}:
            return _step(Step(value["path"], value.get("parameters", {})), whose)
        return {name: _value(item, whose) for name, item in value.items()}
    if isinstance(value, (list, tuple)):
        return type(value)(_value(item, whose) for item in value)
    return value


def _parameters_of(kind: Any) -> dict[str, Any] | None:
    """The parameters of a class or function and their defaults; None if it takes any (`**kwargs`) or does not tell."""
    try:
        parameters = inspect.signature(kind).parameters.values()
    except (TypeError, ValueError):
        return None
    if any(parameter.kind is parameter.VAR_KEYWORD for parameter in parameters):
        return None
    return {parameter.name: parameter.default for parameter in parameters}


def _check_estimator(estimator: Any, whose: str, what: str) -> None:
    if isinstance(estimator, type):
        raise UsageError(
            f"{what} is the class {estimator.__name__}; an estimator is expected: {estimator.__name__}().", whose=whose
        )
    lacking = [
        method for method in ("fit", "get_params", "set_params") if not callable(getattr(estimator, method, None))
    ]
    if lacking:
        raise UsageError(
            f"{what} is no estimator: {type(estimator).__name__} has no {' and no '.join(lacking)}. Expected "
            "is a scikit-learn estimator; a class of your own becomes one by deriving from sklearn.base.BaseEstimator.",
            whose=whose,
        )


def _fresh(prototype: Any) -> Make:
    """A function that makes an unfitted copy of the prototype, seeded."""
    parameters = prototype.get_params(deep=True)
    without = unseeded(parameters)
    single = dict.fromkeys(_without_jobs(prototype, parameters), 1)
    kind = type(prototype)
    if _is_its_parameters(prototype, parameters):
        fixed = {**parameters, **single}
        if not without:
            return lambda seed: kind(**fixed)
        return lambda seed: kind(**{**fixed, **{name: _derived(seed, name) for name in without}})
    from sklearn.base import clone

    def copy(seed: int) -> Any:
        copied = clone(prototype)
        return copied.set_params(**single, **{name: _derived(seed, name) for name in without})

    return copy


def _seeded(value: Any, seed: int) -> Any:
    """A value of a grid; an estimator among them is seeded like any other."""
    if isinstance(value, type) or not hasattr(value, "get_params"):
        return value
    return _fresh(value)(seed)


def _without_jobs(prototype: Any, parameters: Mapping[str, Any]) -> list[str]:
    """The parameters n_jobs to be set to 1. scikit-learn's None means 1 already, and some of its estimators warn when 1
    is said; elsewhere None may mean all cores, on which other cells are run."""
    names = []
    for name, value in parameters.items():
        home, _, last = name.rpartition("__")
        if last == "n_jobs" and value is None:
            owner = parameters.get(home) if home else prototype
            if type(owner).__module__.partition(".")[0] != "sklearn":
                names.append(name)
    return names


def _derived(seed: int, name: str) -> int:
    if name == RANDOM_STATE:
        return seed
    derived = seed_of(str(seed), name)
    return derived if name.rpartition("__")[2] == RANDOM_STATE else small(derived)


def _is_its_parameters(prototype: Any, parameters: Mapping[str, Any]) -> bool:
    """Whether calling the class with these parameters makes the same estimator again, nothing being shared."""
    from sklearn.base import BaseEstimator

    return (
        type(prototype).get_params is BaseEstimator.get_params
        and all(isinstance(value, _UNCHANGEABLE) for value in parameters.values())
        # What is set by methods, such as set_output, is kept beside the parameters: only clone copies that.
        and vars(prototype).keys() == vars(type(prototype)(**parameters)).keys()
    )


def _addressed(learner: Learner, prototype: Any, whose: str) -> dict[str, list[Any]]:
    """The grid, its names made those of the whole: a plain name means the last step of a pipeline."""
    if learner.tuning is None:
        return {}
    check_tuning(learner.tuning, whose)
    known = prototype.get_params(deep=True)
    steps = getattr(prototype, "steps", None)
    last = f"{steps[-1][0]}__" if isinstance(steps, list) and steps else ""
    grid = {}
    for name, values in learner.tuning.grid.items():
        candidates = (name, last + name) if "__" in name else (last + name, name)
        address = next((candidate for candidate in candidates if candidate in known), None)
        if address is None:
            names = {n.removeprefix(last) if last else n for n in known if n.startswith(last) or "__" in n}
            raise _untunable(whose, name, names)
        as_tuple = isinstance(known[address], tuple)
        values_given = [_value(value, whose) for value in values]
        grid[address] = [tuple(value) if as_tuple and isinstance(value, list) else value for value in values_given]
    return grid


# ----------------------------------------------------------------------------------------------------------------------
# A learner as it really is where it runs: classes, all parameters with their defaults, versions of the packages.
#
# A learner's key covers what the study says, and code of the user's own. What is left to installed packages — the
# default of a parameter, their version — can change under the same key; this is what is compared to find out.


def resolve(learner: Learner) -> dict[str, Any]:
    """The whole description, as JSON.

    >>> from bakeoff.learners.learner import Step
    >>> result = resolve(Learner("k", steps=(Step("sklearn.neighbors.KNeighborsClassifier", {"n_neighbors": 3}),)))
    >>> result["learner"]["parameters"]["n_neighbors"], result["learner"]["parameters"]["weights"]
    (3, 'uniform')
    """
    common = {name: part for name, part in learner.describe().items() if name in ("prepare", "tuning")}
    if learner.command:
        return {**common, "command": list(learner.command)}
    estimator = canonical_value(described(learner), f"learner {learner.name!r}")
    versions = {name: _version(name) for name in sorted(set(_packages(estimator)))}
    return {
        **common,
        "learner": estimator,
        "packages": {name: version for name, version in versions.items() if version},
    }


def differences(then: Any, now: Any, where: str = "") -> list[str]:
    """What has changed between two resolved descriptions, a sentence for each place.

    >>> differences({"packages": {"sklearn": "1.8.0"}}, {"packages": {"sklearn": "1.9.1"}})
    ["packages.sklearn was '1.8.0' and is '1.9.1'"]
    """
    if isinstance(then, dict) and isinstance(now, dict):
        lines = []
        for name in sorted(then.keys() | now.keys()):
            place = f"{where}.{name}" if where else name
            if name not in now:
                lines.append(f"{place} was {then[name]!r} and is gone")
            elif name not in then:
                lines.append(f"{place} is new: {now[name]!r}")
            else:
                lines += differences(then[name], now[name], place)
        return lines
    return [] if then == now else [f"{where} was {then!r} and is {now!r}"]


def _packages(described_as: Any) -> Iterator[str]:
    """The top-level packages of all classes and functions that a description names."""
    if isinstance(described_as, dict):
        for key, value in described_as.items():
            if key in ("estimator", "name") and isinstance(value, str):
                yield value.partition(".")[0]
            else:
                yield from _packages(value)
    elif isinstance(described_as, list):
        for item in described_as:
            yield from _packages(item)


def _version(package: str) -> str | None:
    """The version that a package says it has; a module of the user's own, which is in the key, mostly has none."""
    version = getattr(sys.modules.get(package), "__version__", None)
    return version if isinstance(version, str) else None
