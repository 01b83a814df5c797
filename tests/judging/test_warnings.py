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
from bakeoff.scores import Missing, Scores, blocks, layout

STABLE = {
    "overlap-unknown", "few-runs", "few-rows", "undefined-resamples",
    "single-run", "unequal-folds", "direction-override", "missing-cells", "ceiling", "floor", "alpha-unreachable",
    "naive-repeated-cv", "against-advice", "pointwise", "degenerate", "margin-not-applicable", "stepwise-margin",
    "non-transitive", "many-draws", "fixed-test-sample", "fallback", "too-few-clusters",
    "few-clusters", "unequal-clusters", "large-cluster", "persistent-series", "short-series",
    "unknown-runs", "overlapping-runs", "resubstitution", "leave-one-out", "identical-scores", "never-succeeded",
    "few-blocks", "clusters-taken", "unknown-clusters", "folds-by-word", "two-questions", "candidates", "mixed-scales",
    "time-windows", "averaged-fits", "clustered-tasks", "names-of-data", "slow-drift", "shared-times",
    "pooled", "normality", "not-settled", "one-instance", "skewed-losses", "samples-or-items",
    "asked-otherwise", "unfinished-log", "scales-differ",
    "few-clusters-of-votes", "judges-not-clustered", "votes-not-blind", "same-file", "all-must-pass",
    "practical-ceiling", "regression", "duplicated-rows",
    "unseen-interaction", "aliased-effects", "no-replicates",
    "recurring-instances", "incomplete-folds", "pooled-folds", "few-tasks",
}  # fmt: skip


def test_codes_are_those_that_are_documented() -> None:
    source = "".join(path.read_text() for path in Path(bakeoff.__file__).parent.rglob("*.py"))
    written = set(re.findall(r'(?:CodedWarning|TaskRemark)\(\s*\n?\s*"([a-z-]+)"', source))
    assert written | {"naive-repeated-cv", "against-advice"} == STABLE
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
        [0.5, 0.6, 0.7, 0.8, 0.95],
        learner=["a", "a", "a", "b", "b"],
        fold=["1", "2", "3", "1", "2"],
        measures={"accuracy": zoo.measure("accuracy")},
    )
    (found,) = about_data(layout(scores), None)
    assert found.code == "unequal-folds"
    assert "--missing drop-block" in found.action
    (found,) = (w for w in judge(scores, missing="drop-block").warnings if w.code == "unequal-folds")
    assert found.action == "Run all learners on the same folds; here they are compared on the splits that they share."
    (found,) = about_data(layout(scores, missing=Missing.WORST), None)
    assert "without having failed" in found.action


def test_a_direction_against_custom_is_noticed() -> None:
    odd = Measure("accuracy", larger_is_better=False, origin="as you said", by_user=True, turned=True)
    scores = Scores.of([0.5, 0.6, 0.7, 0.8], learner=list("abab"), fold=list("1122"), measures={"accuracy": odd})
    assert [w.code for w in about_data(layout(scores), blocks(scores))] == ["direction-override"]


def test_warnings_are_frozen() -> None:
    with pytest.raises(AttributeError):
        CodedWarning("a", "b.", "c.").code = "d"  # type: ignore[misc]


def test_a_one_sided_test_reaches_half_the_p() -> None:
    values = np.random.default_rng(2).random((5, 2))
    scores = zoo.table(values, kind="tasks")
    assert "alpha-unreachable" in [w.code for w in judge(scores, "sign").warnings]  # 2/2⁵ = .0625
    assert "alpha-unreachable" not in [w.code for w in judge(scores, "sign", alternative="better").warnings]


def test_rates_of_known_test_sets_may_be_compared_unpaired() -> None:
    measure = {"error": Measure("error", larger_is_better=False, lower=0, upper=1)}
    one = {"learner": ["a", "b"], "measures": measure, "source": "here"}
    for sizes, hint in ((None, False), ([30.0, 5000.0], True)):
        known = {} if sizes is None else {"n_test": sizes}
        (warning,) = about_data(layout(Scores.of([0.15, 0.25], **one, **known)), None)  # type: ignore[arg-type]
        assert ("--unpaired" in warning.action) is hint


def test_one_is_in_the_singular() -> None:
    value = np.random.default_rng(2).random((6, 2))
    value[0, 0] = np.nan
    scores = zoo.table(value, kind="tasks")
    for policy, says in (("drop-block", "1 block without a value for every learner was left out"),
                         ("worst", "1 missing value was replaced by the worst")):  # fmt: skip
        assert any(says in warning.text for warning in judge(scores, missing=policy).warnings)
