"""Standing: whether an analysis was planned before there were scores, or thought of when they were known."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Standing:
    """The study that the scores come from, and whether it planned this analysis; if not, `reason` says what differs.

    >>> print(Standing("small data", "0f3a9c52d1b7e664", planned=False, reason="its measure is auc"))
    EXPLORATORY: study 'small data' (0f3a9c52) did not plan this analysis (its measure is auc).
    """

    study: str
    key: str
    planned: bool
    reason: str = ""

    def __str__(self) -> str:
        # A file that is called study.toml has said nothing by its name.
        name = f"{'the study' if self.study == 'study' else f'study {self.study!r}'} ({self.key[:8]})"
        if self.planned:
            return f"Planned in {name}."
        return f"EXPLORATORY: {name} did not plan this analysis{f' ({self.reason})' if self.reason else ''}."
