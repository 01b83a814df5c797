"""`bakeoff serve` in a real browser: what a newcomer does, and what keyboards, phones and screen readers need."""

from __future__ import annotations

import json
from collections.abc import Iterator
from time import monotonic, sleep

import pytest
from chromium import Chromium, Tab
from serving import DATA, SCORES, Served, serving

from bakeoff.web.safety import Rules
from bakeoff.web.workspace import Workspace

STUDY = """
measures = ["error"]
[resampling]
scheme = "cross-validation"
folds = 3
[[task]]
data = "iris"
[[task]]
data = "wine"
[[learner]]
name = "tree"
path = "sklearn.tree.DecisionTreeClassifier"
[[learner]]
name = "too many neighbours"
path = "sklearn.neighbors.KNeighborsClassifier"
parameters = { n_neighbors = 500 }
"""
ASKED = f"/decide?of=file:{SCORES}&measure=error"


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    folder = tmp_path_factory.mktemp("page")
    (folder / SCORES).write_bytes((DATA / SCORES).read_bytes())
    (folder / "small.toml").write_text(STUDY)
    rules = Rules()
    with serving(Workspace(str(folder), studies=[str(folder / "small.toml")], workers=2), rules) as started:
        yield started


def wait(tab: Tab, script: str, seconds: float = 30) -> object:
    """The value of an expression, once it has one."""
    end = monotonic() + seconds
    while not (value := tab.run(script)):
        assert monotonic() < end, f"never: {script}"
        sleep(0.1)
    return value


def drop(tab: Tab, name: str, text: str) -> None:
    """Drop a file on the page, as a mouse does."""
    tab.run(
        f"""(() => {{
        const transfer = new DataTransfer();
        transfer.items.add(new File([{json.dumps(text)}], {json.dumps(name)}));
        document.dispatchEvent(new DragEvent("drop", {{dataTransfer: transfer, bubbles: true, cancelable: true}}));
        }})()"""
    )
    wait(tab, "location.pathname === '/decide' && document.readyState === 'complete'")


def text_of(tab: Tab, selector: str) -> str:
    return str(tab.run(f"(document.querySelector({json.dumps(selector)}) || {{}}).textContent || ''"))


def test_from_a_dropped_file_to_a_table_for_a_paper(browser: Chromium, served: Served) -> None:
    tab = browser.open(f"{served.address}/")
    drop(tab, SCORES, (DATA / SCORES).read_text("utf-8"))
    if not text_of(tab, "#answer"):  # it asks what is measured
        tab.run("document.querySelector('#columns [name=measure]').value = 'error'")
        tab.run("document.querySelector('#columns button').click()")
        wait(tab, "!!document.querySelector('#answer')")
    assert "First place is shared by" in text_of(tab, "#answer")
    wait(tab, "[...document.images].every(each => each.complete && each.naturalWidth > 0)")
    link = str(
        tab.run("[...document.querySelectorAll('a.file')].find(each => each.textContent === 'verdict.tex').href")
    )
    latex = str(tab.run(f"fetch({json.dumps(link)}).then(answer => answer.text())"))
    assert "\\toprule" in latex
    assert "Randomized C4.5" in latex
    assert tab.errors == []
    assert all(address.startswith(served.address) for address in tab.requests)  # no network


def test_columns_are_reassigned_by_choosing(browser: Chromium, served: Served) -> None:
    rows = "".join(f"{who},d{i},0.{(7 * i + k) % 90 + 10}\n" for i in range(9) for k, who in enumerate("xyz"))
    tab = browser.open(f"{served.address}/")
    drop(tab, "odd.csv", f"who,what,how well\n{rows}")
    assert text_of(tab, "[role=alert]")
    for header, role in (("who", "learner"), ("what", "task"), ("how well", "value")):
        tab.run(f"document.getElementsByName('as:{header}')[0].value = '{role}'")
    tab.run("document.querySelector('#columns [name=measure]').value = 'accuracy'")
    tab.run("document.querySelector('#columns button').click()")
    wait(tab, "!!document.querySelector('#answer')")
    assert tab.run("document.getElementsByName('as:who')[0].value") == "learner"
    assert "larger=" not in str(tab.run("location.search"))  # what was not said is not in the address
    assert tab.errors == []


