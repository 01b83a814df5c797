"""`bakeoff report`: a page of HTML about scores, a stored study, or a verdict that was kept. `bakeoff checklist`: what
reviewers ask, answered."""

from __future__ import annotations

import argparse
import json
import shlex
from collections.abc import Sequence
from hashlib import sha256
from math import nan
from pathlib import Path
from typing import TYPE_CHECKING, Any

from sqlalchemy import select

from bakeoff.cli.compare import kept_verdict, measure_of, options_of, request_of, scores_of, split_options, weights_of
from bakeoff.cli.grammar import check_output, emit
from bakeoff.cli.results import (
    ALL,
    Only,
    asks_about_factors,
    design_verdicts,
    is_multivariate,
    next_for,
    requested_analyses,
    verdict_of,
)
from bakeoff.cli.study import stored, study_of
from bakeoff.errors import InputError, UsageError
from bakeoff.judging import judge
from bakeoff.judging.case import Case
from bakeoff.judging.judgment import verdict_on
from bakeoff.judging.request import Request
from bakeoff.judging.verdict import SCHEMA, Verdict
from bakeoff.procedures import procedure_named
from bakeoff.reports.checklist import Compute, checklist_of
from bakeoff.reports.experiment import experiment_of
from bakeoff.reports.files import in_ending, verdict_from
from bakeoff.reports.manuscript import as_text
from bakeoff.reports.page import Items, Listing, Words
from bakeoff.reports.report import Experiment, save_page, save_report
from bakeoff.results.status import progress
from bakeoff.store.database import Place
from bakeoff.store.reader import Reader
from bakeoff.store.schema import run
from bakeoff.study.study import Study
from bakeoff.text import to_json

if TYPE_CHECKING:
    from bakeoff.conduct.next_run import NextRun


_BLOCK = 1 << 20


def run_report(arguments: argparse.Namespace, rest: Sequence[str]) -> None:
    target = Path(arguments.output)
    if target.suffix.lower() not in (".html", ".htm"):  # before anything is computed for it
        raise UsageError(f"A report is a page of HTML: its name ends in .html; found {target.name!r}.")
    first = Path(arguments.file[0])
    if first.suffix.lower() == ".toml":
        _report_study(arguments, rest, target)
    elif first.suffix.lower() == ".json" and first.is_file() and SCHEMA.encode() in first.read_bytes():
        verdicts = _kept(first)
        save_report(verdicts, target, experiment=Experiment(reproduce=tuple(_typed(arguments, rest))))
    else:
        _report_scores(arguments, rest, target)
    print(f"Report:  {target}")


def _kept(path: Path) -> list[Verdict]:
    """The verdicts in a file of JSON."""
    try:
        document = json.loads(path.read_text(encoding="utf-8"))
    except ValueError as error:
        raise InputError(f"It is no JSON: {error}.", source=str(path)) from None
    held = document.get("verdicts") if isinstance(document, dict) else None
    return [verdict_from(each, str(path)) for each in (held if isinstance(held, list) else [document])]


def _report_scores(arguments: argparse.Namespace, rest: Sequence[str], target: Path) -> None:
    for name, usual in _USUAL.items():
        if getattr(arguments, name) is None:
            setattr(arguments, name, usual)
    card = procedure_named(arguments.procedure).card if arguments.procedure else None
    options = options_of(arguments, card, split_options(arguments, rest)) | weights_of(arguments)
    scores = scores_of(arguments)
    measure = measure_of(arguments, scores)
    request = {"measure": measure, "margin": arguments.margin, **request_of(arguments)}
    verdict = verdict_on(Case(scores, Request.of(arguments.procedure, options=options, **request)))
    if measure is not None:
        scores = scores.only(measure=measure)
    save_report([verdict], target, scores, Experiment(reproduce=tuple(_typed(arguments, rest))))


