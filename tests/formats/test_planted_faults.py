"""Faults that people's files have: each gives the right answer, or the sentence that says what is wrong."""

from __future__ import annotations

import json
import random
import shutil
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from bakeoff import BakeoffError, InputError, MisfitError, judge, read_scores
from bakeoff.cli import main

DATA = Path(__file__).parent / "data"
STAMP = "2026-01-02T03-04-05.678901"


def log(folder: Path, model: str, items: list[dict[str, Any]], **results: Any) -> Path:
    """A run of lm-evaluation-harness: items of one task, and the results file beside them."""
    home = folder / model
    home.mkdir(parents=True)
    lines = [
        {
            "doc": {"q": item["id"]},
            "resps": [],
            "filtered_resps": [],
            "filter": item.get("filter", "none"),
            "metrics": ["acc"],
            "doc_id": item["id"],
            "doc_hash": item.get("hash", f"h{item['id']}"),
            "prompt_hash": item.get("prompt", "p"),
            "acc": item["acc"],
        }
        for item in items
    ]
    (home / f"samples_toy_{STAMP}.jsonl").write_text("\n".join(map(json.dumps, lines)))
    document = {
        "results": {"toy": {"acc,none": 0}},
        "configs": {},
        "versions": {"toy": 1},
        "n-shot": {"toy": 0},
        "higher_is_better": {"toy": {"acc": True}},
        "config": {"limit": None},
        "model_name": model,
        **results,
    }
    (home / f"results_{STAMP}.json").write_text(json.dumps(document))
    return home


def answers(seed: int, n: int = 40, right: float = 0.7) -> list[dict[str, Any]]:
    draw = random.Random(seed)
    return [{"id": i, "acc": float(draw.random() < right)} for i in range(n)]


def verdict(folder: Path) -> str:
    """What is decided, to the last digit."""
    return str(judge(read_scores(folder), "mcnemar").to_frame().to_csv(index=False))


@pytest.fixture
def plain(tmp_path: Path) -> Path:
    log(tmp_path / "plain", "a", answers(1))
    log(tmp_path / "plain", "b", answers(2, right=0.4))
    return tmp_path / "plain"


def test_another_order_of_items_changes_nothing(plain: Path, tmp_path: Path) -> None:
    log(tmp_path / "other", "a", answers(1))
    log(tmp_path / "other", "b", list(reversed(answers(2, right=0.4))))
    assert verdict(tmp_path / "other") == verdict(plain)


def test_shuffled_ids_with_the_same_content_are_matched_by_content(plain: Path, tmp_path: Path) -> None:
    """As the harness numbers documents that were asked for in another order."""
    moved = answers(2, right=0.4)
    numbers = list(range(len(moved)))
    random.Random(3).shuffle(numbers)
    moved = [{**item, "hash": f"h{item['id']}", "id": number} for item, number in zip(moved, numbers, strict=True)]
    log(tmp_path / "other", "a", answers(1))
    log(tmp_path / "other", "b", moved)
    assert verdict(tmp_path / "other") == verdict(plain)
    assert any("items are matched by content" in note for note in read_scores(tmp_path / "other").notes)


def test_a_document_that_occurs_twice_stays_two_items(tmp_path: Path) -> None:
    twice = [*answers(1, 10), {"id": 10, "acc": 1.0, "hash": "h0"}]
    log(tmp_path, "a", twice)
    log(tmp_path, "b", [{**item, "id": 10 - item["id"], "hash": item.get("hash", f"h{item['id']}")} for item in twice])
    scores = read_scores(tmp_path)
    assert len(scores.instance.labels) == 11
    values = scores.value.reshape(2, 11)
    by_item = [dict(zip(scores.instance.values()[k * 11 : k * 11 + 11], values[k], strict=True)) for k in (0, 1)]
    alike = [item for item in by_item[0] if item.split(" ")[0] != "h0"]
    assert all(by_item[0][item] == by_item[1][item] for item in alike)


def test_other_documents_are_refused(tmp_path: Path) -> None:
    log(tmp_path, "a", answers(1))
    log(tmp_path, "b", [{**item, "hash": f"x{item['id']}"} for item in answers(2)])
    with pytest.raises(MisfitError, match="is not the same for a and b: its content differs"):
        read_scores(tmp_path)


