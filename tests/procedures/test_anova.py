"""One-way analysis of variance: scipy's and R's values, its adjustments, contrasts, edges, bad input."""

from __future__ import annotations

from math import inf, nan
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from bakeoff.errors import MisfitError, UsageError
from bakeoff.inference.contrasts import Contrasts, against, all_pairs, between_groups
from bakeoff.inference.evidence import Comparison, Interval, compare_estimates
from bakeoff.judging import analyse
from bakeoff.mathematics.laws import t_quantile
from bakeoff.measures import known_measure
from bakeoff.procedures.anova import FOLDS, anova
from bakeoff.scores import Scores, unpaired

UNEQUAL = [[0.21, 0.24, 0.19, 0.22], [0.25, 0.27, 0.26, 0.24, 0.28], [0.22, 0.2, 0.23]]


def compared(samples: Any, family: Contrasts, adjustment: str, alternative: str = "two-sided") -> list[Comparison]:
    estimates = anova(samples).estimates
    assert estimates is not None
    return compare_estimates(estimates, family, adjustment, 0.05, alternative)


def scores(samples: list[list[float]] | np.ndarray, measure: str = "error") -> Scores:
    rows = [(f"l{j}", str(i), value) for j, sample in enumerate(samples) for i, value in enumerate(sample)]
    learner, fold, value = zip(*rows, strict=True)
    known = known_measure(measure)
    assert known is not None
    return Scores.of(value, learner=learner, fold=fold, measures={measure: known})


@given(sizes=st.lists(st.integers(2, 12), min_size=2, max_size=6), seed=st.integers(0, 10**6))
def test_f_is_that_of_scipy(sizes: list[int], seed: int) -> None:
    rng = np.random.default_rng(seed)
    samples = [rng.normal(size=n) for n in sizes]
    found, expected = anova(samples).tests[0], stats.f_oneway(*samples)
    assert found.statistic == pytest.approx(expected.statistic, rel=1e-9)
    assert found.p == pytest.approx(expected.pvalue, rel=1e-8)


def test_two_samples_are_the_pooled_t_squared() -> None:
    found = anova(UNEQUAL[:2]).tests[0]
    assert found.statistic == pytest.approx(stats.ttest_ind(*UNEQUAL[:2]).statistic ** 2, rel=1e-10)


@pytest.mark.parametrize("samples", [UNEQUAL, list(np.array(FOLDS).T)], ids=["unequal", "equal"])
def test_tukey_and_kramer_are_those_of_scipy(samples: list[Any]) -> None:
    expected = stats.tukey_hsd(*samples)
    interval = expected.confidence_interval(0.95)
    k = len(samples)
    for (i, j), row in zip(
        all_pairs(range(k)).pairs, compared(samples, all_pairs(range(k)), "single-step"), strict=True
    ):
        assert row.p_adjusted == pytest.approx(expected.pvalue[i, j], abs=2e-7)
        assert (row.lower, row.upper) == pytest.approx((interval.low[i, j], interval.high[i, j]), abs=1e-6)
        assert row.interval is Interval.SIMULTANEOUS


def test_dunnett_is_that_of_scipy() -> None:
    control, *others = UNEQUAL
    expected = stats.dunnett(*others, control=control, rng=np.random.default_rng(1))
    rows = compared(UNEQUAL, against(0, [1, 0, 2]), "dunnett")
    assert [row.p_adjusted for row in rows] == pytest.approx(expected.pvalue, abs=2e-3)
    # R 4.2.2, multcomp 1.4.22: glht(aov(y ~ alg), mcp(alg = "Tukey")), to its own error
    found = compared(UNEQUAL, all_pairs(range(3)), "max-t")
    assert [row.p_adjusted for row in found] == pytest.approx([0.00997906, 0.99148103, 0.01970251], abs=3e-4)


def test_max_t_of_all_pairs_alike_is_tukey() -> None:
    equal = list(np.array(FOLDS).T)
    one, two = (compared(equal, all_pairs(range(5)), adjust) for adjust in ("single-step", "max-t"))
    assert [row.p_adjusted for row in one] == [row.p_adjusted for row in two]


def test_the_order_of_the_adjustments() -> None:
    """Of all pairs, the exact law is sharpest, then Tukey and Kramer's bound, Bonferroni's and Scheffé's."""
    width = {
        name: np.mean([row.upper - row.lower for row in compared(UNEQUAL, all_pairs(range(3)), name)])
        for name in ("none", "max-t", "single-step", "bonferroni", "scheffe")
    }
    assert width["none"] < width["max-t"] < width["single-step"] < width["bonferroni"]
    assert width["single-step"] < width["scheffe"]


def test_scheffe_agrees_with_f() -> None:
    """The largest contrast is significant by Scheffé exactly when F is: with weights n (m − m̄), t² = (k−1) F."""
    many = anova(UNEQUAL)
    estimates = many.estimates
    assert estimates is not None
    sizes = many.details["sizes"]
    weights = sizes * (estimates.values - sizes @ estimates.values / sizes.sum())
    family = Contrasts("groups", (), 3, (tuple(weights),), (("a", "b"),))
    row = compare_estimates(estimates, family, "scheffe", 0.05, "two-sided")[0]
    assert row.p_adjusted == pytest.approx(many.tests[0].p, rel=1e-9)


