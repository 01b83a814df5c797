"""What the user says of a table before its headers are read: which column is what, which rows count, which way round.

--columns learner=config.model,task=config.dataset    --where status=finished    --transpose    --average
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from bakeoff.errors import UsageError, nearest
from bakeoff.measures import known_measure
from bakeoff.measures.measure import normalise_name
from bakeoff.resampling.split import APPARENT, TEST
from bakeoff.scores.reading.headers import (
    CLUSTER,
    KEYS,
    LEARNED_FROM,
    LONG_ROLES,
    PARTS_OF_A_SPLIT,
    TESTED_ON,
    is_summary,
    matching,
    recognise,
    role_of,
)
from bakeoff.scores.reading.raw import Column, RawTable, at_rows, is_missing
from bakeoff.scores.table import Labels
from bakeoff.text import listing

# Prefixes that tools put in front of what a user called something.
_PREFIX = re.compile(
    r"(?:config|params|metrics?|scores?|results?|summary|hparams|hyperparameters|parameters)[./](.+)|Key_(.+)"
)
ROLES = (*LONG_ROLES, "truth", "time")


@dataclass(frozen=True)
class Choices:
    """Roles by header, conditions on rows, and whether the table is turned round."""

    columns: Mapping[str, str]
    where: tuple[str, ...] = ()
    transpose: bool = False
    others: tuple[str, ...] = ()  # headers that are named in other options, and keep their names


def choices(
    columns: str | Mapping[str, str] | None = None,
    where: str | Sequence[str] = (),
    *,
    transpose: bool = False,
    others: Sequence[str] = (),
) -> Choices:
    """What was said, checked as far as it can be without the table.

    >>> choices("learner=config.model, task=data").columns
    {'learner': 'config.model', 'task': 'data'}
    """
    if isinstance(columns, str):
        pairs = [part.partition("=") for part in columns.split(",") if part.strip()]
        columns = {role.strip(): header.strip() for role, _, header in pairs}
    roles = {}
    for role, header in (columns or {}).items():
        own = role_of(role) or normalise_name(role)
        if own not in ROLES or not header:
            raise UsageError(
                f"Columns are said as role=header, such as learner=config.model; found {f'{role}={header}'!r}. "
                f"{nearest(role, ROLES)}"
            )
        roles[own] = header
    conditions = (where,) if isinstance(where, str) else tuple(where)
    return Choices(roles, conditions, transpose, tuple(others))


def apply_choices(table: RawTable, choices: Choices) -> RawTable:
    """The table as the user says that it is to be read."""
    if choices.transpose:
        table = _transposed(table)
    for condition in choices.where:
        table = _rows_where(table, condition)
    table = _with_roles(table, choices.columns)
    return _without_prefixes(table, {*choices.others, *choices.columns.values()})


def full_header(table: RawTable, wanted: str) -> str:
    """The header that is meant: itself, or the only one that ends in it, as metadata.passage in passage."""
    if matching(wanted, table.names):
        return wanted
    ends = [name for name in table.names if name.endswith((f".{wanted}", f"/{wanted}"))]
    return ends[0] if len(ends) == 1 else wanted


def _header(table: RawTable, wanted: str, flag: str) -> str:
    names = matching(full_header(table, wanted), table.names)
    if not names:
        raise UsageError(
            f"{flag} names the column {wanted!r}, which {table.source} does not have. {nearest(wanted, table.names)}"
        )
    return names[0]


def _with_roles(table: RawTable, columns: Mapping[str, str]) -> RawTable:
    """Headers that are named get the name of their role; others that would claim the role lose it."""
    if not columns:
        return table
    names = {role: _header(table, header, "--columns") for role, header in columns.items()}
    if "value" in names:
        table, names = _with_value(table, names)
    if "truth" in names:
        header = names.pop("truth")
        table = replace(table, names=tuple("truth" if name == header else name for name in table.names))
    for role, header in names.items():
        rivals = [n for n in table.names if role_of(n) == role and n != header and n not in names.values()]
        for rival in rivals:
            table = table.without(rival)
    roles = {**table.roles, **names}
    roles_text = listing([f"{header!r} as {role}" for role, header in names.items()])
    return replace(table, roles=roles, notes=(*table.notes, f"columns as you said: {roles_text}"))


def _with_value(table: RawTable, names: dict[str, str]) -> tuple[RawTable, dict[str, str]]:
    """The column of scores alone: other measures are not asked about. One that is named after a measure stays so."""
    header = names["value"]
    for name in table.names:
        if name != header and name not in names.values() and (known_measure(_bare(name)) or role_of(name) == "value"):
            table = table.without(name)
    if known_measure(_bare(header)) is None:
        return table, names
    rest = {role: name for role, name in names.items() if role != "value"}
    return replace(table, names=tuple(_bare(name) if name == header else name for name in table.names)), rest


def _bare(name: str) -> str:
    match = _PREFIX.fullmatch(name)
    return name if match is None else match[1] or match[2]


_OPERATORS = re.compile(r"(.+?)\s*(!=|<=|>=|==|=|<|>)\s*(.*)")


def _rows_where(table: RawTable, condition: str) -> RawTable:
    """The rows of which a condition holds: column=value, column!=value, or one of <, <=, >, >=; values may be a,b."""
    match = _OPERATORS.fullmatch(condition.strip())
    if match is None:
        raise UsageError(f"--where takes column=value, such as status=finished; found {condition!r}.")
    name, operator, value = _header(table, match[1], "--where"), match[2], match[3]
    if operator in ("<", "<=", ">", ">="):
        keep = _compared(table, name, operator, value)
    else:
        labels = table.labels(name)
        wanted = {each.strip().lower() for each in value.split(",")}
        inside = np.array([_same(label, wanted) for label in labels.labels], dtype=bool)[labels.codes]
        keep = ~inside if operator == "!=" else inside
    if not keep.any():
        known = table.labels(name).labels
        raise UsageError(
            f"No row of {table.source} has {condition}. Column {name!r} holds {listing(list(known), most=6)}."
        )
    note = f"{int(keep.sum())} of {table.n_rows} rows, those with {condition}"
    return replace(table.where(keep), notes=(*table.notes, note))


def _same(label: str, wanted: set[str]) -> bool:
    text = label.strip().lower()
    if text in wanted:
        return True
    try:
        number = float(text)
    except ValueError:
        return False
    return any(_is_number(each, number) for each in wanted)


def _is_number(text: str, number: float) -> bool:
    try:
        return float(text) == number
    except ValueError:
        return False


def _compared(table: RawTable, name: str, operator: str, value: str) -> NDArray[np.bool_]:
    try:
        limit = float(value)
    except ValueError:
        raise UsageError(f"--where compares {name!r} with a number by {operator}; found {value!r}.") from None
    numbers = table.numbers(name)
    with np.errstate(invalid="ignore"):
        kept = {"<": numbers < limit, "<=": numbers <= limit, ">": numbers > limit, ">=": numbers >= limit}[operator]
    return np.asarray(kept)


def _transposed(table: RawTable) -> RawTable:
    """Rows as columns: the column of learners, or else the first one, names what become the headers."""
    if table.n_rows > 10_000:
        raise UsageError(f"--transpose would make {table.n_rows} columns of the rows of {table.source}.")
    first = next((name for name in table.names if role_of(name) == "learner"), table.names[0])
    headers = table.labels(first).values()
    if len(set(headers)) < len(headers):
        twice = next(label for label in headers if headers.count(label) > 1)
        raise UsageError(f"--transpose makes headers of column {first!r}, but {twice!r} stands twice in it.")
    others = [name for name in table.names if name != first]
    left = [name for name in others if is_summary(name) or _NO_DATA.fullmatch(normalise_name(name))]
    left += [name for name in others if name not in left and not table.holds_numbers(name)]
    others = [name for name in others if name not in left]
    rows = [table.labels(name).values() for name in others]
    names = (_what_they_number(others), *headers)
    columns = (Labels.of(others), *(Labels.of(cells) for cells in zip(*rows, strict=True)))
    note = f"turned round, as you said: the rows of column {first!r} are columns"
    note += f"; left out, as no data sets: {listing([repr(name) for name in left], most=6)}" if left else ""
    return RawTable(
        table.source, names, columns, notes=(*table.notes, note), decimal_comma=table.decimal_comma, doubts=table.doubts
    )


# Of models on a leaderboard: their place, size and age.
_NO_DATA = re.compile(
    r"rank|ranking|position|place|(n_|num_|nr_|_)?(params?|parameters)(_.*)?|model_size|size|flops|year|votes|likes|"
    r"downloads|elo|cost|price|latency|speed|throughput|carbon.*|co2.*"
)
_NUMBERED = re.compile(r"[\W_]*(fold|seed|split|repeat|rep|run|trial)[\W_]*\d+", re.IGNORECASE)


def _what_they_number(names: Sequence[str]) -> str:
    """What columns become rows of: folds, seeds or runs if they are called so, and data sets otherwise."""
    words = {match[1].lower() if (match := _NUMBERED.fullmatch(name)) else "dataset" for name in names}
    return words.pop() if len(words) == 1 else "dataset"


def _without_prefixes(table: RawTable, kept: set[str]) -> RawTable:
    """params.model as model, metrics.accuracy as accuracy, where the rest is a name that means something."""
    names, stripped = list(table.names), []
    for i, name in enumerate(names):
        match = _PREFIX.fullmatch(name)
        if match is None or name in kept or name in table.roles.values() or role_of(name):
            continue
        rest = match[1] or match[2]
        if (role_of(rest) or known_measure(rest)) and rest not in names:
            names[i] = rest
            stripped.append(name)
    if not stripped:
        return table
    note = f"headers read without their prefixes: {listing([repr(name) for name in stripped], most=6)}"
    return replace(table, names=tuple(names), notes=(*table.notes, note))


# ----------------------------------------------------------------------------------------------------------------------
# What the files of tools leave to be decided: whose scores, and by which measure.


def refuse_no_learner(table: RawTable) -> None:
    """Ask which column names the learners of a table that is known to have a row a run."""
    if not table.long or "learner" in table.roles or any(role_of(name) == "learner" for name in table.names):
        return
    texts = [name for name in table.names if name and role_of(name) is None and not known_measure(name)]
    raise UsageError(
        f"Which column of {table.source} names the learners? Say --columns learner=HEADER (in Python "
        f"columns={{'learner': HEADER}}). The columns are {listing(list(map(repr, texts or table.names)), most=12)}."
    )


def leading_measure(table: RawTable, measures: Sequence[str], larger: bool | None) -> tuple[RawTable, tuple[str, ...]]:
    """The measures to read: those asked for, the one that the files lead with, or those of a known direction."""
    if measures or not table.directions or "measure" not in table.names:
        return table, tuple(measures)
    names = table.labels("measure").labels
    if table.headline in names:
        return table, (table.headline,)
    known = [name for name in names if name in table.directions or known_measure(name)]
    if len(known) in (0, len(names)) or larger is not None:
        return table, ()
    left = [name for name in names if name not in known]
    note = f"left out, as their direction is not known: {listing(left, most=6)} (--measure NAME --larger-is-better)"
    return replace(table, notes=(*table.notes, note)), tuple(known)


# ----------------------------------------------------------------------------------------------------------------------


def averaged(table: RawTable) -> RawTable:
    """A row for each cell: the numbers of rows that share all keys are averaged, missing ones left out."""
    roles = recognise(table, LONG_ROLES)
    keys = [roles.get(role) for role in ("learner", *KEYS, CLUSTER, "measure")]
    named = [table.labels(name) for name in keys if name is not None]
    if not named:
        raise UsageError(f"--average needs columns that name the cells of {table.source} (learner, task, …).")
    code = np.zeros(table.n_rows, dtype=np.intp)
    for each in named:
        code = np.unique(code * len(each.labels) + each.codes, return_inverse=True)[1]
    _, first, inverse = np.unique(code, return_index=True, return_inverse=True)
    if len(first) == table.n_rows:
        return table
    order = np.argsort(first, kind="stable")
    rank = np.empty_like(order)
    rank[order] = np.arange(len(order))
    cell, first = rank[inverse], first[order]
    columns: list[Column] = []
    for name, column in zip(table.names, table.columns, strict=True):
        if name in keys or not _is_numeric(table, name):
            columns.append(at_rows(column, first))
            continue
        values = table.numbers(name)
        there = ~np.isnan(values)
        counts = np.bincount(cell[there], minlength=len(first))
        with np.errstate(invalid="ignore", divide="ignore"):
            columns.append(np.bincount(cell[there], weights=values[there], minlength=len(first)) / counts)
    note = f"{table.n_rows} rows averaged to {len(first)}, one for each cell, as you said"
    return replace(
        table,
        columns=tuple(columns),
        lines=None if table.lines is None else table.lines[first],
        notes=(*table.notes, note),
    )


def _is_numeric(table: RawTable, name: str) -> bool:
    column = table.column(name)
    if not isinstance(column, Labels):
        return True
    try:
        table.numbers(name)
    except ValueError:
        return False
    return not all(map(is_missing, column.labels))


# ----------------------------------------------------------------------------------------------------------------------
# Rows that do not count, whoever chooses: those of the training part, and those that sum others up or tell how
# uncertain they are.


def tested_rows(table: RawTable) -> RawTable:
    """The rows of the test part, where a column such as phase or subset tells training and test scores apart."""
    for name in table.names:
        if role_of(name) not in (None, "split", "fold", "repeat") or name in table.roles.values():
            continue
        column = table.column(name)
        if not isinstance(column, Labels) or not 1 < len(column.labels) <= len(PARTS_OF_A_SPLIT):
            continue
        parts = {label: normalise_name(label) for label in column.labels}
        if not set(parts.values()) <= PARTS_OF_A_SPLIT:
            continue
        tested = {label for label, part in parts.items() if part in TESTED_ON}
        tested = tested or {label for label, part in parts.items() if part not in LEARNED_FROM}
        if len(tested) != 1:
            continue  # which part counts is not told: the reader of folds, or of what tells cells apart, asks
        keep = np.array([label in tested for label in column.labels])[column.codes]
        left = listing([repr(label) for label in column.labels if label not in tested])
        note = f"of column {name!r} the rows {next(iter(tested))!r} count, and {left} are left out"
        return replace(table.where(keep).without(name), notes=(*table.notes, note))
    return table


_ROUNDED = 0.006  # of the largest score: a mean is rounded
_SPREAD = re.compile(
    r"(.+?)[\W_]+(stderr|std_err|std_error|std|stdev|sd|se|sem|ci|ci95|ci_low|ci_high)(,.*)?", re.IGNORECASE
)


def without_spreads(table: RawTable) -> RawTable:
    """The rows whose measure tells how uncertain another one is, as acc_stderr does beside acc: nobody's scores."""
    named = [name for name in table.names if role_of(name) == "measure"]
    if len(named) != 1:
        return table
    labels = table.labels(named[0])
    matches = {label: match for label in labels.labels if (match := _SPREAD.fullmatch(label))}
    others = {label for label in labels.labels if label not in matches}
    odd = [label for label, match in matches.items() if {match[1], match[1] + (match[3] or "")} & others]
    if not odd:
        return table
    keep = ~np.array([label in odd for label in labels.labels])[labels.codes]
    note = f"set aside, as nobody's scores: {listing([repr(label) for label in odd], most=6)} in column {named[0]!r}"
    return replace(table.where(keep), notes=(*table.notes, note))


