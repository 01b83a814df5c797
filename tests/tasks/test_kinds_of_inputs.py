"""Texts, images, sparse matrices, weights, several targets, large files: from a study file or script to scores."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy import sparse
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.datasets import make_multilabel_classification
from sklearn.feature_extraction.text import CountVectorizer
from sklearn.linear_model import LinearRegression, LogisticRegression
from sklearn.multioutput import ClassifierChain
from sklearn.naive_bayes import GaussianNB, MultinomialNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.tree import DecisionTreeClassifier

from bakeoff import Study, as_task, read_study
from bakeoff.cli import main
from bakeoff.errors import BakeoffError, FailedCellsWarning
from bakeoff.results.grid import predictions, truth
from bakeoff.store.reader import Reader
from bakeoff.tasks import sources
from bakeoff.tasks.arrays import ParquetRows
from bakeoff.tasks.task import separate_tasks

Capture = pytest.CaptureFixture[str]
LOGISTIC = "sklearn.linear_model.LogisticRegression"
RNG = np.random.default_rng(5)
WORDS = {"spam": ["buy", "cheap", "now", "offer"], "ham": ["meet", "lunch", "report", "now"]}
LABELS = ["spam", "ham"] * 30
TEXTS = [" ".join(RNG.choice(WORDS[label], 4)) for label in LABELS]
PIXELS = RNG.integers(0, 256, size=(60, 4, 4), dtype=np.uint8)
PIXELS[::2, 0] = 255


def said(capsys: Capture) -> str:
    out = capsys.readouterr()
    return " ".join((out.out + out.err).split())


def study(folder: Path, task: str, learner: str, more: str = "") -> Path:
    path = folder / "s.toml"
    path.write_text(f"resampling = {{ scheme = 'cv', folds = 3 }}\n{more}\n[[task]]\n{task}\n[[learner]]\n{learner}\n")
    return path


def chosen(scores: Any, **wanted: str) -> Any:
    """The values of some rows."""
    return scores.value[np.all([np.array(getattr(scores, c).values()) == value for c, value in wanted.items()], axis=0)]


class Flat(ClassifierMixin, BaseEstimator):
    """Takes images, and nothing else."""

    def fit(self, X: Any, y: Any) -> Flat:
        assert X.ndim == 3
        self.model_ = GaussianNB().fit(X.reshape(len(X), -1), y)
        self.classes_ = self.model_.classes_
        return self

    def predict(self, X: Any) -> Any:
        return self.model_.predict(X.reshape(len(X), -1))


# --- texts ------------------------------------------------------------------------------------------------------------

PIPELINE = """pipeline = [
    { path = "sklearn.feature_extraction.text.TfidfVectorizer" },
    { path = "sklearn.naive_bayes.MultinomialNB" },
]"""


def test_texts_in_a_column(tmp_path: Path, capsys: Capture) -> None:
    rows = [f'{i},"{text}",{label}' for i, (text, label) in enumerate(zip(TEXTS, LABELS, strict=True))]
    (tmp_path / "mail.csv").write_text("\n".join(["id,body,kind", *rows]) + "\n")
    path = study(tmp_path, 'file = "mail.csv"\ntarget = "kind"\ntext = "body"', PIPELINE)
    assert main(["plan", str(path)]) == 0
    text = said(capsys)
    assert "texts are taken as they are" in text
    assert "free text" not in text
    assert main(["run", str(path), "--quiet"]) == 0
    assert read_study(path).scores(tmp_path / "s.sqlite").value.mean() < 0.1
    wrong = study(tmp_path, 'file = "mail.csv"\ntarget = "kind"\ntext = "body"', 'path = "svm"\nprepare = "standard"')
    assert main(["plan", str(wrong)]) == 2
    assert "holds texts. Leave prepare out, and begin the pipeline with what reads them" in said(capsys)


def test_texts_in_a_list() -> None:
    learner = make_pipeline(CountVectorizer(), MultinomialNB())
    scores = Study({"mail": (TEXTS, LABELS)}, {"bayes": learner}, resampling=3).run()
    assert scores.value.mean() < 0.1
    assert as_task("m", (TEXTS, LABELS)).data_key() != as_task("m", ([*TEXTS[:-1], "other"], LABELS)).data_key()


# --- arrays of any rank -----------------------------------------------------------------------------------------------


def test_images_in_memory_and_in_files(tmp_path: Path) -> None:
    assert Study({"images": (PIXELS, LABELS)}, {"flat": Flat()}, resampling=3).run().value.max() == 0
    np.savez(tmp_path / "i.npz", X=PIXELS, y=np.array(LABELS))
    np.save(tmp_path / "x.npy", PIXELS)
    np.save(tmp_path / "y.npy", np.array(LABELS))
    (tmp_path / "flat_images.py").write_text(
        "from sklearn.pipeline import make_pipeline\nfrom sklearn.preprocessing import FunctionTransformer\n"
        "from sklearn.naive_bayes import GaussianNB\n"
        "def rows(X):\n    assert X.ndim == 3\n    return X.reshape(len(X), -1)\n"
        "def bayes():\n    return make_pipeline(FunctionTransformer(rows), GaussianNB())\n"
    )
    for task in ('file = "i.npz"', 'file = "x.npy"\ntarget_file = "y.npy"'):
        path = study(tmp_path, task, 'path = "flat_images.bayes"')
        assert main(["run", str(path), "--quiet"]) == 0
        assert read_study(path).scores(tmp_path / "s.sqlite").value.max() == 0
        assert read_study(path).tasks[0].load().X.dtype == np.uint8, "as they are in the file"


@pytest.mark.parametrize(
    ("arrays", "task", "complaint"),
    [
        (
            {"X": np.array([{}, {}], dtype=object), "y": np.zeros(2)},
            "",
            "which only pickle could read, and that may run code",
        ),
        ({"X": np.zeros((4, 2))}, "", "Which array is the target?"),
        (
            {"a": np.zeros((4, 2)), "b": np.zeros((4, 2)), "y": np.arange(4) % 2},
            "",
            "Which array holds the inputs? Call it X",
        ),
        ({"X": np.zeros((4, 2)), "y": np.arange(3) % 2}, "", "There are 4 rows of inputs, but 3 values of the target"),
        ({"X": np.full((4, 2, 2), np.nan), "y": np.arange(4) % 2}, "", "missing or infinite in the arrays"),
        (
            {"X": np.zeros((4, 2, 2)), "y": np.arange(4) % 2},
            'group = "g"',
            "group names a column, and the inputs are arrays",
        ),
    ],
)
def test_files_of_arrays_that_cannot_be_used(
    tmp_path: Path, arrays: dict[str, Any], task: str, complaint: str, capsys: Capture
) -> None:
    np.savez(tmp_path / "a.npz", **arrays)
    assert main(["plan", str(study(tmp_path, f'file = "a.npz"\n{task}', 'path = "tree"'))]) == 2
    assert complaint in said(capsys)


def test_what_is_no_file_of_numpys(tmp_path: Path, capsys: Capture) -> None:
    (tmp_path / "a.npy").write_text("nothing of the kind")
    assert main(["plan", str(study(tmp_path, 'file = "a.npy"', 'path = "tree"'))]) == 2
    text = said(capsys)
    assert "a.npy" in text
    assert "Traceback" not in text


# --- sparse matrices --------------------------------------------------------------------------------------------------


def test_sparse_matrices_stay_sparse(tmp_path: Path) -> None:
    matrix = sparse.csr_matrix(CountVectorizer().fit_transform(TEXTS), dtype=float)
    learners = {"bayes": MultinomialNB(), "line": "sklearn.linear_model.LogisticRegression"}
    scores = Study({"words": (matrix, LABELS)}, learners, resampling=3).run()
    dense = Study({"words": (matrix.toarray(), LABELS)}, learners, resampling=3).run()
    assert scores.value.mean() == pytest.approx(dense.value.mean(), abs=0.05)
    data = as_task("words", (matrix, LABELS)).load()
    assert (data.form, data.n, len(data.features)) == ("sparse", 60, matrix.shape[1])
    sparse.save_npz(tmp_path / "m.npz", matrix)
    np.save(tmp_path / "y.npy", np.array(LABELS))
    path = study(
        tmp_path, 'file = "m.npz"\ntarget_file = "y.npy"',
        'path = "logistic"\nprepare = "standard"\ntune = { C = [1, 10] }\ntuning = { folds = 2 }',
    )  # fmt: skip
    assert main(["run", str(path), "--quiet"]) == 0
    assert read_study(path).scores(tmp_path / "s.sqlite").value.mean() < 0.1


# --- weights ----------------------------------------------------------------------------------------------------------


def weighted(folder: Path, weights: Any = None) -> None:
    """Rows of weight zero say the opposite of the others."""
    rows = []
    for i in range(120):
        x, lies = i % 2, i % 3 > 0
        weight = (0 if lies else 1) if weights is None else weights
        rows.append(f"{x},{RNG.normal():.3f},{'ab'[x ^ lies]},{weight}")
    (folder / "w.csv").write_text("\n".join(["x,z,y,w", *rows]) + "\n")


WEIGHTED = 'file = "w.csv"\ntarget = "y"\nweight = "w"'


@pytest.mark.parametrize("more", ["", '\nprepare = "standard"', "\ntune = { max_depth = [1, 2] }"])
def test_rows_are_learned_from_by_their_weight(tmp_path: Path, more: str) -> None:
    weighted(tmp_path)
    path = study(tmp_path, WEIGHTED, f'path = "tree"\nparameters = {{ max_depth = 1 }}{more}')
    assert main(["run", str(path), "--quiet"]) == 0
    with_weights = read_study(path).scores(tmp_path / "s.sqlite").value
    assert with_weights.mean() == pytest.approx(2 / 3, abs=0.05), "the truth was learned, which two thirds of rows deny"
    data = read_study(path).tasks[0].load()
    assert data.features == ("x", "z")
    model = DecisionTreeClassifier(max_depth=1).fit(data.X, data.y, sample_weight=data.weights)
    assert (model.predict([[0, 0], [1, 0]]) == ["a", "b"]).all()


@pytest.mark.parametrize(("weight", "complaint"), [
    ("-1", "The weight is -1 here. A weight is a number that is not negative"),
    ("", "The weight is missing here"),
    ("0", "All weights are zero"),
    ("heavy", "Weights are numbers, but 'heavy' was found"),
])  # fmt: skip
def test_weights_that_are_none(tmp_path: Path, weight: str, complaint: str, capsys: Capture) -> None:
    weighted(tmp_path, weights=weight)
    assert main(["plan", str(study(tmp_path, WEIGHTED, 'path = "tree"'))]) == 2
    assert complaint in said(capsys)


def test_weights_in_python_and_learners_without() -> None:
    X, y = RNG.normal(size=(40, 2)), ["a", "b"] * 20
    task = as_task("mine", (X, y), weights=np.ones(40))
    scores = Study([task], {"line": LogisticRegression()}, resampling=2).run()
    assert len(scores) == 2
    with pytest.warns(FailedCellsWarning, match="takes no weights of rows"):
        Study([task], {"k": KNeighborsClassifier(), "line": LogisticRegression()}, resampling=2).run()
    with pytest.raises(BakeoffError, match="40 rows, but 39 weights"):
        as_task("mine", (X, y), weights=np.ones(39)).load()


def test_scores_weigh_rows_where_a_measure_says_so(tmp_path: Path, capsys: Capture) -> None:
    weighted(tmp_path)
    learner = 'path = "tree"\nparameters = { max_depth = 1 }'
    plain = study(tmp_path, WEIGHTED, learner)
    assert main(["plan", str(plain)]) == 0
    assert "rows are weighted when they are learned from and count alike in the scores" in said(capsys)
    measure = '{ name = "weighted error", measure = "error", weighted = true }'
    path = study(tmp_path, WEIGHTED, learner, f'measures = ["error", {measure}]')
    assert main(["plan", str(path)]) == 0
    assert "count alike in the scores" not in said(capsys)
    assert main(["run", str(path), "--quiet"]) == 0
    kept = read_study(path)
    scores = kept.scores(tmp_path / "s.sqlite")
    assert chosen(scores, measure="weighted error") == pytest.approx(0.0), "all that counts was learned"
    assert chosen(scores, measure="error").mean() == pytest.approx(2 / 3, abs=0.05)
    later = kept.scores(tmp_path / "s.sqlite", [{"name": "later", "measure": "accuracy", "weighted": True}])
    assert later.value == pytest.approx(1.0), "from stored predictions and stored weights"
    assert main(["judge", str(path), "--measure", "weighted error"]) in (0, 3)
    without = study(tmp_path, 'data = "iris"', learner, f"measures = [{measure}]")
    for command in ("plan", "run"):
        assert main([command, str(without)]) == 2
        assert "test rows are to count by their weights, and the task has none" in said(capsys)


# --- several targets --------------------------------------------------------------------------------------------------


def csv_columns(path: Path) -> dict[str, list[str]]:
    import csv

    with path.open(newline="") as file:
        rows = list(csv.DictReader(file))
    return {name: [row[name] for row in rows] for name in rows[0]}


def test_several_numbers_are_predicted_together(tmp_path: Path, capsys: Capture) -> None:
    path = study(
        tmp_path,
        'data = "iris"\ntarget = ["Sepal.Length", "Sepal.Width"]',
        'path = "linear"\n[[learner]]\nname = "svr"\npath = "sklearn.multioutput.MultiOutputRegressor"\n'
        'parameters = { estimator = { path = "sklearn.svm.SVR" } }\n[[learner]]\npath = "ridge"\n'
        "tune = { alpha = [0.1, 1] }",
        'measures = ["squared_error", "r2"]',
    )
    path.write_text(path.read_text().replace("scheme = 'cv', folds = 3", "scheme = 'hold-out'"))
    assert main(["plan", str(path)]) == 0
    text = said(capsys)
    assert "iris regression 150 3" in text, "neither of the targets is an input"
    assert "2 targets, predicted together; losses are means over them" in text
    assert main(["run", str(path), "--quiet", "-j", "2"]) == 0
    kept = read_study(path)
    data, store = kept.tasks[0].load(), tmp_path / "s.sqlite"
    with Reader(store) as stored:
        (test,) = {tuple(each.rows) for each in predictions(stored, kept.key)}
    learn = np.setdiff1d(np.arange(150), test)
    encoded = np.column_stack([data.X.iloc[:, :2], *(data.X["Species"] == name for name in data.X["Species"].unique())])
    model = LinearRegression().fit(encoded[learn], data.y[learn])
    expected = (model.predict(encoded[list(test)]) - data.y[list(test)]) ** 2
    scores = kept.scores(store)
    of_line = chosen(scores, learner="LinearRegression", measure="squared_error")
    assert of_line == pytest.approx([expected.mean()])
    rows = kept.scores(store, ["squared_error"], instances=True)
    by_row = chosen(rows, learner="LinearRegression")
    assert by_row == pytest.approx(expected.mean(axis=1)), "a loss for each test row, to be compared by"
    assert main(["judge", str(path)]) == 0
    assert "On 50 instances" in said(capsys)
    assert main(["scores", str(path), "--measure", "absolute_error"]) == 0, "after the run, from what was stored"
    assert main(["export", str(path), "-o", str(tmp_path / "out"), "--format", "csv"]) == 0
    columns = csv_columns(tmp_path / "out" / "predictions.csv")
    mine = [place for place, name in enumerate(columns["learner"]) if name == "LinearRegression"]
    assert [columns["target"][place] for place in mine[:2]] == ["Sepal.Length", "Sepal.Width"]
    given = np.array([[float(columns[name][place]) for place in mine] for name in ("truth", "prediction")])
    assert ((given[0] - given[1]) ** 2).mean() == pytest.approx(expected.mean())


def test_labels_are_predicted_together(tmp_path: Path, capsys: Capture) -> None:
    X, Y = make_multilabel_classification(90, 4, n_classes=3, random_state=3)
    names = ["news", "sport", "arts"]
    head, lines = ",".join(["a", "b", "c", "d", *names]), []
    for x, y in zip(X, Y, strict=True):
        lines.append(",".join([*map(str, x), *("yes" if label else "no" for label in y)]))
    (tmp_path / "l.csv").write_text("\n".join([head, *lines]) + "\n")
    others = ["forest", "knn", "mlp", "sklearn.multioutput.ClassifierChain", "sklearn.multiclass.OneVsRestClassifier"]
    inner = "parameters = { estimator = { path = 'logistic' } }".replace("logistic", LOGISTIC)
    learners = "\n[[learner]]\n".join(f'path = "{name}"\n{inner if "." in name else ""}' for name in others)
    tuned = 'path = "tree"\ntune = { max_depth = [1, 5] }\n[[learner]]\n'
    path = study(
        tmp_path, f'file = "l.csv"\ntarget = {names!r}', tuned + learners,
        'measures = ["hamming_loss", "error", "f1_macro", "f1_micro", "auc", "log_loss"]',
    )  # fmt: skip
    assert main(["run", str(path), "--quiet", "-j", "2"]) == 0, said(capsys)
    kept, store = read_study(path), tmp_path / "s.sqlite"
    scores = kept.scores(store)
    assert set(scores.learner.labels) >= {"ClassifierChain", "OneVsRestClassifier", "KNeighborsClassifier"}
    assert not np.isnan(scores.value).any()
    with Reader(store) as stored:
        first = next(each for each in predictions(stored, kept.key) if each.learner == "ClassifierChain")
        whole = truth(stored, 1)
    assert whole.classes == tuple(names)
    assert np.array_equal(whole.values, Y)
    learned = np.setdiff1d(np.arange(90), first.rows)
    model = ClassifierChain(LogisticRegression()).fit(X[learned], Y[learned])
    assert np.array_equal(first.prediction.values, model.predict(X[first.rows]))
    assert first.prediction.scores == pytest.approx(model.predict_proba(X[first.rows]))
    assert main(["judge", str(path)]) == 0
    assert "mean hamming_loss" in said(capsys)
    path.write_text(path.read_text().replace('path = "forest"', 'path = "logistic"'))
    assert main(["run", str(path), "--quiet"]) == 2
    text = said(capsys)
    assert (
        "LogisticRegression predicts one target, and 'l' has several that are predicted together. Put it into" in text
    )
    assert "sklearn.multioutput.MultiOutputClassifier" in text


def test_several_targets_in_python() -> None:
    X, Y = RNG.normal(size=(40, 3)), np.column_stack([RNG.integers(0, 2, 40), RNG.integers(0, 2, 40)])
    both = Study({"tags": (X, Y)}, {"tree": DecisionTreeClassifier(), "mine": Both()}, resampling=2, measures="error")
    assert (both.tasks[0].load().kind, both.tasks[0].load().targets) == ("multi-label", ("1", "2"))
    assert len(both.run()) == 4
    assert as_task("tags", (X, sparse.csr_matrix(Y))).load().key == as_task("tags", (X, Y)).load().key
    assert as_task("tags", (X, Y[:, ::-1])).load().key != as_task("tags", (X, Y)).load().key
    numbers = as_task("two", (X, Y + 0.5)).load()
    assert (numbers.kind, numbers.problem, numbers.codes) == ("regression", "regression of several targets", None)
    apart = Study(separate_tasks("tags", X, Y), {"bayes": GaussianNB()}, resampling=2)
    assert [task.name for task in apart.tasks] == ["tags: 1", "tags: 2"]
    assert len(apart.run()) == 4


class Both(ClassifierMixin, BaseEstimator):
    """Predicts two labels, and says nothing of it."""

    def fit(self, X: Any, y: Any) -> Both:
        self.fitted_ = True
        return self

    def predict(self, X: Any) -> Any:
        return np.zeros((len(X), 2), dtype=int)


class TwoOfThree(Both):
    def predict(self, X: Any) -> Any:
        return np.zeros((len(X), 3), dtype=int)


class Halves(Both):
    def predict(self, X: Any) -> Any:
        return np.full((len(X), 2), 0.5)


def test_answers_that_are_none() -> None:
    X, Y = RNG.normal(size=(40, 3)), np.column_stack([RNG.integers(0, 2, 40), RNG.integers(0, 2, 40)])
    with pytest.warns(FailedCellsWarning, match="invalid"):
        scores = Study({"tags": (X, Y)}, {"three": TwoOfThree(), "half": Halves()}, resampling=2).run()
    told = " ".join(scores.message.labels)
    assert "of shape (20, 2), a row for each test row and a column for each target; the learner gave one of" in told
    assert "a label applies (1) or does not (0), and the learner predicted 0.5" in told


def test_a_task_for_each_of_several_targets(tmp_path: Path, capsys: Capture) -> None:
    path = study(
        tmp_path,
        'data = "iris"\ntarget = ["Sepal.Length", "Sepal.Width"]\nseparate = true',
        'path = "ridge"',
        'measures = ["rmse"]',
    )
    assert main(["plan", str(path)]) == 0
    text = said(capsys)
    assert "iris: Sepal.Length regression 150 3" in text, "the other target is no input"
    assert "[shared-rows] 2 tasks are targets of the same rows (iris)" in text
    assert main(["run", str(path), "--quiet"]) == 0


@pytest.mark.parametrize(
    ("task", "complaint"),
    [
        ('target = ["Species", "Sepal.Length"]', "'Species' has 3 classes. Say separate = true"),
        ('target = "Species"\nseparate = true', "separate makes a task of each of several targets, and target is"),
        ('target = ["Species", "Sepal.Length"]\nseparate = 1', "separate is 1, but true or false was expected"),
        ('target = "Species"\nkind = "multi-label"', "target is 'Species' alone"),
        ('target = ["Sepal.Width", "Sepal.Length"]\npositive = "a"', "and there are several. Leave positive out"),
        ('target = ["Sepal.Width", "Sepal.Length"]\ngroup = "Sepal.Width"', "is both target and group"),
        ('target = ["Sepal.Width", "Sepal"]', "target names the column 'Sepal', which is not there"),
    ],
)
def test_targets_that_do_not_go_together(tmp_path: Path, task: str, complaint: str, capsys: Capture) -> None:
    assert main(["plan", str(study(tmp_path, f'data = "iris"\n{task}', 'path = "tree"'))]) == 2
    assert complaint in said(capsys)


@pytest.mark.parametrize("target", ['["Species"]', '["Species", "Species"]', "[1, 2]"])
def test_targets_that_are_none(tmp_path: Path, target: str, capsys: Capture) -> None:
    assert main(["plan", str(study(tmp_path, f'data = "iris"\ntarget = {target}', 'path = "tree"'))]) == 2
    assert "or of two or more of them, was expected" in said(capsys)


# --- large files ------------------------------------------------------------------------------------------------------


def table(n: int = 400) -> Any:
    import pandas as pd

    x = RNG.normal(size=(n, 3))
    x[::17, 1] = np.nan
    frame = pd.DataFrame(x, columns=["a", "b", "c"])
    return frame.assign(y=np.where(x[:, 0] + RNG.normal(size=n) > 0, "p", "q"), who=np.arange(n) // 4)


def test_parquet_beyond_memory_is_read_by_row_groups(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Capture
) -> None:
    frame = table()
    frame.to_parquet(tmp_path / "p.parquet", row_group_size=50)
    task = 'file = "p.parquet"\ntarget = "y"\ngroup = "who"'
    path = study(tmp_path, task, 'path = "tree"')
    whole = read_study(path)
    held = whole.run(store=tmp_path / "held.sqlite").value
    monkeypatch.setattr(sources, "MOST_BYTES", 1000)
    assert main(["plan", str(path)]) == 0
    text = said(capsys)
    assert "inputs stay in the file and are read by row groups (8 of them)" in text
    assert "missing numbers become the median" in text
    assert main(["run", str(path), "--quiet"]) == 0
    again = read_study(path)
    data = again.tasks[0].load()
    assert isinstance(data.X, ParquetRows)
    assert data.X.shape == (400, 3)
    rows = np.array([399, 0, 57, 57])
    assert np.array_equal(data.rows(rows)[0], frame[["a", "b", "c"]].to_numpy()[rows], equal_nan=True)
    assert again.scores(tmp_path / "s.sqlite").value.shape == held.shape
    for more, scheme in (('fold = "who"', "predefined"), ('bootstrap = "nonparametric"\nn = 60\nm = 40', "simulation")):
        other = study(tmp_path, f'file = "p.parquet"\ntarget = "y"\n{more}', 'path = "majority"')
        other.write_text(other.read_text().replace("'cv', folds = 3", f"'{scheme}'"))
        assert main(["plan", str(other)]) == 0, "all rows were read at once"
        assert f"resampling: {scheme}" in said(capsys)
    study(tmp_path, task, 'path = "tree"')
    texts = frame.assign(a="word")
    texts.to_parquet(tmp_path / "p.parquet")
    assert main(["plan", str(path)]) == 2
    assert "read by row groups, for which inputs must be numbers" in said(capsys)


def test_a_csv_file_above_20_mb_is_planned_as_any_other(tmp_path: Path, capsys: Capture) -> None:
    line = ",".join(["0.123456789"] * 20)
    rows = "\n".join(f"{line},{'ab'[i % 2]}" for i in range(90_000))
    (tmp_path / "large.csv").write_text(",".join([*(f"x{i}" for i in range(20)), "y"]) + "\n" + rows + "\n")
    assert (tmp_path / "large.csv").stat().st_size > 20_000_000
    assert main(["plan", str(study(tmp_path, 'file = "large.csv"\ntarget = "y"', 'path = "majority"'))]) == 0
    text = said(capsys)
    assert "large classification 90000 20 2 0 3" in text
    assert "cells: 3; 0 stored" in text
    assert "made by code" not in text
