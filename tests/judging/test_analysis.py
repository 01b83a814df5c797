from __future__ import annotations

import numpy as np
import pytest
import zoo

from bakeoff.errors import DegenerateError, MisfitError, UsageError
from bakeoff.judging import analyse

VALUES = np.random.default_rng(0).random((12, 4))
TASKS = zoo.table(VALUES, kind="tasks")
FOLDS = zoo.table(VALUES, kind="kfold")


@pytest.mark.parametrize(
    ("request_", "message"),
    [
        ({"procedure": "freidman"}, "Did you mean 'friedman'"),
        ({"contrast": "all-pair"}, "Did you mean 'all-pairs'"),
        ({"contrast": "control"}, "--control LEARNER"),
        ({"control": "adda"}, "Did you mean 'ada'"),
        ({"adjust": "holmm"}, "Did you mean 'holm'"),
        ({"alpha": 0.0}, "strictly between 0 and 1"),
        ({"alpha": 1.0}, "strictly between 0 and 1"),
        ({"alpha": float("nan")}, "strictly between 0 and 1"),
        ({"alternative": "bigger"}, "There is no alternative 'bigger'"),
        ({"missing": "ignore"}, "There is no policy 'ignore'"),
        ({"level": "task"}, "Did you mean 'tasks'"),
        ({"measure": "acuracy"}, "Did you mean 'accuracy'"),
        ({"colour": "red"}, "has no option 'colour'"),
        ({"control": "ada", "adjust": "nemenyi"}, "Bonferroni–Dunn"),
        ({"alternative": "better", "adjust": "nemenyi"}, "two-sided"),
    ],
)
def test_a_wrong_request_gets_a_sentence(request_: dict[str, object], message: str) -> None:
    request = {"procedure": "friedman", **request_}
    with pytest.raises(UsageError, match=message):
        analyse(TASKS, **request)  # type: ignore[arg-type]


def test_procedures_for_pairs_have_no_single_step() -> None:
    with pytest.raises(UsageError, match="no single-step adjustment"):
        analyse(FOLDS, "corrected-t", adjust="single-step")


def test_an_f_test_has_no_sides() -> None:
    with pytest.raises(UsageError, match="has no sides"):
        analyse(zoo.table(VALUES[:10], kind="repeats:5"), "5x2-f", alternative="better")


def test_names_of_adjustments_that_people_use() -> None:
    nemenyi = analyse(TASKS, "friedman", adjust="nemenyi")
    assert nemenyi.to_json() == analyse(TASKS, "friedman").to_json()
    assert nemenyi.adjust_title == "Nemenyi adjustment"
    dunn = analyse(TASKS, "friedman", adjust="bonferroni-dunn", control="ada")
    assert dunn.adjust == "bonferroni"
    assert analyse(TASKS, "friedman", control="ada").adjust == "holm"


def test_one_learner_cannot_be_compared() -> None:
    with pytest.raises(MisfitError, match="at least 2 learners"):
        analyse(TASKS.only(learners=["ada"]), "friedman")


def test_several_measures_must_be_chosen_from() -> None:
    both = zoo.layers(FOLDS, zoo.table(VALUES**2, kind="kfold", name="auc"))
    with pytest.raises(UsageError, match="holds 2 measures"):
        analyse(both, "corrected-t")
    assert analyse(both, "corrected-t", measure="auc").measure.name == "auc"
    with pytest.raises(UsageError, match="one measure at a time"):
        analyse(both, "corrected-t", measure=["auc", "accuracy"])
    assert len(analyse(both, "hotelling").pairs) == 6
    assert len(analyse(both, "hotelling", measure=["auc", "accuracy"]).pairs) == 6


def test_a_constant_difference_between_two_learners_is_refused() -> None:
    values = np.column_stack([VALUES[:, 0], VALUES[:, 0] + 0.25])
    with pytest.raises(DegenerateError):
        analyse(zoo.table(np.round(values, 6), kind="kfold"), "corrected-t")


