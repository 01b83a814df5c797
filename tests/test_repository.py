"""Rules about the repository as a whole: what its files may hold, how long they may be, and that they agree."""

from __future__ import annotations

import ast
import re
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path
from urllib.parse import urlsplit

import pytest
from syntax import nodes, trees

import bakeoff

ROOT = Path(__file__).parents[1]
SOURCE = ROOT / "src" / "bakeoff"
MOST_LINES, MOST_LINES_A_FUNCTION = 700, 60


def repository_files() -> list[Path]:
    """The files that are, or would be, committed; in a tree without git, all files but what the tools leave behind."""
    if (ROOT / ".git").exists() and shutil.which("git"):
        listing = ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"]
        done = subprocess.run(listing, cwd=ROOT, capture_output=True, text=True, check=True)
        paths = [ROOT / name for name in done.stdout.split("\0") if name]
    else:
        hidden = re.compile(
            r"(^|/)(\.(venv|bench-venv|git|\w+_cache|hypothesis)|__pycache__|demo|site|[^/]+\.egg-info)(/|$)"
        )
        paths = [path for path in ROOT.rglob("*") if not hidden.search(path.relative_to(ROOT).as_posix())]
    return sorted(path for path in paths if path.is_file())


def texts() -> list[tuple[str, str]]:
    """(name, text) of every file that is text."""
    found = []
    for path in repository_files():
        content = path.read_bytes()
        if b"\0" not in content[:8192]:
            found.append((path.relative_to(ROOT).as_posix(), content.decode("utf-8", errors="replace")))
    return found


def places(pattern: re.Pattern[str]) -> list[str]:
    return [
        f"{name}:{number}: {line.strip()[:120]}"
        for name, text in texts()
        for number, line in enumerate(text.splitlines(), 1)
        if pattern.search(line)
    ]


def test_no_file_names_a_path_of_somebodys_machine() -> None:
    # Written in two pieces, so that this file passes its own test.
    folders = "|".join(["work", "root", "home", "Users"])
    found = places(re.compile(rf"(?<![\w.)\]}}/-])/(?:{folders})/\w"))
    assert not found, "\n" + "\n".join(found)


def test_no_file_names_a_package_registry() -> None:
    settings = "|".join(["index-url", "find-links", "trusted-host"])
    patterns = [rf"--?(?:extra-)?(?:{settings})", r"https?://[^\s/]+/simple\b", r"^[\w.-]+ *@ *(?:https?|file):"]
    asked = [sys.executable, "-m", "pip", "config", "get", "global." + "index-url"]
    host = urlsplit(subprocess.run(asked, capture_output=True, text=True, check=False).stdout.strip()).hostname
    if host and host not in ("localhost", "127.0.0.1"):
        patterns.append(re.escape(host))
    found = places(re.compile("|".join(patterns)))
    assert not found, "\n" + "\n".join(found)


def test_versions_are_pinned_exactly() -> None:
    for name in ("constraints.txt", "benchmarks/requirements.txt"):
        lines = (ROOT / name).read_text(encoding="utf-8").splitlines()
        odd = [
            line for line in lines if line and not line.startswith("#") and not re.fullmatch(r"[\w.-]+==[\w.]+", line)
        ]
        assert not odd, f"{name}: {odd}"


def test_no_source_file_is_too_long() -> None:
    lengths = {path: len(path.read_text(encoding="utf-8").splitlines()) for path in SOURCE.rglob("*.py")}
    long = [f"{path.relative_to(SOURCE)}: {n} lines" for path, n in lengths.items() if n > MOST_LINES]
    assert not long, f"over {MOST_LINES} lines is two ideas: {long}"


def lines_of_code(function: ast.FunctionDef | ast.AsyncFunctionDef) -> int:
    """The lines of a function, its docstring left out: prose around a short body is welcome."""
    length = (function.end_lineno or 0) - function.lineno + 1
    first = function.body[0]
    if ast.get_docstring(function) is not None:
        length -= (first.end_lineno or 0) - first.lineno + 1
    return length


def test_no_function_is_too_long() -> None:
    long = [
        f"{module}:{node.lineno} {node.name}: {lines_of_code(node)} lines"
        for module, tree in trees().items()
        for node in nodes(tree)
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) and lines_of_code(node) > MOST_LINES_A_FUNCTION
    ]
    assert not long, f"over {MOST_LINES_A_FUNCTION} lines is several functions: {long}"


def test_one_version() -> None:
    def first(name: str, pattern: str) -> str:
        found = re.search(pattern, (ROOT / name).read_text(encoding="utf-8"), re.MULTILINE)
        assert found, f"{name} names no version"
        return found[1]

    table = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    assert table["project"]["dynamic"] == ["version"]
    assert table["tool"]["setuptools"]["dynamic"]["version"] == {"attr": "bakeoff.__version__"}
    versions = {
        "bakeoff.__version__": bakeoff.__version__,
        "CITATION.cff": first("CITATION.cff", r"^version: \"?([\w.]+)"),
        "CHANGELOG.md": first("CHANGELOG.md", r"^## \[([\w.]+)\]"),
    }
    assert len(set(versions.values())) == 1, versions


def test_the_licence_is_named_alike() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    assert f"license: {project['license']}" in (ROOT / "CITATION.cff").read_text(encoding="utf-8")
    assert (ROOT / "LICENSE").read_text(encoding="utf-8").startswith("BSD 3-Clause License")


def anchors(markdown: str) -> set[str]:
    """The anchors that GitHub gives to headings."""
    headings = re.findall(r"^#+ +(.+?) *$", re.sub(r"^```.*?^```", "", markdown, flags=re.M | re.S), re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}


@pytest.mark.parametrize("name", [name for name, _ in texts() if name.endswith(".md")])
def test_local_links_resolve(name: str) -> None:
    page = ROOT / name
    text = re.sub(r"^```.*?^```", "", page.read_text(encoding="utf-8"), flags=re.MULTILINE | re.DOTALL)
    broken = []
    for target in re.findall(r"\]\(<?([^)\s>]+)", text):
        if re.match(r"[a-z]+:", target):
            continue
        path, _, anchor = target.partition("#")
        aim = page.parent / path if path else page
        if not aim.exists() or (anchor and anchor not in anchors(aim.read_text(encoding="utf-8"))):
            broken.append(target)
    assert not broken, f"{name} links to nothing: {broken}"
