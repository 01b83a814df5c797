"""Files as people and tools write them, from the text of the file to the sentence that `bakeoff compare` says."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from bakeoff.cli import main

Capture = pytest.CaptureFixture[str]
Compare = Callable[..., str]


def draws(seed: int = 1) -> Callable[[], float]:
    rng = np.random.default_rng(seed)
    return lambda: round(0.8 + 0.02 * float(rng.standard_normal()), 4)


def answers(seed: int = 1) -> Callable[[], int]:
    rng = np.random.default_rng(seed)
    return lambda: int(rng.random() < 0.7)


UNKNOWN = "This holds only if the runs, of which it is not known what they are, are"
PROVISO = f"{UNKNOWN} no random splits of one data set."
SPLITS = f"{UNKNOWN} random splits of one data set, a third of it tested on, or less, as their name"


# --- what a block is --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "column", ["split", "resample", "iteration", "partition", "cv", "bootstrap", "run", "seed", "monte_carlo"]
)
def test_thirty_splits_are_no_folds(compare: Compare, column: str) -> None:
    score = draws()
    said = compare(f"model,{column},accuracy", [(m, i, score()) for m in "AB" for i in range(30)])
    assert (PROVISO if column in ("run", "seed") else f"{SPLITS} ({column!r}) suggests.") in said
    assert "Warning [unknown-runs]" in said
    assert "--ratio N_TEST/N_TRAIN" in said
    assert "--runs fixed-split" in said
    assert "cross-validation, α" not in said


def test_thirty_rows_that_are_called_folds(compare: Compare) -> None:
    score = draws()
    said = compare("svm,knn", [(score(), score()) for _ in range(30)], "--rows", "folds", "--measure", "accuracy")
    assert "This holds only if the rows are the folds of one cross-validation" in said
    assert "Warning [folds-by-word]" in said


@pytest.mark.parametrize("column", ["fold", "cv_fold", "Fold", "outer_fold", "fold_id"])
def test_ten_folds_are_folds(compare: Compare, column: str) -> None:
    score = draws()
    said = compare(f"model,{column},accuracy", [(m, i, score()) for m in "AB" for i in range(10)])
    assert "ratio 0.1111 of test to training size, 1/(K − 1) of 10-fold cross-validation" in said
    assert "holds only if" not in said


@pytest.mark.parametrize("label", ["Fold{f:02d}.Rep{r:02d}", "rep{r}_fold{f}", "Repeat {r} Fold {f}"])
def test_a_label_of_repeat_and_fold(compare: Compare, label: str) -> None:
    score = draws()
    rows = [(m, label.format(f=f, r=r), score()) for m in "AB" for r in range(1, 6) for f in range(1, 11)]
    said = compare("model,Resample,accuracy", rows)
    assert "Over 50 resamples" in said
    assert "read as repeat and fold" in said
    assert "1/(K − 1) of 10-fold cross-validation" in said


def test_carets_labels_of_folds_and_its_bootstrap(compare: Compare) -> None:
    score = draws()
    folds = compare("model,Resample,accuracy", [(m, f"Fold{i:02d}", score()) for m in "AB" for i in range(1, 11)])
    assert "1/(K − 1) of 10-fold cross-validation" in folds
    drawn = compare("model,Resample,accuracy", [(m, f"Resample{i:02d}", score()) for m in "AB" for i in range(1, 26)])
    assert f"{SPLITS} ('Resample') suggests." in drawn


def test_carets_resamples_have_a_column_for_each_learner_and_measure(compare: Compare) -> None:
    score = draws()
    header = "Resample,rf~Accuracy,rf~Kappa,svm~Accuracy,svm~Kappa"
    rows = [(f"Fold{i:02d}", score(), score(), score(), score()) for i in range(1, 11)]
    assert "learners 2: rf and svm" in compare(header, rows, "--measure", "Accuracy")


def test_tidymodels_names_repeats_and_folds_in_two_ids(compare: Compare) -> None:
    score = draws()
    rows = [(m, f"Repeat{r}", f"Fold{f:02d}", "accuracy", "binary", score())
            for m in "AB" for r in range(1, 4) for f in range(1, 11)]  # fmt: skip
    said = compare("wflow_id,id,id2,.metric,.estimator,.estimate", rows)
    assert "learners 2: A and B" in said
    assert "repeats 3 folds 10" in said


def test_openml(compare: Compare) -> None:
    score = draws()
    header = "flow,task_id,repeat,fold,sample,accuracy"
    rows = [(m, 31, r, f, 0, score()) for m in "AB" for r in range(10) for f in range(10)]
    assert "1/(K − 1) of 10-fold cross-validation" in compare(header, rows)
    grown = [(m, 31, 0, f, s, score()) for m in "AB" for f in range(10) for s in range(4)]
    assert "they number training sets of growing size" in compare(header, grown)


def test_scikit_learns_search(compare: Compare) -> None:
    score = draws()
    header = "mean_fit_time,std_fit_time,param_C,params," + ",".join(f"split{i}_test_score" for i in range(5))
    rows = [(0.1, 0.0, c, f"C={c}", *(score() for _ in range(5)), score(), 0.01, r) for c, r in ((1, 1), (10, 2))]
    said = compare(f"{header},mean_test_score,std_test_score,rank_test_score", rows)
    assert "learners 2: C=1 and C=10" in said
    assert "larger is better (as of all scorers of scikit-learn)" in said
    assert "Warning [candidates]" in said
    assert PROVISO in said
    alone = [row[:4] + row[9:] for row in rows]
    refused = compare("mean_fit_time,std_fit_time,param_C,params,mean_test_score,std_test_score,rank_test_score", alone)
    assert "Keep the columns split0_test_…" in refused


def test_weka(compare: Compare) -> None:
    score = draws()
    header = (
        "Key_Dataset,Key_Run,Key_Fold,Key_Scheme,Number_of_training_instances,Number_of_testing_instances,"
        "Percent_correct,Kappa_statistic"
    )
    rows = [("iris", r, f, s, 135, 15, 100 * score(), score())
            for s in ("trees.J48", "bayes.NaiveBayes") for r in range(1, 11) for f in range(1, 11)]  # fmt: skip
    said = compare(header, rows, "--measure", "Percent_correct")
    assert "larger is better (known measure: 'Percent_correct' is accuracy)" in said
    assert "ratio 0.1111 of test to training size, from the sizes given" in said


def test_sizes_and_shares_tell_the_ratio(compare: Compare) -> None:
    score = draws()
    rows = [(m, i, 200, 100, score()) for m in "AB" for i in range(30)]
    assert "ratio 0.5 of test to training size, from the sizes given" in compare(
        "model,split,n_train,n_test,accuracy", rows
    )
    # What is called a fold tests far more than a thirtieth here.
    assert "ratio 0.5 of test to training size" in compare("model,fold,n_train,n_test,accuracy", rows)
    shares = [(m, i, 0.2, score()) for m in "AB" for i in range(30)]
    said = compare("model,split,test_size,accuracy", shares)
    assert "ratio 0.25 of test to training size" in said
    assert "the share of rows that random splits test on" in said


def test_folds_that_are_missing(compare: Compare) -> None:
    score = draws()
    gaps = [(m, i, score()) for m in "AB" for i in (1, 2, 4, 5, 7, 8, 9, 10)]
    said = compare("model,fold,accuracy", gaps)
    assert "folds of which some are missing" in said
    assert "--ratio 1/7" in said
    assert "ratio 0.1111 of test to training size, as it was said" in compare(
        "model,fold,accuracy", gaps, "--ratio", "1/9"
    )
    uneven = [(m, r, f, score()) for m in "AB" for r in range(5) for f in range(10) if (r, f) not in {(2, 3), (4, 9)}]
    assert "Fill the folds in; or say how much they overlap, as --ratio 1/9 for 10 folds" in compare(
        "model,repeat,fold,accuracy", uneven
    )


# --- several answers to an item ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "column", ["seed", "epoch", "trial", "sample", "run", "attempt", "rollout", "iteration", "fold", "completion_id"]
)
def test_eight_answers_to_a_hundred_items_are_a_hundred(compare: Compare, column: str) -> None:
    right = answers()
    rows = [(m, i, s, right()) for m in "AB" for i in range(100) for s in range(8)]
    said = compare(f"model,item,{column},correct", rows)
    assert "On 100 instances (each the mean of 8 answers)" in said
    assert "McNemar" not in said


@pytest.mark.parametrize("item", ["id", "idx", "question_id", "qid", "doc_id"])
def test_items_by_other_names(compare: Compare, item: str) -> None:
    right = answers()
    rows = [(m, i, s, right()) for m in "AB" for i in range(40) for s in range(4)]
    assert "On 40 instances (each the mean of 4 answers)" in compare(f"model,{item},seed,correct", rows)


def test_samples_of_each_of_many_tasks_are_answers(compare: Compare) -> None:
    right = answers()
    rows = [(f"HumanEval/{i}", s, m, right()) for m in "AB" for i in range(60) for s in range(5)]
    said = compare("task_id,sample,model,passed", rows)
    assert "Over 60 tasks (each the mean of 5 runs)" in said


def test_answers_that_are_missing(compare: Compare) -> None:
    right = answers()
    rows = [(m, i, s, right()) for m in "AB" for i in range(40) for s in range(4) if (m, i) != ("B", 7) or s < 2]
    said = compare("model,item,seed,correct", rows)
    assert "(each the mean of up to 4 answers, not all of which all learners have)" in said
    assert "Warning [unequal-folds]" in said
    none = [row for row in rows if row[:2] != ("B", 9)]
    assert "1 of 80 cells of" in compare("model,item,seed,correct", none)
    assert "B on instance 9" in compare("model,item,seed,correct", none)


@pytest.mark.parametrize("names", [True, False])
def test_predictions_of_repeated_cross_validation(compare: Compare, names: bool) -> None:
    rng = np.random.default_rng(1)
    truth = rng.integers(0, 2, 60)
    rows = [(r, i % 10, *([i] if names else []), truth[i], *rng.integers(0, 2, 2)) for r in range(5) for i in range(60)]
    header = f"repeat,fold,{'id,' * names}y_true,svm,knn"
    assert "On 60 instances (each the mean of 5 answers)" in compare(header, rows)


def test_predictions_of_repeats_whose_instances_nobody_names(compare: Compare) -> None:
    rng = np.random.default_rng(1)
    rows = [(r, *rng.integers(0, 2, 3)) for r in range(5) for _ in range(60)]
    said = compare("repeat,y_true,svm,knn", rows)
    assert "Which rows of" in said
    assert "Add a column 'instance'" in said


def test_pooled_folds_are_no_fitted_models(compare: Compare) -> None:
    rng = np.random.default_rng(1)
    said = compare("fold,y_true,svm,knn", [(i % 10, *rng.integers(0, 2, 3)) for i in range(100)])
    assert "these learners, fitted to the other folds of this sample, on new instances" in said
    assert "these fitted models" not in said
    assert "Warning [pooled-folds]" in said


# --- clusters ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("column", ["subject", "passage", "cluster", "document", "patient_id", "video"])
@pytest.mark.parametrize("wide", [False, True])
def test_clusters_are_never_ignored(compare: Compare, column: str, wide: bool) -> None:
    right = answers()
    if wide:
        rows = [(i // 10, i, right(), right()) for i in range(200)]
        said = compare(f"{column},item,gpt,llama", rows, "--measure", "accuracy")
        assert "learners 2: gpt and llama" in said
    else:
        said = compare(f"model,{column},item,correct", [(m, i // 10, i, right()) for m in "AB" for i in range(200)])
    assert f"column '{column}' read as clusters, a sample of such: 20" in said
    assert (f"Say --cluster {column} if so" in said) == (column != "cluster")


@pytest.mark.parametrize("column", ["category", "difficulty", "language", "flavour"])
@pytest.mark.parametrize("shape", ["long", "wide", "predictions"])
def test_what_looks_like_clusters_is_announced(compare: Compare, column: str, shape: str) -> None:
    right = answers()
    if shape == "long":
        rows = [(m, f"c{i // 10}", i, right()) for m in "AB" for i in range(200)]
        said = compare(f"model,{column},item,correct", rows)
    elif shape == "wide":
        rows = [(f"c{i // 10}", i, right(), right()) for i in range(200)]
        said = compare(f"{column},item,gpt,llama", rows, "--measure", "accuracy")
    elif column == "flavour":
        pytest.skip("words beside a truth may be predictions: they are asked about")
    else:
        said = compare(f"{column},y_true,svm,knn", [(f"c{i // 10}", right(), right(), right()) for i in range(200)])
    assert "This holds only if instances are independent" in said
    assert "Warning [unknown-clusters]" in said
    assert f"--cluster {column}" in said


def test_rows_in_clusters_are_asked_about(compare: Compare) -> None:
    right = answers()
    rows = [(i // 10, right(), right()) for i in range(200)]
    shares = [(i // 10, right() / 2, right() / 2) for i in range(200)]
    assert "several rows share their subject" in compare("subject,gpt,llama", shares, "--measure", "accuracy")
    said = compare("subject,gpt,llama", shares, "--measure", "accuracy", "--rows", "instances")
    assert "column 'subject' read as clusters, a sample of such: 20" in said
    said = compare("subject,gpt,llama", rows, "--measure", "accuracy")
    assert "the rows are instances, as every score is 0 or 1" in said
    assert "column 'subject' read as clusters, a sample of such: 20" in said


# --- tasks that learners share, and runs that they do not ------------------------------------------------------------


@pytest.mark.parametrize("overlap", [0, 2, 5])
def test_seeds_of_ones_own(compare: Compare, overlap: int) -> None:
    score = draws()
    rows = [(m, f"d{t}", s + (5 - overlap) * (m == "B"), round(0.02 * t + 0.02 * (m == "B") + score() / 2, 4))
            for m in "AB" for t in range(12) for s in range(5)]  # fmt: skip
    said = compare("model,dataset,seed,accuracy", rows)
    assert "Over 12 tasks (each the mean of" in said
    assert "B is better than A" in said
    assert {0: "which no two learners share", 2: "not all of which all learners have", 5: "each the mean of 5 runs)"}[
        overlap
    ] in said


def test_folds_of_ones_own(compare: Compare) -> None:
    score = draws()
    rows = [(m, f"d{t}", f, score()) for m in "AB" for t in range(8) for f in range(5 if m == "A" else 10)]
    said = compare("model,dataset,fold,accuracy", rows)
    assert "(each the mean of up to 10 folds, not all of which all learners have)" in said


def test_two_tasks_are_compared_within_each(compare: Compare) -> None:
    score = draws()
    rows = [(m, t, f, score()) for m in "AB" for t in ("x", "y") for f in range(10)]
    said = compare("model,dataset,fold,accuracy", rows)
    assert "Warning [few-tasks]" in said
    assert "Compare the learners within each task (--task x and --task y;" in said
    assert "ratio 0.1111" in compare("model,dataset,fold,accuracy", rows, "--task", "x")


def test_the_estimate_has_a_name(compare: Compare) -> None:
    score = draws()
    rows = [(f"d{t}", score(), round(score() + 0.1, 4)) for t in range(12)]
    said = compare("dataset,svm,knn", rows, "--measure", "accuracy", "--with", "wilcoxon")
    assert "(pseudo-median (Hodges and Lehmann's) of the differences in accuracy; 95 % interval" in said


# --- what is no learner -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "odd", ["svm_std", "svm (sd)", "svm.se", "svm_n", "svm_rank", "svm_time", "train_svm", "std", "rank", "Unnamed: 0"]
)
def test_columns_about_others_are_set_aside(compare: Compare, odd: str) -> None:
    score = draws()
    rows = [(f"d{t}", score(), score(), score()) for t in range(12)]
    said = compare(f"dataset,svm,knn,{odd}", rows, "--measure", "accuracy")
    assert "learners 2: svm and knn" in said
    assert repr(odd) in said


def test_the_mean_of_the_others_is_no_learner(compare: Compare) -> None:
    score = draws()
    pairs = [(score(), score()) for _ in range(12)]
    rows = [(f"d{i}", a, b, round((a + b) / 2, 3), max(a, b)) for i, (a, b) in enumerate(pairs)]
    said = compare("dataset,svm,knn,mean,best", rows, "--measure", "accuracy")
    assert "set aside, as nobody's scores: 'mean' and 'best'" in said


@pytest.mark.parametrize(
    ("header", "refusal"),
    [
        ("dataset,test_accuracy,fit_time", "No column names the learners"),
        ("dataset,mean_test_score,mean_fit_time", "No column names the learners"),
        ("dataset,svm_acc,svm_f1,knn_acc,forest_f1", "hold different measures (accuracy and f1)"),
        ("dataset,1,2,3", "numbers, which name no learner"),
        ("d0,0.81,0.79", "The first line holds scores"),
        ("0.8,0.81,0.79", "it holds numbers only"),
    ],
)
def test_headers_that_name_no_learners_are_refused(compare: Compare, header: str, refusal: str) -> None:
    score = draws()
    width = header.count(",")
    rows = [(f"d{t}", *(score() for _ in range(width))) for t in range(12)]
    assert refusal in compare(header, rows, "--measure", "accuracy")


def test_learners_that_are_numbers_are_refused(compare: Compare) -> None:
    score = draws()
    rows = [(m, f"d{t}", score()) for m in (0.1, 0.2) for t in range(12)]
    assert "which name no learner" in compare("model,dataset,accuracy", rows)
    ids = [(m, f"d{t}", score()) for m in (101, 102) for t in range(12)]
    assert "learners 2: 101 and 102" in compare("model_id,dataset,accuracy", ids)


def test_a_numeric_column_is_asked_about_and_can_be_ignored(compare: Compare) -> None:
    score = draws()
    rows = [(f"d{t}", 100 + 7 * t, score(), score()) for t in range(12)]
    assert "--ignore dpi" in compare("dataset,dpi,svm,knn", rows, "--measure", "accuracy")
    said = compare("dataset,dpi,svm,knn", rows, "--measure", "accuracy", "--ignore", "dpi")
    assert "learners 2: svm and knn" in said


@pytest.mark.parametrize("column", ["n_samples", "year", "num_features", "pid"])
def test_facts_about_data_are_no_scores_in_any_unit(compare: Compare, column: str) -> None:
    score = draws()
    rows = [(f"d{t}", 100 + 7 * t, round(55 * score(), 3), round(55 * score(), 3)) for t in range(12)]
    said = compare(f"dataset,{column},svm,knn", rows, "--measure", "mae")
    assert (f"--ignore {column}" if column == "pid" else "learners 2: svm and knn") in said


def test_true_and_false_and_per_cent_signs(compare: Compare) -> None:
    right, score = answers(), draws()
    said = compare("model,item,correct", [(m, i, bool(right())) for m in "AB" for i in range(60)])
    assert "'correct': False as 0 and True as 1" in said
    assert "On 60 instances" in said
    said = compare("model,dataset,accuracy", [(m, f"d{i}", f"{100 * score():.1f}%") for m in "AB" for i in range(9)])
    assert "read as per cent, from 0 to 100" in said


def test_a_row_for_each_prediction(compare: Compare) -> None:
    right = answers()
    said = compare("model,id,y_true,y_pred", [(m, i, i % 2, right()) for m in "AB" for i in range(60)])
    assert "'y_pred' is what each 'model' predicted" in said
    assert "predictions are scored by error" in said
    assert "On 60 instances" in said


def test_a_row_for_each_probability(compare: Compare, tmp_path: Path) -> None:
    """Whatever is asked of a column a learner can be asked of a row a prediction, too."""
    rng = np.random.default_rng(4)
    truth = [int(x) for x in rng.random(80) < 0.5]
    share = {m: [round(float(np.clip(t + d, 0.01, 0.99)), 3) for t, d in zip(truth, rng.normal(0, s, 80), strict=True)]
             for m, s in (("A", 0.4), ("B", 0.6))}  # fmt: skip
    rows = [(m, i, truth[i], share[m][i]) for i in range(80) for m in "BA"]
    said = compare("model,id,y_true,y_prob", rows)
    assert "On 80 instances" in said
    assert "predictions are scored by brier" in said
    wide = compare("id,y_true,B,A", [(i, truth[i], share["B"][i], share["A"][i]) for i in range(80)])
    assert said.partition("Recommended")[0] == wide.partition("Recommended")[0]
    unnamed = compare("model,y_true,y_prob", [(m, truth[i], share[m][i]) for m in "BA" for i in range(80)])
    assert "each learner has the same truth in the same order" in unnamed
    both = [(m, i, truth[i], int(share[m][i] > 0.5), share[m][i]) for m in "AB" for i in range(80)]
    said = compare("model,id,y_true,y_pred,y_prob", both)
    assert "predictions are scored by error" in said
    assert "set aside: 'y_prob'; say --ignore y_pred to judge it instead" in said
    assert "scored by brier" in compare("model,id,y_true,y_pred,y_prob", both, "--ignore", "y_pred")
    clustered = [(m, i, f"p{i % 10}", truth[i], share[m][i]) for m in "AB" for i in range(80)]
    assert "10 clusters" in compare("model,id,patient,y_true,y_prob", clustered, "--cluster", "patient")
    named = [(m, i, ("neg", "pos")[truth[i]], share[m][i]) for m in "AB" for i in range(80)]
    assert "say --positive neg or --positive pos" in compare("model,id,label,probability", named)
    assert "scored by brier" in compare("model,id,label,probability", named, "--positive", "pos")
    file = tmp_path / "long.csv"
    file.write_text("\n".join(["model,id,y_true,y_prob", *(",".join(map(str, row)) for row in rows)]))
    assert main(["compare", str(file), "--with", "delong"]) == 0
    assert main(["aggregate", str(file), "--with", "auc"]) == 0


def test_forecasts_in_rows_keep_their_order_of_time(compare: Compare) -> None:
    rng = np.random.default_rng(8)
    actual = 100 + rng.normal(0, 5, 60)
    rows = [
        (m, f"2023-{1 + t // 28:02d}-{1 + t % 28:02d}", round(actual[t], 2), round(actual[t] + rng.normal(0, 3), 2))
        for t in range(60)
        for m in ("arima", "ets")
    ]
    said = compare("model,date,actual,forecast", rows)
    assert "column 'date' read as times, in their order" in said
    assert "scored by squared_error" in said


def test_measures_among_the_first_ten_are_known(compare: Compare) -> None:
    score = draws()
    said = compare("query,model,nDCG@10", [(q, m, score()) for q in range(30) for m in ("bm25", "dense")])
    assert "compared by nDCG@10 (larger is better)" in said


def test_ids_of_predictions_that_recur_are_asked_about(compare: Compare) -> None:
    right = answers()
    once = [(i, i % 2, right(), right()) for i in range(50)]
    rows = [row for row in once for _ in range(4)]
    said = compare("id,y_true,svm,rf", rows)
    assert said.startswith("This holds only if")
    assert "[unknown-clusters] 'id' may be what several instances have in common" in said
    assert "50 clusters" in compare("id,y_true,svm,rf", rows, "--cluster", "id")
    assert "unknown-clusters" not in compare("id,y_true,svm,rf", once)


def test_a_file_of_predictions_for_each_learner(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    right, files = answers(), []
    for name in ("svm", "forest"):
        files.append(tmp_path / f"{name}.csv")
        rows = [f"{i},{i % 2},{right()},{0.25 + 0.5 * right()}" for i in range(60)]
        files[-1].write_text("\n".join(["id,y_true,y_pred,y_prob", *rows]))
    assert main(["compare", *map(str, files)]) == 0
    said = capsys.readouterr().out
    assert "On 60 instances, svm and forest were compared by error" in " ".join(said.split())


def test_predictions_of_other_instances_are_compared_as_such(compare: Compare) -> None:
    rng = np.random.default_rng(5)
    rows = [(m, f"{m}{i}", i % 2, round(float(rng.random()), 3)) for m in "AB" for i in range(60)]
    said = compare("model,item,y_true,y_prob", rows)
    assert "is scored against 'y_true' by brier" in said
    assert "On 60 instances each" in said


def test_seeds_of_which_some_are_shared(compare: Compare) -> None:
    score = draws()
    said = compare("model,seed,accuracy", [(m, s + 2 * (m == "B"), score()) for m in "AB" for s in range(5)])
    assert "Over 5 resamples each" in said
    assert PROVISO in said


def test_ids_of_rows_number_no_runs(compare: Compare) -> None:
    score = draws()
    rows = [(f"r{i}{m}{s}", m, f"d{i}", s, score()) for m in "AB" for i in range(12) for s in range(3)]
    said = compare("run_id,model,dataset,seed,accuracy", rows)
    assert "column 'run_id' names the rows" in said
    assert "Over 12 tasks (each the mean of 3 runs)" in said


@pytest.mark.parametrize("whole", [False, True])
def test_two_units(compare: Compare, whole: bool) -> None:
    score = draws()
    rows = [(f"d{t}", score() * (100 if whole or t == 3 else 1), score()) for t in range(12)]
    said = compare("dataset,svm,knn", rows, "--measure", "accuracy")
    assert "Warning [mixed-scales]" in said
    assert ("(learner 'knn', task 'd0')" if whole else "(learner 'svm', task 'd3')") in said


def test_a_training_curve_and_settings_are_named(compare: Compare) -> None:
    score = draws()
    curve = [(m, i, score()) for m in "AB" for i in range(30)]
    assert "points of a training curve" in compare("model,epoch,accuracy", curve)
    grid = [(m, d, t, score()) for m in "AB" for d in (2, 4) for t in range(9)]
    assert "which column 'depth' tells apart" in compare("model,depth,dataset,accuracy", grid)


# --- times ------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("form", ["{}", "2026-01-{:02d}", "01/{:02d}/2026", "{:02d}.01.2026"])
def test_times_stand_in_their_order(compare: Compare, form: str) -> None:
    score = draws()
    rows = [(form.format(day), score(), score()) for day in range(31, 0, -1)]
    said = compare("date,a,b", rows, "--measure", "mae")
    assert "column 'date' read as times, in their order" in said


# --- separators -------------------------------------------------------------------------------------------------------


def test_semicolons_and_decimal_commas(tmp_path: Path, capsys: Capture) -> None:
    score = draws()
    lines = [f"{m};d{t};{str(score()).replace('.', ',')}" for m in "AB" for t in range(12)]
    (tmp_path / "scores.csv").write_text("\n".join(["model;dataset;accuracy", *lines]))
    assert main(["compare", str(tmp_path / "scores.csv")]) == 0
    assert "Over 12 tasks" in capsys.readouterr().out


# --- what a stranger's files showed -----------------------------------------------------------------------------------


def in_families(seed: int = 7) -> list[tuple[object, ...]]:
    """Forty tasks of five families: what a learner gains in a family, it gains in all tasks of it."""
    rng = np.random.default_rng(seed)
    gain = np.repeat(rng.normal(0, 0.03, (5, 2)), 8, axis=0) + rng.normal(0, 0.008, (40, 2))
    return [(f"t{t}", f"f{t // 8}", *np.round(0.7 + gain[t], 4)) for t in range(40)]


@pytest.mark.parametrize("column", ["family", "domain"])  # taken for what tasks have in common, or asked about
def test_tasks_of_one_family_are_no_independent_draws(compare: Compare, column: str) -> None:
    rows = in_families()
    long = [(m, t, f, score) for t, f, *scores in rows for m, score in zip("AB", scores, strict=True)]
    for header, table in ((f"model,task,{column},accuracy", long), (f"task,{column},A,B", rows)):
        said = compare(header, table, "--measure", "accuracy")
        assert said.startswith("This holds only if tasks are independent, though a column tells")
        assert f"The 40 tasks lie in 5 groups ({column})" in said
        assert "Instances that share" not in said
        grouped = compare(header, table, "--measure", "accuracy", "--cluster", column)
        assert "Over 5 tasks (each the mean of 8 runs)" in grouped
        assert f"tasks of one {column!r} are averaged, as you said" in grouped
        assert "This holds only" not in grouped
        assert "Over 40 tasks" in compare(header, table, "--measure", "accuracy", "--ignore", column)


def seeds_of_training(spread: float, seed: int = 3) -> list[tuple[object, ...]]:
    rng = np.random.default_rng(seed)
    level = 0.7 + spread * rng.standard_normal((2, 5))
    return [
        (m, s, i, int(rng.random() < level[j, s])) for j, m in enumerate("AB") for s in range(5) for i in range(300)
    ]


def test_seeds_that_differ_on_the_whole_are_said_to_do_so(compare: Compare) -> None:
    said = compare("model,seed,item,correct", seeds_of_training(0.06))
    assert said.startswith("This holds only if these very runs of each learner are meant")
    assert "Warning [unlike-runs]" in said
    assert "--with mixed-model" in said
    assert "with more answers to each item" not in said
    settled = compare("model,seed,item,correct", seeds_of_training(0.06), "--with", "mixed-model")
    assert "This holds only" not in settled
    assert "unlike-runs" not in settled
    assert "unlike-runs" not in compare("model,seed,item,correct", seeds_of_training(0))


# No row of deviations stands beside answers.
SUMMARIES = [(c, x) for c in ("fold", "seed", "question") for x in ("mean", "std", "all", "avg")]
SUMMARIES.remove(("question", "std"))


@pytest.mark.parametrize(("column", "label"), SUMMARIES)
def test_a_row_of_means_is_no_fold(compare: Compare, column: str, label: str) -> None:
    score = draws()
    said = compare(f"model,{column},accuracy", [(m, i, score()) for m in "AB" for i in [*range(10), label]])
    assert f"The {column} '{label}' looks like a summary of the others" in said
    assert f"--where '{column}!={label}'" in said


def test_folds_in_columns_are_folds_and_seeds_in_columns_are_seeds(compare: Compare) -> None:
    score = draws()
    folds = [(m, *(score() for _ in range(10)), 0.8, 0.02) for m in "ABC"]
    header = f"model,{','.join(f'fold_{i}' for i in range(1, 11))},mean,std"
    said = compare(header, folds, "--measure", "accuracy")
    assert "Over 10 resamples, A, B and C were compared by accuracy" in said
    assert "of 10-fold cross-validation" in said
    assert "left out, as they sum these up: 'mean' and 'std'" in said
    seeds = [(m, *(score() for _ in range(5))) for m in "ABC"]
    header = f"model,{','.join(f'seed{i}' for i in range(5))}"
    for options in ((), ("--transpose",)):
        said = compare(header, seeds, "--measure", "accuracy", *options)
        assert said.startswith(PROVISO.split(" Otherwise")[0])
        assert "Over 5 resamples each" in said
        assert "tasks" not in said


def test_columns_of_a_learner_and_a_seed_are_its_runs(compare: Compare) -> None:
    answer = answers()
    rows = [(i, *(answer() for _ in range(6))) for i in range(60)]
    said = compare("item,bert_seed0,bert_seed1,bert_seed2,gpt_seed0,gpt_seed1,gpt_seed2", rows, "--measure", "accuracy")
    assert "On 60 instances (each the mean of 3 answers), bert and gpt were compared" in said


def test_differences_and_p_values_are_nobody(compare: Compare) -> None:
    score = draws()
    pairs = [(f"d{t}", score(), score()) for t in range(12)]
    rows = [(t, a, b, round(b - a, 4), round(100 * (b - a) / a, 2), 0.3) for t, a, b in pairs]
    said = compare("dataset,A,B,delta,improvement,p_value", rows, "--measure", "accuracy")
    assert "Over 12 tasks, A and B were compared" in said
    assert "set aside, as nobody's scores: 'delta', 'improvement' and 'p_value'" in said
    kept = compare("dataset,A,B,delta", [(t, a, b, 0.7 + i / 100) for i, (t, a, b) in enumerate(pairs)],
                   "--measure", "accuracy")  # fmt: skip
    assert "A, B and delta were compared" in kept


def test_probabilities_and_errors_beside_predictions_are_no_learners(compare: Compare) -> None:
    answer, rng = answers(), np.random.default_rng(5)
    labels = [(i, answer(), answer(), answer(), *np.round(rng.random(2), 3)) for i in range(80)]
    said = compare("id,y_true,pred_svm,pred_rf,prob_svm,prob_rf", labels)
    assert "pred_svm and pred_rf were compared by error" in said
    assert "set aside, as nobody's predictions: 'prob_svm' and 'prob_rf'" in said
    numbers = [(i, *np.round(50 + 3 * rng.standard_normal(3), 2), *np.round(rng.random(2), 2)) for i in range(50)]
    said = compare("id,actual,lr_pred,rf_pred,lr_error,rf_error", numbers)
    assert "set aside, as nobody's predictions: 'lr_error' and 'rf_error'" in said


@pytest.mark.parametrize(
    "header",
    [
        "dataset,acc A,acc B,f1 A,f1 B",
        "dataset,A_acc,B_acc,A_f1,B_f1",
        "dataset,A.acc,A.f1,B.acc,B.f1",
        """dataset,"('acc', 'A')","('acc', 'B')","('f1', 'A')","('f1', 'B')\"""",
    ],
)
def test_headers_of_learners_and_measures(compare: Compare, header: str) -> None:
    score = draws()
    rows = [(f"d{t}", *(score() for _ in range(4))) for t in range(9)]
    assert "holds 2 measures (acc, f1)" in compare(header, rows)
    said = compare(header, rows, "--measure", "accuracy")
    assert "Over 9 tasks, A and B were compared by acc" in said
    assert "read as learner and measure" in said


