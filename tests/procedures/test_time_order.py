"""Successive losses: refusal of what is too persistent, warnings near that, and order."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
import zoo

from bakeoff.errors import DegenerateError, MisfitError
from bakeoff.judging import advise, analyse, judge
from bakeoff.procedures.time_order import cosine_mean, cosine_t
from bakeoff.scores import Scores


def series(rho: float, n: int, k: int, seed: int) -> np.ndarray:
    rng = np.random.default_rng(seed)
    x = rng.normal(size=(n, k))
    for t in range(1, n):
        x[t] = rho * x[t - 1] + (1 - rho**2) ** 0.5 * x[t]
    return x


def ordered(values: np.ndarray) -> Scores:
    return replace(zoo.table(values, kind="instances", name="rmse"), ordered="time")


def test_a_persistent_series_is_refused_with_a_reason() -> None:
    t = np.arange(1, 61)
    d = np.sin(t / 5) + 0.3 * np.cos(1.7 * t) + 0.25
    with pytest.raises(DegenerateError, match=r"too persistent for its length.*0\.95.*60 times hold 0 waves"):
        cosine_t(d, np.zeros(60))
    with pytest.raises(DegenerateError, match="too persistent"):
        cosine_mean(d)
    with pytest.raises(DegenerateError, match="too persistent"):
        judge(ordered(np.column_stack([d, np.zeros(60)])))


def test_one_series_among_several_is_a_row_that_is_refused() -> None:
    t = np.arange(1, 61)
    noise = np.random.default_rng(1).normal(size=(60, 2))
    finding = analyse(ordered(np.column_stack([5 * np.sin(t / 9), noise])), "cosine-t")
    assert [row.refused for row in finding.pairs].count(True) == 2
    assert finding.adjust == "holm"


def test_few_waves_are_a_warning() -> None:
    codes = {}
    for seed in range(30):
        try:
            verdict = judge(ordered(series(0.75, 100, 2, seed)))
        except DegenerateError:
            continue
        waves = next(iter(verdict.finding.details.values()))["waves"]
        warned = "persistent-series" in {warning.code for warning in verdict.warnings}
        codes.setdefault(waves <= 6, set()).add(warned)
        assert waves >= 4
    assert codes == {True: {True}, False: {False}}


@pytest.mark.parametrize(("times", "warned"), [(199, True), (200, False)])
def test_few_times_are_a_warning(times: int, warned: bool) -> None:
    codes = {warning.code for warning in judge(ordered(series(0.2, times, 2, 1))).warnings}
    assert ("short-series" in codes) is warned


def test_time_leads_here_and_never_to_the_paired_t() -> None:
    scores = ordered(series(0.5, 200, 3, 2))
    advice = advise(scores)
    assert advice.recommended == "cosine-t"
    assert {"paired-t", "bootstrap-t", "item-flips"} & {c.procedure for c in advice.fitting} == set()
    with pytest.raises(MisfitError, match=r"successive in time \(time\): each resembles the one before"):
        analyse(scores, "hochberg-tamhane")
    assert "further times of this series" in judge(scores).paragraph


def test_without_times_there_is_no_series() -> None:
    with pytest.raises(MisfitError, match="give a column of times"):
        analyse(zoo.table(series(0.0, 50, 2, 1), kind="instances", name="rmse"), "cosine-t")


def test_one_learner_over_time() -> None:
    x = series(0.6, 400, 1, 3) + 5
    wide = judge(ordered(x)).finding.rows[0]
    assert wide.upper - wide.lower > 1.5 * 2 * 1.96 / 400**0.5
    assert cosine_mean(x[:, 0], p0=5.0).p == pytest.approx(cosine_t(x[:, 0], np.full(400, 5.0)).p)
