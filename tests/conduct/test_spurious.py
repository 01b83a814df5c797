"""Spurious effects: each is detected where it was planted, with evidence and remedy, and not where it is absent."""

from __future__ import annotations

import runpy
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

from bakeoff import Study, as_task, judge
from bakeoff.cli import main
from bakeoff.results.order_effects import drifts
from bakeoff.store.reader import Reader
from bakeoff.study.prepare import row_numbers
from bakeoff.study.sampling_bias import proportions_p, told_apart

TOOL = runpy.run_path(str(Path(__file__).parents[2] / "tools" / "alarms.py"))
TASKS = ("IR", "LA", "LY", "MU", "SE", "SO", "VO", "VI")
C4 = (93.8, 77.2, 77.5, 100, 97.7, 97.5, 95.6, 89.4)  # Riddle, Experimental design #2, after Holte (1993)
ONE_R = (95.9, 87.4, 77.3, 98.4, 95, 87, 95.2, 87.9)


def scores(**columns: Any) -> pd.DataFrame:
    parts = [
        pd.DataFrame({"task": TASKS[: len(values)], "learner": name, "measure": "accuracy", "value": values})
        for name, values in columns.items()
    ]
    return pd.concat(parts)


def warned(verdict: Any) -> dict[str, Any]:
    return {warning.code: warning for warning in verdict.warnings}


# --- ceilings ---------------------------------------------------------------------------------------------------------


def test_the_documents_own_example_of_a_ceiling_is_warned_of() -> None:
    warning = warned(judge(scores(C4=C4, **{"1R": ONE_R})))["practical-ceiling"]
    assert "mean accuracy of 92.62" in warning.text
    assert "C4 (91.09) and 1R (90.51) reach 97.7 % of it" in warning.text
    assert "majority or mean" in warning.action


def test_where_there_is_room_there_is_no_ceiling() -> None:
    lower = tuple(value - 30 for value in C4), tuple(value - 29 for value in ONE_R)
    assert "practical-ceiling" not in warned(judge(scores(a=lower[0], b=lower[1])))
    few = {"C4": C4[:4], "1R": ONE_R[:4]}
    assert "practical-ceiling" not in warned(judge(scores(**few)))


def test_a_baseline_and_1r_beside_the_others_show_what_there_is_to_learn() -> None:
    tree = tuple(0.9 + 0.01 * i for i in (0, 1, 2, -1, -2, 0, 1, -1))
    near = tuple(value - 0.008 + 0.012 * (i % 2) for i, value in enumerate(tree))
    far = tuple(value - 0.12 + 0.2 * (i % 3 == 0) for i, value in enumerate(tree))
    base = (0.5, 0.55, 0.6, 0.5, 0.55, 0.6, 0.5, 0.55)
    found = warned(judge(scores(tree=tree, **{"1R": near}, majority=base)))
    assert "of what the best of all has above the baseline" in found["practical-ceiling"].text
    assert "practical-ceiling" not in warned(judge(scores(tree=tree, **{"1R": far}, majority=base)))
    # "kmeans" is no baseline, whatever its name holds.
    assert "baseline, " not in str(warned(judge(scores(tree=tree, **{"1R": near}, kmeans=base))))


# --- regression to the mean -------------------------------------------------------------------------------------------


def test_the_best_of_many_that_are_alike_is_expected_to_fall_back() -> None:
    rng = np.random.default_rng(4)
    alike = {f"l{i}": rng.normal(0.7, 0.03, 8) for i in range(8)}
    warning = warned(judge(scores(**alike)))["regression"]
    assert "is the best of 8 learners" in warning.text
    assert "bakeoff conclude" in warning.action
    apart = {f"l{i}": 0.7 + 0.02 * i + rng.normal(0, 0.02, 8) for i in range(8)}
    assert "regression" not in warned(judge(scores(**apart)))


def test_a_learner_that_is_run_again_alone_is_told(tmp_path: Path) -> None:
    study = Study(tasks=["iris"], learners={"1R": "1R", "nb": "naive-bayes"}, resampling=3)
    assert not study.run(store=tmp_path / "s.sqlite").doubts
    again = study.run(store=tmp_path / "s.sqlite", again="1R")
    assert [doubt.code for doubt in again.doubts] == ["run-again"]
    assert "1R was run again when its results were known" in again.doubts[0].text
    assert "run-again" in warned(judge(again))


