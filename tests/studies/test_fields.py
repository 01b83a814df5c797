from __future__ import annotations

import pytest

from bakeoff.errors import InputError, UsageError
from bakeoff.studies.fields import Fields


def fields(**table: object) -> Fields:
    return Fields(table, "study.toml", "learner[2]")


def test_values_of_the_right_type_are_taken() -> None:
    found = fields(name="svm", folds=3, alpha=1, deep=True)
    assert found.take("name", str) == "svm"
    assert found.take("folds", int) == 3
    assert found.take("alpha", float) == 1.0
    assert found.take("deep", bool) is True
    assert found.take("absent", str, "default") == "default"
    found.done()


@pytest.mark.parametrize(
    ("table", "kind", "message"),
    [
        ({"key": 3}, str, r"study\.toml, key learner\[2\]\.key: A text was expected; found 3\."),
        ({"key": True}, int, "A whole number was expected; found True"),
        ({"key": 1.5}, int, "A whole number was expected; found 1.5"),
        ({"key": "x"}, float, "A number was expected; found 'x'"),
        ({"key": []}, dict, r"A table \{ … \} was expected"),
        ({}, str, "The key 'key' is missing: a text was expected"),
    ],
)
def test_others_are_refused_with_file_and_key(table: dict[str, object], kind: type, message: str) -> None:
    with pytest.raises(InputError, match=message):
        fields(**table).take("key", kind)


def test_an_unknown_key_is_refused_with_the_nearest_match() -> None:
    found = fields(name="x", fodls=3)
    found.take("name", str)
    found.take("folds", int, 5)
    with pytest.raises(InputError, match=r"There is no key 'fodls' here. Did you mean 'folds'"):
        found.done()


def test_one_bracket_instead_of_two_is_explained() -> None:
    with pytest.raises(InputError, match=r"write \[\[task\]\] with two brackets, not \[task\]"):
        fields(task={"data": "iris"}).tables("task")


@pytest.mark.parametrize("value", [3, [1, 2], [{"a": 1}, 2]])
def test_something_else_than_tables_is_refused(value: object) -> None:
    with pytest.raises(InputError, match=r"Tables headed \[\[task\]\] were expected"):
        fields(task=value).tables("task")


def test_texts_may_be_one_or_many() -> None:
    assert fields(drop="a").texts("drop") == ("a",)
    assert fields(drop=["a", "b"]).texts("drop") == ("a", "b")
    with pytest.raises(InputError, match="A list of texts was expected"):
        fields(drop=[1]).texts("drop")


def test_a_choice_names_what_is_allowed() -> None:
    with pytest.raises(InputError, match=r"'standrad' is not possible. Did you mean 'standard'"):
        fields(prepare="standrad").choice("prepare", ("auto", "standard"), "auto")


def test_a_complaint_from_further_down_gets_the_place_in_front() -> None:
    def complain() -> None:
        raise UsageError("folds must be at least 2.")

    with pytest.raises(InputError, match=r"study\.toml, key learner\[2\]\.tuning: folds must be at least 2"):
        fields().checked("tuning", complain)


def test_a_key_that_was_only_looked_for_is_known() -> None:
    """A study without a resampling has the default one, and a misspelt key must not be read as none."""
    misspelt = fields(resamplng={"folds": 3})
    assert "resampling" not in misspelt
    with pytest.raises(InputError, match=r"no key 'resamplng' here\. Did you mean 'resampling'"):
        misspelt.done()
