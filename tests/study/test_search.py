"""Response surfaces that go on by themselves: a known optimum is found in fewer runs than a grid takes."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any
from zlib import crc32

import numpy as np
import pytest
from sklearn.base import BaseEstimator, RegressorMixin

from bakeoff import Study, judge_design, read_study
from bakeoff.cli import main
from bakeoff.measures import known_measure
from bakeoff.scores import Scores
from bakeoff.store.reader import Reader
from bakeoff.study.search import GAIN, ZOOM, at_end, next_step, responses_of, with_step

# The loss is least at C = 10, gamma = 0.01: a bowl in the logarithms, and steeper than a quadratic at the edges.
BEST = {"C": 10.0, "gamma": 0.01}
REGION = {
    "C": {"low": 0.01, "high": 1000, "scale": "log"},
    "gamma": {"low": 1e-4, "high": 1, "scale": "log"},
}


def truth(C: float, gamma: float, bump: float = 0.0) -> float:
    c, g = np.log10(C) - 1, np.log10(gamma) + 2
    return float(0.1 + 0.05 * (c**2 + g**2 + 0.5 * c * g) + bump * (c**4 + g**4))


def scored(study: Study, noise: float, bump: float = 0.0, blocks: int = 5) -> Scores:
    """What a run would give, the loss being known: the same noise for a setting whenever it is asked for."""
    rows = []
    for name, setting in study.design.settings.items():
        rng = np.random.default_rng(crc32(repr(sorted(setting.items())).encode()))
        values = truth(**setting, bump=bump) + rng.normal(0, noise, blocks)
        rows += [(name, fold, value) for fold, value in enumerate(values)]
    learner, fold, value = zip(*rows, strict=True)
    sizes = {"n_train": [80.0] * len(rows), "n_test": [20.0] * len(rows)}
    return Scores.of(value, learner=learner, fold=fold, measures={"rmse": known_measure("rmse")}, **sizes)


def designed(design: Any, factors: Any = None, seed: int = 1) -> Study:
    learners = {"svm": "sklearn.svm.SVR"}
    given = {"factors": factors or REGION, "design": design, "seed": seed}
    return Study(tasks=["iris"], learners=learners, measures=["rmse"], **given)


def searched(noise: float, bump: float = 0.0, **options: Any) -> tuple[Study, str]:
    study = designed({"kind": "response-surface", **options})
    budget = options.get("budget")
    while True:
        left = None if budget is None else budget - len(study.design.settings)
        step, over = next_step(responses_of(study, scored(study, noise, bump)), left)
        if step is None or len(study.design.steps) >= 12:
            return study, over
        study = with_step(study, step)


def distance(setting: dict[str, float]) -> float:
    """From the optimum, in tenfold changes."""
    return max(abs(np.log10(setting[name] / BEST[name])) for name in BEST)


def test_a_known_optimum_is_found_in_fewer_runs_than_a_grid() -> None:
    study, over = searched(noise=0.002)
    surface = judge_design_of(study, 0.002).surface
    assert surface is not None
    assert surface.kind == "minimum"
    assert distance(dict(surface.best)) < 0.15
    assert len(study.design.settings) <= 12  # a grid in tenfold steps has 6 × 5 = 30
    assert "no significant gain" in over


def test_a_surface_that_is_not_quadratic_is_looked_at_more_closely() -> None:
    study, _ = searched(noise=0.002, bump=0.02)
    whats = [step.what for step in study.design.steps]
    assert ZOOM in whats
    assert GAIN in whats
    values = {name: truth(**setting, bump=0.02) for name, setting in study.design.settings.items()}
    best = min(values, key=lambda name: values[name])
    assert distance(dict(study.design.settings[best])) < 0.3
    assert len(study.design.settings) <= 30


def test_the_same_budget_spent_on_a_grid_or_at_random_finds_less() -> None:
    """On a smooth surface with one optimum, which is what the method is for; averaged over seeds for random search."""
    study, _ = searched(noise=0.002, budget=16)
    runs = len(study.design.settings)
    assert runs <= 16
    found = min(truth(**setting) for setting in study.design.settings.values())
    grid = {name: {**spec, "count": 4} for name, spec in REGION.items()}
    plain = designed("factorial", grid)
    assert len(plain.design.settings) == 16
    assert found < min(truth(**setting) for setting in plain.design.settings.values())
    at_random = []
    for seed in range(1, 21):
        drawn = designed({"kind": "random", "runs": 16}, seed=seed)
        at_random.append(min(truth(**setting) for setting in drawn.design.settings.values()))
    assert found < np.mean(at_random)


def test_a_budget_and_noise_end_it() -> None:
    study, over = searched(noise=0.002, bump=0.02, budget=12)
    assert len(study.design.settings) <= 12
    assert over
    noisy, _ = searched(noise=0.5)
    assert len(noisy.design.settings) < 45


def judge_design_of(study: Study, noise: float) -> Any:
    from dataclasses import replace

    return judge_design(replace(scored(study, noise), settings=study.design.describe()))


# ----------------------------------------------------------------------------------------------------------------------
# From the study file to the verdict. The estimator's predictions are off by a known amount.


MODULE = '''
import numpy as np
from sklearn.base import BaseEstimator, RegressorMixin

class Off(RegressorMixin, BaseEstimator):
    """Off by a bowl around (3, -2), with some noise of the learning sample."""

    def __init__(self, a=0.0, b=0.0):
        self.a, self.b = a, b

    def fit(self, X, y):
        self.mean_ = np.mean(y)
        return self

    def predict(self, X):
        return np.full(len(X), self.mean_ + 10 + (self.a - 3) ** 2 + (self.b + 2) ** 2)
'''
FILE = """
measures = ["absolute_error"]
[[task]]
data = "mtcars"
[[learner]]
name = "off"
path = "off_by.Off"
[resampling]
scheme = "cross-validation"
folds = 3
[factors]
a = { low = -10, high = 10 }
b = { low = -10, high = 10 }
[design]
kind = "response-surface"
budget = 20
"""


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    (tmp_path / "off_by.py").write_text(MODULE)
    (tmp_path / "study.toml").write_text(FILE)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_from_the_study_file_to_the_verdict(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["run", "study.toml", "--quiet"]) == 0
    ran = capsys.readouterr().out
    assert "Step 1: best of the surface, a = 3, b = -2" in ran.replace("\n ", "")
    assert "The search is over" in ran
    assert main(["run", "study.toml", "--quiet"]) == 0  # nothing is run again
    assert "nothing was left to run" in capsys.readouterr().out
    assert main(["judge", "study.toml"]) == 0
    told = " ".join(capsys.readouterr().out.split())
    assert re.search(
        r"It has a minimum inside the region, at a = (2\.9|3)\S*, b = -(1\.9|2)\S* There it predicts", told
    )
    assert "Steps after the first design:" in told
    with Reader(folder / "study.sqlite") as store:
        study = at_end(read_study(folder / "study.toml"), store)
    assert len(study.design.steps) >= 1
    assert len(study.scores(folder / "study.sqlite").learners) == len(study.design.settings)
    assert main(["scores", "study.toml"]) == 0
    assert "off a=3 b=-2" in capsys.readouterr().out


class Off(RegressorMixin, BaseEstimator):
    """The same in Python."""

    def __init__(self, a: float = 0.0) -> None:
        self.a = a

    def fit(self, X: Any, y: Any) -> Off:
        self.mean_ = float(np.mean(y))
        return self

    def predict(self, X: Any) -> Any:
        return np.full(len(X), self.mean_ + 10 + (self.a - 3) ** 2)


def test_in_python_a_run_goes_on_by_itself() -> None:
    study = Study(
        tasks=["mtcars"],
        learners={"off": Off()},
        measures=["absolute_error"],
        resampling=3,
        factors={"a": {"low": -10, "high": 10}},
        design="response-surface",
    )
    verdict = judge_design(study.run())
    assert verdict.best.setting["a"] == pytest.approx(3, abs=0.05)
    assert verdict.surface is not None
    assert verdict.surface.best["a"] == pytest.approx(3, abs=0.05)
    assert verdict.surface.steps
