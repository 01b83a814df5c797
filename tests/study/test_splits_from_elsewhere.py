"""Splits in time, folds in a column, published splits, pairs of rows, splitters: from a study file or script on."""

from __future__ import annotations

from datetime import date, timedelta
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from sklearn.model_selection import GroupKFold, RepeatedStratifiedKFold, ShuffleSplit, TimeSeriesSplit

import bakeoff
from bakeoff import Study, as_task, read_study
from bakeoff.cli import main
from bakeoff.errors import UsageError
from bakeoff.scores.design import Runs
from bakeoff.store.reader import Reader

Capture = pytest.CaptureFixture[str]
LEARNERS = """
[[learner]]
name = "bayes"
path = "sklearn.naive_bayes.GaussianNB"
[[learner]]
name = "coin"
path = "sklearn.dummy.DummyClassifier"
parameters = { strategy = "uniform" }
"""


def study(
    folder: Path, resampling: str, task: str = 'data = "iris"', name: str = "s.toml", more: str = LEARNERS
) -> Path:
    path = folder / name
    path.write_text(f"measures = ['error']\nresampling = {resampling}\n[[task]]\n{task}\n{more}")
    return path


def said(capsys: Capture) -> str:
    out = capsys.readouterr()
    return " ".join((out.out + out.err).split())


def splits_of(store: Path) -> list[Any]:
    with Reader(store) as reader:
        from sqlalchemy import func, select

        from bakeoff.store.schema import split

        count = int(reader.rows(select(func.count()).select_from(split))[0][0])
        return [reader.split_rows(number) for number in range(1, count + 1)]


# --- time -----------------------------------------------------------------------------------------------------------


