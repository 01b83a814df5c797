"""Times: pytest-benchmark, asv and hyperfine. What is drawn at random is a run of a process, not a round within it."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import product

from bakeoff.errors import InputError
from bakeoff.formats.format import JSON, TABLE, Format, ScorePart, Sign, text_of
from bakeoff.formats.sources import ScoreFile
from bakeoff.scores.design import Runs

_TIME = {"time": False}
_ONE_RUN = (
    "each value is the median of the rounds of one run: rounds of one process are not independent, so several runs are "
    "needed to judge one benchmark (name=run1.json name=run2.json …)"
)
_OWN_RUNS = ("each time is that of a process of its own; commands share no runs",)
_ASV = {"time": "time", "timeraw": "time", "mem": "memory", "peakmem": "memory"}  # by the start of a benchmark's name


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
            notes=(_ONE_RUN,),
        )
    ]


def _asv(source: ScoreFile) -> Iterable[ScorePart]:
    """A value a benchmark and combination of its parameters: what this run of this commit was timed at."""
    document = source.document
    place = {name: i for i, name in enumerate(document["result_columns"])}
    columns: dict[str, list[object]] = {name: [] for name in ("task", "measure", "value", "status")}
    for name, cells in document["results"].items():
        measure = _ASV.get(name.rpartition(".")[2].partition("_")[0])
        if measure is None:
            continue
        params = cells[place["params"]] if len(cells) > place["params"] else None
        labels = [f"({', '.join(map(str, each))})" if each else "" for each in product(*(params or []))]
        results = cells[place["result"]]
        values = results if isinstance(results, list) else [results] * len(labels)
        for label, value in zip(labels, values, strict=True):
            if value != value:  # NaN: this combination was skipped
                continue
            row = f"{name}{label}", measure, None if value is None else float(value), "failed" if value is None else ""
            for key, cell in zip(columns, row, strict=True):
                columns[key].append(cell)
    machine = document.get("params") or {}
    return [
        ScorePart(
            columns,
            model=f"{str(document['commit_hash'])[:8]} {document.get('env_name', '')}".strip(),
            tool="asv",
            directions={"time": False, "memory": False},
            headline="time",
            settings={
                "machine": text_of(machine.get("machine")),
                "processor": text_of(machine.get("cpu")),
                "Python": text_of(document.get("python")),
            },
            notes=(_ONE_RUN,),
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
    return [
        ScorePart(columns, tool="hyperfine", directions=_TIME, unpaired=True, runs=Runs.FIXED_SPLIT, notes=_OWN_RUNS)
    ]


PYTEST = Format(
    name="pytest-benchmark",
    title="pytest-benchmark results",
    signs=(Sign(JSON, ("machine_info", "benchmarks", "benchmarks.stats"), certainty=3),),
    maps="task = fullname, value = median time of the rounds, learner = the file's name or name=path; the same name "
    "twice is two runs",
    drops="rounds, which are not independent of each other; all other statistics of them",
    read=_pytest,
)
ASV = Format(
    name="asv",
    title="asv (airspeed velocity) results",
    signs=(Sign(JSON, ("commit_hash", "env_name", "result_columns", "results"), certainty=3),),
    maps="task = benchmark with its parameters, value = time or memory as asv reports it, learner = commit and "
    "environment; name=path gives another, and the same name twice is two runs",
    drops="samples and intervals of one process, which are not independent; skipped combinations; track_ benchmarks, "
    "whose direction is not in the file",
    read=_asv,
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
