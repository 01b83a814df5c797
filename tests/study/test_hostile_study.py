"""A whole study with learners that do all that a learner must not do, beside good ones that must not notice."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from proofs import Place, attempts, cells, content, odd, rows, study_text

from bakeoff.study.file import read_study
from bakeoff.study.run import run_study


def hostile(name: str) -> str:
    return f'path = "hostile.{name}"'


GOOD = {
    name: hostile(name) for name in ("Majority", "Prints", "Mutates", "Forks", "GlobalSeed", "WarnsWithoutWords")
} | {"tree": 'path = "sklearn.tree.DecisionTreeClassifier"\nparameters = { max_features = 1 }'}
# How each ends, and what it says.
BAD = {
    "Raises": ("error", "ValueError: no convergence after 7 iterations"),
    "Exits": ("error", "SystemExit: 3"),
    "ExitsHard": ("crash", "the process ended itself with exit code 5"),
    "Segfaults": ("crash", "the process was killed by SIGSEGV"),
    "Hangs": ("timeout", "past the time limit of 5 s"),
    "EatsMemory": ("memory", "past the memory limit"),
    "TooFew": ("invalid", "predictions"),
    "Nonsense": ("invalid", "predictions"),
    "NanProbabilities": ("invalid", "not finite"),
    "AltersPython": ("crash", "no longer answers as one of Python does"),
    "RaisesWithoutWords": ("error", "WordlessError"),
    "RaisesWithoutAName": ("error", "an error without a name"),
    "curable": ("error", "RuntimeError: not cured yet"),
}
LIMITS = 'time_limit = 5\nmemory_limit = "700 MB"'
FOLDS = 2


def text(cure: Path) -> str:
    bad = {name: hostile(name) for name in BAD if name != "curable"} | {"curable": odd("FailsOnce", cure=str(cure))}
    mixed = [
        learner for pair in zip(bad.items(), [*GOOD.items(), *[None] * len(bad)], strict=False) for learner in pair
    ]
    return study_text(dict(learner for learner in mixed if learner), folds=FOLDS, limits=LIMITS)


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Place:
    """The study, run once."""
    folder = tmp_path_factory.mktemp("hostile") / "study"
    place = Place(folder, text(folder / "cure"))
    done = place.run("-j", "2")
    assert done.code == 4
    failed = FOLDS * len(BAD)
    assert f"{failed} of {failed + FOLDS * len(GOOD)} cells failed. bakeoff failures study.toml shows why" in done.err
    assert "epoch 1" not in done.out + done.err, "what learners print is not shown"
    assert place.processes() == {}
    assert list(place.temporary.iterdir()) == []
    return place


def learners(place: Place) -> dict[str, str]:
    """Keys by name."""
    query = "SELECT study_learner.name, learner.key FROM study_learner JOIN learner ON learner.id = learner"
    return dict(rows(place.store, query))


def test_each_cell_has_one_row(place: Place) -> None:
    by_learner: dict[str, list[str]] = {}
    for cell in content(place.store).values():
        by_learner.setdefault(cell.learner, []).append(cell.status)
    keys = learners(place)
    assert {name: by_learner[keys[name]] for name in GOOD} == {name: ["ok"] * FOLDS for name in GOOD}
    assert {name: by_learner[keys[name]] for name in BAD} == {name: [BAD[name][0]] * FOLDS for name in BAD}
    assert all(len(tries) == 1 for tries in attempts(place.store).values())


def test_good_learners_do_not_notice(place: Place, tmp_path: Path) -> None:
    among_themselves = Place(tmp_path / "good", study_text(GOOD, folds=FOLDS, limits=LIMITS))
    summary = run_study(read_study(among_themselves.folder / "study.toml"), among_themselves.store)
    assert summary.failed == 0
    found = content(place.store)
    assert cells(among_themselves.store) == FOLDS * len(GOOD)
    for key, cell in content(among_themselves.store).items():
        assert found[key] == cell


def test_failures_are_grouped(place: Place) -> None:
    done = place.command("failures", "study.toml", "--json")
    assert done.code == 0
    groups = json.loads(done.out)["failures"]
    assert sorted(group["learner"] for group in groups) == sorted(BAD)
    for group in groups:
        status, message = BAD[group["learner"]]
        assert (group["status"], group["count"]) == (status, FOLDS)
        assert message in group["message"]
    shown = place.command("failures", "study.toml", "--full")
    assert f"{FOLDS * len(BAD)} cells failed, in {len(BAD)} groups." in shown.out
    assert f"{FOLDS} × Segfaults: crash" in shown.out
    assert 'raise ValueError("no convergence after 7 iterations")' in shown.out
    assert "bakeoff run study.toml --retry failed" in shown.out


def test_status_counts_them(place: Place) -> None:
    done = place.command("status", "study.toml")
    assert f"{FOLDS * len(GOOD)} of {FOLDS * (len(GOOD) + len(BAD))} cells are done" in done.out
    assert f"{FOLDS * len(BAD)} failed, 0 are left." in done.out
    assert "1 run; the last one: finished" in done.out


def test_retry_tries_the_failed_ones_and_no_others(place: Place) -> None:
    again = place.command("run", "study.toml", "--quiet")
    assert again.code == 4, "nothing is left to run, and the failures are still there"
    assert max(map(len, attempts(place.store).values())) == 1
    before = content(place.store)
    (place.folder / "cure").touch()
    done = place.run("-j", "2", "--retry", "failed")
    assert done.code == 4
    assert f"{FOLDS * len(BAD) - FOLDS} of" in done.err
    after, tries = content(place.store), attempts(place.store)
    curable = learners(place)["curable"]
    for key, cell in before.items():
        if cell.learner == curable:
            assert (after[key].status, tries[key]) == ("ok", ["error", "ok"])
            assert after[key].prediction is not None
        else:
            assert after[key] == cell
            assert tries[key] == [cell.status] * (1 if cell.status == "ok" else 2)


def test_judging_with_failures_asks_for_a_policy(tmp_path: Path) -> None:
    learners = {"steady": odd("GlobalNumpy"), "at times": odd("FailsAtTimes"), "other": odd("GlobalPython")}
    place = Place(tmp_path / "study", study_text(learners, folds=10))
    assert place.run_here("-j", "2").code == 4
    failed = [tries for tries in attempts(place.store).values() if tries != ["ok"]]
    assert 1 <= len(failed) <= 5, "else the seed of the study is not one to test with"
    refused = place.command("judge", "study.toml")
    assert refused.code == 3
    assert "at times" in refused.err
    assert "--missing" in refused.err
    assert "drop-block" in refused.err
    assert "worst" in refused.err
    for policy in ("drop-block", "worst"):
        judged = place.command("judge", "study.toml", "--missing", policy)
        assert (judged.code, judged.err) == (0, "")
        assert "EXPLORATORY" in judged.out


def test_what_a_learner_says_does_not_command_the_terminal_and_what_it_lets_loose_ends(tmp_path: Path) -> None:
    note = tmp_path / "loose"
    learners = {"\\u001b[31mpaints": hostile("Paints"), "loose": odd_note("LeavesADaemon", note)}
    place = Place(tmp_path / "study", study_text(learners, folds=2))
    done = place.run()
    assert done.code == 4
    said = [done.out, done.err]
    for command in (("failures", "study.toml", "--full"), ("status", "study.toml"), ("plan", "study.toml")):
        told = place.command(*command)
        said += [told.out, told.err]
    assert not any("\x1b" in text or "\u202e" in text for text in said)
    assert r"\x1b[2Jall is well\u202e" in "".join(said)
    assert r"\x1b[31mpaints" in "".join(said)
    assert note.read_text()
    assert place.processes() == {}, "it had left its group and its parent"


def odd_note(name: str, note: Path) -> str:
    return f'{hostile(name)}\nparameters = {{ note = "{note}" }}'
