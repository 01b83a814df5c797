"""Learning curves with simultaneous bands, where two separate; tables of wins, losses and ties by level of noise."""

from __future__ import annotations

import numpy as np

from bakeoff.judging.designed import SettingTable, judge_design
from bakeoff.judging.learning_curves import learning_curves
from bakeoff.measures import known_measure
from bakeoff.scores import Scores

SIZES = [0.1, 0.3, 1.0]


def settings_of(learners: list[str], factor: str, levels: list[float]) -> dict[str, dict[str, object]]:
    return {f"{who} {factor}={level:g}": {"learner": who, factor: level} for who in learners for level in levels}


def test_curves_separate_from_the_size_on_at_which_they_stay_apart() -> None:
    settings = settings_of(["a", "b"], "training-size", SIZES)
    rng = np.random.default_rng(1)
    means = np.array([0.5, 0.6, 0.9, 0.5, 0.6, 0.7])
    table = SettingTable("", means + rng.normal(0, 0.01, (10, 6)), 0.0)
    (found,) = learning_curves(settings, [table], 0.05, True, "accuracy")
    assert list(found.curves) == ["a", "b"]
    (pair,) = found.separations
    assert (pair.size, pair.better) == (1.0, "a")
    assert found.sentence == "Learning curves: a and b separate from 1 on (a is better)."
    (turned,) = learning_curves(settings, [table], 0.05, False, "error")
    assert turned.separations[0].better == "b"
    alike = SettingTable("", 0.5 + rng.normal(0, 0.01, (10, 6)), 0.0)
    assert learning_curves(settings, [alike], 0.05, True, "accuracy")[0].separations[0].size is None


def test_bands_cover_all_sizes_at_once() -> None:
    """Of independent draws of correlated sizes, at most about 5 % of bands miss the truth somewhere."""
    rng = np.random.default_rng(2)
    truth = np.linspace(0.5, 0.8, 4)
    settings = settings_of(["a"], "training-size", [0.1, 0.2, 0.5, 1.0])
    wrong = 0
    for _ in range(200):
        values = truth + rng.normal(0, 0.05, (9, 1)) + rng.normal(0, 0.05, (9, 4))
        (points,) = learning_curves(settings, [SettingTable("", values, 0.0)], 0.05, True, "accuracy")[
            0
        ].curves.values()
        wrong += any(not p.lower <= t <= p.upper for p, t in zip(points, truth, strict=True))
    assert 1 <= wrong <= 20


def test_overlapping_training_sets_widen_bands() -> None:
    settings = settings_of(["a"], "training-size", SIZES)
    values = np.random.default_rng(3).normal(0.7, 0.05, (10, 3))
    widths = []
    for ratio in (0.0, 0.25):
        (points,) = learning_curves(settings, [SettingTable("", values, ratio)], 0.05, True, "accuracy")[
            0
        ].curves.values()
        widths.append(points[0].upper - points[0].lower)
    np.testing.assert_allclose(widths[1] / widths[0], np.sqrt(1 + 10 * 0.25))


def noise_scores() -> Scores:
    """Two learners on three tasks at two levels of noise: b loses on all tasks with noise, and nowhere without."""
    from dataclasses import replace

    settings = settings_of(["a", "b", "c"], "class-noise", [0.0, 0.2])
    rng = np.random.default_rng(4)
    rows = [
        (name, task, fold, 0.9 - 0.3 * (each["learner"] == "b" and each["class-noise"] == 0.2) + rng.normal(0, 0.01))
        for name, each in settings.items()
        for task in ("t1", "t2", "t3")
        for fold in range(5)
    ]
    learner, task, fold, value = zip(*rows, strict=True)
    made = Scores.of(
        value, learner=learner, task=task, fold=fold, measures={"accuracy": known_measure("accuracy")},
        n_train=[80.0] * len(rows), n_test=[20.0] * len(rows),
    )  # fmt: skip
    factors = {"class-noise": {"levels": [0.0, 0.2]}}
    return replace(made, settings={"kind": "noise", "factors": factors, "settings": settings})


def test_the_table_of_each_noise_level_has_the_layout_of_the_document() -> None:
    found = judge_design(noise_scores()).noise
    assert found is not None
    header, rows = found.table("0.2")
    assert header == ["class-noise = 20%", "a", "b"]
    assert [row[0] for row in rows] == ["c", "b"]
    assert rows[0][1:] == ["0-0-3", "3-0-0"]
    assert rows[1][1:] == ["0-3-0", ""]
    assert found.table("0")[1][1][1:] == ["0-0-3", ""]
    differences = found.differences["0.2", "b", "a"]
    assert [round(row.difference, 1) for row in differences] == [-0.3] * 3
    assert all(row.lower < row.difference < row.upper < 0 for row in differences)
    assert sorted(row.difference for row in differences) == [row.difference for row in differences]
