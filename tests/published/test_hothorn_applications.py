"""The applications: at reduced size beside the document, from stored performances of R, and with broken protocols."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from bakeoff.published import hothorn_applications
from bakeoff.published.comparison import Agreement, Cell, PublishedComparison, Reproduction
from bakeoff.published.hothorn_applications import (
    CV,
    FULL,
    NONE_FOUND,
    OOB,
    Performances,
    Size,
    compare_boston,
    compare_breast_cancer,
)

R_FORESTS = Path(__file__).parent / "data" / "boston_oob_random_forest.csv"
NODE_SIZES = tuple(hothorn_applications.NODE_SIZES)


def cell_of(made: PublishedComparison, row: str, column: str = OOB) -> tuple[Cell, Agreement]:
    found = zip(made.cells, made.agreements, strict=True)
    return next((cell, how) for cell, how in found if (cell.row, cell.column) == (row, column))


def errors(means: dict[str, float], samples: int, noise: float = 0.003) -> Performances:
    """Made-up error rates that share the difficulty of each sample."""
    rng = np.random.default_rng(5)
    shared = 0.01 * rng.standard_normal((samples, 1))
    return Performances(
        tuple(means), shared + list(means.values()) + noise * rng.standard_normal((samples, len(means)))
    )


# --- Boston Housing ---------------------------------------------------------------------------------------------------


def test_forests_of_r_have_the_documents_means_but_not_its_t_star() -> None:
    values = np.loadtxt(R_FORESTS, delimiter=",", skiprows=1)
    made = compare_boston({OOB: Performances(NODE_SIZES, values)}, FULL)
    assert cell_of(made, "mean, node size 1 %")[1] is Agreement.SIMULATION
    assert cell_of(made, "mean, node size 10 %")[1] is Agreement.SIMULATION
    cell, how = cell_of(made, "t*")
    assert cell.ours == pytest.approx(0.0079, abs=5e-5)  # ERRATA: what R's forest gives
    assert how is Agreement.DIFFERS
    assert cell_of(made, "P of t*")[0].ours == "< 0.001"
    assert made.status is Reproduction.NOT_REPRODUCED
    assert made.full


def test_t_star_is_scaled_to_the_documents_number_of_samples() -> None:
    values = np.loadtxt(R_FORESTS, delimiter=",", skiprows=1)
    whole = hothorn_applications.scaled_t_star(values)
    parts = [hothorn_applications.scaled_t_star(values[start : start + 50]) for start in range(0, 250, 50)]
    assert np.mean(parts) == pytest.approx(whole, rel=0.25)


def test_small_trees_exchanged_with_large_ones_are_noticed() -> None:
    values = np.loadtxt(R_FORESTS, delimiter=",", skiprows=1)
    made = compare_boston({OOB: Performances(NODE_SIZES, values[:, ::-1])}, FULL)
    assert cell_of(made, "mean, node size 1 %")[1] is Agreement.DIFFERS
    assert cell_of(made, "mean, node size 10 %")[1] is Agreement.DIFFERS


def test_boston_at_reduced_size_and_with_the_node_size_read_as_that_of_leaves() -> None:
    """Twelve samples and small forests: within the band; leaves of at least 10 % give far larger errors."""
    size = Size(oob=12, cv=0, trees=25)
    drawn = hothorn_applications.draw(hothorn_applications.boston_study(OOB, size, seed=1), 1, None)
    made = compare_boston({OOB: drawn}, size)
    assert cell_of(made, "mean, node size 1 %")[1] is Agreement.SIMULATION
    assert cell_of(made, "mean, node size 10 %")[1] is Agreement.SIMULATION
    assert cell_of(made, "mean, node size 10 %, leaves")[1] is Agreement.UNPRINTED
    broken = Performances(("1 %", "5 %", "10 %"), drawn.of("1 %", "5 %", "10 %, leaves").values)
    assert cell_of(compare_boston({OOB: broken}, size), "mean, node size 10 %")[1] is Agreement.DIFFERS
    assert [panel.heading for panel in made.figure.panels] == [OOB]  # type: ignore[union-attr]


# --- Ionosphere -------------------------------------------------------------------------------------------------------

AS_PRINTED = {"SVM": 0.055, "forest": 0.0706, "bundling": 0.0700}


def ionosphere(oob: dict[str, float], cv: dict[str, float], samples: int) -> PublishedComparison:
    size = FULL if samples == 250 else Size(samples, samples, 50)
    return hothorn_applications.compare_ionosphere({OOB: errors(oob, samples), CV: errors(cv, samples)}, size)


def test_decisions_as_the_document_has_them() -> None:
    made = ionosphere({**AS_PRINTED, "bundling": 0.068}, {**AS_PRINTED, "bundling": 0.0706}, 250)
    assert made.status is Reproduction.REPRODUCED, made.to_text()
    assert cell_of(made, "forest – bundling", OOB)[0].ours == "bundling better"
    assert cell_of(made, "forest – bundling", CV)[0].ours == NONE_FOUND
    assert "the document's 0.063" in cell_of(made, "forest – bundling", CV)[0].note


def test_another_order_is_noticed() -> None:
    made = ionosphere({**AS_PRINTED, "SVM": 0.09}, AS_PRINTED, 250)
    assert cell_of(made, "SVM – forest")[0].ours == "forest better"
    assert cell_of(made, "SVM – forest")[1] is Agreement.DIFFERS


def test_learners_on_samples_of_their_own_are_noticed() -> None:
    """If the rows do not belong together, the noise of the samples hides what the document finds."""
    found = errors({**AS_PRINTED, "bundling": 0.069}, 250, noise=0.001)
    size = FULL
    paired = hothorn_applications.compare_ionosphere({OOB: found}, size)
    rng = np.random.default_rng(1)
    mixed = Performances(found.learners, np.column_stack([rng.permutation(column) for column in found.values.T]))
    unpaired = hothorn_applications.compare_ionosphere({OOB: mixed}, size)
    assert cell_of(paired, "forest – bundling")[1] is Agreement.EXACT
    assert cell_of(unpaired, "forest – bundling")[1] is Agreement.DIFFERS


def test_few_samples_that_find_nothing_are_not_held_against_the_document() -> None:
    made = ionosphere(dict.fromkeys(AS_PRINTED, 0.07), AS_PRINTED, 6)
    cell, how = cell_of(made, "forest – bundling")
    assert (cell.ours, how) == (NONE_FOUND, Agreement.UNPRINTED)
    assert "says nothing about the document" in made.notes[0]


# --- Breast Cancer ----------------------------------------------------------------------------------------------------


def test_simultaneous_intervals_decide() -> None:
    printed = {"sLDA": 0.040, "SVM": 0.0402, "forest": 0.030, "bundling": 0.0301}
    made = compare_breast_cancer({OOB: errors(printed, 250)}, FULL)
    assert made.status is Reproduction.REPRODUCED, made.to_text()
    other = compare_breast_cancer({OOB: errors({**printed, "sLDA": 0.05}, 250)}, FULL)
    assert [cell.row for cell in other.differing] == ["sLDA – SVM"]
    assert "simultaneous interval" in other.differing[0].note


def test_breast_cancer_at_reduced_size_can_be_resumed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Forest and bundling beat sLDA also with three trees; the second run takes everything from the store."""
    monkeypatch.setitem(hothorn_applications.REDUCED, "breast-cancer", Size(oob=4, cv=0, trees=3))
    monkeypatch.setattr(hothorn_applications, "SVM_GRID", {"C": (1.0,), "gamma": (0.1,)})
    store = tmp_path / "cancer.sqlite"
    made = hothorn_applications.breast_cancer(seed=3, store=store)
    assert all(0.01 < cell.ours < 0.1 for cell in made.cells[:4] if isinstance(cell.ours, float))
    assert made.replications == 4
    from bakeoff.running.engine import Engine

    monkeypatch.setattr(Engine, "run", lambda *_: pytest.fail("a finished cell was run again"))
    assert hothorn_applications.breast_cancer(seed=3, store=store).cells == made.cells


