"""Wide tables: a column per learner; a row per task, fold or instance."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import replace
from shlex import quote
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bakeoff.errors import UsageError
from bakeoff.measures import known_measure
from bakeoff.measures.measure import canonical_name, normalise_name
from bakeoff.scores.reading.columns import cluster_doubts, names_items_in_common, task_doubts
from bakeoff.scores.reading.headers import (
    CLUSTER,
    KEYS,
    POINTS_OF_A_CURVE,
    SIZES,
    WIDE_ROLES,
    HeaderRoles,
    directed,
    key_columns,
    one_measure,
    points_of_a_curve,
    recognise,
    role_of,
    rows_of_measure,
    size_columns,
    weak_role_of,
    with_range,
)
from bakeoff.scores.reading.raw import RawTable, is_number
from bakeoff.scores.reading.shape import (
    IN_WORDS,
    UNNAMED,
    WIDE,
    combinations,
    numbered,
    numbered_within,
    scores_of_matrix,
    unnamed_instances,
)
from bakeoff.scores.table import Labels, Scores
from bakeoff.text import CodedWarning, listing

_KEY_OF_ROWS = {"tasks": "task", "folds": "fold", "runs": "repeat", "instances": "instance"}
_ROWS_IN_WORDS = (
    "Say --rows tasks (each row is another data set), --rows folds (each row is a fold of one cross-validation, in "
    "which every case was tested once), --rows runs (each row is another split, seed or run on one data set) or --rows "
    "instances (each row is one test case); in Python rows='tasks' and so on."
)
_FOLDS_BY_WORD = CodedWarning(
    "folds-by-word",
    "That the rows are folds of one cross-validation, in which every case was tested once, is known by your word: "
    "random splits overlap more than folds do, and more is then claimed than they bear.",
    "If the rows are random splits, say --rows runs --ratio N_TEST/N_TRAIN (in Python rows='runs', ratio=); columns "
    "n_train and n_test settle it as well.",
)


def read_wide(
    table: RawTable, *, rows: str | None = None, measures: Sequence[str] = (), larger_is_better: bool | None = None
) -> Scores:
    """The scores in a wide table; of several measures those named, or all.

    >>> table = RawTable("t.csv", ("svm", "knn"), (Labels.of(["0.9", "0.8"]), Labels.of(["0.7", "0.6"])))
    >>> read_wide(table, rows="tasks", measures=["accuracy"])
    <Scores: 4 rows, 2 learners, 2 tasks, accuracy>
    """
    roles = recognise(table, WIDE_ROLES)
    table = rows_of_measure(table, roles, measures)
    points = [name for name in roles.others(table) if normalise_name(name) in POINTS_OF_A_CURVE]
    if points and rows is None and not roles.get("instance") and table.holds_numbers(points[0]):
        raise points_of_a_curve(table, points[0])
    label, label_note = _row_label(table, roles)
    learners, aside = set_aside(table, [name for name in roles.others(table) if name != label])
    _refuse_no_learners(table, learners)
    if len(learners) == 1 and label is not None and rows in (None, "tasks"):
        _refuse_recurring(table, label, learners[0])
    keys = key_columns(table, roles, (*KEYS, CLUSTER, "measure"))
    if "measure" not in keys and len(measures) > 1:
        raise one_measure(measures, f"{table.source} has a column for each learner and none that names measures")
    by_row = keys.pop("measure", Labels.constant(measures[0] if measures else UNNAMED, table.n_rows))
    sign = _right_or_wrong(table, learners) if rows is None else ""
    keys, rows_note = _with_rows(table, keys, by_row, rows, label, sign)
    if "instance" in keys and CLUSTER not in keys:
        recurring = [label] if label and len(table.labels(label).labels) < table.n_rows else []
        doubts = cluster_doubts(table, keys["instance"], aside, recurring)
        table = replace(table, doubts=(*table.doubts, *doubts))
    elif "task" in keys and CLUSTER not in keys:
        table = replace(table, doubts=(*table.doubts, *task_doubts(table, keys["task"], aside)))
    values = np.column_stack([table.numbers(name) for name in learners])
    described, range_notes = with_range(directed(by_row.labels, larger_is_better), by_row, values)
    sizes = size_columns(table, roles)
    if rows == "folds" and len(sizes) < len(SIZES) and table.n_rows > 1:
        table = replace(table, doubts=(*table.doubts, _FOLDS_BY_WORD))
    return scores_of_matrix(
        table,
        values,
        learners,
        keys,
        measure=by_row,
        measures=described,
        n_train=sizes.get("n_train"),
        n_test=sizes.get("n_test"),
        notes=(
            *table.notes,
            f"read as {IN_WORDS[WIDE]}",
            *roles.notes,
            *label_note,
            *([f"set aside, as nobody's scores: {listing([repr(name) for name in aside])}"] if aside else ()),
            *rows_note,
            *range_notes,
        ),
    )


def _row_label(table: RawTable, roles: HeaderRoles) -> tuple[str | None, tuple[str, ...]]:
    """The column that only names the rows: by its header, by counting them, or the first one without numbers."""
    others = roles.others(table)
    for name in others:
        if name == "" or weak_role_of(name) == "row" or (name == others[0] and _counts_rows(table, name)):
            return name, (f"column {name!r} names the rows" if name else "the column without a name names the rows",)
    if any(roles.get(key) for key in KEYS):
        return None, ()
    for name in others:
        if not table.holds_numbers(name) and not table.is_empty(name):
            return name, (f"column {name!r} names the rows",)
    return None, ()


def _counts_rows(table: RawTable, name: str) -> bool:
    """Whether a column is 0, 1, 2, … or 1, 2, 3, …: a row number, and nobody's score."""
    n, column = table.n_rows, table.column(name)
    if n < 3 or (isinstance(column, Labels) and column.labels[0].strip() not in ("0", "1")):
        return False
    if not isinstance(column, Labels):
        return any(np.array_equal(column, np.arange(start, start + n)) for start in (0, 1))
    return any(table.labels(name).labels == tuple(map(str, range(start, start + n))) for start in (0, 1))


