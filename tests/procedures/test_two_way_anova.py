"""Two-way analysis of variance: R's types 2 and 3, its limits, empty cells, bad input."""

from __future__ import annotations

from math import inf, nan
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bakeoff.errors import DegenerateError, MisfitError, UsageError
from bakeoff.judging import analyse
from bakeoff.measures import known_measure
from bakeoff.procedures.anova import anova, two_way_anova
from bakeoff.scores import Scores, unpaired


def by_regression(y: np.ndarray, a: np.ndarray, b: np.ndarray, ss_type: str) -> dict[str, float]:
    """Sums of squares as differences between fits with effect coding, written out."""

    def coded(labels: np.ndarray) -> np.ndarray:
        levels, code = np.unique(labels, return_inverse=True)
        return np.vstack([np.eye(len(levels) - 1), -np.ones(len(levels) - 1)])[code]

    one, two, base = coded(a), coded(b), np.ones((len(y), 1))
    both = (one[:, :, None] * two[:, None, :]).reshape(len(y), -1)

    def left(*columns: np.ndarray) -> float:
        X = np.hstack([base, *columns])
        return float(np.sum((y - X @ np.linalg.lstsq(X, y, rcond=None)[0]) ** 2))

    kept = [both] if ss_type == "3" else []
    before = [] if ss_type == "1" else [two]
    return {
        "learner": left(*before, *kept) - left(one, *before, *kept),
        "task": left(one, *kept) - left(one, two, *kept),
        "learner × task": left(one, two) - left(one, two, both),
        "error": left(one, two, both),
    }


@settings(max_examples=40)
@given(
    seed=st.integers(0, 10**6), shape=st.tuples(st.integers(2, 4), st.integers(2, 5)), ss_type=st.sampled_from("123")
)
def test_unequal_cells_against_plain_regression(seed: int, shape: tuple[int, int], ss_type: str) -> None:
    rng = np.random.default_rng(seed)
    counts = rng.integers(1, 5, shape)
    counts[0, 0] = 3
    a, b = (np.repeat(index.ravel(), counts.ravel()) for index in np.indices(shape))
    order = rng.permutation(len(a))
    a, b = a[order], b[order]
    y = rng.normal(size=len(a)) + a + 0.3 * a * b
    effects = two_way_anova(y, a, b, ss_type=ss_type).details["effects"]
    for name, ss in by_regression(y, a, b, ss_type).items():
        assert effects[name][0] == pytest.approx(ss, rel=1e-7, abs=1e-9)


def test_equal_cells_have_one_answer() -> None:
    rng = np.random.default_rng(1)
    a, b, _ = (index.ravel() for index in np.indices((3, 4, 5)))
    y = rng.normal(size=60)
    two, three = (two_way_anova(y, a, b, ss_type=kind).details["effects"] for kind in "23")
    for name in two:
        assert two[name] == pytest.approx(three[name], rel=1e-9, nan_ok=True)


def test_without_interaction_it_joins_the_error() -> None:
    rng = np.random.default_rng(2)
    a, b, _ = (index.ravel() for index in np.indices((3, 4, 2)))
    y = rng.normal(size=24)
    full = two_way_anova(y, a, b).details["effects"]
    short = two_way_anova(y, a, b, interaction=False).details["effects"]
    assert short["error"][0] == pytest.approx(full["error"][0] + full["learner × task"][0])
    assert short["error"][1] == 24 - 3 - 4 + 1
    assert short["learner"][0] == pytest.approx(full["learner"][0])


def test_one_value_a_cell_without_interaction() -> None:
    """The error is then the interaction, as in a block design."""
    from bakeoff.procedures.anova import FOLDS, rm_anova

    table = np.array(FOLDS)
    fold, learner = (index.ravel() for index in np.indices(table.shape))
    found = two_way_anova(table.ravel(), learner, fold, interaction=False).details["effects"]["learner"]
    assert found[3] == pytest.approx(rm_anova(FOLDS).tests[0].statistic, rel=1e-9)


def test_names_and_their_order_do_not_matter() -> None:
    rng = np.random.default_rng(3)
    a, b = rng.integers(0, 3, 60), rng.integers(0, 2, 60)
    y = rng.normal(size=60)
    plain = two_way_anova(y, a, b, ss_type="3")
    renamed = two_way_anova(y, np.array(["z", "m", "a"])[a], b, ss_type="3")
    assert [test.p for test in plain.tests] == [test.p for test in renamed.tests]


