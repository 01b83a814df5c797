"""The pages of `bakeoff serve`: each shows what public functions say of what its address asks."""

from __future__ import annotations

import logging
import re
import socket
import sys
import threading
from collections import Counter
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import asynccontextmanager, suppress
from importlib.resources import files as package_files
from inspect import signature
from pathlib import PurePosixPath
from typing import Any

import numpy as np
from anyio.to_thread import current_default_thread_limiter
from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import HTMLResponse, JSONResponse, RedirectResponse, Response
from fastapi.staticfiles import StaticFiles
from jinja2 import Environment, PackageLoader, StrictUndefined
from starlette.concurrency import run_in_threadpool
from starlette.exceptions import HTTPException

from bakeoff import __version__
from bakeoff.errors import BakeoffError, InputError, MisfitError, UsageError, nearest
from bakeoff.figures import charts
from bakeoff.formats.arena import VotesError
from bakeoff.inference.adjustments import ADJUSTMENTS
from bakeoff.judging.request import ALTERNATIVES
from bakeoff.judging.votes import CLUSTERS
from bakeoff.judging.wording import answer
from bakeoff.reports.designed import answer_of, figures_of
from bakeoff.reports.files import FORMS
from bakeoff.scores import Level, Missing, align
from bakeoff.scores.blocks import item_name
from bakeoff.text import number, to_json
from bakeoff.web import api, planning
from bakeoff.web.api import Book, Served, Space
from bakeoff.web.questions import (
    COLUMN_ROLES,
    DESIGN_FIGURES,
    EXPLORATORY,
    READING,
    AnswerBook,
    Question,
    bytes_of,
    kinds_of,
    preview,
)
from bakeoff.web.safety import FILE_POLICY, FORM_TOKEN, Guard, Rules
from bakeoff.web.wording import duration, spoken
from bakeoff.web.workspace import EXAMPLES, Passages, ServedStudy, Workspace

log = logging.getLogger("bakeoff.web")
MOST_ROWS = 300  # of a table on a page
MOST_INTERVALS = 60  # pairs in a figure of intervals that a page shows by itself
MOST_THREADS = 200
ITEMS = "items"  # a table where others are figures
_DECIDING = frozenset({"critical-difference", "intervals", "relations", "wins", "posterior", *DESIGN_FIGURES})
MEDIA = {
    "svg": "image/svg+xml", "pdf": "application/pdf", "png": "image/png", "csv": "text/csv", "json": "application/json",
    "html": "text/html", "tex": "text/x-tex", "md": "text/markdown", "txt": "text/plain", "bib": "text/x-bibtex",
    "toml": "application/toml",
}  # fmt: skip


def make_app(workspace: Workspace, rules: Rules) -> Any:
    """The application: pages and API behind the guard."""
    app = FastAPI(
        title="bakeoff", version=__version__, docs_url=None, redoc_url=None, openapi_url=f"{api.PREFIX}/openapi.json",
        description="Which method learns most from the data? Parameters are the words of the page's addresses.",
        lifespan=_many_readers,
    )  # fmt: skip
    app.state.answers, app.state.rules = AnswerBook(workspace), rules
    app.state.pages = _environment(rules)
    app.mount("/static", StaticFiles(directory=str(package_files("bakeoff") / "web" / "static")), name="static")
    app.include_router(api.router)
    for address, page in PAGES.items():
        app.add_api_route(address, page, include_in_schema=False, response_class=HTMLResponse)
    for address, action in ACTIONS.items():
        app.add_api_route(address, action, methods=["POST"], include_in_schema=False)
    for kind in (BakeoffError, HTTPException, RequestValidationError, Exception):
        app.add_exception_handler(kind, _refused)
    return Guard(app, rules)


@asynccontextmanager
async def _many_readers(app: FastAPI) -> AsyncIterator[None]:
    """Requests are answered in threads; those that wait for the same analysis must leave some for the others."""
    current_default_thread_limiter().total_tokens = MOST_THREADS
    yield


