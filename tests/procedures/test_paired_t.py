"""The paired t test on losses: R's values, and what its card promises."""

from __future__ import annotations

from math import inf, isnan, nan, sqrt

import numpy as np
import pytest
import zoo
from hypothesis import assume, given
from hypothesis import strategies as st
from scipy import stats

from bakeoff.errors import DegenerateError, MisfitError, UsageError
from bakeoff.judging import advise, analyse
from bakeoff.measures import known_measure
from bakeoff.procedures import procedure_named
from bakeoff.procedures.paired_t import calibrated_10x10, corrected_t, kfold_t, mean_difference, paired_t
from bakeoff.scores import Scores, layout

A = [0.125, 0.15, 0.11, 0.14, 0.16, 0.135, 0.12, 0.145, 0.155, 0.13]
B = [0.118, 0.139, 0.121, 0.128, 0.149, 0.131, 0.117, 0.129, 0.151, 0.122]


def test_r_one_sided() -> None:
    found = paired_t(A, B, alternative="less")
    assert (found.statistic, found.p) == pytest.approx((2.77301017665609, 0.989176644895508), rel=1e-10)
    assert (found.lower, found.upper) == (-inf, pytest.approx(0.0107968591181421, rel=1e-10))


def test_r_with_a_margin() -> None:
    found = paired_t(A, B, alternative="greater", null=-0.002)
    assert (found.statistic, found.p) == pytest.approx((3.62624407716565, 0.00275890358314019), rel=1e-10)


def test_swapping_flips_the_sign() -> None:
    there, back = paired_t(A, B), paired_t(B, A)
    assert (there.estimate, there.lower, there.upper) == (-back.estimate, -back.upper, -back.lower)
    assert (there.statistic, there.p) == (-back.statistic, back.p)


def test_card_sends_binary_data_to_mcnemar() -> None:
    assert any("mcnemar" in caution for caution in procedure_named("paired-t").card.cautions)


# ----------------------------------------------------------------------------------------------------------------------
# Bouckaert's calibrated test: its definition, its neighbour, its error rate, and the design it is for.


D = np.random.default_rng(1).normal(0.02, 0.03, 100)


def test_the_definition() -> None:
    found = calibrated_10x10(D, np.zeros(100))
    t = np.sqrt(11) * D.mean() / D.std(ddof=1)
    assert found.statistic == pytest.approx(t)
    assert found.df == (10.0,)
    assert found.p == pytest.approx(2 * stats.t.sf(t, 10))
    half = stats.t.ppf(0.975, 10) * D.std(ddof=1) / np.sqrt(11)
    assert (found.lower, found.upper) == pytest.approx((D.mean() - half, D.mean() + half))


def test_it_is_nearly_the_corrected_t() -> None:
    ours, theirs = calibrated_10x10(D, np.zeros(100)), corrected_t(D, np.zeros(100), ratio=1 / 9)
    assert (ours.upper - ours.lower) / (theirs.upper - theirs.lower) == pytest.approx(1, abs=0.04)


def test_identical_learners() -> None:
    assert calibrated_10x10(D, D).p == 1


def test_other_designs_are_refused_unless_the_user_insists() -> None:
    values = np.random.default_rng(2).random((20, 2)).round(3)
    table = zoo.table(values, kind="repeats:2")
    with pytest.raises(MisfitError, match="calibrated for 10 × 10 folds, and the splits here are: 2 × 10"):
        analyse(table, "calibrated-10x10")
    assert analyse(table, "calibrated-10x10", anyway=True).pairs[0].df == (10.0,)


def test_the_advisor_prefers_the_corrected_t() -> None:
    card = procedure_named("calibrated-10x10").card
    advice = advise(zoo.scores_for(card, zoo.values_for(card, 2, np.random.default_rng(3))))
    assert advice.recommended == "corrected-t"
    assert card.name in [candidate.procedure for candidate in advice.fitting]


def test_one_value_is_not_enough() -> None:
    with pytest.raises(UsageError, match="at least two paired values"):
        calibrated_10x10([0.1], [0.2])


def test_error_rate_on_cross_validated_differences() -> None:
    """Differences whose correlation is that of 10×10 folds: ρ = n_test / n = .1 within a repeat and between repeats."""
    rng, rejected, runs = np.random.default_rng(4), 0, 2000
    for _ in range(runs):
        d = np.sqrt(0.1) * rng.standard_normal() + np.sqrt(0.9) * rng.standard_normal(100)
        rejected += calibrated_10x10(d, np.zeros(100)).p <= 0.05
    assert rejected / runs == pytest.approx(0.05, abs=0.02)


