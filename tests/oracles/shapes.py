"""The order and the form in which a case wants what is known about pairs: read from its labels, never from its values.

R writes "b-a", multcomp "b - a", agricolae "a - b"; tables of pairs come as lists, matrices or mappings by name.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from itertools import combinations, permutations
from typing import Any

from question import Question, Uncovered

Pair = tuple[int, int]
LABELS = ("pair", "contrast", "comparison", "pairs", "contrasts", "comparisons")


def spellings(names: Sequence[str]) -> list[list[str]]:
    """The ways in which learners may be called: by name, in short, by a letter and number, by number."""
    short = [re.sub(r"_(error|accuracy|auc|err|acc)$", "", name) for name in names]
    numbered = [[f"{letter}{i + 1}" for i in range(len(names))] for letter in ("a", "X", "V", "alg", "g", "")]
    return [list(names), short, *numbered]


def pair_named(label: str, names: Sequence[str]) -> Pair | None:
    """Which two are meant, in the order of the label.

    >>> pair_named("b - a", ["a", "b"]), pair_named("a_vs_b", ["a", "b"]), pair_named("2-1", ["a", "b"])
    ((1, 0), (0, 1), (1, 0))
    >>> pair_named("C4.5+m vs. C4.5", ["C4.5", "C4.5+m"]), pair_named("a-c", ["a", "b"])
    ((1, 0), None)
    """
    for called in spellings(names):
        for i, j in permutations(range(len(called)), 2):
            between = rf"\s*[\[(]?{re.escape(called[i])}(?:[\s,;:|/>_–−-]|vs\.?|versus)+{re.escape(called[j])}[\])]?\s*"
            if re.fullmatch(between, label):
                return i, j
    return None


def asked_pairs(q: Question, names: Sequence[str], otherwise: Sequence[Pair]) -> tuple[list[Pair], list[str] | None]:
    """The pairs that the case names, in its order and direction, and its labels; else those given, and None."""
    labels = next((q.asked[key] for key in LABELS if key in q.asked), None)
    if labels is None:
        return list(otherwise), None
    labels = labels if isinstance(labels, list) else [labels]
    found = [pair_named(str(label), names) for label in labels]
    if any(pair is None for pair in found):
        return list(otherwise), None
    return [pair for pair in found if pair is not None], [str(label) for label in labels]


def by_pair(
    asked: Any, names: Sequence[str], value: Callable[[int, int], Sequence[float]], fields: Sequence[str]
) -> Any:
    """What is known about every pair, `value(i, j)`, in the form that is asked for; `fields` are its names.

    >>> by_pair({"a-b": [0, 0]}, ["a", "b"], lambda i, j: (i, j), ("wins", "losses"))
    {'a-b': [0, 1]}
    >>> by_pair({"b": {"a": "9-9"}}, ["a", "b"], lambda i, j: (i, j), ("wins", "losses"))
    {'b': {'a': '1-0'}}
    >>> by_pair([[0, 0]], ["a", "b"], lambda i, j: (i, j), ("wins", "losses"))
    [[0, 1]]
    """
    k, pairs = len(names), list(combinations(range(len(names)), 2))
    if isinstance(asked, Mapping):
        if len(fields_of(asked, fields)) == len(fields):
            return _columns(asked, names, value, fields)
        return {key: _under(str(key), inner, names, value, fields) for key, inner in asked.items()}
    if isinstance(asked, list) and len(asked) == len(pairs) and (k != 3 or not _square(asked, k)):
        if all(isinstance(one, Mapping) for one in asked):
            return [_record(one, names, pair, value, fields) for one, pair in zip(asked, pairs, strict=True)]
        return [_cell(one, value(*pair), fields) for one, pair in zip(asked, pairs, strict=True)]
    if isinstance(asked, list) and len(asked) == k and _square(asked, k):
        return [
            [cell if i == j else _cell(cell, value(i, j), fields) for j, cell in enumerate(row)]
            for i, row in enumerate(asked)
        ]
    raise Uncovered(f"a table of pairs in the form {asked!r}"[:200])


def _square(asked: list[Any], k: int) -> bool:
    """Whether it is a matrix of cells; three pairs with three numbers each are not."""
    rows = all(isinstance(row, list) and len(row) == k for row in asked)
    return rows and not all(isinstance(cell, int | float) for row in asked for cell in row)


def _under(
    key: str, inner: Any, names: Sequence[str], value: Callable[[int, int], Sequence[float]], fields: Any
) -> Any:
    """What stands under a key: a pair, or one learner against each of the others."""
    if (pair := pair_named(key, names)) is not None:
        return _cell(inner, value(*pair), fields)
    for called in spellings(names):
        if key in called and isinstance(inner, Mapping) and set(inner) <= set(called):
            i = called.index(key)
            return {
                other: cell if called.index(other) == i else _cell(cell, value(i, called.index(other)), fields)
                for other, cell in inner.items()
            }
    raise Uncovered(f"no pair or learner is called {key!r}")


def fields_of(asked: Mapping[str, Any], fields: Sequence[str]) -> dict[str, int]:
    """Which field each key stands for; it may be its beginning.

    >>> fields_of({"W": 1, "loss": 2, "i": 3}, ("wins", "losses"))
    {'W': 0, 'loss': 1}
    """
    return {key: n for key in asked for n, field in enumerate(fields) if field.startswith(str(key).lower())}


def _columns(asked: Any, names: Sequence[str], value: Callable[[int, int], Sequence[float]], fields: Any) -> Any:
    """A list or a matrix for each field, and with lists who the pairs are."""
    k, meant = len(names), fields_of(asked, fields)
    first = asked[next(iter(meant))]
    if isinstance(first, list) and len(first) == k and all(isinstance(row, list) for row in first):
        return {
            key: [
                [cell if i == j else value(i, j)[n] for j, cell in enumerate(row)] for i, row in enumerate(asked[key])
            ]
            for key, n in meant.items()
        }
    who = {key: said for key, said in asked.items() if key not in meant}
    pairs = list(combinations(range(k), 2))
    if len(who) in (1, 2):
        found = [pair_named(" - ".join(map(str, said)), names) for said in zip(*who.values(), strict=True)]
        pairs = [pair for pair in found if pair is not None] if None not in found else pairs
    return {**who, **{key: [value(*pair)[n] for pair in pairs] for key, n in meant.items()}}


def _record(asked: Mapping[str, Any], names: Sequence[str], pair: Pair, value: Any, fields: Sequence[str]) -> Any:
    """A pair as a mapping: who it is about, as the case says it, and the fields."""
    meant = fields_of(asked, fields)
    who = [str(said) for key, said in asked.items() if key not in meant]
    found = pair_named(" - ".join(who), names) if len(who) in (1, 2) else None
    values = value(*(found or pair))
    return {key: values[meant[key]] if key in meant else said for key, said in asked.items()}


def _cell(asked: Any, values: Sequence[float], fields: Sequence[str]) -> Any:
    if isinstance(asked, str):
        separator = re.search(r"[^\d.]+", asked)
        return (separator[0] if separator else "-").join(f"{value:g}" for value in values)
    if isinstance(asked, Mapping):
        return {key: values[n] for key, n in fields_of(asked, fields).items()}
    return list(values)


def by_name(asked: Any, names: Sequence[str], values: Sequence[Any]) -> Any:
    """A value for each learner: a mapping if one is asked for, else a list.

    >>> by_name({"b": 0, "a": 0}, ["a", "b"], [1, 2]), by_name([0, 0], ["a", "b"], [1, 2])
    ({'b': 2, 'a': 1}, [1, 2])
    """
    if not isinstance(asked, Mapping):
        return list(values)
    for called in spellings(names):
        if set(asked) <= set(called):
            return {key: values[called.index(key)] for key in asked}
    raise Uncovered(f"no learners are called {', '.join(map(str, asked))}")
