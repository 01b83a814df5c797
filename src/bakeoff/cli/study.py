"""The commands that lead a study from its file to its results: init, plan, run, status, failures, export,
merge."""

from __future__ import annotations

import argparse
import signal
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from math import isnan
from pathlib import Path
from types import FrameType
from typing import TYPE_CHECKING, Any

from bakeoff.atomic_files import write_text
from bakeoff.cli.grammar import emit
from bakeoff.errors import BakeoffError, InputError, UsageError
from bakeoff.results.status import FailureGroup, FitNote, Part, Progress, failures, progress, remarks
from bakeoff.running.work import seconds
from bakeoff.store.database import Place, place_of
from bakeoff.store.reader import Reader
from bakeoff.study.file import TEMPLATE, read_study
from bakeoff.study.stored import recognise
from bakeoff.study.study import Analysis, Study
from bakeoff.text import clock, count, listing, text_table, to_json, to_json_value, wrapped

if TYPE_CHECKING:
    from bakeoff.study.run import Summary

# What runs studies, and what starts processes for it, is imported by the commands that do so: most only read.


def run_init(arguments: argparse.Namespace, rest: Sequence[str]) -> None:
    target = Path(arguments.file)
    if target.suffix != ".toml":
        raise UsageError(f"A study file ends in .toml; found {target.name!r}.")
    if target.exists() and not arguments.force:
        raise UsageError(f"{target} is there already. Name another file, or write over it with --force.")
    write_text(target, TEMPLATE.replace("study.toml", target.name))
    next_steps = "".join(f"\n  bakeoff {what}" for what in (f"plan {target}", f"run {target} -j 2", f"judge {target}"))
    print(f"{target} is written, and runs as it is:\n{next_steps}")


# ----------------------------------------------------------------------------------------------------------------------
# What the commands about studies have in common.


def study_of(arguments: argparse.Namespace) -> tuple[Study, Place]:
    """The study that a command names, and the file that keeps its results."""
    study = read_study(arguments.study)
    check_analyses(study, arguments.study)
    return study, store_of(arguments.store, arguments.study)


def store_of(named: str | None, source: str) -> Place:
    """The store that was named, or the file beside the study file."""
    return place_of(named) if named else Path(source).with_suffix(".sqlite")


def check_analyses(study: Study, source: str) -> None:
    """Refuse an analysis that could never be made, before hours are spent on its scores.

    Done here and not where the file is read, because running a study knows nothing of procedures.
    """
    for number, analysis in enumerate(study.analyses, 1):
        if analysis == Analysis(analysis.measure, alpha=analysis.alpha, margin=analysis.margin):
            continue  # nothing but what the study itself has checked
        from bakeoff.judging.request import validate_before_run

        request = {name: value for name, value in analysis.describe().items() if name != "procedure"}
        try:
            validate_before_run(analysis.procedure, [learner.name for learner in study.learners], **request)
        except UsageError as error:
            raise InputError(str(error), source=f"{source}, key analysis[{number}]") from error


def stored(study: Study, path: Place, source: str) -> Reader:
    """The store of a study that has been run at least once."""
    if not path.exists():
        raise InputError(
            f"Nothing is stored yet ({path} is not there). Run it first: bakeoff run {source}", source=source
        )
    reader = Reader(path)
    if changes := recognise(study, reader):
        others = len(reader.studies())
        reader.close()
        raise InputError(
            f"{path} holds {others} other version{'s' * (others != 1)} of a study, but not this one: "
            f"{'; '.join(map(str, changes))}. Run it, which keeps every cell that is the same: bakeoff run {source}",
            source=source,
        )
    if study.design is not None:
        from bakeoff.study.search import at_end

        vars(study)["key"] = at_end(study, reader).key  # with the steps that followed its first design
    return reader


# ----------------------------------------------------------------------------------------------------------------------
# `bakeoff plan`: what a study will run.


def run_plan(arguments: argparse.Namespace, rest: Sequence[str]) -> None:
    from bakeoff.cli.conduct import outlook_text
    from bakeoff.study.plan import plan

    study, store = study_of(arguments)
    planned = plan(study, store)

    ahead = [] if planned.stored else outlook_text(study)
    if arguments.json:
        emit(arguments, to_json({**planned.to_dict(), "outlook": ahead}))
        return
    emit(arguments, "\n\n".join([planned.to_text(), *([wrapped(" ".join(ahead))] if ahead else [])]))


# ----------------------------------------------------------------------------------------------------------------------
# `bakeoff run`: run a study, or what is left of it.


class FailedCellsError(BakeoffError):
    """The run is over, and some cells have no score."""

    exit_code = 4


class StoppedError(BakeoffError):
    """The run was stopped by its user."""

    exit_code = 130


