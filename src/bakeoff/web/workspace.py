"""Workspace: what is served. A folder of result files, files that were dropped, stores, studies, and their runs.

Files are data: they are read by the formats, which execute and unpickle nothing. Code runs only for studies that were
named when the server was started, in a process of their own, as `bakeoff run` does it.
"""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
import threading
from collections import Counter, OrderedDict, deque
from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, fields, is_dataclass, replace
from hashlib import sha256
from importlib.resources import as_file, files
from pathlib import Path
from shutil import rmtree
from tempfile import TemporaryDirectory
from time import monotonic
from typing import Any, Generic, TypeVar

import numpy as np
import psutil

from bakeoff.conduct.sequential import stopped_race
from bakeoff.errors import BakeoffError, UsageError
from bakeoff.formats.unpacking import refuse_bomb
from bakeoff.results.status import FailureGroup, Progress, failures, progress
from bakeoff.store.database import Place, place_of, writer_of
from bakeoff.store.reader import Reader, StudyRecord
from bakeoff.study.file import read_study
from bakeoff.study.search import at_end
from bakeoff.study.stored import recognise
from bakeoff.study.study import Study
from bakeoff.text import to_json_value

AT_ONCE = 4  # analyses that are computed at the same moment
MOST_BYTES = 256 << 20  # about, of all answers that are kept in one place
_SAMPLE, _DEPTH = 3, 6  # members of a collection that are looked at for its size, and how deep they are looked into
MOST_LISTED, MOST_DEPTH = 200, 4  # files of a folder that are listed, and how deep they may lie
MOST_FOLDERS = 12  # in the path of a file that was dropped with its folder
MOST_KEPT = 100  # uploads; the oldest is forgotten for the next
MOST_WITHIN = 5000  # files of a folder that are read as one
ENDINGS = (
    ".csv", ".tsv", ".json", ".jsonl", ".ndjson", ".parquet", ".pq", ".xlsx", ".eval", ".zip", ".arff", ".tex", ".md",
    ".gz", ".zst",
)  # fmt: skip
EXAMPLES = {  # shipped tables, with their measures and what they are
    "dietterich2000.csv": ("error", "C4.5 and three ensembles of it on 33 data sets (Dietterich 2000)"),
    "demsar2006.csv": ("auc", "four settings of C4.5 on 14 data sets (Demšar 2006)"),
}
_FRESH = 0.7  # seconds for which what was read is shown again; at least ten times as long as reading it takes
_ID = 20  # letters of the id of an upload, which names its folder
_CUT = 79  # letters that a path keeps before it is cut
T = TypeVar("T")
Passages = list[tuple[str, tuple[str, ...]]]  # sentences, each with the list that it leads to


@dataclass(frozen=True)
class Upload:
    """Files that were dropped together, side by side as they were, in their folders if whole folders were dropped.

    `id` is made of their names and contents, so that an address stays true.
    """

    id: str
    names: tuple[str, ...]
    folder: Path

    @property
    def paths(self) -> list[Path]:
        """What `compare` would be given: the files, and the outermost folders."""
        return [self.folder / name for name in dict.fromkeys(name.partition("/")[0] for name in self.names)]


@dataclass(frozen=True)
class ServedStudy:
    """A study in a store. `file` is its study file, if the server was started with it: then it may be run. `wrong` says
    why that file cannot be read, if it was spoiled since."""

    id: str
    name: str
    key: str
    place: Place
    where: str
    file: Path | None = None
    stored: bool = True
    tasks: tuple[str, ...] = ()
    learners: tuple[str, ...] = ()
    question: str = ""
    wrong: str = ""


@dataclass
class StudyRun:
    """A run that was started from the page: the study as it was then, the process, and what it says."""

    study: ServedStudy
    process: subprocess.Popen[bytes]
    log: Path
    stopping: bool = False

    @property
    def going(self) -> bool:
        return self.process.poll() is None

    @property
    def last_words(self) -> str:
        """The end of what the run wrote."""
        return self.log.read_text("utf-8", "replace")[-4000:] if self.log.exists() else ""


class Fresh(Generic[T]):
    """A value that is read anew by whoever asks when it is old; meanwhile everybody else has the old one."""

    def __init__(self, read: Callable[[], T]) -> None:
        self._read, self._lock = read, threading.Lock()
        self._value: list[T] = []  # none yet, or one
        self._until = 0.0

    def get(self) -> T:
        if not self._value:
            with self._lock:
                if not self._value:
                    self._renew()
        elif monotonic() > self._until and self._lock.acquire(blocking=False):
            try:
                self._renew()
            finally:
                self._lock.release()
        return self._value[0]

    def _renew(self) -> None:
        began = monotonic()
        self._value = [self._read()]
        self._until = monotonic() + max(_FRESH, 10 * (monotonic() - began))


