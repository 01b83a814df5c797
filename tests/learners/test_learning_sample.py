"""Parts of learning samples and noise in them: nested, shared by all learners, and never in a test row."""

from __future__ import annotations

import itertools

import numpy as np
import pandas as pd
import pytest
from balance import followed_by, is_latin

from bakeoff.errors import UsageError
from bakeoff.learners.learner import DataInfo, Learner, LearningSample, Step, part_of, presented, with_noise
from bakeoff.study.factors import presentation

TRAIN = np.arange(10, 110, dtype=np.int32)
CLASSES = np.repeat([0, 1, 1, 1], 50)
INFO = DataInfo("made", "classification", 100, ("x", "y"), classes=("no", "yes", "maybe"))


def test_smaller_parts_lie_within_larger_ones_and_keep_proportions() -> None:
    parts = [part_of(TRAIN, LearningSample(size=size), CLASSES, None) for size in (0.1, 0.3, 50, 1.0)]
    assert [len(part) for part in parts] == [10, 30, 50, 100]
    for small, large in itertools.pairwise(parts):
        assert set(small) < set(large)
    share = (CLASSES[TRAIN] == 0).mean()
    for part in parts:
        assert abs((CLASSES[TRAIN[part]] == 0).sum() - share * len(part)) <= 1


def test_groups_are_taken_whole() -> None:
    groups = np.arange(200) // 7
    part = part_of(TRAIN, LearningSample(size=0.3), CLASSES, groups)
    chosen, rest = set(groups[TRAIN[part]]), set(groups[np.delete(TRAIN, part)])
    assert not chosen & rest
    assert 30 <= len(part) < 37


def test_another_split_has_another_part_and_the_same_split_the_same() -> None:
    first = part_of(TRAIN, LearningSample(size=0.3), None, None)
    assert (first == part_of(TRAIN, LearningSample(size=0.3), None, None)).all()
    assert set(first) != set(part_of(TRAIN + 1, LearningSample(size=0.3), None, None))


def test_more_rows_than_there_are_is_refused() -> None:
    with pytest.raises(UsageError, match="training size of 200 rows was asked for, and the learning sample has 100"):
        part_of(TRAIN, LearningSample(size=200), None, None)


def test_class_noise_is_wrong_nested_and_counted() -> None:
    y = np.array(["no", "yes"] * 50)
    X = np.zeros((100, 2))
    everything = np.arange(100)
    noisy = {
        rate: with_noise(X, y, TRAIN, everything, LearningSample(class_noise=rate), INFO)[1] for rate in (0.05, 0.2)
    }
    wrong = {rate: set(np.flatnonzero(labels != y)) for rate, labels in noisy.items()}
    assert {rate: len(rows) for rate, rows in wrong.items()} == {0.05: 5, 0.2: 20}
    assert wrong[0.05] < wrong[0.2]
    assert set(noisy[0.2]) <= {"no", "yes", "maybe"}
    assert (y == np.array(["no", "yes"] * 50)).all()  # what came in is not changed


def test_a_smaller_part_has_the_noise_of_the_larger_one() -> None:
    y = np.array(["no", "yes"] * 50)
    part = np.arange(0, 100, 2)
    whole = with_noise(np.zeros((100, 1)), y, TRAIN, np.arange(100), LearningSample(class_noise=0.2), INFO)[1]
    half = with_noise(np.zeros((50, 1)), y[part], TRAIN, part, LearningSample(class_noise=0.2), INFO)[1]
    both = (half != y[part]) & (whole[part] != y[part])
    assert (half[both] == whole[part][both]).all()
    assert both.sum() >= 5


@pytest.mark.parametrize("frame", [False, True])
def test_attribute_noise_replaces_values_by_others_of_the_same_input(frame: bool) -> None:
    X = np.column_stack([np.arange(100.0), 1000 + np.arange(100.0)])
    given = pd.DataFrame(X, columns=["x", "y"]) if frame else X
    spoiled, _ = with_noise(given, None, TRAIN, np.arange(100), LearningSample(attribute_noise=0.3), INFO)
    changed = np.asarray(spoiled) != X
    assert (changed.sum(axis=0) > 20).all()
    assert (changed.sum(axis=0) <= 30).all()
    assert set(np.asarray(spoiled)[:, 0]) <= set(X[:, 0])
    assert set(np.asarray(spoiled)[:, 1]) <= set(X[:, 1])
    assert np.asarray(given).tolist() == X.tolist()


def test_class_noise_is_for_classes() -> None:
    regression = DataInfo("made", "regression", 100, ("x",))
    with pytest.raises(UsageError, match="wrong class, and 'made' is a regression task"):
        with_noise(
            np.zeros((100, 1)), np.zeros(100), TRAIN, np.arange(100), LearningSample(class_noise=0.1), regression
        )


def test_the_whole_sample_without_noise_is_the_same_learner() -> None:
    plain = Learner("tree", steps=(Step("sklearn.tree.DecisionTreeClassifier"),))
    same = Learner("tree", steps=plain.steps, sample=LearningSample(size=1.0, class_noise=0.0))
    half = Learner("tree", steps=plain.steps, sample=LearningSample(size=0.5))
    assert plain.key == same.key
    assert half.key != plain.key
    assert half.describe()["sample"] == {"size": 0.5}


@pytest.mark.parametrize("k", [2, 4, 6])
def test_presentation_orders_are_counter_balanced(k: int) -> None:
    """Each part of the rows stands once at each place and follows each other part once; all rows are there."""
    rows = np.random.default_rng(3).permutation(60)
    orders = [presentation("ABCDEFGHIJKL"[i], k) for i in range(k)]
    part = rows // (60 // k)  # sorted as in the data
    seen = np.array([part[presented(rows, order)].reshape(k, -1) for order in orders])
    assert (seen == seen[:, :, :1]).all()  # parts are whole
    places = seen[:, :, 0]
    assert is_latin(places)
    assert (followed_by(places) == 1 - np.eye(k)).all()
    for order in orders:
        assert sorted(rows[presented(rows, order)]) == list(range(60))
