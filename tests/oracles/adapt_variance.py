"""Oracle procedures about analyses of variance: one-way, two-way, within blocks, on ranks, multivariate."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from itertools import combinations
from math import inf
from typing import Any

import numpy as np
from question import Question, Readings, Uncovered, number
from shapes import asked_pairs

from bakeoff.inference.adjustments import ADJUSTMENTS
from bakeoff.inference.contrasts import Contrasts, all_pairs
from bakeoff.inference.evidence import SINGLE_STEP, Comparison, Estimates, compare_estimates
from bakeoff.inference.joint_laws import ScheffeLaw
from bakeoff.mathematics.laws import t_quantile
from bakeoff.mathematics.multivariate import manova_groups
from bakeoff.procedures.anova import aligned_tukey, anova, rm_anova, two_way_anova
from bakeoff.procedures.procedure import ManyResult
from bakeoff.procedures.rank_tables import critical_difference, kruskal_wallis

Answer = Mapping[str, Any]


def _samples(q: Question) -> tuple[list[str], list[np.ndarray]]:
    """Names and values of the groups: a mapping, a list, or the columns of a table."""
    if "groups" in q:
        groups = q.raw("groups")
        named = groups if isinstance(groups, Mapping) else {f"a{i + 1}": part for i, part in enumerate(groups)}
        return list(named), [np.asarray(number(part), dtype=float) for part in named.values()]
    return q.names(), list(q.table().T)


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
    """Every pair as the case names it, else as R does: the later one first, in the order of the earlier one."""
    pairs, labels = asked_pairs(q, names, [(j, i) for i, j in combinations(range(len(names)), 2)])
    family = Contrasts("all-pairs", tuple(pairs), len(names))
    return _rows_as(q, family, estimates, adjustment, labels or [f"{names[a]}{joined}{names[b]}" for a, b in pairs])


def _rows_as(q: Question, family: Contrasts, estimates: Estimates, adjustment: str, labels: list[str]) -> Answer:
    rows = compare_estimates(estimates, family, adjustment, 1 - q.confidence(), "two-sided")
    return {
        "pair": labels,
        "contrast": labels,
        "comparison": labels,
        "difference": [row.estimate for row in rows],
        "estimate": [row.estimate for row in rows],
        "t": [row.statistic for row in rows],
        "lower": [row.lower for row in rows],
        "upper": [row.upper for row in rows],
        "p_adj": [row.p_adjusted for row in rows],
        "critical": _critical(rows[0], estimates, family.pairs[0]),
        "p_value": [row.p for row in rows],
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


def maxt_vs_control(q: Question) -> Answer:
    """Dunnett's comparisons, "other - control", by the largest |t| of these."""
    names, samples = _samples(q)
    said = q.raw("control", 1)
    if str(said) not in names and not str(said).isdigit():
        raise Uncovered(f"no control is called {said!r}")
    control = names.index(str(said)) if str(said) in names else int(said) - 1
    others = [(other, control) for other in range(len(names)) if other != control]
    pairs, labels = asked_pairs(q, names, others)
    family = Contrasts("control", tuple(pairs), len(names))
    return _rows_as(
        q, family, _estimates(anova(samples)), "max-t", labels or [f"{names[a]} - {names[b]}" for a, b in pairs]
    )


def fisher_lsd(q: Question) -> Answer:
    """Pooled t tests of all pairs without adjustment; agricolae reads them forwards."""
    names, samples = _samples(q)
    many = anova(samples)
    pairs, labels = asked_pairs(q, names, list(combinations(range(len(names)), 2)))
    family = Contrasts("all-pairs", tuple(pairs), len(names))
    ms, df, alpha = many.details["ms_within"], many.tests[0].df[1], 1 - q.confidence()
    compared = compare_estimates(_estimates(many), family, "none", alpha, "two-sided")
    lsd = [(row.upper - row.lower) / 2 for row in compared]
    return {
        **_rows_as(q, family, _estimates(many), "none", labels or [f"{names[a]} - {names[b]}" for a, b in pairs]),
        "ms_within": ms,
        "df": df,
        "t_critical": t_quantile(1 - alpha / 2, df),
        "lsd": lsd if isinstance(q.asked.get("lsd"), list) else lsd[0],
    }


def tukey_repeated_measures(q: Question) -> Answer:
    table = q.table()
    names = q.names() if "columns" in q or "file" in q else [str(j + 1) for j in range(table.shape[1])]
    return _pairs_as(q, names, _estimates(rm_anova(table)), SINGLE_STEP, "-")


