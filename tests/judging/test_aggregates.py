"""One number over runs on tasks, answers to items, or test rows together."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from scipy import stats

from bakeoff.cli import main
from bakeoff.errors import DegenerateError, MisfitError, UsageError
from bakeoff.judging import analyse
from bakeoff.judging.aggregates import aggregate, items_passed
from bakeoff.mathematics.run_aggregates import improvement, interquartile_means
from bakeoff.scores import Scores, read_scores

Read = Callable[..., Scores]


@pytest.fixture
def read(tmp_path: Path) -> Read:
    def made(text: str, **options: object) -> Scores:
        path = tmp_path / "scores.csv"
        path.write_text(text)
        return read_scores(path, **options)  # type: ignore[arg-type]

    return made


def runs(measure: str = "reward", gap: float = 0.2, n: int = 5) -> str:
    rng, lines = np.random.default_rng(0), [f"learner,task,seed,{measure}"]
    for task in range(6):
        for name, shift in (("a", gap), ("b", 0.0)):
            lines += [f"{name},t{task},{s},{0.1 * task + shift + 0.1 * rng.standard_normal():.6f}" for s in range(n)]
    return "\n".join(lines) + "\n"


def answers(n: int = 30, tries: int = 6) -> str:
    rng, lines = np.random.default_rng(1), ["model,item,sample,correct"]
    for item in range(n):
        p = rng.random()
        for name, shift in (("a", 0.2), ("b", 0.0)):
            lines += [f"{name},q{item},{s},{int(rng.random() < p + shift)}" for s in range(tries)]
    return "\n".join(lines) + "\n"


def predictions(n: int = 150) -> str:
    rng, lines = np.random.default_rng(2), ["truth,a,b"]
    for _ in range(n):
        y = rng.integers(0, 2)
        p = 1 / (1 + np.exp(-(np.array([3.0, 0.5]) * (y - 0.5) + rng.standard_normal(2))))
        lines.append(f"{y},{p[0]:.6f},{p[1]:.6f}")
    return "\n".join(lines) + "\n"


def test_the_numbers_of_runs_are_those_of_the_mathematics(read: Read) -> None:
    scores = read(runs(), larger_is_better=True)
    a, b = ([scores.only(tasks=[t], learners=[name]).value for t in scores.tasks] for name in "ab")
    found = aggregate(scores, "iqm", resamples=999)
    assert found.learners[0].estimate == interquartile_means(a, resamples=999).estimate
    pair = interquartile_means(a, b, resamples=999)
    # Five runs on each of six tasks: the bootstrap's ends, moved out for a variance of few runs.
    wider = np.sqrt(5 / 4) * stats.t.ppf(0.975, 2 * 6 * 4) / stats.norm.ppf(0.975)
    ends = [pair.estimate + wider * (end - pair.estimate) for end in (pair.lower, pair.upper)]
    assert (found.pairs[0].lower, found.pairs[0].upper) == pytest.approx(ends)
    assert found.pairs[0].decision == "better"
    chance = aggregate(scores, "improvement", resamples=999).pairs[0]
    assert chance.estimate == improvement(a, b, resamples=999).estimate
    assert [warning.code for warning in found.warnings] == ["few-runs"]


def test_where_less_is_better_the_smaller_is_the_improvement(read: Read) -> None:
    scores = read(runs("error"))
    found = aggregate(scores, "improvement", resamples=999).pairs[0]
    assert (found.first, found.second, found.decision) == ("b", "a", "better")
    iqm = aggregate(scores, "iqm", resamples=999)
    assert iqm.learners[0].first == "b"
    assert "b is better than a" in iqm.sentence


def test_learners_that_are_alike_are_seldom_told_apart_by_few_runs(read: Read) -> None:
    # Three runs on each of six tasks: the bootstrap alone claims a difference in some 12 of 100, widened in 5.
    false = {"iqm": 0, "improvement": 0}
    rng = np.random.default_rng(8)
    for _ in range(150):
        spread = 0.3 * np.exp(0.5 * rng.standard_normal(6))
        lines = [
            f"{name},t{t},{s},{t + spread[t] * rng.standard_normal():.6f}"
            for name in "ab"
            for t in range(6)
            for s in range(3)
        ]
        scores = read("learner,task,seed,reward\n" + "\n".join(lines) + "\n", larger_is_better=True)
        for name in false:
            false[name] += aggregate(scores, name, resamples=199).pairs[0].decision != "undecided"
    assert max(false.values()) <= 15  # 7.5 expected, and 2.7 the standard error


def test_problems_with_several_answers_are_items(read: Read) -> None:
    answered = answers()
    humaneval = answered.replace("model,item,sample,correct", "model,task_id,completion_id,passed")
    assert aggregate(read(humaneval), "pass@3").learners == aggregate(read(answered), "pass@3").learners


def test_pass_at_k_by_hand(read: Read) -> None:
    text = "model,item,sample,correct\n" + "".join(
        f"a,q{item},{s},{int(s < right)}\n" for item, right in enumerate((0, 1, 3)) for s in range(5)
    )
    assert items_passed(read(text), 2).value.tolist() == pytest.approx([0.0, 0.4, 0.9])
    found = aggregate(read(text), "pass@2")
    mean, half = 1.3 / 3, stats.t.ppf(0.975, 2) * np.std([0, 0.4, 0.9], ddof=1) / np.sqrt(3)
    assert found.learners[0].estimate == pytest.approx(mean)
    assert (found.learners[0].lower, found.learners[0].upper) == pytest.approx((0.0, min(mean + half, 1)))


def test_pass_at_k_of_two_is_judged_over_items(read: Read) -> None:
    found = aggregate(read(answers()), "pass@3")
    assert found.verdict is not None
    assert found.verdict.finding.n_blocks == 30
    difference = found.verdict.decisions[0].advantage
    assert difference == pytest.approx(found.learners[0].estimate - found.learners[1].estimate)


def test_a_measure_of_all_rows_agrees_with_delong(read: Read) -> None:
    scores = read(predictions())
    found, delong = aggregate(scores, "auc", seed=1), analyse(scores, "delong").pairs[0]
    assert found.pairs[0].estimate == pytest.approx(delong.estimate)
    assert found.pairs[0].lower == pytest.approx(delong.lower, abs=0.02)
    assert found.pairs[0].upper == pytest.approx(delong.upper, abs=0.02)
    assert aggregate(scores, "auc", seed=1) == found


def test_intervals_of_a_measure_cover(tmp_path: Path, read: Read) -> None:
    # Two learners that are equally good: the interval of the difference holds 0 in about 95 of 100.
    rng, held = np.random.default_rng(5), 0
    for _ in range(100):
        y = rng.integers(0, 2, 120)
        p = stats.norm.cdf(1.2 * (y[:, None] - 0.5) + rng.standard_normal((120, 2)))
        lines = "\n".join(f"{t},{a:.6f},{b:.6f}" for t, (a, b) in zip(y, p, strict=True))
        row = aggregate(read(f"truth,a,b\n{lines}\n"), "mcc", resamples=199).pairs[0]
        held += row.lower <= 0 <= row.upper
    assert held >= 88


def test_labels_are_measured_too(read: Read) -> None:
    text = "truth,a,b\n" + "cat,cat,dog\ndog,dog,dog\ncat,cat,cat\ndog,cat,cat\n" * 12
    found = aggregate(read(text), "balanced_accuracy", resamples=499)
    assert {row.first: row.estimate for row in found.learners} == {"a": 0.75, "b": 0.5}
    with pytest.raises(MisfitError, match="auc needs a truth of 0 and 1"):
        aggregate(read(text), "auc")
    assert not any(warning.code == "few-rows" for warning in found.warnings)


def test_clusters_are_drawn_whole(read: Read) -> None:
    rng, lines = np.random.default_rng(3), ["passage,truth,a,b"]
    for passage in range(60):
        hard = rng.random(2)
        lines += [f"p{passage},{(y := rng.integers(0, 2))},{y if rng.random() < hard[0] else 1 - y},"
                  f"{y if rng.random() < hard[1] else 1 - y}" for _ in range(10)]  # fmt: skip
    text = "\n".join(lines) + "\n"
    alone = aggregate(read(text, ignore="passage"), "accuracy", resamples=999).pairs[0]
    whole = aggregate(read(text, cluster="passage"), "accuracy", resamples=999)
    assert whole.pairs[0].upper - whole.pairs[0].lower > 1.3 * (alone.upper - alone.lower)
    assert "60 passages resampled" in whole.how
    few = "\n".join(lines[:121]) + "\n"
    with pytest.raises(MisfitError, match="Percentiles of 12 resampled clusters"):
        aggregate(read(few, cluster="passage"), "accuracy", resamples=999)


@pytest.mark.parametrize(
    ("text", "statistic", "error", "message"),
    [
        (runs(n=1), "iqm", MisfitError, "one run of a learner on a task"),
        (runs(n=2), "improvement", MisfitError, "two runs of a learner on a task"),
        (runs(), "auc", MisfitError, "needs a file of predictions"),
        (runs(), "pass@2", MisfitError, "right or wrong answers"),
        (answers(tries=3), "pass@4", MisfitError, "needs at least 4 answers to each item"),
        (predictions(), "aucc", UsageError, "There is no aggregate 'aucc'. Did you mean 'auc'"),
        (predictions(), "rmsle", UsageError, "There is no aggregate"),
        ("truth,a,b\n" + "0,0.1,0.2\n" * 8 + "1,0.9,0.8\n", "auc", DegenerateError, "does not exist in"),
    ],
)
def test_refusals(read: Read, text: str, statistic: str, error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=message):
        aggregate(read(text, larger_is_better=True if "reward" in text else None), statistic)


def test_by_command(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "runs.csv"
    path.write_text(runs())
    command = ["aggregate", str(path), "--larger-is-better", "--measure", "reward", "--resamples", "499"]
    assert main([*command, "--with", "iqm"]) == 0
    assert "interquartile mean of reward" in capsys.readouterr().out
    assert main([*command, "--with", "improvement", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["null"] == 0.5
    assert main([*command, "--with", "nothing"]) == 2
