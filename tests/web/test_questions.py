"""Answers are bounded: in number, in size, in how many are made at once, and in how much one of them may be."""

from __future__ import annotations

import threading
from io import StringIO
from time import sleep

import numpy as np
import pandas as pd
import pytest
from proofs import PATIENCE, until
from serving import SCORES, Served

from bakeoff.judging.case import Case
from bakeoff.judging.request import Request
from bakeoff.scores import read_scores
from bakeoff.web import questions
from bakeoff.web.questions import Question
from bakeoff.web.workspace import AT_ONCE, AnswerCache, size_of

OF = f"of=file:{SCORES}&measure=error"


def test_large_answers_are_forgotten_sooner() -> None:
    kept = AnswerCache(100, most_bytes=1000)
    for name in "abc":
        kept.get(name, lambda: np.zeros(50))  # 400 bytes
    assert kept.size <= 1000
    made: list[str] = []
    for name in "cba":
        kept.get(name, lambda name=name: made.append(name) or np.zeros(50))  # type: ignore[misc]
    assert made == ["a"]
    kept.get("huge", lambda: np.zeros(5000))
    assert isinstance(kept.get("huge", lambda: None), np.ndarray)  # what was made last is kept, however large


def test_what_one_makes_another_does_not_make_again() -> None:
    kept, made = AnswerCache(4), []

    def make() -> str:
        made.append(1)
        sleep(0.05)
        return "x"

    threads = [threading.Thread(target=kept.get, args=("key", make)) for _ in range(20)]
    for each in threads:
        each.start()
    for each in threads:
        each.join()
    assert made == [1]


def served_case() -> Case:
    table = "".join(f"t{i},m{j},0.{10 + (i * j) % 80}\n" for i in range(200) for j in range(20))
    frame = pd.read_csv(StringIO("task,learner,accuracy\n" + table))
    return Case(read_scores(frame), Request.of())


def test_sizes_are_about_right() -> None:
    assert size_of([b"x" * 100] * 1000) == pytest.approx(108_000, rel=0.01)
    assert size_of({"a": np.zeros(1000)}) >= 8000
    assert size_of(Question(("file:a",))) < 2000
    case = served_case()
    rows = case.origin.value.size
    assert 10 * 8 * rows > size_of(case) - size_of(case.origin) >= 0  # what it holds twice counts once
    assert size_of(case.origin) > 8 * rows


def test_few_analyses_are_made_at_the_same_moment(served: Served, monkeypatch: pytest.MonkeyPatch) -> None:
    now, most, lock, seen = [0], [0], threading.Lock(), threading.Event()
    judged = questions.verdict_on

    def slowly(case: object) -> object:
        with lock:
            now[0] += 1
            most[0] = max(most[0], now[0])
        assert seen.wait(PATIENCE)
        try:
            return judged(case)  # type: ignore[arg-type]
        finally:
            with lock:
                now[0] -= 1

    monkeypatch.setattr(questions, "verdict_on", slowly)
    addresses = [f"/api/v1/verdict?{OF}&alpha=0.0{i}" for i in range(31, 31 + 3 * AT_ONCE)]
    threads = [threading.Thread(target=served.get, args=(address,)) for address in addresses]
    for each in threads:
        each.start()
    until(lambda: now[0] == AT_ONCE, "as many as may be made at the same moment")
    assert served.get("/plan").status_code == 200  # who asks for something else does not wait for them
    seen.set()
    for each in threads:
        each.join()
    assert most[0] == AT_ONCE


def test_a_crowd_of_learners_is_not_compared_pair_by_pair(served: Served) -> None:
    many = questions.MOST_LEARNERS + 1
    names = ",".join(f"m{i}" for i in range(many))
    rows = "".join(f"t{j},{','.join(f'0.{10 + (i * j) % 83}' for i in range(many))}\n" for j in range(5))
    of = served.dropped("crowd.csv", f"task,{names}\n{rows}".encode())
    refused = served.get("/api/v1/verdict", params={"of": of, "measure": "accuracy"})
    assert refused.status_code == 422
    assert "a page compares all pairs of at most" in refused.json()["error"]
    page = served.get("/decide", params={"of": of, "measure": "accuracy"}).text
    assert "control=m0" in page
    assert served.get("/api/v1/verdict", params={"of": of, "measure": "accuracy", "control": "m0"}).status_code == 200