def test_contrasts_between_groups_are_those_of_r() -> None:
    family = between_groups(["a + b vs c + d + e"], list("abcde"))
    row = compared(np.array(FOLDS), family, "none")[0]
    assert row.statistic == pytest.approx(-2.2601570250245, rel=1e-9)
    assert row.p == pytest.approx(0.0286983504151399, rel=1e-8)
    assert (row.lower, row.upper) == pytest.approx((-0.0180099020662738, -0.00103676460039289), rel=1e-8)


def test_nothing_varies_within() -> None:
    many = anova([[1, 1], [2, 2], [4, 4]])
    assert (many.tests[0].statistic, many.tests[0].p) == (inf, 0.0)
    assert many.details["ss_between"] == pytest.approx(9.3333333333)
    rows = compared([[1, 1], [2, 2], [4, 4]], all_pairs(range(3)), "single-step")
    assert {row.interval for row in rows} == {Interval.NONE}


def test_nothing_varies_at_all() -> None:
    many = anova([[0.3, 0.3], [0.3, 0.3, 0.1 + 0.2]])
    assert (many.tests[0].statistic, many.tests[0].p) == (0.0, 1.0)


def test_nan_is_left_out() -> None:
    found = anova([[1, 2, nan, 3], [2, 3, 4, 5], [7, nan, 6, 5]]).tests[0]
    assert found.statistic == pytest.approx(9.56666666666667)
    assert found.p == pytest.approx(0.00994629445543306)
    assert found.df == (2.0, 7.0)


@pytest.mark.parametrize("samples", [[[1.0], [2.0]], [[1, 2]], [], [[1, 2], ["x"]]])
def test_bad_samples_are_refused(samples: Any) -> None:
    with pytest.raises(UsageError):
        anova(samples)


def test_through_a_table_of_scores() -> None:
    found = analyse(unpaired(scores(UNEQUAL)), "anova", adjust="tukey")
    assert found.adjust_title == "Tukey adjustment"
    assert [row.contrast for row in found.pairs] == ["l0 − l2", "l0 − l1", "l2 − l1"]
    text = found.to_text()
    assert "analysis of variance:" in text
    assert "between learners" in text
    assert found.tests[0].df == (2.0, 9.0)
    header, cells = found.further_tables()["analysis of variance"]
    assert header == ["source", "SS", "df", "MS", "F", "p"]
    assert [row[0] for row in cells] == ["between learners", "within learners", "total"]


def test_fisher_s_lsd_is_no_adjustment() -> None:
    for name in ("lsd", "Fisher-LSD", "none"):
        found = analyse(unpaired(scores(UNEQUAL)), "anova", adjust=name)
        assert found.adjust == "none"
        assert [row.p for row in found.pairs] == [row.p_adjusted for row in found.pairs]


def test_groups_in_words_with_simultaneous_intervals() -> None:
    said = ["l0 + l2 vs l1", "l0 vs l2"]
    for adjust, title in (("scheffe", "Scheffé adjustment"), ("max-t", "Max-t adjustment")):
        found = analyse(unpaired(scores(UNEQUAL)), "anova", contrast=said, adjust=adjust)
        assert found.adjust_title == title
        assert {row.interval for row in found.pairs} == {Interval.SIMULTANEOUS}
        assert found.pairs[0].contrast == "mean of l0 and l2 − l1"


def test_one_sided_orderings() -> None:
    found = analyse(unpaired(scores(UNEQUAL)), "anova", control="l1", alternative="better", adjust="holm")
    assert all(row.p_adjusted < 0.05 for row in found.pairs)
    worse = analyse(unpaired(scores(UNEQUAL)), "anova", control="l1", alternative="worse", adjust="holm")
    assert all(row.p_adjusted > 0.9 for row in worse.pairs)


@pytest.mark.parametrize(
    ("request_", "sentence"),
    [
        ({"control": "l0", "adjust": "tukey"}, "dunnett"),
        ({"adjust": "dunnett"}, "comparisons with a control"),
        ({"contrast": "l0 vs l1 + l2", "adjust": "single-step"}, "scheffe"),
        ({"adjust": "scheffe", "alternative": "better"}, "two-sided"),
        ({"contrast": "l0 vs l9"}, "no learner 'l9'"),
        ({"contrast": {"l0": 1, "l1": 1}}, "add up to zero"),
        ({"alpha": 1.5}, "between 0 and 1"),
    ],
)
def test_requests_that_do_not_fit(request_: dict[str, Any], sentence: str) -> None:
    with pytest.raises(UsageError, match=sentence):
        analyse(unpaired(scores(UNEQUAL)), "anova", **request_)


def test_shared_folds_are_refused() -> None:
    with pytest.raises(MisfitError, match="share their blocks"):
        analyse(scores(np.array(FOLDS).T), "anova")


def test_fisher_s_difference_is_where_the_pooled_t_test_rejects() -> None:
    samples = [[6, 8, 4, 5, 3, 4], [8, 12, 9, 11], [13, 9, 11, 8, 7, 12]]
    many = anova(samples)
    assert many.estimates is not None
    rows = compare_estimates(many.estimates, all_pairs(range(3)), "none", 0.1, "two-sided")
    for (i, j), row in zip(((0, 1), (0, 2), (1, 2)), rows, strict=True):
        pooled = many.details["ms_within"] * (1 / len(samples[i]) + 1 / len(samples[j]))
        lsd = t_quantile(0.95, many.tests[0].df[1]) * np.sqrt(pooled)
        assert row.upper - row.lower == pytest.approx(2 * lsd)
        assert (abs(row.estimate) >= lsd) == (row.p <= 0.1)
