"""Schemes that test on rows which were learned from, and what to say of them wherever they are met."""

from __future__ import annotations

CODE = "resubstitution"
# What share of a score comes from rows that were learned from.
OPTIMISTIC = {"bootstrap": "most", "632": "part", "632+": "part"}
INSTEAD = "Compare learners by out-of-bootstrap, or by cross-validation."


def optimism(scheme: str) -> str:
    """What is wrong with comparing learners by a scheme; nothing is said of those that test on other rows.

    Measured on sonar: by `bootstrap`, 1-nearest-neighbour, which knows every row it has seen, beats a support vector
    machine that is better on new rows. Alpaydın 19.6.3 calls the estimate pessimistic, which it is not.

    >>> optimism("out-of-bootstrap")
    ''
    """
    if scheme not in OPTIMISTIC:
        return ""
    seen = {
        "most": "tests on rows most of which were learned from",
        "part": "takes part of each score from rows that were learned from",
    }[OPTIMISTIC[scheme]]
    return (
        f"The scheme {scheme} {seen}: scores are optimistic, and most so for learners that learn rows by heart, which "
        "then look better than they are."
    )