def _refuse_no_learners(table: RawTable, learners: list[str]) -> None:
    if learners and all(role_of(name) == "value" for name in learners):
        texts = [name for name in table.names if name not in learners and not table.holds_numbers(name)]
        such = texts[0] if texts else "COLUMN"
        raise table.error(
            f"{learners[0]!r} holds scores, and no column names the learners they are of: say which one does, as in "
            f"--columns learner={such} (the columns are {listing([repr(name) for name in table.names])})."
        )
    if not learners:
        raise table.error(
            "A wide table has a column of numbers for each learner, but none was found "
            f"(the columns are {listing([repr(name) for name in table.names])})."
        )


def _refuse_recurring(table: RawTable, label: str, value: str) -> None:
    """One column of numbers, and names that recur beside it: a long table whose learners are called something else."""
    if label and not table.holds_numbers(label) and len(table.labels(label).labels) < table.n_rows:
        others = [name for name in table.names if name not in (label, value)]
        option = quote(f"learner={label},task={others[0] if len(others) == 1 else 'COLUMN'}")
        raise UsageError(
            f"Which column of {table.source} names the learners? {value!r} alone holds numbers, and the names in "
            f"{label!r} recur. If these are learners, say what the other columns are too: --columns {option} "
            f"--measure {quote(value)} (in Python columns=, measure=)."
        )


def _right_or_wrong(table: RawTable, learners: Sequence[str]) -> str:
    """Why rows can only be instances, where nothing else says what they are; "" if they may be something else."""
    values = [table.numbers(name) for name in learners if table.holds_numbers(name)]
    known = [column[~np.isnan(column)] for column in values]
    both = len(known) == len(learners) > 1 and {float(each) for column in known for each in np.unique(column)}
    return "as every score is 0 or 1" if both == {0.0, 1.0} else ""


