"""The package as trees of syntax, which several tests look through."""

from __future__ import annotations

import ast
import gc
from functools import cache
from pathlib import Path

SOURCE = Path(__file__).parents[2] / "src" / "bakeoff"


def trees_of(folder: Path) -> dict[str, ast.Module]:
    """The modules below a folder, by their path in it.

    A million nodes: to look for garbage among them while they are made takes three times as long as to make them, and
    they stay.
    """
    looking = gc.isenabled()
    gc.disable()
    try:
        return {
            path.relative_to(folder).as_posix(): ast.parse(path.read_bytes()) for path in sorted(folder.rglob("*.py"))
        }
    finally:
        gc.freeze()
        if looking:
            gc.enable()


@cache  # not while tests are collected, which every process does
def trees() -> dict[str, ast.Module]:
    """The modules of the package."""
    return trees_of(SOURCE)


@cache
def nodes(tree: ast.Module) -> tuple[ast.AST, ...]:
    """All nodes of a module, found once for all tests that go through them."""
    return tuple(ast.walk(tree))
