from __future__ import annotations

import numpy as np
import pytest
import zoo

from bakeoff.judging import analyse, judge
from bakeoff.judging.description import describe_blocks, mean_ranks
from bakeoff.measures import known_measure
from bakeoff.scores import Level, Scores, blocks

TASKS = np.array([[0.9, 0.8, 0.1], [0.8, 0.8, 0.2], [0.3, 0.6, 0.5], [0.9, 0.7, 0.6]])


def answers(values: list[list[int]], measure: str = "accuracy") -> Scores:
    table = np.array(values)
    n, k = table.shape
    return Scores.of(
        table.ravel(),
        learner=["abc"[i] for i in range(k)] * n,
        instance=[f"q{i}" for i in range(n) for _ in range(k)],
        measures={measure: known_measure(measure)},
    )


def test_over_tasks_the_headline_is_wins_or_ranks_and_no_mean_is_shown() -> None:
    two = judge(zoo.table(TASKS[:, :2], kind="tasks"), "wilcoxon")
    assert two.paragraph.startswith("Over 4 tasks, ada and bob were compared by accuracy (larger is better).")
    assert "ada is the better one on 2 and bob on 1; on 1 they tie." in two.paragraph
    many = judge(zoo.table(TASKS, kind="tasks"), "wilcoxon")
    assert "have the best mean rank (1.625)" in many.paragraph
    for verdict in (two, many):
        assert "mean accuracy" not in verdict.to_text()
        assert verdict.learner_table()[0][0:2] == ["learner", "mean rank"]


def test_ranks_wins_and_medians_by_hand() -> None:
    described = describe_blocks(blocks(zoo.table(TASKS, kind="tasks"), level=Level.TASKS), ["ada", "bob", "cyd"])
    assert described is not None
    ada, bob, _ = described.tasks
    assert (ada.mean_rank, round(ada.median, 9), ada.best_alone, ada.best_shared) == ((1 + 1.5 + 3 + 1) / 4, 0.85, 2, 1)
    assert (bob.best_alone, bob.best_shared) == (1, 1)


def test_where_a_learner_is_furthest_behind() -> None:
    described = describe_blocks(blocks(zoo.table(TASKS, kind="tasks"), level=Level.TASKS), ["ada", "bob", "cyd"])
    assert described is not None
    ada, bob, cyd = described.setbacks
    assert (ada.behind, [round(by, 9) for _, by in ada.blocks]) == (1, [0.3])
    assert (bob.behind, [round(by, 9) for _, by in bob.blocks]) == (2, [0.2, 0.1])
    assert (cyd.behind, len(cyd.blocks)) == (4, 3)


@pytest.mark.parametrize("measure", ["accuracy", "error"])
def test_the_same_error_rate_is_not_the_same_errors(measure: str) -> None:
    right = np.array([[1, 1], [1, 0], [1, 0], [0, 1], [0, 1], [0, 0]])
    values = right if measure == "accuracy" else 1 - right
    verdict = judge(answers(values.tolist(), measure), "mcnemar")
    assert verdict.description is not None
    (pair,) = verdict.description.answers
    assert (pair.both_right, pair.only_first, pair.only_second, pair.both_wrong) == (1, 2, 2, 1)
    assert "both right" in verdict.to_text()
    found = analyse(answers(values.tolist(), measure), "mcnemar")
    assert found.further_tables()["right and wrong answers of the two"][1] == [["a", "b", "1", "2", "2", "1"]]


def test_of_answers_those_are_named_that_a_learner_alone_got_wrong() -> None:
    verdict = judge(answers([[1, 1, 0], [1, 1, 0], [0, 1, 0], [1, 0, 1], [1, 1, 1]]), "mcnemar")
    assert verdict.description is not None
    alone = {one.learner: (one.behind, [label for label, _ in one.blocks]) for one in verdict.description.setbacks}
    assert alone == {"a": (0, []), "b": (1, ["instance q3"]), "c": (2, ["instance q0", "instance q1"])}


def test_a_table_with_holes_has_ranks_among_those_that_are_there() -> None:
    assert mean_ranks(np.array([[1.0, 2.0, np.nan], [3.0, 1.0, 2.0]]), larger_is_better=True).tolist() == [1.5, 2, 2]


def test_the_estimate_is_named() -> None:
    rng = np.random.default_rng(0)
    values = rng.random((12, 1)) + np.array([[0.0, 0.2]]) + 0.01 * rng.standard_normal((12, 2))
    text = judge(zoo.table(values, kind="tasks"), "wilcoxon").paragraph
    assert "pseudo-median (Hodges and Lehmann's) of the differences in accuracy" in " ".join(text.split())


def test_stepwise_and_simultaneous_intervals_are_labelled() -> None:
    values = 0.5 + 0.1 * np.random.default_rng(1).random((10, 3))
    stepwise = judge(zoo.table(values, kind="kfold"), "corrected-t", adjust="holm")
    assert "stepwise interval" in stepwise.table()[0]
    single = judge(zoo.table(values, kind="kfold"), "corrected-t", adjust="bonferroni")
    assert "simultaneous interval" in single.table()[0]
    assert "interval" in judge(zoo.table(values[:, :2], kind="kfold"), "corrected-t").table()[0]