def run_run(arguments: argparse.Namespace, rest: Sequence[str]) -> None:
    study, store = study_of(arguments)
    if arguments.until_decided or arguments.margin is not None or arguments.at_most is not None or arguments.bounded:
        from bakeoff.cli.conduct import until_decided

        until_decided(arguments, study, store)
        return
    only, budget = arguments.only or (), seconds(arguments.budget)
    if arguments.dry_run:
        if arguments.shard:
            raise UsageError("A dry run tells of the whole study. Leave --shard out, or leave --dry-run out.")
        print(dry_run(study, store, only, arguments.retry == "failed", arguments.again or ()))
        return
    from bakeoff.study.progress import Bars
    from bakeoff.study.run import run_study

    with _stopped_like_ctrl_c(), Bars(study, quiet=arguments.quiet) as bars:
        part: dict[str, Any] = {"only": only, "budget": budget, "again": arguments.again or ()}
        part |= {"engine": arguments.engine, "shard": arguments.shard}
        retry = arguments.retry == "failed"
        summary = run_study(study, store, workers=arguments.jobs, retry_failed=retry, watcher=bars, **part)
    if study.design is not None and not summary.left and not summary.interrupted and not only:
        summary = _steps(study, store, arguments, summary)
    for note in summary.notes:
        print(wrapped(f"Note  {note}", indent="  "))
    print(wrapped(summary_sentence(summary, str(store))))
    if summary.interrupted:
        raise StoppedError(f"stopped. What is finished is kept; go on with: bakeoff run {arguments.study}")
    if failed := summary.failed + summary.failed_before:
        raise FailedCellsError(
            f"{count(failed)} of {count(summary.cells)} cells failed. bakeoff failures {arguments.study} shows why; "
            "--retry failed tries them again."
        )
    more = summary.left > 0 or bool(only) or bool(arguments.shard)
    print(f"Next: bakeoff {'run' if more else 'judge'} {arguments.study}{' for the rest' if more else ''}")


def _steps(study: Study, store: Place, arguments: argparse.Namespace, first: Summary) -> Summary:
    """The steps that follow the first design of a response surface, told as they are taken."""
    from bakeoff.study.progress import Bars
    from bakeoff.study.run import run_study
    from bakeoff.study.search import follow, is_search

    if not is_search(study):
        return first
    summaries = [first]

    def run_one(extended: Study) -> Summary:
        with _stopped_like_ctrl_c(), Bars(extended, quiet=arguments.quiet) as bars:
            summaries.append(run_study(extended, store, workers=arguments.jobs, watcher=bars))
        return summaries[-1]

    print(wrapped(summary_sentence(first, str(store))))
    follow(study, store, run_one, lambda line: print(wrapped(line, indent="  ")))
    last = summaries[-1]
    new = sum(each.ok for each in summaries), sum(each.failed for each in summaries)
    took = sum(each.seconds for each in summaries)
    return replace(last, ok=new[0], failed=new[1], stored_before=first.stored_before, seconds=took)


def dry_run(study: Study, store: Place, only: Sequence[str], retry: bool, again: Sequence[str] = ()) -> str:
    """What a run would do, as a table: for each learner and task the cells that are left. Nothing is run."""
    from bakeoff.study.plan import plan
    from bakeoff.study.run import check_names, checked_part

    check_names(study, again)
    part_wanted = checked_part(study, only)
    names = {(study.fitted[i].name, study.tasks[j].name) for i, j in part_wanted} if part_wanted is not None else None
    planned = plan(study, store)
    left: dict[tuple[str, str], int | None] = {}
    for task, known in zip(study.tasks, planned.tasks, strict=True):
        for learner in study.learners:
            left[learner.name, task.name] = None if known.splits is None else known.splits * learner.fits
    if store.exists():
        with Reader(store) as reader:
            if study.key in {record.key for record in reader.studies()}:
                parts = progress(reader, study.key).parts
                left = {(part.learner, part.task): 0 for part in parts}
                for part in parts:
                    more = sum(part.failed.values()) if retry else 0
                    new = part.cells if part.learner in again else part.left + more
                    left[part.learner, part.task] = (left[part.learner, part.task] or 0) + new
    rows, total = [], 0
    for learner in study.learners:
        for task in study.tasks:
            cells = left[learner.name, task.name]
            if (names is None or (learner.name, task.name) in names) and cells != 0:
                rows.append([learner.name, task.name, "?" if cells is None else count(cells)])
                total += cells or 0
    if not rows:
        return "Nothing would be run: all cells of it are stored."
    unknown = " at least; some data are made by code, which only a run executes" if not planned.complete else ""
    head = f"{count(total)} cell{'s' * (total != 1)} would be run{unknown}. Nothing was run."
    return f"{wrapped(head)}\n\n{text_table(['learner', 'task', 'cells'], rows, left=2)}"