def _with_rows(
    table: RawTable, keys: dict[str, Labels], by_row: Labels, rows: str | None, label: str | None, sign: str = ""
) -> tuple[dict[str, Labels], tuple[str, ...]]:
    """The keys, with the one that `rows` asks for added from the label column or by counting.

    `sign` is why rows are instances if nothing in the header says what they are.
    """
    told_apart = combinations([*keys.values(), by_row], table.n_rows) == table.n_rows
    why = "as you said"
    if rows is None:
        unclear = not keys or (set(keys) <= {"task", CLUSTER} and not told_apart)
        if label and not sign and not keys and names_items_in_common(label):
            sign = f"as each is another {label}" if len(table.labels(label).labels) == table.n_rows else ""
        if sign and (unclear or set(keys) == {CLUSTER}):
            rows, why = "instances", sign
        elif unclear or set(keys) == {CLUSTER}:
            shared = f"several rows share their {'data set' if 'task' in keys else table.roles.get(CLUSTER)}"
            reason = shared if keys else "no column says what a row is"
            raise UsageError(f"What are the rows of {table.source}? The table is wide, and {reason}. {_ROWS_IN_WORDS}")
        else:
            return keys, ()
    wanted = _KEY_OF_ROWS[rows]
    finest = max((key for key in keys if key in KEYS), key=KEYS.index, default=wanted)
    if KEYS.index(finest) > KEYS.index(wanted):
        raise UsageError(
            f"You said that the rows of {table.source} are {rows}, but one of its columns names the {finest} of each "
            "row. Leave --rows out, or leave that column out."
        )
    if wanted in keys or (finest == "repeat" and wanted == "fold" and told_apart):
        return keys, ()
    groups = [*keys.values(), by_row]
    if label is not None and combinations([*groups, table.labels(label)], table.n_rows) == table.n_rows:
        return {**keys, wanted: table.labels(label)}, (f"the rows are {rows}, {why}",)
    if wanted == "instance" and "repeat" in keys:
        raise unnamed_instances(table, "repeat")
    groups = [*(column for key, column in keys.items() if key != CLUSTER), by_row]
    count = numbered(table.n_rows) if wanted == "instance" else numbered_within(groups, table.n_rows)
    return {**keys, wanted: count}, (f"the rows are {rows}, {why}, and numbered from 1",)


# ----------------------------------------------------------------------------------------------------------------------
# Columns that are nobody's scores: set aside with a note, or asked about.


_SPREADS = "std|sd|stdev|stddev|std_dev|std_err|std_error|se|sem|stderr|var|variance|ci|ci95|lower|upper"
_OTHERS = "n|count|counts|rank|time|seconds|duration|runtime"
# Names of models may end in these as well: they tell of another column only if that is there.
_IF_BESIDE = "min|max|low|high|lb|ub|p|pvalue|p_value|median|iqr|mad|train|training"
_ENDING = re.compile(rf"(.+?)[\W_]+({_SPREADS}|{_OTHERS})[\W_]*", re.IGNORECASE)
_MAYBE_ENDING = re.compile(rf"(.+?)[\W_]+({_IF_BESIDE})[\W_]*", re.IGNORECASE)
_BEGINNING = re.compile(rf"({_SPREADS}|{_OTHERS}|train|training)[\W_]+(.+)", re.IGNORECASE)
_FEWEST_ROWS, _FEW_ROWS, _NO_COUNT, _ROUNDED, _MOST = 3, 6, 3, 0.006, 0.7
_SUMMARIES: dict[str, Callable[..., Any]] = {
    **dict.fromkeys(("mean", "average", "avg"), np.mean),
    "median": np.median,
    **dict.fromkeys(("best", "max", "maximum", "worst", "min", "minimum"), np.max),
}


