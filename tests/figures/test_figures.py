"""All figures by name: what each promises, and how they are reached from scores, verdicts and the command line."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
import pandas as pd
import pytest
import verdicts
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from test_kinds import LONG, STRANGE, assert_legible

from bakeoff import figures
from bakeoff.cli import main
from bakeoff.errors import MisfitError, UsageError
from bakeoff.figures import chart_named, charts, plot
from bakeoff.figures.curves import ThresholdCurves
from bakeoff.figures.figure import Chart, Style
from bakeoff.judging import judge
from bakeoff.judging.verdict import Verdict
from bakeoff.scores import Scores, read_scores

SCORES = verdicts.scores(verdicts.DEMSAR, verdicts.DEMSAR_LEARNERS)


def predicted(n: int = 60) -> Scores:
    """Two learners' probabilities beside a truth of 0 and 1."""
    rng = np.random.default_rng(2)
    truth = rng.integers(0, 2, n)
    svm, tree = (np.clip(0.5 + s * (truth - 0.5) + 0.25 * rng.standard_normal(n), 0, 1) for s in (0.6, 0.3))
    return read_scores(pd.DataFrame({"truth": truth, "svm": svm, "tree": tree}))


PREDICTED = predicted()
SIZES = pd.DataFrame(
    [
        {"learner": name, "n_train": n, "fold": fold, "error": 1 / n + 0.01 * fold + 0.1 * (name == "b")}
        for name in "ab"
        for n in (10, 100, 1000)
        for fold in (1, 2)
    ]
)
TABLES = {
    "learning-curve": SIZES,
    "difference": SIZES,
    "interaction": SIZES.rename(columns={"n_train": "factor"}),
    "contour": pd.DataFrame(
        [{"C": c, "gamma": g, "accuracy": -((c - 2) ** 2) - g} for c in range(5) for g in range(4)]
    ),
    "half-normal": pd.DataFrame({"term": list("ABCDEFG"), "effect": [9.0, 0.3, -0.4, 0.1, 0.2, -0.6, 0.5]}),
    "power": pd.DataFrame({"curve": ["t", "t", "sign", "sign"], "n": [5, 10, 5, 10], "power": [0.4, 0.8, 0.3, 0.6]}),
}
TWO_MEASURES = read_scores(
    pd.DataFrame(
        [
            {
                "learner": f"l{i}",
                "fold": f,
                "error": 0.1 * i + 0.01 * ((f + i) * 7 % 5),
                "auc": 0.9 - 0.1 * i + 0.01 * ((f + 2 * i) * 3 % 7),
            }
            for i in range(3)
            for f in range(10)
        ]
    )
)


def example(kind: str) -> Chart:
    """A chart of every kind."""
    of = charts()[kind].made_of
    sources = {"verdict": verdicts.demsar(), "scores": SCORES, "predictions": PREDICTED.predictions.answers()}
    if of == "table":
        return plot(TABLES[kind], kind)
    if kind == "posterior":
        return plot(judge(SCORES, "bayes-sign", margin=0.01), kind)
    return plot(TWO_MEASURES if charts()[kind].several_measures else sources[of], kind)


@pytest.mark.parametrize("kind", sorted(charts()))
def test_every_figure_is_a_table_that_can_be_drawn_and_saved(kind: str, tmp_path: Path) -> None:
    chart = example(kind)
    assert charts()[kind].kinds[kind]
    assert charts()[kind].made_of in ("scores", "verdict", "predictions", "table")
    assert len(chart.to_frame())
    assert chart.title
    chart.draw(Figure(figsize=(9, 7)).add_subplot())
    chart.save(tmp_path / "figure.svg")
    assert chart._repr_svg_().encode() == (tmp_path / "figure.svg").read_bytes()
    with pytest.raises(UsageError, match="SVG, PDF or PNG"):
        chart.save(tmp_path / "figure.doc")


JUDGED: dict[object, Verdict] = {}


