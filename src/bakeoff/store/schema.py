"""The tables of a store: a star with the cell in its middle.

    study ─ study_task ──── task ─ splitting ─ place ─ split ─┐
      │   ─ study_learner ─ learner ──────────────────────────┼─ cell ─ attempt ─ run
      │   ─ study_measure ─ measure ─────────── score ────────┘     └── prediction
      └─── run

Cells belong to no study: a study is a set of learners, of tasks with their splits, and of measures, under the names it
gives to them, so that studies share whatever they have in common. Only Core and portable types are used, because the
same tables are to stand in PostgreSQL as well.
"""

from __future__ import annotations

from sqlalchemy import (
    BigInteger,
    Boolean,
    Column,
    Float,
    ForeignKey,
    Index,
    Integer,
    LargeBinary,
    MetaData,
    String,
    Table,
    Text,
    UniqueConstraint,
    text,
)

APPLICATION = "bakeoff"
APPLICATION_ID = int.from_bytes(b"bake", "big")  # in the header of a SQLite file, where `file` and others look for it
# 2: stored values carry a checksum. 3: the position of each attempt in its run, and records about studies. 4: attempts
# carry a checksum as well, of their times and of what was said. Older stores are read as they are, and brought to 4
# when something is written to them; what was stored before has no checksum and no position.
SCHEMA_VERSION = 4
WITH_CHECKSUMS, WITH_POSITIONS, WITH_CHECKED_ATTEMPTS = 2, 3, 4  # the versions that brought them
CHECKSUM = "checksum"

# What a worker measures of each attempt: seconds of the clock and of the processor, bytes, a count; and the seconds
# from beginning to end, which failed attempts have as well.
RESOURCES = (
    "fit_time",
    "predict_time",
    "fit_cpu",
    "predict_cpu",
    "peak_memory",
    "model_size",
    "parameters",
    "seconds",
)

metadata = MetaData()

meta = Table("meta", metadata, Column("name", String, primary_key=True), Column("value", String, nullable=False))

study = Table(
    "study",
    metadata,
    Column("id", Integer, primary_key=True),
    Column("key", String, nullable=False, unique=True),
    Column("name", String, nullable=False),
    Column("description", Text, nullable=False),
    Column("registered", String, nullable=False),
)

task = Table(
    "task",
    metadata,
    Column("id", Integer, primary_key=True),
    Column("key", String, nullable=False, unique=True),
    Column("name", String, nullable=False),
    Column("kind", String, nullable=False),
    Column("n", Integer, nullable=False),
    Column("features", Text, nullable=False),
    Column("classes", Text, nullable=False),
    Column("truth", LargeBinary, nullable=False),
    Column("units", LargeBinary),
    Column("notes", Text, nullable=False),
    Column(CHECKSUM, BigInteger),
)

splitting = Table(
    "splitting",
    metadata,
    Column("id", Integer, primary_key=True),
    Column("task", ForeignKey("task.id"), nullable=False),
    Column("key", String, nullable=False),
    Column("scheme", Text, nullable=False),
    Column("seed", BigInteger, nullable=False),
    Column("notes", Text, nullable=False),
    UniqueConstraint("task", "key"),
)

# The rows themselves, once for each task and seed: more repeats of a scheme, or the same split drawn twice on few data,
# are other places of the splits that are there, and cells of them are found again.
split = Table(
    "split",
    metadata,
    Column("id", Integer, primary_key=True),
    Column("task", ForeignKey("task.id"), nullable=False),
    Column("seed", BigInteger, nullable=False),
    Column("hash", LargeBinary, nullable=False),
    Column("n_train", Integer, nullable=False),
    Column("n_test", Integer, nullable=False),
    Column("train", LargeBinary, nullable=False),
    Column("test", LargeBinary, nullable=False),
    Column(CHECKSUM, BigInteger),
    UniqueConstraint("task", "seed", "hash"),
)

place = Table(
    "place",
    metadata,
    Column("splitting", ForeignKey("splitting.id"), primary_key=True),
    Column("number", Integer, primary_key=True),
    Column("repeat", Integer, nullable=False),
    Column("fold", Integer, nullable=False),
    Column("role", String, nullable=False),
    Column("split", ForeignKey("split.id"), nullable=False),
    sqlite_with_rowid=False,
)
Index("place_split", place.c.split)

learner = Table(
    "learner",
    metadata,
    Column("id", Integer, primary_key=True),
    Column("key", String, nullable=False, unique=True),
    Column("description", Text, nullable=False),
    Column("resolved", Text),
)

# A measure is its definition: a loss matrix that was changed makes another one, under the same name.
measure = Table(
    "measure",
    metadata,
    Column("id", Integer, primary_key=True),
    Column("key", String, nullable=False, unique=True),
    Column("name", String, nullable=False),
    Column("description", Text, nullable=False),
)

