"""`bakeoff order`: a full order of learners, cost deciding where the data do not (MultiTest)."""

from __future__ import annotations

import argparse
from collections.abc import Sequence

from bakeoff.cli.output import emit
from bakeoff.cli.reading import measure_of, options_of, scores_of
from bakeoff.judging import multitest
from bakeoff.registry import procedure_named


def run(arguments: argparse.Namespace, rest: Sequence[str]) -> None:
    card = procedure_named(arguments.procedure).card if arguments.procedure else None
    options = options_of(card, rest, arguments.ratio)
    scores = scores_of(arguments)
    found = multitest(
        scores,
        cost_order=arguments.cost,
        procedure=arguments.procedure,
        alpha=arguments.alpha,
        adjust=arguments.adjust,
        measure=measure_of(arguments, scores),
        level=arguments.level,
        missing=arguments.missing,
        anyway=arguments.anyway,
        **options,
    )
    emit(arguments, found.to_json() if arguments.json else found.to_text())
