"""Oracle procedures that answer with posterior probabilities, in the order of baycomp: first better, rope, second."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

import numpy as np
from question import Question, Uncovered

from bakeoff.procedures.bayes import bayes_correlated_t, bayes_hierarchical, bayes_sign, bayes_signed_rank
from bakeoff.procedures.paired_t import corrected_t
from bakeoff.procedures.procedure import Result

Answer = Mapping[str, Any]
ORDER = "(x better: x-y > rope, [within rope,] y better: x-y < -rope)"


def _probabilities(found: Result, rope: float) -> list[float]:
    """Two of them at rope = 0."""
    return [found.better, found.worse] if rope == 0 else [found.better, found.same, found.worse]


def _columns(q: Question) -> tuple[np.ndarray, np.ndarray]:
    first, second = ("x", "y") if "x" in q else ("a", "b")
    return q.column(first), q.column(second)


def _rho(q: Question, n: int) -> float:
    """A number, or the number at the end of "1/folds = 0.1", or one over the folds of a run."""
    said = q.raw("rho")
    if isinstance(said, int | float):
        return float(said)
    if isinstance(said, str) and (numbers := re.findall(r"=\s*([0-9.]+)\s*$|^\s*([0-9.]+)\s*$", said)):
        return float(next(part for part in numbers[0] if part))
    return float(q.get("runs", 1)) / n


def bayes_correlated_t_test(q: Question) -> Answer:
    x, y = _columns(q)
    rope, rho = q.get("rope", 0), _rho(q, len(x))
    found = bayes_correlated_t(x, y, rope=rope, rho=rho)
    # P(y better) is the one-sided p of the corrected t test against a difference of −rope.
    one_sided = corrected_t(x + rope, y, ratio=rho / (1 - rho), alternative="greater").p
    return {
        "probs": _probabilities(found, rope),
        "order": ORDER,
        "frequentist_one_sided_p_if_rope_0": one_sided,
    }


def _prior(q: Question, strength: float) -> dict[str, Any]:
    """baycomp's left is where the first is larger: our right."""
    place = q.text("prior_place", "rope").split(" ")[0]
    places = {"rope": "rope", "left": "right", "right": "left", "": "rope"}
    if place not in places:
        raise Uncovered(f"no prior at {q.raw('prior_place')!r}")
    return {"prior": q.get("prior_strength", q.get("prior", strength)), "prior_place": places[place]}


def bayes_sign_test(q: Question) -> Answer:
    rope = q.get("rope", 0)
    return {"probs": _probabilities(bayes_sign(*_columns(q), rope=rope, **_prior(q, 1.0)), rope)}


def bayes_signed_rank_test(q: Question) -> Answer:
    rope = q.get("rope", 0)
    found = bayes_signed_rank(*_columns(q), rope=rope, samples=200_000, **_prior(q, 0.5))
    return {"probs": _probabilities(found, rope)}


def bayes_hierarchical_test(q: Question) -> Answer:
    first, second = ("x", "y") if "x" in q else ("a", "b")
    x, y = np.asarray(q[first], dtype=float), np.asarray(q[second], dtype=float)
    rope = q.get("rope", 0)
    return {"probs": _probabilities(bayes_hierarchical(x, y, rope=rope, rho=_rho(q, x.shape[1])), rope)}
