"""What can go wrong, as a tree.

    BakeoffError            every error that bakeoff raises on purpose
    ├── UsageError          an argument or option is wrong                          exit code 2
    ├── InputError          a file cannot be read, or contradicts itself            exit code 2
    └── MisfitError         the data are fine, but do not fit what was asked        exit code 3
        └── DegenerateError the statistic does not exist for these data (0/0, ∞)    exit code 3

    FailedCellsWarning      a warning of Python: a run is over, and some of its cells have no score
    UnseenCodeWarning       the same: the source of a learner cannot be had, its compiled code stands for it

Each message is prose: what was expected, what was found, what to do. The command line prints the
message and leaves with the exit code; no traceback is shown for a user's mistake.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence


class BakeoffError(Exception):
    """Base of every error that bakeoff raises on purpose."""

    exit_code = 2

    @property
    def passages(self) -> tuple[tuple[str, tuple[str, ...]], ...]:
        """What it says: sentences, each with the list that it leads to."""
        return ((str(self), ()),)


class UsageError(BakeoffError, ValueError):
    """An argument or option is wrong: out of range, unknown, or in contradiction to another one. Names whose it is, if
    that is known; `reason` is what is said of it."""

    def __init__(self, reason: str = "", *, whose: str = "") -> None:
        self.reason, self.whose = reason, whose
        super().__init__(f"{whose}: {reason}" if whose else reason)


class InputError(BakeoffError, ValueError):
    """A file cannot be read, or what it says contradicts itself. Names the file, and line and column if known."""

    def __init__(
        self, message: str, *, source: str | None = None, line: int | None = None, column: str | None = None
    ) -> None:
        self.source, self.line, self.column = source, line, column
        where = [
            part
            for part in (
                source,
                f"line {line}" if line is not None else None,
                f"column {column!r}" if column is not None else None,
            )
            if part
        ]
        super().__init__(f"{', '.join(where)}: {message}" if where else message)


class MisfitError(BakeoffError, ValueError):
    """The data are readable but do not fit what was asked of them: all unmet needs, and what would fit instead."""

    exit_code = 3

    def __init__(self, message: str, *, unmet: Sequence[str] = (), alternatives: Sequence[str] = ()) -> None:
        self.message, self.unmet, self.alternatives = message, tuple(unmet), tuple(alternatives)
        super().__init__(
            "\n".join(part for text, rows in self.passages for part in (text, *(f"  - {r}" for r in rows)))
        )

    @property
    def passages(self) -> tuple[tuple[str, tuple[str, ...]], ...]:
        instead = (("What would fit instead:", self.alternatives),) if self.alternatives else ()
        return ((self.message, self.unmet), *instead)


class DegenerateError(MisfitError):
    """The statistic does not exist for these data: a variance is zero, a matrix is singular."""


class MissingGlyphsWarning(UserWarning):
    """Names in a figure have characters that no font of this machine has; they are drawn as boxes."""


class FailedCellsWarning(UserWarning):
    """A run is over, and some of its cells failed: their scores have no value. Given by `Study.run`."""


class UnseenCodeWarning(UserWarning):
    """The source of a learner cannot be had, so that its compiled code stands for it. Given by `Study.run`."""


def nearest(word: str, allowed: Iterable[str]) -> str:
    """A sentence that lists what is allowed and names the nearest match, for the end of a message.

    >>> nearest("freidman", ["friedman", "wilcoxon"])
    "Did you mean 'friedman'? Known are: friedman, wilcoxon."
    """
    names = sorted(allowed)
    listing = f"Known are: {', '.join(names)}." if names else "None are known."
    return " ".join(part for part in (suggestion(word, names), listing) if part)


def suggestion(word: str, allowed: Iterable[str]) -> str:
    """The question whether the nearest match was meant; empty if nothing is near.

    >>> suggestion("freidman", ["friedman", "wilcoxon"]), suggestion("bayes", ["friedman"])
    ("Did you mean 'friedman'?", '')
    """
    from difflib import get_close_matches

    close = get_close_matches(str(word), sorted(allowed), n=1)
    return f"Did you mean {close[0]!r}?" if close else ""
