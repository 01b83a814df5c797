"""Oracle procedures about quantiles, one learner, and two learners."""

from __future__ import annotations

import re
from collections.abc import Mapping
from math import inf
from typing import Any

import numpy as np
from question import Question, Readings, Uncovered

from bakeoff.inference.joint_laws import RangeLaw
from bakeoff.mathematics.checks import midranks
from bakeoff.mathematics.laws import chi2_quantile, f_quantile, normal_quantile, t_quantile
from bakeoff.mathematics.proportions import INTERVALS, binomial_p, proportion_interval
from bakeoff.mathematics.ranges import modulus_quantile
from bakeoff.mathematics.ranks import lower_index, sum_law
from bakeoff.procedures import mcnemar, rates, wilcoxon
from bakeoff.procedures.five_by_two import five_by_two_f
from bakeoff.procedures.friedman import critical_difference
from bakeoff.procedures.manova import hotelling
from bakeoff.procedures.paired_t import corrected_t, kfold_t, paired_t
from bakeoff.procedures.procedure import Result

Answer = Mapping[str, Any]


def _each(value: Any) -> list[Any]:
    return value if isinstance(value, list) else [value]


def _like(made: list[float], asked: Any) -> Any:
    """A list where a list was asked for, else the single number."""
    return made if isinstance(asked, list) else made[0]


# --- quantiles ----------------------------------------------------------------------------------------------------


def normal_quantiles(q: Question) -> Answer:
    tail = q["upper_tail"] if "upper_tail" in q else q["p"]
    return {"z": _like([normal_quantile(1 - p) for p in _each(tail)], tail)}


def t_quantiles(q: Question) -> Answer:
    p, df = (part.tolist() for part in np.broadcast_arrays(np.atleast_1d(q["p"]), q["df"]))
    return {"t": _like([t_quantile(1 - a, b) for a, b in zip(p, df, strict=True)], q["df"])}


def f_quantiles(q: Question) -> Answer:
    p, df1, df2 = (part.tolist() for part in np.broadcast_arrays(np.atleast_1d(q["p"]), q["df1"], q["df2"]))
    return {"f": _like([f_quantile(1 - a, b, c) for a, b, c in zip(p, df1, df2, strict=True)], q["df1"])}


def chi2_quantiles(q: Question) -> Answer:
    p, df = (part.tolist() for part in np.broadcast_arrays(np.atleast_1d(q["p"]), q["df"]))
    return {"x": _like([chi2_quantile(1 - a, b) for a, b in zip(p, df, strict=True)], q["df"])}


def dunn_quantile(q: Question) -> Answer:
    tail = q["alpha"] / (2 * q["k_star"])
    return {"z": _like([t_quantile(1 - tail, df) for df in _each(q["df"])], q["df"])}


def smm_quantile(q: Question) -> Answer:
    found = modulus_quantile(q["alpha"], q["k"], q["df"])
    return {"quantile": found, "mvtnorm_check": found}


def _percent(alpha: float) -> str:
    return f"{round(100 * alpha):02d}"