def test_empty_cells_are_refused_with_an_interaction() -> None:
    y, a, b = [1.0, 2, 3, 4, 5, 7], list("aabbbb"), list("uvuuuu")
    with pytest.raises(DegenerateError, match="1 of 4"):
        two_way_anova(y, a, b)
    assert two_way_anova(y, a, b, interaction=False).details["effects"]["error"][1] == 3


def test_confounded_factors_are_refused() -> None:
    with pytest.raises(DegenerateError, match="of its own"):
        two_way_anova([1.0, 2, 3, 5], list("aabb"), list("uuvv"), interaction=False)


def test_one_value_a_cell_leaves_no_error() -> None:
    with pytest.raises(DegenerateError, match="as many values as combinations"):
        two_way_anova([1.0, 2, 3, 5], list("aabb"), list("uvuv"))


def test_nothing_varies() -> None:
    a, b, _ = (index.ravel() for index in np.indices((2, 3, 2)))
    same = two_way_anova(np.full(12, 0.1), a, b)
    assert [(test.statistic, test.p) for test in same.tests] == [(0.0, 1.0)] * 2
    apart = two_way_anova(a * 1.0, a, b)
    assert [(test.statistic, test.p) for test in apart.tests] == [(inf, 0.0), (0.0, 1.0)]


def test_nan_is_left_out() -> None:
    a, b, _ = (index.ravel() for index in np.indices((2, 2, 3)))
    y = np.arange(12.0) ** 1.5
    kept = np.arange(12) != 4
    with_hole = np.where(kept, y, nan)
    assert two_way_anova(with_hole, a, b).tests == two_way_anova(y[kept], a[kept], b[kept]).tests


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (([1, 2], ["a"], ["u", "v"]), "needs a label of both"),
        ((["x", "y"], ["a", "b"], ["u", "v"]), "column of numbers"),
        (([1, 2, 3], ["a", "a", "a"], ["u", "v", "u"]), "learner has 1"),
        (([1, 2, inf], ["a", "a", "b"], ["u", "v", "u"]), "finite"),
    ],
)
def test_bad_input_is_refused(arguments: Any, sentence: str) -> None:
    with pytest.raises(UsageError, match=sentence):
        two_way_anova(*arguments)
    with pytest.raises(UsageError, match="no ss_type"):
        two_way_anova([1, 2], ["a", "b"], ["u", "v"], ss_type="4")


def test_without_task_effects_it_resembles_one_way() -> None:
    rng = np.random.default_rng(4)
    a, b, _ = (index.ravel() for index in np.indices((3, 2, 400)))
    y = rng.normal(size=2400) + 0.05 * a
    one = anova([y[a == level] for level in range(3)]).tests[0].statistic
    assert two_way_anova(y, a, b).details["effects"]["learner"][3] == pytest.approx(one, rel=0.01)


def test_through_a_table_of_scores() -> None:
    rng = np.random.default_rng(5)
    rows = [(f"l{j}", f"t{t}", str(f), rng.normal() + j) for j in range(3) for t in range(4) for f in range(5)]
    learner, task, fold, value = zip(*rows, strict=True)
    known = known_measure("error")
    assert known is not None
    scores = Scores.of(value, learner=learner, task=task, fold=fold, measures={"error": known})
    with pytest.raises(MisfitError, match="share their blocks"):
        analyse(scores, "two-way-anova")
    found = analyse(unpaired(scores), "two-way-anova", ss_type="3")
    assert [row.contrast for row in found.rows] == ["learner: no effect", "learner × task: no effect"]
    assert found.rows[0].df == (2.0, 48.0)
    assert "type 3" in found.to_text()


def test_labels_may_be_anything() -> None:
    y = [1, 3, 5, 7, 2, 4, 9, 9]
    words = two_way_anova(y, list("aaaabbbb"), list("uuvvuuvv"))
    other = two_way_anova(y, [None, None, None, None, 1, 1, 1, 1], np.array([2, 2, 3, 3, 2, 2, 3, 3]))
    assert [t.p for t in words.tests] == [t.p for t in other.tests]
    with pytest.raises(UsageError, match="8 values, 1 labels"):
        two_way_anova(y, None, list("uuvvuuvv"))  # type: ignore[arg-type]
