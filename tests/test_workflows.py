"""The workflows in `examples/`, step by step in a shell as their servers run them; `pip` and `gh` are stand-ins."""

from __future__ import annotations

import json
import os
import random
import re
import subprocess
import sys
import xml.etree.ElementTree as ElementTree
from pathlib import Path
from typing import Any

import pytest
import yaml

EXAMPLES = Path(__file__).parents[1] / "examples"
PASSES, FAILS, UNDECIDED = 0.8, 0.6, 0.79


def answers(path: Path, rate: float, seed: int, n: int) -> None:
    """Right and wrong answers; how hard the items are is the same for all."""
    items, noise = random.Random(1), random.Random(seed)
    hard = [items.random() for _ in range(n)]
    right = [int((each if noise.random() < 0.99 else noise.random()) < rate) for each in hard]
    path.write_text("".join(json.dumps({"item": f"q{i}", "correct": each}) + "\n" for i, each in enumerate(right)))


@pytest.fixture
def home(tmp_path: Path) -> Path:
    """A checked-out repository with results of main, and commands in front of all others."""
    (tmp_path / "results").mkdir()
    answers(tmp_path / "results" / "main.jsonl", PASSES, 2, 3000)
    tools = tmp_path / "tools"
    tools.mkdir()
    for name in ("pip", "gh"):
        (tools / name).write_text(f'#!/bin/sh\necho "{name} $*" >> "{tmp_path}/called.txt"\n')
    (tools / "bakeoff").write_text(f'#!/bin/sh\nexec "{sys.executable}" -m bakeoff "$@"\n')
    for tool in tools.iterdir():
        tool.chmod(0o755)
    return tmp_path


def shell(home: Path, script: str, **settings: str) -> subprocess.CompletedProcess[str]:
    path = f"{home / 'tools'}{os.pathsep}{os.environ['PATH']}"
    environment = {**os.environ, "PATH": path, **settings}
    command = ["bash", "-e", "-c", script]
    return subprocess.run(command, cwd=home, env=environment, capture_output=True, text=True, check=False)


def github(home: Path) -> dict[str, int]:
    """The exit code of each step that was run, by its name: steps after one that failed are run if they say so."""
    workflow: dict[Any, Any] = yaml.safe_load((EXAMPLES / "gate-github.yml").read_text())
    settings = {"GITHUB_STEP_SUMMARY": str(home / "summary.md"), "GITHUB_OUTPUT": str(home / "outputs.txt")}
    codes: dict[str, int] = {}
    for step in workflow["jobs"]["gate"]["steps"]:
        if "run" not in step or (any(codes.values()) and step.get("if") != "always()"):
            continue
        script = re.sub(r"\$\{\{ *github\.event\.number *\}\}", "7", step["run"])
        assert "${{" not in script, "what the server fills in is known here"
        codes[step.get("name", "install")] = shell(home, script, **settings).returncode
    return codes


@pytest.mark.parametrize(
    ("rate", "code", "verdict"), [(PASSES, 0, "pass"), (FAILS, 1, "fail"), (UNDECIDED, 5, "undecided")]
)
def test_the_one_for_github(home: Path, rate: float, code: int, verdict: str) -> None:
    answers(home / "results" / "candidate.jsonl", rate, 3, 3000)
    assert github(home) == {"install": 0, "gate": code, "comment": 0}
    comment = (home / "comment.md").read_text()
    assert comment.startswith("<!-- bakeoff-gate:eval -->")
    assert len(comment.encode()) < 60_000
    assert f"gate: {verdict}" in comment
    assert (home / "summary.md").read_text().strip() == comment.strip()
    assert f"verdict={verdict}" in (home / "outputs.txt").read_text().splitlines()
    called = (home / "called.txt").read_text().splitlines()
    assert called == ["pip install .", "gh pr comment 7 --body-file comment.md --edit-last --create-if-none"]
    assert ElementTree.parse(home / "gate.xml").getroot().get("failures") == str(int(code != 0))


@pytest.mark.parametrize(("rate", "code"), [(PASSES, 0), (FAILS, 1), (UNDECIDED, 5)])
def test_the_one_for_gitlab(home: Path, rate: float, code: int) -> None:
    answers(home / "results" / "candidate.jsonl", rate, 3, 3000)
    job = yaml.safe_load((EXAMPLES / "gate-gitlab.yml").read_text())["gate"]
    assert shell(home, "\n".join(job["script"])).returncode == code
    for file in [*job["artifacts"]["paths"], job["artifacts"]["reports"]["junit"]]:
        assert (home / file).stat().st_size > 0, "what is kept was written, whatever the verdict"


def test_other_items_are_no_verdict(home: Path) -> None:
    answers(home / "results" / "candidate.jsonl", PASSES, 3, 2900)
    assert github(home)["gate"] == 3
    assert "verdict=unusable" in (home / "outputs.txt").read_text()


def test_whoever_reads_no_further_is_told_by_the_exit_code(home: Path) -> None:
    answers(home / "results" / "candidate.jsonl", FAILS, 3, 3000)
    command = [
        sys.executable,
        "-m",
        "bakeoff",
        "gate",
        "results/main.jsonl",
        "results/candidate.jsonl",
        "--margin",
        "0.01",
    ]
    reading, writing = os.pipe()
    os.close(reading)
    try:
        done = subprocess.run(command, cwd=home, stdout=writing, stderr=subprocess.DEVNULL, check=False)
        assert done.returncode == 1
    finally:
        os.close(writing)
