"""`bakeoff checklist`: what reviewers ask, answered for a file of scores, a stored study or a verdict."""

from __future__ import annotations

import argparse
import json
import shlex
from collections.abc import Sequence
from math import nan

from sqlalchemy import select

from bakeoff.cli.compare import kept_verdict, measure_of, request_of, scores_of
from bakeoff.cli.grammar import check_output, emit
from bakeoff.cli.results import verdict_of
from bakeoff.cli.study import stored, study_of
from bakeoff.errors import UsageError
from bakeoff.judging import Verdict, judge
from bakeoff.reports.checklist import Compute, checklist_of
from bakeoff.reports.files import in_ending
from bakeoff.reports.manuscript import as_text
from bakeoff.results.status import progress
from bakeoff.store.reader import Reader
from bakeoff.store.schema import run
from bakeoff.study.study import Study
from bakeoff.text import to_json


def run_checklist(arguments: argparse.Namespace, rest: Sequence[str]) -> None:
    check_output(arguments, forms=True)
    verdict, compute, typed = _verdict(arguments)
    checklist = checklist_of(verdict, compute, typed)
    if arguments.json:
        items = [{"question": each.heading, "answer": each.text} for each in checklist.sections]
        (table,) = checklist.tables
        sources = [dict(zip(("source", "covered", "why"), row, strict=True)) for row in table.data]
        emit(arguments, to_json({"answer": checklist.answer, "items": items, "sources": sources}))
        return
    emit(arguments, as_text(checklist).rstrip("\n"), lambda ending: in_ending(checklist, ending))


def _verdict(arguments: argparse.Namespace) -> tuple[Verdict, Compute | None, str]:
    """The verdict on what was named, what it took to compute it, and the command that gives it."""
    if (kept := kept_verdict(arguments.file)) is not None:
        return kept, None, ""
    quoted = " ".join(shlex.quote(str(file)) for file in arguments.file)
    if str(arguments.file[0]).endswith(".toml"):
        arguments.study, arguments.store = arguments.file[0], None
        study, path = study_of(arguments)
        wanted = arguments.measure
        planned = [each for each in study.analyses if not wanted or list(each.measures) == wanted]
        if not planned:
            raise UsageError(f"The study plans no analysis of {', '.join(wanted)}: leave --measure out, or plan one.")
        with stored(study, path, arguments.study) as store:
            verdict, _ = verdict_of(planned[0], study, store, arguments.anyway)
            return verdict, _compute(study, store), f"bakeoff run {quoted}; bakeoff judge {quoted}"
    scores = scores_of(arguments)
    request = {**request_of(arguments), "procedure": arguments.procedure, "margin": arguments.margin}
    verdict = judge(scores, measure=measure_of(arguments, scores), **request)
    measure = f" --measure {shlex.quote(verdict.finding.measure.name)}"
    return verdict, None, f"bakeoff compare {quoted}{measure} --with {verdict.finding.procedure}"


def _compute(study: Study, store: Reader) -> Compute:
    state = progress(store, study.key)
    timed = [(part.ok, part.seconds) for part in state.parts if part.seconds == part.seconds]
    with store.snapshot() as connection:
        query = select(run.c.environment).where(run.c.study == state.study.id).order_by(run.c.id.desc()).limit(1)
        rows = connection.execute(query).all()
    return Compute(
        cells=state.cells,
        failed=state.failed,
        left=state.left,
        seconds=sum(cells * seconds for cells, seconds in timed) if timed else nan,
        seed=study.seed,
        tuned=any(learner.tuning is not None for learner in study.learners),
        machine=json.loads(rows[0].environment) if rows else {},
    )
