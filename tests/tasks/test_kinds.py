"""Classification or regression: the rule at its edges."""

from __future__ import annotations

import numpy as np
import pytest

from bakeoff.tasks.dataset import Kind
from bakeoff.tasks.kinds import kind_of
from bakeoff.tasks.table import Categories


@pytest.mark.parametrize(
    ("target", "kind"),
    [
        (np.array([0.0, 1.0]), Kind.CLASSIFICATION),
        (np.array([7, 1200, 7]), Kind.CLASSIFICATION),
        (np.array([0.0, 1.0, 2.0]), Kind.REGRESSION),  # three numbers in three rows
        (np.repeat(np.arange(3.0), 5), Kind.CLASSIFICATION),
        (np.repeat(np.arange(3.0), 5)[:-1], Kind.REGRESSION),
        (np.repeat(np.arange(20), 5), Kind.CLASSIFICATION),
        (np.repeat(np.arange(21), 50), Kind.REGRESSION),
        (np.tile([0.5, 1.0], 50), Kind.REGRESSION),
        (np.array([True, False]), Kind.CLASSIFICATION),
        (np.array(["a", "b"]), Kind.CLASSIFICATION),
        (Categories(("1.5", "2.5"), np.array([0, 1])), Kind.CLASSIFICATION),
    ],
)
def test_the_rule(target: object, kind: Kind) -> None:
    found, reason = kind_of(target)  # type: ignore[arg-type]
    assert found is kind
    assert reason.startswith(f"{kind.value}, because the target holds")


def test_a_guess_from_whole_numbers_says_how_to_overrule_it() -> None:
    assert "kind = 'regression' overrules" in kind_of(np.repeat([1, 2, 3], 9))[1]
    assert "kind = 'classification' overrules" in kind_of(np.arange(99))[1]
