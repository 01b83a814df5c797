"""CPU seconds of a command and of everything that it starts, whoever waits for those processes.

A run has workers that are children of a server which is a child of the run; what nobody has waited for would not be
counted. So this process makes itself the one that inherits orphans, and waits for all of them.
"""

from __future__ import annotations

import ctypes
import os
import resource
import subprocess
import sys
from pathlib import Path

PYTHON = sys.executable
# Ours is run from its source, wherever the command is started.
_PLACES = [str(Path(__file__).parents[1] / "src"), str(Path(__file__).parent)]
# Compiled modules are kept, as they are for whoever has installed it: to compile ours anew takes half a second.
_KEPT = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
ENVIRONMENT = {**_KEPT, "PYTHONPATH": os.pathsep.join(_PLACES)}
_PR_SET_CHILD_SUBREAPER = 36


def cpu_of(arguments: list[str], *, folder: str, environment: dict[str, str] | None = None) -> float:
    """User and system time of the whole tree of processes. The command must end with exit code 0."""
    ctypes.CDLL(None).prctl(_PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)
    before = _spent()
    done = subprocess.run(
        arguments, cwd=folder, capture_output=True, text=True, env={**ENVIRONMENT, **(environment or {})}, check=False
    )
    if done.returncode:
        raise RuntimeError(f"A benchmark failed:\n{done.stdout}\n{done.stderr}")
    while True:
        try:
            os.wait()
        except ChildProcessError:
            break
    return _spent() - before


def _spent() -> float:
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def pinned() -> dict[str, str]:
    """One thread, as the workers have."""
    return dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"), "1")
