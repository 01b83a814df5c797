"""The tables behind figures against numbers, and drawings that show them, readable at any size."""

from __future__ import annotations

from math import inf, isnan

import numpy as np
import pandas as pd
import pytest
import verdicts
from matplotlib.axes import Axes
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from matplotlib.text import Text
from matplotlib.transforms import Bbox

from bakeoff.errors import MisfitError, UsageError
from bakeoff.figures.confusion import confusion_figure
from bakeoff.figures.figure import Chart, Style, rendering
from bakeoff.figures.histogram import histogram
from bakeoff.figures.intervals import MOST_ROWS, IntervalPlot
from bakeoff.figures.range_plot import range_plot
from bakeoff.figures.relations import relations
from bakeoff.figures.reliability import ReliabilityDiagram
from bakeoff.figures.scatter import scatter
from bakeoff.figures.tables import LearnerValues, shared_blocks, values_of
from bakeoff.judging import judge
from bakeoff.measures.answers import AnsweredRows, LearnerAnswers, confusion
from bakeoff.scores import Scores, read_scores, unpaired

LONG = "gradient boosted trees with a very long name, depth {}"
STRANGE = ["a$x$_2^3", "<b>&amp;", "随机森林", "شبكة عصبية", "\\textbf{x}", "100 %", "🤖 robot", "née"]


def table(k: int, n: int = 20, names: list[str] | None = None) -> Scores:
    values = 0.7 + np.linspace(0, 0.15, k) + 0.05 * np.random.default_rng(k).standard_normal((n, k))
    return verdicts.scores(values, names or [f"learner {i + 1}" for i in range(k)])


def shown_ticks(ax: Axes) -> list[Text]:
    """The labels of ticks that lie on the axes."""
    found = []
    for axis in (ax.xaxis, ax.yaxis):
        low, high = sorted(axis.get_view_interval())
        ticks = zip(axis.get_ticklocs(), axis.get_ticklabels(), strict=True)
        found += [text for place, text in ticks if low - 1e-9 <= place <= high + 1e-9]
    return found


def texts(made: Figure) -> dict[str, Bbox]:
    """What is written, with the place that it takes."""
    renderer = FigureCanvasAgg(made).get_renderer()
    made.draw_without_rendering()  # only the places are wanted
    found = {}
    for ax in made.axes:
        legend = ax.get_legend()
        every = [*shown_ticks(ax), ax.xaxis.label, ax.yaxis.label, *ax.texts, ax.title]
        for text in [*every, *([] if legend is None else legend.get_texts())]:
            if text.get_visible() and text.get_text() and ax.axison:
                found[f"{id(text)} {text.get_text()}"] = text.get_window_extent(renderer)
    return found


def assert_legible(chart: Chart, style: Style | None = None) -> Figure:
    """All that is written lies inside the figure, and nothing over something else."""
    made = chart.figure(style=style or Style())
    with rendering(style or Style()):
        found = texts(made)
    names, room = list(found), 0.5  # pixels of a hundred an inch
    x0, y0, x1, y1 = np.array([box.extents for box in found.values()]).reshape(-1, 4).T
    inside = (x0 >= -room) & (y0 >= -room) & (x1 <= made.bbox.x1 + room) & (y1 <= made.bbox.y1 + room)
    assert [name for name, fits in zip(names, inside, strict=True) if not fits] == []
    apart = (x1[:, None] <= x0 + room) | (y1[:, None] <= y0 + room)  # one left of the other, or below it
    over = np.argwhere(np.triu(~(apart | apart.T), 1))
    assert [(names[first], names[second]) for first, second in over] == []
    return made


OF_SCORES = ["histogram", "range", "scatter", "box_density"]


@pytest.mark.parametrize("kind", [*OF_SCORES, "intervals", "relations"])
def test_nothing_is_written_over_something_else_in_a_narrow_column_with_other_scripts(kind: str) -> None:
    chart = getattr(table(8, names=STRANGE).plot, kind)()
    assert_legible(chart, Style(width=3.3, font_size=7))
    assert_legible(chart, Style(width=7, font_size=14))


@pytest.mark.parametrize(("kind", "n"), [("box_density", 1), *((kind, n) for kind in OF_SCORES for n in (2, 200))])
def test_from_one_task_to_two_hundred(kind: str, n: int) -> None:
    assert_legible(getattr(table(4, n).plot, kind)())


@pytest.mark.parametrize("kind", [kind for kind in OF_SCORES if kind != "box_density"])
def test_one_task_is_too_few(kind: str) -> None:
    with pytest.raises(MisfitError, match=r"a single one here|needs two learners, and several blocks"):
        getattr(table(4, 1).plot, kind)()


