"""The report of a verdict: what it holds, that it agrees with the verdict, and that names are text in it."""

from __future__ import annotations

import base64
import csv
import platform
import re
from html import unescape
from html.parser import HTMLParser
from io import StringIO
from pathlib import Path

import numpy as np
import pytest
import zoo

import bakeoff
from bakeoff.cli import main
from bakeoff.errors import UsageError
from bakeoff.judging import judge
from bakeoff.reports.experiment import experiment_of
from bakeoff.reports.page import Grid, HtmlPage, Items, PageSection, Picture, Words, inline
from bakeoff.reports.report import MOST_PAIRS, Experiment, report_of, save_report
from bakeoff.reports.variability import variability
from bakeoff.scores import Scores
from bakeoff.store.reader import Reader

Capture = pytest.CaptureFixture[str]
HOSTILE = (
    "<script>window.harmed = 1</script>",
    '"><img src=x onerror="window.harmed = 1">',
    "{{ 7 * 7 }} {% raw %} &amp; 'quoted'",
    "\u202egnp.exe \x00 \x1b[31m",
)
SECTIONS = "answer scope learners contrasts assumptions warnings results failures design methods reproduce".split()  # noqa: SIM905


class Document(HTMLParser):
    """The elements of a page, and its text."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.elements: list[tuple[str, dict[str, str | None]]] = []
        self.words: list[str] = []
        self.feed(html)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.append((tag, dict(attrs)))

    def handle_data(self, data: str) -> None:
        self.words.append(data)

    def all(self, tag: str, name: str) -> list[str]:
        return [str(attributes[name]) for found, attributes in self.elements if found == tag and name in attributes]

    @property
    def text(self) -> str:
        return " ".join(" ".join(self.words).split())


def scores_of(k: int = 4, n: int = 20, names: tuple[str, ...] | None = None, kind: str = "tasks") -> Scores:
    rng = np.random.default_rng(4)
    values = np.clip(0.7 + 0.03 * np.arange(k) + 0.05 * rng.standard_normal((n, k)), 0, 1)
    return zoo.table(values, kind=kind, learners=names or tuple(f"learner {i}" for i in range(k)))


@pytest.fixture(scope="module")
def scores() -> Scores:
    return scores_of()


@pytest.fixture(scope="module")
def html(scores: Scores) -> str:
    return report_of([judge(scores)], scores).render()


def test_the_answer_comes_first_and_everything_else_is_there(html: str, scores: Scores) -> None:
    document, verdict = Document(html), judge(scores)
    assert document.all("section", "id") == SECTIONS
    assert document.all("a", "href")[1 : len(SECTIONS) + 1] == [f"#{name}" for name in SECTIONS]
    before = document.text.index(verdict.answer), document.text.index("What it speaks about")
    assert before[0] < document.text.index(" ".join(verdict.paragraph.split())), before
    for judged in verdict.decisions:
        assert judged.decision.value in document.text
    for said in (verdict.finding.title, verdict.finding.speaks_about, "bakeoff report", "doi:"):
        assert said in document.text


def test_it_tells_what_the_conclusion_covers(scores: Scores) -> None:
    verdict = judge(scores)
    (section,) = [part for part in report_of([verdict], scores).sections if part.id == "scope"]
    (table,) = [block for block in section.blocks if isinstance(block, Grid)]
    assert [row[:2] for row in table.rows] == [(each.name, each.covered) for each in variability(verdict.finding)]
    told = report_of([verdict], scores, Experiment(tuned=True)).sections[1]
    assert any("tuned inside each training sample" in row[2] for row in told.blocks[-1].rows)


def test_every_link_leads_somewhere_and_nothing_is_loaded(html: str) -> None:
    document = Document(html)
    ids = [str(attributes["id"]) for _, attributes in document.elements if "id" in attributes]
    assert len(ids) == len(set(ids)), "names of several figures would clash"
    for link in document.all("a", "href"):
        assert link.startswith("data:") or link[1:] in ids
    for tag, attributes in document.elements:
        assert tag not in ("script", "iframe", "object", "embed", "base", "form")
        assert not any(name.startswith("on") for name in attributes)
        for name in ("src", "srcset", "data", "action"):
            assert name not in attributes
    used = set(re.findall(r'url\(#([^)]+)\)|(?:xlink:)?href="#([^"]+)"', html))
    assert {one or other for one, other in used} <= set(ids)
    assert not re.search(r"@import|url\((?!#)|//[a-z]+\.[a-z]+/[^ ]*\.(?:css|js|woff)", html)


def test_headings_tables_and_figures_say_what_they_are(html: str) -> None:
    document = Document(html)
    tags = [tag for tag, _ in document.elements]
    assert tags.count("h1") == tags.count("main") == tags.count("header") == 1
    assert tags.count("caption") == tags.count("table")
    assert tags.count("th") == len(document.all("th", "scope"))
    drawings = [attributes for tag, attributes in document.elements if tag == "svg"]
    assert len(drawings) >= 3
    assert all(attributes["role"] == "img" and attributes["aria-labelledby"] for attributes in drawings)
    assert tags.count("figcaption") == tags.count("figure") == len(drawings)


def test_files_hold_the_numbers_of_figures_and_tables(html: str, scores: Scores) -> None:
    files = {
        str(attributes["download"]): base64.b64decode(str(attributes["href"]).partition("base64,")[2]).decode()
        for tag, attributes in Document(html).elements
        if tag == "a" and "download" in attributes
    }
    verdict = judge(scores)
    assert {"critical-difference.svg", "critical-difference.csv", "pairs.csv", "verdict.json", "references.bib"} <= set(
        files
    )
    frame = verdict.plot().to_frame()
    rows = list(csv.reader(StringIO(files["critical-difference.csv"])))
    assert rows[0] == list(frame.columns)
    assert len(rows) == len(frame) + 1
    assert files["critical-difference.svg"].startswith("<?xml")
    assert files["verdict.json"] == verdict.to_json()
    assert len(list(csv.reader(StringIO(files["pairs.csv"])))) == len(verdict.decisions) + 1


def test_hostile_names_are_shown_as_text() -> None:
    scores = scores_of(names=HOSTILE)
    html = report_of([judge(scores)], scores).render()
    document = Document(html)
    assert not [tag for tag, _ in document.elements if tag in ("script", "img")]
    assert "{{ 7 * 7 }}" in document.text
    assert "49" not in re.sub(r"\d+\.\d+|\d{3,}", "", document.text.partition("{{ 7 * 7 }}")[0][-20:])
    assert "<script>window.harmed = 1</script>" in unescape(html.partition("<main>")[2])
    assert "\u202e" not in html
    assert "\x00" not in html
    assert r"\u202egnp.exe" in document.text


def test_of_a_verdict_alone_it_says_what_is_missing(scores: Scores, tmp_path: Path) -> None:
    verdict = judge(scores)
    text = Document(verdict.report(tmp_path / "alone.html").read_text(encoding="utf-8")).text
    assert "made from a verdict alone" in text
    assert verdict.answer in text


@pytest.mark.parametrize("kind", ["instances", "kfold", "tasks × folds", "tasks"])
def test_it_is_written_of_any_level_and_of_two_learners(kind: str, tmp_path: Path) -> None:
    scores = scores_of(2, 30, kind=kind)
    path = judge(scores).report(tmp_path / "two.html", scores)
    assert Document(path.read_text(encoding="utf-8")).all("section", "id")[0] == "answer"


def test_right_and_wrong_answers_are_not_asked_whether_they_are_normal() -> None:
    answers = (np.random.default_rng(1).random((80, 2)) < [0.6, 0.8]).astype(float)
    binary, losses = (zoo.table(values, kind="instances") for values in (answers, answers + 0.1 * answers[::-1]))
    said = [report_of([judge(each)], each).render() for each in (binary, losses)]
    assert [">Normality<" in text for text in said] == [False, True]
    assert "Right and wrong answers of each pair." in said[0]


def test_what_failed_is_told() -> None:
    rng = np.random.default_rng(1)
    values = rng.uniform(size=(20, 2))
    values[3, 1] = np.nan
    scores = zoo.table(values, kind="tasks", learners=("fine", "fails"))
    html = report_of([judge(scores, missing="worst")], scores).render()
    section = html[html.index('id="failures"') : html.index('id="design"')]
    assert "fails" in section
    assert "Rows without a value" in section


def test_many_pairs_are_cut_and_the_file_has_them_all() -> None:
    scores = scores_of(22, 12)
    verdict = judge(scores)
    assert len(verdict.decisions) > MOST_PAIRS
    (section,) = [part for part in report_of([verdict], scores).sections if part.id == "contrasts"]
    (table,) = [block for block in section.blocks if isinstance(block, Grid) and block.header[0] == "first"]
    assert len(table.rows) == MOST_PAIRS
    assert table.file is not None
    assert table.file.content.count("\n") == len(verdict.decisions) + 1
    assert f"{len(verdict.decisions) - MOST_PAIRS} more rows are in the file." in table.notes


def test_twenty_learners_on_two_hundred_tasks_are_no_large_page() -> None:
    scores = scores_of(20, 200)
    assert len(report_of([judge(scores)], scores).render()) < 3_000_000


def test_sections_can_be_shown_elsewhere(scores: Scores) -> None:
    """They are data: another page may take some of them."""
    page = report_of([judge(scores)], scores)
    (answer,) = [section for section in page.sections if section.id == "answer"]
    assert any(isinstance(block, Picture) for block in answer.blocks)
    other = HtmlPage("Another", "", (PageSection("words", "Words", (Words("a < b"),)), answer)).render()
    assert "a &lt; b" in other


def test_drawings_in_one_page_have_names_of_their_own() -> None:
    drawn = '<g id="a" clip-path="url(#b)"/><use href="#a"/>'
    svg = f'<?xml version="1.0"?><svg width="9pt" viewBox="0 0 90 40">{drawn}</svg>'
    made = inline(svg, 7, "a < b", "says & shows")
    assert '<g id="figure7-a" clip-path="url(#figure7-b)"/><use href="#figure7-a"/>' in made
    assert '<title id="figure7-title">a &lt; b</title><desc id="figure7-about">says &amp; shows</desc>' in made
    assert "width=" not in made.partition(">")[0].replace("max-width", "")


def test_what_cannot_be_written_is_said(scores: Scores, tmp_path: Path) -> None:
    verdict = judge(scores)
    with pytest.raises(UsageError, match=r"ends in \.html"):
        verdict.report(tmp_path / "report.pdf")
    with pytest.raises(UsageError, match="cannot be written"):
        verdict.report(tmp_path / "nowhere" / "report.html")
    with pytest.raises(UsageError, match="there is none"):
        save_report([], tmp_path / "report.html")


# ----------------------------------------------------------------------------------------------------------------------
# bakeoff report


def test_of_a_file_and_of_the_verdict_that_was_kept(
    tmp_path: Path, capsys: Capture, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    assert main(["demo", "--scores", "--output", "."]) == 0
    told = capsys.readouterr().out
    assert told.rstrip().endswith("report.html"), "the demo names it last"
    assert main(["report", "scores.csv", "--measure", "error", "--alpha", "0.01", "-o", "one.html"]) == 0
    assert capsys.readouterr().out == "Report:  one.html\n"
    one = Document(Path("one.html").read_text(encoding="utf-8")).text
    assert "α = 0.01" in one
    assert "bakeoff report scores.csv --measure error --alpha 0.01 --output one.html" in one
    assert "SHA-256" in one
    assert main(["report", "verdict.json", "-o", "kept.html"]) == 0
    scores = bakeoff.read_scores("scores.csv", measure="error")
    assert judge(scores).answer in Document(Path("kept.html").read_text(encoding="utf-8")).text


def test_of_a_study(small_study: Path, tmp_path: Path, capsys: Capture, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(small_study.parent)
    name = small_study.name
    assert main(["report", name, "-o", "early.html"]) == 2
    assert "bakeoff run" in capsys.readouterr().err
    assert main(["run", name, "--quiet"]) == 0
    assert main(["report", name, "-o", "report.html"]) == 0
    text = Document(Path("report.html").read_text(encoding="utf-8")).text
    study = bakeoff.read_study(name)
    for said in (
        study.key,
        "Planned in study",
        "No cell failed.",
        "When it was run.",
        f"bakeoff run {name}",
        "Seed",
    ):
        assert said in text, said
    page = Path("report.html").read_text(encoding="utf-8")
    assert re.search(r'id="answer".*?</section>', page, re.DOTALL)[0].count("Planned in") == 1  # type: ignore[index]
    assert main(["report", name, "--alpha", "0.01", "-o", "other.html"]) == 0
    assert "EXPLORATORY" in Document(Path("other.html").read_text(encoding="utf-8")).text


FAILING = """
measures = ["error"]
resampling = { scheme = "cross-validation", folds = 3 }
task = [{ data = "iris" }]
[[learner]]
name = "bayes"
path = "sklearn.naive_bayes.GaussianNB"
[[learner]]
name = "<b>fails</b>"
command = ["sh", "-c", "echo no luck >&2; exit 3", "{train}", "{test}", "{output}"]
[[learner]]
name = "majority"
path = "sklearn.dummy.DummyClassifier"
"""


def test_a_study_tells_what_failed_and_where_it_was_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("study.toml").write_text(FAILING, encoding="utf-8")
    assert main(["run", "study.toml", "--quiet"]) == 4
    study = bakeoff.read_study("study.toml")
    with Reader(Path("study.sqlite")) as store:
        found = experiment_of(study, store, "study.toml")
    (table,) = [block for block in found.failures if isinstance(block, Grid)]
    assert table.rows[0][0] == "<b>fails</b>"
    assert "no luck" in table.rows[0][2]
    assert table.rows[0][-1] == "3"
    assert found.tuned is False
    facts = dict(pair for block in found.design if isinstance(block, Items) for pair in block.items)
    assert facts["Splits"].startswith("cross-validation (folds = 3")
    assert facts["Python"] == platform.python_version()
    assert "6 of 9 cells are done" in found.source
    assert main(["report", "study.toml", "--without", "<b>fails</b>", "-o", "report.html"]) == 0
    assert "no luck" in Document(Path("report.html").read_text(encoding="utf-8")).text


@pytest.mark.parametrize(
    ("command", "said"),
    [
        (["report", "nowhere.csv", "-o", "a.html"], "nowhere.csv"),
        (["report", "scores.csv", "-o", "a.pdf"], "ends in .html"),
        (["report", "broken.json", "-o", "a.html"], "no JSON"),
        (["report", "a.toml", "b.toml", "-o", "a.html"], "one study"),
    ],
)
def test_mistakes_get_a_sentence(
    command: list[str], said: str, tmp_path: Path, capsys: Capture, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("broken.json").write_text('{"schema": "bakeoff.verdict/1", ', encoding="utf-8")
    assert main(command) == 2
    assert said in capsys.readouterr().err
