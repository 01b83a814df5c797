"""Runs that stop when they have decided: the decisions, the run, its record, its refusals, and its error rate."""

from __future__ import annotations

import runpy
from pathlib import Path

import numpy as np
import pytest

from bakeoff import Study, as_task, simulated
from bakeoff.cli import main
from bakeoff.conduct.sequential import Race, _skewed, race, run_until_decided, stopped_race
from bakeoff.errors import MisfitError, UsageError
from bakeoff.store.reader import Reader

TOOL = Path(__file__).parents[2] / "tools" / "sequential.py"
TOML = """\
margin = 0.01
measures = ["error"]
[resampling]
scheme = "simulation"
repeats = 40
[[task]]
generator = "twonorm"
n = 40
m = 200
test = "fresh"
[[learner]]
name = "1R"
path = "1R"
[[learner]]
name = "naive"
path = "naive-bayes"
[[learner]]
name = "same"
path = "naive-bayes"
parameters = { var_smoothing = 0.5 }
"""


# --- decisions --------------------------------------------------------------------------------------------------------


def table(*advantages: float, n: int = 100, sd: float = 0.02, seed: int = 1) -> np.ndarray:
    rng = np.random.default_rng(seed)
    return np.array(advantages) + rng.normal(0, 0.1, (n, 1)) + rng.normal(0, sd, (n, len(advantages)))


def test_a_learner_that_is_clearly_worse_is_dropped_and_the_rest_are_equivalent() -> None:
    pairs, dropped = race(table(0.0, 0.0, -0.2), ["a", "b", "c"], alpha=0.05, margin=0.02, at_most=100)
    by_name = {(pair.first, pair.second): pair for pair in pairs}
    assert by_name["a", "b"].decision == "equivalent"
    assert by_name["a", "c"].decision == by_name["b", "c"].decision == "better"
    assert list(dropped) == ["c"]
    assert 10 <= dropped["c"] <= 23, "by the third stage: of fewer it is not known whether they are skewed"
    assert by_name["a", "b"].after > dropped["c"]


def test_of_skewed_differences_nothing_is_claimed_before_there_are_many() -> None:
    values = np.column_stack([-np.random.default_rng(4).lognormal(size=200), np.zeros(200)])
    values[:, 0] -= values[:50, 0].max() + 1e-6  # the first is worse in each of fifty draws, by chance or not
    pairs, dropped = race(values[:50], ["a", "b"], alpha=0.05, margin=None, at_most=200)
    assert (pairs[0].decision, dropped) == ("undecided", {})
    (note,) = _skewed(pairs, "draws", bounded=False)
    assert note.startswith("The differences between a and b are so skewed that there are too few draws")
    assert _skewed(pairs, "draws", bounded=True) == []


def test_without_a_margin_nobody_is_equivalent() -> None:
    (pair,), dropped = race(table(0.0, 0.0), ["a", "b"], alpha=0.05, margin=None, at_most=100)
    assert (pair.decision, pair.after, dropped) == ("undecided", 0, {})
    assert pair.lower < 0 < pair.upper


def test_differences_that_never_vary_decide_nothing() -> None:
    values = np.tile([[0.5, 0.4]], (50, 1))
    (pair,), dropped = race(values, ["a", "b"], alpha=0.05, margin=0.01, at_most=50)
    assert (pair.decision, dropped) == ("undecided", {})


def test_blocks_that_a_learner_lacks_are_left_out_of_its_pairs() -> None:
    values = table(0.0, -0.2)
    values[:5, 1] = np.nan
    (pair,), dropped = race(values, ["a", "b"], alpha=0.05, margin=None, at_most=100)
    assert pair.blocks == 95
    assert dropped["b"] == pair.after + 5


def test_sequences_for_any_law_are_longer() -> None:
    values = np.clip(table(0.8, 0.6), 0, 1)
    (usual,), _ = race(values, ["a", "b"], alpha=0.05, margin=None, at_most=100)
    (bounded,), _ = race(values, ["a", "b"], alpha=0.05, margin=None, at_most=100, bounds=(0.0, 1.0))
    assert bounded.decision == usual.decision == "better"
    assert bounded.after > usual.after
    assert bounded.upper - bounded.lower > usual.upper - usual.lower


def test_the_error_rate_holds_under_optional_stopping_and_tests_at_each_look_do_not() -> None:
    """The tool that writes docs/sequential.md, with 100 studies instead of 2,000."""
    tool = runpy.run_path(str(TOOL))
    for law in tool["LAWS"][2:3]:
        rng = np.random.default_rng(7)
        found = [tool["one_study"](law, rng) for _ in range(100)]
        assert sum(one.wrong for one in found) <= 9  # 5 expected at most; P(more than 9) is 3 %
        assert sum(one.naive for one in found) > 15
    apart = tool["LAWS"][7]
    rng = np.random.default_rng(8)
    found = [tool["one_study"](apart, rng) for _ in range(15)]
    assert all(one.decided for one in found)
    assert np.mean([one.cells for one in found]) < 0.4 * 500 * 4


