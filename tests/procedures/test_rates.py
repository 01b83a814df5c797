"""Rates with the size of their test set do what answers do."""

from __future__ import annotations

from math import nan, sqrt
from pathlib import Path
from time import perf_counter

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from scipy import stats

from bakeoff import advise, analyse, judge, read_scores
from bakeoff.errors import DegenerateError, MisfitError, UsageError
from bakeoff.procedures.rates import (
    METHODS,
    binomial_p,
    binomial_test,
    checked_rate_of,
    compute_binomial,
    compute_normal,
    compute_wilson,
    count_of,
    normal_approximation,
    proportion_interval,
    rate_of,
    x_of,
)
from bakeoff.scores import Scores, unpaired

ANSWERS = np.repeat([1.0, 0.0], [750, 250])


def rates(tmp_path: Path, text: str) -> Scores:
    path = tmp_path / "rates.csv"
    path.write_text(text)
    return read_scores(path)


@pytest.mark.parametrize(
    ("compute", "options"),
    [(compute_wilson, {}), (compute_binomial, {"p0": 0.7}), (compute_normal, {"p0": 0.7})],
)
@pytest.mark.parametrize("alternative", ["two-sided", "less", "greater"])
def test_750_of_1000_are_a_thousand_answers(compute, options, alternative: str) -> None:  # type: ignore[no-untyped-def]
    one = compute([0.75], 1000, alternative=alternative, **options)
    all_of_them = compute(ANSWERS, alternative=alternative, **options)
    assert one == all_of_them


def test_an_interval_from_a_rate_and_n(tmp_path: Path) -> None:
    """Slides on comparing data-mining methods: 75 of 100 at 80 % lie in [.691, .801]."""
    scores = rates(tmp_path, "learner,accuracy,n_test\nM1,0.75,100\n")
    assert advise(scores).recommended == "wilson"
    assert not advise(scores).warnings
    (row,) = analyse(scores, "wilson", alpha=0.2).rows
    assert (round(row.lower, 3), round(row.upper, 3)) == (0.691, 0.801)
    assert "M1: 0.75, 95 % interval [0.657, 0.8245]" in judge(scores).paragraph


def test_each_learner_has_its_own_n(tmp_path: Path) -> None:
    scores = rates(tmp_path, "learner,accuracy,n_test\nM1,0.75,100\nM2,0.75,10000\n")
    for table in (scores, unpaired(scores)):
        width = {row.first: row.upper - row.lower for row in analyse(table, "wilson").rows}
        assert width["M1"] > 9 * width["M2"]
    assert analyse(scores, "binomial", p0=0.7).details["M2"]["n"] == 10000


def test_per_cent_in_is_per_cent_out(tmp_path: Path) -> None:
    """15 % of 30 and 25 % of 5000 (slides): d = 10 ± 12.8 in per cent."""
    share = unpaired(rates(tmp_path, "learner,error,n_test\nM1,0.15,30\nM2,0.25,5000\n"))
    cent = unpaired(rates(tmp_path, "learner,error,n_test\nM1,15,30\nM2,25,5000\n"))
    (slides,) = analyse(cent, "two-proportions", pooled=False, interval="wald").rows
    assert (round(slides.estimate, 9), round((slides.upper - slides.lower) / 2, 1)) == (-10, 12.8)
    one, hundred = (judge(table, margin=margin) for table, margin in ((share, 0.3), (cent, 30)))
    assert [judged.decision for judged in one.decisions] == [judged.decision for judged in hundred.decisions]
    assert hundred.decisions[0].at_most == pytest.approx(100 * one.decisions[0].at_most)
    assert hundred.decisions[0].row.p == pytest.approx(one.decisions[0].row.p)

    share, cent = share.only(learners=["M2"]), cent.only(learners=["M2"])
    for name, options in (("wilson", {}), ("binomial", {"p0": 0.2}), ("normal-approximation", {"p0": 0.2})):
        first = analyse(share, name, margin=0.01 if options else None, **options)
        second = analyse(cent, name, margin=1 if options else None, **options)
        assert second.rows[0].lower == pytest.approx(100 * first.rows[0].lower)
        assert second.rows[0].p == pytest.approx(first.rows[0].p, nan_ok=True)
        assert [r.superior for r in second.relevance] == pytest.approx([r.superior for r in first.relevance])