def test_a_slider_answers_at_once_and_its_address_is_the_same_picture_elsewhere(
    browser: Chromium, served: Served
) -> None:
    tab = browser.open(served.address + ASKED)
    assert text_of(tab, ".exploratory") == ""
    tab.run(
        """(() => { const slider = document.querySelector('[data-for=alpha]'); slider.value = '0.001';
        slider.dispatchEvent(new Event('input', {bubbles: true})); })()"""
    )
    wait(tab, "location.search.includes('alpha=0.001') && !!document.querySelector('.exploratory')")
    wait(tab, "[...document.images].every(each => each.complete && each.naturalWidth > 0)")
    other = browser.ask("Target.createBrowserContext")["browserContextId"]
    address = str(tab.run("location.href"))
    second = browser.open(address, context=other)
    wait(second, "[...document.images].every(each => each.complete && each.naturalWidth > 0)")
    for selector in ("#answer", ".exploratory", "#table-1", "#table-2"):
        assert text_of(second, selector) == text_of(tab, selector) != ""
    assert second.run("document.querySelector('[name=alpha]').value") == "0.001"
    drawn = "fetch(document.querySelector('.sheet img').src).then(answer => answer.text())"
    assert second.run(drawn) == tab.run(drawn)
    assert tab.errors == second.errors == []


def test_a_run_is_watched_to_its_end(browser: Chromium, served: Served) -> None:
    tab = browser.open(f"{served.address}/")
    tab.run("document.querySelector('#study-list a').click()")
    wait(tab, "!!document.querySelector('#start') && document.readyState === 'complete'")
    assert text_of(tab, "[data-field=state]") == "not started"
    tab.run("document.querySelector('#start').click()")
    wait(tab, "!!document.querySelector('#stop') && !document.querySelector('#stop').disabled")
    wait(tab, "document.querySelector('[data-field=state]')?.textContent === 'finished'", 90)
    wait(tab, "!!document.querySelector('#failures')")
    assert text_of(tab, "[data-field=ok]") == "6"
    assert text_of(tab, "[data-field=failed]") == "6"
    cells = tab.run("[...document.querySelectorAll('#grid td')].map(each => each.textContent.trim())")
    assert cells == ["3", "0 / 3", "3", "0 / 3"]
    assert "n_neighbors" in text_of(tab, "#failures ~ details pre")
    assert tab.run("document.querySelector('#start').disabled") is True
    assert tab.errors == []


def test_the_keyboard_is_enough(browser: Chromium, served: Served) -> None:
    tab = browser.open(served.address + ASKED)
    reached = []
    for _ in range(60):
        tab.press("Tab", 9)
        what = tab.run(
            """(() => { const at = document.activeElement; const style = getComputedStyle(at);
            const name = at.name || at.textContent.trim().slice(0, 30);
            return [at.tagName, name, style.outlineStyle, at.getClientRects().length]; })()"""
        )
        reached.append(tuple(what))
    assert reached[0][:2] == ("A", "To the content")
    assert {"alpha", "with", "control", "without"} <= {name for _, name, _, _ in reached}
    assert all(outline != "none" and boxes for tag, _, outline, boxes in reached if tag != "BODY")
    tab.run("document.querySelector('[name=control]').focus()")
    tab.press("ArrowDown", 40)
    wait(tab, "location.search.includes('control=')")
    assert tab.run("document.activeElement.name") == "control"  # the answer takes the focus from nobody


@pytest.mark.parametrize(
    "address", ["/", ASKED, ASKED.replace("decide", "explore"), "/plan?test=paired-t&n=9&sd=1", "/api"]
)
def test_narrow_pages_do_not_scroll_sideways(browser: Chromium, served: Served, address: str) -> None:
    tab = browser.open(served.address + address, width=360, dark=True)
    assert tab.run("document.documentElement.scrollWidth") <= 360
    small = """[...document.querySelectorAll('button, select, input:not([type=hidden]):not([type=checkbox])')]
        .filter(each => each.getClientRects().length && each.getBoundingClientRect().height < 20).length"""
    assert tab.run(small) == 0
    assert tab.errors == []


def test_screen_readers_are_told_everything(browser: Chromium, served: Served) -> None:
    for address in ("/", ASKED, "/plan"):
        tab = browser.open(served.address + address)
        tree = tab.tree()
        roles = [role for role, _, _ in tree]
        assert {"banner", "navigation", "main", "contentinfo"} <= set(roles), address
        assert roles.count("main") == 1
        named = (
            "button",
            "link",
            "textbox",
            "combobox",
            "checkbox",
            "spinbutton",
            "slider",
            "image",
            "region",
            "table",
        )
        assert [role for role, name, _ in tree if role in named and not name.strip() and role != "table"] == []
        levels = tab.run("[...document.querySelectorAll('h1, h2, h3')].map(each => +each.tagName[1])")
        assert levels[0] == 1
        assert levels.count(1) == 1
