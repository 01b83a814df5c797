"""Each learner against a fixed level: a decision each, adjusted over the learners, in the unit of the scores."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
import zoo

from bakeoff.errors import MisfitError, UsageError
from bakeoff.judging import analyse, judge
from bakeoff.scores import Scores, read_scores

RATES = "learner,accuracy,n_test\na,0.81,400\nb,0.77,400\nc,0.70,400\n"
PER_CENT = "learner,accuracy,n_test\na,81,400\nb,77,400\nc,70,400\n"


def read(folder: Path, text: str) -> Scores:
    path = folder / "rates.csv"
    path.write_text(text)
    return read_scores(path)


def test_a_decision_for_each_learner_by_holm(tmp_path: Path) -> None:
    verdict = judge(read(tmp_path, RATES), against=0.75)
    assert [(j.first, j.decision.value, j.second) for j in verdict.decisions] == [
        ("a", "better", "0.75"),
        ("b", "undecided", "0.75"),
        ("c", "worse", "0.75"),
    ]
    plain = analyse(read(tmp_path, RATES), "binomial", p0=0.75, adjust="none")
    a, b, c = (row.p for row in plain.rows)
    assert [row.p_adjusted for row in verdict.finding.rows] == pytest.approx([3 * a, b, 2 * c])
    assert (
        "Against the level 0.75, two-sided, Holm adjustment over 3 learners, α = 0.05: a is better" in verdict.paragraph
    )
    assert verdict.groups is verdict.order is None
    assert not any(warning.code == "single-run" for warning in verdict.warnings)


def test_folds_that_overlap_make_it_conditional(tmp_path: Path) -> None:
    rows = "".join(f"a,{fold},0.8{fold}\nb,{fold},0.7{fold}\n" for fold in range(10))
    folds = judge(read(tmp_path, "model,fold,accuracy\n" + rows), against=0.75)
    assert folds.paragraph.startswith("This holds only if the folds vary as independent runs would")
    tasks = judge(read(tmp_path, "model,task,accuracy\n" + rows), against=0.75)
    assert not tasks.finding.conditions


def test_per_cent_are_read_in_the_unit_of_the_scores(tmp_path: Path) -> None:
    shares, cents = judge(read(tmp_path, RATES), against=0.75), judge(read(tmp_path, PER_CENT), against=75)
    assert [j.decision for j in shares.decisions] == [j.decision for j in cents.decisions]
    assert [row.p for row in shares.finding.rows] == pytest.approx([row.p for row in cents.finding.rows])
    assert [100 * row.lower for row in shares.finding.rows] == pytest.approx([row.lower for row in cents.finding.rows])
    with pytest.raises(
        UsageError, match="in the unit of the scores, which are per cent: it lies strictly between 0 and 1"
    ):
        judge(read(tmp_path, PER_CENT), against=175)


def test_smaller_is_better_and_a_side() -> None:
    low = 0.02 + 0.002 * np.random.default_rng(0).standard_normal((10, 2)) - [[0.01, 0]]
    verdict = judge(zoo.table(low, kind="kfold", name="error"), against=0.02, alternative="better")
    decided = {j.first: j.decision.value for j in verdict.decisions}
    assert decided == {"ada": "better", "bob": "undecided"}
    assert verdict.finding.procedure == "mean-t"


def test_a_margin_makes_it_equivalent() -> None:
    near = 0.5 + 0.001 * np.random.default_rng(0).standard_normal((20, 1))
    verdict = judge(zoo.table(near, kind="kfold"), against=0.5, margin=0.05)
    assert [j.decision.value for j in verdict.decisions] == ["equivalent"]
    assert "within the margin of 0.5" in verdict.paragraph


def test_under_the_null_few_learners_are_claimed_to_differ() -> None:
    rng = np.random.default_rng(3)
    claims = 0
    for _ in range(300):
        values = rng.standard_normal((12, 6))
        verdict = judge(zoo.table(values, kind="tasks"), against=0.0)
        claims += any(judged.apart for judged in verdict.decisions)
    assert claims / 300 < 0.05 + 3 * np.sqrt(0.05 * 0.95 / 300)


def test_refusals() -> None:
    table = zoo.table(np.random.default_rng(0).random((6, 3)), kind="tasks")
    with pytest.raises(
        UsageError, match=r"Friedman test .* holds no learner against a fixed level\. Those that do: .*sign-one"
    ):
        judge(table, "friedman", against=0.5)
    with pytest.raises(UsageError, match="The level is said twice"):
        judge(table, "sign-one", against=0.5, constant=0.4)
    single = zoo.table(np.array([[0.5, 0.6]]), kind="tasks")
    with pytest.raises(MisfitError, match="No test of one learner against a fixed level fits"):
        judge(single, against=0.5)
