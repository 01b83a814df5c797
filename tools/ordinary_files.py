"""Kinds of file with scores in them, as people and tools write them, of experiments whose truth is known.

Each kind writes the text of a file for a null (learners that are alike) and for an alternative. It names the pairs of
learners that truly differ, whatever is written otherwise. Cross-validation and random splits are carried out with
nearest-mean classifiers that look at one feature each, as in `bakeoff.calibration.null_designs`; everything else is
drawn from a law that the kind's comment or name states. Learners are called a, b, c, …; where they differ, a is best.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import pairwise
from typing import Any

import numpy as np
from files_of_items import CLUSTERS, ITEMS
from kind_of_file import Array, Kind, Rng, Text, first_best, long, wide
from numpy.typing import NDArray

from bakeoff.calibration.null_designs import errors_and_mistakes

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


def tidymodels(rng: Rng, apart: bool) -> Text:
    """rsample names its resamples in a column `id`."""
    labels = [f"Resample{i:02d}" for i in range(1, 31)]
    _, rows = long("id", splits(rng, apart), labels=labels)
    return "wflow_id,id,.metric,.estimator,.estimate", [(m, i, "accuracy", "binary", v) for m, i, v in rows]


def mlr3(rng: Rng, apart: bool) -> Text:
    _, rows = long("iteration", 1 - splits(rng, apart))
    header = "nr,task_id,learner_id,resampling_id,iteration,classif.ce"
    return header, [(1, "sonar", m, "subsampling", i, v) for m, i, v in rows]


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
    Kind("tidymodels, 30 splits: `Resample01`", tidymodels, **OVERLAPPING),
    Kind("mlr3, 30 splits: `subsampling`", mlr3, **OVERLAPPING),
    Kind("scikit-learn: `split0_test_score`", searched, alone="its splits are folds, which the file does not say"),
    Kind("predictions of 10 folds, `y_true`", predictions, rival="item-flips"),
    Kind("predictions of 5 × 10 folds, `y_true`", lambda rng, apart: predictions(rng, apart, 5), share=0.5,
         rival="paired-t"),
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


def named_in_families(rng: Rng, apart: bool) -> Text:
    """The same, families being told by the names of tasks only."""
    _, rows = in_families(rng, apart)
    return "task,model,accuracy", [(f"{row[1]}-{str(row[0])[1:]}", *row[2:]) for row in rows]


def named_folds(rng: Rng, apart: bool) -> Text:
    """The folds of twelve tasks, in the names of tasks."""
    _, rows = tasks_by(rng, apart, "fold", 0)
    return "model,dataset,accuracy", [(m, f"{task}_fold{f}", v) for m, task, f, v in rows]


def by_language(rng: Rng, apart: bool) -> Text:
    """Twelve tasks in five languages: what a learner gains in a task, it gains in all its languages."""
    header, rows = tasks_by(rng, apart, "language", 0)
    return header, [(m, task, ("en", "de", "fr", "zh", "ar")[int(str(s))], v) for m, task, s, v in rows]


def of_two_parts(rng: Rng, apart: bool) -> Text:
    """Scores of training and of testing, and of how uncertain these are."""
    values = over_tasks(rng, apart, 12, [1, 1], 1.5)
    rows = [(m, f"d{t}", part, measure, f"{values[t, j] + 0.1 * (part == 'train') if measure == 'acc' else 0.01:.5f}")
            for j, m in enumerate("ab") for t in range(12) for part in ("train", "test")
            for measure in ("acc", "acc_stderr")]  # fmt: skip
    return "model,dataset,subset,metric,value", rows


def of_two_measures(rng: Rng, apart: bool) -> Text:
    values = over_tasks(rng, apart, 12, [1, 1], 1.5)
    return "dataset,a_acc,a_f1,b_acc,b_f1", [(f"d{t}", a, a - 0.1, b, b - 0.2) for t, (a, b) in enumerate(values)]


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
    Kind("40 tasks in 5 families by their names, about which nothing is known", named_in_families,
         alone="all that takes the tasks for independent claims too much"),
    Kind("12 tasks × 5 folds, in the names of tasks", named_folds, rival="task-t"),
    Kind("12 tasks × 5 languages: `language`", by_language, rival="task-t"),
    Kind("12 tasks, of training and test, with standard errors: `subset`, `acc_stderr`", of_two_parts, rival="task-t"),
    Kind("12 tasks, wide, two measures: `a_acc`, `a_f1`", of_two_measures, read={"measure": "acc"}, rival="task-t"),
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


def drifting(rng: Rng, apart: bool, n: int) -> Array:
    """Half of the variance is a slow drift, of autocorrelation .9, and half is noise."""
    slow, noise = series(rng, False, n, 0.9) - 5, rng.standard_normal((n, 2))
    losses = 5 + (slow + noise) * np.sqrt(0.5)
    losses[:, 0] -= apart * 5 * np.sqrt((0.5 * 19 + 0.5) / n)
    return np.asarray(losses)


def panel(rng: Rng, apart: bool) -> Text:
    """Eight series at the same 60 times, at each of which something hits all of them."""
    common = series(rng, apart, 60, 0.5)
    rows = [(f"s{s}", t, *(f"{v:.5f}" for v in common[t] + rng.normal(0, 0.5, 2))) for s in range(8) for t in range(60)]
    return "series,date,a,b", rows


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
    Kind("500 times, a slow drift under noise", lambda rng, apart: wide("time", drifting(rng, apart, 500)),
         read={"measure": "mae"}, alone=ORDERED),
    Kind("200 times, a slow drift under noise", lambda rng, apart: wide("time", drifting(rng, apart, 200)),
         read={"measure": "mae"}, alone=ORDERED),
    Kind("8 series at 60 times, of whose common shocks nothing is known: `series`", panel, read={"measure": "mae"},
         alone="all that takes the series for independent claims too much"),
    Kind("8 series at 60 times, about new times: `series`", panel, read={"measure": "mae"}, ask={"about": "items"},
         excused=("persistent-series", "slow-drift"), alone=ORDERED),
    Kind("200 times, 4 learners, autocorrelation 0.5", lambda rng, apart: wide("time", series(rng, apart, 200, 0.5, 4)),
         first_best(4), read={"measure": "mae"}, alone=ORDERED),
]  # fmt: skip


KINDS: tuple[Kind, ...] = (*RESAMPLES, *ITEMS, *CLUSTERS, *RUNS, *TASKS, *FACTORS, *TIMES)
