"""The table behind the critical-difference diagram."""

from __future__ import annotations

import dataclasses
import subprocess
import sys
from functools import cache
from itertools import combinations, pairwise
from pathlib import Path

import numpy as np
import pytest
import verdicts
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.transforms import Bbox

from bakeoff.errors import MisfitError, UsageError
from bakeoff.figures.critical_difference import CriticalDifference, Mark, critical_difference
from bakeoff.judging import Decision, Verdict, judge
from bakeoff.judging.verdict import maximal_groups
from bakeoff.measures import known_measure
from bakeoff.procedures import friedman
from bakeoff.scores import Scores


def places(info: CriticalDifference) -> dict[str, int]:
    return {placed.learner: i for i, placed in enumerate(info.learners)}


def test_demsar_at_10_per_cent() -> None:
    info = critical_difference(verdicts.demsar(alpha=0.10))
    assert [placed.learner for placed in info.learners] == ["C4.5+m+cf", "C4.5+m", "C4.5+cf", "C4.5"]
    assert [round(placed.position, 3) for placed in info.learners] == [1.929, 2.0, 2.929, 3.143]
    assert [group.members for group in info.groups] == [("C4.5+m+cf", "C4.5+m", "C4.5+cf"), ("C4.5+cf", "C4.5")]
    assert all(group.contiguous for group in info.groups)
    assert [group.lane for group in info.groups] == [0, 1]
    assert info.lanes == 2
    assert info.critical_distance == pytest.approx(friedman.critical_difference(4, 14, 0.10))


def test_demsar_at_5_per_cent() -> None:
    info = critical_difference(verdicts.demsar(alpha=0.05))
    assert [group.members for group in info.groups] == [("C4.5+m+cf", "C4.5+m", "C4.5+cf", "C4.5")]
    assert info.critical_distance == pytest.approx(1.2536, abs=1e-4)


def test_the_table_as_a_frame() -> None:
    frame = critical_difference(verdicts.demsar(alpha=0.10)).to_frame()
    assert list(frame.columns) == ["place", "learner", "label", "position", "groups", "mark"]
    assert list(frame["place"]) == [1, 2, 3, 4]
    assert list(frame["groups"]) == ["a", "a", "a b", "b"]


def test_the_axis_says_which_way_is_better() -> None:
    assert critical_difference(verdicts.demsar()).axis_label == "mean rank (smaller is better →)"
    assert critical_difference(verdicts.random(2)).axis_label == "mean rank (smaller is better →)"
    by_loss = judge(verdicts.scores([[1.0, 2.0], [1.5, 2.0], [1.0, 3.0]] * 4, ["low", "high"], "log_loss"), "wilcoxon")
    info = critical_difference(by_loss)
    assert "smaller is better" in info.axis_label
    assert [placed.learner for placed in info.learners] == ["low", "high"]


def test_the_caption_says_what_was_done() -> None:
    caption = critical_difference(verdicts.demsar(alpha=0.10)).caption
    for part in (
        "Mean rank by auc", "k = 4 learners", "N = 14 tasks", "the best is on the right", "Friedman test", "two-sided",
        "Nemenyi adjustment", "α = 0.1.", "joined by a bar are not told apart", "not evidence that they are equal",
        "more than CD = 1.118",
    ):  # fmt: skip
        assert part in caption
    assert "thin line" not in caption
    assert "Holm adjustment" in critical_difference(verdicts.demsar(adjust="holm")).caption
    assert "adjustment" not in critical_difference(verdicts.random(2)).caption  # one pair: nothing to adjust for


def test_the_caption_tells_what_was_done_against_advice() -> None:
    verdict = verdicts.demsar()
    finding = dataclasses.replace(verdict.finding, against_advice=("It needs more tasks.",))
    verdict = dataclasses.replace(verdict, finding=finding)
    assert critical_difference(verdict).caption.endswith("Done against advice: It needs more tasks.")


def test_a_group_with_somebody_else_in_between_is_not_contiguous() -> None:
    info = critical_difference(verdicts.not_by_neighbours())
    assert [(group.members, group.contiguous) for group in info.groups] == [
        (("steady", "wild"), False),
        (("shadow", "wild"), True),
    ]
    assert [group.lane for group in info.groups] == [0, 1]
    assert "A learner that a thin line passes without a dot does not belong to it." in info.caption
    assert info.critical_distance is None


