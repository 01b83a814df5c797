from __future__ import annotations

import json
from dataclasses import FrozenInstanceError
from typing import Any

import numpy as np
import pytest

from bakeoff.measures import Measure, known_measure
from bakeoff.scores import Level, Scores, align, unpaired
from bakeoff.scores.alignment import FailedRows

ACC = {"acc": Measure("acc", larger_is_better=True, origin="as you said")}


def of(value: list[float], learner: list[str], **columns: Any) -> Scores:
    return Scores.of(value, learner=learner, measures=columns.pop("measures", ACC), **columns)


def test_a_complete_table() -> None:
    report = align(
        of([1, 2, 3, 4], ["a", "b"] * 2, task=["x", "x", "y", "y"], notes=["column 'model' read as learner"])
    )
    assert report.complete
    assert report.to_text().splitlines() == [
        "scores: 4 rows",
        "  learners  2: a and b",
        "  tasks     2: x and y",
        "  acc       larger is better (as you said); compared over tasks; complete",
        "  notes     column 'model' read as learner",
    ]


def test_what_is_missing_failed_and_unmatched() -> None:
    scores = of(
        [0.5, np.nan, 0.6, np.nan, np.nan, 0.7, 0.8],
        ["a", "a", "b", "b", "b", "a", "c"],
        fold=["1", "2", "1", "2", "3", "3", "4"],
        status=["ok", "timeout", "ok", "timeout", "missing", "ok", "ok"],
        message=["", "60 s", "", "60 s", "", "", ""],
    )
    (measure,) = align(scores).measures
    assert measure.level is Level.RESAMPLES
    assert (measure.n_blocks, measure.n_cells, measure.n_missing) == (4, 12, 8)
    assert measure.missing == ("c on fold 1", "a on fold 2", "b on fold 2", "c on fold 2", "b on fold 3")
    assert measure.failures == (FailedRows("timeout", "60 s", 2),)
    assert measure.n_failed == 2
    assert measure.n_unmatched == 4
    assert measure.unmatched == (("a", 1), ("b", 1), ("c", 3))
    text = align(scores).to_text()
    assert "missing    8 of 12 cells: c on fold 1; a on fold 2; " in text
    assert "; and 3 more\n" in text
    assert "failed     2 rows: 2 × timeout (60 s)" in text
    assert "unmatched  4 of 4 blocks only some learners have: a lacks 1, b lacks 1 and c lacks 3" in text
    assert "complete" not in text


def test_a_failed_fold_is_not_unmatched() -> None:
    scores = of([1, np.nan], ["a", "b"], fold=["1", "1"], status=["ok", "crashed"])
    (measure,) = align(scores).measures
    assert (measure.n_missing, measure.n_unmatched, measure.n_failed) == (1, 0, 1)
    assert "failed    1 row: 1 × crashed" in align(scores).to_text()


def test_failures_are_grouped_the_most_frequent_first() -> None:
    scores = of(
        [np.nan] * 6,
        ["a"] * 6,
        fold=list("123456"),
        status=["oom", "timeout", "timeout", "timeout", "oom", "x"],
        message=["", "slow", "slow", "", "", ""],
    )
    assert align(scores).measures[0].failures == (
        FailedRows("oom", "", 2),
        FailedRows("timeout", "slow", 2),
        FailedRows("timeout", "", 1),
        FailedRows("x", "", 1),
    )


def test_several_measures_or_one() -> None:
    measures = {name: known_measure(name) for name in ("accuracy", "fit_time")}
    scores = of([1, 2, 3, np.nan], ["a", "b"] * 2, measure=["accuracy"] * 2 + ["fit_time"] * 2, measures=measures)
    report = align(scores)
    assert [(m.name, m.better, m.origin, m.complete) for m in report.measures] == [
        ("accuracy", "larger", "known measure", True),
        ("fit_time", "smaller", "known measure", False),
    ]
    assert not report.complete
    one = align(scores, "accuracy")
    assert [measure.name for measure in one.measures] == ["accuracy"]
    assert (one.n_rows, one.complete) == (2, True)


def test_repeats_folds_and_instances_are_counted() -> None:
    report = align(of([1] * 4, ["a"] * 4, repeat=list("1122"), fold=list("1212"), instance=list("1234")))
    assert (report.n_repeats, report.n_folds, report.n_instances, report.tasks) == (2, 2, 4, ())


def test_the_text_stays_short_whatever_the_table() -> None:
    measures = {f"m{i}": Measure(f"m{i}", larger_is_better=True) for i in range(20)}
    rng = np.random.default_rng(0)
    rows = [(f"learner {'x' * 100} {i}", f"task {j}", f"m{m}") for i in range(40) for j in range(5) for m in range(20)]
    rows = [rows[i] for i in rng.permutation(len(rows))[:3000]]
    learner, task, measure = (list(column) for column in zip(*rows, strict=True))
    scores = of(
        [np.nan if i % 7 == 0 else 1.0 for i in range(3000)],
        learner,
        task=task,
        measure=measure,
        measures=measures,
        status=[f"status {i % 11}" if i % 7 == 0 else "ok" for i in range(3000)],
        notes=[f"note {i}" for i in range(30)],
    )
    text = align(scores).to_text()
    assert len(text.splitlines()) <= 25
    assert max(map(len, text.splitlines())) < 400
    assert "and 32 more" in text
    assert "and 23 more" in text


def test_names_cannot_steer_the_terminal_or_the_page() -> None:
    scores = of([1, 2], ["\x1b[31mred", "two\nlines"], source="<script>.csv", notes=["<b>note</b>"])
    text = align(scores).to_text()
    assert "\x1b" not in text
    assert "two lines" in text
    html = align(of([1], ["<img src=x onerror=alert(1)>"], source="<script>.csv", notes=["<b>"]))._repr_html_()
    assert "<img" not in html
    assert "<script" not in html
    assert "<b>" not in html
    assert "&lt;img src=x" in html


def test_as_json() -> None:
    report = align(of([1, np.nan], ["a", "b"], task=["x", "x"]))
    whole = json.loads(json.dumps(report.to_dict(), allow_nan=False))
    assert whole["learners"] == ["a", "b"]
    assert whole["measures"][0]["level"] == "single run"
    assert whole["measures"][0]["missing"] == ["b on task x"]


def test_it_is_frozen() -> None:
    report = align(of([1], ["a"]))
    with pytest.raises(FrozenInstanceError):
        report.n_rows = 2  # type: ignore[misc]


def test_a_single_run() -> None:
    assert "acc       larger is better (as you said); a single run; complete" in align(of([1], ["a"])).to_text()


def test_independent_samples_lack_nothing_of_each_other() -> None:
    """What another learner has been scored on is not missing, and a shorter column of a wide table has an end."""
    runs = of(list(range(12)), ["a"] * 7 + ["b"] * 5, repeat=list("1234567") + list("12345"))
    assert align(runs).measures[0].n_missing == 2
    text = align(unpaired(runs)).to_text()
    assert "missing" not in text
    assert "unmatched" not in text
    assert "compared over resamples; complete" in text

    wide = of([1, 2, 3, np.nan], ["a", "b"] * 2, fold=["1", "1", "2", "2"], status=["ok", "ok", "ok", "missing"])
    assert align(wide).measures[0].n_missing == 1
    assert align(unpaired(wide)).complete

    failed = of([1, 2, 3, np.nan], ["a", "b"] * 2, fold=["1", "1", "2", "2"], status=["ok", "ok", "ok", "timeout"])
    assert "1 of 4 cells: b on fold 2" in align(unpaired(failed)).to_text()
