"""The design of an experiment as a text, so that a table of scores can say in a column what its labels do not tell.

    real world: the empirical distribution of this learning sample
    simulation: the generator twonorm and this fixed test sample of 200 rows; independent samples
    runs on samples of their own

First comes the problem that is solved, then what its conclusions are conditional on. Further parts say that each
learner had samples of its own, though they are numbered alike, and how runs were split (see `splitting`). Without a
text, repeats and folds are what they seem.
"""

from __future__ import annotations

from dataclasses import dataclass

from bakeoff.scores.problem import COMPETITION, REAL_WORLD, SIMULATION, Problem, problem_given
from bakeoff.scores.splitting import NOT_KNOWN, Splitting, splitting_from

COLUMN = "design"
INDEPENDENT = "independent samples"
_LONGEST = 500


@dataclass(frozen=True, slots=True)
class Design:
    """What blocks were drawn from, if they are draws, whether learners share them, and how runs were split: see
    `Scores`."""

    problem: Problem | None = None
    independent: bool = False
    splitting: Splitting = NOT_KNOWN

    def __str__(self) -> str:
        """
        >>> str(Design(problem_given(REAL_WORLD, "this sample"), independent=True))
        'real world: this sample; independent samples'
        """
        drawn = "" if self.problem is None else f"{self.problem.kind}: {self.problem.conditional_on}"
        own = INDEPENDENT if self.independent else ""
        return "; ".join(part for part in (drawn, own, *self.splitting.parts) if part)


def design_from(text: str) -> Design | None:
    """The design that a text says; None if it says something else, as a column of that name may.

    >>> design_from("simulation: the generator twonorm").problem.blocks
    'learning samples drawn from the generator twonorm'
    >>> design_from("2^(5-1) fractional factorial")
    """
    if not text.isprintable() or len(text) > _LONGEST:
        return None
    drawn, parts = text.split("; "), list[str]()
    while drawn and (drawn[-1] == INDEPENDENT or splitting_from((drawn[-1],)) is not None):
        parts.insert(0, drawn.pop())
    splitting = splitting_from(tuple(part for part in parts if part != INDEPENDENT))
    if splitting is None or parts.count(INDEPENDENT) > 1:
        return None
    problem = None
    if drawn:
        kind, colon, conditional_on = "; ".join(drawn).partition(": ")
        if not colon or kind not in (SIMULATION, COMPETITION, REAL_WORLD) or not conditional_on.strip():
            return None
        problem = problem_given(kind, conditional_on)
    return Design(problem, INDEPENDENT in parts, splitting)
