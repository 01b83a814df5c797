"""Oracle procedures about many learners, families of p-values, and bad input."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from math import inf
from typing import Any

import numpy as np
from question import Question, Readings, Uncovered

from bakeoff.errors import BakeoffError
from bakeoff.inference.adjustments import ADJUSTMENTS, adjust
from bakeoff.inference.contrasts import Contrasts, against, all_pairs
from bakeoff.inference.evidence import SINGLE_STEP, Comparison, Estimates, compare_estimates
from bakeoff.inference.joint_laws import RangeLaw
from bakeoff.judging.verdict import maximal_groups
from bakeoff.mathematics.block_permutations import LARGEST_ENUMERATION, enumeration_size, t_star
from bakeoff.mathematics.laws import f_quantile
from bakeoff.mathematics.proportions import proportion_interval
from bakeoff.mathematics.rank_tables import chi2_from_mean_ranks
from bakeoff.procedures import mcnemar, rates, wilcoxon
from bakeoff.procedures.anova import anova
from bakeoff.procedures.five_by_two import five_by_two_f
from bakeoff.procedures.friedman import critical_difference, friedman, iman_davenport
from bakeoff.procedures.hochberg_tamhane import from_summary, hochberg_tamhane, simultaneous_intervals
from bakeoff.procedures.one_mean import mean_t
from bakeoff.procedures.permutations import permutation
from bakeoff.procedures.procedure import Result
from bakeoff.procedures.rank_tables import quade

Answer = Mapping[str, Any]


def cd_cliques(q: Question) -> Answer:
    """Groups as the document numbers learners, from one, at the level asked for and at 5 %."""
    ranks, n = q["mean_ranks"], q["N"]
    answer: dict[str, Any] = {}
    for ending, alpha in (("", q["alpha"]), ("_05", 0.05)):
        answer[f"cd{ending}"] = cd = critical_difference(len(ranks), n, alpha)
        tied = np.abs(np.subtract.outer(ranks, ranks)) <= cd
        groups = maximal_groups(tied, np.argsort(ranks, kind="stable").tolist()) or ()
        answer[f"cliques{ending}"] = [[i + 1 for i in group] for group in groups]
    return answer


# --- families of p-values -----------------------------------------------------------------------------------------


def p_adjust(q: Question) -> Answer:
    """R calls Benjamini and Hochberg's adjustment fdr, too. `n` is the size of the family."""
    methods = q.raw("methods", q.raw("method")) or [name for name in q.asked if name != "error"]
    methods = methods if isinstance(methods, list) else [methods]
    names = {name: {"fdr": "bh"}.get(str(name).lower(), str(name).lower()) for name in methods}
    if unknown := [name for name, ours in names.items() if ours not in ADJUSTMENTS]:
        raise Uncovered(f"no adjustment {unknown[0]}")
    return {name: adjust(q["p"], ours, family=q.get("n", None)) for name, ours in names.items()}


def holm_decisions(q: Question) -> Answer:
    """The decisions are ours; the thresholds α/m, …, α/1 that the ordered p-values meet are the definition."""
    m = len(q["p"])
    return {
        "thresholds": [q["alpha"] / (m - i) for i in range(m)],
        "reject": (adjust(q["p"], "holm") <= q["alpha"]).tolist(),
    }


def hochberg_decisions(q: Question) -> Answer:
    return {name: (adjust(q["p"], name) <= q["alpha"]).tolist() for name in ("holm", "hochberg")}


# --- over instances -------------------------------------------------------------------------------------------------


def smm_intervals(q: Question) -> Answer:
    if "table" in q or "file" in q:
        estimates = hochberg_tamhane(q.table()).estimates
    else:
        estimates = from_summary(q["means"], q["cov"], q["n"]).estimates
    assert estimates is not None
    found = simultaneous_intervals(estimates, alpha=q.get("alpha", 0.05), critical=q.get("critical", None))
    first, second = np.array(found.pairs).T + 1
    return {
        "i": first,
        "j": second,
        "difference": found.difference,
        "se": found.se,
        "lower": found.lower,
        "upper": found.upper,
        "critical": found.critical,
    }


