"""The faces of an answer."""

from __future__ import annotations

import json
from dataclasses import FrozenInstanceError

import pytest

from bakeoff.lab.powering.asking import power


def test_sentences() -> None:
    n = power("t", difference=0.02, sd=0.05)
    assert n.sentence == "52 pairs find a difference of 0.02 with a power of 0.808 (0.8 was wanted)."
    assert str(n) == n.to_text()
    d = power("t", n=20, sd=0.05)
    assert d.sentence == "With 20 pairs, a difference of 0.03302 or more is found with a power of 0.8."
    p = power("t", n=20, difference="0.5sd")
    assert p.sentence.startswith("With 20 pairs, a difference of 0.5 sd is found with a power of 0.56")
    assert "it is missed with a probability of 0.4" in p.sentence
    sure = power("t", n=100, difference="2sd")
    assert "power of >0.999;" in sure.sentence


def test_text_says_what_it_rests_on() -> None:
    text = power("sign", n=5, wins=0.9).to_text()
    for part in ("two-sided, α = 0.05", "exact, by the binomial law", "there are no ties", "Warning: With 5 tasks"):
        assert part in text
    simulated = power("wilcoxon", n=8, difference="1sd", replications=20).to_text()
    assert "simulated, 20 replications, seed 0" in simulated
    assert " ± " in simulated
    assert "two-sided" not in power("anova", n=8, difference="1sd").to_text()


def test_the_curve_is_a_table() -> None:
    found = power("t", difference=0.02, sd=0.05)
    header, cells = found.table()
    assert header == ["pairs", "difference", "power"]
    assert ["52", "0.02", "0.808"] in cells
    frame = found.to_frame()
    assert list(frame.columns) == ["n", "difference", "power", "error"]
    assert frame.power.is_monotonic_increasing
    banded = power("t", n=8, difference="1sd", simulate=True, replications=20, curve=True)
    assert banded.table()[0][-1] == "Monte-Carlo error"
    assert len(power("wilcoxon", n=8, difference="1sd", replications=20).to_frame()) == 1


def test_json_and_html() -> None:
    found = power("t", difference=0.02, sd=0.05)
    made = json.loads(found.to_json())
    assert (made["at"]["n"], made["at"]["error"], made["solved_for"]) == (52, None, "n")
    assert made["sentence"] == found.sentence
    assert "residuals" not in made["guess"]
    html = found._repr_html_()
    assert "<b>52 pairs find" in html
    assert "<table>" in html


def test_it_cannot_be_changed() -> None:
    with pytest.raises(FrozenInstanceError):
        power("t", n=9).blocks = "folds"  # type: ignore[misc]
