"""A Bayesian verdict in words: probabilities of claims, and never a p."""

from __future__ import annotations

from typing import TYPE_CHECKING

from bakeoff.judging.wording import better_first, wins_in_words
from bakeoff.presentation import interval, listing, number, percent

if TYPE_CHECKING:
    from bakeoff.judging.verdict import Judged, Verdict


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


def made(verdict: Verdict) -> str:
    """How the comparison was made."""
    found, rope = verdict.finding, _rope(verdict)
    many = f"{len(found.pairs)} comparisons" if len(found.pairs) > 1 else "The comparison"
    same = (
        f"differences within ±{number(rope)} counting as practically the same"
        if rope > 0
        else "any difference counting, however small (no rope was given)"
    )
    return f"{many}, by {found.title}, {same}; a claim needs a probability of at least {number(1 - found.alpha)}"


def claims(verdict: Verdict) -> str:
    """What is probable enough, and what is not."""
    by_kind: dict[str, list[Judged]] = {}
    for judged in verdict.decisions:
        by_kind.setdefault(judged.decision.value, []).append(judged)
    only = verdict.decisions[0] if len(verdict.decisions) == 1 else None
    apart = by_kind.get("better", []) + by_kind.get("worse", [])
    told = wins_in_words([better_first(judged) for judged in apart])
    if only is not None and told:
        told = [told[0] + _how_probable(only, verdict)]
    if equivalent := by_kind.get("equivalent"):
        pairs = listing([f"{j.first} and {j.second}" for j in equivalent], 6)
        sure = f" with probability {probability(only.row.same)}" if only is not None else ""
        told.append(f"practically the same{sure}: {pairs}")
    if non_inferior := by_kind.get("non-inferior"):
        pairs = listing([f"{j.first} to {j.second}" for j in non_inferior], 6)
        sure = f", with probability {probability(only.row.same + only.row.better)}" if only is not None else ""
        told.append(f"better or practically the same (non-inferior){sure}: {pairs}")
    open_ = _undecided(verdict, by_kind.get("undecided", []))
    if not told:
        return open_  # goes on after a colon
    return f"{'; '.join(told)}. {open_[:1].upper()}{open_[1:]}".strip()


def _how_probable(only: Judged, verdict: Verdict) -> str:
    better = only.decision.value == "better"
    rope = _rope(verdict)
    by = f" by more than {number(rope)}" if rope > 0 else ""
    text = f"{by} with probability {probability(only.row.better if better else only.row.worse)}"
    low, high = (only.at_least, only.at_most) if better else (-only.at_most, -only.at_least)
    advantage = only.advantage if better else -only.advantage
    scale = verdict.finding.scale.removeprefix("difference in ")
    if low != low:
        return f"{text} (advantage {number(advantage)} in {scale})"
    credible = f"{percent(only.row.confidence)} credible interval {interval(low, high)}"
    return f"{text} (advantage {number(advantage)} in {scale}, {credible})"


def _undecided(verdict: Verdict, undecided: list[Judged]) -> str:
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
