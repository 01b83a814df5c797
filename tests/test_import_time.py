"""Starting is instant: help and version load nothing heavy."""

from __future__ import annotations

import subprocess
import sys

import pytest

HEAVY = {"numpy", "pandas", "scipy", "matplotlib", "pyarrow"}


def loaded_by(*arguments: str) -> set[str]:
    """The top-level packages that an interpreter imports, as -X importtime tells on standard error."""
    done = subprocess.run(
        [sys.executable, "-X", "importtime", *arguments], capture_output=True, text=True, timeout=60, check=True
    )
    lines = (line for line in done.stderr.splitlines() if line.startswith("import time:"))
    return {line.rpartition("|")[2].strip().partition(".")[0] for line in lines}


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
