"""What the columns of a file are, where names alone do not tell: runs, answers to one item, clusters, times.

A table is prepared before its headers are read: columns that the user ignores go, labels such as Fold01.Rep01 become a
repeat and a fold, several columns of runs become one, and items, clusters and times are told apart by what they hold.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import replace
from datetime import datetime

import numpy as np
from numpy.typing import NDArray

from bakeoff.errors import UsageError, nearest
from bakeoff.measures import known_measure
from bakeoff.measures.measure import normalise_name
from bakeoff.scores.design import RunDesign, Runs
from bakeoff.scores.reading.headers import KEYS, LONG_ROLES, SIZES, matching, role_of, weak_role_of
from bakeoff.scores.reading.raw import RawTable, is_number
from bakeoff.scores.table import Labels, frozen
from bakeoff.text import CodedWarning, listing

# Compared without case, blanks and punctuation, as in `headers`.
_NAMES = {
    # Several answers to one item: a further column beside the item. Alone, some of these number items or runs.
    "answer": "epoch epochs attempt generation completion rollout sample sample_id sample_idx sample_index trial try",
    # What several items are about, or come from: they are alike, so that a cluster tells less than as many items.
    "cluster": (
        "cluster cluster_id group group_id passage passage_id paragraph paragraph_id context context_id story story_id "
        "article article_id document document_id doc doc_id subject subject_id patient patient_id participant "
        "participant_id person person_id speaker speaker_id user user_id author author_id video video_id repo "
        "repository conversation conversation_id session session_id dialogue dialogue_id template template_id family "
        "family_id site site_id hospital hospital_id topic topic_id scene scene_id image_id source_id"
    ),
    "time": "time date timestamp datetime day week month quarter year hour period ds t time_step",
}
_ANSWERS, _CLUSTERS, _TIMES = (frozenset(names.split()) for names in _NAMES.values())
FEWEST_CLUSTERS = 3


def prepare(
    table: RawTable, *, ignore: Sequence[str] = (), cluster: str | None = None, strata: str | None = None
) -> RawTable:
    """The table with its roles settled as far as the cells tell, and with doubts where they do not."""
    table = _without(table, ignore)
    _refuse_numbers_for_names(table)
    table = _melted(table)
    table = _with_parsed_folds(table)
    table = _with_declared(table, cluster, strata)
    items = _items_of(table)
    if len(items) > 1:
        table = _with_finer_items(table, items)
    elif len(_named(table, "instance")) > 1:
        table = replace(table, roles={**table.roles, "instance": items[0]})
    table = _with_runs(table)
    if not table.roles.get("instance") and not _named(table, "instance"):
        table = _in_order_of_time(table)
    return _with_clusters(table)


def _named(table: RawTable, role: str) -> list[str]:
    """The columns that name a role, with what was settled before."""
    if role in table.roles:
        return [table.roles[role]]
    settled = set(table.roles.values())
    return [name for name in table.names if role_of(name) == role and name not in settled]


def _without(table: RawTable, ignore: Sequence[str]) -> RawTable:
    for wanted in ignore:
        names = matching(wanted, table.names)
        if not names:
            raise UsageError(
                f"There is no column {wanted!r} to ignore in {table.source}. {nearest(wanted, table.names)}"
            )
        for name in names:
            table = table.without(name)
    return replace(table, notes=(*table.notes, f"ignored, as you said: {listing(list(ignore))}")) if ignore else table


def _refuse_numbers_for_names(table: RawTable) -> None:
    """A file without a header would lose its first row, and its numbers would be learners."""
    names = [name for name in table.names if name]
    if names and all(is_number(name, decimal_comma=table.decimal_comma) for name in names):
        raise table.error(
            f"The first line holds numbers ({listing(names, most=4)}) where the names of columns were expected. Put a "
            "header line first that says whose scores these are."
        )
    scores = [name for name in names[1:] if is_number(name) and not name.strip().lstrip("+-").isdigit()]
    if len(names) > 1 and len(scores) == len(names) - 1:
        raise table.error(
            f"The first line holds scores ({listing(names, most=4)}) where the names of columns were expected. Put a "
            "header line first, such as: dataset,learner-1,learner-2."
        )


# ----------------------------------------------------------------------------------------------------------------------
# Runs and folds.


_SPLIT_COLUMN = re.compile(r"split(\d+)_(test|train)_(\w+)")
_FOLD_FIRST = re.compile(r"fold\W*_*0*(\d+)[\W_]*(?:rep|repeat|run)\W*_*0*(\d+)", re.IGNORECASE)
_REPEAT_FIRST = re.compile(r"(?:rep|repeat|run)\W*_*0*(\d+)[\W_]*(?:fold|cv)\W*_*0*(\d+)", re.IGNORECASE)


def _melted(table: RawTable) -> RawTable:
    """scikit-learn's cv_results_: a row a candidate, and a column a split. Each becomes a row a split.

    Means, deviations and ranks over the splits are left out: they count what the splits hold once more.
    """
    found = {name: match for name in table.names if (match := _SPLIT_COLUMN.fullmatch(name))}
    tests = [name for name, match in found.items() if match[2] == "test"]
    splits = sorted({int(found[name][1]) for name in tests})
    measures = list(dict.fromkeys(found[name][3] for name in tests))
    if len(splits) < 2 or any(f"split{i}_test_{name}" not in found for i in splits for name in measures):
        return table
    whose = _candidate_labels(table)
    n, k = table.n_rows, len(splits)
    columns: dict[str, Labels | NDArray[np.generic]] = {
        "candidate": Labels(whose.labels, frozen(np.tile(whose.codes, k))),
        "split": Labels(tuple(map(str, splits)), frozen(np.repeat(np.arange(k), n))),
    }
    for name in measures:
        columns[name] = np.concatenate([table.numbers(f"split{i}_test_{name}") for i in splits])
    return replace(
        table,
        names=tuple(columns),
        columns=tuple(columns.values()),
        lines=None if table.lines is None else np.tile(table.lines, k),
        roles={**table.roles, "learner": "candidate", **({"value": "score"} if measures == ["score"] else {})},
        notes=(
            *table.notes,
            f"columns split{splits[0]}_test_… to split{splits[-1]}_test_… read as {k} splits of each candidate; means, "
            "deviations and ranks over them are left out",
        ),
        doubts=(
            *table.doubts,
            CodedWarning(
                "candidates",
                "The learners are candidates of one search: the best of many on these splits looks better than it is.",
                "Compare the one that is chosen with others on data that the search has not seen.",
            ),
        ),
    )


def _candidate_labels(table: RawTable) -> Labels:
    named = [name for name in table.names if role_of(name) == "learner" or normalise_name(name) == "params"]
    if named:
        return table.labels(named[0])
    given = [name for name in table.names if name.startswith("param_")]
    rows = zip(*(table.labels(name).values() for name in given), strict=True) if given else ()
    texts = [", ".join(row) for row in rows] or [str(i + 1) for i in range(table.n_rows)]
    return Labels.of(texts)


def _with_parsed_folds(table: RawTable) -> RawTable:
    """caret's Fold01.Rep01, rep1_fold2 and the like, as a repeat and a fold."""
    for name in table.names:
        if role_of(name) not in ("fold", "split"):
            continue
        labels = table.labels(name)
        parsed = [_repeat_and_fold(label) for label in labels.labels]
        known = [each for each in parsed if each is not None]
        if not known or len(known) < len(parsed):
            continue
        if any(_named(table, role) for role in ("repeat",)):
            continue
        repeat = Labels.of(each[0] for each in known)
        fold = Labels.of(each[1] for each in known)
        names = (*(other for other in table.names if other != name), f"{name}: repeat", f"{name}: fold")
        kept = tuple(column for other, column in zip(table.names, table.columns, strict=True) if other != name)
        return replace(
            table,
            names=names,
            columns=(
                *kept,
                Labels(repeat.labels, frozen(repeat.codes[labels.codes])),
                Labels(fold.labels, frozen(fold.codes[labels.codes])),
            ),
            roles={**table.roles, "repeat": f"{name}: repeat", "fold": f"{name}: fold"},
            notes=(*table.notes, f"labels of column {name!r} ({labels.labels[0]}) read as repeat and fold"),
        )
    return table


