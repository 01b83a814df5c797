"""Run oracle cases: ask our code what a case asks, and compare with what other software answered.

A case is uncovered, which is no failure, if its procedure, an input or a key of its answer is not known yet. Everything
else either agrees or differs:

    expected.error      our code must refuse too, with an error of its own
    several readings    one of the conventions that the case may mean must agree as a whole
    NaN (0/0)           NaN, or what we take 0/0 to be: a p of 1, a statistic of 0
    numbers             within the case's own tolerance, rel · |expected| + abs
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cache
from math import isinf, isnan
from pathlib import Path
from typing import Any

import numpy as np
from adapters import ADAPTERS
from question import WORDS, Question, Readings, Uncovered

from bakeoff.errors import BakeoffError

HERE = Path(__file__).parent
OWN = (HERE / "oracles.json", HERE / "further.json", HERE / "designs.json", HERE / "dependent.json")
VARIABLE, DATA = "BAKEOFF_ORACLES", "BAKEOFF_ORACLES_DATA"

# mvtnorm::qmvt finds its quantile by Monte-Carlo integration, good to about 1e-3: a check of the expected quantile by
# those who made the file, which the case's tolerance (1e-6, for the quadrature) is not meant for.
# The variance of 4e6 simulated losses has a standard error of .2 %, 1.4e-5 for the largest: a check of the formula.
ABSOLUTE = {"mvtnorm_check": 1e-3, "monte_carlo_4e6": 5e-5}


@dataclass(frozen=True)
class Outcome:
    """What became of a case: `state` is agrees, differs or uncovered, `why` says it in words."""

    case: str
    procedure: str
    state: str
    why: str = ""


def chosen_files() -> tuple[Path, ...]:
    """The oracle files to run: those of the environment, or the project's own."""
    named = os.environ.get(VARIABLE, "")
    return tuple(Path(name) for name in named.split(os.pathsep) if name) or OWN


def folders_for(path: Path) -> tuple[Path, ...]:
    """Where data files are looked for: beside the oracle file, where the environment says, beside the project's own."""
    named = os.environ.get(DATA, "")
    return (path.resolve().parent, *(Path(name) for name in named.split(os.pathsep) if name), HERE)


@cache
def load(path: Path) -> tuple[dict[str, Any], ...]:
    content = json.loads(path.read_text(encoding="utf-8"))
    return tuple(content["cases"] if isinstance(content, dict) else content)


@cache
def outcomes(path: Path) -> tuple[Outcome, ...]:
    """All cases of a file, each run once."""
    folders = folders_for(path)
    return tuple(run(case, folders) for case in load(path))


def run(case: Mapping[str, Any], folders: tuple[Path, ...] = (HERE,)) -> Outcome:
    name, expected = case["procedure"], case["expected"]

    def outcome(state: str, why: str = "") -> Outcome:
        return Outcome(case["id"], name, state, why)

    if name not in ADAPTERS:
        return outcome("uncovered", "no such procedure yet")
    question = Question(case.get("input") or {}, case.get("options") or {}, folders, expected)
    ours: Mapping[str, Any] | Readings
    try:
        ours = ADAPTERS[name](question)
        refused = ""
    except Uncovered as reason:
        return outcome("uncovered", str(reason))
    except BakeoffError as error:
        ours, refused = {}, f"{type(error).__name__}: {error}"
    except Exception as error:  # noqa: BLE001 - a case that breaks must not hide the others
        return outcome("differs", f"broke with {error!r}")
    if isinstance(expected.get("error"), str):
        return outcome("agrees") if refused else outcome("differs", f"should be refused ({expected['error']})")
    if refused:
        return outcome("differs", f"refused, but expected is {expected}: {refused}")
    answers = ours.answers if isinstance(ours, Readings) else {"": ours}
    judged = [(*judge(expected, answer, case.get("tolerance") or {}), reading) for reading, answer in answers.items()]
    for number, (state, _, reading) in enumerate(judged):
        if state == "agrees":
            return outcome("agrees", f"read as: {reading}" if number else "")
    return outcome(*judged[0][:2])


def judge(expected: Mapping[str, Any], ours: Mapping[str, Any], tolerance: Mapping[str, float]) -> tuple[str, str]:
    """What an answer amounts to, and why."""
    found = list(differences(expected, ours, tolerance.get("rel", 1e-8), tolerance.get("abs", 1e-12)))
    if found:
        return "differs", "; ".join(found)
    if missing := list(unanswered(expected, ours)):
        return "uncovered", f"no answer to {', '.join(missing)}"
    return "agrees", ""


def unanswered(expected: Mapping[str, Any], ours: Mapping[str, Any]) -> Iterable[str]:
    """The keys that a case expects and we do not have. A case counts as covered only if there is none."""
    for name, value in expected.items():
        if name not in ours or (isinstance(value, Mapping) and not isinstance(ours[name], Mapping)):
            yield name
        elif isinstance(value, Mapping):
            yield from unanswered(value, ours[name])


def differences(expected: Any, ours: Any, rel: float, absolute: float, key: str = "") -> Iterable[str]:
    """Every place where our answer, as far as we have one, is not the one expected, in words."""
    if isinstance(expected, Mapping):
        for name in expected.keys() & (ours.keys() if isinstance(ours, Mapping) else set()):
            yield from differences(expected[name], ours[name], rel, ABSOLUTE.get(name, absolute), name)
    elif isinstance(expected, list):
        parts = list(ours) if isinstance(ours, list) else list(np.atleast_1d(np.asarray(ours, dtype=object)))
        if len(parts) != len(expected):
            yield f"{key}: {len(parts)} values instead of {len(expected)}"
            return
        for i, (value, part) in enumerate(zip(expected, parts, strict=True)):
            yield from differences(value, part, rel, absolute, f"{key}[{i}]")
    elif isinstance(ours, list | np.ndarray) and np.size(ours) == 1:  # R's JSON makes a vector of one a number
        yield from differences(expected, np.ravel(np.asarray(ours, dtype=object))[0], rel, absolute, key)
    elif not same(expected, ours, rel, absolute, key):
        yield f"{key}: {ours!r} instead of {expected!r}"


def same(expected: Any, ours: Any, rel: float, absolute: float, key: str) -> bool:
    """Whether one value is the one expected."""
    if expected is None:  # JSON's null: the place has no number
        return ours is None
    if isinstance(expected, bool):
        return isinstance(ours, bool | np.bool_) and bool(ours) == expected
    if isinstance(expected, str):
        if expected.lower() not in WORDS:
            return bool(ours == expected)
        expected = WORDS[expected.lower()]
    if ours is None or isinstance(ours, str | bool | np.bool_) or np.ndim(ours) != 0:
        return False
    if isnan(expected):
        convention = not key.endswith("]") and ours == (1.0 if key.startswith("p") else 0.0)
        return isnan(ours) or convention
    if isinf(expected) or isinf(ours) or isnan(ours):
        return bool(ours == expected)
    return bool(abs(ours - expected) <= absolute + rel * abs(expected))


def summary(found: Iterable[Outcome]) -> str:
    """
    >>> summary([Outcome("a", "t", "agrees"), Outcome("b", "t", "uncovered")])
    'oracles: 1 covered, 1 not yet covered'
    """
    uncovered = [outcome.state == "uncovered" for outcome in found]
    return f"oracles: {len(uncovered) - sum(uncovered)} covered, {sum(uncovered)} not yet covered"
