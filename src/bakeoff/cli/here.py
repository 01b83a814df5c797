"""`bakeoff` alone: what to type next in this folder, by the files that lie there. Nothing of them is run."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from shlex import quote

from bakeoff.text import shown_as_text

MOST = 3  # files of a kind that are named
_TABLES = (".csv", ".tsv", ".parquet", ".jsonl", ".xlsx", ".eval", ".arff")
_VERDICT, _STUDY = b'"bakeoff.verdict/', (b"learner", b"task")
_BEGIN = 65536  # bytes of a file that are looked at


def next_steps(folder: Path) -> str:
    """What can be done with what is there, as commands to type; how to begin, if nothing is."""
    groups = [group for group in (_studies(folder), _verdicts(folder), _tables(folder)) if group]
    if not groups:
        groups = [_beginning()]
    parts = [f"{title}\n" + "\n".join(_lines(commands)) for title, commands in groups]
    return shown_as_text("\n\n".join([*parts, "All commands: bakeoff --help. More about one: bakeoff COMMAND --help."]))


def _lines(commands: list[tuple[str, str]]) -> Iterator[str]:
    longest = max(len(command) for command, _ in commands)
    for command, what in commands:
        yield f"  {command}{' ' * (longest - len(command))}  {what}"


def _files(folder: Path, endings: tuple[str, ...]) -> list[Path]:
    """The files with such an ending, the newest first."""
    try:
        paths = [path for path in folder.iterdir() if path.suffix.lower() in endings and path.is_file()]
        return sorted(paths, key=lambda path: (-path.stat().st_mtime, path.name))
    except OSError:
        return []


def _holds(path: Path, *words: bytes) -> bool:
    try:
        with path.open("rb") as file:
            text = file.read(_BEGIN)
    except OSError:
        return False
    return all(word in text for word in words)


def _studies(folder: Path) -> tuple[str, list[tuple[str, str]]] | None:
    studies = [path for path in _files(folder, (".toml",)) if path.name != "pyproject.toml" and _holds(path, *_STUDY)]
    commands: list[tuple[str, str]] = []
    for path in studies[:MOST]:
        name = quote(path.name)
        if path.with_suffix(".sqlite").exists():
            commands += [
                (f"bakeoff judge {name}", "what may be claimed of its results"),
                (f"bakeoff status {name}", "how far it is"),
                (f"bakeoff run {name} -j 2", "what is left of it, if anything"),
            ]
        else:
            commands += [
                (f"bakeoff plan {name}", "what it will run"),
                (f"bakeoff run {name} -j 2", "run it; Ctrl-C stops, the same command goes on"),
                (f"bakeoff judge {name}", "then: what may be claimed"),
            ]
    return ("There is a study here. Next:", commands) if commands else None


def _verdicts(folder: Path) -> tuple[str, list[tuple[str, str]]] | None:
    files = [path for path in _files(folder, (".json",)) if _holds(path, _VERDICT) or path.name == "verdict.json"]
    commands = [(f"bakeoff compare {quote(path.name)} -o table.tex", "its tables for a paper") for path in files[:MOST]]
    return ("There is a verdict here. Next:", commands) if commands else None


def _tables(folder: Path) -> tuple[str, list[tuple[str, str]]] | None:
    files = _files(folder, _TABLES)
    commands = [(f"bakeoff compare {quote(path.name)}", "a verdict, if it holds scores") for path in files[:MOST]]
    if files:
        commands.append((f"bakeoff advise {quote(files[0].name)}", "which tests fit it, and why"))
    return ("There are tables here. Next:", commands) if commands else None


def _beginning() -> tuple[str, list[tuple[str, str]]]:
    return "Nothing to work with lies in this folder. To begin:", [
        ("bakeoff demo", "a real study, from data to verdict, in less than a minute"),
        ("bakeoff compare FILE", "a verdict on scores that you have: CSV, Parquet, JSON, logs of many tools"),
        ("bakeoff init", "a study file to begin with, which runs as it is"),
    ]
