"""What the decorator derives: options of another function, facts of a table, trials, and numbers of examples."""

from __future__ import annotations

from inspect import signature
from types import SimpleNamespace
from typing import Any, cast

import numpy as np
import pytest

from bakeoff.errors import DegenerateError
from bakeoff.procedures.card import NULL_VALUE, Published
from bakeoff.procedures.procedure import (
    Compares,
    Example,
    Level,
    ManyResult,
    NullDesign,
    Procedure,
    Result,
    Trial,
    difference_alike,
    no_arguments,
    numbers,
    procedure,
)

TEXTS: dict[str, Any] = {
    "title": "A test",
    "question": "Is it?",
    "assumes": (),
    "conventions": (),
    "references": ("student1908",),
    "published": "nowhere",
    "printed": "x = 1; y = 2",
    "recommended_for": "tests",
    "rank": 1,
    "null": "nothing",
}


def answer(values: Any, *, p0: float = 0.0, strict: bool = False, confidence: float = 0.95) -> Result:
    return Result(p0, details={"strict": float(strict), "x": 1.0, "y": 2.0})


@procedure(
    Compares.ONE,
    Level.RESAMPLES,
    options={"strict": "how it is taken"},
    options_of=answer,
    against="p0",
    fewer=(("strict", True),),
    further_trials=(Trial(NullDesign.DRAWS, 3, (("strict", False),)),),
    example=(Example("x", [1.0]), Example(lambda result: [np.float64(2.0)], [1.0])),
    **TEXTS,
)
def passing_on(x: Any, *, ratio: float = 1.0, **options: Any) -> Result:
    return answer(x, **options)


PASSING_ON = cast(Procedure, passing_on.procedure)  # type: ignore[attr-defined]


def test_options_of_another_function_are_known_with_their_defaults() -> None:
    assert list(signature(passing_on).parameters) == ["x", "ratio", "p0", "strict", "confidence"]
    (option,) = PASSING_ON.card.options
    assert (option.name, option.default, option.kind) == ("strict", False, bool)
    assert passing_on([1.0], strict=True).details["strict"] == 1.0


def test_options_that_neither_has_are_refused_by_the_name_that_was_called() -> None:
    with pytest.raises(TypeError, match=r"passing_on\(\) got an unexpected keyword argument 'loose'"):
        passing_on([1.0], loose=True)


def test_arguments_that_a_table_tells_are_read_off_it() -> None:
    layout = SimpleNamespace(test_train_ratio=0.25)
    assert PASSING_ON.arguments_from(cast(Any, None), cast(Any, layout)) == {"ratio": 0.25}

    @procedure(Compares.ONE, Level.RESAMPLES, **TEXTS)
    def deaf(x: Any) -> Result:
        return Result()

    assert deaf.procedure.arguments_from is no_arguments  # type: ignore[attr-defined]


def test_trials_have_the_learners_and_options_of_their_kind_unless_they_say_others() -> None:
    usual, other = PASSING_ON.card.trials
    assert usual == Trial(NullDesign.ONE_MEAN, 1, (("p0", NULL_VALUE), ("strict", True)))
    assert other == Trial(NullDesign.DRAWS, 3, (("strict", False),))


def test_several_examples_are_numbers_in_their_order() -> None:
    reproduced = PASSING_ON.card.published.reproduced()
    assert reproduced == {"x": 1.0, "y": 2.0}
    assert {type(value) for value in reproduced.values()} == {float}


def test_a_published_number_may_come_as_one_thing() -> None:
    whole = Published("elsewhere", "z = 3", lambda: [3.0])

    @procedure(Compares.ONE, Level.RESAMPLES, **{**TEXTS, "published": whole})
    def known(x: Any) -> Result:
        return Result()

    assert known.procedure.card.published == whole  # type: ignore[attr-defined]


def test_a_joint_law_of_its_own_is_the_default_adjustment() -> None:
    @procedure(Compares.MANY, Level.RESAMPLES, single_step="Mine", **TEXTS)
    def jointly(table: Any) -> ManyResult:
        return ManyResult()

    assert jointly.procedure.card.default_adjust == "single-step"  # type: ignore[attr-defined]
    assert PASSING_ON.card.default_adjust == "holm"


def test_numbers_of_many_are_those_of_its_first_test() -> None:
    first, second = Result(statistic=1.0, df=(3.0,), p=0.5), Result(statistic=2.0)
    assert numbers(ManyResult(tests=(first, second), details={"chi2": 4.0}), "chi2 statistic df p") == [4, 1, 3, 0.5]


def test_columns_that_are_alike_have_p_one_and_a_constant_difference_is_refused() -> None:
    a = np.array([0.1, 0.2, 0.4])
    alike = difference_alike(a, a + 1e-17, "everywhere", "t does not exist", (2.0,))
    assert alike is not None
    assert (alike.estimate, alike.statistic, alike.p, alike.df) == (0.0, 0.0, 1.0, (2.0,))
    assert np.isnan([alike.lower, alike.upper]).all()
    with pytest.raises(DegenerateError, match=r"^The difference is -1 everywhere, so t does not exist\. Report the"):
        difference_alike(a, a + 1, "everywhere", "t does not exist")
    assert difference_alike(a, a**2, "everywhere", "t does not exist") is None
