from __future__ import annotations

import json
from dataclasses import FrozenInstanceError
from html import unescape
from itertools import combinations

import numpy as np
import pytest
import zoo
from hypothesis import given
from hypothesis import strategies as st

from bakeoff.inference.finding import Row
from bakeoff.judging import Decision, judge
from bakeoff.judging.verdict import MOST_GROUPS, decide, maximal_groups, order_of
from bakeoff.measures import known_measure
from bakeoff.scores import Scores


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
    assert " ".join(verdict.to_text().split()).startswith(f"{verdict.answer} {verdict.paragraph}")
    assert data["answer"] == verdict.answer
    assert data["paragraph"] in unescape(verdict._repr_html_())
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


# ----------------------------------------------------------------------------------------------------------------------
# Groups


def ties(k: int, apart: set[tuple[int, int]]) -> np.ndarray:
    tied = np.ones((k, k), dtype=bool)
    for i, j in apart:
        tied[i, j] = tied[j, i] = False
    return tied


def test_everything_tied_is_one_group() -> None:
    assert maximal_groups(ties(4, set()), [3, 1, 0, 2]) == ((3, 1, 0, 2),)


def test_nothing_tied_is_an_order() -> None:
    groups = maximal_groups(ties(3, {(0, 1), (0, 2), (1, 2)}), [2, 0, 1])
    assert groups == ((2,), (0,), (1,))
    assert order_of(groups, 3) == groups


def test_overlapping_groups_have_no_order() -> None:
    groups = maximal_groups(ties(4, {(0, 3), (1, 3)}), [0, 1, 2, 3])
    assert groups == ((0, 1, 2), (2, 3))
    assert order_of(groups, 4) is None


def test_a_learner_between_two_tied_ones_can_be_apart() -> None:
    # 0 and 2 are tied although 1, which stands between them, differs from both: no run of neighbours shows that.
    groups = maximal_groups(ties(3, {(0, 1), (1, 2)}), [0, 1, 2])
    assert groups == ((0, 2), (1,))


def test_too_tangled_relations_are_given_up() -> None:
    # Fifteen pairs that differ, all else tied: 2^15 maximal groups.
    apart = {(2 * i, 2 * i + 1) for i in range(15)}
    assert maximal_groups(ties(30, apart), range(30)) is None
    assert MOST_GROUPS > 2**5
    few = maximal_groups(ties(10, {(2 * i, 2 * i + 1) for i in range(5)}), range(10))
    assert few is not None
    assert len(few) == 2**5


@given(st.integers(2, 7).flatmap(lambda k: st.tuples(st.just(k), st.sets(st.tuples(*[st.integers(0, k - 1)] * 2)))))
def test_groups_are_exactly_the_maximal_tied_sets(case: tuple[int, set[tuple[int, int]]]) -> None:
    k, apart = case
    tied = ties(k, {(i, j) for i, j in apart if i != j})
    found = maximal_groups(tied, range(k))
    assert found is not None
    subsets = [set(c) for size in range(1, k + 1) for c in combinations(range(k), size)]
    mutual = [s for s in subsets if all(tied[i, j] for i, j in combinations(s, 2))]
    maximal = [s for s in mutual if not any(s < other for other in mutual)]
    assert sorted(map(sorted, maximal)) == sorted(map(sorted, found))


def test_who_may_be_first_follows_from_the_decisions() -> None:
    rng = np.random.default_rng(2)
    base = rng.random(60)
    table = {"best": base + 0.2, "twin": base + 0.2 + rng.normal(0, 0.02, 60), "middle": base + 0.1, "worst": base}
    noise = {name: column + rng.normal(0, 0.02, 60) for name, column in table.items()}
    rows = [(name, f"t{i}", value) for name, column in noise.items() for i, value in enumerate(column)]
    learner, task, value = zip(*rows, strict=True)
    accuracy = known_measure("accuracy")
    assert accuracy is not None
    verdict = judge(Scores.of(value, learner=learner, task=task, measures={"accuracy": accuracy}))
    assert set(verdict.first) == {"best", "twin"}
    assert verdict.ranks["best"] == verdict.ranks["twin"] == (1, 2)
    assert verdict.ranks["middle"] == (3, 3)
    assert verdict.ranks["worst"] == (4, 4)
    assert "First place is shared by 2 of 4" in verdict.to_text()
    assert verdict.to_dict()["first"] == list(verdict.first)
    control = judge(Scores.of(value, learner=learner, task=task, measures={"accuracy": accuracy}), control="worst")
    assert control.ranks == {}
    assert control.first == ()
