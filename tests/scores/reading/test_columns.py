"""What columns of ordinary files are taken to be: runs, answers, clusters, times, and what is nobody's score."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import bakeoff
from bakeoff.errors import InputError, UsageError
from bakeoff.scores import Level, Scores, blocks, layout, read_scores
from bakeoff.scores.design import Runs
from bakeoff.scores.layout import KFOLD, REPEATED_KFOLD, REPEATS

RNG = np.random.default_rng(20261116)


def long(columns: str, rows: list[tuple[object, ...]]) -> pd.DataFrame:
    return pd.DataFrame(rows, columns=columns.split())


def runs(column: str, labels: list[object], **further: object) -> pd.DataFrame:
    rows = [(model, label, 0.8 + 0.01 * RNG.standard_normal()) for model in "ab" for label in labels]
    return long(f"model {column} accuracy", rows).assign(**further)


def codes(scores: Scores) -> list[str]:
    return [doubt.code for doubt in scores.doubts]


# --- runs and folds ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("column", ["split", "resample", "Resample", "iteration", "partition", "split_id"])
def test_splits_are_runs_of_an_unknown_kind(column: str) -> None:
    scores = read_scores(runs(column, list(range(30))))
    assert layout(scores).resampling == REPEATS
    verdict = bakeoff.judge(scores)
    assert "unknown-runs" in [warning.code for warning in verdict.warnings]
    assert verdict.paragraph.startswith(
        "This holds only if the runs, of which it is not known what they are, are random"
    )
    assert f"a third of it tested on, or less, as their name ({column!r}) suggests." in verdict.paragraph
    assert verdict.finding.procedure == "corrected-t"
    assert verdict.finding.ratio_source == "that of splits of which a third is tested on, which is assumed"
    said = bakeoff.judge(scores, ratio=0.5)
    assert said.decisions[0].row.p == verdict.decisions[0].row.p
    assert not said.finding.conditions
    assert not said.readings


@pytest.mark.parametrize("column", ["split", "seed"])
def test_what_each_reading_of_runs_would_claim_is_shown(column: str) -> None:
    """Thirty runs whose difference is clear if they are independent, and is not if they overlap."""
    table = runs(column, list(range(30)))
    table["accuracy"] += 0.008 * (table["model"] == "a")
    scores = read_scores(table)
    verdict = bakeoff.judge(scores)
    said = {"--ratio 0.5": {"ratio": 0.5}, "--runs independent": {"runs": "independent"},
            "--runs fixed-split": {"runs": "fixed-split"}}  # fmt: skip
    assert [each.say for each in verdict.readings] == list(said)
    for each in verdict.readings:
        alone = bakeoff.judge(scores, **said[each.say])
        assert each.procedure == alone.finding.procedure
        assert each.p == alone.decisions[0].row.p_adjusted
        assert bool(each.claims) == alone.decisions[0].apart
    assert [bool(each.claims) for each in verdict.readings] == [False, True, True]
    assert verdict.decisions[0].apart == (column == "seed")
    other = "undecided" if column == "seed" else "a is better than b"
    assert "Otherwise the answer is another one: if they are " in verdict.paragraph
    assert other in verdict.paragraph.partition("Over 30 resamples")[0]
    assert verdict.to_text().count("--runs fixed-split") == 2
    assert verdict.to_dict()["readings"][0]["say"] == "--ratio 0.5"
    by_name = bakeoff.judge(scores, "unpaired-t", anyway=True)
    assert not by_name.readings  # what was asked for by name is not held against others


def test_folds_are_folds() -> None:
    facts = layout(read_scores(runs("fold", list(range(10)))))
    assert (facts.resampling, facts.test_train_ratio) == (KFOLD, 1 / 9)
    assert facts.ratio_source == "1/(K − 1) of 10-fold cross-validation"


def test_sizes_tell_how_much_splits_overlap() -> None:
    scores = read_scores(runs("split", list(range(30)), n_train=200, n_test=100))
    facts = layout(scores)
    assert (facts.splitting.runs, facts.test_train_ratio) == (Runs.RANDOM_SPLITS, 0.5)
    verdict = bakeoff.judge(scores)
    assert verdict.finding.procedure == "corrected-t"
    assert "ratio 0.5 of test to training size, from the sizes given" in verdict.paragraph
    assert not verdict.warnings


@pytest.mark.parametrize("name", ["Fold{f:02d}.Rep{r:02d}", "rep{r}_fold{f}", "Repeat {r}, Fold {f}", "fold{f}-rep{r}"])
@pytest.mark.parametrize("column", ["Resample", "fold"])
def test_repeat_and_fold_in_one_label(name: str, column: str) -> None:
    labels: list[object] = [name.format(r=r, f=f) for r in range(1, 11) for f in range(1, 11)]
    facts = layout(read_scores(runs(column, labels)))
    assert (facts.resampling, facts.repeats, facts.folds) == (REPEATED_KFOLD, 10, 10)


def test_weka_names_its_keys() -> None:
    rows = [("iris", r, f, s, 135, 15, RNG.random()) for s in ("J48", "NB") for r in (1, 2) for f in range(1, 11)]
    columns = (
        "Key_Dataset Key_Run Key_Fold Key_Scheme Number_of_training_instances Number_of_testing_instances accuracy"
    )
    facts = layout(read_scores(long(columns, rows)))
    assert (facts.resampling, facts.repeats, facts.folds) == (REPEATED_KFOLD, 2, 10)
    assert facts.test_train_ratio == 15 / 135


def test_a_search_of_scikit_learn(tmp_path: Path) -> None:
    table = pd.DataFrame(
        {
            "params": ["{'C': 1}", "{'C': 2}"],
            "split0_test_accuracy": [0.9, 0.8],
            "split1_test_accuracy": [0.7, 0.6],
            "mean_test_accuracy": [0.8, 0.7],
            "std_test_accuracy": [0.1, 0.1],
            "rank_test_accuracy": [1, 2],
        }
    )
    scores = read_scores(table)
    assert scores.learners == ("{'C': 1}", "{'C': 2}")
    assert sorted(scores.value.tolist()) == [0.6, 0.7, 0.8, 0.9]
    assert codes(scores) == ["candidates"]
    assert layout(scores).resampling == REPEATS


def test_rows_that_are_folds_by_word_alone() -> None:
    table = pd.DataFrame({"a": RNG.random(30), "b": RNG.random(30)})
    assert codes(read_scores(table, rows="folds", measure="accuracy")) == ["folds-by-word"]
    scores = read_scores(table, rows="runs", measure="accuracy")
    assert layout(scores).resampling == REPEATS
    assert not codes(scores)


# --- answers ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("column", ["seed", "epoch", "trial", "sample", "run", "attempt"])
def test_several_answers_to_an_item_are_one(column: str) -> None:
    answers = RNG.integers(0, 2, (2, 100, 8))
    rows = [(m, i, s, answers[j, i, s]) for j, m in enumerate("ab") for i in range(100) for s in range(8)]
    scores = read_scores(long(f"model item {column} correct", rows))
    facts = layout(scores)
    assert (facts.level, facts.n_blocks, facts.answers, facts.binary) == (Level.INSTANCES, 100, 8, False)
    np.testing.assert_allclose(blocks(scores).values, answers.mean(axis=2).T)
    assert "On 100 instances (each the mean of 8 answers)" in bakeoff.judge(scores).paragraph


def test_seeds_and_epochs_together() -> None:
    rows = [(m, i, s, e, RNG.integers(2)) for m in "ab" for i in range(30) for s in range(2) for e in range(3)]
    assert layout(read_scores(long("model item seed epoch correct", rows))).answers == 6


def test_models_that_always_answer_alike_are_right_or_wrong() -> None:
    right = RNG.integers(0, 2, (2, 60))
    rows = [(m, i, s, right[j, i]) for j, m in enumerate("ab") for i in range(60) for s in range(4)]
    facts = layout(read_scores(long("model item seed correct", rows)))
    assert (facts.binary, facts.n_blocks) == (True, 60)


def test_repeated_cross_validation_tests_each_item_once_a_repeat() -> None:
    rows = [(m, r, i % 5, i, RNG.random()) for m in "ab" for r in range(3) for i in range(50)]
    facts = layout(read_scores(long("model repeat fold item loss", rows), measure="loss"))
    assert (facts.n_blocks, facts.answers) == (50, 3)


def test_items_numbered_anew_in_each_fold_are_many() -> None:
    rows = [(m, f, i, RNG.random()) for m in "ab" for f in range(5) for i in range(10 if f else 9)]
    facts = layout(read_scores(long("model fold item loss", rows), measure="loss"))
    assert (facts.n_blocks, facts.answers, facts.doubts) == (49, 1, ())


def test_items_that_recur_in_every_fold_may_be_one_test_set() -> None:
    rows = [(m, f, i, RNG.random()) for m in "ab" for f in range(5) for i in range(10)]
    facts = layout(read_scores(long("model fold item loss", rows), measure="loss"))
    assert (facts.n_blocks, facts.answers) == (10, 5)
    assert [doubt.code for doubt in facts.doubts] == ["recurring-instances"]


def test_items_that_splits_called_folds_test_again_are_themselves() -> None:
    tested = [RNG.choice(60, 20, replace=False) for _ in range(12)]
    rows = [(m, f, i, RNG.random()) for m in "ab" for f in range(12) for i in tested[f]]
    facts = layout(read_scores(long("model fold item loss", rows), measure="loss"))
    assert facts.n_blocks == len(set(np.concatenate(tested)))


def test_answers_that_are_missing_for_some_items_are_told() -> None:
    rows = [(m, i, s, RNG.integers(2)) for m in "ab" for i in range(30) for s in range(4) if i > 3 or s < 2]
    facts = layout(read_scores(long("model item seed correct", rows)))
    assert (facts.n_blocks, facts.averaged) == (30, "each the mean of up to 4 answers")


# --- tasks and runs of one's own --------------------------------------------------------------------------------------


def test_learners_with_seeds_of_their_own_share_their_tasks() -> None:
    rows = [
        (m, t, s + 10 * (m == "b"), 0.05 * t + 0.1 * (m == "b") + 0.01 * RNG.standard_normal())
        for m in "ab"
        for t in range(12)
        for s in range(5)
    ]
    scores = read_scores(long("model dataset seed accuracy", rows))
    facts = layout(scores)
    assert (facts.level, facts.matched, facts.n_blocks, facts.own_runs) == (Level.TASKS, True, 12, 5)
    verdict = bakeoff.judge(scores)
    assert "runs, which no two learners share" in verdict.paragraph
    assert verdict.finding.pairs[0].p_adjusted < 0.001


def test_a_run_that_failed_is_not_averaged_away() -> None:
    rows = [(m, t, s + 10 * (m == "b"), RNG.random()) for m in "ab" for t in range(6) for s in range(3)]
    rows[4] = (*rows[4][:3], float("nan"))
    scores = read_scores(long("model dataset seed accuracy", rows))
    assert layout(scores).n_missing == 1


# --- clusters ---------------------------------------------------------------------------------------------------------


def items(cluster: str, *, anew: bool = False, clusters: int = 20, size: int = 5) -> pd.DataFrame:
    rows = [
        (m, f"c{c}", i if anew else c * size + i, int(RNG.integers(2)))
        for m in "ab"
        for c in range(clusters)
        for i in range(size)
    ]
    return long(f"model {cluster} item correct", rows)


@pytest.mark.parametrize("anew", [False, True])
@pytest.mark.parametrize("column", ["subject", "passage", "document", "cluster", "Patient ID"])
def test_clusters_by_name(column: str, anew: bool) -> None:
    table = items("c", anew=anew).rename(columns={"c": column})
    scores = read_scores(table)
    facts = layout(scores)
    assert facts.clusters is not None
    assert (facts.clusters.column, facts.clusters.n, facts.clusters.fixed) == (column, 20, False)
    assert facts.n_blocks == 100
    assert codes(scores) == ([] if column == "cluster" else ["clusters-taken"])
    matrix = blocks(scores)
    assert matrix.cluster is not None
    assert np.bincount(matrix.cluster).tolist() == [5] * 20


def test_the_user_says_what_they_are() -> None:
    table = items("flavour")
    assert codes(read_scores(table)) == ["unknown-clusters"]
    sample, fixed = read_scores(table, cluster="flavour"), read_scores(table, strata="flavour")
    assert sample.clusters is not None
    assert fixed.clusters is not None
    assert (sample.clusters.fixed, fixed.clusters.fixed) == (False, True)
    assert not codes(sample)
    assert not codes(fixed)
    ignored = read_scores(table, ignore="flavour")
    assert ignored.clusters is None
    assert not codes(ignored)


def test_clusters_that_contradict_themselves() -> None:
    table = items("passage")
    table.loc[3, "passage"] = "c9"
    with pytest.raises(InputError, match="lies in passage 'c9' here and in 'c0' elsewhere"):
        read_scores(table)


def test_one_cluster_divides_nothing() -> None:
    table = items("passage", clusters=1, size=40)
    assert read_scores(table).clusters is None
    with pytest.raises(InputError, match="All instances lie in one passage"):
        read_scores(table, cluster="passage")


def test_clusters_of_one_are_none() -> None:
    table = items("passage", clusters=40, size=1)
    scores = read_scores(table, cluster="passage")
    assert scores.clusters is None
    assert any("each instance lies in one of its own" in note for note in scores.notes)


def test_a_cluster_without_a_name() -> None:
    table = items("passage")
    table.loc[0, "passage"] = ""
    with pytest.raises(InputError, match="Every row must name its"):
        read_scores(table, cluster="passage")


def test_both_are_too_much() -> None:
    with pytest.raises(UsageError, match="say --cluster or --strata, not both"):
        read_scores(items("passage"), cluster="passage", strata="passage")


def test_clusters_survive_a_choice_of_learners_and_a_frame() -> None:
    scores = read_scores(items("passage"), cluster="passage").only(learners=["b"])
    assert scores.clusters is not None
    assert len(scores.clusters.labels) == len(scores)
    assert "cluster" in scores.to_frame()
    again = read_scores(scores.to_frame())
    assert again.clusters is not None
    assert len(again.clusters.labels.labels) == 20


def test_tasks_with_items_are_asked_about_one_or_the_other() -> None:
    rows = [(m, t, i, int(RNG.integers(2))) for m in "ab" for t in ("x", "y", "z") for i in range(30)]
    scores = read_scores(long("model task item correct", rows))
    assert "two-questions" in [warning.code for warning in bakeoff.advise(scores).warnings]
    of_items = bakeoff.advise(scores, about="items").layout
    assert of_items.clusters is not None
    assert (of_items.level, of_items.n_blocks, of_items.clusters.fixed) == (Level.INSTANCES, 90, True)
    of_problems = bakeoff.advise(scores, about="problems")
    assert of_problems.layout.level is Level.TASKS
    assert "two-questions" not in [warning.code for warning in of_problems.warnings]
    with pytest.raises(UsageError, match="items or problems"):
        bakeoff.advise(scores, about="both")


# --- times ------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("wide", [False, True])
@pytest.mark.parametrize("dates", [False, True])
def test_rows_stand_in_the_order_of_time(wide: bool, dates: bool) -> None:
    times = [f"2026-01-{day:02d}" for day in range(1, 31)] if dates else list(range(30))
    table = pd.DataFrame({"date" if dates else "time": times, "a": np.arange(30.0) / 7, "b": np.arange(30.0) + 1})
    table = table.sample(frac=1, random_state=1)
    if not wide:
        table = table.melt(table.columns[0], var_name="model", value_name="rmse")
    scores = read_scores(table, measure="rmse")
    assert scores.ordered == table.columns[0]
    assert layout(scores).ordered
    np.testing.assert_array_equal(blocks(scores).values[:, 0], np.arange(30.0) / 7)


def test_the_time_that_a_fit_took_is_none() -> None:
    rows = [(m, t, RNG.random(), RNG.random()) for m in "ab" for t in range(6)]
    scores = read_scores(long("model dataset accuracy time", rows), measure="time")
    assert not scores.ordered


# --- what is nobody's score -------------------------------------------------------------------------------------------


def test_columns_about_other_columns_are_set_aside() -> None:
    names = ["svm", "svm_std", "knn", "knn_sd", "svm_rank", "knn_time", "std_svm", "train_svm", "n_svm"]
    table = pd.DataFrame({"dataset": [f"d{i}" for i in range(8)], **{name: RNG.random(8) for name in names}})
    scores = read_scores(table, measure="accuracy")
    assert scores.learners == ("svm", "knn")
    assert any(note.startswith("set aside, as nobody's scores: 'svm_std'") for note in scores.notes)


def test_times_of_each_learner_are_compared() -> None:
    table = pd.DataFrame({"dataset": ["x", "y"], "svm_time": [1.0, 2.0], "knn_time": [0.5, 0.2]})
    assert read_scores(table, measure="fit_time").learners == ("svm_time", "knn_time")


def test_ids_are_no_learners() -> None:
    table = pd.DataFrame({"subject": np.repeat(np.arange(10), 5), "item": np.tile(np.arange(5), 10)})
    table = table.assign(gpt=RNG.integers(0, 2, 50), llama=RNG.integers(0, 2, 50))
    scores = read_scores(table, measure="accuracy")
    assert scores.learners == ("gpt", "llama")
    assert layout(scores).n_blocks == 50


@pytest.mark.parametrize("name", ["age", "dpi", "pid"])
def test_whole_numbers_among_shares_are_asked_about(name: str) -> None:
    table = pd.DataFrame(
        {"dataset": list("vwxyz"), name: range(2001, 2006), "svm": RNG.random(5), "knn": RNG.random(5)}
    )
    with pytest.raises(UsageError, match=f"--ignore {name}"):
        read_scores(table, measure="accuracy")
    assert read_scores(table, measure="accuracy", ignore=name).learners == ("svm", "knn")


def test_a_majority_of_measures_is_refused() -> None:
    with pytest.raises(InputError, match="No column names the learners, and 'test_accuracy' is named after"):
        read_scores(
            pd.DataFrame({"dataset": ["x"], "train_accuracy": [1.0], "test_accuracy": [0.9], "score_time": [3.0]})
        )


def test_a_file_without_a_header(tmp_path: Path) -> None:
    (tmp_path / "scores.csv").write_text("iris,0.91,0.89\nwine,0.97,0.95\nglass,0.7,0.6\n")
    with pytest.raises(InputError, match="The first line holds scores"):
        read_scores(tmp_path / "scores.csv", measure="accuracy")


def test_per_cent_among_shares_is_named() -> None:
    table = pd.DataFrame({"dataset": list("vwxyz"), "svm": [0.9, 0.8, 97, 0.7, 0.6], "knn": [0.9, 0.8, 0.9, 0.7, 0.6]})
    (doubt,) = read_scores(table, measure="accuracy").doubts
    assert (doubt.code, "97 (learner 'svm', task 'x')" in doubt.text) == ("mixed-scales", True)


def test_a_column_to_ignore_that_is_not_there() -> None:
    with pytest.raises(UsageError, match=r"There is no column 'pasage' to ignore.*passage"):
        read_scores(items("passage"), ignore=["pasage"])