def _report_study(arguments: argparse.Namespace, rest: Sequence[str], target: Path) -> None:
    arguments.study = arguments.file[0]
    if len(arguments.file) > 1:
        raise UsageError(f"A report is about one study; {len(arguments.file)} files are named.")
    study, path = study_of(arguments)
    if study.design is not None and asks_about_factors(arguments, rest):
        _report_factors(arguments, study, path, target)
        return
    analyses = [each for each in requested_analyses(arguments, rest, study) if not is_multivariate(each)]
    if not analyses:
        raise UsageError("All analyses are about several measures at once; a report is about one: --measure NAME.")
    only = Only(arguments.task, arguments.learner, arguments.without)
    with stored(study, path, arguments.study) as store:
        outcomes = [verdict_of(each, study, store, arguments.anyway, only) for each in analyses]
        ahead = () if only != ALL else ahead_blocks(next_for(study, store, *outcomes[0], arguments.study))
        verdicts, scores = [verdict for verdict, _ in outcomes], outcomes[0][1]
        save_report(verdicts, target, scores, experiment_of(study, store, arguments.study, ahead))


def _report_factors(arguments: argparse.Namespace, study: Study, path: Place, target: Path) -> None:
    """A page about the effects of a design's factors."""
    from bakeoff.reports.designed import design_report_of

    with stored(study, path, arguments.study) as store:
        study, by_measure = design_verdicts(arguments, study, store)
        ahead = () if arguments.task else ahead_blocks(next_for(study, store, *by_measure[0], arguments.study))
        page = design_report_of(
            [verdict for verdict, _ in by_measure], experiment_of(study, store, arguments.study, ahead)
        )
    save_page(page, target)


def ahead_blocks(ahead: Sequence[NextRun]) -> tuple[Any, ...]:
    """What to run next as blocks of a page."""
    blocks: list[Any] = []
    for each in ahead:
        blocks.append(Words(each.what))
        lines = [*([f"# in the study file: {each.change}"] if each.change else []), *filter(None, [each.command])]
        blocks += [Listing("\n".join(lines))] if lines else []
    return tuple(blocks)


# What a request for scores is where nothing is said; of a study it is what that planned.
_USUAL: dict[str, Any] = {"alpha": 0.05, "alternative": "two-sided", "missing": "error"}


def _typed(arguments: argparse.Namespace, rest: Sequence[str]) -> list[Any]:
    """The command again, and what the files were."""
    words = ["bakeoff", "report", *map(str, arguments.file)]
    named = [
        action for action in arguments.grammar._actions if action.option_strings and action.help != argparse.SUPPRESS
    ]
    for action in named:
        value = getattr(arguments, action.dest, None)
        if value in (None, False, action.default, _USUAL.get(action.dest)):
            continue
        flag = max(action.option_strings, key=len)
        for each in value if isinstance(value, list) else [value]:
            words += [flag] if action.nargs == 0 else [flag, str(each)]
    known = [name for name in arguments.file if Path(name).is_file()]
    hashes = tuple((Path(name).name, f"SHA-256 {_hash(Path(name))}") for name in known)
    return [Listing(shlex.join([*words, *rest])), *([Items(hashes)] if hashes else [])]


def _hash(path: Path) -> str:
    digest = sha256()
    with path.open("rb") as file:
        while part := file.read(_BLOCK):
            digest.update(part)
    return digest.hexdigest()


# ----------------------------------------------------------------------------------------------------------------------
# `bakeoff checklist`: what reviewers ask, answered for a file of scores, a stored study or a verdict.


def run_checklist(arguments: argparse.Namespace, rest: Sequence[str]) -> None:
    check_output(arguments, forms=True)
    verdict, compute, typed = _reviewed(arguments)
    checklist = checklist_of(verdict, compute, typed)
    if arguments.json:
        items = [{"question": each.heading, "answer": each.text} for each in checklist.sections]
        (table,) = checklist.tables
        sources = [dict(zip(("source", "covered", "why"), row, strict=True)) for row in table.data]
        emit(arguments, to_json({"answer": checklist.answer, "items": items, "sources": sources}))
        return
    emit(arguments, as_text(checklist).rstrip("\n"), lambda ending: in_ending(checklist, ending))


def _reviewed(arguments: argparse.Namespace) -> tuple[Verdict, Compute | None, str]:
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