def without_summaries(table: RawTable) -> RawTable:
    """A wide table without a row called Average, and its like, that is the mean of the other rows, or their mean ranks.

    What is called so and is neither is refused where keys are read.
    """
    if any(role_of(name) == "learner" for name in table.names) or "learner" in table.roles or table.n_rows < 4:
        return table
    texts = [
        name for name in table.names if role_of(name) in ("task", "fold", "repeat") or not table.holds_numbers(name)
    ]
    numeric = [name for name in table.names if name not in texts and table.holds_numbers(name)]
    if not texts or len(numeric) < 2:
        return table
    labels = table.labels(texts[0])
    if len(labels.labels) < table.n_rows:
        return table
    odd = np.array([is_summary(label) for label in labels.labels])[labels.codes]
    if not odd.any() or odd.sum() > 2:
        return table
    values = np.column_stack([table.numbers(name) for name in numeric])
    rest = values[~odd]
    scale, k = float(np.nanmax(np.abs(rest), initial=0.0)), len(numeric)
    for row in np.flatnonzero(odd):
        own = values[row]
        same = [np.abs(own - how(rest, axis=0)) <= _ROUNDED * scale for how in (np.nanmean, np.nanmedian)]
        ranks = ((own >= 1) & (own <= k)).all() and abs(own.sum() - k * (k + 1) / 2) <= _ROUNDED * k * k
        if not (ranks or any(bool(each.all()) for each in same)):
            return table
    left = [label for label in labels.labels if is_summary(label)]
    note = f"left out, as summing up the other rows: {listing([repr(label) for label in left])}"
    return replace(table.where(~odd), notes=(*table.notes, note))


