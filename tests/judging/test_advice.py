from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import zoo
from sklearn.dummy import DummyClassifier
from sklearn.naive_bayes import GaussianNB

from bakeoff import Study
from bakeoff.cli import main
from bakeoff.errors import MisfitError, UsageError
from bakeoff.judging import advise, analyse, judge
from bakeoff.judging.advice import ALL_BUT_ONE, PROVIDED, SEEDS_ONLY, recommend
from bakeoff.judging.case import Case
from bakeoff.judging.request import Request
from bakeoff.procedures import procedure_named, procedures
from bakeoff.procedures.card import Scope
from bakeoff.scores import Level, Scores, unpaired
from bakeoff.scores.design import RunDesign


def test_every_procedure_is_listed_with_a_reason_or_fits() -> None:
    advice = advise(zoo.table(np.random.default_rng(0).random((10, 3)), kind="kfold"))
    assert [c.procedure for c in advice.candidates] == [p.name for p in procedures()]
    assert all(c.fits != bool(c.unmet) for c in advice.candidates)
    text = advice.to_text()
    assert "Recommended: corrected-t" in " ".join(text.split())
    assert "Not fitting:" in text
    assert "Not fitting:\n" not in text
    assert "Not fitting:\n" in advice.to_text(everything=True)
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
    assert advice.recommended == "bootstrap-t"
    assert "corrected-t" in [c.procedure for c in advice.fitting]
    assert advise(scores, level="resamples").recommended == "corrected-t"


# ----------------------------------------------------------------------------------------------------------------------
# Missing information must not quietly give the more liberal test.


RNG = np.random.default_rng(3)
VALUES = np.round(0.2 + 0.03 * RNG.standard_normal((30, 2)) + [0.0, 0.02], 4)


def runs(values: np.ndarray = VALUES, **sizes: float) -> Scores:
    n, k = values.shape
    columns = {name: np.full(values.size, size) for name, size in sizes.items()}
    return Scores.of(
        values.T.ravel(),
        learner=np.repeat(zoo.NAMES[:k], n).tolist(),
        repeat=[str(i) for i in range(n)] * k,
        measures={"error": zoo.measure("error")},
        **columns,  # type: ignore[arg-type]
    )


def codes(scores: Scores, *args: object, **request: object) -> set[str]:
    return {warning.code for warning in judge(scores, *args, **request).warnings}  # type: ignore[arg-type]


def test_a_verdict_on_unknown_runs_carries_its_condition() -> None:
    verdict = judge(runs())
    assert verdict.finding.procedure == "unpaired-t"
    assert f"The conclusion speaks about {PROVIDED}." in verdict.paragraph
    assert "new training sets" not in verdict.paragraph
    (warning,) = [w for w in verdict.warnings if w.code == "unknown-runs"]
    assert "68.5 %" in warning.text
    for word in ("--ratio N_TEST/N_TRAIN", "corrected-t", "--runs independent", "--runs fixed-split", "runs="):
        assert word in warning.action


def test_advice_on_unknown_runs_says_the_same() -> None:
    advice = advise(runs())
    assert advice.recommended == "unpaired-t"
    assert "if that is what these runs are" in advice.summary
    assert PROVIDED in advice.summary
    assert [w.code for w in advice.warnings] == ["unknown-runs"]


def test_an_analysis_of_unknown_runs_says_so_among_its_cautions() -> None:
    found = analyse(runs(), "paired-permutation")
    assert found.speaks_about == PROVIDED
    assert "What the 30 runs are is not known" in found.cautions[-1]


def test_declared_independent_runs_speak_about_new_training_sets() -> None:
    verdict = judge(runs(), runs="independent")
    assert verdict.finding.speaks_about == Scope.LEARNERS
    assert verdict.finding.procedure == "paired-permutation"
    assert not codes(runs(), runs="independent") & {"unknown-runs", "overlapping-runs"}


def test_seeds_on_one_split_speak_about_seeds() -> None:
    verdict = judge(runs(), runs="fixed-split")
    assert verdict.finding.speaks_about == SEEDS_ONLY
    advice = advise(runs(), runs="fixed-split")
    assert "runs that differ in their seed only" in advice.summary
    assert "learning samples" not in advice.summary
    assert not codes(runs(), runs="fixed-split") & {"unknown-runs", "overlapping-runs"}


