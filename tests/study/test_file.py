"""Reading a study file: what it means, what is refused and how, and that nothing of it is run."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

import pytest

from bakeoff.cli.study import check_analyses
from bakeoff.errors import InputError, UsageError
from bakeoff.study.file import TEMPLATE, Fields, read_study

TASK = '[[task]]\ndata = "iris"\n'
LEARNER = '[[learner]]\nname = "tree"\npath = "sklearn.tree.DecisionTreeClassifier"\n'
WHOLE = """\
question = "Which?"
seed = 20261115
alpha = 0.1
margin = 0.01
measures = ["error", "auc", { name = "cost", loss_matrix = [[0, 1, 1], [5, 0, 1], [1, 1, 0]] }]
name = "whole"
keep_scores = false
[[task]]
data = "iris"
[[task]]
name = "mine"
file = "mine.csv"
target = "class"
kind = "classification"
group = "patient"
[[task]]
name = "wine"
loader = "sklearn.datasets.load_wine"
parameters = { as_frame = true }
[[learner]]
name = "svm"
path = "sklearn.svm.SVC"
parameters = { kernel = "rbf" }
prepare = "standard"
tune = { C = [0.1, 1, 10] }
tuning = { folds = 3, measure = "auc" }
[[learner]]
name = "pca-knn"
pipeline = [
    { path = "sklearn.decomposition.PCA", parameters = { n_components = 2 } },
    { path = "sklearn.neighbors.KNeighborsClassifier" },
]
[[learner]]
name = "in Perl"
command = ["perl", "x.pl", "{train}", "{test}", "{output}"]
[resampling]
scheme = "10x5"
[limits]
time_limit = "2 min"
memory_limit = "2 GB"
threads = 2
[[analysis]]
measure = "auc"
with = "friedman"
control = "svm"
adjust = "holm"
alpha = 0.01
[[analysis]]
contrast = ["svm vs pca-knn", "svm vs in Perl"]
"""


def read(folder: Path, text: str) -> object:
    path = folder / "study.toml"
    path.write_text(text, encoding="utf-8")
    return read_study(path)


def test_every_key_arrives(tmp_path: Path) -> None:
    path = tmp_path / "study.toml"
    path.write_text(WHOLE, encoding="utf-8")
    study = read_study(path)
    assert (study.question, study.seed, study.alpha, study.margin, study.name) == (
        "Which?",
        20261115,
        0.1,
        0.01,
        "whole",
    )
    assert study.measure_names == ("error", "auc", "cost")
    assert [task.name for task in study.tasks] == ["iris", "mine", "wine"]
    svm, knn, perl = study.learners
    assert (svm.steps[0].path, svm.steps[0].parameters, svm.prepare) == (
        "sklearn.svm.SVC",
        {"kernel": "rbf"},
        "standard",
    )
    assert (svm.tuning.grid, svm.tuning.folds, svm.tuning.measure) == ({"C": (0.1, 1, 10)}, 3, "auc")
    assert [step.path.rpartition(".")[2] for step in knn.steps] == ["PCA", "KNeighborsClassifier"]
    assert perl.command[0] == "perl"
    assert perl.folder == str(tmp_path)
    assert study.resampling.describe() == {
        "scheme": "cross-validation", "folds": 5, "repeats": 10, "stratify": True
    }  # fmt: skip
    assert (study.limits.time_limit, study.limits.memory_limit, study.limits.threads) == (120.0, 2_000_000_000, 2)
    assert study.keep_scores is False
    first, second = study.analyses
    assert (first.measure, first.procedure, first.contrast, first.control) == ("auc", "friedman", "control", "svm")
    assert (first.adjust, first.alpha, first.margin) == ("holm", 0.01, None), "the margin is one in error, not in auc"
    assert (second.measure, second.alpha, second.margin) == ("error", 0.1, 0.01)
    assert second.contrast == ("svm vs pca-knn", "svm vs in Perl")


def test_what_is_left_out_has_a_default(tmp_path: Path) -> None:
    path = tmp_path / "small.toml"
    path.write_text(TASK + LEARNER, encoding="utf-8")
    study = read_study(str(path))
    assert (study.name, study.seed, study.alpha, study.margin, study.question) == ("small", 1, 0.05, None, "")
    assert study.measure_names == ("error",)
    assert study.resampling.describe()["folds"] == 10
    assert [analysis.measure for analysis in study.analyses] == ["error"]
    assert (study.limits.time_limit, study.limits.memory_limit, study.limits.threads) == (None, None, 1)


def test_the_name_of_a_scheme_is_enough(tmp_path: Path) -> None:
    path = tmp_path / "short.toml"
    path.write_text('resampling = "5x4"\n' + TASK + LEARNER, encoding="utf-8")
    assert read_study(path).resampling.describe()["folds"] == 4


# (what is wrong, the key that the message names, what it says)
WRONG = [
    ('resampling = "cros-validation"\n' + TASK + LEARNER, "resampling", "Did you mean 'cross-validation'"),
    ("resampling = 5\n" + TASK + LEARNER, "resampling", "A table"),
    ("sead = 3\n" + TASK + LEARNER, "sead", "There is no key 'sead' here. Did you mean 'seed'"),
    ('seed = "x"\n' + TASK + LEARNER, "seed", "A whole number was expected; found 'x'"),
    ("seed = -1\n" + TASK + LEARNER, "seed", "seed must be a whole number that is not negative; found -1"),
    ("alpha = 5\n" + TASK + LEARNER, "alpha", "lies strictly between 0 and 1; found 5"),
    ('alpha = "a"\n' + TASK + LEARNER, "alpha", "A number was expected"),
    ("margin = 0\n" + TASK + LEARNER, "margin", "margin must be a positive difference"),
    ('measures = "errror"\n' + TASK + LEARNER, "measures", "Did you mean 'error'"),
    ("measures = [3]\n" + TASK + LEARNER, "measures", "A list of names and tables was expected"),
    ("measures = []\n" + TASK + LEARNER, "", "needs at least one measure"),
    ('measures = ["error", "error"]\n' + TASK + LEARNER, "", "named twice"),
    ('measures = [{ loss_matrix = [[0, 1], [1, 0]] }]\n' + TASK + LEARNER, "measures", "needs a name"),
    (LEARNER, "task", r"There is no task: write a table headed \[\[task\]\]"),
    (TASK, "learner", r"There is no learner: write a table headed \[\[learner\]\]"),
    ('[task]\ndata = "iris"\n' + LEARNER, "task", r"write \[\[task\]\] with two brackets"),
    ("task = 3\n" + LEARNER, "task", r"Tables headed \[\[task\]\] were expected; found 3"),
    (TASK + TASK + LEARNER, "", "There are 2 tasks named 'iris'"),
    (TASK + LEARNER + LEARNER, "", "There are 2 learners named 'tree'"),
    ('[[task]]\ndata = "irris"\n' + LEARNER, r"task\[1\]", "Did you mean 'iris'"),
    ('[[task]]\ndata = "iris"\ntraget = "x"\n' + LEARNER, r"task\[1\]", "Did you mean 'target'"),
    ('[[task]]\nname = "x"\n' + LEARNER, r"task\[1\]", "exactly one of data, file"),
    ('[[task]]\nfile = "x.csv"\nkind = "classify"\n' + LEARNER, r"task\[1\]", "Did you mean 'classification'"),
    ('[[task]]\nloader = "1.x"\n' + LEARNER, r"task\[1\]", "1.x"),
    (TASK + LEARNER + "parametres = { }\n", r"learner\[1\].parametres", "Did you mean 'parameters'"),
    (TASK + LEARNER + 'prepare = "standrad"\n', r"learner\[1\].prepare", "Did you mean 'standard'"),
    (TASK + LEARNER + "parameters = 3\n", r"learner\[1\].parameters", "A table"),
    (TASK + '[[learner]]\nname = "x"\n', r"learner\[1\]", "found none of them"),
    (TASK + LEARNER + 'command = ["perl"]\n', r"learner\[1\]", "found path and command"),
    (TASK + '[[learner]]\npath = "SVC"\n', r"learner\[1\].path", "no import path. .* such as 'sklearn.svm.SVC'"),
    (TASK + '[[learner]]\npath = "a b.c"\n', r"learner\[1\].path", "'a b.c' is no import path"),
    (TASK + '[[learner]]\npipeline = []\n', r"learner\[1\].pipeline", "at least one step"),
    (TASK + '[[learner]]\npipeline = [{ path = "a.B", step = 1 }]\n', r"learner\[1\].pipeline\[1\]", "no key 'step'"),
    (TASK + '[[learner]]\nname = "x"\ncommand = 3\n', r"learner\[1\].command", "A list of texts"),
    (TASK + LEARNER + "tuning = { folds = 3 }\n", r"learner\[1\].tuning", "There is nothing to tune"),
    (TASK + LEARNER + "tune = { C = 3 }\n", r"learner\[1\].tune.C", "A list of values to try"),
    (TASK + LEARNER + "tune = { C = [1] }\ntuning = { folds = 1 }\n", r"learner\[1\].tuning.folds", "At least 2 folds"),
    (TASK + LEARNER + "tune = { C = [1] }\ntuning = { fold = 2 }\n", r"learner\[1\].tuning.fold", "mean 'folds'"),
    (TASK + LEARNER + '[resampling]\nscheme = "cros-validation"\n', "resampling", "Did you mean 'cross-validation'"),
    (TASK + LEARNER + '[resampling]\nscheme = "cv"\nfold = 3\n', "resampling", "Did you mean 'folds'"),
    (TASK + LEARNER + "[resampling]\nfolds = 3\n", "resampling", "names no scheme"),
    (TASK + LEARNER + '[limits]\ntime_limit = "soon"\n', "limits.time_limit", 'such as "90 s"'),
    (TASK + LEARNER + "[limits]\ntime_limit = -1\n", "limits", "must be a positive number of seconds"),
    (TASK + LEARNER + '[limits]\nmemory_limit = "2 apples"\n', "limits.memory_limit", 'such as "2 GB"'),
    (TASK + LEARNER + "[limits]\nmemory_limit = 1000\n", "limits", "at least 16 MiB"),
    (TASK + LEARNER + "[limits]\nthreads = 0\n", "limits", "threads must be a positive whole number"),
    (TASK + LEARNER + "[limits]\ntimelimit = 3\n", "limits.timelimit", "Did you mean 'time_limit'"),
    (TASK + LEARNER + '[[analysis]]\nmeasure = "auc"\n', r"analysis\[1\].measure", "'auc' is not a measure"),
    (TASK + LEARNER + '[[analysis]]\ncontrol = "tre"\n', r"analysis\[1\].control", "Did you mean 'tree'"),
    (TASK + LEARNER + '[[analysis]]\nlevel = "folds"\n', r"analysis\[1\].level", "'folds' is not possible"),
    (TASK + LEARNER + '[[analysis]]\nmissing = "drop-blok"\n', r"analysis\[1\].missing", "Did you mean 'drop-block'"),
    (TASK + LEARNER + '[[analysis]]\nprocedure = "x"\n', r"analysis\[1\].procedure", "no key 'procedure'"),
    (TASK + LEARNER + "[[analysis]]\nalpha = 3\n", r"analysis\[1\].alpha", "strictly between 0 and 1"),
    (TASK + LEARNER + "[[analysis]]\nmargin = -3\n", r"analysis\[1\].margin", "positive difference"),
    (TASK + LEARNER + '[analysis]\nmeasure = "error"\n', "analysis", r"write \[\[analysis\]\]"),
]  # fmt: skip


@pytest.mark.parametrize(("text", "key", "says"), WRONG, ids=[f"{key}-{i}" for i, (_, key, _) in enumerate(WRONG)])
def test_a_mistake_is_named_with_file_key_and_what_is_allowed(tmp_path: Path, text: str, key: str, says: str) -> None:
    where = rf"study\.toml, key {key}[^:]*: .*" if key else r"study\.toml: .*"
    with pytest.raises(InputError, match=where + says):
        read(tmp_path, text)


def test_not_toml(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"study\.toml: This is not TOML: .*line 1"):
        read(tmp_path, "seed = \n")


def test_no_file_a_folder_and_no_text(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"There is no such file. `bakeoff init` writes"):
        read_study(tmp_path / "nowhere.toml")
    with pytest.raises(InputError, match="This is a folder"):
        read_study(tmp_path)
    (tmp_path / "binary.toml").write_bytes(b"\xff\xfe\x00")
    with pytest.raises(InputError, match="cannot be read"):
        read_study(tmp_path / "binary.toml")
    with pytest.raises(InputError, match="cannot be read"):
        read_study("nul\0.toml")


# ----------------------------------------------------------------------------------------------------------------------
# Fields


def fields(**table: object) -> Fields:
    return Fields(table, "study.toml", "learner[2]")


def test_values_of_the_right_type_are_taken() -> None:
    found = fields(name="svm", folds=3, alpha=1, deep=True)
    assert found.take("name", str) == "svm"
    assert found.take("folds", int) == 3
    assert found.take("alpha", float) == 1.0
    assert found.take("deep", bool) is True
    assert found.take("absent", str, "default") == "default"
    found.done()


@pytest.mark.parametrize(
    ("table", "kind", "message"),
    [
        ({"key": 3}, str, r"study\.toml, key learner\[2\]\.key: A text was expected; found 3\."),
        ({"key": True}, int, "A whole number was expected; found True"),
        ({"key": 1.5}, int, "A whole number was expected; found 1.5"),
        ({"key": "x"}, float, "A number was expected; found 'x'"),
        ({"key": []}, dict, r"A table \{ … \} was expected"),
        ({}, str, "The key 'key' is missing: a text was expected"),
    ],
)
def test_others_are_refused_with_file_and_key(table: dict[str, object], kind: type, message: str) -> None:
    with pytest.raises(InputError, match=message):
        fields(**table).take("key", kind)


def test_an_unknown_key_is_refused_with_the_nearest_match() -> None:
    found = fields(name="x", fodls=3)
    found.take("name", str)
    found.take("folds", int, 5)
    with pytest.raises(InputError, match=r"There is no key 'fodls' here. Did you mean 'folds'"):
        found.done()


def test_one_bracket_instead_of_two_is_explained() -> None:
    with pytest.raises(InputError, match=r"write \[\[task\]\] with two brackets, not \[task\]"):
        fields(task={"data": "iris"}).tables("task")


@pytest.mark.parametrize("value", [3, [1, 2], [{"a": 1}, 2]])
def test_something_else_than_tables_is_refused(value: object) -> None:
    with pytest.raises(InputError, match=r"Tables headed \[\[task\]\] were expected"):
        fields(task=value).tables("task")


def test_texts_may_be_one_or_many() -> None:
    assert fields(drop="a").texts("drop") == ("a",)
    assert fields(drop=["a", "b"]).texts("drop") == ("a", "b")
    with pytest.raises(InputError, match="A list of texts was expected"):
        fields(drop=[1]).texts("drop")


def test_a_choice_names_what_is_allowed() -> None:
    with pytest.raises(InputError, match=r"'standrad' is not possible. Did you mean 'standard'"):
        fields(prepare="standrad").choice("prepare", ("auto", "standard"), "auto")


def test_a_complaint_from_further_down_gets_the_place_in_front() -> None:
    def complain() -> None:
        raise UsageError("folds must be at least 2.")

    with pytest.raises(InputError, match=r"study\.toml, key learner\[2\]\.tuning: folds must be at least 2"):
        fields().checked("tuning", complain)


def test_a_key_that_was_only_looked_for_is_known() -> None:
    """A study without a resampling has the default one, and a misspelt key must not be read as none."""
    misspelt = fields(resamplng={"folds": 3})
    assert "resampling" not in misspelt
    with pytest.raises(InputError, match=r"no key 'resamplng' here\. Did you mean 'resampling'"):
        misspelt.done()


# ----------------------------------------------------------------------------------------------------------------------
# The study file to begin with says nothing that is not so.


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
