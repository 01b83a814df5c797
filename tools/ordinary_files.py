"""Kinds of file with scores in them, as people and tools write them, of experiments whose truth is known.

Each kind writes the text of a file for a null (learners that are alike) and for an alternative. It names the pairs of
learners that truly differ, whatever is written otherwise. Cross-validation and random splits are carried out with
nearest-mean classifiers that look at one feature each, as in `bakeoff.calibration.null_designs`; everything else is
drawn from a law that the kind's comment or name states. Learners are called a, b, c, …; where they differ, a is best.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bakeoff.calibration.null_designs import errors_and_mistakes

Array = NDArray[np.float64]
Rng = np.random.Generator
Text = tuple[str, Iterable[Sequence[object]]]  # a header, and rows
Pair = tuple[str, str]  # (better, worse)


@dataclass(frozen=True)
class Kind:
    """A kind of file: `write(rng, apart)` makes its header and rows.

    `differ` are the pairs (better, worse) that truly differ in the alternative, `always` those that differ in the null
    as well. `read` and `ask` are what a user says about the file and asks of it. `rival` is a procedure that holds its
    level there too, with its options: what the default finds is held against what that finds; `alone` says why there
    is none. Where nothing holds, `excused` names the warnings of which one must be given instead (DEFAULTS: the
    simulations behind the defaults).
    """

    name: str
    write: Callable[[Rng, bool], Text]
    differ: tuple[Pair, ...] = (("a", "b"),)
    always: tuple[Pair, ...] = ()
    read: Mapping[str, Any] = field(default_factory=dict)
    ask: Mapping[str, Any] = field(default_factory=dict)
    rival: str = ""
    rival_ask: Mapping[str, Any] = field(default_factory=dict)
    alone: str = ""
    excused: tuple[str, ...] = ()
    factor: str = ""  # a second factor beside the learner; then what is claimed is an effect, and not a pair
    effect: int = 0  # of the learner, the factor, or both together
    share: float = 1.0  # of the replications: some kinds cost more


def names(k: int) -> list[str]:
    return [chr(ord("a") + j) for j in range(k)]


def long(column: str, values: Array, measure: str = "accuracy", labels: Sequence[object] | None = None) -> Text:
    """A row for each learner and block."""
    numbered = range(1, len(values) + 1) if labels is None else labels
    rows = [(m, label, f"{v:.6g}") for m, column_ in zip(names(values.shape[1]), values.T, strict=True)
            for label, v in zip(numbered, column_, strict=True)]  # fmt: skip
    return f"model,{column},{measure}", rows


def wide(column: str, values: Array, labels: Sequence[object] | None = None) -> Text:
    numbered = range(1, len(values) + 1) if labels is None else labels
    rows = [(label, *(f"{v:.6g}" for v in row)) for label, row in zip(numbered, values, strict=True)]
    return f"{column},{','.join(names(values.shape[1]))}", rows


def first_best(k: int) -> tuple[Pair, ...]:
    return tuple(("a", other) for other in names(k)[1:])


# --- resamples of one data set ----------------------------------------------------------------------------------------


SEPARATION, BETTER = 0.8, 1.7


def sample(rng: Rng, apart: bool, k: int = 2, n: int = 150) -> tuple[NDArray[np.bool_], Array]:
    label = rng.permutation(np.arange(n) < n // 2)
    shift = np.full(k, SEPARATION)
    shift[0] = BETTER if apart else SEPARATION
    return label, (rng.standard_normal((n, k)) + shift * label[:, None])[:, :, None]


def trained(rng: Rng, apart: bool, *, repeats: int, folds: int, k: int = 2) -> tuple[Array, NDArray[np.bool_]]:
    """Accuracies, repeats × folds × learners, and right answers, repeats × rows × learners."""
    label, x = sample(rng, apart, k)
    fold = np.stack([rng.permutation(np.arange(len(label)) % folds) for _ in range(repeats)])
    errors, mistakes = errors_and_mistakes(label, x, fold, folds)
    return 1 - errors, ~mistakes


def splits(rng: Rng, apart: bool, parts: int = 3, k: int = 2) -> Array:
    """Thirty random splits, a third or a half of the rows tested on."""
    return trained(rng, apart, repeats=30, folds=parts, k=k)[0][:, 0]


def folds(rng: Rng, apart: bool, k: int = 2, number: int = 10) -> Array:
    return trained(rng, apart, repeats=1, folds=number, k=k)[0][0]


def caret(rng: Rng, apart: bool) -> Text:
    scores = trained(rng, apart, repeats=10, folds=10)[0].reshape(100, 2)
    return long("Resample", scores, labels=[f"Fold{f:02d}.Rep{r:02d}" for r in range(1, 11) for f in range(1, 11)])


def weka(rng: Rng, apart: bool) -> Text:
    scores = 100 * trained(rng, apart, repeats=10, folds=10)[0]
    header = "Key_Dataset,Key_Run,Key_Fold,Key_Scheme,Number_of_training_instances,Number_of_testing_instances"
    rows = [("iris", r + 1, f + 1, m, 135, 15, f"{scores[r, f, j]:.4f}")
            for j, m in enumerate("ab") for r in range(10) for f in range(10)]  # fmt: skip
    return f"{header},Percent_correct", rows


def openml(rng: Rng, apart: bool) -> Text:
    scores = trained(rng, apart, repeats=1, folds=10)[0][0]
    return "flow,task_id,repeat,fold,sample,accuracy", [
        (m, 31, 0, f, 0, scores[f, j]) for j, m in enumerate("ab") for f in range(10)
    ]


def searched(rng: Rng, apart: bool) -> Text:
    scores = folds(rng, apart, number=5)
    header = "params,mean_fit_time," + ",".join(f"split{i}_test_score" for i in range(5))
    rows = [(m, 0.1, *scores[:, j], scores[:, j].mean(), scores[:, j].std(), 1) for j, m in enumerate("ab")]
    return f"{header},mean_test_score,std_test_score,rank_test_score", rows


def sized(column: str) -> Callable[[Rng, bool], Text]:
    def write(rng: Rng, apart: bool) -> Text:
        header, rows = long(column, splits(rng, apart))
        return f"{header},n_train,n_test", [(*row, 100, 50) for row in rows]

    return write


def five_by_two(rng: Rng, apart: bool) -> Text:
    scores = trained(rng, apart, repeats=5, folds=2)[0].reshape(10, 2)
    return long("split", scores, labels=[f"rep{r}_fold{f}" for r in range(5) for f in range(2)])


def folds_by_seeds(rng: Rng, apart: bool) -> Text:
    """The same five folds with three seeds of the learner each, as noise beside what the folds do."""
    scores = folds(rng, apart, number=5)[:, None, :] + rng.normal(0, 0.01, (5, 3, 2))
    rows = [(m, f, s, f"{scores[f, s, j]:.5f}") for j, m in enumerate("ab") for f in range(5) for s in range(3)]
    return "model,fold,seed,accuracy", rows


def predictions(rng: Rng, apart: bool, repeats: int = 1) -> Text:
    right = trained(rng, apart, repeats=repeats, folds=10)[1]
    truth = rng.integers(0, 2, right.shape[1])
    guess = np.where(right, truth[None, :, None], 1 - truth[None, :, None])
    rows = [(r, i % 10, i, truth[i], *guess[r, i]) for r in range(repeats) for i in range(right.shape[1])]
    return "repeat,fold,id,y_true,a,b", rows


def gaps(rng: Rng, apart: bool) -> Text:
    """Ten folds, of which two were lost."""
    kept = [0, 1, 3, 4, 5, 7, 8, 9]
    return long("fold", folds(rng, apart)[kept], labels=[f + 1 for f in kept])


# Of resamples of one data set only what makes up for their overlap holds its level.
OVERLAPPING: dict[str, Any] = {"rival": "corrected-t", "rival_ask": {"ratio": 0.5}}
OVERLAPPING_FOLDS: dict[str, Any] = {
    "alone": "what else makes up for the overlap, bayes-correlated-t, has 5 % on each side and for each pair"
}
RESAMPLES = [
    *(Kind(f"30 random splits, a third tested: `{column}`", lambda rng, apart, c=column: long(c, splits(rng, apart)),
           **OVERLAPPING)
      for column in ("split", "iteration", "run", "seed")),
    Kind("30 random halves: `resample`", lambda rng, apart: long("resample", splits(rng, apart, 2)),
         rival="corrected-t", rival_ask={"ratio": 1.0}),
    Kind("30 random halves, wide: `partition`", lambda rng, apart: wide("partition", splits(rng, apart, 2)),
         read={"measure": "accuracy"}, rival="corrected-t", rival_ask={"ratio": 1.0}),
    Kind("30 random splits, wide, called folds by the user", lambda rng, apart: wide("nr", splits(rng, apart)),
         read={"measure": "accuracy", "rows": "folds"}, alone="what the user calls folds cannot be called splits"),
    Kind("30 random splits, ratio said", lambda rng, apart: long("split", splits(rng, apart)), ask={"ratio": 0.5},
         **OVERLAPPING_FOLDS),
    Kind("30 random splits with `n_train`, `n_test`", sized("split"), **OVERLAPPING_FOLDS),
    Kind("30 random splits called `fold`, with sizes", sized("fold"), **OVERLAPPING_FOLDS),
    Kind("10 folds: `fold`", lambda rng, apart: long("fold", folds(rng, apart)), **OVERLAPPING_FOLDS),
    Kind("10 folds, wide: `cv_fold`", lambda rng, apart: wide("cv_fold", folds(rng, apart)),
         read={"measure": "accuracy"}, **OVERLAPPING_FOLDS),
    Kind("10 folds, 4 learners: `fold`", lambda rng, apart: long("fold", folds(rng, apart, 4)), first_best(4),
         **OVERLAPPING_FOLDS),
    Kind("8 of 10 folds, ratio said", gaps, ask={"ratio": 1 / 9}, **OVERLAPPING_FOLDS),
    Kind("5 folds × 3 seeds: `fold`, `seed`", folds_by_seeds, **OVERLAPPING_FOLDS),
    Kind("caret, 10 × 10 folds: `Fold01.Rep01`", caret, share=0.5, **OVERLAPPING_FOLDS),
    Kind("5 × 2 folds: `rep1_fold2`", five_by_two, rival="5x2-t"),
    Kind("WEKA, 10 × 10 folds: `Key_Run`, `Key_Fold`", weka, read={"measure": "Percent_correct"}, share=0.5,
         rival="calibrated-10x10"),
    Kind("OpenML: `repeat`, `fold`, `sample`", openml, **OVERLAPPING_FOLDS),
    Kind("scikit-learn: `split0_test_score`", searched, alone="its splits are folds, which the file does not say"),
    Kind("predictions of 10 folds, `y_true`", predictions, rival="item-flips"),
    Kind("predictions of 5 × 10 folds, `y_true`", lambda rng, apart: predictions(rng, apart, 5), share=0.5,
         rival="paired-t"),
]  # fmt: skip


# --- items ------------------------------------------------------------------------------------------------------------


def abilities(k: int, apart: bool, base: float = 0.0, more: float = 1.6) -> Array:
    level = np.full(k, base)
    level[0] += more * apart
    return level


def chances(rng: Rng, n: int, ability: Array, spread: float = 1.2, own: float = 2.0) -> Array:
    """The chance of each learner on each item: items are harder or easier for all, and for each by itself."""
    latent = spread * rng.standard_normal((n, 1)) + own * rng.standard_normal((n, len(ability))) + ability + 0.8
    return np.asarray(1 / (1 + np.exp(-latent)))


def answered(rng: Rng, n: int, k: int, apart: bool, more: float = 1.6) -> Array:
    return (rng.random((n, k)) < chances(rng, n, abilities(k, apart, more=more))).astype(float)


def clones(rng: Rng, apart: bool) -> Array:
    """200 items, all learners right in 80 %: six that nearly always agree, and two others. In the alternative the
    first is better than all."""
    common = rng.standard_normal((200, 1))
    load = np.sqrt([0.98] * 6 + [0.1] * 2)
    latent = load * common + np.sqrt(1 - load**2) * rng.standard_normal((200, 8))
    bar = np.full(8, -0.8416)
    bar[0] -= 0.6 * apart
    return (latent > bar).astype(float)


def weak_third(rng: Rng, apart: bool) -> Array:
    """Two learners at 85 % that mostly agree, and one at 50 %."""
    common = rng.standard_normal((200, 1))
    latent = np.sqrt(0.9) * common + np.sqrt(0.1) * rng.standard_normal((200, 3))
    return (latent > np.array([-1.036 - 0.35 * apart, -1.036, 0.0])).astype(float)


def repeated(
    rng: Rng, apart: bool, n: int, times: int, k: int = 2, column: str = "seed", own: float = 2.0, more: float = 1.6
) -> Text:
    """Several answers to each item; what items are for each learner by itself has the spread `own`."""
    chance = chances(rng, n, abilities(k, apart, more=more), own=own)
    right = rng.random((times, n, k)) < chance
    rows = [(m, i, s, int(right[s, i, j])) for j, m in enumerate(names(k)) for i in range(n) for s in range(times)]
    return f"model,item,{column},correct", rows


def own_seeds(rng: Rng, apart: bool) -> Text:
    header, rows = repeated(rng, apart, 60, 4)
    return header, [(row[0], row[1], f"{row[0]}{row[2]}", row[3]) for row in rows]


def holes(rng: Rng, apart: bool) -> Text:
    """A tenth of the answers is missing at random, but none of the first seed."""
    header, rows = repeated(rng, apart, 60, 4)
    return header, [row for row in rows if row[2] == 0 or rng.random() > 0.1]


def sure_and_random(rng: Rng, apart: bool) -> Text:
    """One learner is right or wrong in all 16 epochs, the other in each by itself; both in 85 %, or 95 against 65 %."""
    sure = (rng.random((20, 1)) < (0.95 if apart else 0.85)).repeat(16, axis=1)
    other = rng.random((20, 16)) < (0.65 if apart else 0.85)
    rows = [
        (m, i, e, int(right[i, e])) for m, right in (("a", sure), ("b", other)) for i in range(20) for e in range(16)
    ]
    return "model,item,epoch,correct", rows


def lognormal(rng: Rng, apart: bool, n: int, k: int, sigmas: Sequence[float] = ()) -> Array:
    """Losses with mean 1; of the first .6 if apart."""
    sigma = np.array(sigmas or [0.8] * k)
    losses = np.exp(sigma * rng.standard_normal((n, k)) - sigma**2 / 2)
    losses[:, 0] *= 0.6 if apart else 1.0
    return np.asarray(losses)


def unlike(rng: Rng, apart: bool) -> Array:
    """50 losses in [0, 1] with mean .2, mostly near 0 or 1 for a and c, near .2 for b."""
    losses = np.column_stack([rng.beta(0.3, 1.2, 50), rng.beta(8, 32, 50), rng.beta(0.3, 1.2, 50)])
    losses[:, 0] *= 0.4 if apart else 1.0
    return losses


def judged_right(rng: Rng, apart: bool) -> Text:
    header, rows = long("question_id", answered(rng, 100, 2, apart), "correct")
    return header, [(m, i, v == "1") for m, i, v in rows]


def trained_anew(rng: Rng, apart: bool, n: int = 200) -> Text:
    """Each learner trained with five seeds of its own, and each of these models asked the same items."""
    item, seed = rng.normal(0, 1.2, n), rng.normal(0, 0.4, (2, 5))
    seed[0] += 1.5 * apart
    right = rng.random((2, 5, n)) < 1 / (1 + np.exp(-1 - item - seed[..., None]))
    rows = [(m, s, i, int(right[j, s, i])) for j, m in enumerate("ab") for s in range(5) for i in range(n)]
    return "model,seed,item,correct", rows


ITEMS = [
    Kind("200 items, models of 5 seeds of training, about which nothing is known: `seed`", trained_anew,
         rival="mixed-model"),
    Kind("100 items, right or wrong: `item`", lambda rng, apart: long("item", answered(rng, 100, 2, apart), "correct"),
         rival="item-flips"),
    Kind("100 items, `True` and `False`: `question_id`", judged_right, rival="item-flips"),
    Kind("100 items, wide: `example`", lambda rng, apart: wide("example", answered(rng, 100, 2, apart)),
         read={"measure": "accuracy"}, rival="item-flips"),
    Kind("200 items, 5 learners", lambda rng, apart: long("item", answered(rng, 200, 5, apart), "correct"),
         first_best(5), rival="mcnemar", rival_ask={"adjust": "holm"}),
    Kind("200 items, six near-clones and two others", lambda rng, apart: long("item", clones(rng, apart), "correct"),
         first_best(8), rival="mcnemar", rival_ask={"adjust": "holm"}, share=0.5),
    Kind("200 items, a weak third learner", lambda rng, apart: long("item", weak_third(rng, apart), "correct"),
         always=(("a", "c"), ("b", "c")), rival="mcnemar", rival_ask={"adjust": "holm"}),
    Kind("100 items × 8 seeds: `seed`", lambda rng, apart: repeated(rng, apart, 100, 8), rival="paired-t"),
    Kind("50 items × 5 epochs: `epoch`", lambda rng, apart: repeated(rng, apart, 50, 5, column="epoch"),
         rival="paired-t"),
    Kind("20 items × 10 trials: `trial`", lambda rng, apart: repeated(rng, apart, 20, 10, column="trial"),
         rival="paired-t"),
    Kind("20 items × 10 trials, learners much alike: `trial`",
         lambda rng, apart: repeated(rng, apart, 20, 10, column="trial", own=0.7, more=0.7), rival="paired-t"),
    Kind("50 items × 4 samples, 5 learners: `sample`", lambda rng, apart: repeated(rng, apart, 50, 4, 5, "sample"),
         first_best(5), rival="paired-t", rival_ask={"adjust": "holm"}, share=0.5),
    Kind("12 items × 4 runs: `run`", lambda rng, apart: repeated(rng, apart, 12, 4, column="run"),
         rival="item-flips"),
    Kind("60 items, each learner's own 4 seeds", own_seeds, rival="paired-t"),
    Kind("60 items × 4 seeds, a tenth missing", holes, rival="paired-t"),
    Kind("20 items × 16 epochs, a sure and a random learner", sure_and_random,
         alone="t tests and flips do not hold their level there"),
    Kind("100 losses, lognormal: `item`", lambda rng, apart: long("item", lognormal(rng, apart, 100, 2), "loss"),
         rival="paired-t"),
    Kind("100 losses, 4 learners", lambda rng, apart: long("item", lognormal(rng, apart, 100, 4), "loss"),
         first_best(4), rival="paired-t", rival_ask={"adjust": "holm"}),
    Kind("50 losses in [0, 1] of unlike shape", lambda rng, apart: long("item", unlike(rng, apart), "brier"),
         (("a", "b"), ("a", "c")), rival="paired-t", rival_ask={"adjust": "holm"}),
    Kind("200 lognormal losses of unlike shape, σ .3 and 1.5",
         lambda rng, apart: long("item", lognormal(rng, apart, 200, 2, (0.3, 1.5)), "loss"),
         excused=("skewed-losses",), alone="nothing holds its level there"),
    Kind("10 losses: `item`", lambda rng, apart: long("item", lognormal(rng, apart, 10, 2), "loss"),
         rival="item-flips"),
]  # fmt: skip


# --- items in clusters, in strata, in tasks ---------------------------------------------------------------------------


def clustered(rng: Rng, apart: bool, sizes: Sequence[int], k: int = 2, icc: float = 0.3, more: float = 0.6) -> Text:
    """Right and wrong answers; learners are better or worse in whole clusters, each by itself."""
    cluster = np.repeat(np.arange(len(sizes)), sizes)
    own = np.sqrt(icc) * rng.standard_normal((len(sizes), k))[cluster]
    latent = (
        own + np.sqrt(1 - icc) * rng.standard_normal((len(cluster), k)) + more * np.arange(k)[::-1] * apart / (k - 1)
    )
    right = (latent > -0.5).astype(int)
    rows = [(m, f"c{c}", i, right[i, j]) for j, m in enumerate(names(k)) for i, c in enumerate(cluster)]
    return "model,passage,item,correct", rows


def in_column(column: str, text: Text) -> Text:
    header, rows = text
    return header.replace("passage", column), rows


def numbered_anew(rng: Rng, apart: bool) -> Text:
    header, rows = clustered(rng, apart, [25] * 20)
    return header, [(row[0], row[1], int(str(row[2])) % 25, row[3]) for row in rows]


def wide_ids(rng: Rng, apart: bool) -> Text:
    """A numeric id of the subject beside two learners."""
    _, rows = clustered(rng, apart, [25] * 20)
    right = {(row[0], row[2]): row[3] for row in rows}
    return "subject,item,a,b", [(i // 25, i, right["a", i], right["b", i]) for i in range(500)]


def patients(rng: Rng, apart: bool) -> Text:
    _, rows = clustered(rng, apart, [6] * 25)
    right = {(row[0], row[2]): row[3] for row in rows}
    truth = rng.integers(0, 2, 150)
    return "patient_id,y_true,a,b", [
        (i // 6, truth[i], *(truth[i] if right[m, i] else 1 - truth[i] for m in "ab")) for i in range(150)
    ]


def clustered_repeats(rng: Rng, apart: bool) -> Text:
    _, rows = clustered(rng, apart, [5] * 15)
    rows = [(*row[:3], e, row[3] if rng.random() < 0.8 else 1 - int(str(row[3]))) for row in rows for e in range(4)]
    return "model,passage,item,epoch,correct", rows


def stratified(rng: Rng, apart: bool) -> Text:
    """Eight subjects, a fixed list: a is better in half of them by as much as it is worse in the others."""
    tilt = np.repeat([0.5, -0.5], 4)
    subject = np.repeat(np.arange(8), 40)
    latent = rng.standard_normal((320, 2)) + 0.7 * rng.standard_normal((320, 1))
    latent[:, 0] += tilt[subject] + 0.35 * apart
    right = (latent > -0.5).astype(int)
    rows = [(m, f"s{s}", i, right[i, j]) for j, m in enumerate("ab") for i, s in enumerate(subject)]
    return "model,subject,item,correct", rows


def tasks_of_items(rng: Rng, apart: bool) -> Text:
    """Twelve tasks with 30 items each; learners are better or worse in whole tasks."""
    return in_column("task", clustered(rng, apart, [30] * 12, more=0.8))


def tasks_of_alike_items(rng: Rng, apart: bool) -> Text:
    """The same, learners differing by no task more than by another."""
    return in_column("task", clustered(rng, apart, [30] * 12, icc=0.0, more=0.35))


UNEQUAL = [80, 50, 40, 30, 25, 20, 15, 12, 10, 8, 8, 6, 5, 5, 4]
CLUSTERS = [
    *(Kind(f"20 clusters of 25 items: `{column}`",
           lambda rng, apart, c=column: in_column(c, clustered(rng, apart, [25] * 20)), rival="cluster-t")
      for column in ("subject", "passage", "cluster")),
    Kind("20 clusters, 3 learners: `document`",
         lambda rng, apart: in_column("document", clustered(rng, apart, [25] * 20, 3)),
         (("a", "b"), ("a", "c"), ("b", "c")), rival="cluster-t", rival_ask={"adjust": "holm"}),
    Kind("20 clusters, numeric ids, wide: `subject`", wide_ids, read={"measure": "accuracy"}, rival="cluster-t"),
    Kind("20 clusters, items numbered anew", numbered_anew, rival="cluster-t"),
    Kind("15 clusters of very unequal size", lambda rng, apart: clustered(rng, apart, UNEQUAL), rival="cluster-t"),
    Kind("5 clusters of 40 items", lambda rng, apart: clustered(rng, apart, [40] * 5),
         alone="flips of five clusters cannot reach 5 %"),
    Kind("one cluster as large as nine others together", lambda rng, apart: clustered(rng, apart, [180] + [20] * 9),
         rival="cluster-t"),
    Kind("20 clusters in a column that is not known: `category`",
         lambda rng, apart: in_column("category", clustered(rng, apart, [25] * 20)),
         alone="what knows clusters must be told of them"),
    Kind("15 clusters of 5 items × 4 epochs", clustered_repeats, rival="cluster-t"),
    Kind("predictions, 25 patients of 6 scans: `patient_id`", patients, rival="cluster-t"),
    Kind("8 subjects as strata", stratified, read={"strata": "subject"},
         rival="mcnemar"),
    Kind("12 tasks of 30 items, about problems", tasks_of_items, ask={"about": "problems"},
         rival="task-t"),
    Kind("12 tasks of 30 items", tasks_of_items, rival="task-t"),
    Kind("12 tasks of 30 items, about items", tasks_of_alike_items, ask={"about": "items"},
         rival="mcnemar"),
]  # fmt: skip


# --- runs of learners on one split, and matched runs ------------------------------------------------------------------


def scattered(rng: Rng, apart: bool, runs: int, sds: Sequence[float], by: float = 0.0) -> Array:
    """Runs with standard deviations of their own; the first is better by so many of its own and the second's."""
    values = 0.8 + 0.01 * np.array(sds) * rng.standard_normal((runs, len(sds)))
    values[:, 0] += 0.01 * by * apart
    return np.asarray(values)


