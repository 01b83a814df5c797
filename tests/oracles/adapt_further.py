"""Oracle procedures that ask for one number or a small table: quantiles, thresholds, bandwidths, counts, orders."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from itertools import combinations
from typing import Any

import numpy as np
from question import Question, Readings, Uncovered, number
from shapes import by_name, by_pair

from bakeoff.figures.box_density import bandwidth, sheather_jones
from bakeoff.inference.adjustments import adjust
from bakeoff.judging.order import order_by_cost
from bakeoff.mathematics.ranges import maximum_quantile, modulus_quantile, range_quantile, range_sf
from bakeoff.mathematics.rank_tables import count_wins
from bakeoff.mathematics.ranks import count_winners
from bakeoff.mathematics.run_aggregates import improvement
from bakeoff.measures import curves
from bakeoff.power_analysis.formulas import power_z
from bakeoff.procedures import wilcoxon
from bakeoff.procedures.five_by_two import five_by_two_t
from bakeoff.procedures.paired_t import corrected_t, paired_t
from bakeoff.procedures.procedure import Result
from bakeoff.procedures.sign import compute as sign
from bakeoff.procedures.unpaired_t import unpaired_t
from bakeoff.published.hothorn_problems import break_even
from bakeoff.resampling.bootstrap import weigh_632
from bakeoff.resampling.cross_validation import CrossValidation
from bakeoff.resampling.split import Sample

Answer = Mapping[str, Any]


def each(q: Question, names: Sequence[str], of: Callable[..., Any]) -> Any:
    """What the numbers of these names give; a list, if any of them is one."""
    parts = [q[name] for name in names]
    if not any(isinstance(part, list) for part in parts):
        return of(*parts)
    columns = np.broadcast_arrays(*(np.atleast_1d(np.asarray(part, dtype=float)) for part in parts))
    return [of(*row) for row in zip(*(column.tolist() for column in columns), strict=True)]


# --- quantiles --------------------------------------------------------------------------------------------------------


def studentized_maximum_quantile(q: Question) -> Answer:
    """One-sided the maximum, two-sided the maximum modulus."""
    sides = {"1": 1, "one": 1, "one sided": 1, "upper": 1, "2": 2, "two": 2, "two sided": 2, "modulus": 2}
    if q.text("sides", "1") not in sides:
        raise Uncovered(f"no Studentized maximum with the sides {q.raw('sides')!r}")
    law = maximum_quantile if sides[q.text("sides", "1")] == 1 else modulus_quantile
    return {"quantile": each(q, ("alpha", "k", "df"), lambda alpha, k, df: law(alpha, int(k), df))}


def studentized_range_p(q: Question) -> Answer | Readings:
    """R's ptukey gives the lower tail, and the upper one with lower.tail = FALSE."""
    upper = each(q, ("q", "k", "df"), lambda point, k, df: float(range_sf(point, int(k), df)))
    lower = (1 - np.asarray(upper)).tolist()
    for key in ("lower_tail", "lower.tail"):
        if key in q:
            return {"p": lower if q.flag(key, True) else upper}
    return Readings({"upper tail": {"p": upper}, "lower tail": {"p": lower}})


def studentized_range_quantile(q: Question) -> Answer:
    """R's qtukey(.95, …); a p below one half is an upper tail."""
    return {"q": each(q, ("p", "k", "df"), lambda p, k, df: range_quantile(1 - p if p > 0.5 else p, int(k), df))}


# --- measures, figures, resampling ------------------------------------------------------------------------------------


def decision_threshold(q: Question) -> Answer:
    """α is what deciding for the first class costs where the second is true; the other mistake costs 1."""
    return {"threshold": each(q, ("alpha",), lambda alpha: curves.decision_threshold([[0, 1], [alpha, 0]]))}


def expected_cost(q: Question) -> Answer:
    """ROCR begins with the cutoff ∞; who leaves that out has one cutoff less. Of two labels the larger is positive."""
    labels = [str(label) for label in q.raw("y")]
    truth = np.array([label == max(set(labels)) for label in labels], dtype=float)
    found = curves.expected_cost(truth, q.column("score"), q["cost_fp"], q["cost_fn"])
    asked = q.asked.get("cutoff", q.asked.get("cost_per_case"))
    start = 1 if isinstance(asked, list) and len(asked) == len(found.thresholds) - 1 else 0
    single = not isinstance(q.asked.get("cost_per_case"), list)
    return {
        "cutoff": found.thresholds[start:] if isinstance(q.asked.get("cutoff"), list) else found.best,
        "cost_per_case": found.least if single else found.costs[start:],
        "best_cutoff": found.best,
        "minimum_cost": found.least,
    }


def probability_of_improvement(q: Question) -> Answer:
    """Columns are tasks; a single list is one."""
    x, y = (np.reshape(q[name], (len(q[name]), -1)).T for name in ("x", "y"))
    return {"poi": improvement(list(x), list(y), resamples=99).estimate}


