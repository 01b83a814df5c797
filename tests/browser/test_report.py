"""The report in a real browser: quiet, alone, and readable by eye, by ear and by keyboard, on a phone and on paper."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
import zoo
from chromium import Chromium, Tab

from bakeoff.judging import judge

HOSTILE = ("<script>window.harmed = 1</script>", '<img src="x" onerror="window.harmed = 1">', "شبكة عصبية", "plain")


@pytest.fixture(scope="module")
def report(tmp_path_factory: pytest.TempPathFactory) -> Path:
    values = 0.7 + 0.04 * np.arange(4) + 0.05 * np.random.default_rng(2).standard_normal((25, 4))
    scores = zoo.table(np.clip(values, 0, 1), kind="tasks", learners=HOSTILE)
    return judge(scores).report(tmp_path_factory.mktemp("report") / "report.html", scores)


@pytest.fixture
def tab(report: Path, browser: Chromium) -> Tab:
    return browser.open(report)


def test_it_is_quiet_and_asks_nobody(report: Path, tab: Tab) -> None:
    assert tab.requests == [report.as_uri()]
    assert not tab.errors
    assert tab.run("window.harmed === undefined")
    assert tab.run("document.scripts.length + document.images.length") == 0


def test_a_screen_reader_is_told_what_is_there(tab: Tab) -> None:
    tree = tab.tree()
    roles = [role for role, _, _ in tree]
    assert roles.count("main") == roles.count("banner") == roles.count("contentinfo") == 1
    headings = [name for role, name, _ in tree if role == "heading"]
    assert headings[1:3] == ["The answer", "What it speaks about, and what it does not cover"]
    assert len(headings) == 12
    regions = {name for role, name, _ in tree if role == "region"}
    assert set(headings[1:]) <= regions
    tables = [name for role, name, _ in tree if role == "table"]
    assert tables
    assert all(tables), "each has a caption"
    drawings = [(name, about) for role, name, about in tree if role == "image" or role == "img"]
    assert len(drawings) >= 3
    assert all(name and len(about) > 30 for name, about in drawings)
    assert any(name == "plain" for role, name, _ in tree if role == "rowheader")
    assert any(HOSTILE[0] in name for role, name, _ in tree if role == "rowheader")


def test_links_and_toggles_work(tab: Tab) -> None:
    count = tab.run("document.querySelectorAll('nav a').length")
    assert count == tab.run("document.querySelectorAll('main > section').length")
    for i in range(count):
        tab.run(f"document.querySelectorAll('nav a')[{i}].click()")
        assert tab.run("document.querySelector(':target').localName") == "section"
    closed = "[...document.querySelectorAll('details')].filter(each => !each.open).length"
    before = tab.run(closed)
    assert before > 3
    tab.run("document.querySelector('details summary').focus()")
    tab.press("Enter", 13)
    assert tab.run(closed) == before - 1
    assert tab.run("document.querySelector('details[open] table').getBoundingClientRect().height") > 50
    assert not tab.errors


def test_everything_can_be_reached_by_keyboard(report: Path, browser: Chromium) -> None:
    page = browser.open(report)
    page.press("Tab", 9)
    assert page.run("document.activeElement.className") == "skip"
    reached = set()
    for _ in range(60):
        page.press("Tab", 9)
        reached.add(page.run("document.activeElement.localName + '.' + document.activeElement.className"))
    assert {"a.", "a.file", "summary.", "div.scroll"} <= reached


@pytest.mark.parametrize("width", [320, 360, 768, 1280])
def test_no_width_makes_it_scroll_sideways(report: Path, browser: Chromium, width: int) -> None:
    page = browser.open(report, width=width)
    assert page.run("document.documentElement.scrollWidth") <= width
    assert page.run("parseFloat(getComputedStyle(document.querySelector('.answer')).fontSize)") >= 17


def test_it_is_dark_where_that_is_wished_for(report: Path, browser: Chromium) -> None:
    colours = "[getComputedStyle(document.body).backgroundColor, getComputedStyle(document.body).color]"

    def brightness(dark: bool) -> list[float]:
        found = browser.open(report, dark=dark).run(colours)
        return [sum(map(int, colour[4:-1].split(","))) for colour in found]

    paper, ink = brightness(dark=False)
    night, light = brightness(dark=True)
    assert paper - ink > 500
    assert light - night > 500


def test_it_prints(report: Path, browser: Chromium, tmp_path: Path) -> None:
    page = browser.open(report)
    assert page.printed(tmp_path / "report.pdf").read_bytes().startswith(b"%PDF")
    browser.ask("Emulation.setEmulatedMedia", page.session, media="print")
    assert page.run("getComputedStyle(document.querySelector('nav')).display") == "none"
    assert page.run("getComputedStyle(document.querySelector('.scroll')).overflow") == "visible"
    assert page.run("getComputedStyle(document.querySelector('main')).display") != "none"
