"""What a plan advises before anything is run."""

from __future__ import annotations

from bakeoff import Learner, Study
from bakeoff.learners.learner import Step, Tuning


def codes(study: Study) -> list[str]:
    return [line.split("]")[0].lstrip("[") for line in study.plan().advice]


def test_one_tuned_learner_among_untuned_ones_is_told() -> None:
    svm = Learner("svm", (Step("sklearn.svm.SVC"),), tuning=Tuning({"C": (0.1, 1.0)}, 3))
    tree = Learner("tree", (Step("sklearn.tree.DecisionTreeClassifier"),))
    base = Learner("majority", (Step("sklearn.dummy.DummyClassifier"),))
    (line,) = Study("sonar", [svm, tree, base]).plan().advice
    assert line.startswith("[unequal-diligence] svm is tuned and tree is not: ")
    assert codes(Study("sonar", [svm, base])) == []
    assert "Advice  [unequal-diligence]" in Study("sonar", [svm, tree]).plan().to_text()


def test_replicates_and_folds_by_the_size_of_the_sample() -> None:
    learners = {"tree": "tree", "nb": "naive-bayes"}
    assert codes(Study("sonar", learners)) == []
    assert codes(Study("sonar", learners, resampling=3)) == ["few-replicates"]
    assert codes(Study(["sonar", "iris", "wine"], learners)) == ["few-replicates"]
    rows = [[float(i)] for i in range(60)], ["a", "b"] * 30
    assert codes(Study({"small": rows}, learners, resampling=5)) == ["folds"]
    assert codes(Study("sonar", {"tree": "tree"}, resampling=2)) == []
