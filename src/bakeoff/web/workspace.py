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
import zipfile
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from hashlib import sha256
from importlib.resources import as_file, files
from pathlib import Path
from shutil import rmtree
from tempfile import TemporaryDirectory
from time import monotonic
from typing import Any, Generic, TypeVar

from bakeoff.errors import BakeoffError, InputError, UsageError
from bakeoff.formats.sources import open_zip, unpacked_size
from bakeoff.results.status import FailureGroup, Progress, failures, progress
from bakeoff.store.database import Place, place_of
from bakeoff.store.reader import Reader
from bakeoff.study.file import read_study
from bakeoff.study.stored import recognise
from bakeoff.study.study import Study
from bakeoff.text import to_json_value

MOST_LISTED, MOST_DEPTH = 200, 4  # files of a folder that are listed, and how deep they may lie
MOST_FOLDERS = 12  # in the path of a file that was dropped with its folder
MOST_KEPT = 100  # uploads; the oldest is forgotten for the next
MOST_MEMBERS = 2000  # of an archive
UNPACKED = 8  # times the largest upload: more is not unpacked
MOST_CELLS = 50_000_000  # of a Parquet file, whose few bytes may stand for any number of them
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
    """A study in a store. `file` is its study file, if the server was started with it: then it may be run."""

    id: str
    name: str
    key: str
    place: Place
    where: str
    file: Path | None = None
    stored: bool = True
    tasks: tuple[str, ...] = ()
    learners: tuple[str, ...] = ()


@dataclass
class StudyRun:
    """A run that was started from the page: the process, and what it says."""

    process: subprocess.Popen[bytes]
    log: Path
    stopping: bool = False

    @property
    def going(self) -> bool:
        return self.process.poll() is None

    @property
    def said(self) -> str:
        """The last words of the run."""
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


@dataclass(frozen=True)
class Watched:
    """The progress that was read last, when that was, and cells a second, None if nothing was seen yet."""

    read: float
    state: Progress
    rate: float | None


