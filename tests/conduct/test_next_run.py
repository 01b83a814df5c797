"""What to run next, to decide what a verdict leaves undecided."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from bakeoff import Study, judge_design
from bakeoff.cli import main
from bakeoff.conduct.next_run import next_runs
from bakeoff.judging.wording import enough_blocks
from bakeoff.mathematics.laws import t_sf

TWO = """
measures = ["error"]
margin = 0.05
resampling = { scheme = "cross-validation", folds = 5, repeats = 2 }
task = [{ data = "sonar" }]
learner = [{ name = "nb", path = "naive-bayes" }, { name = "knn", path = "knn" }]
"""


def next_of(folder: Path, text: str, capsys: pytest.CaptureFixture, *budget: str) -> list[dict[str, str]]:
    """What `judge` says of a study that was run."""
    study = folder / "s.toml"
    study.write_text(text)
    assert main(["run", str(study), "--quiet", *budget]) == 0
    capsys.readouterr()
    assert main(["judge", str(study)]) == 0
    shown = " ".join(capsys.readouterr().out.split())
    assert main(["judge", str(study), "--json"]) == 0
    ahead: list[dict[str, str]] = json.loads(capsys.readouterr().out)["next"]
    assert ("Next " in shown) is bool(ahead)
    assert all(each["sentence"] in shown for each in ahead)
    return ahead


DRAWS = """
measures = ["error"]
resampling = { scheme = "simulation", repeats = 6 }
task = [{ generator = "twonorm", n = 60, m = 300, test = "fresh" }]
learner = [{ name = "lda", path = "lda" }, { name = "OTHER", path = "OTHER" }]
"""


def test_next_are_as_many_repeats_as_would_decide(tmp_path: Path, capsys: pytest.CaptureFixture) -> None:
    """Two learners that are nearly as good; with the repeats that it names the difference shows, mostly."""
    more, look = next_of(tmp_path, DRAWS.replace("OTHER", "naive-bayes"), capsys)
    name, _, count = more["change"].partition(" = ")
    assert name == "repeats"
    assert int(count) > 6
    assert more["command"] == f"bakeoff run {tmp_path / 's.toml'}"
    assert "second look" in look["what"]


def test_nothing_is_next_where_all_is_decided(tmp_path: Path, capsys: pytest.CaptureFixture) -> None:
    assert next_of(tmp_path, DRAWS.replace("OTHER", "1R"), capsys) == []


ALIKE = (
    TWO.replace("margin = 0.05\n", "").replace('"knn", path = "knn"', '"lda", path = "lda"').replace("sonar", "wine")
)


def test_more_folds_of_the_same_rows_are_not_always_enough(tmp_path: Path, capsys: pytest.CaptureFixture) -> None:
    (only,) = next_of(tmp_path, ALIKE, capsys)
    assert "No number of repeats would tell" in only["what"]
    assert "training data in common" in only["what"]
    assert only["change"] == ""


def test_next_is_what_is_left(tmp_path: Path, capsys: pytest.CaptureFixture) -> None:
    study = tmp_path / "s.toml"
    study.write_text(ALIKE)
    assert main(["run", str(study), "--quiet"]) == 0
    study.write_text(ALIKE.replace("repeats = 2", "repeats = 3"))
    assert main(["run", str(study), "--quiet", "--only", "nb"]) == 0
    capsys.readouterr()
    main(["judge", str(study), "--missing", "drop-block"])
    assert "5 cells of the study were not run yet. Run bakeoff run" in " ".join(capsys.readouterr().out.split())


def test_after_a_screening_comes_a_factorial_of_what_matters(tmp_path: Path, capsys: pytest.CaptureFixture) -> None:
    text = (
        'measures = ["error"]\nresampling = { scheme = "cross-validation", folds = 10, repeats = 3 }\n'
        'task = [{ data = "iris" }]\nlearner = [{ name = "knn", path = "knn" }]\n'
        'factors = { n_neighbors = [1, 100], p = [1, 2], leaf_size = [10, 30] }\ndesign = { kind = "screening" }\n'
    )
    (only,) = next_of(tmp_path, text, capsys)
    assert only["change"] == '[design] kind = "factorial" with the factors "n_neighbors"'


@pytest.mark.parametrize("shared", [0.0, 0.01])
def test_the_number_of_blocks_is_that_which_shows_the_difference_in_four_cases_of_five(shared: float) -> None:
    """What was seen in n blocks has some p; as many as are said to be enough show a difference of that size."""
    n, z = 20, 1.5
    enough = enough_blocks(n, float(t_sf(z, np.inf)), 0.025, shared)
    assert enough is not None
    difference = z * (1 / n + shared) ** 0.5  # in standard deviations, as seen
    power_then = t_sf(1.959964 - difference / (1 / enough + shared) ** 0.5, np.inf)
    assert 0.79 < power_then < 0.83
    assert enough_blocks(n, float(t_sf(z, np.inf)), 0.025, 0.2) is None


BOWL = """
measures = ["squared_error"]
resampling = { scheme = "cross-validation", folds = 5 }
task = [{ data = "mtcars" }]
learner = [{ name = "bowl", path = "bowl.Bowl" }]
design = { kind = "response-surface", points = "faced", steps = 2 }
[factors]
"bowl.a" = { low = -1, high = 1 }
"bowl.b" = { low = -1, high = 1 }
"""
CODE = """
import numpy as np
from sklearn.base import BaseEstimator, RegressorMixin


