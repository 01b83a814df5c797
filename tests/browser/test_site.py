"""The documentation as a site: whole, at home on a disk, and usable in a real browser."""

from __future__ import annotations

import re
import sys
from contextlib import chdir
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote

import pytest
from chromium import Chromium
from proofs import until

ROOT = Path(__file__).parents[2]
CONTENTS = [
    "index",
    "tutorial",
    "readme",
    "how-to/csv",
    "how-to/folds",
    "how-to/predictions",
    "how-to/many-data-sets",
    "how-to/language-models",
    "how-to/other-languages",
    "how-to/cluster",
    "conclusions",
    "k-fold-t-test",
    "which-test-when",
    "studies",
    "procedures",
    "warnings",
    "formats",
    "measures",
    "datasets",
    "commands",
    "python",
    "figures",
    "architecture",
]


class Links(HTMLParser):
    """What a page links to, what it loads, and the anchors that it has."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.links: list[str] = []
        self.loads: list[str] = []
        self.anchors: set[str] = set()
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        of = {name: value or "" for name, value in attrs}
        if "id" in of:
            assert of["id"] not in self.anchors, f"two elements are called {of['id']}"
            self.anchors.add(of["id"])
        if tag == "a":
            self.links.append(of["href"])
        elif "src" in of or tag == "link":
            self.loads.append(of.get("src") or of["href"])


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    sys.path.insert(0, str(ROOT / "tools"))
    try:
        from make_site import make  # type: ignore[import-not-found]

        folder = tmp_path_factory.mktemp("site")
        with chdir(folder.parent):  # a relative path, as `make docs` has it
            assert make(Path(folder.name)) >= len(CONTENTS)
    finally:
        sys.path.remove(str(ROOT / "tools"))
    return folder


@pytest.fixture(scope="module")
def pages(site: Path) -> dict[Path, Links]:
    return {path: Links(path.read_text(encoding="utf-8")) for path in sorted(site.rglob("*.html"))}


def test_everything_is_there(site: Path, pages: dict[Path, Links]) -> None:
    assert {f"{name}.html" for name in CONTENTS} <= {path.relative_to(site).as_posix() for path in pages}


def test_links_lead_somewhere(site: Path, pages: dict[Path, Links]) -> None:
    broken = []
    for page, found in pages.items():
        for link in found.links:
            if re.match("https?:", link):
                continue
            target, _, anchor = unquote(link).partition("#")
            aim = (page.parent / target).resolve() if target else page
            if not aim.is_file() or (anchor and anchor not in pages[aim].anchors):
                broken.append(f"{page.relative_to(site)}: {link}")
    assert not broken, broken


def test_nothing_is_loaded_from_elsewhere(site: Path, pages: dict[Path, Links]) -> None:
    for page, found in pages.items():
        for load in found.loads:
            assert load.startswith("data:") or (page.parent / load).is_file(), f"{page}: {load}"
    assert not re.search(r"url\(|@import|https?:", (site / "style.css").read_text(encoding="utf-8"))
    assert not re.search(r"https?:|fetch\(|XMLHttp", (site / "search.js").read_text(encoding="utf-8"))


def test_the_reference_has_all_that_the_code_has(site: Path) -> None:
    import bakeoff
    from bakeoff.cli import COMMANDS
    from bakeoff.figures import charts
    from bakeoff.measures.responses import COMPUTED
    from bakeoff.procedures import procedures

    def text(name: str) -> str:
        return (site / f"{name}.html").read_text(encoding="utf-8")

    assert all(f'id="bakeoff-{command.name}"' in text("commands") for command in COMMANDS)
    assert all(f'id="{name.lower()}"' in text("python") for name in bakeoff.__all__ if name != "__version__")
    assert all(f"<code>{name}</code>" in text("measures") for name in COMPUTED)
    assert all(f'href="procedures.html#{each.card.name}"' in text("which-test-when") for each in procedures())
    for kind in charts():
        assert f'src="figures/{kind}.svg"' in text("figures")
        assert (site / "figures" / f"{kind}.svg").stat().st_size > 1000


def test_pages_open_without_a_complaint(site: Path, browser: Chromium) -> None:
    for name in ("index", "how-to/csv", "procedures", "python", "figures", "which-test-when"):
        tab = browser.open(site / f"{name}.html", width=360)
        assert not tab.errors
        assert all(address.startswith(site.as_uri()) for address in tab.requests)
        assert tab.run("document.documentElement.scrollWidth") <= 360, f"{name} is wider than a phone"


def test_a_reader_who_does_not_see_it_finds_the_way(site: Path, browser: Chromium) -> None:
    tree = browser.open(site / "tutorial.html", width=1600).tree()  # narrower ones have no place for both lists
    roles = [role for role, _, _ in tree]
    assert roles.count("main") == 1
    assert roles.count("banner") == 1
    assert {name for role, name, _ in tree if role == "navigation"} >= {"Pages", "On this page"}
    assert ("heading", "Ten minutes with bakeoff") in [(role, name) for role, name, _ in tree]
    assert "Search the documentation" in [name for role, name, _ in tree if role == "combobox"]


def test_search_finds_pages_by_keyboard_alone(site: Path, browser: Chromium) -> None:
    tab = browser.open(site / "how-to" / "csv.html")
    tab.press("/", 191)
    assert tab.run("document.activeElement.id") == "question"
    tab.run("new Promise(done => window.sections ? done() : document.getElementById('sections').onload = done)")
    tab.run("document.activeElement.value = 'corrected-t'")

    def answers() -> object:
        tab.run("document.activeElement.dispatchEvent(new Event('input', { bubbles: true }))")
        return tab.run("document.querySelectorAll('#answers [role=option]').length")

    until(answers, "answers")
    tab.press("ArrowDown", 40)
    assert "corrected-t" in tab.run("document.querySelector('[aria-selected=true]').textContent")
    address = tab.run("document.querySelector('[aria-selected=true] a').href")
    assert address == (site / "procedures.html").as_uri() + "#corrected-t"
    browser.events.clear()
    tab.run("document.querySelector('.search').requestSubmit()")
    browser.wait_for("Page.loadEventFired", tab.session)
    assert tab.run("location.href") == address
    assert not tab.errors


def test_the_list_of_pages_folds_away_on_a_phone(site: Path, browser: Chromium) -> None:
    tab = browser.open(site / "index.html", width=360)
    assert tab.run("document.querySelector('nav.pages details').open") is False
    tab.run("document.querySelector('nav.pages summary').click()")
    assert tab.run("document.querySelector('nav.pages details').open") is True
