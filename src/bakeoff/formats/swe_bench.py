"""SWE-bench: the report of a run. The model stands in the file's name, the repository in each instance's."""

from __future__ import annotations

from collections.abc import Iterable

from bakeoff.formats.format import JSON, Format, ScorePart, Sign
from bakeoff.formats.sources import ScoreFile


def read(source: ScoreFile) -> Iterable[ScorePart]:
    report = source.document
    failed = {key: report.get(key) or [] for key in ("error_ids", "infra_failure_ids", "ambiguous_failure_ids")}
    outcome: dict[str, tuple[float | None, str]] = {}
    for key in report.get("incomplete_ids") or []:
        outcome[key] = None, "incomplete"
    for key in [*(report.get("unresolved_ids") or []), *(report.get("empty_patch_ids") or [])]:
        outcome[key] = 0.0, ""
    for reason, keys in failed.items():
        outcome |= {key: (None, reason.removesuffix("_ids")) for key in keys}
    outcome |= dict.fromkeys(report["resolved_ids"], (1.0, ""))
    for key in report.get("completed_ids") or []:
        outcome.setdefault(key, (0.0, ""))
    n = len(outcome)
    return [
        ScorePart(
            {
                "instance": list(outcome),
                "repository": [repository(key) for key in outcome],
                "measure": ["resolved"] * n,
                "value": [value for value, _ in outcome.values()],
                "status": [status for _, status in outcome.values()],
            },
            model=_model(source.file),
            tool="SWE-bench",
            directions={"resolved": True},
            cluster="repository",
            notes=("instances without an answer (errors) are failures; the leaderboard counts them as unresolved",)
            if any(failed.values())
            else (),
        )
    ]


def repository(instance: str) -> str:
    """
    >>> repository("django__django-11099")
    'django/django'
    """
    return instance.rpartition("-")[0].replace("__", "/") or instance


def _model(file: str) -> str:
    """<model>.<run_id>.json; models have dots in their names, too.

    >>> _model("gpt-4.1.run1.json")
    'gpt-4.1'
    """
    stem = file.removesuffix(".json")
    return stem.rpartition(".")[0] or stem


FORMAT = Format(
    name="swe-bench",
    title="a SWE-bench report",
    signs=(Sign(JSON, ("resolved_ids", "submitted_ids"), certainty=3),),
    maps="instance; 1 if resolved, 0 if unresolved or without a patch; cluster = repository; learner from the file "
    "name <model>.<run>.json",
    drops="counts. Errors and failures of the infrastructure are kept as failures, incomplete ones as missing",
    read=read,
)
