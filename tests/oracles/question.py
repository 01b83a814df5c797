"""What an oracle case asks: its input and options, with the spellings of R, scipy and prose read alike."""

from __future__ import annotations

import ast
import csv
import operator
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

WORDS = {"inf": np.inf, "+inf": np.inf, "-inf": -np.inf, "nan": np.nan, "na": np.nan}


class Uncovered(Exception):  # noqa: N818 - not an error: the case asks for something that does not exist yet
    """The case cannot be answered: an unknown procedure, option, input or key."""


def number(value: Any) -> Any:
    """JSON's numbers, lists of them, and the words that stand for NaN and infinity.

    >>> number([1, "Inf", ["NA"]])
    [1, inf, [nan]]
    """
    if isinstance(value, list):
        return [number(part) for part in value]
    if isinstance(value, str):
        if value.lower() in WORDS:
            return WORDS[value.lower()]
        try:
            return float(value)
        except ValueError:
            raise Uncovered(f"{value!r} is no number") from None
    return value


NO = ("false", "no", "none", "off", "0", "")


@dataclass(frozen=True)
class Readings:
    """Several answers, where a case does not say which of several conventions it follows: one must agree as a whole."""

    answers: Mapping[str, Mapping[str, Any]]


@dataclass(frozen=True)
class Question:
    """Input and options of a case. `folders` are searched in turn for its files.

    `asked` is what the case expects. Of it only labels and shapes are read: in which order pairs are named, and whether
    an answer is a number, a list or a table.
    """

    input: Mapping[str, Any]
    options: Mapping[str, Any] = field(default_factory=dict)
    folders: tuple[Path, ...] = ()
    asked: Mapping[str, Any] = field(default_factory=dict)

    def __contains__(self, key: str) -> bool:
        return key in self.input or key in self.options

    def raw(self, key: str, default: Any = None) -> Any:
        return self.input.get(key, self.options.get(key, default))

    def __getitem__(self, key: str) -> Any:
        """A number or list of numbers, from the input or the options; what is not there makes a case uncovered."""
        if key not in self:
            raise Uncovered(f"the input has no {key!r}")
        return number(self.raw(key))

    def get(self, key: str, default: Any) -> Any:
        return number(self.raw(key, default))

    def flag(self, key: str, default: bool) -> bool:
        """Yes or no, however it is spelt.

        >>> Question({}, {"correction": "none", "pooled": 1}).flag("correction", True)
        False
        """
        said = self.raw(key, default)
        return said.strip().lower() not in NO if isinstance(said, str) else bool(said)

    def text(self, key: str, default: str = "") -> str:
        """An option in lower case, letters, digits and spaces only.

        >>> Question({}, {"method": "mid-p"}).text("method")
        'mid p'
        """
        return re.sub(r"[^a-z0-9]+", " ", str(self.raw(key, default)).lower()).strip()

    def alternative(self) -> str:
        text = self.text("alternative", "two-sided")
        for name in ("two-sided", "greater", "less"):
            if text.startswith(name.replace("-", " ")):
                return name
        raise Uncovered(f"the alternative {text!r} is not known")

    def confidence(self) -> float:
        for key in ("conf", "confidence", "alpha"):
            if key in self:
                level = self[key]
                if isinstance(level, list):
                    raise Uncovered(f"several levels at once: {level}")
                return float(1 - level if key == "alpha" else level)
        return 0.95

    def read(self) -> dict[str, list[str]]:
        """The file of the case, a list of texts a column. Its name may begin with data/ or not."""
        name = str(self.raw("file"))
        for path in [folder / part for folder in self.folders for part in (name, f"data/{name}", Path(name).name)]:
            if path.is_file():
                with path.open(encoding="utf-8-sig", newline="") as file:
                    header, *rows = csv.reader(file)
                return {column: [row[i] for row in rows] for i, column in enumerate(header)}
        raise Uncovered(f"there is no file {name}")

    def column(self, key: str) -> np.ndarray:
        """The values under a key; where the case has a file, the column that the key names."""
        if "file" not in self:
            return np.asarray(self[key], dtype=float)
        columns = self.read()
        if self.raw(key) not in columns:
            raise Uncovered(f"the file has no column {self.raw(key)!r}")
        return _numbers(columns[self.raw(key)])

    def table(self) -> np.ndarray:
        """The table of the case: written out, generated, or of a file. Missing values are NaN, unless they are omitted.

        It has the columns that the case names, else all that hold numbers.
        """
        table = self._whole_table()
        omit = self.text("nan_policy").startswith(("omit", "drop", "complete", "remove", "listwise"))
        return table[~np.isnan(table).any(axis=1)] if omit and table.ndim == 2 else table

    def _whole_table(self) -> np.ndarray:
        if "generator" in self:
            return generated(self.raw("generator"))
        if "file" not in self:
            written = self.raw("table")
            if isinstance(written, Mapping):
                return np.array([number(written[name]) for name in self.names()], dtype=float).T
            return np.asarray(self["table"], dtype=float)
        columns = self.read()
        if missing := [name for name in self.names() if name not in columns]:
            raise Uncovered(f"the file has no column {missing[0]!r}")
        return np.array([_numbers(columns[name]) for name in self.names()]).T

    def names(self) -> list[str]:
        """What the columns of the table are called; a1, a2, … if nothing is said."""
        if named := self.raw("columns"):
            return [str(name) for name in named]
        if "file" in self:
            return [name for name, texts in self.read().items() if _all_numbers(texts)]
        if isinstance(self.raw("table"), Mapping):
            return list(self.raw("table"))
        return [f"a{j + 1}" for j in range(self._whole_table().shape[1])]


