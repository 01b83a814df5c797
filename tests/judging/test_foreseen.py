from __future__ import annotations

from typing import Any

import pytest

from bakeoff.errors import UsageError
from bakeoff.judging.foreseen import check_request

LEARNERS = ["svm", "tree", "lda"]


@pytest.mark.parametrize(
    "right",
    [
        {},
        {"procedure": "friedman", "adjust": "nemenyi"},
        {"procedure": "friedman", "adjust": "holm", "contrast": "control", "control": "svm"},
        {"procedure": "wilcoxon", "contrast": ["svm + tree vs lda", "svm vs tree"]},
        {"adjust": "nemenyi"},  # of whatever procedure will fit
        {"adjust": "single-step"},
        {"adjust": "lsd"},
        {"level": "tasks", "missing": "worst", "alpha": 0.1, "margin": 0.01},
        {"procedure": "wilson"},
    ],
    ids=str,
)
def test_what_may_be_asked(right: dict[str, Any]) -> None:
    check_request(right.pop("procedure", None), LEARNERS, **right)


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ({"procedure": "freidman"}, "There is no procedure 'freidman'. Did you mean 'friedman'"),
        ({"procedure": "friedman", "adjust": "hlom"}, "There is no adjustment 'hlom'. Did you mean 'holm'"),
        ({"adjust": "nemeny"}, "There is no adjustment 'nemeny'. Did you mean 'nemenyi'"),
        ({"contrast": "svm + forest vs lda"}, "forest"),
        ({"contrast": "all-pair"}, "Did you mean 'all-pairs'"),
        ({"contrast": "control"}, "need its name"),
        ({"contrast": "control", "control": "svn"}, "Did you mean 'svm'"),
        ({"level": "folds"}, "There is no level 'folds'"),
        ({"missing": "ignore"}, "There is no policy 'ignore'"),
        ({"alpha": 2.0}, "2"),
        ({"margin": -1.0}, "-1"),
        ({"options": {"zeros": "pratt"}}, r"Options \(zeros\) are a procedure's own"),
        ({"procedure": "wilcoxon", "options": {"zeroes": "x"}}, "wilcoxon has no option 'zeroes'"),
        ({"procedure": "friedman", "alternative": "greater"}, "There is no alternative 'greater'"),
        ({"procedure": "wilson", "contrast": "svm vs tree"}, "looks at one learner at a time"),
    ],
    ids=str,
)
def test_what_may_not(wrong: dict[str, Any], message: str) -> None:
    with pytest.raises(UsageError, match=message):
        check_request(wrong.pop("procedure", None), LEARNERS, **wrong)


def test_one_learner_cannot_be_compared() -> None:
    check_request("wilson", ["svm"])
    check_request(None, ["svm"])
    with pytest.raises(UsageError, match="there is only one"):
        check_request("mcnemar", ["svm"])