def density_bandwidth(q: Question) -> Readings:
    """R finds Sheather and Jones's bandwidth to a tenth of the lower end of its range; no kernel changes it."""
    values = np.asarray(q["x"], dtype=float)
    plain = {"nrd0": bandwidth(values, "nrd0"), "nrd": bandwidth(values, "nrd")}
    rules = {"as far as R goes": 0.1, "to the end": 1e-10}
    return Readings({said: {**plain, "SJ": sheather_jones(values, precision)} for said, precision in rules.items()})


def bootstrap_632_from_parts(q: Question) -> Answer:
    found = np.atleast_1d(each(q, ("apparent", "err1", "gamma"), weigh_632)).tolist()
    keys = {"R": "overfitting", "w": "weight", "e632": "e632", "e632plus": "e632plus"}
    several = any(isinstance(q[name], list) for name in ("apparent", "err1", "gamma"))
    made = {key: [getattr(one, name) for one in found] for key, name in keys.items()}
    return made if several else {key: values[0] for key, values in made.items()}


def stratified_kfold_counts(q: Question) -> Answer:
    """Rows of each class, and of all, in the folds that have most and least of them."""
    said = q.raw("class_counts")
    names = list(said) if isinstance(said, Mapping) else [str(i + 1) for i in range(len(said))]
    sizes = [int(said[name]) for name in names] if isinstance(said, Mapping) else [int(size) for size in said]
    classes = np.repeat(np.arange(len(sizes)), sizes)
    made = CrossValidation(folds=int(q["k"])).splits(Sample(len(classes), strata=classes), seed=1).splits
    table = np.array([np.bincount(classes[fold.test], minlength=len(sizes)) for fold in made])
    whole = table.sum(axis=1)
    answer: dict[str, Any] = {"fold_size_max": int(whole.max()), "fold_size_min": int(whole.min())}
    for key, most in (("per_fold_max", table.max(axis=0)), ("per_fold_min", table.min(axis=0))):
        single = key in q.asked and not isinstance(q.asked[key], list | Mapping)
        largest = int(most.max() if key.endswith("max") else most.min())
        answer[key] = largest if single else by_name(q.asked.get(key), names, most.tolist())
    return answer


def cv5x2_t_all(q: Question) -> Readings:
    """All ten t; the mean of their squares is F."""
    possible = np.asarray(five_by_two_t(q["differences"]).details.get("possible_t", np.zeros((5, 2))), dtype=float)
    possible = possible.reshape(5, 2)
    orders = {
        "a row a replication": possible,
        "one after the other": possible.ravel(),
        "folds first": possible.T.ravel(),
    }
    squares = float(np.mean(possible**2))
    return Readings({said: {"t_ij": t, "mean_of_squares": squares} for said, t in orders.items()})


# --- power, and the founding documents --------------------------------------------------------------------------------


def z_type2_error(q: Question) -> Readings:
    """β(μ) = 1 − power; one-sided in the direction of the alternative, above μ0 or towards μ if nothing is said."""
    text = q.text("sides", q.text("alternative", "2"))
    if text not in ("1", "one", "one sided", "upper", "greater", "lower", "less", "2", "two", "two sided"):
        raise Uncovered(f"no z test with the sides {q.raw('sides')!r}")
    sides = 2 if text.startswith(("2", "two")) else 1
    sign = -1 if text in ("lower", "less") else 1

    def answer(towards: bool) -> Answer:
        def power(n: float, mu: float, mu0: float, sigma: float, alpha: float) -> float:
            difference = abs(mu - mu0) if towards else sign * (mu - mu0)
            return power_z(n, difference, sigma, alpha=alpha, sides=sides)

        found = each(q, ("N", "mu", "mu0", "sigma", "alpha"), power)
        return {"power": found, "beta": (1 - np.asarray(found)).tolist()}

    named = text in ("lower", "less", "upper", "greater")
    return Readings({"above": answer(False), **({} if named else {"towards μ": answer(True)})})


def hothorn_breakeven(q: Question) -> Answer:
    return {
        name: each(q, ("n",), lambda n, intercept=intercept: break_even(int(n), intercept))
        for name, intercept in (("no_intercept", False), ("with_intercept", True))
    }


# --- many learners ----------------------------------------------------------------------------------------------------


def win_loss_tie(q: Question) -> Readings:
    """Overall winners that tie count for each of them, or share the win."""
    names, table = q.names(), q.table()
    smaller = q.flag("lower_is_better", not q.flag("higher_is_better", False))
    better, shared = count_wins(table if smaller else -table)
    winners = count_winners(table, larger_is_better=not smaller)

    def record(i: int, j: int) -> tuple[int, int, int]:
        wins, losses = int(better[i, j]), int(better[j, i])
        return wins, losses, int(shared[i, j]) - wins - losses

    among = "overall_winner_counts_ties_shared_count"
    answer = {
        "wins_losses_ties": by_pair(q.asked.get("wins_losses_ties", {}), names, record, ("wins", "losses", "ties")),
        "unique_winner_counts": by_name(q.asked.get("unique_winner_counts"), names, winners.alone.tolist()),
    }
    if not isinstance(q.asked.get(among), list | Mapping):
        return Readings({"tasks that tie": {**answer, among: winners.ties}})
    best = np.sign(table - (table.min if smaller else table.max)(axis=1, keepdims=True)) == 0
    parts = (best / best.sum(axis=1, keepdims=True)).sum(axis=0)
    counts = {"each of them wins": winners.among.tolist(), "they share the win": parts.tolist()}
    return Readings({said: {**answer, among: by_name(q.asked[among], names, found)} for said, found in counts.items()})