def _environment(rules: Rules) -> Environment:
    environment = Environment(
        loader=PackageLoader("bakeoff.web"), autoescape=True, undefined=StrictUndefined, trim_blocks=True,
        lstrip_blocks=True,
    )  # fmt: skip
    environment.globals.update(version=__version__, form_token=f"{FORM_TOKEN}={rules.form}", token=rules.form)
    environment.globals.update(most_megabytes=rules.most_bytes >> 20)
    environment.filters["duration"] = duration
    # Of α no capital: that would be read as an A.
    environment.filters["capitalise"] = lambda text: text[:1].upper() + text[1:] if text[:1].isascii() else text
    environment.filters["spoken"] = spoken
    return environment


def _page(request: Request, template: str, values: dict[str, Any], status: int = 200) -> HTMLResponse:
    return HTMLResponse(_rendered(request, template, values), status)


def _rendered(request: Request, template: str, values: dict[str, Any]) -> bytes:
    environment: Environment = request.app.state.pages
    return environment.get_template(template).render(here=request.url.path, **values).encode()


_PLAIN = {
    "Not Found": "There is no such page. What can be looked at is on the first one.",
    "Method Not Allowed": "This address is for looking, or for changing something, and was asked for the other.",
}
_REFUSED = "That is not possible"
_TITLES = {404: "Nothing is here", 413: "That is too much at once", 500: "Something went wrong"}


async def _refused(request: Request, error: Exception) -> Response:
    """A sentence instead of a traceback, on a page or as JSON."""
    status, sentence = 400, str(error)
    if isinstance(error, HTTPException):
        status = error.status_code
        sentence = _PLAIN.get(str(error.detail), str(error.detail))
    elif isinstance(error, RequestValidationError):
        status = 422
        messages = [f"{'.'.join(map(str, each['loc'][1:]))}: {each['msg']}" for each in error.errors()]
        sentence = f"The address cannot be understood: {'; '.join(messages)}."
    elif isinstance(error, MisfitError):
        status = 422
    elif not isinstance(error, BakeoffError):
        log.error("An error inside bakeoff, at %s", request.url.path, exc_info=error)
        status, sentence = 500, "Something went wrong inside bakeoff. The terminal that it was started in says more."
    answers: AnswerBook = request.app.state.answers
    sentence = answers.workspace.public(sentence)
    refusal = answers.workspace.refusal(error) if isinstance(error, BakeoffError) else [(sentence, ())]
    if request.url.path.startswith("/api/"):
        return JSONResponse({"error": sentence}, status)
    return _page(request, "refused.html", {"title": _TITLES.get(status, _REFUSED), "refusal": refusal}, status)


def _file(content: bytes | str, name: str, *, inline: bool = False) -> Response:
    """A file to show or to save, which can do nothing by itself."""
    ending = name.rpartition(".")[2]
    plain = re.sub(r"[^A-Za-z0-9._-]+", "-", name)
    headers = {"Content-Security-Policy": FILE_POLICY}
    headers["Content-Disposition"] = f'{"inline" if inline else "attachment"}; filename="{plain}"'
    return Response(content, media_type=MEDIA[ending], headers=headers)


# ----------------------------------------------------------------------------------------------------------------------
# The first page, and what is dropped on it.


def home(request: Request, book: Book) -> Response:
    space = book.workspace
    files, uploads, studies = space.files(), space.uploads(), space.studies()

    def make() -> bytes:
        rows = [{**space.progress(each), "where": each.where} for each in studies]
        values = {
            "folders": _by_folder(files),
            "uploads": uploads,
            "examples": {name: about for name, (_, about) in EXAMPLES.items()},
            "studies": rows,
        }
        values |= {"folder": "" if space.folder is None else space.folder.name, "title": "Which method learns most?"}
        return _rendered(request, "home.html", values)

    seen = tuple((each.id, each.name, space.stamp(each)) for each in studies)
    return HTMLResponse(book.cached(("home", tuple(files), tuple(each.id for each in uploads), seen), make))


def _by_folder(files: list[str]) -> list[tuple[str, int, list[tuple[str, str]]]]:
    """Folders, each with the number of files in and below it, and the path and name of those in it; first those that
    lie in none.

    >>> _by_folder(["a.csv", "runs/x/b.csv", "runs/y/c.csv"])[:2]
    [('', 3, [('a.csv', 'a.csv')]), ('runs', 2, [])]
    """
    within: dict[str, list[tuple[str, str]]] = {}
    below: Counter[str] = Counter()
    for path in files:
        folder, _, name = path.rpartition("/")
        within.setdefault(folder, []).append((path, name))
        above = [folder, *(str(each) for each in PurePosixPath(folder).parents if str(each) != ".")]
        below.update({"", *above})
    shown = [folder for folder, count in below.items() if folder in within or (count > 1 and folder)]
    return [(folder, below[folder], within.get(folder, [])) for folder in sorted(shown)]


