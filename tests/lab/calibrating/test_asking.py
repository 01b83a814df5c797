"""`bakeoff.calibrate`: what is given, and what is asked of it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

import bakeoff
from bakeoff import Study, calibrate
from bakeoff.errors import MisfitError, UsageError
from bakeoff.lab.calibrating import choosing
from bakeoff.lab.calibrating.calibration import Calibration
from bakeoff.learners.learner import Learner, Step

STUDY = Study(
    tasks=["iris"],
    learners=[
        Learner("bayes", steps=(Step("sklearn.naive_bayes.GaussianNB"),), prepare="none"),
        Learner("tree", steps=(Step("sklearn.tree.ExtraTreeClassifier"),), prepare="none"),
    ],
    resampling=5,
)


@pytest.fixture(scope="module")
def stored(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("study") / "study.sqlite"
    STUDY.run(store=path)
    return path


@pytest.fixture(scope="module")
def found() -> Calibration:
    return calibrate("cv:5", n=60, replications=40, procedures=["corrected-t", "kfold-t"], seed=3)


def test_a_design_by_name(found: Calibration) -> None:
    assert isinstance(found, bakeoff.Calibration)
    assert [row.procedure for row in found.rows] == ["corrected-t", "kfold-t"]
    assert found.replications == 40
    assert "5-fold cross-validation of 60 rows" in found.how
    again = calibrate("cv:5", n=60, replications=40, procedures="corrected-t", seed=3, n_jobs=2)
    assert again["corrected-t"] == found["corrected-t"]


def test_what_comes_back_can_be_read_in_every_way(found: Calibration) -> None:
    assert repr(found) == f"<Calibration of 2 procedures on 40 experiments, recommended: {found.recommended}>"
    assert str(found) == found.to_text()
    assert found.to_text().replace("\n  ", " ").endswith(found.sentence)
    header, cells = found.table()
    assert header == ["procedure", "level", "size", "coverage", "power at δ"]
    assert [row[0] for row in cells] == ["corrected-t", "kfold-t"]
    frame = found.to_frame()
    assert isinstance(frame, pd.DataFrame)
    assert frame["power"].tolist() == [row.power for row in found.rows]
    assert json.loads(found.to_json())["recommended"] == found.recommended
    html = found._repr_html_()
    assert html.startswith("<p><b>Recommended: ")
    assert "<table" in html


def test_scores_that_are_there_are_exchanged() -> None:
    rng = np.random.default_rng(1)
    wide = pd.DataFrame({"fold": range(1, 11), **{name: rng.random(10) for name in ("a", "b", "c")}})
    scores = bakeoff.read_scores(wide, rows="folds", measure="error")
    made = calibrate(scores, ["a", "c"], procedures=["corrected-t"], replications=50)
    assert made.how == "The outcomes of a and c, exchanged at random within each of 10 resamples."
    assert made.replications == 50
    with pytest.raises(UsageError, match="between two learners; found 3"):
        calibrate(scores)


def test_a_study_its_file_and_its_store(stored: Path, tmp_path: Path) -> None:
    made = calibrate(STUDY, ["bayes", "tree"], store=stored, replications=50, procedures=["corrected-t"])
    assert made.how.startswith("The outcomes of bayes and tree, exchanged")
    assert calibrate(STUDY.scores(stored), replications=50, procedures=["corrected-t"]).rows == made.rows
    with pytest.raises(MisfitError, match="none are stored yet"):
        calibrate(STUDY, ["bayes", "tree"])


def test_what_is_asked_reaches_the_experiments(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    seen: list[Any] = []

    def told(study: Any, asked: Any, **options: Any) -> Any:
        seen.append((study, asked, options))
        raise KeyboardInterrupt

    monkeypatch.setattr(choosing, "experiments_for", told)
    path = tmp_path / "mine.toml"
    path.write_text(
        '[[task]]\ndata = "iris"\n[[learner]]\nname = "tree"\npath = "sklearn.tree.ExtraTreeClassifier"\n'
        '[resampling]\nscheme = "5x2"\n'
    )
    for what in (STUDY, path, str(path)):
        with pytest.raises(KeyboardInterrupt):
            calibrate(what, "tree", task="iris", null="copies", delta=0.1, seed=4, alpha=0.1, n_jobs=2)
    for study, asked, options in seen:
        assert study.learners[-1].name == "tree"
        assert asked == choosing.Asked(("tree",), "iris", None, "copies", 200, 4, 0.1, 0.1)
        assert (options["workers"], options["progress"]) == (2, False)
    assert [one[2]["results"].name for one in seen] == ["study.sqlite", "mine.sqlite", "mine.sqlite"]
    assert seen[1][2]["store"] == tmp_path / "mine.calibration.sqlite"
    assert not seen[0][2]["results"].parent.exists(), "nothing is kept without a store"


@pytest.mark.parametrize(
    ("what", "said", "message"),
    [
        ("vc:10", {}, "There is no design 'vc:10'"),
        ("cv:10", {"learners": "tree"}, r"learners = \('tree',\) does not go with a design by name"),
        ("cv:10", {"null": "copies"}, "does not go with a design by name"),
        ("cv:10", {"procedures": "kfolt-t"}, "Did you mean 'kfold-t'"),
        ("cv:10", {"alpha": 1.5}, "strictly between 0 and 1"),
        ("cv:10", {"replications": 5}, "at least 20"),
        ("cv:10", {"n_jobs": 0}, "must be positive"),
        (STUDY, {"n": 50}, "n = 50 does not go with a study"),
        (STUDY, {}, "Name a learner, or two"),
    ],
)
def test_a_mistake_is_a_sentence(what: Any, said: dict[str, Any], message: str) -> None:
    with pytest.raises(UsageError, match=message):
        calibrate(what, **said)


def test_scores_take_no_store() -> None:
    scores = bakeoff.read_scores(pd.DataFrame({"a": [0.1, 0.2], "b": [0.3, 0.1]}), rows="folds", measure="error")
    for said in ({"store": "x.sqlite"}, {"task": "iris"}, {"null": "copies"}):
        with pytest.raises(UsageError, match="does not go with scores"):
            calibrate(scores, **said)