def bonferroni_intervals(q: Question) -> Answer:
    table = q.table()
    estimates = hochberg_tamhane(table).estimates
    assert estimates is not None
    rows = compare_estimates(
        estimates, all_pairs(range(table.shape[1])), "bonferroni", q.get("alpha", 0.05), "two-sided"
    )
    return {"lower": [row.lower for row in rows], "upper": [row.upper for row in rows]}


# --- over resamples -------------------------------------------------------------------------------------------------


def tstar(q: Question) -> Answer | Readings:
    """p_value is by the method that the case names, or by either; p_exact where the relabellings can all be made."""
    table = q.table()
    observed = t_star(table)
    answer: dict[str, Any] = {
        "t_star": observed.value,
        "chi2": observed.chi2,
        "chi2_from_tstar": observed.chi2,
        "F_rm_anova": observed.f,
        "df": observed.df,
        "p_asymptotic": observed.p_asymptotic,
        "column_means": table.mean(axis=0),
    }
    if enumeration_size(*table.shape) <= LARGEST_ENUMERATION:
        answer["p_exact"] = permutation(table, method="exact").tests[0].p
    if "monte carlo" in q.text("method"):
        answer["p_value"] = permutation(table, method="monte-carlo").tests[0].p
    elif q.text("method").startswith("exact") and "p_exact" in answer:
        answer["p_value"] = answer["p_exact"]
    elif q.text("method").startswith("asymptotic") or "p_exact" not in answer:
        answer["p_value"] = observed.p_asymptotic
    else:
        answer["p_value"] = answer["p_exact"]
        return Readings({"exact": answer, "asymptotic": {**answer, "p_value": observed.p_asymptotic}})
    return answer


# --- over tasks -----------------------------------------------------------------------------------------------------


def _oriented(q: Question) -> np.ndarray:
    """The table with small values best, as ranks are given."""
    larger = q.flag("higher_is_better", not q.flag("lower_is_better", True))
    return -q.table() if larger else q.table()


def friedman_test(q: Question) -> Answer:
    many = friedman(_oriented(q))
    corrected, f = many.tests
    raw = many.details["f_raw"]
    return {
        "n_blocks": many.details["tasks"],
        "mean_ranks": many.details["mean_ranks"],
        "chi2_no_tie_correction": many.details["chi2_raw"],
        "p_chi2": many.details["p_raw"],
        "F_F": raw.statistic,
        "df1": raw.df[0],
        "df2": raw.df[1],
        "p_F": raw.p,
        "chi2_tie_corrected": corrected.statistic,
        "p_tie_corrected": corrected.p,
        "F_tie_corrected": f.statistic,
        "p_F_tie_corrected": f.p,
    }


def iman_davenport_test(q: Question) -> Answer | Readings:
    """From Friedman's χ² without correction for ties, as Demšar and scmamp do; or with it, as we do."""
    many = friedman(_oriented(q))
    raw, corrected = many.details["f_raw"], many.tests[1]

    def answer(found: Result) -> Answer:
        return {"F": found.statistic, "df1": found.df[0], "df2": found.df[1], "p_value": found.p}

    if "tie_correction" in q:
        return answer(corrected if q.flag("tie_correction", True) else raw)
    return Readings({"without tie correction": answer(raw), "with tie correction": answer(corrected)})


def quade_test(q: Question) -> Answer:
    (test,) = quade(_oriented(q)).tests
    return {"F": test.statistic, "df1": test.df[0], "df2": test.df[1], "p_value": test.p}


def friedman_from_mean_ranks(q: Question) -> Answer:
    ranks, n = q["mean_ranks"], q["N"]
    chi2 = chi2_from_mean_ranks(ranks, n)
    f = iman_davenport(chi2, n, len(ranks))
    return {
        "chi2": chi2,
        "F_F": f.statistic,
        "df1": f.df[0],
        "df2": f.df[1],
        "p_F": f.p,
        "F_critical_05": f_quantile(0.95, *f.df),
    }