def test_more_draws_are_allowed_up_to_a_number_and_change_no_hypothesis(served: Served) -> None:
    more = served.get(f"/api/v1/verdict?{OF}&resamples=19999").json()
    assert more["finding"]["standing"] is None
    assert "19,999 draws" in served.get(f"/decide?{OF}&resamples=19999").text
    assert served.get(f"/api/v1/verdict?{OF}&resamples=1000000000").status_code == 400
    assert served.get(f"/api/v1/verdict?{OF}&resamples=many").status_code == 400


def test_another_measure_after_the_data_were_seen_is_marked(served: Served) -> None:
    rows = "".join(
        f"t{i},{who},0.{50 + (7 * i + k) % 40},0.{60 + (3 * i + k) % 30}\n"
        for i in range(12)
        for k, who in enumerate("ab")
    )
    of = served.dropped("two.csv", f"task,learner,accuracy,auc\n{rows}".encode())
    first = served.get("/decide", params={"of": of, "measure": "auc"}).text
    assert "Exploratory." not in first  # which one counts is said before the scores are seen
    assert '<input type="hidden" name="began" value="auc">' in first
    changed = {"of": of, "measure": "accuracy", "began": "auc"}
    page = served.get("/decide", params=changed).text
    assert "<strong>Exploratory.</strong>" in page
    assert "the measure was changed from auc to accuracy" in page
    assert f'href="/decide?of={of.replace(":", "%3A")}&amp;measure=auc">Back to how it began' in page
    assert "the measure was changed from auc" in served.get("/download/verdict.tex", params=changed).text
    back = served.get("/decide", params={**changed, "measure": "auc"}).text
    assert "Exploratory." not in back


@pytest.mark.parametrize("name", ["report.html", "verdict.csv", "learners.csv", "verdict.bib", "verdict.tex"])
def test_files_of_what_was_not_planned_say_so_by_their_names(served: Served, name: str) -> None:
    plain = served.get(f"/download/{name}?{OF}").headers["content-disposition"]
    assert plain == f'attachment; filename="{name}"'
    changed = served.get(f"/download/{name}?{OF}&alpha=0.01").headers["content-disposition"]
    assert changed == f'attachment; filename="exploratory-{name}"'


@pytest.mark.parametrize("form", ["svg", "pdf", "png"])
def test_figures_of_what_was_not_planned_say_so(served: Served, form: str) -> None:
    plain = served.get(f"/figure/critical-difference.{form}?{OF}&save=1")
    changed = served.get(f"/figure/critical-difference.{form}?{OF}&alpha=0.01&save=1")
    assert 'filename="exploratory-critical-difference' in changed.headers["content-disposition"]
    assert "exploratory" not in plain.headers["content-disposition"]
    if form == "svg":
        assert ">Exploratory: α was set to 0.01</text>" in changed.text  # written where everybody sees it
        assert "Exploratory" not in plain.text
    other = served.get(f"/figure/box-density.{form}?{OF}&alpha=0.01&save=1")
    assert "exploratory" not in other.headers["content-disposition"]  # α is nothing to what the scores are


def test_figures_that_cannot_be_drawn_say_why_in_their_place(served: Served) -> None:
    names = ",".join(f"m{i}" for i in range(35))
    rows = "".join(f"t{j},{','.join(f'0.{10 + (i * j) % 83}' for i in range(35))}\n" for j in range(9))
    of = served.dropped("forty.csv", f"task,{names}\n{rows}".encode())
    page = served.get("/decide", params={"of": of, "measure": "accuracy"}).text
    assert "cannot be read; at most 30 can be drawn" in page
    assert "/figure/critical-difference.svg" not in page
    assert "the first 300 of 595; pairs.csv has all" in page
    groups = served.get(f"/figure/critical-difference.svg?{OF}&group=C4.5&group=Bagged C4.5&versus=AdaBoosted C4.5")
    assert groups.status_code == 422
    assert "mean of C4.5 and Bagged C4.5" in groups.text
    assert (
        served.get(f"/figure/relations.svg?{OF}&group=C4.5&group=Bagged C4.5&versus=AdaBoosted C4.5").status_code == 422
    )
