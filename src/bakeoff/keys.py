"""Content keys: what determines a result, as canonical JSON, hashed.

The same content gives the same key on every machine, whatever the versions of the packages: numpy scalars are Python
numbers, tuples are lists, mappings are sorted, classes and functions go by their qualified names. What has no such
form (a lambda, a random state, an open file) is refused with a sentence, because a key that collides or changes by
itself would hand out wrong results.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from functools import partial
from typing import Any

from bakeoff.errors import UsageError

# Part of every key: raised when keys are formed in another way, so that old and new ones cannot meet.
KEY_VERSION = 1
_BYTES = 16
_BEGINNING = f"bakeoff key {KEY_VERSION}".encode()
_LENGTHS = tuple(length.to_bytes(8, "little") for length in range(256))  # of most parts; cells have three keys each


def digest(*parts: bytes | str) -> bytes:
    """A hash of 16 bytes over the parts, each with its length, so that no two lists of parts run together.

    >>> digest("ab", "c") == digest("a", "bc")
    False
    """
    content = [_BEGINNING]
    for part in parts:
        data = part.encode() if isinstance(part, str) else part
        length = len(data)
        content += (_LENGTHS[length] if length < len(_LENGTHS) else length.to_bytes(8, "little"), data)
    return hashlib.sha256(b"".join(content)).digest()[:_BYTES]


def key_of(content: Any) -> str:
    """The key of a description, as 32 hexadecimal digits.

    >>> key_of({"C": 1, "kernel": "rbf"}) == key_of({"kernel": "rbf", "C": 1})
    True
    """
    return digest(canonical_json(content)).hex()


def seed_of(*parts: bytes | str) -> int:
    """A seed of 32 bits from content: never from the order in which things are run."""
    return int.from_bytes(digest("seed", *parts)[:4], "little")


def canonical_json(content: Any) -> str:
    """One text for one content.

    >>> canonical_json({"b": (1, 2.0), "a": None})
    '{"a":null,"b":[1,2.0]}'
    """
    return json.dumps(
        canonical_value(content), sort_keys=True, separators=(",", ":"), ensure_ascii=False, allow_nan=False
    )


def canonical_value(value: Any, where: str = "value") -> Any:
    """A value as JSON knows it, or a UsageError that names the place it stands at.

    >>> canonical_value({"size": (3, 4)})
    {'size': [3, 4]}
    >>> canonical_value({"loss": lambda x: x})
    Traceback (most recent call last):
    bakeoff.errors.UsageError: value.loss is a lambda or a local function, which has no name to be found by again. ...
    """
    if value is None or isinstance(value, (bool, int, str)):
        return value if not isinstance(value, int) or isinstance(value, bool) else int(value)
    if isinstance(value, float):
        # JSON has no infinities and no NaN; they are legal parameters all the same.
        return float(value) if value - value == 0 else {"float": repr(float(value))}
    if isinstance(value, Mapping):
        if not all(isinstance(name, str) for name in value):
            return {
                "mapping": [
                    [canonical_value(k, where), canonical_value(v, f"{where}[{k!r}]")] for k, v in _ordered(value)
                ]
            }
        return {name: canonical_value(item, f"{where}.{name}") for name, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [canonical_value(item, f"{where}[{i}]") for i, item in enumerate(value)]
    if isinstance(value, (set, frozenset)):
        return {"set": sorted((canonical_value(item, where) for item in value), key=repr)}
    return _plain_object(value, where)


def _ordered(mapping: Mapping[Any, Any]) -> list[tuple[Any, Any]]:
    return sorted(mapping.items(), key=lambda pair: (type(pair[0]).__name__, repr(pair[0])))


def _plain_object(value: Any, where: str) -> Any:
    if hasattr(value, "dtype") and hasattr(value, "tolist") and not isinstance(value, type):
        array = value.tolist()
        if getattr(value, "shape", ()) == ():
            return canonical_value(array, where)
        return {"array": canonical_value(array, where), "dtype": str(value.dtype)}
    if isinstance(value, type) or (callable(value) and hasattr(value, "__qualname__")):
        name = f"{value.__module__}.{value.__qualname__}"
        if "<" in name:
            raise UsageError(
                f"{where} is a lambda or a local function, which has no name to be found by again. Define it at the "
                "top of a module and pass it by name."
            )
        return {"name": name}
    if hasattr(value, "get_params"):
        return _plain_estimator(value, where)
    if isinstance(value, partial):
        parts = {"args": list(value.args), "kwargs": dict(value.keywords)}
        return {"partial": canonical_value(value.func, where), **canonical_value(parts, where)}
    kind, state = type(value), getattr(value, "__dict__", None)
    if state is not None and kind.__module__ != "builtins" and "<" not in kind.__qualname__:
        # A splitter, a scorer, a settings object: what it is made of, if all of that has a canonical form.
        return {
            "object": f"{kind.__module__}.{kind.__qualname__}",
            "state": {name: canonical_value(state[name], f"{where}.{name}") for name in sorted(state)},
        }
    raise UsageError(
        f"{where} is {value!r}, which has no canonical form, so that results could not be found again by it. Expected "
        "are numbers, texts, lists, mappings, named functions and scikit-learn estimators"
        + (
            "; for a random state give an integer, or nothing: bakeoff seeds every fit."
            if type(value).__name__ in ("RandomState", "Generator")
            else "."
        )
    )


def _plain_estimator(estimator: Any, where: str) -> Any:
    """Class and all parameters, recursively. A fitted one is refused: what it learned is not in its parameters."""
    learned = [name for name in vars(estimator) if name.endswith("_") and not name.startswith("_")]
    if learned:
        raise UsageError(
            f"{where} is a fitted {type(estimator).__name__} (it has {learned[0]}). Pass an unfitted one: "
            "sklearn.base.clone(estimator) makes it."
        )
    parameters = estimator.get_params(deep=False)
    name = f"{type(estimator).__module__}.{type(estimator).__qualname__}"
    if "<" in name:
        raise UsageError(f"{where} is of the local class {name}. Define the class at the top of a module.")
    return {
        "estimator": name,
        "parameters": {key: canonical_value(parameters[key], f"{where}.{key}") for key in sorted(parameters)},
    }
