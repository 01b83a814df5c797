"""bakeoff as a program of its own: version, pipes, no traceback."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

from bakeoff import __version__


def bakeoff(*arguments: str, **further: object) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "bakeoff", *arguments]
    return subprocess.run(command, capture_output=True, text=True, check=False, **further)  # type: ignore[call-overload]


def test_version() -> None:
    assert bakeoff("--version").stdout.strip() == f"bakeoff {__version__}"


def test_help_mentions_exit_codes() -> None:
    for command in ([], ["run"], ["judge"], ["compare"], ["advise"], ["analyse"], ["procedures"], ["demo"]):
        done = bakeoff(*command, "--help")
        assert done.returncode == 0
        assert "exit codes" in done.stdout


def test_a_reader_that_leaves_early_is_no_error() -> None:
    done = subprocess.run(
        f"{sys.executable} -m bakeoff procedures | head -n 1", shell=True, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0
    assert "Traceback" not in done.stderr


def test_a_pipe_that_breaks_elsewhere_is_no_reader_that_has_gone(tmp_path: Path) -> None:
    """A command that has not done what it should must not end as if it had."""
    code = """
import sys
from bakeoff.cli import lists, main
def run_procedures(*_): raise BrokenPipeError("of a worker")
lists.run_procedures = run_procedures
sys.exit(main(["procedures"]))
"""
    with (tmp_path / "out").open("w") as out:
        done = subprocess.run([sys.executable, "-c", code], stdout=out, stderr=subprocess.PIPE, text=True, check=False)
    assert done.returncode == 1
    assert "BrokenPipeError: of a worker" in done.stderr


def test_names_that_the_terminal_cannot_show_do_not_end_the_program(tmp_path: Path) -> None:
    path = tmp_path / "scores.csv"
    path.write_text("dataset,🙂,b\nx,0.5,0.6\ny,0.7,0.6\nz,0.4,0.8\n", encoding="utf-8")
    environment = {"PYTHONIOENCODING": "ascii:strict", "PYTHONUTF8": "0", "PATH": "/usr/bin:/bin"}
    done = bakeoff("compare", str(path), "--measure", "auc", env=environment)
    assert done.returncode == 0, done.stderr
