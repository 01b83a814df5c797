from __future__ import annotations

import json

import numpy as np
import zoo

from bakeoff.judging import advise
from bakeoff.registry import procedures
from bakeoff.scores import Scores


def test_every_procedure_is_listed_with_a_reason_or_fits() -> None:
    advice = advise(zoo.table(np.random.default_rng(0).random((10, 3)), kind="kfold"))
    assert [c.procedure for c in advice.candidates] == [p.name for p in procedures()]
    assert all(c.fits != bool(c.unmet) for c in advice.candidates)
    text = advice.to_text()
    assert "Recommended: corrected-t" in " ".join(text.split())
    assert "Not fitting:" in text
    assert json.loads(advice.to_json())["recommended"] == "corrected-t"
    assert advice.to_frame()["recommended"].sum() == 1
    assert "<table>" in advice._repr_html_()


def test_advice_does_not_depend_on_the_values() -> None:
    rng = np.random.default_rng(1)
    normal, skewed = rng.standard_normal((20, 3)), rng.lognormal(0, 3, (20, 3))
    assert [
        [c.fits for c in advise(zoo.table(values, kind="tasks")).candidates] for values in (normal, skewed)
    ] == 2 * [[c.fits for c in advise(zoo.table(normal, kind="tasks")).candidates]]


def test_a_single_run_fits_nothing_and_says_why() -> None:
    advice = advise(zoo.table(np.array([[0.7, 0.8]]), kind="tasks"))
    assert advice.recommended == ""
    assert "No procedure fits" in advice.to_text()
    assert [w.code for w in advice.warnings] == ["single-run"]


def test_unknown_sizes_of_repeated_runs_are_asked_for() -> None:
    rng = np.random.default_rng(2)
    keys = {"learner": ["a", "b"] * 10, "repeat": [str(i // 2) for i in range(20)]}
    measures = {"accuracy": zoo.measure("accuracy")}
    bare = Scores.of(rng.random(20), **keys, measures=measures)
    corrected = next(c for c in advise(bare).candidates if c.procedure == "corrected-t")
    assert any("n_train" in reason for reason in corrected.unmet)
    sized = Scores.of(rng.random(20), **keys, measures=measures, n_train=[90] * 20, n_test=[10] * 20)
    assert advise(sized).recommended == "corrected-t"


def test_instances_with_folds_may_be_averaged_but_are_not_by_default() -> None:
    rng = np.random.default_rng(3)
    learner, fold, instance = zip(*[(a, str(i % 5), str(i)) for i in range(50) for a in "ab"], strict=True)
    scores = Scores.of(
        rng.random(100), learner=learner, fold=fold, instance=instance, measures={"brier": zoo.measure("brier")}
    )
    advice = advise(scores)
    assert advice.layout.level == "instances"
    assert advice.recommended == "paired-t"
    assert "corrected-t" in [c.procedure for c in advice.fitting]
    assert advise(scores, level="resamples").recommended == "corrected-t"
