"""`bakeoff serve` in a real browser: what a newcomer does, and what keyboards, phones and screen readers need."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest
from chromium import Chromium, Tab
from proofs import until
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
SLOW_LEARNERS = """
[[learner]]
name = "slow"
path = "slowly.Slow"
[[learner]]
name = "slower"
path = "slowly.Slow"
parameters = { strategy = "uniform" }
"""
SLOWLY = """
import pathlib, time
from sklearn.dummy import DummyClassifier
HERE = pathlib.Path(__file__).parent
class Slow(DummyClassifier):
    "Three fit at once; all others wait until they are told."
    def fit(self, X, y):
        with (HERE / "fitted").open("a") as file:
            file.write("x")
        while (HERE / "fitted").stat().st_size > 3 and not (HERE / "quickly").exists():
            time.sleep(0.05)
        return super().fit(X, y)
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


def wait(tab: Tab, script: str) -> object:
    """The value of an expression, once it has one; a page that is just being left or loaded has none."""

    def value() -> object:
        try:
            return tab.run(script)
        except AssertionError:
            return None

    return until(value, script)


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
        wait(tab, "!!document.querySelector('#answer') && document.readyState === 'complete'")
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
    wait(tab, "!!document.querySelector('#answer') && document.readyState === 'complete'")
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


def test_a_run_is_watched_to_its_end(browser: Chromium, tmp_path: Path) -> None:
    (tmp_path / "slowly.py").write_text(SLOWLY)
    (tmp_path / "small.toml").write_text(STUDY.replace("sklearn.tree.DecisionTreeClassifier", "slowly.Slow"))
    with serving(Workspace(None, studies=[str(tmp_path / "small.toml")], workers=2), Rules()) as there:
        watch_to_the_end(browser.open(f"{there.address}/"), tmp_path)


def watch_to_the_end(tab: Tab, folder: Path) -> None:
    tab.run("document.querySelector('#study-list a').click()")
    wait(tab, "!!document.querySelector('#start') && document.readyState === 'complete'")
    assert text_of(tab, "[data-field=state]") == "not started"
    tab.run("document.querySelector('#start').click()")
    wait(tab, "!!document.querySelector('#stop') && !document.querySelector('#stop').disabled")
    (folder / "quickly").touch()
    wait(tab, "document.querySelector('[data-field=state]')?.textContent === 'finished'")
    # It loads itself anew when the run is over, and may just be doing so: one look tells all.
    shown = """(text => [text("[data-field=ok]"), text("[data-field=failed]"),
        [...document.querySelectorAll('#grid td')].map(each => each.textContent.trim()).join(),
        !!text("#failures ~ details pre")?.includes("n_neighbors"),
        document.querySelector("#start")?.disabled].join("|")
        )(selector => document.querySelector(selector)?.textContent)"""
    wait(tab, f"{shown} === '6|6|3,0 / 3,3,0 / 3|true|true'")
    assert tab.errors == []


def test_a_run_is_stopped_resumed_and_watched_to_its_end(browser: Chromium, tmp_path: Path) -> None:
    (tmp_path / "slowly.py").write_text(SLOWLY)
    (tmp_path / "slow.toml").write_text(STUDY.partition("[[learner]]")[0] + SLOW_LEARNERS)
    state = "document.querySelector('[data-field=state]')?.textContent"
    done = "+document.querySelector('[data-field=ok]')?.textContent"
    with serving(Workspace(None, studies=[str(tmp_path / "slow.toml")]), Rules()) as there:
        (study,) = there.space.studies()
        tab = browser.open(f"{there.address}/study/{study.id}")
        assert "Nothing of it has been run yet: 2 tasks × 2 learners" in text_of(tab, "#live")
        tab.run("document.querySelector('#start').click()")
        wait(tab, f"{done} >= 2")
        assert tab.run("document.querySelector('#start').disabled") is True
        ways = "[...document.querySelectorAll('.tabs a')].filter(each => !each.hidden).map(each => each.textContent)"
        wait(tab, f"{ways}.join() === 'Run,Decide,Explore'")  # without loading the page again
        tab.run("document.querySelector('#stop').click()")
        wait(tab, f"{state} === 'stopped' && !document.querySelector('#start').disabled")
        wait(tab, "document.readyState === 'complete' && document.querySelector('#start')?.textContent === 'Resume'")
        kept = int(text_of(tab, "[data-field=ok]"))
        assert 2 <= kept < 12
        assert tab.run("document.querySelector('#stop').disabled") is True
        tab.run("[...document.querySelectorAll('nav a')].find(each => each.textContent === 'Decide').click()")
        wait(tab, "location.pathname === '/decide' && document.readyState === 'complete'")
        assert f"The run is not finished: {kept} of 12 cells are done" in text_of(tab, ".caution")
        tab.run("history.back()")
        wait(tab, "!!document.querySelector('#start') && document.readyState === 'complete'")
        (tmp_path / "quickly").touch()  # the learner hurries from here on
        tab.run("document.querySelector('#start').click()")
        wait(tab, f"{state} === 'finished'")
        wait(tab, "document.readyState === 'complete' && document.querySelector('#start').disabled")
        cells = tab.run("[...document.querySelectorAll('#grid td')].map(each => each.textContent.trim())")
        assert cells == ["3", "3", "3", "3"]
        assert (tmp_path / "fitted").read_text().count("x") <= 12 + 1  # what was finished is not run again
        assert tab.errors == []


