"""Not only Linux: what a study is described, planned, read and judged by works where fcntl, /proc and their kin are
missing; and a study is run there, with what the system cannot give left out."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[1]
QUICK = (
    *(
        "tests/test_kept.py",
        "tests/test_keys.py",
        "tests/test_records.py",
        "tests/test_errors.py",
        "tests/test_text.py",
    ),
    *("tests/scores", "tests/judging/test_planned.py", "tests/results/test_planned.py", "tests/study/test_plan.py"),
    *("tests/study/test_file.py", "tests/store/test_reader.py", "tests/cli/test_compare.py"),
)


def python(*arguments: str, folder: Path = ROOT) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, *arguments],
        cwd=folder,
        capture_output=True,
        text=True,
        timeout=900,
        check=False,
        env={**os.environ, "BAKEOFF_ELSEWHERE": "1"},
    )


def test_the_quick_part_of_the_suite_passes_where_linux_is_missing() -> None:
    few = "--hypothesis-profile=few"
    done = python("-m", "pytest", "-v", "-p", "elsewhere", "-p", "no:cacheprovider", few, *QUICK)
    assert done.returncode == 0, done.stdout[-4000:] + done.stderr[-2000:]
    passed, skipped = (int(re.findall(rf"(\d+) {kind}", done.stdout)[-1]) for kind in ("passed", "skipped"))
    assert passed > 900, done.stdout[-1000:]
    assert skipped < 20, "these start workers; that a study is run, judged and run again here is asked once, below"


SCRIPT = """
import sys
sys.path.insert(0, {here!r})
import elsewhere
try:
    import fcntl
except ImportError:
    print("blocked")
from pathlib import Path
try:
    Path("/proc/self/status").read_text()
except OSError:
    print("blocked")
from bakeoff.cli import main
for command in (["plan", "study.toml"], ["run", "study.toml", "--quiet"], ["status", "study.toml"],
                ["judge", "study.toml"], ["run", "study.toml", "--quiet"], ["export", "study.toml", "-o", "out"],
                ["export", "study.toml", "-o", "scores.csv"], ["compare", "scores.csv", "--figure", "cd.svg"]):
    print(command[0], main(command))
"""
STUDY = """
measures = ["error"]
resampling = { scheme = "cross-validation", folds = 4, repeats = 2 }
limits = { memory_limit = "2 GB", time_limit = 60 }
task = [{ data = "iris" }]
[[learner]]
name = "bayes"
path = "sklearn.naive_bayes.GaussianNB"
[[learner]]
name = "dummy"
path = "sklearn.dummy.DummyClassifier"
"""


def test_a_study_is_planned_run_and_judged_where_linux_is_missing(tmp_path: Path) -> None:
    (tmp_path / "study.toml").write_text(STUDY)
    (tmp_path / "script.py").write_text(SCRIPT.format(here=str(ROOT / "tests" / "contracts")))
    done = python("script.py", folder=tmp_path)
    assert done.stdout.count("blocked") == 2, done.stdout + done.stderr
    for command in ("plan", "run", "status", "judge", "export", "compare"):
        assert f"\n{command} 0\n" in done.stdout, done.stdout + done.stderr
    assert "16 cells run" in done.stdout
    assert "nothing was left to run" in done.stdout
