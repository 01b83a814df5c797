"""Many small classification trees at once, as R's rpart grows them for two classes.

Gini splits, at least `minsplit` cases to try a split and `minbucket` on either side, and cost-complexity pruning at
`cp` times the error of the root. All trees of a batch grow level by level. The cases of all open nodes lie in one flat
array for each feature, node after node and within a node in the order of that feature, so that running sums give every
split of every node, and a stable partition gives the next level. No missing values, priors as observed, equal losses.

References: Breiman, Friedman, Olshen and Stone (1984), Classification and Regression Trees; Therneau and Atkinson
(1997), An Introduction to Recursive Partitioning Using the RPART Routines.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from bakeoff.errors import DegenerateError, UsageError
from bakeoff.mathematics.checks import Array

Integers = NDArray[np.int64]
Counts = NDArray[np.int32]
Flags = NDArray[np.bool_]


@dataclass(frozen=True)
class Trees:
    """Leaves of all trees of a batch: boxes `low` ≤ x < `high`, of which those that assign the second class suffice.

    `tree` says whose a box is; `trees` is how many trees there are, including those that never assign that class.
    """

    trees: int
    tree: Integers
    low: Array
    high: Array

    def predict(self, x: Array) -> Flags:
        """Whether each tree (row) assigns the second class to each point (column) of points × features."""
        inside = np.ones((len(self.tree), len(x)), dtype=bool)
        for values, low, high in zip(x.T, self.low.T, self.high.T, strict=True):
            inside &= values >= low[:, None]
            inside &= values < high[:, None]
        answer = np.zeros((self.trees, len(x)), dtype=bool)
        if len(inside):
            first = np.flatnonzero(np.diff(self.tree, prepend=-1))
            answer[self.tree[first]] = np.logical_or.reduceat(inside, first, axis=0)
        return answer


@dataclass(frozen=True)
class _Samples:
    """What is known about observations, which nodes name by their number: features × observations, and labels."""

    x: Array
    second: Counts


@dataclass(frozen=True)
class _Nodes:
    """Nodes of one level: whose they are, how many different cases they have, how many with copies, and of class 2."""

    tree: Integers
    size: Integers
    total: Integers
    ones: Integers

    @property
    def risk(self) -> Integers:
        """How many cases are not of the node's larger class."""
        return np.asarray(np.minimum(self.ones, self.total - self.ones))

    def at(self, which: NDArray[np.generic]) -> _Nodes:
        return _Nodes(self.tree[which], self.size[which], self.total[which], self.ones[which])


@dataclass(frozen=True)
class _Cases:
    """Cases of the nodes that may be split, node after node, in the order of one feature: their numbers and copies."""

    observation: Integers
    copies: Counts


@dataclass(frozen=True)
class _Splits:
    """The best split of each of some nodes: feature (−1 if none helps), cut, gain, and what goes to the left."""

    feature: Integers
    cut: Array
    gain: NDArray[np.float32]
    left: _Nodes


@dataclass(frozen=True)
class _Level:
    """All nodes of one depth. `split` were split; children of the i-th of them are 2i and 2i + 1 of the next level."""

    nodes: _Nodes
    split: Integers
    feature: Integers
    cut: Array


