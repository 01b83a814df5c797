from __future__ import annotations

from itertools import product
from math import isnan
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import zoo

from bakeoff.errors import MisfitError, UsageError
from bakeoff.measures import Measure
from bakeoff.scores import Level, Missing, Scores, layout, read_scores, unpaired
from bakeoff.scores.design import Runs
from bakeoff.scores.layout import FIVE_BY_TWO, KFOLD, NO_RESAMPLING, REPEATED_KFOLD, REPEATS, UNEVEN, declare_runs
from bakeoff.scores.provenance import Provenance

ACC = {"acc": Measure("acc", larger_is_better=True)}


def design(
    repeats: list[str], folds: list[str], tasks: tuple[str, ...] = ("t",), learners: tuple[str, ...] = ("a", "b")
) -> Scores:
    rows = list(product(tasks, repeats, folds, learners))
    task, repeat, fold, learner = zip(*rows, strict=True)
    return Scores.of(np.zeros(len(rows)), learner=learner, task=task, repeat=repeat, fold=fold, measures=ACC)


def numbers(n: int) -> list[str]:
    return [str(i) for i in range(1, n + 1)]


@pytest.mark.parametrize(
    ("repeats", "folds", "name"),
    [(1, 1, NO_RESAMPLING), (1, 10, KFOLD), (10, 10, REPEATED_KFOLD), (5, 2, FIVE_BY_TWO), (30, 1, REPEATS)],
)
@pytest.mark.parametrize("tasks", [("t",), ("t", "u", "v")])
def test_the_scheme_is_read_off_the_labels(repeats: int, folds: int, name: str, tasks: tuple[str, ...]) -> None:
    facts = layout(design(numbers(repeats), numbers(folds), tasks))
    assert (facts.repeats, facts.folds, facts.resampling) == (repeats, folds, name)


