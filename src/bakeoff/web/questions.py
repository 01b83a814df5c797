"""Questions: an address says what is asked of which files or study; the answer is made once, and kept.

    /decide?of=upload:3f…&measure=error&alpha=0.01&without=svm&as:model=learner

The words are those of the command line. Whoever has the address has the question, and with the same files the same
answer. Settings that were changed after the data had been seen make an answer exploratory, here and in every file.
"""

from __future__ import annotations

import re
import threading
from collections.abc import Callable, Hashable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from shlex import quote as quote_word
from tempfile import TemporaryDirectory
from time import monotonic
from typing import Any, TypeVar
from urllib.parse import quote, urlencode

from bakeoff.conduct.sequential import Race, stopped_race
from bakeoff.errors import BakeoffError, MisfitError, UsageError
from bakeoff.figures import chart_named, charts
from bakeoff.figures.designed import design_chart
from bakeoff.figures.figure import KINDS, Chart, Style
from bakeoff.formats.stacking import gather
from bakeoff.judging.advice import Advice, advice_on
from bakeoff.judging.case import Case
from bakeoff.judging.design_verdict import DesignVerdict
from bakeoff.judging.designed import judge_design
from bakeoff.judging.judgment import verdict_on
from bakeoff.judging.request import Request
from bakeoff.judging.verdict import Verdict
from bakeoff.judging.votes import VoteRanking, rank_votes
from bakeoff.reports.designed import design_report_of
from bakeoff.reports.experiment import experiment_of
from bakeoff.reports.files import rendered
from bakeoff.reports.report import Experiment, report_of
from bakeoff.results.curves import study_answers
from bakeoff.results.grid import study_grid
from bakeoff.scores import Labels, Scores, read_scores, unpaired
from bakeoff.scores.layout import declare_runs
from bakeoff.scores.provenance import PlanStatus
from bakeoff.scores.reading.choices import ROLES
from bakeoff.scores.reading.headers import role_of
from bakeoff.scores.reading.raw import RawTable, tidy
from bakeoff.store.reader import Reader
from bakeoff.study.file import read_study
from bakeoff.study.search import at_end
from bakeoff.study.stored import scores_for
from bakeoff.text import CodedWarning, count, listing, number
from bakeoff.web.workspace import AT_ONCE, EXAMPLES, AnswerCache, ServedStudy, Workspace

MOST_WORDS, LONGEST = 400, 2000  # of an address
MOST_ANSWERS = 64
HELD, LATELY = 4.0, 20.0  # seconds: what is said of a running study is not made anew before, nor if nobody asked since
MOST_COLUMNS, FIRST_CELLS = 200, 6  # that are shown to be given roles, and of each of them
MOST_LEARNERS = 400  # of which a page compares all pairs
MOST_DRAWS = 99_999
LEFT_OUT = "ignore"  # the role of a column that is not read
COLUMN_ROLES = (*ROLES, LEFT_OUT)
# Settings of one value, and of several; those of reading say what the table is, the others what is asked of it.
READING = (
    "measure", "larger", "rows", "shape", "average", "transpose", "format", "cluster", "strata", "runs", "ratio",
    "unpaired",
)  # fmt: skip
ASKING = (
    "with", "adjust", "alpha", "margin", "contrast", "control", "alternative", "level", "missing", "anyway", "about",
    "resamples", "pairs", "began",
)  # fmt: skip
LISTS = ("learner", "without", "task", "where", "group", "versus")
VOTING = ("cluster", "alpha", "without")  # what can be asked of votes
EXPLORATORY = "exploratory"
DRAWING = ("kind", "first", "second", "positive", "x", "by", "curve")
# What asks about the factors of a design; anything else asks about its settings, pair by pair, as learners.
OF_FACTORS = ("measure", "began", "alpha", "margin", "level", "missing")
_IN_WORDS = {
    "with": "the procedure", "adjust": "the adjustment", "alpha": "α", "margin": "the margin",
    "contrast": "the contrasts", "control": "the control", "alternative": "the side", "level": "the level",
    "missing": "what becomes of gaps", "anyway": "going on against advice", "about": "what the conclusion is about",
}  # fmt: skip
DESIGN_FIGURES = {
    "interaction": "means over two factors: parallel lines where they act by themselves",
    "contour": "the fitted surface over two factors, and its best point",
    "half-normal": "effects of many factors: those that matter stand off the line",
    "learning-curve": "learners by the size of the learning sample",
    "task-differences": "two learners on each task, sorted, with intervals",
}


