"""Starting is instant: help and version load nothing heavy."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from bakeoff.cli import COMMANDS, WITHOUT_SCIPY

HEAVY = {"numpy", "pandas", "scipy", "matplotlib", "pyarrow"}


def modules_of(*arguments: str) -> set[str]:
    """The modules that an interpreter imports, as -X importtime tells on standard error."""
    done = subprocess.run(
        [sys.executable, "-X", "importtime", *arguments], capture_output=True, text=True, timeout=120, check=True
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
    assert not loaded & {"numpy.f2py", "numpy.testing", "numpy.polynomial", "zipfile", "xml.etree.ElementTree"}
    assert len([name for name in loaded if name.partition(".")[0] == "bakeoff"]) <= 170


@pytest.mark.parametrize("command", ["judge", "status"])
def test_what_is_stored_is_read_without_what_runs_studies(command: str, finished_study: Path) -> None:
    loaded = modules_of("-m", "bakeoff", command, str(finished_study), *(["--measure", "error"] * (command == "judge")))
    assert "sqlalchemy" in loaded
    assert not loaded & {"pandas", "pyarrow", "sklearn", "psutil", "rich", "matplotlib"}
    assert not {name for name in loaded if name.startswith(("bakeoff.formats.", "bakeoff.generators.classic"))}
    runs = {"bakeoff.study.run", "bakeoff.study.plan", "bakeoff.running.engine", "bakeoff.running.processes"}
    assert not loaded & (runs | {"bakeoff.results.export", "multiprocessing"})


# Each home is imported in a child of its own; it ends where it would import scipy, which takes half a second.
IMPORTERS = """
import importlib, os, sys
class Alarm:
    def find_spec(self, name, *_):
        if name == "scipy.special":
            os._exit(10)
sys.meta_path.insert(0, Alarm())
import numpy
for home in sys.argv[1:]:
    if not (child := os.fork()):
        try:
            importlib.import_module(f"bakeoff.cli.{home}")
        except BaseException:
            os._exit(1)
        os._exit(0)
    print(home, os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
"""


def test_the_modules_of_commands_which_import_scipy_are_known() -> None:
    homes = sorted({command.home for command in COMMANDS})
    done = subprocess.run([sys.executable, "-c", IMPORTERS, *homes], check=True, capture_output=True, text=True)
    codes = dict(line.split() for line in done.stdout.splitlines())
    assert codes == {home: "0" if home in WITHOUT_SCIPY else "10" for home in homes}


def test_numpy_is_whole_after_a_command_that_was_started_lightly() -> None:
    program = """
import bakeoff.cli, numpy, sys
assert bakeoff.cli.main(["explain", "friedman"]) == 0
assert "numpy.testing" not in sys.modules, "the test tests nothing"
numpy.testing.assert_array_equal(numpy.polynomial.Polynomial([0, 2])(1.0), 2.0)
from scipy._lib.array_api_compat import numpy as copied
assert copied.ma.masked is numpy.ma.masked
"""
    subprocess.run([sys.executable, "-c", program], check=True, capture_output=True)


def test_functions_of_scipy_keep_their_words_though_nothing_is_written_into_them() -> None:
    program = """
import bakeoff.cli, sys
bakeoff.cli._import_lightly()
from scipy import special
from scipy._lib import _array_api, _docscrape
assert special.fdtrc(1, 2, 0.5) > 0 and "cumulative" in special.gammainc.__doc__.lower() + special.fdtrc.__doc__.lower()
assert _array_api.FunctionDoc is _docscrape.FunctionDoc, "later imports have scipy's own parser"
"""
    subprocess.run([sys.executable, "-c", program], check=True, capture_output=True)