def sized(kind: str, names: list[str], n: int = 20) -> Chart:
    """A chart of every kind, of as many learners as there are names."""
    k, rng, of = len(names), np.random.default_rng(5), charts()[kind].made_of
    table = 0.7 + np.linspace(0, 0.15, k) + 0.05 * rng.standard_normal((n, k))
    if kind in ("learning-curve", "difference", "interaction"):
        rows = [(name, m, fold, 1 / m + 0.1 * i + 0.01 * fold) for i, name in enumerate(names)
                for m in (10, 100, 1000) for fold in (1, 2)]  # fmt: skip
        size = "factor" if kind == "interaction" else "n_train"
        return plot(pd.DataFrame(rows, columns=["learner", size, "fold", "error"]), kind)
    if kind == "half-normal":
        return plot(pd.DataFrame({"term": names, "effect": [5.0, *rng.standard_normal(k - 1)]}), kind)
    if kind == "power":
        rows = [(name, m, 1 - np.exp(-m * (i + 1) / 50)) for i, name in enumerate(names) for m in (5, 10, 20)]
        return plot(pd.DataFrame(rows, columns=["curve", "n", "power"]), kind)
    if of == "table":
        return plot(TABLES[kind], kind)
    if of == "predictions":
        truth = rng.integers(0, 2, 80)
        chances = {name: np.clip(0.3 + 0.4 * truth + 0.3 * rng.standard_normal(80), 0, 1) for name in names}
        return plot(read_scores(pd.DataFrame({"truth": truth} | chances)).predictions.answers(), kind)
    if charts()[kind].several_measures:
        rows = [(name, fold, rng.random(), rng.random()) for name in names for fold in range(12)]
        return plot(read_scores(pd.DataFrame(rows, columns=["learner", "fold", "error", "auc"])), kind)
    scores = verdicts.scores(table, names)
    return plot(judged(scores, names, n, kind == "posterior") if of == "verdict" else scores, kind)


def judged(scores: Scores, names: list[str], n: int, by_posterior: bool) -> Verdict:
    """One verdict for all kinds of figures."""
    key = (*names, n, by_posterior)
    if key not in JUDGED:
        JUDGED[key] = judge(scores, **({"procedure": "bayes-sign", "margin": 0.01} if by_posterior else {}))
    return JUDGED[key]


# How many learners there can be: a difference is of two, effects are at least three.
LEARNERS = {"difference": (2,), "half-normal": (5, 30), "contour": (2,)}
# Of more than five learners these have the letters and the legend of `lift` and `roc`, which are of the same class.
LEARNERS |= dict.fromkeys(("cost", "pr", "sensitivity-specificity"), (5,))


# Twelve such names are drawn below, where they have half the room.
@pytest.mark.parametrize(("kind", "k"), [(kind, k) for kind in sorted(charts()) for k in LEARNERS.get(kind, (2, 30))])
def test_nothing_is_written_over_something_else_or_beyond_the_figure(kind: str, k: int) -> None:
    assert_legible(sized(kind, [LONG.format(i) for i in range(k)]))


@pytest.mark.parametrize(("kind", "k"), [(kind, k) for kind in sorted(charts()) for k in LEARNERS.get(kind, (5, 30))])
def test_nor_are_names_in_other_letters_and_scripts(kind: str, k: int) -> None:
    made = assert_legible(sized(kind, [f"{STRANGE[i % len(STRANGE)]} {i}" for i in range(k)]))
    assert_room_for_curves(made)


def assert_room_for_curves(made: Figure) -> None:
    """A legend, of thirty names as well, leaves most of a figure to the curves."""
    boxes = [ax.get_window_extent() for ax in made.axes]
    assert max(box.width for box in boxes) >= 0.5 * made.bbox.width / len(boxes)
    if made.axes[0].get_legend() is not None:
        assert max(box.height for box in boxes) >= 0.3 * made.bbox.height


COLUMN = Style(width=3.35, font_size=8)  # of a paper in two columns


@pytest.mark.parametrize(
    ("kind", "k"),
    [(kind, k) for kind in sorted(charts()) for k in [each for each in LEARNERS.get(kind, (5, 12)) if each < 30]],
)
def test_nothing_leaves_the_column_of_a_paper(kind: str, k: int) -> None:
    made = assert_legible(sized(kind, [LONG.format(i) for i in range(k)]), COLUMN)
    assert max(ax.get_window_extent().width for ax in made.axes) >= 0.17 * made.bbox.width


def test_a_diagram_shortens_names_to_fit_a_column_and_says_how_wide_it_must_be() -> None:
    chart = sized("critical-difference", [LONG.format(i) for i in range(12)])
    for left in (chart, chart.with_names_on_the_left()):
        assert_legible(left, COLUMN)
    with pytest.raises(UsageError, match=r"of these 12 learners needs \d\.\d inches; found 1\.50\. Make it wider"):
        chart.figure(style=Style(width=1.5))


def test_differences_on_many_tasks_have_no_names_and_stay_on_a_page() -> None:
    rng = np.random.default_rng(3)
    for tasks in (80, 81, 400):
        chart = plot(verdicts.scores(rng.random((tasks, 2)), ["a", "b"]), "task-differences")
        made = assert_legible(chart)
        assert made.get_size_inches()[1] < 15
        assert len(made.axes[0].get_yticks()) == (tasks if tasks == 80 else 0)
        assert len(chart.to_frame()) == tasks


