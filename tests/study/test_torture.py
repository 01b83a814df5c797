"""Five kills; `make torture` makes it a hundred and fifty."""

from __future__ import annotations

from pathlib import Path

import pytest
from torture import Target, torture


@pytest.mark.parametrize(("target", "kills"), [("run", 2), ("worker", 2), ("server", 1)])
def test_killed_at_random_moments(target: Target, kills: int, tmp_path: Path) -> None:
    report = torture(kills, target, 7, tmp_path, repeats=10)
    assert report.kills == kills
    assert str(report).startswith(f"torture of the {target}: {kills} kills")
