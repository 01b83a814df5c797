"""What a kind of file is: a way to write one, what truly differs in it, and what a user says and asks of it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]
Rng = np.random.Generator
Text = tuple[str, Iterable[Sequence[object]]]  # a header, and rows
Pair = tuple[str, str]  # (better, worse)


@dataclass(frozen=True)
class Kind:
    """A kind of file: `write(rng, apart)` makes its header and rows.

    `differ` are the pairs (better, worse) that truly differ in the alternative, `always` those that differ in the null
    as well. `read` and `ask` are what a user says about the file and asks of it. `rival` is a procedure that holds its
    level there too, with its options: what the default finds is held against what that finds; `alone` says why there
    is none. Where nothing holds, `excused` names the warnings of which one must be given instead (DEFAULTS: the
    simulations behind the defaults).
    """

    name: str
    write: Callable[[Rng, bool], Text]
    differ: tuple[Pair, ...] = (("a", "b"),)
    always: tuple[Pair, ...] = ()
    read: Mapping[str, Any] = field(default_factory=dict)
    ask: Mapping[str, Any] = field(default_factory=dict)
    rival: str = ""
    rival_ask: Mapping[str, Any] = field(default_factory=dict)
    alone: str = ""
    excused: tuple[str, ...] = ()
    factor: str = ""  # a second factor beside the learner; then what is claimed is an effect, and not a pair
    effect: int = 0  # of the learner, the factor, or both together
    share: float = 1.0  # of the replications: some kinds cost more


def names(k: int) -> list[str]:
    return [chr(ord("a") + j) for j in range(k)]


def long(column: str, values: Array, measure: str = "accuracy", labels: Sequence[object] | None = None) -> Text:
    """A row for each learner and block."""
    numbered = range(1, len(values) + 1) if labels is None else labels
    rows = [(m, label, f"{v:.6g}") for m, column_ in zip(names(values.shape[1]), values.T, strict=True)
            for label, v in zip(numbered, column_, strict=True)]  # fmt: skip
    return f"model,{column},{measure}", rows


def wide(column: str, values: Array, labels: Sequence[object] | None = None) -> Text:
    numbered = range(1, len(values) + 1) if labels is None else labels
    rows = [(label, *(f"{v:.6g}" for v in row)) for label, row in zip(numbered, values, strict=True)]
    return f"{column},{','.join(names(values.shape[1]))}", rows


def first_best(k: int) -> tuple[Pair, ...]:
    return tuple(("a", other) for other in names(k)[1:])