def matched(values: Array, rng: Rng) -> Array:
    return values + 0.03 * rng.standard_normal((len(values), 1))


def broken_fifth(rng: Rng, apart: bool) -> Array:
    values = scattered(rng, apart, 10, [1, 1, 1, 1, 30], 2.5)
    values[:, 4] -= 0.5
    return values


FIXED, OWN = {"runs": "fixed-split"}, {"runs": "independent"}
RUNS = [
    Kind("5 seeds of 2 learners", lambda rng, apart: long("seed", scattered(rng, apart, 5, [1, 1], 3)), ask=FIXED,
         rival="run-t"),
    Kind("5 seeds of 2 learners, nothing said", lambda rng, apart: long("seed", scattered(rng, apart, 5, [1, 1], 3)),
         rival="run-t", rival_ask=OWN),
    Kind("3 seeds of 2 learners, unequal", lambda rng, apart: long("seed", scattered(rng, apart, 3, [1, 5], 15)),
         ask=FIXED, rival="run-t"),
    Kind("5 seeds of 5 learners, unequal",
         lambda rng, apart: long("seed", scattered(rng, apart, 5, [1, 1, 1, 5, 5], 4)), first_best(5),
         ask=FIXED, rival="welch-bootstrap"),
    Kind("10 seeds of 8 learners, unequal",
         lambda rng, apart: long("seed", scattered(rng, apart, 10, [1] * 6 + [5, 5], 2)), first_best(8), ask=FIXED,
         share=0.5, rival="welch-bootstrap"),
    Kind("10 seeds, a broken fifth learner", lambda rng, apart: long("seed", broken_fifth(rng, apart)),
         first_best(4), always=tuple((m, "e") for m in "abcd"), ask=FIXED, rival="welch-bootstrap"),
    Kind("10 matched runs of 5 learners, unequal",
         lambda rng, apart: long("run", matched(scattered(rng, apart, 10, [1, 1, 1, 5, 5], 2), rng)), first_best(5),
         ask=OWN, rival="run-t"),
    Kind("5 matched runs of 3 learners",
         lambda rng, apart: long("run", matched(scattered(rng, apart, 5, [1, 1, 1], 4), rng)), first_best(3), ask=OWN,
         rival="run-t"),
    Kind("30 matched runs of 2 learners",
         lambda rng, apart: long("run", matched(scattered(rng, apart, 30, [1, 3], 2), rng)), ask=OWN, rival="run-t"),
]  # fmt: skip


