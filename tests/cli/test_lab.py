"""`bakeoff calibrate` as a user types it."""

from __future__ import annotations

import doctest
import json
from importlib import import_module
from pathlib import Path

import numpy as np
import pytest

from bakeoff.calibration import calibrate
from bakeoff.cli import main
from bakeoff.published import published_results, regenerate

Capture = pytest.CaptureFixture[str]

STUDY = """\
question = "Which?"
measures = ["error"]
[[task]]
data = "iris"
[[learner]]
name = "bayes"
path = "sklearn.naive_bayes.GaussianNB"
[[learner]]
name = "tree"
path = "sklearn.tree.ExtraTreeClassifier"
[resampling]
scheme = "hold-out"
"""


@pytest.fixture
def study(tmp_path: Path) -> str:
    path = tmp_path / "study.toml"
    path.write_text(STUDY)
    return str(path)


def test_a_design_needs_no_study(capsys: Capture) -> None:
    assert (
        main(["calibrate", "--design", "cv:5", "--n", "100", "--replications", "40", "--with", "corrected-t,kfold-t"])
        == 0
    )
    text = capsys.readouterr().out
    assert "5-fold cross-validation of 100 rows" in " ".join(text.split())
    assert "corrected-t" in text
    assert "permutation" not in text
    assert "Recommended: corrected-t" in text


def test_json_is_one_object_and_the_same_every_time(capsys: Capture, tmp_path: Path) -> None:
    asked = ["calibrate", "--design", "answers", "--replications", "30", "--seed", "4", "--alpha", "0.1", "--json"]
    assert main(asked) == 0
    first = json.loads(capsys.readouterr().out)
    assert main([*asked, "-o", str(tmp_path / "found.json")]) == 0
    assert json.loads((tmp_path / "found.json").read_text(encoding="utf-8")) == first
    assert first["replications"] == 30
    assert first["alpha"] == 0.1
    assert {"mcnemar", "paired-t"} <= {row["procedure"] for row in first["rows"]}


def test_outcomes_of_a_study_that_was_run_are_exchanged(study: str, capsys: Capture) -> None:
    assert main(["run", study, "--quiet"]) == 0
    capsys.readouterr()
    asked = ["calibrate", study, "--learner", "bayes", "--learner", "tree", "--replications", "30", "--quiet"]
    code = main([*asked, "--delta", "0.1"])
    told = capsys.readouterr()
    assert code == 0, told.err
    text = " ".join(told.out.split())
    assert "exchanged at random within each of" in text
    assert "instances of one task" in text
    assert "mcnemar" in text