def test_fewer_items_in_one_model_are_asked_about(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    log(tmp_path, "a", answers(1))
    log(tmp_path, "b", answers(2)[:30])
    assert main(["compare", str(tmp_path)]) == 3
    assert "--missing" in capsys.readouterr().err
    assert main(["compare", str(tmp_path), "--missing", "drop-block"]) == 0
    assert "30 instances" in capsys.readouterr().out


def test_an_item_that_stands_twice_is_refused_or_averaged(tmp_path: Path) -> None:
    log(tmp_path, "a", [*answers(1, 5), {"id": 2, "acc": 0.0}])
    log(tmp_path, "b", answers(2, 5))
    with pytest.raises(InputError, match=r"second value for learner 'a', task 'toy', instance '2'"):
        read_scores(tmp_path)
    scores = read_scores(tmp_path, average=True)
    assert len(scores) == 10
    assert any("11 rows averaged to 10" in note for note in scores.notes)


def test_filters_do_not_double_the_items(tmp_path: Path) -> None:
    for model, seed in (("a", 1), ("b", 2)):
        items = [{**item, "filter": name} for name in ("strict-match", "flexible-extract") for item in answers(seed)]
        log(tmp_path, model, items)
    scores = read_scores(tmp_path, measure="acc,strict-match")
    assert len(scores) == 80


@pytest.mark.parametrize(
    ("results", "told"),
    [
        ({"n-shot": {"toy": 5}}, "few-shot examples (a 0 and b 5)"),
        ({"config": {"limit": 100}}, "limit (a none and b 100)"),
        ({"versions": {"toy": 2}}, "task version (a 1 and b 2)"),
        ({"chat_template_sha": "abc"}, "chat template (a none and b abc)"),
    ],
)
def test_models_that_were_asked_otherwise_are_told(tmp_path: Path, results: dict[str, Any], told: str) -> None:
    log(tmp_path, "a", answers(1))
    log(tmp_path, "b", answers(2), **results)
    (doubt,) = read_scores(tmp_path).doubts
    assert doubt.code == "asked-otherwise"
    assert told in str(doubt)
    assert "asked-otherwise" in {warning.code for warning in judge(read_scores(tmp_path), "mcnemar").warnings}


def test_other_prompts_are_told(tmp_path: Path) -> None:
    log(tmp_path, "a", answers(1))
    log(tmp_path, "b", [{**item, "prompt": "other"} for item in answers(2)])
    (doubt,) = read_scores(tmp_path).doubts
    assert "prompt of the first item" in str(doubt)


def test_the_newest_run_of_a_task_counts(tmp_path: Path) -> None:
    home = log(tmp_path, "a", answers(1))
    log(tmp_path, "b", answers(2))
    for kind in ("samples_toy_", "results_"):
        old = next(home.glob(f"{kind}*"))
        shutil.copy(old, home / old.name.replace("2026-01-02", "2025-01-02"))
    scores = read_scores(tmp_path)
    assert len(scores) == 80
    assert any("older runs of the same model and task are not read" in note for note in scores.notes)


def test_one_model_in_two_folders_is_told_apart(tmp_path: Path) -> None:
    first = log(tmp_path / "monday", "a", answers(1))
    second = log(tmp_path / "friday", "a", answers(2))
    assert len(read_scores(first, second).learners) == 2
    assert read_scores(f"before={first}", f"after={second}").learners == ("before", "after")


def inspect_log(path: Path, model: str, scores: list[tuple[str, int, Any]], **changes: Any) -> None:
    samples = [
        {"id": item, "epoch": epoch, "input": item, "target": "t", "scores": {"match": {"value": value}}}
        if not isinstance(value, dict)
        else {"id": item, "epoch": epoch, "input": item, "target": "t", "scores": {}, **value}
        for item, epoch, value in scores
    ]
    spec = {"task": "toy", "model": model, "task_id": model, "created": "2026", "scorers": [{"name": "match"}]}
    document = {"version": 2, "status": "success", "eval": spec, "plan": {}, "samples": samples, **changes}
    path.write_text(json.dumps(document))


def test_an_error_is_no_wrong_answer(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    rows = [(f"q{i}", 1, "C" if i % 3 else "I") for i in range(12)]
    inspect_log(tmp_path / "a.json", "a", rows)
    inspect_log(tmp_path / "b.json", "b", [*rows[:-1], ("q11", 1, {"error": {"message": "timeout"}})])
    scores = read_scores(tmp_path)
    assert np.isnan(scores.value).sum() == 1
    assert "error" in scores.status.labels
    assert "timeout" in scores.message.labels
    assert main(["compare", str(tmp_path)]) == 3, "--missing decides"
    assert main(["compare", str(tmp_path), "--missing", "worst"]) == 0
    capsys.readouterr()


def test_epochs_are_repeats_of_one_item(tmp_path: Path) -> None:
    rows = [(f"q{i}", epoch, "C" if (i + epoch) % 3 else "I") for i in range(12) for epoch in (1, 2, 3)]
    inspect_log(tmp_path / "a.json", "a", rows)
    inspect_log(tmp_path / "b.json", "b", rows[::-1])
    scores = read_scores(tmp_path)
    assert len(scores.instance.labels) == 12
    assert scores.repeat.labels == ("1", "2", "3")


def test_a_log_that_is_not_over_is_told(tmp_path: Path) -> None:
    rows = [(f"q{i}", 1, "C") for i in range(5)]
    inspect_log(tmp_path / "a.json", "a", rows)
    inspect_log(tmp_path / "b.json", "b", rows[:4], status="cancelled")
    assert "unfinished-log" in {doubt.code for doubt in read_scores(tmp_path).doubts}


def test_nan_is_unscored_and_lists_are_not_read(tmp_path: Path) -> None:
    inspect_log(tmp_path / "a.json", "a", [("q1", 1, float("nan")), ("q2", 1, 0.5)])
    scores = read_scores(tmp_path / "a.json", larger_is_better=True)
    assert scores.status.values() == ["unscored", "ok"]
    inspect_log(tmp_path / "b.json", "b", [("q1", 1, [1, 2])])
    with pytest.raises(InputError, match="No scores were found"):
        read_scores(tmp_path / "b.json")


def test_mixed_directions_are_told_by_the_file(tmp_path: Path) -> None:
    for name, value in (("a", 0.1), ("b", 0.2)):
        document = {
            "task_name": "T",
            "dataset_revision": "r",
            "scores": {"test": [{"main_score": value, "hf_subset": "x"}]},
        }
        home = tmp_path / "results" / name / "rev"
        home.mkdir(parents=True)
        (home / "T.json").write_text(json.dumps(document))
    scores = read_scores(tmp_path / "results")
    assert scores.measures["main_score"].by_task


def test_where_measures_differ_by_task_only_orders_compare(tmp_path: Path) -> None:
    rows = ["task,framework,fold,result,metric"]
    draw = random.Random(1)
    for i in range(12):
        metric, scale = ("auc", 1) if i % 2 else ("neg_rmse", -500)
        rows += [f"t{i},{name},0,{scale * (draw.random() + shift)},{metric}" for name, shift in (("A", 0), ("B", 0.2))]
    path = tmp_path / "results.csv"
    path.write_text("\n".join(rows))
    scores = read_scores(path)
    finding = judge(scores).finding
    assert finding.procedure == "sign"
    with pytest.raises(MisfitError, match="the measure differs by task"):
        judge(scores, "wilcoxon")


@pytest.mark.parametrize(
    "inside", ["\\begin{tabular}", "\\cline(", "\\\\[", "{", "%"], ids=["begin", "rule", "row", "brace", "remark"]
)
def test_a_table_of_latex_that_opens_everything_and_closes_nothing_is_refused_soon(inside: str, tmp_path: Path) -> None:
    """Each would take hours if its time grew with the square of its length."""
    for end in ("", "\\end{tabular}"):
        file = tmp_path / "hostile.tex"
        file.write_text("\\begin{tabular}{ll}" + inside * 60_000 + end)
        with pytest.raises(BakeoffError):
            read_scores(file)
