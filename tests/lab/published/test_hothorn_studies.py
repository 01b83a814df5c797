"""The applications as studies: what is compared on what, and how large."""

from __future__ import annotations

import pytest

from bakeoff.lab.published import hothorn_studies as studies
from bakeoff.lab.published.hothorn_studies import CV, FULL, OOB, Performances, Size

SMALL = Size(oob=3, cv=2, trees=4)


def parameters(study: object, name: str) -> dict[str, object]:
    learner = next(one for one in study.learners if one.name == name)  # type: ignore[attr-defined]
    return dict(learner.steps[-1].parameters)


def test_node_sizes_are_those_of_r_and_beside_them_of_leaves() -> None:
    made = studies.boston(OOB, FULL, seed=1)
    assert [one.name for one in made.learners] == ["1 %", "5 %", "10 %", "10 %, leaves"]
    assert parameters(made, "10 %") == {"n_estimators": 250, "max_features": 4, "min_samples_split": 32}
    assert parameters(made, "10 %, leaves") == {"n_estimators": 250, "max_features": 4, "min_samples_leaf": 50}
    assert made.resampling.describe()["repeats"] == 250
    assert made.measure_names == ("q95",)


def test_cross_validation_is_that_of_bootstrap_samples() -> None:
    for made in (studies.boston(CV, SMALL, 1), studies.ionosphere(CV, SMALL, 1)):
        told = made.resampling.describe()
        assert (told["scheme"], told["folds"], told["repeats"]) == ("bootstrap-cv", 5, 2)
        assert len(made.learners) == 3


def test_ensembles_have_as_many_trees_as_asked_for_and_the_svm_is_tuned_inside() -> None:
    made = studies.breast_cancer(FULL, 1)
    assert [one.name for one in made.learners] == ["sLDA", "SVM", "forest", "bundling"]
    assert parameters(made, "forest")["n_estimators"] == parameters(made, "bundling")["n_estimators"] == 250
    svm = made.learners[1]
    assert svm.prepare == "standard"
    assert svm.tuning is not None
    assert set(svm.tuning.grid) == {"C", "gamma"}


@pytest.mark.parametrize("seed", [1, 2])
def test_the_seed_is_part_of_the_study(seed: int) -> None:
    assert studies.breast_cancer(SMALL, seed).key == studies.breast_cancer(SMALL, seed).key
    assert studies.breast_cancer(SMALL, seed).key != studies.breast_cancer(SMALL, seed + 1).key


def test_some_of_the_learners() -> None:
    import numpy as np

    found = Performances(("a", "b", "c"), np.arange(6.0).reshape(2, 3)).of("c", "a")
    assert found.learners == ("c", "a")
    assert found.values.tolist() == [[2, 0], [5, 3]]
