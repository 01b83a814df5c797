"""What the pages show, and that an address is a question."""

from __future__ import annotations

import json
import re
import subprocess
import sys
import threading
import tomllib
from dataclasses import replace
from html import unescape
from pathlib import Path
from time import sleep
from urllib.parse import parse_qsl, quote

import httpx
import pytest
from postgres import PostgresServer, needs_postgresql
from proofs import PATIENCE, until
from serving import DATA, SCORES, Served, serving

from bakeoff import judge, read_scores
from bakeoff.cli import main
from bakeoff.errors import UsageError
from bakeoff.judging.votes import rank_votes
from bakeoff.power_analysis.methods import CLOSED, card_of
from bakeoff.procedures import procedures
from bakeoff.reports.files import FORMS
from bakeoff.resampling import SCHEMES
from bakeoff.scores.reading.raw import source_name
from bakeoff.study.file import TEMPLATE, read_study, template_values, written_study
from bakeoff.web import planning, questions
from bakeoff.web.questions import AnswerBook, Question
from bakeoff.web.safety import TOKEN_HEADER, Rules
from bakeoff.web.wording import spoken
from bakeoff.web.workspace import AnswerCache, Workspace

OF = f"of=file:{SCORES}&measure=error"
C45 = "C4.5"


def test_the_first_page_has_files_studies_and_examples(served: Served) -> None:
    text = served.get("/").text
    assert SCORES in text
    assert "outside.csv" not in text  # it is a link to what lies elsewhere
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
        (
            "group=Bagged C4.5&group=AdaBoosted C4.5&versus=C4.5",
            "Bagged C4.5 and AdaBoosted C4.5 were compared with C4.5",
        ),
    ],
)
def test_changed_settings_are_marked_on_the_page_and_in_every_file(served: Served, setting: str, words: str) -> None:
    page = served.get(f"/decide?{OF}&{setting}").text
    assert "<strong>Exploratory.</strong>" in page
    assert words in page
    for ending in ("txt", "md", "tex", "html", "json"):
        text = served.get(f"/download/verdict.{ending}?{OF}&{setting}").text
        assert "EXPLORATORY: settings were changed after the data had been seen" in text, ending


def test_two_groups_are_compared_as_compare_does(served: Served) -> None:
    words = "Bagged C4.5 + AdaBoosted C4.5 vs C4.5"
    told = judge(read_scores(DATA / SCORES, measure="error"), contrast=words)
    plain = {"of": f"file:{SCORES}", "measure": "error"}
    chosen = {**plain, "group": ["Bagged C4.5", "AdaBoosted C4.5"], "versus": "C4.5"}
    asked = served.get("/api/v1/verdict", params=chosen)
    assert asked.status_code == 200, asked.text
    assert asked.json()["decisions"] == told.to_dict()["decisions"]
    assert [each.first for each in told.decisions] == ["mean of Bagged C4.5 and AdaBoosted C4.5"]
    rows = "".join(f"t{i},0.{i}1,0.{i}2,0.{(7 * i) % 10}3\n" for i in range(9))
    of = served.dropped("signs.csv", f"task,a + b,c vs d,e\n{rows}".encode())
    odd = {"of": of, "measure": "accuracy", "group": ["a + b", "c vs d"], "versus": "e"}
    assert served.get("/api/v1/verdict", params=odd).json()["decisions"][0]["row"]["second"] == "e"
    page = served.get("/decide", params=chosen).text
    assert re.findall(r'name="group" value="([^"]+)" checked', page) == ["Bagged C4.5", "AdaBoosted C4.5"]
    both = served.get("/decide", params={**chosen, "control": "C4.5"}).text
    assert "take one of the two choices back" in both
    twice = served.get("/decide", params={**plain, "group": "C4.5", "versus": "C4.5"}).text
    assert "cannot be on both sides" in twice
    assert "EXPLORATORY" not in served.get("/decide", params={**plain, "group": "C4.5"}).text  # half a choice is none


