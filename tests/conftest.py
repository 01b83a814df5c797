"""What all tests share: hypothesis without time limits (machines are busy), a second try where other processes take
part, and how many oracles are covered."""

from __future__ import annotations

import contextlib
import gc
import signal
from collections.abc import Generator, Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from _pytest.runner import runtestprotocol
from hypothesis import HealthCheck, settings

if TYPE_CHECKING:
    from bakeoff.store.writer import Store

# The same examples in every run: whoever changes the code, not the dice, makes a test fail. A hundred of them, as is
# usual, find no more in all runs together than in the first one; half of that is enough.
settings.register_profile(
    "bakeoff", max_examples=50, deadline=None, derandomize=True, suppress_health_check=[HealthCheck.too_slow]
)
settings.register_profile("few", settings.get_profile("bakeoff"), max_examples=5)  # where they were tried before
settings.load_profile("bakeoff")

SMALL_STUDY = """\
question = "Is anything learned from iris?"
seed = 7
measures = ["error", "fit_time"]
[[task]]
data = "iris"
[[learner]]
name = "majority"
path = "sklearn.dummy.DummyClassifier"
[[learner]]
name = "bayes"
path = "sklearn.naive_bayes.GaussianNB"
[resampling]
scheme = "cross-validation"
folds = 3
"""

ORACLE = "test_oracles.py::test_case["

# Tests here wait for processes, servers, browsers and databases, which a machine may let stand still at any moment: one
# of a thousand that fails for that says nothing about the change that is tested. They may be tried once more, and the
# summary names whoever needed it. Everything else is a function of its input, and gets no second try.
WITH_OTHER_PROCESSES = tuple(
    f"tests/{place}"
    for place in ("browser/", "running/", "store/", "study/", "web/", "cli/test_study.py", "learners/test_commands.py")
)


# Worker processes are forked from a server that has imported what the learners of a study need, and is started anew,
# for a second of CPU, when those of the next need more. Here it has what all studies of the tests need.
LEARNERS = """
    compose discriminant_analysis dummy ensemble feature_extraction.text impute linear_model mixture model_selection
    multiclass multioutput naive_bayes neighbors neural_network pipeline preprocessing svm tree
"""
with contextlib.suppress(ImportError):  # there is no such server on other systems
    from bakeoff.running import server

    server.MODULES.update(f"sklearn.{name}" for name in LEARNERS.split())


@pytest.fixture
def small_study(tmp_path: Path) -> Path:
    """A study file of six cells, not run yet, in a folder of its own."""
    path = tmp_path / "small.toml"
    path.write_text(SMALL_STUDY, encoding="utf-8")
    return path


@pytest.fixture(scope="session")
def finished_study(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The same file, run once for all tests that only look: whoever changes something copies the folder first."""
    from bakeoff.cli import main

    path = tmp_path_factory.mktemp("finished") / "small.toml"
    path.write_text(SMALL_STUDY, encoding="utf-8")
    assert main(["run", str(path), "--quiet"]) == 0
    return path


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    """A store in a file, open for writing."""
    from bakeoff.store.writer import Store

    with Store.open(tmp_path / "study.sqlite") as opened:
        yield opened


@pytest.fixture
def heeding_ctrl_c() -> Iterator[None]:
    """What a script starts in the background ignores Ctrl-C, and so does every process that comes of it.

    A test that sends Ctrl-C needs the default, in this process or in those that it starts: they get what is set here.
    """
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        if item.nodeid.startswith(WITH_OTHER_PROCESSES):
            item.add_marker(pytest.mark.flaky(reruns=1))


@pytest.hookimpl(wrapper=True)
def pytest_collect_file() -> Generator[None, list[pytest.Collector], list[pytest.Collector]]:
    """Examples in docstrings are tests of the package. Those of tests have none, and to look for them takes a while."""
    found = yield
    return [each for each in found if type(each).__name__ != "DoctestModule"]


@pytest.hookimpl(wrapper=True)
def pytest_collection() -> Generator[None, object, object]:
    """Thousands of tests and all modules stay to the end: to look through them for garbage, again and again while they
    are made and then while the tests run, takes a fifth of all time."""
    gc.disable()
    try:
        return (yield)
    finally:
        gc.enable()
        gc.freeze()


def pytest_runtest_protocol(item: pytest.Item, nextitem: pytest.Item | None) -> bool | None:
    """Of several processes each tells the first that a test has begun, was set up, passed, was taken down and ended:
    half of what it takes to run thousands of short ones. That it passed, or what else became of it, is enough."""
    if not hasattr(item.config, "workerinput") or item.get_closest_marker("flaky"):
        return None
    for report in runtestprotocol(item, log=False, nextitem=nextitem):
        if report.when == "call" or not report.passed:
            item.ihook.pytest_runtest_logreport(report=report)
    return True


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    tell_second_tries(terminalreporter)
    tell_oracles(terminalreporter)


def tell_second_tries(terminalreporter: pytest.TerminalReporter) -> None:
    """Who was tried again, and how it failed at first: to be mended, also where nothing else is said to fail."""
    first = {report.nodeid: report for report in terminalreporter.stats.get("rerun", [])}
    bad = {report.nodeid for outcome in ("failed", "error") for report in terminalreporter.stats.get(outcome, [])}
    for title, names in (("passed only at the second try", first.keys() - bad), ("failed twice", first.keys() & bad)):
        for name in sorted(names):
            terminalreporter.section(f"{title}: {name}")
            terminalreporter.write_line(f"at first:\n{first[name].longrepr}")


def tell_oracles(terminalreporter: pytest.TerminalReporter) -> None:
    def count(*outcomes: str) -> int:
        reports = (report for outcome in outcomes for report in terminalreporter.stats.get(outcome, []))
        return sum(ORACLE in getattr(report, "nodeid", "") for report in reports)

    covered, uncovered = count("passed", "failed"), count("skipped")
    if covered + uncovered:
        terminalreporter.write_line(f"oracles: {covered} covered, {uncovered} not yet covered")