def test_a_group_of_one_has_no_bar() -> None:
    info = critical_difference(verdicts.random(2))
    assert [(group.members, group.lane) for group in info.groups] == [(("learner 2",), None), (("learner 1",), None)]
    assert info.lanes == 0
    assert "There are no bars" in info.caption
    assert list(info.to_frame()["groups"]) == ["a", "b"]


@pytest.mark.parametrize("seed", range(20))
def test_bars_in_one_lane_do_not_touch(seed: int) -> None:
    rng = np.random.default_rng(seed)
    verdict = verdicts.random(12)
    random = rng.random((12, 12)) < 0.6
    tied = np.triu(random, 1) | np.triu(random, 1).T | np.eye(12, dtype=bool)
    found = maximal_groups(tied, range(12))
    assert found is not None
    names = verdict.ranking
    verdict = dataclasses.replace(verdict, groups=tuple(tuple(names[i] for i in group) for group in found))
    info = critical_difference(verdict)
    place = places(info)
    assert len(info.groups) == len(found)
    for group in info.groups:
        inside = place[group.members[-1]] - place[group.members[0]] + 1
        assert group.contiguous == (inside == len(group.members))
        assert (group.lane is None) == (len(group.members) == 1)
        for other in info.groups:
            if other is not group and other.lane == group.lane is not None:
                first, second = sorted((group, other), key=lambda g: place[g.members[0]])
                assert place[first.members[-1]] < place[second.members[0]]


def test_too_many_groups_are_not_drawn() -> None:
    verdict = verdicts.random(12)
    first, *others, last = verdict.ranking
    many = tuple((first, other, last) for other in others) * 4
    info = critical_difference(dataclasses.replace(verdict, groups=many))
    assert info.groups == ()
    assert "Groups are not drawn" in info.caption
    assert "joined by a bar" not in info.caption


def test_a_tangled_relation_says_so() -> None:
    info = critical_difference(dataclasses.replace(verdicts.random(5), groups=None))
    assert info.groups == ()
    assert "Groups are not drawn" in info.caption
    assert set(info.to_frame()["groups"]) == {""}


def test_marks_against_a_control() -> None:
    info = critical_difference(verdicts.demsar(control="C4.5"))
    assert {placed.learner: placed.mark for placed in info.learners} == {
        "C4.5": Mark.CONTROL,
        "C4.5+m": Mark.APART,
        "C4.5+m+cf": Mark.APART,
        "C4.5+cf": Mark.TIED,
    }
    assert info.groups == ()
    assert "the control ◆ C4.5: ● told apart from it, ○ not told apart" in info.caption
    assert "Groups" not in info.caption
    assert list(info.to_frame()["mark"]) == ["told apart", "told apart", "not told apart", "control"]


def test_a_critical_distance_only_where_there_is_one() -> None:
    assert critical_difference(verdicts.demsar(adjust="holm")).critical_distance is None
    dunn = critical_difference(verdicts.demsar(control="C4.5", adjust="bonferroni"))
    assert dunn.critical_distance == pytest.approx(1.168, abs=1e-3)
    assert "differs from the control in mean rank by more than CD = 1.168" in dunn.caption
    assert critical_difference(verdicts.random(2)).critical_distance is None  # signed ranks are no distance of means


def test_a_distance_that_contradicts_a_decision_is_not_shown() -> None:
    verdict = verdicts.demsar(alpha=0.10)
    decisions = tuple(dataclasses.replace(judged, decision=Decision.EQUIVALENT) for judged in verdict.decisions)
    verdict = dataclasses.replace(verdict, decisions=decisions)
    assert critical_difference(verdict).critical_distance is None


def test_ties_in_position() -> None:
    info = critical_difference(verdicts.all_equal(6))
    assert {placed.position for placed in info.learners} == {3.5}
    assert [len(group.members) for group in info.groups] == [6]


def test_thirty_learners_are_drawn_and_thirty_one_refused() -> None:
    assert len(critical_difference(verdicts.random(30)).learners) == 30
    with pytest.raises(MisfitError, match=r"31 learners cannot be read; at most 30") as refused:
        critical_difference(verdicts.random(31))
    assert "choose the learners" in str(refused.value)


def test_one_learner_is_refused() -> None:
    right = [float(i % 3 > 0) for i in range(60)]
    alone = Scores.of(
        right, learner=["only"] * 60, instance=list(range(60)), measures={"accuracy": known_measure("accuracy")}
    )
    with pytest.raises(UsageError, match="compares no pairs"):
        critical_difference(judge(alone, "wilson"))