def iman_davenport_table(q: Question) -> Answer:
    columns = zip(*(np.atleast_1d(q[name]).tolist() for name in ("chi2", "N", "k")), strict=True)
    found = [iman_davenport(chi2, n, k) for chi2, n, k in columns]
    return {"F": [f.statistic for f in found], "p_value": [f.p for f in found]}


def _adjusted(estimates: Estimates, contrasts: Contrasts, methods: Mapping[str, str]) -> dict[str, Any]:
    """z, raw p, and the adjusted p of each method under its key."""

    def rows(adjustment: str) -> list[Comparison]:
        return compare_estimates(estimates, contrasts, adjustment, 0.05, "two-sided")

    plain = rows("none")
    made = {key: [row.p_adjusted for row in rows(name)] for key, name in methods.items()}
    return {"z": [row.statistic for row in plain], "p_raw": [row.p for row in plain], **made}


STEPWISE = {f"p_{name}": name for name in ("bonferroni", "holm", "hochberg", "hommel", "finner")}
LOGICAL = {"p_shaffer": "shaffer", "p_bergmann_hommel": "bergmann-hommel"}


def friedman_posthoc_all_pairs(q: Question) -> Answer:
    table = _oriented(q)
    estimates = friedman(table).estimates
    assert estimates is not None
    pairs = all_pairs(range(table.shape[1]))
    first, second = np.array(pairs.pairs).T + 1
    return {
        "i": first,
        "j": second,
        **_adjusted(estimates, pairs, {"p_nemenyi_tukey": SINGLE_STEP, **STEPWISE, **LOGICAL}),
    }


def friedman_posthoc_control(q: Question) -> Answer:
    if "mean_ranks" in q:
        ranks = np.asarray(q["mean_ranks"], dtype=float)
        k = len(ranks)
        estimates: Estimates | None = Estimates(ranks, np.eye(k) * k * (k + 1) / (12 * q["N"]), inf, RangeLaw(k))
    else:
        estimates = friedman(_oriented(q)).estimates
    assert estimates is not None
    control = q["control"] - 1
    turned = against(control, range(len(estimates.values)))
    pairs = Contrasts(turned.kind, tuple((b, a) for a, b in turned.pairs), turned.n_learners)
    return {"versus": [other + 1 for _, other in pairs.pairs], **_adjusted(estimates, pairs, STEPWISE)}


# --- bad input --------------------------------------------------------------------------------------------------------

BAD: dict[str, Callable[[], Any]] = {
    "binomial_test(errors=21,n=20)": lambda: rates.binomial_test(21, 20, 0.5),
    "proportion_interval(x=-1,n=10)": lambda: proportion_interval(-1, 10, confidence=0.95),
    "proportion_interval(x=1,n=0)": lambda: proportion_interval(1, 0, confidence=0.95),
    "p_adjust([1.2])": lambda: adjust([1.2], "holm"),
    "mcnemar(-1,2,3,4)": lambda: mcnemar.mcnemar_counts(-1, 2, 3, 4),
    "t_interval(conf=1.0)": lambda: mean_t([0.1, 0.2], confidence=1.0),
    "anova with one group": lambda: anova([[0.1, 0.2, 0.3]]),
    "friedman(1 algorithm)": lambda: friedman([[1.0], [2.0]]),
    "cv5x2 with inf": lambda: five_by_two_f([[inf, 0.1]] * 5),
    "wilcoxon with empty input": lambda: wilcoxon.signed_rank([]),
}


def input_validation(q: Question) -> Answer:
    calls = q.raw("calls", [])
    if unknown := [call for call in calls if call not in BAD]:
        raise Uncovered(f"no call {unknown[0]}")
    return {"all_raise": all(_raises(BAD[call]) for call in calls)}


def _raises(call: Callable[[], Any]) -> bool:
    try:
        call()
    except BakeoffError:
        return True
    return False
