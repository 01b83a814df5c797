from __future__ import annotations

from pathlib import Path

from bakeoff.learners.learner import Learner, Step, Tuning
from bakeoff.stores.remarks import Remark, remarks
from bakeoff.stores.store import Store
from bakeoff.studies.conducting import conduct
from bakeoff.studies.study import Study


def test_warnings_and_tuned_parameters_are_counted_by_learner(tmp_path: Path) -> None:
    tuned = Learner(
        "tuned", steps=(Step("sklearn.neighbors.KNeighborsClassifier"),), tuning=Tuning({"n_neighbors": (1,)}, 2)
    )
    hasty = Learner("hasty", steps=(Step("sklearn.linear_model.LogisticRegression", {"max_iter": 1}),))
    quiet = Learner("quiet", steps=(Step("sklearn.naive_bayes.GaussianNB"),))
    study = Study(tasks=["iris"], learners=[tuned, hasty, quiet], resampling=3)
    conduct(study, tmp_path / "s.sqlite")
    with Store.read(tmp_path / "s.sqlite") as store:
        first, second = remarks(store, study.key)
    assert first == Remark("tuned", "tuned: n_neighbors=1", 3)
    assert first.of_tuning
    assert second.learner == "hasty"
    assert second.cells == 3
    assert second.text.startswith("ConvergenceWarning: ")