def test_a_run_that_is_stopped_says_how_to_go_on(study: str, capsys: Capture, monkeypatch: pytest.MonkeyPatch) -> None:
    def stopped(*given: object, **options: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(calibrate, "experiments_for", stopped)
    assert main(["calibrate", study, "--learner", "tree"]) == 130
    assert "the same command goes on from there" in capsys.readouterr().err


def test_memory_that_is_not_enough_is_a_sentence(study: str, capsys: Capture, monkeypatch: pytest.MonkeyPatch) -> None:
    def too_much(*given: object, **options: object) -> None:
        raise MemoryError("Unable to allocate 53.4 MiB")

    monkeypatch.setattr(calibrate, "experiments_for", too_much)
    assert main(["calibrate", study, "--learner", "tree"]) == 2
    assert "memory is not enough for this (Unable to allocate 53.4 MiB). Raise the limit" in capsys.readouterr().err


def test_flags_reach_the_question(study: str, capsys: Capture, monkeypatch: pytest.MonkeyPatch) -> None:
    seen: dict[str, object] = {}

    def told(study: object, asked: object, **options: object) -> None:
        seen.update(options, asked=asked)
        raise KeyboardInterrupt

    monkeypatch.setattr(calibrate, "experiments_for", told)
    flags = ["--learner", "tree", "--task", "iris", "--measure", "error", "--null", "copies", "--seed", "2", "-j", "2"]
    assert main(["calibrate", study, *flags, "--replications", "60", "--delta", "0.2", "--quiet"]) == 130
    assert seen["asked"] == calibrate.CalibrationRequest(("tree",), "iris", "error", "copies", 60, 2, 0.2, 0.05)
    assert (seen["workers"], seen["progress"]) == (2, False)
    assert str(seen["results"]).endswith("study.sqlite")
    assert str(seen["store"]).endswith("study.calibration.sqlite")
    capsys.readouterr()


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ([], "A study is calibrated, or a design by name"),
        (["STUDY", "--design", "cv:10"], "A study is calibrated, or a design by name"),
        (["--design", "vc:10"], "Known are: answers, clusters, competition, cv, draws"),
        (["--design", "cv:10", "--learner", "tree"], "--learner is about a study"),
        (["--design", "cv:10", "--replications", "5"], "at least 20"),
        (["--design", "cv:10", "--seed", "-1"], "not negative"),
        (["--design", "cv:10", "--alpha", "2"], "strictly between 0 and 1"),
        (["--design", "cv:10", "--delta", "-1"], "positive number"),
        (["--design", "cv:10", "--with", "kfolt-t"], "Did you mean 'kfold-t'"),
        (["--design", "cv:10", "-j", "0"], "must be positive"),
        (["STUDY", "--n", "50", "--learner", "tree"], "--n is the size of a sample of --design"),
        (["STUDY"], "Name a learner, or two"),
        (["STUDY", "--learner", "tre"], "Did you mean 'tree'"),
    ],
)
def test_a_mistake_is_a_sentence(arguments: list[str], message: str, study: str, capsys: Capture) -> None:
    assert main(["calibrate", *(study if part == "STUDY" else part for part in arguments)]) == 2
    told = capsys.readouterr()
    assert message in told.err
    assert told.out == ""


def test_what_does_not_fit_is_refused_with_what_does(capsys: Capture) -> None:
    assert main(["calibrate", "--design", "cv:5", "--replications", "20", "--with", "wilcoxon"]) == 3
    assert "What would fit instead" in capsys.readouterr().err


# ----------------------------------------------------------------------------------------------------------------------
# `bakeoff power` as a user types it.


def said(capsys: Capture, line: str, *more: str) -> str:
    assert main(["power", *line.split(), *more]) == 0
    return capsys.readouterr().out


def test_how_many(capsys: Capture) -> None:
    text = said(capsys, "t --difference 0.02 --sd 0.05")
    assert text.startswith("52 pairs find a difference of 0.02 with a power of 0.808 (0.8 was wanted).")
    assert "pairs  difference  power" in text


def test_how_small_and_how_likely(capsys: Capture) -> None:
    assert "or more is found with a power of 0.8" in said(capsys, "corrected-t --n 100 --sd 0.03")
    assert "power of 0.373" in said(capsys, "mcnemar --instances 500 --difference 0.02 --discordant 0.06")
    assert "one-sided, α = 0.01" in said(capsys, "sign --tasks 20 --wins 0.8 --alpha 0.01 --one-sided")


def test_simulated(capsys: Capture) -> None:
    line = "friedman --learners 4 --tasks 10 --difference 1sd --replications 20 --seed 3 --find global --json"
    found = json.loads(said(capsys, line))
    assert found["how"] == "simulated, 20 replications, seed 3"
    assert found["guess"]["learners"] == 4
    assert 0 < found["at"]["error"] < 0.2
    assert json.loads(said(capsys, line)) == found


def test_options_of_the_test(capsys: Capture) -> None:
    text = said(capsys, "permutation --n 8 --difference 3sd --replications 10 --resamples 199")
    assert "a power of 1 ±" in text


def test_smallest_p(capsys: Capture) -> None:
    assert "it takes 6 tasks at least" in said(capsys, "sign --smallest-p --n 5").replace("\n", " ")
    found = json.loads(said(capsys, "wilcoxon --smallest-p --n 6 --learners 5 --json"))
    assert found["in_reach"] is False
    assert found["smallest_p"]["p"] == 2**-5
    assert found["smallest_p"]["tests"] == 10
    assert "cannot go below 0.01" in said(capsys, "permutation --smallest-p --n 9 --resamples 99")
    assert "has no lower end" in said(capsys, "t --smallest-p --n 5")
    assert json.loads(said(capsys, "t --smallest-p --n 5 --json"))["p"] == 0