def set_aside(table: RawTable, learners: Sequence[str]) -> tuple[list[str], list[str]]:
    """The columns that are learners, and those that are not, by their names or by what they hold."""
    odd = [name for name in learners if _is_companion(name, learners)]
    if len(odd) == len(learners):  # times of each learner, and nothing else: they are what is compared
        odd = []
    kept = [name for name in learners if name not in odd]
    odd += [name for name in kept if weak_role_of(name) == "row" or names_items_in_common(name)]
    odd += [name for name in kept if name not in odd and _is_text(table, name)]
    if len(odd) == len(learners):  # text in place of every number: the reader of numbers says which cell
        odd = []
    kept = [name for name in learners if name not in odd]
    whose = [name for name in kept if normalise_name(name) not in _SUMMARIES]
    odd += [name for name in kept if _sums_up(table, name, whose)]
    odd += [name for name in whose if name not in odd and _compares(table, name, [w for w in whose if w not in odd])]
    kept = [name for name in learners if name not in odd]
    _refuse_measures(table, kept)
    _refuse_numbers(table, kept)
    _refuse_whole_numbers(table, kept)
    return kept, [name for name in learners if name in odd]


def _is_text(table: RawTable, name: str) -> bool:
    """Whether a column holds words; what begins as a number does ("0.9 ± 0.1") is a score that cannot be read."""
    if table.holds_numbers(name) or table.is_empty(name):
        return False
    return not any(re.match(r"\s*[-+]?\.?\d", label) for label in table.labels(name).labels)


def _is_companion(name: str, names: Sequence[str]) -> bool:
    """Whether a column tells something about another one: its deviation, its rank, its time, its training score."""
    if _OF_DATA.fullmatch(normalise_name(name)):
        return True
    if _ENDING.fullmatch(name.strip()) or normalise_name(name) in f"{_SPREADS}|{_OTHERS}".split("|"):
        return True
    if match := _MAYBE_ENDING.fullmatch(name.strip()):
        return any(other != name and other.startswith(match[1]) for other in names)
    match = _BEGINNING.fullmatch(name.strip())
    if match is None:
        return False
    return match[1].lower() not in ("n", "ci", "se", "time", "p") or any(match[2] == other for other in names)


# Facts about data sets, which stand beside scores in many published tables.
_OF_DATA = re.compile(
    r"(n|num|nr|number|no)_?(of_)?(samples|instances|examples|rows|cases|features|attributes|variables|classes|items)"
    r"|(samples|instances|examples|rows|features|attributes|classes|size|sizes|year|dimension|dimensions)"
)


def _sums_up(table: RawTable, name: str, others: Sequence[str]) -> bool:
    """Whether a column called mean, best or the like is that of the other ones, in every row."""
    how = _SUMMARIES.get(normalise_name(name))
    if how is None or len(others) < 2:
        return False
    values = np.column_stack([table.numbers(other) for other in others])
    ends: tuple[NDArray[np.float64], ...] = (how(values, axis=1),)
    if how is np.max:  # the best may be the largest or the smallest
        ends = (values.max(axis=1), values.min(axis=1))
    own, scale = table.numbers(name), np.abs(values).max()
    return any(bool((np.abs(own - end) <= _ROUNDED * scale).all()) for end in ends)


_GAINS = "delta diff difference gain improvement improvement_pct rel_improvement relative_improvement change lift"
_DIFFERENCES = frozenset(_GAINS.split())
_P_VALUES = ("p", "p_value", "pvalue", "p_val", "pval", "p_values", "q_value", "significance")