def test_a_learner_without_a_place_is_refused() -> None:
    verdict = verdicts.demsar()
    position = {**verdict.finding.position, "C4.5": float("inf")}
    verdict = dataclasses.replace(verdict, finding=dataclasses.replace(verdict.finding, position=position))
    with pytest.raises(MisfitError, match=r"no place on the axis: C4\.5"):
        critical_difference(verdict)


def test_the_table_is_made_without_matplotlib_and_drawn_without_pyplot() -> None:
    code = (
        "import sys, verdicts\n"
        "from bakeoff.figures.critical_difference import critical_difference\n"
        "info = critical_difference(verdicts.demsar())\n"
        "assert 'matplotlib' not in sys.modules, 'matplotlib'\n"
        "info.figure()\n"
        "assert 'matplotlib.pyplot' not in sys.modules, 'pyplot'\n"
    )
    subprocess.run([sys.executable, "-c", code], check=True, cwd=Path(__file__).parent)


@pytest.mark.parametrize("k", [2, 4])
def test_probabilities_are_drawn_too(k: int) -> None:
    table = 0.7 + np.linspace(0, 0.1, k) + 0.02 * np.random.default_rng(k).standard_normal((20, k))
    verdict = judge(verdicts.scores(table, [f"learner {i}" for i in range(k)]), "bayes-signed-rank", margin=0.01)
    info = critical_difference(verdict)
    assert info.critical_distance is None
    assert "one is better by more than 0.01 with probability 0.95 or more" in info.caption
    assert "α" not in info.caption
    assert "<svg" in info._repr_svg_()


# ----------------------------------------------------------------------------------------------------------------------
# The critical-difference diagram as drawn: nothing covers anything else, and everything is where it belongs.


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
    made = info.figure()
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
    lines = elbows(info.figure())
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
    made = info.figure()
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
    made = info.figure()
    stems = dict(zip(("steady", "shadow"), (float(line.get_xdata()[1]) for line in elbows(made)[1:]), strict=True))
    (dots,) = [line for line in made.axes[0].lines if line.get_marker() == "o"]
    assert len(dots.get_xdata()) == 2
    assert stems["steady"] in list(dots.get_xdata())
    assert stems["shadow"] not in list(dots.get_xdata())
    assert len(bars(made)) == 1


@pytest.mark.parametrize("verdict", [verdicts.demsar(), verdicts.random(2)], ids=["rank", "measure"])
def test_the_best_is_on_the_right(verdict: Verdict) -> None:
    made = critical_difference(verdict).figure()
    at = {text.get_text(): text.get_position()[0] for text in made.axes[0].texts}
    assert at[verdict.ranking[0]] > at[verdict.ranking[-1]]


def test_the_critical_distance_is_drawn_to_scale() -> None:
    info = critical_difference(verdicts.demsar())
    made = info.figure()
    ticks = {text.get_text(): text.get_position()[0] for text in made.axes[0].texts}
    unit = ticks["1"] - ticks["2"]
    (bracket,) = [line for line in made.axes[0].lines if line.get_linewidth() == 1.4]
    assert abs(bracket.get_xdata()[1] - bracket.get_xdata()[0]) == pytest.approx(unit * info.critical_distance)
    assert "CD = 1.254" in words(made)
    assert "CD = 2.344 (longer than the axis)" in words(critical_difference(verdicts.random(3, n=2)).figure())


def test_marks_of_a_control() -> None:
    made = critical_difference(verdicts.demsar(control="C4.5")).figure()
    marks = [
        (line.get_marker(), line.get_markerfacecolor()) for line in made.axes[0].lines if line.get_marker() in "Do"
    ]
    assert sorted(marks) == [("D", "black"), ("o", "black"), ("o", "black"), ("o", "white")]


def test_names_are_drawn_literally_and_in_full_in_the_table() -> None:
    info = critical_difference(verdicts.random(8, names=STRANGE))
    made = info.figure()
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
    info.draw(own.add_subplot(2, 1, 1), caption=True)
    assert info.caption.replace(" ", "") in "".join(words(own)).replace(" ", "")
    bare = own.add_subplot(2, 1, 2)
    info.draw(bare)
    assert not any("Friedman" in text.get_text() for text in bare.texts)


@pytest.mark.parametrize("size", [(2, 5), (8, 0.5)])
def test_an_ax_that_is_too_small_is_refused(size: tuple[float, float]) -> None:
    ax = Figure(figsize=size).add_axes((0, 0, 1, 1))
    with pytest.raises(UsageError, match=r"needs an ax of 6\.5 × \d\.\d inches; found"):
        critical_difference(verdicts.demsar()).draw(ax)
    assert not ax.lines
