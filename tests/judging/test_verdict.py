from __future__ import annotations

import json
from dataclasses import FrozenInstanceError

import numpy as np
import pytest
import zoo

from bakeoff.finding import Row
from bakeoff.judging import Decision, judge
from bakeoff.judging.verdict import decide


def row(lower: float, upper: float, p: float = 0.5) -> Row:
    return Row("a − b", "a", "b", estimate=(lower + upper) / 2, lower=lower, upper=upper, p=p, p_adjusted=p)


@pytest.mark.parametrize(
    ("lower", "upper", "margin", "decision"),
    [
        (0.01, 0.05, None, "better"),
        (-0.05, -0.01, None, "worse"),
        (-0.01, 0.05, None, "undecided"),
        (0.0, 0.05, None, "undecided"),
        (-0.01, 0.01, None, "undecided"),  # without a margin nothing is ever equivalent
        (-0.01, 0.01, 0.02, "equivalent"),
        (0.005, 0.01, 0.02, "equivalent"),  # there, but too small to matter
        (-0.02, 0.01, 0.02, "undecided"),  # touches the margin
        (-0.01, 0.05, 0.02, "non-inferior"),
        (0.005, 0.05, 0.02, "better"),
        (0.03, 0.05, 0.02, "better"),
        (-0.05, -0.03, 0.02, "worse"),
        (-0.05, 0.01, 0.02, "undecided"),
    ],
)
def test_decisions_follow_from_the_interval_and_the_margin(
    lower: float, upper: float, margin: float | None, decision: str
) -> None:
    assert decide(row(lower, upper), 1, 0.05, margin).decision == decision
    # Where smaller is better the same interval mirrored says the same.
    assert decide(row(-upper, -lower), -1, 0.05, margin).decision == decision


def test_without_an_interval_the_adjusted_p_decides_and_never_more() -> None:
    nan = float("nan")
    sure = Row("a − b", "a", "b", estimate=0.1, p=0.01, p_adjusted=0.01)
    assert decide(sure, 1, 0.05, 1.0).decision is Decision.BETTER
    assert decide(sure, -1, 0.05, 1.0).decision is Decision.WORSE
    assert decide(Row("a − b", "a", "b", estimate=0.1, p=0.2, p_adjusted=0.2), 1, 0.05, 1.0).decision == "undecided"
    assert decide(Row("a − b", "a", "b", estimate=0.1, p=nan, p_adjusted=nan), 1, 0.05, 1.0).decision == "undecided"


def demsar_like() -> np.ndarray:
    rng = np.random.default_rng(0)
    return np.round(0.7 + 0.05 * rng.standard_normal((20, 1)) + [0.0, 0.001, 0.03] + 0.005 * rng.random((20, 3)), 4)


def test_text_table_json_and_frame_say_the_same() -> None:
    verdict = judge(zoo.table(demsar_like(), kind="tasks"))
    data = json.loads(verdict.to_json())
    frame = verdict.to_frame()
    assert [d["decision"] for d in data["decisions"]] == frame["decision"].tolist()
    assert [cells[1] for cells in verdict.table()[1]] == frame["decision"].tolist()
    assert data["paragraph"] == verdict.paragraph
    assert " ".join(verdict.to_text().split()).startswith(verdict.paragraph)
    assert data["paragraph"] in verdict._repr_html_().replace("&#x27;", "'")
    for judged in verdict.decisions:
        if judged.decision is Decision.BETTER:
            assert f"{judged.first} is better than" in verdict.paragraph
    assert verdict.ranking[0] == "cyd"
    assert verdict.order == (("cyd",), ("bob",), ("ada",)) or verdict.groups is not None


def test_verdicts_are_frozen() -> None:
    verdict = judge(zoo.table(demsar_like(), kind="tasks"))
    with pytest.raises(FrozenInstanceError):
        verdict.margin = 1.0  # type: ignore[misc]


def test_not_significant_is_never_called_equal() -> None:
    rng = np.random.default_rng(3)
    verdict = judge(zoo.table(rng.random((8, 3)), kind="tasks"))
    assert all(judged.decision is Decision.UNDECIDED for judged in verdict.decisions)
    assert "not evidence that they are equal" in verdict.paragraph
    assert verdict.groups == ((verdict.ranking),)
