"""Votes between two models at a time, as arenas and judges give them: which models are stronger, and who may be first.

Strengths come from Davidson's model with ties (`mathematics.votes`). All pairs are compared at once by the largest |t|
of the estimates' own covariance; from these decisions follow the groups that are not told apart and, for each model,
the ranks that it may have: one more than those shown to be stronger, up to all but those shown to be weaker. All true
ranks lie there at once with a chance of 1 − α.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from math import inf, log
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from bakeoff import text as show
from bakeoff.errors import InputError, MisfitError, UsageError, nearest
from bakeoff.formats.arena import FIRST, SECOND, Vote, votes_in
from bakeoff.formats.sources import sources_of
from bakeoff.inference.contrasts import all_pairs
from bakeoff.inference.evidence import SINGLE_STEP, Estimates, compare_estimates
from bakeoff.inference.joint_laws import MaxTLaw
from bakeoff.judging.verdict import maximal_groups
from bakeoff.mathematics.laws import check_alpha, t_quantile
from bakeoff.mathematics.votes import SeparatedError, Strengths, fit_strengths, merge_swaps
from bakeoff.records import Record
from bakeoff.text import CodedWarning

if TYPE_CHECKING:
    import pandas as pd

CLUSTERS = ("question", "judge", "both", "none")
ELO = 400 / log(10)  # a difference of 400 is odds of ten to one
FEW_CLUSTERS = 20


@dataclass(frozen=True, slots=True, eq=False)
class Contestant(Record):
    """A model: its strength (log-odds against the mean of all) with a pointwise interval, and the ranks it may have."""

    name: str
    strength: float
    lower: float
    upper: float
    elo: float
    best_rank: int
    worst_rank: int
    votes: int


@dataclass(frozen=True, slots=True, eq=False)
class VotedPair(Record):
    """Two models: the log-odds that the first is preferred to the second, ties apart, simultaneous over all pairs."""

    first: str
    second: str
    estimate: float
    lower: float
    upper: float
    p_adjusted: float
    apart: bool


@dataclass(frozen=True, eq=False)
class VoteRanking(Record):
    """Models in order of strength, every pair, and the groups that the votes do not tell apart."""

    source: str
    contestants: tuple[Contestant, ...]
    pairs: tuple[VotedPair, ...]
    groups: tuple[tuple[str, ...], ...] | None
    n_votes: int
    n_ties: int
    n_swapped: int
    ties: float
    clusters: str
    n_clusters: tuple[int, ...]
    alpha: float
    warnings: tuple[CodedWarning, ...] = ()

    @property
    def first(self) -> tuple[str, ...]:
        """The models that may be the strongest: with a chance of 1 − α the one that is is among them."""
        return tuple(each.name for each in self.contestants if each.best_rank == 1)

    @property
    def answer(self) -> str:
        """Who is first, or may be."""
        if len(self.first) == 1:
            return f"{self.first[0]} is first: it is shown to be stronger than each of the others."
        return (
            f"First place is shared by {len(self.first)}: {show.listing(list(self.first), 6)}; the votes do not "
            "tell which of them is the strongest."
        )

    @property
    def paragraph(self) -> str:
        k = len(self.contestants)
        swapped = f" ({show.count(self.n_swapped)} of them asked twice, as in both orders)" if self.n_swapped else ""
        drawn = "votes taken as independent"
        if self.n_clusters:
            sorts = ("question", "judge") if self.clusters == "both" else (self.clusters,)
            drawn = " and ".join(f"{n} {sort}s" for n, sort in zip(self.n_clusters, sorts, strict=True))
            drawn = f"errors from {drawn}, within which votes may depend on one another"
        apart, together = sum(pair.apart for pair in self.pairs), "all pairs at once, " * (len(self.pairs) > 1)
        return (
            f"{show.count(self.n_votes)} votes{swapped} between {k} models, {show.count(self.n_ties)} of them ties. "
            f"Davidson's model of paired comparisons, {drawn}, {together}two-sided, "
            f"α = {show.number(self.alpha)}: {apart} of {len(self.pairs)} pairs are told apart. {self.answer} It "
            "speaks about these models on new questions and judges like these."
        )

    def table(self, most: int = 30) -> tuple[list[str], list[list[str]]]:
        """Header and cells: the models in order of strength."""
        header = ["model", "strength", f"{show.percent(1 - self.alpha)} interval", "Elo", "rank", "votes"]
        cells = [
            [
                each.name,
                show.number(each.strength),
                show.interval(each.lower, each.upper),
                f"{each.elo:.0f}",
                f"{each.best_rank}" if each.best_rank == each.worst_rank else f"{each.best_rank}–{each.worst_rank}",
                show.count(each.votes),
            ]
            for each in self.contestants[:most]
        ]
        return header, cells

    def pair_table(self, most: int = 30) -> tuple[list[str], list[list[str]]]:
        """Header and cells: two models a row, in the order of their strengths."""
        header = ["", "", "", "log-odds", "simultaneous interval", "adjusted p"]
        cells = [
            [
                pair.first,
                "not told apart from" if not pair.apart else "stronger than" if pair.estimate > 0 else "weaker than",
                pair.second,
                show.number(pair.estimate),
                show.interval(pair.lower, pair.upper),
                show.p_value(pair.p_adjusted),
            ]
            for pair in self.pairs[:most]
        ]
        return header, cells

    def to_text(self, most: int = 30) -> str:
        parts = [show.wrapped(self.paragraph), show.text_table(*self.table(most))]
        if self.groups is not None and len(self.groups) > 1:
            listed = [f"  {show.listing(list(group), 12)}" for group in self.groups[:most]]
            parts.append("Groups that the votes do not tell apart:\n" + "\n".join(listed))
        parts += [show.wrapped(f"Warning {warning}", indent="  ") for warning in self.warnings]
        return "\n\n".join(parts)

    def to_frame(self) -> pd.DataFrame:
        import pandas as pd

        return pd.DataFrame([show.to_json_value(each) for each in self.contestants])

    def to_json(self) -> str:
        fields: dict[str, Any] = show.to_json_value(self)
        return show.to_json({"paragraph": self.paragraph, "first": list(self.first), **fields})

    def __str__(self) -> str:
        return self.to_text()


def rank_votes(
    *sources: str | os.PathLike[str], cluster: str | None = None, alpha: float = 0.05, without: Sequence[str] = ()
) -> VoteRanking:
    """The strengths of models from files of votes: an arena's battles, or MT-bench's judgments of pairs.

    `cluster` says what votes share: "question", "judge", "both" or "none". Without it votes on one question are
    clustered, if questions come more than once. A pair that one judge saw in both orders is one vote: a tie, if the
    orders contradict each other. `without` leaves models out.
    """
    check_alpha(alpha)
    if cluster is not None and cluster not in CLUSTERS:
        raise UsageError(f"Votes are clustered by question, judge, both or none; found {cluster!r}. "
                         f"{nearest(str(cluster), CLUSTERS)}")  # fmt: skip
    files = sources_of(sources)
    votes = [vote for file in files for vote in votes_in(file)]
    name = show.listing([file.name for file in files], 3)
    if not votes:
        raise InputError("There are no votes. Records with model_a, model_b and winner were expected.", source=name)
    votes = [vote for vote in votes if vote.first not in without and vote.second not in without]
    blind = [vote for vote in votes if not vote.open]
    ranked = _ranked(blind or votes, name, cluster, alpha)
    return replace(ranked, warnings=(*ranked.warnings, *_named_models(len(votes), len(blind))))


def _ranked(votes: Sequence[Vote], source: str, cluster: str | None, alpha: float) -> VoteRanking:
    names = tuple(dict.fromkeys(name for vote in votes for name in (vote.first, vote.second)))
    if len(names) < 2:
        raise MisfitError(f"Votes between two models or more were expected; {source} names {len(names)}.")
    number = {name: i for i, name in enumerate(names)}
    points = {FIRST: 1.0, SECOND: 0.0}
    ballots = [
        f"{vote.question}\0{vote.judge}\0{vote.turn}\0{row if not vote.question else ''}"
        for row, vote in enumerate(votes)
    ]
    first, second, outcome, row = merge_swaps(
        [number[vote.first] for vote in votes],
        [number[vote.second] for vote in votes],
        [points.get(vote.winner, 0.5) for vote in votes],
        ballots,
    )
    kept = [votes[i] for i in row.tolist()]
    sorts = _clusters(kept, cluster)
    labels = [[getattr(vote, sort) for vote in kept] for sort in sorts]
    try:
        fitted = fit_strengths(first, second, outcome, len(names), labels)
    except SeparatedError as separated:
        above = [names[i] for i in separated.above]
        raise MisfitError(
            f"{show.listing(above, 6)} never lost a vote to other models, so that there is no end to their strength.",
            alternatives=[f"--without {above[0]}: the ranking of the others", "more votes"],
        ) from None
    counts = np.bincount(first, minlength=len(names)) + np.bincount(second, minlength=len(names))
    clusters = tuple(len(set(each)) for each in labels)
    how = "none" if not sorts else sorts[0] if len(sorts) == 1 else "both"
    contestants, pairs, groups = _compared(fitted, names, counts, alpha)
    if (outcome == 0.5).all():  # ties alone say nothing of how far models may be apart
        contestants = tuple(replace(each, lower=-inf, upper=inf) for each in contestants)
        pairs = tuple(replace(pair, lower=-inf, upper=inf) for pair in pairs)
    return VoteRanking(
        source, contestants, pairs, groups,
        len(outcome), int((outcome == 0.5).sum()), len(votes) - len(outcome), fitted.ties, how, clusters,
        alpha, tuple(_warned(kept, sorts, clusters)),
    )  # fmt: skip


def _clusters(votes: Sequence[Vote], column: str | None) -> tuple[str, ...]:
    """What votes have in common: as it was said, or questions that come more than once."""
    wanted = {"both": ("question", "judge"), "none": ()}.get(column or "", (column,) if column else None)
    if wanted is None:
        questions = {vote.question for vote in votes if vote.question}
        return ("question",) if 1 < len(questions) < len(votes) else ()
    for sort in wanted:
        if any(not getattr(vote, sort) for vote in votes):
            raise MisfitError(f"Not every vote names its {sort}: they cannot be clustered by it.")
    return tuple(wanted)


def _compared(
    fitted: Strengths, names: Sequence[str], counts: NDArray[np.int64], alpha: float
) -> tuple[tuple[Contestant, ...], tuple[VotedPair, ...], tuple[tuple[str, ...], ...] | None]:
    order = np.argsort(-fitted.values, kind="stable").tolist()
    family = all_pairs(order)
    law = MaxTLaw(fitted.df)
    rows = compare_estimates(
        Estimates(fitted.values, fitted.covariance, fitted.df, law), family, SINGLE_STEP, alpha, "two-sided"
    )
    k = len(names)
    beats = np.zeros((k, k), dtype=bool)
    pairs = []
    for (i, j), row in zip(family.pairs, rows, strict=True):
        apart = row.p_adjusted <= alpha
        beats[i, j] = apart
        pairs.append(VotedPair(names[i], names[j], row.estimate, row.lower, row.upper, row.p_adjusted, apart))
    groups = maximal_groups(~(beats | beats.T), order)
    error = np.sqrt(np.clip(np.diag(fitted.covariance), 0.0, None))  # rounding may leave it below 0
    reach = t_quantile(1 - alpha / 2, fitted.df) * error
    contestants = tuple(
        Contestant(
            names[i],
            float(fitted.values[i]),
            float(fitted.values[i] - reach[i]),
            float(fitted.values[i] + reach[i]),
            1000 + ELO * float(fitted.values[i]),
            1 + int(beats[:, i].sum()),
            k - int(beats[i].sum()),
            int(counts[i]),
        )
        for i in order
    )
    named = None if groups is None else tuple(tuple(names[i] for i in group) for group in groups)
    return contestants, tuple(pairs), named


def _named_models(votes: int, blind: int) -> Iterator[CodedWarning]:
    if blind < votes:
        left_out = f"{show.count(votes - blind)} of {show.count(votes)} votes" if blind else "All votes"
        yield CodedWarning(
            "votes-not-blind",
            f"{left_out} were given by judges who saw the names of the models (anony: false)"
            f"{'; they are left out' if blind else ''}.",
            "Names sway judges: rank by votes that were given blindly.",
        )


def _warned(votes: Sequence[Vote], sorts: Sequence[str], clusters: Sequence[int]) -> Iterator[CodedWarning]:
    for sort, n in zip(sorts, clusters, strict=True):
        if n < FEW_CLUSTERS:
            yield CodedWarning(
                "few-clusters-of-votes",
                f"There are {n} {sort}s: standard errors from so few clusters are rough.",
                f"Ask about more {sort}s.",
            )
    judges = {vote.judge for vote in votes if vote.judge}
    if 1 < len(judges) < len(votes) and "judge" not in sorts:
        yield CodedWarning(
            "judges-not-clustered",
            f"The votes are those of {len(judges)} judges, and votes of one judge are taken as independent.",
            "Say --cluster judge, or --cluster both with their questions.",
        )
