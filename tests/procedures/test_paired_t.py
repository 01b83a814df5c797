"""The paired t test on losses: R's values, and what its card promises."""

from __future__ import annotations

from math import inf

import pytest

from bakeoff.procedures.paired_t import PROCEDURE, paired_t

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
    assert any("mcnemar" in caution.text for caution in PROCEDURE.card.cautions)
