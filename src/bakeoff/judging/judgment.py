"""Judge: from scores to a verdict, by the procedure asked for or the one that fits the design."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from bakeoff.adjustments import ADJUSTMENTS
from bakeoff.errors import MisfitError, UsageError
from bakeoff.evidence import SINGLE_STEP
from bakeoff.finding import Finding
from bakeoff.judging.advice import advise
from bakeoff.judging.analysis import analyse
from bakeoff.judging.groups import maximal_groups, order_of
from bakeoff.judging.relevance import checked_margin
from bakeoff.judging.verdict import Judged, Verdict, decide
from bakeoff.judging.warnings import CodedWarning, about_data, about_finding, about_problem
from bakeoff.procedures.card import Answers
from bakeoff.registry import procedure_named
from bakeoff.scores import Layout, Missing, Scores, blocks, samples
from bakeoff.scores import layout as read_layout


def judge(
    scores: Scores,
    procedure: str | None = None,
    *,
    measure: str | None = None,
    margin: float | None = None,
    adjust: str | None = None,
    level: str | None = None,
    missing: str | Missing = Missing.ERROR,
    **request: Any,
) -> Verdict:
    """What may be claimed about these learners.

    Without `procedure` the advisor's choice is used. `margin` is the difference in the measure that would matter in
    practice, fixed in advance: with it, learners can be found equivalent or non-inferior. All other arguments are those
    of `analyse`.
    """
    checked_margin(margin)
    chosen = procedure or _recommended(scores, measure, level, missing, margin=margin, **request)
    card = procedure_named(chosen).card
    if card.answers not in (Answers.PAIRS, Answers.EACH):
        raise UsageError(
            f"{card.title} answers about {card.answers.value}; a verdict needs answers about pairs of learners. "
            f"Use `bakeoff analyse --with {card.name}` for its own answer."
        )
    extra: list[CodedWarning] = []
    if margin is not None and not card.posterior:
        own_joint_law = card.default_adjust == SINGLE_STEP and request.get("control") is None
        adjust = _single_level(adjust, extra) if adjust or own_joint_law else "bonferroni"
    found = analyse(
        scores, chosen, measure=measure, adjust=adjust, margin=margin, level=level, missing=missing, **request
    )
    if margin is not None and not found.on_measure:
        extra.append(
            CodedWarning(
                "margin-not-applicable",
                f"The margin is a difference in {found.measure.name}, but {found.title} compares {found.scale}s.",
                "Equivalence cannot be judged from it; the margin was not used.",
            )
        )
        margin = None
    table = scores.only(measure=measure) if measure is not None else scores
    facts = read_layout(table, level=found.level, missing=Missing(missing))
    sheet = blocks(table, level=found.level, missing=Missing(missing)) if card.paired else None
    decisions = tuple(decide(row, found.sign, found.alpha, margin) for row in found.pairs)
    groups, order, tangled = _groups(found, decisions)
    apart = any(judged.apart for judged in decisions)
    warned = [*about_data(facts, sheet), *about_finding(found, card, facts), *extra, *tangled]
    warned += about_problem(facts, margin=margin, apart=apart)
    drawn = sheet or samples(table, level=found.level)
    means = {name: float(mean) for name, mean in zip(drawn.learners, drawn.means, strict=True)}
    if found.measure.name != drawn.measure.name:  # the procedure computes a measure of its own, such as the AUC
        means = dict(found.position)
    return Verdict(found, margin, decisions, groups, order, tuple(warned), means)


def _recommended(
    scores: Scores,
    measure: str | None,
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
    aim = Answers.EACH if facts.n_learners == 1 else Answers.PAIRS
    raise MisfitError(
        f"No procedure can judge {facts.source} ({facts.sentence}):",
        unmet=[str(warning) for warning in advice.warnings]
        or [f"{c.procedure}: {'; '.join(c.unmet)}" for c in advice.candidates if c.answers is aim],
    )


def _single_level(adjust: str | None, extra: list[CodedWarning]) -> str | None:
    """Claims about a margin need intervals that cover at once, which stepwise adjustments do not have."""
    if adjust is None:
        return None
    method = ADJUSTMENTS.get(adjust.lower())
    if method is None or not method.stepwise:
        return adjust
    extra.append(
        CodedWarning(
            "stepwise-margin",
            f"{method.title}'s adjustment has no simultaneous intervals to hold against a margin.",
            "Bonferroni's was used instead.",
        )
    )
    return "bonferroni"


def _groups(
    found: Finding, decisions: Sequence[Judged]
) -> tuple[tuple[tuple[str, ...], ...] | None, tuple[tuple[str, ...], ...] | None, list[CodedWarning]]:
    """Tie groups and order, if all pairs were compared."""
    k = len(found.learners)
    if len(decisions) != k * (k - 1) // 2 or k < 2:
        return None, None, []
    number = {name: i for i, name in enumerate(found.learners)}
    tied = np.ones((k, k), dtype=bool)
    for judged in decisions:
        if judged.apart:
            i, j = number[judged.first], number[judged.second]
            tied[i, j] = tied[j, i] = False
    ranking = sorted(range(k), key=lambda i: -found.sign * found.position[found.learners[i]])
    groups = maximal_groups(tied, ranking)
    names = None if groups is None else tuple(tuple(found.learners[i] for i in group) for group in groups)
    order = None if groups is None else order_of(groups, k)
    if order is not None:
        return names, tuple(tuple(found.learners[i] for i in group) for group in order), []
    warning = CodedWarning(
        "non-transitive",
        "Ties overlap: some learner is tied with two others that differ, so the groups have no order.",
        "Claim the pairs that differ, not a ranking.",
    )
    return names, None, [warning]
