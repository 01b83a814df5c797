from __future__ import annotations

import numpy as np
import pytest
import zoo

from bakeoff.contrasts import contrasts
from bakeoff.errors import UsageError
from bakeoff.judging.data import Data, data_for
from bakeoff.registry import explain, procedure_named
from bakeoff.scores import Blocks, Missing, Samples, layout

RNG = np.random.default_rng(4)


def given(name: str, k: int = 3) -> Data:
    card = explain(name)
    scores = zoo.scores_for(card, zoo.values_for(card, k, RNG))
    return data_for(procedure_named(name), scores, layout(scores, scores.measure.labels[0]), Missing.ERROR)


def test_paired_procedures_are_given_columns_that_share_blocks() -> None:
    values = RNG.random((6, 3))
    scores = zoo.table(values, kind="kfold")
    data = data_for(procedure_named("corrected-t"), scores, layout(scores), Missing.ERROR)
    assert isinstance(data.sheet, Blocks)
    assert data.n_blocks == 6
    first, second = data.columns(contrasts("all-pairs", scores.learners, range(3), None), 2)
    assert np.array_equal(first, values[:, 1])
    assert np.array_equal(second, values[:, 2])
    assert data.best_first == tuple(np.argsort(-values.mean(axis=0)))


def test_unpaired_procedures_are_given_samples() -> None:
    data = given("unpaired-t")
    assert isinstance(data.sheet, Samples)
    assert isinstance(data.table, list)
    family = contrasts(["ada + bob vs cyd"], data.sheet.learners, range(3), None)
    with pytest.raises(UsageError, match="share their blocks"):
        data.columns(family, 0)


def test_sizes_follow_the_samples_where_they_count() -> None:
    data = given("two-proportions")
    family = contrasts("all-pairs", data.sheet.learners, range(3), None)
    assert len(data.columns(family, 0)) == 4


def test_several_measures_make_a_third_axis() -> None:
    assert np.ndim(given("manova").table) == 3


def test_predictions_come_after_the_truth_and_have_no_averages() -> None:
    data = given("delong")
    pairs = contrasts("all-pairs", data.sheet.learners, range(3), None)
    truth, *_columns = data.columns(pairs, 0)
    assert set(truth) == {0.0, 1.0}
    assert data.measure.name == "auc"
    groups = contrasts(["ada + bob vs cyd"], data.sheet.learners, range(3), None)
    with pytest.raises(UsageError, match="no use for averages"):
        data.columns(groups, 0)


def test_folds_of_each_task_where_they_are_looked_at() -> None:
    data = given("bayes-hierarchical", 2)
    family = contrasts("all-pairs", data.sheet.learners, range(2), None)
    first, second = data.columns(family, 0)
    assert [len(folds) for folds in first] == [len(folds) for folds in second] == [5] * 6
