"""Alpaydın: the critical values, and exercise 2 at reduced size against exact rejection probabilities."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

from bakeoff.errors import UsageError
from bakeoff.power_analysis.rejections import rejections
from bakeoff.published import alpaydin
from bakeoff.published.alpaydin import rejection_chance
from bakeoff.published.comparison import Agreement, Reproduction

SMALL = 1000  # the document asks for at least so many
BAND = 4  # standard errors; over 12 shares, chance exceeds it once in a thousand seeds, and the seed is fixed


def test_the_critical_values_agree() -> None:
    made = alpaydin.critical_values()
    assert set(made.agreements) == {Agreement.EXACT}
    assert [cell.printed for cell in made.cells if cell.row.startswith(("t(", "F(", "χ²"))] == [
        "1.83", "1.70", "3.84", "2.26", "2.05", "2.57", "4.74", "2.6",
    ]  # fmt: skip


def test_two_sided_quantiles_in_place_of_one_sided_are_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    from bakeoff.mathematics import laws

    right = laws.t_quantile
    monkeypatch.setattr(laws, "t_quantile", lambda p, df: right((1 + p) / 2, df))
    made = alpaydin.critical_values()
    assert made.status is Reproduction.NOT_REPRODUCED
    assert len(made.differing) == 5  # every t


def exact_chance(test: str, rate: float) -> float:
    at = rejections(test, 100, alpaydin.P0, rate=rate, one_sided=True).at
    assert at is not None
    return at.larger


@pytest.mark.parametrize("rate", alpaydin.RATES)
def test_the_procedures_decide_as_their_power_says(rate: float) -> None:
    assert rejection_chance(alpaydin.binomial_decisions(100), rate) == pytest.approx(exact_chance("binomial", rate))
    normal = rejection_chance(alpaydin.normal_decisions(100), rate)
    assert normal == pytest.approx(exact_chance("normal-approximation", rate))


def shares(seed: int, replications: int = SMALL) -> dict[tuple[str, str], float]:
    made = alpaydin.simulate_exercise2(replications, seed)
    assert made.status is Reproduction.UNPRINTED
    return {(cell.row, cell.column): float(cell.ours) for cell in made.cells}


def test_exercise_2_simulates_what_is_known_exactly() -> None:
    found = shares(1)
    for p in alpaydin.RATES:
        row = f"p = {p:.2f}" + (" = p₀" if p == alpaydin.P0 else "")
        for name, test in (("binomial", "binomial"), ("approximate normal", "normal-approximation")):
            exact = exact_chance(test, p)
            hits = round(found[row, name] * SMALL)
            assert abs(alpaydin.standard_errors(hits, SMALL, exact)) < BAND
    # What to expect at p = p₀: the exact test below α, and all power curves rise.
    assert found["p = 0.20 = p₀", "binomial"] < 0.05
    for name in ("binomial", "approximate normal", "t, K = 10"):
        curve = [share for (_, column), share in found.items() if column == name]
        assert curve == sorted(curve)


def test_a_test_that_counts_the_wrong_tail_is_noticed() -> None:
    """P(X > e) in place of P(X ≥ e): the size at p₀ is .056 instead of .034, and so is power everywhere."""
    wrong = np.append(alpaydin.binomial_decisions(100)[1:], True)
    hits = np.random.default_rng(1).binomial(100, 0.25, size=SMALL)
    exact = exact_chance("binomial", 0.25)
    assert alpaydin.standard_errors(int(wrong[hits].sum()), SMALL, exact) > BAND


def test_folds_without_spread_make_no_claim() -> None:
    rates = np.array([[0.5] * 10, [0.5] * 9 + [0.6], [0.5] * 10])
    assert alpaydin.t_rejects(rates).tolist() == [False, True, False]


def test_a_seed_gives_the_same_again_and_another_does_not() -> None:
    assert shares(3, 100) == shares(3, 100)
    assert shares(3, 100) != shares(4, 100)


def test_the_size_is_stated() -> None:
    assert "100 replications (reduced" in alpaydin.simulate_exercise2(100, 0).to_text()
    assert alpaydin.EXERCISE2.replications >= 1000


def test_standard_errors_at_the_ends() -> None:
    assert alpaydin.standard_errors(0, 10, 0.0) == 0
    assert alpaydin.standard_errors(1, 10, 0.0) == float("inf")


@pytest.mark.parametrize("n", [1, 7, 50, 200])
def test_the_binomial_decisions_keep_the_level_and_agree_with_scipy(n: int) -> None:
    rejects = alpaydin.binomial_decisions(n)
    assert rejection_chance(rejects, alpaydin.P0) <= alpaydin.ALPHA + 1e-12
    assert (rejects == (stats.binom.sf(np.arange(n + 1) - 1, n, alpaydin.P0) < alpaydin.ALPHA)).all()


def test_power_grows_with_the_error_rate() -> None:
    rejects = alpaydin.normal_decisions(50)
    chances = [rejection_chance(rejects, p) for p in (0.0, 0.2, 0.3, 0.5, 1.0)]
    assert chances == sorted(chances)
    assert (chances[0], chances[-1]) == (0, 1)
    with pytest.raises(UsageError, match="between 0 and 1"):
        rejection_chance(rejects, 1.5)
