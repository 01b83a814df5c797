"""Reading score files: CSV, Parquet or a DataFrame; long, wide or predictions; into Scores."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from bakeoff.errors import InputError, UsageError, nearest
from bakeoff.scores.reading.columns import prepare
from bakeoff.scores.reading.csv_file import read_csv
from bakeoff.scores.reading.headers import matching
from bakeoff.scores.reading.long import read_long
from bakeoff.scores.reading.parquet_file import MAGIC, read_parquet
from bakeoff.scores.reading.predictions import read_predictions
from bakeoff.scores.reading.raw import RawTable, is_frame, read_bytes, read_frame, source_name, tidy
from bakeoff.scores.reading.shape import LONG, PREDICTIONS, ROWS, SHAPES, refuse_rows, shape_of
from bakeoff.scores.reading.wide import read_wide
from bakeoff.scores.table import Scores

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["read_scores"]


def read_scores(
    source: str | os.PathLike[str] | pd.DataFrame,
    *,
    rows: str | None = None,
    measure: str | Sequence[str] | None = None,
    larger_is_better: bool | None = None,
    shape: str | None = None,
    cluster: str | None = None,
    strata: str | None = None,
    ignore: str | Sequence[str] = (),
) -> Scores:
    """Read a table of scores or predictions from a CSV or Parquet file, or from a DataFrame.

    The table may be *long* (a row per score), *wide* (a column per learner) or *predictions* (the truth, and a column
    of predictions per learner); its headers tell which, and `shape` overrules them. What was recognised and decided is
    in the `notes` of the result. Missing values stay missing: `bakeoff.scores.blocks` asks what to do about them.

    rows: what the rows of a wide table are: "tasks", "folds", "runs" or "instances". Asked for only if the headers do
    not tell.
    measure: the name of the measure; of several in the table, the one or those to read; for predictions, the
    pointwise loss.
    larger_is_better: the direction of a measure whose name does not tell it. It is never guessed.
    cluster: the column of what several instances have in common, where the clusters are a sample of such clusters.
    strata: the same, where they are a fixed list that the conclusion is about.
    ignore: columns to leave out.

    >>> import pandas as pd
    >>> read_scores(pd.DataFrame({"dataset": ["iris", "wine"], "svm": [0.9, 0.8], "knn": [0.7, 0.9]}), measure="acc")
    <Scores: 4 rows, 2 learners, 2 tasks, acc>
    """
    ignored = (ignore,) if isinstance(ignore, str) else tuple(ignore)
    return _understood(
        tidy(_raw_table(source)),
        rows=rows,
        measure=measure,
        larger_is_better=larger_is_better,
        shape=shape,
        cluster=cluster,
        strata=strata,
        ignore=ignored,
    )


def _understood(
    table: RawTable,
    *,
    rows: str | None = None,
    measure: str | Sequence[str] | None = None,
    larger_is_better: bool | None = None,
    shape: str | None = None,
    cluster: str | None = None,
    strata: str | None = None,
    ignore: Sequence[str] = (),
) -> Scores:
    for option, value, allowed in (("rows", rows, ROWS), ("shape", shape, SHAPES)):
        if value is not None and value not in allowed:
            raise UsageError(f"{option} cannot be {value!r}. {nearest(str(value), allowed)}")
    measures = () if measure is None else (measure,) if isinstance(measure, str) else tuple(dict.fromkeys(measure))
    table = prepare(table, ignore=ignore, cluster=cluster, strata=strata)
    shape_given, shape = shape is not None, shape_of(table, rows) if shape is None else shape
    if rows is not None:
        refuse_rows(table.source, shape, rows)
    if shape == LONG:
        return read_long(table, measures=measures, larger_is_better=larger_is_better)
    if shape == PREDICTIONS:
        return read_predictions(table, measures=measures, larger_is_better=larger_is_better, shape_given=shape_given)
    return read_wide(table, rows=rows, measures=measures, larger_is_better=larger_is_better)


def read_by_factor(
    source: str | os.PathLike[str] | pd.DataFrame, factor: str, *, ignore: str | Sequence[str] = (), **options: Any
) -> tuple[str, dict[str, Scores]]:
    """The scores at each level of a second factor, such as the features that were extracted: a column beside those
    that `read_scores` knows, which takes the same options. Returns the name of the column too.

    >>> import pandas as pd
    >>> table = pd.DataFrame({"model": ["svm", "knn"] * 2, "features": ["raw", "raw", "pca", "pca"], "acc": [0.9] * 4})
    >>> read_by_factor(table, "features")
    ('features', {'raw': <Scores: 2 rows, 2 learners, 1 task, acc>, 'pca': <Scores: 2 rows, 2 learners, 1 task, acc>})
    """
    table = tidy(_raw_table(source))
    names = matching(factor, table.names)
    if not names:
        raise UsageError(f"There is no column {factor!r} in {table.source}. {nearest(factor, table.names)}")
    labels = table.labels(names[0])
    if not 2 <= len(labels.labels) <= MOST_LEVELS:
        raise InputError(
            f"Column {names[0]!r} is to be a factor of 2 to {MOST_LEVELS} levels; it has {len(labels.labels)}.",
            source=table.source,
        )
    ignored = (ignore,) if isinstance(ignore, str) else tuple(ignore)
    made = {}
    for code, label in enumerate(labels.labels):
        if not label:
            raise InputError(
                f"Column {names[0]!r} is empty in some rows; every row must name its level.", source=table.source
            )
        part = table.where(labels.codes == code).without(names[0])
        made[label] = _understood(part, ignore=ignored, **options)
    return names[0], made


MOST_LEVELS = 50


def _raw_table(source: object) -> RawTable:
    if is_frame(source):
        return read_frame(source)
    if not isinstance(source, str | os.PathLike):
        raise UsageError(f"A path or a pandas DataFrame was expected, but {type(source).__name__} was given.")
    name = source_name(source)
    data = read_bytes(source)
    is_parquet = data.startswith(MAGIC) or name.lower().endswith((".parquet", ".pq"))
    if not data:
        raise InputError("The file is empty. A header line and at least one row were expected.", source=name)
    return read_parquet(data, name) if is_parquet else read_csv(data, name)


# ----------------------------------------------------------------------------------------------------------------------
# What the verbs accept: Scores, or a table that can be read as such without a question.


def as_scores(given: Scores | pd.DataFrame, measure: str | Sequence[str] | None = None) -> Scores:
    """The scores that are given, or those in a DataFrame, if its headers tell all that must be known of it.

    >>> import pandas as pd
    >>> as_scores(pd.DataFrame({"dataset": ["iris", "wine"], "svm": [0.9, 0.8], "knn": [0.7, 0.9]}), "accuracy")
    <Scores: 4 rows, 2 learners, 2 tasks, accuracy>
    """
    if isinstance(given, Scores):
        return given
    if not is_frame(given):
        raise UsageError(
            "Scores were expected, as read_scores(…) and Study.run() give them, or a pandas DataFrame; found "
            f"{type(given).__name__}. A file is read by read_scores('scores.csv')."
        )
    try:
        return read_scores(given, measure=measure)
    except UsageError as unclear:
        raise UsageError(f"{unclear} Answer with read_scores(table, …), and give its result here.") from None