@pytest.mark.parametrize("request_", [{"ratio": 1.0}, {"runs": "random-splits", "ratio": 1.0}])
def test_random_splits_are_judged_by_the_corrected_t(request_: dict[str, object]) -> None:
    verdict = judge(runs(), **request_)  # type: ignore[arg-type]
    same = judge(runs(n_train=104, n_test=104))
    assert verdict.finding.procedure == same.finding.procedure == "corrected-t"
    assert verdict.finding.pairs[0].p == same.finding.pairs[0].p
    assert verdict.finding.speaks_about == Scope.LEARNERS
    assert not codes(runs(), **request_) & {"unknown-runs", "overlapping-runs"}
    assert advise(runs(), ratio=1.0).recommended == "corrected-t"


def test_the_corrected_t_by_name_needs_no_declaration() -> None:
    assert not codes(runs(), "corrected-t", ratio=1.0) & {"unknown-runs"}
    assert judge(runs(), "corrected-t", ratio=1.0, runs="random-splits").finding.options["ratio"] == 1.0
    assert not codes(runs(), "bayes-correlated-t", rho=0.5, margin=0.01) & {"unknown-runs"}


def test_random_splits_are_not_taken_for_independent() -> None:
    said = {"runs": "random-splits", "ratio": 1.0}
    with pytest.raises(UsageError, match="has no option 'ratio'"):
        judge(runs(), "paired-permutation", **said)  # type: ignore[arg-type]
    known = runs(n_train=104, n_test=104)
    with pytest.raises(MisfitError, match="random splits of one data set, whose training sets overlap"):
        judge(known, "paired-permutation", runs="random-splits")
    assert codes(known, "paired-permutation", runs="random-splits", anyway=True) >= {
        "overlapping-runs",
        "against-advice",
    }
    assert "unknown-runs" in codes(known, "paired-permutation")


def test_the_corrected_t_is_not_for_independent_runs() -> None:
    known = runs(n_train=104, n_test=104)
    assert judge(known, runs="independent").finding.procedure == "paired-permutation"
    with pytest.raises(MisfitError, match="each run here learned from a sample of its own"):
        judge(known, "corrected-t", runs="independent")
    with pytest.raises(MisfitError, match="learned from the same rows"):
        judge(known, "corrected-t", runs="fixed-split")
    assert "kfold-t" in {c.procedure for c in advise(known, runs="independent").fitting}
    assert "kfold-t" not in {c.procedure for c in advise(known).fitting}


def test_other_shapes_of_runs_are_warned_of_too() -> None:
    assert "unknown-runs" in codes(unpaired(runs()))
    assert "unknown-runs" in codes(runs(np.column_stack([VALUES, VALUES[::-1, 0]])))
    assert "unknown-runs" in codes(runs(VALUES[:, :1]))


def test_folds_tasks_and_instances_are_what_they_seem() -> None:
    for kind in ("kfold", "tasks", "instances"):
        assert not {"unknown-runs", "overlapping-runs"} & codes(zoo.table(VALUES, kind=kind))


def test_scores_on_rows_that_were_learned_from_are_warned_of() -> None:
    for scheme in ("bootstrap", "632", "632+"):
        table = replace(zoo.table(VALUES, kind="kfold"), splitting=RunDesign(optimistic=scheme))
        (warning,) = [w for w in judge(table).warnings if w.code == "resubstitution"]
        assert f"The scheme {scheme} " in warning.text
        assert "out-of-bootstrap" in warning.action
        assert "resubstitution" in [w.code for w in advise(table).warnings]


def single_rows(values: np.ndarray) -> Scores:
    """Leave-one-out: each fold tests one row."""
    n, k = values.shape
    return Scores.of(
        values.T.ravel(),
        learner=np.repeat(zoo.NAMES[:k], n).tolist(),
        fold=[str(i) for i in range(n)] * k,
        measures={"error": zoo.measure("error")},
        n_train=np.full(values.size, n - 1),
        n_test=np.ones(values.size),
    )


def test_leave_one_out_compares_instances() -> None:
    answers = (RNG.random((60, 2)) < [0.2, 0.4]).astype(float)
    verdict = judge(single_rows(answers))
    assert verdict.finding.procedure == "mcnemar"
    same = judge(zoo.table(answers, kind="instances", name="error"), "mcnemar")
    assert verdict.finding.pairs[0].p == same.finding.pairs[0].p
    assert verdict.finding.speaks_about == ALL_BUT_ONE
    assert "leave-one-out" in {w.code for w in verdict.warnings}
    assert judge(single_rows(VALUES), level="instances").finding.procedure == "bootstrap-t"
    assert judge(single_rows(VALUES), level="resamples").finding.procedure == "corrected-t"


