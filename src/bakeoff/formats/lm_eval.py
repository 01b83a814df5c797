"""lm-evaluation-harness: logged samples, with the results file of the same run; or results alone."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import Any

from bakeoff.formats.format import JSON, RECORDS, Format, ScorePart, Sign, columns_of, flat, text_of
from bakeoff.formats.sources import ScoreFile, parse_json

TOOL = "lm-evaluation-harness"
_SAMPLES = re.compile(r"samples_(.+)_(\d{4}-\d\d-\d\dT[\d-]+(?:\.\d+)?)\.jsonl?")
_RESULTS = r"(?:.*_)?{}\.json"
_STAMP = re.compile(r"\d{4}-\d\d-\d\dT[\d-]+(?:\.\d+)?")
_NO_SCORE = frozenset({"bypass"})
# What a line of samples holds beside its metrics; old versions do not list these.
_FIELDS = "doc_id doc target arguments resps filtered_resps filter metrics doc_hash prompt_hash target_hash"
# Fields of documents that say what is right: they divide items, and items with one answer have nothing in common.
_ANSWERS = "doc.answer doc.answerKey doc.answer_idx doc.label doc.gold doc.target doc.correct doc.solution"


def read(source: ScoreFile) -> Iterable[ScorePart]:
    return _of_results(source) if source.content.kind == JSON else [_of_samples(source)]


def _of_samples(source: ScoreFile) -> ScorePart:
    """A row for each document, metric and filter. Documents are numbered by doc_id, and known by their hash."""
    named = _SAMPLES.fullmatch(source.file)
    task = named[1] if named else source.file.partition(".")[0]
    stamp = named[2] if named else ""
    results = _results_beside(source, stamp)
    rows: dict[str, list[object]] = {name: [] for name in ("instance", "measure", "value", "hash")}
    fields: list[dict[str, object]] = []
    corpus: dict[str, None] = {}
    first, first_prompt = None, ""
    for record in source.records():
        number, content = record["doc_id"], record.get("doc_hash")
        if first is None or _before(number, first):
            first, first_prompt = number, str(record.get("prompt_hash") or "")
        doc = record.get("doc")
        metadata = flat(doc, "doc.", depth=1) if isinstance(doc, Mapping) else {}
        for metric in record.get("metrics") or [key for key in record if key not in _FIELDS.split()]:
            value = record.get(metric)
            if metric in _NO_SCORE:
                continue
            if not isinstance(value, bool | int | float):
                corpus[metric] = None
                continue
            fields.append(metadata)
            rows["instance"].append(str(number))
            rows["measure"].append(measure_name(metric, record.get("filter") or "none"))
            rows["value"].append(float(value))
            rows["hash"].append(content or "")
    length = len(rows["value"])
    notes = []
    if corpus:
        notes.append(f"{task}: {', '.join(corpus)} belong to all documents together, and are left out")
    if not length:
        return ScorePart({}, notes=tuple(notes))
    if not any(rows["hash"]):
        del rows["hash"]
    kept = {
        key: cells
        for key, cells in columns_of(fields).items()
        if key not in _ANSWERS.split() and _divides(cells, length)
    }
    settings = _settings(results, task)
    if first_prompt:
        settings["prompt of the first item"] = first_prompt
    return ScorePart(
        {"task": [task] * length, **rows, **kept},
        model=_model(results, source),
        tool=TOOL,
        directions=_directions(results, task, rows["measure"]),
        settings=settings,
        stamp=stamp,
        notes=tuple(notes),
    )


def measure_name(metric: str, filtered: str) -> str:
    """A metric of answers as they are, or after a filter, which makes it another one.

    >>> measure_name("acc", "none"), measure_name("exact_match", "strict-match")
    ('acc', 'exact_match,strict-match')
    """
    return metric if filtered == "none" else f"{metric},{filtered}"


def _before(number: object, other: object) -> bool:
    return isinstance(number, int) and isinstance(other, int) and number < other


def _divides(cells: list[object], length: int) -> bool:
    """Whether a field may say what documents have in common: not the same everywhere, and not another for each."""
    labels = {str(cell) for cell in cells}
    return 1 < len(labels) <= length // 2


def _results_beside(source: ScoreFile, stamp: str) -> Mapping[str, Any]:
    """The results file of the same run: of the same date, or the only one there."""
    there = source.beside(_RESULTS.format(re.escape(stamp)) if stamp else r"results.*\.json")
    if not there and stamp:
        # With an output path of its own the file may lie one folder off; its date is what counts.
        there = {}
    if not there or (not stamp and len(there) > 1):
        return {}
    document = parse_json(next(iter(there.values())).data, next(iter(there)))
    return document if isinstance(document, Mapping) else {}


def _model(results: Mapping[str, Any], source: ScoreFile) -> str:
    if results.get("model_name"):
        return str(results["model_name"])
    folder = source.parts[-2] if len(source.parts) > 1 else ""
    return folder.replace("__", "/")


def _settings(results: Mapping[str, Any], task: str) -> dict[str, str]:
    config = results.get("config") or {}
    settings = {
        "task version": (results.get("versions") or {}).get(task),
        "few-shot examples": (results.get("n-shot") or {}).get(task),
        "limit": config.get("limit"),
        "generation": config.get("gen_kwargs") or None,
        "chat template": results.get("chat_template_sha"),
        "system instruction": results.get("system_instruction_sha"),
    }
    return {name: text_of(value) for name, value in settings.items()} if results else {}


def _directions(results: Mapping[str, Any], task: str, measures: Iterable[object]) -> dict[str, bool]:
    directions = (results.get("higher_is_better") or {}).get(task) or {}
    bigger_is_better = {}
    for name in dict.fromkeys(map(str, measures)):
        larger = directions.get(name.partition(",")[0])
        if isinstance(larger, bool):
            bigger_is_better[name] = larger
    return bigger_is_better


def _of_results(source: ScoreFile) -> list[ScorePart]:
    """The aggregates of each task, where no samples were logged beside them. Groups stand among the tasks: left out."""
    stamp = _STAMP.search(source.file)
    if stamp and source.beside(rf"samples_.+_{re.escape(stamp[0])}\.jsonl?"):
        return []
    document = source.document
    groups = {name for name, tasks in (document.get("group_subtasks") or {}).items() if tasks}
    groups |= set(document.get("groups") or {})
    parts = []
    for task, values in document["results"].items():
        if task in groups:
            continue
        scores = {key: value for key, value in values.items() if _is_score(key, value)}
        if not scores:
            continue
        measures = [measure_name(*_split(key)) for key in scores]
        size = ((document.get("n-samples") or {}).get(task) or {}).get("effective")
        columns: dict[str, list[object]] = {
            "task": [task] * len(scores),
            "measure": list(measures),
            "value": [float(value) for value in scores.values()],
        }
        if isinstance(size, int) and size > 0:
            columns["n_test"] = [float(size)] * len(scores)
        parts.append(
            ScorePart(
                columns,
                model=_model(document, source),
                tool=TOOL,
                directions=_directions(document, task, measures),
                settings=_settings(document, task),
                stamp=stamp[0] if stamp else "",
                notes=("aggregates of tasks: without logged samples (--log_samples) items cannot be compared",),
            )
        )
    return parts


def _is_score(key: str, value: object) -> bool:
    metric = key.partition(",")[0]
    return "," in key and not metric.endswith("_stderr") and metric not in _NO_SCORE and isinstance(value, int | float)


def _split(key: str) -> tuple[str, str]:
    metric, _, filtered = key.partition(",")
    return metric, filtered


FORMAT = Format(
    name="lm-eval",
    title=TOOL,
    signs=(
        Sign(RECORDS, ("doc_id", "doc", "resps", "filtered_resps"), certainty=3),
        Sign(JSON, ("results", "configs", "versions", "n-shot"), certainty=3),
    ),
    maps="samples_<task>_<date>.jsonl: instance = doc_id, checked by doc_hash; measure = metric and filter; learner = "
    "model_name and direction = higher_is_better of the results file of the same date; task from the file name; "
    "doc.<field> for --cluster. results_<date>.json alone: a value a task",
    drops="groups, standard errors, metrics of a whole corpus (perplexity), predict-only runs, older runs of one task",
    read=read,
)
