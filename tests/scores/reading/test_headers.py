from __future__ import annotations

from math import inf

import numpy as np
import pytest

from bakeoff.errors import InputError, UsageError
from bakeoff.measures import known_measure
from bakeoff.scores.reading.headers import (
    LONG_ROLES,
    SYNONYMS,
    WEAK,
    directed,
    key_columns,
    matching,
    recognise,
    role_of,
    rows_of_measure,
    size_columns,
    weak_role_of,
    with_range,
)
from bakeoff.scores.reading.raw import RawTable
from bakeoff.scores.table import Labels


def table(**columns: list[str]) -> RawTable:
    n = len(next(iter(columns.values())))
    return RawTable(
        "scores.csv", tuple(columns), tuple(Labels.of(cells) for cells in columns.values()), np.arange(2, n + 2)
    )


@pytest.mark.parametrize(
    ("header", "role"),
    [
        ("model", "learner"),
        ("System", "learner"),
        ("CLASSIFIER", "learner"),
        ("algorithm", "learner"),
        ("Method", "learner"),
        ("Data Set", "task"),
        ("DB", "task"),
        ("Game", "task"),
        ("random_seed", "repeat"),
        ("Rep", "repeat"),
        ("trial", "repeat"),
        ("cv-fold", "fold"),
        ("split", "split"),
        ("question", "instance"),
        ("score", "value"),
        ("train size", "n_train"),
        ("test_size", "n_test"),
        ("metric", "measure"),
        ("y_true", "truth"),
        ("Error Message", "message"),
        ("C4.5", None),
        ("", None),
        ("🙂", None),
    ],
)
def test_roles(header: str, role: str | None) -> None:
    assert role_of(header) == role


def test_no_name_means_two_things() -> None:
    names = [name for role, others in SYNONYMS.items() for name in (role, *others.split())]
    names += [name for others in WEAK.values() for name in others.split()]
    assert len(names) == len(set(names))
    # A column that is read as a key can never be melted as a measure, so no name may be both.
    assert [name for name in names if known_measure(name)] == []


def test_weak_names_have_no_role_of_their_own() -> None:
    assert role_of("id") is None
    assert weak_role_of("Unnamed: 0") == "row"
    assert weak_role_of("reference") == "truth"


def test_every_synonym_is_reported() -> None:
    roles = recognise(table(Model=["a"], dataset=["b"], fold=["1"], acc=["1"]), LONG_ROLES)
    assert roles.column == {"learner": "Model", "task": "dataset", "fold": "fold"}
    assert roles.notes == ("column 'Model' read as learner", "column 'dataset' read as task")


def test_two_columns_for_one_role() -> None:
    with pytest.raises(InputError, match="'model' and 'algorithm' both look like the learner") as caught:
        recognise(table(model=["a"], algorithm=["a"]), LONG_ROLES)
    assert "Rename or leave out" in str(caught.value)


def test_a_key_is_in_every_row_or_in_none() -> None:
    whole = table(model=["a", "b"], fold=["", " "])
    assert set(key_columns(whole, recognise(whole, LONG_ROLES), ("learner", "fold"))) == {"learner"}
    holes = table(model=["a", "b"], fold=["1", ""])
    with pytest.raises(InputError, match=r"scores.csv, line 3, column 'fold': The fold is empty in this row"):
        key_columns(holes, recognise(holes, LONG_ROLES), ("learner", "fold"))
    nobody = table(model=["", ""])
    with pytest.raises(InputError, match="line 2, column 'model': The learner is empty"):
        key_columns(nobody, recognise(nobody, LONG_ROLES), ("learner",))


def test_a_learner_may_be_called_none_or_na() -> None:
    raw = table(model=["None", "NA", "-"])
    assert key_columns(raw, recognise(raw, LONG_ROLES), ("learner",))["learner"].labels == ("None", "NA", "-")


def test_train_and_test_are_no_folds() -> None:
    raw = table(fold=["train", "Test"])
    with pytest.raises(InputError, match="column 'fold': The column tells test, train scores apart, not folds"):
        key_columns(raw, recognise(raw, LONG_ROLES))
    only = table(fold=["test", "test"])
    assert key_columns(only, recognise(only, LONG_ROLES))["fold"].labels == ("test",)


def test_a_row_of_averages_is_no_task() -> None:
    raw = table(dataset=["iris", "wine", "Average"])
    with pytest.raises(InputError, match="line 4, column 'dataset': The dataset 'Average' looks like a summary"):
        key_columns(raw, recognise(raw, LONG_ROLES))
    only = table(dataset=["mean", "median"])
    assert key_columns(only, recognise(only, LONG_ROLES))["task"].labels == ("mean", "median")


def test_names_in_other_scripts_match_themselves_only() -> None:
    assert matching("精度", ["准确率", "精度"]) == ["精度"]
    assert matching("🙂", ["🙃"]) == []
    assert matching("f1", ["F1", "f1"]) == ["f1"], "the exact name comes first"


def test_a_measure_column_must_not_be_empty() -> None:
    raw = table(metric=["", ""])
    with pytest.raises(InputError, match="line 2, column 'metric': The measure is empty in this row"):
        key_columns(raw, recognise(raw, LONG_ROLES), ("measure",))


