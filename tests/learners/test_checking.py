from __future__ import annotations

import subprocess
import sys
from typing import Any

import pytest

from bakeoff.errors import UsageError
from bakeoff.learners.checking import check_learner
from bakeoff.learners.learner import Learner, Step, Tuning

COMMAND = ("perl", "{train}", "{test}", "{output}")
STEPS = (Step("surely.not.There", {"inner": {"path": "nor.This", "parameters": {}}}),)


def test_what_is_well_described_passes_unimported() -> None:
    assert check_learner(Learner("x", steps=STEPS, tuning=Tuning({"C": (1, 2)}))) == ()
    assert check_learner(Learner("x", estimator=object())) == ()


def test_a_program_that_is_missing_is_a_warning() -> None:
    (warning,) = check_learner(Learner("x", command=("surely-not-there-9", *COMMAND[1:])))
    assert "not found" in warning


@pytest.mark.parametrize(
    ("given", "says"),
    [
        ({}, "found is nothing"),
        ({"steps": STEPS, "command": COMMAND}, "found is path or pipeline and command"),
        ({"steps": STEPS, "prepare": "standrd"}, "Did you mean 'standard'?"),
        ({"steps": (Step("SVC"),)}, "'SVC' is no import path"),
        ({"steps": (Step("a.B", {"c": [{"path": "D"}]}),)}, "'D' is no import path"),
        ({"steps": STEPS, "tuning": Tuning({})}, "tune is empty"),
        ({"command": COMMAND, "prepare": "standard"}, "prepares its data itself"),
        ({"command": COMMAND, "prepare": "auto-drop-first"}, "prepares its data itself"),
        ({"command": COMMAND, "tuning": Tuning({"C": (1,)})}, "cannot be tuned from outside"),
        ({"command": ("perl",)}, "lacks {train}"),
    ],
)
def test_what_can_never_run(given: dict[str, Any], says: str) -> None:
    with pytest.raises(UsageError) as caught:
        check_learner(Learner("x", **given))
    assert says in str(caught.value)
    assert str(caught.value).startswith("learner 'x': ")


def test_checking_loads_nothing_heavy() -> None:
    code = (
        "import sys; from bakeoff.learners.checking import check_learner; from bakeoff.learners.learner import *;"
        "check_learner(Learner('x', steps=(Step('sklearn.svm.SVC'),), tuning=Tuning({'C': (1,)}, measure='auc')));"
        "assert not {'sklearn', 'pandas', 'scipy', 'matplotlib'} & set(sys.modules), sys.modules"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
