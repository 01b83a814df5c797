"""A few kills of each kind; `make torture` makes it a thousand."""

from __future__ import annotations

from pathlib import Path

import pytest
from torture import Target, torture


@pytest.mark.parametrize(("target", "kills"), [("run", 4), ("worker", 8), ("server", 3), ("stop", 2)])
def test_killed_while_cells_are_written(target: Target, kills: int, tmp_path: Path) -> None:
    report = torture(kills, target, 7, tmp_path, repeats=14)
    assert report.kills == kills
    assert str(report).startswith(f"torture of the {target}: {kills} kills")
    if target in ("run", "worker"):
        assert report.hits >= kills // 4, str(report)