def series(folder: Path, n: int = 60) -> np.ndarray:
    """Days in random order, two rows each; returns the days as numbers in the order of the file."""
    rng = np.random.default_rng(1)
    days = rng.permutation(np.repeat(np.arange(n // 2), 2))
    lines = [
        f"{date(2025, 12, 1) + timedelta(int(day))},{rng.normal():.3f},{'ab'[int(rng.integers(2))]}" for day in days
    ]
    (folder / "series.csv").write_text("\n".join(["day,x,y", *lines]) + "\n")
    return days


@pytest.mark.parametrize(("window", "learned"), [("expanding", [[8], [14], [20]]), ("sliding", [[8], [8], [8]])])
def test_windows_learn_from_the_past_only(
    tmp_path: Path, window: str, learned: list[list[int]], capsys: Capture
) -> None:
    days = np.sort(series(tmp_path))
    task = 'file = "series.csv"\ntarget = "y"\ntime = "day"'
    scheme = f'{{ scheme = "time-ordered", folds = 3, gap = 4, test_size = 6, window = "{window}" }}'
    path = study(tmp_path, scheme, task)
    assert main(["plan", str(path)]) == 0
    text = said(capsys)
    assert f"time-ordered (folds = 3, window = {window}, gap = 4, test_size = 6)" in text
    assert "rows are put in the order of time" in text
    assert "'day'" not in text, "it is no input"
    assert main(["run", str(path), "--quiet"]) == 0
    found = splits_of(path.with_suffix(".sqlite"))
    assert [[len(np.unique(days[s.train]))] for s in found] == learned
    for one in found:
        assert days[one.train].max() + 4 < days[one.test].min(), "the gap, in days: rows of one stay together"
        assert len(np.unique(days[one.test])) == 6
    capsys.readouterr()
    scores = read_study(path).scores(path.with_suffix(".sqlite"))
    assert scores.splitting.runs is Runs.WINDOWS
    assert scores.by_instance is not None
    assert scores.by_instance.ordered, "test rows are successive points of one series"
    assert len(scores.by_instance.instance.labels) == 18, "a day is a point: what its rows share is no draw of its own"
    assert scores.by_instance.clusters is None
    means = scores.only(measure="error").value
    assert np.mean(scores.by_instance.value) == pytest.approx(np.mean(means)), "days have equally many rows here"
    assert main(["judge", str(path), "--level", "resamples"]) == 0
    assert "[time-windows]" in said(capsys)


def test_what_is_said_of_a_series_before_and_after_its_run_agrees(tmp_path: Path, capsys: Capture) -> None:
    """The plan spoke of overlapping resamples, and after the verdict cross-validation was advised, which learns from
    what comes after the rows that it tests on."""
    series(tmp_path, 400)
    path = study(tmp_path, '{ scheme = "time-ordered", folds = 4 }', 'file = "series.csv"\ntarget = "y"\ntime = "day"')
    assert main(["plan", str(path)]) == 0
    text = said(capsys)
    assert "judged by cosine-t (losses that are successive in time), over 160 instances" in text
    assert "few-replicates" not in text
    assert main(["run", str(path), "--quiet"]) == 0
    capsys.readouterr()
    assert main(["judge", str(path)]) == 0
    text = said(capsys)
    assert "On 160 instances" in text
    assert "further times of this series" in text
    assert "points in time (there are 160)" in text
    assert "cross-validation" not in text


@pytest.mark.parametrize(
    ("column", "complaint"),
    [
        ("31.12.2025", "Times are numbers, or dates as 2026-11-17"),
        ("", "The time is missing (1 in this column)"),
    ],
)
def test_times_that_are_none(tmp_path: Path, column: str, complaint: str, capsys: Capture) -> None:
    rows = [f"{column if i == 3 else f'2025-01-{i + 1:02d}'},{i},{'ab'[i % 2]}" for i in range(20)]
    (tmp_path / "t.csv").write_text("\n".join(["day,x,y", *rows]) + "\n")
    path = study(tmp_path, '{ scheme = "time-ordered" }', 'file = "t.csv"\ntarget = "y"\ntime = "day"')
    assert main(["plan", str(path)]) == 2
    text = said(capsys)
    assert complaint in text
    assert "line 5" in text


def test_more_windows_than_rows(tmp_path: Path, capsys: Capture) -> None:
    assert main(["plan", str(study(tmp_path, '{ scheme = "rolling", folds = 200 }'))]) == 2
    assert "need at least 201 rows; found 150 rows. Use fewer folds" in said(capsys)


def test_windows_of_times_are_counted_in_times() -> None:
    import pandas as pd

    frame = pd.DataFrame({"when": pd.to_datetime(["2026-03-01", "2026-01-01"] * 4), "x": range(8), "y": ["a", "b"] * 4})
    with pytest.raises(UsageError, match="need at least 6 times; found 2 times"):
        Study(
            [as_task("m", frame, target="y", time="when")],
            ["sklearn.naive_bayes.GaussianNB"],
            resampling={"scheme": "time-ordered", "folds": 5},
        ).run()


def test_times_in_a_frame() -> None:
    import pandas as pd

    frame = pd.DataFrame({"when": pd.to_datetime(["2026-03-01", "2026-01-01", "2026-02-01"] * 4), "x": range(12)})
    data = as_task("m", frame.assign(y=["a", "b"] * 6), target="y", time="when").load()
    assert data.features == ("x",)
    assert data.X["x"].tolist() == [1, 4, 7, 10, 2, 5, 8, 11, 0, 3, 6, 9]
    assert data.times.tolist() == [0] * 4 + [1] * 4 + [2] * 4


# --- groups and folds in columns --------------------------------------------------------------------------------------


def with_columns(folder: Path, fold: str = "") -> None:
    rows = [f"{i % 7},{i * 37 % 11},{'ab'[i % 2]},g{i % 5},{fold or 'uvw'[i % 3]}" for i in range(45)]
    (folder / "c.csv").write_text("\n".join(["x,z,y,who,part", *rows]) + "\n")


def test_leave_one_group_out(tmp_path: Path, capsys: Capture) -> None:
    with_columns(tmp_path)
    path = study(
        tmp_path, '{ scheme = "leave-one-group-out" }', 'file = "c.csv"\ntarget = "y"\ngroup = "who"\ndrop = "part"'
    )
    assert main(["run", str(path), "--quiet"]) == 0
    assert [sorted(set((s.test % 5).tolist())) for s in splits_of(path.with_suffix(".sqlite"))] == [
        [g] for g in range(5)
    ]
    without = study(tmp_path, '{ scheme = "logo" }', 'file = "c.csv"\ntarget = "y"', "without.toml")
    assert main(["plan", str(without)]) == 2
    assert "needs groups, and found none: name their column with the task (group = '…')" in said(capsys)
    missing = study(tmp_path, '{ scheme = "logo" }', 'file = "c.csv"\ntarget = "y"\ngroup = "woh"', "missing.toml")
    assert main(["plan", str(missing)]) == 2
    assert "group names the column 'woh', which is not there. Did you mean 'who'" in said(capsys)


def test_folds_in_a_column(tmp_path: Path, capsys: Capture) -> None:
    with_columns(tmp_path)
    path = study(tmp_path, '{ scheme = "predefined" }', 'file = "c.csv"\ntarget = "y"\ndrop = "who"\nfold = "part"')
    assert main(["run", str(path), "--quiet"]) == 0
    found = splits_of(path.with_suffix(".sqlite"))
    assert [s.test.tolist() for s in found] == [list(range(k, 45, 3)) for k in range(3)]
    assert all(len(s.train) == 30 for s in found)
    capsys.readouterr()
    assert main(["judge", str(path), "--json"]) == 0
    assert '"corrected-t"' in capsys.readouterr().out, "folds share training rows, and the advisor knows"
    with_columns(tmp_path, fold="all")
    assert main(["plan", str(path)]) == 2
    assert "All rows are of one fold, so that nothing is left to learn from" in said(capsys)


# --- files of splits --------------------------------------------------------------------------------------------------


def test_what_export_writes_can_be_read_back(tmp_path: Path, capsys: Capture) -> None:
    first = study(tmp_path, '{ scheme = "3x4" }', 'data = "iris"\n[[task]]\ndata = "wine"', "first.toml")
    assert main(["run", str(first), "--quiet"]) == 0
    assert main(["export", str(first), "-o", str(tmp_path / "out"), "--format", "csv"]) == 0
    again = study(
        tmp_path, '{ scheme = "predefined", file = "out/splits.csv" }', 'data = "wine"\n[[task]]\ndata = "iris"'
    )
    capsys.readouterr()
    assert main(["plan", str(again), "--store", str(first.with_suffix(".sqlite"))]) == 0
    assert "48; 48 stored" in said(capsys), "the same splits of the same data are the same cells"
    assert main(["run", str(again), "--quiet", "--store", str(first.with_suffix(".sqlite"))]) == 0
    assert "nothing was left to run" in said(capsys)
    scores = [read_study(path).scores(first.with_suffix(".sqlite")).only(tasks=["iris"]) for path in (first, again)]
    assert scores[0].value.tolist() == scores[1].value.tolist()
    assert list(scores[1].fold.values()) == list(scores[0].fold.values())
    assert bakeoff.judge(scores[1]).finding.procedure == bakeoff.judge(scores[0]).finding.procedure == "corrected-t"
    # Another content is another study; another place of the file is not.
    key = read_study(again).key
    (tmp_path / "moved.csv").write_bytes((tmp_path / "out/splits.csv").read_bytes())
    moved = study(
        tmp_path, '{ scheme = "predefined", file = "moved.csv" }', 'data = "wine"\n[[task]]\ndata = "iris"', "m.toml"
    )
    assert read_study(moved).key == key
    (tmp_path / "moved.csv").write_text(
        (tmp_path / "moved.csv").read_text().replace("iris,1,1,test,test,", "iris,1,9,test,test,", 1)
    )
    assert read_study(moved).key != key


def test_splits_of_openml(tmp_path: Path) -> None:
    # read_splits numbers them from 1, as everything here.
    lines = ["@relation splits", "@attribute type {TRAIN,TEST}"]
    lines += [f"@attribute {name} integer" for name in ("rowid", "repeat", "fold")]
    rows = [
        f"{'TEST' if row % 3 == fold else 'TRAIN'},{row},{repeat},{fold}"
        for repeat in range(2)
        for fold in range(3)
        for row in range(150)
    ]
    (tmp_path / "splits.arff").write_text("\n".join([*lines, "@data", *rows]) + "\n")
    path = study(tmp_path, '{ scheme = "predefined", file = "splits.arff" }')
    assert main(["run", str(path), "--quiet"]) == 0
    scores = read_study(path).scores(path.with_suffix(".sqlite"))
    assert scores.repeat.labels == ("1", "2")
    assert scores.fold.labels == ("1", "2", "3")
    assert splits_of(path.with_suffix(".sqlite"))[1].test.tolist() == list(range(1, 150, 3))


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("row,fold\n1,1\n2,2\n999,1\n", "tests on row 999, and the data have the rows 1 to 150"),
        ("row,fold\n0,1\n2,2\n", "(row) A whole number of at least 1 was expected, but 0 was found"),
        ("row,fold\n1,a\n2,b\n", "A whole number was expected, but 'a' was found"),
        ("row,part,fold\n1,train,1\n2,tset,1\n", "'tset' is not possible. Did you mean 'test'"),
        ("row,part\n1,train\n2,train\n", "tests on no row. Both parts need at least one"),
        ("row,part\n1,train\n1,test\n2,test\n", "learns from row 1 and tests on it"),
        ("row,part\n1,train\n2,test\n2,test\n", "tests on a row twice"),
        ("task,row,part\nwine,1,train\nwine,2,test\n", "The splits are of 'wine', and none of them is of 'iris'"),
        ("a,b\n1,2\n", "Splits have a column row"),
        (None, "There is no such file"),
    ],
)  # fmt: skip
def test_files_that_hold_no_splits_of_these_data(
    tmp_path: Path, text: str | None, complaint: str, capsys: Capture
) -> None:
    if text is not None:
        (tmp_path / "w.csv").write_text(text)
    assert main(["plan", str(study(tmp_path, '{ scheme = "predefined", file = "w.csv" }'))]) == 2
    answer = said(capsys)
    assert complaint.removeprefix("(row) ") in answer
    assert "Traceback" not in answer


def test_only_the_scheme_for_files_takes_one(tmp_path: Path, capsys: Capture) -> None:
    assert main(["plan", str(study(tmp_path, '{ scheme = "cv", file = "w.csv" }'))]) == 2
    assert "'cross-validation' has no parameter 'file'" in said(capsys)


# --- Python -----------------------------------------------------------------------------------------------------------


def run(resampling: Any, **task: Any) -> Any:
    X = np.random.default_rng(2).normal(size=(60, 2))
    mine = as_task("mine", (X, ["a", "b"] * 30), **task)
    learners = {"bayes": "sklearn.naive_bayes.GaussianNB", "dummy": "sklearn.dummy.DummyClassifier"}
    return Study([mine], learners, resampling=resampling).run()


def test_pairs_of_rows() -> None:
    halves = np.arange(30), np.arange(30, 60)
    scores = run([halves, halves[::-1]])
    assert scores.fold.labels == ("1", "2")
    assert bakeoff.judge(scores).finding.procedure in ("corrected-t", "kfold-t")
    assert run([(halves[0] < 30, halves[1])]).by_instance is not None, "one split: its rows are compared"


@pytest.mark.parametrize(
    ("bad", "complaint"),
    [
        ([], "found none"),
        ([1, 2], "Split 1 should be a pair"),
        ([([0, 1], [2.5])], "Split 1 should hold row numbers"),
        ([([0, 1], [60])], "tests on row 61"),
        ([([0, 1], [1])], "learns from row 2 and tests on it"),
    ],
)
def test_pairs_that_are_none(bad: Any, complaint: str) -> None:
    with pytest.raises(UsageError, match=complaint):
        run(bad)


@pytest.mark.parametrize(
    ("splitter", "runs", "repeats", "folds"),
    [
        (RepeatedStratifiedKFold(n_splits=3, n_repeats=2), None, 2, 3),
        (ShuffleSplit(4), Runs.RANDOM_SPLITS, 4, 1),
        (TimeSeriesSplit(3), Runs.WINDOWS, 1, 3),
    ],
)
def test_any_splitter(splitter: Any, runs: Runs | None, repeats: int, folds: int) -> None:
    scores = run(splitter)
    assert scores.splitting.runs is runs
    assert (len(scores.repeat.labels), len(scores.fold.labels)) == (repeats, folds)
    assert run(splitter).value.tolist() == scores.value.tolist(), "its chances follow from the seed of the study"


def test_a_splitter_for_groups() -> None:
    scores = run(GroupKFold(5), groups=np.arange(60) // 6)
    assert len(scores.fold.labels) == 5
    with pytest.raises(UsageError, match="GroupKFold found no splits"):
        run(GroupKFold(5))