@pytest.mark.parametrize("form", ["t {}", "{} --with t", "t --pilot {}", "--pilot {} --with t"])
def test_a_pilot(form: str, wide: str, capsys: Capture) -> None:
    line = form.format(wide) + " --measure accuracy --learner C4.5 --learner C4.5+m --difference 0.01"
    text = said(capsys, line).replace("\n  ", " ")
    assert "4 tasks, accuracy between C4.5+m and C4.5" in text
    assert "the upper 95 % confidence limit of the pilot" in text


def test_the_advisor_names_the_test_of_a_pilot(wide: str, capsys: Capture) -> None:
    text = said(capsys, f"{wide} --measure accuracy --n 10 --difference 0.02 --replications 10")
    assert "task-flips" in text or "Joint signed ranks" in text


def test_the_store_of_a_study_is_a_pilot(tmp_path: Path, capsys: Capture) -> None:
    study = tmp_path / "study.toml"
    study.write_text(
        'name = "pilot"\nmeasures = ["error"]\nseed = 1\n[resampling]\nscheme = "cross-validation"\nfolds = 4\n'
        '[[task]]\ndata = "iris"\n[[learner]]\nname = "dummy"\npath = "sklearn.dummy.DummyClassifier"\n'
        '[[learner]]\nname = "bayes"\npath = "sklearn.naive_bayes.GaussianNB"\n[[analysis]]\nmeasure = "error"\n'
    )
    assert main(["power", "corrected-t", str(study), "--n", "8"]) == 0
    assert "Nothing was run yet." in capsys.readouterr().out
    assert main(["run", str(study), "--quiet"]) == 0
    capsys.readouterr()
    text = said(capsys, f"corrected-t {study} --n 8").replace("\n  ", " ")
    assert "4 resamples, error between bayes and dummy" in text
    assert "each repeat is a 4-fold cross-validation" in text
    assert "With 8 folds, a difference of" in text


def test_figure_and_output_file(tmp_path: Path, capsys: Capture) -> None:
    figure, answer = tmp_path / "curve.svg", tmp_path / "power.txt"
    assert said(capsys, "t --n 20 --sd 0.05 --figure", str(figure), "-o", str(answer)) == ""
    assert figure.read_text(encoding="utf-8").startswith("<?xml")
    assert f"Figure:  {figure}" in answer.read_text(encoding="utf-8")


@pytest.mark.parametrize(
    ("line", "code", "sentence"),
    [
        ("", 2, "Name a test"),
        ("wilcoxn --n 5", 2, "Did you mean 'wilcoxon'"),
        ("t", 2, "what the experiment is to find"),
        ("t --difference 0.02", 2, "--sd 0.05"),
        ("t --n 5 --nonsense 1", 2, "unrecognised arguments: --nonsense"),
        ("t sign --n 5", 2, "One test is planned for at a time"),
        ("t a.csv b.csv", 2, "One pilot is read"),
        ("t nowhere.csv --n 5", 2, "no such file"),
        ("nowhere.toml", 2, "no such file"),
        ("sign --smallest-p", 2, "--smallest-p --n 6"),
        ("t --n 5 --figure curve.txt", 2, "ends in .svg"),
        ("sign --n 5", 3, "however large"),
        ("5x2-f --difference 1sd --replications 10", 3, "neither more nor less"),
    ],
)
def test_mistakes_are_sentences(line: str, code: int, sentence: str, capsys: Capture) -> None:
    assert main(["power", *line.split()]) == code
    assert sentence in capsys.readouterr().err


def test_several_measures_need_a_choice(two_measures: str, capsys: Capture) -> None:
    assert main(["power", "t", two_measures]) == 2
    assert "Say --measure NAME" in capsys.readouterr().err
    assert main(["power", "t", two_measures, "--measure", "accuracy", "--difference", "0.05"]) == 0


