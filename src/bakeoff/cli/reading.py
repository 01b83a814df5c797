"""What the commands that read scores have in common."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from typing import Any

from bakeoff.cli.grammar import Grammar
from bakeoff.errors import UsageError
from bakeoff.procedures.card import Card
from bakeoff.registry import procedure_named
from bakeoff.scores import Scores, read_scores, unpaired
from bakeoff.scores.runs import declared


def scores_of(arguments: argparse.Namespace) -> Scores:
    """The scores that a command names, reduced to the tasks and learners asked for."""
    named = arguments.measure or []
    scores = read_scores(
        arguments.file,
        rows=arguments.rows,
        measure=named or None,
        larger_is_better=arguments.larger,
        shape=arguments.shape,
    )
    scores = part_of(scores, arguments)
    return as_said(unpaired(scores) if arguments.unpaired else scores, arguments)


def as_said(scores: Scores, arguments: argparse.Namespace) -> Scores:
    """The scores, with what was said of their runs. Beside a procedure that takes a ratio it is an option of that."""
    ratio = None if arguments.ratio is None else ratio_in(arguments.ratio)
    named = getattr(arguments, "procedure", None)
    if arguments.runs is None and named is not None and _takes_ratio(procedure_named(named).card):
        ratio = None
    return declared(scores, arguments.runs, ratio)


def ratio_in(text: str) -> float:
    """A number, or a fraction of two.

    >>> ratio_in("104/208"), ratio_in("0.25")
    (0.5, 0.25)
    """
    above, slash, below = text.partition("/")
    try:
        return float(above) / float(below) if slash else float(text)
    except (ValueError, ZeroDivisionError):
        raise UsageError(
            f"The ratio of test to training size is a number such as 0.5 or 104/208; found {text!r}."
        ) from None


def _takes_ratio(card: Card) -> bool:
    return any(option.name == "ratio" for option in card.options)


def part_of(scores: Scores, arguments: argparse.Namespace) -> Scores:
    """The tasks and learners asked for."""
    if arguments.task or arguments.learner:
        scores = scores.only(tasks=arguments.task, learners=arguments.learner)
    return scores.without(arguments.without) if arguments.without else scores


def measure_of(arguments: argparse.Namespace, scores: Scores) -> str | None:
    """The measure asked for; None if there is only one."""
    named = arguments.measure or []
    if len(named) > 1:
        raise UsageError(
            f"Say one measure, not {len(named)}: {', '.join(named)}. Several at once are for `bakeoff advise` and for "
            "`bakeoff analyse --with hotelling` (two learners) or manova (more)."
        )
    if named:
        return str(named[0])
    if len(scores.measure.labels) > 1:
        raise UsageError(
            f"{scores.source} holds {len(scores.measure.labels)} measures ({', '.join(scores.measure.labels)}). "
            "Say which one the question is about: --measure NAME."
        )
    return None


def request_of(arguments: argparse.Namespace) -> dict[str, Any]:
    """The request common to all procedures, as keyword arguments."""
    said = arguments.contrast or ["all-pairs"]
    contrast = said[0] if len(said) == 1 else said
    return {
        "contrast": "control" if arguments.control is not None and not arguments.contrast else contrast,
        "control": arguments.control,
        "adjust": arguments.adjust,
        "alpha": arguments.alpha,
        "alternative": arguments.alternative,
        "level": arguments.level,
        "missing": arguments.missing,
        "anyway": arguments.anyway,
    }


def options_of(card: Card | None, rest: Sequence[str], ratio: str | None = None) -> dict[str, Any]:
    """The procedure's own options, by the flags that its card describes. A `ratio` is common to reading and to them."""
    own_ratio = {"ratio": ratio_in(ratio)} if ratio is not None and card is not None and _takes_ratio(card) else {}
    if not rest:
        return own_ratio
    if card is None:
        raise UsageError(f"unrecognised arguments: {' '.join(rest)}. A procedure's own options go with --with NAME.")
    own = Grammar(read_more=f"bakeoff explain {card.name}", add_help=False, allow_abbrev=False)
    for option in card.options:
        own.add_argument(
            option.flag,
            dest=option.name,
            type=_boolean if option.kind is bool else option.kind,
            default=argparse.SUPPRESS,
            help=option.help,
        )
    given, unknown = own.parse_known_args(list(rest))
    if unknown:
        flags = ", ".join(option.flag for option in card.options) or "none"
        raise UsageError(f"unrecognised arguments: {' '.join(unknown)}. Options of {card.name}: {flags}.")
    return {**own_ratio, **vars(given)}


def _boolean(text: str) -> bool:
    if text.lower() in ("true", "yes", "on", "1"):
        return True
    if text.lower() in ("false", "no", "off", "0"):
        return False
    raise argparse.ArgumentTypeError(f"yes or no was expected; found {text!r}")