async def drop(request: Request) -> Response:
    """Files that were dropped or chosen; on to what they say."""
    async with request.form(max_files=api.MOST_FILES, max_fields=20) as form:
        given = [each for each in form.getlist("files") if not isinstance(each, str)]
        dropped = [(each.filename or "", await each.read()) for each in given]
    answers: AnswerBook = request.app.state.answers
    kept = await run_in_threadpool(answers.workspace.keep, dropped)
    return RedirectResponse(f"/decide?of=upload:{kept.id}", 303)


# ----------------------------------------------------------------------------------------------------------------------
# Decide: what was read, the advice, the verdict, and the questions that can be asked of it.


def decide(request: Request, book: Book) -> Response:
    question = Question.from_query(request.query_params.multi_items()).without_drawing()
    return HTMLResponse(
        book.page(question, ("decide", question), lambda: _rendered(request, *_decide_page(question, book)))
    )


def _decide_page(question: Question, book: AnswerBook) -> tuple[str, dict[str, Any]]:
    """The template that shows what is decided, and its values."""
    values = _about(question, book)
    refusal: Passages = []
    try:
        scores = book.scores(question)
        measures = book.measures(question)
        values |= {"alignment": list(align(scores)._lines()), "measures": measures}
        values |= {"learners": scores.learners, "tasks": scores.tasks}
        if len(scores.measure.labels) > 1 and not question.get("measure") and not book.usual(question):
            return "measure.html", values
        if (race := book.race(question)) is not None:
            return "race.html", values | {"race": race, "table": race.table(), "unfinished": None}
        if book.asks_about_factors(question):
            return "design.html", values | _design_values(question, book)
        values |= _advice_values(question, book)
        values |= _verdict_values(question, book)
    except VotesError as error:
        return "votes.html", _vote_values(question, book, values, book.workspace.refusal(error))
    except BakeoffError as error:
        refusal = book.workspace.refusal(error)
    return "decide.html", values | {"settings": _settings(question, book), "refusal": refusal}


def _design_values(question: Question, book: AnswerBook) -> dict[str, Any]:
    """What is said of the factors of a design: its answer, figures and tables."""
    verdict = book.design(question)
    tables: list[tuple[Any, ...]] = []
    if verdict.effects:
        tables.append(("Effects", *verdict.effect_table(), 1))
    if verdict.screening is not None and verdict.sizes:
        tables.append(("Effects as differences between two halves of the settings", *verdict.screening_table(), 1))
    if verdict.trends:
        tables.append(("Straight and curved parts of numeric factors", *verdict.trend_table(), 2))
    tables += [(f"Mean {verdict.measure}", *verdict.cell_means(*pair), 1) for pair in verdict.shown_interactions]
    tables += [(f"Levels of {factor}", *one.table(MOST_ROWS), 3) for factor, one in verdict.levels.items()]
    tables += [(each.heading, *each.table(), 1) for each in verdict.curves]
    if not verdict.curves and verdict.noise is None:
        tables.append(("The best settings", *verdict.setting_table(), 1))
    words = {"x": "x", "group": "by", "task": "curve"}
    figures = []
    for kind, options in figures_of(verdict):
        drawn_question = question.saying(**{words[name]: value for name, value in options.items()})
        with suppress(BakeoffError):  # one factor has no interaction to draw
            figures.append(
                (kind, book.chart(drawn_question, kind).caption or DESIGN_FIGURES[kind], drawn_question.query)
            )
    settings = {"alpha": book.usual(question).get("alpha", 0.05), "policies": [each.value for each in Missing]}
    shown = {"design": verdict, "answer": answer_of(verdict), "tables": tables, "figures": figures}
    return shown | {"settings": settings}