def aligned_tukey_pairs(q: Question) -> Answer:
    """With infinite df pairs are read forwards, where the case does not say."""
    names, samples = _samples(q)
    table = np.column_stack(samples)
    b, k = table.shape
    text = re.sub(r"[\s*·×]", "", str(q.raw("df", "blocks")).lower())
    independent = "independent" in text or re.search(r"(?<!\))[kl]\(b-1\)", text) or text == str(k * (b - 1))
    df = "inf" if text.startswith(("inf", "asymptotic", "normal")) else "independent" if independent else "blocks"
    pairs = list(combinations(range(k), 2)) if df == "inf" else [(j, i) for i, j in combinations(range(k), 2)]
    pairs, labels = asked_pairs(q, names, pairs)
    family = Contrasts("all-pairs", tuple(pairs), k)
    labels = labels or [f"{names[i]}-{names[j]}" for i, j in pairs]
    found = dict(_rows_as(q, family, _estimates(aligned_tukey(table, df=df)), SINGLE_STEP, labels))
    return {**found, "half_width": (found["upper"][0] - found["lower"][0]) / 2}


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
    many, rows = anova(samples), [[float(each) for each in row] for row in np.atleast_2d(q["weights"])]
    family = Contrasts("groups", (), len(samples), tuple(map(tuple, rows)), (("", ""),) * len(rows))
    compared = compare_estimates(_estimates(many), family, "none", 0.05, "two-sided")
    found = np.array([many.details["ms_within"] * row.statistic**2 for row in compared])  # of one degree of freedom
    return {"ss": found, "sum": float(found.sum())}


def _two_factors(q: Question) -> tuple[list[float], dict[str, list[str]]]:
    """Values and factors: the inputs beside y, or the columns (learners) and rows (folds) of a table."""
    if "table" not in q and "file" not in q:
        made = {name: [str(label) for label in q.raw(name)] for name in q.input if name != "y"}
        if len(made) != 2:
            raise Uncovered(f"two factors were expected; found {list(made)}")
        return q["y"], made
    said = q.raw("factors", ["alg", "fold"])
    names = [name for name in q.asked if name != "Residuals" and ":" not in name and name != "error"]
    if len(names) != 2:
        names = [str(name) for name in (said if isinstance(said, list) else re.findall(r"[A-Za-z_]\w*", str(said)))]
    if len(names) != 2:
        raise Uncovered(f"two factors were expected; found {names}")
    rows = re.compile("fold|block|row|task|data|set|rep|sample", re.IGNORECASE)
    across, down = reversed(names) if rows.search(names[0]) and not rows.search(names[1]) else names
    table = q.table()
    n, k = table.shape
    labels = {across: [str(j) for _ in range(n) for j in range(k)], down: [str(i) for i in range(n) for _ in range(k)]}
    return table.ravel().tolist(), {name: labels[name] for name in names}


def anova_twoway(q: Question) -> Answer:
    y, factors = _two_factors(q)
    one, two = factors
    kind = q.text("ss_type", "1").removeprefix("type ")  # R's aov, where nothing is said
    many = two_way_anova(
        y,
        factors[one],
        factors[two],
        ss_type={"i": "1", "ii": "2", "iii": "3"}.get(kind, kind),
        interaction=q.flag("interaction", "table" not in q and "file" not in q),
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


def anova_repeated_measures(q: Question) -> Readings:
    """Mauchly's p is held against R's own formula. Huynh and Feldt's ε above 1 is 1, or as car prints it."""
    table = q.table()
    many = rm_anova(table)
    shape, test = many.details["sphericity"], many.tests[0]
    answer = {
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
        "hf_p": many.details["p_huynh_feldt"],
    }
    kinds = {"ε at most 1": shape.huynh_feldt, "ε as car prints it": shape.huynh_feldt_unbounded}
    return Readings({said: {**answer, "hf_epsilon": epsilon} for said, epsilon in kinds.items()})


def kruskal(q: Question) -> Answer:
    """Alpaydın's formula has no correction for ties."""
    _, samples = _samples(q)
    many = kruskal_wallis(samples, method="exact" if q.text("method").startswith("exact") else "asymptotic")
    test, raw = many.tests[0], many.details["H_raw"]
    corrected = q.flag("tie_correction", True)
    return {
        "statistic": test.statistic if corrected else raw,
        "H": test.statistic if corrected else raw,
        "H_seed_formula": raw,
        "H_uncorrected": raw,
        "H_corrected": test.statistic,
        "df": test.df[0],
        "p_value": test.p if corrected else many.details["p_raw"],
        "p_uncorrected": many.details["p_raw"],
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