def summary_sentence(summary: Summary, store: str) -> str:
    """What the run did, in a sentence."""
    if summary.left == 0 and summary.ok + summary.failed == 0:
        stored = summary.cells - summary.failed_before
        which = f"All {count(stored)}" if not summary.failed_before else f"{count(stored)} of {count(summary.cells)}"
        failed = f" and {count(summary.failed_before)} failed before" if summary.failed_before else ""
        return f"{which} cells are stored in {store}{failed}; nothing was left to run."
    parts = [f"{count(summary.ok)} cell{'s' * (summary.ok != 1)} run in {clock(summary.seconds)}"]
    if summary.failed:
        parts.append(f"{count(summary.failed)} failed")
    if summary.stored_before:
        parts.append(f"{count(summary.stored_before)} {_were(summary.stored_before)} stored before")
    if summary.left:
        parts.append(f"{count(summary.left)} {'is' if summary.left == 1 else 'are'} left")
    return f"{', '.join(parts)}. Results: {store}"


def _were(number: int) -> str:
    return "was" if number == 1 else "were"


@contextmanager
def _stopped_like_ctrl_c() -> Iterator[None]:
    """A polite kill and a terminal that is closed stop a run as Ctrl-C does; under nohup the second is ignored."""

    def stop(number: int, frame: FrameType | None) -> None:
        raise KeyboardInterrupt

    numbers = [getattr(signal, name) for name in ("SIGTERM", "SIGHUP") if hasattr(signal, name)]
    heeded = [number for number in numbers if signal.getsignal(number) is not signal.SIG_IGN]
    before = {number: signal.signal(number, stop) for number in heeded}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


# ----------------------------------------------------------------------------------------------------------------------
# `bakeoff status`: how far a study is.


_MOST_REMARKS = 12


def run_status(arguments: argparse.Namespace, rest: Sequence[str]) -> None:
    study, path = study_of(arguments)
    with stored(study, path, arguments.study) as store:
        checked = store.check() if arguments.check else None
        state, notes = progress(store, study.key), remarks(store, study.key)
    if arguments.json:
        whole = {**_status_dict(state), "remarks": [to_json_value(remark) for remark in notes]}
        emit(arguments, to_json(whole if checked is None else {**whole, "checked": checked}))
        return
    assurance = (
        [] if checked is None else [f"All of {path} was read: its {count(checked)} values are what was written."]
    )
    emit(arguments, "\n\n".join([_status_text(state), *_remarks(notes), *assurance]))


def _status_text(state: Progress) -> str:
    learners = list(dict.fromkeys(part.learner for part in state.parts))
    tasks = list(dict.fromkeys(part.task for part in state.parts))
    by_learner = [_line(name, [part for part in state.parts if part.learner == name]) for name in learners]
    by_task = [_line(name, [part for part in state.parts if part.task == name]) for name in tasks]
    columns = ["cells", "done", "failed", "left", "seconds a cell"]
    last = state.runs[-1] if state.runs else None
    parts = [
        f"{count(state.ok)} of {count(state.cells)} cells are done, {count(state.failed)} failed, "
        f"{count(state.left)} are left{_time(state)}.",
        text_table(["learner", *columns], by_learner),
        text_table(["task", *columns], by_task),
    ]
    if last is not None:
        when = f"started {_moment(last.started)}" + (f", ended {_moment(last.finished)}" if last.finished else "")
        parts.append(f"{len(state.runs)} run{'s' * (len(state.runs) != 1)}; the last one: {last.state}, {when}.")
    return "\n\n".join(parts)


def _remarks(notes: list[FitNote]) -> list[str]:
    """What fits warned of, and what tuning chose, where they did."""
    parts = []
    for head, some in (("chosen by tuning", True), ("warnings of fits", False)):
        rows = [
            [remark.learner, remark.chosen or remark.text, count(remark.cells)]
            for remark in notes
            if bool(remark.chosen) is some
        ]
        if rows:
            hidden = f"\n… and {len(rows) - _MOST_REMARKS} more (--json shows all)" if len(rows) > _MOST_REMARKS else ""
            parts.append(text_table(["learner", head, "cells"], rows[:_MOST_REMARKS], left=2, most=80) + hidden)
    return parts


def _moment(stamp: str) -> str:
    """A moment without its fractions.

    >>> _moment("2026-11-15T23:59:25.843+00:00")
    '2026-11-15 23:59:25 UTC'
    """
    return f"{stamp[:19].replace('T', ' ')} UTC"


