"""What the pages show, and that an address is a question."""

from __future__ import annotations

import json
import subprocess
import sys
import threading
import tomllib
from html import unescape
from pathlib import Path
from time import monotonic, sleep
from urllib.parse import parse_qsl

import pytest
from serving import DATA, SCORES, Served

from bakeoff.errors import UsageError
from bakeoff.reports.files import FORMS
from bakeoff.study.file import TEMPLATE
from bakeoff.web.app import written_study
from bakeoff.web.questions import Kept, Question
from bakeoff.web.safety import TOKEN_HEADER
from bakeoff.web.workspace import Workspace

OF = f"of=file:{SCORES}&measure=error"
C45 = "C4.5"


def test_the_first_page_has_files_studies_and_examples(served: Served) -> None:
    text = served.get("/").text
    assert SCORES in text
    assert "outside.csv" in text  # it is listed, and cannot be read: it lies elsewhere
    assert ".hidden.csv" not in text
    assert "secret.csv" not in text
    assert text.count("data-study=") == len(served.space.studies()) >= 2
    assert "Drop files of results here" in text


def test_the_page_says_what_compare_says(served: Served) -> None:
    command = [sys.executable, "-m", "bakeoff", "compare", str(DATA / SCORES), "--measure", "error", "--json"]
    told = json.loads(subprocess.run(command, capture_output=True, text=True, check=True).stdout)
    asked = served.get(f"/api/v1/verdict?{OF}").json()
    assert asked["decisions"] == told["verdict"]["decisions"]
    assert asked["answer"] == told["verdict"]["answer"]
    page = served.get(f"/decide?{OF}").text
    assert told["verdict"]["answer"] in page
    assert "Recommended:" in page
    assert "EXPLORATORY" not in page


@pytest.mark.parametrize(
    ("setting", "words"),
    [
        ("alpha=0.01", "α was set to 0.01"),
        ("margin=0.02", "the margin was set to 0.02"),
        ("without=C4.5", "without C4.5"),
        ("task=sonar&task=letter&task=glass&task=autos&task=iris", "only the tasks sonar"),
        ("with=nemenyi", "the procedure was set to nemenyi"),
        ("adjust=bonferroni", "the adjustment was set to bonferroni"),
        ("control=C4.5", "the control was set to C4.5"),
        ("learner=C4.5&learner=Bagged C4.5", "only the learners C4.5"),
    ],
)
def test_changed_settings_are_marked_on_the_page_and_in_every_file(served: Served, setting: str, words: str) -> None:
    page = served.get(f"/decide?{OF}&{setting}").text
    assert "<strong>Exploratory.</strong>" in page
    assert words in page
    for ending in ("txt", "md", "tex", "html", "json"):
        text = served.get(f"/download/verdict.{ending}?{OF}&{setting}").text
        assert "EXPLORATORY: settings were changed after the data had been seen" in text, ending


def test_everything_can_be_downloaded(served: Served) -> None:
    for ending in FORMS:
        answer = served.get(f"/download/verdict{ending}?{OF}")
        assert answer.status_code == 200
        assert answer.headers["content-disposition"] == f'attachment; filename="verdict{ending}"'
    assert "\\toprule" in served.get(f"/download/verdict.tex?{OF}").text
    for setting in ("", "&alpha=0.01"):
        report = served.get(f"/download/report.html?{OF}{setting}")
        assert "AdaBoosted C4.5" in report.text
        assert ("EXPLORATORY" in report.text) == bool(setting)
        assert "sandbox" in report.headers["content-security-policy"]
    assert served.get(f"/download/pairs.csv?{OF}").text.count("\n") == 7
    for form, start in (("svg", b"<?xml"), ("pdf", b"%PDF"), ("png", b"\x89PNG")):
        figure = served.get(f"/figure/critical-difference.{form}?{OF}&save=1")
        assert figure.content.startswith(start)
        assert figure.headers["content-disposition"].startswith("attachment")
    assert served.get(f"/figure/critical-difference.exe?{OF}").status_code == 400
    assert served.get(f"/download/verdict.exe?{OF}").status_code == 400


def test_columns_are_given_roles(served: Served) -> None:
    rows = [
        f"{who},{what},{value / 100}" for value, (who, what) in enumerate((w, f"d{i}") for i in range(8) for w in "xyz")
    ]
    of = served.dropped("odd.csv", ("who,what,how well\n" + "\n".join(rows)).encode())
    unclear = served.get("/decide", params={"of": of})
    assert 'role="alert"' in unclear.text
    assert 'name="as:who"' in unclear.text
    said = {"of": of, "as:who": "learner", "as:what": "task", "as:how well": "value", "measure": "accuracy"}
    read = served.get("/api/v1/reading", params=said).json()
    assert read["alignment"]["learners"] == ["x", "y", "z"]
    page = served.get("/decide", params=said).text
    assert '<option value="learner" selected>' in page
    assert "Where the learners stand" in page


