"""DeLong, DeLong and Clarke-Pearson's test of two AUCs on the same instances."""

from __future__ import annotations

from math import inf

from numpy.typing import ArrayLike

from bakeoff.mathematics.auc import auc, components, standard_error_of_difference
from bakeoff.mathematics.linear_models import t_test
from bakeoff.procedures.needs import NEW_INSTANCES, scores_of_instances
from bakeoff.procedures.procedure import Compares, Example, Level, Result, procedure

_TRUTH = (0, 0, 0, 0, 0, 1, 1, 1, 1, 1, 1)
_FIRST = (0.1, 0.4, 0.35, 0.8, 0.2, 0.5, 0.9, 0.7, 0.8, 0.35, 0.6)
_SECOND = (0.2, 0.5, 0.4, 0.3, 0.6, 0.5, 0.7, 0.4, 0.9, 0.6, 0.3)


@procedure(
    Compares.PAIR,
    Level.INSTANCES,
    title="DeLong's test of two AUCs",
    question="Do two classifiers have different areas under the ROC curve, on new instances like these?",
    null="the two classifiers have the same AUC",
    least_blocks=0,
    needs=(scores_of_instances,),
    assumes=(
        NEW_INSTANCES,
        "Both models were fitted without them.",
        "There are enough instances of both classes for a normal approximation.",
    ),
    conventions=(
        "The estimate is the difference of the AUCs, first minus second; a larger score speaks for class 1, ties "
        "count half.",
        "The variance is DeLong's, from structural components computed by midranks (Sun and Xu).",
        "Scores that order the instances alike have z = 0, p = 1 and no interval.",
        "The direction of a score is never turned: an AUC below ½ stays one (pROC would turn it).",
    ),
    cautions=(
        "An AUC says how well instances are ordered, not how good the probabilities are: see log loss.",
        "For nested models fitted to the same data it is far too conservative (Demler et al. 2012).",
        "It speaks about these two fitted models: how the learners vary with the training set is not in it. "
        "For learners, score AUCs over resamples and use corrected-t.",
    ),
    references=("delong1988", "sun2014", "demler2012"),
    published="R's pROC 1.18.0, roc.test(roc1, roc2, method = 'delong', paired = TRUE) on eleven made-up instances",
    printed="AUC 1 = 0.8; AUC 2 = 0.733333333; z = 0.274268699; p = 0.783878137; lower = -0.409743023; upper = "
    "0.543076356",
    example=Example("auc_first auc_second statistic p lower upper", _TRUTH, _FIRST, _SECOND),
    recommended_for="two classifiers that score the same instances, compared by the AUC",
    rank=60,
    on_predictions=True,
    computed_measure="auc",
    summary=auc,
    difference_scale="compares areas under the ROC curve: say the difference of the areas, e.g. 0.02",
    synonyms=("AUC comparison", "comparison of ROC curves"),
)
def delong(
    truth: ArrayLike, p1: ArrayLike, p2: ArrayLike, *, confidence: float = 0.95, alternative: str = "two-sided"
) -> Result:
    """Compare the areas under two ROC curves of the same instances, z = (A1 − A2) / √(variance of the difference).

    Useful for classifiers that give scores or probabilities. The null hypothesis is that both have the same AUC: that
    a positive is ranked above a negative with the same probability. The variance comes from the structural components,
    that is, from how much each instance adds to the difference; scores enter by their order only, ties count half.
    Scores that order the instances alike have z = 0 and p = 1.

    >>> truth = [0, 0, 0, 0, 0, 1, 1, 1, 1, 1, 1]
    >>> first = [0.1, 0.4, 0.35, 0.8, 0.2, 0.5, 0.9, 0.7, 0.8, 0.35, 0.6]
    >>> second = [0.2, 0.5, 0.4, 0.3, 0.6, 0.5, 0.7, 0.4, 0.9, 0.6, 0.3]
    >>> result = delong(truth, first, second)
    >>> round(result.estimate, 4), round(result.statistic, 4), round(result.p, 4)
    (0.0667, 0.2743, 0.7839)
    """
    first, second = components(truth, p1), components(truth, p2)
    counts = {"positives": len(first.positives), "negatives": len(first.negatives)}
    details = {"auc_first": first.auc, "auc_second": second.auc, **counts}
    se = standard_error_of_difference(first, second)
    if se == 0:
        bounds = (-inf if alternative == "less" else 0.0), (inf if alternative == "greater" else 0.0)
        return Result(0.0, *bounds, 0.0, "z", (), 1.0, "both order positives and negatives alike", details)
    difference, note = first.auc - second.auc, f"AUC {first.auc:.4g} and {second.auc:.4g}"
    lower, upper, z, p = t_test(difference, se, inf, confidence, alternative)
    return Result(difference, lower, upper, z, "z", (), p, note, {**details, "standard_error": se})
