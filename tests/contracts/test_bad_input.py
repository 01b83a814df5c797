"""Bad input of every kind that users bring gets a sentence, from the command line and from Python alike."""

from __future__ import annotations

import re
import shlex
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from bakeoff import analyse, read_scores
from bakeoff.cli import main
from bakeoff.errors import BakeoffError
from bakeoff.inference.adjustments import rejected
from bakeoff.mathematics.proportions import proportion_interval
from bakeoff.procedures import (
    mcnemar,
    one_mean,
    permutations,
    procedure_named,
    rates,
    wilcoxon,
)
from bakeoff.scores import Scores

FOLDS = "fold,tree,forest,lda\n1,.21,.22,.25\n2,.18,.17,.20\n3,.20,.24,.21\n4,.19,.20,.26\n"
TWO = "fold,tree,forest\n1,.21,.22\n2,.18,.17\n3,.20,.24\n"
TASKS = FOLDS.replace("fold", "dataset", 1)
CONSTANT = "fold,tree,forest\n1,.1,.2\n2,.1,.2\n3,.1,.2\n"
SAME = "fold,tree,forest,lda\n1,.1,.1,.1\n2,.2,.2,.2\n3,.3,.3,.3\n"
RIGHT = "truth,tree,forest\ny,y,n\nn,n,n\ny,n,y\n"
RATES = "learner,error,n_test\ntree,{},{}\nforest,.25,5000\n"

# What is wrong, the file, the request on the command line, what the sentence says, and the exit code.
FROM_THE_COMMAND_LINE: list[tuple[str, str, str, str, int]] = [
    ("rows of different lengths", "fold,a,b\n1,.1,.2\n2,.2\n", "--with kfold-t", "3 fields were expected", 2),
    ("columns of different lengths", FOLDS.replace(".24", ""), "--with rm-anova", "1 of 12 cells .* have no value", 3),
    ("one observation", "fold,a,b\n1,.1,.2\n", "--with kfold-t", "at least 2 blocks, and there is 1", 3),
    ("one observation", "fold,a\n1,.1\n", "--with mean-t", "at least 2 blocks, and there is 1", 3),
    ("one observation", "dataset,a,b\nx,.1,.2\n", "--with wilcoxon", "at least 2 blocks, and there is 1", 3),
    ("zero variance", CONSTANT, "--with kfold-t", "its standard error is zero and t does not exist", 3),
    ("zero variance", CONSTANT, "--with corrected-t", "its standard error is zero and t does not exist", 3),
    ("zero variance", CONSTANT, "--with mean-t", "None of the 2 learners could be looked at", 3),
    ("zero variance", CONSTANT, "--with mean-t --learner tree", "0.1 in every one of 3 blocks", 3),
    ("a negative count", RATES.format(".15", "-30"), "--with two-proportions --unpaired", "A size above 0", 2),
    (
        "a rate above 1",
        RATES.format("1.5", "30"),
        "--with two-proportions --unpaired",
        "A rate lies between 0 and 1",
        2,
    ),
    (
        "a rate below 0",
        RATES.format("-.1", "30"),
        "--with two-proportions --unpaired",
        "A rate lies between 0 and 1",
        2,
    ),
    ("a rate above 1", RIGHT, "--with binomial --p0 1.5", "p0, .* lies strictly between 0 and 1; found 1.5", 2),
    ("no rate at all", RIGHT, "--with binomial", "needs a rate to test against", 2),
    ("α = 0", FOLDS, "--with rm-anova --alpha 0", "α, the error rate, lies strictly between 0 and 1; found 0.0", 2),
    ("α = 1", FOLDS, "--with rm-anova --alpha 1", "strictly between 0 and 1; found 1.0", 2),
    ("α below 0", FOLDS, "--with kfold-t --alpha -0.05", "strictly between 0 and 1; found -0.05", 2),
    ("α is NaN", FOLDS, "--with kfold-t --alpha nan", "strictly between 0 and 1; found nan", 2),
    ("α too small", FOLDS, "--with kfold-t --alpha 1e-300", "cannot be told from 0", 2),
    ("unknown learner", FOLDS, "--with rm-anova --contrast 'tree + forst vs lda'", "Did you mean 'forest'", 2),
    ("unknown learner", FOLDS, "--with rm-anova --contrast 'tre=1, lda=-1'", "Did you mean 'tree'", 2),
    ("unknown control", FOLDS, "--with rm-anova --control tre", "Did you mean 'tree'", 2),
    ("no learner", FOLDS, "--with rm-anova --contrast '+ vs tree'", "names no learner", 2),
    ("one side", FOLDS, "--with rm-anova --contrast 'tree + lda'", "Two sides were expected", 2),
    ("weights", FOLDS, "--with rm-anova --contrast 'tree=1, lda=-2'", "weights .* add up to zero; found -1", 2),
    ("weights", FOLDS, "--with rm-anova --contrast 'tree=x, lda=-1'", "the weight 'x': no number", 2),
    ("weights", FOLDS, "--with rm-anova --contrast 'tree=1, tree=-1'", "gives 'tree' two weights", 2),
    ("K = 1", FOLDS, "--with rm-anova --learner tree", "at least 2 learners, and there is 1", 3),
    ("K = 1", TASKS, "--with friedman --learner tree", "at least 2 learners, and there is 1", 3),
    ("K = 1", TWO, "--with kfold-t --learner tree", "at least 2 learners, and there is 1", 3),
    ("K = 2", TWO, "--with rm-anova", "made for three learners or more, and there are 2", 3),
    ("K = 2", TWO.replace("fold", "dataset", 1), "--with friedman", "three learners or more, and there are 2", 3),
    ("no number", FOLDS.replace(".24", "abc"), "--with rm-anova", "line 4, column 'forest': A number was expected", 2),
    ("NaN", FOLDS.replace(".24", "nan"), "--with rm-anova", "1 of 12 cells .* have no value for error:\n.*forest", 3),
    ("infinite", FOLDS.replace(".24", "inf"), "--with rm-anova", "is infinite", 2),
    ("one at a time", FOLDS, "--with mean-t --contrast 'tree vs lda'", "looks at one learner at a time", 2),
    ("one at a time", FOLDS, "--with mean-t --control tree", "looks at one learner at a time", 2),
]