def test_what_tells_cells_apart_is_named_with_the_flag(compare: Compare) -> None:
    score = draws()
    cells = [(m, a, f, score()) for m in "AB" for a in range(4) for f in range(5)]
    for column in ("site", "annotator"):
        said = compare(f"model,{column},fold,accuracy", cells)
        assert f"which column '{column}' tells apart" in said
        assert f"--columns repeat={column}" in said
    sizes = [(m, n, score()) for m in "AB" for n in (10, 100, 1000)]
    assert "make a learning curve of one learner" in compare("model,train_size,accuracy", sizes)
    assert "points of a training curve" in compare("model,checkpoint,accuracy", sizes)
    runs = [(m, t, "ndcg", score()) for m in ("bm25", "dense") for t in range(9)]
    assert "--columns learner=run" in compare("run,topic,metric,value", runs, "--larger-is-better")
    german = [(m, f"K{t}", score()) for m in ("Baum", "Wald") for t in range(9)]
    assert "--columns learner=Ansatz" in compare("Ansatz,Korpus,Treffer", german)
    assert "Over 9 tasks" in compare("Verfahren,Datensatz,Treffer", german, "--measure", "Treffer",
                                     "--larger-is-better")  # fmt: skip


def test_a_time_can_be_named(compare: Compare) -> None:
    rng = np.random.default_rng(1)
    rows = [(m, t, round(abs(float(rng.standard_normal())), 3)) for m in "AB" for t in range(60)]
    for column, options in (("cutoff", ()), ("bucket", ("--columns", "time=bucket"))):
        said = compare(f"model,{column},mae", rows, *options)
        assert f"column {column!r} read as times, in their order" in said
        assert "on further times of this series" in said


