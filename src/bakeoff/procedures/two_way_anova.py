"""Two-way analysis of variance with interaction: learner and task, or any two factors, with replicates in each cell."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from bakeoff.mathematics.linear_models import TYPES, two_factors
from bakeoff.procedures.anova import anova_table
from bakeoff.procedures.card import Answers, Compares, PowerFormula, Published, Scope
from bakeoff.procedures.needs import runs_of_each_task, two_tasks
from bakeoff.procedures.procedure import ManyResult, Result, procedure
from bakeoff.scores import Level


def _published() -> dict[str, float]:
    values = np.array(_BATTERIES)
    material, temperature, _ = np.indices(values.shape)
    many = two_way_anova(values.ravel(), material.ravel(), temperature.ravel(), names=("material", "temperature"))
    effects = many.details["effects"]
    printed_values = {f"SS {name}": float(row[0]) for name, row in effects.items()}
    return {**printed_values, **{f"F {name}": float(row[3]) for name, row in effects.items()}}


@procedure(
    Compares.MANY,
    Level.TASKS,
    title="Two-way analysis of variance with interaction",
    question="Do learners differ, do tasks differ, and do the differences between learners change with the task?",
    null="an effect (of the learner, of the task, or of their combination) is absent",
    answers=Answers.GLOBAL,
    speaks_about=Scope.LEARNERS,
    least_blocks=0,
    needs=(two_tasks(), runs_of_each_task()),
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
    synonyms=("factorial ANOVA",),
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
    effects = two_factors(y, first, second, names, str(ss_type), interaction)
    df_error = effects["error"][1]
    tests = tuple(
        Result(statistic=f, statistic_name="F", df=(df, df_error), p=p, about=f"{name}: no effect")
        for name, (_ss, df, _ms, f, p) in effects.items()
        if name not in (names[1], "error")
    )
    title = f"analysis of variance (sums of squares of type {ss_type})"
    table = anova_table([[name, *row] for name, row in effects.items()])
    return ManyResult(tests=tests, details={"effects": effects, "tables": {title: table}})


_BATTERIES = [
    [[130, 155, 74, 180], [34, 40, 80, 75], [20, 70, 82, 58]],
    [[150, 188, 159, 126], [136, 122, 106, 115], [25, 70, 58, 45]],
    [[138, 110, 168, 160], [174, 120, 150, 139], [96, 104, 82, 60]],
]
