from __future__ import annotations

from types import MappingProxyType
from typing import Any

import numpy as np
import pytest
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC

from bakeoff.errors import UsageError
from bakeoff.learners.learner import Learner, Step, Tuning

SVM = Learner("svm", steps=(Step("sklearn.svm.SVC", {"C": 1, "kernel": "rbf"}),))


@pytest.mark.parametrize(
    "same",
    [
        Learner("another name", steps=SVM.steps),
        Learner("svm", steps=SVM.steps, folder="elsewhere"),
        Learner("svm", steps=(Step("sklearn.svm.SVC", {"kernel": "rbf", "C": 1}),)),
        Learner("svm", steps=(Step("sklearn.svm.SVC", MappingProxyType({"kernel": "rbf", "C": np.int64(1)})),)),
    ],
    ids=["name", "folder", "order", "types of numpy"],
)
def test_what_does_not_change_the_result_does_not_change_the_key(same: Learner) -> None:
    assert same.key == SVM.key


@pytest.mark.parametrize(
    "other",
    [
        Learner("svm", steps=(Step("sklearn.svm.SVC", {"C": 2, "kernel": "rbf"}),)),
        Learner("svm", steps=(Step("sklearn.svm.NuSVC", {"C": 1, "kernel": "rbf"}),)),
        Learner("svm", steps=(*SVM.steps, *SVM.steps)),
        Learner("svm", steps=SVM.steps, prepare="standard"),
        Learner("svm", steps=SVM.steps, tuning=Tuning({"C": (1, 2)})),
        Learner("svm", command=("svm",)),
        Learner("svm", estimator=SVC()),
    ],
    ids=["parameter", "class", "steps", "preparation", "tuning", "command", "object"],
)
def test_what_changes_the_result_changes_the_key(other: Learner) -> None:
    assert other.key != SVM.key


def test_all_of_a_tuning_is_in_the_key() -> None:
    tunings = [Tuning({"C": (1, 2)}), Tuning({"C": (1, 3)}), Tuning({"C": (1, 2)}, 3), Tuning({"C": (1, 2)}, 5, "auc")]
    assert len({Learner("svm", steps=SVM.steps, tuning=tuning).key for tuning in tunings}) == len(tunings)


def test_objects_go_by_all_their_parameters() -> None:
    def key(estimator: Any) -> str:
        return Learner("x", estimator=estimator).key

    assert key(make_pipeline(StandardScaler(), SVC())) == key(make_pipeline(StandardScaler(), SVC()))
    assert key(make_pipeline(StandardScaler(), SVC())) != key(make_pipeline(StandardScaler(), SVC(C=2)))
    assert key(make_pipeline(StandardScaler(), SVC())) != key(make_pipeline(StandardScaler(with_std=False), SVC()))


@pytest.mark.parametrize(
    ("learner", "says"),
    [
        (Learner("x", estimator=SVC(kernel=lambda a, b: a @ b.T)), "lambda"),
        (Learner("x", estimator=SVC(random_state=np.random.RandomState(1))), "random state"),
        (Learner("x", estimator=SVC().fit([[0.0], [1.0]], [0, 1])), "fitted SVC"),
    ],
    ids=["lambda", "random state", "fitted"],
)
def test_what_has_no_key(learner: Learner, says: str) -> None:
    with pytest.raises(UsageError, match=says):
        _ = learner.key


def test_it_cannot_be_changed() -> None:
    with pytest.raises(AttributeError):
        SVM.name = "other"  # type: ignore[misc]
