"""Cochran's Q: do several classifiers have the same error rate on the same instances?"""

from __future__ import annotations

from math import sqrt

import numpy as np
from numpy.typing import ArrayLike

from bakeoff.mathematics.laws import chi2_sf
from bakeoff.mathematics.right_or_wrong import answers
from bakeoff.procedures.card import (
    Answers,
    Card,
    Caution,
    Compares,
    Published,
    Reference,
    Scope,
    at_least_learners,
    at_level,
    right_or_wrong,
)
from bakeoff.procedures.result import Many, Procedure, Result
from bakeoff.procedures.sentences import NEW_INSTANCES
from bakeoff.scores import Level


def cochran_q(table: ArrayLike) -> Many:
    """Test whether k classifiers are right equally often on the same n instances, Q ~ χ² with k − 1 df.

    Q = 2 Σ (Ȳi − Ȳ)² / σ²_diff, which is k(k−1) Σ (Ci − C̄)² / (k Σ Rj − Σ Rj²) with column sums C and row sums R. The
    null hypothesis is that the rates are equal. For two classifiers Q is McNemar's χ² without continuity correction.
    Where all classifiers agree on every instance, Q is 0 and p is 1.

    >>> many = cochran_q([[1, 0, 0], [1, 1, 0], [1, 0, 1], [1, 1, 0], [0, 1, 0]])
    >>> round(many.tests[0].statistic, 4), round(many.tests[0].p, 4)
    (2.8, 0.2466)
    """
    found = answers(table)
    k = len(found.rates)
    spread = float(np.sum((found.rates - found.rates.mean()) ** 2))
    q = 2 * spread / found.variance if found.variance > 0 else 0.0
    test = Result(
        statistic=q,
        statistic_name="Cochran's Q",
        df=(float(k - 1),),
        p=float(chi2_sf(q, k - 1)),
        note="" if found.variance > 0 else "all agree on every instance",
    )
    details = {"rates": found.rates, "sigma_diff_squared": found.variance, "sigma_diff": sqrt(found.variance)}
    return Many(tests=(test,), details=details)


# Cochran (1950), Table 1: four media for diphtheria bacilli on 69 specimens, as patterns of growth and their counts.
_MEDIA = {(1, 1, 1, 1): 4, (1, 1, 0, 1): 2, (0, 1, 1, 1): 3, (0, 1, 0, 1): 1, (0, 0, 0, 0): 59}


def _published() -> dict[str, float]:
    table = [pattern for pattern, count in _MEDIA.items() for _ in range(count)]
    many = cochran_q(table)
    return {"Q": many.tests[0].statistic, "p": many.tests[0].p}


PROCEDURE = Procedure(
    card=Card(
        name="cochran-q",
        title="Cochran's Q test",
        question="Do several classifiers have different error rates on new instances like these?",
        null="all classifiers have the same probability of being right",
        compares=Compares.MANY,
        answers=Answers.GLOBAL,
        speaks_about=Scope.MODELS,
        level=Level.INSTANCES,
        needs=(at_level(Level.INSTANCES), at_least_learners(2), right_or_wrong()),
        assumes=(
            NEW_INSTANCES,
            "The models were fitted without them.",
            "Under the null hypothesis all pairs have the same covariance; and there are enough instances on which "
            "they do not all agree (24 answers or more, k times their number).",
        ),
        conventions=(
            "Q is held against χ² with k − 1 degrees of freedom; there is no continuity correction.",
            "Where all classifiers agree on every instance, Q is 0 and p is 1.",
        ),
        cautions=(
            Caution("It says that some differ, not which: dunn compares all pairs with the same variance."),
            Caution("It need not be significant before pairs are compared: dunn controls the error rate by itself."),
        ),
        references=(
            Reference("Cochran (1950), Biometrika 37, 256–266.", "10.1093/biomet/37.3-4.256"),
            Reference("Marascuilo and McSweeney (1977), Nonparametric and Distribution-Free Methods, p. 180."),
            Reference("Feelders and Verkooijen (1995), section 3."),
        ),
        published=Published(
            where="Cochran (1950), Table 1: media for diphtheria bacilli",
            compute=_published,
            values={"Q": "8.05", "p": "0.045"},
        ),
        because="several classifiers on the same instances, each answer right or wrong",
        preference=10,
        sides=False,
    ),
    compute=cochran_q,
)