def test_two_groups_are_compared_by_ticking(browser: Chromium, served: Served) -> None:
    tab = browser.open(served.address + ASKED)
    for name, value in (("group", "Bagged C4.5"), ("versus", "C4.5")):
        tab.run(f"document.querySelector('.groups').open = true; "
                f"document.querySelector(`[name={name}][value='{value}']`).click()")  # fmt: skip
    wait(tab, "location.search.includes('versus=C4.5') && !!document.querySelector('.exploratory')")
    assert "Bagged C4.5 were compared with C4.5" in text_of(tab, ".exploratory")
    assert tab.run("document.querySelectorAll('#table-2 tbody tr').length") == 1
    assert tab.errors == []


def test_a_study_file_is_built_by_ticking(browser: Chromium, served: Served) -> None:
    tab = browser.open(f"{served.address}/plan")
    shown = "[...document.querySelectorAll('[data-schemes]')].filter(e => !e.hidden).map(e => e.textContent.trim())"
    assert tab.run(shown) == ["repeats", "folds"]
    tab.run("""(() => { const scheme = document.getElementById('scheme'); scheme.value = 'hold-out';
        scheme.dispatchEvent(new Event('change', {bubbles: true})); })()""")
    assert tab.run(shown) == ["repeats", "test share"]
    tab.run('document.querySelector(\'[name="study.learner"][value="1R"]\').click()')
    tab.run("document.querySelector('[name=\"study.task\"][value=zoo]').click()")
    tab.run("[...document.querySelectorAll('button')].find(each => each.textContent === 'Write it').click()")
    wait(tab, "location.search.includes('hold-out') && document.readyState === 'complete'")
    written = text_of(tab, "#toml")
    assert 'scheme = "hold-out"' in written
    assert 'path = "1R"' in written
    assert 'data = "zoo"' in written
    assert tab.errors == []


def test_figures_offer_what_matters_to_them(browser: Chromium, served: Served) -> None:
    rows = "".join(f"q{i},{i % 2},{i % 2},{(i // 3) % 2}\n" for i in range(30))
    tab = browser.open(f"{served.address}/")
    drop(tab, "answers.csv", f"id,truth,old,new\n{rows}")
    tab.run("location.assign(location.href.replace('/decide', '/explore'))")
    wait(tab, "location.pathname === '/explore' && document.readyState === 'complete'")
    hidden = "[...document.querySelectorAll('[data-part]')].map(each => each.hidden)"
    for kind, expected in (("items", [False, True]), ("confusion", [True, False]), ("box-density", [True, True])):
        tab.run(f"""(() => {{ const kind = document.querySelector('[name=kind]'); kind.value = '{kind}';
            kind.dispatchEvent(new Event('input', {{bubbles: true}})); }})()""")
        wait(tab, f"location.search.includes('kind={kind}')")
        assert tab.run(hidden) == expected, kind
        if kind == "items":
            assert "on which new is worse than old" in text_of(tab, "#changed + dl")