def _vote_values(question: Question, book: AnswerBook, values: dict[str, Any], refusal: Passages) -> dict[str, Any]:
    """Votes between models, which have a ranking instead of a verdict; or else why they have none."""
    every, ranking, tables = Question(question.of), None, []
    try:
        ranking, refusal = book.votes(question), []
        tables = [("Where the models stand", *ranking.table(MOST_ROWS), 1)]
        tables.append(("Pair by pair", *ranking.pair_table(MOST_ROWS), 3))
    except InputError:
        pass  # there is more than votes in these files, which was said
    except BakeoffError as error:
        refusal = book.workspace.refusal(error)
    models = set(question.all("without"))
    for one in (every, question):
        with suppress(BakeoffError):
            models |= {each.name for each in book.votes(one).contestants}
    shown = {"ranking": ranking, "tables": tables, "refusal": refusal, "models": sorted(models)}
    changes = book.vote_changes(question)
    return values | shown | {"clusters": CLUSTERS, "plain": every.query, "changes": changes}


def _about(question: Question, book: AnswerBook) -> dict[str, Any]:
    """What is asked about, and its columns as they stand in the files."""
    study = book.study(question)
    names = book.names(question)
    columns: list[dict[str, Any]] = []
    if study is None:
        try:
            columns = preview(book.table(question), question)
        except BakeoffError:
            columns = []  # no table: what is wrong is said where the scores are read
    none: dict[str, Any] = {"alignment": [], "measures": (), "learners": (), "tasks": (), "advice": None}
    none |= {"verdict": None, "tables": (), "fitting": (), "unfinished": None}
    none |= {"title": names, "names": names}
    if study is not None and (state := book.workspace.progress(study))["left"]:
        none["unfinished"] = {"done": state["ok"] + state["failed"], "cells": state["cells"]}
    return {
        "question": question,
        "study": study,
        "columns": columns,
        "roles": COLUMN_ROLES,
        "reading": READING,
        **none,
    }


def _advice_values(question: Question, book: AnswerBook) -> dict[str, Any]:
    advice = book.advice(question)
    pairs = [c for c in advice.candidates if c.fits]
    return {"advice": advice, "fitting": pairs, "against": [c for c in advice.candidates if not c.fits]}


def _verdict_values(question: Question, book: AnswerBook) -> dict[str, Any]:
    verdict = book.verdict(question)
    header, cells = verdict.table(MOST_ROWS)
    learners = verdict.learner_table(MOST_ROWS)
    pairs = len(verdict.decisions)
    some = f"Pair by pair: the first {MOST_ROWS} of {number(pairs)}; pairs.csv has all"
    tables = [
        ("Where the learners stand", *learners, 1),
        ("Pair by pair" if pairs <= MOST_ROWS else some, header, cells, 3),
    ]
    for one in [] if verdict.description is None else verdict.description.tables():
        tables.append(("Beside that", *one))
    return {
        "verdict": verdict,
        "figures": _drawable(question, book, pairs),
        "tables": [each for each in tables if each[2]],
        "forms": FORMS,
        "answer": answer(verdict),
    }


def _drawable(question: Question, book: AnswerBook, pairs: int) -> dict[str, str]:
    """The figures of a verdict that can be drawn, each with why not if it cannot."""
    kinds = {}
    for kind in ("critical-difference", *(["intervals"] if pairs <= MOST_INTERVALS else [])):
        kinds[kind] = ""
        try:
            book.chart(question, kind)
        except BakeoffError as error:
            kinds[kind] = book.workspace.refusal(error)[0][0]
    return kinds


def _settings(question: Question, book: AnswerBook) -> dict[str, Any]:
    """What the controls offer, and what they begin with."""
    try:
        usual = book.usual(question)
    except BakeoffError:
        usual = {}
    return {
        "adjustments": list(ADJUSTMENTS),
        "alternatives": ALTERNATIVES,
        "levels": [each.value for each in Level],
        "policies": [each.value for each in Missing],
        "alpha": usual.get("alpha", 0.05),
        "margin": usual.get("margin", ""),
    }


# ----------------------------------------------------------------------------------------------------------------------
# Explore: figures of scores, verdict and predictions, with the tables behind them.


def explore(request: Request, book: Book) -> Response:
    question = Question.from_query(request.query_params.multi_items())
    return HTMLResponse(
        book.page(
            question, ("explore", question), lambda: _rendered(request, "explore.html", _explore_values(question, book))
        )
    )


