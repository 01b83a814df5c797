"""What all tests share: hypothesis without time limits (machines are busy), and how many oracles are covered."""

from __future__ import annotations

import signal
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from hypothesis import settings

if TYPE_CHECKING:
    from bakeoff.store.writer import Store

# The same examples in every run: whoever changes the code, not the dice, makes a test fail.
settings.register_profile("bakeoff", deadline=None, derandomize=True)
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


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    def count(*outcomes: str) -> int:
        reports = (report for outcome in outcomes for report in terminalreporter.stats.get(outcome, []))
        return sum(ORACLE in getattr(report, "nodeid", "") for report in reports)

    covered, uncovered = count("passed", "failed"), count("skipped")
    if covered + uncovered:
        terminalreporter.write_line(f"oracles: {covered} covered, {uncovered} not yet covered")