# --- the run ----------------------------------------------------------------------------------------------------------


def test_a_run_stops_when_it_is_decided_and_judge_shows_it_again(tmp_path: Path, capsys: pytest.CaptureFixture) -> None:
    study = tmp_path / "study.toml"
    study.write_text(TOML)
    assert main(["run", str(study), "--until-decided", "-j", "2"]) == 0
    told = capsys.readouterr().out
    assert "after 10 draws: 3 learners run" in told
    assert "same is the best in error: 1R and naive are worse. " in told
    assert "were saved" in told
    assert main(["judge", str(study)]) == 0
    again = capsys.readouterr().out
    assert again.strip() in told
    assert main(["judge", str(study), "--without", "1R"]) == 0
    assert "Warning [stopped-when-decided] The run was stopped by looking" in capsys.readouterr().out
    from bakeoff import read_study

    with Reader(study.with_suffix(".sqlite")) as store:
        kept = stopped_race(store, read_study(study).key)
    assert isinstance(kept, Race)
    assert kept.decided
    assert kept.left == ["same"]
    assert kept.learners["1R"] < kept.learners["naive"] <= kept.blocks
    assert kept.cells < kept.planned == 120
    # It goes on where it stopped: nothing is left to do.
    made, summary = run_until_decided(read_study(study), study.with_suffix(".sqlite"))
    assert made.sentence == kept.sentence
    assert summary.ok == 0


def test_tasks_are_blocks_too(tmp_path: Path) -> None:
    rng = np.random.default_rng(3)
    tasks = {}
    for number in range(12):
        X = rng.normal(size=(60, 4))
        tasks[f"t{number}"] = (X, np.where(X.sum(axis=1) > 0, "yes", "no"))
    learners = {"majority": "majority", "lda": "lda"}
    study = Study(tasks=tasks, learners=learners, resampling=2, measures=["error"])
    made, _ = run_until_decided(study, tmp_path / "study.sqlite")
    assert made.unit == "tasks"
    assert made.sentence.startswith("lda is the best in error: majority is worse. 10 of at most 12 tasks were run")


# --- refusals ---------------------------------------------------------------------------------------------------------


LEARNERS = {"a": "1R", "b": "naive-bayes"}
DRAWN = {"resampling": {"scheme": "simulation", "repeats": 20}}


def drawn(**more: object) -> Study:
    return Study(**{"tasks": [simulated("twonorm", n=20, m=20)], "learners": LEARNERS, **DRAWN, **more})


@pytest.mark.parametrize(
    ("study", "more", "message"),
    [
        (lambda: Study(tasks=["iris"], learners=LEARNERS), {}, "'cross-validation' share rows of one data set"),
        (lambda: Study(tasks=["iris"], learners=LEARNERS, resampling="hold-out"), {}, "'hold-out' share rows"),
        (drawn, {"at_most": 50}, r"has 20 draws, and at most 50 are asked for\. Write repeats = 50"),
        (drawn, {"at_most": 5}, "begins with 10 draws; found at most 5"),
        (drawn, {"margin": -1.0}, "margin must be a positive"),
        (lambda: drawn(learners={"a": "1R"}), {}, "There is one learner"),
        (
            lambda: drawn(resampling={"scheme": "simulation", "repeats": 20, "independent": True}),
            {},
            "samples of its own",
        ),
        (lambda: drawn(measures=["fit_time"]), {"bounded": True}, "fit_time has no two ends"),
    ],
)
def test_what_cannot_be_stopped_by_looking_is_refused(study, more, message: str, tmp_path: Path) -> None:
    with pytest.raises((UsageError, MisfitError), match=message):
        run_until_decided(study(), tmp_path / "study.sqlite", **more)
    assert not (tmp_path / "study.sqlite").exists()


def test_flags_that_contradict_are_refused(tmp_path: Path, capsys: pytest.CaptureFixture) -> None:
    study = tmp_path / "study.toml"
    study.write_text(TOML)
    assert main(["run", str(study), "--at-most", "20"]) == 2
    assert "go with --until-decided" in capsys.readouterr().err
    assert main(["run", str(study), "--until-decided", "--only", "1R"]) == 2
    assert "leave --only out" in capsys.readouterr().err


def test_bootstrap_draws_speak_about_one_learning_sample(tmp_path: Path) -> None:
    scheme = {"scheme": "out-of-bootstrap", "repeats": 12}
    study = Study(tasks=[as_task("iris", "iris")], learners=LEARNERS, resampling=scheme)
    made, _ = run_until_decided(study, tmp_path / "study.sqlite")
    assert "drawn like these from the one at hand: not about other data sets" in made.guarantee
