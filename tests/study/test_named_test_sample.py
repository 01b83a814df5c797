"""A test sample that a task names is never learned from and never resampled, whatever the scheme."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from bakeoff import Study, as_task, read_study
from bakeoff.cli import main
from bakeoff.errors import UsageError
from bakeoff.resampling import SCHEMES
from bakeoff.store.reader import Reader
from bakeoff.study.prepare import splits_for

Capture = pytest.CaptureFixture[str]

STUDY = """\
measures = ["error"]
resampling = {{ scheme = "{scheme}" }}
[[task]]
file = "train.csv"
target = "y"
{sample}
[[learner]]
path = "sklearn.naive_bayes.GaussianNB"
[[learner]]
path = "sklearn.dummy.DummyClassifier"
"""
RNG = np.random.default_rng(3)


def write(folder: Path, scheme: str, sample: str) -> Path:
    for name, rows in (("train.csv", 60), ("test.csv", 30)):
        lines = [f"{RNG.normal():.4f},{RNG.normal():.4f},{'ab'[i % 2]}" for i in range(rows)]
        (folder / name).write_text("\n".join(["u,v,y", *lines]) + "\n")
    path = folder / "study.toml"
    path.write_text(STUDY.format(scheme=scheme, sample=sample))
    return path


WITHOUT_A_PLACE = [name for name, kind in SCHEMES.items() if not kind.needs_given_test and not kind.needs_draws]


@pytest.mark.parametrize("sample", ['test_file = "test.csv"', "test_rows = 20"])
@pytest.mark.parametrize("scheme", ["hold-out", "cross-validation", "out-of-bootstrap"])
@pytest.mark.parametrize("command", ["plan", "run"])
def test_a_scheme_without_a_place_for_it_is_refused_with_those_that_have_one(
    tmp_path: Path, scheme: str, sample: str, command: str, capsys: Capture
) -> None:
    path = write(tmp_path, scheme, sample)
    assert main([command, str(path)]) == 2
    said = " ".join(capsys.readouterr().err.split())
    assert "'train' names a test sample of" in said
    assert f"the scheme '{scheme}' has no place for it" in said
    assert all(f"'{name}'" in said for name in ("given", "competition"))
    assert "pool = true" in said
    assert not path.with_suffix(".sqlite").exists()


@pytest.mark.parametrize("scheme", WITHOUT_A_PLACE)
def test_no_scheme_resamples_it_by_itself(scheme: str) -> None:
    rows = np.arange(80.0).reshape(40, 2)
    task = as_task("mine", (rows, ["a", "b"] * 20), test_rows=10)
    with pytest.raises(UsageError, match="never learned from and never resampled"):
        splits_for(Study([task], ["x.A"], resampling=scheme), task.load())


@pytest.mark.parametrize("scheme", ["given", "competition"])
def test_where_there_is_a_place_it_is_tested_on_and_nothing_else_is(tmp_path: Path, scheme: str) -> None:
    path = write(tmp_path, scheme, 'test_file = "test.csv"')
    assert main(["run", str(path), "--quiet"]) == 0
    with Reader(path.with_suffix(".sqlite")) as store:
        for split_id in range(1, 2 if scheme == "given" else 101):
            split = store.split_rows(split_id)
            assert split.test.tolist() == list(range(60, 90))
            assert split.train.max() < 60


def test_pooling_is_a_word_of_its_own_and_is_told(tmp_path: Path, capsys: Capture) -> None:
    path = write(tmp_path, "cross-validation", 'test_file = "test.csv"\npool = true')
    assert main(["plan", str(path)]) == 0
    said = capsys.readouterr().out
    assert "the 30 rows of the test sample are pooled with the others, as you said (pool)" in " ".join(said.split())
    assert read_study(path).tasks[0].load().n == 90
    plain = path.read_text().replace("pool = true\n", "")
    path.with_name("plain.toml").write_text(plain)
    # What was pooled without a word before has its results found again under that word.
    assert read_study(path).tasks[0].data_key() == read_study(path.with_name("plain.toml")).tasks[0].data_key()


@pytest.mark.parametrize(
    ("sample", "complaint"),
    [("pool = true", "and it has none"), ('test_rows = 5\npool = "yes"', "true or false was expected")],
)
def test_pooling_nothing_is_refused(tmp_path: Path, sample: str, complaint: str, capsys: Capture) -> None:
    assert main(["plan", str(write(tmp_path, "cross-validation", sample))]) == 2
    assert complaint in " ".join(capsys.readouterr().err.split())
