"""The critical-difference diagram as drawn: nothing covers anything else, and everything is where it belongs."""

from __future__ import annotations

from functools import cache
from itertools import combinations, pairwise

import pytest
import verdicts
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.transforms import Bbox

from bakeoff.errors import UsageError
from bakeoff.figures.critical_difference import CriticalDifference, critical_difference, draw, figure
from bakeoff.judging import Verdict

LONG = "gradient boosting with early stopping, histogram splits and a name that does not end, depth {}"
STRANGE = ["a$x^2$", "under_score_{3}", "<b>&amp;</b>", "🤖 robot", "深度学习", "x^y", "\\alpha $", "100 % & more"]


def boxes(made: Figure) -> dict[str, Bbox]:
    renderer = FigureCanvasAgg(made).get_renderer()
    return {f"{i} {text.get_text()}": text.get_window_extent(renderer) for i, text in enumerate(made.axes[0].texts)}


def elbows(made: Figure) -> list[Line2D]:
    """The lines from the axis to the labels, best first on the right, then worst first on the left."""
    return [line for line in made.axes[0].lines if len(line.get_xdata()) == 4]


def bars(made: Figure) -> list[Line2D]:
    return [line for line in made.axes[0].lines if line.get_linewidth() == 3.0]


def words(made: Figure) -> list[str]:
    return [text.get_text() for text in made.axes[0].texts]


def assert_readable(info: CriticalDifference) -> Figure:
    made = figure(info)
    found = boxes(made)
    for name, box in found.items():
        assert box.x0 >= 0 and box.y0 >= 0 and box.x1 <= made.bbox.x1 and box.y1 <= made.bbox.y1, name  # noqa: PT018
    for (first, one), (second, other) in combinations(found.items(), 2):
        apart = one.x1 <= other.x0 or other.x1 <= one.x0 or one.y1 <= other.y0 or other.y1 <= one.y0
        assert apart, (first, second)
    return made


@cache
def hard_cases() -> tuple[Verdict, ...]:
    return (
        verdicts.demsar(alpha=0.10),
        verdicts.demsar(control="C4.5"),
        verdicts.random(30, control="learner 7"),
        verdicts.random(9, names=[LONG.format(i) for i in range(9)]),
        verdicts.random(8, names=STRANGE),
        verdicts.all_equal(3),
        verdicts.all_equal(30),
        verdicts.random(20, spread=1e9),
        verdicts.not_by_neighbours(),
    )


@pytest.mark.parametrize("k", range(2, 31))
def test_no_text_covers_another(k: int) -> None:
    info = critical_difference(verdicts.random(k))
    made = assert_readable(info)
    assert {placed.learner for placed in info.learners} <= set(words(made))


@pytest.mark.parametrize("case", range(len(hard_cases())))
def test_no_text_covers_another_in_hard_cases(case: int) -> None:
    assert_readable(critical_difference(hard_cases()[case]))


@pytest.mark.parametrize("case", range(len(hard_cases())))
def test_stems_keep_their_order_and_distance_and_never_cross(case: int) -> None:
    info = critical_difference(hard_cases()[case])
    lines = elbows(figure(info))
    stems = sorted(
        (float(line.get_xdata()[1]), float(line.get_ydata()[2]), float(line.get_xdata()[3])) for line in lines
    )
    assert len(stems) == len(info.learners)
    assert all(right - left >= 5.99 for (left, _, _), (right, _, _) in pairwise(stems))
    starts = [float(line.get_xdata()[0]) for line in sorted(lines, key=lambda line: float(line.get_xdata()[1]))]
    assert starts == sorted(starts)
    for x, y, end in stems:
        for other, bottom, _ in stems:
            crossed = min(x, end) <= other <= max(x, end) and other != x and bottom > y
            assert not crossed


