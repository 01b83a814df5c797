"""What a store holds of a study, of this version or of another."""

from __future__ import annotations

from pathlib import Path

import pytest

from bakeoff.stores.reader import Reader
from bakeoff.studies.file import read_study
from bakeoff.studies.stored import stored_already


@pytest.mark.parametrize(
    ("old", "new", "expected"),
    [
        ("", "", 6),
        ("from iris?", "from iris, really?", 6),
        ('["error", "fit_time"]', '["auc"]', 6),
        ('name = "bayes"', 'name = "Bayes"', 6),
        ("[resampling]", '[[learner]]\nname = "new"\npath = "a.B"\n[resampling]', 6),
        ("[resampling]", '[[task]]\ndata = "wine"\n[resampling]', 6),
        ("[resampling]", '[[task]]\nname = "made"\nloader = "no.such.function"\n[resampling]', 6),
        (
            '"sklearn.dummy.DummyClassifier"',
            '"sklearn.dummy.DummyClassifier"\nparameters = { strategy = "uniform" }',
            3,
        ),
        ("seed = 7", "seed = 8", 0),
        ("folds = 3", "folds = 4", 0),
        ('data = "iris"', 'data = "wine"', 0),
    ],
)
def test_cells_count_by_what_determines_them(
    finished_study: Path, tmp_path: Path, old: str, new: str, expected: int
) -> None:
    path = tmp_path / "changed.toml"
    text = finished_study.read_text()
    assert old in text
    path.write_text(text.replace(old, new, 1) if old else text)
    with Reader(finished_study.with_suffix(".sqlite")) as store:
        assert stored_already(read_study(path), store)[0] == expected
