"""Votes between two at a time (which of two answers is better, or neither): strengths by maximum likelihood.

Davidson's (1970) model, which is Bradley and Terry's (1952) where nobody votes for a tie. With strengths θ and ν ≥ 0:

    P(i beats j) = exp(θ_i) / D,   P(tie) = ν exp((θ_i + θ_j)/2) / D,   D = exp(θ_i) + exp(θ_j) + ν exp((θ_i + θ_j)/2)

so that i beats j exp(θ_i − θ_j) times as often as j beats i, whatever the ties. The likelihood is that of an
exponential family: with x the vector of a vote that has 1 for its winner (½ each in a tie) and, at the end, whether it
is a tie, the score is Σ (x − E x) and the information Σ Cov x. Strengths exist if nobody can be put apart from others:
each part of the field has lost a vote to, or tied with, the remainder (Ford 1957).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations
from math import inf
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from bakeoff.errors import DegenerateError, UsageError
from bakeoff.mathematics.checks import Array
from bakeoff.records import Record

Codes = NDArray[np.intp]
MOST_STEPS = 100
CLOSE = 1e-10


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
