"""Inspect AI: .eval archives and .json logs. Samples that failed are kept as failures: Inspect leaves them out."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from bakeoff.formats.format import JSON, ZIP, Format, ScorePart, Sign, columns_of, digest, flat, graded, text_of
from bakeoff.formats.sources import ScoreFile, parse_json
from bakeoff.text import CodedWarning

TOOL = "Inspect"


def read(source: ScoreFile) -> Iterable[ScorePart]:
    if source.content.kind == JSON:
        header = source.document
        samples = header.get("samples") or []
    else:
        header, samples = _of_archive(source)
    return [_part(source, header, samples)]


def _of_archive(source: ScoreFile) -> tuple[Mapping[str, Any], list[Mapping[str, Any]]]:
    """The header and the summaries; of a run that is not over what its journal has."""
    names = source.content.names
    start = "header.json" if "header.json" in names else "_journal/start.json"
    header = parse_json(source.member(start), f"{source.name}/{start}")
    if "summaries.json" in names:
        return header, parse_json(source.member("summaries.json"), f"{source.name}/summaries.json")
    pieces = [name for name in names if re.fullmatch(r"_journal/summaries/\d+\.json", name)]
    if pieces:
        ordered = sorted(pieces, key=lambda name: int(re.findall(r"\d+", name)[-1]))
        return header, [each for name in ordered for each in parse_json(source.member(name), source.name)]
    whole = sorted(name for name in names if name.startswith("samples/"))
    return header, [parse_json(source.member(name), f"{source.name}/{name}") for name in whole]


def _part(source: ScoreFile, header: Mapping[str, Any], samples: Iterable[Mapping[str, Any]]) -> ScorePart:
    spec = header["eval"]
    cluster = _declared_cluster(spec)
    grades: set[str] = set()
    rows: dict[str, list[object]] = {
        name: [] for name in ("instance", "repeat", "measure", "value", "status", "message", "hash")
    }
    fields: list[dict[str, object]] = []
    unread: dict[str, None] = {}
    measures = _measures(header)
    samples = list(samples)
    for sample in samples:
        content = digest(sample.get("input"), sample.get("target"))
        metadata = flat(sample.get("metadata") or {}, "metadata.", depth=1)
        for name, value, status, message in _scores(sample, grades, unread, measures):
            fields.append(metadata)
            rows["instance"].append(str(sample["id"]))
            rows["repeat"].append(str(sample.get("epoch", 1)))
            rows["measure"].append(name)
            rows["value"].append(value)
            rows["status"].append(status)
            rows["message"].append(message)
            rows["hash"].append(content)
    length = len(rows["value"])
    if not any(rows["message"]):
        del rows["message"]
    kept = {
        key: cells for key, cells in columns_of(fields).items() if key == cluster or 1 < len(set(cells)) <= length // 2
    }
    headline = ((header.get("results") or {}).get("headline") or {}).get("scorer") or ""
    return ScorePart(
        {"task": [str(spec["task"])] * length, **rows, **kept} if length else {},
        model=str(spec["model"]),
        tool=TOOL,
        directions=dict.fromkeys(grades, True),
        settings=_settings(header),
        stamp=f"{header.get('status') == 'success':d} {spec.get('created', '')}",
        run=str(spec.get("task_id") or ""),
        cluster=cluster if cluster in kept else "",
        headline=headline if headline in rows["measure"] else "",
        notes=(*([f"scores in lists are not read: {', '.join(unread)}"] if unread else []),),
        doubts=tuple(_doubts(source, header)),
    )


def _measures(header: Mapping[str, Any]) -> dict[str, None]:
    """The scorers, as the log names them: a sample that failed has a score of none of them."""
    scorers = (header.get("results") or {}).get("scores") or header["eval"].get("scorers") or []
    return {str(each["name"]): None for each in scorers if isinstance(each, Mapping) and "name" in each}


def _scores(
    sample: Mapping[str, Any], grades: set[str], unread: dict[str, None], measures: Mapping[str, None]
) -> Iterator[tuple[str, float | None, str, str]]:
    """(measure, value, status, message) for each score of a sample; an error is no wrong answer."""
    error = sample.get("error")
    scores = sample.get("scores") or {}
    if error and not scores:
        message = error if isinstance(error, str) else str((error or {}).get("message", error))
        for name in measures:
            yield name, None, "error", message[:200]
        return
    for name, score in scores.items():
        value = score.get("value") if isinstance(score, Mapping) else score
        values = value if isinstance(value, Mapping) else {"": value}
        for key, each in values.items():
            measure = f"{name}.{key}" if key else name
            if isinstance(each, list):
                unread[measure] = None
                continue
            if isinstance(each, str | bool):
                grades.add(measure)
            number = graded(each)
            if number is not None and number != number:
                number = None
            yield measure, number, "" if number is not None else "unscored", ""


def _declared_cluster(spec: Mapping[str, Any]) -> str:
    for scorer in spec.get("scorers") or []:
        for metric in scorer.get("metrics") or [] if isinstance(scorer, Mapping) else []:
            options = (metric.get("options") or {}) if isinstance(metric, Mapping) else {}
            if options.get("cluster"):
                return f"metadata.{options['cluster']}"
    return ""


def _settings(header: Mapping[str, Any]) -> dict[str, str]:
    spec = header["eval"]
    config = spec.get("config") or {}
    steps = [step.get("solver") for step in (header.get("plan") or {}).get("steps") or []]
    settings = {
        "task version": spec.get("task_version"),
        "task arguments": spec.get("task_args") or None,
        "solver": ", ".join(map(str, steps)) or None,
        "limit": config.get("limit"),
        "epochs": config.get("epochs"),
        "generation": spec.get("model_generate_config") or None,
    }
    return {name: text_of(value) for name, value in settings.items()}


def _doubts(source: ScoreFile, header: Mapping[str, Any]) -> Iterator[CodedWarning]:
    status = header.get("status", "started")
    if status != "success" or header.get("invalidated"):
        what = "was invalidated" if status == "success" else f"has the status {status!r}"
        yield CodedWarning(
            "unfinished-log",
            f"{source.file} {what}: it may hold some of the samples only.",
            "Compare runs that are over, or say what becomes of samples without a score (--missing).",
        )


FORMAT = Format(
    name="inspect",
    title="an Inspect log",
    signs=(
        Sign(ZIP, ("header.json", "_journal/start.json"), certainty=3),
        Sign(ZIP, ("_journal/start.json",), certainty=2),
        Sign(JSON, ("eval", "eval.task", "eval.model", "status"), certainty=3),
    ),
    maps="instance = sample id, checked by input and target; repeat = epoch; task, learner = eval.task, eval.model; "
    "measure = scorer (C 1, P 0.5, I and N 0), the headline if none is asked for; cluster as a metric declares it; "
    "metadata.<key> for --cluster",
    drops="messages and events; scores in lists; older logs of one task id. Samples in error are kept as failures",
    read=read,
)