def test_five_by_two_with_folds_that_run_on() -> None:
    rows = [(i // 2, i, learner) for i in range(10) for learner in "ab"]
    repeat, fold, learner = zip(*rows, strict=True)
    facts = layout(Scores.of(np.zeros(20), learner=learner, repeat=repeat, fold=fold, measures=ACC))
    assert facts.resampling == FIVE_BY_TWO
    assert facts.n_blocks == 10


def test_repeats_are_counted_within_tasks() -> None:
    # Each task has its own seeds: three repeats, not six.
    rows = [(task, seed, learner) for task, seeds in (("x", "123"), ("y", "456")) for seed in seeds for learner in "ab"]
    task, seed, learner = zip(*rows, strict=True)
    facts = layout(Scores.of(np.zeros(12), learner=learner, task=task, repeat=seed, measures=ACC))
    assert (facts.repeats, facts.resampling) == (3, REPEATS)


def test_resamples_that_differ() -> None:
    folds = Scores.of(np.zeros(3), learner=["a"] * 3, repeat=["1", "1", "2"], fold=["1", "2", "1"], measures=ACC)
    assert layout(folds).resampling == UNEVEN
    repeats = Scores.of(np.zeros(3), learner=["a"] * 3, task=["x", "x", "y"], repeat=["1", "2", "1"], measures=ACC)
    assert layout(repeats).resampling == UNEVEN


def folds_of(**runs: str) -> Scores:
    """Scores of learners on the folds that are spelled out; an exclamation mark after a fold is a failure there."""
    rows = []
    for learner, folds in runs.items():
        for i, fold in enumerate(folds):
            if fold != "!":
                rows.append((learner, fold, np.nan if folds[i + 1 : i + 2] == "!" else 0.5))
    learners, fold_labels, value = zip(*rows, strict=True)
    return Scores.of(value, learner=learners, fold=fold_labels, measures=ACC)


@pytest.mark.parametrize(
    ("scores", "unequal"),
    [
        (folds_of(a="123", b="123"), False),
        (folds_of(a="123", b="12"), True),
        (folds_of(a="123", b="456"), True),
        (folds_of(a="123", b="123!"), False),
    ],
    ids=["the same", "one too few", "as many, but others", "one that failed"],
)
def test_unequal_folds(scores: Scores, unequal: bool) -> None:
    assert layout(scores).unequal_folds is unequal


def test_a_task_that_one_learner_never_saw_is_missing_and_not_unequal() -> None:
    rows = [(t, f, k) for t in "xy" for f in "12" for k in "ab" if (t, k) != ("y", "b")]
    task, fold, learner = zip(*rows, strict=True)
    facts = layout(Scores.of(np.zeros(6), learner=learner, task=task, fold=fold, measures=ACC))
    assert not facts.unequal_folds
    assert (facts.n_missing, facts.n_cells, facts.complete) == (2, 8, False)


@pytest.mark.parametrize(
    ("level", "n"), [(Level.INSTANCES, 6), (Level.RESAMPLES, 2), (Level.TASKS, 2), (Level.SINGLE, 1)]
)
def test_blocks_are_counted_at_the_level_asked_for(level: Level, n: int) -> None:
    rows = [(t, f, f + i, m) for t, f, i, m in product("xy", "12", "123", "ab")]
    task, fold, instance, learner = zip(*rows, strict=True)
    scores = Scores.of(np.zeros(24), learner=learner, task=task, fold=fold, instance=instance, measures=ACC)
    if level in (Level.INSTANCES, Level.RESAMPLES):
        with pytest.raises(MisfitError, match=f"2 tasks, and {level.value} of several tasks are not {level.value} of"):
            layout(scores, level=level)
        scores = scores.only(tasks=["x"])
    assert layout(scores, level=level).n_blocks == n


def test_blocks_that_are_dropped_do_not_count() -> None:
    scores = folds_of(a="1234", b="123")
    assert layout(scores).n_blocks == 4
    assert layout(scores, missing=Missing.DROP_BLOCK).n_blocks == 3


def test_the_ratio_of_test_to_training_size() -> None:
    sizes: dict[str, Any] = {"n_train": [90, 90], "n_test": [10, 10]}
    given = Scores.of([1, 2], learner=["a", "b"], measures=ACC, **sizes)
    assert layout(given).test_train_ratio == pytest.approx(1 / 9)
    assert layout(design(["1"], numbers(5))).test_train_ratio == 1 / 4
    assert isnan(layout(design(numbers(30), ["1"])).test_train_ratio)


def test_binary_losses() -> None:
    def losses(value: list[float]) -> Scores:
        return Scores.of(value, learner=["a", "a"], instance=["1", "2"], measures=ACC)

    assert layout(losses([0, 1])).binary
    assert not layout(losses([0, 0.5])).binary
    assert not layout(folds_of(a="12")).binary


def test_in_words() -> None:
    text = layout(design(["1"], numbers(10), ("x", "y", "z"))).sentence
    assert text == "2 learners on 3 tasks, each averaged over K-fold cross-validation, acc (larger is better)"


def test_independent_samples_are_counted_one_by_one() -> None:
    runs = Scores.of(
        range(12),
        learner=["a"] * 7 + ["b"] * 5,
        repeat=list("1234567") + list("12345"),
        measures=ACC,
    )
    facts = layout(unpaired(runs))
    assert facts.n_each == (7, 5)
    assert (facts.n_missing, facts.n_cells) == (0, 12)
    assert "2 learners on 7 and 5 resamples of one task" in facts.sentence
    assert layout(unpaired(runs), missing=Missing.DROP_BLOCK).n_each == (7, 5)  # there are no blocks to drop
    assert layout(runs).n_each == ()
    assert layout(unpaired(runs), level=Level.SINGLE).n_each == (1, 1)


def test_one_block_is_in_the_singular() -> None:
    for key, thing in (("instance", "instance"), ("fold", "resample"), ("task", "task")):
        one = Scores.of([1, 2, 3, np.nan], learner=["a", "b"] * 2, measures=ACC, **{key: ["1", "1", "2", "2"]})
        assert f"2 learners on 1 {thing}" in layout(one, missing=Missing.DROP_BLOCK).sentence
        assert f"1 {thing}s" not in layout(one, missing=Missing.DROP_BLOCK).sentence


# ----------------------------------------------------------------------------------------------------------------------
# What runs of one task are, where their numbers do not tell: said by the user.


def runs(n: int = 4, **sizes: float) -> Scores:
    column = {name: np.full(2 * n, size) for name, size in sizes.items()}
    return Scores.of(
        np.linspace(0.1, 0.3, 2 * n),
        learner=["a"] * n + ["b"] * n,
        repeat=[str(i) for i in range(n)] * 2,
        measures={"error": zoo.measure("error")},
        **column,  # type: ignore[arg-type]
    )


def test_runs_of_which_nothing_is_known_may_overlap() -> None:
    facts = layout(runs())
    assert facts.are_runs
    assert facts.runs_may_overlap
    assert isnan(facts.test_train_ratio)


@pytest.mark.parametrize(("said", "may"), [("independent", False), ("fixed-split", False)])
def test_a_declaration_settles_it(said: str, may: bool) -> None:
    made = declare_runs(runs(), said)
    assert made.splitting.runs is Runs(said)
    assert layout(made).runs_may_overlap is may
    assert made.notes[-1].endswith("as you said")


def test_random_splits_come_with_a_ratio() -> None:
    with pytest.raises(UsageError, match="--ratio 1 for halves"):
        declare_runs(runs(), "random-splits")
    made = declare_runs(runs(), "random-splits", 0.5)
    assert layout(made).test_train_ratio == 0.5
    assert layout(made).runs_may_overlap


def test_a_ratio_alone_says_that_they_are_random_splits() -> None:
    assert declare_runs(runs(), None, 1).splitting.runs is Runs.RANDOM_SPLITS


def test_sizes_are_a_ratio() -> None:
    assert layout(declare_runs(runs(n_train=100, n_test=50), "random-splits")).test_train_ratio == 0.5
    assert layout(declare_runs(runs(n_train=100, n_test=50), None, 0.25)).test_train_ratio == 0.25


@pytest.mark.parametrize(
    ("said", "ratio", "what"),
    [
        ("randomsplits", None, "Did you mean 'random-splits'"),
        ("random-splits", -1, "positive number; found -1"),
        (None, float("nan"), "positive number; found nan"),
        ("independent", 0.5, "leave one of the two out"),
    ],
)
def test_mistakes_are_told(said: str | None, ratio: float | None, what: str) -> None:
    with pytest.raises(UsageError, match=what):
        declare_runs(runs(), said, ratio)


def test_what_contradicts_the_table_is_refused() -> None:
    folds = zoo.table(np.ones((4, 2)), kind="kfold")
    with pytest.raises(UsageError, match="training sets of folds overlap"):
        declare_runs(folds, "independent")
    assert layout(declare_runs(folds, None, 0.5)).test_train_ratio == 0.5
    with pytest.raises(UsageError, match="has no two runs of"):
        declare_runs(zoo.table(np.ones((4, 2)), kind="tasks"), "independent")


def test_nothing_said_changes_nothing() -> None:
    table = runs()
    assert declare_runs(table, None) is table


def test_scores_of_a_study_are_marked() -> None:
    from dataclasses import replace

    came = Provenance("s", "0123456789", ())
    made = declare_runs(replace(runs(), provenance=came), "independent")
    assert made.provenance is not None
    assert "sample of its own" in made.provenance.changes[0]


def test_a_file_can_say_it(tmp_path: Path) -> None:
    made = declare_runs(runs(), None, 0.5)
    path = tmp_path / "runs.csv"
    made.to_frame().to_csv(path, index=False)
    assert read_scores(path).splitting == made.splitting
