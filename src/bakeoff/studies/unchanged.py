"""Whether a learner is still what it was when its first cells were stored.

A learner's key holds what the study says of it. A default in the user's own class, or the text of a program, can change
under the same key; results of both must not be mixed without a word. Parameters that changed are refused. A package of
another version, or a file with another text, is told and goes on: an upgrade or a comment does not undo results.
"""

from __future__ import annotations

import sys
import sysconfig
from collections.abc import Sequence
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any

from bakeoff.errors import UsageError
from bakeoff.learners.learner import Learner
from bakeoff.learners.resolved import differences

if TYPE_CHECKING:
    from bakeoff.stores.store import Store
    from bakeoff.studies.preparing import Prepared

_MAY_CHANGE = ("packages", "files")
_MOST = 3


def check_unchanged(prepared: Prepared, resolved: Sequence[dict[str, Any] | None], store: Store) -> list[str]:
    """Compare each learner with what is stored of it, or store it; returns what the user should know.

    `resolved` is what each learner is now, as `Engine.resolve` finds out.
    """
    told = []
    for learner, learner_id, now in zip(prepared.study.learners, prepared.learner_ids, resolved, strict=True):
        if now is None:
            continue  # it cannot be made; its cells will say why
        then = store.resolved(learner_id)
        if then is None:
            store.set_resolved(learner_id, now)
            continue
        if changed := differences(_without(then), _without(now)):
            raise UsageError(
                f"Learner {learner.name!r} is not what it was when its first cells were stored: "
                f"{'; '.join(changed[:_MOST])}. Say in the study which one is meant, or use another store (--store), "
                "so that old and new results are not mixed."
            )
        if changed := differences(_only(then), _only(now)):
            told.append(f"{learner.name}: changed since its first cells were stored: {'; '.join(changed[:_MOST])}")
    return told


def of_own_code(learner: Learner) -> bool:
    """Whether a learner is made of code that its user may have edited: a program, or a module that is not installed.

    Nothing is imported to find out.

    >>> from bakeoff.learners.learner import Step
    >>> of_own_code(Learner("tree", steps=(Step("sklearn.tree.DecisionTreeClassifier"),)))
    False
    """
    return bool(learner.command) or any(not _installed(step.path.partition(".")[0]) for step in learner.steps)


def _installed(package: str) -> bool:
    try:
        found = find_spec(package)
    except (ImportError, ValueError):
        return False
    if found is None or found.origin is None or package == "bakeoff":
        return package == "bakeoff"
    if package in sys.stdlib_module_names:
        return True
    paths = sysconfig.get_paths()
    homes = [Path(paths[name]).resolve() for name in ("purelib", "platlib")]
    return any(Path(found.origin).resolve().is_relative_to(home) for home in homes)


def _without(resolved: dict[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in resolved.items() if name not in _MAY_CHANGE}


def _only(resolved: dict[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in resolved.items() if name in _MAY_CHANGE}