class AnswerCache:
    """Answers by their question: made once, also if many ask at the same time; the oldest are forgotten when there are
    too many of them, or they are too large together."""

    def __init__(self, most: int, most_bytes: int = MOST_BYTES) -> None:
        self._most, self._most_bytes, self._lock = most, most_bytes, threading.Lock()
        self._entries: OrderedDict[Hashable, tuple[Any, int]] = OrderedDict()
        self._making: dict[Hashable, threading.Lock] = {}

    def get(self, key: Hashable, make: Callable[[], T]) -> T:
        with self._lock:
            if key in self._entries:
                return self._again(key)  # type: ignore[no-any-return]
            own = self._making.setdefault(key, threading.Lock())
        with own:
            with self._lock:
                if key in self._entries:
                    return self._again(key)  # type: ignore[no-any-return]
            try:
                value = make()
                size = size_of(value)
                with self._lock:
                    self._keep(key, value, size)
            finally:
                with self._lock:
                    self._making.pop(key, None)
        return value

    def _again(self, key: Hashable) -> Any:
        self._entries.move_to_end(key)
        return self._entries[key][0]

    def _keep(self, key: Hashable, value: Any, size: int) -> None:
        self._entries[key] = value, size
        held = sum(each for _, each in self._entries.values())
        while len(self._entries) > self._most or (held > self._most_bytes and len(self._entries) > 1):
            _, (_, each) = self._entries.popitem(last=False)
            held -= each

    @property
    def size(self) -> int:
        """About how many bytes are kept."""
        with self._lock:
            return sum(each for _, each in self._entries.values())


def size_of(value: Any, depth: int = _DEPTH) -> int:
    """About how many bytes a value takes: of a long collection, by its first members.

    >>> size_of(b"12345678"), size_of(np.zeros(1000)) > 7999, size_of([0.5] * 1000) > 8000
    (8, True, True)
    """
    if isinstance(value, np.ndarray):
        return int(value.nbytes) + (48 * value.size if value.dtype == object else 0)
    if isinstance(value, bytes | str):
        return len(value)
    if depth == 0:
        return 64
    if isinstance(value, Mapping):
        return _size_of_many([*value.keys()], depth) + _size_of_many([*value.values()], depth)
    if isinstance(value, list | tuple | set | frozenset):
        return _size_of_many(list(value), depth)
    # What was worked out later and is held by a record is in its dict, if it has one; what it holds twice counts once.
    held = getattr(value, "__dict__", None) if not isinstance(value, type) else None
    if held is None and is_dataclass(value) and not isinstance(value, type):
        held = {each.name: getattr(value, each.name) for each in fields(value)}
    if not isinstance(held, dict):
        return 32
    return 64 + sum(size_of(each, depth - 1) for each in {id(each): each for each in held.values()}.values())


def _size_of_many(members: list[Any], depth: int) -> int:
    if not members:
        return 64
    seen = members[:_SAMPLE]
    each = sum(size_of(one, depth - 1) for one in seen) / len(seen)
    return 64 + int(len(members) * (8 + each))


@dataclass(frozen=True)
class LastProgress:
    """The progress that was read last, when that was, and cells a second, None if nothing was seen yet."""

    read: float
    state: Progress
    rate: float | None
    decided: bool  # its run was stopped when it was decided