# --- tasks ------------------------------------------------------------------------------------------------------------


def over_tasks(rng: Rng, apart: bool, n: int, sds: Sequence[float], by: float = 1.0) -> Array:
    """Tasks that differ in difficulty and in scale."""
    scale = np.exp(0.5 * rng.standard_normal((n, 1)))
    values = (
        0.7 + 0.08 * rng.standard_normal((n, 1)) + 0.02 * scale * np.array(sds) * rng.standard_normal((n, len(sds)))
    )
    values[:, :1] += 0.02 * by * scale * apart
    return np.asarray(values)


def in_a_pool(rng: Rng, apart: bool, n: int = 20) -> Array:
    """Some tasks, five learners: a and b have the same mean and median, a varies ten times as much, the others are
    slightly better than both. In the alternative c is better still."""
    values = (
        0.7 + 0.1 * rng.standard_normal((n, 1)) + 0.01 * np.array([3, 0.3, 0.3, 0.3, 0.3]) * rng.standard_normal((n, 5))
    )
    values[:, 2:] += 0.004
    values[:, 2] += 0.01 * apart
    return np.asarray(values)


def tasks_by(rng: Rng, apart: bool, column: str, own: int) -> Text:
    """Twelve tasks with five runs each; `own` of them no other learner has."""
    values = over_tasks(rng, apart, 12, [1, 1], 1.5)
    rows = [(m, f"d{t}", s + own * j, f"{values[t, j] + 0.01 * rng.standard_normal():.5f}")
            for j, m in enumerate("ab") for t in range(12) for s in range(5)]  # fmt: skip
    return f"model,dataset,{column},accuracy", rows