def test_what_would_fit_instead_is_a_link(served: Served) -> None:
    unclear = served.get(f"/decide?of=file:{SCORES}").text
    told = unclear.partition('role="alert"')[2].partition("</div>")[0]
    assert "--" not in told
    assert "Python" not in told
    links = [unescape(address) for address in re.findall(r'href="([^"]+)"', told)]
    assert [address.rpartition("&")[2] for address in links] == ["larger=yes", "larger=no"]
    assert 'id="answer"' in served.get(links[1]).text
    gaps = "task,a,b,c\n" + "".join(f"t{i},0.{i}1,0.{i}2,{'' if i == 3 else 0.5}\n" for i in range(8))
    of = served.dropped("gaps.csv", gaps.encode())
    told = served.get("/decide", params={"of": of, "measure": "accuracy"}).text.partition('role="alert"')[2]
    for address in re.findall(r'href="(/decide[^"]+missing=[^"]+)"', told.partition("</div>")[0]):
        assert 'id="answer"' in served.get(unescape(address)).text
    assert "missing=worst" in told


def test_folders_are_read_as_compare_reads_them(served: Served) -> None:
    samples = [
        {"doc_id": i, "doc": {"q": i}, "target": "a", "arguments": [], "resps": [["a"]], "filtered_resps": ["a"],
         "acc": float(i % 3 > 0), "doc_hash": str(i), "prompt_hash": str(i), "target_hash": "a"}
        for i in range(9)
    ]  # fmt: skip
    lines = "\n".join(map(json.dumps, samples)).encode()
    name = "samples_sums_2026-11-16T06-02-22.535126.jsonl"
    answer = served.drop(
        (f"models/org__alpha/{name}", lines), (f"models/org__beta/{name}", lines), ("models/.DS_Store", b"x")
    )
    assert answer.json()["names"] == [f"models/org__alpha/{name}", f"models/org__beta/{name}"]
    read = served.get("/api/v1/reading", params={"of": answer.json()["of"], "measure": "acc"}).json()
    assert read["alignment"]["learners"] == ["org/alpha", "org/beta"]
    same = served.drop(
        ("scores.csv", b"task,accuracy\nt1,0.5\nt2,0.7\n"), ("scores.csv", b"task,accuracy\nt1,0.6\nt2,0.8\n")
    )
    assert same.json()["names"] == ["scores.csv", "2/scores.csv"]


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
        until(lambda: space.progress(space.study(study.id))["state"] == "finished", "the end of the run")
        now = space.progress(space.study(study.id))
        assert (now["ok"], now["failed"], now["left"]) == (16, 0, 0)
        assert len(space.studies()) == 1
    finally:
        space.close()