def test_best_learner_comes_first_in_each_pair() -> None:
    found = analyse(FOLDS, "corrected-t")
    assert all(row.estimate >= 0 for row in found.pairs)
    ranked = analyse(TASKS, "friedman")
    assert all(row.estimate <= 0 for row in ranked.pairs)  # mean ranks: smaller is better


def test_what_made_it_is_recorded() -> None:
    found = analyse(FOLDS, "permutation", seed=3, resamples=1000)
    assert found.options["seed"] == 3
    assert {"bakeoff", "python", "numpy", "scipy"} <= set(found.versions)
    assert found.tests
    assert not found.pairs


@pytest.mark.parametrize("procedure", ["wilcoxon", "friedman", "sign"])
def test_the_side_of_a_one_sided_test_is_not_chosen_by_the_data(procedure: str) -> None:
    better = np.where(np.arange(4) == 3, 0.3, 0.0) + VALUES  # the last learner wins, whatever its place
    for values in (better, better[:, ::-1]):
        found = analyse(zoo.table(values, kind="tasks"), procedure, alternative="better", adjust="none")
        assert [(row.first, row.second) for row in found.pairs][:3] == [("ada", "bob"), ("ada", "cyd"), ("ada", "dee")]
    two_sided = analyse(zoo.table(better, kind="tasks"), procedure)
    assert two_sided.pairs[0].first == "dee"  # without a side the better one is read first


def test_one_sided_tests_keep_their_level() -> None:
    # If the better learner were read first, no p would be above one half, and one in ten below .05.
    rng = np.random.default_rng(5)
    found = [analyse(zoo.table(rng.random((12, 2)), kind="kfold"), "kfold-t", alternative="better") for _ in range(60)]
    assert 15 < sum(f.pairs[0].p > 0.5 for f in found) < 45


def test_one_learner_at_a_time_is_adjusted_if_asked() -> None:
    plain = analyse(FOLDS, "mean-t", p0=0.3)
    assert (plain.adjust, [row.p for row in plain.rows]) == ("none", [row.p_adjusted for row in plain.rows])
    holm = analyse(FOLDS, "mean-t", p0=0.3, adjust="bonferroni")
    assert [row.p_adjusted for row in holm.rows] == pytest.approx([min(1, 4 * row.p) for row in plain.rows])
    for row, wide in zip(plain.rows, holm.rows, strict=True):
        assert wide.lower < row.lower < row.upper < wide.upper
        assert (wide.lower <= 0.3 <= wide.upper) == (wide.p_adjusted > 0.05)
    assert "Bonferroni adjustment" in holm.heading


@pytest.mark.parametrize(
    ("asked", "message"),
    [
        ({"contrast": "ada vs bob"}, "looks at one learner at a time"),
        ({"control": "ada"}, "looks at one learner at a time"),
        ({"p0": 0.3, "adjust": "shaffer"}, "each stands alone: use holm"),
        ({"adjust": "holm"}, "tested nothing here"),
    ],
)
def test_what_one_learner_at_a_time_cannot_do(asked: dict[str, object], message: str) -> None:
    with pytest.raises(UsageError, match=message):
        analyse(FOLDS, "mean-t", **asked)  # type: ignore[arg-type]


def test_learners_that_are_all_refused_are_a_misfit() -> None:
    constant = np.tile([0.1, 0.2], (5, 1))
    with pytest.raises(MisfitError, match=r"None of the 2 learners could be looked at\. refused: The value is 0\.2"):
        analyse(zoo.table(constant, kind="kfold"), "mean-t")
    constant[0, 0] = 0.15
    assert [row.note[:7] for row in analyse(zoo.table(constant, kind="kfold"), "mean-t").rows] == ["refused", ""]


def test_what_is_estimated_has_its_name() -> None:
    assert analyse(TASKS, "sign-one").estimate == "median accuracy"
    assert analyse(TASKS, "sign").estimate == "median difference in accuracy"
    assert "The estimate is the median difference in accuracy." in analyse(TASKS, "sign").to_text()
    assert analyse(FOLDS, "corrected-t").estimate == ""
