from __future__ import annotations

import json

import pytest

from bakeoff.cli import main
from bakeoff.errors import UsageError
from bakeoff.judging.from_counts import counts_in, rate_interval, threshold_of


def test_the_intervals_of_the_slides_and_of_r() -> None:
    # The slides print 80 of 100 as [.711, .866] (cut). Clopper and Pearson's is R's binom.test(80, 100).
    found = rate_interval(80, 100).rates[0].intervals
    assert found["wilson"] == pytest.approx((0.7111708, 0.8666331), abs=1e-7)
    assert found["clopper_pearson"] == pytest.approx((0.7081573, 0.8733444), abs=1e-7)
    assert next(iter(found)) == "wilson"


def test_two_rates_by_newcombe() -> None:
    found = rate_interval(56, 70, 48, 80)
    assert (found.lower, found.upper) == pytest.approx((0.0524, 0.3339), abs=5e-5)  # Newcombe (1998), Table II
    assert found.difference == pytest.approx(0.2)
    assert "These counts tell them apart." in found.sentence
    assert "do not tell them apart" in rate_interval(30, 40, 35, 50).sentence


def test_one_sided_and_against_a_rate() -> None:
    above = rate_interval(12, 100, alternative="greater", p0=0.08)
    assert above.rates[0].p == pytest.approx(0.102845239599)  # R: binom.test(12, 100, .08, "greater")
    assert above.rates[0].intervals["wilson"][1] == 1.0


def test_the_ends_of_what_can_be() -> None:
    for x in (0, 10):
        low, high = rate_interval(x, 10).rates[0].intervals["wilson"]
        assert 0 <= low <= x / 10 <= high <= 1
        assert low < high
    assert rate_interval(0, 10, 0, 20).p == 1


@pytest.mark.parametrize(
    "words", [["80"], ["1", "2", "3"], ["a", "b"], ["5/3"], ["1", "0"], ["-1", "10"], ["1", "2.5"]]
)
def test_what_is_no_rate(words: list[str]) -> None:
    with pytest.raises(UsageError, match=r"found"):
        rate_interval(*counts_in(words))


def test_the_threshold_that_a_loss_ratio_implies() -> None:
    assert threshold_of(5).threshold == pytest.approx(1 / 6)
    assert threshold_of(1, 3).threshold == pytest.approx(0.75)  # α/(1 + α)
    with pytest.raises(UsageError, match="positive number"):
        threshold_of(0)


def test_by_command(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["interval", "750", "1000"]) == 0
    assert capsys.readouterr().out.startswith("750 of 1000 = 0.75; 95 % interval [0.7222, 0.7758] (Wilson).")
    assert main(["interval", "30/40", "35/50", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["difference"] == pytest.approx(0.05)
    assert main(["interval", "5/3"]) == 2
    assert "found 5 of 3" in capsys.readouterr().err
    assert main(["threshold", "5"]) == 0
    assert "above 0.1667" in capsys.readouterr().out