class Workspace:
    """What is served; closed, it stops its runs and forgets what was dropped."""

    def __init__(
        self, place: str | None = None, *, studies: Sequence[str] = (), most_bytes: int = 64 << 20, workers: int = 1
    ) -> None:
        self.folder, self._place = _folder_or_store(place)
        self._address = place if self._place is not None else None  # as it was given, with its password
        self.named = tuple(Path(each).resolve() for each in studies)
        for each in self.named:
            read_study(each)  # refused now rather than in a browser
        self.most_bytes, self.workers = most_bytes, workers
        self._own = TemporaryDirectory(prefix="bakeoff-serve-")
        self._uploads: dict[str, Upload] = {}
        self._runs: dict[str, StudyRun] = {}
        self._watched: dict[tuple[str, str], Fresh[LastProgress]] = {}
        self._lock = threading.Lock()
        self._studies = Fresh(self._find_studies)
        self._files = Fresh(self._find_files)

    def close(self) -> None:
        """Stop the runs, of which what is finished is kept, and forget what was dropped."""
        for run in self._runs.values():
            if run.going:
                run.process.terminate()
        for run in self._runs.values():
            try:
                run.process.wait(20)
            except subprocess.TimeoutExpired:
                run.process.kill()
        self._own.cleanup()

    def public(self, text: str) -> str:
        """A sentence without the folders of this machine."""
        shipped = str(files("bakeoff") / "data")
        for folder in (self._own.name, shipped, *([] if self.folder is None else [str(self.folder)])):
            cut = re.escape(folder[:_CUT])  # a long path is cut in its middle, which may be within the folder
            text = re.sub(rf"{cut}(/[0-9a-f]*)? … [0-9a-f]*/?", "… ", text)
            text = re.sub(rf"{re.escape(folder)}(/[0-9a-f]{{{_ID}}})?/?", "", text)
        return text

    def refusal(self, error: BakeoffError) -> Passages:
        """What an error says, likewise."""
        return [(self.public(text), tuple(map(self.public, rows))) for text, rows in error.passages]

    # --- files ---

    def files(self) -> list[str]:
        """Files below the folder that may hold scores, by their path from it."""
        return self._files.get()

    def _find_files(self) -> list[str]:
        return [] if self.folder is None else sorted(_listed(self.folder, ENDINGS))[:MOST_LISTED]

    def file(self, relative: str) -> Path:
        """A file of the folder. Nothing outside of it can be named, nor what is hidden in it."""
        path = self._inside(relative)
        if path is None or not path.is_file():
            raise UsageError(f"There is no file {relative!r} in the folder that is served.")
        return path

    def subfolder(self, relative: str) -> Path:
        """A folder within the folder, all of which is inside it."""
        path = self._inside(relative)
        if path is None or not path.is_dir() or path == self.folder:
            raise UsageError(f"There is no folder {relative!r} in the folder that is served.")
        for number, each in enumerate(path.rglob("*")):
            if number > MOST_WITHIN:
                raise UsageError(f"{relative} holds more than {MOST_WITHIN:,} files. Choose some of them.")
            if each.is_symlink() and not each.resolve().is_relative_to(path):
                raise UsageError(f"{relative} holds a link that leads out of it, {each.name}: choose files one by one.")
        return path

    def _inside(self, relative: str) -> Path | None:
        """What a path from the folder leads to; None if that is outside of it, or hidden."""
        if self.folder is None or not relative or "\0" in relative:
            return None
        try:
            path = (self.folder / relative).resolve()
            inside = path.relative_to(self.folder)
        except (ValueError, OSError, RuntimeError):  # a circle of links is a RuntimeError
            return None
        return None if any(part.startswith(".") for part in inside.parts) else path

    def example(self, name: str) -> Path:
        """A table that comes with bakeoff."""
        if name not in EXAMPLES:
            raise UsageError(f"There is no example {name!r}.")
        with as_file(files("bakeoff") / "data" / name) as path:
            return path

    # --- what was dropped ---

    def keep(self, dropped: Sequence[tuple[str, bytes]]) -> Upload:
        """Keep files that were dropped, as data."""
        if not dropped or not any(data for _, data in dropped):
            raise UsageError("No file was dropped, or it is empty. Choose a file of results.")
        named = _side_by_side(dropped)
        for name, data in named.items():
            refuse_bomb(name, data, self.most_bytes)
        digest = sha256()
        for name, data in named.items():
            digest.update(sha256(name.encode()).digest() + sha256(data).digest())
        upload = Upload(id := digest.hexdigest()[:_ID], tuple(named), Path(self._own.name) / id)
        with self._lock:
            if upload.id not in self._uploads:
                for name, data in named.items():
                    (upload.folder / name).parent.mkdir(parents=True, exist_ok=True)
                    (upload.folder / name).write_bytes(data)
            self._uploads[upload.id] = self._uploads.pop(upload.id, upload)
            for old in list(self._uploads)[:-MOST_KEPT]:
                rmtree(self._uploads.pop(old).folder, ignore_errors=True)
        return upload

    def uploads(self) -> list[Upload]:
        return list(reversed(self._uploads.values()))

    def upload(self, id: str) -> Upload:
        if id not in self._uploads:
            raise UsageError(
                "The files of this address are not here any more: the server was started anew, or others were dropped "
                "since. Drop them again; the same files have the same address."
            )
        return self._uploads[id]

    # --- studies ---

    def studies(self) -> list[ServedStudy]:
        """The studies that were named, then those of all stores in the folder; looked for once for many who ask."""
        return self._studies.get()

    def _find_studies(self) -> list[ServedStudy]:
        studies: dict[tuple[str, str], ServedStudy] = {}
        for path in self.named:
            study = self._named_study(path)
            studies[str(study.place), study.key or study.id] = study
        for place in self._stores():
            try:
                with Reader(place) as store:
                    for record in store.studies():
                        key = str(place), record.key
                        studies.setdefault(key, _stored_study(record, place, self._where(place)))
            except BakeoffError:
                continue  # some other database
        return _told_apart(list(studies.values()))

    def study(self, id: str) -> ServedStudy:
        for study in self.studies():
            if study.id == id:
                return study
        raise UsageError("There is no such study here. The list of studies has those that are served.")

    def _named_study(self, path: Path) -> ServedStudy:
        """A study that was named at start-up, as its file has it now; while it is run, as it was when that began."""
        id, place = _short_id("file", str(path)), self._place or path.with_suffix(".sqlite")
        run = self._runs.get(id)
        if run is not None and run.going:
            stored = run.study.stored or _has(place, run.study.key)
            return replace(run.study, stored=stored)
        try:
            study = read_study(path)
        except BakeoffError as error:
            return ServedStudy(id, path.stem, "", place, path.name, path, stored=False, wrong=self.public(str(error)))
        key = _key_in(place, study)
        names = tuple(task.name for task in study.tasks), tuple(learner.name for learner in study.learners)
        return ServedStudy(
            id, study.name, key or study.key, place, path.name, path, key is not None, *names, study.question or ""
        )

    def _stores(self) -> list[Place]:
        if self._place is not None:
            return [self._place]
        if self.folder is None:
            return []
        return [self.folder / name for name in sorted(_listed(self.folder, (".sqlite",)))]

    def _where(self, place: Place) -> str:
        inside = isinstance(place, Path) and self.folder is not None and place.is_relative_to(self.folder)
        return str(place.relative_to(self.folder)) if inside else getattr(place, "name", "a database")  # type: ignore

    def progress(self, study: ServedStudy) -> dict[str, Any]:
        """How far a study is, as JSON knows it, with the run that was started here."""
        run = self._runs.get(study.id)
        going = run is not None and run.going
        message = "" if run is None or going else run.last_words
        if study.wrong:
            return {**_not_started(study, False, study.wrong), "state": "not readable"}
        if not study.stored:  # or not yet when it was looked for
            newer = study if study.file is None else self._named_study(study.file)
            if not newer.stored:
                return _not_started(study, going, message)
            study = newer
        watched = self._watch(study)
        state, rate = watched.state, watched.rate
        last = state.runs[-1] if state.runs else None
        elsewhere = last is not None and last.state == "running" and not going and state.left > 0
        word = "running" if going or elsewhere else "finished" if not state.left else "stopped"
        if word == "stopped" and watched.decided:
            word = "decided"
        left = state.left / rate if rate and word == "running" else state.seconds_left
        return {
            "id": study.id,
            "name": study.name,
            "question": state.study.description.get("question") or "",
            "state": "stopping" if going and run is not None and run.stopping else word,
            "elsewhere": elsewhere,
            "cells": state.cells,
            "ok": state.ok,
            "failed": state.failed,
            "left": state.left,
            "per_second": rate if word == "running" else None,
            "seconds_left": left if state.left else 0.0,
            "tasks": list(dict.fromkeys(part.task for part in state.parts)),
            "learners": list(dict.fromkeys(part.learner for part in state.parts)),
            "parts": [
                {"cells": part.cells, "ok": part.ok, "failed": sum(part.failed.values())} for part in state.parts
            ],
            "said": message,
        }

    def _watch(self, study: ServedStudy) -> LastProgress:
        with self._lock:  # another version of a study is another one to watch
            watched = self._watched.setdefault((study.id, study.key), Fresh(_watching(study)))
        return watched.get()

    def stamp(self, study: ServedStudy) -> tuple[Any, ...]:
        """What changes when there is anything new to say of a study or its run."""
        run = self._runs.get(study.id)
        ran = () if run is None else (run.process.pid, run.going, run.stopping)
        return (*ran, study.wrong, self._watch(study).read if study.stored else None)

    def version(self, study: ServedStudy) -> tuple[Any, ...]:
        """What changes when results of a study come in, also if others were there before."""
        state = self._watch(study).state
        return state.ok, state.failed, *((each.started, each.finished) for each in state.runs[-1:])

    def is_running(self, study: ServedStudy) -> bool:
        """Whether results are coming in, from a run here or elsewhere."""
        run = self._runs.get(study.id)
        if run is not None and run.going:
            return True
        if not study.stored:
            return False
        state = self._watch(study).state
        return bool(state.left and state.runs and state.runs[-1].state == "running")

    def failures(self, study: ServedStudy) -> list[FailureGroup]:
        """What went wrong, grouped, with what the learners said last."""
        if not study.stored:
            return []
        with Reader(study.place) as store:
            return failures(store, study.key)

    # --- runs ---

    def start(self, study: ServedStudy, *, again: bool = False) -> None:
        """Run a study that was named when the server was started, or what is left of it; `again`: what failed too."""
        if study.wrong:
            raise UsageError(study.wrong)
        if study.file is None:
            raise UsageError(
                "Only studies that the server was started with can be run from here, since running one runs its code: "
                "bakeoff serve --study study.toml"
            )
        with self._lock:
            run = self._runs.get(study.id)
            if run is not None and run.going:
                return
            log = Path(self._own.name) / f"{study.id}.log"
            command = [sys.executable, "-m", "bakeoff", "run", str(study.file), "--quiet", "-j", str(self.workers)]
            command += ["--retry", "failed"] if again else []
            command += ["--store", self._address] if self._address is not None else []
            with log.open("wb") as out:
                started = subprocess.Popen(command, stdout=out, stderr=subprocess.STDOUT, stdin=subprocess.DEVNULL)
            self._runs[study.id] = StudyRun(study, started, log)

    def stop(self, study: ServedStudy) -> None:
        """Stop a run that was started here, or by a server before this one; what is finished is kept."""
        run = self._runs.get(study.id)
        if run is not None and run.going:
            run.stopping = True
            run.process.send_signal(signal.SIGTERM)
        elif (other := _run_of(study)) is not None:
            other.terminate()
        else:
            raise UsageError("No run of this study was started from here, or it has ended.")

    def may_stop(self, study: ServedStudy) -> bool:
        run = self._runs.get(study.id)
        return (run is not None and run.going) or (self.is_running(study) and _run_of(study) is not None)