# ----------------------------------------------------------------------------------------------------------------------
# Corrected t


A_CORRECTED_T = [0.82, 0.80, 0.85, 0.79, 0.83, 0.84, 0.81, 0.80, 0.86, 0.82]
B_CORRECTED_T = [0.80, 0.79, 0.82, 0.80, 0.81, 0.82, 0.80, 0.77, 0.84, 0.82]


def scores(**columns: object) -> Scores:
    accuracy = known_measure("accuracy")
    assert accuracy is not None
    return Scores.of(
        [*A_CORRECTED_T, *B_CORRECTED_T],
        learner=["a"] * 10 + ["b"] * 10,
        measures={"accuracy": accuracy},
        **columns,  # type: ignore[arg-type]
    )


def test_weka() -> None:
    found = corrected_t(A_CORRECTED_T, B_CORRECTED_T, ratio=0.5)
    assert (found.statistic, found.p) == pytest.approx((1.5256428831468223, 0.16144019375800883), rel=1e-10)
    assert found.df == (9.0,)


def test_variance_is_that_of_the_paired_t_times_one_plus_j_ratio() -> None:
    naive, corrected = paired_t(A_CORRECTED_T, B_CORRECTED_T), corrected_t(A_CORRECTED_T, B_CORRECTED_T, ratio=1 / 9)
    assert corrected.statistic == pytest.approx(naive.statistic / sqrt(1 + 10 / 9))
    assert corrected.upper - corrected.lower == pytest.approx((naive.upper - naive.lower) * sqrt(1 + 10 / 9))


@pytest.mark.parametrize("alternative", ["greater", "less"])
def test_one_sided_halves(alternative: str) -> None:
    both, one = (
        corrected_t(A_CORRECTED_T, B_CORRECTED_T, ratio=0.1),
        corrected_t(A_CORRECTED_T, B_CORRECTED_T, ratio=0.1, alternative=alternative),
    )
    assert one.p == pytest.approx(both.p / 2 if alternative == "greater" else 1 - both.p / 2)


def test_no_difference_at_all() -> None:
    found = corrected_t([0.5, 0.6, 0.7], [0.5, 0.6, 0.7], ratio=1 / 9)
    assert (found.statistic, found.p) == (0.0, 1.0)
    assert isnan(found.lower)
    assert isnan(found.upper)


def test_constant_difference_is_refused() -> None:
    with pytest.raises(DegenerateError):
        corrected_t([0.5, 0.6, 0.7], [0.4, 0.5, 0.6], ratio=1 / 9)


@pytest.mark.parametrize("ratio", [None, nan])
def test_an_unknown_ratio_is_refused_with_the_way_to_give_it(ratio: float | None) -> None:
    with pytest.raises(UsageError, match=r"n_train and n_test, or --ratio"):
        corrected_t(A_CORRECTED_T, B_CORRECTED_T, ratio=ratio)


@pytest.mark.parametrize("ratio", [0.0, -0.1, inf])
def test_an_impossible_ratio_is_refused(ratio: float) -> None:
    with pytest.raises(UsageError, match="positive number"):
        corrected_t(A_CORRECTED_T, B_CORRECTED_T, ratio=ratio)


def test_ratio_is_read_off_the_sizes_or_the_folds() -> None:
    folds = [*range(10), *range(10)]
    from_folds = analyse(scores(fold=folds), "corrected-t").pairs[0]
    assert from_folds.p == pytest.approx(corrected_t(A_CORRECTED_T, B_CORRECTED_T, ratio=1 / 9).p)
    sizes = scores(fold=folds, n_train=np.full(20, 800), n_test=np.full(20, 200))
    assert analyse(sizes, "corrected-t").pairs[0].p == pytest.approx(
        corrected_t(A_CORRECTED_T, B_CORRECTED_T, ratio=0.25).p
    )


def test_random_splits_without_sizes_need_the_option() -> None:
    splits = scores(repeat=[*range(10), *range(10)])
    (reason,) = [
        why for need in procedure_named("corrected-t").card.needs if (why := need.unmet(layout(splits))) is not None
    ]
    assert "--ratio 0.1111" in reason
    with pytest.raises(MisfitError, match="ratio of test to training size is not known"):
        analyse(splits, "corrected-t")
    told = analyse(splits, "corrected-t", ratio=0.25, anyway=True)
    assert told.pairs[0].p == pytest.approx(corrected_t(A_CORRECTED_T, B_CORRECTED_T, ratio=0.25).p)


