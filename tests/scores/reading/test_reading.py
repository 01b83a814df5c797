"""read_scores as a whole: what goes out comes back, and nothing heavy is imported on the way."""

from __future__ import annotations

import csv
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import bakeoff
from bakeoff.errors import BakeoffError, UsageError
from bakeoff.measures import known_measure
from bakeoff.scores import Level, Scores, blocks, read_scores
from bakeoff.scores.reading import as_scores
from bakeoff.scores.reading.csv_file import read_csv
from bakeoff.scores.reading.raw import tidy

# Any text but NUL, which marks a binary file; "x" around it keeps blanks and empty names out of the way.
names = st.text(st.characters(exclude_characters="\0", exclude_categories=["Cs"]), max_size=8).map(lambda s: f"x{s}x")
numbers = st.floats(-1e300, 1e300)  # beyond, sums leave the range of numbers: Scores refuses such values
values = st.one_of(numbers, st.just(float("nan")), st.integers(-(10**6), 10**6).map(float))


@st.composite
def matrices(draw: st.DrawFn) -> tuple[list[str], list[str], np.ndarray[Any, Any]]:
    learners = draw(st.lists(names, min_size=1, max_size=4, unique=True))
    tasks = draw(st.lists(names, min_size=1, max_size=5, unique=True))
    cells = [[draw(values) for _ in learners] for _ in tasks]
    return learners, tasks, np.array(cells)


def grid_of(scores: Scores) -> np.ndarray[Any, Any]:
    grid = np.full((len(scores.tasks), len(scores.learners)), np.nan)
    grid[scores.task.codes, scores.learner.codes] = scores.value
    return grid


def text(value: float) -> str:
    return "" if np.isnan(value) else repr(float(value))


def write_rows(path: Path, rows: list[list[str]], delimiter: str) -> None:
    with path.open("w", encoding="utf-8", newline="") as file:
        csv.writer(file, delimiter=delimiter, quoting=csv.QUOTE_ALL).writerows(rows)


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(table=matrices(), delimiter=st.sampled_from([",", ";", "\t", "|"]))
def test_a_long_file_gives_back_the_matrix(tmp_path: Path, table: Any, delimiter: str) -> None:
    learners, tasks, matrix = table
    rows = [[learner, task, text(matrix[i, j])] for i, task in enumerate(tasks) for j, learner in enumerate(learners)]
    write_rows(tmp_path / "long.csv", [["model", "dataset", "reward"], *rows], delimiter)
    scores = read_scores(tmp_path / "long.csv")
    assert (scores.learners, scores.tasks) == (tuple(learners), tuple(tasks))
    np.testing.assert_array_equal(grid_of(scores), matrix)


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(table=matrices(), delimiter=st.sampled_from([",", ";", "\t", "|"]))
def test_a_wide_file_gives_back_the_matrix(tmp_path: Path, table: Any, delimiter: str) -> None:
    learners, tasks, matrix = table
    rows = [[task, *map(text, matrix[i])] for i, task in enumerate(tasks)]
    write_rows(tmp_path / "wide.csv", [["dataset", *learners], *rows], delimiter)
    scores = read_scores(tmp_path / "wide.csv", shape="wide", larger_is_better=True)
    assert (scores.learners, scores.tasks) == (tuple(learners), tuple(tasks))
    np.testing.assert_array_equal(grid_of(scores), matrix)


def test_long_and_wide_and_frame_say_the_same(read: Any) -> None:
    long = read("model,dataset,acc\nsvm,a,0.5\nsvm,b,0.25\nknn,a,0.75\nknn,b,1\n")
    wide = read("dataset,svm,knn\na,0.5,0.75\nb,0.25,1\n", measure="acc")
    frame = read_scores(long.to_frame())
    for scores in (wide, frame):
        assert scores.learners == long.learners
        np.testing.assert_array_equal(blocks(scores).values, blocks(long).values)
        assert blocks(scores).level is Level.TASKS


def test_pandas_is_not_imported_to_read_a_csv_file(write: Any) -> None:
    write("model,acc\nsvm,0.5\n")
    program = (
        "import sys; from bakeoff.scores import align, read_scores; align(read_scores('scores.csv')).to_text(); "
        "sys.exit(', '.join({'pandas', 'pyarrow', 'scipy', 'matplotlib'} & set(sys.modules)))"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False)
    assert done.stderr == "\n"


@pytest.mark.parametrize("path", ["scores.csv", Path("scores.csv")])
def test_a_path_of_either_kind(write: Any, path: str | Path) -> None:
    write("model,acc\nsvm,0.5\n")
    assert read_scores(path).source == "scores.csv"


@settings(max_examples=300)
@given(st.binary(max_size=200))
def test_no_bytes_lead_to_anything_but_scores_or_an_error_in_prose(data: bytes) -> None:
    try:
        outcome = f"{tidy(read_csv(data, 't')).n_rows} rows"
    except BakeoffError as error:
        outcome = str(error)
    assert outcome not in ("", "0 rows")


@settings(max_examples=300, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    st.lists(
        st.lists(
            st.sampled_from(
                ["model", "dataset", "fold", "id", "truth", "acc", "value", "0.5", "1", "", "NA", "x", "inf"]
            ),
            min_size=1,
            max_size=4,
        ),
        min_size=1,
        max_size=5,
    ),
    st.sampled_from([None, "tasks", "folds", "instances"]),
    st.sampled_from([None, "long", "wide", "predictions"]),
    st.sampled_from([None, "error", "auc"]),
)
def test_no_table_leads_to_anything_but_scores_or_an_error_in_prose(
    tmp_path: Path, rows: list[list[str]], kind: str | None, shape: str | None, measure: str | None
) -> None:
    width = len(rows[0])
    path = tmp_path / "any.csv"
    write_rows(path, [(row * 4)[:width] for row in rows], ",")
    try:
        outcome = f"{len(read_scores(path, rows=kind, shape=shape, measure=measure))} rows"
    except BakeoffError as error:
        outcome = str(error)
    assert outcome not in ("", "0 rows")


# ----------------------------------------------------------------------------------------------------------------------
# A DataFrame will do where scores are asked for, if it can be read without a question.


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
        assert "Answer here by that keyword, or read it by read_scores(table, …)." in str(caught.value)


@pytest.mark.parametrize("given", ["scores.csv", None, [1, 2]])
def test_anything_else_is_named(given: object) -> None:
    for verb in (bakeoff.judge, bakeoff.advise, bakeoff.align, bakeoff.layout):
        with pytest.raises(UsageError, match=f"or a pandas DataFrame; found {type(given).__name__}. A file is read by"):
            verb(given)  # type: ignore[operator]
    with pytest.raises(UsageError, match="Scores were expected"):
        bakeoff.analyse(given, "wilcoxon")  # type: ignore[arg-type]
