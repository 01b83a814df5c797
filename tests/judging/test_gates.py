"""The gate: what passes, what does not, what is undecided, and what cannot be compared; from files to exit codes."""

from __future__ import annotations

import json
import os
from pathlib import Path
from xml.etree import ElementTree

import numpy as np
import pandas as pd
import pytest

from bakeoff import gate
from bakeoff.cli import main
from bakeoff.errors import UsageError
from bakeoff.judging.gate_files import MOST_BYTES, report_to_github
from bakeoff.judging.gates import GateOutcome
from bakeoff.testing import assert_not_worse


def answers(model: str, right: np.ndarray, **columns) -> pd.DataFrame:
    return pd.DataFrame({"model": model, "item": np.arange(len(right)), "correct": right.astype(int), **columns})


def drawn(n: int, drop: float, *, seed: int = 1, changed: float = 0.1) -> tuple[np.ndarray, np.ndarray]:
    """Answers of a baseline that is right in 80 %, and of a candidate that is right less often by `drop`."""
    rng = np.random.default_rng(seed)
    old = rng.random(n) < 0.8
    anew = rng.random(n) < changed
    return old, np.where(anew, rng.random(n) < 0.8 - drop / changed, old)


def written(folder: Path, old: np.ndarray, new: np.ndarray) -> tuple[str, str]:
    paths = folder / "old.csv", folder / "new.csv"
    for path, right in zip(paths, (old, new), strict=True):
        answers(path.stem, right).to_csv(path, index=False)
    return str(paths[0]), str(paths[1])


@pytest.mark.parametrize(
    ("n", "drop", "margin", "outcome", "code"),
    [
        (3000, 0.0, 0.02, "pass", 0),
        (3000, 0.07, 0.02, "fail", 1),
        (100, 0.0, 0.005, "undecided", 5),
    ],
)
def test_the_exit_code_is_the_answer(tmp_path, capsys, n, drop, margin, outcome, code):
    old, new = written(tmp_path, *drawn(n, drop))
    assert main(["gate", old, new, "--margin", str(margin)]) == code
    shown = capsys.readouterr().out
    assert shown.startswith(f"gate: {outcome} – ")
    assert f"{n} instances" in shown
    assert "One-sided, α = 0.05" in shown
    assert "Broke: " in shown
    if outcome == "undecided":
        assert "Not shown to be worse" in shown
        assert "would decide" in shown
        assert main(["gate", old, new, "--margin", str(margin), "--on-undecided", "warn"]) == 0


def test_bounds_are_those_of_the_candidate_in_the_good_direction():
    old, new = drawn(2000, 0.03)
    found = gate(answers("a", old), answers("b", new), margin=0.05).comparisons[0]
    assert found.difference == pytest.approx(new.mean() - old.mean())
    assert found.lower < found.difference < found.upper
    errors = [answers(name, ~right).rename(columns={"correct": "error"}) for name, right in (("a", old), ("b", new))]
    turned = gate(*errors, margin=0.05).comparisons[0]
    assert turned.difference == pytest.approx(found.difference)
    assert turned.lower == pytest.approx(found.lower, abs=1e-6)
    assert len(found.broke) == int((old & ~new).sum())
    assert len(found.mended) == int((~old & new).sum())


def test_the_smallest_margin_is_the_border():
    old, new = drawn(800, 0.01)
    sides = answers("a", old), answers("b", new)
    least = gate(*sides, margin=0.05).comparisons[0].smallest_margin
    assert gate(*sides, margin=least * 1.01).passed
    assert not gate(*sides, margin=least * 0.99).passed


def test_no_difference_passes_by_its_bound_and_never_by_a_bound_without_width():
    same = np.ones(30, dtype=bool)
    assert gate(answers("a", same), answers("b", same), margin=0.01).outcome is GateOutcome.UNDECIDED
    many = np.ones(3000, dtype=bool)
    assert gate(answers("a", many), answers("b", many), margin=0.01).passed
    flat = pd.DataFrame({"model": "a", "item": range(50), "log_loss": 0.5})
    found = gate(flat, flat.assign(model="b"), margin=0.01)
    assert found.outcome is GateOutcome.UNDECIDED
    assert "without variation" in found.to_text()
    better = gate(flat, flat.assign(model="b", log_loss=0.4), margin=0.01)
    assert better.outcome is GateOutcome.UNDECIDED


def test_the_same_file_twice_passes_with_a_warning(tmp_path, capsys):
    old, _ = written(tmp_path, *drawn(50, 0.0))
    assert main(["gate", old, old, "--margin", "0.01"]) == 0
    assert "[same-file]" in capsys.readouterr().out


def test_failures_of_the_candidate_count_and_those_of_the_baseline_do_not_help():
    right = np.ones(400, dtype=bool)
    old, new = answers("a", right), answers("b", right).astype({"correct": object})
    new.loc[:15, "correct"] = None
    found = gate(old, new, margin=0.1, max_failed=0.1).comparisons[0]
    assert found.difference == pytest.approx(-16 / 400)
    assert found.sides["candidate"].failed == 16
    back = gate(new.assign(model="a"), old.assign(model="b"), margin=0.1, max_failed=0.1).comparisons[0]
    assert back.difference == 0
    assert back.blocks == 384
    refused = gate(old, new, margin=0.1, max_failed=0.01)
    assert refused.outcome is GateOutcome.UNUSABLE
    assert refused.exit_code == 3
    assert "16 of the 400 rows of the candidate failed" in refused.to_text()


