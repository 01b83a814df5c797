"""Stores that were written apart, in one."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from proofs import content
from store_contract import Registered, counts, failed, folds, ok, task_record

from bakeoff.cli import main
from bakeoff.errors import InputError
from bakeoff.store.merging import MergeCounts, merge
from bakeoff.store.reader import Reader
from bakeoff.store.writer import Store

STUDY = """\
seed = 5
[[task]]
data = "iris"
[[task]]
data = "wine"
[[learner]]
name = "bayes"
path = "sklearn.naive_bayes.GaussianNB"
[[learner]]
name = "tree"
path = "sklearn.tree.DecisionTreeClassifier"
[resampling]
scheme = "cross-validation"
folds = 5
repeats = 2
"""


def filled(path: Path, **cells: Any) -> Path:
    """A store in which some cells were run: outcomes by learner and split, `a0=ok()`."""
    with Store.open(path) as store:
        ours = Registered(store)
        for name, outcome in cells.items():
            ours.write(("ab".index(name[0]), int(name[1]), outcome))
    return path


def merged(target: Path, *sources: Path) -> list[MergeCounts]:
    with Store.open(target) as store:
        found = []
        for source in sources:
            with Reader(source) as reader:
                found.append(merge(store, reader))
        return found


def states(path: Path) -> dict[bytes, str]:
    with Store.open(path) as store:
        return Registered(store).states()


def test_what_each_has_is_there_once(tmp_path: Path) -> None:
    one = filled(tmp_path / "1", a0=ok(0.5), a1=ok(0.25))
    two = filled(tmp_path / "2", a1=ok(0.25), b2=failed())
    assert merged(tmp_path / "all", one, two) == [MergeCounts(2, 2), MergeCounts(1, 1)]
    assert sorted(states(tmp_path / "all").values()) == ["error", "ok", "ok"]
    assert merged(tmp_path / "all", one, two) == [MergeCounts(0, 0), MergeCounts(0, 0)], "a second time changes nothing"


def test_a_failure_gives_way_to_a_success_and_not_the_other_way_round(tmp_path: Path) -> None:
    bad, good = filled(tmp_path / "bad", a0=failed()), filled(tmp_path / "good", a0=ok(0.5))
    for first, second in ((bad, good), (good, bad)):
        target = tmp_path / f"{first.name} first"
        merged(target, first, second)
        assert list(states(target).values()) == ["ok"]
        with Reader(target) as reader:
            assert (counts(reader)["cell"], counts(reader)["score"]) == (1, 1)


def test_a_store_that_is_there_keeps_its_own_numbers(tmp_path: Path) -> None:
    target = tmp_path / "target"
    with Store.open(target) as store:
        store.add_learner("a stranger", {})
        store.add_task(task_record("another task"))
        Registered(store, key="another study", splits=folds(4)).write((0, 3, ok(0.125)))
    merged(target, filled(tmp_path / "1", a0=ok(0.5), b1=ok(0.25)))
    with Reader(target) as reader:
        assert [record.key for record in reader.studies()] == ["another study", "study key"]
        assert counts(reader)["score"] == 3
    assert main(["merge", str(target), "-o", str(tmp_path / "copy")]) == 0


def test_an_altered_score_is_found(tmp_path: Path) -> None:
    import sqlite3

    one = filled(tmp_path / "1", a0=ok(0.5))
    with sqlite3.connect(one) as connection:
        connection.execute("UPDATE score SET value = 0.25")
    connection.close()
    with pytest.raises(InputError, match="its checksum is another"):
        merged(tmp_path / "all", one)
    with Reader(tmp_path / "all") as reader:
        assert not reader.studies(), "all of it, or nothing"


def test_shards_give_what_one_run_gives(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """As in docs/scale.md, with programs one after the other in place of an array of jobs."""
    study = tmp_path / "study.toml"
    study.write_text(STUDY, encoding="utf-8")
    shards = [str(tmp_path / f"shard{k}.sqlite") for k in (1, 2, 3)]
    for k, shard in enumerate(shards, 1):
        assert main(["run", str(study), "--quiet", "--shard", f"{k}/3", "--store", shard]) == 0
    assert main(["merge", *shards, "-o", str(tmp_path / "all.sqlite")]) == 0
    assert main(["merge", *shards, "-o", str(tmp_path / "all.sqlite")]) == 0
    assert "40 cells were added" in capsys.readouterr().out
    assert main(["run", str(study), "--quiet", "--store", str(tmp_path / "all.sqlite")]) == 0
    assert "40 cells run" not in capsys.readouterr().out
    assert main(["run", str(study), "--quiet"]) == 0
    tables = []
    for store in ("all", "study"):
        target = tmp_path / f"{store}.csv"
        assert main(["scores", str(study), "--store", str(tmp_path / f"{store}.sqlite"), "-o", str(target)]) == 0
        tables.append(target.read_text("utf-8"))
    assert tables[0] == tables[1]


@pytest.mark.parametrize("shard", ["0/3", "4/3", "1", "a/b"])
def test_what_is_no_shard(shard: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "study.toml").write_text(STUDY, encoding="utf-8")
    assert main(["run", str(tmp_path / "study.toml"), "--shard", shard]) == 2
    assert "A shard is written K/N" in capsys.readouterr().err


def test_into_itself(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    one = str(filled(tmp_path / "1", a0=ok(0.5)))
    assert main(["merge", one, "-o", one]) == 2
    assert "into itself" in capsys.readouterr().err


def test_the_slurm_array_of_the_docs_as_plain_processes(tmp_path: Path) -> None:
    """Its jobs at the same time, two instead of forty; then what is typed when all of them have ended."""
    page = (Path(__file__).parents[2] / "docs" / "scale.md").read_text("utf-8")
    array, after = re.findall(r"```\n((?:#!/bin/bash|bakeoff merge shard).*?)```", page, flags=re.DOTALL)
    assert "#SBATCH --array=1-40" in array
    (tmp_path / "study.toml").write_text(STUDY, encoding="utf-8")
    (tmp_path / "array.sh").write_text(array.replace("40", "2"), encoding="utf-8")
    places = {**os.environ, "PATH": os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]])}
    jobs = [
        subprocess.Popen(["bash", "array.sh"], cwd=tmp_path, env={**places, "SLURM_ARRAY_TASK_ID": str(number)})
        for number in (1, 2)
    ]
    assert [job.wait(timeout=120) for job in jobs] == [0, 0]
    done = subprocess.run(
        ["bash", "-e", "-c", after], cwd=tmp_path, env=places, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    assert "were compared by" in done.stdout or "is first" in done.stdout, done.stdout
    whole = tmp_path / "whole.sqlite"
    assert main(["run", str(tmp_path / "study.toml"), "--quiet", "--store", str(whole)]) == 0
    assert content(tmp_path / "study.sqlite") == content(whole)