@dataclass(frozen=True)
class Question:
    """What an address asks: `of` are files or a study, `settings` what is set, `columns` the roles of headers."""

    of: tuple[str, ...]
    settings: tuple[tuple[str, str], ...] = ()
    lists: tuple[tuple[str, str], ...] = ()
    columns: tuple[tuple[str, str], ...] = ()

    @classmethod
    def from_query(cls, pairs: Sequence[tuple[str, str]]) -> Question:
        """The question of an address; what is empty was not said, and words that nobody knows are left out."""
        if len(pairs) > MOST_WORDS or any(len(key) + len(value) > LONGEST for key, value in pairs):
            raise UsageError("The address is too long to be a question.")
        words: dict[str, str] = {}
        several: list[tuple[str, str]] = []
        columns: dict[str, str] = {}
        of: list[str] = []
        for key, value in pairs:
            value = value.strip() if key != "as" else value
            if not value:
                continue
            if key == "of":
                of.append(value)
            elif key in READING or key in ASKING or key in DRAWING:
                words[key] = value
            elif key in LISTS:
                several.append((key, value))
            elif key.startswith("as:") and value in COLUMN_ROLES:
                columns[key.removeprefix("as:")] = value
        if words.get("began") == words.get("measure"):
            words.pop("began", None)
        return cls(
            tuple(dict.fromkeys(of)),
            tuple(sorted(words.items())),
            tuple(dict.fromkeys(several)),
            tuple(sorted(columns.items())),
        )

    def get(self, name: str, default: str = "") -> str:
        return dict(self.settings).get(name, default)

    def all(self, name: str) -> list[str]:
        return [value for key, value in self.lists if key == name]

    def pairs(self) -> list[tuple[str, str]]:
        """The words of its address."""
        named = [(f"as:{header}", role) for header, role in self.columns]
        return [*(("of", each) for each in self.of), *self.settings, *self.lists, *named]

    @property
    def query(self) -> str:
        return urlencode(self.pairs(), quote_via=quote)

    def saying(self, **changes: str | None) -> Question:
        """The same question with other settings; None takes one away."""
        words = {**dict(self.settings), **{name.rstrip("_"): value or "" for name, value in changes.items()}}
        return replace(self, settings=tuple(sorted((name, value) for name, value in words.items() if value)))

    def adding(self, name: str, value: str) -> Question:
        """The same question with one more setting."""
        if name.startswith("as:"):
            columns = {**dict(self.columns), name.removeprefix("as:"): value}
            return replace(self, columns=tuple(sorted(columns.items())))
        if name in LISTS:
            return replace(self, lists=tuple(dict.fromkeys([*self.lists, (name, value)])))
        return self.saying(**{name: value})

    def only_task(self, task: str) -> Question:
        """The same question about one task."""
        return replace(self, lists=(*((name, value) for name, value in self.lists if name != "task"), ("task", task)))

    def plain(self) -> Question:
        """The question as it was before any setting was changed: what was read, and how."""
        words = {name: value for name, value in self.settings if name in READING}
        if self.get("began"):
            words["measure"] = self.get("began")
        kept = tuple((name, value) for name, value in self.lists if name == "where")
        return replace(self, settings=tuple(sorted(words.items())), lists=kept)

    def without_drawing(self) -> Question:
        return replace(self, settings=tuple((name, value) for name, value in self.settings if name not in DRAWING))

    @cached_property
    def changes(self) -> list[str]:
        """What was changed after the data had been seen, in words."""
        words = [f"{_IN_WORDS[name]} was set to {value}" for name, value in self.settings if name in _IN_WORDS]
        if self.get("began"):
            words.insert(0, f"the measure was changed from {self.get('began')} to {self.get('measure')}")
        for name, how in (("without", "without"), ("learner", "only the learners"), ("task", "only the tasks")):
            if chosen := self.all(name):
                words.append(f"{how} {listing(chosen, 6)}")
        if self.groups:
            words.append(f"{' were compared with '.join(listing(side, 6) for side in self.groups)}")
        return words

    @property
    def groups(self) -> tuple[list[str], list[str]] | None:
        """The two groups whose means are compared; None unless both were chosen."""
        first, second = self.all("group"), self.all("versus")
        return (first, second) if first and second else None

    def number(self, name: str) -> float | None:
        text = self.get(name).replace(",", ".")
        above, stroke, below = text.partition("/")
        try:
            return float(above) / float(below) if stroke else float(text) if text else None
        except (ValueError, ZeroDivisionError):
            raise UsageError(f"{_IN_WORDS.get(name, name)} takes a number; found {text!r}.") from None

    def yes(self, name: str) -> bool:
        return self.get(name) in ("yes", "on", "true", "1")