def test_what_does_not_fit_is_told(tmp_path: Path) -> None:
    with pytest.raises(MisfitError, match="the sizes of the test sets are not known: give a column n_test"):
        analyse(rates(tmp_path, "learner,accuracy\nM1,0.75\n"), "wilson")
    with pytest.raises(MisfitError, match="as error and accuracy are, and the measure is auc"):
        analyse(rates(tmp_path, "learner,auc,n_test\nM1,0.75,30\n"), "binomial", p0=0.5)
    with pytest.raises(MisfitError, match=r"This test counts whole answers, and 0\.15 of 30 are 4\.5"):
        analyse(rates(tmp_path, "learner,error,n_test\nM1,0.15,30\n"), "binomial", p0=0.5)
    folds = rates(tmp_path, "learner,fold,error,n_test\nM1,1,0.15,30\nM1,2,0.2,30\n")
    with pytest.raises(MisfitError, match="it takes one rate a learner, or answers that are right or wrong"):
        analyse(folds, "wilson")


def test_rates_and_counts() -> None:
    assert rate_of(ANSWERS, nan) == (0.75, 1000)
    assert rate_of([1], nan) == (1, 1)
    assert rate_of([1.0000001], 30) == (1, 30)  # rounded in single precision
    assert x_of([0.15], 30) == (4.5, 30)
    assert count_of([0.8533], 150) == (128, 150, "0.8533 of 150 is counted as 128")
    assert compute_binomial([0.8533], 150, p0=0.5).note.endswith("; 0.8533 of 150 is counted as 128")
    for rate, n in ((1.5, 30), (-0.5, 30), (nan, 30)):
        with pytest.raises(UsageError, match="A rate lies between 0 and 1; the first is"):
            checked_rate_of(rate, n, "first")
    for n in (0, -3, float("inf")):
        with pytest.raises(UsageError, match="The rate needs the size of its test set, at least one instance"):
            rate_of([0.5], n)
    with pytest.raises(UsageError, match="A test set has a whole number of instances"):
        count_of([0.5], 2.5)
    with pytest.raises(DegenerateError, match="Give the counts"):
        count_of([0.15], 30)


# ----------------------------------------------------------------------------------------------------------------------
# The binomial test: against scipy, enumeration, its own interval, and bad input.


ALTERNATIVES = ("two-sided", "greater", "less")
rates_binomial = st.one_of(st.sampled_from([0.5, 0.1, 0.25, 1 / 3, 0.02]), st.floats(0.001, 0.999))


@st.composite
def counts(draw: st.DrawFn) -> tuple[int, int]:
    n = draw(st.integers(1, 300))
    return draw(st.integers(0, n)), n


@pytest.mark.parametrize("alternative", ALTERNATIVES)
@given(xn=counts(), p0=rates_binomial)
def test_agrees_with_scipy(alternative: str, xn: tuple[int, int], p0: float) -> None:
    x, n = xn
    theirs = stats.binomtest(x, n, p0, alternative=alternative).pvalue
    assert binomial_p(x, n, p0, alternative) == pytest.approx(theirs, rel=1e-8, abs=1e-300)


@given(xn=counts().filter(lambda xn: xn[1] <= 40), p0=rates_binomial)
def test_two_sided_sums_what_is_no_more_likely(xn: tuple[int, int], p0: float) -> None:
    x, n = xn
    chance = stats.binom.pmf(range(n + 1), n, p0)
    assert binomial_p(x, n, p0) == pytest.approx(chance[chance <= chance[x] * (1 + 1e-7)].sum(), rel=1e-7)


@pytest.mark.parametrize("alternative", ALTERNATIVES)
@given(xn=counts(), p0=rates_binomial, confidence=st.floats(0.5, 0.999))
@example(xn=(3, 20), p0=0.3, confidence=0.78)
def test_interval_leaves_p0_out_exactly_when_the_test_rejects(
    alternative: str, xn: tuple[int, int], p0: float, confidence: float
) -> None:
    result = binomial_test(*xn, p0, confidence=confidence, alternative=alternative)
    rejected = result.p <= (1 - confidence) * (1 + 1e-12)
    assert (result.lower <= p0 <= result.upper) is not rejected
    assert 0 <= result.lower <= result.upper <= 1


@given(xn=counts(), p0=rates_binomial, low=st.floats(0.5, 0.9), more=st.floats(0.001, 0.099))
def test_a_higher_level_widens_the_interval(xn: tuple[int, int], p0: float, low: float, more: float) -> None:
    inner = binomial_test(*xn, p0, confidence=low)
    outer = binomial_test(*xn, p0, confidence=low + more)
    assert outer.lower <= inner.lower
    assert outer.upper >= inner.upper