study_task = Table(
    "study_task",
    metadata,
    Column("study", ForeignKey("study.id"), primary_key=True),
    Column("number", Integer, primary_key=True),
    Column("task", ForeignKey("task.id"), nullable=False),
    Column("name", String, nullable=False),
    Column("splitting", ForeignKey("splitting.id"), nullable=False),
)

study_learner = Table(
    "study_learner",
    metadata,
    Column("study", ForeignKey("study.id"), primary_key=True),
    Column("number", Integer, primary_key=True),
    Column("learner", ForeignKey("learner.id"), nullable=False),
    Column("name", String, nullable=False),
)

study_measure = Table(
    "study_measure",
    metadata,
    Column("study", ForeignKey("study.id"), primary_key=True),
    Column("number", Integer, primary_key=True),
    Column("measure", ForeignKey("measure.id"), nullable=False),
    Column("name", String, nullable=False),
)

run = Table(
    "run",
    metadata,
    Column("id", Integer, primary_key=True),
    Column("study", ForeignKey("study.id"), nullable=False),
    Column("started", String, nullable=False),
    Column("finished", String),
    Column("state", String, nullable=False),
    Column("environment", Text, nullable=False),
    Column("workers", Integer, nullable=False),
    Column("threads", Integer, nullable=False),
)

# `status` is that of the latest attempt: it is kept here as well, so that resuming a study reads one table.
cell = Table(
    "cell",
    metadata,
    Column("id", Integer, primary_key=True),
    Column("key", LargeBinary, nullable=False, unique=True),
    Column("learner", ForeignKey("learner.id"), nullable=False),
    Column("split", ForeignKey("split.id"), nullable=False),
    Column("seed", BigInteger, nullable=False),
    Column("status", String, nullable=False),
)
Index("cell_split_learner", cell.c.split, cell.c.learner, unique=True)
_FAILED = "status <> 'ok'"
cell_failed = Index("cell_failed", cell.c.split, cell.c.learner, sqlite_where=text(_FAILED))

attempt = Table(
    "attempt",
    metadata,
    Column("cell", ForeignKey("cell.id"), primary_key=True),
    Column("number", Integer, primary_key=True),
    Column("run", ForeignKey("run.id"), nullable=False),
    Column("status", String, nullable=False),
    Column("message", Text, nullable=False),
    Column("detail", Text, nullable=False),
    Column("written", String, nullable=False),
    *(Column(name, Float) for name in RESOURCES),
    Column("notes", Text, nullable=False),
    Column(CHECKSUM, BigInteger),
    sqlite_with_rowid=False,
)
# Named for SQLite alone: naming PostgreSQL here as well would load its dialect, a tenth of a second, into every run.
_OK = "status = 'ok'"
attempt_one_ok = Index("attempt_one_ok", attempt.c.cell, unique=True, sqlite_where=text(_OK))
ONLY_SOME = {cell_failed: _FAILED, attempt_one_ok: _OK}  # indices of some rows, and of which

# In which order the cells of a run were handed out, from 1: by it effects of order are looked for.
position = Table(
    "position",
    metadata,
    Column("cell", ForeignKey("cell.id"), primary_key=True),
    Column("number", Integer, primary_key=True),
    Column("position", Integer, nullable=False),
    sqlite_with_rowid=False,
)

# What is known of a study beside its cells, as JSON: remarks on its data, a test sample that is spent, a run that was
# stopped when it was decided.
record = Table(
    "record",
    metadata,
    Column("kind", String, primary_key=True),
    Column("key", String, primary_key=True),
    Column("content", Text, nullable=False),
    Column("written", String, nullable=False),
    sqlite_with_rowid=False,
)

PLACES = "places"  # a kind of record: the checksum of the places of a splitting, by its key and that of the task

score = Table(
    "score",
    metadata,
    Column("cell", ForeignKey("cell.id"), primary_key=True),
    Column("measure", ForeignKey("measure.id"), primary_key=True),
    Column("value", Float),
    Column("reason", Text),
    Column(CHECKSUM, BigInteger),
    sqlite_with_rowid=False,
)

prediction = Table(
    "prediction",
    metadata,
    Column("cell", ForeignKey("cell.id"), primary_key=True),
    Column("predicted", LargeBinary, nullable=False),
    Column("scores", LargeBinary),
    Column("columns", Integer),
    Column("probabilistic", Boolean, nullable=False),
    Column(CHECKSUM, BigInteger),
)
# How much each row of a task counts, where its rows are weighted. Stores have it from the first such task on.
weighting = Table(
    "weighting",
    metadata,
    Column("task", ForeignKey("task.id"), primary_key=True),
    Column("weights", LargeBinary, nullable=False),
    Column(CHECKSUM, BigInteger),
)
CHECKED = (task, split, score, prediction, attempt)  # the tables that hold values