T = TypeVar("T")


@dataclass
class _ShownVersion:
    """Of a study that is being run: the version that is shown, how long at least, and what was asked for when."""

    version: Hashable
    until: float
    requests: dict[Hashable, tuple[float, Callable[[], Any]]] = field(default_factory=dict)
    preparing: threading.Lock = field(default_factory=threading.Lock)


def _about_votes(question: Question) -> Question:
    """The question with what matters to votes only."""
    parts = (question.settings, question.lists)
    return Question(question.of, *(tuple(each for each in part if each[0] in VOTING) for part in parts))


class AnswerBook:
    """The answers to questions about what a workspace serves."""

    def __init__(self, workspace: Workspace) -> None:
        self.workspace = workspace
        self._answers, self._figures, self._pages = (
            AnswerCache(MOST_ANSWERS),
            AnswerCache(4 * MOST_ANSWERS),
            AnswerCache(4 * MOST_ANSWERS),
        )
        self._shown: dict[str, _ShownVersion] = {}
        self._ahead = threading.local()  # in a thread that prepares answers: the version that they are about
        self._lock = threading.Lock()
        self._turns = threading.BoundedSemaphore(AT_ONCE)
        self._begun = threading.BoundedSemaphore(2 * AT_ONCE)

    def _in_turn(self, work: Callable[[], T]) -> T:
        """What takes time, when it is its turn. It must wait for no other answer while it lasts."""
        with self._turns:
            return work()

    def _admitted(self, make: Callable[[], T]) -> T:
        """A page is begun when not too many others are: each holds a table until its turn comes. Only pages wait here,
        and what they are made of never does, so that nobody waits for somebody who waits."""
        with self._begun:
            return make()

    # --- what was made for an address ---

    def page(self, question: Question, address: Hashable, make: Callable[[], T]) -> T:
        """What was made for an address, as long as its data stay the same. While a study is run they never do: then
        it is what was made last, until the next is ready."""
        study = self.study(question)
        if study is not None and self.workspace.is_running(study):
            self._show(study).requests[address] = monotonic(), make
        return self.cached((address, self._version(question)), lambda: self._admitted(make))

    def cached(self, key: Hashable, make: Callable[[], T]) -> T:
        """What was made for a key, which must hold all that it depends on."""
        return self._pages.get(key, make)

    def _show(self, study: ServedStudy) -> _ShownVersion:
        with self._lock:
            if study.id not in self._shown:
                self._shown[study.id] = _ShownVersion(self.workspace.version(study), monotonic() + HELD)
            return self._shown[study.id]

    def _shown_version(self, study: ServedStudy) -> Hashable:
        """The version of a study that answers are about: the newest, or while it is run, one that there are some of."""
        newest = self.workspace.version(study)
        ahead: Hashable = getattr(self._ahead, "version", None)
        if ahead is not None:
            return ahead
        if not self.workspace.is_running(study):
            self._shown.pop(study.id, None)
            return newest
        shown = self._show(study)
        if shown.version != newest and monotonic() > shown.until and shown.preparing.acquire(blocking=False):
            threading.Thread(target=self._prepare, args=(shown, study, newest), daemon=True).start()
        return shown.version

    def _prepare(self, shown: _ShownVersion, study: ServedStudy, newest: Hashable) -> None:
        """Make anew what was asked for lately, and show it then: nobody waits for a study that grows all the time."""
        began = monotonic()
        self._ahead.version = newest
        try:
            for address, (when, make) in list(shown.requests.items()):
                if when < began - LATELY:
                    del shown.requests[address]
                    continue
                with suppress(BakeoffError):  # whoever asks is told
                    self.cached((address, (study.key, newest)), make)
            shown.version = newest
        finally:
            shown.until = monotonic() + max(HELD, 10 * (monotonic() - began))
            shown.preparing.release()

    # --- what is read ---

    def study(self, question: Question) -> ServedStudy | None:
        """The study that is asked about; None if it is files."""
        named = [word.partition(":")[2] for word in question.of if word.startswith("study:")]
        if named and len(question.of) > 1:
            raise UsageError("A study is asked about by itself, not together with files.")
        study = self.workspace.study(named[0]) if named else None
        if study is not None and not study.stored:
            raise UsageError(f"Nothing of the study {study.name} has been run yet. Its page can start it.")
        return study

    def paths(self, question: Question) -> list[Path]:
        """The files that are asked about."""
        paths: list[Path] = []
        for word in question.of:
            kind, _, name = word.partition(":")
            if kind == "upload":
                paths += self.workspace.upload(name).paths
            elif kind == "example":
                paths.append(self.workspace.example(name))
            elif kind == "file":
                paths.append(self.workspace.file(name))
            elif kind == "folder":
                paths.append(self.workspace.subfolder(name))
            else:
                raise UsageError(f"{word!r} names neither a file nor a study that is served here.")
        if not paths:
            raise UsageError("The address names no file and no study. Begin on the first page.")
        return paths

    def names(self, question: Question) -> str:
        """What is asked about, for a title."""
        study = self.study(question)
        return study.name if study is not None else listing([path.name for path in self.paths(question)], 3)

    def _version(self, question: Question) -> Hashable:
        """What changes when the data do."""
        study = self.study(question)
        if study is not None:
            return study.key, self._shown_version(study)
        paths = self.paths(question)
        every = [each for path in paths for each in ([path] if path.is_file() else sorted(path.rglob("*")))]
        return tuple((str(path), (stat := path.stat()).st_mtime_ns, stat.st_size) for path in every)

    def table(self, question: Question) -> RawTable:
        """The table as it stands in the files, before roles are given to columns."""
        form = question.get("format") or None
        paths = [str(path) for path in self.paths(question)]
        key = "table", question.of, form, self._version(question)
        return self._answers.get(key, lambda: self._in_turn(lambda: tidy(gather(paths, format=form))))

    def scores(self, question: Question) -> Scores:
        """All scores that are read, before any part of them is chosen."""
        reading = tuple((name, value) for name, value in question.settings if name in READING)
        where = tuple(question.all("where"))
        study = self.study(question)
        level = "" if study is None else question.get("level")  # of a study, other rows are read for another level
        key = "scores", question.of, reading, where, level, question.columns, self._version(question)
        name = self.names(question)
        return self._answers.get(key, lambda: self._in_turn(lambda: _called(self._read(question, study), name)))

    def _read(self, question: Question, study: ServedStudy | None) -> Scores:
        if study is not None:
            with Reader(study.place) as store:
                measure = question.get("measure") or next(iter(study_grid(store, study.key).measures))
                return scores_for(store, study.key, measure, level=question.get("level") or None)
        larger = {"yes": True, "no": False}.get(question.get("larger"))
        roles = {role: header for header, role in question.columns if role != LEFT_OUT}
        (example,) = [word for word in question.of if word.startswith("example:")][:1] or [""]
        usual, _ = EXAMPLES.get(example.partition(":")[2], (None, ""))
        scores = read_scores(
            *(str(path) for path in self.paths(question)),
            measure=question.get("measure") or usual,
            larger_is_better=larger,
            rows=question.get("rows") or None,
            shape=question.get("shape") or None,
            format=question.get("format") or None,
            cluster=question.get("cluster") or None,
            strata=question.get("strata") or None,
            average=question.yes("average"),
            transpose=question.yes("transpose"),
            where=question.all("where"),
            columns=roles or None,
            ignore=[header for header, role in question.columns if role == LEFT_OUT],
        )
        if question.yes("unpaired"):
            scores = unpaired(scores)
        return declare_runs(scores, question.get("runs") or None, question.number("ratio"))

    def measures(self, question: Question) -> tuple[str, ...]:
        """The measures that could be asked about."""
        study = self.study(question)
        if study is not None:
            with Reader(study.place) as store:
                return tuple(study_grid(store, study.key).measures)
        plain = question.plain().saying(measure=None)
        return self._answers.get(("measures", plain, self._version(plain)), lambda: self._measures(plain))

    def _measures(self, question: Question) -> tuple[str, ...]:
        try:
            return self.scores(question).measure.labels
        except BakeoffError:  # which is found out once, and not with every other setting again
            return ()

    # --- what is answered ---

    def case(self, question: Question) -> Case:
        """The scores and the request that an address names."""
        plain = question.without_drawing()
        return self._answers.get(("case", plain, self._version(question)), lambda: self._case(plain))

    def _case(self, question: Question) -> Case:
        scores = self.scores(question)
        if learners := question.all("learner"):
            scores = scores.only(learners=learners)
        if tasks := question.all("task"):
            scores = scores.only(tasks=tasks)
        if without := question.all("without"):
            scores = scores.without(without)
        return Case(scores, Request.of(question.get("with") or None, **self._request(question, scores)))

    def _request(self, question: Question, scores: Scores) -> dict[str, Any]:
        """The settings that were said; of a study, else those of its first planned analysis."""
        request = self.usual(question)
        procedure = question.get("with")
        if procedure:
            request.pop("options", None)
        request.pop("procedure", None)
        labels = scores.measure.labels
        request["measure"] = question.get("measure") or (labels[0] if len(labels) == 1 else request.get("measure"))
        for name in ("adjust", "contrast", "control", "alternative", "level", "missing", "about"):
            if question.get(name):
                request[name] = question.get(name)
        if question.get("control"):
            request["contrast"] = "control"
        if question.groups:
            request |= _between(question)
        for name in ("alpha", "margin"):
            if (value := question.number(name)) is not None:
                request[name] = value
        if (draws := question.number("resamples")) is not None:
            if not 99 <= draws <= MOST_DRAWS:
                raise UsageError(f"A page draws between 99 and {count(MOST_DRAWS)} times; found {number(draws)}.")
            request["resamples"] = int(draws)
        if question.yes("anyway"):
            request["anyway"] = True
        return request

    def usual(self, question: Question) -> dict[str, Any]:
        """The settings before any was changed: the planned ones of a study, else none."""
        provenance = self.scores(question).provenance
        measure = question.get("measure")
        if provenance is None:
            return {}
        planned = [one for one in provenance.planned if not measure or one.get("measure") == measure]
        return {name: value for name, value in dict(planned[0] if planned else {}).items() if value is not None}

    def advice(self, question: Question) -> Advice:
        plain = question.without_drawing()
        case = self.case(plain)
        key = "advice", plain, self._version(plain)
        return self._answers.get(key, lambda: self._in_turn(lambda: advice_on(case)))

    def verdict(self, question: Question) -> Verdict:
        """The verdict, marked as exploratory if settings were changed after the data had been seen."""
        plain = question.without_drawing()
        return self._answers.get(("verdict", plain, self._version(question)), lambda: self._verdict(plain))

    def _verdict(self, question: Question) -> Verdict:
        case = self.case(question)
        usual = self.usual(question).get("procedure")
        if usual and not question.get("with"):
            case = case.asking(procedure=usual)
        _refuse_crowd(case)
        verdict = self._in_turn(lambda: verdict_on(case))
        if verdict.standing is not None or not question.changes:
            return verdict
        status = PlanStatus("", "", False, "; ".join(question.changes))
        return replace(verdict, finding=replace(verdict.finding, standing=status))

    def race(self, question: Question) -> Race | None:
        """The race that a study was, if its run was stopped when it was decided and nothing else is asked: tests for a
        size that was fixed do not hold for it."""
        study = self.study(question)
        if study is None or question.without_drawing() != Question(question.of):
            return None
        with Reader(study.place) as store:
            return stopped_race(store, study.key)

    def asks_about_factors(self, question: Question) -> bool:
        """Whether the question is the one that a design was made for."""
        others = [name for name, _ in question.settings if name not in (*OF_FACTORS, *DRAWING)]
        narrowed = any(name != "task" for name, _ in question.lists)
        return self.study(question) is not None and not (others or narrowed) and bool(self.scores(question).settings)

    def design(self, question: Question) -> DesignVerdict:
        """What may be claimed of the factors of a designed study."""
        plain = question.without_drawing()
        scores, usual = self.case(plain).origin, self.usual(plain)
        given = {name: plain.get(name) or usual.get(name) for name in ("level", "missing")}
        given = {name: value for name, value in given.items() if value}
        numbers = {"alpha": usual.get("alpha", 0.05), "margin": usual.get("margin")}
        numbers |= {name: number for name in numbers if (number := plain.number(name)) is not None}
        settings = {"measure": self.case(plain).request.measure, **numbers, **given}
        key = "design", plain, self._version(plain)
        return self._answers.get(key, lambda: self._in_turn(lambda: judge_design(scores, **settings)))

    def standing(self, question: Question) -> PlanStatus | None:
        """Whether the answer was planned; None if nothing is known of that."""
        return (self.design if self.asks_about_factors(question) else self.verdict)(question).standing

    def votes(self, question: Question) -> VoteRanking:
        """The ranking of models by votes between two at a time, marked too if settings were changed."""
        plain = _about_votes(question)
        return self._answers.get(("votes", plain, self._version(plain)), lambda: self._votes(plain))

    def _votes(self, question: Question) -> VoteRanking:
        alpha, paths = question.number("alpha"), self.paths(question)
        ranking = self._in_turn(
            lambda: rank_votes(
                *paths,
                cluster=question.get("cluster") or None,
                without=question.all("without"),
                **({} if alpha is None else {"alpha": alpha}),
            )
        )
        ranking = replace(ranking, source=self.names(question))
        if not (changes := self.vote_changes(question)):
            return ranking
        mark = CodedWarning(EXPLORATORY, f"EXPLORATORY: {changes}", "Report it as such, or ask it of new votes.")
        return replace(ranking, warnings=(mark, *ranking.warnings))

    def vote_changes(self, question: Question) -> str:
        """What was set after the votes had been seen; empty if nothing was."""
        plain = _about_votes(question)
        changes = list(plain.changes)
        if plain.get("cluster"):
            changes.append(f"what votes depend within was set to {plain.get('cluster')}")
        return f"{'; '.join(changes)} after the votes had been seen." if changes else ""

    # --- what is drawn and downloaded ---

    def chart(self, question: Question, kind: str) -> Chart:
        key = "chart", kind, question, self._version(question)
        return self._figures.get(key, lambda: self._chart(question, kind))

    def _chart(self, question: Question, kind: str) -> Chart:
        if kind in DESIGN_FIGURES and self.asks_about_factors(question):
            names = {"x": "x", "group": "by", "task": "curve"}
            choices = {name: question.get(word) for name, word in names.items() if question.get(word)}
            return design_chart(self.design(question), kind, **choices)
        chart = chart_named(kind)
        if chart.made_of == "table":
            raise MisfitError(f"{kind} is drawn of designed studies, when their factors are asked about.")
        if chart.made_of == "verdict":
            return chart.of(self.verdict(question), kind, scores=self.case(question).origin)
        if chart.made_of == "predictions":
            return chart.of(self.answers(question), kind, positive=question.get("positive") or None)
        case = self.case(question)
        options: dict[str, Any] = {"measure": case.request.measure, "level": case.request.level}
        if question.get("first") and question.get("second"):
            options["pair"] = (question.get("first"), question.get("second"))
        return chart.of(case.origin, kind, **options)

    def answers(self, question: Question) -> list[Any]:
        """What learners predicted: of a file, or of what is stored of a study."""
        study = self.study(question)
        if study is None:
            predictions = self.case(question).origin.predictions
            return [] if predictions is None else predictions.answers()
        with Reader(study.place) as store:
            tasks, learners = question.all("task") or None, question.all("learner") or None
            return list(study_answers(store, study.key, tasks=tasks, learners=learners))

    def drawn(self, question: Question, kind: str, form: str, width: float | None) -> bytes:
        """A figure as the bytes of a file."""
        if form not in KINDS:
            raise UsageError(f"A figure is drawn as {listing(KINDS)}; {form!r} is none of them.")
        address = "drawn", kind, form, width, question
        return self.page(question, address, lambda: self._drawn_anew(question, kind, form, width))

    def _drawn_anew(self, question: Question, kind: str, form: str, width: float | None) -> bytes:
        chart = self.chart(question, kind)
        mark = ""
        if kind in DESIGN_FIGURES or chart.made_of == "verdict":
            standing = self.standing(question)
            if standing is not None and not standing.planned:
                mark = f"Exploratory: {standing.reason}" if standing.reason else "Exploratory"
        return bytes_of(chart, form, width, mark)

    def report(self, question: Question) -> str:
        """One page of HTML with the answer and all that is behind it."""
        known = self._experiment(question)
        if self.asks_about_factors(question):
            design = self.design(question)
            return self._in_turn(lambda: design_report_of([design], known).render())
        verdict = self.verdict(question)
        scores = self.case(question).origin.only(measure=verdict.finding.measure.name)
        return self._in_turn(lambda: report_of([verdict], scores, known).render())

    def _experiment(self, question: Question) -> Experiment:
        """What is known of the experiment: of a study whose file is here, all that `bakeoff report` tells."""
        study = self.study(question)
        if study is None or study.file is None:
            return Experiment(source=self.names(question))
        with Reader(study.place) as store:
            return experiment_of(at_end(read_study(study.file), store), store, study.where)

    def design_file(self, question: Question, ending: str) -> str:
        """What is said of the factors of a design, as a file."""
        if not self.asks_about_factors(question):
            raise UsageError("This is no designed study, or something else than its factors is asked about.")
        verdict = self.design(question)
        if ending == "csv":
            return str(verdict.to_frame().to_csv(index=False))
        if ending not in ("json", "txt"):
            raise UsageError("What is said of a design is written as json, txt or csv, and in its report.")
        return verdict.to_json() if ending == "json" else f"{verdict.to_text()}\n"

    def file(self, question: Question, ending: str, table: str | None = None) -> str:
        """The verdict in the form that an ending names."""
        return rendered([self.verdict(question)], f".{ending}", tables=None if table is None else [table])


