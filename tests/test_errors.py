from __future__ import annotations

import pickle

import pytest

from bakeoff import errors
from bakeoff.errors import (
    BakeoffError,
    DegenerateError,
    FailedCellsWarning,
    InputError,
    MisfitError,
    UsageError,
    nearest,
)


def test_the_tree_is_as_its_docstring_draws_it() -> None:
    drawn = errors.__doc__ or ""
    for error, parent, code in (
        (UsageError, BakeoffError, 2),
        (InputError, BakeoffError, 2),
        (MisfitError, BakeoffError, 3),
        (DegenerateError, MisfitError, 3),
    ):
        assert error.__mro__[1] is parent
        assert error.exit_code == code
        line = next(line for line in drawn.splitlines() if f" {error.__name__} " in line)
        assert line.endswith(f"exit code {code}")


def test_warnings_are_no_errors() -> None:
    assert issubclass(FailedCellsWarning, UserWarning)
    assert not issubclass(FailedCellsWarning, BakeoffError)
    assert "FailedCellsWarning" in (errors.__doc__ or "")


def test_input_errors_say_where() -> None:
    assert str(InputError("no.", source="a.csv", line=3, column="x")) == "a.csv, line 3, column 'x': no."
    assert str(InputError("no.")) == "no."


def test_misfits_list_reasons_and_alternatives() -> None:
    error = MisfitError("It does not fit:", unmet=["one", "two"], alternatives=["three"])
    assert str(error).splitlines() == [
        "It does not fit:", "  - one", "  - two", "What would fit instead:", "  - three",
    ]  # fmt: skip


def test_python_users_may_catch_value_errors() -> None:
    for error in (UsageError, InputError, MisfitError):
        with pytest.raises(ValueError, match="x"):
            raise error("x")


def test_a_usage_error_knows_whose_it_is_in_another_process_too() -> None:
    error = UsageError("C is -1.", whose="learner 'svm'")
    assert str(error) == "learner 'svm': C is -1."
    for each in (error, pickle.loads(pickle.dumps(error))):
        assert (str(each), each.reason, each.whose) == ("learner 'svm': C is -1.", "C is -1.", "learner 'svm'")
    assert (str(UsageError("No.")), UsageError("No.").reason) == ("No.", "No.")


def test_nearest_without_a_near_one_lists_what_there_is() -> None:
    assert nearest("zzz", ["b", "a"]) == "Known are: a, b."
    assert nearest("zzz", []) == "None are known."
