"""Figures of designed studies: each kind is drawn of the right table of the verdict, or says why not."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from bakeoff.errors import MisfitError, UsageError
from bakeoff.figures.designed import DifferenceGraph, design_chart
from bakeoff.judging.design_verdict import DesignVerdict
from bakeoff.judging.designed import judge_design
from bakeoff.measures import known_measure
from bakeoff.scores import Scores


def scores_of(
    settings: dict[str, dict[str, Any]], kind: str, factors: dict[str, Any], mean: Any, tasks: int = 1
) -> Scores:
    rng = np.random.default_rng(1)
    rows = [
        (
            name,
            f"t{task}",
            fold,
            mean(task=task, **{k.replace("-", "_"): v for k, v in each.items()}) + rng.normal(0, 0.01),
        )
        for name, each in settings.items()
        for task in range(tasks)
        for fold in range(5)
    ]
    learner, task, fold, value = zip(*rows, strict=True)
    sizes = {"n_train": [80.0] * len(rows), "n_test": [20.0] * len(rows)}
    made = Scores.of(value, learner=learner, task=task, fold=fold, measures={"error": known_measure("error")}, **sizes)
    return replace(made, settings={"kind": kind, "factors": factors, "settings": settings})


def factorial() -> DesignVerdict:
    settings = {f"k={k} w={w}": {"k": k, "w": w} for k in (1, 5) for w in ("a", "b")}
    factors = {"k": {"levels": [1, 5]}, "w": {"levels": ["a", "b"]}}
    return judge_design(scores_of(settings, "factorial", factors, lambda task, k, w: 0.2 + 0.1 * (k == 5 and w == "b")))


def surface() -> DesignVerdict:
    settings = {f"C={c} g={g}": {"C": c, "g": g} for c in (0.01, 1.0, 100.0) for g in (1.0, 2.0, 3.0)}
    axis = {"scale": "linear", "integer": False}
    factors = {
        "C": {"low": 0.01, "high": 100.0, "scale": "log", "integer": False},
        "g": {"low": 1.0, "high": 3.0, **axis},
    }
    bowl = lambda task, C, g: 0.1 + 0.05 * np.log10(C) ** 2 + 0.1 * (g - 2) ** 2  # noqa: E731
    return judge_design(scores_of(settings, "latin-hypercube", factors, bowl))


def noise() -> Scores:
    settings = {f"{who} {rate}": {"learner": who, "class-noise": rate} for who in ("a", "b") for rate in (0.0, 0.2)}
    factors = {"class-noise": {"levels": [0.0, 0.2]}}
    mean = lambda task, learner, class_noise: 0.2 + (learner == "b") * class_noise * (1 + task)  # noqa: E731
    return scores_of(settings, "noise", factors, mean, tasks=3)


def test_an_interaction_plot_has_the_means_of_the_settings(tmp_path: Path) -> None:
    verdict = factorial()
    made = verdict.plot("interaction", x="k", group="w")
    frame = made.to_frame()
    shown = {f"k={k} w={w}": mean for k, w, mean in zip(frame["k"], frame["w"], frame["mean"], strict=True)}
    assert shown == pytest.approx(dict(verdict.means))
    assert "Interaction k × w: adjusted p" in made.caption
    made.save(tmp_path / "interaction.svg")
    with pytest.raises(UsageError, match="There is no factor 'q'"):
        verdict.plot("interaction", x="q")


def test_a_half_normal_plot_has_the_effects_of_two_level_factors() -> None:
    verdict = factorial()
    assert verdict.sizes is not None
    frame = verdict.plot("half-normal").to_frame()
    assert dict(zip(frame["term"], frame["effect"], strict=True)) == pytest.approx(verdict.sizes)


def test_a_contour_marks_where_the_surface_is_best(tmp_path: Path) -> None:
    made: Any = surface().plot("contour")
    assert made.best == (pytest.approx(1.0, rel=0.2), pytest.approx(2.0, abs=0.1))
    assert len(made.runs) == 9
    made.save(tmp_path / "contour.svg")
    text = (tmp_path / "contour.svg").read_text()
    assert "mathdefault" not in text
    with pytest.raises(MisfitError, match="A contour is that of a fitted surface"):
        factorial().plot("contour")


def test_differences_by_task_at_each_level_of_noise(tmp_path: Path) -> None:
    made = DifferenceGraph.of(noise())
    frame = made.to_frame()
    assert frame["series"].unique().tolist() == ["class-noise 0%", "class-noise 20%"]
    noisy = frame[frame["series"] == "class-noise 20%"].set_index("task")["difference"]
    assert noisy.round(1).to_dict() == {"t0": -0.2, "t1": -0.4, "t2": -0.6}
    assert "to the right of zero b is better" in made.caption
    made.save(tmp_path / "differences.png")
    turned = DifferenceGraph.of(noise(), pair=("b", "a")).to_frame()
    assert (
        turned["difference"].abs().sort_values().to_numpy() == frame["difference"].abs().sort_values().to_numpy()
    ).all()


def test_of_plain_scores_one_series_sorted() -> None:
    plain = replace(noise().only(learners=["a 0.2", "b 0.2"]), settings={})
    frame = DifferenceGraph.of(plain).to_frame()
    assert frame["task"].tolist() == ["t2", "t1", "t0"]
    assert (frame["upper"] < 0).all()
    best_two = DifferenceGraph.of(replace(noise(), settings={}))
    assert "error of " in best_two.caption
    with pytest.raises(UsageError, match="There is no learner 'q'"):
        DifferenceGraph.of(plain, pair=("a 0.2", "q"))


@pytest.mark.parametrize(
    ("kind", "sentence"),
    [
        ("learning-curve", "no factor training-size"),
        ("task-differences", "for each level of noise"),
        ("pie", "no figure 'pie' of a design"),
    ],
)
def test_what_cannot_be_drawn_says_why(kind: str, sentence: str) -> None:
    with pytest.raises((MisfitError, UsageError), match=sentence):
        design_chart(factorial(), kind)


def test_lines_of_a_surface_are_those_of_the_fit_in_the_order_of_the_levels() -> None:
    verdict = surface()
    assert verdict.surface is not None
    made = verdict.plot("interaction", x="C", group="g")
    frame = made.to_frame()
    assert list(dict.fromkeys(frame["C"])) == ["0.01", "0.1", "1", "10", "100"]
    assert list(dict.fromkeys(frame["g"])) == ["1", "2", "3"]
    assert "Fitted error at 3 levels of g" in made.caption
    row = frame[(frame["C"] == "1") & (frame["g"] == "2")]
    assert float(row["mean"].iloc[0]) == pytest.approx(float(verdict.surface.surface.predict([0.0, 0.0])[0]))
