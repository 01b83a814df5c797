"""Oracle procedures about permutation tests, closed testing, Friedman's exact law and orders by cost."""

from __future__ import annotations

import re
from collections.abc import Mapping
from itertools import combinations
from typing import Any

import numpy as np
from question import Question, Readings, Uncovered

from bakeoff.judging.order import order_by_cost
from bakeoff.procedures.closed_testing import closed_testing
from bakeoff.procedures.friedman import exact_p, friedman
from bakeoff.procedures.permutations import (
    paired_permutation,
    permutation,
    permutation_independent,
    permutation_samples,
)

Answer = Mapping[str, Any]


def _method(text: str) -> dict[str, Any]:
    """The method that a case names in prose, with the number of resamples if it gives one."""
    if text.startswith("asymptotic"):
        return {"method": "asymptotic"}
    if "monte carlo" in text:
        number = re.search(r"\d+", text)
        return {"method": "monte-carlo", **({"resamples": int(number[0])} if number else {})}
    if text.startswith(("exact", "all", "enumerat")) or not text:
        return {"method": "exact" if text else "auto"}
    raise Uncovered(f"no permutation test by the method {text!r}")


def permutation_paired(q: Question) -> Answer:
    found = paired_permutation(
        q.column("a"),
        q.column("b"),
        alternative=q.alternative(),
        confidence=q.confidence(),
        **_method(q.text("method")),
    )
    return {
        "sum_d": found.details["sum"],
        "t": found.details["t"],
        "z": found.statistic,
        "z_formula": found.statistic,
        "p_value": found.p,
        "exactRankTests_p": found.p,
        "n_permutations": found.details.get("n_permutations"),
    }


def permutation_two_sample(q: Question) -> Answer:
    found = permutation_independent(
        q.column("x"),
        q.column("y"),
        alternative=q.alternative(),
        confidence=q.confidence(),
        **_method(q.text("method")),
    )
    return {"z": found.statistic, "p_value": found.p}


def closed_tests(q: Question) -> Answer:
    """Sets of learners are named by their columns, counted from one, in the order of the pairs."""
    table = q.table()
    k = table.shape[1]
    method = _method(q.text("test", q.text("method")))
    many = closed_testing(table, **method)
    assert many.decided is not None
    first, second = np.array(list(combinations(range(k), 2))).T
    p_sets, p_parts = many.details["p_sets"], many.details["p_partitions"]
    triples = [name for name in p_sets if len(name) == 3]
    adjusted = many.decided.p_adjusted[first, second]
    names: Any = np.array(q.names()) if isinstance(np.ravel(q.asked.get("i", 0))[0], str) else np.arange(1, k + 1)
    answer: dict[str, Any] = {
        "i": names[first],
        "j": names[second],
        "p_raw": many.decided.p[first, second],
        "p_closed": adjusted,
        "p_global": many.tests[0].p,
        "chi2_pairs": many.details["chi2_pairs"],
        "triples": triples,
        "p_triples": [p_sets[name] for name in triples],
        "p_closed_subsets_only": many.details["p_closed_subsets_only"][first, second],
        "all_pairs_rejected": bool((adjusted <= q.get("alpha", 0.05)).all()),
        # Such a case gives a bound that p is below, not a value.
        "p_global_below": 1e-10 if many.tests[0].p < 1e-10 else many.tests[0].p,
    }
    if k == 4:
        answer["partition_pairs"] = list(p_parts)
        answer["p_partition_bonferroni"] = list(p_parts.values())
        answer["p_closed_with_partitions_bonferroni"] = adjusted
    if k == 4 and method["method"] == "asymptotic":
        other = closed_testing(table, partitions="sum-chi2", **method)
        assert other.decided is not None
        answer["p_partition_sumchi2"] = list(other.details["p_partitions"].values())
        answer["p_closed_with_partitions_sumchi2"] = other.decided.p_adjusted[first, second]
    return answer


def permutation_k_sample(q: Question) -> Answer | Readings:
    """coin's oneway_test of independent samples; where a case speaks of blocks, its symmetry_test within them."""
    text = f"{q.text('method')} {q.text('statistic')} {q.text('test')}"
    method = _method(q.text("method"))
    blocks = re.search(r"block|strat|symmetr|within|paired|aligned|t star|friedman", text)
    if blocks:
        return _symmetry(q, **method)
    found = permutation_samples(q.table(), **method)
    answer = {"chi2": found.statistic, "statistic": found.statistic, "df": found.df[0], "p_value": found.p}
    if method["method"] != "auto":
        return answer
    limit = {**answer, "p_value": found.details["p_asymptotic"]}
    return Readings({"exact or Monte Carlo": answer, "asymptotic": limit})


def _symmetry(q: Question, **method: Any) -> Answer:
    many = permutation(q.table(), **{**method, **({"method": "exact"} if method["method"] == "auto" else {})})
    chi2, df = many.details["chi2"], many.tests[-1].df[0]
    return {"chi2": chi2, "statistic": chi2, "df": df, "p_value": many.tests[0].p}


def friedman_of_table(q: Question) -> Answer:
    many = friedman(q.table(), method="exact")
    return {
        "chi2": many.details["chi2"],
        "chi2_no_tie_correction": many.details["chi2_raw"],
        "p_exact": many.tests[0].p,
        "p_value": many.tests[0].p,
    }


def friedman_exact(q: Question) -> Answer:
    """Of a table, the chance of its χ² or a larger one. Of numbers, SuppDists' P(X > x), which the file calls P(X ≥ x).

    pFriedman rounds x up to a value that the statistic can have and gives the chance of larger ones, except at the
    largest, where it gives that value's own chance: pFriedman(6.5 − 1e-6, 3, 4, lower.tail = FALSE) is .0046, the
    chance of 8 alone, where P(X ≥ 6.5) = .0417 (Friedman's own table). Ours is P(X ≥ x); this is the translation.
    """
    if "table" in q or "file" in q:
        return friedman_of_table(q)
    answers = []
    columns = np.broadcast_arrays(*(np.atleast_1d(q[name]) for name in ("chi2", "k", "N")))
    for chi2, k, n in zip(*(column.tolist() for column in columns), strict=True):
        largest = n * (k - 1)
        answers.append(exact_p(min(chi2 + 1e-4, largest), int(n), int(k)))
    return {"p": answers if isinstance(q.raw("chi2"), list) else answers[0]}


def multitest(q: Question) -> Answer:
    edges = [(int(i), int(j)) for i, j in q["edges_i_beaten_by_costlier_j"]]
    return {"order_best_first": order_by_cost([int(i) for i in q["cost_order"]], edges)}