def test_width_and_letters_are_what_was_asked_for() -> None:
    chart = table(4).plot.range()
    for style in (Style(width=3.3), Style(width=5, font_size=12), Style(font_size=6)):
        made = chart.figure(style=style)
        assert made.get_size_inches()[0] == pytest.approx(style.width or 6.5)
        assert made.axes[0].xaxis.label.get_fontsize() == style.font_size
    wide = verdicts.demsar().plot().figure(style=Style(width=6.5, font_size=9))
    assert wide.get_size_inches()[0] == pytest.approx(6.5)
    square = table(4).plot.scatter().figure()
    box = square.axes[0].get_window_extent()
    assert box.width == pytest.approx(box.height, rel=0.02)


# ----------------------------------------------------------------------------------------------------------------------
# Tables.


def test_intervals_are_those_of_the_verdict() -> None:
    verdict = verdicts.demsar("wilcoxon", margin=0.03)
    chart = verdict.plot("intervals")
    assert isinstance(chart, IntervalPlot)
    frame = chart.to_frame()
    assert frame["advantage"].tolist() == [one.advantage for one in verdict.decisions]
    assert frame["lower"].tolist() == [one.at_least for one in verdict.decisions]
    assert frame["decision"].tolist() == [one.decision.value for one in verdict.decisions]
    assert chart.margin == 0.03
    ax = chart.figure().axes[0]
    filled = [line for line in ax.lines if line.get_marker() == "o" and line.get_markerfacecolor() != "white"]
    told = sum(one.apart for one in verdict.decisions)
    assert sum(len(line.get_xdata()) for line in filled) == told
    assert "±0.03" in chart.caption
    assert "Simultaneous 95 % intervals" in verdicts.demsar().plot("intervals").caption


def test_too_many_pairs_leave_those_with_the_best() -> None:
    verdict = verdicts.random(30)
    chart = verdict.plot("intervals")
    assert len(chart.rows) == 29 <= MOST_ROWS
    assert all(verdict.ranking[0] in (row.first, row.second) for row in chart.rows)
    assert len(chart.to_frame()) == 435
    assert chart.to_frame()["drawn"].sum() == 29
    assert "406 others are in the table" in chart.caption


def test_one_sided_intervals_have_an_arrow() -> None:
    chart = judge(table(2), "wilcoxon", alternative="better").plot("intervals")
    assert inf in [abs(row.upper) for row in chart.rows] + [abs(row.lower) for row in chart.rows]
    assert {line.get_marker() for line in chart.figure().axes[0].lines} & {"<", ">"}


def test_relations_count_wins_and_mirror_them() -> None:
    scores = verdicts.scores(verdicts.DEMSAR, verdicts.DEMSAR_LEARNERS)
    verdict = verdicts.demsar()
    chart = relations(verdict, scores)
    frame = chart.to_frame().set_index(["row", "column"])
    values = np.array(verdicts.DEMSAR)
    one = frame.loc[("C4.5+m+cf", "C4.5")]
    difference = values[:, 3] - values[:, 0]
    assert (one.wins, one.ties, one.losses) == tuple(
        int(c.sum()) for c in (difference > 0, difference == 0, difference < 0)
    )
    back = frame.loc[("C4.5", "C4.5+m+cf")]
    assert (back.wins, back.losses, back.advantage, back.p) == (one.losses, one.wins, -one.advantage, one.p)
    assert {one.decision, back.decision} <= {"better", "worse", "undecided"}
    assert chart.learners == verdict.ranking
    cells = chart.cells()
    assert cells["C4.5+m+cf", "C4.5"].endswith(f"\n{one.wins}–{one.ties}–{one.losses}")
    bare = relations(verdict)
    assert bare.to_frame()["wins"].eq(-1).all()
    assert "wins" not in bare.caption


def test_a_non_inferior_row_says_nothing_of_its_column() -> None:
    verdict = verdicts.demsar("wilcoxon", margin=0.012)
    frame = verdict.plot("relations").to_frame()
    seen = set(frame["decision"])
    assert "non-inferior" in {one.decision.value for one in verdict.decisions}, "or this test shows nothing"
    pairs = frame.set_index(["row", "column"])["decision"]
    for (row, column), decision in pairs.items():
        if decision == "non-inferior":
            assert pairs[column, row] == "undecided"
    assert seen <= {"better", "worse", "equivalent", "non-inferior", "undecided"}


def test_the_scatter_is_of_the_two_best_or_of_those_named() -> None:
    scores = verdicts.scores(verdicts.DEMSAR, verdicts.DEMSAR_LEARNERS)
    chart = scatter(shared_blocks(scores))
    means = np.array(verdicts.DEMSAR).mean(axis=0)
    best = [verdicts.DEMSAR_LEARNERS[i] for i in np.argsort(-means)[:2]]
    assert [chart.first, chart.second] == best
    assert sum(chart.counts()) == len(verdicts.DEMSAR)
    named = scores.plot.scatter(pair=("C4.5", "C4.5+m"))
    assert named.counts() == (2, 2, 10)
    assert named.to_frame()["C4.5"].tolist() == [row[0] for row in verdicts.DEMSAR]
    with pytest.raises(UsageError, match="two of the learners"):
        scores.plot.scatter(pair=("C4.5", "C5"))
    with pytest.raises(MisfitError, match="independent samples"):
        unpaired(scores).plot.scatter()
    wrong = read_scores(pd.DataFrame({"truth": list("abab"), "u": list("aabb"), "v": list("abbb")}))
    with pytest.raises(MisfitError, match="0 or 1 in each block"):
        wrong.plot.scatter()


