"""MultiTest: a full order of learners from one-sided tests of pairs and a prior order of their cost.

Tests tell pairs apart, or do not; they need not give an order. MultiTest (Yıldız and Alpaydın 2006) adds what the user
knows beforehand: which learner is cheaper. A costlier learner goes before a cheaper one only if it is significantly
better, so that of learners that the data do not tell apart the cheapest comes first.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from html import escape
from typing import TYPE_CHECKING, Any

import numpy as np

from bakeoff import text as show
from bakeoff.errors import MisfitError, UsageError, nearest
from bakeoff.inference.adjustments import adjust as adjust_p
from bakeoff.inference.adjustments import adjustment_named
from bakeoff.inference.finding import Finding
from bakeoff.judging.advice import about_design, advice_on
from bakeoff.judging.analysis import find
from bakeoff.judging.case import Case
from bakeoff.judging.planned import unplanned
from bakeoff.judging.request import Request
from bakeoff.procedures import procedure_named
from bakeoff.procedures.card import Answers, Card
from bakeoff.records import Answer, Record
from bakeoff.scores import Missing, Scores
from bakeoff.scores.provenance import PlanStatus
from bakeoff.scores.reading import as_scores
from bakeoff.text import CodedWarning

if TYPE_CHECKING:
    import pandas as pd


@dataclass(frozen=True, slots=True, eq=False)
class CostTest(Record):
    """Whether the costlier of two learners is better: p one-sided, adjusted for the number of pairs."""

    cheaper: str
    costlier: str
    p: float
    p_adjusted: float
    beats: bool


@dataclass(frozen=True, eq=False)
class Order(Answer):
    """The learners from the best to the worst, cost deciding where the data do not.

    Without a cost (`cost_order` is empty) `groups` are all there is to it: in the first are those that no other one
    beats, in the second those that only learners of the first beat, and so on. `costs` are numbers that were measured.
    No study can plan it yet: `standing` says so of scores that come from one.
    """

    source: str
    measure: str
    procedure: str
    title: str
    alpha: float
    adjust_title: str
    cost_order: tuple[str, ...]
    order: tuple[str, ...]
    tests: tuple[CostTest, ...]
    standing: PlanStatus | None = None
    warnings: tuple[CodedWarning, ...] = ()
    groups: tuple[tuple[str, ...], ...] = ()
    cost_measure: str = ""
    costs: Mapping[str, float] = field(default_factory=dict)

    @property
    def best(self) -> str:
        return self.order[0]

    @property
    def sentence(self) -> str:
        """The outcome in words."""
        if not self.cost_order:
            return self._sentence_of_groups()
        beaten = [test.cheaper for test in self.tests if test.beats and test.costlier == self.best]
        why = "no costlier learner is significantly better"
        if beaten:
            why = f"it is significantly better than the cheaper {show.listing(beaten)}, and {why}"
        text = f"First is {self.best}: {why}. The whole order: {', '.join(self.order)}."
        return text if self.standing is None else f"{self.standing} {text}"

    def _sentence_of_groups(self) -> str:
        first, *rest = self.groups
        text = (
            f"First {'is' if len(first) == 1 else 'are'} {show.listing(list(first), 8)}, which no other learner beats"
        )
        text += "".join(f"; then {show.listing(list(group), 8)}" for group in rest) + "."
        if any(len(group) > 1 for group in self.groups):
            text += " Within a group nothing is claimed: a cost (--cost, --cost-measure) would decide there."
        return text if self.standing is None else f"{self.standing} {text}"

    @property
    def heading(self) -> str:
        if not self.cost_order:
            return (
                f"Order by {self.title} of {self.measure} (one-sided, each against each, {self.adjust_title}, "
                f"α = {show.number(self.alpha)})"
            )
        return (
            f"MultiTest by {self.title} of {self.measure} (one-sided: the costlier is better, {self.adjust_title}, "
            f"α = {show.number(self.alpha)})"
        )

    def table(self) -> tuple[list[str], list[list[str]]]:
        header = ["costlier", "cheaper", "p", "adjusted p", "costlier is better"]
        if not self.cost_order:
            header = ["first", "second", "p", "adjusted p", "first is better"]
        cells = [
            [t.costlier, t.cheaper, show.p_value(t.p), show.p_value(t.p_adjusted), "yes" if t.beats else "not shown"]
            for t in self.tests
        ]
        return header, cells

    def to_text(self) -> str:
        costs = [f"{name} ({show.number(self.costs[name])})" if self.costs else name for name in self.cost_order]
        by = f" ({self.cost_measure})" if self.cost_measure else ""
        parts = [self.heading, *([f"Cost{by}, cheapest first: {', '.join(costs)}."] if costs else [])]
        parts.append(show.text_table(*self.table(), left=2))
        parts.append(show.wrapped(self.sentence))
        parts += [show.wrapped(f"Warning {warning}", indent="  ") for warning in self.warnings]
        return "\n\n".join(parts)

    def to_dict(self) -> dict[str, Any]:
        fields: dict[str, Any] = {"sentence": self.sentence, **show.to_json_value(self)}
        return fields

    def _repr_html_(self) -> str:
        return f"<p>{escape(self.sentence)}</p>{show.html_table(*self.table(), self.heading)}"


def order_by_cost(cost_order: Sequence[int], beaten_by: Sequence[tuple[int, int]]) -> list[int]:
    """The order from the best on: again and again the cheapest of those that no remaining costlier one beats.

    `beaten_by` holds pairs (i, j): j is costlier than i and significantly better.

    >>> order_by_cost([0, 1, 2, 3, 4], [(0, 1), (0, 3), (1, 3), (2, 3)])
    [3, 1, 0, 2, 4]
    """
    left, order = list(cost_order), []
    while left:
        first = next(i for i in left if not any((i, j) in beaten_by for j in left))
        order.append(first)
        left.remove(first)
    return order


def layers(learners: Sequence[str], beats: Collection[tuple[str, str]]) -> tuple[tuple[str, ...], ...]:
    """Groups of learners: again and again those that none of the remaining ones beats. `beats` has (winner, loser).

    >>> layers(["a", "b", "c", "d"], {("a", "c"), ("b", "c"), ("c", "d"), ("a", "d")})
    (('a', 'b'), ('c',), ('d',))
    """
    left, layers = list(learners), []
    while left:
        first = [name for name in left if not any((other, name) in beats for other in left)]
        first = first or left  # each is beaten by another one: tests of pairs can go round in a circle
        layers.append(tuple(first))
        left = [name for name in left if name not in first]
    return tuple(layers)


def measured_cost(scores: Scores, measure: str) -> dict[str, float]:
    """The mean of a measure such as parameters or time, by learner."""
    table = scores.only(measure=measure)
    if table.measures[measure].larger_is_better:
        raise UsageError(f"Of {measure} more is better, so that it is no cost. Name a measure of which less is better.")
    costs = {}
    for code, name in enumerate(table.learners):
        values = table.value[table.learner.codes == code]
        if not np.isfinite(values).any():
            raise MisfitError(f"{name} has no value of {measure} in {table.source}, so that its cost is not known.")
        costs[name] = float(np.nanmean(values))
    return costs


def multitest(
    scores: Scores | pd.DataFrame,
    *,
    cost_order: Sequence[str] | None = None,
    cost_measure: str | None = None,
    costs: Mapping[str, float] | None = None,
    procedure: str | None = None,
    alpha: float = 0.05,
    adjust: str = "holm",
    measure: str | None = None,
    level: str | None = None,
    missing: str | Missing = Missing.ERROR,
    anyway: bool = False,
    **options: Any,
) -> Order:
    """Order learners from the best to the worst, given which is cheaper; without a cost, in groups.

    `cost_order` names all learners, cheapest first: by training time, memory, or how well they can be explained, known
    before the scores are looked at; or `costs` are numbers by learner, or `cost_measure` is a measure in the table, as
    parameters or fit_time. Each pair is tested one-sidedly, whether the costlier one is better, by `procedure`
    (without it the advisor's choice among those that have sides), adjusted for the number of pairs. All other arguments
    are those of `analyse`.
    """
    request = Request.of(
        procedure, measure=measure, alpha=alpha, adjust="none", level=level, missing=missing, anyway=anyway, **options
    )
    scores = as_scores(scores, None if measure is None or cost_measure is None else (measure, cost_measure))
    if cost_measure is not None and costs is None:
        costs = measured_cost(scores, cost_measure)
        scores = scores.only(measures=[name for name in scores.measure.labels if name != cost_measure])
    cost_order = cost_order if costs is None else sorted(costs, key=costs.__getitem__)
    case = Case(scores, request)
    case.require_one_measure()
    if cost_order is not None:
        _check_names(cost_order, case.scores.learners)
    chosen = procedure or _one_sided(case)
    card = procedure_named(chosen).card
    if not _has_sides(card):
        raise UsageError(
            f"MultiTest needs one-sided tests of pairs, and {card.title} has none: use another procedure, such as "
            "corrected-t, paired-t or wilcoxon."
        )
    better, worse = (find(case.asking(procedure=chosen, alternative=side)) for side in ("better", "worse"))
    named = adjustment_named(adjust)
    common: dict[str, Any] = {
        "source": better.source,
        "measure": better.measure.name,
        "procedure": card.name,
        "title": card.title,
        "alpha": alpha,
        "adjust_title": f"{named.title} adjustment" if named.name != "none" else named.title,
        "standing": unplanned(case.origin, "an order by cost"),
        "warnings": tuple(about_design(case.layout(better.level), card, options)),
    }
    if cost_order is None:
        return _without_cost(better, worse, adjust, common)
    rank = {name: place for place, name in enumerate(cost_order)}
    tests = _cost_tests(better, worse, rank, alpha, adjust)
    edges = [(rank[test.cheaper], rank[test.costlier]) for test in tests if test.beats]
    return Order(
        **common,
        cost_order=tuple(cost_order),
        order=tuple(cost_order[i] for i in order_by_cost(range(len(cost_order)), edges)),
        tests=tuple(sorted(tests, key=lambda test: (rank[test.costlier], rank[test.cheaper]))),
        cost_measure=cost_measure or "",
        costs=dict(costs or {}),
    )


def _cost_tests(better: Finding, worse: Finding, rank: Mapping[str, int], alpha: float, adjust: str) -> list[CostTest]:
    """Whether the costlier of each pair is better. A row is read as first − second: "better" asks whether the first is,
    "worse" whether the second is."""
    rows = [b if rank[b.first] > rank[b.second] else w for b, w in zip(better.pairs, worse.pairs, strict=True)]
    pairs = [tuple(sorted((row.first, row.second), key=rank.__getitem__)) for row in rows]
    p = np.array([row.p for row in rows])
    adjusted = adjust_p(p, adjust, [(rank[a], rank[b]) for a, b in pairs])
    return [
        CostTest(cheaper, costlier, float(one), float(all_), bool(all_ <= alpha))
        for (cheaper, costlier), one, all_ in zip(pairs, p, adjusted, strict=True)
    ]


def _without_cost(better: Finding, worse: Finding, adjust: str, common: Mapping[str, Any]) -> Order:
    """Each learner against each other one, both ways; adjusted for all of these tests, two for each pair."""
    if adjustment_named(adjust).of_pairs is not None:
        raise UsageError(f"The adjustment {adjust} is for pairs; without a cost each is tested both ways: use holm.")
    ways = [(row.first, row.second, row.p) for row in better.pairs]
    ways += [(row.second, row.first, row.p) for row in worse.pairs]
    adjusted = adjust_p(np.array([p for _, _, p in ways]), adjust)
    alpha = common["alpha"]
    tests = [
        CostTest(loser, winner, float(p), float(all_), bool(all_ <= alpha))
        for (winner, loser, p), all_ in zip(ways, adjusted, strict=True)
    ]
    place = {name: i for i, name in enumerate(better.ranking)}
    groups = layers(better.ranking, {(test.costlier, test.cheaper) for test in tests if test.beats})
    return Order(
        **common,
        cost_order=(),
        order=tuple(name for group in groups for name in group),
        tests=tuple(sorted(tests, key=lambda test: (place[test.costlier], place[test.cheaper]))),
        groups=groups,
    )


def _check_names(cost_order: Sequence[str], learners: Sequence[str]) -> None:
    """All learners, each once."""
    for name in cost_order:
        if name not in learners:
            raise UsageError(f"There is no learner {name!r} to be given a cost. {nearest(name, learners)}")
    if len(set(cost_order)) < len(cost_order):
        twice = next(name for name in cost_order if list(cost_order).count(name) > 1)
        raise UsageError(f"The cost order names {twice!r} twice.")
    if missing := [name for name in learners if name not in cost_order]:
        raise UsageError(f"The cost order must name every learner, cheapest first; not in it: {show.listing(missing)}.")


def _has_sides(card: Card) -> bool:
    return card.sides and card.answers is Answers.PAIRS and not card.posterior


def _one_sided(case: Case) -> str:
    """The advisor's choice, if it has sides; else the next that fits and has them."""
    advice = advice_on(case)
    cards = [procedure_named(candidate.procedure).card for candidate in advice.fitting]
    fitting = sorted((card.rank, card.name) for card in cards if _has_sides(card))
    if advice.recommended in [name for _, name in fitting]:
        return advice.recommended
    if not fitting:
        raise MisfitError(
            f"No procedure with one-sided tests of pairs fits {advice.layout.source} ({advice.layout.sentence}).",
            alternatives=[warning.action for warning in advice.warnings],
        )
    return fitting[0][1]
