"""Files as tools write them: what is read gives the aggregate that the tool itself prints, to its digits."""

from __future__ import annotations

import json
import math
import statistics
import zipfile
from pathlib import Path

import numpy as np
import pytest

from bakeoff import Scores, UsageError, judge, read_scores
from bakeoff.errors import InputError, MisfitError
from bakeoff.formats.arena import Vote, votes_in
from bakeoff.formats.sources import parse_json, sources_of, zip_member

DATA = Path(__file__).parent / "data"


def values_of(scores: Scores, learner: str, **labels: str) -> np.ndarray:
    rows = np.ones(len(scores), dtype=bool)
    for name, wanted in {"learner": learner, **labels}.items():
        column = getattr(scores, name)
        rows &= column.codes == column.labels.index(wanted)
    return scores.value[rows]


def mean(scores: Scores, learner: str, **labels: str) -> float:
    return float(np.nanmean(values_of(scores, learner, **labels)))


# --- language models --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("model", ["org/alpha", "org/beta"])
def test_lm_eval_samples_give_the_results_of_the_harness(model: str) -> None:
    scores = read_scores(DATA / "lm-eval")
    folder = DATA / "lm-eval" / model.replace("/", "__")
    printed = json.loads(next(folder.glob("results_*.json")).read_text())["results"]
    checked = 0
    for task in scores.tasks:
        for measure in scores.measure.labels:
            key = measure if "," in measure else f"{measure},none"
            if key in printed[task]:
                assert mean(scores, model, task=task, measure=measure) == pytest.approx(printed[task][key], abs=1e-15)
                checked += 1
    assert checked == 6  # acc and acc_norm of two tasks, exact_match by two filters
    assert "mini" not in scores.tasks, "a group is no task"
    assert any("word_perplexity" in note and "all documents together" in note for note in scores.notes)


def test_lm_eval_filters_are_measures_and_do_not_double_the_items() -> None:
    scores = read_scores(DATA / "lm-eval", measure="exact_match,strict-match")
    assert scores.tasks == ("times3",)
    assert len(scores) == 2 * 16
    assert scores.measures["exact_match,strict-match"].larger_is_better


def test_lm_eval_results_alone_give_a_value_a_task(tmp_path: Path) -> None:
    for model in ("org__alpha", "org__beta"):
        (tmp_path / model).mkdir()
        file = next((DATA / "lm-eval" / model).glob("results_*.json"))
        (tmp_path / model / file.name).write_bytes(file.read_bytes())
    scores = read_scores(tmp_path, measure="acc")
    assert scores.tasks == ("mini_anatomy", "mini_history")
    assert scores.n_test.tolist() == [21] * 4
    assert mean(scores, "org/beta", task="mini_anatomy") == 0.6190476190476191


def test_lm_eval_takes_a_field_of_the_documents_for_clusters() -> None:
    scores = read_scores(DATA / "lm-eval", measure="acc", cluster="doc.passage")
    assert scores.clusters is not None
    assert scores.clusters.column == "doc.passage"
    short = read_scores(DATA / "lm-eval", measure="acc", cluster="passage")
    assert short.clusters is not None
    assert short.clusters.column == "doc.passage"
    warned = read_scores(DATA / "lm-eval", measure="acc")
    assert [doubt.code for doubt in warned.doubts] == ["unknown-clusters"]


def test_inspect_gives_the_accuracy_of_the_log() -> None:
    scores = read_scores(DATA / "inspect")
    for file in sorted((DATA / "inspect").glob("*.eval")):
        header = json.loads(zip_member(file.read_bytes(), "header.json", file.name))
        told = {each["name"]: each["metrics"] for each in header["results"]["scores"]}
        model = header["eval"]["model"]
        assert mean(scores, model) == pytest.approx(told["match"]["accuracy"]["value"], abs=1e-15)
        lengths = read_scores(DATA / "inspect", measure="length", larger_is_better=False)
        assert mean(lengths, model) == pytest.approx(told["length"]["mean"]["value"], abs=1e-14)
    assert scores.measure.labels == ("match",), "the headline of the log"
    assert len(scores.instance.labels) == 24
    assert len(scores.repeat.labels) == 3, "epochs are repeats of an item"
    assert scores.clusters is not None
    assert scores.clusters.column == "metadata.passage", "as a metric of the log declares"


def test_inspect_json() -> None:
    scores = read_scores(DATA / "inspect-json")
    assert mean(scores, "openai/alpha") == 0.6666666666666666
    assert mean(scores, "openai/beta") == 0.3333333333333333


