"""Multivariate analysis of variance: R's values, its limits, blocks, dependent measures, bad input."""

from __future__ import annotations

from math import nan
from typing import Any

import numpy as np
import pytest

from bakeoff.errors import DegenerateError, MisfitError, UsageError
from bakeoff.judging import analyse
from bakeoff.mathematics.multivariate import manova_blocks, manova_groups
from bakeoff.measures import known_measure
from bakeoff.procedures.anova import anova, rm_anova
from bakeoff.procedures.manova import hotelling, manova
from bakeoff.scores import Scores

Y = np.array(
    [[0.717, 0.669], [-0.042, 1.665], [1.391, 0.456], [1.096, 0.4], [2.636, 0.717], [1.689, 2.541], [-0.281, 1.165],
     [0.787, 2.308], [2.897, 2.288], [2.777, 1.593], [2.067, 1.217], [1.516, 2.756], [1.883, 2.41], [1.455, 0.572],
     [1.534, 2.74]]
)  # fmt: skip
GROUP = [1] * 4 + [2] * 6 + [3] * 5


def cube(seed: int, n: int = 8, k: int = 3, p: int = 2) -> np.ndarray:
    rng = np.random.default_rng(seed)
    return rng.normal(size=(n, k, p)) + rng.normal(size=(n, 1, p))


def test_one_measure_is_the_analysis_of_variance() -> None:
    found = manova_groups(Y[:, :1], GROUP)
    plain = anova([Y[np.array(GROUP) == g, 0] for g in (1, 2, 3)]).tests[0]
    for test in found.tests:
        assert test.f == pytest.approx(plain.statistic, rel=1e-9)
        assert test.p == pytest.approx(plain.p, rel=1e-9)
    table = cube(1, p=1)
    assert manova_blocks(table).tests[0].f == pytest.approx(rm_anova(table[:, :, 0]).tests[0].statistic, rel=1e-9)


@pytest.mark.parametrize("seed", range(4))
def test_two_learners_in_blocks_are_hotelling(seed: int) -> None:
    table = cube(seed, k=2, p=3)
    plain = hotelling(table[:, 0], table[:, 1])
    many = manova(table)
    for test in many.tests[:4]:
        assert test.p == pytest.approx(plain.p, rel=1e-8)
    assert many.decided is not None
    assert many.decided.statistic is not None
    assert many.decided.statistic[0, 1] == pytest.approx(plain.statistic, rel=1e-8)
    assert many.decided.p[0, 1] == pytest.approx(plain.p, rel=1e-8)
    direction, w = many.details["eigenvectors"][:, 0], plain.details["w"]
    assert direction / np.linalg.norm(direction) == pytest.approx(
        np.sign(direction @ w) * w / np.linalg.norm(w), rel=1e-6
    )


def test_blocks_are_taken_off_and_left_in() -> None:
    table = cube(5)
    shifted = table + 30 * np.random.default_rng(6).normal(size=(8, 1, 2))
    blocks, independent = (manova(shifted, design=design).tests[0].p for design in ("blocks", "independent"))
    assert blocks == pytest.approx(manova(table).tests[0].p, rel=1e-9)
    assert independent > 0.9
    groups = manova_groups(table.reshape(-1, 2), np.tile([0, 1, 2], 8))
    assert manova(table, design="independent").tests[0].p == pytest.approx(groups.tests[0].p)


def test_follow_ups() -> None:
    table = cube(6)
    many = manova(table, measures=("auc", "f1"))
    each = [test for test in many.tests if test.about]
    assert [test.about for test in each] == ["all learners alike in auc", "all learners alike in f1"]
    for j, test in enumerate(each):
        assert test.statistic == pytest.approx(rm_anova(table[:, :, j]).tests[0].statistic, rel=1e-9)
        assert test.p <= test.p_adjusted <= 1


def counts(seed: int) -> np.ndarray:
    """tp, fp, fn, tn of folds with 50 positives and 50 negatives."""
    rng = np.random.default_rng(seed)
    tp, fp = rng.integers(35, 45, (10, 3)), rng.integers(3, 9, (10, 3))
    return np.stack([tp, fp, 50 - tp, 50 - fp], axis=-1).astype(float)


def test_fixed_class_sizes_are_refused_with_measures_to_keep() -> None:
    names = ("tp", "fp", "fn", "tn")
    with pytest.raises(DegenerateError) as refusal:
        manova(counts(1), measures=names)
    assert "vary in 2 directions only" in str(refusal.value)
    assert refusal.value.alternatives[0].endswith(": tp, fp")
    reduced = manova(counts(1), measures=names, reduce="yes")
    assert reduced.details["measures"] == ("tp", "fp")
    assert reduced.tests[0].p == pytest.approx(manova(counts(1)[..., :2]).tests[0].p, rel=1e-9)


def test_nearly_dependent_measures_are_data() -> None:
    rng = np.random.default_rng(7)
    table = cube(8, p=2)
    close = np.concatenate([table, table[..., :1] + 1e-7 * rng.normal(size=(8, 3, 1))], axis=-1)
    straight = np.concatenate([table, rng.normal(size=(8, 3, 1))], axis=-1)
    assert 0 < manova(close).tests[0].p < 1
    assert 0 < manova(straight).tests[0].p < 1


def test_the_same_values_everywhere() -> None:
    one = cube(9, k=1)
    with pytest.raises(MisfitError):
        manova(np.repeat(one, 3, axis=1))
    independent = manova(np.repeat(one, 3, axis=1), design="independent")
    assert [test.p for test in independent.tests] == [1.0] * 6


@pytest.mark.parametrize(
    ("table", "sentence"),
    [
        (np.zeros((1, 2, 2)), "at least two blocks"),
        (np.zeros((3, 1, 2)), "two learners"),
        (np.zeros((3, 2)), "shape"),
        ([[["x", "y"]] * 2] * 3, "array of numbers"),
        (np.full((3, 2, 2), nan), "finite"),
    ],
)
def test_bad_tables_are_refused(table: Any, sentence: str) -> None:
    with pytest.raises(UsageError, match=sentence):
        manova(table)


def test_a_bad_design_is_refused() -> None:
    with pytest.raises(UsageError, match="no design"):
        manova(cube(1), design="nested")


def test_too_few_blocks_for_the_measures() -> None:
    with pytest.raises(MisfitError):
        manova(cube(2, n=2, k=2, p=3))


def test_through_a_table_of_scores() -> None:
    values = cube(10)
    names = ("auc", "f1")
    rows = [
        (f"l{j}", str(i), name, values[i, j, m]) for i in range(8) for j in range(3) for m, name in enumerate(names)
    ]
    learner, fold, measure, value = zip(*rows, strict=True)
    known = {name: known_measure(name) for name in names}
    scores = Scores.of(value, learner=learner, fold=fold, measure=measure, measures=known)  # type: ignore[arg-type]
    found = analyse(scores, "manova")
    assert len(found.tests) == 6
    assert len(found.pairs) == 3
    assert found.pairs[0].statistic_name == "T²"
    assert found.pairs[0].df == (2.0, 13.0)
    assert "directions that separate the learners:" in found.to_text()
    assert found.to_dict()["details"]["eigenvalues"]
