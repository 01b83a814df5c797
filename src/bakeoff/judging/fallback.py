"""Fallback: a procedure that ends at a number of learners, what answers in its place, and how that is said."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from bakeoff.evidence import SINGLE_STEP
from bakeoff.measures.known import plain
from bakeoff.procedures.card import Card
from bakeoff.registry import answering


@dataclass(frozen=True)
class Answering:
    """The card of the procedure that answers, and the adjustment and options that were asked for in its terms.

    `instead_of` names the procedure that was asked for, if that is another one, and `because` says why, in a sentence.
    """

    card: Card
    adjust: str | None
    options: Mapping[str, Any]
    instead_of: str = ""
    because: str = ""


def answering_for(asked: Card, learners: int, adjust: str | None, options: Mapping[str, Any]) -> Answering:
    """The procedure that was asked for, or its fallback for so many learners.

    The adjustment that the one makes itself is that of the other. Options that the other does not have are left out,
    and the sentence names them.

    >>> from bakeoff.registry import explain
    >>> made = answering_for(explain("closed-testing"), 6, "closed testing", {"method": "exact"})
    >>> made.card.name, made.adjust, dict(made.options)
    ('aligned-tukey', 'single-step', {})
    >>> made.because.endswith("The option method was not used.")
    True
    """
    card = answering(asked, learners)
    if asked.fallback is None or card is asked:
        return Answering(asked, adjust, options)
    if adjust is not None and plain(str(adjust)) == plain(asked.single_step):
        adjust = SINGLE_STEP
    own = {option.name for option in card.options}
    kept = {name: value for name, value in options.items() if name in own}
    because = (
        f"{asked.name} was asked for, which is for at most {asked.fallback.most} learners; with {learners}, "
        f"{card.name} ({card.title}) answers in its place."
    )
    if unused := [name for name in options if name not in own]:
        several = len(unused) > 1
        because += f" The option{'s' * several} {', '.join(unused)} {'were' if several else 'was'} not used."
    return Answering(card, adjust, kept, asked.name, because)
