"""Rates with the size of their test set do what answers do."""

from __future__ import annotations

from math import nan
from pathlib import Path

import numpy as np
import pytest

from bakeoff import advise, analyse, judge, read_scores
from bakeoff.errors import DegenerateError, MisfitError, UsageError
from bakeoff.procedures import binomial, normal_approximation, wilson
from bakeoff.procedures.rates import checked_rate_of, count_of, rate_of, x_of
from bakeoff.scores import Scores, unpaired

ANSWERS = np.repeat([1.0, 0.0], [750, 250])


def rates(tmp_path: Path, text: str) -> Scores:
    path = tmp_path / "rates.csv"
    path.write_text(text)
    return read_scores(path)


@pytest.mark.parametrize(
    ("compute", "options"),
    [(wilson.compute, {}), (binomial.compute, {"p0": 0.7}), (normal_approximation.compute, {"p0": 0.7})],
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
    assert binomial.compute([0.8533], 150, p0=0.5).note.endswith("; 0.8533 of 150 is counted as 128")
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