@given(xn=counts(), p0=st.sampled_from([0.5, 0.25, 0.125]))
def test_failures_mirror_successes(xn: tuple[int, int], p0: float) -> None:
    x, n = xn
    assert binomial_p(x, n, p0) == pytest.approx(binomial_p(n - x, n, 1 - p0), rel=1e-9)
    assert binomial_p(x, n, p0, "less") == pytest.approx(binomial_p(n - x, n, 1 - p0, "greater"), rel=1e-9)


def test_ten_million_trials_take_no_time() -> None:
    start = perf_counter()
    assert binomial_p(5_001_200, 10_000_000, 0.5, "greater") == pytest.approx(0.224036838677599, rel=1e-9)
    assert binomial_p(5_001_200, 10_000_000, 0.5) == pytest.approx(2 * 0.224036838677599, rel=1e-9)
    assert perf_counter() - start < 0.5


def test_a_column_is_counted() -> None:
    result = compute_binomial([1] * 12 + [0] * 88, p0=0.08, alternative="greater")
    assert (result.statistic, result.estimate) == (12.0, 0.12)
    assert result.p == pytest.approx(0.102845239598966, rel=1e-9)
    assert "p0 = 0.08" in result.note


@pytest.mark.parametrize(
    ("arguments", "options", "says"),
    [
        ((21, 20, 0.5), {}, "at most 20 can be errors; found 21"),
        ((-1, 20, 0.5), {}, "not negative; found -1"),
        ((1.5, 20, 0.5), {}, "whole number"),
        ((1, float("nan"), 0.5), {}, "whole number"),
        ((0, 0, 0.5), {}, "at least one trial"),
        ((1, 20, None), {}, "give p0"),
        ((1, 20, 0.0), {}, "strictly between 0 and 1; found 0.0"),
        ((1, 20, 1.0), {}, "strictly between 0 and 1"),
        ((1, 20, float("nan")), {}, "strictly between 0 and 1"),
        ((1, 20, 0.5), {"confidence": 1.0}, "confidence level"),
        ((1, 20, 0.5), {"alternative": "up"}, "alternative must be one of"),
    ],
)
def test_bad_arguments_are_refused_in_words(
    arguments: tuple[float, float, float], options: dict[str, object], says: str
) -> None:
    with pytest.raises(UsageError, match=says):
        binomial_test(*arguments, **options)  # type: ignore[arg-type]


def test_a_missing_p0_is_asked_for() -> None:
    with pytest.raises(UsageError, match="fixed in advance: give p0"):
        compute_binomial([0, 1])
    with pytest.raises(UsageError, match="0 or 1"):
        compute_binomial([0, 3], p0=0.5)


# ----------------------------------------------------------------------------------------------------------------------
# The approximate normal test of a rate: R's prop.test, Wilson's interval, and the rule of thumb.


SIDES = ("two-sided", "greater", "less")

# R 4.2.2: r <- prop.test(21, 30, .5, alternative = side, correct = TRUE); c(sqrt(r$statistic), r$p.value, r$conf.int)
CORRECTED = {
    "two-sided": (2.0083160441856, 0.0446097180249, 0.5044209128688, 0.8458720263468),
    "greater": (2.0083160441856, 0.0223048590125, 0.5335171733747, 1.0),
}


@pytest.mark.parametrize("alternative", list(CORRECTED))
def test_r_with_continuity_correction(alternative: str) -> None:
    z, p, lower, upper = CORRECTED[alternative]
    found = normal_approximation(21, 30, 0.5, alternative=alternative, correction=True)
    assert (found.statistic, found.p) == pytest.approx((z, p), rel=1e-8)
    assert (found.lower, found.upper) == pytest.approx((lower, upper), rel=1e-10)


@given(
    n=st.integers(1, 200), share=st.floats(0, 1), p0=st.floats(0.01, 0.99), side=st.sampled_from(SIDES),
    correction=st.booleans(),
)  # fmt: skip
def test_interval_and_test_agree(n: int, share: float, p0: float, side: str, correction: bool) -> None:
    found = normal_approximation(round(share * n), n, p0, alternative=side, confidence=0.9, correction=correction)
    assert 0 <= found.p <= 1
    assert (found.p <= 0.1) == (not found.lower <= p0 <= found.upper)


def test_it_says_what_the_binomial_test_says_for_large_n() -> None:
    near, exact = normal_approximation(10_250, 100_000, 0.1).p, binomial_test(10_250, 100_000, 0.1).p
    assert near == pytest.approx(exact, rel=0.05)


