"""Each learner against a fixed level: a decision each, adjusted over the learners, in the unit of the scores."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
import zoo

from bakeoff.calibration.null_designs import errors_and_mistakes
from bakeoff.errors import MisfitError, UsageError
from bakeoff.judging import analyse, judge
from bakeoff.procedures.one_mean import corrected_mean, mean_t
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


def test_folds_that_overlap_are_made_up_for(tmp_path: Path) -> None:
    rows = "".join(f"a,{fold},0.8{fold}\nb,{fold},0.7{fold}\n" for fold in range(10))
    folds = judge(read(tmp_path, "model,fold,accuracy\n" + rows), against=0.75)
    assert folds.finding.procedure == "corrected-mean"
    assert not folds.finding.conditions
    assert "ratio" in folds.finding.options
    naive = judge(read(tmp_path, "model,fold,accuracy\n" + rows), "mean-t", against=0.75)
    assert naive.paragraph.startswith("This holds only if the folds vary as independent runs would")
    widths = [row.upper - row.lower for found in (folds, naive) for row in found.finding.rows]
    assert widths[0] / widths[2] == pytest.approx(((1 / 10 + 1 / 9) / (1 / 10)) ** 0.5)
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
    assert verdict.finding.procedure == "corrected-mean"


@pytest.mark.parametrize(("repeats", "folds"), [(10, 10), (30, 3)], ids=["10 × 10 folds", "30 splits"])
def test_a_mean_over_resamples_that_overlap(repeats: int, folds: int) -> None:
    """At a true level the corrected test claims little, and the naive one far too much."""
    samples = []
    for i in range(60):
        rng = np.random.default_rng([3, i])
        label = rng.permutation(np.arange(150) < 75)
        x = (rng.standard_normal((150, 1)) + 0.8 * label[:, None])[:, :, None]
        fold = np.stack([rng.permutation(np.arange(150) % folds) for _ in range(repeats)])
        errors = errors_and_mistakes(label, x, fold, folds)[0][:, :, 0]
        samples.append(errors.ravel() if folds == 10 else errors[:, 0])
    p0 = float(np.mean(samples))
    assert sum(corrected_mean(each, ratio=1 / (folds - 1), p0=p0).p <= 0.05 for each in samples) <= 8
    assert sum(mean_t(each, p0=p0).p <= 0.05 for each in samples) >= 15


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