def test_promptfoo_counts_what_passed_and_keeps_errors_apart() -> None:
    scores = read_scores(DATA / "promptfoo" / "results.json")
    stats = json.loads((DATA / "promptfoo" / "results.json").read_text())["results"]["stats"]
    assert np.nansum(scores.value) == stats["successes"]
    assert np.isnan(scores.value).sum() == stats["errors"]
    assert np.sum(scores.value == 0) == stats["failures"]
    assert len(scores.instance.labels) == 8, "a repeat is not another test"
    assert scores.repeat.labels == ("1", "2")
    assert set(scores.status.labels) == {"ok", "error"}
    with pytest.raises(InputError, match=r"Write JSON instead: promptfoo eval -o results\.json"):
        read_scores(DATA / "promptfoo" / "results.csv")


def test_swe_bench_counts_what_was_resolved() -> None:
    scores = read_scores(DATA / "swe-bench")
    for model in ("alpha", "beta"):
        report = json.loads((DATA / "swe-bench" / f"{model}.run1.json").read_text())
        assert values_of(scores, model).sum() == report["resolved_instances"]
    assert scores.clusters is not None
    assert sorted(scores.clusters.labels.labels) == ["django/django", "sympy/sympy"]


def test_helm() -> None:
    scores = read_scores(DATA / "helm")
    assert scores.tasks == ("toy",)
    assert mean(scores, "org/alpha") == pytest.approx(2 / 3)
    assert mean(scores, "org/beta") == pytest.approx(1 / 3)


def test_openai_evals_gives_the_final_report() -> None:
    scores = read_scores(DATA / "openai-evals")
    for model in ("alpha", "beta"):
        report = json.loads((DATA / "openai-evals" / f"{model}.jsonl").read_text().splitlines()[-1])["final_report"]
        assert mean(scores, model) == pytest.approx(report["accuracy"], abs=1e-15)


def test_langsmith() -> None:
    scores = read_scores(f"new={DATA / 'langsmith' / 'alpha.csv'}")
    assert scores.learners == ("new",)
    assert scores.value.tolist() == [1.0, 0.0]


def test_mteb_takes_the_model_from_the_path() -> None:
    scores = read_scores(DATA / "mteb" / "results")
    assert scores.learners == ("org/alpha", "org/beta")
    assert mean(scores, "org/alpha") == 0.6666666666666666


def mteb_file(folder: Path, path: str, scores: dict[str, float]) -> None:
    document = {
        "dataset_revision": "r1",
        "task_name": Path(path).stem,
        "mteb_version": "1.18.0",
        "scores": {"test": [{"main_score": value, "hf_subset": name} for name, value in scores.items()]},
    }
    (folder / path).parent.mkdir(parents=True, exist_ok=True)
    (folder / path).write_text(json.dumps(document))


def test_subsets_of_an_mteb_task_are_one_task_whose_score_is_their_mean(tmp_path: Path) -> None:
    """376 pairs of languages are no 376 draws. Older files lie beside the folders of revisions."""
    mteb_file(tmp_path, "results/org__a/rev/Pairs.json", {"de-en": 0.5, "fr-en": 0.7})
    mteb_file(tmp_path, "results/org__a/Old.json", {"default": 0.4})
    mteb_file(tmp_path, "results/org__b/rev/Pairs.json", {"de-en": 0.8})
    mteb_file(tmp_path, "results/org__b/rev/Old.json", {"default": 0.3})
    scores = read_scores(tmp_path / "results")
    assert scores.learners == ("org/a", "org/b")
    assert scores.tasks == ("Old", "Pairs")
    assert mean(scores, "org/a") == pytest.approx((0.4 + 0.6) / 2)
    assert any("subsets (org/a 2: de-en, fr-en and org/b 1: de-en)" in doubt.text for doubt in scores.doubts)


def test_reports_of_single_instances_of_swe_bench(tmp_path: Path) -> None:
    for model, resolved in (("a", True), ("b", False)):
        for instance in ("django__django-1", "django__django-3", "astropy__astropy-2"):
            path = tmp_path / "logs" / "run_evaluation" / "run1" / model / instance / "report.json"
            path.parent.mkdir(parents=True)
            report = {"patch_exists": True, "patch_successfully_applied": True, "resolved": resolved}
            path.write_text(json.dumps({instance: report}))
            (path.parent / "test_output.txt").write_text("ok")
    scores = read_scores(tmp_path / "logs")
    assert scores.learners == ("a", "b")
    assert (mean(scores, "a"), mean(scores, "b")) == (1.0, 0.0)
    assert scores.clusters is not None


