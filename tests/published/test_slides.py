"""The slides: which interval is which, and that the other one is noticed."""

from __future__ import annotations

import pytest

from bakeoff.published import slides
from bakeoff.published.comparison import Agreement, Reproduction
from bakeoff.published.result import printed_values


def test_all_intervals_but_the_first_are_wilsons() -> None:
    made = slides.intervals()
    found = {
        (cell.row, cell.column): how for cell, how in zip(made.cells, made.agreements, strict=True) if cell.printed
    }
    misprints = [key for key, how in found.items() if how is Agreement.MISPRINT]
    assert misprints == [
        ("error, 250 of 1000, 95 %", "Wilson, lower"),
        ("error, 250 of 1000, 95 %", "Wilson, upper"),
        ("accuracy .8, N = 100, 95 %", "Wilson, upper"),
        ("z, 90 %", "quantile"),
    ]
    assert found["error, 250 of 1000, 95 %", "Wald, lower"] is Agreement.EXACT
    assert len(found) == 8 * 2 + 2 + 4


@pytest.mark.parametrize("method", ["wald", "clopper_pearson", "agresti_coull", "wilson_cc"])
def test_another_method_is_noticed(monkeypatch: pytest.MonkeyPatch, method: str) -> None:
    """If all intervals were Wald's (or any other than Wilson's), the table of N would not come out."""
    from bakeoff.mathematics import proportions

    right = proportions.proportion_interval
    monkeypatch.setattr(
        proportions,
        "proportion_interval",
        lambda x, n, *, confidence, **_: right(x, n, confidence=confidence, method=method),
    )
    said = printed_values("slides")
    table = [cell for rate in said["rate"][3:] for cell in slides._bounds(rate, "wilson")]
    assert sum(cell.excess > 0 for cell in table) > 1  # S6 is one with the right method


def test_one_sided_intervals_are_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    said = printed_values("slides")
    said["rate"] = [{**rate, "confidence": 2 * rate["confidence"] - 1} for rate in said["rate"]]
    monkeypatch.setattr(slides, "printed_values", lambda name: said)
    assert len([cell for cell in slides.intervals().cells if cell.printed and cell.excess > 0]) > 10


def test_two_models() -> None:
    made = slides.two_models()
    assert made.errata == ("S4", "S3")
    values = {cell.row: cell.ours for cell in made.cells}
    assert values["variance of d"] == pytest.approx(0.15 * 0.85 / 30 + 0.25 * 0.75 / 5000)
    assert (values["lower, 95 %"], values["upper, 95 %"]) == pytest.approx((-0.228, 0.028), abs=5e-4)


def test_two_models_notice_a_pooled_test_set(monkeypatch: pytest.MonkeyPatch) -> None:
    """Both models with 5000 instances: the variance, the width and the decision are others."""
    said = printed_values("slides")
    said["two_models"]["n1"] = 5000
    monkeypatch.setattr(slides, "printed_values", lambda name: said)
    made = slides.two_models()
    assert made.status is Reproduction.NOT_REPRODUCED
    assert {cell.row for cell in made.differing} == {"variance of d", "half-width, 95 %", "decision, 95 %"}


def test_the_formula_of_the_slide_is_the_paired_t_test_and_the_misprinted_one_is_not() -> None:
    made = slides.t_tests()
    assert made.status is Reproduction.UNPRINTED
    ours, formula, misprinted = (float(cell.ours) for cell in made.cells[:3])
    assert ours == pytest.approx(formula)
    assert misprinted != pytest.approx(formula, rel=1)


def test_pairing_gains_and_fewer_degrees_of_freedom_lose() -> None:
    paired, smaller, welch = (float(cell.ours) for cell in slides.t_tests().cells if cell.column == "p")
    assert paired < welch < smaller
