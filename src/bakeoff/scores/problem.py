"""The problem that an experiment solves: from which data generating process its learning samples were drawn.

Hothorn, Leisch, Zeileis and Hornik (2005), section 3.2, doi:10.1198/106186005X59630. Given the process, the scores of
its samples are independent draws, which ordinary tests may compare; and what they conclude is conditional on it.
"""

from __future__ import annotations

from dataclasses import dataclass

from bakeoff.resampling.scheme import COMPETITION as COMPETITION
from bakeoff.resampling.scheme import REAL_WORLD as REAL_WORLD
from bakeoff.resampling.scheme import SIMULATION as SIMULATION


@dataclass(frozen=True, slots=True)
class Problem:
    """`kind` is simulation, competition or real world; `blocks` says what was drawn, in the plural.

    `conditional_on` completes "the conclusion is conditional on …". `fixed_test` tells that all samples were tested on
    one test sample that is not the learning sample's own.
    """

    kind: str
    blocks: str
    conditional_on: str
    fixed_test: bool = False
