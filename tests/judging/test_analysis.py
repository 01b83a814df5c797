from __future__ import annotations

from dataclasses import replace
from math import inf

import numpy as np
import pytest
import zoo

from bakeoff.errors import DegenerateError, MisfitError, UsageError
from bakeoff.inference.contrasts import contrasts
from bakeoff.inference.finding import CUT, Row, clip_to_range
from bakeoff.judging import analyse
from bakeoff.judging.analysis import ProcedureData, data_for, scale_options_to_percent, unit_of
from bakeoff.judging.case import Case
from bakeoff.judging.request import Request
from bakeoff.measures import Measure, known_measure
from bakeoff.procedures import explain, procedure_named
from bakeoff.scores import Blocks, Samples, Scores

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


def test_learners_against_a_level_are_adjusted() -> None:
    assert analyse(FOLDS, "mean-t", p0=0.3).adjust == "holm"
    assert analyse(FOLDS, "mean-t").adjust == "none"  # an interval each, and no test
    plain = analyse(FOLDS, "mean-t", p0=0.3, adjust="none")
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


# ----------------------------------------------------------------------------------------------------------------------
# Bounding


ERROR = Measure("error", larger_is_better=False, lower=0.0, upper=1.0)
ROW = Row("a − b", "a", "b", estimate=0.5, lower=-1.2, upper=1.118, note="exact")


def test_a_difference_of_rates_is_at_most_one() -> None:
    (made,) = clip_to_range([ROW], ERROR, "ab")
    assert (made.lower, made.upper) == (-1.0, 1.0)
    assert made.note == f"exact; {CUT}"


def test_a_rate_lies_between_its_ends() -> None:
    (made,) = clip_to_range([Row("a", "a", estimate=0.98, lower=0.9, upper=1.06)], ERROR, "a")
    assert (made.lower, made.upper, made.note) == (0.9, 1.0, CUT)


def test_what_is_possible_stays() -> None:
    inside = replace(ROW, lower=-0.2, upper=0.9)
    sided = replace(ROW, lower=-0.2, upper=inf)
    groups = replace(ROW, first="a + b", second="c")
    beyond = replace(ROW, estimate=1.5)
    free = Measure("cost", larger_is_better=False)
    assert clip_to_range([inside, sided, groups, beyond], ERROR, "abc") == (inside, sided, groups, beyond)
    assert clip_to_range([ROW], free, "ab") == (ROW,)


def test_dunn_on_ten_instances() -> None:
    answers = np.column_stack([[0] * 8 + [1, 1], [1] * 7 + [0, 1, 0]]).astype(float)
    (row,) = analyse(zoo.table(answers, kind="instances", name="error"), "dunn", anyway=True).pairs
    assert min(row.lower, -row.upper) == -1.0
    assert CUT in row.note


def test_scores_beyond_the_range_show_that_it_is_not_theirs() -> None:
    values = np.column_stack([[5.0, 7.0, 2.0], [4.0, 9.0, 1.0]])
    (row,) = analyse(zoo.table(values, kind="kfold"), "corrected-t").pairs
    assert row.lower < -1
    assert row.note == ""


# ----------------------------------------------------------------------------------------------------------------------
# Data


RNG = np.random.default_rng(4)


def given(name: str, k: int = 3) -> ProcedureData:
    card = explain(name)
    scores = zoo.scores_for(card, zoo.values_for(card, k, RNG))
    return _given(name, scores)


def _given(name: str, scores: Scores) -> ProcedureData:
    case = Case(scores, Request())
    return data_for(procedure_named(name), case, case.layout())


def test_paired_procedures_are_given_columns_that_share_blocks() -> None:
    values = RNG.random((6, 3))
    scores = zoo.table(values, kind="kfold")
    data = _given("corrected-t", scores)
    assert isinstance(data.blocks, Blocks)
    assert data.n_blocks == 6
    first, second = data.columns(contrasts("all-pairs", scores.learners, range(3), None), 2)
    assert np.array_equal(first, values[:, 1])
    assert np.array_equal(second, values[:, 2])
    assert data.best_first == tuple(np.argsort(-values.mean(axis=0)))


def test_unpaired_procedures_are_given_samples() -> None:
    data = given("unpaired-t")
    assert isinstance(data.blocks, Samples)
    assert isinstance(data.table, list)
    family = contrasts(["ada + bob vs cyd"], data.blocks.learners, range(3), None)
    with pytest.raises(UsageError, match="share their blocks"):
        data.columns(family, 0)


def test_sizes_follow_the_samples_where_they_count() -> None:
    data = given("two-proportions")
    family = contrasts("all-pairs", data.blocks.learners, range(3), None)
    assert len(data.columns(family, 0)) == 4


def test_several_measures_make_a_third_axis() -> None:
    assert np.ndim(given("manova").table) == 3


def test_predictions_come_after_the_truth_and_have_no_averages() -> None:
    data = given("delong")
    pairs = contrasts("all-pairs", data.blocks.learners, range(3), None)
    truth, *_columns = data.columns(pairs, 0)
    assert set(truth) == {0.0, 1.0}
    assert data.measure.name == "auc"
    groups = contrasts(["ada + bob vs cyd"], data.blocks.learners, range(3), None)
    with pytest.raises(UsageError, match="no use for averages"):
        data.columns(groups, 0)


def test_folds_of_each_task_where_they_are_looked_at() -> None:
    data = given("bayes-hierarchical", 2)
    family = contrasts("all-pairs", data.blocks.learners, range(2), None)
    first, second = data.columns(family, 0)
    assert [len(folds) for folds in first] == [len(folds) for folds in second] == [5] * 6


# ----------------------------------------------------------------------------------------------------------------------
# Per cent


def test_the_unit_of_a_share() -> None:
    error = known_measure("error")
    assert error is not None
    assert unit_of(error) == 1
    assert unit_of(Measure("error", larger_is_better=False, lower=0, upper=100)) == 100


def test_shares_need_no_other_procedure() -> None:
    wilson = procedure_named("wilson")
    assert scale_options_to_percent(wilson, 1.0) is wilson


def test_values_are_scaled_and_sizes_are_not() -> None:
    made = scale_options_to_percent(procedure_named("two-proportions"), 100.0)
    plain = procedure_named("two-proportions").compute([0.25], [0.15], 5000, 30)
    found = made.compute([25.0], [15.0], 5000, 30)
    assert (found.estimate, found.lower, found.upper) == pytest.approx(
        (100 * plain.estimate, 100 * plain.lower, 100 * plain.upper)
    )
    assert (found.p, found.statistic) == pytest.approx((plain.p, plain.statistic))
