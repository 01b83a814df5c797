from __future__ import annotations

import math

import numpy as np
import pytest
from scipy import integrate, special, stats

from bakeoff.mathematics import posteriors as model

RNG = np.random.default_rng(6)
FOLDS = list(0.005 + 0.01 * RNG.standard_normal((10, 1)) + 0.02 * RNG.standard_normal((10, 8)))


def test_the_spread_of_a_task_integrates_out() -> None:
    x, rho, delta = FOLDS[0], 0.125, 0.013
    laws = model.task_laws(FOLDS, rho)
    M = np.full((8, 8), rho) + (1 - rho) * np.eye(8)

    def likelihood(delta: float) -> float:
        form = (x - delta) @ np.linalg.solve(M, x - delta)
        return integrate.quad(lambda s: s**-8.0 * np.exp(-form / 2 / s**2), 1e-4, 10, limit=400, points=[0.01, 0.1])[0]

    ratio = likelihood(delta) / likelihood(float(laws.mean[0]))
    law = stats.t(laws.df[0], laws.mean[0], laws.scale[0])
    assert ratio == pytest.approx(law.pdf(delta) / law.pdf(laws.mean[0]), rel=1e-6)


@pytest.mark.parametrize("df", [1, 2, 3, 8, 30, 98])
def test_a_student_law_is_a_mixture(df: float) -> None:
    lam, w = model.components(df)
    x = np.linspace(-6, 6, 25)
    mixed = (w * np.sqrt(lam / 2 / np.pi) * np.exp(-0.5 * lam * x[:, None] ** 2)).sum(axis=1)
    assert mixed == pytest.approx(stats.t(df).pdf(x), rel=2e-3)


def student(x: float, df: float, mean: float, scale: float) -> float:
    """The density of Student's law; a quadrature asks ten thousand times, and scipy takes its time for each."""
    factor = math.exp(math.lgamma((df + 1) / 2) - math.lgamma(df / 2)) / (math.sqrt(df * math.pi) * scale)
    return factor * (1 + ((x - mean) / scale) ** 2 / df) ** (-(df + 1) / 2)


def test_the_density_is_that_of_scipy() -> None:
    for x, df, mean, scale in ((0.3, 4.0, 0.1, 0.2), (-1.0, 1.5, 0.0, 0.01), (0.02, 100.0, 0.02, 0.05)):
        assert student(x, df, mean, scale) == pytest.approx(stats.t.pdf(x, df, mean, scale), rel=1e-12)


@pytest.mark.parametrize(("delta", "sigma", "nu"), [(0.004, 0.01, 4.0), (-0.01, 0.001, 1.5), (0.02, 0.05, 100.0)])
def test_the_likelihood_against_quadrature(delta: float, sigma: float, nu: float) -> None:
    laws = model.task_laws(FOLDS, 0.125)
    near = np.log(sigma) + 0.1 * np.arange(-1, 2)
    ours = model.log_likelihood(laws, np.array([delta]), near, np.array([nu]))[0, 1]
    total = 0.0
    for mean, scale, df in zip(laws.mean, laws.scale, laws.df, strict=True):
        both = lambda x: student(x, df, mean, scale) * student(x, nu, delta, sigma)  # noqa: B023, E731
        ends = sorted({mean - 5 * scale, mean, mean + 5 * scale, delta - 5 * sigma, delta, delta + 5 * sigma})
        total += np.log(integrate.quad(both, -2, 2, points=ends, limit=400)[0])
    # Ours leaves the factor 1/√(2π) of each task out.
    assert ours == pytest.approx(total + len(FOLDS) * np.log(2 * np.pi) / 2, abs=0.02)


def test_the_prior_of_the_degrees_of_freedom() -> None:
    nu, prior = model.degrees_of_freedom(60)
    rng = np.random.default_rng(0)
    drawn = 1 + rng.gamma(rng.uniform(1, 2, 400_000), 1 / rng.uniform(0.01, 0.1, 400_000))
    for q in (0.1, 0.5, 0.9):
        assert np.interp(q, np.cumsum(prior), nu) == pytest.approx(np.quantile(drawn, q), rel=0.12)


def test_scale_weights_are_probabilities() -> None:
    log_sigma, nu = np.log(0.01) + 0.03 * np.arange(9), np.array([1.5, 6.0, 500.0])
    tau, P = model.scale_weights(log_sigma, nu)
    assert P.shape == (len(tau), 27)
    assert P.min() >= 0
    assert P.sum(axis=0) == pytest.approx(np.ones(27))
    edge = np.sqrt(tau[9] * tau[10])
    for s in (0, 4, 8):
        for v in range(3):
            chance = stats.chi2(nu[v]).sf(nu[v] * np.exp(2 * log_sigma[s]) / edge**2)  # λ ≥ (σ_0/edge)²
            assert P[:10, 3 * s + v].sum() == pytest.approx(chance, abs=1e-12)


@pytest.mark.parametrize("rope", [0.0, 0.001, 0.02, 1.0])
def test_the_border_is_where_right_begins_to_win(rope: float) -> None:
    sigma, nu = np.array([0.001, 0.02, 0.5]), np.array([2.0, 5.0, 50.0])
    border = model.rope_border(rope, sigma, nu)
    for m, s, n in zip(border, sigma, nu, strict=True):
        for at, wins in ((m - 1e-6 * (s + rope), False), (m + 1e-6 * (s + rope), True)):
            left, right = special.stdtr(n, (-rope - at) / s), special.stdtr(n, (at - rope) / s)
            assert (right > max(left, 1 - left - right)) == wins or (rope == 0 and not wins)


def test_finer_grids_say_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    plain = model.posterior(FOLDS, 0.125)
    monkeypatch.setattr(model, "FINE", 0.04)
    monkeypatch.setattr(model, "STEP", 0.05)
    fine = model.posterior(FOLDS, 0.125)
    for rope in (0.0, 0.003, 0.01):
        assert plain.winners(rope) == pytest.approx(fine.winners(rope), abs=0.001)
    assert plain.quantile(0.025) == pytest.approx(fine.quantile(0.025), rel=0.01)


def test_quantiles_are_where_the_mass_is() -> None:
    found = model.posterior(FOLDS, 0.125)
    ends = [found.quantile(p) for p in (0.01, 0.25, 0.5, 0.75, 0.99)]
    assert ends == sorted(ends)
    assert ends[1] < found.mean() < ends[3]
    # The median is where left and right of it, without a rope, are equally probable.
    shifted = [x - ends[2] for x in FOLDS]
    assert model.posterior(shifted, 0.125).winners(0.0)[0] == pytest.approx(0.5, abs=0.01)


@pytest.mark.parametrize("tasks", [2, 3, 60])
def test_few_and_many_tasks(tasks: int) -> None:
    folds = list(0.01 + 0.01 * np.random.default_rng(8).standard_normal((tasks, 5)))
    worse, same, better = model.posterior(folds, 0.2).winners(0.002)
    assert worse + same + better == pytest.approx(1.0)
    assert better > 0.5