# ----------------------------------------------------------------------------------------------------------------------
# The applications as studies: what is compared on what, and how large.


SMALL = Size(oob=3, cv=2, trees=4)


def parameters(study: object, name: str) -> dict[str, object]:
    learner = next(one for one in study.learners if one.name == name)  # type: ignore[attr-defined]
    return dict(learner.steps[-1].parameters)


def test_node_sizes_are_those_of_r_and_beside_them_of_leaves() -> None:
    made = hothorn_applications.boston_study(OOB, FULL, seed=1)
    assert [one.name for one in made.learners] == ["1 %", "5 %", "10 %", "10 %, leaves"]
    assert parameters(made, "10 %") == {"n_estimators": 250, "max_features": 4, "min_samples_split": 32}
    assert parameters(made, "10 %, leaves") == {"n_estimators": 250, "max_features": 4, "min_samples_leaf": 50}
    assert made.resampling.describe()["repeats"] == 250
    assert made.measure_names == ("q95",)


def test_cross_validation_is_that_of_bootstrap_samples() -> None:
    for made in (hothorn_applications.boston_study(CV, SMALL, 1), hothorn_applications.ionosphere_study(CV, SMALL, 1)):
        told = made.resampling.describe()
        assert (told["scheme"], told["folds"], told["repeats"]) == ("bootstrap-cv", 5, 2)
        assert len(made.learners) == 3


def test_ensembles_have_as_many_trees_as_asked_for_and_the_svm_is_tuned_inside() -> None:
    made = hothorn_applications.breast_cancer_study(FULL, 1)
    assert [one.name for one in made.learners] == ["sLDA", "SVM", "forest", "bundling"]
    assert parameters(made, "forest")["n_estimators"] == parameters(made, "bundling")["n_estimators"] == 250
    svm = made.learners[1]
    assert svm.prepare == "standard"
    assert svm.tuning is not None
    assert set(svm.tuning.grid) == {"C", "gamma"}


@pytest.mark.parametrize("seed", [1, 2])
def test_the_seed_is_part_of_the_study(seed: int) -> None:
    study = hothorn_applications.breast_cancer_study
    assert study(SMALL, seed).key == study(SMALL, seed).key
    assert study(SMALL, seed).key != study(SMALL, seed + 1).key


def test_some_of_the_learners() -> None:
    import numpy as np

    found = Performances(("a", "b", "c"), np.arange(6.0).reshape(2, 3)).of("c", "a")
    assert found.learners == ("c", "a")
    assert found.values.tolist() == [[2, 0], [5, 3]]
