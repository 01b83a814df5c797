"""What all tests share: at the end, how much of the oracle file is covered."""

from __future__ import annotations

import pytest

ORACLE = "test_oracles.py::test_case["


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    def count(*outcomes: str) -> int:
        reports = (report for outcome in outcomes for report in terminalreporter.stats.get(outcome, []))
        return sum(ORACLE in getattr(report, "nodeid", "") for report in reports)

    covered, uncovered = count("passed", "failed"), count("skipped")
    if covered + uncovered:
        terminalreporter.write_line(f"oracles: {covered} covered, {uncovered} not yet covered")