def nemenyi_q(q: Question) -> Answer:
    return {
        f"q{_percent(alpha)}": _like([RangeLaw(k).critical(alpha, k * (k - 1) // 2) for k in _each(q["k"])], q["k"])
        for alpha in _each(q["alpha"])
    }


def bonferroni_dunn_q(q: Question) -> Answer:
    return {
        f"q{_percent(alpha)}": _like([normal_quantile(1 - alpha / (2 * (k - 1))) for k in _each(q["k"])], q["k"])
        for alpha in _each(q["alpha"])
    }


def nemenyi_cd(q: Question) -> Answer:
    return {f"cd_{_percent(alpha)}": critical_difference(q["k"], q["N"], alpha) for alpha in _each(q["alpha"])}


# --- one learner ----------------------------------------------------------------------------------------------------


def proportion_intervals(q: Question) -> Answer:
    methods = q.raw("methods") or [q.raw("method", "wilson")]
    if unknown := [method for method in methods if method not in INTERVALS]:
        raise Uncovered(f"no interval of the name {unknown[0]}")
    side = q.alternative()
    ends = {
        m: proportion_interval(q["x"], q["n"], confidence=q.confidence(), method=m, alternative=side) for m in methods
    }
    made: dict[str, Any] = {m: {"lower": lower, "upper": upper} for m, (lower, upper) in ends.items()}
    return {**made[methods[0]], "estimate": q["x"] / q["n"], **made}


def binomial_test(q: Question) -> Answer:
    if q.text("method") and not q.text("method").startswith(("minimum likelihood", "exact")):
        raise Uncovered(f"no two-sided binomial p by {q.raw('method')}")
    found = rates.binomial_test(q["errors"], q["n"], q["p0"], alternative=q.alternative(), confidence=q.confidence())
    return {"p_value": found.p, "estimate": found.estimate, "lower": found.lower, "upper": found.upper}


def binomial_critical(q: Question) -> Answer:
    if q.alternative() != "greater":
        raise Uncovered("only for the alternative greater")
    n = q["n"]
    rejected = (e for e in range(n + 1) if binomial_p(e, n, q["p0"], "greater") < q["alpha"])
    return {"smallest_e_rejected": next(rejected, inf)}


# --- two learners -----------------------------------------------------------------------------------------------------


def _mcnemar_options(q: Question) -> dict[str, Any]:
    methods = {"chi2": "chi2", "exact": "exact", "mid p": "mid-p", "midp": "mid-p", "": "auto", "auto": "auto"}
    if q.text("method") not in methods:
        raise Uncovered(f"no method {q.raw('method')} of McNemar's test")
    return {
        "method": methods[q.text("method")],
        "correction": q.flag("correction", True),
        "literal": q.text("equal_counts").startswith("literal"),
        "alternative": q.alternative(),
        "confidence": q.confidence(),
    }


def _mcnemar_answer(found: Result) -> Answer:
    cells = {name: found.details[name] for name in ("e00", "e01", "e10", "e11")}
    df = {"df": found.df[0]} if found.df else {}
    return {"statistic": found.statistic, "p_value": found.p, **df, **cells}


def mcnemar_counts(q: Question) -> Answer:
    cells = (q[name] for name in ("e00", "e01", "e10", "e11"))
    return _mcnemar_answer(mcnemar.mcnemar_counts(*cells, **_mcnemar_options(q)))


def mcnemar_from_predictions(q: Question) -> Answer:
    truth, first, second = (np.asarray(q.raw(name)) for name in ("y", "p1", "p2"))
    return _mcnemar_answer(mcnemar.compute(first == truth, second == truth, **_mcnemar_options(q)))


def _t_answer(found: Result) -> Answer:
    return {
        "statistic": found.statistic,
        "p_value": found.p,
        "df": found.df[0],
        "mean_difference": found.estimate,
        "lower": found.lower,
        "upper": found.upper,
    }


def paired_t_test(q: Question) -> Answer:
    mu = q.raw("mu", q.raw("null", 0))
    if isinstance(mu, str):  # "-margin": a number of the input by its name
        mu = (-1 if mu.startswith("-") else 1) * q[mu.lstrip("+-")]
    return _t_answer(
        paired_t(q.column("a"), q.column("b"), confidence=q.confidence(), alternative=q.alternative(), null=mu)
    )


def corrected_t_test(q: Question) -> Answer:
    ratio = q["n_test_over_n_train"] if "n_test_over_n_train" in q else q["n_test"] / q["n_train"]
    options = {"confidence": q.confidence(), "alternative": q.alternative()}
    return _t_answer(corrected_t(q.column("a"), q.column("b"), ratio=ratio, **options))


def kfold_paired_t(q: Question) -> Answer:
    a, b = q.column("a"), q.column("b")
    found = kfold_t(a, b, confidence=q.confidence(), alternative=q.alternative())
    varied = np.ptp(a) > 0 and np.ptp(b) > 0
    return {**_t_answer(found), "correlation": float(np.corrcoef(a, b)[0, 1]) if varied else np.nan}


def _correlation(q: Question, k: int) -> float:
    """A number, or the number at the end of "1/k = 0.1", or 1/k."""
    said = q.raw("rho")
    if isinstance(said, int | float) and not isinstance(said, bool):
        return float(said)
    numbers = re.findall(r"(?:^|=)\s*(0?\.\d+)\s*$", str(said))
    return float(numbers[0]) if numbers else 1 / k


def corrected_kfold_t(q: Question) -> Answer | Readings:
    """The variance is (1/J + ρ/(1 − ρ)) s² with ρ = 1/k. correctR 0.3.1 misplaces a bracket, (1/J + ρ)/(1 − ρ)."""
    a, b = q.column("a"), q.column("b")
    rho = _correlation(q, q["k"])
    options = {"confidence": q.confidence(), "alternative": q.alternative()}
    inside = (1 / len(a) + rho) / (1 - rho) - 1 / len(a)
    return Readings(
        {
            "Nadeau and Bengio": _t_answer(corrected_t(a, b, ratio=rho / (1 - rho), **options)),
            "correctR 0.3.1, (1/n + rho)/(1 - rho)": _t_answer(corrected_t(a, b, ratio=inside, **options)),
        }
    )


def corrected_repeated_kfold_t(q: Question) -> Answer:
    """All k × r differences, in any order; nested lists are runs or folds."""
    a, b = (np.ravel(q.column(name)) for name in ("a", "b"))
    if len(a) != q["k"] * q["r"]:
        raise Uncovered(f"{q['k']} folds in {q['r']} runs, but {len(a)} values")
    ratio = q["n_test"] / q["n_train"]
    return _t_answer(corrected_t(a, b, ratio=ratio, confidence=q.confidence(), alternative=q.alternative()))


def tost_paired(q: Question) -> Answer:
    """Equivalence by two one-sided tests, each of which is the paired t test against a margin."""
    a, b = q.column("a"), q.column("b")
    low, high = paired_t(a, b, null=q["low"], alternative="greater"), paired_t(a, b, null=q["high"], alternative="less")
    return {
        "p_value": max(low.p, high.p),
        "t_low": low.statistic,
        "p_low": low.p,
        "t_high": high.statistic,
        "p_high": high.p,
        "df": low.df[0],
    }


def five_by_two(q: Question) -> Answer:
    found = five_by_two_f(q["differences"])
    return {
        "statistic": found.statistic,
        "p_value": found.p,
        "df1": found.df[0],
        "df2": found.df[1],
        "s2": found.details.get("s2"),
    }


def signed_ranks(q: Question) -> Answer:
    return {"ranks": midranks(q["magnitudes"])}


# A zero_method spelt with a capital is coin's, whose z has the sign of the differences; a two-sided z of scipy and of
# the documents is that of the smaller rank sum, never positive.
ZEROS = {"wilcoxon": "wilcox", "wilcox": "wilcox", "pratt": "pratt", "zsplit": "zsplit"}
DROPPED = ("drop", "discard", "remove", "omit", "reduce", "exclude")


def _differences(q: Question) -> np.ndarray:
    """d as given, or generated, or of two columns: positive where the second is better."""
    if "generator" in q:
        return q.table()
    if "d" in q:
        return np.asarray(q["d"], dtype=float)
    first, second = q.column("a"), q.column("b")
    smaller_is_better = "file" not in q or "err" in str(q.raw("a")).lower() or "loss" in str(q.raw("a")).lower()
    return first - second if smaller_is_better else second - first


def wilcoxon_signed_rank(q: Question) -> Answer | Readings:
    """A case without a method may mean the exact law or an approximation."""
    method = q.text("method")
    plain = "formula" in method or "no tie" in method
    normal = "normal-untied" if plain else "normal"
    methods = {"exact": "exact", "normal": normal, "asymptotic": normal, "approx": normal, "formula": normal}
    if not method or method == "auto":
        return Readings({each: _signed_rank(q, each) for each in ("auto", "normal", "normal-untied")})
    if method.split(" ")[0] not in methods:
        raise Uncovered(f"no method {q.raw('method')} of the signed-rank test")
    return _signed_rank(q, methods[method.split(" ")[0]])


def _zeros(q: Question) -> str:
    zeros = q.text("zero_method")
    if zeros.startswith("split"):
        return "split"
    if zeros.startswith(DROPPED):
        return "wilcox"
    if zeros.split(" ")[0] not in (*ZEROS, ""):
        raise Uncovered(f"no treatment of zeros by {q.raw('zero_method')}")
    return ZEROS.get(zeros.split(" ")[0], "wilcox")


def _signed_rank(q: Question, method: str) -> Answer:
    found = wilcoxon.signed_rank(
        _differences(q),
        zeros=_zeros(q),
        method=method,
        correction=q.flag("correction", False),
        alternative=q.alternative(),
        confidence=q.confidence(),
    )
    signed = str(q.raw("zero_method", ""))[:1].isupper() or q.alternative() != "two-sided"
    w_plus, w_minus, z = (found.details[name] for name in ("w_plus", "w_minus", "z"))
    return {
        "w_plus": w_plus,
        "w_minus": w_minus,
        "r_plus": w_plus,
        "r_minus": w_minus,
        "T": found.details["T"],
        "n": found.details["n"],
        "z": z if signed else -abs(z),
        "p_value": found.p,
        "estimate": found.estimate,
        "pseudomedian": found.estimate,
        "lower": found.lower,
        "upper": found.upper,
    }


def wilcoxon_critical(q: Question) -> Answer:
    tail = q["alpha"] / (2 if q.alternative() == "two-sided" else 1)
    largest = [lower_index(sum_law(np.arange(1.0, n + 1)), tail) - 1 for n in _each(q["N"])]
    return {"T": _like([t if t >= 0 else np.nan for t in largest], q["N"])}


def hotelling_paired(q: Question) -> Answer:
    x1, x2 = np.asarray(q["x1"], dtype=float), np.asarray(q["x2"], dtype=float)
    found = hotelling(x1, x2, confidence=0.95)
    w = found.details["w"]
    one = {"t": paired_t(x1[:, 0], x2[:, 0]).statistic} if x1.shape[1] == 1 else {}
    return {
        "T2": found.statistic,
        "F": found.details["F"],
        "df1": found.df[0],
        "df2": found.df[1],
        "p_value": found.p,
        "w": w if len(w) > 1 else float(w[0]),
        "T2_critical_05": found.details["critical"],
        **one,
    }