# ----------------------------------------------------------------------------------------------------------------------


def _run_of(study: ServedStudy) -> psutil.Process | None:
    """The program on this machine that is running a study which the server was started with; None if there is none.

    Its number is in the lock file of the store. Numbers are given out again, and a notebook that runs a study should
    not end with it: so it has to be `bakeoff run` of this very file, and of this user.
    """
    number = writer_of(study.place) if study.file is not None and isinstance(study.place, Path) else None
    if number is None or study.file is None:
        return None
    with suppress(psutil.Error, OSError):
        process = psutil.Process(number)
        words, folder = process.cmdline(), Path(process.cwd())
        ours = any(Path(word).stem == "bakeoff" for word in words) and "run" in words
        its = any((folder / word).resolve() == study.file.resolve() for word in words if word.endswith(study.file.name))
        return process if ours and its else None
    return None


def _folder_or_store(place: str | None) -> tuple[Path | None, Place | None]:
    """The folder that is served, or the store."""
    if place is None:
        return None, None
    location = place_of(place)
    if not isinstance(location, Path):
        return None, location
    if location.is_dir():
        return location.resolve(), None
    if not location.exists():
        raise UsageError(f"There is no folder or store {place!r} to serve.")
    if location.suffix not in (".sqlite", ".db"):
        raise UsageError(f"A folder or a store is served, and {place!r} is neither. Serve the folder that it is in.")
    with Reader(location):
        return None, location.resolve()


