"""Logs of tools: from 15,000 items of two models to a verdict, and a thousand JSONL files. No peer compares them: the
goal is a time, and memory that does not grow with the number of files."""

from __future__ import annotations

import json
import random
import subprocess
import sys
import tempfile
import zipfile
from pathlib import Path
from typing import Any

ITEMS, FILES = 15_000, 1_000
STAMP = "2026-01-02T03-04-05.678901"
PROGRAM = """
import contextlib, io, json, resource, sys, time
start = time.process_time()
from bakeoff.cli import main
with contextlib.redirect_stdout(io.StringIO()):
    code = main(sys.argv[1:])
print(json.dumps([code, time.process_time() - start, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024]))
"""


def lm_eval(home: Path) -> list[str]:
    """Two folders with logged samples of about 1.2 kB, as those of multiple-choice tasks are."""
    draw = random.Random(1)
    for model in ("alpha", "beta"):
        folder = home / model
        folder.mkdir()
        with (folder / f"samples_toy_{STAMP}.jsonl").open("w") as file:
            for i in range(ITEMS):
                question = f"question {i} " + "x" * 300
                record = {
                    "doc_id": i,
                    "doc": {"question": question, "choices": ["a", "b", "c", "d"], "answer": i % 4},
                    "target": str(i % 4),
                    "arguments": {f"gen_args_{k}": {"arg_0": question[:80], "arg_1": " a"} for k in range(4)},
                    "resps": [[["-1.25", "False"]] for _ in range(4)],
                    "filtered_resps": [["-1.25", "False"] for _ in range(4)],
                    "filter": "none",
                    "metrics": ["acc", "acc_norm"],
                    "doc_hash": f"{i:064x}",
                    "prompt_hash": f"{i:064x}",
                    "target_hash": f"{i:064x}",
                    "acc": float(draw.random() < 0.6),
                    "acc_norm": float(draw.random() < 0.6),
                }
                file.write(json.dumps(record) + "\n")
        results = {
            "results": {"toy": {"acc,none": 0.6}},
            "configs": {},
            "versions": {"toy": 1},
            "n-shot": {"toy": 0},
            "higher_is_better": {"toy": {"acc": True, "acc_norm": True}},
            "model_name": model,
        }
        (folder / f"results_{STAMP}.json").write_text(json.dumps(results))
    return [str(home / "alpha"), str(home / "beta"), "--measure", "acc"]


def inspect(home: Path) -> list[str]:
    draw = random.Random(2)
    for model in ("alpha", "beta"):
        header = {
            "version": 2,
            "status": "success",
            "eval": {
                "task": "toy",
                "model": model,
                "task_id": model,
                "created": "2026",
                "scorers": [{"name": "match"}],
            },
            "results": {"scores": [{"name": "match"}], "headline": {"scorer": "match"}},
        }
        samples = [
            {
                "id": f"q{i}",
                "epoch": 1,
                "input": f"question {i} " + "x" * 400,
                "target": "a",
                "metadata": {"subject": f"s{i % 50}"},
                "scores": {"match": {"value": "C" if draw.random() < 0.6 else "I", "answer": "a", "history": []}},
                "model_usage": {model: {"input_tokens": 7, "output_tokens": 9}},
                "uuid": f"{i:022d}",
            }
            for i in range(ITEMS)
        ]
        with zipfile.ZipFile(home / f"{model}.eval", "w", zipfile.ZIP_DEFLATED) as archive:
            archive.writestr("_journal/start.json", json.dumps(header))
            archive.writestr("header.json", json.dumps(header))
            archive.writestr("summaries.json", json.dumps(samples))
    return [str(home / "alpha.eval"), str(home / "beta.eval"), "--ignore", "metadata.subject"]


def many_files(home: Path) -> list[str]:
    draw = random.Random(3)
    for i in range(FILES):
        rows = [{"model": f"m{i % 4}", "task": f"t{i // 4}", "fold": k, "accuracy": draw.random()} for k in range(50)]
        (home / f"{i:04d}.jsonl").write_text("\n".join(map(json.dumps, rows)))
    return [str(home)]


READING = """
import json, resource, sys, time
start = time.process_time()
import bakeoff
bakeoff.read_scores(*sys.argv[1:])
print(json.dumps([time.process_time() - start, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024]))
"""


def memory() -> dict[str, Any]:
    """Sixty files of 5 MB, mostly texts that are not read, beside two of them: memory is bounded by the largest."""
    with tempfile.TemporaryDirectory() as folder:
        files = []
        for model in range(60):
            path = Path(folder) / f"m{model}.jsonl"
            lines = ({"item": i, "correct": (7 * i + model) % 3 > 0, "answer": "x" * 5000} for i in range(1000))
            path.write_text("".join(json.dumps(line) + "\n" for line in lines))
            files.append(f"m{model}={path}")
        answers = []
        for some in (files[:2], files):
            command = [sys.executable, "-c", READING, *some]
            answers.append(json.loads(subprocess.run(command, capture_output=True, text=True, check=True).stdout))
    (_, few), (took, many) = answers
    return {
        "name": f"60 files of 5 MB read ({many:.0f} MB of memory; 2 of them {few:.0f} MB)",
        "ours_cpu": took,
        "peer": "the goal",
        "peer_cpu": 10.0,
        "ratio": 10.0 / took,
        "goal": "≤ 10 s, and memory that grows by no more than two files",
        "met": took <= 10.0 and many <= few + 10,
    }


def rows() -> list[dict[str, Any]]:
    rows = []
    for name, write, goal in (
        (f"lm-eval log, {ITEMS:,} items × 2", lm_eval, 3.0),
        (f"Inspect log, {ITEMS:,} items × 2", inspect, 3.0),
        (f"{FILES:,} JSONL files", many_files, 10.0),
    ):
        with tempfile.TemporaryDirectory() as folder:
            arguments = write(Path(folder))
            done = subprocess.run(
                [sys.executable, "-c", PROGRAM, "compare", *arguments], capture_output=True, text=True, check=True
            )
        code, took, megabytes = json.loads(done.stdout)
        if code:
            raise RuntimeError(done.stderr)
        rows.append(
            {
                "name": f"{name} to a verdict ({megabytes:.0f} MB)",
                "ours_cpu": took,
                "peer": "the goal",
                "peer_cpu": goal,
                "ratio": goal / took,
                "goal": f"≤ {goal:g} s",
                "met": took <= goal,
            }
        )
    return [*rows, memory()]


if __name__ == "__main__":
    for one in rows():
        print(one)