def test_figures_are_reached_from_scores_and_verdicts() -> None:
    ax = Figure(figsize=(9, 7)).add_subplot()
    chart = SCORES.plot.critical_difference(ax=ax, alpha=0.1)
    assert ax.texts
    assert chart.to_frame().equals(verdicts.demsar(procedure="task-flips", alpha=0.1).plot().to_frame())
    assert SCORES.plot.box_density().panels[0].distributions[0].size == len(verdicts.DEMSAR)
    of_scores = [kind.replace("-", "_") for kind in charts()]
    assert {"box_density", "critical_difference", "roc"} <= set(of_scores)
    assert dir(SCORES.plot) == sorted(of_scores)
    assert PREDICTED.plot.roc().to_frame()["learner"].unique().tolist() == ["svm", "tree"]
    with pytest.raises(MisfitError, match="no predictions of classes here"):
        SCORES.plot.roc()
    with pytest.raises(AttributeError, match="no figure 'rok' of scores"):
        _ = SCORES.plot.rok


def test_unknown_kinds_are_met_with_the_nearest() -> None:
    assert chart_named("ROC") is ThresholdCurves
    with pytest.raises(UsageError, match="Did you mean 'critical-difference'"):
        chart_named("critical-diference")


def test_boxes_of_each_task_where_there_are_folds() -> None:
    folds = verdicts.scores(np.random.default_rng(1).random((6, 2)), ["a", "b"])
    assert len(folds.plot.box_density().panels) == 1
    from bakeoff.scores import Scores

    values = np.random.default_rng(1).random(12)
    labels = {"task": ["t", "u"] * 6, "fold": [str(i // 4) for i in range(12)], "learner": ["a", "a", "b", "b"] * 3}
    table = Scores.of(values, measures=SCORES.measures | {}, **labels)
    assert [panel.heading for panel in table.plot.box_density().panels] == ["t", "u"]


@dataclass(frozen=True)
class Dots(Chart):
    """A figure from outside the package."""

    values: tuple[float, ...]
    title: str = "dots"
    caption: str = ""
    kinds: ClassVar[Mapping[str, str]] = {"dots": "a dot for each score"}
    made_of: ClassVar[str] = "scores"

    @classmethod
    def of(cls, source: Any, kind: str = "", **options: Any) -> Dots:
        return cls(tuple(source.value))

    def to_frame(self) -> pd.DataFrame:
        return pd.DataFrame({"value": self.values})

    def draw(self, ax: Axes) -> None:
        ax.plot(self.values, "o")


@pytest.fixture
def foreign() -> Iterator[None]:
    figures.register(Dots)
    yield
    figures._FOREIGN.clear()


@pytest.fixture
def table(tmp_path: Path) -> str:
    path = tmp_path / "scores.csv"
    SCORES.to_frame().to_csv(path, index=False)
    return str(path)


def test_a_figure_from_outside_is_reached_like_any_other(
    foreign: None, table: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert len(SCORES.plot.dots().to_frame()) == len(SCORES)
    assert main(["plot", "dots", table, "-o", str(tmp_path / "dots.svg")]) == 0
    assert (tmp_path / "dots.svg").exists()
    assert main(["plot"]) == 0
    assert "a dot for each score" in capsys.readouterr().out
    with pytest.raises(UsageError, match="There is a figure 'dots' already"):
        figures.register(Dots)


def test_the_command_lists_kinds_and_those_that_fit_a_file(table: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["plot"]) == 0
    everything = capsys.readouterr().out
    assert all(kind in everything for kind in charts())
    assert main(["plot", table]) == 0
    of_file = capsys.readouterr().out
    can, cannot = of_file.split("These cannot:")
    assert "critical-difference" in can
    assert "roc" not in can
    assert "roc: There are no predictions of classes here" in cannot


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["critical-difference"], "needs the scores to draw"),
        (["critical-difference", "TABLE"], "needs -o FILE"),
        (["ranks", "TABLE", "-o", "x.svg"], "no figure 'ranks'"),
        (["histogram", "TABLE", "-o", "x.tex"], "Only the critical-difference diagram is also written as TikZ"),
        (["histogram", "TABLE", "-o", "x.svg", "--bins", "0"], "A histogram has 1 to 500 classes"),
        (["histogram", "TABLE", "-o", "x.svg", "--width", "0.2"], "1 to 50 inches wide"),
        (["histogram", "TABLE", "-o", "x.svg", "--font-size", "1"], "4 to 40 points"),
        (["histogram", "TABLE", "-o", "x.svg", "--font", "No Such Font"], "no font 'No Such Font'"),
        (["box-density", "TABLE", "-o", "x.doc"], "SVG, PDF or PNG"),
    ],
)
def test_mistakes_are_sentences(
    arguments: list[str], sentence: str, table: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["plot", *(table if word == "TABLE" else word for word in arguments)]) == 2
    assert sentence in capsys.readouterr().err


def test_a_figure_of_a_stored_study(finished_study: Path, tmp_path: Path) -> None:
    for kind, more in (("box-density", []), ("roc", ["--positive", "setosa"]), ("critical-difference", [])):
        path = tmp_path / f"{kind}.svg"
        assert main(["plot", kind, str(finished_study), "-o", str(path), *more]) == 0
        assert path.exists()