def test_other_items_are_not_compared_unless_told(tmp_path, capsys):
    old, new = drawn(300, 0.0)
    sides = answers("a", old), answers("b", new).iloc[:250]
    found = gate(*sides, margin=0.05)
    assert found.outcome is GateOutcome.UNUSABLE
    assert "not run on the same instances: the baseline has 50 that the other lacks" in found.headline
    assert gate(*sides, margin=0.05, missing="drop-block").comparisons[0].blocks == 250
    paths = tmp_path / "a.csv", tmp_path / "b.csv"
    for side, path in zip(sides, paths, strict=True):
        side.to_csv(path, index=False)
    assert main(["gate", *map(str, paths), "--margin", "0.05"]) == 3
    capsys.readouterr()


def test_all_tasks_must_pass():
    sides = []
    for name, drop in (("a", 0.0), ("b", 0.08)):
        parts = []
        for task, its in (("easy", 0.0), ("hard", drop)):
            right = drawn(1500, its, seed=len(task))[1 if name == "b" else 0]
            parts.append(answers(name, right).assign(task=task))
        sides.append(pd.concat(parts))
    found = gate(*sides, margin=0.03)
    assert {each.task: each.outcome.value for each in found.comparisons} == {"easy": "pass", "hard": "fail"}
    assert found.exit_code == 1
    assert "2 comparisons, all of which must pass" in found.headline
    assert gate(*sides, margin=0.03, tasks=["easy"]).passed


def test_an_anchor_stops_a_slow_drift():
    first, last = drawn(4000, 0.05)
    between = np.where(np.arange(4000) % 2 == 0, first, last)
    sides = {"baseline": answers("v2", between), "candidate": answers("v3", last)}
    assert gate(**sides, margin=0.04).passed
    held = gate(**sides, margin=0.04, anchor=answers("v1", first))
    assert not held.passed
    assert [each.against for each in held.comparisons] == ["baseline", "anchor"]


def test_clusters_widen_the_bound():
    rng = np.random.default_rng(2)
    passage = np.repeat(np.arange(40), 15)
    effect = np.repeat(rng.normal(0, 0.4, 40), 15)
    old = pd.DataFrame({"model": "a", "item": range(600), "passage": passage, "score": rng.normal(0, 0.2, 600)})
    new = old.assign(model="b", score=old["score"] + effect + rng.normal(0, 0.2, 600))
    words = {"larger_is_better": True}
    whole = gate(old, new, margin=0.05, reading={**words, "cluster": "passage"}).comparisons[0]
    alone = gate(old, new, margin=0.05, reading={**words, "ignore": "passage"}).comparisons[0]
    assert whole.clusters == "40 clusters (passage)"
    assert whole.difference - whole.lower > 2 * (alone.difference - alone.lower)


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ({"margin": 0.0}, "a positive number fixed in advance"),
        ({"margin": -0.1}, "a positive number"),
        ({"margin": 0.1, "alpha": 0.7}, "between 0 and 0.5"),
        ({"margin": 0.1, "on_undecided": "pass"}, "cannot be 'pass'"),
        ({"margin": 0.1, "max_failed": 3}, "a share of the rows"),
    ],
)
def test_what_makes_no_gate_is_refused(words, message):
    old, new = drawn(50, 0.0)
    with pytest.raises(UsageError, match=message):
        gate(answers("a", old), answers("b", new), **words)


def test_a_side_is_one_learner():
    old, new = drawn(50, 0.0)
    both = pd.concat([answers("a", old), answers("c", new)])
    with pytest.raises(UsageError, match="to be one learner"):
        gate(both, answers("b", new), margin=0.1)


# ----------------------------------------------------------------------------------------------------------------------
# Files for the tools around it.

HOSTILE = "x|y <script>@team `code` ]]> \x1b[31m\x00 [link](http://a) ::error::"


def hostile(n: int = 40):
    old, new = drawn(n, 0.03, changed=0.5)
    names = [f"{HOSTILE} {i}" for i in range(n)]
    return gate(answers("a", old).assign(item=names), answers("b", new).assign(item=names), margin=0.01)


def test_names_are_shown_as_text_everywhere():
    found = hostile()
    comment = found.to_markdown("eval")
    assert comment.startswith("<!-- bakeoff-gate:eval -->\n> [!")
    assert "<script>" not in comment
    assert "@team" not in comment.replace("<code>", "").split("<details>")[0]
    assert "\x1b" not in comment
    suite = ElementTree.fromstring(found.to_junit())
    assert suite.get("tests") == "1"
    json.loads(found.to_json())


