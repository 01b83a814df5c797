"""What all tests share: hypothesis without time limits (machines are busy), and how many oracles are covered."""

from __future__ import annotations

import pytest
from hypothesis import settings

# The same examples in every run: whoever changes the code, not the dice, makes a test fail.
settings.register_profile("bakeoff", deadline=None, derandomize=True)
settings.load_profile("bakeoff")

ORACLE = "test_oracles.py::test_case["


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    def count(*outcomes: str) -> int:
        reports = (report for outcome in outcomes for report in terminalreporter.stats.get(outcome, []))
        return sum(ORACLE in getattr(report, "nodeid", "") for report in reports)

    covered, uncovered = count("passed", "failed"), count("skipped")
    if covered + uncovered:
        terminalreporter.write_line(f"oracles: {covered} covered, {uncovered} not yet covered")