def _compares(table: RawTable, name: str, others: Sequence[str]) -> bool:
    """Whether a column called delta, gain, p-value or the like tells how two of the other ones compare."""
    plain, rest = normalise_name(name), [other for other in others if other != name]
    if len(rest) < 2 or not table.holds_numbers(name):
        return False
    own = table.numbers(name)
    if plain in _P_VALUES:
        return bool(((own >= 0) & (own <= 1) | np.isnan(own)).all())
    if plain not in _DIFFERENCES:
        return False
    values = [table.numbers(other) for other in rest if normalise_name(other) not in _DIFFERENCES]
    if bool((own < 0).any()) and all(bool((column >= 0).all()) for column in values):
        return True
    scale = max((float(np.abs(column).max()) for column in values), default=0.0)
    pairs = ((first, second) for first in values for second in values if first is not second)
    return any(bool((np.abs(own - (a - b)) <= _ROUNDED * scale).all()) for a, b in pairs)


def _refuse_measures(table: RawTable, learners: Sequence[str]) -> None:
    measures = [name for name in learners if known_measure(name) or _of_means(name)]
    if measures and 2 * len(measures) > len(learners):
        raise table.error(
            f"No column names the learners, and {listing([repr(name) for name in measures])} "
            f"{'is' if len(measures) == 1 else 'are'} named after measures. Add a column 'learner' that says whose "
            "scores these are, or leave out what is no learner (--ignore COLUMN; in Python ignore=)."
        )
    words = {name: re.split(r"[\W_]+", name.strip()) for name in learners}
    ends = {name: canonical_name(each[-1]) or canonical_name(each[0]) for name, each in words.items()}
    different = {end for end in ends.values() if end is not None}
    if len(different) > 1 and None not in ends.values():
        raise table.error(
            f"The columns {listing([repr(name) for name in learners], most=6)} hold different measures "
            f"({listing(sorted(different))}), which cannot be compared. Leave those of one measure "
            "(--ignore COLUMN; in Python ignore=), or write columns learner, measure and value."
        )


def _of_means(name: str) -> bool:
    """Whether a column holds scikit-learn's mean of a score or a time over splits."""
    plain = normalise_name(name).removeprefix("mean_")
    return plain != normalise_name(name) and (
        known_measure(plain) is not None or plain in ("test_score", "score", "score_time")
    )


def _refuse_numbers(table: RawTable, learners: Sequence[str]) -> None:
    if len(learners) > 1 and all(is_number(name) for name in learners):
        raise table.error(
            f"The columns are called {listing(list(learners), most=6)}: numbers, which name no learner. Say in the "
            "header whose scores these are, such as svm or m1."
        )


def _refuse_whole_numbers(table: RawTable, learners: Sequence[str]) -> None:
    """Sizes, years and ids among shares: whole numbers that nobody's share can be."""
    values = {name: table.numbers(name) for name in learners if table.holds_numbers(name)}
    known = {name: column[~np.isnan(column)] for name, column in values.items()}
    shares = [name for name, column in known.items() if len(column) and column.min() >= 0 and column.max() <= 1]
    items = np.unique(np.concatenate([known[name] for name in shares])) if shares else np.empty(0)
    beyond = [name for name, column in known.items() if name not in shares and len(column) >= _FEWEST_ROWS]
    if len(items) < 2 or len(shares) < len(beyond):
        # The same among other scores, if all of those have fractions.
        shares = [name for name, column in known.items() if len(column) and (column != np.floor(column)).mean() > _MOST]
        beyond = [name for name in known if name not in shares and len(known[name]) >= _FEW_ROWS]
        if len(shares) < max(2, len(beyond)):
            return
    for name in beyond:
        if (known[name] == np.floor(known[name])).all() and known[name].max() >= _NO_COUNT:
            raise UsageError(
                f"Is column {name!r} of {table.source} a learner? It holds whole numbers up to {known[name].max():g}, "
                f"and {listing([repr(other) for other in shares], most=4)} scores with fractions. Say --ignore {name} "
                f"if it is none (in Python ignore=[{name!r}]), or --cluster {name} if it tells what several instances "
                "have in common."
            )