def test_what_may_be_a_failure_of_the_machinery_stays_what_its_tests_said(tmp_path: Path) -> None:
    """SWE-bench's further lists leave its denominator as it is: ambiguous ids are unresolved ones."""
    report = json.loads((DATA / "swe-bench" / "alpha.run1.json").read_text())
    report["ambiguous_failure_ids"] = list(report["unresolved_ids"])
    path = tmp_path / "alpha.run1.json"
    path.write_text(json.dumps(report))
    assert mean(read_scores(path), "alpha") == mean(read_scores(DATA / "swe-bench" / "alpha.run1.json"), "alpha")


def test_the_metric_of_a_task_of_old_amlb_tables_is_that_of_most_rows(tmp_path: Path) -> None:
    """A published table of 2019 has one row whose log loss stands in the column of the AUC."""
    rows = [f"chess,{name},{fold},{0.1 + fold / 100},0.9,,{0.1 + fold / 100}" for name in "ab" for fold in range(3)]
    rows[4] = "chess,b,1,0.148611,0.947122,0.148611,"
    path = tmp_path / "results.csv"
    path.write_text("\n".join(["task,framework,fold,result,acc,auc,logloss", *rows]))
    assert read_scores(path).to_frame()["value"].max() < 0, "log losses are negated, all of them"


def test_winners_may_be_called_by_their_names(tmp_path: Path) -> None:
    path = tmp_path / "votes.csv"
    path.write_text("model_a,model_b,winner\nalpha,beta,Beta\nbeta,alpha,beta\nalpha,beta,tie\nalpha,beta,model_a\n")
    (votes,) = sources_of([path])
    assert [vote.winner for vote in votes_in(votes)] == ["second", "first", "tie", "first"]


def test_votes_are_read_and_not_compared() -> None:
    (battles,) = sources_of([DATA / "arena" / "battles.json"])
    assert list(votes_in(battles)) == [
        Vote("alpha", "beta", "first", "c1", "arena_user_1", "1"),
        Vote("beta", "alpha", "tie", "c2", "arena_user_1", "1"),
    ]
    (pairs,) = sources_of([DATA / "mt-bench" / "judge_pair.jsonl"])
    assert [vote.winner for vote in votes_in(pairs)] == ["tie"], "the two orders disagree"
    with pytest.raises(MisfitError, match=r"holds 2 votes \(1 ties\) between pairs of 2 models"):
        read_scores(DATA / "arena" / "battles.json")


def test_asv_takes_parameters_for_tasks_and_reads_no_rounds() -> None:
    scores = read_scores(DATA / "asv", measure="time")
    assert scores.learners == ("a0f29428 virtualenv-py3.12", "d6b286b8 virtualenv-py3.12")
    assert len(scores.tasks) == 7
    frame = scores.to_frame().set_index(["task", "learner"])
    assert frame.loc[("suite.Sorting.time_sort(100, 'list')", scores.learners[0]), "value"] == 2e-5
    assert frame.loc[("suite.Tables.time_group(2)", scores.learners[1]), "status"] == "failed"
    assert "track_accuracy" not in str(scores.tasks)
    assert read_scores(DATA / "asv", measure="memory").tasks == (
        "suite.Tables.peakmem_join(10)",
        "suite.Tables.peakmem_join(100)",
    )


def test_benchopt_curves_come_to_one_value_a_solver_and_problem() -> None:
    import pyarrow.parquet as pq

    scores = read_scores(DATA / "benchopt", measure="objective_value")
    raw = pq.read_table(next((DATA / "benchopt").glob("*.parquet"))).to_pandas()
    last = raw[
        raw.groupby(["solver_name", "objective_name", "idx_rep"])["stop_val"].transform("max") == raw["stop_val"]
    ]
    ends = last.groupby(["solver_name", "objective_name"])["objective_value"].median()
    frame = scores.to_frame()
    for row in frame.itertuples():
        assert row.value == ends[row.learner, str(row.task).partition(", Simulated")[0]]
    timed = read_scores(DATA / "benchopt")
    assert timed.measure.labels == ("time_to_target",)
    assert "target not reached" in timed.status.labels


# --- learning experiments ---------------------------------------------------------------------------------------------


def test_cross_validate_in_files() -> None:
    tree = DATA / "sklearn" / "cross_validate_wine_tree.json"
    bayes = DATA / "sklearn" / "cross_validate_wine_bayes.csv"
    scores = read_scores(f"tree={tree}", f"bayes={bayes}", measure="accuracy")
    printed = json.loads(tree.read_text())
    assert values_of(scores, "tree").tolist() == printed["test_accuracy"]
    losses = read_scores(f"tree={tree}", f"bayes={bayes}", measure="log_loss")
    assert values_of(losses, "tree").tolist() == [-value for value in printed["test_neg_log_loss"]]
    assert not losses.measures["log_loss"].larger_is_better


