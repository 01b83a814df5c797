from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
import tempfile
import tomllib
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from proofs import is_running, until
from sklearn.datasets import load_iris
from sklearn.neighbors import NearestCentroid

from bakeoff.errors import UsageError
from bakeoff.learners.commands import CommandError, check_command, read_answer, write_rows
from bakeoff.learners.fit import fit_and_predict
from bakeoff.learners.learner import DataInfo, FitResult, InvalidPrediction, Learner
from bakeoff.learners.make import make

EXAMPLES = Path(__file__).parents[2] / "examples"
needs_perl = pytest.mark.skipif(
    shutil.which("perl") is None and "CI" not in os.environ, reason="the example is written in Perl"
)
FILES = ("{train}", "{test}", "{output}")
TWO = DataInfo("t", "classification", 4, ("a",), classes=("no", "yes"))
X = np.array([[1.0], [2.0], [8.0], [9.0]])
Y = np.array(["no", "no", "yes", "yes"])


@pytest.fixture(autouse=True)
def scratch(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Where temporary files go in these tests; nothing may be left there."""
    folder = tmp_path / "scratch"
    folder.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(folder))
    return folder


def python(code: str, *more: str) -> Learner:
    """A learner that is a Python program; train, test and output are its first arguments."""
    start = "import sys; train, test, output, *more = sys.argv[1:]\n"
    return Learner("p", command=(sys.executable, "-c", start + code, *FILES, *more))


def run(learner: Learner, facts: DataInfo = TWO, seed: int = 1, labels: Any = Y) -> FitResult:
    return fit_and_predict(make(learner, facts, seed), X, labels, X[:2], facts)


ANSWER = "open(output, 'w').write('prediction\\nno\\nyes\\n')"


@needs_perl
def test_perl_learns_as_scikit_learn_does() -> None:
    study = tomllib.loads((EXAMPLES / "command-study.toml").read_text(encoding="utf-8"))
    described = next(learner for learner in study["learner"] if "command" in learner)
    learner = Learner(described["name"], command=tuple(described["command"]), folder=str(EXAMPLES))
    assert check_command(learner.command, learner.folder, "learner") == ()
    flowers = load_iris()
    y = flowers.target_names[flowers.target]
    train, test = np.arange(0, 150, 2), np.arange(1, 150, 2)
    facts = DataInfo("iris", "classification", 150, ("a", "b", "c", "d"), classes=tuple(flowers.target_names))
    found = fit_and_predict(make(learner, facts, 1), flowers.data[train], y[train], flowers.data[test], facts)
    expected = NearestCentroid().fit(flowers.data[train], y[train]).predict(flowers.data[test])
    assert (np.array(facts.classes)[found.prediction.values] == expected).all()
    assert found.prediction.probabilistic
    assert found.prediction.scores is not None
    assert (found.prediction.scores.argmax(axis=1) == found.prediction.values).all()


@needs_perl
def test_the_example_takes_missing_values_and_labels_that_are_numbers() -> None:
    learner = Learner("perl", command=("perl", "nearest_mean.pl", *FILES), folder=str(EXAMPLES))
    facts = DataInfo("t", "classification", 4, ("a", "b"), missing=("b",), classes=(1, 0))
    table = np.array([[1.0, np.nan], [2.0, 0.0], [8.0, 5.0], [9.0, np.nan]])
    found = fit_and_predict(make(learner, facts, 1), table, np.array([0, 0, 1, 1]), table, facts).prediction
    assert found.values.tolist() == [1, 1, 0, 0]


def test_what_a_command_is_told() -> None:
    code = (
        "assert open(train).read() == 'a,target\\n1.0,no\\n2.0,no\\n8.0,yes\\n9.0,yes\\n'\n"
        "assert open(test).read() == 'a\\n1.0\\n2.0\\n'\n"
        "assert more == ['seed=77', 't/classification'], more\n" + ANSWER
    )
    fitted = run(python(code, "seed={seed}", "{task}/{kind}"), seed=77)
    assert fitted.prediction.values.tolist() == [0, 1]
    assert fitted.estimator is None
    assert set(fitted.timings.resources()) == {"fit_time", "fit_cpu"}
    assert fitted.timings.fit_wall > 0
    assert fitted.timings.fit_cpu > 0


def test_a_density_has_no_target() -> None:
    facts = DataInfo("t", "density", 4, ("a",))
    code = "assert open(train).readline() == 'a\\n'; open(output, 'w').write('prediction\\n-1\\n-inf\\n')"
    assert run(python(code), facts, labels=None).prediction.values.tolist() == [-1, -np.inf]


def test_it_runs_in_the_folder_of_the_study(tmp_path: Path) -> None:
    (tmp_path / "learn.py").write_text("import sys; open(sys.argv[3], 'w').write('prediction\\nno\\nno\\n')")
    learner = Learner("p", command=(sys.executable, "learn.py", *FILES), folder=str(tmp_path))
    assert run(learner).prediction.values.tolist() == [0, 0]


@pytest.mark.parametrize(
    ("code", "says"),
    [
        (
            "sys.exit('a reason\\nthe last line')",
            "left with exit code 1. The end of its standard error: a reason\nthe last",
        ),
        ("print('only printed'); sys.exit(3)", "exit code 3. The end of its standard output: only printed"),
        ("sys.exit(4)", "exit code 4. It printed nothing."),
        ("import os, signal; os.kill(os.getpid(), signal.SIGSEGV)", "ended by the signal SIGSEGV"),
        ("sys.exit('\\x1b[31mred' + 100000 * 'x' + '\\nend')", "x\nend"),
    ],
)
def test_commands_that_fail(code: str, says: str, scratch: Path) -> None:
    with pytest.raises(CommandError) as caught:
        run(python(code))
    assert says in str(caught.value)
    assert "\x1b" not in str(caught.value)
    assert len(str(caught.value)) < 800
    assert not list(scratch.iterdir())


@pytest.mark.parametrize(
    ("code", "says"),
    [
        ("print('hm', file=sys.stderr)", "wrote no output file. The end of its standard error: hm"),
        ("open(output, 'w').write('prediction\\nno\\n')", "the output has 1 rows. It printed nothing."),
        ("open(output, 'w').write('prediction\\nno\\nperhaps\\n')", "no class of the data: 'perhaps'"),
    ],
)
def test_answers_that_are_invalid(code: str, says: str, scratch: Path) -> None:
    with pytest.raises(InvalidPrediction) as caught:
        run(python(code))
    assert says in str(caught.value)
    assert not list(scratch.iterdir())


def test_nothing_is_left_behind(scratch: Path) -> None:
    run(python(ANSWER))
    assert not list(scratch.iterdir())


def test_a_program_that_prints_much_does_not_hang() -> None:
    assert len(run(python(f"print('x' * 1000000); {ANSWER}")).prediction.values) == 2


def test_it_waits_for_no_input() -> None:
    assert len(run(python(f"assert sys.stdin.read() == ''; {ANSWER}")).prediction.values) == 2


def test_no_shell_reads_it(tmp_path: Path) -> None:
    run(python(ANSWER, f"; touch {tmp_path}/made", f"$(touch {tmp_path}/made)"))
    assert not (tmp_path / "made").exists()


@pytest.mark.parametrize("program", ["surely-not-there-9", "./surely-not-there-9", "nul\0"])
def test_a_program_that_is_not_there(program: str, scratch: Path) -> None:
    with pytest.raises(CommandError, match="could not be started"):
        run(Learner("p", command=(program, *FILES)))
    assert not list(scratch.iterdir())


HANGS = "open({!r}, 'w').write(str(__import__('os').getpid())); __import__('time').sleep(600)"


def pid_from(path: Path) -> int:
    return int(until(lambda: path.exists() and path.read_text(), "the command to start"))


@pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="looks for processes in /proc")
def test_an_interruption_ends_the_command(tmp_path: Path, scratch: Path) -> None:
    class Interrupted(Exception):  # noqa: N818
        pass

    def interrupt(*_: object) -> None:
        raise Interrupted

    before = signal.signal(signal.SIGUSR1, interrupt)
    code = f"import os, signal, time; open({str(tmp_path / 'pid')!r}, 'w').write(str(os.getpid()))\n"
    code += "os.kill(os.getppid(), signal.SIGUSR1); time.sleep(600)"
    try:
        with pytest.raises(Interrupted):
            run(python(code))
    finally:
        signal.signal(signal.SIGUSR1, before)
    pid = pid_from(tmp_path / "pid")
    until(lambda: not is_running(pid), "the end of the command")
    assert not list(scratch.iterdir())


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="only Linux ends a child with its parent")
def test_a_worker_that_is_killed_takes_the_command_with_it(tmp_path: Path) -> None:
    hangs = HANGS.format(str(tmp_path / "pid"))
    code = (
        "import numpy as np, sys\n"
        "from bakeoff.learners.commands import CommandLearner\n"
        "from bakeoff.learners.learner import DataInfo\n"
        f"command = (sys.executable, '-c', {hangs!r}, '{{train}}', '{{test}}', '{{output}}')\n"
        "facts = DataInfo('t', 'regression', 1, ('a',))\n"
        "CommandLearner('p', command, '', facts, 1).learn_and_predict(np.ones((1, 1)), np.ones(1), np.ones((1, 1)))\n"
    )
    worker = subprocess.Popen([sys.executable, "-c", code], env={**os.environ, "TMPDIR": str(tmp_path)})
    try:
        pid = pid_from(tmp_path / "pid")
    finally:
        worker.kill()
        worker.wait()
    until(lambda: not is_running(pid), "the end of the command")


@pytest.mark.parametrize(
    ("command", "says"),
    [
        ("perl x.pl", "Expected is a list of texts"),
        ([], "Expected is a list of texts"),
        (["perl", 3], "Expected is a list of texts"),
        (["perl", "{train}", "{test}"], "the command lacks {output}"),
        (["perl"], "lacks {train} and {test} and {output}"),
        (["perl", *FILES, "{sed}"], "'{sed}'. Did you mean 'seed'?"),
        (["perl", *FILES, "{}"], "the placeholder '{}'"),
    ],
)
def test_commands_that_cannot_be(command: Any, says: str) -> None:
    with pytest.raises(UsageError) as caught:
        check_command(command, "", "learner 'p'")
    assert says in str(caught.value)
    assert str(caught.value).startswith("learner 'p': ")


def test_a_program_that_is_missing_here_is_a_warning_only(tmp_path: Path) -> None:
    (warning,) = check_command(["surely-not-there-9", *FILES], "", "learner 'p'")
    assert "'surely-not-there-9' is not found" in warning
    program = tmp_path / "learn"
    program.write_text("#!/bin/sh\n")
    assert check_command(["./learn", *FILES], str(tmp_path), "learner 'p'")
    program.chmod(0o700)
    assert not check_command(["./learn", *FILES], str(tmp_path), "learner 'p'")
    assert not check_command(["part={train}", *FILES[1:]], "", "x")[1:]


def test_an_argument_may_hold_a_placeholder() -> None:
    made = make(Learner("p", command=("x", "--data={train}:{test}", "{output}")), TWO, 5)
    assert made.arguments({"train": "T", "test": "U", "output": "{seed}"}) == ["x", "--data=T:U", "{seed}"]


# ----------------------------------------------------------------------------------------------------------------------
# Exchange


TWO_EXCHANGE = DataInfo("t", "classification", 9, ("a",), classes=("no", "yes"))
THREE = DataInfo("t", "classification", 9, ("a",), classes=("c", "a", "b"))
REGRESSION = DataInfo("t", "regression", 9, ("a",))
DENSITY = DataInfo("t", "density", 9, ("a",))


def read(tmp_path: Path, text: str, facts: DataInfo, n: int) -> Any:
    (tmp_path / "output.csv").write_text(text, encoding="utf-8")
    return read_answer(str(tmp_path / "output.csv"), facts, n)


def refusal(tmp_path: Path, text: str, facts: DataInfo, n: int) -> str:
    with pytest.raises(InvalidPrediction) as caught:
        read(tmp_path, text, facts, n)
    return str(caught.value)


def test_numbers_are_written_to_the_last_digit(tmp_path: Path) -> None:
    path = tmp_path / "train.csv"
    X = np.array([[0.1 + 0.2, np.nan], [1e-300, -5.0]])
    write_rows(str(path), ("a", 'b "x", y'), X, "class", np.array(["no", "yes"]))
    assert path.read_bytes() == b'a,"b ""x"", y",class\n0.30000000000000004,,no\n1e-300,-5.0,yes\n'


def test_frames_with_categories_and_gaps(tmp_path: Path) -> None:
    path = tmp_path / "test.csv"
    frame = pd.DataFrame(
        {
            "t": ["x,1", None],
            "c": pd.Categorical(["u", None]),
            "b": pd.array([True, None], dtype="boolean"),
            "i": [1, 2],
            "f": [0.5, np.nan],
        }
    )
    write_rows(str(path), tuple(frame.columns), frame)
    assert path.read_text() == 't,c,b,i,f\n"x,1",u,True,1,0.5\n,,,2,\n'


def test_labels_alone(tmp_path: Path) -> None:
    found = read(tmp_path, "prediction\nyes\nno\n", TWO_EXCHANGE, 2)
    assert found.values.tolist() == [1, 0]
    assert found.values.dtype == np.int64
    assert found.scores is None
    assert not found.probabilistic


def test_probabilities_by_name(tmp_path: Path) -> None:
    found = read(tmp_path, "yes,prediction,no,remark\n0.8,yes,0.2,x\n0.1,no,0.9,y\n", TWO_EXCHANGE, 2)
    assert found.scores.tolist() == [0.8, 0.1]
    assert found.probabilistic
    three = read(tmp_path, "prediction,a,b,c\na,0.5,0.2,0.3\n", THREE, 1)
    assert three.scores.tolist() == [[0.3, 0.5, 0.2]]
    assert three.values.tolist() == [1]


@pytest.mark.parametrize(
    ("classes", "text", "codes"),
    [
        ((0, 1), "prediction\n1\n0.0\n", [1, 0]),
        ((0.0, 1.0), "prediction\n1\n0\n", [1, 0]),
        ((False, True), "prediction\nTRUE\nfalse\n", [1, 0]),
        (("ü", "ß"), "\ufeffprediction\r\n ß\r\nü \r\n", [1, 0]),
        ((1.5, 2.5), "prediction\n2.5\n1.5\n", [1, 0]),
    ],
)
def test_labels_as_programs_write_them(tmp_path: Path, classes: tuple[Any, ...], text: str, codes: list[int]) -> None:
    facts = DataInfo("t", "classification", 9, ("a",), classes=classes)
    assert read(tmp_path, text, facts, 2).values.tolist() == codes


def test_numbers_and_densities(tmp_path: Path) -> None:
    assert read(tmp_path, '"prediction"\n1e3\n-2\n', REGRESSION, 2).values.tolist() == [1000, -2]
    assert read(tmp_path, "prediction\n-inf\n-2\n", DENSITY, 2).values.tolist() == [-np.inf, -2]


@pytest.mark.parametrize(
    ("text", "facts", "says"),
    [
        ("", TWO_EXCHANGE, "the output file is empty"),
        ("predicted\nyes\nno\n", TWO_EXCHANGE, "has no column 'prediction'. Its columns are 'predicted'"),
        (
            "prediction\nyes\n",
            TWO_EXCHANGE,
            "expected were 2 predictions, one for each test row; the output has 1 rows",
        ),
        ("prediction\nyes\nno\nno\n", TWO_EXCHANGE, "the output has 3 rows"),
        (
            "prediction\nyes\nmaybe\n",
            TWO_EXCHANGE,
            "1 of 2 predictions are no class of the data: 'maybe'. The classes are no and",
        ),
        ("prediction,yes\nyes,1\nno,0\n", TWO_EXCHANGE, "none for the class no"),
        ("prediction,no,yes\nyes,.5\nno,.5,.5\n", TWO_EXCHANGE, "row 1 of the output has 2 cells; the header has 3"),
        ("prediction,no,yes\nyes,.5,x\nno,.5,.5\n", TWO_EXCHANGE, "column 'yes' of the output has 'x' in row 1"),
        ("prediction,no,yes\nyes,.5,.5\nno,-.5,1.5\n", TWO_EXCHANGE, "negative or do not add up to one"),
        ("prediction\n1\nabc\n", REGRESSION, "column 'prediction' of the output has 'abc' in row 2; a number is"),
        ("prediction\n1\nNA\n", REGRESSION, "'NA' in row 2"),
        ("prediction\n1\nnan\n", REGRESSION, "'nan' in row 2"),
        ("prediction\n1\n-inf\n", REGRESSION, "'-inf' in row 2"),
        ("prediction\n1\ninf\n", DENSITY, "'inf' in row 2"),
    ],
)
def test_answers_that_are_none(tmp_path: Path, text: str, facts: DataInfo, says: str) -> None:
    assert says in refusal(tmp_path, text, facts, 2)


def test_no_file_a_folder_and_no_text(tmp_path: Path) -> None:
    with pytest.raises(InvalidPrediction, match="wrote no output file"):
        read_answer(str(tmp_path / "absent.csv"), TWO_EXCHANGE, 2)
    with pytest.raises(InvalidPrediction, match="no CSV file"):
        read_answer(str(tmp_path), TWO_EXCHANGE, 2)
    (tmp_path / "binary.csv").write_bytes(b"prediction\n\xff\xfe\n")
    with pytest.raises(InvalidPrediction, match="UTF-8"):
        read_answer(str(tmp_path / "binary.csv"), TWO_EXCHANGE, 1)


def test_what_is_written_is_read_again(tmp_path: Path) -> None:
    y = np.array([0.1, 1 / 3, -2e-17])
    write_rows(str(tmp_path / "output.csv"), (), np.empty((3, 0)), "prediction", y)
    assert (read_answer(str(tmp_path / "output.csv"), REGRESSION, 3).values == y).all()
