"""DeepEval: a test run, with the metrics of each test case."""

from __future__ import annotations

from collections.abc import Iterable

from bakeoff.formats.format import JSON, Format, ScorePart, Sign, digest, occurrences
from bakeoff.formats.sources import ScoreFile

# Metrics of which less is better; of all others DeepEval's scores are larger for what is better.
_SMALLER = frozenset({"hallucination", "bias", "toxicity", "pii leakage", "misuse", "non-advice", "role violation"})


def read(source: ScoreFile) -> Iterable[ScorePart]:
    document = source.document.get("testRunData") or source.document
    cases = document["testCases"]
    marks = [digest(case.get("input"), case.get("expectedOutput")) for case in cases]
    names = [str(case.get("name") or "") for case in cases]
    unique = len(set(names)) == len(names) and all(names)
    items = names if unique else [f"case {mark}" for mark in marks]
    repeats = occurrences(items)
    columns: dict[str, list[object]] = {
        name: [] for name in ("instance", "repeat", "measure", "value", "status", "message", "hash")
    }
    for case, item, repeat, mark in zip(cases, items, repeats, marks, strict=True):
        for metric in case.get("metricsData") or []:
            error = metric.get("error")
            score = metric.get("score")
            value = None if error or not isinstance(score, bool | int | float) else float(score)
            row = (item, repeat, metric["name"], value, "error" if error else "", str(error or "")[:200], mark)
            for key, cell in zip(columns, row, strict=True):
                columns[key].append(cell)
    settings = document.get("hyperparameters") or {}
    model = document.get("identifier") or (settings.get("model") if isinstance(settings, dict) else "")
    measures = map(str, dict.fromkeys(columns["measure"]))
    return [
        ScorePart(
            columns if columns["value"] else {},
            model=str(model or ""),
            tool="DeepEval",
            directions={name: name.removesuffix(" [GEval]").strip().lower() not in _SMALLER for name in measures},
        )
    ]


FORMAT = Format(
    name="deepeval",
    title="a DeepEval test run",
    signs=(
        Sign(JSON, ("testCases", "testCases.metricsData"), certainty=3),
        Sign(JSON, ("testRunData", "testRunData.testCases"), certainty=3),
        Sign(JSON, ("testCases",), certainty=2),
    ),
    maps="instance = name of the test case, or its input where names repeat, checked by content; measure = metric; "
    "learner = identifier or hyperparameters.model",
    drops="reasons, costs, thresholds. A metric in error is a failure",
    read=read,
)