def grow(
    x: Array, second: NDArray[np.generic], weights: Array, *, minsplit: int = 20, minbucket: int = 7, cp: float = 0.01
) -> Trees:
    """Grow and prune a tree for each row of weights, which say how many copies of an observation a tree has.

    `x` is n × features and `second` (whether an observation is of the second class) of length n; both have a leading
    axis as long as `weights` if each tree has a sample of its own.

    >>> x = np.linspace(0, 1, 40)[:, None]
    >>> tree = grow(x, x[:, 0] > 0.4, np.ones((1, 40)))
    >>> tree.predict(np.array([[0.1], [0.9]])).tolist()
    [[False, True]]
    """
    if weights.ndim != 2 or x.shape[-2] != weights.shape[1] or second.shape != x.shape[:-1]:
        raise UsageError(f"Trees need n × features, n labels and trees × n weights; found {x.shape}, {weights.shape}.")
    features = x.shape[-1]
    samples = _Samples(np.ascontiguousarray(x.reshape(-1, features).T), second.ravel().astype(np.int32))
    nodes, cases = _roots(x, samples, weights)
    alpha = np.asarray(cp * nodes.risk, dtype=float)  # rpart's complexity is relative to the error of the root

    def worth_trying(nodes: _Nodes) -> Flags:
        return np.asarray((nodes.total >= minsplit) & (nodes.risk > alpha[nodes.tree]))

    levels: list[_Level] = []
    trying = np.flatnonzero(worth_trying(nodes))
    cases = [_select(part, nodes.size, worth_trying(nodes)) for part in cases]
    while True:
        splits = _best_splits(samples, nodes.at(trying), cases, minbucket)
        splitting = splits.feature >= 0
        split = trying[splitting]
        levels.append(_Level(nodes, split, splits.feature[splitting], splits.cut[splitting]))
        if not len(split):
            return _leaves(levels, _pruned(levels, alpha), features)
        children = _children(nodes.at(split), splits.left.at(splitting))
        open_ = worth_trying(children)
        cases = [
            _partition(samples, _select(part, nodes.size[trying], splitting), levels[-1], children, open_)
            for part in cases
        ]
        nodes, trying = children, np.flatnonzero(open_)


def _roots(x: Array, samples: _Samples, weights: Array) -> tuple[_Nodes, list[_Cases]]:
    """All trees with all their cases, those without a copy left out."""
    trees, n = weights.shape
    copies = weights.astype(np.int32)
    own = np.arange(trees)[:, None] * n if x.ndim == 3 else 0
    there = copies > 0
    cases = []
    for f in range(x.shape[-1]):
        order = np.broadcast_to(np.argsort(x[..., f], axis=-1, kind="stable"), copies.shape)
        ordered = np.take_along_axis(copies, order, axis=1)
        kept = ordered > 0
        cases.append(_Cases((order + own)[kept], ordered[kept]))
    labels = samples.second.reshape(-1, n)
    ones = (copies * labels).sum(axis=1)
    return _Nodes(np.arange(trees), there.sum(axis=1), copies.sum(axis=1), ones), cases


def _select(cases: _Cases, size: Integers, which: Flags) -> _Cases:
    """The cases of some of the nodes."""
    if which.all():
        return cases
    inside = np.repeat(which, size)
    return _Cases(cases.observation[inside], cases.copies[inside])


def _best_splits(samples: _Samples, nodes: _Nodes, cases: list[_Cases], minbucket: int) -> _Splits:
    """The split of each node with the largest decrease of the Gini impurity; the first feature of equals."""
    n = len(nodes.tree)
    size, total, ones = np.zeros((3, n), dtype=int)
    best = _Splits(np.full(n, -1), np.zeros(n), np.zeros(n, dtype=np.float32), _Nodes(nodes.tree, size, total, ones))
    if not n:
        return best
    node = np.repeat(np.arange(n), nodes.size)
    for f, part in enumerate(cases):
        cuts = _best_cuts(samples, nodes, node, part, f, minbucket)
        better = cuts.gain > best.gain
        for ours, new in (
            (best.feature, cuts.feature),
            (best.cut, cuts.cut),
            (best.gain, cuts.gain),
            (size, cuts.left.size),
            (total, cuts.left.total),
            (ones, cuts.left.ones),
        ):
            ours[better] = new[better]
    return best


def _best_cuts(
    samples: _Samples, nodes: _Nodes, node: Integers, cases: _Cases, feature: int, minbucket: int
) -> _Splits:
    """The best cut of one feature in each node, the first of equals.

    The impurity decreases by 2(n₁ₗ n − nₗ n₁)²/(nₗ nᵣ n²), of which n is the same for all cuts of a node.
    """
    start = np.cumsum(nodes.size) - nodes.size
    left = _running(cases.copies.copy(), start, nodes.total)
    left_ones = _running(cases.copies * samples.second.take(cases.observation), start, nodes.ones)
    total, ones = nodes.total.astype(np.float32).take(node), nodes.ones.astype(np.float32).take(node)
    right = total - left
    values = samples.x[feature].take(cases.observation)
    gain = left_ones * total - left * ones
    gain *= gain
    gain /= np.maximum(left * right, 1)
    gain[np.minimum(left, right) < minbucket] = 0
    gain[:-1][values[:-1] == values[1:]] = 0  # equal values stay together
    best = np.maximum.reduceat(gain, start)
    places = np.flatnonzero(gain == best.take(node))
    place = places[np.flatnonzero(np.diff(node[places], prepend=-1))]
    below, above = values[place], values[np.minimum(place + 1, len(values) - 1)]
    middle = below + (above - below) / 2
    cut = np.where(middle > below, middle, above)  # between neighbouring floats there is no middle
    low = _Nodes(nodes.tree, place + 1 - start, left[place].astype(int), left_ones[place].astype(int))
    return _Splits(np.full(len(start), feature), cut, best, low)


