from __future__ import annotations

from bakeoff.learners.fitted import Timings


def test_resources_by_the_names_of_the_measures() -> None:
    assert Timings(1.0, 2.0, 0.5, 0.25).resources() == {
        "fit_time": 1.0,
        "fit_cpu": 2.0,
        "predict_time": 0.5,
        "predict_cpu": 0.25,
    }


def test_what_was_not_measured_is_left_out() -> None:
    assert Timings(1.0, 2.0).resources() == {"fit_time": 1.0, "fit_cpu": 2.0}
