"""`bakeoff demo`: a real study from shipped data to a verdict and a figure; or a comparison of published scores."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from importlib.resources import files
from pathlib import Path

from bakeoff.cli import main
from bakeoff.errors import InputError
from bakeoff.text import wrapped

_STUDY = (
    "Five learners, from a rule about a single attribute to a support vector machine that is tuned inside each "
    "learning sample, on twelve real data sets. Which learns most from the data?"
)
_SCORES = (
    "Dietterich (2000) measured the error rate of C4.5 decision trees, and of three ways to combine many of them, on "
    "33 data sets. Which method learns most from the data?"
)


def run_demo(arguments: argparse.Namespace, rest: Sequence[str]) -> None:
    folder = Path(arguments.output)
    if arguments.scores:
        _published_scores(folder)
    else:
        _real_study(folder)


def _real_study(folder: Path) -> None:
    study, figure, verdict = (folder / name for name in ("study.toml", "critical-difference.svg", "verdict.json"))
    theirs = _place(study, "demo.toml", keep=True)
    print(wrapped(f"{study} is there already, and is used as it is." if theirs else _STUDY), end="\n\n")
    _do("plan", str(study))
    _do("run", str(study), "-j", "2")
    _do("judge", str(study), "--figure", str(figure))
    _do("judge", str(study), "--json", "-o", str(verdict), quiet=True)
    print(
        f"Study:   {study}\nScores:  {study.with_suffix('.sqlite')} (and every prediction; bakeoff export writes "
        f"tables)\nVerdict: {verdict} (everything, with full precision)"
    )
    _do("report", str(study), "-o", str(folder / "report.html"), quiet=True)


def _published_scores(folder: Path) -> None:
    scores, figure, verdict = (folder / name for name in ("scores.csv", "critical-difference.svg", "verdict.json"))
    _place(scores, "dietterich2000.csv", keep=False)
    print(wrapped(_SCORES), end="\n\n")
    command = ("compare", str(scores), "--measure", "error")
    _do(*command, "--figure", str(figure))
    _do(*command, "--json", "-o", str(verdict), quiet=True)
    print(f"Scores:  {scores}\nVerdict: {verdict} (everything, with full precision)")
    _do("report", str(scores), "--measure", "error", "-o", str(folder / "report.html"), quiet=True)


def _place(target: Path, shipped: str, *, keep: bool) -> bool:
    """Put a shipped file there; if one is to be kept that somebody changed, say so by returning True."""
    content = (files("bakeoff") / "data" / shipped).read_text(encoding="utf-8")
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        if keep and target.exists():
            return target.read_text(encoding="utf-8") != content
        target.write_text(content, encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        reason = getattr(error, "strerror", None) or str(error)
        raise InputError(f"The demo cannot write there: {reason}.", source=str(target.parent)) from error
    return False


def _do(*command: str, quiet: bool = False) -> None:
    """Run one command as the user would type it; what fails it fails the demo."""
    if not quiet:
        print(f"$ bakeoff {' '.join(command)}", end="\n\n", flush=True)
    if code := main(command):
        raise SystemExit(code)
    if not quiet:
        print()
