"""Oracle procedures about means, rates, signs, error series and AUCs of one learner, two, or several classifiers."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import combinations
from math import inf
from typing import Any

import numpy as np
from question import Question, Uncovered

from bakeoff.inference.adjustments import adjust, all_pairs_error, bonferroni_bound, independent_error
from bakeoff.mathematics import ranks
from bakeoff.mathematics.linear_models import two_means
from bakeoff.procedures.delong import delong
from bakeoff.procedures.five_by_two import five_by_two_t
from bakeoff.procedures.mcnemar import compute as mcnemar
from bakeoff.procedures.one_mean import from_summary as of_mean
from bakeoff.procedures.one_mean import mean_t, mean_z
from bakeoff.procedures.paired_t import paired_t
from bakeoff.procedures.procedure import ManyResult, Result
from bakeoff.procedures.rates import INTERVALS_OF_TWO, normal_approximation, two_proportions
from bakeoff.procedures.right_or_wrong import cochran_q, dunn, from_summary
from bakeoff.procedures.sign import sign_one
from bakeoff.procedures.time_order import diebold_mariano
from bakeoff.procedures.unpaired_t import unpaired_t
from bakeoff.procedures.variance_ratio import variance_ratio

Answer = Mapping[str, Any]


def _each(value: Any) -> list[Any]:
    return value if isinstance(value, list) else [value]


def _side(q: Question) -> str:
    """A side of an interval in words: an upper bound belongs to the alternative less, a lower one to greater."""
    text = q.text("side")
    if text.startswith(("upper", "less")):
        return "less"
    if text.startswith(("lower", "greater")):
        return "greater"
    return q.alternative()


# --- one mean, two means ----------------------------------------------------------------------------------------------


def _mean_answer(found: Result) -> Answer:
    return {
        "mean": found.estimate,
        "estimate": found.estimate,
        "se": found.details["standard_error"],
        "lower": found.lower,
        "upper": found.upper,
        "statistic": found.statistic,
        "p_value": found.p,
        **({"df": found.df[0]} if found.df else {}),
    }


def z_interval(q: Question) -> Answer:
    return _mean_answer(mean_z(q["x"], sigma=q["sigma"], confidence=q.confidence(), alternative=_side(q)))


def z_test(q: Question) -> Answer:
    return _mean_answer(mean_z(q["x"], sigma=q["sigma"], p0=q["mu0"], alternative=q.alternative()))


def t_interval(q: Question) -> Answer:
    """From values, or from their mean, standard deviation (or error) and number."""
    if "x" not in q and "mean" in q:
        sd = q["sd"] if "sd" in q else q["se"] * q["n"] ** 0.5
        return _mean_answer(of_mean(q["mean"], sd, q["n"], confidence=q.confidence(), alternative=_side(q)))
    return _mean_answer(mean_t(q["x"], confidence=q.confidence(), alternative=_side(q)))


def kfold_t_test(q: Question) -> Answer:
    values = q["errors"] if "errors" in q else q["x"]
    return _mean_answer(mean_t(values, p0=q["p0"], alternative=q.alternative()))


def sigma_diff(q: Question) -> Answer:
    a, b = q.column("a"), q.column("b")
    return {
        "se_indep": two_means(a, b).standard_error,
        "se_paired": paired_t(a, b).details["standard_error"],
    }


def unpaired(q: Question) -> Answer:
    text = q.text("df", "welch")
    kinds = {"welch": "welch", "pooled": "pooled", "student": "pooled", "min": "smaller", "smaller": "smaller"}
    kind = next((name for word, name in kinds.items() if text.startswith(word)), None)
    if kind is None:
        raise Uncovered(f"no degrees of freedom by {q.raw('df')}")
    found = unpaired_t(q.column("a"), q.column("b"), df=kind, confidence=q.confidence(), alternative=q.alternative())
    return {
        "statistic": found.statistic,
        "p_value": found.p,
        "df": found.df[0],
        "lower": found.lower,
        "upper": found.upper,
        "difference": found.estimate,
        "mean_difference": found.estimate,
        "se": found.details.get("standard_error"),
    }


# --- rates ------------------------------------------------------------------------------------------------------------


def _rates(q: Question) -> tuple[float, float, float, float]:
    """e1, n1, e2, n2; errors may be given as counts."""
    n1, n2 = q["n1"], q["n2"]
    if "e1" in q:
        return q["e1"], n1, q["e2"], n2
    return q["x1"] / n1, n1, q["x2"] / n2, n2


def proportion_diff_interval(q: Question) -> Answer:
    """Counts are compared as R's prop.test does, first − second, cut at ±1; rates as the slides do, second − first."""
    method = q.text("method", "wald")
    if method not in INTERVALS_OF_TWO:
        raise Uncovered(f"no interval of a difference by {q.raw('method')}")
    e1, n1, e2, n2 = _rates(q)
    turned = "e1" in q
    pair = (e2, n2, e1, n1) if turned else (e1, n1, e2, n2)
    options = {"confidence": q.confidence(), "interval": method}
    own = e1 * (1 - e1) + e2 * (1 - e2)
    found = two_proportions(*pair, pooled=own == 0, **options)
    tested = two_proportions(*pair, pooled=True, **options)
    return {
        "difference": found.estimate,
        "difference_abs": abs(found.estimate),
        "variance": found.details["variance"],
        "se": found.details["standard_error"],
        "half_width": (found.upper - found.lower) / 2,
        "lower": found.lower if turned else max(found.lower, -1.0),
        "upper": found.upper if turned else min(found.upper, 1.0),
        "test_statistic": tested.statistic,
        "p_value": tested.p,
    }


