"""The critical-difference diagram: where the learners stand, and which of them the data do not tell apart.

Demšar (2006), JMLR 7, 1–30, section 3.2.5 and figure 1. As there, the best learner is on the right, whatever is on
the axis. Only `draw`, `figure` and `save` load matplotlib; `critical_difference` makes the table that they draw.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from math import isclose, isfinite
from os import PathLike
from typing import TYPE_CHECKING

from bakeoff.errors import MisfitError, UsageError
from bakeoff.figures.labels import labels_of, literal, shortened_in_the_middle
from bakeoff.presentation import counted_each, number
from bakeoff.scores import Level

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from bakeoff.finding import Finding
    from bakeoff.judging.verdict import Judged, Verdict

TITLE = "Critical-difference diagram"
MOST_LEARNERS = 30
MOST_LANES = 30
# Bars share a lane if there is at least this much of the axis between them, so that they do not look like one.
ROOM_BETWEEN_BARS = 0.04


class Mark(StrEnum):
    """What a comparison with the control says of a learner; empty if there is no control."""

    NONE = ""
    CONTROL = "control"
    APART = "told apart"
    TIED = "not told apart"


@dataclass(frozen=True, slots=True)
class Placed:
    """A learner on the axis. `label` is its name as drawn: in one line, shortened in the middle if it is long."""

    learner: str
    label: str
    position: float
    mark: Mark = Mark.NONE


@dataclass(frozen=True, slots=True)
class Group:
    """Learners that are not told apart, best first.

    `contiguous` groups hold everyone between their best and their worst, and are drawn as a solid bar; the others
    are drawn as a thin line with a dot at each member. A group of one has no bar, and its lane is None.
    """

    members: tuple[str, ...]
    contiguous: bool
    lane: int | None


@dataclass(frozen=True)
class CriticalDifference:
    """The table behind the figure.

    `learners` come best first, which is from right to left on the axis. `groups` is empty if none are known or there
    are too many to draw; the caption says which. `critical_distance` is the difference in position beyond which two
    learners are told apart, if there is one such number for all pairs.
    """

    learners: tuple[Placed, ...]
    axis: str
    larger_is_better: bool
    on_ranks: bool
    groups: tuple[Group, ...]
    critical_distance: float | None
    caption: str

    @property
    def lanes(self) -> int:
        """How many rows of bars there are."""
        return 1 + max((group.lane for group in self.groups if group.lane is not None), default=-1)

    @property
    def axis_label(self) -> str:
        axis = shortened_in_the_middle(literal(self.axis), 40)
        return f"{axis} ({'larger' if self.larger_is_better else 'smaller'} is better →)"

    def to_frame(self) -> pd.DataFrame:
        """One row a learner, best first. Learners that share a letter in `groups` are not told apart."""
        import pandas as pd

        letters = {
            placed.learner: " ".join(
                _letter(i) for i, group in enumerate(self.groups) if placed.learner in group.members
            )
            for placed in self.learners
        }
        return pd.DataFrame(
            {
                "place": range(1, len(self.learners) + 1),
                "learner": [placed.learner for placed in self.learners],
                "label": [placed.label for placed in self.learners],
                "position": [placed.position for placed in self.learners],
                "groups": [letters[placed.learner] for placed in self.learners],
                "mark": [placed.mark.value for placed in self.learners],
            }
        )

    def _repr_svg_(self) -> str:
        from bakeoff.figures.files import render

        return render(lambda: figure(self), "svg", title=TITLE, about=self.caption).decode()


def critical_difference(verdict: Verdict) -> CriticalDifference:
    """The table behind the critical-difference diagram of a verdict."""
    found = verdict.finding
    _check(found)
    ranking = verdict.ranking
    positions = [found.position[name] for name in ranking]
    groups = _bars(verdict.groups or (), ranking, positions)
    distance = _critical_distance(verdict)
    control = found.pairs[0].second if verdict.groups is None and found.contrast == "control" else None
    marks = _marks(verdict.decisions, control) if control is not None else {}
    labels = labels_of(ranking)
    placed = tuple(
        Placed(name, label, position, marks.get(name, Mark.NONE))
        for name, label, position in zip(ranking, labels, positions, strict=True)
    )
    shown = groups if max((group.lane or 0 for group in groups), default=0) < MOST_LANES else ()
    meaning = _control_meaning(placed) if control is not None else _bars_meaning(shown, verdict)
    return CriticalDifference(
        learners=placed,
        axis=found.position_name,
        larger_is_better=found.larger_is_better,
        on_ranks=found.position_name == "mean rank",
        groups=shown,
        critical_distance=distance,
        caption=literal(
            " ".join(
                [
                    *([] if verdict.standing is None else [str(verdict.standing)]),
                    *_what_was_done(found),
                    *meaning,
                    *_distance_meaning(found, distance),
                    *_advice(found),
                ]
            )
        ),
    )


def draw(info: CriticalDifference, ax: Axes, *, caption: bool = True) -> None:
    """Draw the diagram on an ax, which gives up its own axes and limits. `figure` makes one of the right size.

    An ax that is too small to read the diagram is refused, with the size that is needed.
    """
    from bakeoff.figures.critical_difference_drawing import draw_on

    draw_on(info, ax, caption=caption)


def figure(info: CriticalDifference, *, caption: bool = True) -> Figure:
    """The diagram as a matplotlib figure of its own, as large as it needs to be; pyplot does not know of it."""
    from bakeoff.figures.critical_difference_drawing import new_figure

    return new_figure(info, caption=caption)


def save(verdict: Verdict, path: str | PathLike[str], *, caption: bool = True) -> None:
    """Save the diagram of a verdict as SVG, PDF or PNG, by the extension of the path."""
    from bakeoff.figures.files import kind_of, save_figure

    kind_of(path)  # a wrong extension is refused before any work is done
    info = critical_difference(verdict)
    save_figure(lambda: figure(info, caption=caption), path, title=TITLE, about=info.caption)


def _check(found: Finding) -> None:
    """Refuse verdicts that no diagram can show."""
    k = len(found.learners)
    if not found.pairs:
        raise UsageError(
            "A critical-difference diagram shows which learners are told apart, and this verdict compares no pairs: "
            f"{found.title} speaks of each learner by itself. Judge at least two learners with a procedure for pairs."
        )
    if k > MOST_LEARNERS:
        raise MisfitError(
            f"A critical-difference diagram of {k} learners cannot be read; at most {MOST_LEARNERS} can be drawn.",
            alternatives=[
                "choose the learners that the question is about, e.g. scores.only(learners=[…]), and judge them",
                "show the verdict's table instead, which has room for all",
            ],
        )
    bad = [name for name in found.learners if not isfinite(found.position[name])]
    if bad:
        raise MisfitError(
            f"A learner without a finite {found.position_name} has no place on the axis: {', '.join(bad)}.",
            alternatives=["leave these learners out, e.g. scores.only(learners=[…]), and judge the others"],
        )


def _bars(groups: Sequence[Sequence[str]], ranking: Sequence[str], positions: Sequence[float]) -> tuple[Group, ...]:
    """The groups, each in the first lane where it has room: bars in one lane neither overlap nor look like one."""
    place = {name: i for i, name in enumerate(ranking)}
    room = ROOM_BETWEEN_BARS * abs(positions[-1] - positions[0])
    lanes: list[int] = []  # the place where the last bar of each lane ends
    made = []
    for members in groups:
        first, last = place[members[0]], place[members[-1]]
        lane = None
        if len(members) > 1:
            free = (i for i, end in enumerate(lanes) if end < first and abs(positions[first] - positions[end]) > room)
            lane = next(free, len(lanes))
            lanes[lane : lane + 1] = [last]
        made.append(Group(tuple(members), last - first + 1 == len(members), lane))
    return tuple(made)


def _marks(decisions: Sequence[Judged], control: str) -> dict[str, Mark]:
    marks = {judged.first: Mark.APART if judged.apart else Mark.TIED for judged in decisions}
    return {**marks, control: Mark.CONTROL}


def _critical_distance(verdict: Verdict) -> float | None:
    """The half-width of the intervals, if it is the same for all pairs and decides them by position alone."""
    if verdict.finding.posterior:  # probabilities decide, not the intervals
        return None
    position = verdict.finding.position
    halves = [(row.upper - row.lower) / 2 for row in verdict.finding.pairs]
    common = halves[0]
    if not (isfinite(common) and common > 0 and all(isclose(half, common, rel_tol=1e-9) for half in halves)):
        return None
    for judged in verdict.decisions:
        row = judged.row
        difference = position[judged.first] - position[judged.second]
        centred = isclose((row.lower + row.upper) / 2, difference, rel_tol=1e-9, abs_tol=1e-9 * common)
        if not centred or judged.apart != (abs(difference) > common):
            return None
    return common


def _what_was_done(found: Finding) -> list[str]:
    k, n = len(found.learners), found.n_blocks
    blocks = found.level.value if n != 1 else found.level.value.removesuffix("s")
    where = "in a single run" if found.level is Level.SINGLE else f"over N = {n} {blocks}"
    if found.n_each and found.level is not Level.SINGLE:
        where = f"over {counted_each(found.n_each, found.level.value)}"
    what = found.position_name if found.on_measure else f"{found.position_name} by {found.measure.name}"
    how = f"{found.title}, {found.sides}, {found.adjust_title}, α = {number(found.alpha)}."
    if found.posterior:
        sure, rope = number(1 - found.alpha), float(found.options.get("rope") or 0.0)
        beyond = f" by more than {number(rope)}" if rope > 0 else ""
        how = f"{found.title}: told apart are learners of whom one is better{beyond} with probability {sure} or more."
    return [f"{what[:1].upper()}{what[1:]} of k = {k} learners {where}; the best is on the right.", how]


def _bars_meaning(groups: Sequence[Group], verdict: Verdict) -> list[str]:
    drawn = [group for group in groups if group.lane is not None]
    not_equal = "which is not evidence that they are equal"
    if not groups:
        return [
            "Groups are not drawn, because there are too many that overlap: the relation of who is told apart from "
            "whom is too tangled for bars. See the table of pairs."
        ]
    if not drawn:
        return ["There are no bars, because every learner is told apart from every other."]
    told = "are not told apart" if verdict.margin is None else "are not told apart, or are equivalent within the margin"
    said = []
    if any(group.contiguous for group in drawn):
        said.append(f"Learners joined by a bar {told}, {not_equal}.")
    if not all(group.contiguous for group in drawn):
        said.append(
            f"Learners with a dot on one thin line {told}"
            + ("." if said else f", {not_equal}.")
            + " A learner that a thin line passes without a dot does not belong to it."
        )
    return said


def _control_meaning(placed: Sequence[Placed]) -> list[str]:
    control = next(one.label for one in placed if one.mark is Mark.CONTROL)
    return [
        f"Compared with the control ◆ {control}: ● told apart from it, ○ not told apart, which is not evidence of "
        "being equal to it. The others are not compared with each other."
    ]


def _distance_meaning(found: Finding, distance: float | None) -> list[str]:
    if distance is None:
        return []
    by = f"in {found.position_name} by more than CD = {number(distance)}"
    if found.contrast == "control":
        return [f"A learner that differs from the control {by} is told apart from it."]
    return [f"Learners that differ {by} are told apart."]


def _advice(found: Finding) -> list[str]:
    return [f"Done against advice: {' '.join(found.against_advice)}"] if found.against_advice else []


def _letter(i: int) -> str:
    """a, b, …, z, aa, ab, …: the letters of a compact letter display.

    >>> [_letter(i) for i in (0, 25, 26, 53)]
    ['a', 'z', 'aa', 'bb']
    """
    letter = chr(ord("a") + i % 26)
    return letter if i < 26 else _letter(i // 26 - 1) + letter