def _refuse_crowd(case: Case) -> None:
    """Refuse more pairs than a page can hold."""
    names = case.origin.learners
    if len(names) > MOST_LEARNERS and case.request.contrast == "all-pairs":
        pairs = len(names) * (len(names) - 1) // 2
        raise MisfitError(
            f"There are {count(len(names))} learners, which make {count(pairs)} pairs; a page compares all pairs of at "
            f"most {MOST_LEARNERS}.",
            alternatives=[
                f"--control {quote_word(names[0])}: compare all with one",
                "bakeoff compare, on the command line",
            ],
        )


def _between(question: Question) -> dict[str, Any]:
    """The contrast of two groups that were ticked: in words, or as weights if a name has a word or sign of those."""
    assert question.groups is not None
    if question.get("control"):
        raise UsageError("Compare either all with one learner, or two groups: take one of the two choices back.")
    first, second = question.groups
    if both := set(first) & set(second):
        raise UsageError(f"{listing(sorted(both))} cannot be on both sides of a comparison.")
    if not any(re.search(r"[+,=]|\b(and|vs|versus|against)\b", name) for name in (*first, *second)):
        return {"contrast": " vs ".join(" + ".join(side) for side in (first, second)), "control": None}
    weights = {name: 1 / len(first) for name in first} | {name: -1 / len(second) for name in second}
    return {"contrast": weights, "control": None}


