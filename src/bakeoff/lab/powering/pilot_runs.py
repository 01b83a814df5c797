"""Runs of a pilot of which it is not known whether they are independent: what power says about them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from bakeoff.errors import BakeoffError
from bakeoff.judging.designs import MEASURED, about_design
from bakeoff.procedures.card import Card
from bakeoff.scores import Level, Missing, Scores
from bakeoff.scores import layout as read_layout
from bakeoff.scores.runs import declared

_UNKNOWN = (
    "What the {n} runs of the pilot are is not known. Runs on random splits of one data set overlap: what takes them "
    f"for independent then claims too much ({MEASURED}), and its power is none. Plan for corrected-t with its ratio "
    "(bakeoff power corrected-t --ratio N_TEST/N_TRAIN as a number) if they are random splits; say --pilot-runs "
    "independent if each learned from a sample of its own, or --pilot-runs fixed-split if all used one split and "
    "differ in their seed only (in Python runs=)."
)


def with_runs(pilot: Scores | None, runs: str | None, options: Mapping[str, Any]) -> Scores | None:
    """A pilot, with what was said of its runs. The ratio of random splits is that of the test."""
    return pilot if pilot is None or runs is None else declared(pilot, runs, options.get("ratio"))


def about_pilot(
    pilot: Scores | None, card: Card, measure: str | None, level: str | None, missing: str | Missing
) -> tuple[str, ...]:
    """What to know of the runs of a pilot that a test is planned from."""
    if pilot is None:
        return ()
    try:
        facts = read_layout(pilot, measure, level=Level(level) if level else None, missing=Missing(missing))
    except BakeoffError:
        return ()  # the pilot was read otherwise: not as runs
    said = {warning.code: f"{warning.text} {warning.action}" for warning in about_design(facts, card)}
    if "unknown-runs" in said:
        said["unknown-runs"] = _UNKNOWN.format(n=facts.n_blocks)
    return tuple(said.values())