class Workspace:
    """What is served; closed, it stops its runs and forgets what was dropped."""

    def __init__(
        self, place: str | None = None, *, studies: Sequence[str] = (), most_bytes: int = 64 << 20, workers: int = 1
    ) -> None:
        self.folder, self._place = _served(place)
        self.named = tuple(Path(each).resolve() for each in studies)
        for each in self.named:
            read_study(each)  # refused now rather than in a browser
        self.most_bytes, self.workers = most_bytes, workers
        self._own = TemporaryDirectory(prefix="bakeoff-serve-")
        self._uploads: dict[str, Upload] = {}
        self._runs: dict[str, StudyRun] = {}
        self._watched: dict[str, Fresh[Watched]] = {}
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

    # --- files ---

    def files(self) -> list[str]:
        """Files below the folder that may hold scores, by their path from it."""
        return self._files.get()

    def _find_files(self) -> list[str]:
        return [] if self.folder is None else sorted(_listed(self.folder, ENDINGS))[:MOST_LISTED]

    def file(self, relative: str) -> Path:
        """A file of the folder. Nothing outside of it can be named, nor what is hidden in it."""
        lacking = UsageError(f"There is no file {relative!r} in the folder that is served.")
        if self.folder is None or not relative or "\0" in relative:
            raise lacking
        try:
            path = (self.folder / relative).resolve()
            inside = path.relative_to(self.folder)
            is_file = path.is_file()
        except (ValueError, OSError):
            raise lacking from None
        if not is_file or any(part.startswith(".") for part in inside.parts):
            raise lacking
        return path

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
            self._refuse_bomb(name, data)
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

    def _refuse_bomb(self, name: str, data: bytes) -> None:
        """Refuse what would unpack to much more than may be dropped."""
        most = UNPACKED * self.most_bytes
        too_much = InputError(
            f"It unpacks to more than {most >> 20} MB, or holds thousands of files or further archives, and is not "
            "read by this page. Put it into the folder that is served, or compare it on the command line.",
            source=name,
        )
        if data.startswith(b"PK\x03\x04"):
            archive = open_zip(data, name)
            members = archive.infolist()
            if sum(each.file_size for each in members) > most or len(members) > MOST_MEMBERS or _packed_again(archive):
                raise too_much
        elif data.startswith(b"PAR1"):
            cells, size = _parquet_size(data, name)
            if cells > MOST_CELLS or size > most:
                raise too_much
        elif unpacked_size(data, name, most) > most:
            raise too_much

    # --- studies ---

    def studies(self) -> list[ServedStudy]:
        """The studies that were named, then those of all stores in the folder; looked for once for many who ask."""
        return self._studies.get()

    def _find_studies(self) -> list[ServedStudy]:
        found: dict[tuple[str, str], ServedStudy] = {}
        for path in self.named:
            served = self._named_study(path)
            found[str(served.place), served.key] = served
        for place in self._stores():
            try:
                with Reader(place) as store:
                    for record in store.studies():
                        key = str(place), record.key
                        found.setdefault(key, _stored_study(record.name, record.key, place, self._where(place)))
            except BakeoffError:
                continue  # some other database
        return list(found.values())

    def study(self, id: str) -> ServedStudy:
        for served in self.studies():
            if served.id == id:
                return served
        raise UsageError("There is no such study here. The list of studies has those that are served.")

    def _named_study(self, path: Path) -> ServedStudy:
        study = read_study(path)
        place = path.with_suffix(".sqlite")
        stored = place.exists() and _holds(place, study)
        names = tuple(task.name for task in study.tasks), tuple(learner.name for learner in study.learners)
        id = _short_id("file", str(path))
        return ServedStudy(id, study.name, study.key, place, path.name, path, stored, *names)

    def _stores(self) -> list[Place]:
        if self._place is not None:
            return [self._place]
        if self.folder is None:
            return []
        return [self.folder / name for name in sorted(_listed(self.folder, (".sqlite",)))]

    def _where(self, place: Place) -> str:
        inside = isinstance(place, Path) and self.folder is not None and place.is_relative_to(self.folder)
        return str(place.relative_to(self.folder)) if inside else getattr(place, "name", "a database")  # type: ignore

    def progress(self, served: ServedStudy) -> dict[str, Any]:
        """How far a study is, as JSON knows it, with the run that was started here."""
        run = self._runs.get(served.id)
        going = run is not None and run.going
        if not served.stored and (served.file is None or not self._named_study(served.file).stored):
            return _not_started(served, going, "" if run is None or going else run.said)
        watched = self._watch(served)
        state, rate = watched.state, watched.rate
        last = state.runs[-1] if state.runs else None
        elsewhere = last is not None and last.state == "running" and not going and state.left > 0
        word = "running" if going or elsewhere else "finished" if not state.left else "stopped"
        left = state.left / rate if rate and word == "running" else state.seconds_left
        return {
            "id": served.id,
            "name": served.name,
            "state": "stopping" if going and run is not None and run.stopping else word,
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
            "said": "" if run is None or going else run.said,
        }

    def _watch(self, served: ServedStudy) -> Watched:
        with self._lock:
            watched = self._watched.setdefault(served.id, Fresh(_watching(served)))
        return watched.get()

    def stamp(self, served: ServedStudy) -> tuple[Any, ...]:
        """What changes when there is anything new to say of a study or its run."""
        run = self._runs.get(served.id)
        ran = () if run is None else (run.process.pid, run.going, run.stopping)
        return (*ran, self._watch(served).read if served.stored else None)

    def version(self, served: ServedStudy) -> tuple[int, int]:
        """What changes when results of a study come in."""
        state = self._watch(served).state
        return state.ok, state.failed

    def is_running(self, served: ServedStudy) -> bool:
        """Whether results are coming in, from a run here or elsewhere."""
        state = self._watch(served).state
        return self.may_stop(served) or bool(state.left and state.runs and state.runs[-1].state == "running")

    def failures(self, served: ServedStudy) -> list[FailureGroup]:
        """What went wrong, grouped, with what the learners said last."""
        if not served.stored:
            return []
        with Reader(served.place) as store:
            return failures(store, served.key)

    # --- runs ---

    def start(self, served: ServedStudy) -> None:
        """Run a study that was named when the server was started, or what is left of it."""
        if served.file is None:
            raise UsageError(
                "Only studies that the server was started with can be run from here, since running one runs its code: "
                "bakeoff serve --study study.toml"
            )
        with self._lock:
            run = self._runs.get(served.id)
            if run is not None and run.going:
                return
            log = Path(self._own.name) / f"{served.id}.log"
            command = [sys.executable, "-m", "bakeoff", "run", str(served.file), "--quiet", "-j", str(self.workers)]
            with log.open("wb") as out:
                started = subprocess.Popen(command, stdout=out, stderr=subprocess.STDOUT, stdin=subprocess.DEVNULL)
            self._runs[served.id] = StudyRun(started, log)

    def stop(self, served: ServedStudy) -> None:
        """Stop a run that was started here; what is finished is kept."""
        run = self._runs.get(served.id)
        if run is None or not run.going:
            raise UsageError("No run of this study was started from here, or it has ended.")
        run.stopping = True
        run.process.send_signal(signal.SIGTERM)

    def may_stop(self, served: ServedStudy) -> bool:
        run = self._runs.get(served.id)
        return run is not None and run.going