def _repeat_and_fold(label: str) -> tuple[str, str] | None:
    """
    >>> _repeat_and_fold("Fold01.Rep03"), _repeat_and_fold("rep1_fold2"), _repeat_and_fold("Resample07")
    (('3', '1'), ('1', '2'), None)
    """
    if match := _FOLD_FIRST.fullmatch(label.strip()):
        return match[2], match[1]
    if match := _REPEAT_FIRST.fullmatch(label.strip()):
        return match[1], match[2]
    return None


def _with_runs(table: RawTable) -> RawTable:
    """One column of repeats, from those that number seeds, runs, splits and answers."""
    items = _named(table, "instance")
    splits = [name for name in _named(table, "split") if _varies(table, name)]
    repeats = [name for name in _named(table, "repeat") if _varies(table, name)] or _named(table, "repeat")[:1]
    answers = []
    if items:
        taken = {*items, *repeats, *table.roles.values()}
        answers = [name for name in table.names if normalise_name(name) in _ANSWERS and name not in taken]
        answers = [name for name in answers if _varies(table, name)]
    if len(repeats) > 1 and not items:
        return table  # either may be meant: the reader of the headers asks
    runs = [*repeats, *(name for name in (*splits, *answers) if name not in repeats)]
    if not runs or runs == _named(table, "repeat"):
        return table
    notes = table.notes
    if len(runs) == 1:
        table = replace(table, roles={**table.roles, "repeat": runs[0]})
    else:
        name = " × ".join(runs)
        table = _with_column(table, name, _joined([table.labels(each) for each in runs]), without=runs)
        table = replace(table, roles={**table.roles, "repeat": name})
        notes = (*notes, f"columns {listing([repr(each) for each in runs])} number the runs together")
    if splits and all(any(role_of(name) == size for name in table.names) for size in SIZES):
        table = replace(table, splitting=RunDesign(Runs.RANDOM_SPLITS))
        notes = (*notes, f"column {splits[0]!r} read as random splits, of the sizes given")
    return replace(table, notes=notes)