def test_leaderboards_are_turned_round_by_their_models(compare: Compare) -> None:
    score = draws()
    rows = [(i + 1, m, *(score() for _ in range(8))) for i, m in enumerate("ABC")]
    header = "Rank,Model,MMLU,ARC,GSM8K,BBH,MATH,GPQA,IFEval,HellaSwag"
    said = compare(header, rows, "--transpose", "--larger-is-better")
    assert "Over 8 tasks, A, B and C were compared" in said


def test_files_named_after_data_and_learner_are_compared_under_a_condition(tmp_path: Path, capsys: Capture) -> None:
    score = draws()
    for data in ("breast_cancer", "wine"):
        for learner in ("bayes", "tree"):
            lines = ["fit_time,score_time,test_accuracy", *(f"0.1,0.01,{score()}" for _ in range(10))]
            (tmp_path / f"cv_{data}_{learner}.csv").write_text("\n".join(lines) + "\n")
    files = sorted(map(str, tmp_path.iterdir()))
    assert main(["compare", *files]) == 0
    said = " ".join(capsys.readouterr().out.split())
    assert said.startswith("This holds only if all files hold scores on the same data")
    assert "their names go together as breast cancer and wine with bayes and tree" in said
    for fewer in (files[:2], [f"m{i}={file}" for i, file in enumerate(files)]):  # one data set; names that were said
        assert main(["compare", *fewer]) == 0
        assert "names-of-data" not in capsys.readouterr().out