def with_companions(rng: Rng, apart: bool) -> Text:
    values = over_tasks(rng, apart, 12, [1, 1], 1.5)
    rows = [(i, f"d{i}", 100 + 7 * i, a, 0.02, b, 0.03, 0.99) for i, (a, b) in enumerate(values)]
    return "Unnamed: 0,dataset,n_samples,a,a_std,b,b_std,train_a", rows


def per_cent_signs(rng: Rng, apart: bool) -> Text:
    header, rows = long("dataset", over_tasks(rng, apart, 12, [1, 1], 1.5))
    return header, [(m, f"d{t}", f"{100 * float(str(v)):.2f}%") for m, t, v in rows]


def weak_learner(rng: Rng, apart: bool) -> Array:
    values = over_tasks(rng, apart, 15, [1, 1, 1, 1, 4])
    values[:, 4] -= 0.3
    return values


def in_families(rng: Rng, apart: bool) -> Text:
    """Forty tasks of five families: what a learner gains in one, it gains in all its tasks; noise is of t(3)."""
    gain = np.repeat(rng.normal(0, 0.03, (5, 2)), 8, axis=0) + 0.008 * rng.standard_t(3, (40, 2))
    gain[:, 0] += 0.09 * apart
    rows = [(f"t{t}", f"f{t // 8}", m, f"{0.6 + gain[t, j]:.5f}") for t in range(40) for j, m in enumerate("ab")]
    return "task,family,model,accuracy", rows