def test_cv_results_leave_means_and_ranks_out() -> None:
    scores = read_scores(DATA / "sklearn" / "cv_results_single.csv")
    assert len(scores.learners) == 3
    lines = (DATA / "sklearn" / "cv_results_single.csv").read_text().splitlines()
    header = lines[0].split(",")
    import csv

    for row, learner in zip(csv.DictReader(lines), scores.learners, strict=True):
        assert mean(scores, learner) == pytest.approx(float(row["mean_test_score"]), abs=1e-12)
    assert "rank_test_score" in header
    assert [doubt.code for doubt in scores.doubts] == ["candidates"]


def test_skore_gives_its_own_aggregate() -> None:
    scores = read_scores(DATA / "skore" / "comparison_frame.csv")
    lines = (DATA / "skore" / "comparison_frame_aggregated.csv").read_text().splitlines()
    for line in lines[1:]:
        metric, tree, bayes, *_ = line.split(",")
        if metric in scores.measure.labels:
            assert mean(scores, "tree", measure=metric) == pytest.approx(float(tree), abs=1e-12)
            assert mean(scores, "bayes", measure=metric) == pytest.approx(float(bayes), abs=1e-12)
    with pytest.raises(InputError, match="means and deviations over splits"):
        read_scores(DATA / "skore" / "comparison_frame_aggregated.csv")


@pytest.mark.parametrize("file", ["search_runs.csv", "search_runs.parquet", "mlflow.db", "mlruns"])
def test_mlflow_from_every_store(file: str, tmp_path: Path) -> None:
    path = DATA / "mlflow" / file
    if file == "mlruns":
        zipfile.ZipFile(DATA / "mlflow" / "mlruns.zip").extractall(tmp_path)
        path = tmp_path / "mlruns"
    scores = read_scores(path, measure="accuracy")
    assert sorted(scores.learners) == ["forest", "svm", "tree"]
    assert len(scores) == 15, "16 runs, of which one has two below it"
    assert any("1 run with runs below it left out" in note for note in scores.notes)
    assert "FAILED" in scores.status.labels
    assert sorted(values_of(scores, "svm").tolist()) == [0.9, 0.91]


def test_wandb_keeps_a_crashed_run_as_a_failure() -> None:
    scores = read_scores(DATA / "wandb" / "export.csv")
    assert scores.status.values() == ["ok", "crashed"]


def test_wandb_dicts_as_text_are_not_executed(tmp_path: Path) -> None:
    path = tmp_path / "runs.csv"
    path.write_text(
        "name,config,summary\na,\"{'model': 'tree', 'seed': 1}\",\"{'accuracy': 0.9, '_step': 3}\"\n"
        "b,\"{'model': 'svm', 'seed': 1}\",\"{'accuracy': 0.8}\"\n"
        'c,"__import__(\'os\').abort()","{}"\n'
    )
    scores = read_scores(path, where="config.model=tree,svm")
    assert scores.learners == ("tree", "svm")
    assert scores.value.tolist() == [0.9, 0.8]


@pytest.mark.parametrize("ending", ["csv", "arff"])
def test_weka_gives_percent_correct_and_exact_sizes(ending: str) -> None:
    scores = read_scores(DATA / "weka" / f"J48.{ending}", DATA / "weka" / f"NaiveBayes.{ending}")
    assert scores.learners == ("J48", "NaiveBayes")
    assert mean(scores, "J48", task="iris", repeat="1", fold="1") == pytest.approx(96.666667, abs=1e-5)
    first = scores.task.codes == scores.task.labels.index("iris")
    assert set(scores.n_train[first]) == {120.0}
    assert set(scores.n_test[first]) == {30.0}


def test_aeon_predictions_give_the_printed_accuracy() -> None:
    scores = read_scores(DATA / "aeon" / "tsml-eval")
    for file in sorted((DATA / "aeon" / "tsml-eval").rglob("testResample*.csv")):
        lines = file.read_text().splitlines()
        learner, resample = lines[0].split(",")[1].split(" (")[0], lines[0].split(",")[3]
        printed = float(lines[2].split(",")[0])
        assert mean(scores, learner, fold=resample) == pytest.approx(printed, abs=1e-12)
    assert len(scores.instance.labels) == 44, "case i of two resamples is not the same series"