@pytest.mark.parametrize(
    ("n", "p0", "fine"), [(100, 0.05, True), (99, 0.05, False), (100, 0.95, True), (99, 0.95, False), (10, 0.5, True)]
)
def test_rule_of_thumb(n: int, p0: float, fine: bool) -> None:
    found = normal_approximation(n // 2, n, p0)
    assert found.details["rule_of_thumb"] is fine
    assert ("use binomial" in found.note) is not fine


def test_size_below_the_rule_is_as_the_card_says() -> None:
    errors = np.arange(21)
    rejects = [normal_approximation(int(e), 20, 0.05, alternative="greater").p <= 0.05 for e in errors]
    assert stats.binom.pmf(errors[rejects], 20, 0.05).sum() == pytest.approx(0.075, abs=0.0005)


def test_columns_and_rates() -> None:
    assert compute_normal([1, 0, 0, 1], p0=0.4).statistic == normal_approximation(2, 4, 0.4).statistic
    assert normal_approximation(4.5, 30, 0.2).estimate == 0.15  # 15 % of 30


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        ((3, 10, None), "needs a rate to test against"),
        ((3, 10, 0.0), "lies strictly between 0 and 1"),
        ((3, 10, nan), "lies strictly between 0 and 1"),
        ((11, 10, 0.5), "x counts some of n ≥ 1 trials"),
        ((-1, 10, 0.5), "x counts some of n ≥ 1 trials"),
        ((0, 0, 0.5), "x counts some of n ≥ 1 trials"),
        ((nan, 10, 0.5), "x counts some of n ≥ 1 trials"),
    ],
)
def test_bad_arguments(arguments: tuple[float, float, float | None], sentence: str) -> None:
    with pytest.raises(UsageError, match=sentence):
        normal_approximation(*arguments)


def test_columns_are_zeros_and_ones() -> None:
    with pytest.raises(UsageError, match="must be 0 or 1"):
        compute_normal([0, 2], p0=0.5)


# ----------------------------------------------------------------------------------------------------------------------
# Intervals for a rate: against other implementations, their defining equations, and bad input.


KEEPS_RANGE = [name for name in METHODS if name not in ("wald", "agresti_coull")]


@st.composite
def counts_wilson(draw: st.DrawFn) -> tuple[int, int]:
    n = draw(st.integers(1, 400))
    return draw(st.integers(0, n)), n


@pytest.mark.parametrize(
    ("method", "theirs"), [("wilson", "wilson"), ("clopper_pearson", "exact"), ("wilson_cc", "wilsoncc")]
)
@given(xn=counts_wilson(), confidence=st.floats(0.5, 0.999))
def test_agrees_with_scipy_wilson(method: str, theirs: str, xn: tuple[int, int], confidence: float) -> None:
    x, n = xn
    found = stats.binomtest(x, n).proportion_ci(confidence, method=theirs)
    ours = proportion_interval(x, n, confidence=confidence, method=method)
    assert ours == pytest.approx((max(found.low, 0.0), min(found.high, 1.0)), abs=1e-9)


@pytest.mark.parametrize("alternative", ["greater", "less"])
@given(xn=counts_wilson())
def test_one_sided_clopper_pearson_agrees_with_scipy(alternative: str, xn: tuple[int, int]) -> None:
    x, n = xn
    found = stats.binomtest(x, n, alternative=alternative).proportion_ci(0.9)
    ours = proportion_interval(x, n, confidence=0.9, method="clopper_pearson", alternative=alternative)
    assert ours == pytest.approx((found.low, found.high), abs=1e-9)


@given(xn=counts_wilson(), confidence=st.floats(0.6, 0.999))
def test_wilson_ends_are_where_the_score_test_rejects(xn: tuple[int, int], confidence: float) -> None:
    x, n = xn
    z = stats.norm.ppf((1 + confidence) / 2)
    for end in proportion_interval(x, n, confidence=confidence):
        if 0 < end < 1:
            assert abs(x / n - end) / sqrt(end * (1 - end) / n) == pytest.approx(z, rel=1e-6)


@given(xn=counts_wilson(), low=st.floats(0.5, 0.9), more=st.floats(0.001, 0.099))
def test_a_higher_level_widens_the_interval_wilson(xn: tuple[int, int], low: float, more: float) -> None:
    x, n = xn
    for method in METHODS:
        if method == "agresti_coull":  # moves to the middle as the level rises: not monotone next to 0 and n
            continue
        inner = proportion_interval(x, n, confidence=low, method=method)
        outer = proportion_interval(x, n, confidence=low + more, method=method)
        assert outer[0] <= inner[0] + 1e-12, method
        assert outer[1] >= inner[1] - 1e-12, method