def test_a_comment_stays_below_sixty_kilobytes():
    old, new = drawn(4000, 0.05, changed=0.9)
    names = [f"{'long ' * 30}{i}" for i in range(4000)]
    tasks = [f"task {i % 40}" for i in range(4000)]
    found = gate(
        answers("a", old).assign(item=names, task=tasks), answers("b", new).assign(item=names, task=tasks), margin=0.01
    )
    assert len(found.comparisons) == 40
    assert len(found.to_markdown().encode()) <= MOST_BYTES
    assert "left out" in found.to_markdown()


def test_files_are_written(tmp_path, capsys):
    old, new = written(tmp_path, *drawn(100, 0.0))
    names = {flag: str(tmp_path / name) for flag, name in (("--markdown", "c.md"), ("--junit", "g.xml"))}
    words = [word for pair in names.items() for word in pair]
    assert main(["gate", old, new, "--margin", "0.001", *words, "--json"]) == 5
    written_json = json.loads(capsys.readouterr().out)
    assert written_json["schema"] == "bakeoff.gate/1"
    assert written_json["verdict"] == "undecided"
    assert written_json["exit_code"] == 5
    assert len(written_json["inputs"][0]["sha256"]) == 64
    assert "[!WARNING]" in (tmp_path / "c.md").read_text("utf-8")
    failure = ElementTree.parse(tmp_path / "g.xml").getroot().find("testcase/failure")
    assert failure is not None
    assert failure.get("type") == "undecided"


def test_what_github_reads(tmp_path):
    found = hostile()
    places = {"GITHUB_STEP_SUMMARY": str(tmp_path / "summary"), "GITHUB_OUTPUT": str(tmp_path / "output")}
    line = report_to_github(found, places)
    assert line.startswith("::error title=bakeoff gate::gate: ")
    assert "\n" not in line
    assert (tmp_path / "summary").read_text("utf-8") == found.to_markdown()
    values = dict(line.split("=", 1) for line in (tmp_path / "output").read_text("utf-8").splitlines())
    assert values["verdict"] == found.outcome.value
    assert values["passed"] == "false"
    assert report_to_github(found, {}).startswith("::error")


def test_an_assertion_for_tests_of_ones_own():
    old, new = drawn(3000, 0.0)
    assert assert_not_worse(answers("a", old), answers("b", new), margin=0.03).passed
    _, bad = drawn(3000, 0.08)
    with pytest.raises(AssertionError, match="gate: fail"):
        assert_not_worse(answers("a", old), answers("b", bad), margin=0.02)


@pytest.mark.parametrize("kind", ["alike", "twice the margin"])
def test_error_rates(kind):
    """A candidate that is alike fails in 5 % at most; one that lost twice the margin passes in 5 % at most."""
    wrong, n = 0, 80
    for seed in range(n):
        old, new = drawn(400, 0.0 if kind == "alike" else 0.06, seed=seed, changed=0.2)
        outcome = gate(answers("a", old), answers("b", new), margin=0.03).outcome
        wrong += outcome is (GateOutcome.FAIL if kind == "alike" else GateOutcome.PASS)
    assert wrong <= 9  # 5 % and three standard errors


def test_examples_of_workflows_name_what_there_is():
    examples = Path(__file__).parents[2] / "examples"
    for name in ("gate-github.yml", "gate-gitlab.yml"):
        text = (examples / name).read_text("utf-8")
        assert "bakeoff gate" in text
        flags = {word.strip("\\'\"") for word in text.split() if word.startswith("--") and "gate" not in word}
        known = {
            "--margin",
            "--markdown",
            "--junit",
            "--github",
            "--name",
            "--body-file",
            "--edit-last",
            "--create-if-none",
        }
        assert flags <= known, flags - known
    assert os.path.exists(examples)


def clustered(seed: int, drop: float) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Answers in three epochs to questions about twenty passages; the candidate differs by passage, and by `drop`."""
    rng = np.random.default_rng(seed)
    passage = np.repeat(np.arange(20), 6)
    easy = rng.normal(1.0, 1.0, 120)
    shift = np.repeat(rng.normal(0, 0.5, 20), 6)
    sides = []
    for name, logit in (("old", easy), ("new", easy + shift)):
        chance = 1 / (1 + np.exp(-logit)) - (drop if name == "new" else 0.0)
        right = rng.random((3, 120)) < np.clip(chance, 0.0, 1.0)
        epochs = [
            pd.DataFrame(
                {"model": name, "item": range(120), "epoch": epoch, "passage": passage, "correct": answers_now}
            )
            for epoch, answers_now in enumerate(right.astype(int))
        ]
        sides.append(pd.concat(epochs))
    return sides[0], sides[1]


@pytest.mark.parametrize(("drop", "wrong"), [(0.0, GateOutcome.FAIL), (0.1, GateOutcome.PASS)])
def test_error_rates_with_clusters_and_epochs(drop, wrong):
    """A/A comparisons fail, and candidates that lost twice the margin pass, in 5 % at most."""
    replications, reading = 40, {"cluster": "passage"}
    count = sum(
        gate(*clustered(seed, drop), margin=0.05, reading=reading).outcome is wrong for seed in range(replications)
    )
    assert count <= replications * 0.05 + 3 * (replications * 0.05 * 0.95) ** 0.5