def proportion_diff_test(q: Question) -> Answer:
    e1, n1, e2, n2 = _rates(q)
    options = {"pooled": q.flag("pooled", True), "correction": q.flag("correction", False)}
    found = two_proportions(e1, n1, e2, n2, alternative=q.alternative(), **options)
    return {
        "z": found.statistic,
        "statistic": found.statistic,
        "chi2": found.statistic**2,
        "df": 1,
        "p_value": found.p,
        "difference": found.estimate,
    }


def approx_normal_test(q: Question) -> Answer:
    found = normal_approximation(
        q["errors"],
        q["n"],
        q["p0"],
        alternative=q.alternative(),
        correction=q.flag("correction", False),
        confidence=q.confidence(),
    )
    return {
        "z": found.statistic,
        "p_value": found.p,
        "rule_of_thumb_ok": found.details["rule_of_thumb"],
        "estimate": found.estimate,
        "lower": found.lower,
        "upper": found.upper,
    }


# --- signs ------------------------------------------------------------------------------------------------------------


def sign_test(q: Question) -> Answer:
    found = ranks.sign_test(
        q["wins"],
        q["losses"],
        q.get("ties_count", q.input.get("ties", 0)),
        ties="dropped" if "dropped" in q.options.get("ties", "")[:7] else "split",
        alternative=q.alternative(),
        method="normal" if q.text("method").startswith("normal") else "exact",
        correction=q.flag("correction", False),
    )
    return {"wins_adj": found.wins, "n_adj": found.n, "p_value": found.p, "z": found.z}


def sign_test_normal(q: Question) -> Answer:
    correction = q.flag("correction", False)
    found = ranks.sign_test(
        q["wins"], q["n"] - q["wins"], alternative=q.alternative(), method="normal", correction=correction
    )
    return {"z": found.z, "p_value": found.p}


def sign_test_one_sample(q: Question) -> Answer:
    """BSDA's SIGN.test, which drops values equal to the constant."""
    split = q.text("ties").startswith("split")
    found = sign_one(
        q["x"], constant=q["mu0"], alternative=q.alternative(), ties="split" if split else "dropped"
    )  # fmt: skip
    return {
        "p_value": found.p,
        "count_below": found.details["below"],
        "count_above": found.details["above"],
        "median": found.estimate,
    }


def sign_critical_wins(q: Question) -> Answer:
    return {
        key: [ranks.critical_wins(n, q["alpha"], side) for n in _each(q["N"])]
        for key, side in (("two_sided", "two-sided"), ("one_sided", "greater"))
    }


# --- resamples, series, scores ----------------------------------------------------------------------------------------


def cv5x2_t(q: Question) -> Answer:
    found = five_by_two_t(q["differences"], alternative=q.alternative(), confidence=q.confidence())
    return {
        "statistic": found.statistic,
        "df": found.df[0],
        "p_value": found.p,
        "s2": found.details.get("s2"),
        "all_statistics": np.ravel(found.details.get("possible_t", 0.0)),
    }


def variance_ratio_test(q: Question) -> Answer:
    found = variance_ratio(q["e1"], q["e2"], alternative=q.alternative(), confidence=q.confidence())
    return {
        "F": found.statistic,
        "df1": found.df[0],
        "df2": found.df[1],
        "p_value": found.p,
        "lower": found.lower,
        "upper": found.upper,
    }


