"""The pages of `bakeoff serve`: each shows what public functions say of what its address asks."""

from __future__ import annotations

import logging
import re
import socket
import tomllib
from collections.abc import Callable, Sequence
from functools import partial
from importlib.resources import files as package_files
from pathlib import Path
from typing import Any

from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import HTMLResponse, JSONResponse, RedirectResponse, Response
from fastapi.staticfiles import StaticFiles
from jinja2 import Environment, PackageLoader, StrictUndefined
from starlette.concurrency import run_in_threadpool
from starlette.exceptions import HTTPException

from bakeoff import __version__
from bakeoff.errors import BakeoffError, MisfitError, UsageError
from bakeoff.inference.adjustments import ADJUSTMENTS
from bakeoff.judging.request import ALTERNATIVES
from bakeoff.judging.wording import answer
from bakeoff.power_analysis.methods import CLOSED
from bakeoff.procedures import procedures
from bakeoff.reports.files import FORMS
from bakeoff.scores import Level, Missing, align
from bakeoff.study.file import TEMPLATE, study_from
from bakeoff.tasks.sources import bundled_sets
from bakeoff.text import number
from bakeoff.web import api
from bakeoff.web.api import Known, Served, Space
from bakeoff.web.questions import COLUMN_ROLES, AnswerBook, Question, bytes_of, kinds_of, preview
from bakeoff.web.safety import FILE_POLICY, FORM_TOKEN, Guard, Rules
from bakeoff.web.workspace import EXAMPLES, Workspace

log = logging.getLogger("bakeoff.web")
MOST_ROWS = 300  # of a table on a page
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


def _environment(rules: Rules) -> Environment:
    made = Environment(
        loader=PackageLoader("bakeoff.web"), autoescape=True, undefined=StrictUndefined, trim_blocks=True,
        lstrip_blocks=True,
    )  # fmt: skip
    made.globals.update(version=__version__, form_token=f"{FORM_TOKEN}={rules.form}", token=rules.form)
    made.globals.update(most_megabytes=rules.most_bytes >> 20)
    made.filters["duration"] = _duration
    made.filters["capitalise"] = lambda text: text[:1].upper() + text[1:]
    return made


def _duration(seconds: float | None) -> str:
    """A time that is left, in words.

    >>> _duration(75), _duration(4000), _duration(None)
    ('1 min 15 s', '1 h 6 min', '')
    """
    if seconds is None:
        return ""
    whole = round(seconds)
    if whole < 60:
        return f"{whole} s"
    minutes, rest = divmod(whole, 60)
    return f"{minutes} min {rest} s" if minutes < 60 else f"{minutes // 60} h {minutes % 60} min"


def _page(request: Request, template: str, values: dict[str, Any], status: int = 200) -> HTMLResponse:
    environment: Environment = request.app.state.pages
    return HTMLResponse(environment.get_template(template).render(here=request.url.path, **values), status)


async def _refused(request: Request, error: Exception) -> Response:
    """A sentence instead of a traceback, on a page or as JSON."""
    status, sentence = 400, str(error)
    if isinstance(error, HTTPException):
        status = error.status_code
        sentence = "There is no such page." if error.detail == "Not Found" else str(error.detail)
    elif isinstance(error, RequestValidationError):
        status = 422
        told = [f"{'.'.join(map(str, each['loc'][1:]))}: {each['msg']}" for each in error.errors()]
        sentence = f"The address cannot be understood: {'; '.join(told)}."
    elif isinstance(error, MisfitError):
        status = 422
    elif not isinstance(error, BakeoffError):
        log.error("An error inside bakeoff, at %s", request.url.path, exc_info=error)
        status, sentence = 500, "Something went wrong inside bakeoff. The terminal that it was started in says more."
    answers: AnswerBook = request.app.state.answers
    sentence = answers.workspace.public(sentence)
    if request.url.path.startswith("/api/"):
        return JSONResponse({"error": sentence}, status)
    return _page(request, "refused.html", {"title": "Not possible", "sentence": sentence}, status)


def _file(content: bytes | str, name: str, *, inline: bool = False) -> Response:
    """A file to show or to save, which can do nothing by itself."""
    ending = name.rpartition(".")[2]
    plain = re.sub(r"[^A-Za-z0-9._-]+", "-", name)
    headers = {"Content-Security-Policy": FILE_POLICY}
    headers["Content-Disposition"] = f'{"inline" if inline else "attachment"}; filename="{plain}"'
    return Response(content, media_type=MEDIA[ending], headers=headers)


