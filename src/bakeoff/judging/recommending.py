"""The procedure that a request without one means: the first that fits the design and can answer what is asked."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from bakeoff.errors import MisfitError
from bakeoff.judging.advice import advise
from bakeoff.procedures.card import Answers
from bakeoff.registry import procedure_named
from bakeoff.scores import Layout, Missing, Scores


def recommended(
    scores: Scores,
    measure: str | Sequence[str] | None,
    level: str | None,
    missing: str | Missing,
    *,
    margin: float | None = None,
    control: str | None = None,
    contrast: Any = "all-pairs",
    alternative: str = "two-sided",
    **_: Any,
) -> str:
    """The first of the procedures that fit the design which can also answer what is asked: about a margin, about other
    contrasts than all pairs, or about one side."""
    advice = advise(scores, measure=measure, level=level, missing=missing)
    decisions_will_do = (margin, control, contrast, alternative) == (None, None, "all-pairs", "two-sided")
    for name in advice.ranked:
        if decisions_will_do or procedure_named(name).card.intervals:
            return name
    if advice.recommended:
        return advice.recommended
    facts: Layout = advice.layout
    aim = Answers.EACH if facts.n_learners == 1 else Answers.MULTIVARIATE if advice.together else Answers.PAIRS
    raise MisfitError(
        f"No procedure can judge {facts.source} ({facts.sentence}):",
        unmet=[str(warning) for warning in advice.warnings]
        or [f"{c.procedure}: {'; '.join(c.unmet)}" for c in advice.candidates if c.answers is aim],
    )