def _listed(folder: Path, endings: tuple[str, ...]) -> Iterator[str]:
    """Paths of files with such an ending, from the folder; nothing that is hidden, no link that leads out."""
    count = 0
    for parent, folders, names in os.walk(folder):
        here = Path(parent)
        deep = len(here.relative_to(folder).parts)
        folders[:] = sorted(n for n in folders if not n.startswith((".", "__"))) if deep < MOST_DEPTH else []
        for name in sorted(names):
            if name.lower().endswith(endings) and not name.startswith(".") and _stays(here / name, folder):
                count += 1
                yield (here / name).relative_to(folder).as_posix()
        if count > 5 * MOST_LISTED:
            return


def _stays(path: Path, folder: Path) -> bool:
    """Whether a path is no link out of the folder."""
    return not path.is_symlink() or path.resolve().is_relative_to(folder)


def _plain_name(name: str) -> str:
    """The name of a file, or its path in a folder, without what no name should have, nor a way out.

    >>> _plain_name("../../etc/passwd"), _plain_name("runs\\\\a?.csv"), _plain_name("")
    ('etc/passwd', 'runs/a_.csv', 'file')
    """
    parts = []
    for part in name.replace("\\", "/").split("/"):
        kept = "".join(c if c.isprintable() and c not in '<>:"|?*' else "_" for c in part).strip(". ")
        parts += [kept[-120:]] if kept else []
    return "/".join(parts[-MOST_FOLDERS:]) or "file"