# ----------------------------------------------------------------------------------------------------------------------
# The first page, and what is dropped on it.


def home(request: Request, space: Space) -> Response:
    rows = [{**space.progress(each), "where": each.where, "may_run": each.file is not None} for each in space.studies()]
    values = {"files": space.files(), "uploads": space.uploads(), "examples": list(EXAMPLES), "studies": rows}
    values |= {"folder": "" if space.folder is None else space.folder.name, "title": "Which method learns most?"}
    return _page(request, "home.html", values)


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


def decide(request: Request, known: Known) -> Response:
    question = Question.from_query(request.query_params.multi_items()).without_drawing()
    values = _about(question, known)
    refusal = ""
    try:
        scores = known.scores(question)
        measures = known.measures(question)
        values |= {"alignment": list(align(scores)._lines()), "measures": measures}
        values |= {"learners": scores.learners, "tasks": scores.tasks}
        if len(scores.measure.labels) > 1 and not question.get("measure") and not known.usual(question):
            return _page(request, "measure.html", values)
        values |= _advised(question, known)
        values |= _judged(question, known)
    except BakeoffError as error:
        refusal = known.workspace.public(str(error))
    values |= {"settings": _settings(question, known), "refusal": refusal}
    return _page(request, "decide.html", values)


def _about(question: Question, known: AnswerBook) -> dict[str, Any]:
    """What is asked about, and its columns as they stand in the files."""
    served = known.study(question)
    names = known.names(question)
    columns: list[dict[str, Any]] = []
    if served is None:
        try:
            columns = preview(known.table(question), question)
        except BakeoffError:
            columns = []  # no table: what is wrong is said where the scores are read
    none: dict[str, Any] = {"alignment": [], "measures": (), "learners": (), "tasks": (), "advice": None}
    none |= {"verdict": None, "tables": (), "fitting": (), "document": None}
    none |= {"title": names, "names": names}
    return {"question": question, "study": served, "columns": columns, "roles": COLUMN_ROLES, **none}


def _advised(question: Question, known: AnswerBook) -> dict[str, Any]:
    advice = known.advice(question)
    pairs = [c for c in advice.candidates if c.fits]
    return {"advice": advice, "fitting": pairs, "against": [c for c in advice.candidates if not c.fits]}


def _judged(question: Question, known: AnswerBook) -> dict[str, Any]:
    verdict = known.verdict(question)
    header, cells = verdict.table(MOST_ROWS)
    learners = verdict.learner_table(MOST_ROWS)
    tables = [("Where the learners stand", *learners, 1), ("Pair by pair", header, cells, 3)]
    for one in [] if verdict.description is None else verdict.description.tables():
        tables.append(("Beside that", *one))
    return {
        "verdict": verdict,
        "tables": [each for each in tables if each[2]],
        "forms": FORMS,
        "answer": answer(verdict),
    }


def _settings(question: Question, known: AnswerBook) -> dict[str, Any]:
    """What the controls offer, and what they begin with."""
    try:
        usual = known.usual(question)
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


def explore(request: Request, known: Known) -> Response:
    question = Question.from_query(request.query_params.multi_items())
    kinds = kinds_of(("scores", "verdict", "predictions"))
    kind = question.get("kind") if question.get("kind") in kinds else next(iter(kinds_of(("scores",))))
    refusal, chart = "", None
    header: list[str] = []
    cells: list[list[Any]] = []
    scores = known.scores(question)
    try:
        chart = known.chart(question, kind)
        frame = chart.to_frame()
        header, cells = [str(name) for name in frame.columns], frame.head(MOST_ROWS).values.tolist()
    except BakeoffError as error:
        refusal = known.workspace.public(str(error))
    shown = [[number(each) if isinstance(each, float) else str(each) for each in row] for row in cells]
    groups = {of: kinds_of((of,)) for of in ("scores", "verdict", "predictions")}
    names = known.names(question)
    values = {"question": question, "title": names, "names": names, "kind": kind, "groups": groups, "chart": chart}
    values |= {"refusal": refusal, "header": header, "cells": shown, "learners": scores.learners, "tasks": scores.tasks}
    values |= {"about": kinds[kind], "changed": _changed(question, known)}
    return _page(request, "explore.html", values)