def _time(state: Progress) -> str:
    seconds = state.seconds_left
    return f": about {clock(seconds)} of work on one core" if state.left and seconds is not None else ""


def _line(name: str, parts: list[Part]) -> list[str]:
    failed = sum(sum(part.failed.values()) for part in parts)
    timed = [part.seconds for part in parts if not isnan(part.seconds)]
    mean = f"{sum(timed) / len(timed):.3g}" if timed else ""
    numbers = (
        sum(part.cells for part in parts),
        sum(part.ok for part in parts),
        failed,
        sum(part.left for part in parts),
    )
    return [name, *(count(number) for number in numbers), mean]


def _status_dict(state: Progress) -> dict[str, Any]:
    return {
        "study": state.study.key,
        "cells": state.cells,
        "by_status": state.by_status,
        "seconds_left": state.seconds_left,
        "parts": [
            {
                "task": part.task,
                "learner": part.learner,
                "cells": part.cells,
                "ok": part.ok,
                "failed": dict(part.failed),
                "left": part.left,
                "seconds": None if isnan(part.seconds) else part.seconds,
            }
            for part in state.parts
        ],
        "runs": [
            {"started": run.started, "finished": run.finished, "state": run.state, "workers": run.workers}
            for run in state.runs
        ],
    }


# ----------------------------------------------------------------------------------------------------------------------
# `bakeoff failures`: what went wrong in a study, grouped.


def run_failures(arguments: argparse.Namespace, rest: Sequence[str]) -> None:
    study, path = study_of(arguments)
    with stored(study, path, arguments.study) as store:
        groups = failures(store, study.key)
    if arguments.json:
        emit(arguments, to_json({"study": study.key, "failures": [_failures_dict(group) for group in groups]}))
        return
    if not groups:
        emit(arguments, "No cell failed.")
        return
    total = sum(group.count for group in groups)
    parts = [f"{count(total)} cell{'s' * (total != 1)} failed, in {len(groups)} group{'s' * (len(groups) != 1)}."]
    parts += [_failures_text(group, arguments.full) for group in groups]
    parts.append(f"Try them again with: bakeoff run {arguments.study} --retry failed")
    emit(arguments, "\n\n".join(parts))


def _failures_dict(group: FailureGroup) -> dict[str, Any]:
    examples = [{"where": example.where, **to_json_value(example)} for example in group.examples]
    return {**to_json_value(group), "examples": examples}


def _failures_text(group: FailureGroup, full: bool) -> str:
    example = group.examples[0]
    where = f"e.g. {example.where}, seed {example.seed}"
    tried = f", tried {example.tries} times" if example.tries > 1 else ""
    lines = [
        f"{count(group.count)} × {group.learner}: {group.status}",
        wrapped(group.message, indent="    "),
        wrapped(f"on {listing(group.tasks, 5)}; {where}{tried}", indent="    "),
    ]
    if full and example.detail:
        lines.append("\n".join(f"    | {line}" for line in example.detail.splitlines()))
    return "\n".join(line if line.startswith(" ") or i == 0 else f"    {line}" for i, line in enumerate(lines))


# ----------------------------------------------------------------------------------------------------------------------
# `bakeoff export`: all that is stored of a study, as tables for other tools.


def run_export(arguments: argparse.Namespace, rest: Sequence[str]) -> None:
    from bakeoff.results.export import export, format_of

    study, path = study_of(arguments)
    target, format_name = Path(arguments.output), arguments.format
    ending = format_of(target)
    if format_name is not None and ending not in (None, format_name):
        raise UsageError(f"--format {format_name} contradicts the ending of {target.name}. Leave one of them out.")
    with stored(study, path, arguments.study) as store:
        written = export(store, study.key, target, form=format_name or "parquet")
    print("\n".join(str(file) for file in written))


# ----------------------------------------------------------------------------------------------------------------------
# `bakeoff merge`: what several stores hold, in one.


def run_merge(arguments: argparse.Namespace, rest: Sequence[str]) -> None:
    from bakeoff.store.merging import merge
    from bakeoff.store.writer import Store

    target = place_of(arguments.output)
    places = [place_of(store) for store in arguments.store]
    for place in places:
        if str(place) == str(target):
            raise UsageError(f"{target} is to be merged into itself. Name another store with -o.")
        Reader(place).close()  # all of them can be read, before anything is written
    cells = 0
    with Store.open(target, create=True) as store:
        for place in places:
            with Reader(place) as source:
                merged = merge(store, source)
            cells += merged.cells
            new = f"{count(merged.cells)} new cells" if merged.cells else "nothing new"
            print(f"{place}: {new}")
    print(f"{count(cells)} cells were added to {target}. With --store {target} it is the store of the study.")
