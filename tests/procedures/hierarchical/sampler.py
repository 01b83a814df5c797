"""The hierarchical model by Gibbs sampling of every parameter: slow, simple, and independent of the package.

    python tests/procedures/hierarchical/sampler.py      writes the answers under "gibbs" in reference.json

Thousands of chains run side by side. Uniform priors on σ_i and σ_0 make their squares inverse gamma; t_ν is a normal
law with precision λ_i ~ Gamma(ν/2, ν/2); ν and the parameters α, β of its prior move by Metropolis steps, and so do σ_0
and all δ_i − δ_0 by a common factor, without which chains stay for long where σ_0 is small.
"""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
from scipy import special

HERE = Path(__file__).parent
CHAINS, WARM, KEPT, THIN = 3000, 1500, 200, 10


def sample(x: np.ndarray, rho: float, seed: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Draws of δ_0, σ_0 and ν from the posterior given the differences x, a row a task."""
    rng = np.random.default_rng(seed)
    q, n = x.shape
    mean, squares = x.mean(axis=1)[:, None], ((x - x.mean(axis=1, keepdims=True)) ** 2).sum(axis=1)[:, None]
    h = n / (1 + (n - 1) * rho)
    bound, upper = np.abs(x).max(), 1000 * np.std(mean)
    delta = mean + 0.1 * np.std(x) * rng.standard_normal((q, CHAINS))
    delta0, sigma0 = delta.mean(axis=0), delta.std(axis=0)
    lam = np.ones((q, CHAINS))
    m, alpha, beta = np.full(CHAINS, 20.0), np.full(CHAINS, 1.5), np.full(CHAINS, 0.05)
    kept = []
    for step in range(WARM + KEPT * THIN):
        # σ_i² | δ_i
        form = squares / (1 - rho) + h * (delta - mean) ** 2
        variance = form / 2 / rng.standard_gamma((n - 1) / 2, (q, CHAINS))
        # δ_i | the rest
        within, among = h / variance, lam / sigma0**2
        precision = within + among
        delta = (within * mean + among * delta0) / precision + rng.standard_normal((q, CHAINS)) / np.sqrt(precision)
        # λ_i
        nu = m + 1
        lam = rng.standard_gamma((nu + 1) / 2, (q, CHAINS)) / ((nu + ((delta - delta0) / sigma0) ** 2) / 2)
        # δ_0, uniform within its bounds
        total = lam.sum(axis=0)
        proposed = (lam * delta).sum(axis=0) / total + sigma0 * rng.standard_normal(CHAINS) / np.sqrt(total)
        delta0 = np.where(np.abs(proposed) <= bound, proposed, delta0)
        # σ_0, uniform: σ_0² is inverse gamma with (q − 1)/2
        proposed = np.sqrt((lam * (delta - delta0) ** 2).sum(axis=0) / 2 / rng.standard_gamma((q - 1) / 2, CHAINS))
        sigma0 = np.where(proposed <= upper, proposed, sigma0)
        # σ_0 and δ_i − δ_0 by a common factor c; λ and the prior of δ_i are left as they are: density ∝ likelihood · c
        for width in (0.3, 1.0):
            c = np.exp(width * rng.standard_normal(CHAINS))
            moved = delta0 + c * (delta - delta0)
            change = -0.5 * h * ((moved - mean) ** 2 - (delta - mean) ** 2) / variance
            log = change.sum(axis=0) + np.log(c)
            accept = (np.log(rng.random(CHAINS)) < log) & (c * sigma0 <= upper)
            delta, sigma0 = np.where(accept, moved, delta), np.where(accept, c * sigma0, sigma0)
        # ν, with λ integrated out
        z2 = ((delta - delta0) / sigma0) ** 2
        for width in (0.5, 1.5):
            new = m * np.exp(width * rng.standard_normal(CHAINS))
            log = _log_nu(new, z2, alpha, beta) - _log_nu(m, z2, alpha, beta)
            m = np.where(np.log(rng.random(CHAINS)) < log, new, m)
        # α and β of the prior of ν − 1
        new = rng.uniform(1, 2, CHAINS)
        log = _log_gamma(m, new, beta) - _log_gamma(m, alpha, beta)
        alpha = np.where(np.log(rng.random(CHAINS)) < log, new, alpha)
        new = rng.uniform(0.01, 0.1, CHAINS)
        log = _log_gamma(m, alpha, new) - _log_gamma(m, alpha, beta)
        beta = np.where(np.log(rng.random(CHAINS)) < log, new, beta)
        if step >= WARM and step % THIN == 0:
            kept.append((delta0.copy(), sigma0.copy(), m + 1))
    first, second, third = (np.concatenate(part) for part in zip(*kept, strict=True))
    return first, second, third


def _log_gamma(m: np.ndarray, alpha: np.ndarray, beta: np.ndarray) -> np.ndarray:
    return alpha * np.log(beta) - special.gammaln(alpha) + (alpha - 1) * np.log(m) - beta * m


def _log_nu(m: np.ndarray, z2: np.ndarray, alpha: np.ndarray, beta: np.ndarray) -> np.ndarray:
    """Density of log(ν − 1) given standardised differences, up to a constant."""
    nu = m + 1
    student = special.gammaln((nu + 1) / 2) - special.gammaln(nu / 2) - 0.5 * np.log(nu)
    body = (nu + 1) / 2 * np.log1p(z2 / nu).sum(axis=0)
    return len(z2) * student - body + _log_gamma(m, alpha, beta) + np.log(m)


def answers(x: np.ndarray, rho: float, ropes: list[float], seed: int) -> dict[str, list[float]]:
    """How often each outcome is the most probable one on a further task; mean, median and 95 % interval of δ_0."""
    delta0, sigma0, nu = sample(x, rho, seed)
    found = {}
    for rope in ropes:
        left, right = special.stdtr(nu, (-rope - delta0) / sigma0), special.stdtr(nu, (delta0 - rope) / sigma0)
        winner = np.argmax([left, 1 - left - right if rope > 0 else 0 * left - 1, right], axis=0)
        found[str(rope)] = (np.bincount(winner, minlength=3) / len(winner)).tolist()
    found["delta0"] = [float(delta0.mean()), *np.quantile(delta0, [0.025, 0.5, 0.975]).tolist()]
    return found


if __name__ == "__main__":
    path = HERE / "reference.json"
    content = json.loads(path.read_text(encoding="utf-8"))
    for number, case in enumerate(content["cases"].values()):
        x = np.array(case["differences"])
        case["gibbs"] = answers(x, case["runs"] / x.shape[1], [0.01, 0.005, 0.002, 0.0], number + 1)
    path.write_text(json.dumps(content, indent=1) + "\n", encoding="utf-8")
