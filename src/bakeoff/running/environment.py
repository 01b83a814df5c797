"""The environment of a run: recorded once, so that a result can be explained later. It is not part of any key."""

from __future__ import annotations

import os
import platform
import shutil
import subprocess
import sys
from collections.abc import Iterable
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any


def environment(threads: int, workers: int, *, folder: Path | None = None) -> dict[str, Any]:
    """Python, packages, processor, memory, and the commit of the study's folder if it is in a git repository."""
    return {
        "bakeoff": _version("bakeoff"),
        "python": platform.python_version(),
        "implementation": platform.python_implementation(),
        "system": f"{platform.system()} {platform.release()}",
        "machine": platform.machine(),
        "processor": _processor(),
        "cores": os.cpu_count(),
        "memory": _memory(),
        "gpus": _gpus(),
        "workers": workers,
        "threads": threads,
        "packages": _packages(),
        "commit": _commit(folder),
    }


def _packages() -> dict[str, str]:
    """Installed packages by the names of their records: to read the records takes longer than a small run."""
    versions: dict[str, str] = {}
    for place in sys.path:
        for record in Path(place or ".").glob("*.dist-info"):
            name, _, number = record.name.removesuffix(".dist-info").partition("-")
            versions.setdefault(name.replace("_", "-").lower(), number)
    return dict(sorted(versions.items()))


def _version(name: str) -> str:
    try:
        return version(name)
    except PackageNotFoundError:
        return "unknown"


def _processor() -> str:
    try:
        lines: Iterable[str] = Path("/proc/cpuinfo").read_text(encoding="utf-8", errors="replace").splitlines()
    except OSError:
        return platform.processor() or "unknown"
    names = (line.partition(":")[2].strip() for line in lines if line.startswith("model name"))
    return next(names, platform.processor() or "unknown")


def _memory() -> int | None:
    import psutil

    try:
        return int(psutil.virtual_memory().total)
    except (psutil.Error, OSError, RuntimeError):
        return None


def _gpus() -> list[dict[str, Any]]:
    """Name and bytes of memory of each graphics processor, as nvidia-smi tells; none where there is no such program."""
    program = shutil.which("nvidia-smi")
    if program is None:
        return []
    query = [program, "--query-gpu=name,memory.total", "--format=csv,noheader,nounits"]
    try:
        done = subprocess.run(query, capture_output=True, text=True, timeout=5, check=False)
    except (OSError, subprocess.TimeoutExpired):
        return []
    gpus = []
    for line in done.stdout.splitlines() if done.returncode == 0 else ():
        name, _, mebibytes = line.rpartition(",")
        if mebibytes.strip().isdigit():
            gpus.append({"name": name.strip(), "memory": int(mebibytes) * 2**20})
    return gpus


def _commit(folder: Path | None) -> str | None:
    """The commit of the folder, with "+" if files that git knows were changed since."""
    if folder is None:
        return None

    def git(*arguments: str) -> str | None:
        try:
            done = subprocess.run(
                ["git", "-C", str(folder), *arguments], capture_output=True, text=True, timeout=5, check=False
            )
        except (OSError, subprocess.TimeoutExpired):
            return None
        return done.stdout.strip() if done.returncode == 0 else None

    commit = git("rev-parse", "HEAD")
    if commit is None:
        return None
    return commit + ("+" if git("status", "--porcelain", "--untracked-files=no") else "")
