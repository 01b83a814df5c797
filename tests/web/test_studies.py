"""Studies on the page: what is asked of them, files that are edited meanwhile, and runs that end in other ways."""

from __future__ import annotations

import json
import shutil
import socket
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from time import sleep
from typing import Any

import pytest
from proofs import until
from serving import KEPT, Served, serving

from bakeoff.cli import main
from bakeoff.errors import UsageError
from bakeoff.web.safety import TOKEN_HEADER, Rules
from bakeoff.web.workspace import Workspace

PLAIN = """
question = "Is <b>one</b> neighbour enough?"
measures = ["error", "auc"]
resampling = { scheme = "cross-validation", folds = 3 }
task = [{ data = "sonar" }, { data = "heart" }, { data = "ionosphere" }]
[[learner]]
name = "bayes"
path = "naive-bayes"
[[learner]]
name = "lda"
path = "lda"
"""
DESIGN = """
measures = ["error"]
task = [{ data = "sonar" }]
resampling = { scheme = "cross-validation", folds = 5 }
design = { kind = "factorial" }
learner = [{ name = "knn", path = "sklearn.neighbors.KNeighborsClassifier" }]
[factors]
n_neighbors = [1, 15, 75]
weights = ["uniform", "distance"]
"""
RACE = """
margin = 0.01
measures = ["error"]
resampling = { scheme = "simulation", repeats = 40 }
task = [{ generator = "twonorm", n = 40, m = 200, test = "fresh" }]
learner = [{ name = "bayes", path = "naive-bayes" }, { name = "majority", path = "majority" }]
"""
SLOWLY = """
import pathlib, time
from sklearn.dummy import DummyClassifier
class Slow(DummyClassifier):
    "The first fits at once; all others wait until they are told."
    def fit(self, X, y):
        here = pathlib.Path(__file__).parent
        try:
            (here / "first").touch(exist_ok=False)
        except FileExistsError:
            for _ in range(1200):
                if (here / "quickly").exists():
                    break
                time.sleep(0.1)
        return super().fit(X, y)
class Failing(DummyClassifier):
    def fit(self, X, y):
        if not (pathlib.Path(__file__).parent / "mended").exists():
            raise ValueError("not yet")
        return super().fit(X, y)
"""


def run(path: Path, *more: str) -> None:
    main(["run", str(path), "--quiet", *more])


