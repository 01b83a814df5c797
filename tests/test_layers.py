"""Imports inside the package go one way, whether they stand at the top of a module or inside a function."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path, PurePosixPath

import pytest
from syntax import nodes, trees, trees_of

SOURCE = Path(__file__).parents[1] / "src" / "bakeoff"

# From the lowest to the highest. A part may import from lower layers and from itself, not from its neighbours.
LAYERS: tuple[frozenset[str], ...] = tuple(
    frozenset(line.split())
    for line in (
        "errors text",
        "atomic_files records",
        "importing keys mathematics",
        "measures resampling designs generators",
        "scores",
        "tasks learners store formats",
        "results running",
        "study",
        "inference",
        "procedures",
        "judging",
        "figures",
        "reports",
        "calibration",
        "power_analysis published",
        "conduct",
        "web",
        "cli testing",
    )
)
HEIGHT = {part: height for height, layer in enumerate(LAYERS) for part in layer}

# What runs experiments and what judges them know nothing of each other: they meet at Scores.
EXPERIMENT = frozenset({"tasks", "learners", "store", "results", "running", "study"})
INFERENCE = frozenset({"inference", "procedures", "judging", "figures"})

# Methods by which users reach what lies above: imported when they are called, and for type checkers.
UPWARD = {
    ("scores/table.py", "bakeoff.figures"),
    ("judging/design_verdict.py", "bakeoff.figures"),
    ("judging/verdict.py", "bakeoff.figures"),
    ("judging/verdict.py", "bakeoff.reports"),
    ("scores/reading/__init__.py", "bakeoff.formats"),
}

# The package itself re-exports names from everywhere, so all that its own parts may take from it is the version.
ROOT = ("__init__.py", "__main__.py")
FROM_ROOT = {"__version__"}


def called(node: ast.Call) -> str:
    """The last name of what is called."""
    return node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")


def imported(tree: ast.Module, package: tuple[str, ...]) -> Iterator[tuple[int, str]]:
    """(line, dotted name) for each module or name of bakeoff that is imported anywhere in a module of `package`."""
    for node in nodes(tree):
        if isinstance(node, ast.Import):
            yield from ((node.lineno, alias.name) for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            home = package[: len(package) - node.level + 1] if node.level else ()
            module = ".".join([*home, *([node.module] if node.module else [])])
            yield from ((node.lineno, f"{module}.{alias.name}") for alias in node.names)
        elif isinstance(node, ast.Call) and called(node) in ("import_module", "__import__"):
            name = node.args[0]
            # Of an f-string only the beginning is known: f"bakeoff.procedures.{module}"
            start = name.values[0] if isinstance(name, ast.JoinedStr) else name
            if isinstance(start, ast.Constant):
                yield node.lineno, str(start.value)


def violations(source: Path) -> list[str]:
    """A sentence for each import that goes the wrong way."""
    found = []
    for place, tree in (trees() if source == SOURCE else trees_of(source)).items():
        inside = PurePosixPath(place)
        if place in ROOT:
            continue
        part = inside.parts[0].removesuffix(".py")
        if part not in HEIGHT:
            found.append(f"{inside}: {part!r} has no layer yet. Give it one in LAYERS, as low as it can be.")
            continue
        package = ("bakeoff", *inside.parts[:-1])
        for line, name in imported(tree, package):
            root, _, rest = name.partition(".")
            other = rest.partition(".")[0]
            if root != "bakeoff" or other in {part, *FROM_ROOT} or (str(inside), f"bakeoff.{other}") in UPWARD:
                continue
            if other not in HEIGHT:
                found.append(f"{inside}:{line}: takes {other or 'bakeoff'!r} from the package; import its own module.")
            elif HEIGHT[other] >= HEIGHT[part]:
                where = "above" if HEIGHT[other] > HEIGHT[part] else "beside"
                found.append(f"{inside}:{line}: {part} imports {name}, but {other} lies {where} it.")
            elif part in INFERENCE and other in EXPERIMENT:
                found.append(f"{inside}:{line}: {part} imports {name}: the halves meet at Scores only.")
    return found


def test_imports_go_one_way() -> None:
    found = violations(SOURCE)
    assert not found, "\n" + "\n".join(found)


@pytest.mark.parametrize(
    ("path", "line", "complaint"),
    [
        ("scores/table.py", "from bakeoff.judging import judge", "scores/table.py:1: scores imports bakeoff.judging"),
        (
            "inference/evidence.py",
            "def f():\n    import bakeoff.judging",
            "inference/evidence.py:2: inference imports bakeoff.judging",
        ),
        ("measures/known.py", "from bakeoff.designs import factorial", "designs lies beside it"),
        ("scores/table.py", "from ..cli import main", "scores imports bakeoff.cli.main"),
        ("keys.py", "from importlib import import_module\nimport_module(f'bakeoff.cli.{x}')", "keys.py:2"),
        ("errors.py", "from bakeoff import judge", "takes 'judge' from the package"),
        ("novelty.py", "", "'novelty' has no layer yet"),
        ("study/plan.py", "from bakeoff.judging import judge", "judging lies above it"),
        ("running/worker.py", "from bakeoff.procedures import explain", "procedures lies above it"),
        ("judging/advice.py", "from bakeoff.store.reader import Reader", "the halves meet at Scores only"),
    ],
)
def test_wrong_imports_are_found(tmp_path: Path, path: str, line: str, complaint: str) -> None:
    (tmp_path / path).parent.mkdir(exist_ok=True)
    (tmp_path / path).write_text(line)
    (found,) = violations(tmp_path)
    assert complaint in found


@pytest.mark.parametrize(
    ("path", "line"),
    [
        ("judging/analysis.py", "from bakeoff.procedures import procedure_named\nfrom . import verdict"),
        ("judging/advice.py", "import_module(f'bakeoff.procedures.{module}')"),
        ("inference/finding.py", "from bakeoff import __version__, text\nimport numpy"),
        ("__init__.py", "import_module(f'bakeoff.{home}')"),
    ],
)
def test_right_imports_pass(tmp_path: Path, path: str, line: str) -> None:
    (tmp_path / path).parent.mkdir(exist_ok=True)
    (tmp_path / path).write_text(line)
    assert violations(tmp_path) == []