def _side_by_side(dropped: Sequence[tuple[str, bytes]]) -> dict[str, bytes]:
    """Files by a name that no other has, which is their own if it can be; without what systems hide in folders."""
    named: dict[str, bytes] = {}
    for name, data in dropped:
        if name.rpartition("/")[2].startswith(".") and len(dropped) > 1:
            continue
        plain, number = _plain_name(name), 1
        while plain in named or any(plain.startswith(f"{each}/") or each.startswith(f"{plain}/") for each in named):
            number += 1
            plain = f"{number}/{_plain_name(name)}"
        named[plain] = data
    return named


def _short_id(*parts: str) -> str:
    return sha256("\0".join(parts).encode()).hexdigest()[:12]


def _stored_study(record: StudyRecord, place: Place, where: str) -> ServedStudy:
    return ServedStudy(
        _short_id(where, record.key), record.name, record.key, place, where,
        question=record.description.get("question") or "",
    )  # fmt: skip


def _told_apart(studies: list[ServedStudy]) -> list[ServedStudy]:
    """The studies, each older version of one with the beginning of its key, by which the command line tells them."""
    seen = Counter((str(each.place), each.name) for each in studies)
    return [
        replace(each, where=f"{each.where}, version {each.key[:8]}")
        if seen[str(each.place), each.name] > 1 and each.key
        else each
        for each in studies
    ]


def _key_in(place: Place, study: Study) -> str | None:
    """The key of this version of a study in a store, with the steps that followed its design; None if it has none."""
    if not place.exists():
        return None
    try:
        with Reader(place) as store:
            return None if recognise(study, store) else at_end(study, store).key
    except BakeoffError:
        return None


def _has(place: Place, key: str) -> bool:
    """Whether a store has a study of that key."""
    try:
        with Reader(place) as store:
            return any(record.key == key for record in store.studies())
    except BakeoffError:
        return False


def _watching(study: ServedStudy) -> Callable[[], LastProgress]:
    """Reads the progress of a study, and remembers how many cells were done when."""
    done: deque[tuple[float, int]] = deque(maxlen=60)

    def read() -> LastProgress:
        with Reader(study.place) as store:
            state = progress(store, study.key)
            decided = bool(state.left) and stopped_race(store, study.key) is not None
        done.append((monotonic(), state.ok + state.failed))
        return LastProgress(done[-1][0], state, _throughput(done), decided)

    return read


def _throughput(done: Sequence[tuple[float, int]]) -> float | None:
    """Cells a second, over the last minute or so; None if nothing was seen yet."""
    if len(done) < 2 or done[-1][1] <= done[0][1]:
        return None
    recent = [each for each in done if done[-1][0] - each[0] < 60]
    (start, before), (end, after) = recent[0], recent[-1]
    return (after - before) / (end - start) if end > start and after > before else None


def _not_started(study: ServedStudy, going: bool, message: str) -> dict[str, Any]:
    parts = [{"cells": 0, "ok": 0, "failed": 0} for _ in study.tasks for _ in study.learners]
    return {
        "id": study.id, "name": study.name, "question": study.question,
        "state": "starting" if going else "not started", "elsewhere": False, "cells": 0, "ok": 0, "failed": 0,
        "left": 0, "per_second": None, "seconds_left": None, "tasks": list(study.tasks),
        "learners": list(study.learners), "parts": parts, "said": message,
    }  # fmt: skip


def failure_dict(group: FailureGroup) -> dict[str, Any]:
    """A group of failures as JSON knows it."""
    examples = [{"where": example.where, **to_json_value(example)} for example in group.examples]
    return {**to_json_value(group), "examples": examples}
