"""Null designs: experiments in which no learner is better than another, one for each kind of data that procedures read.

Each is a function (rng, k) → a table of scores with k learners. Cross-validation is simulated for real: nearest-mean
classifiers that look at one feature each, with features that are equally informative, are trained and tested on the
folds of a sample of 200. They are equally good by symmetry, and their folds overlap as real folds do.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bakeoff.mathematics.checks import Array
from bakeoff.measures import KNOWN
from bakeoff.procedures.card import NULL_VALUE
from bakeoff.scores import Labels, Predictions, Scores, unpaired
from bakeoff.scores.table import with_clusters

# ----------------------------------------------------------------------------------------------------------------------
# Nearest-mean classifiers of two classes: fast learners of which hundreds can be fitted at once.
#
# Learner j looks at features of its own, x[:, j]; it assigns the class whose mean over the training rows is nearest.


Flags = NDArray[np.bool_]


def nearest_mean_errors(label: Flags, x: Array, truth: Flags, seen: Array) -> Array:
    """The error rate of each learner, fitted to one sample and tested on another; x is rows × learners × features.

    >>> x = np.array([[[0.0]], [[1.0]], [[4.0]]])
    >>> truth, seen = np.array([True, True]), np.array([[[2.0]], [[3.0]]])
    >>> nearest_mean_errors(np.array([False, False, True]), x, truth, seen).tolist()
    [0.5]
    """
    return np.asarray(nearest_mean_mistakes(label, x, truth, seen).mean(axis=0))


def nearest_mean_mistakes(label: Flags, x: Array, truth: Flags, seen: Array) -> Flags:
    """The same, row by row: whether each learner is wrong."""
    return np.asarray(_assigned(label, x, np.ones((1, len(label))), seen)[0] != truth[:, None])


def fold_errors(label: Flags, x: Array, fold: NDArray[np.intp], folds: int) -> Array:
    """Error rates in cross-validation, repeats × folds × learners; `fold` is repeats × rows, the fold of each row."""
    return errors_and_mistakes(label, x, fold, folds)[0]


def errors_and_mistakes(label: Flags, x: Array, fold: NDArray[np.intp], folds: int) -> tuple[Array, Flags]:
    """The same, and whether each learner is wrong on each row when it is tested on: repeats × rows × learners.

    >>> x = np.array([[[0.0]], [[1.0]], [[4.0]], [[2.0]]])
    >>> label, fold = np.array([False, False, True, True]), np.array([[0, 1, 0, 1]])
    >>> errors, mistakes = errors_and_mistakes(label, x, fold, 2)
    >>> errors.ravel().tolist(), mistakes.ravel().tolist()
    ([0.0, 0.5], [False, False, False, True])
    """
    n = len(label)
    inside = fold[:, None, :] == np.arange(folds)[:, None]  # repeats × folds × rows
    test = inside.reshape(-1, n)
    wrong = (_assigned(label, x, (~test).astype(float), x) != label[:, None]) & test[:, :, None]
    errors = wrong.sum(axis=1) / np.maximum(test.sum(axis=1), 1)[:, None]
    whole = wrong.reshape(len(fold), folds, n, x.shape[1])
    return np.asarray(errors.reshape(len(fold), folds, x.shape[1])), np.asarray(whole.any(axis=1))


def _assigned(label: Flags, x: Array, train: Array, seen: Array) -> Flags:
    """Whether the second class is assigned, fits × rows of `seen` × learners; each fit has its row of `train` (0 or 1).

    With class means a and b, a row is nearer to b if (b − a)·(row − (a + b)/2) > 0.
    """
    n, learners, features = x.shape
    flat = x.reshape(n, -1)
    a, b = (
        ((train * of_class) @ flat / np.maximum(train @ of_class, 1)[:, None]).reshape(-1, learners, features)
        for of_class in ((~label).astype(float), label.astype(float))
    )
    direction = b - a
    constant = (direction * (a + b)).sum(axis=2) / 2
    scores = np.stack([direction[:, j] @ seen[:, j].T for j in range(learners)], axis=2)
    return np.asarray(scores > constant[:, None, :])


# ----------------------------------------------------------------------------------------------------------------------


Design = Callable[[np.random.Generator, int], Scores]

TASKS, INSTANCES, SAMPLE, FOLDS = 15, 200, 200, 10
RATE = NULL_VALUE
SEPARATION = 1.0  # between the classes, in standard deviations: an error rate of about 31 %


def table(values: Array, keys: Mapping[str, list[str]], measure: str = "error") -> Scores:
    """A block × learner matrix as scores; `keys` name the blocks, one label a row."""
    n, k = values.shape
    learners = tuple(f"learner {j + 1}" for j in range(k))
    row, column = np.divmod(np.arange(n * k), k)
    factors: dict[str, Any] = {}
    for name, labels in keys.items():
        labelled = Labels.of(labels)
        factors[name] = Labels(labelled.labels, labelled.codes[row])
    known = {name: KNOWN[name] for name in dict.fromkeys(keys.get("measure", [measure]))}
    return Scores.of(
        values.ravel(), learner=Labels(learners, column), measures=known, source="a null design", **factors
    )


def numbers(n: int) -> list[str]:
    """Labels of blocks: 1 … n."""
    return [str(i + 1) for i in range(n)]


def tasks(rng: np.random.Generator, k: int) -> Scores:
    """Tasks that differ in difficulty, and noise that is as likely to help one learner as another."""
    values = rng.gamma(2.0, 0.1, (TASKS, 1)) + 0.02 * rng.standard_normal((TASKS, k))
    return table(values, {"task": numbers(TASKS)}, "rmse")


def incomplete_tasks(rng: np.random.Generator, k: int) -> Scores:
    """The same, with one score of five missing at random; every task has two learners at least."""
    values = rng.gamma(2.0, 0.1, (TASKS, 1)) + 0.02 * rng.standard_normal((TASKS, k))
    missing = rng.random((TASKS, k)) < 0.2 * k / max(k - 2, 1)  # of those that may be
    missing[np.arange(TASKS)[:, None], rng.permuted(np.tile(np.arange(k), (TASKS, 1)), axis=1)[:, :2]] = False
    return table(np.where(missing, np.nan, values), {"task": numbers(TASKS)}, "rmse")


def losses(rng: np.random.Generator, k: int) -> Scores:
    """Squared errors of k models on the same instances, some of which are hard for all."""
    shared = rng.standard_normal((INSTANCES, 1))
    errors = shared + rng.standard_normal((INSTANCES, k))
    return table(errors**2, {"instance": numbers(INSTANCES)}, "squared_error")


def answers(rng: np.random.Generator, k: int) -> Scores:
    """Right and wrong answers of k models on the same instances, some of which are hard for all."""
    difficulty = rng.beta(0.8, 2.0, (INSTANCES, 1))
    return table((rng.random((INSTANCES, k)) < difficulty).astype(float), {"instance": numbers(INSTANCES)})


def cross_validation(repeats: int, folds: int) -> Design:
    """Real cross-validation, repeated; blocks are folds of one sample."""

    def design(rng: np.random.Generator, k: int) -> Scores:
        label, features = _sample(rng, SAMPLE, k)
        errors = np.concatenate([_fold_errors(rng, label, features, folds) for _ in range(repeats)])
        keys = {"fold": numbers(folds) * repeats}
        if repeats > 1:
            keys["repeat"] = [r for r in numbers(repeats) for _ in range(folds)]
        return table(errors, keys)

    return design


def fresh_draws(rng: np.random.Generator, k: int) -> Scores:
    """Training and test sets drawn anew for each block, from the same process for all learners."""
    blocks = []
    for _ in range(FOLDS):
        label, features = _sample(rng, 100, k)
        truth, seen = _sample(rng, 100, k)
        blocks.append(nearest_mean_errors(label, features[:, :, None], truth, seen[:, :, None]))
    return table(np.array(blocks), {"repeat": numbers(FOLDS)})


def fixed_test_set(rng: np.random.Generator, k: int) -> Scores:
    """A competition: training sets drawn anew for each of 50 blocks, all judged on one test set of 100.

    The learners are equally good in the population, but on this test set one of them is ahead by luck.
    """
    truth, seen = _sample(rng, 100, k)
    errors = []
    for _ in range(50):
        label, features = _sample(rng, 100, k)
        errors.append(nearest_mean_errors(label, features[:, :, None], truth, seen[:, :, None]))
    return table(np.array(errors), {"repeat": numbers(50)})


def independent_runs(rng: np.random.Generator, k: int) -> Scores:
    """Learners that were run ten times each, on samples of their own."""
    return unpaired(table(0.3 + 0.05 * rng.standard_normal((FOLDS, k)), {"repeat": numbers(FOLDS)}))


def independent_tasks(rng: np.random.Generator, k: int) -> Scores:
    """Learners that were tried on tasks of their own."""
    return unpaired(table(rng.gamma(2.0, 0.1, (TASKS, k)), {"task": numbers(TASKS)}, "rmse"))


def independent_answers(rng: np.random.Generator, k: int) -> Scores:
    """Models with an error rate of 30 %, each on a test set of its own."""
    return unpaired(table((rng.random((INSTANCES, k)) < RATE).astype(float), {"instance": numbers(INSTANCES)}))


def independent_losses(rng: np.random.Generator, k: int) -> Scores:
    """Squared normal errors, each model on a test set of its own."""
    values = rng.standard_normal((INSTANCES, k)) ** 2
    return unpaired(table(values, {"instance": numbers(INSTANCES)}, "squared_error"))


def near_clones(rng: np.random.Generator, k: int) -> Scores:
    """Right and wrong answers, all models right in 80 %: k − 2 that nearly always agree, and two that do not."""
    loading = np.sqrt(np.where(np.arange(k) < max(k - 2, 2), 0.98, 0.1))
    latent = loading * rng.standard_normal((INSTANCES, 1)) + np.sqrt(1 - loading**2) * rng.standard_normal(
        (INSTANCES, k)
    )
    return table((latent > 0.8416).astype(float), {"instance": numbers(INSTANCES)})


def unlike_losses(rng: np.random.Generator, k: int) -> Scores:
    """Losses in [0, 1] with a mean of .2: those of sure models are mostly near 0 or 1, of cautious ones near .2."""
    sure = np.arange(k) % 2 == 0
    values = np.where(sure, rng.beta(0.3, 1.2, (INSTANCES, k)), rng.beta(8.0, 32.0, (INSTANCES, k)))
    return table(values, {"instance": numbers(INSTANCES)}, "brier")


def unequal_runs(rng: np.random.Generator, k: int) -> Scores:
    """Ten runs that learners share, whose scores two learners scatter five times as much."""
    spread = np.where(np.arange(k) < 2, 0.05, 0.01)
    values = RATE + 0.03 * rng.standard_normal((FOLDS, 1)) + spread * rng.standard_normal((FOLDS, k))
    return table(values, {"repeat": numbers(FOLDS)})


def unequal_own_runs(rng: np.random.Generator, k: int) -> Scores:
    """Five runs of each learner, with seeds of its own, whose scores two learners scatter five times as much."""
    spread = np.where(np.arange(k) < 2, 0.05, 0.01)
    return unpaired(table(RATE + spread * rng.standard_normal((5, k)), {"repeat": numbers(5)}))


def unequal_tasks(rng: np.random.Generator, k: int) -> Scores:
    """Tasks that differ in difficulty; all learners have the same mean rank, and two of them vary more."""
    spread = np.where(np.arange(k) < 2, 0.1, 0.02)
    values = rng.gamma(2.0, 0.1, (TASKS, 1)) + spread * rng.standard_normal((TASKS, k))
    return table(values, {"task": numbers(TASKS)}, "rmse")


def pool(rng: np.random.Generator, k: int) -> Scores:
    """Twenty tasks: the first two learners are equally good, one of them varies more, and the others are better.

    Mean ranks tell the two apart, because the one that varies more is now and then before the others.
    """
    n = TASKS + 5
    spread = np.where(np.arange(k) == 0, 3.0, 0.3)
    values = 5.0 + np.where(np.arange(k) < 2, 0.5, 0.0) + spread * rng.standard_normal((n, k))
    return table(values + rng.gamma(2.0, 1.0, (n, 1)), {"task": numbers(n)}, "rmse")


def one_mean(rng: np.random.Generator, k: int) -> Scores:
    """Ten runs with a true mean of .3 and a standard deviation of .05."""
    return table(RATE + 0.05 * rng.standard_normal((FOLDS, k)), {"repeat": numbers(FOLDS)})


def one_mean_of_folds(rng: np.random.Generator, k: int) -> Scores:
    """Ten folds with a true mean of .3, any two of them with a correlation of one in ten."""
    common, own = rng.standard_normal((1, k)), rng.standard_normal((FOLDS, k))
    return table(RATE + 0.05 * (np.sqrt(0.1) * common + np.sqrt(0.9) * own), {"fold": numbers(FOLDS)})


def one_rate(rng: np.random.Generator, k: int) -> Scores:
    """Right and wrong answers at a true error rate of .3."""
    return table((rng.random((INSTANCES, k)) < RATE).astype(float), {"instance": numbers(INSTANCES)})


def one_median(rng: np.random.Generator, k: int) -> Scores:
    """Tasks with a true median of .3."""
    return table(RATE + 0.05 * rng.standard_t(3, (TASKS, k)), {"task": numbers(TASKS)}, "rmse")


def tasks_with_folds(rng: np.random.Generator, k: int) -> Scores:
    """Ten independent runs on each of five tasks that differ in difficulty; no learner does better on any of them."""
    n = 5
    difficulty = np.repeat(rng.gamma(2.0, 0.1, n), FOLDS)[:, None]
    keys = {"task": [t for t in numbers(n) for _ in range(FOLDS)], "repeat": numbers(FOLDS) * n}
    return table(difficulty + 0.05 * rng.standard_normal((n * FOLDS, k)), keys, "rmse")


def two_measures(rng: np.random.Generator, k: int) -> Scores:
    """Two correlated measures of the same twenty independent runs."""
    n = 2 * FOLDS
    shared = rng.standard_normal((n, k))
    sheets = [0.3 + 0.05 * (shared + rng.standard_normal((n, k))) for _ in range(2)]
    return table(np.concatenate(sheets), {"repeat": numbers(n) * 2, "measure": ["error"] * n + ["brier"] * n})


def clustered(clusters: int, per_cluster: int = 10, *, equal: bool = False) -> Design:
    """Losses of instances in clusters, which share a third of their variance for each model by itself.

    Sizes are lognormal unless they are `equal`: the largest cluster of twenty holds about a fifth of the instances.
    """

    def design(rng: np.random.Generator, k: int) -> Scores:
        sizes = np.maximum(np.round(per_cluster * np.exp(0.0 if equal else rng.standard_normal(clusters))), 1)
        cluster = np.repeat(np.arange(clusters), np.broadcast_to(sizes, clusters).astype(int))
        values = RATE + 0.1 * (
            0.7 * rng.standard_normal((clusters, k))[cluster]
            + rng.standard_normal((len(cluster), 1))
            + rng.standard_normal((len(cluster), k))
        )
        return in_clusters(table(values, {"instance": numbers(len(cluster))}, "rmse"), cluster)

    return design


def crossed(rng: np.random.Generator, k: int) -> Scores:
    """Forty instances, each answered in six runs; models vary from instance to instance and from run to run."""
    n, runs = 40, 6
    item, run = np.divmod(np.arange(n * runs), runs)
    values = RATE + 0.1 * (
        rng.standard_normal((n, k))[item]
        + 0.5 * rng.standard_normal((runs, k))[run]
        + rng.standard_normal((n * runs, k))
    )
    keys = {"instance": [str(i + 1) for i in item], "repeat": [str(r + 1) for r in run]}
    return table(values, keys, "rmse")


def strata(rng: np.random.Generator, k: int) -> Scores:
    """Right and wrong answers in eight strata of unequal size; models that are better in some are worse in others.

    What a model gains in one stratum it loses in the next, of the same size: over all of them, nobody is better.
    """
    sizes = np.repeat([10, 20, 30, 60], 2)
    stratum = np.repeat(np.arange(8), sizes)
    gain = np.where(np.arange(8) % 2 == 0, 1.0, -1.0)[:, None] * np.linspace(-0.15, 0.15, k) if k > 1 else 0.0
    rates = np.broadcast_to(RATE + np.asarray(gain), (8, k))[stratum]
    values = (rng.random((len(stratum), k)) < rates).astype(float)
    return in_clusters(table(values, {"instance": numbers(len(stratum))}), stratum, fixed=True)


def series(rng: np.random.Generator, k: int) -> Scores:
    """Losses at successive times, each model's with an autocorrelation of .5."""
    rho, warm = 0.5, 50
    noise = rng.standard_normal((INSTANCES + warm, k))
    for t in range(1, len(noise)):
        noise[t] += rho * noise[t - 1]
    scores = table(RATE + 0.05 * noise[warm:], {"instance": numbers(INSTANCES)}, "rmse")
    return replace(scores, ordered="time")


