"""Before the run: the test that a design will get, and a pilot."""

from __future__ import annotations

import json
from math import isnan
from pathlib import Path

import numpy as np
import pytest

from bakeoff import Study, read_study
from bakeoff.cli import main
from bakeoff.conduct.outlook import outlook, pilot
from bakeoff.errors import MisfitError, UsageError
from bakeoff.judging.wording import enough_blocks
from bakeoff.mathematics.laws import t_sf
from bakeoff.power_analysis.power import power
from bakeoff.text import number

LEARNERS = {"tree": "tree", "nb": "naive-bayes"}


def test_the_test_that_a_design_will_get_with_its_smallest_p_and_power() -> None:
    folds = outlook(Study("sonar", LEARNERS, resampling={"scheme": "cross-validation", "folds": 5, "repeats": 2}))
    assert folds.procedure == "corrected-t"
    assert folds.detectable == power("corrected-t", n=10, folds=5, power=0.8).difference
    assert "over 10 resamples" in folds.sentences[0]
    five = outlook(Study(["sonar", "iris", "wine", "glass", "heart"], LEARNERS, resampling=3))
    assert five.level.value == "tasks"
    assert not isnan(five.detectable)
    if not isnan(five.smallest_p):
        assert any("smallest p" in sentence for sentence in five.sentences)


def test_an_outlook_that_cannot_be_told_is_refused() -> None:
    with pytest.raises(MisfitError, match="pairs of learners in one measure"):
        outlook(Study("iris", {"tree": "tree"}))


