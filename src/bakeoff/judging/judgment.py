"""Judge: from scores to a verdict, by the procedure asked for or the one that fits the design."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from bakeoff.adjustments import ADJUSTMENTS
from bakeoff.errors import UsageError
from bakeoff.evidence import SINGLE_STEP
from bakeoff.finding import Finding
from bakeoff.judging.analysis import analyse
from bakeoff.judging.designs import about_design
from bakeoff.judging.groups import maximal_groups, order_of
from bakeoff.judging.identical import about_scores, no_claims_for, without_results
from bakeoff.judging.one_sample import of_test_rows
from bakeoff.judging.recommending import recommended
from bakeoff.judging.relevance import checked_margin
from bakeoff.judging.standing import standing_of
from bakeoff.judging.verdict import Judged, Verdict, decide
from bakeoff.judging.warnings import CodedWarning, about_data, about_finding, about_problem, about_units
from bakeoff.procedures.card import Answers
from bakeoff.registry import procedure_named
from bakeoff.scores import Missing, Scores, blocks, samples
from bakeoff.scores import layout as read_layout
from bakeoff.scores.accepting import as_scores
from bakeoff.scores.runs import declared

if TYPE_CHECKING:
    import pandas as pd


def judge(
    scores: Scores | pd.DataFrame,
    procedure: str | None = None,
    *,
    measure: str | None = None,
    margin: float | None = None,
    adjust: str | None = None,
    level: str | None = None,
    missing: str | Missing = Missing.ERROR,
    runs: str | None = None,
    **request: Any,
) -> Verdict:
    """What may be claimed about these learners.

    Without `procedure` the advisor's choice is used. `margin` is the difference in the measure that would matter in
    practice, fixed in advance: with it, learners can be found equivalent or non-inferior. `runs` says what runs of one
    task are, if the table does not: "independent", "fixed-split", or "random-splits" with their `ratio` of test to
    training size. All other arguments are those of `analyse`.
    """
    checked_margin(margin)
    scores = came = declared(as_scores(scores, measure), runs, _ratio_of_runs(procedure, runs, request))
    said = {"measure": measure, "procedure": procedure, "margin": margin, "adjust": adjust, "level": level}
    scores, named, measure = of_test_rows(scores, procedure, measure, level)
    chosen = named or recommended(scores, measure, level, missing, margin=margin, **request)
    standing = standing_of(came, {**said, "missing": missing, **request}, None if procedure else chosen)
    card = procedure_named(chosen).card
    if card.answers not in (Answers.PAIRS, Answers.EACH):
        raise UsageError(
            f"{card.title} answers about {card.answers.value}; a verdict needs answers about pairs of learners. "
            f"Use `bakeoff analyse --with {card.name}` for its own answer (in Python analyse(scores, {card.name!r}))."
        )
    extra: list[CodedWarning] = []
    if margin is not None and not card.posterior:
        own_joint_law = card.default_adjust == SINGLE_STEP and request.get("control") is None
        adjust = _single_level(adjust, extra) if adjust or own_joint_law else "bonferroni"
    asked = {"measure": measure, "adjust": adjust, "margin": margin, "level": level, "missing": missing, **request}
    found = replace(analyse(replace(scores, provenance=None), chosen, **asked), standing=standing)
    if margin is not None and not found.on_measure:
        extra.append(
            CodedWarning(
                "margin-not-applicable",
                f"The margin is a difference in {found.measure.name}, but {found.title} compares {found.scale}s.",
                "Equivalence cannot be judged from it; the margin was not used.",
            )
        )
        margin = None
    card = procedure_named(found.procedure).card  # a fallback may have answered
    table = scores.only(measure=measure) if measure is not None else scores
    facts = read_layout(table, level=found.level, missing=Missing(missing))
    policy = Missing(missing)
    sheet = blocks(table, level=found.level, missing=policy, incomplete=card.incomplete) if card.paired else None
    failed = without_results(table, policy)
    decisions = no_claims_for(failed, [decide(row, found.sign, found.alpha, margin) for row in found.pairs])
    groups, order, tangled = _groups(found, decisions)
    apart = any(judged.apart for judged in decisions)
    warned = [*about_data(facts, sheet), *about_finding(found, card, facts), *extra, *tangled]
    warned += [*about_problem(facts, margin=margin, apart=apart), *about_units(scores)]
    warned += [*about_design(facts, card, request), *about_scores(sheet, failed)]
    drawn = sheet or samples(table, level=found.level)
    means = {name: float(mean) for name, mean in zip(drawn.learners, drawn.means, strict=True)}
    if found.measure.name != drawn.measure.name:  # the procedure computes a measure of its own, such as the AUC
        means = dict(found.position)
    return Verdict(found, margin, decisions, groups, order, tuple(warned), means)


def _ratio_of_runs(procedure: str | None, runs: str | None, request: dict[str, Any]) -> float | None:
    """A ratio that says what runs are. Beside a procedure by name it is an option of that procedure."""
    if procedure is None:
        ratio: float | None = request.pop("ratio", None)
        return ratio
    return None if runs is None else request.get("ratio")


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