def by_extractor(rng: Rng, apart: bool, repeats: int, number: int) -> Text:
    """Two learners on the features of two extractors, ten folds of one data set or 3 × 10; one cell is best."""
    scores = trained(rng, apart, repeats=repeats, folds=number, k=4)[0]
    cells = [(j, x) for j in "ab" for x in ("raw", "pca")]
    rows = [(m, x, r, f, f"{scores[r, f, j]:.5f}") for j, (m, x) in enumerate(cells)
            for r in range(repeats) for f in range(number)]  # fmt: skip
    return "model,extractor,repeat,fold,accuracy", rows


FACTORS = [
    Kind(f"{'3 × ' * (repeats > 1)}10 folds, 2 learners × 2 extractors: {what}",
         lambda rng, apart, r=repeats: by_extractor(rng, apart, r, 10), factor="extractor", effect=effect,
         alone="nothing else here tests two factors over folds", share=0.5)
    for repeats in (1, 3) for effect, what in ((0, "the learner"), (2, "the interaction"))
]  # fmt: skip
TASKS = [
    Kind("40 tasks in 5 families, about which nothing is known: `family`", in_families,
         alone="all that takes the tasks for independent claims too much"),
    Kind("40 tasks in 5 families, said to be a sample", in_families, read={"cluster": "family"},
         alone="ranks and flips of five families cannot reach 5 %"),
    Kind("12 tasks, 2 learners: `dataset`", lambda rng, apart: long("dataset", over_tasks(rng, apart, 12, [1, 1], 1.5)),
         rival="task-t"),
    Kind("12 tasks, wide, with ids, deviations, sizes", with_companions, read={"measure": "accuracy"},
         rival="wilcoxon"),
    Kind("12 tasks, cells such as 81.20%", per_cent_signs, rival="task-t"),
    Kind("20 tasks, 4 learners, wide", lambda rng, apart: wide("dataset", over_tasks(rng, apart, 20, [1] * 4)),
         first_best(4), read={"measure": "accuracy"}, rival="wilcoxon", rival_ask={"adjust": "holm"}),
    Kind("15 tasks, ten learners, two of them variable",
         lambda rng, apart: long("dataset", over_tasks(rng, apart, 15, [1] * 8 + [5, 5])), first_best(10), share=0.3,
         rival="task-t"),
    Kind("20 tasks, a pool that makes mean ranks differ", lambda rng, apart: long("dataset", in_a_pool(rng, apart)),
         (("c", "d"), ("c", "e")), always=tuple((m, w) for m in "cde" for w in "ab"), share=0.5,
         rival="wilcoxon", rival_ask={"adjust": "holm"}),
    Kind("60 tasks, a pool that makes mean ranks differ",
         lambda rng, apart: long("dataset", in_a_pool(rng, apart, 60)),
         (("c", "d"), ("c", "e")), always=tuple((m, w) for m in "cde" for w in "ab"), share=0.5,
         rival="wilcoxon", rival_ask={"adjust": "holm"}),
    Kind("15 tasks, a weak learner among five", lambda rng, apart: long("dataset", weak_learner(rng, apart)),
         first_best(4), always=tuple((m, "e") for m in "abcd"), share=0.5,
         rival="wilcoxon", rival_ask={"adjust": "holm"}),
    Kind("5 tasks, 2 learners", lambda rng, apart: long("dataset", over_tasks(rng, apart, 5, [1, 1], 3)),
         alone="ranks and flips of five tasks cannot reach 5 %"),
    Kind("5 tasks, 3 learners", lambda rng, apart: long("dataset", over_tasks(rng, apart, 5, [1, 1, 1], 3)),
         first_best(3), alone="ranks and flips of five tasks cannot reach 5 %"),
    Kind("12 tasks × 5 seeds that learners share", lambda rng, apart: tasks_by(rng, apart, "seed", 0), rival="task-t"),
    Kind("12 tasks × 5 seeds of one's own", lambda rng, apart: tasks_by(rng, apart, "seed", 5), rival="task-t"),
    Kind("12 tasks × 5 seeds, three shared", lambda rng, apart: tasks_by(rng, apart, "seed", 2), rival="task-t"),
    Kind("12 tasks × 5 folds", lambda rng, apart: tasks_by(rng, apart, "fold", 0), rival="task-t"),
]  # fmt: skip


