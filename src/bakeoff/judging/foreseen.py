"""What can be said of a request before there are scores: words that nothing knows, options that a procedure lacks."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from bakeoff.adjustments import ADJUSTMENTS, adjustment_named
from bakeoff.contrasts import Contrasts, contrasts
from bakeoff.errors import UsageError, nearest
from bakeoff.evidence import SINGLE_STEP
from bakeoff.judging.fallback import answering_for
from bakeoff.judging.relevance import checked_margin
from bakeoff.judging.request import (
    ALSO_CALLED,
    Request,
    adjustment_asked_for,
    adjustment_of_each,
    check_number_of_measures,
    checked_alternative,
    checked_level,
    checked_missing,
    checked_options,
)
from bakeoff.mathematics.laws import check_alpha
from bakeoff.measures.known import plain
from bakeoff.procedures.card import Compares
from bakeoff.registry import procedure_named, procedures


def check_request(
    procedure: str | None,
    learners: Sequence[str],
    *,
    measure: str | Sequence[str] = "",
    contrast: Any = "all-pairs",
    control: str | None = None,
    adjust: str | None = None,
    alternative: str = "two-sided",
    level: str | None = None,
    missing: str = "error",
    alpha: float = 0.05,
    margin: float | None = None,
    options: Mapping[str, Any] | None = None,
) -> None:
    """Raise a UsageError for what `judge` would refuse whatever the scores turn out to be.

    >>> check_request("freidman", ["svm", "tree"])
    Traceback (most recent call last):
    bakeoff.errors.UsageError: There is no procedure 'freidman'. Did you mean 'friedman'? ...
    """
    checked_level(level)
    rate, policy = check_alpha(alpha), checked_missing(missing)
    request = Request(rate, contrast, control, adjust, alternative, policy, False, checked_margin(margin))
    family = contrasts(contrast, learners, range(len(learners)), control) if len(learners) > 1 else None
    if procedure is None:
        if options:
            raise UsageError(f"Options ({', '.join(options)}) are a procedure's own: say which one.")
        _check_adjustment(adjust)
        return
    card = procedure_named(procedure).card
    check_number_of_measures(card, measure)
    checked_options(card, options or {})
    answer = answering_for(card, len(learners), adjust, options or {})
    card, request = answer.card, replace(request, adjust=answer.adjust)
    checked_alternative(card, alternative)
    if card.compares is Compares.ONE:
        adjustment_of_each(card, request)
    else:
        _check_pairs(card.title, family)
        assert family is not None
        adjustment_asked_for(card, request, family)


def _check_pairs(title: str, family: Contrasts | None) -> None:
    if family is None:
        raise UsageError(f"{title} compares learners, and there is only one.")


def _check_adjustment(name: str | None) -> None:
    """An adjustment for whatever procedure will fit: any that some procedure knows."""
    if name is None or plain(name) in (*ALSO_CALLED, plain(SINGLE_STEP)):
        return
    try:
        adjustment_named(name)
    except UsageError:
        cards = [each.card for each in procedures()]
        own = {word for card in cards for word in (card.single_step, *card.further_adjust) if word}
        if plain(name) not in {plain(word) for word in own}:
            known = [*ADJUSTMENTS, SINGLE_STEP, *(word.lower() for word in own)]
            raise UsageError(f"There is no adjustment {name!r}. {nearest(name, set(known))}") from None
