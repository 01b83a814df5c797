"""Starting is instant: help and version load nothing heavy."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

HEAVY = {"numpy", "pandas", "scipy", "matplotlib", "pyarrow"}


def modules_of(*arguments: str) -> set[str]:
    """The modules that an interpreter imports, as -X importtime tells on standard error."""
    done = subprocess.run(
        [sys.executable, "-X", "importtime", *arguments], capture_output=True, text=True, timeout=60, check=True
    )
    lines = (line for line in done.stderr.splitlines() if line.startswith("import time:"))
    return {line.rpartition("|")[2].strip() for line in lines}


def loaded_by(*arguments: str) -> set[str]:
    """The top-level packages of them."""
    return {name.partition(".")[0] for name in modules_of(*arguments)}


@pytest.mark.parametrize(
    "arguments",
    [
        ("-c", "import bakeoff"),
        ("-m", "bakeoff", "--help"),
        ("-m", "bakeoff", "--version"),
        ("-m", "bakeoff", "compare", "--help"),
    ],
    ids=" ".join,
)
def test_nothing_heavy_is_imported(arguments: tuple[str, ...]) -> None:
    loaded = loaded_by(*arguments)
    assert "bakeoff" in loaded
    assert not loaded & HEAVY


def test_the_test_would_notice() -> None:
    assert HEAVY & loaded_by("-c", "import bakeoff; bakeoff.Scores") == {"numpy"}


def test_compare_loads_what_it_needs_and_no_more() -> None:
    """A verdict on a small file is there in less than half a second: no frames, drawings, stores or forms of papers."""
    scores = Path(__file__).parents[1] / "src" / "bakeoff" / "data" / "dietterich2000.csv"
    loaded = modules_of("-m", "bakeoff", "compare", str(scores), "--measure", "error")
    assert "numpy" in loaded
    assert not loaded & (HEAVY | {"sklearn", "sqlalchemy", "rich"}) - {"numpy", "scipy"}
    assert not {name for name in loaded if name.startswith(("bakeoff.reports", "bakeoff.store", "bakeoff.study"))}
    assert "scipy.stats" not in loaded
    assert len([name for name in loaded if name.partition(".")[0] == "bakeoff"]) <= 170