def _running(copies: Counts, start: Integers, totals: Integers) -> NDArray[np.float32]:
    """Running sums that begin anew in each node. Whole numbers: exact as long as a node has less than 2²⁴ cases."""
    copies[start[1:]] -= totals[:-1].astype(np.int32)
    return np.cumsum(copies, dtype=np.int32).astype(np.float32)


def _children(parents: _Nodes, left: _Nodes) -> _Nodes:
    """Left and right child of each node in turns."""

    def turns(low: Integers, whole: Integers) -> Integers:
        return np.column_stack([low, whole - low]).ravel()

    return _Nodes(
        np.repeat(parents.tree, 2),
        turns(left.size, parents.size),
        turns(left.total, parents.total),
        turns(left.ones, parents.ones),
    )


def _partition(samples: _Samples, cases: _Cases, level: _Level, children: _Nodes, open_: Flags) -> _Cases:
    """The cases of children that may be split further: low before high ones of each parent, else in the same order."""
    low_size, high_size = children.size.reshape(-1, 2).T
    size = low_size + high_size
    node = np.repeat(np.arange(len(size)), size)
    n = samples.x.shape[1]
    place = (level.feature * n).take(node) + cases.observation
    low = samples.x.ravel().take(place) < level.cut.take(node)
    child = 2 * node + ~low
    inside = open_.take(child)
    child, low = child[inside], low[inside]
    kept = np.where(open_, children.size, 0)
    earlier = np.cumsum(kept.reshape(-1, 2), axis=0) - kept.reshape(-1, 2)  # low, and high, cases of earlier parents
    begin = np.cumsum(kept) - kept - earlier.ravel()
    lows = np.cumsum(low)
    to = np.where(low, lows - 1, np.arange(len(low)) - lows) + begin.take(child)
    observation, copies = np.empty(len(to), dtype=int), np.empty(len(to), dtype=np.int32)
    observation[to], copies[to] = cases.observation[inside], cases.copies[inside]
    return _Cases(observation, copies)


def _pruned(levels: list[_Level], alpha: Array) -> list[Flags]:
    """Which splits of each level stay: those whose branch saves more than α for each leaf that it adds."""
    risk, leaves = levels[-1].nodes.risk, np.ones(len(levels[-1].nodes.tree), dtype=int)
    stay = [np.zeros(0, dtype=bool)]
    for level in levels[-2::-1]:
        branch_risk, branch_leaves = risk.reshape(-1, 2).sum(axis=1), leaves.reshape(-1, 2).sum(axis=1)
        parents = level.nodes.at(level.split)
        stays = parents.risk - branch_risk > alpha[parents.tree] * (branch_leaves - 1)
        risk, leaves = level.nodes.risk, np.ones(len(level.nodes.tree), dtype=int)
        nodes = level.split[stays]
        risk[nodes], leaves[nodes] = branch_risk[stays], branch_leaves[stays]
        stay.append(stays)
    return stay[::-1]


