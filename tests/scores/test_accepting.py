"""A DataFrame will do where scores are asked for, if it can be read without a question."""

from __future__ import annotations

import pandas as pd
import pytest

import bakeoff
from bakeoff.errors import UsageError
from bakeoff.measures import known_measure
from bakeoff.scores import Scores
from bakeoff.scores.accepting import as_scores

TASKS = [f"task {i}" for i in range(8)]
WIDE = pd.DataFrame({"dataset": TASKS, "svm": [0.1 * i for i in range(8)], "knn": [0.1 * i + 0.05 for i in range(8)]})
LONG = WIDE.melt("dataset", var_name="model", value_name="error")


def test_scores_are_taken_as_they_are() -> None:
    scores = Scores.of([0.5], learner=["a"], measures={"error": known_measure("error")})
    assert as_scores(scores) is scores


def test_every_verb_takes_a_frame() -> None:
    scores = bakeoff.read_scores(LONG)
    assert bakeoff.judge(LONG).to_json() == bakeoff.judge(scores).to_json()
    assert bakeoff.judge(WIDE, measure="error").paragraph == bakeoff.judge(scores).paragraph
    assert bakeoff.analyse(LONG, "wilcoxon").rows == bakeoff.analyse(scores, "wilcoxon").rows
    assert bakeoff.advise(LONG).recommended == bakeoff.advise(scores).recommended
    assert bakeoff.align(LONG).to_text() == bakeoff.align(scores).to_text()
    assert bakeoff.layout(LONG).sentence == bakeoff.layout(scores).sentence
    order = bakeoff.multitest(LONG, cost_order=["knn", "svm"])
    assert order == bakeoff.multitest(scores, cost_order=["knn", "svm"])


def test_what_the_headers_do_not_tell_is_asked() -> None:
    for frame, asks in (
        (WIDE, "The direction of measure 'score' is not known"),
        (WIDE[["svm", "knn"]], "What are the rows"),
    ):
        with pytest.raises(UsageError, match=asks) as caught:
            bakeoff.judge(frame)
        assert "Answer with read_scores(table, …), and give its result here." in str(caught.value)


@pytest.mark.parametrize("given", ["scores.csv", None, [1, 2], {"svm": [1]}])
def test_anything_else_is_named(given: object) -> None:
    for verb in (bakeoff.judge, bakeoff.advise, bakeoff.align, bakeoff.layout):
        with pytest.raises(UsageError, match=f"or a pandas DataFrame; found {type(given).__name__}. A file is read by"):
            verb(given)  # type: ignore[operator]
    with pytest.raises(UsageError, match="Scores were expected"):
        bakeoff.analyse(given, "wilcoxon")  # type: ignore[arg-type]
