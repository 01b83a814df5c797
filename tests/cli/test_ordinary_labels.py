"""Files whose labels, headers or rows tell what the experiment was, from their text to what `bakeoff compare` says."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from bakeoff.cli import main

Compare = Callable[..., str]


def scores(seed: int = 1) -> Callable[[], float]:
    rng = np.random.default_rng(seed)
    return lambda: round(0.8 + 0.02 * float(rng.standard_normal()), 4)


def answers(seed: int = 1) -> Callable[[], int]:
    rng = np.random.default_rng(seed)
    return lambda: int(rng.random() < 0.7)


# --- runs in labels ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("word", ["Bootstrap", "Resample", "split_"])
def test_ids_that_name_resamples_are_no_instances(compare: Compare, word: str) -> None:
    score = scores()
    rows = [(m, f"{word}{i:02d}", "accuracy", score()) for m in "AB" for i in range(25)]
    said = compare("wflow_id,id,.metric,.estimate", rows)
    assert "This holds only if the runs" in said
    assert "Over 25 resamples" in said
    assert f"labels of column 'id' ({word}00) read as split" in said


def test_ids_that_name_folds(compare: Compare) -> None:
    score = scores()
    rows = [(m, f"Fold{i:02d}", "accuracy", score()) for m in "AB" for i in range(10)]
    assert "1/(K − 1) of 10-fold cross-validation" in compare("wflow_id,id,.metric,.estimate", rows)


@pytest.mark.parametrize(
    "scheme", ["subsampling", "bootstrap", "holdout", "repeated_cv", "cv", "custom_cv", "insample"]
)
def test_mlr3_says_what_its_iterations_are(compare: Compare, scheme: str) -> None:
    score = scores()
    rows = [(1, "sonar", m, scheme, i, score()) for m in "AB" for i in range(10)]
    said = compare("nr,task_id,learner_id,resampling_id,iteration,classif.ce", rows)
    if scheme == "insample":
        assert "tests on what was learned from" in said
    else:
        assert ("This holds only if the runs" in said) == ("cv" not in scheme or scheme == "repeated_cv")


def test_folds_and_seeds_in_names(compare: Compare) -> None:
    score = scores()
    rows = [(f"{t}_fold{f}", m, score()) for t in ("iris", "wine", "zoo", "tae") for f in range(5) for m in "AB"]
    said = compare("dataset,model,accuracy", rows)
    assert "Over 4 tasks (each the mean of 5 folds)" in said
    assert "labels of column 'dataset' (iris_fold0) read as task and fold" in said
    runs = [(f"{m}-seed-{s}", score()) for m in ("bert", "roberta") for s in range(5)]
    said = compare("model,accuracy", runs)
    assert "Over 5 resamples each, bert and roberta were compared" in said
    assert "read as learner and seed" in said
    alone = [(f"bert_run{s}", f"d{t}", score()) for s in (1, 2) for t in range(9)]
    assert "bert_run1 and bert_run2 were compared" in compare(
        "model,dataset,accuracy", alone
    )  # nothing else to compare


def test_tasks_that_are_named_after_groups(compare: Compare) -> None:
    score = scores()
    rows = [(f"{g}{i}", m, score()) for g in ("monk", "letter", "wave") for i in range(1, 5) for m in "AB"]
    said = compare("dataset,model,accuracy", rows)
    assert "This holds only if tasks are independent" in said
    assert "those of 3 groups with a number (monk, letter and wave)" in said
    plain = [(f"d{i}", m, score()) for i in range(12) for m in "AB"]
    assert "This holds only if" not in compare("dataset,model,accuracy", plain)


# --- what several answers to an item, or scores on a task, are --------------------------------------------------------


@pytest.mark.parametrize("column", ["template", "prompt_template", "judge", "annotator", "language", "turn"])
def test_ways_to_put_or_judge_an_item_are_answers(compare: Compare, column: str) -> None:
    right = answers()
    rows = [(i, m, f"w{w}", right()) for i in range(40) for w in range(3) for m in "AB"]
    said = compare(f"item,model,{column},correct", rows)
    assert "On 40 instances (each the mean of 3 answers)" in said
    assert f"column {column!r} read as repeat: it tells several answers to an item apart" in said
    nested = [(i, m, f"w{i // 4}", right()) for i in range(40) for m in "AB"]
    said = compare(f"item,model,{column},correct", nested)
    if column in ("template", "language"):
        assert "cluster" in said  # each item in one of them: taken for clusters, or a doubt
    assert "each the mean" not in said


def test_strict_judges_are_no_runs_that_differ(compare: Compare) -> None:
    """What a judge does to all models leaves their differences alone; what it does to one of them does not."""
    rng = np.random.default_rng(3)
    own, strict = rng.normal(0, 1, (60, 2)), rng.normal(0, 2, 4)
    for kind, biased in (("", 0.0), ("biased", 1.5)):
        favour = biased * rng.normal(0, 1, (4, 2))
        rows = [(i, m, r, round(6 + own[i, k] + strict[r] + favour[r, k] + rng.normal(0, 0.5), 2))
                for i in range(60) for r in range(4) for k, m in enumerate("AB")]  # fmt: skip
        said = compare("question_id,model,judge,rating", rows, "--larger-is-better")
        assert ("Warning [unlike-runs]" in said) == bool(kind)


def test_languages_and_parts_of_a_task_are_averaged(compare: Compare) -> None:
    score = scores()
    for column in ("language", "subtask"):
        rows = [(f"d{t}", f"x{w}", m, score()) for t in range(9) for w in range(4) for m in "AB"]
        said = compare(f"task,{column},model,accuracy", rows)
        assert "Over 9 tasks" in said
        assert f"column {column!r} read as repeat: it tells several scores on a task apart" in said


def test_units_that_have_one_score_each(compare: Compare) -> None:
    score, right = scores(), answers()
    rows = [(f"S{s}", m, score()) for s in range(20) for m in "AB"]
    said = compare("subject,model,accuracy", rows)
    assert "On 20 instances" in said
    assert "column 'subject' read as instance: each learner has one score on each" in said
    wide = [(f"t{i}", score(), score()) for i in range(25)]
    assert "the rows are instances, as each is another topic" in compare("topic,A,B", wide, "--measure", "map")
    arms = [(u, "AB"[u % 2], right()) for u in range(100)]
    assert "z test of two rates on independent test sets" in compare("user_id,variant,success", arms)


def test_users_of_learners_that_share_none(compare: Compare) -> None:
    """Sessions of a user resemble one another: users are counted, whoever met them."""
    rng = np.random.default_rng(2)
    user = rng.normal(0, 1, 60)
    rows = [
        (f"u{u}", s, "AB"[u % 2], int(rng.random() < 1 / (1 + np.exp(-user[u])))) for u in range(60) for s in range(8)
    ]
    said = compare("user_id,session,variant,success", rows, "--columns", "instance=session", "--cluster", "user_id")
    assert "On 30 instances each (each the mean of 8 answers)" in said
    assert "learners share no instance: those of one 'user_id' are averaged" in said
    right = answers()
    cells = [(m, f"p{i // 5}", i, right()) for m in "AB" for i in range(80)]
    said = compare("model,passage,item,correct", cells, "--cluster", "passage", "--unpaired")
    assert "On 16 instances each (each the mean of 5 answers)" in said


# --- rows and columns that do not count -------------------------------------------------------------------------------


@pytest.mark.parametrize("column", ["phase", "subset", "split", "eval_set"])
def test_scores_of_the_test_part_count(compare: Compare, column: str) -> None:
    score = scores()
    rows = [(f"d{t}", m, part, score()) for t in range(9) for m in "AB" for part in ("train", "valid", "test")]
    said = compare(f"dataset,model,{column},accuracy", rows)
    assert "Over 9 tasks, A and B" in said
    assert f"of column {column!r} the rows 'test' count, and 'train' and 'valid' are left out" in said


def test_uncertainties_among_measures_are_set_aside(compare: Compare) -> None:
    score = scores()
    rows = [(m, f"t{t}", name, score()) for m in "AB" for t in range(9) for name in ("acc", "acc_stderr", "f1_std")]
    said = compare("model,task,metric,value", rows[:-1:1], "--measure", "acc")
    assert "set aside, as nobody's scores: 'acc_stderr' in column 'metric'" in said
    assert "Over 9 tasks" in said


def test_rows_that_sum_up_the_others(compare: Compare) -> None:
    score = scores()
    rows: list[tuple[object, ...]] = [(f"d{t}", score(), score(), score()) for t in range(9)]
    means = [round(float(np.mean([row[k] for row in rows])), 3) for k in (1, 2, 3)]  # type: ignore[arg-type]
    for label, values in (("Average", means), ("Avg. rank", [1.5, 2.1, 2.4])):
        said = compare("dataset,A,B,C", [*rows, (label, *values)], "--measure", "accuracy")
        assert "Over 9 tasks" in said
        assert f"left out, as summing up the other rows: '{label}'" in said
    assert "looks like a summary" in compare("dataset,A,B,C", [*rows, ("Average", 0.1, 0.2, 0.9)],
                                             "--measure", "accuracy")  # fmt: skip


def test_leaderboards_have_more_than_data_sets(compare: Compare) -> None:
    score = scores()
    rows = [(m, score(), *(score() for _ in range(7)), 7, "chat") for m in "ABC"]
    header = "Model/adapter,Mean win rate,MMLU,ARC,GSM8K,BBH,MATH,GPQA,IFEval,Params (B),Type"
    said = compare(header, rows, "--transpose", "--measure", "accuracy")
    assert "Over 7 tasks" in said
    assert "left out, as no data sets: 'Mean win rate', 'Params (B)' and 'Type'" in said


def test_ids_that_recur_are_not_dropped_in_silence(compare: Compare) -> None:
    right = answers()
    rows = [(f"p{i // 8}", right(), right()) for i in range(160)]
    said = compare("id,A,B", rows, "--measure", "accuracy")
    assert "the rows are instances, as every score is 0 or 1" in said
    assert "This holds only if instances are independent" in said
    assert "--cluster id" in said


@pytest.mark.parametrize("column", ["epoch", "step"])
def test_wide_training_curves_are_refused(compare: Compare, column: str) -> None:
    score = scores()
    rows = [(100 * (i + 1), score(), score()) for i in range(20)]
    assert "points of a training curve" in compare(f"{column},A,B", rows, "--measure", "accuracy")


def test_a_file_for_each_learner_with_ids(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    right = answers()
    for name in ("llama", "qwen"):
        lines = ["id,correct", *(f"{i},{right()}" for i in range(60))]
        (tmp_path / f"{name}.csv").write_text("\n".join(lines) + "\n")
    assert main(["compare", str(tmp_path / "llama.csv"), str(tmp_path / "qwen.csv")]) == 0
    assert "On 60 instances, llama and qwen were compared" in " ".join(capsys.readouterr().out.split())


def test_two_lines_of_headers_and_remarks_above_them(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    score = scores()
    lines = ["# written by hand, in May", ",mean,mean,std,std", ",svm,knn,svm,knn", "dataset,,,,"]
    lines += [f"d{t},{score()},{score()},0.01,0.02" for t in range(9)]
    (tmp_path / "scores.csv").write_text("\n".join(lines) + "\n")
    assert main(["compare", str(tmp_path / "scores.csv"), "--measure", "accuracy"]) == 0
    said = " ".join(capsys.readouterr().out.split())
    assert "Over 9 tasks, svm and knn were compared" in said
    assert "set aside, as nobody's scores: 'svm_std' and 'knn_std'" in said


# --- times ------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("form", ["{}Q{}", "{}-Q{}", "{} q{}"])
def test_quarters_are_times(compare: Compare, form: str) -> None:
    rng = np.random.default_rng(2)
    rows = [(form.format(1960 + i // 4, i % 4 + 1), *np.round(rng.random(2), 3)) for i in range(80)]
    assert "column 'quarter' read as times, in their order" in compare("quarter,A,B", rows, "--measure", "mae")


def test_series_at_the_same_times(compare: Compare) -> None:
    rng = np.random.default_rng(2)
    shock = rng.normal(0, 1, (120, 2))
    rows = [
        (f"s{s}", t, *np.round(5 + shock[t] + 0.2 * rng.standard_normal(2), 3)) for s in range(6) for t in range(120)
    ]
    said = compare("unique_id,ds,A,B", rows, "--measure", "mae")
    assert "This holds only if series are independent, though they were observed at the same times" in said
    assert "Warning [shared-times] The 6 series were observed at the same times (ds)" in said
    said = compare("unique_id,ds,A,B", rows, "--measure", "mae", "--about", "items")
    assert "by t test of successive losses, by equal-weighted cosines" in said
    assert "the 6 series are a fixed list, as you said (--about items), averaged at each time" in said


def test_a_slow_drift_under_noise(compare: Compare) -> None:
    rng = np.random.default_rng(4)
    drift = np.zeros(150)
    for t in range(1, 150):
        drift[t] = 0.98 * drift[t - 1] + 0.2 * rng.standard_normal()
    rows = [
        (t, round(5 + drift[t] + rng.standard_normal(), 3), round(5 + rng.standard_normal(), 3)) for t in range(150)
    ]
    said = compare("time,A,B", rows, "--measure", "mae")
    assert "This holds only if no slow drift lies under the noise" in said
    assert "Warning [slow-drift]" in said


def test_one_run_beside_many_and_a_number_without_a_seed_are_told_what_to_do(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    rows = [f"ours,{seed},0.8{seed}" for seed in range(6)]
    file = tmp_path / "seeds.csv"
    file.write_text("\n".join(["method,seed,accuracy", *rows, "old one,0,0.79"]))
    assert main(["compare", str(file)]) == 3
    refusal = " ".join(capsys.readouterr().err.split())
    assert "old one has one value and the others have up to 6" in refusal
    assert "--without 'old one' --against 0.79" in refusal
    assert main(["compare", str(file), "--without", "old one", "--against", "0.79"]) == 0
    file.write_text("\n".join(["method,seed,accuracy", *rows, "old one,,0.79"]))
    assert main(["compare", str(file)]) != 0
    assert "hold the others against it: --against VALUE" in " ".join(capsys.readouterr().err.split())


def test_what_a_named_cluster_holds_several_of_is_asked_for(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    answer = answers()
    rows = [f"{'AB'[user % 2]},u{user},{session},{answer()}" for user in range(40) for session in range(3)]
    file = tmp_path / "sessions.csv"
    file.write_text("\n".join(["variant,user,session,clicked", *rows]))
    command = ["compare", str(file), "--measure", "clicked", "--larger-is-better", "--cluster", "user"]
    assert main(command) != 0
    assert "say --columns instance=session" in " ".join(capsys.readouterr().err.split())
    assert main([*command, "--columns", "instance=session"]) == 0
    assert "On 20 instances each (each the mean of 3 answers)" in " ".join(capsys.readouterr().out.split())


def test_samples_whose_scores_no_item_can_have_are_asked_about(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    score, answer = scores(), answers()
    file = tmp_path / "samples.csv"

    def said(values: Callable[[], float], *more: str) -> str:
        file.write_text("\n".join(["model,sample,accuracy", *(f"{m},{i},{values()}" for m in "AB" for i in range(40))]))
        assert main(["compare", str(file), *more]) == 0
        return " ".join(capsys.readouterr().out.split())

    assert said(score).startswith("This holds only if samples are single test items")
    assert "samples-or-items" not in said(score, "--columns", "instance=sample")
    assert "[unknown-runs]" in said(score, "--columns", "repeat=sample")
    assert "samples-or-items" not in said(answer)
