"""SWE-bench: the report of a run. The model stands in the file's name, the repository in each instance's."""

from __future__ import annotations

from collections.abc import Iterable

from bakeoff.formats.format import JSON, Format, ScorePart, Sign
from bakeoff.formats.sources import ScoreFile


def read(source: ScoreFile) -> Iterable[ScorePart]:
    report = source.document
    # What may be a failure of the machinery, or of the patch (ambiguous_failure_ids), stays what its tests said.
    failed = {key: report.get(key) or [] for key in ("error_ids", "infra_failure_ids")}
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


def _of_instances(source: ScoreFile) -> Iterable[ScorePart]:
    """logs/run_evaluation/<run>/<model>/<instance>/report.json: an instance a file; what has none is not known here."""
    rows = [(key, each) for key, each in source.document.items() if isinstance(each, dict) and "resolved" in each]
    infra = [bool(each.get("infra_failure")) for _, each in rows]
    values = zip(rows, infra, strict=True)
    return [
        ScorePart(
            {
                "instance": [key for key, _ in rows],
                "repository": [repository(key) for key, _ in rows],
                "measure": ["resolved"] * len(rows),
                "value": [None if broken else float(bool(each["resolved"])) for (_, each), broken in values],
                "status": ["infra_failure" if broken else "" for broken in infra],
            },
            model=source.parts[-3] if len(source.parts) > 2 else "",
            tool="SWE-bench",
            directions={"resolved": True},
            cluster="repository",
            notes=(
                "reports of single instances: those without a patch or that ended in an error have none; the report of "
                "the run, <model>.<run>.json, has them",
            ),
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
    drops="counts. Errors and failures of the infrastructure are kept as failures, incomplete ones as missing; what "
    "may be either (ambiguous_failure_ids) is what its tests said",
    read=read,
)
INSTANCES = Format(
    name="swe-bench-instances",
    title="SWE-bench reports of single instances",
    signs=(Sign(JSON, ("*.resolved", "*.patch_exists", "*.patch_successfully_applied"), certainty=3),),
    maps="instance, 1 if resolved and 0 if not, cluster = repository; learner = the folder of the model, as in "
    "logs/run_evaluation/<run>/<model>/<instance>/report.json",
    drops="tests. Instances without a report are not known: the report of the run has them",
    read=_of_instances,
)