@given(xn=counts_wilson())
def test_failures_mirror_successes_wilson(xn: tuple[int, int]) -> None:
    x, n = xn
    for method in METHODS:
        low, high = proportion_interval(x, n, confidence=0.95, method=method)
        assert proportion_interval(n - x, n, confidence=0.95, method=method) == pytest.approx(
            (1 - high, 1 - low), abs=1e-9
        ), method


@given(xn=counts_wilson())
def test_intervals_hold_the_rate_and_most_stay_in_range(xn: tuple[int, int]) -> None:
    x, n = xn
    for method in METHODS:
        low, high = proportion_interval(x, n, confidence=0.95, method=method)
        assert low - 1e-12 <= x / n <= high + 1e-12, method
        if method in KEEPS_RANGE:
            assert 0 <= low < high <= 1, method


def test_coverage_is_what_the_card_says() -> None:
    n, p = 30, 0.9
    x = np.arange(n + 1)
    chance = stats.binom.pmf(x, n, p)

    def coverage(method: str) -> float:
        ends = [proportion_interval(float(k), n, confidence=0.95, method=method) for k in x]
        return float(sum(c for (low, high), c in zip(ends, chance, strict=True) if low <= p <= high))

    assert coverage("wald") == pytest.approx(0.81, abs=0.005)
    assert coverage("wilson") == pytest.approx(0.97, abs=0.005)


def test_wald_and_agresti_coull_are_not_clipped() -> None:
    assert proportion_interval(1, 20, confidence=0.95, method="wald")[0] < 0
    assert proportion_interval(20, 20, confidence=0.95, method="agresti_coull")[1] > 1
    assert proportion_interval(0, 5, confidence=0.95, method="wald") == (0.0, 0.0)


def test_rates_that_are_no_counts_are_allowed() -> None:
    low, high = proportion_interval(0.15 * 30, 30, confidence=0.95)
    assert low < 0.15 < high


def test_the_yates_correction_stays_at_one_half() -> None:
    """R's prop.test drops it there, because its null hypothesis is met."""
    low, high = proportion_interval(10, 20, confidence=0.95, method="wilson_cc")
    plain = proportion_interval(10, 20, confidence=0.95)
    assert low < plain[0] < plain[1] < high


def test_a_column_gives_rate_and_interval_but_no_p() -> None:
    result = compute_wilson([0] * 20 + [1] * 80, confidence=0.95, alternative="two-sided")
    assert result.estimate == 0.8
    assert (round(result.lower, 4), round(result.upper, 4)) == (0.7112, 0.8666)
    assert np.isnan(result.p)
    assert result.details == {"x": 80, "n": 100, "method": "wilson"}


def test_one_sided_intervals_end_at_the_limit() -> None:
    two = compute_wilson([1, 0, 1, 1], confidence=0.9)
    greater = compute_wilson([1, 0, 1, 1], confidence=0.95, alternative="greater")
    less = compute_wilson([1, 0, 1, 1], confidence=0.95, alternative="less")
    assert (greater.lower, greater.upper) == pytest.approx((two.lower, 1.0))
    assert (less.lower, less.upper) == pytest.approx((0.0, two.upper))


@pytest.mark.parametrize(
    ("x", "n", "options", "says"),
    [
        (-1, 10, {}, "between 0 and n"),
        (11, 10, {}, "between 0 and n"),
        (float("nan"), 10, {}, "between 0 and n"),
        (1, 0, {}, "at least one trial"),
        (1, float("inf"), {}, "at least one trial"),
        (1, 10, {"confidence": 1.0}, "strictly between 0 and 1"),
        (1, 10, {"confidence": 0.0}, "strictly between 0 and 1"),
        (1, 10, {"method": "wilsn"}, "Did you mean 'wilson'"),
        (1, 10, {"alternative": "larger"}, "alternative must be one of"),
    ],
)
def test_bad_counts_are_refused_in_words(x: float, n: float, options: dict[str, object], says: str) -> None:
    with pytest.raises(UsageError, match=says):
        proportion_interval(x, n, **{"confidence": 0.95, **options})  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("values", "says"),
    [
        ([], "at least one value"),
        ([[0, 1], [1, 0]], "one column"),
        ([0, 1, 0.5], "0 or 1 .* found 0.5 at position 3"),
        ([0, float("nan")], "found nan at position 2"),
        (["right", "wrong"], "column of numbers"),
    ],
)
def test_bad_columns_are_refused_in_words(values: object, says: str) -> None:
    with pytest.raises(UsageError, match=says):
        compute_wilson(values)  # type: ignore[arg-type]
