"""HELM: per_instance_stats.json of a run, with run_spec.json beside it."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import Any

from bakeoff.formats.format import RECORDS, Format, ScorePart, Sign
from bakeoff.formats.sources import ScoreFile, parse_json

# Stats that say something of how well an instance was answered, and whether larger is better. All others are
# bookkeeping (tokens, times, reasons to stop); the files tell neither.
_LARGER = (
    "exact_match quasi_exact_match prefix_exact_match quasi_prefix_exact_match exact_match_indicator accuracy "
    "final_number_exact_match f1_score rouge_1 rouge_2 rouge_l bleu_1 bleu_4 math_equiv math_equiv_chain_of_thought "
    "ifeval_strict_accuracy chain_of_thought_correctness mmlu_pro_correctness gpqa_correctness omni_math_accuracy "
    "wildbench_score_rescaled code_eval_acc pass test_avg strict_acc classification_macro_f1 classification_micro_f1 "
    "ndcg_at_10 RR_at_10 bertscore_f1 summac"
)
_SMALLER = "bits_per_byte perplexity toxic_frac edit_distance"
_DIRECTIONS = {**dict.fromkeys(_LARGER.split(), True), **dict.fromkeys(_SMALLER.split(), False)}


def read(source: ScoreFile) -> Iterable[ScorePart]:
    spec = _spec(source)
    rows: dict[str, list[object]] = {name: [] for name in ("instance", "repeat", "measure", "value")}
    left: dict[str, None] = {}
    for record in source.records():
        if record.get("perturbation"):
            continue
        for stat in record["stats"]:
            name = stat["name"]
            if name.get("perturbation") or name.get("split") in ("train", "valid") or not stat.get("count"):
                continue
            if name["name"] not in _DIRECTIONS:
                left[name["name"]] = None
                continue
            cells = (record["instance_id"], record.get("train_trial_index", 0), name["name"], _mean(stat))
            for key, cell in zip(rows, cells, strict=True):
                rows[key].append(cell if key == "value" else str(cell))
    n = len(rows["value"])
    name = str(spec.get("name") or _folder(source))
    return [
        ScorePart(
            {"task": [task_of(name)] * n, **rows} if n else {},
            model=str((spec.get("adapter_spec") or {}).get("model") or _model_in(name)),
            tool="HELM",
            directions={measure: _DIRECTIONS[str(measure)] for measure in map(str, dict.fromkeys(rows["measure"]))},
            settings={
                key: str((spec.get("adapter_spec") or {}).get(key, ""))
                for key in ("max_train_instances", "max_eval_instances", "method", "instructions")
            },
            notes=(f"{len(left)} stats that are bookkeeping, or of an unknown direction, are left out",)
            if left
            else (),
        )
    ]


def _mean(stat: Mapping[str, Any]) -> float:
    return float(stat["mean"] if "mean" in stat else stat["sum"] / stat["count"])


def _spec(source: ScoreFile) -> Mapping[str, Any]:
    there = source.beside(r"run_spec\.json")
    if not there:
        return {}
    document = parse_json(there["run_spec.json"].data, "run_spec.json")
    return document if isinstance(document, Mapping) else {}


def _folder(source: ScoreFile) -> str:
    return source.parts[-2] if len(source.parts) > 1 else source.file


def task_of(name: str) -> str:
    """The name of a run without its model.

    >>> task_of("mmlu:subject=anatomy,model=org_alpha"), task_of("toy:model=org_alpha")
    ('mmlu:subject=anatomy', 'toy')
    """
    return re.sub(r"[,:]model(_deployment)?=[^,]*", "", name)


def _model_in(name: str) -> str:
    match = re.search(r"model=([^,]*)", name)
    return match[1].replace("_", "/", 1) if match else ""


FORMAT = Format(
    name="helm",
    title="a HELM run",
    signs=(Sign(RECORDS, ("instance_id", "stats", "stats.name"), certainty=3),),
    maps="per_instance_stats.json: instance, repeat = train_trial_index, measure = stat, value = its mean; learner = "
    "adapter_spec.model and task = name of run_spec.json",
    drops="perturbed copies, training and validation parts, bookkeeping (tokens, times), stats of unknown direction",
    read=read,
)
