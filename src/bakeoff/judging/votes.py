"""Votes between two models at a time, as arenas and judges give them: which models are stronger, and who may be first.

Strengths come from Davidson's model with ties. All pairs are compared at once by the largest |t|
of the estimates' own covariance; from these decisions follow the groups that are not told apart and, for each model,
the ranks that it may have: one more than those shown to be stronger, up to all but those shown to be weaker. All true
ranks lie there at once with a chance of 1 − α.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from math import inf, log
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from bakeoff import text as show
from bakeoff.errors import DegenerateError, InputError, MisfitError, UsageError, nearest
from bakeoff.formats.arena import FIRST, SECOND, Vote, votes_in
from bakeoff.formats.sources import sources_of
from bakeoff.inference.contrasts import all_pairs
from bakeoff.inference.evidence import SINGLE_STEP, Estimates, compare_estimates
from bakeoff.inference.joint_laws import MaxTLaw
from bakeoff.judging.verdict import maximal_groups
from bakeoff.mathematics.checks import Array
from bakeoff.mathematics.laws import check_alpha, t_quantile
from bakeoff.records import Record
from bakeoff.text import CodedWarning

if TYPE_CHECKING:
    import pandas as pd


# ----------------------------------------------------------------------------------------------------------------------
# Votes between two at a time (which of two answers is better, or neither): strengths by maximum likelihood.
#
# Davidson's (1970) model, which is Bradley and Terry's (1952) where nobody votes for a tie. With strengths θ and ν ≥ 0:
#
#     P(i beats j) = exp(θ_i) / D,   P(tie) = ν exp((θ_i + θ_j)/2) / D,   D = exp(θ_i) + exp(θ_j) + ν exp((θ_i + θ_j)/2)
#
# so that i beats j exp(θ_i − θ_j) times as often as j beats i, whatever the ties. The likelihood is that of an
# exponential family: with x the vector of a vote that has 1 for its winner (½ each in a tie) and, at the end, whether
# it is a tie, the score is Σ (x − E x) and the information Σ Cov x. Strengths exist if nobody can be put apart from
# others: each part of the field has lost a vote to, or tied with, the remainder (Ford 1957).


Codes = NDArray[np.intp]
MOST_STEPS = 100
CLOSE = 1e-10
BEYOND = 12.0  # log-odds between neighbours that no votes of this world show: 160,000 to one


@dataclass(frozen=True, slots=True, eq=False)
class Strengths(Record):
    """Strengths with mean zero and their covariance, the parameter of ties (0 without any), and what they rest on.

    `df` are those of the covariance: one less than the fewest clusters, or infinite where votes are independent.
    """

    values: Array
    covariance: Array
    ties: float
    log_likelihood: float
    votes: int
    df: float = inf


def fit_strengths(
    first: ArrayLike, second: ArrayLike, outcome: ArrayLike, k: int, clusters: Sequence[ArrayLike] = ()
) -> Strengths:
    """The strengths of k contestants from votes: 1 where the first won, 0 where the second did, ½ for a tie.

    Votes of one cluster (a question, a judge) may depend on one another in any way: with `clusters`, one sequence of
    labels for each sort of them, the covariance is made of the sums of scores in clusters. Of several sorts those of
    each are added and those of their combinations taken off (Cameron, Gelbach and Miller 2011).

    >>> fitted = fit_strengths([0, 0, 0, 0, 1], [1, 1, 1, 1, 0], [1, 1, 1, 0, 0.5], 2)
    >>> fitted.values.round(4).tolist(), round(fitted.ties, 4)  # of 4 votes the first won 3: log 3
    ([0.5493, -0.5493], 0.5774)
    """
    i, j, y = _checked(first, second, outcome, k)
    wins = np.zeros((k, k))
    np.add.at(wins, (i[y == 1], j[y == 1]), 1.0)
    np.add.at(wins, (j[y == 0], i[y == 0]), 1.0)
    ties = np.zeros((k, k))
    np.add.at(ties, (i[y == 0.5], j[y == 0.5]), 1.0)
    ties += ties.T
    _check_connected(wins + ties)
    theta, log_nu = _maximise(wins, ties)
    _check_finite(theta)
    tied = bool(ties.any())
    information = _information(theta, log_nu, wins + wins.T + ties, tied)
    bread: Array = np.asarray(np.linalg.pinv(information, hermitian=True), dtype=float)
    covariance, df = (bread, inf) if not len(clusters) else _sandwich(bread, theta, log_nu, i, j, y, tied, clusters)
    return Strengths(
        theta,
        covariance[:k, :k],
        float(np.exp(log_nu)) if tied else 0.0,
        _log_likelihood(theta, log_nu, wins, ties),
        len(y),
        df,
    )


def _checked(first: ArrayLike, second: ArrayLike, outcome: ArrayLike, k: int) -> tuple[Codes, Codes, Array]:
    i, j, y = np.asarray(first, dtype=np.intp), np.asarray(second, dtype=np.intp), np.asarray(outcome, dtype=float)
    if not i.shape == j.shape == y.shape or i.ndim != 1 or not len(y):
        raise UsageError(f"Votes are three columns of one length; found {i.shape}, {j.shape} and {y.shape}.")
    if not np.isin(y, (0.0, 0.5, 1.0)).all():
        bad = y[~np.isin(y, (0.0, 0.5, 1.0))][0]
        raise UsageError(f"The outcome of a vote is 1 (the first won), 0 (the second did) or 0.5 (a tie); found {bad}.")
    if (i == j).any():
        raise UsageError(f"A vote is between two; vote {int(np.argmax(i == j)) + 1} has one contestant twice.")
    if min(i.min(), j.min()) < 0 or max(i.max(), j.max()) >= k:
        raise UsageError(f"Contestants are numbered from 0 to {k - 1}.")
    return i, j, y


class SeparatedError(DegenerateError):
    """Some never lost to the rest, so that their strength has no end. `above` are those."""

    def __init__(self, above: Sequence[int], k: int) -> None:
        super().__init__(
            f"{len(above)} of {k} contestants never lost a vote to the others, nor tied: how much stronger they are "
            "has no end."
        )
        self.above = tuple(above)


def _check_connected(not_lost: Array) -> None:
    """Refuse a field that falls into parts, one of which never lost to the rest (or never met it)."""
    from scipy.sparse.csgraph import connected_components

    k = len(not_lost)
    parts, part = connected_components(not_lost > 0, directed=True, connection="strong")
    if parts == 1:
        return
    lost_to = np.zeros((parts, parts), dtype=bool)
    beaten, by = np.nonzero(not_lost.T > 0)  # `beaten` lost to `by` or tied with it
    lost_to[part[beaten], part[by]] = True
    np.fill_diagonal(lost_to, False)
    top = next(number for number in range(parts) if not lost_to[number].any())
    raise SeparatedError([int(each) for each in np.flatnonzero(part == top)], k)


def _check_finite(theta: Array) -> None:
    """Refuse strengths that ran away: where some have lost nothing and tied, ever more ties are ever more likely."""
    order = np.argsort(-theta)
    gaps = -np.diff(theta[order])
    if len(gaps) and gaps.max() > BEYOND:
        raise SeparatedError([int(each) for each in order[: int(np.argmax(gaps)) + 1]], len(theta))


def _chances(theta: Array, log_nu: float, i: Codes, j: Codes) -> tuple[Array, Array, Array]:
    """P(first wins), P(second wins), P(tie) of votes between i and j."""
    half = (theta[i] - theta[j]) / 2
    logits = np.stack([half, -half, np.full(half.shape, log_nu)])
    weight = np.exp(logits - logits.max(axis=0))
    weight /= weight.sum(axis=0)
    return weight[0], weight[1], weight[2]


def _information(theta: Array, log_nu: float, votes: Array, tied: bool) -> Array:
    """Σ n Cov x over all pairs; without ties the last row and column are left out."""
    k = len(theta)
    i, j = np.nonzero(np.triu(votes, 1))
    n, (win, loss, tie) = votes[i, j], _chances(theta, log_nu, i, j)
    own = n * (win * (1 - win) + tie / 4 - win * tie - tie**2 / 4)  # Var x_i; x_j = 1 − x_i has the same
    information = np.zeros((k + 1, k + 1))
    np.add.at(information, (i, i), own)
    np.add.at(information, (j, j), own)
    np.add.at(information, (i, j), -own)
    np.add.at(information, (j, i), -own)
    with_tie = n * tie * (loss - win) / 2  # Cov(x_i, tie)
    np.add.at(information, (i, np.full(len(i), k)), with_tie)
    np.add.at(information, (j, np.full(len(j), k)), -with_tie)
    information[k, :k] = information[:k, k]
    information[k, k] = float(np.sum(n * tie * (1 - tie)))
    return information if tied else information[:k, :k]


def _maximise(wins: Array, ties: Array) -> tuple[Array, float]:
    """Newton's method, halving steps that go too far; the likelihood is concave."""
    k, tied = len(wins), bool(ties.any())
    votes = wins + wins.T + ties
    points = wins.sum(axis=1) + ties.sum(axis=1) / 2
    i, j = np.nonzero(np.triu(votes, 1))
    theta, log_nu = np.zeros(k), 0.0 if tied else -inf
    value = _log_likelihood(theta, log_nu, wins, ties)
    for _ in range(MOST_STEPS):
        n, (win, loss, tie) = votes[i, j], _chances(theta, log_nu, i, j)
        expected = np.bincount(i, n * (win + tie / 2), k) + np.bincount(j, n * (loss + tie / 2), k)
        score = points - expected
        if tied:
            score = np.append(score, ties.sum() / 2 - np.sum(n * tie))
        step = np.linalg.pinv(_information(theta, log_nu, votes, tied), hermitian=True) @ score
        scale = 1.0
        while True:
            moved = theta + scale * step[:k], log_nu + (scale * float(step[k]) if tied else 0.0)
            after = _log_likelihood(*moved, wins, ties)
            if after >= value - 1e-12 * abs(value) or scale < 1e-8:
                break
            scale /= 2
        theta, log_nu, value = moved[0] - moved[0].mean(), moved[1], after
        if np.abs(step).max() < CLOSE * (1 + np.abs(theta).max()):
            return theta, log_nu
    raise DegenerateError("The strengths did not settle: some contestants are all but separated from the others.")