# --- order ------------------------------------------------------------------------------------------------------------


def test_a_planted_drift_is_found_and_whose_it_is() -> None:
    rng = np.random.default_rng(2)
    positions = rng.permutation(60).reshape(-1, 1) * 2.0 + [0.0, 1.0]
    values = rng.normal(size=(60, 1)) + rng.normal(0, 0.3, (60, 2))
    assert drifts(values, positions, ["a", "b"]) == []
    both = drifts(values + positions / 20, positions, ["a", "b"])
    assert [(one.learner, one.splits) for one in both] == [("", 60)]
    assert both[0].correlation > 0.7
    own = values.copy()
    own[:, 1] -= positions[:, 1] / 30
    assert {one.learner for one in drifts(own, positions, ["a", "b"])} >= {"a", "b"}
    assert drifts(values[:11], positions[:11], ["a", "b"]) == []  # too few
    assert drifts(np.zeros((30, 2)), positions[:30], ["a", "b"]) == []  # nothing varies
    lacking = values + positions / 20
    lacking[5, 0] = np.nan
    assert drifts(lacking, positions, ["a", "b"])[0].splits == 59


def test_a_learner_that_remembers_is_found_in_a_study(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """It counts its fits in a file, and gets worse with each: an effect of order, planted."""
    (tmp_path / "tiring.py").write_text(
        "from pathlib import Path\n"
        "import numpy as np\n"
        "from sklearn.neighbors import KNeighborsClassifier\n"
        "COUNT = Path(__file__).with_name('count')\n"
        "class Tiring(KNeighborsClassifier):\n"
        "    def fit(self, X, y):\n"
        "        self.fits = len(COUNT.read_text()) if COUNT.exists() else 0\n"
        "        COUNT.write_text('x' * (self.fits + 1))\n"
        "        return super().fit(X, y)\n"
        "    def predict(self, X):\n"
        "        return np.where(np.arange(len(X)) < self.fits, self.classes_[0], super().predict(X))\n"
    )
    (tmp_path / "s.toml").write_text(
        '[resampling]\nscheme = "cross-validation"\nfolds = 5\nrepeats = 6\n'
        '[[task]]\ndata = "sonar"\n[[learner]]\nname = "tiring"\npath = "tiring.Tiring"\n'
        '[[learner]]\nname = "1R"\npath = "1R"\n'
    )
    from bakeoff import read_study

    found = read_study(tmp_path / "s.toml").run(store=tmp_path / "s.sqlite").doubts
    assert {doubt.code for doubt in found} == {"order-effect"}
    assert any("error of tiring, against that of the others, goes up" in doubt.text for doubt in found)
    told: dict[str, str] = {}  # the same from the file to the verdict, also where the learner is a factor
    assert main(["judge", str(tmp_path / "s.toml")]) == 0
    told["pairs"] = capsys.readouterr().out
    assert main(["report", str(tmp_path / "s.toml"), "-o", str(tmp_path / "r.html")]) == 0
    told["page"] = (tmp_path / "r.html").read_text()
    (tmp_path / "count").unlink()
    text = (tmp_path / "s.toml").read_text() + "[factors]\nprepare = ['auto', 'standard']\n"
    (tmp_path / "d.toml").write_text(text)
    assert main(["run", str(tmp_path / "d.toml"), "--quiet"]) == 0
    assert main(["judge", str(tmp_path / "d.toml")]) == 0
    told["design"] = capsys.readouterr().out
    assert main(["report", str(tmp_path / "d.toml"), "-o", str(tmp_path / "d.html")]) == 0
    told["design's page"] = (tmp_path / "d.html").read_text()
    assert [where for where, words in told.items() if "order-effect" not in words] == []
    calm = Study(tasks=["sonar"], learners={"1R": "1R", "nb": "naive-bayes"}, resampling=15)
    assert not calm.run(store=tmp_path / "calm.sqlite").doubts
    with Reader(tmp_path / "s.sqlite") as store:
        assert store.schema >= 3


# --- sampling bias ----------------------------------------------------------------------------------------------------


def test_copies_on_both_sides_are_told_in_the_verdict(tmp_path: Path) -> None:
    rng = np.random.default_rng(1)
    X = np.repeat(rng.normal(size=(60, 3)), 2, axis=0)
    y = np.repeat(rng.choice(["a", "b"], 60), 2)
    learners = {"knn": "knn", "nb": "naive-bayes"}
    copied = Study(tasks={"copies": (X, y)}, learners=learners, resampling=5).run(store=tmp_path / "c.sqlite")
    warning = warned(judge(copied))["duplicated-rows"]
    assert "Task copies: " in warning.text
    assert "group = " in warning.action
    grouped = as_task("grouped", (X, y), groups=np.repeat(np.arange(60), 2))
    kept = Study(tasks=[grouped], learners=learners, resampling=5).run(store=tmp_path / "g.sqlite")
    assert "duplicated-rows" not in warned(judge(kept))
    # What was found out is known to another version of the study that has the same splits.
    more = Study(tasks={"copies": (X, y)}, learners={**learners, "1R": "1R"}, resampling=5)
    assert "duplicated-rows" in warned(judge(more.run(store=tmp_path / "c.sqlite")))


def test_rows_are_numbered_by_their_content() -> None:
    frame = pd.DataFrame({"a": ["x", "x", "y", None], "b": [1.0, 1.0, 1.0, np.nan], "class": list("uuvv")})
    assert (
        row_numbers(as_task("t", frame, target="class").load()).tolist()[:2]
        == [row_numbers(as_task("t", frame, target="class").load())[0]] * 2
    )
    numbers = row_numbers(as_task("t", ([[0.0], [-0.0], [0.0]], [1.0, 1.0, 2.0])).load())
    assert numbers[0] == numbers[1] != numbers[2]


def given(shift: float, rng: np.random.Generator) -> Study:
    X = rng.normal(size=(240, 4))
    X[160:, 1] += shift
    y = np.where(X[:, 0] + rng.normal(size=240) > 0, "a", "b")
    if shift:
        y[160:] = np.where(rng.random(80) < 0.9, "a", y[160:])
    data = as_task("given", (X, y), test_rows=80)
    return Study(tasks=[data], learners={"1R": "1R", "nb": "naive-bayes"}, resampling="given")


def test_a_test_sample_from_elsewhere_is_told(tmp_path: Path) -> None:
    rng = np.random.default_rng(3)
    found = warned(judge(given(1.5, rng).run(store=tmp_path / "far.sqlite")))
    assert "above all by x2 (AUC 0." in found["drift"].text
    assert "pool = true" in found["drift"].action
    assert "of the rows that are learned from" in found["class-proportions"].text
    near = warned(judge(given(0.0, rng).run(store=tmp_path / "near.sqlite")))
    assert not {"drift", "class-proportions"} & set(near)


def test_proportions_as_r_has_them() -> None:
    # R 4.2.2: chisq.test(matrix(c(30, 70, 20, 30), 2, byrow = TRUE), correct = FALSE)$p.value
    assert proportions_p(np.array([[30, 70], [20, 30]])) == pytest.approx(0.2206714, abs=1e-6)
    assert proportions_p(np.array([[30, 0], [20, 0]])) == 1.0
    assert proportions_p(np.array([[3, 1], [1, 2]])) >= 0.1


def test_too_few_rows_and_inputs_that_are_no_table_are_left_alone() -> None:
    rng = np.random.default_rng(0)
    small = as_task("t", (rng.normal(size=(50, 2)), rng.normal(size=50))).load()
    assert told_apart(small, np.arange(30), np.arange(30, 50), 1) is None


# --- rates ------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("case", TOOL["CASES"], ids=lambda case: f"{case[0]}: {case[1]}")
def test_rates_are_as_docs_spurious_says(case: Any) -> None:
    """The tool that writes the table, with few simulations: absent effects are rarely reported, planted ones mostly."""
    code, _, _, planted, simulate, share = case
    # Forests take a quarter of a second each; six are enough to see what mostly happens, a rare alarm needs more.
    times = (6 if planted else 12) if code == "drift" else 20 if share < 1 else 60
    found = TOOL["rate"](simulate, times, 77)
    assert found >= 0.2 if planted else found <= 0.1
