"""The page's JSON API, versioned, and described by OpenAPI at /api/v1/openapi.json.

Its parameters are the words of the page's addresses, so that each page has its JSON and the other way round.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable
from typing import Annotated, Any

from fastapi import APIRouter, Depends, HTTPException, Path, Query, Request, UploadFile
from fastapi.responses import Response
from starlette.concurrency import run_in_threadpool

from bakeoff.errors import UsageError
from bakeoff.scores import align
from bakeoff.text import to_json
from bakeoff.web.planning import USUAL_TEST, planned
from bakeoff.web.questions import AnswerBook, Question, kinds_of, preview
from bakeoff.web.workspace import ServedStudy, Workspace, failure_dict

PREFIX = "/api/v1"
MOST_FILES = 1000

router = APIRouter(prefix=PREFIX, tags=["bakeoff"])
Words = Annotated[list[str] | None, Query()]
Word = Annotated[str | None, Query()]
_REFUSALS: dict[int | str, dict[str, Any]] = {
    400: {"description": "The question cannot be asked: a sentence says why."},
    403: {"description": "It does not come from the server's own pages."},
    404: {"description": "There is nothing of that name."},
    422: {"description": "The data do not fit the question: a sentence says why."},
}


def question_in(
    request: Request,
    of: Annotated[
        list[str], Query(description="upload:ID, file:PATH, folder:PATH, example:NAME, several; or study:ID")
    ],
    measure: Word = None,
    larger: Annotated[str | None, Query(description="whether larger is better: yes or no")] = None,
    rows: Word = None,
    shape: Word = None,
    with_: Annotated[str | None, Query(alias="with", description="the procedure")] = None,
    adjust: Word = None,
    alpha: Annotated[str | None, Query(description="the error rate")] = None,
    margin: Annotated[str | None, Query(description="the difference that would matter")] = None,
    control: Word = None,
    alternative: Word = None,
    level: Word = None,
    missing: Word = None,
    runs: Annotated[str | None, Query(description="what numbered runs are: independent, fixed-split, …")] = None,
    ratio: Annotated[str | None, Query(description="of random splits: test size over training size")] = None,
    unpaired: Annotated[str | None, Query(description="yes: no two learners were scored on the same splits")] = None,
    about: Annotated[str | None, Query(description="items or problems")] = None,
    group: Annotated[list[str] | None, Query(description="learners whose mean is compared")] = None,
    versus: Annotated[list[str] | None, Query(description="with that of these")] = None,
    learner: Words = None,
    without: Words = None,
    task: Words = None,
    resamples: Annotated[str | None, Query(description="draws of a resampling procedure")] = None,
    began: Annotated[str | None, Query(description="the measure before it was changed, which is then marked")] = None,
) -> Question:
    """The question of an address. A column is given a role by as:HEADER=ROLE, such as as:model=learner."""
    return Question.from_query(request.query_params.multi_items())


def answers_of(request: Request) -> AnswerBook:
    answers: AnswerBook = request.app.state.answers
    return answers


def workspace_of(request: Request) -> Workspace:
    return answers_of(request).workspace


def study_in(request: Request, id: Annotated[str, Path(max_length=40)]) -> ServedStudy:
    """The study of that id."""
    try:
        return workspace_of(request).study(id)
    except UsageError as error:
        raise HTTPException(404, str(error)) from None


AskedQuestion = Annotated[Question, Depends(question_in)]
Book = Annotated[AnswerBook, Depends(answers_of)]
Space = Annotated[Workspace, Depends(workspace_of)]
Served = Annotated[ServedStudy, Depends(study_in)]


def as_json(value: Any) -> Response:
    """Values as JSON, infinities and NaN as every other file of bakeoff has them."""
    return Response(to_json(value), media_type="application/json")


def _progress(book: AnswerBook, each: ServedStudy) -> dict[str, Any]:
    """How far a study is, and what can be done about it."""
    space = book.workspace
    return {**space.progress(each), "may_run": each.file is not None, "may_stop": space.may_stop(each)}


@router.get("/sources", summary="Files, examples, uploads and studies that can be asked about")
def sources(space: Space) -> Response:
    uploads = [{"of": f"upload:{each.id}", "names": list(each.names)} for each in space.uploads()]
    studies = [{"of": f"study:{each.id}", "name": each.name, "stored": each.stored} for each in space.studies()]
    return as_json({"files": [f"file:{each}" for each in space.files()], "uploads": uploads, "studies": studies})


@router.get("/reading", summary="What was read, and how", responses=_REFUSALS)
def reading(question: AskedQuestion, book: Book) -> Response:
    scores = book.scores(question)
    columns = [] if book.study(question) is not None else preview(book.table(question), question)
    return as_json({"alignment": align(scores).to_dict(), "columns": columns, "measures": book.measures(question)})


@router.get("/advice", summary="Which procedures fit, which do not, and why", responses=_REFUSALS)
def advice(question: AskedQuestion, book: Book) -> Response:
    return as_json(book.advice(question).to_dict())


@router.get("/verdict", summary="What may be claimed; the schema is bakeoff.verdict/1", responses=_REFUSALS)
def verdict(question: AskedQuestion, book: Book) -> Response:
    return Response(book.verdict(question).to_json(), media_type="application/json")


@router.get("/design", summary="What may be claimed of the factors of a designed study", responses=_REFUSALS)
def design(question: AskedQuestion, book: Book) -> Response:
    return Response(book.design_file(question, "json"), media_type="application/json")


@router.get("/votes", summary="Who is stronger by votes between two models at a time", responses=_REFUSALS)
def votes(question: AskedQuestion, book: Book) -> Response:
    return Response(book.votes(question).to_json(), media_type="application/json")


@router.get("/figures", summary="The kinds of figures, each with a line about it")
def figures() -> dict[str, str]:
    return dict(kinds_of(("verdict", "scores", "predictions")))


@router.get("/figures/{kind}", summary="The table behind a figure", responses=_REFUSALS)
def figure(kind: Annotated[str, Path(max_length=60)], question: AskedQuestion, book: Book) -> Response:
    frame = book.chart(question, kind).to_frame()
    return as_json({"kind": kind, "columns": [str(c) for c in frame.columns], "rows": frame.values.tolist()})


@router.get("/studies", summary="The studies that are served, with their state")
def studies(book: Book) -> Response:
    studies_ = book.workspace.studies()
    key = "studies", tuple((each.id, book.workspace.stamp(each)) for each in studies_)
    return _kept(book, key, lambda: [_progress(book, each) for each in studies_])


@router.get("/studies/{id}", summary="How far a study is: cells of each task and learner", responses=_REFUSALS)
def study(each: Served, book: Book) -> Response:
    return _kept(book, ("progress", each, book.workspace.stamp(each)), lambda: _progress(book, each))


def _kept(book: AnswerBook, key: Hashable, make: Callable[[], Any]) -> Response:
    """What many pages ask all the time, as JSON that is written once."""
    return Response(book.cached(key, lambda: to_json(make()).encode()), media_type="application/json")


@router.get("/studies/{id}/failures", summary="What went wrong, grouped, with tracebacks", responses=_REFUSALS)
def study_failures(each: Served, space: Space) -> Response:
    return as_json([failure_dict(group) for group in space.failures(each)])


@router.post("/studies/{id}/start", summary="Run a study that was named at start-up", responses=_REFUSALS)
def start(
    each: Served, space: Space, again: Annotated[str | None, Query(description="failed: try failed cells again")] = None
) -> Response:
    space.start(each, again=again == "failed")
    return as_json(space.progress(each))


@router.post("/studies/{id}/stop", summary="Stop a run; what is finished is kept", responses=_REFUSALS)
def stop(each: Served, space: Space) -> Response:
    space.stop(each)
    return as_json(space.progress(each))


@router.post("/uploads", summary="Drop files; the answer says what to ask about", responses=_REFUSALS)
async def upload(files: list[UploadFile], space: Space) -> Response:
    kept = await run_in_threadpool(space.keep, [(each.filename or "", await each.read()) for each in files])
    return as_json({"of": f"upload:{kept.id}", "names": list(kept.names)})


@router.get("/power", summary="How many blocks a test needs, or what it can find with them", responses=_REFUSALS)
def power_of(
    test: Annotated[str, Query(max_length=60)] = USUAL_TEST,
    n: Annotated[int | None, Query(ge=2, le=100_000)] = None,
    difference: Annotated[str | None, Query(max_length=30)] = None,
    power_: Annotated[float | None, Query(alias="power", gt=0, lt=1)] = None,
    sd: Annotated[float | None, Query(gt=0, le=1e12)] = None,
    alpha: Annotated[float, Query(gt=0, lt=1)] = 0.05,
    learners: Annotated[int | None, Query(ge=2, le=50)] = None,
) -> Response:
    answer = planned(test, n=n, difference=difference, power=power_, sd=sd, alpha=alpha, learners=learners)
    return as_json(answer.to_dict())