def test_what_is_said_of_an_unfinished_run_is_marked_and_made_anew_only_now_and_then(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = tmp_path / "small.toml"
    file.write_text(STUDY)
    space = Workspace(str(tmp_path), studies=[str(file)])
    try:
        (study,) = space.studies()
        book = AnswerBook(space)
        question = Question((f"study:{study.id}",))
        with pytest.raises(UsageError, match="Nothing of the study small has been run yet"):
            book.verdict(question)
        assert main(["run", str(file), "--quiet"]) == 0
        now = {"version": (4, 0)}
        monkeypatch.setattr(Workspace, "study", lambda self, id: replace(study, stored=True))
        monkeypatch.setattr(Workspace, "version", lambda self, served: now["version"])
        monkeypatch.setattr(Workspace, "is_running", lambda self, served: now["version"] != (16, 0))
        monkeypatch.setattr(questions, "HELD", 0.0)
        made: list[object] = []
        making = threading.Event()

        def make() -> object:
            if len(made) == 1:
                assert making.wait(PATIENCE)
            made.append(now["version"])
            return made[-1]

        assert book.page(question, "page", make) == (4, 0)
        now["version"] = (8, 0)
        assert [book.page(question, "page", make) for _ in range(5)] == [(4, 0)] * 5  # nobody waits for the next
        making.set()
        until(lambda: book.page(question, "page", make) != (4, 0), "the next answer")
        assert made == [(4, 0), (8, 0)]
        now["version"] = (16, 0)
        assert book.page(question, "page", make) == (16, 0)  # the end of a run is told at once
    finally:
        space.close()


def test_an_analysis_does_not_hold_up_others(served: Served, monkeypatch: pytest.MonkeyPatch) -> None:
    going, done = threading.Event(), threading.Event()

    def slow(case: object) -> object:
        going.set()
        assert done.wait(PATIENCE)
        raise UsageError("That was slow.")

    monkeypatch.setattr(questions, "verdict_on", slow)
    address = f"{served.address}/decide?{OF}&alpha="
    asking = [
        threading.Thread(target=lambda i=i: httpx.get(f"{address}0.00{i}1", timeout=2 * PATIENCE, verify=False))
        for i in range(45)
    ]
    for thread in asking:
        thread.start()
    try:
        assert going.wait(PATIENCE)
        for page in ("/", "/plan", "/api/v1/studies", "/static/page.css"):
            assert served.get(page).status_code == 200
    finally:
        done.set()
        for thread in asking:
            thread.join(PATIENCE)


def test_stores_on_a_postgresql_server_are_served(tmp_path: Path) -> None:
    needs_postgresql()
    server = PostgresServer()
    try:
        place = server.new_database()
        file = tmp_path / "small.toml"
        file.write_text(STUDY)
        assert main(["run", str(file), "--store", place, "--quiet"]) == 0
        with serving(Workspace(place.replace("@", ":geheim@")), Rules()) as there:
            (study,) = there.get("/api/v1/studies").json()
            assert (study["state"], study["ok"], study["tasks"]) == ("finished", 16, ["iris", "wine"])
            assert study["name"] in there.get("/").text
            assert "16" in there.get(f"/study/{study['id']}").text
            of = f"of=study:{study['id']}"
            assert 'id="answer"' in there.get(f"/decide?{of}").text
            assert there.get(f"/figure/confusion.svg?{of}&task=iris").content.startswith(b"<?xml")
            token = {TOKEN_HEADER: there.rules.form}
            assert there.client.post(f"/api/v1/studies/{study['id']}/start", headers=token).status_code == 400
            for page in (
                "/",
                f"/study/{study['id']}",
                f"/decide?{of}",
                f"/download/report.html?{of}",
                "/decide?of=study:x",
            ):
                assert "geheim" not in there.get(page).text
    finally:
        server.end()


def test_the_builder_writes_what_init_writes(served: Served, tmp_path: Path) -> None:
    assert served.get("/plan/study.toml").text == TEMPLATE
    assert written_study({}) == written_study(template_values()) == TEMPLATE
    usual = tomllib.loads(TEMPLATE)
    said = {
        "study.form": "1", "study.question": 'Is "a" = b?', "study.margin": "0,02", "study.folds": "5",
        "study.repeats": "3", "study.measure": "auc", "study.also": ["error", "fit_time"],
        "study.task": ["iris", "zoo"], "study.learner": ["forest", "tuned svm", "knn", "1R"],
    }  # fmt: skip
    text = served.get("/plan/study.toml", params=said).text
    made = tomllib.loads(text)
    assert (made["question"], made["margin"], made["measures"]) == ('Is "a" = b?', 0.02, ["auc", "error", "fit_time"])
    assert made["analysis"] == [{"measure": "auc"}]
    assert [each["data"] for each in made["task"]] == ["iris", "zoo"]
    assert made["resampling"] == {**usual["resampling"], "folds": 5, "repeats": 3}
    assert [each["name"] for each in made["learner"]] == ["forest", "tuned svm", "knn", "1R"]
    assert made["learner"][:2] == [usual["learner"][1], usual["learner"][3]]
    assert text.count("# ") > 20  # what the template explains, it explains here too
    (tmp_path / "study.toml").write_text(text)
    study = read_study(tmp_path / "study.toml")
    assert [each.name for each in study.learners] == ["forest", "tuned svm", "knn", "1R"]
    page = served.get("/plan", params=said).text
    assert unescape(page).count(text.strip()) == 1
    assert len(re.findall(r'name="study.learner" value="[^"]*" checked', page)) == 4


@pytest.mark.parametrize("scheme", sorted(SCHEMES))
def test_the_builder_knows_every_scheme_for_plain_data(served: Served, scheme: str) -> None:
    page = served.get("/plan", params={"study.scheme": scheme}).text
    offered = f'<option value="{scheme}"' in page
    assert offered == (f'scheme = "{scheme}"' in unescape(page) and 'role="alert"' not in page)


@pytest.mark.parametrize(
    ("said", "told"),
    [
        ({"study.seed": "one"}, "seed takes a number"),
        ({"study.task": "nothing"}, "nothing"),
        ({"study.learner": "<script>"}, "&lt;script&gt;"),
        ({"study.task": "servo"}, "servo is for regression, and tree for classification"),
        ({"study.measure": "r2"}, "which r2 does not measure"),
        ({"study.form": "1", "study.task": "iris"}, "Choose at least one learner"),
        ({"study.scheme": "nonsense"}, "nonsense"),
        ({"study.folds": "1"}, "folds"),
    ],
)
def test_the_builder_refuses_in_words(served: Served, said: dict[str, str], told: str) -> None:
    page = served.get("/plan", params=said).text
    assert told in page.partition('role="alert"')[2][:600]
    assert served.get("/plan/study.toml", params=said).status_code == 400


def test_what_is_said_for_the_command_line_is_said_for_the_page() -> None:
    question = Question(("file:a",))
    told = str(
        spoken(
            "Use --without NAME, --without svm, or --margin Δ (`bakeoff procedures` lists <them>).", question, "/decide"
        )
    )
    assert "procedure" not in told.replace("bakeoff procedures", "")  # --with is another option
    assert "leave out: NAME" in told
    assert '<a href="/decide?of=file%3Aa&amp;without=svm">leave out: svm</a>' in told
    assert "margin: Δ (<code>bakeoff procedures</code> lists &lt;them&gt;)" in told
    said = "Average them (--average), or go on."
    assert spoken(said, question, "/decide") == (
        '<a href="/decide?of=file%3Aa&amp;average=yes">Average them</a>, or go on.'
    )
    several = str(spoken("Say --columns 'learner=who is it,task=what' --measure 'how well'.", question, "/decide"))
    link = "/decide?of=file%3Aa&amp;as%3Awhat=task&amp;as%3Awho%20is%20it=learner"
    assert f'<a href="{link}">who is it is the learner, what is the task</a>' in several
    assert 'measure=how%20well">measure: how well</a>.' in several
    assert "<a" not in str(spoken("Say --columns learner=COLUMN.", question, "/decide"))


def battles(n: int = 120) -> bytes:
    """Votes between three models, of which one mostly wins."""
    votes = [
        {"model_a": a, "model_b": b, "winner": "tie" if i % 5 == 0 else "model_a" if i % 7 else "model_b"}
        for i in range(n)
        for a, b in [[("<best>", "next"), ("<best>", "last"), ("next", "last")][i % 3]]
    ]
    return json.dumps(votes).encode()


def test_votes_have_the_ranking_of_the_command_line(served: Served, tmp_path: Path) -> None:
    (tmp_path / "battles.json").write_bytes(battles())
    told = replace(rank_votes(tmp_path / "battles.json"), source="battles.json")
    of = served.dropped("battles.json", battles())
    page = served.get(f"/decide?of={of}").text
    assert unescape(page.partition('id="answer">')[2].partition("</p>")[0]) == told.answer
    assert told.answer.startswith("<best> is first")
    assert "<best>" not in page
    assert "EXPLORATORY" not in page
    assert served.get(f"/api/v1/votes?of={of}").json() == json.loads(told.to_json())
    assert served.get(f"/download/votes.txt?of={of}").text.splitlines() == told.to_text().splitlines()
    for setting, words in (("alpha=0.01", "α was set to 0.01"), ("without=last", "ithout last"),
                           ("cluster=none", "depend within was set to none")):  # fmt: skip
        assert words in served.get(f"/decide?of={of}&{setting}").text
        for name in ("votes.txt", "votes.json"):
            said = " ".join(served.get(f"/download/{name}?of={of}&{setting}").text.split())
            assert "EXPLORATORY" in said, (setting, name)
            assert words in said, (setting, name)
    assert 'role="alert"' in served.get(f"/decide?of={of}&alpha=2").text
    few = served.get(f"/decide?of={of}&without=last&without=next").text
    assert "between two models or more" in few
    assert 'value="next" checked' in few  # and can be taken back
    won = json.dumps([{"model_a": "a", "model_b": b, "winner": w} for b, w in 4 * [("b", "model_a"), ("c", "model_a")]]
                     + [{"model_a": "b", "model_b": "c", "winner": w} for w in 4 * ["model_a", "model_b"]])  # fmt: skip
    of = served.dropped("won.json", won.encode())
    page = served.get(f"/decide?of={of}").text
    assert "a never lost a vote" in page
    assert f"/decide?of={quote(of)}&amp;without=a" in page  # the way out leads on
    assert "First place is shared by 2: b and c" in served.get(f"/decide?of={of}&without=a").text
    mixed = served.drop(("battles.json", battles()), ("scores.csv", (DATA / SCORES).read_bytes())).json()["of"]
    assert "battles.json holds 120 votes" in served.get(f"/decide?of={mixed}").text
    scores = served.get(f"/api/v1/votes?{OF}")
    assert scores.status_code == 400
    assert "A vote names two models" in scores.json()["error"]


def test_long_paths_tell_nothing_of_the_machine() -> None:
    space = Workspace(None)
    try:
        name = "runs/" + "far-below/" * 12 + "table.csv"
        upload = space.keep([(name, b"task,learner,accuracy\na,b,1\n")])
        for folder in (upload.folder, upload.folder.parent / "0123456789abcdef" / ("x" * 60)):
            said = space.public(f"{source_name(folder / name)}: nothing.")
            assert upload.id[:6] not in said
            assert space.public(str(upload.folder.parent)) == ""
            assert upload.folder.parent.name not in said
            assert said.endswith("table.csv: nothing.")
        cut = f"{upload.folder.parent}/{upload.id[:7]} … {upload.id[-3:]}/{name}"
        assert space.public(cut) == f"… {name}"
    finally:
        space.close()


def test_figures_for_phones_are_drawn_anew_where_they_can_be_so_narrow(served: Served) -> None:
    def wide(kind: str, more: str = "") -> float:
        drawn = served.get(f"/figure/{kind}.svg?{OF}{more}").text
        return float(re.search(r'<svg[^>]* width="([\d.]+)pt"', drawn)[1])  # type: ignore[index]

    assert wide("scatter", "&fit=3.4") <= 3.5 * 72 < wide("scatter")
    assert wide("critical-difference", "&fit=3.4") == pytest.approx(3.4 * 72, abs=0.1)  # a little smaller than drawn
    assert wide("critical-difference", "&fit=1.5") == wide("critical-difference")  # its names need more
    assert served.get(f"/figure/scatter.svg?{OF}&fit=wide").status_code == 200


def test_plans_begin_with_the_usual_test(served: Served) -> None:
    page = served.get("/plan").text
    offered = re.findall(r'<option value="([^"]+)"', page.partition('name="test"')[2].partition("</select>")[0])
    assert offered[0] == card_of(planning.USUAL_TEST).name
    assert len(offered) == len(set(offered)) == sum(each.card.power in CLOSED for each in procedures())
    assert page.index("Two learners on the items") < page.index("Three learners") < page.index("One learner on")
    usual = served.get("/plan?n=20&difference=0.5sd").text  # no test is said
    assert f"({offered[0]})" in usual


def test_planning(served: Served) -> None:
    page = served.get("/plan?test=paired-t&n=20&sd=0.05").text
    assert "With 20 pairs, a difference of 0.03302 or more" in page
    assert served.get("/plan/power.svg?test=paired-t&n=20&sd=0.05").content.startswith(b"<?xml")
    assert served.get("/api/v1/power?test=t&difference=0.02&sd=0.05").json()["at"]["n"] == 52
    assert 'role="alert"' in served.get("/plan?test=paired-t&n=many&sd=1").text


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
    kept, made = AnswerCache(2), []

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