# --- times ------------------------------------------------------------------------------------------------------------


def series(rng: Rng, apart: bool, n: int, rho: float, k: int = 2) -> Array:
    """Losses at successive times, each learner's an autoregressive series with mean 1; that of the first is lower."""
    noise = rng.standard_normal((n, k)) * np.sqrt(1 - rho**2)
    values = np.empty((n, k))
    values[0] = rng.standard_normal(k)
    for before, now in pairwise(range(n)):
        values[now] = rho * values[before] + noise[now]
    mean = np.full(k, 5.0)
    mean[0] -= apart * 5 * np.sqrt((1 + rho) / (1 - rho) / n)
    return np.asarray(mean + values)


def dated(rng: Rng, apart: bool) -> Text:
    days = np.arange("2026-01-01", "2026-07-20", dtype="datetime64[D]")[:200].astype(str)
    return long("date", series(rng, apart, 200, 0.5), "loss", labels=list(days))


ORDERED = "nothing else takes the order of times into account and holds its level"
TIMES = [
    *(Kind(f"200 times, autocorrelation {rho}: `time`",
           lambda rng, apart, r=rho: wide("time", series(rng, apart, 200, r)), read={"measure": "mae"}, rival=rival,
           alone="" if rival else ORDERED)
      for rho, rival in ((0.0, "paired-t"), (0.5, ""), (0.8, ""))),
    Kind("500 times, autocorrelation 0.8", lambda rng, apart: wide("time", series(rng, apart, 500, 0.8)),
         read={"measure": "mae"}, alone=ORDERED),
    Kind("100 times, autocorrelation 0.95", lambda rng, apart: wide("time", series(rng, apart, 100, 0.95)),
         read={"measure": "mae"}, excused=("persistent-series",), alone=ORDERED),
    Kind("200 days, long: `date`", dated, alone=ORDERED),
    Kind("200 times, 4 learners, autocorrelation 0.5", lambda rng, apart: wide("time", series(rng, apart, 200, 0.5, 4)),
         first_best(4), read={"measure": "mae"}, alone=ORDERED),
]  # fmt: skip


KINDS: tuple[Kind, ...] = (*RESAMPLES, *ITEMS, *CLUSTERS, *RUNS, *TASKS, *FACTORS, *TIMES)
