"""Names as they are drawn: literal, in one line, and short enough."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from unicodedata import category, combining

from bakeoff.presentation import width

MOST_COLUMNS = 30
# Neither XML nor a font has a place for these.
_UNSHOWABLE = {"Cc", "Cs"}
_NONCHARACTERS = {"\ufffe", "\uffff"}


def literal(name: str) -> str:
    """A name in one line; characters that cannot be shown become "�".

    >>> literal("a\\n b"), literal("x\\x00y")
    ('a b', 'x�y')
    """
    line = " ".join(name.split())
    return "".join("�" if category(c) in _UNSHOWABLE or c in _NONCHARACTERS else c for c in line)


def shortened_in_the_middle(name: str, most: int = MOST_COLUMNS) -> str:
    """A name of at most that many columns: what distinguishes names is mostly at their beginning or end.

    >>> shortened_in_the_middle("gradient boosting, depth 3", 16)
    'gradient…depth 3'
    """
    if width(name) <= most:
        return name
    tail = _fitting(reversed(name), (most - 1) // 2)[::-1].lstrip()
    while tail and combining(tail[0]):
        tail = tail[1:]
    head = _fitting(name, most - 1 - (most - 1) // 2).rstrip()
    return f"{head}…{tail}"


def labels_of(names: Sequence[str]) -> list[str]:
    """A label for each name; where that makes some of them alike, all get their place in the list.

    >>> labels_of(["a" * 40 + "1" + "b" * 40, "a" * 40 + "2" + "b" * 40, "c"])
    ['aaaaaaaaaaaaa…bbbbbbbbbbbb #1', 'aaaaaaaaaaaaa…bbbbbbbbbbbb #2', 'c #3']
    """
    labels = [shortened_in_the_middle(literal(name)) for name in names]
    if len(set(labels)) == len(labels):
        return labels
    return [
        f"{shortened_in_the_middle(label, MOST_COLUMNS - 4)} #{place}".strip()
        for place, label in enumerate(labels, start=1)
    ]


def _fitting(characters: Iterable[str], columns: int) -> str:
    """As many of the characters as fit."""
    taken = ""
    for character in characters:
        if width(taken + character) > columns:
            break
        taken += character
    return taken