def test_several_files_at_once_are_one_table(served: Served) -> None:
    files = [
        (f"{name}.csv", f"task,accuracy\nt1,0.{k}\nt2,0.{k + 1}\nt3,0.{k}5\n".encode())
        for k, name in ((6, "one"), (7, "two"))
    ]
    answer = served.drop(*files)
    read = served.get("/api/v1/reading", params={"of": answer.json()["of"]}).json()
    assert read["alignment"]["learners"] == ["one", "two"]
    assert served.drop(*files).json() == answer.json()  # the same files have the same address
    gone = served.get("/decide?of=upload:0123456789")
    assert gone.status_code == 400
    assert "Drop them again" in gone.text


def test_several_measures_are_asked_about_first(served: Served) -> None:
    table = "task,learner,accuracy,auc\n" + "".join(
        f"t{i},{who},0.{i + 1},0.{i + 2}\n" for i in range(6) for who in "ab"
    )
    page = served.get("/decide", params={"of": served.dropped("two.csv", table.encode())}).text
    assert "Which measure is the question about?" in page
    assert "measure=auc" in page


def test_every_kind_of_figure_is_shown_or_refused_in_words(served: Served) -> None:
    kinds = served.get("/api/v1/figures").json()
    assert {"box-density", "scatter", "intervals", "roc", "confusion"} <= set(kinds)
    for kind in kinds:
        page = served.get(f"/explore?{OF}&kind={kind}")
        assert page.status_code == 200
        assert ('role="alert"' in page.text) != (f"/figure/{kind}.svg" in page.text), kind
    pair = served.get(f"/explore?{OF}&kind=scatter&first={C45}&second=Bagged C4.5").text
    assert ">Bagged C4.5</th>" in pair
    assert "task=sonar" in pair


def test_items_that_broke_and_were_mended(served: Served) -> None:
    rows = [("1", "1", "0"), ("1", "0", "1"), ("0", "0", "1"), ("1", "1", "1"), ("0", "1", "0"), ("1", "0", "1")]
    table = "id,truth,old,new\n" + "".join(f"q{i},{','.join(row)}\n" for i, row in enumerate(rows))
    of = served.dropped("answers.csv", table.encode())
    page = served.get("/explore", params={"of": of, "kind": "scatter", "first": "old", "second": "new"}).text
    assert "on which new is worse than old" in page
    assert "2 on which new is worse than old: q0" in page.replace("  ", " ")
    assert "3 on which it is better" in page
    for kind in ("confusion",):
        assert f"/figure/{kind}.svg" in served.get("/explore", params={"of": of, "kind": kind}).text


def test_studies_are_listed_with_grid_failures_and_verdict(served: Served) -> None:
    studies = served.get("/api/v1/studies").json()
    failing = next(each for each in studies if each["failed"])
    assert failing["state"] == "finished"
    assert sum(part["ok"] for part in failing["parts"]) == failing["ok"]
    assert len(failing["parts"]) == len(failing["tasks"]) * len(failing["learners"])
    page = served.get(f"/study/{failing['id']}").text
    assert 'class="share share-10 failing"' in page
    assert "Failures" in page
    groups = served.get(f"/api/v1/studies/{failing['id']}/failures").json()
    assert sum(group["count"] for group in groups) == failing["failed"]
    assert groups[0]["message"] in unescape(page)
    assert groups[0]["examples"][0]["detail"] in unescape(page)
    whole = next(each for each in studies if not each["failed"])
    verdict = served.get(f"/api/v1/verdict?of=study:{whole['id']}")
    assert verdict.json()["standing"]["planned"] is True
    assert "Planned in" in served.get(f"/decide?of=study:{whole['id']}").text
    changed = served.get(f"/decide?of=study:{whole['id']}&alpha=0.2").text
    assert "did not plan this analysis" in changed
    for study, kind in ((failing, "confusion"), (whole, "box-density")):
        drawn = served.get(f"/figure/{kind}.svg?of=study:{study['id']}&task={study['tasks'][0]}")
        assert drawn.status_code == 200, drawn.text
    assert served.get("/study/nothing").status_code == 404


STUDY = """
measures = ["error"]
[resampling]
scheme = "cross-validation"
folds = 4
[[task]]
data = "iris"
[[task]]
data = "wine"
[[learner]]
name = "tree"
path = "sklearn.tree.DecisionTreeClassifier"
[[learner]]
name = "nearest"
path = "sklearn.neighbors.KNeighborsClassifier"
"""


