"""Before the run: the test that a design will get, and a pilot."""

from __future__ import annotations

import json
from itertools import count
from math import isnan
from pathlib import Path

import numpy as np
import pytest

from bakeoff import Study, read_study
from bakeoff.cli import main
from bakeoff.conduct.outlook import EffectAhead, effect_powers, outlook, pilot, with_pilot
from bakeoff.errors import MisfitError, UsageError
from bakeoff.judging.designed import judge_design
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


SLOW = """
import pathlib, time
from sklearn.naive_bayes import GaussianNB


class Slow(GaussianNB):
    def fit(self, X, y):
        time.sleep(0.5)
        with pathlib.Path(__file__).with_name("fitted").open("a") as file:
            file.write("x")
        return super().fit(X, y)
"""


def test_a_budget_ends_a_pilot(tmp_path: Path, capsys: pytest.CaptureFixture, monkeypatch: pytest.MonkeyPatch) -> None:
    """Cells of half a second, and a budget for few of them: what is left is told, and the advice of a quarter. The
    clock of the run stands still between cells, however long it takes to start a process."""
    (tmp_path / "slow.py").write_text(SLOW)
    fitted = tmp_path / "fitted"
    fitted.touch()
    monkeypatch.setattr("bakeoff.study.run.monotonic", lambda: 0.5 * fitted.stat().st_size)
    study = tmp_path / "s.toml"
    study.write_text(FAILING.replace('path = "naive-bayes"', 'path = "slow.Slow"').replace("-1.0", "1e-9"))
    assert main(["pilot", str(study), "--splits", "5", "--budget", "1s", "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert found["left"] > 0
    assert found["cells"] + found["left"] == 10
    assert found["cells"] >= 3
    assert main(["pilot", str(study), "--splits", "5"]) == 0  # goes on where the budget ended
    said = " ".join(capsys.readouterr().out.split())
    assert "10 cells on 5 random splits: all learners work." in said
    assert "more than a quarter of that" in said
    assert "at most a quarter of what you have" in said


@pytest.mark.parametrize(
    ("budget", "code", "told"),
    [
        ("1s", 2, "No cell of the study has been run to its end yet"),
        ("2s", 0, "cannot be told from this pilot: It has scores of one learner alone"),
    ],
    ids=["before the first cell", "after the first cell"],
)
def test_a_budget_that_is_soon_over_is_a_sentence(
    budget: str, code: int, told: str, tmp_path: Path, capsys: pytest.CaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    ticks = count()
    monkeypatch.setattr("bakeoff.study.run.monotonic", lambda: float(next(ticks)))  # a second each time it is asked
    study = tmp_path / "s.toml"
    study.write_text(FAILING.replace("-1.0", "1e-9"))
    assert main(["pilot", str(study), "--splits", "2", "--budget", budget]) == code
    said = capsys.readouterr()
    assert told in " ".join((said.out + said.err).split())


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


# --- the power of a design's effects ----------------------------------------------------------------------------------


SURFACE = """
measures = ["error"]
task = [{ data = "sonar" }]
learner = [{ name = "svm", path = "svm" }]
resampling = { scheme = "cross-validation", folds = 5, repeats = 2 }
design = { kind = "response-surface", points = "faced", steps = 1 }
[factors]
"svm.C" = { low = 0.1, high = 100, scale = "log" }
"svm.gamma" = { low = 0.001, high = 1, scale = "log" }
"""
TASKS = """
measures = ["error"]
task = [{ data = "sonar" }, { data = "wine" }]
learner = [{ name = "knn", path = "knn" }]
resampling = { scheme = "cross-validation", folds = 5, repeats = 2 }
factors = { task = ["sonar", "wine"], n_neighbors = [1, 5, 25], p = [1, 2] }
"""


def simulated_rate(study: Study, each: EffectAhead, difference: float, runs: int = 500) -> float:
    """How often a planted difference of an effect is shown by the verdict's own test, at the level of each effect:
    of normal scores with a standard deviation of one beside block and setting, and what blocks share in their mean."""
    from bakeoff.conduct.outlook import imagined_scores
    from bakeoff.judging.case import Case
    from bakeoff.judging.designed import (
        SettingTable,
        _effects,
        patterns_apart_by_one,
        setting_tables,
        visible_effects,
    )
    from bakeoff.judging.request import Request

    design, settings = study.design.describe(), study.design.settings
    case = Case(imagined_scores(study), Request.of(measure=study.measure_names[0]))
    tables, _, _ = setting_tables(case, list(settings), "task" in design["factors"])
    visible = visible_effects(design, settings)
    base = each.name.removesuffix(" × task") if each.across else each.name
    place = [effect.name for effect in visible].index(base)
    mean = patterns_apart_by_one(design, settings, visible)[place] * difference
    signs = [0.5, -0.5] if each.across else [1.0] * len(tables)
    rng, found, level = np.random.default_rng(3), 0, 0.05 / len(outlook(study).each)
    for _ in range(runs):
        drawn = [
            SettingTable(
                table.task,
                sign * mean
                + rng.normal(size=table.values.shape)
                + rng.normal(0, table.ratio**0.5, table.values.shape[1])
                + rng.normal(0, 3, (len(table.values), 1)),
                table.ratio,
            )
            for table, sign in zip(tables, signs, strict=True)
        ]
        found += next(test.p for test in _effects([visible[place]], drawn) if test.name == each.name) <= level
    return found / runs


@pytest.mark.parametrize("text", [SURFACE, TASKS])
def test_the_power_of_an_effect_is_that_which_its_own_test_has_in_simulation(text: str, tmp_path: Path) -> None:
    """Of surfaces, of the task as a factor, and of how an effect differs between tasks."""
    (tmp_path / "s.toml").write_text(text)
    study = read_study(tmp_path / "s.toml")
    planned = outlook(study)
    for each in planned.each:
        least = each.detectable(0.8, planned.level_of_each)
        assert each.power(least, planned.level_of_each) == pytest.approx(0.8)
        # Three standard errors of 500 simulations; a test at twice the level would be .87.
        assert abs(simulated_rate(study, each, least) - 0.8) < 0.054, each.name


def test_the_effects_of_a_plan_are_those_of_the_verdict(tmp_path: Path) -> None:
    for text in (SURFACE.replace("steps = 1", "budget = 9"), TASKS):
        (tmp_path / "s.toml").write_text(text)
        study = read_study(tmp_path / "s.toml")
        verdict = judge_design(study.run())
        assert [each.name for each in outlook(study).each] == [each.name for each in verdict.effects]


def test_power_of_a_design_goes_by_its_pilot(tmp_path: Path, capsys: pytest.CaptureFixture) -> None:
    study = tmp_path / "s.toml"
    study.write_text(TASKS)

    def said(*words: str) -> str:
        code = main([*words])
        out, err = capsys.readouterr()
        assert code == (2 if err else 0), err
        return " ".join((out + err).split())

    assert "n_neighbors 1 " in said("power", str(study))  # sds
    assert "run a pilot (bakeoff pilot)" in said("power", str(study), "--difference", "0.05")
    told = said("pilot", str(study), "--splits", "4")
    assert "on 4 random splits of each of 2 tasks: all learners work" in told
    assert "By the standard deviations that the effects had in the pilot" in told
    found = json.loads(said("power", str(study), "--json"))["power"]["effects"]
    read = read_study(study)
    by = with_pilot(outlook(read), read, read.scores(tmp_path / "s.pilot.sqlite"))
    assert [each["difference"] for each in found] == [e.detectable(0.8, by.level_of_each) for e in by.each]
    assert all(0.001 < each["sd"] < 0.2 for each in found)
    enough = effect_powers(by, difference=0.2, power=0.9).rows[2]
    assert enough.effect == "p"
    assert enough.blocks is not None
    (least,) = [each for each in by.each if each.name == "p"]
    assert (
        least.power(0.2, by.level_of_each, enough.blocks) >= 0.9 > least.power(0.2, by.level_of_each, enough.blocks - 1)
    )
    for words, sentence in (
        (["--error", "0.1"], "is asked with --n, --difference, --power and --sd; found --error"),
        (["--difference", "much"], "A difference is a number, or a number of sds"),
        (["--difference", "0"], "The difference to find is a positive number"),
        (["--n", "1"], "two blocks or more; found 1"),
        (["--power", "2"], "A power lies between α"),
        (["--sd", "-1"], "is a positive number; found -1"),
        (["--n", "9", "--difference", "0.1", "--power", "0.9"], "two may be given"),
    ):
        assert sentence in said("power", str(study), *words)


def test_tasks_that_are_a_factor_are_no_small_sample(tmp_path: Path, capsys: pytest.CaptureFixture) -> None:
    (tmp_path / "s.toml").write_text(TASKS)
    assert main(["plan", str(tmp_path / "s.toml")]) == 0
    assert "small sample of problems" not in capsys.readouterr().out
    (tmp_path / "s.toml").write_text(TASKS.replace('task = ["sonar", "wine"], ', ""))
    assert main(["plan", str(tmp_path / "s.toml")]) == 0
    assert "small sample of problems" in " ".join(capsys.readouterr().out.split())