def test_aeon_matrix() -> None:
    scores = read_scores(DATA / "aeon" / "1NN-DTW_accuracy.csv")
    assert scores.learners == ("1NN-DTW",)
    assert scores.measure.labels == ("accuracy",)
    assert values_of(scores, "1NN-DTW", task="GunPoint").tolist() == [0.99, 0.98, 0.97]


def test_amlb_keeps_failures_and_only_ranks_compare() -> None:
    scores = read_scores(DATA / "amlb" / "results.csv")
    assert scores.measures["result"].larger_is_better
    assert values_of(scores, "A").tolist() == [0.86, -0.12]
    assert math.isnan(values_of(scores, "B", task="iris")[0])
    assert "Error: timeout" in scores.message.labels
    assert [doubt.code for doubt in scores.doubts] == ["scales-differ"]


def test_amlb_of_older_versions_has_positive_losses(tmp_path: Path) -> None:
    path = tmp_path / "results.csv"
    path.write_text("id,task,framework,fold,result,metric\n1,iris,A,0,0.12,logloss\n1,iris,B,0,0.3,logloss\n")
    assert read_scores(path).value.tolist() == [-0.12, -0.3]


def test_tabarena_is_an_error() -> None:
    scores = read_scores(DATA / "tabarena" / "results.csv")
    assert not scores.measures["metric_error"].larger_is_better


def test_mlr3_and_openml() -> None:
    assert read_scores(DATA / "mlr3" / "score.csv").value.tolist() == [0.46, 0.30]
    scores = read_scores(DATA / "openml" / "list_evaluations_per_fold.csv")
    assert values_of(scores, "sklearn.svm.SVC(1)").tolist() == [0.9, 1.0, 0.95]
    assert scores.measure.labels == ("accuracy",)


# --- times ------------------------------------------------------------------------------------------------------------


def test_pytest_benchmark_has_a_value_a_run() -> None:
    base, candidate = (DATA / "pytest-benchmark" / f"{name}.json" for name in ("base", "candidate"))
    scores = read_scores(base, candidate)
    assert scores.learners == ("base", "candidate")
    printed = json.loads(base.read_text())["benchmarks"]
    assert values_of(scores, "base").tolist() == [each["stats"]["median"] for each in printed]
    runs = read_scores(f"a={base}", f"a={candidate}")
    assert runs.learners == ("a",)
    assert runs.repeat.labels == ("1", "2")


def test_hyperfine_runs_are_independent() -> None:
    scores = read_scores(DATA / "hyperfine" / "both.json")
    printed = json.loads((DATA / "hyperfine" / "both.json").read_text())["results"]
    for result in printed:
        assert mean(scores, result["command"]) == pytest.approx(result["mean"], abs=1e-12)
        assert statistics.stdev(values_of(scores, result["command"])) == pytest.approx(result["stddev"], abs=1e-12)
    assert scores.independent
    with pytest.raises(InputError, match="hyperfine's CSV has means only"):
        read_scores(DATA / "hyperfine" / "both.csv")


# --- tables -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("file", "first"), [("table.md", 95.3), ("table.tex", 95.3)])
def test_tables_of_papers(file: str, first: float) -> None:
    scores = read_scores(DATA / "papers" / file, measure="accuracy")
    assert scores.learners == ("A", "B")
    assert scores.value[:2].tolist() == [first, 96.0]
    assert any("does not say what varies" in note for note in scores.notes)


def test_a_folder_of_nothing(tmp_path: Path) -> None:
    (tmp_path / "readme.rst").write_text("nothing")
    with pytest.raises(InputError, match="holds no file that could hold scores"):
        read_scores(tmp_path)


def test_json_that_is_no_table() -> None:
    with pytest.raises(InputError, match="nested too deeply"):
        parse_json("[" * 200_000, "deep.json")
    with pytest.raises(UsageError, match=r"There is no format 'lmeval'\. Did you mean 'lm-eval'"):
        read_scores(DATA / "lm-eval", format="lmeval")


def test_what_runs_of_hyperfine_are_is_known() -> None:
    scores = read_scores(DATA / "hyperfine" / "both.json")
    assert scores.independent
    assert scores.splitting.runs == "fixed-split"
    assert "unknown-runs" not in {warning.code for warning in judge(scores).warnings}


def test_xml_is_no_table(tmp_path: Path) -> None:
    path = tmp_path / "junit.xml"
    path.write_text('<?xml version="1.0"?>\n<testsuites></testsuites>\n')
    with pytest.raises(InputError, match="XML or HTML, which is not read"):
        read_scores(path)