def _explore_values(question: Question, book: AnswerBook) -> dict[str, Any]:
    groups: dict[str, Mapping[str, str]] = {of: kinds_of((of,)) for of in ("scores", "verdict", "predictions")}
    groups["single items"] = {ITEMS: "items that one learner broke, and items that it mended"}
    scores = book.scores(question)
    if scores.settings and book.study(question) is not None:
        groups["factors"] = {kind: about for kind, about in DESIGN_FIGURES.items() if kind not in groups["scores"]}
    paired = {ITEMS, *(kind for kind, chart in charts().items() if "pair" in signature(chart.of).parameters)}
    kinds = {kind: about for group in groups.values() for kind, about in group.items()}
    kind = question.get("kind") if question.get("kind") in kinds else next(iter(groups["scores"]))
    refusal: Passages = []
    chart, changed, names = None, None, book.names(question)
    several = len(scores.measure.labels) > 1 and not question.get("measure") and not book.usual(question)
    predicted = book.study(question) is not None or scores.predictions is not None
    alone = predicted and kind in groups["predictions"] and len(question.all("task")) != 1 and len(scores.tasks) > 1
    try:
        if several or alone:
            pass  # asked for below
        elif kind in paired:
            changed = _changed(question, book, kind)
        if kind != ITEMS and not several and not alone:
            chart = book.chart(question, kind)
    except BakeoffError as error:
        refusal = book.workspace.refusal(error)
    values = {
        "several": several,
        "alone": alone,
        "measures": book.measures(question),
        "question": question,
        "title": names,
        "names": names,
        "kind": kind,
        "groups": groups,
        "chart": chart,
    }
    values |= {"study": book.study(question), "refusal": refusal, "learners": scores.learners, "tasks": scores.tasks}
    return values | {"about": kinds[kind], "changed": changed, "paired": paired, **_behind(chart)}


def _behind(chart: Any) -> dict[str, Any]:
    """The table behind a figure without columns that say nothing, and which of its columns are text."""
    if chart is None:
        return {"header": [], "cells": [], "text": ()}
    frame = chart.to_frame().head(MOST_ROWS)
    cells = [[number(each) if isinstance(each, float) else str(each) for each in row] for row in frame.values.tolist()]
    filled = [i for i in range(len(frame.columns)) if any(row[i] for row in cells)]
    kept = [[row[i] for i in filled] for row in cells]
    text = [place for place, i in enumerate(filled) if any(isinstance(each, str) for each in frame.iloc[:, i])]
    return {"header": [str(frame.columns[i]) for i in filled], "cells": kept, "text": text}


def _changed(question: Question, book: AnswerBook, kind: str) -> dict[str, Any] | None:
    """Of two learners on single items: those that the second broke, and those that it mended."""
    try:
        case = book.case(question.saying(level="instances", first=None, second=None, kind=None))
        blocks = case.blocks(Level.INSTANCES)
    except BakeoffError as error:
        if kind != ITEMS:
            return None
        raise MisfitError(f"These data do not tell how the learners did on single items. {error}") from None
    sign = 1 if blocks.measure.larger_is_better else -1
    order = [blocks.learners[i] for i in np.argsort(-sign * blocks.values.mean(axis=0), kind="stable")]
    first = question.get("first") or next(name for name in order if name != question.get("second"))
    second = question.get("second") or next((name for name in order if name != first), first)
    if unknown := {first, second} - set(blocks.learners):
        raise UsageError(f"There is no learner {unknown.pop()!r} here. {nearest(first, blocks.learners)}")
    a, b = (blocks.values[:, blocks.learners.index(name)] for name in (first, second))
    names = [item_name(place) for place in blocks.places]
    broke = [name for name, worse in zip(names, sign * (b - a) < 0, strict=True) if worse]
    mended = [name for name, better in zip(names, sign * (b - a) > 0, strict=True) if better]
    same = len(names) - len(broke) - len(mended)
    return {"first": first, "second": second, "broke": broke, "mended": mended, "same": same}


# ----------------------------------------------------------------------------------------------------------------------
# Figures and files.