def _leaves(levels: list[_Level], stay: list[Flags], features: int) -> Trees:
    """The boxes of the leaves that assign the second class, from the root down."""
    trees = len(levels[0].nodes.tree)
    low, high = np.full((trees, features), -np.inf), np.full((trees, features), np.inf)
    reached = np.ones(trees, dtype=bool)  # whether a node of the level is part of the pruned tree
    leaves = []
    for level, stays in zip(levels, stay, strict=True):
        nodes = level.nodes
        inner = np.zeros(len(nodes.tree), dtype=bool)
        inner[level.split[stays]] = True
        leaf = reached & ~inner & (nodes.ones > nodes.total - nodes.ones)
        leaves.append((nodes.tree[leaf], low[leaf], high[leaf]))
        parent = np.repeat(level.split, 2)
        reached = np.repeat(stays & reached[level.split], 2)
        low, high = low[parent], high[parent]
        left = np.arange(0, len(parent), 2)
        high[left, level.feature] = level.cut  # a cut lies inside the box of its node
        low[left + 1, level.feature] = level.cut
    tree, low, high = (np.concatenate(part) for part in zip(*leaves, strict=True))
    order = np.argsort(tree, kind="stable")
    return Trees(trees, tree[order], low[order], high[order])


# ----------------------------------------------------------------------------------------------------------------------
# Many linear discriminants of two classes at once, with the observed class shares as priors, as R's MASS::lda.
#
# Reference: Venables and Ripley (2002), Modern Applied Statistics with S, section 12.1.


@dataclass(frozen=True)
class Discriminants:
    """A direction and a constant each: the second class is assigned where x · direction + constant > 0."""

    direction: Array
    constant: Array

    def predict(self, x: Array) -> NDArray[np.bool_]:
        """Whether each discriminant (row) assigns the second class to each point (column) of points × features."""
        score = np.repeat(self.constant[:, None], len(x), axis=1)
        for slope, values in zip(self.direction.T, x.T, strict=True):  # few features: faster than threads of BLAS
            score += slope[:, None] * values
        return score > 0


def fit_discriminants(x: Array, second: NDArray[np.generic], weights: Array) -> Discriminants:
    """Fit a discriminant for each row of weights, which say how many copies of an observation each has.

    `x` is n × features and `second` (whether an observation is of the second class) of length n; both have a leading
    axis as long as `weights` if each has a sample of its own. With S the pooled covariance within classes,

        direction = S⁻¹(m₂ − m₁),  constant = −direction · (m₁ + m₂)/2 + log(n₂/n₁)

    >>> x = np.array([[0.0], [1.0], [3.0], [4.0]])
    >>> fit_discriminants(x, np.array([0, 0, 1, 1]), np.ones((1, 4))).predict(np.array([[1.9], [2.1]])).tolist()
    [[False, True]]
    """
    if weights.ndim != 2 or x.shape[-2] != weights.shape[1] or second.shape != x.shape[:-1]:
        raise UsageError(f"A fit needs n × features, n labels and fits × n weights; found {x.shape}, {weights.shape}.")
    points, labels = (x, second) if x.ndim == 3 else (x[None], second[None])
    centre = points.mean(axis=1, keepdims=True)  # sums of squares are of values that lie around zero
    p = x.shape[-1]
    u = np.concatenate([np.ones((*points.shape[:2], 1)), points - centre], axis=2)
    products = (u[..., :, None] * u[..., None, :]).reshape(*points.shape[:2], -1)
    first, other = (products * (labels.astype(bool) == label)[..., None] for label in (False, True))
    both = (weights[:, None, :] @ np.concatenate([first, other], axis=2)).reshape(-1, 2, p + 1, p + 1)
    counts, means, scatter = [], [], np.zeros((len(weights), p, p))
    for moments in both.transpose(1, 0, 2, 3):  # summed products of (1, x) in each class
        n, sums = moments[:, 0, 0], moments[:, 0, 1:]
        if (n == 0).any():
            raise DegenerateError("A discriminant needs observations of both classes; a sample has only one of them.")
        counts.append(n)
        means.append(sums / n[:, None])
        scatter += moments[:, 1:, 1:] - sums[:, :, None] * sums[:, None, :] / n[:, None, None]
    covariance = scatter / np.maximum(counts[0] + counts[1] - 2, 1)[:, None, None]
    try:
        direction = np.linalg.solve(covariance, (means[1] - means[0])[:, :, None])[:, :, 0]
    except np.linalg.LinAlgError:
        raise DegenerateError("The covariance within classes is singular: a feature follows from others.") from None
    middle = (means[0] + means[1]) / 2 + centre[:, 0]
    return Discriminants(direction, np.log(counts[1] / counts[0]) - (direction * middle).sum(axis=1))