def _one_sided(q: Question) -> Callable[[np.ndarray, np.ndarray], Result]:
    """The test of a case: whether the first has larger errors."""
    text = q.text("test", "paired t")
    if "wilcoxon" in text or "signed rank" in text:
        return lambda a, b: wilcoxon.compute(a, b, alternative="greater", zeros="wilcox")
    if "sign" in text.split():
        return lambda a, b: sign(a, b, alternative="greater")
    if "5x2" in text or "5 2" in text:
        return lambda a, b: five_by_two_t(np.reshape(a - b, (5, 2)), alternative="greater")
    if "corrected" in text or "nadeau" in text:
        return lambda a, b: corrected_t(a, b, ratio=1 / (len(a) - 1), alternative="greater")
    if "unpaired" in text or "welch" in text:
        return lambda a, b: unpaired_t(a, b, alternative="greater")
    if " t" in f" {text}":
        return lambda a, b: paired_t(a, b, alternative="greater")
    raise Uncovered(f"MultiTest by {q.raw('test')}")


def multitest_data(q: Question) -> Readings:
    """Learners are known by their names or counted from zero; errors are theirs, or the folds', in turn."""
    said, cost = q.raw("errors"), list(q.raw("cost_order"))
    if isinstance(said, Mapping):
        names = [next((one for one in cost if str(one) == name), name) for name in said]
        tables = [np.array([number(errors) for errors in said.values()], dtype=float)]
    else:
        table = np.asarray(number(said), dtype=float)
        names = q.raw("columns") or [i + (0 if 0 in cost else 1) for i in range(len(cost))]
        tables = [errors for errors in (table, table.T) if len(errors) == len(cost)]
    if not tables or any(name not in names for name in cost):
        raise Uncovered(f"the errors of {cost} are not found")
    return Readings(
        {
            f"{kind} p, {'learners' if n == 0 else 'folds'} in rows": answer
            for n, errors in enumerate(tables)
            for kind, answer in _multitest(q, errors, names, [names.index(name) for name in cost]).items()
        }
    )


def _multitest(q: Question, errors: np.ndarray, names: list[Any], cost: list[int]) -> dict[str, Answer]:
    test = _one_sided(q)
    pairs = list(combinations(cost, 2))  # the cheaper one first
    p = np.array([test(errors[i], errors[j]).p for i, j in pairs])
    correction = q.text("correction", "none").replace(" ", "-") or "none"
    correction = {"no": "none", "false": "none", "true": "holm", "bh": "bh", "fdr": "bh"}.get(correction, correction)
    adjusted = adjust(p, correction.split("-")[0] if correction != "holm-sidak" else correction)
    edges = [pair for pair, one in zip(pairs, adjusted, strict=True) if one <= q["alpha"]]
    order = [names[i] for i in order_by_cost(cost, edges)]
    return {
        kind: {
            "p_values": _by_cost(q, pairs, values, names),
            "edges": _edges(q, edges, names),
            "order_best_first": order,
        }
        for kind, values in (("single", p), ("adjusted", adjusted))
    }


def _edges(q: Question, edges: list[tuple[int, int]], names: list[Any]) -> list[list[Any]]:
    """In the order of the case, if they are the same."""
    made = [[names[i], names[j]] for i, j in sorted(edges)]
    asked = q.asked.get("edges")
    same = isinstance(asked, list) and sorted(map(str, asked)) == sorted(map(str, made))
    return list(asked) if same and isinstance(asked, list) else made


def _by_cost(q: Question, pairs: list[tuple[int, int]], p: np.ndarray, names: list[Any]) -> Any:
    """p of each pair as the case lists them: under keys, as [cheaper, costlier, p], in a matrix, or in a row."""
    asked = q.asked.get("p_values")
    found = {frozenset((str(names[i]), str(names[j]))): float(one) for (i, j), one in zip(pairs, p, strict=True)}
    if isinstance(asked, Mapping):
        called = {str(key): frozenset(re.findall(r"[A-Za-z]\w*|\d+", str(key).replace("_vs_", " "))) for key in asked}
        return {key: found[called[str(key)]] for key in asked if called[str(key)] in found}
    known = {str(name) for name in names}
    if isinstance(asked, list) and all(isinstance(row, list) and {*map(str, row[:2])} <= known for row in asked):
        return [[*row[:2], found.get(frozenset(map(str, row[:2])))] for row in asked]
    if isinstance(asked, list) and asked and all(isinstance(row, list) for row in asked):
        rows = list(enumerate(asked))
        return [
            [
                found[frozenset((str(names[i]), str(names[j])))] if (i, j) in pairs else cell
                for j, cell in enumerate(row)
            ]
            for i, row in rows
        ]
    return list(found.values())