def test_histogram_classes_hold_every_value_once() -> None:
    scores = table(3, 50)
    chart = scores.plot.histogram()
    assert [sum(row.counts) for row in chart.rows] == [50, 50, 50]
    own = scores.only(learners=["learner 2"]).value
    assert chart.rows[1].counts == tuple(np.histogram(own, chart.edges)[0])
    assert chart.rows[1].mean == pytest.approx(own.mean())
    assert len(scores.plot.histogram(bins=7).edges) == 8
    steps = np.diff(chart.edges)
    assert steps == pytest.approx(steps[0])
    assert set(chart.to_frame().columns) == {"panel", "learner", "from", "to", "count"}
    same = histogram(LearnerValues("error", "smaller", "tasks", {"": {"a": np.array([0.5, 0.5])}}))
    assert same.rows[0].counts == (2,)


def test_ranges_are_ordered_by_the_mean_whichever_way_is_better() -> None:
    values = {"": {"a": np.array([0.1, 0.5]), "b": np.array([0.2, 0.2, 0.3])}}
    small, large = (range_plot(LearnerValues("m", better, "tasks", values)) for better in ("smaller", "larger"))
    assert [row.learner for row in small.rows] == ["b", "a"]
    assert [row.learner for row in large.rows] == ["a", "b"]
    assert small.to_frame().loc[0, ["smallest", "median", "largest", "size"]].tolist() == [0.2, 0.2, 0.3, 3]
    assert "2 to 3 tasks" in small.caption


def test_values_are_those_of_instances_where_there_is_one_sample() -> None:
    scores = read_scores(pd.DataFrame({"truth": [1.5, 2.5, 4.0], "a": [1.0, 2.0, 3.0], "b": [1.5, 2.5, 3.9]}))
    made = values_of(scores)
    assert made.what == "instances"
    assert made.panels[""]["a"].tolist() == [0.25, 0.25, 1.0]


# ----------------------------------------------------------------------------------------------------------------------
# Of predictions.


def test_confusion_panels_and_their_table() -> None:
    truth = np.array([0, 0, 1, 2, 2])
    each = [
        LearnerAnswers("t", name, ("a", "b", "c"), (AnsweredRows(truth, np.array(given), None),))
        for name, given in (("x", [0, 1, 1, 2, 2]), ("y", [0, 0, 1, 2, 0]))
    ]
    chart = confusion_figure([confusion(one) for one in each])
    frame = chart.to_frame()
    assert frame["count"].sum() == 10
    assert frame.query("learner == 'x' and true == 'a' and assigned == 'b'")["share"].item() == 0.5
    made = chart.figure()
    assert [ax.get_title() for ax in made.axes] == ["x", "y"]
    assert [text.get_text() for text in made.axes[0].texts] == ["1", "1", "1", "2"]
    assert_legible(chart)
    with pytest.raises(MisfitError, match="at most 30"):
        confusion_figure([confusion(each[0])] * 31)
    five = LearnerAnswers("t", "z", tuple("abcde"), (AnsweredRows(truth, truth, None),))
    with pytest.raises(MisfitError, match="13 matrices of 5 classes cannot be read; at most 12"):
        confusion_figure([confusion(five)] * 13)


def test_calibration_counts_every_row() -> None:
    rng = np.random.default_rng(1)
    chance = rng.random(500)
    rows = AnsweredRows((rng.random(500) < chance).astype(int), None, chance, probabilistic=True)
    chart = ReliabilityDiagram.of([LearnerAnswers("", "honest", ("no", "yes"), (rows,))])
    frame = chart.to_frame()
    assert frame["rows"].sum() == 500
    assert ((frame["lower"] <= frame["observed"]) & (frame["observed"] <= frame["upper"])).all()
    covered = ((frame["lower"] <= frame["predicted"]) & (frame["predicted"] <= frame["upper"])).mean()
    assert covered >= 0.8
    assert not any(isnan(value) for value in frame["predicted"])
    assert_legible(chart)
    scored = AnsweredRows(np.array([0, 1]), None, np.array([-3.0, 2.0]))
    with pytest.raises(MisfitError, match="no probabilities"):
        ReliabilityDiagram.of([LearnerAnswers("", "svm", ("no", "yes"), (scored,))])