def _varies(table: RawTable, name: str) -> bool:
    return len(table.labels(name).labels) > 1


def _with_column(table: RawTable, name: str, column: Labels, without: Iterable[str] = ()) -> RawTable:
    gone = set(without)
    kept = [i for i, other in enumerate(table.names) if other not in gone]
    return replace(
        table,
        names=(*(table.names[i] for i in kept), name),
        columns=(*(table.columns[i] for i in kept), column),
    )


def _joined(columns: Sequence[Labels]) -> Labels:
    """The combinations of labels as one column."""
    code = np.zeros(len(columns[0]), dtype=np.intp)
    for column in columns:
        code = np.unique(code * len(column.labels) + column.codes, return_inverse=True)[1]
    _, first = np.unique(code, return_index=True)
    order = np.argsort(first, kind="stable")
    rank = np.empty_like(order)
    rank[order] = np.arange(len(order))
    texts = tuple(" / ".join(column.labels[column.codes[row]] for column in columns) for row in first[order])
    return Labels(texts, frozen(rank[code].astype(np.intp)))


# ----------------------------------------------------------------------------------------------------------------------
# Items, and the clusters that they lie in.


def _items_of(table: RawTable) -> list[str]:
    """The columns that number items; of several, not those that number answers to one."""
    names = _named(table, "instance")
    items = [name for name in names if normalise_name(name) not in _ANSWERS]
    return items or names


def _with_finer_items(table: RawTable, items: Sequence[str]) -> RawTable:
    """Of two columns of items, such as question and document, the coarser is what the finer lies in."""
    finest = max(items, key=lambda name: (normalise_name(name) not in _CLUSTERS, len(table.labels(name).labels)))
    others = [name for name in items if name != finest]
    if len(others) != 1 or "cluster" in table.roles:
        return table
    by_name = normalise_name(others[0]) in _CLUSTERS
    if not by_name and not _within(table.labels(finest), table.labels(others[0])):
        return table  # the reader of the headers says that both look like the instance
    return replace(table, roles={**table.roles, "instance": finest, "cluster": others[0]}, cluster_is_taken=True)


def _within(item: Labels, cluster: Labels) -> bool:
    """Whether each item lies in one cluster."""
    pairs = item.codes * np.intp(len(cluster.labels)) + cluster.codes
    return len(np.unique(pairs)) == len(np.unique(item.codes))


def _with_declared(table: RawTable, cluster: str | None, strata: str | None) -> RawTable:
    """The column of clusters or strata that the user names."""
    if cluster is not None and strata is not None:
        raise UsageError(
            "Clusters are a sample of such clusters, strata a fixed list that the conclusion is about: say "
            "--cluster or --strata, not both."
        )
    wanted = cluster if cluster is not None else strata
    if wanted is None:
        fixed = [name for name in table.names if normalise_name(name) == "strata"]
        return replace(table, roles={**table.roles, "cluster": fixed[0]}, strata=True) if fixed else table
    names = matching(wanted, table.names)
    if len(names) != 1:
        raise UsageError(f"There is no column {wanted!r} in {table.source}. {nearest(wanted, table.names)}")
    return replace(table, roles={**table.roles, "cluster": names[0]}, strata=strata is not None)


