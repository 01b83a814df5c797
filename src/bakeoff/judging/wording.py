"""The verdict as a paragraph."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import pairwise
from math import ceil, floor, inf, isclose, isfinite, isnan, log10
from typing import TYPE_CHECKING

import numpy as np

from bakeoff.inference.finding import MEAN_RANK
from bakeoff.mathematics.laws import normal_quantile, t_quantile
from bakeoff.procedures import procedure_named
from bakeoff.procedures.card import MEAN_RANKS
from bakeoff.scores import Level
from bakeoff.text import column, counted, counted_each, fixed, interval, listing, number, p_equals, percent

if TYPE_CHECKING:
    from bakeoff.inference.finding import Finding, Row
    from bakeoff.judging.verdict import Judged, Verdict


MANY_PAIRS = 6  # beyond so many differences groups tell more than a list of pairs
MOST_PLACED, MOST_LISTED = 8, 6  # learners of an order, and groups, that a sentence names


def paragraph(verdict: Verdict) -> str:
    """What was compared on what by which measure; the test of all; the order; what differs; what does not show; and
    what the conclusion speaks about."""
    return f"{condition(verdict)}{body(verdict)}"


def condition(verdict: Verdict) -> str:
    """What nobody knows and all of it rests on, as a sentence; empty if there is no such thing."""
    unknown, otherwise = verdict.finding.conditions, _read_otherwise(verdict)
    return f"This holds only if {listing(list(unknown))}. {otherwise}" if unknown else ""


def _read_otherwise(verdict: Verdict) -> str:
    """What would be claimed, were runs of unknown kind something else."""
    claims = {judged.better_first for judged in verdict.decisions if judged.apart}
    others = [f"{each.runs}, {each.answer}" for each in verdict.readings if set(each.claims) != claims]
    if others:
        return f"Otherwise the answer is another one: if they are {'; if they are '.join(others)}. "
    same = "the claims are the same" if claims else "nothing is shown"
    return f"Whatever of the following they are, {same}. " if verdict.readings else ""


def body(verdict: Verdict, *, answered: bool = False) -> str:
    """The paragraph without its condition; below the answer, that of a single pair is not said once more."""
    if not verdict.finding.pairs:
        return _scope(verdict) if answered else f"{_each_alone(verdict)} {_scope(verdict)}"
    how = f"{how_tested(verdict)}: {claims_in_words(verdict)}"
    if answered and len(verdict.decisions) == 1:
        how = f"{how_tested(verdict, whole=True)}."
    parts = (
        compared(verdict),
        "" if verdict.finding.posterior else all_at_once(verdict),
        order(verdict),
        how,
        what_it_takes(verdict),
        _scope(verdict),
    )
    return " ".join(part for part in parts if part)


def answer(verdict: Verdict) -> str:
    """The verdict in one sentence or two: what a reader would remember."""
    return f"{condition(verdict)}{_answer(verdict)}"


def _answer(verdict: Verdict) -> str:
    finding = verdict.finding
    if not finding.pairs:
        return _each_alone(verdict)
    if len(verdict.decisions) == 1 or not verdict.first:
        text = claims_in_words(verdict)
        against = f"Against {verdict.control}: " if verdict.control and len(verdict.decisions) > 1 else ""
        return against + text if against or _begins_with_a_name(verdict) else text[:1].upper() + text[1:]
    many = len(verdict.ranks) > MOST_PLACED
    names = f"All {len(verdict.ranks)} learners" if many else listing(list(verdict.ranking))
    kinds = {judged.decision.value for judged in verdict.decisions}
    if kinds == {"equivalent"}:
        same = "practically the same" if finding.posterior else "equivalent within the margin"
        return f"{names} are {same}, all {len(verdict.decisions)} pairs of them."
    if not any(judged.apart for judged in verdict.decisions):
        between = f"any two of the {len(verdict.ranks)} learners" if many else names
        return f"No difference between {between} is shown, which is not evidence that they are equal."
    return verdict.first_place


def _begins_with_a_name(verdict: Verdict) -> bool:
    """Whether the first claim in words is that one learner is better than another: names stay as they are written."""
    differences = sum(judged.apart for judged in verdict.decisions)
    return differences > 0 and not _groups(verdict, differences)


def compared(verdict: Verdict) -> str:
    """What was compared, on what, by which measure."""
    finding = verdict.finding
    few = len(finding.learners) <= 3
    who = listing(list(finding.learners)) if few else f"{len(finding.learners)} learners"
    return f"{place(verdict)}, {who} were compared by {finding.measure.name} ({finding.measure.better} is better)."


def _each_alone(verdict: Verdict) -> str:
    """Of learners that are not compared with one another: each by itself, and how it stands to a level."""
    finding = verdict.finding
    adjusted = not isnan(finding.against)
    rows = [
        f"{row.first}: {number(row.estimate)}, {percent(row.confidence)} interval {interval(row.lower, row.upper)}"
        + (f", {p_equals(row.p_adjusted if adjusted else row.p)}" if row.p == row.p else "")
        for row in finding.rows
        if row.first
    ]
    text = f"{place(verdict)}, {finding.estimate or finding.scale} of {'; '.join(rows)} ({finding.title})."
    return text if isnan(finding.against) else f"{text} {_held_against(verdict)}"


def how_tested(verdict: Verdict, *, whole: bool = False) -> str:
    """By what the pairs were compared, with all that a reader needs to do it again; of one pair as a `whole` sentence,
    or as what the claims follow behind a colon."""
    finding = verdict.finding
    if finding.posterior:
        return _how_believed(verdict, whole)
    by = f"{_compared_by(finding, whole)}, {finding.sides}"
    if len(finding.pairs) > 1:
        by += f", {finding.adjust_title}"
    if finding.details.get("exact"):
        by += ", all flips gone through"
    elif "draws" in finding.details:
        by += f", {finding.details['draws']:,} draws from seed {finding.details['seed']}"
    if "ratio" in finding.options:
        ratio = f"{number(finding.options['ratio'])} of test to training size, {finding.ratio_source}"
        by += f", ratio {ratio}"
    by += f", α = {number(finding.alpha)}"
    if verdict.margin is not None:
        by += f", margin of relevance {number(verdict.margin)}"
    return by


def _compared_by(finding: Finding, whole: bool) -> str:
    one = "The comparison is" if whole else "The comparison,"
    return f"{f'{len(finding.pairs)} comparisons,' if len(finding.pairs) > 1 else one} by {finding.title}"


def place(verdict: Verdict) -> str:
    """Over how many blocks of what kind."""
    finding = verdict.finding
    if finding.level is Level.SINGLE and not finding.conditional_on:
        counted_on = finding.details.get(finding.pairs[0].contrast) if len(finding.pairs) == 1 else None
        sizes = counted_on.get("n", ()) if isinstance(counted_on, Mapping) else ()
        return f"On {counted_each([int(n) for n in sizes], 'test instances')}" if sizes else "In a single run"
    things = "draws" if finding.conditional_on else finding.level.value
    where = "On" if things == Level.INSTANCES.value else "Over"
    if len(finding.n_each) == 2 and len(set(finding.n_each)) == 2:
        (first, second), (a, b) = finding.learners, finding.n_each
        return f"{where} {counted(a, things)} of {first} and {b} of {second}"
    blocks = counted_each(finding.n_each, things) if finding.n_each else counted(finding.n_blocks, things)
    grouped = f" {finding.grouped}" if finding.grouped else ""
    return f"{where} {blocks}" + (f" ({finding.averaged})" if finding.averaged else "") + grouped


def order(verdict: Verdict) -> str:
    """The learners in their order, with where each stands; of many the first and the last."""
    finding = verdict.finding
    if record := _wins_of_two(verdict):
        return f"{record}."
    position = [finding.position[name] for name in verdict.ranking]
    if _equal(position[0], position[-1]):
        same = listing(list(verdict.ranking), MOST_LISTED)
        return f"{same} have the same {finding.position_name} ({number(position[0])})."
    shown = _told_apart(position)
    tied = sum(_equal(value, position[0]) for value in position)
    places = [f"{name} ({value})" for name, value in zip(verdict.ranking, shown, strict=True)]
    rest = places[tied:]
    if len(rest) > MOST_PLACED:
        hidden = len(rest) - MOST_PLACED
        rest = [*rest[: MOST_PLACED - 2], f"{hidden + 1} more", places[-1]]
    if len(places) == 2:
        return f"{verdict.ranking[0]} has the better {finding.position_name} ({shown[0]} against {shown[1]})."
    best = listing(list(verdict.ranking[:tied]), MOST_LISTED)
    have, come = "have" if tied > 1 else "has", "comes" if len(rest) == 1 else "come"
    return f"{best} {have} the best {finding.position_name} ({shown[0]}), then {come} {listing(rest, MOST_PLACED)}."


def _told_apart(values: list[float]) -> list[str]:
    """Numbers with the same decimals: so many that neighbours which differ look different, if 12 digits can do that."""
    shown = column(values)
    for digits in range(5, 13):
        alike = (a == b and not _equal(x, y) for (a, x), (b, y) in pairwise(zip(shown, values, strict=True)))
        if not any(alike):
            break
        places = digits - 1 - floor(log10(max(map(abs, values))))
        shown = [f"{value:.{places}f}" for value in values]
    return shown


def _wins_of_two(verdict: Verdict) -> str:
    """Of two learners over tasks: on how many each is the better one, which needs no average."""
    records = () if verdict.description is None else verdict.description.tasks
    if len(records) != 2 or verdict.finding.position_name != MEAN_RANK:
        return ""
    first, second = records
    tied = verdict.finding.n_blocks - first.best_alone - second.best_alone
    text = f"{first.learner} is the better one on {first.best_alone} and {second.learner} on {second.best_alone}"
    return f"{text}; on {tied} they tie" if tied else text


def _equal(a: float, b: float) -> bool:
    return isclose(a, b, rel_tol=1e-12)


def _held_against(verdict: Verdict) -> str:
    """How each learner stands to the level."""
    finding, level = verdict.finding, number(verdict.finding.against)
    by = f"Against the level {level}, {finding.sidedness}"
    by += f", {finding.adjust_title} over {len(verdict.decisions)} learners" * (len(verdict.decisions) > 1)
    by += f", α = {number(finding.alpha)}"
    by += "" if verdict.margin is None else f", margin of relevance {number(verdict.margin)}"
    names = {kind: [j.first for j in verdict.decisions if j.decision.value == kind] for kind in _AGAINST}
    claims = [
        f"{listing(learners, 6)} {'is' if len(learners) == 1 else 'are'} {words.format(level=level)}"
        for (kind, words), learners in zip(_AGAINST.items(), names.values(), strict=True)
        if learners
    ]
    return f"{by}: {'; '.join(claims)}."


_AGAINST = {
    "better": "better than {level}",
    "worse": "worse than {level}",
    "equivalent": "within the margin of {level}",
    "non-inferior": "worse than {level} by less than the margin, if at all",
    "undecided": "undecided: these data do not tell on which side of {level}",
}


def _claims(verdict: Verdict) -> str:
    by_kind: dict[str, list[Judged]] = {}
    for judged in verdict.decisions:
        by_kind.setdefault(judged.decision.value, []).append(judged)
    apart = by_kind.get("better", []) + by_kind.get("worse", [])
    claims = _groups(verdict, len(apart)) or wins_in_words([judged.better_first for judged in apart], verbs(verdict))
    if apart and len(verdict.decisions) == 1:
        claims = [claims[0] + _by_how_much(apart[0], verdict)]
    if equivalent := by_kind.get("equivalent"):
        pairs = listing([f"{j.first} and {j.second}" for j in equivalent], 6)
        claims.append(f"equivalent within the margin: {pairs}")
    if non_inferior := by_kind.get("non-inferior"):
        pairs = listing([f"{j.first} to {j.second}" for j in non_inferior], 6)
        claims.append(f"worse by less than the margin, if at all (non-inferior): {pairs}")
    sentences = _undecided(verdict, by_kind.get("undecided", []))
    if not claims:
        return sentences  # goes on after a colon
    return f"{'; '.join(claims)}. {sentences[:1].upper()}{sentences[1:]}".strip()


def _groups(verdict: Verdict, differences: int) -> list[str]:
    """Of many differences the groups of learners that show none; nothing where a list of pairs says it as shortly.

    Two learners differ if and only if no group has both: that is what a group is. Which of them is better is read off
    their order, where no pair contradicts it.
    """
    groups, place = verdict.groups, {name: i for i, name in enumerate(verdict.ranking)}
    if differences <= MANY_PAIRS or groups is None or len(groups) > 2 * MOST_LISTED:
        return []
    if any(place[a] > place[b] for a, b in (judged.better_first for judged in verdict.decisions if judged.apart)):
        return []
    if len(groups) == len(verdict.ranking):
        return [f"each learner {verbs(verdict)[0]} all that come after it in that order"]
    named = "; ".join(f"{i}. {listing(list(group), MOST_PLACED)}" for i, group in enumerate(groups, 1))
    if verdict.order is not None:
        rule = f"each learner {verbs(verdict)[0]} all in later groups, and within a group no difference is shown"
        return [f"the learners fall into {len(groups)} groups, best first: {named}. That is, {rule}"]
    rule = f"of two learners without a common group the one that comes first in the order {verbs(verdict)[0]} the other"
    return [
        f"groups of learners within which no difference is shown, best first: {named}. They overlap, so that they have "
        f"no order; {rule}"
    ]


def claims_in_words(verdict: Verdict) -> str:
    """What is claimed of the pairs, and what is not, without what was done."""
    return claims(verdict) if verdict.finding.posterior else _claims(verdict)


# What is claimed of one winner, and of several together.
BETTER = ("is better than", "are each better than")
BETTER_RANK = (
    "has a better mean rank, among these learners, than",
    "have each a better mean rank, among these learners, than",
)


def verbs(verdict: Verdict) -> tuple[str, str]:
    """What is claimed of winners: where mean ranks were compared, no more than that."""
    in_pool = procedure_named(verdict.finding.procedure).card.pooled == MEAN_RANKS
    return BETTER_RANK if in_pool else BETTER


MOST_CLAIMS, FIRST_CLAIMS = 8, 3  # that a sentence makes, and of more than these


def wins_in_words(wins: list[tuple[str, str]], verbs: tuple[str, str] = BETTER) -> list[str]:
    """Of pairs (winner, loser) a claim for each set of losers, with all that beat them.

    >>> wins_in_words([("a", "c"), ("a", "d"), ("b", "c"), ("b", "d"), ("c", "d")])
    ['a and b are each better than c and d', 'c is better than d']
    """
    beaten: dict[str, list[str]] = {}
    for winner, loser in wins:
        beaten.setdefault(winner, []).append(loser)
    winners: dict[frozenset[str], list[str]] = {}
    for winner, losers in beaten.items():
        winners.setdefault(frozenset(losers), []).append(winner)
    claims = [
        f"{listing(names, 6)} {verbs[len(names) > 1]} {listing(beaten[names[0]], 6)}" for names in winners.values()
    ]
    if len(claims) <= MOST_CLAIMS:
        return claims
    return [*claims[:FIRST_CLAIMS], f"and so on, {len(wins)} differences in all, which the table of pairs has"]


def _by_how_much(only: Judged, verdict: Verdict) -> str:
    finding = verdict.finding
    scale = finding.quantity
    remarks = [finding.estimate] if finding.estimate else []  # no difference of means
    unit = "" if remarks else " mean ranks" if scale == MEAN_RANK else f" in {scale}"
    if only.at_least == only.at_least:
        low, high = (only.at_least, only.at_most) if only.advantage > 0 else (-only.at_most, -only.at_least)
        remarks.append(f"{percent(only.row.confidence)} interval {interval(low, high, verdict.places)}")
    behind = f" ({'; '.join(remarks)})" if remarks else ""
    return f" by {fixed(abs(only.advantage), verdict.places)}{unit}{behind}, {p_equals(only.row.p_adjusted)}"


def _undecided(verdict: Verdict, undecided: list[Judged]) -> str:
    if not undecided:
        return ""
    caveat = "which is not evidence that they are equal"
    count, total = len(undecided), len(verdict.decisions)
    side = verdict.finding.alternative
    if side != "two-sided":  # the other direction was not looked at
        caveat += ", nor was it asked whether the first is " + ("worse" if side == "better" else "better")
    if total > 1:
        pairs = f"all {total} pairs are" if count == total else f"the other {count} of {total} pairs are"
        pairs = f"the remaining one of {total} pairs is" if count == 1 else pairs
        apart = "tell them apart" if side == "two-sided" else f"show that the first is {side}"
        if count == total and side == "two-sided":  # after a colon
            return f"none of the {total} pairs is told apart, {caveat}."
        return f"{pairs} undecided: these data do not {apart}, {caveat}."
    only = undecided[0]
    text = p_equals(only.row.p_adjusted) if only.row.p_adjusted == only.row.p_adjusted else only.row.note
    if only.at_least == -inf and only.at_most == inf:
        text += f"; too few {_things(verdict)} for a {percent(only.row.confidence)} interval"
    elif only.at_least == only.at_least:
        ends = interval(only.at_least, only.at_most, verdict.places)
        text += f"; {percent(only.row.confidence)} interval of the advantage {ends}"
    if side != "two-sided":
        return f"these data do not show that {only.first} is {side} than {only.second} ({text}), {caveat}."
    return f"these data do not tell {only.first} and {only.second} apart ({text}), {caveat}."


# ----------------------------------------------------------------------------------------------------------------------
# The test of all learners at once, beside the pairs and no gate to them; and what it would take to decide more.


POWER = 0.8
# Beyond so many times the blocks at hand nobody would go on.
ENDLESS = 200
MOST_LENGTHS = 1000  # intervals that are looked at for their usual length


def all_at_once(verdict: Verdict) -> str:
    """The test of all learners at once, and what it means where it and the pairs seem to disagree."""
    finding = verdict.finding
    if len(finding.learners) < 3 or finding.contrast != "all-pairs" or not finding.pairs:
        return ""
    some = any(judged.apart for judged in verdict.decisions)
    test = test_of_all(verdict)
    if test is None:
        smallest = min((row.p_adjusted for row in finding.pairs if row.p_adjusted == row.p_adjusted), default=None)
        if smallest is None:
            return ""
        return (
            "No test of all learners at once goes with this procedure; the smallest adjusted p of a pair serves as one "
            f"({p_equals(smallest)})."
        )
    outcome = f"({statistic(test)}, {p_equals(test.p, finding.alpha)})"
    if test.p <= finding.alpha and not some:
        things = _things(verdict)
        return (
            f"The test of all learners at once shows a difference {outcome}, and no pair shows it; more {things} would "
            "tell which learners differ."
        )
    if test.p > finding.alpha and some:
        return (
            f"The test of all learners at once by itself shows no difference {outcome}; pairs do not wait for it, "
            "because each is tested at a level that is adjusted for all of them."
        )
    return f"The test of all learners at once shows {'a' if test.p <= finding.alpha else 'no'} difference {outcome}."


def test_of_all(verdict: Verdict) -> Row | None:
    """Of Friedman's tests F, of those of an analysis of variance the corrected one; None if there is none.

    An infinite F has p = 0 by its law however few the blocks are, two that agree by chance as well: it says nothing.
    """
    tests = [row for row in verdict.finding.tests if row.p == row.p and not (row.statistic == inf and row.p == 0)]
    return tests[min(1, len(tests) - 1)] if tests else None


def statistic(row: Row) -> str:
    """A test statistic with its degrees of freedom: F(3, 96) = 18.04."""
    df = f"({', '.join(number(each) for each in row.df)})" if row.df else ""
    symbol = row.symbol or row.statistic_name
    return f"{symbol}{df} = {number(row.statistic)}{row.statistic_name[len(symbol) :]}"


def _things(verdict: Verdict) -> str:
    return "draws" if verdict.finding.conditional_on else verdict.finding.level.value


def what_it_takes(verdict: Verdict) -> str:
    """Of pairs that are undecided: what this experiment finds, and how many more blocks would decide the nearest."""
    open_ = [judged for judged in verdict.decisions if judged.decision.value == "undecided"]
    if not open_ or verdict.finding.posterior:
        return ""
    return " ".join(part for part in (_found_by_chance(verdict), _more_blocks(verdict, open_)) if part)


def _found_by_chance(verdict: Verdict) -> str:
    """The difference that experiments like this one find four times in five, from the lengths of the intervals."""
    finding, lengths = verdict.finding, []
    m = max(len(finding.pairs), 1)
    for row in finding.pairs[:: 1 + m // MOST_LENGTHS]:
        half = (row.upper - row.lower) / 2
        if not isfinite(half) or half <= 0:
            continue
        df = row.df[0] if len(row.df) == 1 and row.df[0] > 0 else inf
        level = finding.alpha / m if row.interval.value == "simultaneous" else 1 - row.confidence
        quantile = t_quantile(1 - level / 2, df)
        lengths.append(half * (1 + t_quantile(POWER, df) / quantile))
    if not lengths:
        return ""
    scale = finding.quantity
    return (
        f"Experiments like this one find differences in {scale} of about {number(float(np.median(lengths)), 2)} in "
        f"{percent(POWER)} of all cases, and smaller ones less often."
    )


def _more_blocks(verdict: Verdict, open_: list[Judged]) -> str:
    """How many blocks in all would decide the pair that is nearest to a decision, were its difference as it seems."""
    finding = verdict.finding
    card = procedure_named(finding.procedure).card
    # More folds of the same data are not more data.
    if finding.level is Level.SINGLE or (
        finding.level is Level.RESAMPLES and card.paired and card.rank_for_draws is None
    ):
        return ""
    nearest = nearest_to_decision(open_)
    if nearest is None:
        return ""
    things, each = "clusters" if finding.n_clusters else _things(verdict), " of each" if finding.n_each else ""
    pair = (
        f" between {nearest.first} and {nearest.second}, the nearest to a decision," if len(finding.pairs) > 1 else ""
    )
    enough = blocks_needed(verdict, nearest)
    if enough is None:
        return f"The difference{pair} is too small for more {things} to show it."
    return (
        f"If the difference{pair} is what was seen, about {enough:,} {things}{each} "
        f"would show it ({percent(POWER)} power)."
    )


def nearest_to_decision(open_: Sequence[Judged]) -> Judged | None:
    """Of pairs that are undecided the one with the smallest p."""
    return min((judged for judged in open_ if 0 < judged.row.p < 1), key=lambda judged: judged.row.p, default=None)


def blocks_needed(verdict: Verdict, judged: Judged, shared: float = 0.0) -> int | None:
    """How many blocks in all would decide a pair in four cases of five, were its difference as it seems; None if no
    sensible number would. `shared` is the ratio of test to training size, where blocks have training data in common."""
    finding = verdict.finding
    card = procedure_named(finding.procedure).card
    sides = 2 if finding.alternative == "two-sided" else 1
    n = finding.n_clusters or min(finding.n_each, default=finding.n_blocks)
    enough = enough_blocks(n, judged.row.p / sides, finding.alpha / (sides * len(finding.pairs)), shared)
    if enough is not None and card.smallest_p is not None and card.smallest_p.for_pairs:
        factor = 1 if card.smallest_p.jointly else len(finding.pairs)
        while factor * card.smallest_p.law(enough, len(finding.learners)) > finding.alpha:
            enough += 1
    return enough


def enough_blocks(n: int, p: float, level: float, shared: float = 0.0) -> int | None:
    """From n blocks with a one-sided p to as many as would have it below a level in four cases of five. A mean of n
    blocks that have training data in common varies as 1/n + `shared`, so that no number of them may be enough.

    >>> enough_blocks(10, 0.1, 0.025), enough_blocks(10, 0.1, 0.025, 1 / 9)
    (48, None)
    """
    seen = normal_quantile(1 - p) if p < 0.5 else 0.0
    needed = normal_quantile(1 - level) + normal_quantile(POWER)
    left = (1 / n + shared) * (seen / needed) ** 2 - shared  # 1/n of the blocks that are enough
    return None if seen <= 0 or left < 1 / (n * ENDLESS) else max(ceil(1 / left), n + 1)


def _scope(verdict: Verdict) -> str:
    """What is estimated, and what the conclusion is about."""
    estimand = f"What is estimated is the {estimand_of(verdict)}. " if verdict.finding.pairs else ""
    return (
        f"{estimand}The conclusion speaks about {scope(verdict.finding.speaks_about, verdict.finding.conditional_on)}."
    )


def estimand_of(verdict: Verdict) -> str:
    """What the advantage of one learner over another is a difference of, and over what."""
    finding = verdict.finding
    over = "" if finding.level is Level.SINGLE and not finding.conditional_on else f" over {_things(verdict)}"
    if finding.estimate:
        return finding.estimate + (over if finding.on_measure else "")
    return f"mean {finding.scale}{over}" if finding.on_measure else finding.scale


def scope(speaks_about: str, conditional_on: str) -> str:
    """What a conclusion is about, and given what.

    >>> scope("these learners on new training sets of this problem", "the generator twonorm")
    'these learners on new training sets of this problem, conditional on the generator twonorm'
    """
    return f"{speaks_about}, conditional on {conditional_on}" if conditional_on else speaks_about


# ----------------------------------------------------------------------------------------------------------------------
# A Bayesian verdict in words: probabilities of claims, and never a p.


def probability(p: float) -> str:
    """A probability that never reads as certainty.

    >>> probability(0.9714), probability(0.99996), probability(0.0002)
    ('0.971', 'above 0.999', 'below 0.001')
    """
    if p > 0.9995:
        return "above 0.999"
    return "below 0.001" if p < 0.0005 else f"{p:.3f}"


def _rope(verdict: Verdict) -> float:
    return float(verdict.finding.options.get("rope") or 0.0)


def _how_believed(verdict: Verdict, whole: bool) -> str:
    """By what posterior the pairs were compared."""
    finding, rope = verdict.finding, _rope(verdict)
    same = (
        f"differences within ±{number(rope)} counting as practically the same"
        if rope > 0
        else "any difference counting, however small (no rope was given)"
    )
    rho = finding.options.get("rho")
    if rho is not None:
        same = f"correlation {number(rho)} between resamples, {same}"
    needed = f"a claim needs a probability of at least {number(1 - finding.alpha)}"
    return f"{_compared_by(finding, whole)}, {same}; {needed}"


def claims(verdict: Verdict) -> str:
    """What is probable enough, and what is not."""
    by_kind: dict[str, list[Judged]] = {}
    for judged in verdict.decisions:
        by_kind.setdefault(judged.decision.value, []).append(judged)
    only = verdict.decisions[0] if len(verdict.decisions) == 1 else None
    apart = by_kind.get("better", []) + by_kind.get("worse", [])
    sentences = _groups(verdict, len(apart)) or wins_in_words([judged.better_first for judged in apart])
    if only is not None and sentences:
        sentences = [sentences[0] + _how_probable(only, verdict)]
    if equivalent := by_kind.get("equivalent"):
        pairs = listing([f"{j.first} and {j.second}" for j in equivalent], 6)
        sure = f" with probability {probability(only.row.same)}" if only is not None else ""
        sentences.append(f"practically the same{sure}: {pairs}")
    if non_inferior := by_kind.get("non-inferior"):
        pairs = listing([f"{j.first} to {j.second}" for j in non_inferior], 6)
        sure = f", with probability {probability(only.row.same + only.row.better)}" if only is not None else ""
        sentences.append(f"better or practically the same (non-inferior){sure}: {pairs}")
    open_ = _undecided_posterior(verdict, by_kind.get("undecided", []))
    if not sentences:
        return open_  # goes on after a colon
    return f"{'; '.join(sentences)}. {open_[:1].upper()}{open_[1:]}".strip()


def _how_probable(only: Judged, verdict: Verdict) -> str:
    better = only.decision.value == "better"
    rope = _rope(verdict)
    by = f" by more than {number(rope)}" if rope > 0 else ""
    text = f"{by} with probability {probability(only.row.better if better else only.row.worse)}"
    low, high = (only.at_least, only.at_most) if better else (-only.at_most, -only.at_least)
    advantage = only.advantage if better else -only.advantage
    scale = verdict.finding.quantity
    if low != low:
        return f"{text} (advantage {fixed(advantage, verdict.places)} in {scale})"
    credible = f"{percent(only.row.confidence)} credible interval {interval(low, high, verdict.places)}"
    return f"{text} (advantage {fixed(advantage, verdict.places)} in {scale}, {credible})"


def _undecided_posterior(verdict: Verdict, undecided: list[Judged]) -> str:
    if not undecided:
        return ""
    count, total = len(undecided), len(verdict.decisions)
    if total > 1:
        pairs = f"all {total} pairs are" if count == total else f"the other {count} of {total} pairs are"
        pairs = f"the remaining one of {total} pairs is" if count == 1 else pairs
        return f"{pairs} undecided: no claim about them is probable enough."
    only = undecided[0]
    if only.row.better != only.row.better:
        return f"{only.first} and {only.second} could not be compared ({only.row.note})."
    shares = [f"{only.first} is better with probability {probability(only.row.better)}"]
    if _rope(verdict) > 0:
        shares.append(f"practically the same with {probability(only.row.same)}")
    shares.append(f"worse with {probability(only.row.worse)}")
    return f"no claim about {only.first} and {only.second} is probable enough: {listing(shares)}."