def test_tests_that_need_more_than_a_difference(capsys: Capture) -> None:
    assert "power of 0.931" in said(capsys, "hotelling --n 20 --measures 3 --difference 1sd")
    assert "19 tasks find" in said(capsys, "two-way-anova --difference 0.02 --sd 0.05 --folds 5")
    assert "350 instances in each test set" in said(capsys, "variance-ratio --difference 0.3")
    guess = "--auc 0.7 --positives 0.3 --correlation 0.4"
    areas = said(capsys, f"delong --n 200 --difference 0.1 {guess} --replications 20")
    assert "the smaller area under the ROC curve is 0.7, and 30 % of the instances are" in areas.replace("\n  ", " ")
    holes = said(capsys, "skillings-mack --n 12 --difference 2sd --absent 0.1 --replications 10 --find global")
    assert "10 % of the scores are missing" in holes.replace("\n  ", " ")


def test_several_measures_of_a_pilot(tmp_path: Path, capsys: Capture) -> None:
    rng = np.random.default_rng(2)
    path = tmp_path / "pilot.csv"
    lines = ["learner,fold,measure,value"]
    for fold in range(1, 13):
        for measure in ("error", "brier"):
            noise = rng.normal(0, 0.02)
            lines.append(f"a,{fold},{measure},{0.2 + noise + rng.normal(0, 0.02):.5f}")
            lines.append(f"b,{fold},{measure},{0.23 + noise + rng.normal(0, 0.02):.5f}")
    path.write_text("\n".join(lines), encoding="utf-8")
    text = said(capsys, f"hotelling {path}").replace("\n  ", " ")
    assert "12 resamples, error and brier between a and b; distance" in text
    assert "there are 2 measures" in text
    assert "the lower 95 % confidence limit of the pilot" in text
    assert main(["power", "hotelling", str(path), "--measure", "error"]) == 2
    assert "leave --measure out" in capsys.readouterr().err
    assert main(["power", "t", str(path)]) == 2
    assert "holds several measures" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("delong --n 100 --difference 0.1", "needs a guess of the smaller area under the ROC curve"),
        ("delong --n 100 --difference 0.4 --auc 0.7", "is more than there can be"),
        ("delong --n 100 --difference 0.5sd --auc 0.7", "say the difference of the areas"),
        ("t --n 10 --difference 1sd --auc 0.7", "auc is a guess for delong"),
        ("skillings-mack --n 10 --difference 1sd", "If none will be, plan with friedman"),
        ("hotelling --n 10 --difference 1sd --one-sided", "has no sides"),
        ("hotelling --n 10 --difference 1sd --learners 4", "compares two learners; found 4"),
        ("bayes-hierarchical --n 10 --difference 1sd", "does not know bayes-hierarchical"),
    ],
)
def test_what_is_missing_or_does_not_go_together(line: str, message: str, capsys: Capture) -> None:
    assert main(["power", *line.split()]) == 2
    assert message in " ".join(capsys.readouterr().err.split())


# ----------------------------------------------------------------------------------------------------------------------
# `bakeoff published` as a user types it, and the page that is made from the same catalogue.


def test_the_listing_has_a_line_for_each_with_its_outcome(capsys: Capture) -> None:
    assert main(["published"]) == 0
    table = capsys.readouterr().out.partition("\n\n")[0]
    _, _, *lines = table.splitlines()
    assert [line.split()[0] for line in lines] == [result.name for result in published_results()]
    assert "…" not in table  # none is cut short
    line = next(line for line in lines if line.startswith("feelders-familywise"))
    assert "reproduced but for F4" in line
    assert line.split()[-2:] == ["exact", "1"]


def test_one_is_computed_again_beside_the_document(capsys: Capture) -> None:
    assert main(["published", "feelders-table4"]) == 0
    text = capsys.readouterr().out
    assert "1.16364" in text
    assert "1.1636 " in text
    assert "Of 9 numbers beside a printed one, 9 agree to the digits printed." in text