@pytest.mark.parametrize(
    ("text", "request_", "sentence", "code"),
    [case[1:] for case in FROM_THE_COMMAND_LINE],
    ids=[f"{case[0]}: {case[2]}" for case in FROM_THE_COMMAND_LINE],
)
def test_from_the_command_line(
    text: str, request_: str, sentence: str, code: int, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path, answer = tmp_path / "scores.csv", tmp_path / "answer.txt"
    path.write_text(text)
    measure = [] if "truth" in text or "learner" in text else ["--measure", "error"]
    asked = ["analyse", str(path), *measure, *shlex.split(request_), "--output", str(answer)]
    assert main(asked) == code
    shown = capsys.readouterr()
    assert shown.err.startswith("bakeoff: ")
    assert re.search(sentence, shown.err)
    assert "Traceback" not in shown.err
    assert shown.out == ""
    assert not answer.exists()


def test_p_values_from_the_command_line(capsys: pytest.CaptureFixture[str]) -> None:
    for wrong, sentence in ((["1.2"], "found 1.2"), (["-.1"], "found -0.1"), (["nan"], "missing (NaN)")):
        assert main(["adjust", *wrong]) == 2
        assert sentence in capsys.readouterr().err
    assert main(["adjust", ".01", "--alpha", "2"]) == 2
    assert "strictly between 0 and 1; found 2.0" in capsys.readouterr().err


@pytest.fixture
def folds(tmp_path: Path) -> Scores:
    path = tmp_path / "scores.csv"
    path.write_text(FOLDS)
    return read_scores(str(path), measure="error")


@pytest.mark.parametrize(
    ("request_", "sentence"),
    [
        ({"alpha": 0.0}, "strictly between 0 and 1; found 0.0"),
        ({"alpha": 1}, "strictly between 0 and 1; found 1"),
        ({"alpha": "0.05"}, "strictly between 0 and 1; found '0.05'"),
        ({"alpha": 1e-300}, "cannot be told from 0"),
        ({"contrast": "tree + forst vs lda"}, "Did you mean 'forest'"),
        ({"contrast": {"tre": 1, "lda": -1}}, "Did you mean 'tree'"),
        ({"contrast": {"tree": 1, "lda": -2}}, "add up to zero; found -1"),
        ({"contrast": {"tree": "1", "lda": -1}}, "a finite number was expected"),
        ({"contrast": {"tree": float("nan"), "lda": -1}}, "a finite number was expected"),
        ({"contrast": {}}, "add up to zero"),
        ({"contrast": 3}, "Contrasts are said in words"),
        ({"contrast": []}, "Contrasts are said in words"),
        ({"control": 3}, "no learner 3 to be the control"),
        ({"adjust": 3}, "There is no adjustment '3'"),
        ({"alternative": 3}, "There is no alternative 3"),
        ({"margin": "wide"}, "positive difference in the measure; found 'wide'"),
        ({"measure": 3}, "asked for by its name; found 3"),
    ],
)
def test_a_request_in_python(folds: Scores, request_: dict[str, Any], sentence: str) -> None:
    with pytest.raises(BakeoffError, match=sentence):
        analyse(folds, "rm-anova", **request_)


@pytest.mark.parametrize(
    ("procedure", "options", "sentence"),
    [
        ("binomial", {"p0": "half"}, "p0 of binomial must be a number; found 'half'"),
        ("binomial", {"p0": True}, "p0 of binomial must be a number; found True"),
        ("wilcoxon", {"correction": "no"}, "correction of wilcoxon must be True or False"),
        ("permutation", {"resamples": 1.5}, "resamples of permutation must be a whole number; found 1.5"),
        ("permutation", {"seed": "x"}, "seed of permutation must be a whole number; found 'x'"),
    ],
)
def test_options_of_the_wrong_kind(folds: Scores, procedure: str, options: dict[str, Any], sentence: str) -> None:
    with pytest.raises(BakeoffError, match=sentence):
        analyse(folds, procedure, **options)


NAN = float("nan")
COLUMN = [0.1, 0.3, 0.2, 0.4]
TABLE = [[0.1, 0.2, 0.3], [0.3, 0.1, 0.2], [0.2, 0.4, 0.1]]


@pytest.mark.parametrize(
    ("call", "sentence"),
    [
        (lambda: procedure_named("kfold-t").compute(COLUMN, COLUMN[:3]), "equally long.* found 4 and 3"),
        (lambda: wilcoxon.compute(COLUMN, COLUMN[:3]), "equally long.* found 4 and 3"),
        (lambda: mcnemar.compute([1, 0, 1], [1, 0]), "equally long.* found 3 and 2"),
        (lambda: permutations.paired_permutation(COLUMN, COLUMN[:3]), "equally long.* found 4 and 3"),
        (lambda: procedure_named("friedman").compute([[1, 2, 3], [1, 2]]), "rows of different lengths"),
        (lambda: one_mean.mean_t([0.1]), "at least two values; found 1"),
        (lambda: procedure_named("kfold-t").compute([0.1], [0.2]), "at least two"),
        (lambda: procedure_named("rm-anova").compute([[0.1, 0.2, 0.3]]), "at least 2 rows"),
        (lambda: one_mean.mean_t([0.1, 0.1, 0.1]), "standard error is zero"),
        (lambda: procedure_named("kfold-t").compute([0.1] * 3, [0.2] * 3), "standard error is zero"),
        (lambda: procedure_named("corrected-t").compute([0.1] * 3, [0.2] * 3, ratio=0.5), "standard error is zero"),
        (lambda: mcnemar.mcnemar_counts(5, -1, 2, 3), "a whole number that is not negative; found -1"),
        (lambda: rates.binomial_test(-1, 10, 0.5), "a whole number that is not negative; found -1"),
        (lambda: proportion_interval(-1, 10, confidence=0.95), "between 0 and n = 10; found x = -1"),
        (lambda: proportion_interval(11, 10, confidence=0.95), "between 0 and n = 10; found x = 11"),
        (lambda: rates.two_proportions(1.5, 30, 0.2, 50), "A rate lies between 0 and 1; the first is 1.5"),
        (lambda: rates.two_proportions(0.5, 30, -0.2, 50), "A rate lies between 0 and 1; the second is -0.2"),
        (lambda: rates.binomial_test(1, 10, 1.5), "strictly between 0 and 1; found 1.5"),
        (lambda: one_mean.mean_t(COLUMN, confidence=1.0), "strictly between 0 and 1; found 1.0"),
        (lambda: one_mean.mean_t(COLUMN, confidence="95 %"), "strictly between 0 and 1; found '95 %'"),  # type: ignore[arg-type]
        (lambda: procedure_named("friedman").compute([[1], [2]]), "2 columns; found the shape \\(2, 1\\)"),
        (lambda: procedure_named("rm-anova").compute([[1], [2]]), "2 columns; found the shape \\(2, 1\\)"),
        (lambda: procedure_named("closed-testing").compute([[1], [2]]), "2 columns; found the shape"),
        (lambda: procedure_named("anova").compute([COLUMN]), "At least two samples are needed"),
        (lambda: one_mean.mean_t([0.1, "x"]), "a column of numbers; found 'x'"),
        (lambda: procedure_named("friedman").compute([[1, "x", 2]]), "a table of numbers; found 'x'"),
        (lambda: wilcoxon.compute([0.1, NAN], [0.2, 0.3]), "'first' must be a finite number; found nan at position 2"),
        (
            lambda: procedure_named("rm-anova").compute([*TABLE, [NAN, 1, 2]]),
            "finite number; found nan in row 4, column 1",
        ),
        (lambda: rejected([0.1, 1.2]), "p-values lie between 0 and 1"),
        (lambda: rejected([0.1, NAN]), "missing"),
    ],
)
def test_plain_arrays_in_python(call: Callable[[], object], sentence: str) -> None:
    with pytest.raises(BakeoffError, match=sentence):
        call()


TIES = ["wilcoxon", "sign", "win-loss-tie", "friedman", "quade", "friedman-aligned-ranks", "skillings-mack"]
ALIKE = ["kfold-t", "corrected-t", "paired-permutation", "rm-anova", "aligned-tukey", "permutation", "closed-testing"]


@pytest.mark.parametrize("procedure", TIES + ALIKE)
def test_ties_everywhere_are_no_evidence(procedure: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    text = SAME.replace("fold", "dataset", 1) if procedure in TIES else SAME
    path = tmp_path / "scores.csv"
    path.write_text(text)
    found = analyse(read_scores(str(path), measure="error"), procedure)
    assert {row.p for row in found.rows} == {1.0}
    assert main(["analyse", str(path), "--measure", "error", "--with", procedure]) == 0
    assert "1.000" in capsys.readouterr().out
    assert main(["compare", str(path), "--measure", "error"]) == 0
    assert "not evidence that they are equal" in " ".join(capsys.readouterr().out.split())
