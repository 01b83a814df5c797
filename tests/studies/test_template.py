"""The study file to begin with says nothing that is not so."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

from bakeoff.cli.studying import check_analyses
from bakeoff.studies.file import read_study
from bakeoff.studies.template import TEMPLATE


def written(folder: Path, text: str) -> Path:
    path = folder / "study.toml"
    path.write_text(text, encoding="utf-8")
    return path


def test_it_can_be_read_and_planned(tmp_path: Path) -> None:
    study = read_study(written(tmp_path, TEMPLATE))
    plan = study.plan()
    assert plan.complete
    assert plan.cells == len(study.tasks) * len(study.learners) * 10
    check_analyses(study, "study.toml")


def test_what_is_commented_out_may_be_used_too(tmp_path: Path) -> None:
    """Every line of TOML behind a # is right: uncommented, the file still reads."""
    lines = [re.sub(r"^# (?=(\[|[a-z_]+ = |    \{|\]))", "", line) for line in TEMPLATE.splitlines()]
    text = "\n".join(lines)
    assert "\nmargin = 0.01" in text
    (tmp_path / "mine.csv").write_text("class,patient,x\na,1,2\nb,2,3\n")
    # The first of two lists of measures is the one without a comment.
    without = re.sub(r"^measures = \[\"error\".*\n", "", text, flags=re.MULTILINE)
    without = without.replace('measure = "error"', 'measure = "cost"')
    tables = tomllib.loads(without)
    assert [task.get("name") for task in tables["task"]][-2:] == ["mine", "digits"]
    study = read_study(written(tmp_path, without))
    assert study.measure_names == ("cost", "q95")
    assert [learner.name for learner in study.learners][-1] == "mine in R"
    assert study.resampling.describe()["repeats"] == 10


def test_it_fits_a_terminal() -> None:
    assert max(map(len, TEMPLATE.splitlines())) <= 120
