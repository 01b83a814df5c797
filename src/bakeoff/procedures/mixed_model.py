"""Items and runs as random effects: models that were run several times on the same instances."""

from __future__ import annotations

from math import sqrt

import numpy as np
from numpy.typing import ArrayLike

from bakeoff.errors import DegenerateError, UsageError
from bakeoff.mathematics.checks import Array, number_column
from bakeoff.mathematics.clusters import as_table, crossed_mean, crossed_mean_of_cells
from bakeoff.mathematics.linear_models import t_test
from bakeoff.procedures.card import NullDesign, Scope, Trial
from bakeoff.procedures.needs import answered_in_runs
from bakeoff.procedures.procedure import Compares, Example, Level, Result, difference_alike, numbers, procedure

_ITEM, _RUN = np.arange(1.0, 13)[:, None], np.arange(1.0, 6)
_TABLE: Array = np.round(np.sin(1.7 * _ITEM) + 0.5 * np.cos(2.3 * _RUN) + 0.4 * np.sin(5 * _ITEM * _RUN) + 0.3, 3)


def _published(result: Result) -> list[float]:
    sds = numbers(result, "sd_of_items sd_of_runs sd_of_rest")
    return [*numbers(result, "estimate standard_error df statistic"), *(sd**2 for sd in sds)]


@procedure(
    Compares.PAIR,
    Level.INSTANCES,
    title="Mixed model with items and runs as random effects",
    question="Do two learners differ on new instances and in new runs, both of which were sampled?",
    null="the mean difference over the populations of instances and of runs is zero",
    speaks_about=Scope.RUNS,
    needs=(answered_in_runs,),
    assumes=(
        "Instances (or the clusters that they lie in) and runs are samples of those that the conclusion is meant for.",
        "What instances, runs and the rest contribute to a difference is about normal, and adds up.",
        "Answers that are missing are missing by chance.",
    ),
    conventions=(
        "The model is d = μ + instance + run + rest; its components are those of REML, from mean squares of the "
        "complete table: one that would be negative is zero, and what it stood for is pooled with the rest. Where "
        "answers are missing, REML itself is carried out; degrees of freedom are those of lmerTest.",
        "The variance of the mean is (MS of instances + MS of runs − MS of the rest) over their number; degrees of "
        "freedom are Satterthwaite's. Instances in a sample of clusters enter by the variance between clusters (CR2).",
        "Learners with the same value everywhere have t = 0, p = 1 and no interval.",
    ),
    cautions=(
        "Few runs leave few degrees of freedom, and little is found. Two runs have one degree of freedom for what "
        "differs from run to run.",
        "Answers that are merely sampled again from one fitted model (epochs) are no runs of a learner: average them "
        "within instances, which is what happens unless this is asked for.",
        "Run 1 of a learner is taken together with run 1 of the other; where runs have nothing in common, that is as "
        "good as any other order.",
    ),
    references=("searle1992", "satterthwaite1946", "bates2015"),
    published="R 4.2.2, lmer(d ~ 1 + (1 | item) + (1 | run)) of lme4 with the degrees of freedom of lmerTest, on "
    "twelve made-up items in five runs",
    printed="mean = 0.275466666667; se = 0.272023; df = 14.304; t = 1.01266; items = 0.607923; runs = 0.109567; rest = "
    "0.0853663",
    example=Example(_published, _TABLE.ravel(), np.zeros(_TABLE.size), *np.indices(_TABLE.shape).reshape(2, -1)),
    recommended_for="learners that were run several times on the same instances, if new runs are asked about too",
    rank=55,
    crossed=True,
    no_power="it hangs on how much of the variance is between instances and between runs: see the verdict of a pilot",
    trials=(Trial(NullDesign.CROSSED),),
)
def mixed_model(
    a: ArrayLike,
    b: ArrayLike,
    instances: ArrayLike,
    runs: ArrayLike,
    clusters: ArrayLike | None = None,
    *,
    confidence: float = 0.95,
    alternative: str = "two-sided",
) -> Result:
    """Compare two learners that were run several times on the same instances, for new instances and new runs.

    Useful where runs are trainings with other seeds, each tested on the same instances. Averaging over runs answers for
    these runs; this answers for others too, so that what differs from run to run is in the error.

    >>> rng = np.random.default_rng(3)
    >>> item, run = np.divmod(np.arange(60), 5)
    >>> result = mixed_model(rng.normal(size=60) + 1, rng.normal(size=60), item, run)
    >>> sorted(result.details)[-2:]
    ['sd_of_runs', 'standard_error']
    """
    first, second = number_column(a), number_column(b)
    alike = difference_alike(first, second, "everywhere", "its standard error is zero and t does not exist")
    if alike is not None:
        return alike
    d = first - second
    unit = float(np.abs(d).max())
    n, n_runs = (len(np.unique(np.asarray(labels))) for labels in (instances, runs))
    if len(d) < n * n_runs:
        if clusters is not None:
            raise UsageError(
                f"{n * n_runs - len(d)} of {n * n_runs} answers are missing, and instances lie in clusters: with both "
                "there is no mixed model here. Complete the answers, leave out the instances that lack one, or say "
                "--ignore with the column of the clusters."
            )
        crossed = crossed_mean_of_cells(d / unit, instances, runs)
    else:
        of_item = None if clusters is None else as_table(np.asarray(clusters, dtype=float), instances, runs)[:, 0]
        crossed = crossed_mean(as_table(d / unit, instances, runs), of_item)
    if not crossed.standard_error > 0:
        raise DegenerateError("The differences have the same mean in every instance and run: there is no t.")
    mean, se = crossed.estimate * unit, crossed.standard_error * unit
    lower, upper, t, p = t_test(mean, se, crossed.df, confidence, alternative)
    parts = {"items": crossed.items, "runs": crossed.runs, "rest": crossed.rest}
    sds = {f"sd_of_{name}": sqrt(variance) * unit for name, variance in parts.items()}
    details = {"instances": n, "runs": n_runs, "standard_error": se, **sds}
    return Result(mean, lower, upper, t, "t", (crossed.df,), p, "", details)