def _numbers(texts: list[str]) -> np.ndarray:
    """The numbers of a column of a file; an empty cell is a missing one."""
    return np.array([number(text) if text.strip() else np.nan for text in texts], dtype=float)


def _all_numbers(texts: list[str]) -> bool:
    try:
        return bool((~np.isnan(_numbers(texts))).any())
    except Uncovered:
        return False


OPERATIONS: dict[type, Callable[..., Any]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Div: operator.truediv,
    ast.FloorDiv: operator.floordiv,
    ast.Mod: operator.mod,
    ast.Pow: operator.pow,
    ast.USub: operator.neg,
    ast.UAdd: operator.pos,
}
FUNCTIONS: dict[str, Callable[..., Any]] = {
    "abs": np.abs,
    "sqrt": np.sqrt,
    "sin": np.sin,
    "cos": np.cos,
    "exp": np.exp,
    "log": np.log,
    "floor": np.floor,
}


def generated(text: str) -> np.ndarray:
    """Data given by a formula of their indices. Arithmetic only: nothing else of Python is understood.

    >>> generated("table[i][j] = (i*3 + j) mod 4, i=1..2, j=1..3").tolist()
    [[0, 1, 2], [3, 0, 1]]
    >>> generated("d_i = (i %% 2) / 4 - 0.5, i=1..3").tolist()
    [-0.25, -0.5, -0.25]
    """
    ranges = r"(?:,\s*[a-z]\s*=\s*\d+\s*\.\.\s*\d+\s*)+"
    parts = re.fullmatch(rf"\s*[\w\[\], ]+?=(?P<formula>.+?)(?P<ranges>{ranges})", text)
    if parts is None:
        raise Uncovered(f"the generator {text!r} is not understood")
    bounds = re.findall(r"([a-z])\s*=\s*(\d+)\s*\.\.\s*(\d+)", parts["ranges"])
    grids = np.meshgrid(*[np.arange(int(low), int(high) + 1) for _, low, high in bounds], indexing="ij")
    indices = {name: grid for (name, _, _), grid in zip(bounds, grids, strict=True)}
    formula = re.sub(r"%%|\bmod\b", "%", parts["formula"]).replace("^", "**").strip()
    try:
        tree = ast.parse(formula, mode="eval")
    except SyntaxError:
        raise Uncovered(f"the formula {formula!r} is not understood") from None
    return np.asarray(_value(tree.body, indices))


def _value(node: ast.expr, indices: Mapping[str, np.ndarray]) -> Any:
    match node:
        case ast.Constant(value=int() | float() as constant):
            return constant
        case ast.Name(id=name) if name in indices:
            return indices[name]
        case ast.UnaryOp(op=op, operand=operand) if type(op) in OPERATIONS:
            return OPERATIONS[type(op)](_value(operand, indices))
        case ast.BinOp(left=left, op=op, right=right) if type(op) in OPERATIONS:
            return OPERATIONS[type(op)](_value(left, indices), _value(right, indices))
        case ast.Call(func=ast.Name(id=name), args=[argument], keywords=[]) if name in FUNCTIONS:
            return FUNCTIONS[name](_value(argument, indices))
    raise Uncovered(f"the formula has a part that is no arithmetic: {ast.unparse(node)}")
