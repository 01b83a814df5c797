"""Content keys: what determines a result, as canonical JSON, hashed.

The same content gives the same key on every machine, whatever the versions of the packages: numpy scalars are Python
numbers, tuples are lists, mappings are sorted, classes and functions go by their qualified names. What has no such
form (a lambda, a random state, an open file) is refused with a sentence, because a key that collides or changes by
itself would hand out wrong results.
"""

from __future__ import annotations

import copyreg
import hashlib
import io
import json
import os
import random
import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from functools import partial
from types import FunctionType
from typing import Any

from bakeoff.errors import UsageError
from bakeoff.text import shortened

# Part of every key: raised when keys are formed in another way, so that old and new ones cannot meet.
KEY_VERSION = 1
_BYTES = 16
_DEPTH = 50  # of parts within parts
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
    try:
        return _canonical(value, where)
    except RecursionError:
        raise UsageError(f"{shortened(where, 60)} refers to itself, so that it has no canonical form.") from None


def _canonical(value: Any, where: str) -> Any:
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


def contents(value: Any, is_own: Callable[[type], bool] = bool) -> Any:
    """What a value holds, as JSON, by which a change of it is noticed: of anything, where `canonical_value` refuses.

    Classes and functions go by their names; other objects, of the kinds that hold data and of one's own, by the parts
    that pickle would take them apart into. What has no parts (a lock, an open file) and what changes by itself (a
    generator of random numbers, the environment) is known by its kind alone.

    >>> contents(range(3)), contents([b"ab", print])
    (['builtins.range', [0, 3, 1]], [{'bytes': '6162'}, {'name': 'builtins.print'}])
    """
    return _contents(value, is_own, ())


def _contents(value: Any, is_own: Callable[[type], bool], above: tuple[int, ...]) -> Any:
    if id(value) in above:
        return {"again": above.index(id(value))}
    above = (*above, id(value))
    if isinstance(value, (bytes, bytearray)):
        return {"bytes": value.hex()}
    if isinstance(value, type) or hasattr(value, "__qualname__"):
        return {"name": f"{getattr(value, '__module__', None)}.{value.__qualname__}"}
    if hasattr(value, "dtype") and hasattr(value, "tobytes"):
        if value.dtype.hasobject or value.dtype.names:  # addresses; bytes that belong to no field
            return {"array": _contents(value.tolist(), is_own, above), "dtype": str(value.dtype)}
        return {"array": digest(str(value.dtype), str(value.shape), value.tobytes()).hex()}
    if hasattr(value, "iloc"):
        with suppress(Exception):  # cells that have no hash
            names = [str(name) for name in getattr(value, "columns", ())]
            hashes = sys.modules["pandas"].util.hash_pandas_object(value)
            return {"frame": names, "rows": digest(hashes.to_numpy().tobytes()).hex()}
    if value is os.environ:
        return {"kind": "os.environ"}
    with suppress(UsageError, ValueError):
        return canonical_value(value)
    if isinstance(value, Mapping):
        pairs = _ordered(value)
        return {"mapping": [[_contents(k, is_own, above), _contents(v, is_own, above)] for k, v in pairs]}
    if isinstance(value, (list, tuple)):
        return [_contents(item, is_own, above) for item in value]
    if isinstance(value, (set, frozenset)):
        return {"set": sorted((_contents(item, is_own, above) for item in value), key=repr)}
    parts = _taken_apart(value, is_own) if len(above) < _DEPTH else None
    if parts is None:
        return {"kind": f"{type(value).__module__}.{type(value).__qualname__}"}
    return [_contents(parts[0], is_own, above)["name"], *(_contents(part, is_own, above) for part in parts[1:])]


# Packages whose objects are what they hold. Those of others (threads, processes, temporary folders, loggers, counters)
# change by themselves, and would make a learner another one each time.
_OF_DATA = {
    "array", "builtins", "collections", "datetime", "decimal", "enum", "fractions", "functools", "ipaddress",
    "operator", "pathlib", "re", "statistics", "string", "types", "uuid", "zoneinfo",
    "numpy", "pandas", "polars", "pyarrow", "scipy", "sklearn",
}  # fmt: skip
_REFUSED = (io.IOBase, random.Random)
_OF_CHANCE = ("RandomState", "Generator", "Random")


