"""Rows that are not independent, from a written file through the command to the sentence: clusters, tasks, times.

The fault is planted: in each null the old reading (instances as independent draws) claims several times too much.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from bakeoff import read_scores
from bakeoff.cli import main
from bakeoff.errors import DegenerateError
from bakeoff.judging import judge

Capture = pytest.CaptureFixture[str]
NULLS = 120
FEW = 40  # of them tell that the old reading claims far too much


def clustered(path: Path, rng: np.random.Generator, *, C: int = 20, m: int = 25, k: int = 2) -> None:
    """Answers to questions about passages, which suit one model better than another, but nobody on average."""
    suits = 0.9 * rng.normal(size=(C, k))
    right = suits[:, None] + 0.6 * rng.normal(size=(C, m, 1)) + rng.normal(size=(C, m, k)) > 0
    rows = [f"m{j},p{c},p{c}q{i},{int(right[c, i, j])}" for c in range(C) for i in range(m) for j in range(k)]
    path.write_text("\n".join(["model,passage,item,correct", *rows]))


def over_time(path: Path, rng: np.random.Generator, *, rho: float = 0.8, n: int = 300) -> None:
    x = rng.normal(size=(n, 2))
    for t in range(1, n):
        x[t] += rho * x[t - 1]
    path.write_text("\n".join(["time,arima,lstm", *(f"{t + 1},{a:.6f},{b:.6f}" for t, (a, b) in enumerate(x + 20))]))


def claims(write: Callable[..., None], old: str, path: Path, measure: str) -> tuple[float, float]:
    """The share of nulls in which the default claims something, and in which the old reading does."""
    ours = theirs = 0
    for seed in range(NULLS):
        write(path, np.random.default_rng(seed))
        scores = read_scores(path, measure=measure)
        with contextlib.suppress(DegenerateError):  # too persistent for its length: no claim
            ours += any(judged.apart for judged in judge(scores).decisions)
        if seed < FEW:
            theirs += any(judged.apart for judged in judge(scores, old, anyway=True).decisions)
    return ours / NULLS, theirs / FEW


# Three standard errors above .05 with so many nulls.
MOST = 0.05 + 3 * (0.05 * 0.95 / NULLS) ** 0.5


def test_items_in_clusters(tmp_path: Path) -> None:
    ours, theirs = claims(clustered, "mcnemar", tmp_path / "scores.csv", "correct")
    assert theirs > 0.2, "the fault is planted"
    assert ours <= MOST


def test_three_learners_on_items_in_clusters(tmp_path: Path) -> None:
    def write(path: Path, rng: np.random.Generator) -> None:
        clustered(path, rng, k=3)

    ours, theirs = claims(write, "item-flips", tmp_path / "scores.csv", "correct")
    assert theirs > 0.3, "the fault is planted"
    assert ours <= MOST


def test_losses_over_time(tmp_path: Path) -> None:
    ours, theirs = claims(over_time, "paired-t", tmp_path / "scores.csv", "rmse")
    assert theirs > 0.3, "the fault is planted"
    assert ours <= MOST


def said(capsys: Capture, *words: str, code: int = 0) -> str:
    assert main(list(words)) == code
    told = capsys.readouterr()
    assert "Traceback" not in told.err
    return " ".join((told.out if code == 0 else told.err).split())


@pytest.fixture
def passages(tmp_path: Path) -> str:
    clustered(tmp_path / "scores.csv", np.random.default_rng(1))
    return str(tmp_path / "scores.csv")


def test_a_column_that_looks_like_clusters_is_taken_and_said(passages: str, capsys: Capture) -> None:
    text = said(capsys, "compare", passages)
    assert "On 500 instances in 20 clusters (passage: a sample of such)" in text
    assert "[clusters-taken]" in text
    assert "new instances of new clusters (passage), of which these 20 are a sample" in text
    assert "lies between clusters" in text
    assert "with twice as many clusters" in text


def test_the_user_says_which(passages: str, capsys: Capture) -> None:
    assert "[clusters-taken]" not in said(capsys, "compare", passages, "--cluster", "passage")
    assert "these very 20 strata (passage)" in said(capsys, "compare", passages, "--strata", "passage")
    assert "McNemar" in said(capsys, "compare", passages, "--ignore", "passage")
    assert "cluster-flips" in said(capsys, "advise", passages, "--cluster", "passage")
    found = said(capsys, "analyse", passages, "--with", "cluster-t", "--cluster", "passage", "--margin", "0.1")
    assert "equivalent p" in found
    assert "Options: weights = clusters" in said(
        capsys, "analyse", passages, "--with", "cluster-t", "--weights", "clusters"
    )
    with pytest.raises(SystemExit):
        main(["compare", passages, "--cluster", "passage", "--strata", "item"])
    assert "--strata contradicts --cluster" in capsys.readouterr().err


def test_weights_without_clusters_are_refused(tmp_path: Path, capsys: Capture) -> None:
    path = tmp_path / "scores.csv"
    path.write_text("item,a,b\n" + "\n".join(f"{i},{i % 2},{i % 3 % 2}" for i in range(40)))
    assert "weights" in said(capsys, "compare", str(path), "--measure", "accuracy", "--weights", "clusters", code=2)


def test_times_lead_to_the_test_for_series(tmp_path: Path, capsys: Capture) -> None:
    over_time(tmp_path / "scores.csv", np.random.default_rng(3), rho=0.3)
    text = said(capsys, "compare", str(tmp_path / "scores.csv"), "--measure", "rmse")
    assert "t test of successive losses, by equal-weighted cosines" in text
    assert "further times of this series" in text
    over_time(tmp_path / "scores.csv", np.random.default_rng(3), rho=0.99, n=60)
    text = said(capsys, "compare", str(tmp_path / "scores.csv"), "--measure", "rmse", code=3)
    assert "too persistent for its length" in text


TASKS = [f"{m},t{t},{i},{(7 * i * i + 3 * t + j * i) % 5 // 2 % 2}" for t in range(9) for i in range(8 + 2 * t)
         for j, m in enumerate("ab")]  # fmt: skip


def test_two_questions_of_tasks_with_items(tmp_path: Path, capsys: Capture) -> None:
    path = tmp_path / "scores.csv"
    path.write_text("\n".join(["model,task,item,correct", *TASKS]))
    unasked = said(capsys, "compare", str(path))
    assert "[two-questions]" in unasked
    assert "Over 9 tasks" in unasked
    items = said(capsys, "compare", str(path), "--about", "items")
    assert "On 144 instances of 9 tasks (a fixed list; every instance counts alike)" in items
    assert "new instances of these very 9 tasks" in items
    assert "every task counts alike" in said(capsys, "compare", str(path), "--about", "items", "--weights", "clusters")
    problems = said(capsys, "compare", str(path), "--about", "problems")
    assert "[two-questions]" not in problems
    assert "on new problems" in problems


# --- bad input --------------------------------------------------------------------------------------------------------


def each(cell: str, n: int = 9) -> list[str]:
    """Answers of two models to n items: the cell of the passage, and the item, as functions of i."""
    return [
        f"{m},{cell.replace('N', str(i % 2)).replace('F', str(i % 4))},{i},{i % 3 % 2}" for i in range(n) for m in "ab"
    ]


@pytest.mark.parametrize(
    ("rows", "column", "says", "code"),
    [
        (["a,p1,1,1", "b,p2,1,0", "a,p1,2,1", "b,p1,2,0"], "passage", "lies in passage 'p1' here and in", 2),
        (each("p1"), "passage", "All instances lie in one passage", 2),
        (each(""), "passage", "Every row must name its cluster", 2),
        (each("pN"), "passage", "[too-few-clusters]", 3),
        (each("pN"), "pasage", "Did you mean 'passage'", 2),
        ([row[:-1] + "1" for row in each("pF", 20)], "passage", "have the same mean correct (1)", 0),
    ],
)
def test_bad_clusters(rows: list[str], column: str, says: str, code: int, tmp_path: Path, capsys: Capture) -> None:
    path = tmp_path / "scores.csv"
    path.write_text("\n".join(["model,passage,item,correct", *rows]))
    assert says in said(capsys, "compare", str(path), "--cluster", column, code=code)


def test_clusters_of_one_divide_nothing(tmp_path: Path, capsys: Capture) -> None:
    path = tmp_path / "scores.csv"
    path.write_text(
        "\n".join(["model,passage,item,correct", *(f"{m},p{i},{i},{i % 2}" for i in range(9) for m in "ab")])
    )
    text = said(capsys, "compare", str(path), "--cluster", "passage")
    assert "column 'passage' divides nothing: each instance lies in one of its own" in text


def test_epochs_that_are_missing_for_some_items(tmp_path: Path, capsys: Capture) -> None:
    rng = np.random.default_rng(2)
    hard = rng.random(30)
    rows = [
        f"{m},q{i},{e},{int(rng.random() < hard[i])}" for i in range(30) for e in range(4 - (i % 7 == 0)) for m in "ab"
    ]
    path = tmp_path / "scores.csv"
    path.write_text("\n".join(["model,item,epoch,correct", *rows]))
    text = said(capsys, "compare", str(path))
    assert "On 30 instances (each the mean of up to 4 answers)" in text
    assert "between answers to one item" in text
    assert "Mixed model with items and runs" in said(capsys, "analyse", str(path), "--with", "mixed-model")