def _log_likelihood(theta: Array, log_nu: float, wins: Array, ties: Array) -> float:
    i, j = np.nonzero(np.triu(wins + wins.T + ties, 1))
    win, loss, tie = _chances(theta, log_nu, i, j)
    with np.errstate(divide="ignore", invalid="ignore"):
        terms = [(wins[i, j], win), (wins[j, i], loss), (ties[i, j], tie)]
        return float(sum(np.where(n > 0, n * np.log(p), 0.0).sum() for n, p in terms))


def _sandwich(
    bread: Array,
    theta: Array,
    log_nu: float,
    i: Codes,
    j: Codes,
    y: Array,
    tied: bool,
    clusters: Sequence[ArrayLike],
) -> tuple[Array, float]:
    """The covariance from sums of scores in clusters, each sort with C/(C − 1), and the df of the fewest."""
    labels = [np.unique(np.asarray(each), return_inverse=True)[1] for each in clusters]
    if any(len(each) != len(y) for each in labels):
        raise UsageError("Each vote has one label for each sort of cluster.")
    fewest = min(int(each.max()) + 1 for each in labels)
    if fewest < 2:
        raise DegenerateError("All votes are in one cluster: how much clusters differ cannot be told.")
    win, _, tie = _chances(theta, log_nu, i, j)
    rest = np.where(y == 1, 1.0, np.where(y == 0.5, 0.5, 0.0)) - win - tie / 2  # x_i − E x_i; that of j is the opposite
    of_tie = (y == 0.5) - tie
    meat = np.zeros_like(bread)
    for size in range(1, len(labels) + 1):
        for chosen in combinations(labels, size):
            code = np.unique(np.stack(chosen), axis=1, return_inverse=True)[1].reshape(-1)
            meat += (-1) ** (size + 1) * _meat(code, rest, of_tie, i, j, len(theta), tied)
    covariance = bread @ meat @ bread
    if len(labels) > 1:  # taking combinations off can leave a matrix that is no covariance
        values, vectors = np.linalg.eigh(covariance)
        covariance = (vectors * np.clip(values, 0.0, None)) @ vectors.T
    return covariance, float(fewest - 1)