def figure(request: Request, name: str, book: Book) -> Response:
    """A figure by kind and form: /figure/critical-difference.svg?of=…"""
    kind, _, form = name.rpartition(".")
    question = Question.from_query(request.query_params.multi_items())
    width, fit = (request.query_params.get(name) for name in ("width", "fit"))
    content = _fitted(question, book, kind, form, fit) if fit else None
    if content is None:
        content = book.drawn(question, kind, form, _inches(width) if width else None)
    name = _exploratory(book, question) + f"{kind}.{form}" if kind in _DECIDING else f"{kind}.{form}"
    return _file(content, name, inline=request.query_params.get("save") is None)


def _fitted(question: Question, book: AnswerBook, kind: str, form: str, inches: str) -> bytes | None:
    """A figure that is drawn for so narrow a screen, with letters that are a little smaller if need be; None if it
    cannot be so narrow."""
    for times in (1.0, *((1.1, 1.2, 1.3) if form == "svg" else ())):
        with suppress(MisfitError, UsageError):
            drawn = book.drawn(question, kind, form, _inches(inches) * times)
            return drawn if times == 1.0 else _shrunk(drawn, times)
    return None


_SIZE = re.compile(rb'(<svg [^>]*?width=")([\d.]+)(pt" height=")([\d.]+)')


def _shrunk(svg: bytes, times: float) -> bytes:
    def smaller(match: re.Match[bytes]) -> bytes:
        wide, high = (f"{float(match[place]) / times:.2f}".encode() for place in (2, 4))
        return match[1] + wide + match[3] + high

    return _SIZE.sub(smaller, svg, count=1)


def _exploratory(book: AnswerBook, question: Question) -> str:
    """What the name of a file begins with if what is in it was not planned."""
    standing = book.standing(question.without_drawing())
    return "" if standing is None or standing.planned else "exploratory-"


def _inches(text: str) -> float:
    try:
        return float(text)
    except ValueError:
        raise UsageError(f"The width of a figure is a number of inches; found {text!r}.") from None


def download(request: Request, name: str, book: Book) -> Response:
    """The verdict as a file: /download/verdict.tex?of=…, or one of its tables: /download/pairs.csv?of=…"""
    stem, _, ending = name.rpartition(".")
    question = Question.from_query(request.query_params.multi_items()).without_drawing()
    if stem == "votes" and ending in ("json", "txt"):
        ranking = book.votes(question)
        marked = any(each.code == EXPLORATORY for each in ranking.warnings)
        content = ranking.to_json() if ending == "json" else f"{ranking.to_text(MOST_ROWS)}\n"
        return _file(content, f"exploratory-{name}" if marked else name)
    if f".{ending}" not in FORMS:
        raise UsageError(f"A verdict is written as {', '.join(FORMS)}; {ending!r} is none of them.")
    if stem == "race" and ending in ("json", "txt"):
        if (race := book.race(question)) is None:
            raise UsageError("The run of this study was not stopped when it was decided, or something else is asked.")
        return _file(to_json(race.to_dict()) if ending == "json" else f"{race.to_text()}\n", name)
    marked_name = _exploratory(book, question) + name
    if name == "report.html":
        return _file(book.report(question), marked_name)
    if stem in ("design", "effects"):
        return _file(book.design_file(question, ending), marked_name)
    return _file(book.file(question, ending, None if stem == "verdict" else stem), marked_name)


# ----------------------------------------------------------------------------------------------------------------------
# Studies: how far they are, and their runs.


def study(request: Request, each: Served, book: Book) -> Response:
    return HTMLResponse(
        book.cached(
            ("study", each, book.workspace.stamp(each)),
            lambda: _rendered(request, "study.html", _run_of(each, book.workspace)),
        )
    )


def _run_of(each: ServedStudy, space: Workspace) -> dict[str, Any]:
    """How far a study is, and its grid row by row."""
    state = space.progress(each)
    wide = len(state["learners"])
    rows = [(task, state["parts"][i * wide : (i + 1) * wide]) for i, task in enumerate(state["tasks"])]
    values = {"study": each, "state": state, "failures": space.failures(each), "may_stop": space.may_stop(each)}
    idle = ("running", "starting", "stopping", "finished", "decided", "not readable")
    return values | {"title": each.name, "rows": rows, "idle": idle}


def start(request: Request, each: Served, space: Space) -> Response:
    space.start(each, again=request.query_params.get("again") == "failed")
    return RedirectResponse(f"/study/{each.id}", 303)