def test_a_whole_folder_can_be_chosen(browser: Chromium, served: Served) -> None:
    tab = browser.open(f"{served.address}/")
    assert tab.run("document.querySelector('#dir').webkitdirectory && !document.querySelector('#whole').hidden") is True
    tab.run("document.querySelector('#drop button').click()")
    assert text_of(tab, "#drop-state") == "Choose one or several files first."
    tab.run("""(() => { const transfer = new DataTransfer(); const box = document.querySelector('#dir');
        for (const [name, v] of [['svm', 7], ['knn', 6]])
            transfer.items.add(new File([`task,accuracy\nt1,.${v}\nt2,.8${v}\nt3,.5${v}\n`], `${name}.csv`));
        box.files = transfer.files; box.dispatchEvent(new Event('change', {bubbles: true})); })()""")
    wait(tab, "location.pathname === '/decide' && document.readyState === 'complete'")
    assert "svm" in text_of(tab, "#answer")
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


def tab_to(tab: Tab, script: str) -> None:
    """Press Tab until the element that has the focus, `at`, is the one."""
    for _ in range(150):
        tab.press("Tab", 9)
        if tab.run(f"(at => {script})(document.activeElement)"):
            return
    raise AssertionError(f"the keyboard does not reach {script}")


def test_from_a_file_to_a_table_for_a_paper_by_keyboard(browser: Chromium, served: Served, tmp_path: Path) -> None:
    rows = "".join(f"d{i},0.{(7 * i) % 40 + 10},0.{(7 * i) % 40 + 19}\n" for i in range(12))
    (tmp_path / "mine.csv").write_text(f"what,svm,knn\n{rows}")
    tab = browser.open(f"{served.address}/")
    # The dialogue of the system is no part of the page: it is taken over, once the keyboard has opened it.
    browser.ask("Page.setInterceptFileChooserDialog", tab.session, enabled=True)
    browser.ask("Page.setDownloadBehavior", tab.session, behavior="allow", downloadPath=str(tmp_path))
    tab_to(tab, "at.id === 'files'")
    tab.press("Enter", 13)
    opened = browser.wait_for("Page.fileChooserOpened", tab.session)
    browser.ask("DOM.setFileInputFiles", tab.session, files=[str(tmp_path / "mine.csv")],
                backendNodeId=opened["params"]["backendNodeId"])  # fmt: skip
    tab_to(tab, "at.textContent === 'Read and compare'")
    tab.press("Enter", 13)
    wait(tab, "location.pathname === '/decide' && document.readyState === 'complete'")
    assert "What are the rows of mine.csv?" in text_of(tab, "[role=alert]")
    tab_to(tab, "at.textContent === 'rows: tasks'")
    tab.press("Enter", 13)
    wait(tab, "location.search.includes('rows=tasks') && document.readyState === 'complete'")
    tab_to(tab, "at.name === 'measure' && at.form.id === 'columns'")
    for letter in "error":
        tab.press(letter, ord(letter.upper()))
    tab.press("Enter", 13)
    wait(tab, "!!document.querySelector('#answer') && document.readyState === 'complete'")
    assert "svm is better than knn" in text_of(tab, "#answer")
    tab_to(tab, "at.textContent === 'verdict.tex'")
    tab.press("Enter", 13)
    table = tmp_path / "verdict.tex"  # it is there, and empty, before it is written
    until(lambda: table.exists() and "\\bottomrule" in table.read_text("utf-8"), "a file that is downloaded")
    assert "\\toprule" in table.read_text("utf-8")
    assert tab.errors == []


EXPLORED = ASKED.replace("decide", "explore")
UNCLEAR = f"/decide?of=file:{SCORES}"


@pytest.mark.parametrize("width", [360, 768])
@pytest.mark.parametrize(
    "address",
    [
        "/",
        ASKED,
        UNCLEAR,
        EXPLORED,
        f"{EXPLORED}&kind=roc",
        "/plan?test=paired-t&n=9&sd=1",
        "/api",
        "/nothing",
        "STUDY",
    ],
)
def test_narrow_pages_do_not_scroll_sideways(browser: Chromium, served: Served, address: str, width: int) -> None:
    if address == "STUDY":
        address = f"/study/{served.space.studies()[0].id}"
    tab = browser.open(served.address + address, width=width, dark=True)
    assert tab.run("document.documentElement.scrollWidth") <= width
    wait(tab, "[...document.images].every(each => each.complete && each.naturalWidth > 0)")  # also drawn for a phone
    small = """[...document.querySelectorAll('button, select, input:not([type=hidden]):not([type=checkbox])')]
        .filter(each => each.getClientRects().length && each.getBoundingClientRect().height < 20).length"""
    assert tab.run(small) == 0
    assert [each for each in tab.errors if "404" not in each] == []


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
