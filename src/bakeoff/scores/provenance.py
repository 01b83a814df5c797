"""Provenance: the study that scores come from, and what it had planned to ask of them before there were any."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, fields, replace
from hashlib import sha256
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

METADATA = "bakeoff"  # the key under which a Parquet file tells it, in its metadata
VALUES = "value"  # the column that is held against the fingerprint


@dataclass(frozen=True, slots=True)
class PlanStatus:
    """The study that the scores come from, and whether it planned this analysis; if not, `reason` says what differs.

    Scores that come from no study have no key; of them it is known at most that settings were changed after they had
    been seen.

    >>> print(PlanStatus("small data", "0f3a9c52d1b7e664", planned=False, reason="its measure is auc"))
    EXPLORATORY: study 'small data' (0f3a9c52) did not plan this analysis (its measure is auc).
    >>> print(PlanStatus("", "", planned=False, reason="without svm"))
    EXPLORATORY: settings were changed after the data had been seen (without svm).
    """

    study: str
    key: str
    planned: bool
    reason: str = ""

    def __str__(self) -> str:
        return self.sentence if self.planned else f"EXPLORATORY: {self.sentence}"

    @property
    def sentence(self) -> str:
        """The same without the mark of what was not planned."""
        if not self.key:
            return f"settings were changed after the data had been seen ({self.reason})."
        # A file that is called study.toml has said nothing by its name.
        name = f"{'the study' if self.study == 'study' else f'study {self.study!r}'} ({self.key[:8]})"
        if self.planned:
            return f"Planned in {name}."
        return f"{name} did not plan this analysis{f' ({self.reason})' if self.reason else ''}."


@dataclass(frozen=True)
class Provenance:
    """Name and key of a study, and its analyses: those `planned` when its first results came in, those added `later`.

    An analysis is described by the arguments of `judge`. `tasks` and `learners` are those that the scores were of when
    they came from the study; `changes` says in words what else was done to the table since.
    """

    study: str
    key: str
    planned: tuple[Mapping[str, Any], ...]
    later: tuple[Mapping[str, Any], ...] = ()
    tasks: tuple[str, ...] = ()
    learners: tuple[str, ...] = ()
    changes: tuple[str, ...] = ()

    def changed(self, how: str) -> Provenance:
        return replace(self, changes=(*self.changes, how))

    def to_dict(self) -> dict[str, Any]:
        """As JSON knows it."""
        return asdict(self)

    @classmethod
    def from_dict(cls, record: Any) -> Self | None:
        """From what a file says; None if that is nothing of the kind."""
        names = [field.name for field in fields(cls)]
        if not isinstance(record, Mapping) or set(record) != set(names):
            return None
        texts, several = (record["study"], record["key"]), [record[name] for name in names[2:]]
        if not all(isinstance(text, str) for text in texts) or not all(isinstance(part, list) for part in several):
            return None
        analyses, labels = (
            [*record["planned"], *record["later"]],
            [*record["tasks"], *record["learners"], *record["changes"]],
        )
        if not all(isinstance(one, Mapping) for one in analyses) or not all(isinstance(one, str) for one in labels):
            return None
        return cls(*texts, *map(tuple, several))


def told_to_file(provenance: Provenance, values: NDArray[np.float64]) -> str:
    """What a file of these values tells of the study that they come from."""
    return json.dumps({"provenance": provenance.to_dict(), "values": fingerprint(values)})


def told_of_study(text: bytes | None) -> tuple[Provenance, str] | None:
    """What a file told, and the fingerprint that its values had; None if that is nothing of the kind."""
    try:
        record = json.loads(text or b"")
    except ValueError:
        return None
    provenance = Provenance.from_dict(record.get("provenance")) if isinstance(record, dict) else None
    return None if provenance is None else (provenance, str(record.get("values")))


def fingerprint(values: NDArray[np.float64]) -> str:
    """A text that tells whether rows were added to a table of these values, taken out or changed."""
    settled = np.where(np.isnan(values), np.nan, values).astype("<f8")  # there are many ways to write no number
    return sha256(settled.tobytes()).hexdigest()
