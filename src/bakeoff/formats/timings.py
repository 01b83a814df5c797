"""Times: pytest-benchmark and hyperfine. What is drawn at random is a run of a process, not a round within it."""

from __future__ import annotations

from collections.abc import Iterable

from bakeoff.errors import InputError
from bakeoff.formats.format import JSON, TABLE, Format, ScorePart, Sign, text_of
from bakeoff.formats.sources import ScoreFile

_TIME = {"time": False}


def _pytest(source: ScoreFile) -> Iterable[ScorePart]:
    """A value a benchmark: the median of the rounds of this run. Several files of one name are several runs."""
    document = source.document
    machine = document["machine_info"]
    tasks = [str(each.get("fullname") or each["name"]) for each in document["benchmarks"]]
    values: list[object] = [float(each["stats"]["median"]) for each in document["benchmarks"]]
    return [
        ScorePart(
            {"task": list(tasks), "measure": ["time"] * len(tasks), "value": values},
            tool="pytest-benchmark",
            directions=_TIME,
            settings={
                "machine": text_of(machine.get("node")),
                "processor": text_of((machine.get("cpu") or {}).get("brand_raw")),
                "Python": text_of(machine.get("python_version")),
            },
            notes=(
                "each value is the median of the rounds of one run: rounds of one process are not independent, so "
                "several runs are needed to judge one benchmark (name=run1.json name=run2.json …)",
            ),
        )
    ]


def _hyperfine(source: ScoreFile) -> Iterable[ScorePart]:
    """Each time is that of a process of its own; commands share no runs."""
    if source.content.kind == TABLE:
        raise InputError(
            "hyperfine's CSV has means only. Write JSON, which keeps the times: hyperfine --export-json times.json.",
            source=source.name,
        )
    columns: dict[str, list[object]] = {name: [] for name in ("learner", "repeat", "measure", "value", "status")}
    for result in source.document["results"]:
        codes = result.get("exit_codes") or [0] * len(result["times"])
        for run, (seconds, code) in enumerate(zip(result["times"], codes, strict=True), start=1):
            status = "" if code == 0 else f"exit code {code}"
            for key, cell in zip(columns, (result["command"], str(run), "time", float(seconds), status), strict=True):
                columns[key].append(cell)
    return [ScorePart(columns, tool="hyperfine", directions=_TIME, unpaired=True, notes=("commands share no runs",))]


PYTEST = Format(
    name="pytest-benchmark",
    title="pytest-benchmark results",
    signs=(Sign(JSON, ("machine_info", "benchmarks", "benchmarks.stats"), certainty=3),),
    maps="task = fullname, value = median time of the rounds, learner = the file's name or name=path; the same name "
    "twice is two runs",
    drops="rounds, which are not independent of each other; all other statistics of them",
    read=_pytest,
)
HYPERFINE = Format(
    name="hyperfine",
    title="hyperfine results",
    signs=(
        Sign(JSON, ("results", "results.command", "results.times"), certainty=3),
        Sign(TABLE, ("command", "mean", "stddev", "user", "system"), certainty=3),
    ),
    maps="learner = command, repeat = run, value = time; commands are independent samples. A run with an exit code "
    "other than 0 is a failure",
    drops="means and user and system times; the CSV, which has no times, is refused",
    read=_hyperfine,
)
