from __future__ import annotations

import json

import numpy as np
import pytest
from scipy import stats

from bakeoff.cli import main
from bakeoff.errors import UsageError
from bakeoff.power_analysis.rejections import rejections


@pytest.mark.parametrize(("n", "p0", "rate"), [(20, 0.3, 0.5), (30, 0.2, 0.2), (100, 0.05, 0.01), (17, 0.6, 0.9)])
@pytest.mark.parametrize("one_sided", [False, True])
def test_chances_are_sums_over_all_outcomes(n: int, p0: float, rate: float, one_sided: bool) -> None:
    found = rejections("binomial", n, p0, rate=rate, one_sided=one_sided).at
    assert found is not None
    counts, law = np.arange(n + 1), stats.binom.pmf(np.arange(n + 1), n, rate)
    for side, chance, where in (("less", found.smaller, counts < n * p0), ("greater", found.larger, counts > n * p0)):
        asked = side if one_sided else "two-sided"
        p = np.array([stats.binomtest(int(x), n, p0, alternative=asked).pvalue for x in counts])
        assert chance == pytest.approx(law[(p <= 0.05) & where].sum(), abs=1e-9)


def test_the_size_never_exceeds_the_level_of_the_exact_test() -> None:
    for n in (5, 20, 50, 200):
        for p0 in (0.05, 0.3, 0.5, 0.9):
            found = rejections("binomial", n, p0)
            size = next(row for row in found.table if row.rate == p0)
            assert size.either <= 0.05 + 1e-12
    assert max(row.larger for row in rejections("normal-approximation", 20, 0.05, one_sided=True).table) > 0.05


def test_refusals() -> None:
    with pytest.raises(UsageError, match="does not test one rate"):
        rejections("mcnemar", 20, 0.3)
    for bad in ({"n": 0, "p0": 0.3}, {"n": 20, "p0": 1.0}, {"n": 20, "p0": 0.3, "rate": 1.5}):
        with pytest.raises(UsageError, match="found"):
            rejections("binomial", **bad)


def test_by_command(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["power", "binomial", "--p0", "0.3", "--n", "100", "--rate", "0.2", "--json"]) == 0
    said = json.loads(capsys.readouterr().out)
    assert said["at"]["smaller"] == pytest.approx(rejections("binomial", 100, 0.3, rate=0.2).at.smaller)
    assert main(["power", "binomial", "--p0", "0.3", "--rate", "0.2"]) == 0
    below = capsys.readouterr().out.split()[0]
    assert main(["power", "binomial", "--p0", "0.7", "--rate", "0.8"]) == 0
    mirrored = capsys.readouterr().out
    assert mirrored.split()[0] == below
    assert "Of right answers in place of errors: 0.2 against 0.3." in mirrored
    assert main(["power", "t", "--p0", "0.3", "--n", "20"]) == 2
    assert main(["power", "binomial", "--rate", "0.3", "--n", "20"]) == 2
