"""How often warnings of spurious effects are raised where there is none, and where one was planted: writes
docs/spurious.md.

    python tools/alarms.py [--repeats 1000]
"""

from __future__ import annotations

import argparse
from collections.abc import Callable
from pathlib import Path

import numpy as np

from bakeoff import as_task, judge
from bakeoff.results.order_effects import drifts
from bakeoff.study.prepare import row_numbers
from bakeoff.study.sampling_bias import LEVEL, proportions_p, told_apart

PAGE = Path(__file__).parents[1] / "docs" / "spurious.md"
Rng = np.random.Generator


def order(rng: Rng, splits: int, learners: int, drift: float) -> bool:
    """Scores of splits that all learners share, in random order; `drift` is in sds from the first to the last."""
    positions = rng.permutation(splits)[:, None] * learners + rng.permuted(
        np.tile(np.arange(learners), (splits, 1)), axis=1
    )
    values = rng.normal(size=(splits, 1)) + rng.normal(size=(splits, learners))
    values += drift * positions / positions.max()
    return bool(drifts(values - values.mean(axis=0), positions.astype(float), [str(i) for i in range(learners)]))


def parts(rng: Rng, n: int, shift: float) -> bool:
    X = rng.normal(size=(n, 5))
    X[: n // 3, 0] += shift
    data = as_task("t", (X, rng.normal(size=n))).load()
    apart = told_apart(data, np.arange(n // 3, n), np.arange(n // 3), int(rng.integers(2**31)))
    return apart is not None and apart.p <= LEVEL


def proportions(rng: Rng, n: int, shift: float) -> bool:
    train, test = rng.binomial(2 * n // 3, 0.3), rng.binomial(n // 3, 0.3 + shift)
    return proportions_p(np.array([[train, 2 * n // 3 - train], [test, n // 3 - test]])) <= LEVEL


def twins(rng: Rng, copies: int) -> bool:
    X = rng.normal(size=(200, 3))
    X[:copies] = X[100 : 100 + copies]
    data = as_task("t", (X, np.zeros(200) + X[:, 0])).load()
    numbers = row_numbers(data)
    assert numbers is not None
    rows = rng.permutation(200)
    return bool(np.isin(numbers[rows[:20]], numbers[rows[20:]]).mean() >= 0.02)


def verdict_warns(code: str, accuracy: np.ndarray, names: list[str]) -> bool:
    import pandas as pd

    n, k = accuracy.shape
    frame = pd.DataFrame(
        {
            "task": np.repeat([f"t{i}" for i in range(n)], k),
            "learner": np.tile(names, n),
            "measure": "accuracy",
            "value": np.clip(accuracy, 0, 1).ravel(),
        }
    )
    return code in {warning.code for warning in judge(frame).warnings}


def ceiling(rng: Rng, level: float, own: float) -> bool:
    """Two learners on ten tasks; `level` is their mean accuracy, `own` what each has of its own on a task (sd)."""
    tasks = level + rng.normal(0, 0.03, (10, 1))
    return verdict_warns("practical-ceiling", tasks + rng.normal(0, own, (10, 2)), ["a", "b"])


def with_baseline(rng: Rng, simple: float) -> bool:
    """A tree at 0.9, a majority baseline at 0.6, and 1R at `simple`, on ten tasks."""
    means = np.array([0.9, simple, 0.6]) + rng.normal(0, 0.03, (10, 1))
    return verdict_warns("practical-ceiling", means + rng.normal(0, 0.01, (10, 3)), ["tree", "1R", "majority"])


def regression(rng: Rng, spread: float) -> bool:
    """Eight learners on ten tasks; `spread` is the sd of their true means, in standard errors of a mean."""
    true = 0.7 + rng.normal(0, spread * 0.03 / np.sqrt(10), 8)
    return verdict_warns("regression", true + rng.normal(0, 0.03, (10, 8)), [f"l{i}" for i in range(8)])


CASES: tuple[tuple[str, str, str, bool, Callable[[Rng], bool], float], ...] = (
    ("order-effect", "none: 30 splits, 3 learners", "1 % by construction", False, lambda r: order(r, 30, 3, 0.0), 1),
    ("order-effect", "none: 100 splits, 8 learners", "1 % by construction", False, lambda r: order(r, 100, 8, 0.0), 1),
    ("order-effect", "a drift of 1 sd from first to last, 100 splits", "", True, lambda r: order(r, 100, 3, 1.0), 1),
    ("order-effect", "a drift of 2 sd from first to last, 100 splits", "", True, lambda r: order(r, 100, 3, 2.0), 1),
    ("drift", "none: 300 rows, 5 inputs", "1 % by construction", False, lambda r: parts(r, 300, 0.0), 0.3),
    ("drift", "one of 5 inputs is shifted by 1 sd, 300 rows", "", True, lambda r: parts(r, 300, 1.0), 0.1),
    ("drift", "one of 5 inputs is shifted by 1 sd, 1,000 rows", "", True, lambda r: parts(r, 1000, 1.0), 0.1),
    ("class-proportions", "none: 300 rows", "1 % by construction", False, lambda r: proportions(r, 300, 0.0), 10),
    ("class-proportions", "30 % became 50 %, 300 rows", "", True, lambda r: proportions(r, 300, 0.2), 10),
    ("duplicated-rows", "none", "0", False, lambda r: twins(r, 0), 1),
    ("duplicated-rows", "a tenth of the rows are copies", "", True, lambda r: twins(r, 20), 1),
    ("practical-ceiling", "none: two learners at 0.75", "", False, lambda r: ceiling(r, 0.75, 0.03), 0.3),
    ("practical-ceiling", "none: two at 0.93, each far better on some tasks", "", False,
     lambda r: ceiling(r, 0.93, 0.06), 0.3),
    ("practical-ceiling", "two learners at 0.95, near each other on all tasks", "", True,
     lambda r: ceiling(r, 0.95, 0.01), 0.3),
    ("practical-ceiling", "none: tree 0.9, 1R 0.8, majority 0.6", "", False, lambda r: with_baseline(r, 0.8), 0.3),
    ("practical-ceiling", "tree 0.9, 1R 0.895, majority 0.6", "", True, lambda r: with_baseline(r, 0.895), 0.3),
    ("regression", "none: true means spread by 3 standard errors", "", False, lambda r: regression(r, 3.0), 0.3),
    ("regression", "eight learners that are alike", "", True, lambda r: regression(r, 0.0), 0.3),
)  # fmt: skip


def rate(case: Callable[[Rng], bool], repeats: int, number: int) -> float:
    rng = np.random.default_rng([2026, number])
    return float(np.mean([case(rng) for _ in range(repeats)]))


def page(repeats: int) -> str:
    rows = []
    for number, (code, what, stated, planted, case, share) in enumerate(CASES):
        times = max(20, round(repeats * share))
        share = rate(case, times, number)
        rows.append(
            f"| `{code}` | {what} | {'planted' if planted else 'absent'} | {share:.1%} | {stated} | {times:,} |"
        )
        print(rows[-1], flush=True)
    return TEXT.format(rows="\n".join(rows))


TEXT = """\
# Warnings of spurious effects: how often they are right

Written by `python tools/alarms.py`. Each row is a kind of experiment that was simulated again and again: where the
effect is absent a warning is a false alarm, where it is planted it is right. [Warnings](warnings.md) has the codes,
[Conducting](conducting.md#what-looks-like-an-effect-and-is-none) what they mean.

| warning | experiment | effect | warned | stated rate | simulations |
|---|---|---|---|---|---|
{rows}

`order-effect`, `drift` and `class-proportions` are tests, each at the level of 1 % for a measure or a task; the others
are rules, whose rates are what is measured here. `ceiling` and `floor` are facts about the means, as `run-again` and
`duplicated-rows` are about the run and the rows.
"""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--repeats", type=int, default=1000)
    arguments = parser.parse_args()
    PAGE.write_text(page(arguments.repeats), encoding="utf-8")


if __name__ == "__main__":
    main()