@pytest.mark.parametrize("k", [4, 10, 20, 30])
def test_bars_reach_from_the_best_to_the_worst_of_their_group(k: int) -> None:
    info = critical_difference(verdicts.random(k))
    made = figure(info)
    stems = sorted((float(line.get_xdata()[1]) for line in elbows(made)), reverse=True)
    place = {placed.learner: i for i, placed in enumerate(info.learners)}
    groups = [group for group in info.groups if group.lane is not None]
    drawn = bars(made)
    assert len(drawn) == len(groups) > 0
    for group, bar in zip(groups, drawn, strict=True):
        ends = sorted(float(x) for x in bar.get_xdata())
        covered = [i for i, stem in enumerate(stems) if ends[0] <= stem <= ends[1]]
        assert covered == [place[name] for name in group.members]
    for one, other in combinations(drawn, 2):
        if one.get_ydata()[0] == other.get_ydata()[0]:
            assert max(one.get_xdata()) < min(other.get_xdata()) or max(other.get_xdata()) < min(one.get_xdata())


def test_somebody_in_between_has_no_dot() -> None:
    info = critical_difference(verdicts.not_by_neighbours())
    made = figure(info)
    stems = dict(zip(("steady", "shadow"), (float(line.get_xdata()[1]) for line in elbows(made)[1:]), strict=True))
    (dots,) = [line for line in made.axes[0].lines if line.get_marker() == "o"]
    assert len(dots.get_xdata()) == 2
    assert stems["steady"] in list(dots.get_xdata())
    assert stems["shadow"] not in list(dots.get_xdata())
    assert len(bars(made)) == 1


@pytest.mark.parametrize("verdict", [verdicts.demsar(), verdicts.random(2)], ids=["rank", "measure"])
def test_the_best_is_on_the_right(verdict: Verdict) -> None:
    made = figure(critical_difference(verdict))
    at = {text.get_text(): text.get_position()[0] for text in made.axes[0].texts}
    assert at[verdict.ranking[0]] > at[verdict.ranking[-1]]


def test_the_critical_distance_is_drawn_to_scale() -> None:
    info = critical_difference(verdicts.demsar())
    made = figure(info)
    ticks = {text.get_text(): text.get_position()[0] for text in made.axes[0].texts}
    unit = ticks["1"] - ticks["2"]
    (bracket,) = [line for line in made.axes[0].lines if line.get_linewidth() == 1.4]
    assert abs(bracket.get_xdata()[1] - bracket.get_xdata()[0]) == pytest.approx(unit * info.critical_distance)
    assert "CD = 1.254" in words(made)
    assert "CD = 1.483 (longer than the axis)" in words(figure(critical_difference(verdicts.all_equal(4))))


def test_marks_of_a_control() -> None:
    made = figure(critical_difference(verdicts.demsar(control="C4.5")))
    marks = [
        (line.get_marker(), line.get_markerfacecolor()) for line in made.axes[0].lines if line.get_marker() in "Do"
    ]
    assert sorted(marks) == [("D", "black"), ("o", "black"), ("o", "black"), ("o", "white")]


def test_names_are_drawn_literally_and_in_full_in_the_table() -> None:
    info = critical_difference(verdicts.random(8, names=STRANGE))
    made = figure(info)
    FigureCanvasAgg(made).draw()  # warnings are errors here: a missing glyph must not warn
    assert set(STRANGE) <= set(words(made))
    assert not any(text.get_parse_math() or text.get_usetex() for text in made.axes[0].texts)
    names = [LONG.format(i) for i in range(3)]
    table = critical_difference(verdicts.random(3, names=names)).to_frame()
    assert sorted(table["learner"]) == names
    assert sorted(table["label"]) == [f"gradient boosti…t end, depth {i}" for i in range(3)]


def test_drawing_on_an_ax_of_ones_own() -> None:
    info = critical_difference(verdicts.demsar())
    own = Figure(figsize=(8, 6))
    draw(info, own.add_subplot(2, 1, 1))
    assert info.caption.replace(" ", "") in "".join(words(own)).replace(" ", "")
    bare = own.add_subplot(2, 1, 2)
    draw(info, bare, caption=False)
    assert not any("Friedman" in text.get_text() for text in bare.texts)


@pytest.mark.parametrize("size", [(2, 5), (8, 0.5)])
def test_an_ax_that_is_too_small_is_refused(size: tuple[float, float]) -> None:
    ax = Figure(figsize=size).add_axes((0, 0, 1, 1))
    with pytest.raises(UsageError, match=r"needs an ax of 6\.5 × \d\.\d inches; found"):
        draw(critical_difference(verdicts.demsar()), ax)
    assert not ax.lines