@pytest.mark.parametrize(("cell", "shown"), [("0", "0"), ("-5", "-5"), ("inf", "inf")])
def test_sizes_are_above_zero(cell: str, shown: str) -> None:
    raw = table(n_train=["90", cell])
    with pytest.raises(
        InputError, match=f"line 3, column 'n_train': A size above 0 was expected, but {shown} was found"
    ):
        size_columns(raw, recognise(raw, LONG_ROLES))


def test_rows_of_one_measure_under_the_name_asked_for() -> None:
    raw = table(metric=["Accuracy", "auc", "Accuracy"], value=["1", "2", "3"])
    some = rows_of_measure(raw, recognise(raw, LONG_ROLES), ["accuracy"])
    assert some.numbers("value").tolist() == [1, 3]
    assert some.labels("metric").labels == ("accuracy",)
    with pytest.raises(UsageError, match=r"There is no measure 'acuc' in scores.csv. Did you mean 'auc'"):
        rows_of_measure(raw, recognise(raw, LONG_ROLES), ["acuc"])


def test_rows_of_several_measures_come_in_the_order_asked_for() -> None:
    raw = table(measure=["F-1", "tp", "acc"], value=["1", "2", "3"])
    some = rows_of_measure(raw, recognise(raw, LONG_ROLES), ["acc", "f 1"])
    assert some.labels("measure").labels == ("acc", "f 1")
    assert some.labels("measure").values() == ["f 1", "acc"]
    with pytest.raises(UsageError, match="'acc' and 'ACC' are the same measure"):
        rows_of_measure(raw, recognise(raw, LONG_ROLES), ["acc", "ACC"])


# ----------------------------------------------------------------------------------------------------------------------
# Direction


def test_known_names_carry_their_direction() -> None:
    measures = directed(["accuracy", "RMSE"], None)
    assert measures["accuracy"].larger_is_better
    assert not measures["RMSE"].larger_is_better
    assert measures["RMSE"].origin == "known measure"


def test_an_unknown_direction_is_left_open_and_never_guessed() -> None:
    assert directed(["frobscore"], None) == {}


@pytest.mark.parametrize("larger", [True, False])
def test_what_the_user_says_about_an_unknown_measure(larger: bool) -> None:
    measure = directed(["frobscore"], larger)["frobscore"]
    assert measure.larger_is_better is larger
    assert measure.origin == "as you said"


def test_the_user_overrules_the_name_and_it_shows() -> None:
    measure = directed(["accuracy"], False)["accuracy"]
    assert not measure.larger_is_better
    assert measure.origin == "as you said; usually larger is better"
    assert (measure.lower, measure.upper) == (0, 1)
    assert directed(["rmse"], True)["rmse"].origin == "as you said; usually smaller is better"
    assert directed(["rmse"], False)["rmse"].origin == "as you said"


def test_among_several_measures_the_word_is_about_the_unknown_ones() -> None:
    measures = directed(["accuracy", "frobscore"], False)
    assert measures["accuracy"].larger_is_better
    assert not measures["frobscore"].larger_is_better


def test_a_direction_for_several_known_measures_is_refused() -> None:
    with pytest.raises(UsageError, match=r"Which measure is it .* \(accuracy, fit_time\)"):
        directed(["accuracy", "fit_time"], True)


def test_ranges() -> None:
    column = Labels.of(["accuracy", "kappa", "rmse", "frob"])
    measures = directed(["accuracy", "kappa", "rmse", "frob"], True)
    fitted, notes = with_range(measures, column, np.array([85.5, 7.0, 12.0, 99.0]))
    assert fitted["accuracy"].upper == 100
    assert (fitted["kappa"].lower, fitted["kappa"].upper) == (-inf, inf)
    assert fitted["rmse"] == measures["rmse"]
    assert notes == [
        "accuracy goes up to 85.5: read as per cent, from 0 to 100",
        "kappa goes from 7 to 7, outside its usual range: no range is assumed",
    ]


def test_values_within_the_range_change_nothing() -> None:
    measures = directed(["accuracy"], None)
    assert with_range(measures, Labels.of(["accuracy"] * 3), np.array([0.0, 1.0, np.nan])) == (measures, [])


def test_rounding_does_not_make_a_per_cent_of_a_share() -> None:
    accuracy = directed(["accuracy"], None)
    for values in ([1.0000001, 0.9], [np.float32(1) + np.finfo(np.float32).eps, 0.9], [-1e-9, 0.9]):
        fitted, notes = with_range(accuracy, Labels.of(["accuracy"] * 2), np.array(values, dtype=float))
        assert (fitted["accuracy"].upper, notes) == (1, [])


def test_values_a_little_above_one_are_told_and_not_guessed() -> None:
    accuracy = directed(["accuracy"], None)
    for high in (1.01, 1.5):
        fitted, notes = with_range(accuracy, Labels.of(["accuracy"] * 2), np.array([high, 0.9]))
        assert fitted["accuracy"].upper == inf
        assert notes == [
            f"accuracy goes up to {high:g}, which is neither a share from 0 to 1 nor likely a per cent: no range is "
            "assumed; look at the values above 1"
        ]
    assert with_range(accuracy, Labels.of(["accuracy"] * 2), np.array([1.6, 0.9]))[0]["accuracy"].upper == 100
