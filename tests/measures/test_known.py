from __future__ import annotations

import pytest

from bakeoff.measures import KNOWN, known_measure
from bakeoff.measures.known import _TABLE, canonical_name, other_names, plain


@pytest.mark.parametrize(
    ("name", "better", "canonical"),
    [
        ("accuracy", "larger", "accuracy"),
        ("Error Rate", "smaller", "error"),
        ("ROC-AUC", "larger", "auc"),
        ("MSE", "smaller", "squared_error"),
        ("test_f1", "larger", "f1"),
        ("classif.ce", "smaller", "error"),
        ("test_loss", "smaller", "loss"),
        ("test_time", "smaller", "predict_time"),
        ("nll", "smaller", "log_loss"),
    ],
)
def test_names_people_give(name: str, better: str, canonical: str) -> None:
    measure = known_measure(name)
    assert measure is not None
    assert measure.better == better
    assert measure.name == name, "a measure keeps the name the user wrote"
    assert canonical_name(name) == canonical


@pytest.mark.parametrize("name", ["", "score", "frobscore", "train_accuracy", "neg_accuracy", "neg_", "🙂"])
def test_what_nobody_knows(name: str) -> None:
    assert known_measure(name) is None


@pytest.mark.parametrize(
    "name", ["neg_log_loss", "neg_mean_squared_error", "test_neg_root_mean_squared_error", "neg_brier_score"]
)
def test_losses_with_their_sign_turned(name: str) -> None:
    measure = known_measure(name)
    assert measure is not None
    assert measure.larger_is_better
    assert measure.upper == 0
    assert "negated" in measure.origin


def test_a_name_of_its_own_comes_before_its_parts() -> None:
    measure = known_measure("neg_log_likelihood")
    assert measure is not None
    assert measure.better == "smaller"


def test_the_origin_tells_a_synonym() -> None:
    assert known_measure("accuracy").origin == "known measure"  # type: ignore[union-attr]
    assert known_measure("acc").origin == "known measure: 'acc' is accuracy"  # type: ignore[union-attr]


@pytest.mark.parametrize(
    ("name", "like"),
    [
        ("f1_macro", "f1"), ("explained_variance", "r2"), ("model_size", "parameters"), ("pr_auc", "average_precision"),
        ("mean_average_precision", "average_precision"), ("deviance", "log_loss"), ("peak_memory", "memory"),
    ],
)  # fmt: skip
def test_what_is_alike_is_not_the_same(name: str, like: str) -> None:
    """Names of one measure stand for one number; those of the same direction only must not be computed alike."""
    assert canonical_name(name) == name
    assert name not in other_names(like)
    assert KNOWN[name].better == KNOWN[like].better


def test_the_table_says_everything_once() -> None:
    names = [name for canonical, (*_, others) in _TABLE.items() for name in (canonical, *others.split())]
    assert sorted(names) == sorted(set(names))
    assert all(name == plain(name) for name in names)
    assert all(measure.lower < measure.upper for measure in KNOWN.values())