def _with_clusters(table: RawTable) -> RawTable:
    """Clusters by their name, items that are numbered anew in each of them, and doubts about what may be clusters."""
    items = _named(table, "instance")
    if "cluster" not in table.roles:
        names = [name for name in table.names if normalise_name(name) in _CLUSTERS and name not in items]
        names = [name for name in names if role_of(name) not in LONG_ROLES and _varies(table, name)]
        # What has a row of its own is no cluster but the row's name.
        names = [name for name in names if _is_coarser(table, name, items)]
        if not names:
            return _with_doubts(table, items)
        declared = [name for name in names if normalise_name(name) in ("cluster", "cluster_id")]
        chosen = max(declared or names, key=lambda name: -len(table.labels(name).labels))
        table = replace(table, roles={**table.roles, "cluster": chosen}, cluster_is_taken=not declared)
    name = table.roles["cluster"]
    if items and not _within(table.labels(items[0]), table.labels(name)):
        keys = [table.labels(each) for role in ("learner", *KEYS, "measure") for each in _named(table, role)[:1]]
        cells, n = _count([*keys]), table.n_rows
        if cells < n == _count([*keys, table.labels(name)]):
            own = f"{name} / {items[0]}"
            joined = _joined([table.labels(name), table.labels(items[0])])
            table = _with_column(table, own, joined, without=items)
            note = f"column {items[0]!r} numbers the instances anew in each {name!r}"
            return replace(table, roles={**table.roles, "instance": own}, notes=(*table.notes, note))
    return table


def _is_coarser(table: RawTable, name: str, items: Sequence[str]) -> bool:
    """Whether a column can be one of clusters: fewer labels than items."""
    of = len(table.labels(items[0]).labels) if items else table.n_rows
    labels = len(table.labels(name).labels)
    if items and not _within(table.labels(items[0]), table.labels(name)):
        return True  # items may be numbered anew in each cluster; otherwise it is refused as contradicting itself
    return labels < of


def _count(columns: Sequence[Labels]) -> int:
    code = np.zeros(len(columns[0]), dtype=np.intp)
    for column in columns:
        code = np.unique(code * len(column.labels) + column.codes, return_inverse=True)[1]
    return int(code.max()) + 1


def _with_doubts(table: RawTable, items: Sequence[str]) -> RawTable:
    """A warning about columns without a role that divide the items as clusters would."""
    if not items:
        return table
    tasks = _named(table, "task")
    item = _joined([table.labels(name) for name in (*tasks[:1], items[0])])  # ids begin anew in each task
    looks = []
    for name in table.names:
        if role_of(name) in LONG_ROLES or name in table.roles.values() or known_measure(name) or not name:
            continue
        labels = table.labels(name)
        few = FEWEST_CLUSTERS <= len(labels.labels) <= len(item.labels) // 2
        whole = all(not is_number(label) or label.strip().lstrip("-").isdigit() for label in labels.labels[:50])
        if few and whole and _within(item, labels):
            looks.append(name)
    if not looks:
        return table
    doubt = CodedWarning(
        "unknown-clusters",
        f"{listing([repr(name) for name in looks])} may be what several instances have in common. If so, they are no "
        "independent draws, and more is claimed than they bear.",
        f"Say --cluster {looks[0]} if these are a sample of such groups, --strata {looks[0]} if they are a fixed list, "
        f"or --ignore {looks[0]} if they have nothing to do with the answers (in Python cluster=, strata=, ignore=).",
    )
    return replace(table, doubts=(*table.doubts, doubt))


# ----------------------------------------------------------------------------------------------------------------------
# Times.


def _in_order_of_time(table: RawTable) -> RawTable:
    """Rows in the order of a column of times, if there is one with a row a time for each learner."""
    for name in table.names:
        if normalise_name(name) not in _TIMES or any(_named(table, role) for role in ("repeat", "fold", "split")):
            continue
        times = _times(table, name)
        others = [table.labels(each) for role in ("learner", "task", "measure") for each in _named(table, role)[:1]]
        if times is None or len(table.labels(name).labels) < 3:
            continue
        labels = table.labels(name)
        one_a_time = _count([*others, labels]) == table.n_rows
        shared = table.n_rows == len(labels.labels) * (_count(others) if others else 1)
        if not one_a_time or not shared:
            continue
        order = np.argsort(times, kind="stable")
        columns = tuple(_taken(column, order) for column in table.columns)
        return replace(
            table,
            columns=columns,
            lines=None if table.lines is None else table.lines[order],
            roles={**table.roles, "instance": name},
            ordered=name,
            notes=(*table.notes, f"column {name!r} read as times, in their order"),
        )
    return table


