"""Over random verdicts: no sentence claims what the table does not, and text, tables and JSON agree."""

from __future__ import annotations

import csv
import json
import re
from io import StringIO
from itertools import combinations, pairwise

import numpy as np
import zoo
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from bakeoff.judging import Decision, Verdict, judge
from bakeoff.reports.files import verdict_from
from bakeoff.reports.tables import best_of, tables_of

NAMES = ["ada", "bob", "cyd", "dee", "eve", "fay", "gus", "hal"]
LIST = r"((?:\w+(?:, | and )?)+)"


@st.composite
def verdicts(draw: st.DrawFn) -> Verdict:
    """Learners with gaps of all sizes, at all levels, by several procedures, on scales of all sizes."""
    k, n = draw(st.integers(2, 7)), draw(st.integers(6, 11))
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    gaps = rng.choice([0.0, 0.0, 0.01, 0.05], size=k).cumsum()
    values = 0.4 + gaps + draw(st.sampled_from([0.002, 0.02, 0.1])) * rng.standard_normal((n, k))
    values = 0.4 + draw(st.sampled_from([1.0, 1.0, 1e-4])) * (values - 0.4)
    kind = draw(st.sampled_from(["tasks", "kfold", "instances"]))
    request: dict[str, object] = {}
    if draw(st.booleans()):
        request["margin"] = 0.03
    if kind == "tasks" and k > 2:
        request["procedure"] = draw(st.sampled_from([None, "friedman", "wilcoxon"]))
    if kind == "instances":
        request["procedure"] = draw(st.sampled_from(["paired-t", "hochberg-tamhane"]))  # nothing is drawn: quick
    if kind == "kfold":
        request["procedure"] = draw(st.sampled_from([None, "bayes-correlated-t"]))
    if k > 2 and request.get("procedure") is None and draw(st.booleans()):
        request["control"] = NAMES[draw(st.integers(0, k - 1))]
    return judge(zoo.table(np.clip(values, 0.0, 1.0), kind=kind, learners=tuple(NAMES[:k])), **request)  # type: ignore[call-overload]


def wins(verdict: Verdict) -> set[tuple[str, str]]:
    """(better, worse) of all pairs that the table tells apart."""
    better = {(j.first, j.second) for j in verdict.decisions if j.decision is Decision.BETTER}
    return better | {(j.second, j.first) for j in verdict.decisions if j.decision is Decision.WORSE}


def claimed(text: str) -> set[tuple[str, str]]:
    """(better, worse) of all that a text says by name."""
    rank = "a better mean rank, among these learners, than"
    found = re.findall(rf"{LIST} (?:is better than|are each better than|has {rank}|have each {rank}) {LIST}", text)
    return {(a, b) for first, second in found for a in names(first) for b in names(second)}


def names(text: str) -> list[str]:
    return [name for name in re.split(r", | and ", text) if name in NAMES]


def grouped(text: str) -> list[list[str]] | None:
    """The groups that a text lists, if it does."""
    found = re.search(r"best first: (.*?)\. (?:That is|They overlap)", text)
    return [names(part.partition(". ")[2]) for part in found[1].split("; ")] if found else None


@settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(verdicts())
def test_no_form_claims_what_the_table_does_not(verdict: Verdict) -> None:
    shown = wins(verdict)
    for text, whole in ((verdict.paragraph, True), (verdict.words("paper"), True), (verdict.answer, False)):
        assert claimed(text) <= shown, text
        listed = grouped(text)
        ordered = "all that come after it in that order" in text
        if listed is not None:
            together = {frozenset(pair) for group in listed for pair in combinations(group, 2)}
            every = {frozenset(pair) for pair in combinations(verdict.ranking, 2)}
            assert every - together == {frozenset(pair) for pair in shown}
        elif ordered:
            assert shown == {(a, b) for a, b in combinations(verdict.ranking, 2)}
        elif whole:
            assert claimed(text) == shown, text
        assert "equivalent" not in text or verdict.margin is not None
        undecided = any(judged.decision is Decision.UNDECIDED for judged in verdict.decisions)
        if whole and not verdict.finding.posterior:
            assert ("not evidence that they are equal" in text) == undecided
    place = [verdict.finding.position[name] for name in verdict.ranking]
    sign = 1 if verdict.finding.smallest_first else -1
    assert all(sign * a <= sign * b for a, b in pairwise(place))


@settings(max_examples=30, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(verdicts())
def test_answer_bold_and_intervals_follow_from_the_decisions(verdict: Verdict) -> None:
    shown = wins(verdict)
    if " is first:" in verdict.answer and verdict.ranks:
        (first,) = verdict.first
        assert {(first, other) for other in verdict.ranking if other != first} <= shown
    if "No difference between" in verdict.answer:
        assert not shown
    beaten = {loser for _, loser in shown}
    if verdict.ranks:
        assert best_of(verdict) == (set(verdict.ranking) - beaten if beaten else set())
    header, cells = verdict.table()
    for judged, cell in zip(verdict.decisions, cells, strict=True):
        span = next((text for text in cell if re.match(r"[\[(]", text)), None)
        if span is None or verdict.finding.posterior:
            continue
        ends = re.split(r"[\[\](), ]+", span)[1:3]
        low, high = (float(end.replace("∞", "inf")) for end in ends)
        apart = low > 0 or high < 0 or (span[0] == "(" and low >= 0) or (span.count(")") > 0 and high <= 0)
        if judged.decision in (Decision.BETTER, Decision.WORSE):
            assert apart or judged.ends[0] == 0 or judged.ends[1] == 0, (header, cell)
        elif judged.decision is Decision.UNDECIDED:
            assert not apart, (header, cell)


@settings(max_examples=20, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(verdicts())
def test_text_tables_csv_and_json_agree(verdict: Verdict) -> None:
    data = json.loads(verdict.to_json())
    rows = list(csv.DictReader(StringIO(verdict.to_csv())))
    decisions = [judged.decision.value for judged in verdict.decisions]
    assert [row["decision"] for row in rows] == [each["decision"] for each in data["decisions"]] == decisions
    assert [cell[1] for cell in verdict.table()[1]] == decisions
    assert [float(row["advantage"]) for row in rows] == [each["advantage"] for each in data["decisions"]]
    again = verdict_from(data)
    assert again.to_dict() == verdict.to_dict()
    assert again.to_markdown() == verdict.to_markdown()
    for table in tables_of(verdict):
        assert all(len(row) == len(table.header) for row in table.rows), table.name
        assert all(len(row) == len(table.data_header) for row in table.data), table.name
        if table.name in ("learners", "pairs"):
            for column in range(table.left, len(table.header)):
                plain = [row[column].text for row in table.rows if re.fullmatch(r"-?\d+(\.\d+)?", row[column].text)]
                assert len({len(text.partition(".")[2]) for text in plain}) <= 1, (table.header[column], plain)