def diebold_mariano_test(q: Question) -> Answer:
    found = diebold_mariano(
        q["e1"],
        q["e2"],
        h=q.get("h", 1),
        power=q.get("power", 2),
        alternative=q.alternative(),
        correction=q.text("correction", "hln") not in ("none", "false"),
        kernel="bartlett" if q.text("varestimator") == "bartlett" else "rectangular",
    )
    return {"statistic": found.statistic, "p_value": found.p, **({"df": found.df[0]} if found.df else {})}


def delong_paired(q: Question) -> Answer:
    """As pROC: the second label in order is the positive class, and scores that run the other way are turned."""
    if "file" in q:
        columns = q.read()
        labels = columns[str(q.raw("label"))]
        scores = [np.array(columns[str(q.raw(name))], dtype=float) for name in ("score1", "score2")]
    else:
        labels = [str(label) for label in q.raw("y", q.raw("label"))]
        scores = [np.asarray(q[name], dtype=float) for name in ("score1", "score2")]
    truth = np.array([label == max(set(labels)) for label in labels], dtype=float)
    turned = [s if np.median(s[truth == 0]) <= np.median(s[truth == 1]) else -s for s in scores]
    found = delong(truth, *turned, alternative=q.alternative(), confidence=q.confidence())
    return {
        "auc1": found.details["auc_first"],
        "auc2": found.details["auc_second"],
        "z": found.statistic,
        "p_value": found.p,
        "lower": found.lower,
        "upper": found.upper,
    }


# --- several classifiers, several tests -------------------------------------------------------------------------------


def cochran(q: Question) -> Answer:
    """For two classifiers Q is McNemar's χ² without correction."""
    table = q.table()
    found = cochran_q(table)
    (test,) = found.tests
    two = {"mcnemar_chi2": mcnemar(*table.T, method="chi2", correction=False).statistic} if table.shape[1] == 2 else {}
    return {
        **two,
        "Q": test.statistic,
        "coin_chi2": test.statistic,
        "df": test.df[0],
        "p_value": test.p,
        "sigma_diff_sq": found.details["sigma_diff_squared"],
        "sigma_diff": found.details["sigma_diff"],
    }


def dunn_intervals(q: Question) -> Answer:
    estimates = _dunn(q).estimates
    assert estimates is not None
    k = len(estimates.values)
    first, second = np.array(list(combinations(range(k), 2))).T
    alpha = q.get("alpha", 0.05)
    sigma = float(np.sqrt(2 * estimates.covariance[0, 0]))
    quantile = float(q["critical"] if "critical" in q else estimates.law.critical(alpha, len(first)))
    difference = estimates.values[first] - estimates.values[second]
    return {
        "i": first + 1,
        "j": second + 1,
        "difference": difference,
        "sigma_diff": sigma,
        "critical": quantile,
        "lower": difference - quantile * sigma,
        "upper": difference + quantile * sigma,
    }


def _dunn(q: Question) -> ManyResult:
    df = q.text("df", "inf")
    if "table" in q or "file" in q:
        if df not in ("inf", "n 1"):
            raise Uncovered(f"degrees of freedom {q.raw('df')}")
        return dunn(q.table(), df="n-1" if df == "n 1" else "inf")
    if "means" in q:
        rates = q["means"]
    else:
        totals = q["correct"] if "correct" in q else q["totals"]
        rates = [total / q["n"] for total in totals] if max(totals) > 1 else totals
    return from_summary(rates, q["sigma_diff"], q["n"] - 1 if df == "n 1" else inf)


def p_adjust_sidak(q: Question) -> Answer:
    return {"sidak": adjust(q["p"], "sidak"), "holm_sidak": adjust(q["p"], "holm-sidak")}


def familywise_error(q: Question) -> Answer:
    alpha, counts = q["alpha"], _each(q["J"])
    independent = [independent_error(alpha, j) for j in counts]
    answer: dict[str, Any] = {
        "fwe_independent": independent,
        "bonferroni_bound": [bonferroni_bound(alpha, j) for j in counts],
    }
    if "k" in q and q.text("tests").startswith("all pairwise z"):
        answer["fwe"] = all_pairs_error(alpha, q["k"])
        answer["fwe_if_independent"] = independent[0]
    return answer
