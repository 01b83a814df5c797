"""promptfoo: results as JSON or JSONL. Repeats of a test carry other numbers: a test is known by what is in it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from bakeoff.errors import InputError
from bakeoff.formats.format import JSON, RECORDS, TABLE, Format, ScorePart, Sign, columns_of, digest, flat, occurrences
from bakeoff.formats.sources import ScoreFile

TOOL = "promptfoo"
_ERROR = 2  # failureReason: 0 none, 1 an assertion, 2 an error of the provider


def read(source: ScoreFile) -> Iterable[ScorePart]:
    if source.content.kind == TABLE:
        raise InputError(
            "promptfoo's CSV has neither errors nor repeats in it. Write JSON instead: promptfoo eval -o results.json.",
            source=source.name,
        )
    document = source.document
    rows = document if isinstance(document, list) else document["results"]["results"]
    return [_part([row for row in rows if isinstance(row, Mapping)])] if rows else []


def _part(rows: list[Mapping[str, Any]]) -> ScorePart:
    prompts = {_prompt(row) for row in rows}
    learners = [_learner(row, len(prompts) > 1) for row in rows]
    items = [_item(row) for row in rows]
    repeats = occurrences(zip(learners, items, strict=True))
    columns: dict[str, list[object]] = {
        name: [] for name in ("learner", "instance", "repeat", "measure", "value", "status", "message")
    }
    fields: list[dict[str, object]] = []
    named = list(dict.fromkeys(name for row in rows for name in row.get("namedScores") or {}))
    for row, learner, item, repeat in zip(rows, learners, items, repeats, strict=True):
        failed = row.get("failureReason") == _ERROR
        scores = row.get("namedScores") or {}
        values = {"pass": row.get("success"), "score": row.get("score"), **{name: scores.get(name) for name in named}}
        metadata = flat((row.get("testCase") or {}).get("metadata") or {}, "metadata.", depth=1)
        for name, value in values.items():
            fields.append(metadata)
            number = None if failed or not isinstance(value, bool | int | float) else float(value)
            cells = (learner, item, repeat, name, number, "error" if failed else "", _message(row) if failed else "")
            for key, cell in zip(columns, cells, strict=True):
                columns[key].append(cell)
    return ScorePart(
        {**columns, **columns_of(fields)},
        tool=TOOL,
        directions=dict.fromkeys(("pass", "score", *named), True),
        headline="pass",
        notes=(f"measures pass, score{''.join(f', {name}' for name in named)}: pass is read unless another is named",),
    )


def _learner(row: Mapping[str, Any], by_prompt: bool) -> str:
    provider = row.get("provider") or {}
    name = provider if isinstance(provider, str) else provider.get("label") or provider.get("id") or "?"
    return f"{name} | {_prompt(row)[:60]}" if by_prompt else str(name)


def _prompt(row: Mapping[str, Any]) -> str:
    prompt = row.get("prompt") or {}
    return str(prompt.get("label") or prompt.get("raw") or "") if isinstance(prompt, Mapping) else str(prompt)


def _item(row: Mapping[str, Any]) -> str:
    """A test by its description and variables: with --repeat its number changes, and nothing says that it is one."""
    case = row.get("testCase") or {}
    variables = row.get("vars") if row.get("vars") is not None else case.get("vars")
    description = case.get("description") or row.get("description") or "test"
    return f"{description} [{digest(variables, description)[:6]}]"


def _message(row: Mapping[str, Any]) -> str:
    return str(row.get("error") or (row.get("response") or {}).get("error") or "error")[:200]


FORMAT = Format(
    name="promptfoo",
    title="promptfoo results",
    signs=(
        Sign(JSON, ("evalId", "results", "results.results"), certainty=3),
        Sign(RECORDS, ("testIdx", "promptIdx", "success", "provider"), certainty=3),
        Sign(TABLE, ("Status", "Score", "Named Scores", "Grader Reason"), certainty=3),
    ),
    maps="learner = provider (and prompt, if there are several); instance = description and variables; repeat = the "
    "how many-th time; measures pass, score and named scores; metadata.<key> for --cluster",
    drops="outputs, costs, latencies. Provider errors (failureReason 2) are kept as failures, not as score 0",
    read=read,
)