def _changed(question: Question, known: AnswerBook) -> dict[str, Any] | None:
    """Of two learners on single items: those that the second broke, and those that it mended."""
    first, second = question.get("first"), question.get("second")
    if not (first and second):
        return None
    try:
        case = known.case(question.saying(level="instances", first=None, second=None, kind=None))
        blocks = case.blocks(Level.INSTANCES)
    except BakeoffError:
        return None
    if not {first, second} <= set(blocks.learners):
        return None
    a, b = (blocks.values[:, blocks.learners.index(name)] for name in (first, second))
    sign = 1 if blocks.measure.larger_is_better else -1
    names = [name.removeprefix("instance ") for name in blocks.labels]
    broke = [name for name, worse in zip(names, sign * (b - a) < 0, strict=True) if worse]
    mended = [name for name, better in zip(names, sign * (b - a) > 0, strict=True) if better]
    return {"first": first, "second": second, "broke": broke, "mended": mended}


# ----------------------------------------------------------------------------------------------------------------------
# Figures and files.


def figure(request: Request, name: str, known: Known) -> Response:
    """A figure by kind and form: /figure/critical-difference.svg?of=…"""
    kind, _, form = name.rpartition(".")
    question = Question.from_query(request.query_params.multi_items())
    width = request.query_params.get("width")
    content = known.drawn(question, kind, form, _inches(width) if width else None)
    return _file(content, f"{kind}.{form}", inline=request.query_params.get("save") is None)


def _inches(text: str) -> float:
    try:
        return float(text)
    except ValueError:
        raise UsageError(f"The width of a figure is a number of inches; found {text!r}.") from None


def download(request: Request, name: str, known: Known) -> Response:
    """The verdict as a file: /download/verdict.tex?of=…, or one of its tables: /download/pairs.csv?of=…"""
    stem, _, ending = name.rpartition(".")
    question = Question.from_query(request.query_params.multi_items()).without_drawing()
    if f".{ending}" not in FORMS:
        raise UsageError(f"A verdict is written as {', '.join(FORMS)}; {ending!r} is none of them.")
    if name == "report.html":
        return _file(known.report(question), name)
    return _file(known.file(question, ending, None if stem == "verdict" else stem), name)


# ----------------------------------------------------------------------------------------------------------------------
# Studies: how far they are, and their runs.


def study(request: Request, each: Served, space: Space) -> Response:
    state = space.progress(each)
    values = {"study": each, "state": state, "failures": space.failures(each), "may_stop": space.may_stop(each)}
    rows = [
        (task, state["parts"][i * len(state["learners"]) : (i + 1) * len(state["learners"])])
        for i, task in enumerate(state["tasks"])
    ]
    return _page(request, "study.html", values | {"title": each.name, "rows": rows})


def start(each: Served, space: Space) -> Response:
    space.start(each)
    return RedirectResponse(f"/study/{each.id}", 303)


def stop(each: Served, space: Space) -> Response:
    space.stop(each)
    return RedirectResponse(f"/study/{each.id}", 303)


# ----------------------------------------------------------------------------------------------------------------------
# Plan: how large an experiment must be, and the study file for it.


def plan(request: Request) -> Response:
    said = {name: value for name, value in request.query_params.items() if value}
    names = ("test", "n", "difference", "power", "sd", "alpha", "learners")
    given = {name: said[name] for name in names if name in said}
    found, refusal, builder = None, "", _builder(request)
    if len(given) > 1:
        try:
            found = _powered(given)
        except BakeoffError as error:
            refusal = str(error)
    values = {"tests": _tests(), "said": said, "found": found, "refusal": refusal, "query": request.url.query}
    return _page(request, "plan.html", values | builder | {"title": "Plan"})


def _tests() -> dict[str, str]:
    """Tests whose power has a formula, so that a page need not wait."""
    cards = [each.card for each in procedures()]
    return {card.name: card.title for card in cards if card.power in CLOSED}


