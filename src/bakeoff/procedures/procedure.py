"""A procedure: a card, a function on plain arrays, and the decorator that makes both from what is said once.

    @procedure(Compares.PAIR, Level.RESAMPLES, title=…, question=…, null=…, …)
    def my_test(a, b, *, confidence=0.95, alternative="two-sided", ratio: float | None = None) -> Result: ...

The name is that of the function. Options are the arguments of the function that `options` explains: their defaults and
kinds are those of the signature. What follows from the level and the number of learners is derived: what the conclusion
speaks about, the common needs, on which null designs it is calibrated, the arguments that a table tells (`FACTS`).
Confidence, alternative and columns are checked before the function sees them.

What nearly every card says can be imported from here, so that a file of procedures begins with one line for it.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import wraps
from math import nan
from typing import Any, TypeVar, cast

import numpy as np

from bakeoff.errors import DegenerateError, UsageError
from bakeoff.inference.evidence import DecidedPairs, Estimates, Joint
from bakeoff.mathematics.checks import Array, number_column, number_table, paired
from bakeoff.mathematics.laws import check_alternative, check_confidence
from bakeoff.procedures import card as cards
from bakeoff.procedures.card import Answers, Card, Compares, NullDesign, Published, Scope, Shape, Trial
from bakeoff.procedures.needs import at_least_blocks, at_least_learners, at_level, independent_instances
from bakeoff.procedures.references import Reference
from bakeoff.records import Record
from bakeoff.scores import Blocks, Layout, Level

__all__ = [
    "Compares", "Example", "Level", "ManyResult", "NullDesign", "Options", "Procedure", "Published",
    "Result", "Trial", "difference_alike", "is_constant", "no_arguments", "numbers", "procedure",
]  # fmt: skip

# What an option means; or that with its choices, and with a remark on how it is given.
Options = Mapping[str, str | tuple[str, Sequence[str]] | tuple[str, Sequence[str], str]]
Function = TypeVar("Function", bound=Callable[..., Any])


@dataclass(frozen=True, slots=True, eq=False)
class Result(Record):
    """One answer. What a procedure does not give stays NaN; `details` holds what only this procedure has.

    `about` says what a test of all learners at once is about, where that is not whether they are alike. A comparison
    that could not be made is `refused`, and its `note` says why. `symbol` is that of the statistic where its name says
    more than that: F of "F, Huynh–Feldt". `remark` is what the note says beside the value tested against.
    """

    estimate: float = nan
    lower: float = nan
    upper: float = nan
    statistic: float = nan
    statistic_name: str = ""
    df: tuple[float, ...] = ()
    p: float = nan
    note: str = ""
    details: Mapping[str, Any] = field(default_factory=dict)
    worse: float = nan
    same: float = nan
    better: float = nan
    about: str = ""
    p_adjusted: float = nan
    refused: bool = False
    symbol: str = ""
    remark: str = ""


@dataclass(frozen=True, slots=True, eq=False)
class ManyResult(Record):
    """What a procedure for many learners returns: tests of all at once, and estimates that pairs are made from.

    A procedure that adjusts the pairs itself returns them `decided` instead of estimates; one that tests any family of
    contrasts by draws that they share returns the `joint` test.
    """

    tests: tuple[Result, ...] = ()
    estimates: Estimates | None = None
    decided: DecidedPairs | None = None
    joint: Joint | None = None
    details: Mapping[str, Any] = field(default_factory=dict)


# Arguments that are read off the table, for every function that has one of such a name.
FACTS: Mapping[str, Callable[[Blocks, Layout], Any]] = {
    "ratio": lambda _, layout: layout.test_train_ratio,
    # n_test / (n_train + n_test), the share of the data that a resample is tested on: 1/K for K folds
    "rho": lambda _, layout: layout.test_train_ratio / (1 + layout.test_train_ratio),
    "larger_is_better": lambda _, layout: layout.measure.larger_is_better,
    "measures": lambda _, layout: layout.measures,
    "learners": lambda _, layout: layout.learners,
    "repeat": lambda blocks, _: blocks.repeat,
    "fold": lambda blocks, _: blocks.fold,
}


def no_arguments(_blocks: Blocks, _layout: Layout) -> dict[str, Any]:
    return {}


class Example:
    """What a procedure is given to reproduce a published number, and what is read off its answer: names, as `numbers`
    takes them, or a function. The decorator knows which function it is an example of; several come as a tuple."""

    def __init__(self, reads: str | Callable[[Any], Sequence[float]], *arguments: Any, **options: Any) -> None:
        self.reads, self.arguments, self.options = reads, arguments, options

    def of(self, compute: Callable[..., Any]) -> Sequence[float]:
        result = compute(*self.arguments, **self.options)
        return numbers(result, self.reads) if isinstance(self.reads, str) else self.reads(result)


@dataclass(frozen=True, slots=True)
class Procedure:
    """A card, and a function on plain arrays.

    `compute` takes one column (`compares` one), two columns (pair) or the whole matrix (many). One that `ranks` is
    given values of which smaller is better, and its estimates are ranks. `arguments_from` reads further keyword
    arguments off the blocks, such as the ratio of their sizes (`FACTS`). One that works `on_predictions` is given the
    truth (0 or 1) before the columns of predictions; `summary` computes its `computed_measure` for one of these
    columns. Unpaired procedures are given samples that may differ in length; many of them come as a list. `with_sizes`
    values are followed by the sizes of their test sets (NaN if unknown), so that rates will do; values of one that is
    `clustered` by the clusters of the instances. One that `takes_long_table` is given all values in one column, with
    the labels of their learners and tasks. One that looks `within_tasks` is given for each side a list with the column
    of folds of each task. `over_pairs` makes tables of the details of all pairs. `all_at_once` are the tests of all
    learners that stand beside the pairs of a procedure that takes two at a time: it is given the whole matrix, or all
    samples.
    """

    card: Card
    compute: Callable[..., Any]
    arguments_from: Callable[[Blocks, Layout], dict[str, Any]] = no_arguments
    summary: Callable[[Any, Any], float] | None = None
    over_pairs: Callable[[Mapping[tuple[str, str], Any], Sequence[str]], dict[str, Any]] | None = None
    all_at_once: Callable[[Any], tuple[Result, ...]] | None = None

    @property
    def name(self) -> str:
        return self.card.name


_SCOPE = {Level.INSTANCES: Scope.MODELS, Level.RESAMPLES: Scope.LEARNERS, Level.TASKS: Scope.PROBLEMS}
_KINDS: dict[str, type] = {"float": float, "int": int, "bool": bool, "str": str}


def procedure(
    compares: Compares,
    level: Level,
    *,
    name: str = "",
    needs: Sequence[cards.Need] = (),
    least_blocks: int = 2,
    common_needs: bool = True,
    references: Sequence[str | Reference] = (),
    title: str,
    title_bracket: str = "",
    published: str | Published,
    printed: str = "",
    example: Any = None,
    options: Options | None = None,
    options_of: Callable[..., Any] | None = None,
    arguments_from: Callable[[Blocks, Layout], dict[str, Any]] | None = None,
    summary: Callable[[Any, Any], float] | None = None,
    over_pairs: Callable[[Mapping[tuple[str, str], Any], Sequence[str]], dict[str, Any]] | None = None,
    all_at_once: Callable[[Any], tuple[Result, ...]] | None = None,
    further_trials: Sequence[Trial] = (),
    **card: Any,
) -> Callable[[Function], Function]:
    """Make a procedure of a function on arrays; all else that a `Card` says is passed on to it.

    `title_bracket` is what stands in brackets behind the title: whose it is, or which kind of it. `needs` come after
    the common ones: blocks of the level, `least_blocks` of them, and learners to compare; `further_trials` after the
    usual null design. Trials have the learners and options of that design unless they say others. `options_of` is the
    function to which the decorated one passes its `**options` on: the keyword arguments of both are known. `published`
    is where the numbers are `printed` that the `example` gives, one or several of the procedure, or a function of its
    own. The function that is returned checks its arguments; its attribute `procedure` is the Procedure.
    """

    def decorate(function: Function) -> Function:
        signature = _joined(function, options_of)
        parameters = signature.parameters
        derived = {
            "cautions": (),
            "answers": Answers.EACH if compares is Compares.ONE else Answers.PAIRS,
            "speaks_about": _SCOPE[level],
            "sides": compares is Compares.MANY or "alternative" in parameters,
            "default_adjust": "single-step" if card.get("single_step") else "holm",
        }
        new_card = Card(
            name=name or function.__name__.replace("_", "-"),
            title=f"{title} ({title_bracket})" if title_bracket else title,
            plain_title=title,
            title_bracket=title_bracket,
            compares=compares,
            level=level,
            needs=(*(_common_needs(compares, level, least_blocks, card) if common_needs else ()), *needs),
            sources=tuple(references),
            published=published if isinstance(published, Published) else Published(published, printed, example),
            options=tuple(_option(parameters[key], text) for key, text in (options or {}).items()),
            **{**derived, **card, **_recommendation(**card)},
        )
        checked = _checked(function, new_card, parameters)
        checked.__signature__ = signature  # type: ignore[attr-defined]
        new_card = replace(
            new_card,
            trials=_trials(new_card, further_trials),
            published=replace(new_card.published, compute=_reproduction(new_card.published.compute, checked)),
        )
        read = arguments_from or _reader_of_facts(parameters)
        new = Procedure(new_card, checked, read, summary, over_pairs, all_at_once)
        checked.procedure = new  # type: ignore[attr-defined]
        return cast(Function, checked)

    return decorate


def _recommendation(recommended_for: str = "", **_: Any) -> dict[str, str]:
    """What it is recommended for. {runs} are independent learning samples, unless runs are known to share theirs."""
    return {
        "recommended_for": recommended_for.format(runs="independent learning samples"),
        "recommended_over_seeds": recommended_for.format(runs="runs that differ in their seed only"),
    }


def _common_needs(compares: Compares, level: Level, least_blocks: int, card: Mapping[str, Any]) -> Iterator[cards.Need]:
    yield at_level(level)
    if compares is not Compares.ONE:
        yield at_least_learners(2)
    if least_blocks:
        yield at_least_blocks(least_blocks)
    if level is Level.INSTANCES and not any(card.get(each) for each in ("clustered", "ordered", "crossed")):
        yield independent_instances


def _joined(function: Callable[..., Any], options_of: Callable[..., Any] | None) -> inspect.Signature:
    """The signature of a function; in place of its `**options` the keyword arguments of the other one."""
    signature = inspect.signature(function)
    if options_of is None:
        return signature
    own = [each for each in signature.parameters.values() if each.kind is not each.VAR_KEYWORD]
    others = inspect.signature(options_of).parameters.values()
    more = [each for each in others if each.kind is each.KEYWORD_ONLY and each.name not in signature.parameters]
    return signature.replace(parameters=[*own, *more])


def _reader_of_facts(parameters: Mapping[str, Any]) -> Callable[[Blocks, Layout], dict[str, Any]]:
    facts = {name: read for name, read in FACTS.items() if name in parameters}
    return (
        (lambda blocks, layout: {name: read(blocks, layout) for name, read in facts.items()}) if facts else no_arguments
    )


def _reproduction(compute: Any, function: Callable[..., Any]) -> Any:
    """How published numbers are computed: by a function, or from examples of the procedure."""
    examples = (compute,) if isinstance(compute, Example) else compute
    if not isinstance(examples, tuple):
        return compute
    return lambda: [float(number) for example in examples for number in example.of(function)]


def _option(parameter: inspect.Parameter, about: str | tuple[Any, ...]) -> cards.Option:
    """An option from the signature (name, default, kind) and what is said of it."""
    meaning, choices, remark = (about, (), "") if isinstance(about, str) else (*about, "")[:3]
    # As text where annotations are postponed, as a type or a union of types where they are not.
    annotation = parameter.annotation
    written = annotation.__name__ if isinstance(annotation, type) else str(annotation)
    kind = _KINDS.get(written.partition(" ")[0])
    if kind is None:
        raise UsageError(
            f"The option {parameter.name!r} needs an annotation that begins with {', '.join(_KINDS)}; found "
            f"{written!r}."
        )
    return cards.Option(parameter.name, parameter.default, meaning, tuple(choices), kind, remark)


def _trials(card: Card, further: Sequence[Trial]) -> tuple[Trial, ...]:
    """Its trials, or the usual one and those that are further ones; with the learners and options that are usual."""
    usual = _usual_trial(card)
    trials = card.trials or (usual, *further)
    return tuple(
        replace(each, learners=each.learners or usual.learners, options=each.options or usual.options)
        for each in trials
    )


def _usual_trial(card: Card) -> Trial:
    """The null design that a procedure of this kind is meant for. A posterior claims no level."""
    special = {
        Shape.SCORES: NullDesign.CLASS_SCORES,
        Shape.HOLES: NullDesign.TASKS_WITH_HOLES,
        Shape.RUNS: NullDesign.RUNS_ON_TASKS,
        Shape.MEASURES: NullDesign.MEASURES,
    }
    one, shared, own = {
        Level.INSTANCES: (NullDesign.ONE_RATE, NullDesign.LOSSES, NullDesign.TWO_LOSSES),
        Level.RESAMPLES: (NullDesign.ONE_MEAN, NullDesign.DRAWS, NullDesign.OWN_RUNS),
        Level.TASKS: (NullDesign.ONE_MEDIAN, NullDesign.TASKS, NullDesign.OWN_TASKS),
    }[card.level]
    if card.binary and card.level is Level.INSTANCES:
        shared, own = NullDesign.ANSWERS, NullDesign.TWO_ANSWERS
    if card.repeated_folds and card.level is Level.RESAMPLES:
        shared = NullDesign.FOLDS
    learners = {Compares.ONE: 1, Compares.PAIR: 2, Compares.MANY: 4}[card.compares]
    by_level = one if card.compares is Compares.ONE else shared if card.paired else own
    options = ((card.against, cards.NULL_VALUE), *card.fewer) if card.against else card.fewer
    return Trial(special.get(card.shape, by_level), learners, options, holds=not card.posterior)


def _checked(
    function: Callable[..., Any], card: Card, parameters: Mapping[str, inspect.Parameter]
) -> Callable[..., Any]:
    """The function, given arguments that were checked."""
    read = _reader(card)
    positional = [name for name, parameter in parameters.items() if parameter.kind is not parameter.KEYWORD_ONLY]
    closed = all(parameter.kind is not parameter.VAR_KEYWORD for parameter in parameters.values())

    @wraps(function)
    def compute(*columns: Any, **arguments: Any) -> Any:
        columns += tuple(arguments.pop(name) for name in positional[len(columns) :] if name in arguments)
        if "confidence" in parameters:
            check_confidence(arguments.get("confidence", 0.95))
        if "alternative" in parameters:
            check_alternative(arguments.get("alternative", "two-sided"))
        values = read(*columns)
        unknown = sorted(set(arguments) - set(parameters))
        if unknown and closed:
            raise TypeError(f"{function.__name__}() got an unexpected keyword argument {unknown[0]!r}")
        return function(*values, **arguments)

    return compute


def _reader(card: Card) -> Callable[..., Sequence[Any]]:
    """How the columns are checked that a function is given; those of unusual kinds are left to the function."""
    if card.shape not in (Shape.PLAIN, Shape.SQUARES, Shape.CLUSTERS, Shape.CROSSED) or card.with_sizes:
        return lambda *columns: columns
    if card.compares is Compares.ONE:
        return lambda x, *more: (number_column(x), *more)
    if card.compares is Compares.MANY:
        if not card.paired:
            return lambda samples: (samples,)
        return lambda table, *more: (number_table(table, "table", columns=2), *more)
    if card.paired:
        return lambda a, b, *more: (*paired(number_column(a, "first"), number_column(b, "second")), *more)
    return lambda a, b, *more: (number_column(a, "first"), number_column(b, "second"), *more)


def is_constant(values: Any, scale: float) -> bool:
    """Whether values differ by no more than rounding error, relative to `scale` (as R's t.test decides)."""
    return bool(np.ptp(values) <= 100 * np.finfo(float).eps * scale)


def difference_alike(first: Array, second: Array, where: str, why: str, df: tuple[float, ...] = ()) -> Result | None:
    """What 0/0 is taken to be where two columns are the same: p = 1 without an interval. A difference that is the same
    everywhere and not zero is refused, and of one that varies there is nothing to say.

    >>> difference_alike(np.array([2.0, 3.0]), np.array([1.0, 2.0]), "at every time", "its variance is zero")
    Traceback (most recent call last):
    bakeoff.errors.DegenerateError: The difference is 1 at every time, so its variance is zero. Report the difference
    itself.
    """
    d, size = first - second, float(max(np.abs(first).max(), np.abs(second).max()))
    if not is_constant(d, size):
        return None
    if not is_constant([*d, 0.0], size):
        raise DegenerateError(
            f"The difference is {float(d.mean()):.6g} {where}, so {why}. Report the difference itself."
        )
    return Result(0.0, nan, nan, 0.0, "t", df, 1.0, "the two columns are the same")


def numbers(result: Any, names: str) -> list[float]:
    """Numbers of a result by name, for a published example: details, fields, or the first of its df. Of a ManyResult
    fields are those of its first test.

    >>> numbers(Result(statistic=2.0, df=(9.0, 1.0), details={"wins": 3}), "statistic df wins")
    [2.0, 9.0, 3.0]
    """
    known = dict(result.details)
    test = result if isinstance(result, Result) or not result.tests else result.tests[0]
    if isinstance(test, Result) and test.df:
        known["df"] = test.df[0]
    return [float(known[name] if name in known else getattr(test, name)) for name in names.split()]
