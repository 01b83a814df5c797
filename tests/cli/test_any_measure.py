"""Training times, rewards and log-likelihoods are compared by the same commands as accuracies."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from bakeoff.cli import main

Capture = pytest.CaptureFixture[str]

# measure, the larger of two learners' values, the noise around them, and which of the two is better
MEASURES = [
    ("fit_time", 40.0, 3.0, "low"),
    ("reward", -200.0, 15.0, "high"),
    ("log_likelihood", -1.5e4, 50.0, "high"),
    ("memory", 2e9, 1e7, "low"),
    ("squared_error", 0.02, 0.001, "low"),
]


def folds(path: Path, measure: str, level: float, noise: float, key: str = "fold") -> str:
    """Two learners in ten folds (or on ten tasks), one of them higher by three times the noise."""
    rng = np.random.default_rng(2)
    shared = level + 2 * noise * rng.standard_normal(10)
    lines = [f"{key},learner,{measure}"]
    for i, value in enumerate(shared.tolist()):
        low, high = value - 1.5 * noise, value + 1.5 * noise + 0.2 * noise * float(rng.standard_normal())
        lines += [f"{i},low,{low!r}", f"{i},high,{high!r}"]
    path.write_text("\n".join(lines) + "\n")
    return str(path)


def answer(command: list[str], capsys: Capture) -> dict[str, Any]:
    assert main([*command, "--json"]) == 0
    found: dict[str, Any] = json.loads(capsys.readouterr().out)
    return found


@pytest.mark.parametrize(("measure", "level", "noise", "better"), MEASURES)
def test_the_better_one_is_found_whatever_the_direction(
    measure: str, level: float, noise: float, better: str, tmp_path: Path, capsys: Capture
) -> None:
    path = folds(tmp_path / "scores.csv", measure, level, noise)
    verdict = answer(["compare", path, "--margin", repr(noise)], capsys)["verdict"]
    assert verdict["ranking"][0] == better
    assert f"{better} is better than" in verdict["paragraph"]
    (row,) = verdict["finding"]["relevance"]
    assert row["superior"] < 0.025
    assert verdict["finding"]["effects"][0]["superiority"] == 1.0


@pytest.mark.parametrize(("measure", "level", "noise", "better"), MEASURES)
@pytest.mark.parametrize("procedure", ["wilcoxon", "bayes-signed-rank", "bayes-sign"])
def test_over_tasks_too(
    measure: str, level: float, noise: float, better: str, procedure: str, tmp_path: Path, capsys: Capture
) -> None:
    path = folds(tmp_path / "scores.csv", measure, level, noise, "task")
    found = answer(["analyse", path, "--with", procedure, "--margin", repr(noise)], capsys)
    row = found["rows"][0]
    assert row["first"] == better
    if procedure == "wilcoxon":
        assert found["relevance"][0]["non_inferior"] < 0.01
        assert found["relevance"][0]["equivalent"] > 0.9
    else:
        assert row["better"] > 0.95


def test_a_margin_is_shown_by_analyse(tmp_path: Path, capsys: Capture) -> None:
    path = folds(tmp_path / "scores.csv", "fit_time", 40.0, 3.0)
    assert main(["analyse", path, "--with", "corrected-t", "--margin", "2"]) == 0
    text = capsys.readouterr().out
    assert "margin 2    superior p  non-inferior p  equivalent p" in text
    assert "Held against the margin of 2" in text


def test_a_rope_is_an_option_of_its_own(tmp_path: Path, capsys: Capture) -> None:
    path = folds(tmp_path / "scores.csv", "reward", -200.0, 15.0)
    found = answer(["analyse", path, "--with", "bayes-correlated-t", "--rope", "10", "--rho", "0.2"], capsys)
    assert (found["options"]["rope"], found["options"]["rho"]) == (10.0, 0.2)
    assert main(["analyse", path, "--with", "bayes-correlated-t", "--rope", "-1"]) == 2
    assert "not negative" in capsys.readouterr().err