def test_a_named_study_is_started_watched_and_stopped(tmp_path: Path) -> None:
    file = tmp_path / "small.toml"
    file.write_text(STUDY)
    space = Workspace(str(tmp_path), studies=[str(file)])
    try:
        (study,) = space.studies()
        before = space.progress(study)
        assert (before["state"], before["tasks"]) == ("not started", ["iris", "wine"])
        with pytest.raises(UsageError, match="No run of this study"):
            space.stop(study)
        space.start(study)
        assert space.may_stop(study)
        end = monotonic() + 90
        while (now := space.progress(space.study(study.id)))["state"] != "finished":
            assert monotonic() < end, now
            sleep(0.3)
        assert (now["ok"], now["failed"], now["left"]) == (16, 0, 0)
        assert len(space.studies()) == 1
    finally:
        space.close()


def test_the_builder_writes_what_init_writes() -> None:
    usual = tomllib.loads(TEMPLATE)
    values = {name: str(usual[name]) for name in ("question", "seed", "alpha")}
    values |= {
        "measures": ", ".join(usual["measures"]),
        "folds": str(usual["resampling"]["folds"]),
        "margin": "",
        "repeats": "",
    }
    tasks = [each["data"] for each in usual["task"]]
    assert written_study(values, tasks) == TEMPLATE
    changed = written_study(
        {**values, "question": 'Is "a" = b?', "margin": "0.02", "repeats": "3", "folds": "5"}, ["iris"]
    )
    made = tomllib.loads(changed)
    assert (made["question"], made["margin"], [t["data"] for t in made["task"]]) == ('Is "a" = b?', 0.02, ["iris"])
    assert made["resampling"] == {**usual["resampling"], "folds": 5, "repeats": 3}
    assert made["learner"] == usual["learner"]
    with pytest.raises(UsageError, match="seed takes a number"):
        written_study({**values, "seed": "one"}, tasks)


def test_planning(served: Served) -> None:
    page = served.get("/plan?test=paired-t&n=20&sd=0.05").text
    assert "With 20 pairs, a difference of 0.03302 or more" in page
    assert served.get("/plan/power.svg?test=paired-t&n=20&sd=0.05").content.startswith(b"<?xml")
    assert served.get("/api/v1/power?test=t&difference=0.02&sd=0.05").json()["at"]["n"] == 52
    assert 'role="alert"' in served.get("/plan?test=paired-t&n=many&sd=1").text
    assert served.get("/plan/study.toml").text == TEMPLATE
    refused = served.get("/plan?study.task=nothing").text
    assert 'role="alert"' in refused


def test_a_question_is_its_address() -> None:
    pairs = [
        ("of", "file:a.csv"),
        ("alpha", "0.1"),
        ("without", "b"),
        ("without", "a&b"),
        ("as:x=y", "learner"),
        ("evil", "1"),
    ]
    question = Question.from_query(pairs)
    again = Question.from_query(parse_qsl(question.query))
    assert again == question
    assert question.all("without") == ["b", "a&b"]
    assert question.columns == (("x=y", "learner"),)
    assert question.plain().changes == []
    assert question.saying(alpha=None).get("alpha") == ""
    with pytest.raises(UsageError, match="too long"):
        Question.from_query([("without", "x")] * 500)
    with pytest.raises(UsageError, match="α takes a number"):
        Question.from_query([("alpha", "much")]).number("alpha")


def test_an_answer_is_made_once_for_many_and_the_oldest_is_forgotten() -> None:
    kept, made = Kept(2), []

    def make(word: str) -> str:
        sleep(0.02)
        made.append(word)
        return word

    threads = [threading.Thread(target=lambda: kept.get("a", lambda: make("a"))) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert made == ["a"]
    for word in "bca":
        kept.get(word, lambda word=word: make(word))
    assert made == ["a", "b", "c", "a"]
    with pytest.raises(ZeroDivisionError):
        kept.get("wrong", lambda: 1 / 0)
    assert kept.get("wrong", lambda: 1) == 1


def test_dropping_works_without_scripts(served: Served) -> None:
    files = {"files": (SCORES, (DATA / SCORES).read_bytes())}
    headers = {"origin": served.address}
    answer = served.client.post(f"/files?form={served.rules.form}", files=files, headers=headers)
    assert answer.status_code == 303
    assert answer.headers["location"].startswith("/decide?of=upload:")
    assert served.client.post("/files", headers={TOKEN_HEADER: served.rules.form}).status_code == 400