# ----------------------------------------------------------------------------------------------------------------------
# The K-fold paired t test: mlxtend's value, and the refusal of repeated cross-validation.


A_KFOLD_T = [0.82, 0.80, 0.85, 0.79, 0.83, 0.84, 0.81, 0.80, 0.86, 0.82]
B_KFOLD_T = [0.80, 0.79, 0.82, 0.80, 0.81, 0.82, 0.80, 0.77, 0.84, 0.82]


def repeated(repeats: int, folds: int) -> Scores:
    accuracy = known_measure("accuracy")
    assert accuracy is not None
    n = repeats * folds
    values = np.random.default_rng(0).normal(0.8, 0.02, size=2 * n)
    split = np.tile(np.arange(n), 2)
    return Scores.of(
        values,
        learner=["a"] * n + ["b"] * n,
        repeat=(split // folds).tolist(),
        fold=(split % folds).tolist(),
        measures={"accuracy": accuracy},
    )


@pytest.mark.parametrize(("alternative", "p"), [("two-sided", 0.004646628087613774), ("greater", 0.002323314043806887)])
def test_mlxtend(alternative: str, p: float) -> None:
    found = kfold_t(A_KFOLD_T, B_KFOLD_T, alternative=alternative)
    assert (found.statistic, found.p) == pytest.approx((3.737046593418296, p), rel=1e-10)


def test_one_cross_validation_fits() -> None:
    assert len(analyse(repeated(1, 10), "kfold-t").pairs) == 1


@pytest.mark.parametrize(("repeats", "folds"), [(10, 10), (5, 2)])
def test_repeated_cross_validation_is_refused_unless_insisted_on(repeats: int, folds: int) -> None:
    with pytest.raises(MisfitError, match="naive t over repeated cross-validation") as refusal:
        analyse(repeated(repeats, folds), "kfold-t")
    assert any("corrected-t" in other for other in refusal.value.alternatives)
    found = analyse(repeated(repeats, folds), "kfold-t", anyway=True)
    assert found.against_advice


def test_repeated_runs_are_no_folds() -> None:
    with pytest.raises(MisfitError, match="folds of one cross-validation"):
        analyse(repeated(10, 1), "kfold-t")


def test_card_quotes_the_measured_error_rate() -> None:
    (caution,) = procedure_named("kfold-t").card.cautions
    assert "8.7 %" in caution
    assert "57.7 %" in caution


# ----------------------------------------------------------------------------------------------------------------------
# Student's t for paired differences: against scipy, at the edges of floating point, and bad input.


COLUMN = st.lists(st.integers(-1000, 1000), min_size=2, max_size=40)


@st.composite
def pairs(draw: st.DrawFn) -> tuple[np.ndarray, np.ndarray]:
    """Two columns whose differences are not all the same."""
    a = np.array(draw(COLUMN)) / 8
    d = np.array(
        draw(st.lists(st.integers(-50, 50), min_size=len(a), max_size=len(a)).filter(lambda x: len(set(x)) > 1))
    )
    return a, a - d / 8


@pytest.mark.parametrize("alternative", ["two-sided", "greater", "less"])
@given(columns=pairs(), confidence=st.floats(0.5, 0.999))
def test_agrees_with_scipy(alternative: str, columns: tuple[np.ndarray, np.ndarray], confidence: float) -> None:
    ours = mean_difference(*columns, confidence=confidence, alternative=alternative)
    theirs = stats.ttest_rel(*columns, alternative=alternative)
    interval = theirs.confidence_interval(confidence)
    assert ours.statistic == pytest.approx(theirs.statistic, rel=1e-9, abs=1e-12)
    assert ours.p == pytest.approx(theirs.pvalue, rel=1e-8, abs=1e-14)
    assert ours.df == (theirs.df,)
    assert (ours.lower, ours.upper) == pytest.approx((interval.low, interval.high), rel=1e-8, abs=1e-9)


@given(columns=pairs(), alpha=st.floats(0.001, 0.4), alternative=st.sampled_from(["two-sided", "greater", "less"]))
def test_interval_leaves_the_null_out_when_p_rejects(
    columns: tuple[np.ndarray, np.ndarray], alpha: float, alternative: str
) -> None:
    ours = mean_difference(*columns, confidence=1 - alpha, alternative=alternative, inflation=0.25)
    assume(abs(ours.p - alpha) > 1e-9)
    assert (ours.lower > 0 or ours.upper < 0) == (ours.p < alpha)


@given(columns=pairs(), factor=st.sampled_from([1e-200, 1e-9, 3.0, 1e9, 1e150]))
def test_scale_does_not_matter(columns: tuple[np.ndarray, np.ndarray], factor: float) -> None:
    plain = mean_difference(*columns)
    scaled = mean_difference(columns[0] * factor, columns[1] * factor)
    assert scaled.statistic == pytest.approx(plain.statistic, rel=1e-9, abs=1e-12)
    assert scaled.estimate == pytest.approx(plain.estimate * factor, rel=1e-9)


def test_null_value_and_inflation_are_in_the_formula() -> None:
    d = np.array([0.3, 0.1, 0.4, 0.2, 0.6])
    ours = mean_difference(d, np.zeros(5), null=0.1, inflation=0.5)
    assert ours.statistic == pytest.approx((d.mean() - 0.1) / np.sqrt((1 / 5 + 0.5) * d.var(ddof=1)))
    assert ours.details["standard_error"] == pytest.approx(np.sqrt(0.7 * d.var(ddof=1)))


@pytest.mark.parametrize("alternative", ["two-sided", "greater", "less"])
def test_same_columns_show_no_difference(alternative: str) -> None:
    ours = mean_difference([0.1, 0.2, 0.3], [0.1, 0.2, 0.3], alternative=alternative)
    assert (ours.estimate, ours.statistic, ours.p, ours.df) == (0.0, 0.0, 1.0, (2.0,))
    assert isnan(ours.lower)
    assert isnan(ours.upper)
    assert ours.note == "the two columns are the same"


def test_rounding_error_is_no_difference() -> None:
    ours = mean_difference([0.1 + 0.2, 0.6, 0.7], [0.3, 0.6, 0.7])
    assert (ours.statistic, ours.p) == (0.0, 1.0)
    assert isnan(ours.lower)
    assert isnan(ours.upper)


def test_small_differences_are_data() -> None:
    ours = mean_difference([1e-9, 3e-9, 2e-9, 5e-9], [0, 1e-9, 3e-9, 2e-9])
    assert ours.statistic == pytest.approx(1.4638501094228, rel=1e-12)


@pytest.mark.parametrize(
    ("a", "b", "null"),
    [
        ([0.1, 0.2, 0.3, 0.4], [0.05, 0.15, 0.25, 0.35], 0.0),
        ([1e9 + 1, 2e9 + 1], [1e9, 2e9], 0.0),
        ([0.1, 0.2], [0.1, 0.2], -0.05),
    ],
)
def test_constant_differences_are_refused(a: list[float], b: list[float], null: float) -> None:
    with pytest.raises(DegenerateError, match=r"in every block, so its standard error is zero"):
        mean_difference(a, b, null=null)


def test_a_constant_difference_that_is_the_null_value_is_none() -> None:
    ours = mean_difference([1.5, 2.5], [1.0, 2.0], null=0.5)
    assert (ours.estimate, ours.statistic, ours.p) == (0.5, 0.0, 1.0)
    assert "null value" in ours.note


@pytest.mark.parametrize(
    ("a", "b", "sentence"),
    [
        ([1.0], [2.0], "at least two paired values"),
        ([], [], "at least one value"),
        ([1.0, 2.0], [1.0], "equally long"),
        ([1.0, nan], [1.0, 2.0], "'first' must be a finite number"),
        ([1.0, 2.0], [1.0, inf], "'second' must be a finite number"),
        (["a", "b"], [1.0, 2.0], "column of numbers"),
    ],
)
def test_bad_columns_are_refused(a: list[float], b: list[float], sentence: str) -> None:
    with pytest.raises(UsageError, match=sentence):
        mean_difference(a, b)


def test_bad_choices_are_refused() -> None:
    with pytest.raises(UsageError, match="alternative must be one of"):
        mean_difference([1, 2], [2, 4], alternative="bigger")
    with pytest.raises(UsageError, match="confidence level"):
        mean_difference([1, 2], [2, 4], confidence=95)
