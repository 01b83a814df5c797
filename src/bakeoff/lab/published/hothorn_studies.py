"""The benchmarking applications of Hothorn, Leisch, Zeileis and Hornik, section 5.3, as studies that can be resumed.

Performance is drawn B times: on the observations out of each bootstrap sample, and by cross-validation of it. The
document's learners are R's; ours are scikit-learn's and our own, with the settings that it states.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from bakeoff.mathematics.checks import Array
from bakeoff.resampling.bootstrap import LIMIT_LEFT_OUT

if TYPE_CHECKING:
    from bakeoff.learners.learner import Learner
    from bakeoff.studies.study import Study

OOB, CV = "OOB", "CV"
FULL_SAMPLES, FULL_TREES = 250, 250
FOLDS = 5
Q95 = {"name": "q95", "loss": "absolute_error", "functional": "q0.95"}

# A grid that spans what is usual for standardised inputs; the document refers to another paper for its own.
SVM_GRID: dict[str, tuple[Any, ...]] = {"C": (1.0, 4.0, 16.0, 64.0), "gamma": (2.0**-8, 2.0**-6, 2.0**-4, 2.0**-2)}

BOSTON_ROWS, BOSTON_INPUTS = 506, 13
NODE_SIZES = {"1 %": 0.01, "5 %": 0.05, "10 %": 0.10}
LEAVES = "10 %, leaves"


@dataclass(frozen=True)
class Size:
    """How large an application is run: bootstrap samples for OOB and for CV, and trees in an ensemble."""

    oob: int
    cv: int
    trees: int


FULL = Size(FULL_SAMPLES, FULL_SAMPLES, FULL_TREES)


@dataclass(frozen=True, eq=False)
class Performances:
    """B draws (rows) of the performance of each learner (columns), smaller being better."""

    learners: tuple[str, ...]
    values: Array

    def of(self, *learners: str) -> Performances:
        """Some of the learners, in that order."""
        return Performances(learners, self.values[:, [self.learners.index(name) for name in learners]])


def draw(study: Study, jobs: int, store: Path | None) -> Performances:
    """Run the study, or what a store does not hold of it yet."""
    from bakeoff.scores.blocks import blocks

    found = blocks(study.run(n_jobs=jobs, store=store))
    return Performances(found.learners, found.values)


def study_of(data: str, learners: list[Learner], scheme: str, samples: int, measure: Any, seed: int) -> Study:
    """B bootstrap samples of a bundled data set, and performance by one of the two schemes."""
    from bakeoff.studies.study import Study

    how = {"scheme": "out-of-bootstrap", "repeats": samples}
    if scheme == CV:
        how = {"scheme": "bootstrap-cv", "folds": FOLDS, "repeats": samples}
    return Study(data, learners, how, (measure,), seed=seed, name=f"{data}, {scheme}", keep_scores=False)


def boston_forest(name: str, share: float, trees: int, *, leaf: bool = False) -> Learner:
    """A forest with a minimal node size, a share of the 506 observations.

    R's randomForest does not split a node of `nodesize` cases or fewer, although its help speaks of the size of
    terminal nodes, so that terminal nodes can be smaller. It counts a case as often as the tree's bootstrap sample has
    it, scikit-learn once: of so many copies, 63.2 % are different cases. With `leaf` no terminal node is smaller. A
    third of the inputs is tried at each split, as in R.
    """
    from bakeoff.learners.learner import Learner, Step

    size = int(share * BOSTON_ROWS)
    limit = {"min_samples_leaf": size} if leaf else {"min_samples_split": int((1 - LIMIT_LEFT_OUT) * size) + 1}
    parameters = {"n_estimators": trees, "max_features": BOSTON_INPUTS // 3, **limit}
    return Learner(name, steps=(Step("sklearn.ensemble.RandomForestRegressor", parameters),))


def boston(scheme: str, size: Size, seed: int) -> Study:
    """Forests of three node sizes, and out of the bootstrap also one whose leaves have the largest of them."""
    learners = [boston_forest(name, share, size.trees) for name, share in NODE_SIZES.items()]
    if scheme == OOB:
        learners.append(boston_forest(LEAVES, NODE_SIZES["10 %"], size.trees, leaf=True))
    return study_of("boston_housing", learners, scheme, size.cv if scheme == CV else size.oob, Q95, seed)


def classifiers(trees: int) -> dict[str, Learner]:
    """The four that are compared, by name."""
    from bakeoff.learners.learner import Learner, Step, Tuning

    def learner(name: str, path: str, **parameters: Any) -> Learner:
        return Learner(name, steps=(Step(path, parameters),))

    svm = Learner("SVM", steps=(Step("sklearn.svm.SVC"),), prepare="standard", tuning=Tuning(SVM_GRID, FOLDS))
    made = (
        learner("sLDA", "bakeoff.learners.slda.StabilisedLDA"),
        svm,
        learner("forest", "sklearn.ensemble.RandomForestClassifier", n_estimators=trees),
        learner("bundling", "bakeoff.learners.bundling.Bundling", n_estimators=trees),
    )
    return {one.name: one for one in made}


def ionosphere(scheme: str, size: Size, seed: int) -> Study:
    known = classifiers(size.trees)
    learners = [known[name] for name in ("SVM", "forest", "bundling")]
    return study_of("ionosphere", learners, scheme, size.cv if scheme == CV else size.oob, "error", seed)


def breast_cancer(size: Size, seed: int) -> Study:
    return study_of("breast_cancer_wisconsin", list(classifiers(size.trees).values()), OOB, size.oob, "error", seed)
