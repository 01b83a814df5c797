"""`bakeoff compare`: alignment report, advice, verdict."""

from __future__ import annotations

import argparse
import contextlib
import sys
from collections.abc import Sequence

from bakeoff.cli.output import emit
from bakeoff.cli.reading import measure_of, options_of, request_of, scores_of
from bakeoff.errors import BakeoffError
from bakeoff.judging import advise, judge
from bakeoff.presentation import to_json, wrapped
from bakeoff.registry import procedure_named
from bakeoff.scores import align


def run(arguments: argparse.Namespace, rest: Sequence[str]) -> None:
    scores = scores_of(arguments)
    measure = measure_of(arguments, scores)
    card = procedure_named(arguments.procedure).card if arguments.procedure else None
    options = options_of(card, rest, arguments.ratio)
    alignment = align(scores, measure)
    try:
        advice = advise(scores, measure=measure, level=arguments.level, missing=arguments.missing)
        verdict = judge(
            scores, arguments.procedure, measure=measure, margin=arguments.margin, **request_of(arguments), **options
        )
    except BakeoffError:
        # What was read is shown all the same: it is what the refusal is about.
        with contextlib.suppress(BrokenPipeError):
            print(alignment.to_text(), end="\n\n", file=sys.stderr, flush=True)
        raise
    if arguments.figure:
        from bakeoff.figures.critical_difference import save

        save(verdict, arguments.figure)
    if arguments.json:
        whole = {"alignment": alignment.to_dict(), "advice": advice.to_dict(), "verdict": verdict.to_dict()}
        emit(arguments, to_json(whole))
        return
    parts = [alignment.to_text(), wrapped(advice.summary, indent="  "), verdict.to_text()]
    if arguments.figure:
        parts.append(f"Figure:  {arguments.figure}")
    emit(arguments, "\n\n".join(parts))