def stop(each: Served, space: Space) -> Response:
    space.stop(each)
    return RedirectResponse(f"/study/{each.id}", 303)


# ----------------------------------------------------------------------------------------------------------------------
# Plan: how large an experiment must be, and the study file for it.


def plan(request: Request, book: Book) -> Response:
    return HTMLResponse(
        book.cached(("plan", request.url.query), lambda: _rendered(request, "plan.html", _plan_values(request)))
    )


def _plan_values(request: Request) -> dict[str, Any]:
    query = {name: value for name, value in request.query_params.items() if value}
    names = ("test", "n", "difference", "power", "sd", "alpha", "learners")
    given = {name: query[name] for name in names if name in query}
    refusal: Passages = []
    answer, builder = None, planning.study_described(request.query_params)
    if len(given) > 1:
        try:
            answer = planning.powered(given)
        except BakeoffError as error:
            refusal = list(error.passages)
    values = {"tests": planning.tests(), "said": query, "found": answer, "refusal": refusal, "query": request.url.query}
    return values | builder | {"title": "Plan"}


def power_figure(request: Request, name: str) -> Response:
    """The power curve of a plan: /plan/power.svg?test=…"""
    form = name.rpartition(".")[2]
    names = ("test", "n", "difference", "power", "sd", "alpha", "learners")
    given = {key: value for key, value in request.query_params.items() if value and key in names}
    if form not in ("svg", "pdf", "png"):
        raise UsageError("A power curve is drawn as svg, pdf or png.")
    width = request.query_params.get("width")
    content = bytes_of(planning.powered(given).plot(), form, _inches(width) if width else None)
    return _file(content, f"power.{form}", inline=request.query_params.get("save") is None)


def study_file(request: Request) -> Response:
    description = planning.study_described(request.query_params)
    if description["builder_refusal"]:
        raise UsageError(description["builder_refusal"])
    return _file(description["toml"], "study.toml")


def about_api(request: Request) -> Response:
    described = request.app.openapi()
    routes = [
        (address, method.upper(), what["summary"])
        for address, methods in described["paths"].items()
        for method, what in methods.items()
    ]
    return _page(request, "api.html", {"title": "The JSON API", "routes": routes})


PAGES: dict[str, Callable[..., Any]] = {
    "/": home,
    "/decide": decide,
    "/explore": explore,
    "/figure/{name}": figure,
    "/download/{name}": download,
    "/study/{id}": study,
    "/plan": plan,
    "/plan/study.toml": study_file,
    "/plan/{name}": power_figure,
    "/api": about_api,
}
ACTIONS: dict[str, Callable[..., Any]] = {"/files": drop, "/study/{id}/start": start, "/study/{id}/stop": stop}


# ----------------------------------------------------------------------------------------------------------------------


def listen(host: str, port: int) -> socket.socket:
    """A socket at that address; a sentence if there can be none."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    opened = socket.socket(family, socket.SOCK_STREAM)
    opened.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        opened.bind((host, port))
        opened.listen(2048)  # whoever is told the address may ask at once, and waits until there is somebody to answer
    except (OSError, OverflowError) as error:
        opened.close()
        reason = getattr(error, "strerror", None) or error
        raise UsageError(
            f"The server cannot listen at {host}, port {port}: {reason}. Choose another port; --port 0 is any free one."
        ) from None
    return opened


def serve(app: Any, opened: socket.socket) -> None:
    """Answer until Ctrl-C."""
    import uvicorn

    sys.setswitchinterval(0.001)  # who only reads should not wait long for a thread that computes
    threading.Thread(target=_warm_up, args=(app.app.state.answers,), daemon=True).start()
    config = uvicorn.Config(
        app, log_level="critical", access_log=False, server_header=False, proxy_headers=False, ws="none",
        timeout_graceful_shutdown=3,
    )  # fmt: skip
    uvicorn.Server(config).run(sockets=[opened])


def _warm_up(answers: AnswerBook) -> None:
    """Import what the first answer needs before anybody asks for it."""
    question = Question((f"example:{next(iter(EXAMPLES))}",))
    with suppress(BakeoffError):
        answers.verdict(question)
        answers.drawn(question, next(iter(kinds_of(("verdict",)))), "svg", None)