# ----------------------------------------------------------------------------------------------------------------------


def _served(place: str | None) -> tuple[Path | None, Place | None]:
    """The folder that is served, or the store."""
    if place is None:
        return None, None
    found = place_of(place)
    if not isinstance(found, Path):
        return None, found
    if found.is_dir():
        return found.resolve(), None
    if not found.exists():
        raise UsageError(f"There is no folder or store {place!r} to serve.")
    if found.suffix not in (".sqlite", ".db"):
        raise UsageError(f"A folder or a store is served, and {place!r} is neither. Serve the folder that it is in.")
    with Reader(found):
        return None, found.resolve()


def _listed(folder: Path, endings: tuple[str, ...]) -> Iterator[str]:
    """Paths of files with such an ending, from the folder; nothing that is hidden."""
    count = 0
    for parent, folders, names in os.walk(folder):
        here = Path(parent)
        deep = len(here.relative_to(folder).parts)
        folders[:] = sorted(n for n in folders if not n.startswith((".", "__"))) if deep < MOST_DEPTH else []
        for name in sorted(names):
            if name.lower().endswith(endings) and not name.startswith("."):
                count += 1
                yield (here / name).relative_to(folder).as_posix()
        if count > 5 * MOST_LISTED:
            return


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


def _packed_again(archive: zipfile.ZipFile) -> bool:
    """Whether an archive holds others: what they unpack to is not known."""
    return any(name.lower().endswith((".zip", ".gz", ".zst", ".eval")) for name in archive.namelist())


def _parquet_size(data: bytes, name: str) -> tuple[int, int]:
    """The cells of a Parquet file, and the bytes that they unpack to."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    try:
        file = pq.read_metadata(pa.BufferReader(data))
    except (pa.ArrowException, OSError, ValueError) as error:
        raise InputError(f"It begins as a Parquet file, but cannot be read ({error}).", source=name) from None
    groups = [file.row_group(i) for i in range(file.num_row_groups)]
    size = sum(group.column(i).total_uncompressed_size for group in groups for i in range(group.num_columns))
    return int(file.num_rows) * int(file.num_columns), size


def _short_id(*parts: str) -> str:
    return sha256("\0".join(parts).encode()).hexdigest()[:12]


def _stored_study(name: str, key: str, place: Place, where: str) -> ServedStudy:
    return ServedStudy(_short_id(where, key), name, key, place, where)


def _holds(place: Path, study: Study) -> bool:
    """Whether a store has this version of a study."""
    try:
        with Reader(place) as store:
            return not recognise(study, store)
    except BakeoffError:
        return False


def _watching(served: ServedStudy) -> Callable[[], Watched]:
    """Reads the progress of a study, and remembers how many cells were done when."""
    done: deque[tuple[float, int]] = deque(maxlen=60)

    def read() -> Watched:
        with Reader(served.place) as store:
            state = progress(store, served.key)
        done.append((monotonic(), state.ok + state.failed))
        return Watched(done[-1][0], state, _throughput(done))

    return read


def _throughput(done: Sequence[tuple[float, int]]) -> float | None:
    """Cells a second, over the last minute or so; None if nothing was seen yet."""
    if len(done) < 2 or done[-1][1] <= done[0][1]:
        return None
    recent = [each for each in done if done[-1][0] - each[0] < 60]
    (start, before), (end, after) = recent[0], recent[-1]
    return (after - before) / (end - start) if end > start and after > before else None


def _not_started(served: ServedStudy, going: bool, said: str) -> dict[str, Any]:
    parts = [{"cells": 0, "ok": 0, "failed": 0} for _ in served.tasks for _ in served.learners]
    return {
        "id": served.id, "name": served.name, "state": "starting" if going else "not started", "cells": 0, "ok": 0,
        "failed": 0, "left": 0, "per_second": None, "seconds_left": None, "tasks": list(served.tasks),
        "learners": list(served.learners), "parts": parts, "said": said,
    }  # fmt: skip


def failure_dict(group: FailureGroup) -> dict[str, Any]:
    """A group of failures as JSON knows it."""
    examples = [{"where": example.where, **to_json_value(example)} for example in group.examples]
    return {**to_json_value(group), "examples": examples}