def test_plan_tells_the_outlook_until_there_are_results(tmp_path: Path, capsys: pytest.CaptureFixture) -> None:
    study = tmp_path / "s.toml"
    study.write_text(
        'measures = ["error"]\n[resampling]\nscheme = "cross-validation"\nfolds = 5\nrepeats = 2\n[[task]]\n'
        'data = "sonar"\n[[learner]]\nname = "nb"\npath = "naive-bayes"\n[[learner]]\nname = "knn"\npath = "knn"\n'
    )
    assert main(["plan", str(study)]) == 0
    assert "The design will be judged by corrected-t" in capsys.readouterr().out
    assert main(["pilot", str(study), "--splits", "4", "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert (found["splits"], found["cells"], found["failed"]) == (4, 8, {})
    assert found["whole"] > 0
    assert set(found["seconds"]) == {"nb", "knn"}
    assert "is found with a power of" in found["power"] or "power of 0.8" in found["power"]
    assert not (tmp_path / "s.sqlite").exists()
    assert (tmp_path / "s.pilot.sqlite").exists()


FAILING = """
measures = ["error"]
[resampling]
scheme = "cross-validation"
folds = 5
[[task]]
data = "iris"
[[learner]]
name = "nb"
path = "naive-bayes"
[[learner]]
name = "bad"
path = "naive-bayes"
parameters = { var_smoothing = -1.0 }
"""


def test_a_pilot_tells_which_learners_fail_and_why(tmp_path: Path, capsys: pytest.CaptureFixture) -> None:
    study = tmp_path / "s.toml"
    study.write_text(FAILING)
    assert main(["pilot", str(study), "--splits", "2"]) == 4
    out, err = capsys.readouterr()
    said = " ".join(out.split())
    assert "4 cells on 2 random splits: bad failed." in said
    assert "bad failed: error: " in said
    assert "var_smoothing" in said  # the reason, whole
    assert "bad failed in the pilot: mend that" in " ".join(err.split())
    assert not (tmp_path / "s.sqlite").exists()
    assert main(["pilot", str(study), "--splits", "2", "--json"]) == 4
    assert list(json.loads(capsys.readouterr().out)["failed"]) == ["bad"]


def test_a_pilot_in_which_all_learners_work(tmp_path: Path) -> None:
    study = Study("iris", {"nb": "naive-bayes", "knn": "knn"}, resampling=5)
    found = pilot(study, tmp_path / "p.sqlite", splits=2)
    assert found.failed == {}
    assert "all learners work" in found.to_text()
    with pytest.raises(UsageError, match="two splits at least"):
        pilot(study, tmp_path / "p.sqlite", splits=1)


def test_a_budget_ends_a_pilot(tmp_path: Path, capsys: pytest.CaptureFixture) -> None:
    """Cells of half a second, and a budget for few of them: what is left is told, and the advice of a quarter."""
    (tmp_path / "slow.py").write_text(
        "import time\nfrom sklearn.naive_bayes import GaussianNB\n\n\nclass Slow(GaussianNB):\n"
        "    def fit(self, X, y):\n        time.sleep(0.5)\n        return super().fit(X, y)\n"
    )
    study = tmp_path / "s.toml"
    study.write_text(FAILING.replace('path = "naive-bayes"', 'path = "slow.Slow"').replace("-1.0", "1e-9"))
    assert main(["pilot", str(study), "--splits", "5", "--budget", "1s", "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert found["left"] > 0
    assert found["cells"] + found["left"] == 10
    assert main(["pilot", str(study), "--splits", "5"]) == 0  # goes on where the budget ended
    said = " ".join(capsys.readouterr().out.split())
    assert "10 cells on 5 random splits: all learners work." in said
    assert "more than a quarter of that" in said
    assert "at most a quarter of what you have" in said


TWO = """
measures = ["error"]
margin = 0.05
resampling = { scheme = "cross-validation", folds = 5, repeats = 2 }
task = [{ data = "sonar" }]
learner = [{ name = "nb", path = "naive-bayes" }, { name = "knn", path = "knn" }]
"""


def test_plan_advise_and_power_of_a_study_that_was_not_run_agree(tmp_path: Path, capsys: pytest.CaptureFixture) -> None:
    study = tmp_path / "s.toml"
    study.write_text(TWO)

    def said(*words: str) -> str:
        assert main([*words]) == 0
        return " ".join(capsys.readouterr().out.split())

    planned = outlook(read_study(study))
    test = planned.sentences[0]
    assert test in said("plan", str(study))
    advice = said("advise", str(study))
    assert advice.startswith(f"Nothing was run yet. {test}")
    assert f"Recommended: {planned.procedure} " in advice
    before = said("power", str(study))
    assert test in before
    assert "a pilot tells: bakeoff pilot" in before
    assert f"a difference of {number(planned.detectable)} sd or more is found with a power of 0.8" in before
    assert json.loads(said("power", str(study), "--json"))["outlook"]["procedure"] == planned.procedure
    said("pilot", str(study), "--splits", "4")
    after = said("power", str(study))
    assert "By the pilot the differences of " in after
    assert "a difference of 0.05 is found with a power of" in after  # the margin
    said("run", str(study), "--quiet")
    assert "Nothing was run yet" not in said("advise", str(study))
    assert "Nothing was run yet" not in said("power", str(study), "--n", "10")


def test_a_single_split_will_be_judged_by_its_rows(tmp_path: Path, capsys: pytest.CaptureFixture) -> None:
    study = tmp_path / "s.toml"
    study.write_text(TWO.replace('"cross-validation", folds = 5, repeats = 2', '"hold-out"'))
    planned = outlook(read_study(study))
    assert planned.level.value == "instances"
    assert planned.smallest_p < 0.05
    assert main(["power", str(study)]) == 0
    assert "needs a guess of the error rate" in " ".join(capsys.readouterr().out.split())
    assert main(["run", str(study), "--quiet"]) == 0
    assert main(["judge", str(study), "--json"]) == 0
    text = capsys.readouterr().out
    (verdict,) = json.loads(text[text.index("{") :])["verdicts"]
    assert verdict["finding"]["procedure"] == planned.procedure


@pytest.mark.parametrize("folds", [5, 10])
def test_the_outlook_of_a_design_is_about_its_effects(folds: int) -> None:
    """Its power is that which simulated effects of that size have."""
    study = Study("iris", {"knn": "knn"}, factors={"n_neighbors": [1, 9], "p": [1, 2]}, resampling=folds)
    found = outlook(study)
    assert found.effects == 3
    assert f"over {folds} resamples by F" in found.sentences[0]
    rng, n, ratio = np.random.default_rng(1), folds, 1 / (folds - 1)
    d = rng.normal(0, 1, (4000, n)) + found.detectable + rng.normal(0, ratio**0.5, (4000, 1))
    t = d.mean(axis=1) / d.std(axis=1, ddof=1) / (1 / n + ratio) ** 0.5
    assert abs(np.mean(2 * t_sf(np.abs(t), n - 1) <= 0.05 / 3) - 0.8) < 0.03


# --- what to run next -------------------------------------------------------------------------------------------------


def next_of(folder: Path, text: str, capsys: pytest.CaptureFixture, *budget: str) -> list[dict[str, str]]:
    """What `judge` says of a study that was run."""
    study = folder / "s.toml"
    study.write_text(text)
    assert main(["run", str(study), "--quiet", *budget]) == 0
    capsys.readouterr()
    assert main(["judge", str(study)]) == 0
    shown = " ".join(capsys.readouterr().out.split())
    assert main(["judge", str(study), "--json"]) == 0
    ahead: list[dict[str, str]] = json.loads(capsys.readouterr().out)["next"]
    assert ("Next " in shown) is bool(ahead)
    assert all(each["sentence"] in shown for each in ahead)
    return ahead


DRAWS = """
measures = ["error"]
resampling = { scheme = "simulation", repeats = 6 }
task = [{ generator = "twonorm", n = 60, m = 300, test = "fresh" }]
learner = [{ name = "lda", path = "lda" }, { name = "OTHER", path = "OTHER" }]
"""


def test_next_are_as_many_repeats_as_would_decide(tmp_path: Path, capsys: pytest.CaptureFixture) -> None:
    """Two learners that are nearly as good; with the repeats that it names the difference shows, mostly."""
    more, look = next_of(tmp_path, DRAWS.replace("OTHER", "naive-bayes"), capsys)
    name, _, count = more["change"].partition(" = ")
    assert name == "repeats"
    assert int(count) > 6
    assert more["command"] == f"bakeoff run {tmp_path / 's.toml'}"
    assert "second look" in look["what"]


def test_nothing_is_next_where_all_is_decided(tmp_path: Path, capsys: pytest.CaptureFixture) -> None:
    assert next_of(tmp_path, DRAWS.replace("OTHER", "1R"), capsys) == []


ALIKE = (
    TWO.replace("margin = 0.05\n", "").replace('"knn", path = "knn"', '"lda", path = "lda"').replace("sonar", "wine")
)


def test_more_folds_of_the_same_rows_are_not_always_enough(tmp_path: Path, capsys: pytest.CaptureFixture) -> None:
    (only,) = next_of(tmp_path, ALIKE, capsys)
    assert "No number of repeats would tell" in only["what"]
    assert "training data in common" in only["what"]
    assert only["change"] == ""


def test_next_is_what_is_left(tmp_path: Path, capsys: pytest.CaptureFixture) -> None:
    study = tmp_path / "s.toml"
    study.write_text(ALIKE)
    assert main(["run", str(study), "--quiet"]) == 0
    study.write_text(ALIKE.replace("repeats = 2", "repeats = 3"))
    assert main(["run", str(study), "--quiet", "--only", "nb"]) == 0
    capsys.readouterr()
    main(["judge", str(study), "--missing", "drop-block"])
    assert "5 cells of the study were not run yet. Run bakeoff run" in " ".join(capsys.readouterr().out.split())


def test_after_a_screening_comes_a_factorial_of_what_matters(tmp_path: Path, capsys: pytest.CaptureFixture) -> None:
    text = (
        'measures = ["error"]\nresampling = { scheme = "cross-validation", folds = 10, repeats = 3 }\n'
        'task = [{ data = "iris" }]\nlearner = [{ name = "knn", path = "knn" }]\n'
        'factors = { n_neighbors = [1, 100], p = [1, 2], leaf_size = [10, 30] }\ndesign = { kind = "screening" }\n'
    )
    (only,) = next_of(tmp_path, text, capsys)
    assert only["change"] == '[design] kind = "factorial" with the factors "n_neighbors"'


@pytest.mark.parametrize("shared", [0.0, 0.01])
def test_the_number_of_blocks_is_that_which_shows_the_difference_in_four_cases_of_five(shared: float) -> None:
    """What was seen in n blocks has some p; as many as are said to be enough show a difference of that size."""
    n, z = 20, 1.5
    enough = enough_blocks(n, float(t_sf(z, np.inf)), 0.025, shared)
    assert enough is not None
    difference = z * (1 / n + shared) ** 0.5  # in standard deviations, as seen
    power_then = t_sf(1.959964 - difference / (1 / enough + shared) ** 0.5, np.inf)
    assert 0.79 < power_then < 0.83
    assert enough_blocks(n, float(t_sf(z, np.inf)), 0.025, 0.2) is None