@pytest.fixture(scope="module")
def there(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    folder = tmp_path_factory.mktemp("studies")
    for name, text in (("plain", PLAIN), ("grid", DESIGN), ("race", RACE)):
        (folder / f"{name}.toml").write_text(text)
        run(folder / f"{name}.toml", *(["--until-decided"] if name == "race" else []))
    named = [str(folder / f"{name}.toml") for name in ("plain", "grid", "race")]
    with serving(Workspace(str(folder), studies=named), Rules()) as served:
        yield served


def of(there: Served, name: str) -> str:
    return f"of=study:{next(each.id for each in there.space.studies() if each.name == name)}"


def state_of(there: Served, name: str) -> dict[str, Any]:
    return dict(next(each for each in there.get("/api/v1/studies").json() if each["name"] == name))


@pytest.mark.parametrize("first", ["", "&level=instances"])
def test_the_level_of_one_question_is_not_that_of_the_next(there: Served, first: str) -> None:
    there.get(f"/explore?{of(there, 'plain')}&kind=items{first}")
    folds = there.get(f"/api/v1/reading?{of(there, 'plain')}").json()["alignment"]
    assert (folds["n_folds"], folds["n_instances"]) == (3, 0)
    rows = there.get(f"/api/v1/reading?{of(there, 'plain')}&level=instances")
    assert rows.status_code == 422  # and not the folds again
    assert "was split 3 times" in rows.json()["error"]
    items = there.get(f"/explore?{of(there, 'plain')}&kind=items").text
    assert "do not tell how the learners did on single items" in items


def test_a_study_says_its_question_and_the_way_to_its_verdict(there: Served) -> None:
    plain = of(there, "plain")
    page = there.get(f"/study/{plain.partition(':')[2]}").text
    assert "Is &lt;b&gt;one&lt;/b&gt; neighbour enough?" in page
    assert f'href="/decide?{plain}">See what may be claimed' in page
    assert "Is &lt;b&gt;one&lt;/b&gt; neighbour enough?" in there.get("/").text


def test_curves_ask_for_one_task_and_then_show_it(there: Served) -> None:
    page = there.get(f"/explore?{of(there, 'plain')}&kind=roc").text
    assert "one task at a time" in page
    assert "task=heart" in page
    shown = there.get(f"/explore?{of(there, 'plain')}&kind=roc&task=heart").text
    assert "/figure/roc.svg" in shown
    assert 'name="measure"' in shown  # another measure can be chosen here, too


def test_the_report_of_a_study_is_that_of_the_command_line(there: Served, tmp_path: Path) -> None:
    page = there.get(f"/download/report.html?{of(there, 'plain')}").text
    for told in ("The data.", "The learners.", "How to reproduce it", "seconds a cell"):
        assert told in page


def test_a_design_is_judged_by_its_factors_as_on_the_command_line(
    there: Served, capsys: pytest.CaptureFixture[str]
) -> None:
    grid = of(there, "grid")
    page = there.get(f"/decide?{grid}").text
    assert "Verdict on the factors" in page
    assert "Planned in study" in page
    assert "n_neighbors × weights" in page
    assert "/figure/interaction.svg" in page
    found = there.get(f"/api/v1/design?{grid}").json()
    assert [each["name"] for each in found["effects"]][:2] == ["n_neighbors", "weights"]
    capsys.readouterr()
    assert main(["judge", str(there.space.folder) + "/grid.toml", "--json"]) == 0
    assert f'"p_adjusted": {found["effects"][0]["p_adjusted"]}' in capsys.readouterr().out
    assert there.get(f"/figure/interaction.svg?{grid}").content.startswith(b"<?xml")
    for name in ("report.html", "design.txt", "design.json", "effects.csv"):
        answer = there.get(f"/download/{name}?{grid}")
        assert answer.status_code == 200, answer.text
        assert "n_neighbors" in answer.text
        assert "exploratory" not in answer.headers["content-disposition"]
    pairs = there.get(f"/decide?{grid}&pairs=yes").text
    assert "Pair by pair" in pairs
    assert "Back to the factors" in pairs
    changed = there.get(f"/decide?{grid}&alpha=0.2").text
    assert "<strong>Exploratory.</strong>" in changed
    answer = there.get(f"/download/design.txt?{grid}&alpha=0.2")
    assert 'filename="exploratory-design.txt"' in answer.headers["content-disposition"]
    assert there.get(f"/download/design.json?{of(there, 'plain')}").status_code == 400
    assert there.get(f"/figure/interaction.svg?{of(there, 'plain')}").status_code == 422


def test_a_run_that_was_stopped_when_it_was_decided_is_judged_as_one(there: Served) -> None:
    race = of(there, "race")
    now = state_of(there, "race")
    assert now["left"] > 0
    assert now["state"] == "decided"
    page = there.get(f"/decide?{race}").text
    assert "confidence sequences" in page
    assert "bayes is the best in error" in page
    assert "The run is not finished" not in page
    assert "bayes is the best in error" in there.get(f"/download/race.txt?{race}").text
    assert there.get(f"/download/race.json?{race}").json()["dropped"]
    assert there.get(f"/download/race.json?{of(there, 'plain')}").status_code == 400


def test_a_file_that_was_spoiled_since_says_so_and_hides_nothing_else(tmp_path: Path) -> None:
    for name in ("one", "two"):
        (tmp_path / f"{name}.toml").write_text(PLAIN)
    named = [str(tmp_path / f"{name}.toml") for name in ("one", "two")]
    with serving(Workspace(str(tmp_path), studies=named), Rules()) as it:
        one = it.space.studies()[0]
        (tmp_path / "one.toml").write_text("task = [")
        until(lambda: state_of(it, "one")["state"] == "not readable", "word of the spoiled file")
        home = it.get("/")
        assert home.status_code == 200
        assert "two" in home.text
        page = it.get(f"/study/{one.id}").text
        assert "one.toml" in page
        assert 'id="start" disabled' in page
        token = {TOKEN_HEADER: it.rules.form}
        refused = it.client.post(f"/api/v1/studies/{one.id}/start", headers=token)
        assert refused.status_code == 400
        assert str(tmp_path) not in refused.text + page
        (tmp_path / "one.toml").unlink()
        sleep(1.5)
        assert it.get("/").status_code == 200
        (tmp_path / "one.toml").write_text(PLAIN)
        until(lambda: state_of(it, "one")["state"] == "not started", "word of the mended file")


def test_a_file_that_is_edited_meanwhile_is_another_version_when_the_run_is_over(tmp_path: Path) -> None:
    (tmp_path / "slowly.py").write_text(SLOWLY)
    file = tmp_path / "slow.toml"
    text = PLAIN.partition("[[learner]]")[0]
    file.write_text(f'{text}learner = [{{ name = "slow", path = "slowly.Slow" }}]\n')
    with serving(Workspace(str(tmp_path), studies=[str(file)]), Rules()) as it:
        (study,) = it.space.studies()
        token = {TOKEN_HEADER: it.rules.form}
        for _ in range(2):  # a second click changes nothing
            assert it.client.post(f"/api/v1/studies/{study.id}/start", headers=token).status_code == 200
        until(lambda: state_of(it, "slow")["ok"] >= 1, "the first cell")
        file.write_text(f'{text}learner = [{{ name = "other", path = "majority" }}]\n')
        sleep(1.5)
        now = it.get(f"/api/v1/studies/{study.id}").json()
        assert (now["state"], now["learners"], now["cells"]) == ("running", ["slow"], 9)
        (tmp_path / "quickly").touch()
        until(lambda: it.get(f"/api/v1/studies/{study.id}").json()["state"] == "not started", "the other version")
        assert it.get(f"/api/v1/studies/{study.id}").json()["learners"] == ["other"]
        older = [each for each in it.get("/api/v1/studies").json() if each["id"] != study.id]
        assert [(each["state"], each["ok"]) for each in older] == [("finished", 9)]


def test_what_failed_is_tried_again(tmp_path: Path) -> None:
    (tmp_path / "slowly.py").write_text(SLOWLY)
    file = tmp_path / "failing.toml"
    text = PLAIN.partition("[[learner]]")[0]
    learners = 'learner = [{ name = "fails", path = "slowly.Failing" }, { name = "majority", path = "majority" }]\n'
    file.write_text(text + learners)
    run(file)
    with serving(Workspace(str(tmp_path), studies=[str(file)]), Rules()) as it:
        (study,) = it.space.studies()

        def now_of(what: str) -> Any:
            return state_of(it, "failing")[what]

        assert (now_of("state"), now_of("failed")) == ("finished", 9)
        assert "Try the failed ones again" in it.get(f"/study/{study.id}").text
        (tmp_path / "mended").touch()
        answer = it.client.post(f"/study/{study.id}/start?form={it.rules.form}&again=failed")
        assert answer.status_code == 303
        until(lambda: now_of("failed") == 0 and now_of("state") == "finished", "the end of the second run")


def slow_study(folder: Path) -> Path:
    (folder / "slowly.py").write_text(SLOWLY)
    file = folder / "slow.toml"
    file.write_text(PLAIN.partition("[[learner]]")[0] + 'learner = [{ name = "slow", path = "slowly.Slow" }]\n')
    return file


def test_a_run_of_a_server_that_is_gone_is_stopped_from_the_next(tmp_path: Path) -> None:
    file = slow_study(tmp_path)
    before = Workspace(str(tmp_path), studies=[str(file)])
    (study,) = before.studies()
    before.start(study)
    try:
        with serving(Workspace(str(tmp_path), studies=[str(file)]), Rules()) as it:
            until(lambda: state_of(it, "slow")["ok"] >= 1, "the first cell")
            now = state_of(it, "slow")
            assert (now["state"], now["elsewhere"], now["may_stop"]) == ("running", True, True)
            answer = it.client.post(f"/api/v1/studies/{study.id}/stop", headers={TOKEN_HEADER: it.rules.form})
            assert answer.status_code == 200, answer.text
            until(lambda: state_of(it, "slow")["state"] == "stopped", "the end of the run")
            assert not state_of(it, "slow")["may_stop"]
            assert state_of(it, "slow")["ok"] >= 1
    finally:
        before.close()


def test_nothing_but_a_run_of_this_very_study_is_stopped(tmp_path: Path) -> None:
    """The lock file has a number: of a notebook, of another study in the same store, or of what came after it."""
    file = slow_study(tmp_path)
    store = file.with_suffix(".sqlite")
    space = Workspace(str(tmp_path), studies=[str(file)])
    sleeper = "import sys, time; time.sleep(600)"
    try:
        for words, host in (
            (["run", str(file)], socket.gethostname()),  # no bakeoff
            (["bakeoff", "run", str(tmp_path / "other.toml")], socket.gethostname()),
            (["bakeoff", "judge", str(file)], socket.gethostname()),
            (["bakeoff", "run", str(file)], "elsewhere.example"),
        ):
            process = subprocess.Popen([sys.executable, "-c", sleeper, *words])
            lock = {"pid": process.pid, "host": host, "started": "2026-01-01 00:00:00 UTC"}
            store.with_name("slow.sqlite.lock").write_text(json.dumps(lock))
            (study,) = space.studies()
            with pytest.raises(UsageError, match="No run of this study"):
                space.stop(study)
            assert process.poll() is None
            process.kill()
            process.wait()
    finally:
        space.close()


def test_a_study_is_run_into_the_store_that_is_served(tmp_path: Path) -> None:
    folder, kept = tmp_path / "study", tmp_path / "kept.sqlite"
    folder.mkdir()
    file = folder / "plain.toml"
    file.write_text(PLAIN)
    run(file, "--store", str(kept), "--only", "bayes")
    with serving(Workspace(str(kept), studies=[str(file)]), Rules()) as it:
        (study,) = it.space.studies()
        assert state_of(it, "plain")["left"] == 9
        assert it.client.post(f"/study/{study.id}/start?form={it.rules.form}").status_code == 303
        until(lambda: state_of(it, "plain")["state"] == "finished", "the end of the run")
    assert not file.with_suffix(".sqlite").exists()


def test_a_link_to_a_store_elsewhere_is_not_followed(tmp_path: Path) -> None:
    shutil.copy(KEPT / "folds.sqlite", tmp_path / "secret.sqlite")
    folder = tmp_path / "served"
    folder.mkdir()
    (folder / "link.sqlite").symlink_to(tmp_path / "secret.sqlite")
    (folder / "inside").mkdir()
    shutil.copy(KEPT / "folds.sqlite", folder / "inside")
    space = Workspace(str(folder))
    try:
        assert {each.where.partition(",")[0] for each in space.studies()} == {"inside/folds.sqlite"}
    finally:
        space.close()


def test_folders_are_compared_whole_and_lead_nowhere(tmp_path: Path) -> None:
    folder = tmp_path / "served"
    for learner in ("a", "b"):
        (folder / "runs" / learner).mkdir(parents=True)
        rows = "".join(f"t{i},0.{i + 11 + (i % 3) * (learner == 'b')}\n" for i in range(9))
        (folder / "runs" / learner / "scores.csv").write_text(f"task,accuracy\n{rows}")
    (tmp_path / "secret.csv").write_text("task,accuracy\nx,0.1\n")
    with serving(Workspace(str(folder)), Rules()) as it:
        home = it.get("/").text
        assert "/decide?of=folder:runs" in home
        told = it.get("/api/v1/reading?of=folder:runs").json()
        assert told["alignment"]["learners"] == ["a/scores", "b/scores"]
        for path in ("..", ".", "/etc", "runs/../..", "runs\0", "none", "%2e%2e"):
            assert it.get("/api/v1/reading", params={"of": f"folder:{path}"}).status_code == 400
        (folder / "runs" / "a" / "more.csv").symlink_to(tmp_path / "secret.csv")
        refused = it.get("/api/v1/reading?of=folder:runs")
        assert refused.status_code == 400
        assert "leads out of it" in refused.json()["error"]
        with pytest.raises(UsageError, match="no folder"):
            it.space.subfolder("")
