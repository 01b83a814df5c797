from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pytest
import zoo

import bakeoff.judging
from bakeoff.judging import CodedWarning, judge
from bakeoff.judging.warnings import about_data
from bakeoff.measures import Measure
from bakeoff.scores import Scores, blocks, layout

STABLE = {
    "single-run", "unequal-folds", "direction-override", "missing-cells", "ceiling", "floor", "alpha-unreachable",
    "naive-repeated-cv", "against-advice", "pointwise", "degenerate", "margin-not-applicable", "stepwise-margin",
    "non-transitive",
}  # fmt: skip


def test_codes_are_those_that_are_documented() -> None:
    source = "".join(path.read_text() for path in Path(bakeoff.judging.__file__).parent.glob("*.py"))
    used = set(re.findall(r'CodedWarning\(\s*\n?\s*"([a-z-]+)"', source)) | {"naive-repeated-cv", "against-advice"}
    assert used == STABLE
    documented = Path(__file__).parents[2] / "docs" / "warnings.md"
    assert {code for code in STABLE if f"`{code}`" not in documented.read_text()} == set()


def test_a_warning_says_what_is_the_case_and_what_to_do() -> None:
    rng = np.random.default_rng(0)
    verdict = judge(zoo.table(1 - 0.001 * rng.random((12, 3)), kind="tasks"), alpha=0.2)
    for warning in verdict.warnings:
        assert warning.text.endswith((".", ":"))
        assert warning.action.endswith(".")
        assert str(warning).startswith(f"[{warning.code}] ")


def test_different_folds_are_noticed() -> None:
    scores = Scores.of(
        [0.5, 0.6, 0.7, 0.8, 0.9],
        learner=["a", "a", "a", "b", "b"],
        fold=["1", "2", "3", "1", "2"],
        measures={"accuracy": zoo.measure("accuracy")},
    )
    assert [w.code for w in about_data(layout(scores), None)] == ["unequal-folds"]


def test_a_direction_against_custom_is_noticed() -> None:
    odd = Measure("accuracy", larger_is_better=False, origin="as you said; usually larger is better")
    scores = Scores.of([0.5, 0.6, 0.7, 0.8], learner=list("abab"), fold=list("1122"), measures={"accuracy": odd})
    assert [w.code for w in about_data(layout(scores), blocks(scores))] == ["direction-override"]


def test_warnings_are_frozen() -> None:
    with pytest.raises(AttributeError):
        CodedWarning("a", "b.", "c.").code = "d"  # type: ignore[misc]