def _meat(code: Codes, rest: Array, of_tie: Array, i: Codes, j: Codes, k: int, tied: bool) -> Array:
    number = int(code.max()) + 1
    sums = np.zeros((number, k + 1))
    np.add.at(sums, (code, i), rest)
    np.add.at(sums, (code, j), -rest)
    np.add.at(sums, (code, np.full(len(code), k)), of_tie)
    sums = sums if tied else sums[:, :k]
    return np.asarray(number / (number - 1) * sums.T @ sums)


def merge_swaps(first: ArrayLike, second: ArrayLike, outcome: ArrayLike, ballot: ArrayLike) -> tuple[NDArray[Any], ...]:
    """Votes of one ballot on the same two, asked in both orders, as one: a tie where they contradict one another.

    A judge that prefers whatever comes first would otherwise count twice. The ballot is what is shared: question, judge
    and turn. What is returned is first, second, outcome, and the row that each vote was first seen in.

    >>> first, second, outcome, row = merge_swaps([0, 1, 0, 2], [1, 0, 1, 0], [1, 0, 1, 1], ["q", "q", "r", "r"])
    >>> list(zip(first.tolist(), second.tolist(), outcome.tolist(), row.tolist()))
    [(0, 1, 1.0, 0), (0, 1, 1.0, 2), (0, 2, 0.0, 3)]
    >>> merge_swaps([0, 1], [1, 0], [1, 1], ["q", "q"])[2].tolist()  # the first of each order: no preference
    [0.5]
    """
    i, j, y = np.asarray(first, dtype=np.intp), np.asarray(second, dtype=np.intp), np.asarray(outcome, dtype=float)
    low, high, points = np.minimum(i, j), np.maximum(i, j), np.where(i < j, y, 1 - y)
    code = np.unique(np.asarray(ballot), return_inverse=True)[1].astype(np.intp)
    _, row, group = np.unique(np.stack([code, low, high]), axis=1, return_index=True, return_inverse=True)
    mean = np.bincount(group.reshape(-1), points) / np.bincount(group.reshape(-1))
    order = np.argsort(row)
    merged = np.where(mean > 0.5, 1.0, np.where(mean < 0.5, 0.0, 0.5))
    return low[row][order], high[row][order], merged[order], row[order]


# ----------------------------------------------------------------------------------------------------------------------


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
