"""Reading scores: files, folders and archives of any format, or objects in memory; long, wide or predictions."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from typing import Any

from bakeoff.errors import InputError, UsageError, nearest
from bakeoff.scores.reading.cells import plain_cells
from bakeoff.scores.reading.choices import (
    Choices,
    apply_choices,
    averaged,
    choices,
    full_header,
    leading_measure,
    refuse_no_learner,
)
from bakeoff.scores.reading.columns import prepare
from bakeoff.scores.reading.headers import matching
from bakeoff.scores.reading.long import read_long
from bakeoff.scores.reading.predictions import read_predictions
from bakeoff.scores.reading.raw import RawTable, is_frame, read_frame, tidy
from bakeoff.scores.reading.shape import LONG, PREDICTIONS, ROWS, SHAPES, refuse_rows, shape_of
from bakeoff.scores.reading.wide import read_wide
from bakeoff.scores.table import Scores

__all__ = ["read_scores"]

Readable = Any  # a path, a folder, "name=path", "-"; a DataFrame; a mapping of learners to results


def read_scores(
    *sources: Readable,
    rows: str | None = None,
    measure: str | Sequence[str] | None = None,
    larger_is_better: bool | None = None,
    shape: str | None = None,
    cluster: str | None = None,
    strata: str | None = None,
    ignore: str | Sequence[str] = (),
    format: str | None = None,
    columns: str | Mapping[str, str] | None = None,
    where: str | Sequence[str] = (),
    transpose: bool = False,
    average: bool = False,
    positive: str | None = None,
) -> Scores:
    """Read scores or predictions from files, folders, globs and archives, from a DataFrame, or from dicts of results.

    Files of many tools are known by what is in them (`bakeoff formats`), and `format` overrules it. Several are put
    under each other: the learner is named in the file, by "name=path", or by the file's own name; items are matched by
    id and by content. {"tree": cross_validate(…), "svm": cross_validate(…)} is read too.

    A table may be *long* (a row per score), *wide* (a column per learner) or *predictions* (the truth, and a column of
    predictions per learner); its headers tell which, and `shape` overrules them. What was recognised and decided is in
    the `notes` of the result. Missing values stay missing: `bakeoff.scores.blocks` asks what to do about them.

    rows: what the rows of a wide table are: "tasks", "folds", "runs" or "instances". Asked for only if the headers do
    not tell.
    measure: the name of the measure; of several in the table, the one or those to read; for predictions, the
    pointwise loss.
    larger_is_better: the direction of a measure whose name does not tell it. It is never guessed.
    cluster: the column of what several instances have in common, where the clusters are a sample of such clusters.
    strata: the same, where they are a fixed list that the conclusion is about.
    ignore: columns to leave out.
    columns: which column is what: {"learner": "config.model"}, or "learner=config.model,task=config.dataset".
    where: rows that count: "status=finished", or several such conditions.
    transpose: turn the table round first. average: average several values of one cell.
    positive: for predictions, of the two labels of the truth the one that the numbers beside it are scores of.

    >>> import pandas as pd
    >>> read_scores(pd.DataFrame({"dataset": ["iris", "wine"], "svm": [0.9, 0.8], "knn": [0.7, 0.9]}), measure="acc")
    <Scores: 4 rows, 2 learners, 2 tasks, acc>
    """
    ignored = (ignore,) if isinstance(ignore, str) else tuple(ignore)
    measures = [measure] if isinstance(measure, str) else list(measure or ())
    named = [*ignored, *measures, *(each for each in (cluster, strata) if each is not None)]
    chosen = choices(columns, where, transpose=transpose, others=named)
    table = None if format or transpose or not _is_large(sources) else _in_portions(sources[0], chosen, measures)
    return _understood(
        apply_choices(tidy(_raw_table(sources, format)), chosen) if table is None else table,
        rows=rows,
        measure=measure,
        larger_is_better=larger_is_better,
        shape=shape,
        cluster=cluster,
        strata=strata,
        ignore=ignored,
        average=average,
        positive=positive,
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
    average: bool = False,
    positive: str | None = None,
) -> Scores:
    for option, value, allowed in (("rows", rows, ROWS), ("shape", shape, SHAPES)):
        if value is not None and value not in allowed:
            raise UsageError(f"{option} cannot be {value!r}. {nearest(str(value), allowed)}")
    measures = () if measure is None else (measure,) if isinstance(measure, str) else tuple(dict.fromkeys(measure))
    table = prepare(
        plain_cells(table),
        ignore=[full_header(table, name) for name in ignore],
        cluster=None if cluster is None else full_header(table, cluster),
        strata=None if strata is None else full_header(table, strata),
    )
    refuse_no_learner(table)
    table, measures = leading_measure(table, measures, larger_is_better)
    if average:
        table = averaged(table)
    shape_given, shape = shape is not None, shape_of(table, rows) if shape is None else shape
    if rows is not None:
        refuse_rows(table.source, shape, rows)
    if shape == LONG:
        return read_long(table, measures=measures, larger_is_better=larger_is_better)
    if shape == PREDICTIONS:
        return read_predictions(
            table, measures=measures, larger_is_better=larger_is_better, shape_given=shape_given, positive=positive
        )
    return read_wide(table, rows=rows, measures=measures, larger_is_better=larger_is_better)


def read_by_factor(
    source: Readable,
    factor: str,
    *,
    ignore: str | Sequence[str] = (),
    format: str | None = None,
    columns: str | Mapping[str, str] | None = None,
    where: str | Sequence[str] = (),
    transpose: bool = False,
    **options: Any,
) -> tuple[str, dict[str, Scores]]:
    """The scores at each level of a second factor, such as the features that were extracted: a column beside those
    that `read_scores` knows, which takes the same options. Returns the name of the column too.

    >>> import pandas as pd
    >>> table = pd.DataFrame({"model": ["svm", "knn"] * 2, "features": ["raw", "raw", "pca", "pca"], "acc": [0.9] * 4})
    >>> read_by_factor(table, "features")
    ('features', {'raw': <Scores: 2 rows, 2 learners, 1 task, acc>, 'pca': <Scores: 2 rows, 2 learners, 1 task, acc>})
    """
    ignored = (ignore,) if isinstance(ignore, str) else tuple(ignore)
    chosen = choices(columns, where, transpose=transpose, others=[*ignored, factor])
    several = isinstance(source, list | tuple) and all(isinstance(each, str | os.PathLike) for each in source)
    table = apply_choices(tidy(_raw_table(source if several else [source], format)), chosen)
    names = matching(factor, table.names)
    if not names:
        raise UsageError(f"There is no column {factor!r} in {table.source}. {nearest(factor, table.names)}")
    labels = table.labels(names[0])
    if not 2 <= len(labels.labels) <= MOST_LEVELS:
        raise InputError(
            f"Column {names[0]!r} is to be a factor of 2 to {MOST_LEVELS} levels; it has {len(labels.labels)}.",
            source=table.source,
        )
    levels = {}
    for code, label in enumerate(labels.labels):
        if not label:
            raise InputError(
                f"Column {names[0]!r} is empty in some rows; every row must name its level.", source=table.source
            )
        part = table.where(labels.codes == code).without(names[0])
        levels[label] = _understood(part, ignore=ignored, **options)
    return names[0], levels


MOST_LEVELS = 50
_LARGE = 100_000_000  # bytes; what is smaller has no need to be read in portions


def _is_large(sources: Sequence[Readable]) -> bool:
    """Whether this is one file that may be too large to be held."""
    if len(sources) != 1 or not isinstance(sources[0], str | os.PathLike):
        return False
    return os.path.isfile(sources[0]) and os.path.getsize(sources[0]) > _LARGE


def _in_portions(source: str, chosen: Choices, measures: Sequence[str]) -> RawTable | None:
    from bakeoff.scores.reading.portions import read_in_portions

    return read_in_portions(source, chosen, measures)


def _raw_table(sources: Sequence[Readable], format: str | None) -> RawTable:
    """One table of what is given: a DataFrame as it is, all else by way of the formats, which lie above."""
    if len(sources) == 1 and is_frame(sources[0]):
        return read_frame(sources[0])
    from importlib import import_module

    if sources and all(isinstance(source, str | os.PathLike) for source in sources):
        table: RawTable = import_module("bakeoff.formats.stacking").gather(sources, format=format)
        return table
    raw: RawTable = import_module("bakeoff.formats.objects").table_of(sources)
    return raw


# ----------------------------------------------------------------------------------------------------------------------
# What the verbs accept: Scores, or a table that can be read as such without a question.


READING = "rows larger_is_better shape cluster strata ignore format columns where transpose average positive"


def as_scores(given: Scores | Readable, measure: str | Sequence[str] | None = None, **reading: Any) -> Scores:
    """The scores that are given, or those in a DataFrame or a dict of results, if no question about it is left open.

    >>> import pandas as pd
    >>> as_scores(pd.DataFrame({"dataset": ["iris", "wine"], "svm": [0.9, 0.8], "knn": [0.7, 0.9]}), "accuracy")
    <Scores: 4 rows, 2 learners, 2 tasks, accuracy>
    """
    if isinstance(given, Scores):
        if reading:
            raise UsageError(f"{next(iter(reading))}= says how a table is read; these scores have been read already.")
        return given
    if not is_frame(given) and not isinstance(given, Mapping):
        raise UsageError(
            "Scores were expected, as read_scores(…) and Study.run() give them, a dict of results by learner, or a "
            f"pandas DataFrame; found {type(given).__name__}. A file is read by read_scores('scores.csv')."
        )
    try:
        return read_scores(given, measure=measure, **reading)
    except UsageError as unclear:
        raise UsageError(f"{unclear} Answer here by that keyword, or read it by read_scores(table, …).") from None


def pop_reading(options: dict[str, Any]) -> dict[str, Any]:
    """What was said of how a table is read, taken out of all that was said.

    >>> options = {"rows": "tasks", "margin": 0.1}
    >>> pop_reading(options), options
    ({'rows': 'tasks'}, {'margin': 0.1})
    """
    return {name: options.pop(name) for name in READING.split() if name in options}
