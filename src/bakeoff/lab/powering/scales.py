"""What a difference is said in, test by test: most in the unit of the sd, some on a scale of their own."""

from __future__ import annotations

from collections.abc import Mapping

# Tests of right and wrong answers.
BINARY = frozenset({"mcnemar", "dunn", "cochran-q", "two-proportions", "binomial", "normal-approximation"})
# Tests of several measures at once: the difference is a distance between learners.
SEVERAL_MEASURES = frozenset({"hotelling", "manova"})
# How a difference is said that needs no sd to tell whether it is large.
OWN_SCALE: Mapping[str, str] = {
    **dict.fromkeys(BINARY, "compares error rates: say the difference as a rate, e.g. 0.02"),
    "delong": "compares areas under the ROC curve: say the difference of the areas, e.g. 0.02",
    "variance-ratio": "compares mean squared errors by their ratio: say the difference of their logarithms, e.g. 0.2 "
    "for one that is 18 % smaller",
}
# Where the search for the smallest difference begins.
FIRST_STEP = 0.01


def has_sd(test: str) -> bool:
    """Whether a difference is large or small by the sd.

    >>> has_sd("wilcoxon"), has_sd("mcnemar")
    (True, False)
    """
    return test not in OWN_SCALE