def _powered(given: dict[str, str]) -> Any:
    kinds: dict[str, Any] = {"n": int, "power": float, "sd": float, "alpha": float, "learners": int}
    said: dict[str, Any] = {}
    for name, text in given.items():
        try:
            said[name] = kinds.get(name, str)(text.replace(",", "."))
        except ValueError:
            raise UsageError(f"{name} takes a number; found {text!r}.") from None
    for name, most in (("n", 100_000), ("learners", 50)):
        if said.get(name, 2) > most or said.get(name, 2) < 2:
            raise UsageError(f"{name} lies between 2 and {most:,} here; found {said[name]:,}.")
    return api.planned(said.pop("test", next(iter(_tests()))), **said)


def power_figure(request: Request, name: str) -> Response:
    """The power curve of a plan: /plan/power.svg?test=…"""
    form = name.rpartition(".")[2]
    names = ("test", "n", "difference", "power", "sd", "alpha", "learners")
    given = {key: value for key, value in request.query_params.items() if value and key in names}
    if form not in ("svg", "pdf", "png"):
        raise UsageError("A power curve is drawn as svg, pdf or png.")
    content = bytes_of(_powered(given).plot(), form)
    return _file(content, f"power.{form}", inline=request.query_params.get("save") is None)


def _builder(request: Request) -> dict[str, Any]:
    """The study file that the form describes, checked; as `bakeoff init` writes it if nothing was changed."""
    said = request.query_params
    usual = tomllib.loads(TEMPLATE)
    values = {name: said.get(f"study.{name}") or str(usual[name]) for name in ("question", "seed", "alpha")}
    values["margin"] = said.get("study.margin", "")
    values["measures"] = said.get("study.measures") or ", ".join(usual["measures"])
    values["folds"] = said.get("study.folds") or str(usual["resampling"]["folds"])
    values["repeats"] = said.get("study.repeats", "")
    tasks = said.getlist("study.task") or [each["data"] for each in usual["task"]]
    refused = ""
    try:
        text = written_study(values, tasks)
        study_from(tomllib.loads(text), "study.toml", "study", Path())
    except BakeoffError as error:
        text, refused = "", str(error)
    known = list(bundled_sets())
    return {"toml": text, "builder": values, "chosen": tasks, "sets": known, "builder_refusal": refused}


def written_study(values: dict[str, str], tasks: Sequence[str]) -> str:
    """The template of `bakeoff init` with these values in their places."""
    from json import dumps

    quoted = partial(dumps, ensure_ascii=False)
    changed = {"question": quoted(values["question"])}
    for name, kind in (("seed", int), ("alpha", float), ("folds", int)):
        changed[name] = repr(_number(name, values[name], kind))
    changed["measures"] = quoted([each.strip() for each in values["measures"].split(",") if each.strip()])
    text = TEMPLATE
    for name, value in changed.items():
        text = _set(text, name, value)
    for name, kind in (("margin", float), ("repeats", int)):
        if values[name]:
            text = _set(text, f"# {name}", repr(_number(name, values[name], kind)), name)
    usual = [each["data"] for each in tomllib.loads(TEMPLATE)["task"]]
    if list(tasks) != usual:
        block = "\n\n".join(f"[[task]]\ndata = {quoted(name)}" for name in usual)
        text = text.replace(block, "\n\n".join(f"[[task]]\ndata = {quoted(name)}" for name in tasks))
    return text


def _set(text: str, name: str, value: str, new: str = "") -> str:
    """The text with another value behind a name; what follows it on the line stays where it was."""

    def replaced(match: re.Match[str]) -> str:
        old = match[2]
        return match[0] if old == value and not new else f"{new or name} = {value}{' ' * max(1, len(old) - len(value))}"

    line = re.compile(rf"^({re.escape(name)} = )(\[[^\n]*\]|\"[^\n]*\"|[^\s#]+)", re.MULTILINE)
    return re.sub(r" +$", "", line.sub(replaced, text, count=1), flags=re.MULTILINE)


def _number(name: str, text: str, kind: type) -> Any:
    try:
        return kind(text.replace(",", "."))
    except ValueError:
        raise UsageError(f"{name} takes a number; found {text!r}.") from None


def study_file(request: Request) -> Response:
    made = _builder(request)
    if made["builder_refusal"]:
        raise UsageError(made["builder_refusal"])
    return _file(made["toml"], "study.toml")


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

    config = uvicorn.Config(
        app, log_level="critical", access_log=False, server_header=False, proxy_headers=False, ws="none",
        timeout_graceful_shutdown=3,
    )  # fmt: skip
    uvicorn.Server(config).run(sockets=[opened])
