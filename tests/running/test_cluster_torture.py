"""A few kills on a cluster with a database server; `make torture` makes it two hundred."""

from __future__ import annotations

from pathlib import Path

from cluster_torture import torture_cluster
from postgres import needs_postgresql


def test_killed_whoever_it_is(tmp_path: Path) -> None:
    needs_postgresql()
    report = torture_cluster(6, 3, tmp_path, repeats=14)
    assert report.kills.total() == 6
    assert len(report.kills) >= 3, "the dice of this seed choose several kinds"
    assert str(report).startswith("torture of a cluster: 6 kills")
