"""Kinds of file with a row an item, or an answer to one: alone, in clusters, in strata and in tasks."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from kind_of_file import Array, Kind, Rng, Text, first_best, long, names, wide

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


def judged(rng: Rng, apart: bool) -> Text:
    """Four judges rate the answers to 60 items, some strictly and some kindly with whoever answers."""
    item, judge = rng.normal(0, 1, (60, 1, 1)), rng.normal(0, 1, 4)
    own = rng.normal(0, 0.7, (60, 1, 2)) + 0.5 * np.array([apart, False])
    rating = 6 + item + own + judge[:, None] + rng.normal(0, 0.7, (60, 4, 2))
    rows = [(i, m, f"j{r}", f"{rating[i, r, j]:.1f}") for i in range(60) for r in range(4) for j, m in enumerate("ab")]
    return "question_id,model,judge,rating", rows


ITEMS = [
    Kind("80 items × 6 prompts: `template`", lambda rng, apart: repeated(rng, apart, 80, 6, column="template", more=1),
         rival="paired-t"),
    Kind("60 items × 4 judges: `judge`", judged, read={"larger_is_better": True}, rival="paired-t"),
    Kind("30 topics: `topic`", lambda rng, apart: long("topic", chances(rng, 30, abilities(2, apart)), "map"),
         rival="paired-t"),
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


def recurring(rng: Rng, apart: bool) -> Text:
    """A column `id` whose labels recur, and rows that nothing else names."""
    _, rows = clustered(rng, apart, [15] * 20)
    right = {(row[0], row[2]): row[3] for row in rows}
    return "id,a,b", [(f"p{i // 15}", right["a", i], right["b", i]) for i in range(300)]


def guessed(rng: Rng, apart: bool) -> Text:
    """The same beside a truth, so that the columns are predictions."""
    _, rows = recurring(rng, apart)
    truth = rng.integers(0, 2, len(rows))
    pairs = zip(truth, rows, strict=True)
    return "id,y_true,a,b", [(i, t, *(t if right else 1 - t for right in each)) for t, (i, *each) in pairs]


def guessed_in_rows(rng: Rng, apart: bool) -> Text:
    """A row for each prediction: of whom, of what, and what was true."""
    right = rng.random((200, 2)) < (np.array([0.78, 0.62]) if apart else 0.7)
    truth = rng.choice(["cat", "dog"], 200)
    other = {"cat": "dog", "dog": "cat"}
    rows = [(m, i, t, t if right[i, j] else other[t]) for i, t in enumerate(truth) for j, m in enumerate("ab")]
    return "model,id,y_true,y_pred", rows


UNEQUAL = [80, 50, 40, 30, 25, 20, 15, 12, 10, 8, 8, 6, 5, 5, 4]
CLUSTERS = [
    Kind("300 rows, wide, of ids that recur, about which nothing is known: `id`", recurring,
         read={"measure": "accuracy"}, alone="what knows clusters must be told of them"),
    Kind("300 predictions of ids that recur, about which nothing is known: `id`", guessed,
         alone="what knows clusters must be told of them"),
    Kind("200 predictions, a row each: `model`, `y_true`, `y_pred`", guessed_in_rows, rival="item-flips"),
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