def test_json_holds_everything(capsys: Capture) -> None:
    assert main(["published", "--json"]) == 0
    assert json.loads(capsys.readouterr().out) == [result.to_dict() for result in published_results()]
    assert main(["published", "feelders-table3", "--json"]) == 0
    assert json.loads(capsys.readouterr().out) == regenerate("feelders-table3").to_dict()


def test_it_can_go_to_a_file(tmp_path: Path, capsys: Capture) -> None:
    assert main(["published", "slides-two-models", "-o", str(tmp_path / "s.txt")]) == 0
    assert capsys.readouterr().out == ""
    assert "ERRATUM S4" in (tmp_path / "s.txt").read_text(encoding="utf-8")


def test_size_seed_and_workers_reach_the_result(monkeypatch: pytest.MonkeyPatch, capsys: Capture) -> None:
    from bakeoff.cli import lab

    asked = {}

    def told(name: str, **options: object) -> object:
        asked.update(options)
        return regenerate(name)

    monkeypatch.setattr(lab, "regenerate", told)
    assert main(["published", "feelders-table4", "--full", "--seed", "7", "-j", "2", "--store", "x.sqlite"]) == 0
    assert asked == {"full": True, "seed": 7, "jobs": 2, "store": "x.sqlite", "progress": True}


def test_a_figure_is_drawn_where_there_is_one(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Capture) -> None:
    from bakeoff.published import hothorn_tables

    right = hothorn_tables.compare_table1
    monkeypatch.setattr(hothorn_tables, "compare_table1", lambda *_, **__: right(2))
    path = tmp_path / "power.svg"
    assert main(["published", "hothorn-table1", "--figure", str(path)]) == 0
    assert "competition" in path.read_text(encoding="utf-8")
    assert "hothorn-table1" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["feelders-tabel3"], "Did you mean 'feelders-table3'"),
        (["--full"], "name it"),
        (["--figure", "x.svg"], "name it"),
        (["feelders-table4", "--figure", "x.svg"], "has no figure; hothorn-table1"),
        (["hothorn-table2", "--figure", "x.doc"], ".svg, .pdf or .png"),
        (["hothorn-table2", "--figure", "no/such/folder/x.svg"], "There is no directory"),
        (["feelders-table4", "--store", "x.sqlite"], "cannot be resumed; hothorn-table1"),
        (["feelders-table4", "-j", "0"], "1 or more, or -1"),
        (["feelders-table4", "--seed", "-3"], "'seed' must be a whole number"),
        (["feelders-table4", "-o", "no/such/folder/x.txt"], "cannot be written"),
    ],
)
def test_a_mistake_is_a_sentence_published(arguments: list[str], message: str, capsys: Capture) -> None:
    assert main(["published", *arguments]) == 2
    assert message in capsys.readouterr().err


def test_numbers_of_replications_are_both_shown_where_they_differ() -> None:
    from bakeoff.cli.lab import _both

    assert _both(1000, 5000) == "1,000 (5,000)"
    assert _both(1000, 1000) == "1,000"


def test_the_page_is_what_the_catalogue_says(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(str(Path(__file__).parents[2] / "tools"))
    tool = import_module("published_docs")
    assert doctest.testmod(tool).failed == 0
    assert tool.main(["--check"]) == 0
    text = tool.PAGE.read_text(encoding="utf-8")
    assert all(f"\n### {result.name}\n" in text for result in published_results())
    monkeypatch.setattr(tool, "PAGE", Path("nowhere.md"))
    assert "run `make docs`" in tool.main(["--check"])


def test_a_long_result_keeps_what_is_finished(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Capture) -> None:
    from bakeoff.cli import lab

    asked = {}
    monkeypatch.setattr(
        lab, "regenerate", lambda name, **options: (asked.update(options), regenerate("feelders-table4"))[1]
    )
    monkeypatch.chdir(tmp_path)
    assert main(["published", "hothorn-table2", "--full"]) == 0
    assert (asked["store"], asked["progress"]) == ("published-hothorn-table2.kept", True)
    assert "typed again, this goes on with it" in capsys.readouterr().err
