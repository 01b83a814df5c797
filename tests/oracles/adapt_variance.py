"""Oracle procedures about analyses of variance: one-way, two-way, within blocks, on ranks, multivariate."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import combinations
from math import inf
from typing import Any

import numpy as np
from question import Question, Uncovered, number

from bakeoff.inference.adjustments import ADJUSTMENTS
from bakeoff.inference.contrasts import Contrasts, all_pairs
from bakeoff.inference.evidence import SINGLE_STEP, Comparison, Estimates, compare_estimates
from bakeoff.inference.joint_laws import ScheffeLaw
from bakeoff.mathematics.linear_models import contrast_sums_of_squares
from bakeoff.mathematics.multivariate import manova_groups
from bakeoff.procedures.anova import anova
from bakeoff.procedures.kruskal_wallis import critical_difference, kruskal_wallis
from bakeoff.procedures.procedure import ManyResult
from bakeoff.procedures.rm_anova import aligned_tukey, rm_anova
from bakeoff.procedures.two_way_anova import two_way_anova

Answer = Mapping[str, Any]


def _samples(q: Question) -> tuple[list[str], list[np.ndarray]]:
    """Names and values of the groups: a mapping, a list, or the columns of a table."""
    if "groups" in q:
        groups = q.raw("groups")
        named = groups if isinstance(groups, Mapping) else {f"a{i + 1}": part for i, part in enumerate(groups)}
        return list(named), [np.asarray(number(part), dtype=float) for part in named.values()]
    table = q.table()
    names = q.raw("columns") or [f"a{j + 1}" for j in range(table.shape[1])]
    return list(names), list(table.T)


def _estimates(many: ManyResult) -> Estimates:
    assert many.estimates is not None
    return many.estimates


def anova_oneway(q: Question) -> Answer:
    many = anova(_samples(q)[1])
    test = many.tests[0]
    return {
        **{name: many.details[name] for name in ("ss_between", "ss_within", "ss_total", "ms_between", "ms_within")},
        "df_between": test.df[0],
        "df_within": test.df[1],
        "F": test.statistic,
        "p_value": test.p,
    }


def pairwise_pooled_t(q: Question) -> Answer:
    names, samples = _samples(q)
    method = q.text("p_adjust", "none").replace(" ", "-")
    method = {"fdr": "bh", "lsd": "none"}.get(method, method)
    if method not in ADJUSTMENTS or not q.flag("pooled_sd", True):
        raise Uncovered(f"no pooled t with {q.raw('p_adjust')}, pooled_sd {q.raw('pooled_sd')}")
    rows = compare_estimates(_estimates(anova(samples)), all_pairs(range(len(names))), method, 0.05, q.alternative())
    pairs = combinations(names, 2)
    return {"p": {f"{a}-{b}": row.p_adjusted for (a, b), row in zip(pairs, rows, strict=True)}}


def _pairs_as(q: Question, names: Sequence[str], estimates: Estimates, adjustment: str, joined: str) -> Answer:
    """Every pair as R writes it, the later one first, in the order of the earlier one."""
    pairs = tuple((j, i) for i, j in combinations(range(len(names)), 2))
    family = Contrasts("all-pairs", pairs, len(names))
    rows = compare_estimates(estimates, family, adjustment, 1 - q.confidence(), "two-sided")
    key = "pair" if joined == "-" else "contrast"
    return {
        key: [f"{names[a]}{joined}{names[b]}" for a, b in pairs],
        "difference": [row.estimate for row in rows],
        "estimate": [row.estimate for row in rows],
        "t": [row.statistic for row in rows],
        "lower": [row.lower for row in rows],
        "upper": [row.upper for row in rows],
        "p_adj": [row.p_adjusted for row in rows],
        "critical": _critical(rows[0], estimates, pairs[0]),
    }


def _critical(row: Comparison, estimates: Estimates, pair: tuple[int, int]) -> float:
    V = estimates.covariance
    se = np.sqrt(V[pair[0], pair[0]] + V[pair[1], pair[1]] - 2 * V[pair])
    return float((row.upper - row.lower) / 2 / se)


def tukey_hsd(q: Question) -> Answer:
    names, samples = _samples(q)
    return _pairs_as(q, names, _estimates(anova(samples)), SINGLE_STEP, "-")


def maxt_all_pairs(q: Question) -> Answer:
    names, samples = _samples(q)
    return _pairs_as(q, names, _estimates(anova(samples)), "max-t", " - ")


def tukey_repeated_measures(q: Question) -> Answer:
    table = q.table()
    names = q.raw("columns") or [str(j + 1) for j in range(table.shape[1])]
    return _pairs_as(q, names, _estimates(rm_anova(table)), SINGLE_STEP, "-")


def aligned_tukey_pairs(q: Question) -> Answer:
    """With infinite df the case reads pairs forwards and gives the half-width alone."""
    names, samples = _samples(q)
    text = str(q.raw("df", "blocks")).lower()
    df = "inf" if text.startswith("inf") else "independent" if "independent" in text or "k(b-1)" in text else "blocks"
    estimates = _estimates(aligned_tukey(np.column_stack(samples), df=df))
    if df != "inf":
        return _pairs_as(q, names, estimates, SINGLE_STEP, "-")
    rows = compare_estimates(estimates, all_pairs(range(len(names))), SINGLE_STEP, 1 - q.confidence(), "two-sided")
    return {
        "pair": [f"{a}-{b}" for a, b in combinations(names, 2)],
        "difference": [row.estimate for row in rows],
        "half_width": (rows[0].upper - rows[0].lower) / 2,
        "lower": [row.lower for row in rows],
        "upper": [row.upper for row in rows],
        "p_adj": [row.p_adjusted for row in rows],
    }


def _one_contrast(q: Question) -> tuple[Estimates, Contrasts]:
    _, samples = _samples(q)
    weights = [float(weight) for weight in q["weights"]]
    family = Contrasts("groups", (), len(samples), (tuple(weights),), (("", ""),))
    return _estimates(anova(samples)), family


def contrast(q: Question) -> Answer:
    estimates, family = _one_contrast(q)
    row = compare_estimates(estimates, family, "none", 1 - q.confidence(), q.alternative())[0]
    return {
        "estimate": row.estimate,
        "se": float(np.sqrt(family.matrix[0] @ estimates.covariance @ family.matrix[0])),
        "t": row.statistic,
        "p_value": row.p,
        "lower": row.lower,
        "upper": row.upper,
        "df": estimates.df,
    }


def contrast_scheffe(q: Question) -> Answer:
    estimates, family = _one_contrast(q)
    row = compare_estimates(estimates, family, "scheffe", 1 - q.confidence(), "two-sided")[0]
    law = estimates.law_of("scheffe")
    assert isinstance(law, ScheffeLaw)
    return {
        "F_scheffe": row.statistic**2 / (law.k - 1),
        "p_scheffe": row.p_adjusted,
        "lower": row.lower,
        "upper": row.upper,
    }


def contrast_ss(q: Question) -> Answer:
    _, samples = _samples(q)
    found = contrast_sums_of_squares(samples, np.atleast_2d(np.asarray(q["weights"], dtype=float)))
    return {"ss": found, "sum": float(found.sum())}


def anova_twoway(q: Question) -> Answer:
    """The factors are the inputs beside y, in their order."""
    factors = [name for name in q.input if name != "y"]
    if len(factors) != 2:
        raise Uncovered(f"two factors were expected; found {factors}")
    one, two = factors
    kind = q.text("ss_type", "1").removeprefix("type ")  # R's aov, where nothing is said
    many = two_way_anova(
        q["y"],
        [str(label) for label in q.raw(one)],
        [str(label) for label in q.raw(two)],
        ss_type={"i": "1", "ii": "2", "iii": "3"}.get(kind, kind),
        interaction=q.flag("interaction", True),
        names=(one, two),
    )
    keys = {f"{one} × {two}": f"{one}:{two}", "error": "Residuals"}
    return {
        keys.get(name, name): {
            "ss": ss,
            "df": df,
            "ms": ms,
            "F": None if name == "error" else f,
            "p_value": None if name == "error" else p,
        }
        for name, (ss, df, ms, f, p) in many.details["effects"].items()
    }


def anova_repeated_measures(q: Question) -> Answer:
    """Mauchly's p is held against R's own formula."""
    table = q.table()
    many = rm_anova(table)
    shape, test = many.details["sphericity"], many.tests[0]
    return {
        "ss_algorithm": many.details["ss_learner"],
        "df_algorithm": test.df[0],
        "ss_error": many.details["ss_error"],
        "df_error": test.df[1],
        "ms_error": many.details["ms_error"],
        "ss_block": many.details["ss_block"],
        "df_block": len(table) - 1,
        "F": test.statistic,
        "p_value": test.p,
        "mauchly_W": shape.w,
        "mauchly_p": shape.p_of_r,
        "gg_epsilon": shape.greenhouse_geisser,
        "gg_p": many.details["p_greenhouse_geisser"],
        "hf_epsilon": shape.huynh_feldt,
        "hf_p": many.details["p_huynh_feldt"],
    }


def kruskal(q: Question) -> Answer:
    _, samples = _samples(q)
    many = kruskal_wallis(samples, method="exact" if q.text("method").startswith("exact") else "asymptotic")
    test = many.tests[0]
    return {
        "statistic": test.statistic,
        "H": test.statistic,
        "df": test.df[0],
        "p_value": test.p,
        "p_exact": many.details["p_exact"],
        "p_asymptotic": many.details["p_asymptotic"],
        "mean_ranks": many.details["mean_ranks"],
    }


def rank_tukey(q: Question) -> Answer:
    names, samples = _samples(q)
    many = kruskal_wallis(samples)
    estimates, n = _estimates(many), len(samples[0])
    made = dict(_pairs_as(q, names, estimates, SINGLE_STEP, "-"))
    sigma = float(np.sqrt(many.details["ms_within"] / n))
    made["sigma_w"] = sigma
    made["critical_difference"] = critical_difference(many.details["ms_within"], len(names), n, 1 - q.confidence())
    made["q_max"] = float(np.ptp(estimates.values)) / sigma if sigma > 0 else inf
    return made


def manova_tests(q: Question) -> Answer:
    found = manova_groups(q["y"], np.asarray(q.raw("group")))
    roots = found.eigenvalues
    share = roots / roots.sum()
    one = len(roots) == 1
    return {
        **{
            test.name.replace("–", "-"): {
                "statistic": test.value,
                "F": test.f,
                "df1": test.df[0],
                "df2": test.df[1],
                "p_value": test.p,
            }
            for test in found.tests
        },
        "eigenvalues": float(roots[0]) if one else roots,
        "eigen_share": float(share[0]) if one else share,
        "H": found.H,
        "E": found.E,
        "eigenvectors": found.eigenvectors,
    }