def in_clusters(scores: Scores, cluster: NDArray[np.intp], *, fixed: bool = False) -> Scores:
    """Scores of instances with the cluster of each."""
    code = cluster[scores.instance.codes]
    labels = Labels(tuple(numbers(int(cluster.max()) + 1)), code.astype(np.intp))
    return with_clusters(scores, "strata" if fixed else "cluster", labels, fixed=fixed)


def probabilities(rng: np.random.Generator, k: int) -> Scores:
    """Scores of k models for the same instances of two classes, equally informative about the class."""
    truth = (np.arange(INSTANCES) % 2).astype(float)
    values = rng.standard_normal((INSTANCES, 1)) + rng.standard_normal((INSTANCES, k)) + truth[:, None]
    scores = table((values > 0.5) != truth[:, None], {"instance": numbers(INSTANCES)})
    kept = Predictions(truth, values, scores.learners, np.array([""] * INSTANCES))
    return replace(scores, predictions=kept)


def _sample(rng: np.random.Generator, n: int, k: int) -> tuple[NDArray[np.bool_], Array]:
    label = rng.permutation(np.arange(n) < n // 2)
    return label, rng.standard_normal((n, k)) + SEPARATION * label[:, None]


def _fold_errors(rng: np.random.Generator, label: NDArray[np.bool_], features: Array, folds: int) -> Array:
    fold = rng.permutation(np.arange(len(label)) % folds)
    return np.asarray(fold_errors(label, features[:, :, None], fold[None], folds)[0])
