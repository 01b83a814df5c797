"""Rates with the size of their test set do what answers do."""

from __future__ import annotations

from math import nan
from pathlib import Path

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from scipy import stats

from bakeoff import advise, analyse, judge, read_scores
from bakeoff.errors import MisfitError, UsageError
from bakeoff.procedures.rates import (
    binomial_test,
    compute_binomial,
    compute_normal,
    compute_wilson,
    normal_approximation,
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


# ----------------------------------------------------------------------------------------------------------------------
# The binomial test: against scipy, enumeration, its own interval, and bad input.


ALTERNATIVES = ("two-sided", "greater", "less")
rates_binomial = st.one_of(st.sampled_from([0.5, 0.1, 0.25, 1 / 3, 0.02]), st.floats(0.001, 0.999))


@st.composite
def counts(draw: st.DrawFn) -> tuple[int, int]:
    n = draw(st.integers(1, 300))
    return draw(st.integers(0, n)), n


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


def test_a_rate_that_was_counted_back_is_told() -> None:
    assert compute_binomial([0.8533], 150, p0=0.5).note.endswith("; 0.8533 of 150 is counted as 128")


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
# Intervals for a rate: from columns, one-sided, and bad input.


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
