"""A learner as it really is where it runs: classes, all parameters with their defaults, versions of the packages.

A learner's key covers what the study says. What the study leaves to others — the default of a parameter, the version of
a package, the text of a program — can change under the same key; this is what is compared to find out.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from hashlib import sha256
from pathlib import Path
from typing import Any

from bakeoff.keys import plain
from bakeoff.learners.learner import Learner
from bakeoff.learners.making import described


def resolve(learner: Learner) -> dict[str, Any]:
    """The whole description, as JSON.

    >>> from bakeoff.learners.learner import Step
    >>> found = resolve(Learner("k", steps=(Step("sklearn.neighbors.KNeighborsClassifier", {"n_neighbors": 3}),)))
    >>> found["learner"]["parameters"]["n_neighbors"], found["learner"]["parameters"]["weights"]
    (3, 'uniform')
    """
    common = {name: part for name, part in learner.describe().items() if name in ("prepare", "tuning")}
    if learner.command:
        return {**common, "command": list(learner.command), "files": _files(learner)}
    estimator = plain(described(learner), f"learner {learner.name!r}")
    packages = {name: _version(name) for name in sorted(set(_packages(estimator)))}
    return {**common, "learner": estimator, "packages": packages}


def differences(then: Any, now: Any, where: str = "") -> list[str]:
    """What has changed between two resolved descriptions, a sentence for each place.

    >>> differences({"packages": {"sklearn": "1.8.0"}}, {"packages": {"sklearn": "1.9.1"}})
    ["packages.sklearn was '1.8.0' and is '1.9.1'"]
    """
    if isinstance(then, dict) and isinstance(now, dict):
        found = []
        for name in sorted(then.keys() | now.keys()):
            place = f"{where}.{name}" if where else name
            if name not in now:
                found.append(f"{place} was {then[name]!r} and is gone")
            elif name not in then:
                found.append(f"{place} is new: {now[name]!r}")
            else:
                found += differences(then[name], now[name], place)
        return found
    return [] if then == now else [f"{where} was {then!r} and is {now!r}"]


def _packages(described_as: Any) -> Iterator[str]:
    """The top-level packages of all classes and functions that a description names."""
    if isinstance(described_as, dict):
        for key, value in described_as.items():
            if key in ("estimator", "name") and isinstance(value, str):
                yield value.partition(".")[0]
            else:
                yield from _packages(value)
    elif isinstance(described_as, list):
        for item in described_as:
            yield from _packages(item)


def _version(package: str) -> str:
    """The version; for a module of the user's own, which has none, the hash of its file."""
    module = sys.modules.get(package)
    version = getattr(module, "__version__", None)
    if isinstance(version, str):
        return version
    source = getattr(module, "__file__", None)
    return _hash(Path(source)) if source else "unknown"


def _files(learner: Learner) -> dict[str, str]:
    """The hashes of the files that a command names, found in its folder: its script, most of all."""
    folder = Path(learner.folder or ".")
    return {part: _hash(folder / part) for part in learner.command if "{" not in part and (folder / part).is_file()}


def _hash(path: Path) -> str:
    try:
        return f"sha256 {sha256(path.read_bytes()).hexdigest()[:16]}"
    except OSError:
        return "unreadable"
