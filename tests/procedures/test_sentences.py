"""What many cards say is written once."""

from __future__ import annotations

import ast
from collections import defaultdict
from pathlib import Path

import pytest

from bakeoff import procedures as package
from bakeoff.procedures import sentences
from bakeoff.procedures.card import Reference
from bakeoff.registry import procedures

LONG = 60  # characters, from which on a text is a sentence and not a name


def test_no_sentence_is_written_in_three_procedures() -> None:
    """Two may say the same by chance; a third one takes it from where it stands."""
    modules = defaultdict(set)
    for path in Path(str(package.__file__)).parent.glob("*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Constant) and isinstance(node.value, str) and len(node.value) >= LONG:
                modules[node.value].add(path.stem)
    often = {text: sorted(names) for text, names in modules.items() if len(names) > 2}
    assert not often, f"write it once and import it: {often}"


@pytest.mark.parametrize("name", [name for name in dir(sentences) if name.isupper()])
def test_every_shared_sentence_is_on_several_cards(name: str) -> None:
    shared = getattr(sentences, name)
    of = "references" if isinstance(shared, Reference) else "assumes"
    assert sum(shared in getattr(procedure.card, of) for procedure in procedures()) > 2
