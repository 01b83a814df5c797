"""The experiment behind a report: a stored study as blocks of a page. Nothing of the study is run for it."""

from __future__ import annotations

from collections.abc import Iterator
from math import isnan
from pathlib import Path
from typing import Any

from bakeoff import text as show
from bakeoff.reports.page import FoldedBlock, Grid, Items, Listing, PageFile, Words, csv_text
from bakeoff.reports.report import Experiment
from bakeoff.results.status import FailureGroup, Progress, RunRecord, failures, progress
from bakeoff.store.reader import Reader
from bakeoff.study.plan import Plan, plan, planned_sentences
from bakeoff.study.study import Study

MOST_SETTINGS = 100  # rows of a design matrix that are shown; its file has all


def experiment_of(study: Study, store: Reader, source: str, ahead: tuple[Any, ...] = ()) -> Experiment:
    """What a report tells of a stored study; `source` is its file."""
    state, planned = progress(store, study.key), plan(study, run=True)
    sizes = f"{show.counted(len(study.learners), 'learners')} on {show.counted(len(study.tasks), 'tasks')}"
    done = f"{show.count(state.ok)} of {show.count(state.cells)} cells are done"
    return Experiment(
        title=study.question or f"Study {study.name}",
        source=f"Study {source}: {sizes}; {done}.",
        design=tuple(_design(study, planned, state)),
        failures=tuple(_failures(failures(store, study.key), source)),
        reproduce=tuple(_reproduce(study, state, source)),
        tuned=any(learner.tuning is not None for learner in study.learners),
        ahead=ahead,
    )


def _design(study: Study, planned: Plan, state: Progress) -> Iterator[Any]:
    cells, fits = show.count(state.cells), show.count(planned.fits)
    yield Items(
        (
            ("Splits", planned.resampling),
            ("Measures", f"{', '.join(study.measure_names)} (the first is the primary one)"),
            ("Cells", f"{cells}: one learner on one split each; {fits} fits, tuning included"),
            ("Seed", f"{study.seed}: splits and seeds of learners follow from it"),
            ("Order", "all learners of a split are run together; scores do not depend on the order"),
            *(("Planned", sentence) for sentence in planned_sentences(study)),
        )
    )
    header, rows = planned.task_table()
    yield Grid("The data.", tuple(header), tuple(map(tuple, rows)), left=2)
    if study.design is None:
        header, rows = planned.learner_table()
        seconds = _seconds(state)
        timed = tuple((*row, seconds.get(row[0], "")) for row in rows)
        yield Grid("The learners.", (*header, "seconds a cell"), timed, left=2)
    else:
        yield from _matrix(study, state)
    if planned.warnings:
        yield Items(planned.warnings)
    yield from _runs(state.runs)


def _matrix(study: Study, state: Progress) -> Iterator[Any]:
    """The design matrix, what it sees, what it mixes up, and what it does not see."""
    yield Words(study.design.sentence)
    if seen := tuple(study.design.about_visibility()):
        yield Items(seen)
    header, rows = study.design.matrix()
    seconds = _seconds(state)
    timed = [(*row, seconds.get(name, "")) for row, name in zip(rows, study.design.settings, strict=True)]
    file = PageFile("design.csv", "CSV", csv_text((*header, "seconds a cell"), timed), "text/csv")
    hidden = (f"{len(timed) - MOST_SETTINGS} more are in the file.",) if len(timed) > MOST_SETTINGS else ()
    yield Grid("The design matrix.", (*header, "seconds a cell"), tuple(timed[:MOST_SETTINGS]), 1, hidden, file=file)
    aliased = [[each.name, *each.aliases] for each in study.design.aliases]
    if aliased:
        rows = [(names[0], ", ".join(names[1:])) for names in aliased]
        yield Grid(
            "The alias structure: what no number of replicates tells apart.",
            ("effect", "is aliased with"),
            tuple(rows),
            2,
        )


def _seconds(state: Progress) -> dict[str, str]:
    spent: dict[str, list[float]] = {}
    for part in state.parts:
        if not isnan(part.seconds):
            spent.setdefault(part.learner, []).append(part.seconds)
    return {name: show.number(sum(some) / len(some), 3) for name, some in spent.items()}


def _runs(runs: tuple[RunRecord, ...]) -> Iterator[Any]:
    if not runs:
        return
    rows = tuple(
        (_moment(run.started), _moment(run.finished or ""), run.state, str(run.workers), str(run.threads))
        for run in runs
    )
    yield Grid("When it was run.", ("started", "ended", "state", "processes", "threads each"), rows, left=3)
    last = runs[-1].environment
    facts = {
        "System": last.get("system"),
        "Processor": f"{last.get('processor', 'not known')}, {last.get('cores', '?')} cores",
        "Memory": _memory(last.get("memory")),
        "Graphics": ", ".join(map(str, last.get("gpus") or ())),
        "Python": last.get("python"),
    }
    yield Items(tuple((name, str(fact)) for name, fact in facts.items() if fact))
    packages = last.get("packages", {})
    if packages:
        listed = "\n".join(f"{name}=={version}" for name, version in packages.items()) + "\n"
        file = PageFile("requirements.txt", "requirements.txt", listed)
        yield FoldedBlock("Versions of all packages", (Listing(listed, file),))


def _moment(stamp: str) -> str:
    return f"{stamp[:19].replace('T', ' ')} UTC" if stamp else ""


def _memory(size: Any) -> str:
    return f"{size / 2**30:.1f} GiB" if isinstance(size, int) else ""


def _failures(groups: list[FailureGroup], source: str) -> Iterator[Any]:
    if not groups:
        yield Words("No cell failed.")
        return
    rows = tuple(
        (group.learner, group.status, group.message, show.listing(list(group.tasks), 5), str(group.count))
        for group in groups
    )
    yield Grid("Cells that failed.", ("learner", "status", "message", "on", "cells"), rows, left=4)
    yield Words(
        f"What became of their scores is the choice of the analysis; `bakeoff failures {source}` tells more.", "note"
    )


def _reproduce(study: Study, state: Progress, source: str) -> Iterator[Any]:
    name = Path(source).name
    yield Listing(f"bakeoff run {name}\nbakeoff judge {name}\nbakeoff report {name} -o report.html")
    environment = state.runs[-1].environment if state.runs else {}
    facts = [("Study", f"{study.key} (hash of all that decides the scores)")]
    if environment.get("commit"):
        facts.append(("Commit", str(environment["commit"])))
    yield Items(tuple(facts))
    hashes = environment.get("data", {})
    if hashes:
        rows = tuple((str(task), str(value)) for task, value in hashes.items())
        yield FoldedBlock("Hashes of the data", (Grid("Content of the data, hashed.", ("task", "hash"), rows, left=2),))
    try:
        text = Path(source).read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError):
        return
    yield FoldedBlock("The study file", (Listing(text, PageFile(name, name, text)),))
