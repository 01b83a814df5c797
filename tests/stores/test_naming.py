"""Names of tasks and learners that a study does not know."""

from __future__ import annotations

from pathlib import Path

import pytest

from bakeoff.errors import UsageError
from bakeoff.stores.grid import study_grid
from bakeoff.stores.naming import check_names
from bakeoff.stores.reader import Reader
from bakeoff.studies.file import read_study


def test_unknown_names_are_refused_with_the_nearest(finished_study: Path) -> None:
    with Reader(finished_study.with_suffix(".sqlite")) as store:
        grid = study_grid(store, read_study(finished_study).key)
    check_names(grid, None, None)
    check_names(grid, ["iris"], ["bayes"])
    with pytest.raises(UsageError, match=r"no task 'irsi'\. Did you mean 'iris'"):
        check_names(grid, ["irsi"], None)
    with pytest.raises(UsageError, match=r"no learner 'bays'\. Did you mean 'bayes'"):
        check_names(grid, None, ["bays"])