def _taken_apart(value: Any, is_own: Callable[[type], bool]) -> list[Any] | None:
    """What makes an object again, and of what; None if it is not to be taken apart."""
    kind = type(value)
    if kind.__name__ in _OF_CHANCE or not (kind.__module__.partition(".")[0] in _OF_DATA or is_own(kind)):
        return None
    try:
        parts = copyreg.dispatch_table[kind](value) if kind in copyreg.dispatch_table else value.__reduce_ex__(2)
    except Exception:  # noqa: BLE001 (whatever an object raises that is not to be copied)
        return None
    if isinstance(parts, str):
        return [kind, parts]
    return [list(part) if isinstance(part, Iterator) else part for part in parts]


def _ordered(mapping: Mapping[Any, Any]) -> list[tuple[Any, Any]]:
    return sorted(mapping.items(), key=lambda pair: (type(pair[0]).__name__, repr(pair[0])))


def _plain_object(value: Any, where: str) -> Any:
    if hasattr(value, "dtype") and hasattr(value, "tolist") and not isinstance(value, type):
        array = value.tolist()
        if getattr(value, "shape", ()) == ():
            return canonical_value(array, where)
        plain = {"array": canonical_value(array, where), "dtype": str(value.dtype)}
        index = value.index.tolist() if hasattr(value, "iloc") else None
        named = index is not None and index != list(range(len(index)))
        return plain | ({"index": canonical_value(index, where)} if named else {})
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
    kind, dist = type(value), getattr(value, "dist", None)
    if dist is not None and kind.__module__.startswith("scipy.stats.") and type(dist).__name__.endswith("_gen"):
        # A distribution to draw parameters from, with the values of its own parameters.
        known = {"distribution": dist.name, "args": value.args, "kwds": value.kwds}
        return {name: canonical_value(part, f"{where}.{name}") for name, part in known.items()}
    is_found = kind.__module__ != "builtins" and "<" not in kind.__qualname__
    # A table is refused before it is turned into a list of all its values.
    if is_found and hasattr(value, "__dict__") and not (isinstance(value, _REFUSED) or hasattr(value, "iloc")):
        with suppress(TypeError):  # pickle's word for what is not to be taken apart
            return _taken_as_object(value, where)
    raise UsageError(
        f"{where} is {value!r}, which has no canonical form, so that results could not be found again by it. Expected "
        "are numbers, texts, lists, mappings, named functions and scikit-learn estimators"
        + (
            "; for a random state give an integer, or nothing: bakeoff seeds every fit."
            if type(value).__name__ in _OF_CHANCE
            else "."
        )
    )


def _taken_as_object(value: Any, where: str) -> dict[str, Any]:
    """A splitter, a scorer, a settings object: what it is made of, if all of that has a canonical form."""
    inside, slots = _told_by_its_type(value), slots_of(value)
    content: dict[str, Any] = {"object": f"{type(value).__module__}.{type(value).__qualname__}"}
    if inside is None:
        state = _state(value)
        content["state"] = {name: canonical_value(state[name], f"{where}.{name}") for name in sorted(state)}
    else:
        content["parts"] = canonical_value(inside, where)
    return content | ({"slots": canonical_value(slots, where)} if slots else {})


def _state(value: Any) -> dict[str, Any]:
    """The attributes of an object: those that it would take along, where it says so (a cache of joblib leaves out when
    it was made)."""
    says = next((vars(kind)["__getstate__"] for kind in type(value).__mro__ if "__getstate__" in vars(kind)), None)
    taken = value.__getstate__() if isinstance(says, FunctionType) else None
    return taken if isinstance(taken, dict) else vars(value)


def _told_by_its_type(value: Any) -> list[Any] | None:
    """What an object is made of that does not stand in its attributes, as its type in another language tells: a date of
    pandas, a queue of one's own. Two of them would have one key. None of an object that is its attributes."""
    for kind in type(value).__mro__:
        for name in ("__reduce_ex__", "__reduce__"):
            if kind is object or isinstance(vars(kind).get(name), FunctionType):
                return None
            if name in vars(kind):
                return [list(part) if isinstance(part, Iterator) else part for part in value.__reduce_ex__(2)[1:]]
    return None


def slots_of(value: Any) -> dict[str, Any]:
    """What stands in the slots of an object, by name.

    >>> from fractions import Fraction
    >>> slots_of(Fraction(1, 3))
    {'_numerator': 1, '_denominator': 3}
    """
    attributes = {}
    for kind in type(value).__mro__:
        slots = vars(kind).get("__slots__", ())
        for name in (slots,) if isinstance(slots, str) else slots:
            private = name.startswith("__") and not name.endswith("__")
            attributes[name] = f"_{kind.__name__.lstrip('_')}{name}" if private else name
    usual = ("__dict__", "__weakref__")
    return {n: getattr(value, a) for n, a in attributes.items() if n not in usual and hasattr(value, a)}


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
