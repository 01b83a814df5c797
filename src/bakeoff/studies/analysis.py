"""A planned analysis: what will be asked of the scores, written down before there are any."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from typing import Any


@dataclass(frozen=True)
class Analysis:
    """The request as `judge` takes it. None and the defaults mean what they mean there."""

    measure: str | tuple[str, ...]  # several are a question about all of them at once
    procedure: str | None = None
    contrast: str | tuple[str, ...] = "all-pairs"
    control: str | None = None
    adjust: str | None = None
    alternative: str = "two-sided"
    level: str | None = None
    missing: str = "error"
    alpha: float = 0.05
    margin: float | None = None
    options: Mapping[str, Any] = field(default_factory=dict)

    @property
    def measures(self) -> tuple[str, ...]:
        return (self.measure,) if isinstance(self.measure, str) else self.measure

    def describe(self) -> dict[str, Any]:
        made = asdict(self)
        made["measure"] = self.measure if isinstance(self.measure, str) else list(self.measure)
        made["contrast"] = self.contrast if isinstance(self.contrast, str) else list(self.contrast)
        made["options"] = dict(self.options)
        return made

    def request(self) -> dict[str, Any]:
        """Keyword arguments of `judge`."""
        return {
            "measure": self.measure if isinstance(self.measure, str) else list(self.measure),
            "contrast": self.contrast if isinstance(self.contrast, str) else list(self.contrast),
            "control": self.control,
            "adjust": self.adjust,
            "alternative": self.alternative,
            "level": self.level,
            "missing": self.missing,
            "alpha": self.alpha,
            "margin": self.margin,
            **self.options,
        }

    @property
    def sentence(self) -> str:
        """The analysis in a line."""
        what = self.contrast if isinstance(self.contrast, str) else ", ".join(self.contrast)
        parts = [
            " and ".join(self.measures),
            f"by {self.procedure}" if self.procedure else "by the procedure that fits",
            f"against {self.control}" if self.control else what,
            f"{self.adjust} adjustment" if self.adjust else "",
            self.alternative if self.alternative != "two-sided" else "",
            f"α = {self.alpha:g}",
            f"margin {self.margin:g}" if self.margin is not None else "",
        ]
        return ", ".join(part for part in parts if part)
