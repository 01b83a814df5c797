"""What a pilot says."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import zoo
from scipy import stats

from bakeoff.calibration.null_designs import table
from bakeoff.errors import DegenerateError, MisfitError, UsageError
from bakeoff.power_analysis.guess import Guess
from bakeoff.power_analysis.methods import card_of
from bakeoff.power_analysis.pilot import CORRELATION, DISTANCE, RATIO, Pilot, about_pilot, pilot_for, read_pilot
from bakeoff.power_analysis.power import power
from bakeoff.power_analysis.simulate import TableDesign, simulated_table
from bakeoff.procedures import procedure_named
from bakeoff.procedures.card import Shape
from bakeoff.scores import Level, Missing, Scores, read_scores

VALUES = np.array([[0.2, 0.3], [0.25, 0.27], [0.1, 0.22], [0.3, 0.35], [0.15, 0.3]])


def scores(values: Any = VALUES, key: str = "task", measure: str = "error") -> Scores:
    made = np.asarray(values, dtype=float)
    return table(made, {key: [str(i) for i in range(len(made))]}, measure)


def read(made: Scores, test: str, **more: Any) -> Pilot:
    return read_pilot(made, card_of(test), **more)


def test_sd_and_its_interval() -> None:
    found = read(scores(), "wilcoxon")
    d = VALUES[:, 1] - VALUES[:, 0]
    assert found.value == pytest.approx(d.std(ddof=1))
    assert found.difference == pytest.approx(d.mean())
    assert (found.first, found.second, found.n, found.blocks) == ("learner 1", "learner 2", 5, "tasks")
    # the 5 % and 95 % points of χ² with 4 df, from a table
    assert found.lower == pytest.approx(found.value * np.sqrt(4 / 9.488), rel=1e-4)
    assert found.upper == pytest.approx(found.value * np.sqrt(4 / 0.7107), rel=1e-4)
    assert "90 % interval" in found.sentence


def test_the_interval_covers_the_sd() -> None:
    rng = np.random.default_rng(5)
    cover = 0
    for _ in range(300):
        found = read(scores(rng.normal(0.5, 0.01, (12, 2)), measure="rmse"), "wilcoxon")
        cover += found.lower <= 0.01 * np.sqrt(2) <= found.upper
    assert cover / 300 == pytest.approx(0.9, abs=4 * np.sqrt(0.09 / 300))


def test_larger_may_be_better() -> None:
    found = read(scores(1 - VALUES, measure="accuracy"), "wilcoxon")
    assert found.first == "learner 1"
    assert found.difference > 0


def test_folds_are_correlated() -> None:
    found = read(scores(key="fold"), "corrected-t")
    d = VALUES[:, 1] - VALUES[:, 0]
    assert found.folds == 5
    assert found.value == pytest.approx(d.std(ddof=1) / np.sqrt(1 - 1 / 5))
    assert read(scores(key="fold"), "corrected-t", correlation=0.0).value == pytest.approx(d.std(ddof=1))


def test_residuals_vary_as_the_pilot_did() -> None:
    found = read(scores(), "wilcoxon")
    assert found.residuals is not None
    d = found.residuals[:, 1] - found.residuals[:, 0]
    assert d.mean() == pytest.approx(0, abs=1e-12)
    assert d.std() == pytest.approx(found.value)


@pytest.mark.parametrize("measure", ["error", "accuracy"])
def test_right_and_wrong_answers(measure: str) -> None:
    wrong = np.array([[0, 1], [0, 1], [1, 1], [0, 0], [1, 0], [0, 0], [0, 0], [0, 1], [0, 0], [0, 0]], dtype=float)
    found = read(scores(wrong if measure == "error" else 1 - wrong, "instance", measure), "mcnemar")
    assert (found.value, found.error, found.varies) == (0.4, 0.4, "share of discordant instances")
    assert found.difference == pytest.approx(0.2)
    assert found.lower < 0.4 < found.upper
    apart = read(scores(wrong, "instance"), "two-proportions")
    assert (apart.varies, apart.value) == ("error rate", 0.4)


def test_one_learner() -> None:
    found = read(scores(VALUES[:, :1], "repeat"), "mean-t")
    assert found.value == pytest.approx(VALUES[:, 0].std(ddof=1))
    assert np.isnan(found.difference)
    assert read(scores([[0], [1], [0], [0]], "instance"), "binomial").error == 0.25
    with pytest.raises(UsageError, match="Name one"):
        read(scores(key="repeat"), "mean-t")


def test_independent_samples_have_the_sd_of_their_values() -> None:
    found = read(scores(key="repeat"), "unpaired-t")
    assert found.value == pytest.approx(np.sqrt(VALUES.var(axis=0, ddof=1).mean()))


def test_a_t_test_is_planned_for_any_blocks() -> None:
    assert read(scores(), "t").blocks == "tasks"
    assert read(scores(key="fold"), "t", level=Level.RESAMPLES).blocks == "resamples"


def test_a_learner_that_never_varies_is_compared_all_the_same() -> None:
    assert read(scores(VALUES + np.array([0.0, 0.1]) - VALUES[:, :1]), "sign").value > 0


@pytest.mark.parametrize(
    ("made", "test", "error", "sentence"),
    [
        (scores(VALUES[:1], "repeat"), "wilcoxon", MisfitError, "level of tasks"),
        (scores(key="fold"), "wilcoxon", MisfitError, "level of tasks"),
        (scores(VALUES[:, :1]), "wilcoxon", MisfitError, "compares two at least"),
        (scores(np.full((4, 2), 0.5)), "wilcoxon", DegenerateError, "do not vary"),
        (scores(key="instance"), "mcnemar", MisfitError, "not 0 or 1"),
    ],
)
def test_what_does_not_fit_is_a_sentence(made: Scores, test: str, error: Any, sentence: str) -> None:
    with pytest.raises(error, match=sentence):
        read(made, test)


# ----------------------------------------------------------------------------------------------------------------------
# Pilot runs


def pilot() -> Scores:
    values = 0.2 + 0.03 * np.random.default_rng(0).standard_normal(24)
    return Scores.of(
        values,
        learner=["a"] * 12 + ["b"] * 12,
        repeat=[str(i) for i in range(12)] * 2,
        measures={"error": zoo.measure("error")},
    )


def test_power_from_runs_of_which_nothing_is_known_says_so() -> None:
    made = power("kfold-t", pilot=pilot(), n=20, difference=0.02)
    assert "What the 12 runs of the pilot are is not known" in made.warnings[0]
    assert "--pilot-runs independent" in made.to_text().replace("\n  ", " ")
    assert power("kfold-t", pilot=pilot(), n=20, difference=0.02, runs="independent").warnings == ()


def test_a_test_that_makes_up_for_overlap_needs_no_warning() -> None:
    assert about_pilot(pilot(), procedure_named("corrected-t").card, None, None, Missing.ERROR) == ()


def test_blocks_that_are_no_runs_are_left_alone() -> None:
    tasks = zoo.table(np.random.default_rng(0).random((5, 2)), kind="tasks")
    assert about_pilot(tasks, procedure_named("wilcoxon").card, None, None, Missing.ERROR) == ()


# ----------------------------------------------------------------------------------------------------------------------
# What pilots say to tests that need more than the sd of a difference.


DESIGNS = {
    "delong": TableDesign(Level.INSTANCES, shape=Shape.SCORES),
    "skillings-mack": TableDesign(Level.TASKS, shape=Shape.HOLES),
    "two-way-anova": TableDesign(Level.TASKS, paired=False, folds=6, shape=Shape.RUNS),
    "hotelling": TableDesign(Level.RESAMPLES, shape=Shape.MEASURES),
    "variance-ratio": TableDesign(Level.INSTANCES, paired=False, shape=Shape.SQUARES),
}


def drawn(test: str, n: int, difference: float = 0.0, seed: int = 1, **guess: Any) -> Scores:
    return simulated_table(DESIGNS[test], Guess(**guess), n, difference, np.random.default_rng(seed))


def read_special_pilots(scores: Scores, test: str) -> Pilot:
    return pilot_for(scores, card_of(test), measure=None, level=None, missing=Missing.ERROR, correlation=None)


def test_areas_and_how_alike_they_order() -> None:
    found = read_special_pilots(drawn("delong", 4000, 0.05, auc=0.8, positives=0.25, correlation=0.5), "delong")
    assert (found.first, found.second, found.measure, found.varies) == ("learner 1", "learner 2", "auc", CORRELATION)
    assert found.auc == pytest.approx(0.8, abs=0.03)
    assert found.difference == pytest.approx(0.05, abs=0.03)
    assert found.positives == pytest.approx(0.25)
    assert found.lower < 0.5 < found.upper
    assert found.unlucky == found.lower
    assert not found.is_difference


def test_the_interval_of_the_correlation_covers_it() -> None:
    cover = 0
    for seed in range(200):
        found = read_special_pilots(drawn("delong", 120, seed=seed, auc=0.75, correlation=0.6), "delong")
        cover += found.lower <= 0.6 <= found.upper
    assert cover / 200 == pytest.approx(0.9, abs=4 * np.sqrt(0.09 / 200))


def test_power_of_delong_from_a_pilot() -> None:
    pilot = drawn("delong", 200, 0.05, auc=0.8, correlation=0.5)
    found = power("delong", pilot=pilot, difference=0.05, n=400, replications=60)
    assert found.guess.auc == pytest.approx(found.pilot.auc)  # type: ignore[union-attr]
    assert found.guess.correlation == pytest.approx(found.pilot.value)  # type: ignore[union-attr]
    assert found.pessimistic is not None
    assert found.pessimistic.value == found.pilot.lower  # type: ignore[union-attr]
    assert "the lower 95 % confidence limit of the pilot" in found.to_text().replace("\n  ", " ")
    assert not found.standardised


def test_the_distance_over_several_measures() -> None:
    pilot = drawn("hotelling", 25, 1.0, measures=3)
    found = read_special_pilots(pilot, "hotelling")
    assert (found.varies, found.measures, found.n) == (DISTANCE, 3, 25)
    assert found.value == found.difference
    # At the ends of the interval the T² that was seen is just as surprising as it may be.
    f = 25 * found.value**2 * 22 / (3 * 24)
    assert stats.ncf.sf(f, 3, 22, 25 * found.lower**2) == pytest.approx(0.05, abs=1e-6)
    assert stats.ncf.sf(f, 3, 22, 25 * found.upper**2) == pytest.approx(0.95, abs=1e-6)
    assert "better by" not in found.sentence


def test_power_of_hotelling_from_a_pilot() -> None:
    pilot = drawn("hotelling", 25, 1.2, measures=3)
    found = power("hotelling", pilot=pilot)
    assert found.guess.measures == 3
    assert found.difference == pytest.approx(found.pilot.difference)  # type: ignore[union-attr]
    assert found.pessimistic is not None
    assert found.pessimistic.point is not None
    assert found.pessimistic.point.n > found.n
    assert any("likely to be too large" in note for note in found.notes)
    assert found.standardised
    said = power("hotelling", pilot=pilot, difference="1sd")
    assert said.pessimistic is None


def test_a_distance_that_may_be_none_finds_nothing() -> None:
    found = power("hotelling", pilot=drawn("hotelling", 12, 0.0, measures=2))
    assert found.pessimistic is not None
    assert found.pessimistic.point is None
    assert "there is nothing to find" in found.to_text()


def test_runs_on_tasks_vary_within_cells() -> None:
    pilot = drawn("two-way-anova", 12, 0.3, sd=0.2, learners=3)
    found = read_special_pilots(pilot, "two-way-anova")
    assert found.value == pytest.approx(0.2, rel=0.15)
    assert found.lower < found.value < found.upper
    assert (found.folds, found.n, found.first) == (6, 12, "learner 1")
    made = power("two-way-anova", pilot=pilot, difference=0.1)
    assert made.guess.folds == 6
    assert made.guess.learners == 3
    assert made.guess.sd == pytest.approx(found.value)


def test_what_is_missing_in_a_pilot() -> None:
    pilot = drawn("skillings-mack", 60, 0.5, absent=0.2, learners=4)
    found = read_special_pilots(pilot, "skillings-mack")
    assert found.absent == pytest.approx(0.2, abs=0.06)
    assert found.n < 60, "the sd is that of tasks with all learners"
    made = power("skillings-mack", pilot=pilot, difference="1sd", n=20, replications=20)
    assert made.guess.absent == found.absent
    assert np.isnan(read_special_pilots(drawn("skillings-mack", 20, absent=0.01, learners=2), "skillings-mack").absent)


def test_the_ratio_of_mean_squared_errors() -> None:
    pilot = drawn("variance-ratio", 80, 0.7)
    found = read_special_pilots(pilot, "variance-ratio")
    assert found.varies == RATIO
    width = np.log(stats.f.ppf(0.95, 80, 80))
    assert found.lower == pytest.approx(found.value - width)
    assert found.upper == pytest.approx(found.value + width)
    made = power("variance-ratio", pilot=pilot, n=100)
    assert made.solved_for == "difference"
    assert made.pessimistic is None
    lucky = power("variance-ratio", pilot=pilot)
    assert lucky.difference == pytest.approx(found.difference)
    assert lucky.pessimistic is not None


def test_other_tests_read_as_ever() -> None:
    scores = table(np.array([[0.2, 0.3], [0.25, 0.27], [0.1, 0.22]]), {"task": ["1", "2", "3"]})
    assert read_special_pilots(scores, "wilcoxon").varies == "sd"


def alike(p: int) -> Scores:
    """Measures that follow from each other."""
    made = drawn("hotelling", 12, 0.5, measures=p)
    first = made.value[made.measure.codes == 0]
    values = made.value.copy()
    values[made.measure.codes == 1] = 2 * first
    return replace(made, value=values)


@pytest.mark.parametrize(
    ("scores", "test", "error", "said"),
    [
        (drawn("hotelling", 10, measures=2), "delong", MisfitError, "keeps none"),
        (drawn("delong", 4, auc=0.6), "delong", MisfitError, "too few instances of each class"),
        (drawn("skillings-mack", 8, absent=0.1), "hotelling", MisfitError, "several measures at once"),
        (drawn("hotelling", 3, measures=4), "hotelling", MisfitError, "takes more than 4 resamples"),
        (alike(2), "hotelling", DegenerateError, "follow from each other"),
        (drawn("hotelling", 9, measures=2, learners=1), "manova", MisfitError, "has one learner"),
        (drawn("skillings-mack", 8, absent=0.1), "two-way-anova", MisfitError, "two of them at least"),
        (
            table(np.array([[0.0, 1.0], [0.0, 2.0]]), {"instance": ["1", "2"]}, "squared_error"),
            "variance-ratio",
            DegenerateError,
            "makes no errors at all",
        ),
    ],
)
def test_pilots_that_do_not_fit_are_refused(scores: Scores, test: str, error: type, said: str) -> None:
    with pytest.raises(error, match=said):
        read_special_pilots(scores, test)


def _splits(tmp_path: Path, kind: str) -> Scores:
    rng, lines = np.random.default_rng(0), []
    for i in range(20):
        for name, error in (("a", 0.20), ("b", 0.22)):
            where = f"{i}" if kind == "split" else f"{i // 10},{i % 10}"
            sizes = ",200,100" if kind == "split" else ""
            lines.append(f"{name},{where},{error + 0.02 * rng.standard_normal():.6f}{sizes}")
    header = "learner,split,error,n_train,n_test" if kind == "split" else "learner,repeat,fold,error"
    path = tmp_path / "pilot.csv"
    path.write_text("\n".join([header, *lines]) + "\n")
    return read_scores(path, measure="error")


def test_a_pilot_of_repeated_cross_validation_warns_whoever_takes_it_for_independent(tmp_path: Path) -> None:
    pilot = _splits(tmp_path, "folds")
    assert any("share training data" in text for text in power("t", pilot=pilot, difference=0.02).warnings)
    assert not any("share training data" in text for text in power("corrected-t", pilot=pilot, difference=0.1).warnings)


def test_the_corrected_test_takes_the_ratio_of_its_pilot(tmp_path: Path) -> None:
    found = power("corrected-t", pilot=_splits(tmp_path, "split"), n=20)
    assert found.guess.ratio == 0.5
    same = power("corrected-t", n=20, sd=found.guess.sd, ratio=0.5)
    assert found.difference == pytest.approx(same.difference)
    assert found.difference > power("corrected-t", n=20, sd=found.guess.sd).difference  # ratio 1/9 of ten folds
    assert "ratio 0.5" in found.to_text().replace("\n  ", " ")
