"""Texts, images, sparse matrices, weights, several targets, large files: from a study file or script to scores."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy import sparse
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.feature_extraction.text import CountVectorizer
from sklearn.linear_model import LogisticRegression
from sklearn.naive_bayes import GaussianNB, MultinomialNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.tree import DecisionTreeClassifier

from bakeoff import Study, as_task, read_study
from bakeoff.cli import main
from bakeoff.errors import BakeoffError, FailedCellsWarning
from bakeoff.tasks import sources
from bakeoff.tasks.arrays import ParquetRows

Capture = pytest.CaptureFixture[str]
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


# --- several targets --------------------------------------------------------------------------------------------------


def test_each_of_several_targets_is_a_task(tmp_path: Path, capsys: Capture) -> None:
    path = study(
        tmp_path, 'data = "iris"\ntarget = ["Sepal.Length", "Sepal.Width"]', 'path = "ridge"', 'measures = ["rmse"]'
    )
    assert main(["plan", str(path)]) == 0
    text = said(capsys)
    assert "iris: Sepal.Length regression 150 3" in text, "the other target is no input"
    assert "[shared-rows] 2 tasks are targets of the same rows (iris)" in text
    assert main(["run", str(path), "--quiet"]) == 0
    many = np.column_stack([RNG.integers(0, 2, 40), RNG.integers(0, 2, 40)])
    labels = Study({"tags": (RNG.normal(size=(40, 3)), many)}, {"bayes": GaussianNB()}, resampling=2)
    assert [task.name for task in labels.tasks] == ["tags: 1", "tags: 2"]
    assert len(labels.run()) == 4


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