def test_pooling_the_folds_of_several_tasks_is_refused() -> None:
    table = zoo.table(VALUES, kind="folds:5")
    for ask in (lambda: judge(table, level="resamples"), lambda: advise(table, level="resamples")):
        with pytest.raises(MisfitError, match="6 tasks, and resamples of several tasks") as refused:
            ask()
        assert "--task NAME" in str(refused.value)
    assert judge(table.only(tasks=["t0"]), level="resamples").finding.n_blocks == 5
    assert analyse(table, "bayes-hierarchical", rope=0.01).n_blocks == 6


# ----------------------------------------------------------------------------------------------------------------------
# Python judges a single test sample as the command line does: by its rows.


FILE = """\
measures = ["error", "auc"]
[[task]]
data = "wdbc"
[[learner]]
name = "majority"
path = "sklearn.dummy.DummyClassifier"
[[learner]]
name = "bayes"
path = "sklearn.naive_bayes.GaussianNB"
[resampling]
scheme = "hold-out"
"""


@pytest.fixture(scope="module")
def ran() -> Scores:
    learners = {"majority": DummyClassifier(), "bayes": GaussianNB()}
    return Study("wdbc", learners, resampling="hold-out", measures=["error", "auc"]).run()


@pytest.mark.parametrize("measure", ["error", "auc"])
def test_python_says_what_the_command_line_says(
    measure: str, ran: Scores, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "study.toml"
    path.write_text(FILE)
    assert main(["run", str(path), "--quiet"]) == 0
    capsys.readouterr()
    assert main(["judge", str(path), "--measure", measure, "--json"]) == 0
    (there,) = json.loads(capsys.readouterr().out)["verdicts"]
    here = judge(ran, measure=measure).to_dict()
    assert (
        here["finding"]["procedure"] == there["finding"]["procedure"] == ("mcnemar" if measure == "error" else "delong")
    )
    assert here["finding"]["rows"] == there["finding"]["rows"]
    assert here["standing"]["planned"] is there["standing"]["planned"] is (measure == "error")


def test_advice_and_analysis_look_at_the_rows_too(ran: Scores) -> None:
    assert advise(ran, measure="error").recommended == "mcnemar"
    advice = advise(ran, measure="auc")
    assert advice.recommended == "delong"
    assert [candidate.procedure for candidate in advice.fitting] == ["delong"]
    found = analyse(ran, "delong", measure="auc")
    assert found.measure.name == "auc"
    assert found.standing is not None
    assert "measure auc instead of error" in found.standing.reason
    assert analyse(ran, "mcnemar", measure="error").level is Level.INSTANCES


def test_another_level_and_independent_samples_are_left_alone(ran: Scores) -> None:
    assert Case(ran, Request.of(measure="error", level="resamples")).scores is ran
    assert unpaired(ran).by_instance is None
    with pytest.raises(MisfitError, match=r"delong: DeLong's test of two AUCs .recommended"):
        judge(ran, measure="auc", procedure="friedman")
    assert Case(ran, Request.of("friedman", measure="auc")).scores is ran


def test_a_table_without_rows_beside_it_is_as_it_was(ran: Scores) -> None:
    rows = ran.by_instance
    assert rows is not None
    case = Case(rows, Request.of("mcnemar", measure="error"))
    assert (case.scores, case.request) == (rows, case.original_request)


# ----------------------------------------------------------------------------------------------------------------------
# The procedure that is meant where none is named.


FOLDS = zoo.table(np.random.default_rng(2).random((8, 3)), kind="kfold")


def test_the_advisors_choice() -> None:
    assert recommend(Case(FOLDS, Request())) == advise(FOLDS).recommended
    assert (
        recommend(Case(FOLDS, Request.of(measure="accuracy", level="resamples", anyway=True)))
        == advise(FOLDS).recommended
    )


@pytest.mark.parametrize(
    "asked", [{"margin": 0.1}, {"control": "ada"}, {"contrast": "ada vs bob"}, {"alternative": "better"}]
)
def test_what_needs_an_interval_gets_one(asked: dict[str, object]) -> None:
    assert procedure_named(recommend(Case(FOLDS, Request.of(**asked)))).card.intervals  # type: ignore[arg-type]


def test_where_nothing_fits_every_reason_is_said() -> None:
    single = zoo.table(np.array([[0.5, 0.6]]), kind="kfold")
    with pytest.raises(MisfitError, match="No procedure can judge the zoo"):
        recommend(Case(single, Request()))
