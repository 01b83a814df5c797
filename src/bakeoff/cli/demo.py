"""`bakeoff demo`: a real comparison from shipped scores to a verdict and a figure."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from importlib.resources import files
from pathlib import Path

from bakeoff.cli import main
from bakeoff.errors import InputError
from bakeoff.presentation import wrapped

_STORY = (
    "Dietterich (2000) measured the error rate of C4.5 decision trees, and of three ways to combine many of them, on "
    "33 data sets. Which method learns most from the data?"
)


def run(arguments: argparse.Namespace, rest: Sequence[str]) -> None:
    folder = Path(arguments.output)
    scores, figure, verdict = (folder / name for name in ("scores.csv", "critical-difference.svg", "verdict.json"))
    table = (files("bakeoff") / "data" / "dietterich2000.csv").read_text(encoding="utf-8")
    try:
        folder.mkdir(parents=True, exist_ok=True)
        scores.write_text(table, encoding="utf-8")
    except OSError as error:
        raise InputError(f"The demo cannot write there: {error.strerror}.", source=str(folder)) from error
    command = ["compare", str(scores), "--measure", "error"]
    print(wrapped(_STORY), f"$ bakeoff {' '.join(command)} --figure {figure}", sep="\n\n", end="\n\n")
    for further in (["--figure", str(figure)], ["--json", "--output", str(verdict)]):
        if code := main([*command, *further]):
            raise SystemExit(code)
    print(f"Scores:  {scores}\nVerdict: {verdict} (everything, with full precision)")