def _called(scores: Scores, name: str) -> Scores:
    """The scores under the name that the page has for their files, which tells nothing of the machine."""
    rows = scores.by_instance
    return replace(scores, source=name, by_instance=None if rows is None else replace(rows, source=name))


_DRAWING = threading.Lock()  # matplotlib draws one figure at a time


def bytes_of(chart: Chart, form: str, width: float | None = None, mark: str = "") -> bytes:
    """A chart as the bytes of a file."""
    style = Style(width=width, mark=mark)
    if form == "svg":
        with _DRAWING:
            return chart.to_svg(style=style).encode()
    with _DRAWING, TemporaryDirectory() as folder:
        path = Path(folder) / f"figure.{form}"
        chart.save(path, style=style)
        return path.read_bytes()


def kinds_of(made_of: Sequence[str]) -> Mapping[str, str]:
    """The kinds of figures that are made of such things, each with a line about it."""
    return {kind: chart.kinds[kind] for kind, chart in sorted(charts().items()) if chart.made_of in made_of}


def preview(table: RawTable, question: Question) -> list[dict[str, Any]]:
    """The columns of a table: name, role as it was found or said, and the first cells."""
    chosen = dict(question.columns)
    roles = {header: role for role, header in table.roles.items()}
    columns = []
    for name, column in list(zip(table.names, table.columns, strict=True))[:MOST_COLUMNS]:
        cells = list((column.values() if isinstance(column, Labels) else column)[:FIRST_CELLS])
        shown = [number(float(cell)) if isinstance(cell, float) else str(cell) for cell in cells]
        columns.append(
            {
                "name": name,
                "found": roles.get(name) or role_of(name) or "",
                "said": chosen.get(name, ""),
                "cells": shown,
            }
        )
    return columns
