"""Procedures that claim their level hold it; the cautions about the others are true."""

from __future__ import annotations

import pytest

from bakeoff.lab.calibration import Setting, all_settings, calibrate, further_settings

CLAIMING = [setting for setting in all_settings() if setting.claims]


@pytest.mark.parametrize("setting", CLAIMING, ids=lambda s: f"{s.procedure}, {s.design_name}")
def test_who_claims_a_level_holds_it(setting: Setting) -> None:
    found = calibrate(setting, replications=250, seed=7)
    assert not found.too_many, f"{found.size:.3f} false claims at 5 %"
    if found.with_intervals == found.replications:
        assert found.coverage == pytest.approx(1 - found.size, abs=0.02)


@pytest.mark.parametrize(
    ("number", "least"),
    [(0, 0.3), (2, 0.3), (3, 0.3), (4, 0.3)],
    ids=["naive t over 10×10", "permutation over 10×10", "resampled t", "fixed test set"],
)
def test_what_cautions_warn_of_is_true(number: int, least: float) -> None:
    found = calibrate(further_settings()[number], replications=100, seed=7)
    assert found.too_many
    assert found.size > least


def test_the_same_seed_gives_the_same_simulation() -> None:
    setting = CLAIMING[0]
    assert calibrate(setting, replications=20, seed=1) == calibrate(setting, replications=20, seed=1)
