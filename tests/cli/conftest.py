"""Files of scores that the commands are tried on."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from pathlib import Path

import pytest

from bakeoff.cli import main

DEMSAR = (
    "dataset,C4.5,C4.5+m,C4.5+cf\na,0.763,0.768,0.771\nb,0.599,0.591,0.59\nc,0.954,0.971,0.968\nd,0.628,0.661,0.654\n"
)


@pytest.fixture
def wide(tmp_path: Path) -> str:
    """Three learners on four tasks; the file does not name the measure."""
    path = tmp_path / "scores.csv"
    path.write_text(DEMSAR)
    return str(path)


@pytest.fixture
def folds(tmp_path: Path) -> str:
    """The same numbers as four folds of one task."""
    path = tmp_path / "folds.csv"
    path.write_text(DEMSAR.replace("dataset", "fold"))
    return str(path)


@pytest.fixture
def two_measures(tmp_path: Path) -> str:
    """A long table of two learners in six folds, by accuracy and by log loss."""
    path = tmp_path / "two.csv"
    path.write_text(
        "fold,learner,accuracy,logloss\n1,lda,0.71,0.61\n2,lda,0.74,0.55\n3,lda,0.69,0.66\n4,lda,0.78,0.52\n"
        "5,lda,0.72,0.59\n6,lda,0.75,0.58\n1,svm,0.76,0.57\n2,svm,0.73,0.56\n3,svm,0.77,0.54\n4,svm,0.81,0.53\n"
        "5,svm,0.70,0.55\n6,svm,0.79,0.49\n"
    )
    return str(path)


@pytest.fixture
def gap(tmp_path: Path) -> str:
    """As `wide`, but one learner has no value on one task."""
    path = tmp_path / "gap.csv"
    path.write_text(DEMSAR.replace("0.971", ""))
    return str(path)


@pytest.fixture
def compare(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> Callable[..., str]:
    """Write a file, compare it, and return what was said in one line; what is refused was refused in a sentence."""

    def written(header: str, rows: Iterable[Iterable[object]], *options: str) -> str:
        lines = [header, *(",".join(map(str, row)) for row in rows)]
        (tmp_path / "scores.csv").write_text("\n".join(lines) + "\n", encoding="utf-8")
        code = main(["compare", str(tmp_path / "scores.csv"), *options])
        out, err = capsys.readouterr()
        assert code in (0, 2, 3)
        assert bool(out) == (code == 0)
        return " ".join((out or err).split())

    return written
