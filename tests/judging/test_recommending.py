"""The procedure that is meant where none is named."""

from __future__ import annotations

import numpy as np
import pytest
import zoo

from bakeoff.errors import MisfitError
from bakeoff.judging import advise
from bakeoff.judging.recommending import recommended
from bakeoff.registry import procedure_named

FOLDS = zoo.table(np.random.default_rng(2).random((8, 3)), kind="kfold")


def test_the_advisors_choice() -> None:
    assert recommended(FOLDS, None, None, "error") == advise(FOLDS).recommended
    assert recommended(FOLDS, "accuracy", "resamples", "error", anyway=True) == advise(FOLDS).recommended


@pytest.mark.parametrize(
    "asked", [{"margin": 0.1}, {"control": "ada"}, {"contrast": "ada vs bob"}, {"alternative": "better"}]
)
def test_what_needs_an_interval_gets_one(asked: dict[str, object]) -> None:
    assert procedure_named(recommended(FOLDS, None, None, "error", **asked)).card.intervals  # type: ignore[arg-type]


def test_where_nothing_fits_every_reason_is_said() -> None:
    single = zoo.table(np.array([[0.5, 0.6]]), kind="kfold")
    with pytest.raises(MisfitError, match="No procedure can judge the zoo"):
        recommended(single, None, None, "error")