class Bowl(RegressorMixin, BaseEstimator):
    def __init__(self, a=0.0, b=0.0):
        self.a, self.b = a, b

    def fit(self, X, y):
        self.mean_ = np.mean(y) + OFFSET
        return self

    def predict(self, X):
        return np.full(len(X), self.mean_)
"""


def bowl(folder: Path, offset: str, text: str = BOWL) -> str:
    (folder / "bowl.py").write_text(CODE.replace("OFFSET", offset))
    return text


def test_a_surface_that_is_best_on_its_edge_is_to_be_looked_at_beyond_it(
    tmp_path: Path, capsys: pytest.CaptureFixture
) -> None:
    """The squared error is least where a is 3, far outside; b is best in the middle."""
    text = bowl(tmp_path, "3 * abs(self.a - 3) + 3 * self.b ** 2")
    first, *_ = next_of(tmp_path, text, capsys)
    assert "best on the edge of its region, at bowl.a = 1:" in first["what"]
    assert first["change"] == "wider low and high of bowl.a"


@pytest.mark.parametrize(("limit", "said"), [("budget = 9", "budget = 10"), ("steps = 1", "steps = 2")])
def test_a_search_that_was_cut_short_goes_on(
    limit: str, said: str, tmp_path: Path, capsys: pytest.CaptureFixture
) -> None:
    """The offset is a bowl around (0.3, −0.2) whose error is no quadratic: a step remains when the limit is reached."""
    text = bowl(tmp_path, "20 * ((self.a - 0.3) ** 2 + (self.b + 0.2) ** 2)").replace("steps = 2", limit)
    first, *_ = next_of(tmp_path, text, capsys)
    assert first["what"].startswith("The search ended ")
    assert first["change"] == said


def test_points_that_a_quadratic_surface_does_not_fit_lead_to_a_search_around_the_best(
    tmp_path: Path, capsys: pytest.CaptureFixture
) -> None:
    text = bowl(tmp_path, "20 * abs(self.a - 0.2) + 20 * abs(self.b)").replace(
        'kind = "response-surface", points = "faced", steps = 2', 'kind = "latin-hypercube", runs = 14'
    )
    ahead = next_of(tmp_path, text, capsys)
    assert ahead[-1]["change"] == '[design] kind = "response-surface" with that region'
    assert "half of it, around its best point, is bowl.a " in ahead[-1]["what"]


def test_with_the_task_as_a_factor_more_repeats_of_each_are_next(tmp_path: Path, capsys: pytest.CaptureFixture) -> None:
    """Draws from generators are independent: so many of each task show the effect that is nearest to it."""
    text = (
        'measures = ["error"]\nresampling = { scheme = "simulation", repeats = 5 }\n'
        'task = [{ name = "a", generator = "twonorm", n = 60, m = 300, test = "fresh" }, '
        '{ name = "b", generator = "threenorm", n = 60, m = 300, test = "fresh" }]\n'
        'learner = [{ name = "knn", path = "knn" }]\n'
        'factors = { task = ["a", "b"], n_neighbors = [5, 7] }\n'
    )
    more, look = next_of(tmp_path, text, capsys)
    assert "the effect nearest to a decision" in more["what"]
    assert more["change"].startswith("repeats = ")
    assert "second look" in look["what"]


def test_nothing_is_next_for_effects_that_nothing_was_held_against() -> None:
    study = Study("iris", {"knn": "knn"}, factors={"n_neighbors": [1, 50]}, resampling="hold-out")
    scores = study.run()
    verdict = judge_design(scores, level="resamples")
    assert next_runs(study, verdict, "s.toml", scores) == []


def test_a_design_with_a_margin_is_judged_as_planned(tmp_path: Path, capsys: pytest.CaptureFixture) -> None:
    study = tmp_path / "s.toml"
    study.write_text(
        'measures = ["error"]\nmargin = 0.05\nresampling = { scheme = "cross-validation", folds = 5 }\n'
        'task = [{ data = "iris" }]\nlearner = [{ name = "knn", path = "knn" }]\nfactors = { n_neighbors = [1, 9] }\n'
    )
    assert main(["run", str(study), "--quiet"]) == 0
    capsys.readouterr()
    assert main(["judge", str(study)]) == 0
    assert capsys.readouterr().out.startswith("Planned in study")
    assert main(["judge", str(study), "--margin", "0.2"]) == 0
    assert capsys.readouterr().out.startswith("EXPLORATORY")