# ----------------------------------------------------------------------------------------------------------------------
# Scores on rows that were learned from, as `bakeoff export` writes them beside the others: they are no test.


APPARENT_COLUMN = "role"


def drop_apparent_rows(table: RawTable) -> tuple[RawTable, tuple[str, ...]]:
    """The table without the rows whose role is "apparent", and notes; another column of that name is left alone.

    >>> from bakeoff.scores.table import Labels
    >>> learner, role = Labels.of(["svm", "svm"]), Labels.of(["apparent", "test"])
    >>> made, notes = drop_apparent_rows(RawTable("t", ("learner", "role"), (learner, role)))
    >>> made.names, made.n_rows, notes
    (('learner',), 1, ('1 row of fits to all rows (role apparent) left out: it was tested on what it had learned',))
    """
    name = next((name for name in table.names if normalise_name(name) == APPARENT_COLUMN), None)
    if name is None:
        return table, ()
    roles = table.labels(name)
    if not set(roles.labels) <= {TEST, APPARENT}:
        return table, ()
    apparent = np.array([label == APPARENT for label in roles.labels])[roles.codes]
    count = int(apparent.sum())
    if not count:
        return table.without(name), ()
    if count == table.n_rows:
        raise table.error(
            f"All rows have the role {APPARENT!r}: they were tested on what had been learned, which tells nothing.",
            column=name,
        )
    left_out = f"{count} row{'s' * (count != 1)} of fits to all rows (role {APPARENT}) left out"
    why = f"{'it was' if count == 1 else 'they were'} tested on what {'it' if count == 1 else 'they'} had learned"
    return table.without(name).where(~apparent), (f"{left_out}: {why}",)
