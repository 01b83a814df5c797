"""Two-way analysis of variance with interaction: learner and task, or any two factors, with replicates in each cell."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import nan
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from bakeoff.errors import DegenerateError, UsageError
from bakeoff.mathematics.checks import choice, number_column, squarable
from bakeoff.mathematics.groups import f_ratio
from bakeoff.procedures.card import Answers, Compares, Need, PowerFormula, Published, Scope
from bakeoff.procedures.procedure import ManyResult, Result, procedure
from bakeoff.scores import Layout, Level

Array = NDArray[np.float64]
TYPES = ("1", "2", "3")


def _replicates(facts: Layout) -> str | None:
    if facts.repeats * facts.folds > 1:
        return None
    return "it needs several resamples of each task, and there is one value per task"


def _two_tasks(facts: Layout) -> str | None:
    return None if len(facts.tasks) > 1 else "it needs at least two tasks, and there is one"


def _published() -> dict[str, float]:
    values = np.array(_BATTERIES)
    material, temperature, _ = np.indices(values.shape)
    many = two_way_anova(values.ravel(), material.ravel(), temperature.ravel(), names=("material", "temperature"))
    effects = many.details["effects"]
    made = {f"SS {name}": float(row[0]) for name, row in effects.items()}
    return {**made, **{f"F {name}": float(row[3]) for name, row in effects.items()}}


@procedure(
    Compares.MANY,
    Level.TASKS,
    title="Two-way analysis of variance with interaction",
    question="Do learners differ, do tasks differ, and do the differences between learners change with the task?",
    null="an effect (of the learner, of the task, or of their combination) is absent",
    answers=Answers.GLOBAL,
    speaks_about=Scope.LEARNERS,
    least_blocks=0,
    needs=(Need("at least two tasks", _two_tasks), Need("several resamples of each task", _replicates)),
    assumes=(
        "Every value is independent of every other: learners share no resamples.",
        "The values are about normal around the mean of their cell, with one variance for all cells.",
        "The tasks are those that the conclusion is about, not a sample of others.",
    ),
    conventions=(
        "F of each effect against the error within cells; the whole table is shown, and the rows are the effects "
        "that the learner has a part in.",
        "With unequal cells ss_type 2 (default) tests a factor after the other one, 1 the learner before the task "
        "and the task after the learner, 3 each after the interaction too "
        "(by effect coding, about unweighted means). They agree in a balanced design, and with R's aov.",
        "A combination without any value is refused; missing values are left out.",
        "Learners with the same values everywhere have F = 0 and p = 1.",
    ),
    cautions=(
        "Learners that share folds are not independent samples: the folds then count as error, and the test of "
        "the learners is too weak. Compare within blocks (rm-anova on one task, friedman over tasks).",
        "With an interaction the effect of the learner is an average over these tasks and may mean little.",
        "Folds of one cross-validation share training data: the error within cells is too small.",
    ),
    references=("yates1934", "alpaydin2014 section 19.12"),
    published=Published(
        "Montgomery, Design and Analysis of Experiments, battery life: 3 materials × 3 temperatures × 4",
        "SS material = 10683.72; SS temperature = 39118.72; SS material × temperature = 9613.78; SS error = "
        "18230.75; F material = 7.91; F temperature = 28.97; F material × temperature = 3.56",
        _published,
    ),
    recommended_for="learners on several tasks, with independent resamples of each",
    rank=60,
    options={"ss_type": ("sums of squares where cells are unequal", TYPES)},
    sides=False,
    paired=False,
    takes_long_table=True,
    power=PowerFormula.TWO_WAY,
)
def two_way_anova(
    y: ArrayLike,
    first: Sequence[Any] | NDArray[Any],
    second: Sequence[Any] | NDArray[Any],
    *,
    ss_type: str = "2",
    interaction: bool = True,
    names: tuple[str, str] = ("learner", "task"),
) -> ManyResult:
    """Explain values by two factors and their interaction, given a label of each factor for each value.

    Useful when the question is whether the learners' order is the same on all tasks: the interaction says so. The null
    hypotheses are that an effect is absent. In a design with as many values in each cell the sums of squares are
    unambiguous. Otherwise `ss_type` "2" tests a factor after the other one and before the interaction (more power if
    there is none), "3" after all else, in terms of unweighted means of the cells, and "1" in turn, as R's aov: the
    first factor by itself, the second after it. NaN is left out.

    >>> many = two_way_anova([1, 3, 5, 7, 2, 4, 9, 9], list("aaaabbbb"), list("uuvvuuvv"))
    >>> {name: round(f, 3) for name, (_ss, _df, _ms, f, _p) in many.details["effects"].items()}
    {'learner': 5.333, 'task': 33.333, 'learner × task': 1.333, 'error': nan}
    """
    choice(str(ss_type), TYPES, "ss_type")
    values, a, b = _aligned(y, first, second, names)
    noise = (100 * np.finfo(float).eps * float(np.abs(values).max())) ** 2 * len(values)
    cells = _cells(values, a, b)
    _refuse_empty(cells, interaction, names)
    fit, rank = _additive(cells)
    left = float(cells.n @ (cells.means - fit) ** 2)
    error = cells.within + (0.0 if interaction else left)
    df_error = float(len(values) - (len(cells.n) if interaction else rank))
    _refuse_too_few(df_error, rank - max(cells.levels), names)
    error = error if error > noise else 0.0
    product = f"{names[0]} × {names[1]}"
    last = str(ss_type) == "3" and interaction
    squares = {
        name: _type_3(cells, axis) if last else _type_2(cells, axis, fit, rank) for axis, name in enumerate(names)
    }
    if str(ss_type) == "1":
        alone = cells.totals(0, cells.n * cells.means) / cells.totals(0, cells.n)
        squares[names[0]] = float(cells.totals(0, cells.n) @ alone**2), float(cells.levels[0] - 1)
    if interaction:
        squares[product] = left, float(len(cells.n) - rank)
    effects: dict[str, list[float]] = {}
    for name, (ss, df) in squares.items():
        ss = ss if ss > noise else 0.0
        effects[name] = [ss, df, ss / df, *f_ratio(ss, df, error, df_error)]
    tests = tuple(
        Result(statistic=f, statistic_name="F", df=(df, df_error), p=p, about=f"{name}: no effect")
        for name, (_ss, df, _ms, f, p) in effects.items()
        if name != names[1]
    )
    effects["error"] = [error, df_error, error / df_error, nan, nan]
    title = f"analysis of variance (sums of squares of type {ss_type})"
    table = (["source", "SS", "df", "MS", "F", "p"], [[name, *row] for name, row in effects.items()])
    return ManyResult(tests=tests, details={"effects": effects, "tables": {title: table}})


def _refuse_empty(cells: Cells, interaction: bool, names: tuple[str, str]) -> None:
    empty = cells.levels[0] * cells.levels[1] - len(cells.n)
    if interaction and empty:
        raise DegenerateError(
            f"Some combination of {names[0]} and {names[1]} has no value ({empty} of "
            f"{cells.levels[0] * cells.levels[1]}), so that the interaction cannot be told from the rest.",
            alternatives=["leave out the levels that are incomplete", "interaction=False: the two factors alone"],
        )


def _refuse_too_few(df_error: float, df_effect: int, names: tuple[str, str]) -> None:
    alternatives = ["several resamples of each task", "interaction=False: the two factors alone"]
    if df_error == 0:
        raise DegenerateError(
            f"There are as many values as combinations of {names[0]} and {names[1]}, which leaves nothing to estimate "
            "the error by.",
            alternatives=alternatives,
        )
    if df_effect == 0:
        raise DegenerateError(
            f"Each level of {names[0]} comes with levels of {names[1]} of its own: their effects cannot be told apart.",
            alternatives=alternatives[:1],
        )


def _aligned(y: ArrayLike, first: Any, second: Any, names: tuple[str, str]) -> tuple[Array, Any, Any]:
    try:
        values = np.asarray(y, dtype=float)
    except (TypeError, ValueError):
        raise UsageError("'y' must be a column of numbers; found something else among them.") from None
    a, b = (np.array([str(label) for label in np.asarray(labels, dtype=object).flat]) for labels in (first, second))
    if values.ndim != 1 or not len(values) == a.size == b.size:
        raise UsageError(
            f"Every value needs a label of both factors; found {values.size} values, {a.size} labels of {names[0]} and "
            f"{b.size} of {names[1]}."
        )
    known = ~np.isnan(values)
    made = squarable(number_column(values[known], "y")), a[known], b[known]
    for labels, name in zip(made[1:], names, strict=True):
        if len(np.unique(labels)) < 2:
            raise UsageError(f"A factor needs at least two levels; {name} has {len(np.unique(labels))}.")
    return made


@dataclass(frozen=True, slots=True, eq=False)
class Cells:
    """The combinations that have values. Effects are constant within a cell, so that its mean and size tell all.

    `codes` are the levels of both factors, `within` is the sum of squares around the means.
    """

    n: Array
    means: Array
    codes: tuple[NDArray[np.intp], NDArray[np.intp]]
    levels: tuple[int, int]
    within: float

    def totals(self, axis: int, values: Array) -> Array:
        """Sums over the cells of each level of a factor."""
        return np.asarray(np.bincount(self.codes[axis], weights=values, minlength=self.levels[axis]), dtype=float)


def _cells(y: Array, a: NDArray[Any], b: NDArray[Any]) -> Cells:
    (first, one), (second, two) = _numbered(a), _numbered(b)
    found, cell, n = np.unique(first * two + second, return_inverse=True, return_counts=True)
    means = np.bincount(cell, weights=y) / n
    within = y - means[cell]
    codes = (found // two, found % two)
    return Cells(n.astype(float), means - y.mean(), codes, (one, two), float(within @ within))


def _numbered(labels: NDArray[Any]) -> tuple[NDArray[np.intp], int]:
    """Labels as numbers in the order in which they first come, so that names do not matter; and how many there are."""
    _, first, code = np.unique(labels, return_index=True, return_inverse=True)
    return np.argsort(np.argsort(first))[code.ravel()], len(first)


def _additive(cells: Cells) -> tuple[Array, int]:
    """The least-squares fit of mean + α_i + β_j to the cells, and its rank.

    β, the factor with more levels, is eliminated: C α = Q with C = diag(n_i·) − N diag(1/n_·j) N' and Q the totals of α
    less what β explains of them. A small system is left, however many tasks there are.
    """
    few, many = (0, 1) if cells.levels[0] <= cells.levels[1] else (1, 0)
    counts = np.zeros((cells.levels[few], cells.levels[many]))
    counts[cells.codes[few], cells.codes[many]] = cells.n
    size = counts.sum(axis=0)
    around = cells.means - (cells.totals(many, cells.n * cells.means) / size)[cells.codes[many]]
    C = np.diag(counts.sum(axis=1)) - (counts / size) @ counts.T
    roots, vectors = np.linalg.eigh(C)
    free = roots > 1e-9 * roots[-1]
    alpha = vectors[:, free] @ (vectors[:, free].T @ cells.totals(few, cells.n * around) / roots[free])
    explained = alpha[cells.codes[few]]
    beta = cells.totals(many, cells.n * (cells.means - explained)) / size
    return explained + beta[cells.codes[many]], cells.levels[many] + int(free.sum())


def _type_2(cells: Cells, axis: int, fit: Array, rank: int) -> tuple[float, float]:
    """What a factor adds to the model of the other one, and its degrees of freedom."""
    other = 1 - axis
    alone = (cells.totals(other, cells.n * cells.means) / cells.totals(other, cells.n))[cells.codes[other]]
    return float(cells.n @ (fit - alone) ** 2), float(rank - cells.levels[other])


def _type_3(cells: Cells, axis: int) -> tuple[float, float]:
    """Yates's weighted squares of means: unweighted means of the cells of each level, weighing by their precision."""
    level, across = cells.codes[axis], cells.levels[1 - axis]
    means = np.bincount(level, weights=cells.means) / across
    weight = across**2 / np.bincount(level, weights=1 / cells.n)
    centre = float(weight @ means / weight.sum())
    return float(weight @ (means - centre) ** 2), float(cells.levels[axis] - 1)


_BATTERIES = [
    [[130, 155, 74, 180], [34, 40, 80, 75], [20, 70, 82, 58]],
    [[150, 188, 159, 126], [136, 122, 106, 115], [25, 70, 58, 45]],
    [[138, 110, 168, 160], [174, 120, 150, 139], [96, 104, 82, 60]],
]