def _taken(column: Labels | NDArray[np.generic], order: NDArray[np.intp]) -> Labels | NDArray[np.generic]:
    if not isinstance(column, Labels):
        return column[order]
    codes = column.codes[order]
    used, first = np.unique(codes, return_index=True)
    rank = np.empty(len(column.labels), dtype=np.intp)
    in_order = used[np.argsort(first, kind="stable")]
    rank[in_order] = np.arange(len(in_order))
    return Labels(tuple(column.labels[i] for i in in_order), frozen(rank[codes]))


def _times(table: RawTable, name: str) -> NDArray[np.float64] | None:
    """The times as numbers: whole numbers, or dates; None if they are anything else, as seconds of a fit."""
    labels = table.labels(name)
    try:
        values = np.array([float(label) for label in labels.labels])
        if not (values == np.floor(values)).all():
            return None
    except ValueError:
        try:
            values = np.array([datetime.fromisoformat(label).timestamp() for label in labels.labels])
        except (ValueError, OverflowError, OSError):
            return None
    return np.asarray(values[labels.codes])


# ----------------------------------------------------------------------------------------------------------------------
# Columns of a wide table that are nobody's scores.


_SPREADS = ("std", "sd", "stdev", "stddev", "se", "sem", "stderr", "var", "ci", "lower", "upper")
_OTHERS = ("n", "count", "counts", "rank", "time", "seconds", "duration", "runtime")
_ENDING = re.compile(rf"(.+?)[\W_]+({'|'.join((*_SPREADS, *_OTHERS))})", re.IGNORECASE)
_BEGINNING = re.compile(rf"({'|'.join((*_SPREADS, *_OTHERS, 'train', 'training'))})[\W_]+(.+)", re.IGNORECASE)
_FEWEST_ROWS, _NO_COUNT = 3, 3


def set_aside(table: RawTable, learners: Sequence[str]) -> tuple[list[str], tuple[str, ...]]:
    """The columns that are learners, and a note about those that are not, by their names or by what they hold."""
    odd = [name for name in learners if _is_companion(name, learners)]
    if len(odd) == len(learners):  # times of each learner, and nothing else: they are what is compared
        odd = []
    kept = [name for name in learners if name not in odd]
    odd += [name for name in kept if weak_role_of(name) == "row" or normalise_name(name) in _CLUSTERS]
    kept = [name for name in learners if name not in odd]
    _refuse_measures(table, kept)
    _refuse_whole_numbers(table, kept)
    notes = (f"set aside, as nobody's scores: {listing([repr(name) for name in odd])}",) if odd else ()
    return kept, notes


def _is_companion(name: str, names: Sequence[str]) -> bool:
    """Whether a column tells something about another one: its deviation, its rank, its time, its training score."""
    if _ENDING.fullmatch(name.strip()):
        return True
    match = _BEGINNING.fullmatch(name.strip())
    if match is None:
        return False
    return match[1].lower() not in ("n", "ci", "se", "time") or any(match[2] == other for other in names)


def _refuse_measures(table: RawTable, learners: Sequence[str]) -> None:
    measures = [name for name in learners if known_measure(name)]
    if measures and 2 * len(measures) > len(learners):
        raise table.error(
            f"No column names the learners, and {listing([repr(name) for name in measures])} "
            f"{'is' if len(measures) == 1 else 'are'} named after measures. Add a column 'learner' that says whose "
            "scores these are, or leave out what is no learner (--ignore COLUMN; in Python ignore=)."
        )


def _refuse_whole_numbers(table: RawTable, learners: Sequence[str]) -> None:
    """Sizes, years and ids among shares: whole numbers that nobody's share can be."""
    values = {name: table.numbers(name) for name in learners if table.holds_numbers(name)}
    known = {name: column[~np.isnan(column)] for name, column in values.items()}
    shares = [name for name, column in known.items() if len(column) and column.min() >= 0 and column.max() <= 1]
    told = np.unique(np.concatenate([known[name] for name in shares])) if shares else np.empty(0)
    beyond = [name for name, column in known.items() if name not in shares and len(column) >= _FEWEST_ROWS]
    if len(told) < 2 or len(shares) < len(beyond):
        return
    for name in beyond:
        if (known[name] == np.floor(known[name])).all() and known[name].max() >= _NO_COUNT:
            raise UsageError(
                f"Is column {name!r} of {table.source} a learner? It holds whole numbers up to {known[name].max():g}, "
                f"and {listing([repr(other) for other in shares], most=4)} shares from 0 to 1. Say --ignore {name} if "
                f"it is none (in Python ignore=[{name!r}])."
            )
