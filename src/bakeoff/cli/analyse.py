"""`bakeoff analyse`: one procedure, and all that it finds."""

from __future__ import annotations

import argparse
from collections.abc import Sequence

from bakeoff.cli.output import emit
from bakeoff.cli.reading import measure_of, options_of, request_of, scores_of
from bakeoff.judging import analyse
from bakeoff.procedures.card import Answers
from bakeoff.registry import procedure_named
from bakeoff.scores import align


def run(arguments: argparse.Namespace, rest: Sequence[str]) -> None:
    card = procedure_named(arguments.procedure).card
    options = options_of(card, rest, arguments.ratio)
    scores = scores_of(arguments)
    several = card.answers is Answers.MULTIVARIATE
    measure = arguments.measure if several else measure_of(arguments, scores)
    found = analyse(scores, card.name, measure=measure, margin=arguments.margin, **request_of(arguments), **options)
    if arguments.json:
        emit(arguments, found.to_json())
        return
    alignment = align(scores, None if several else measure)
    emit(arguments, f"{alignment.to_text()}\n\n{found.to_text()}")
