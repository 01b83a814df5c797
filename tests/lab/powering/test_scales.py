"""What differences are said in."""

from __future__ import annotations

from bakeoff.lab.powering.scales import BINARY, OWN_SCALE, SEVERAL_MEASURES, has_sd
from bakeoff.procedures.card import Answers
from bakeoff.registry import MODULES, explain


def test_scales_are_those_of_procedures() -> None:
    assert set(OWN_SCALE) <= set(MODULES)
    assert set(OWN_SCALE) >= BINARY
    assert {name for name in MODULES if explain(name).answers is Answers.MULTIVARIATE} == SEVERAL_MEASURES
    assert not has_sd("delong")
    assert has_sd("hotelling")


def test_tests_of_right_and_wrong_answers_are_here() -> None:
    asked = {name for name in MODULES if any("right or wrong" in need.asks for need in explain(name).needs)}
    assert asked - {"wilson"} <= BINARY
