"""What the tests of reading have in common: a table as text becomes a file, and a file becomes Scores."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from bakeoff.scores import Scores, read_scores

Write = Callable[..., Path]
Read = Callable[..., Scores]


@pytest.fixture
def write(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Write:
    """Write text or bytes to a file in an empty working directory, and return its (relative) path."""
    monkeypatch.chdir(tmp_path)

    def to_file(content: str | bytes, name: str = "scores.csv") -> Path:
        path = Path(name)
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
        return path

    return to_file


@pytest.fixture
def read(write: Write) -> Read:
    """Read a table that is given as text or bytes."""

    def from_text(content: str | bytes, name: str = "scores.csv", **options: Any) -> Scores:
        return read_scores(write(content, name), **options)

    return from_text
