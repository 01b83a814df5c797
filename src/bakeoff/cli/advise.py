"""`bakeoff advise`: which procedures fit, which do not, and why."""

from __future__ import annotations

import argparse
from collections.abc import Sequence

from bakeoff.cli.output import emit
from bakeoff.cli.reading import measure_of, scores_of
from bakeoff.judging import advise


def run(arguments: argparse.Namespace, rest: Sequence[str]) -> None:
    scores = scores_of(arguments)
    measure = measure_of(arguments, scores)
    advice = advise(scores, measure=measure, level=arguments.level, missing=arguments.missing)
    emit(arguments, advice.to_json() if arguments.json else advice.to_text())
