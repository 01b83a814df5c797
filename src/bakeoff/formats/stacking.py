"""From sources to one raw table: files are claimed, read into parts, put under each other, and checked to be about the
same items, asked in the same way."""

from __future__ import annotations

import os
import re
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from itertools import combinations
from pathlib import PurePosixPath

import numpy as np
from numpy.typing import NDArray

from bakeoff.errors import BakeoffError, InputError, MisfitError
from bakeoff.formats import claim, format_named, unknown
from bakeoff.formats.format import FOLDER, TABLE, Cells, Format, ScorePart, column_of, plain_part
from bakeoff.formats.sources import ScoreFile, sources_of
from bakeoff.measures import known_measure
from bakeoff.scores.design import NOT_KNOWN, RunDesign
from bakeoff.scores.reading.headers import CLUSTER, KEYS, LONG_ROLES, role_of, weak_role_of
from bakeoff.scores.reading.raw import RawTable
from bakeoff.scores.reading.shape import names_probabilities
from bakeoff.scores.table import Labels
from bakeoff.text import CodedWarning, listing

HASH = "hash"
_MALFORMED = (LookupError, TypeError, ValueError, AttributeError, ArithmeticError, RecursionError, StopIteration)


def gather(words: Sequence[str | os.PathLike[str]], *, format: str | None = None) -> RawTable:
    """One table of what the words name. A single plain table is given as it stands in its file."""
    unread: list[str] = []
    read = read_all(sources_of(words), format_named(format) if format else None, unread)
    if not read:
        raise InputError(
            "No scores were found. `bakeoff formats` tells which files are read; --format NAME overrules what a file "
            "looks like.",
            source=listing([os.fspath(word) for word in words], most=3),
        )
    return stacked(read, unread)


def read_all(
    sources: Sequence[ScoreFile], given: Format | None, unread: list[str]
) -> list[tuple[ScoreFile, ScorePart]]:
    """The parts of all files, one file after the other; those that are not read are added to `unread`."""
    read: list[tuple[ScoreFile, ScorePart]] = []
    for source, its in _claimed(sources, given, unread):
        for part in _parts(its, source):
            if _length(part):
                read.append((source, part))
            else:
                unread += part.notes
        source.forget()
    return read


def _claimed(
    sources: Sequence[ScoreFile], given: Format | None, unread: list[str]
) -> Iterable[tuple[ScoreFile, Format | None]]:
    """The files with the format of each. Of a folder's files those of tools are read, or else those that are tables."""
    by_origin: dict[str, list[ScoreFile]] = defaultdict(list)
    for source in sources:
        by_origin[source.origin].append(source)
    for group in by_origin.values():
        store = next((each for each in group if each.content.kind == FOLDER), None) if not group[0].of_many else None
        if store is not None:
            its = given if given and any(s.kind == FOLDER for s in given.signs) else claim(store) if not given else None
            if its is not None:
                yield store, its
                continue
            group = [each for each in group if each is not store]
            if not group:
                raise InputError("The folder holds no file that could hold scores.", source=store.name)
        if not any(each.of_many for each in group):
            for source in group:
                its = given or claim(source)
                if its is None and source.content.kind != TABLE and source.data:
                    raise unknown(source)
                yield source, its
            continue
        yield from _claimed_in_folder(group, given, unread)


def _claimed_in_folder(
    group: Sequence[ScoreFile], given: Format | None, unread: list[str]
) -> Iterable[tuple[ScoreFile, Format | None]]:
    """Files are looked at one by one and let go; which of them are read is known when all have been seen."""
    claims: list[tuple[ScoreFile, Format | None]] = []
    broken: list[InputError] = []
    for source in group:
        try:
            its = claim(source)
            fits = its is not None or source.is_table()
        except InputError as error:  # a file that cannot be read is no reason against the others
            broken.append(error)
            its, fits = None, False
        source.forget()
        if given is not None:
            if its is given:
                claims.append((source, its))
        elif fits:
            claims.append((source, its))
        else:
            unread.append(source.file)
    if broken and not claims:
        raise broken[0]
    own = [(source, its) for source, its in claims if its is not None and not its.generic]
    if own:
        unread += [source.file for source, its in claims if its is None or its.generic]
    yield from own or claims


def _parts(its: Format | None, source: ScoreFile) -> list[ScorePart]:
    if its is None:
        return [plain_part(source.table())]
    try:
        return list(its.read(source))
    except BakeoffError:
        raise
    except _MALFORMED as error:
        raise InputError(
            f"It was read as {its.title}, but does not hold what such files hold "
            f"({type(error).__name__}: {str(error)[:100]}). Say --format NAME if it is something else.",
            source=source.name,
        ) from None


# ----------------------------------------------------------------------------------------------------------------------
# Who is who.


def stacked(read: Sequence[tuple[ScoreFile, ScorePart]], unread: Sequence[str]) -> RawTable:
    """The parts as one table: learners named, items matched, differences told. A single plain table stays as it is."""
    source, part = read[0]
    if len(read) == 1 and part.table is not None and not source.label and not unread:
        remarks = (f"read as {part.tool}",) if part.tool else ()
        return replace(part.table, long=part.long, directions=part.directions, notes=(*remarks, *part.table.notes))
    notes: list[str] = []
    if unread:
        notes.append(f"not read: {listing(sorted(set(unread)), most=4)}")
    read = _newest(read, notes)
    learners, repeats = _named(read, notes)
    table = _table(read, learners, repeats, notes)
    table = _same_items(table)
    return replace(table, doubts=(*table.doubts, *_other_settings(read, learners), *_about_names(read, learners)))


def _tasks(part: ScorePart) -> tuple[str, ...]:
    column = part.columns.get("task")
    return () if column is None else tuple(dict.fromkeys(map(str, _listed(column))))


def _listed(column: Cells) -> Sequence[object]:
    return column.labels if isinstance(column, Labels) else column


def _newest(read: Sequence[tuple[ScoreFile, ScorePart]], notes: list[str]) -> list[tuple[ScoreFile, ScorePart]]:
    """Of several runs of one model on one task in a folder the newest."""
    newest: dict[tuple[str, ...], str] = {}
    keys = [
        (part.run or source.origin, part.tool, part.model, *_tasks(part)) if part.stamp else () for source, part in read
    ]
    for key, (_, part) in zip(keys, read, strict=True):
        if key:
            newest[key] = max(newest.get(key, ""), part.stamp)
    kept = [pair for key, pair in zip(keys, read, strict=True) if not key or pair[1].stamp == newest[key]]
    if len(kept) < len(read):
        old = [source.file for source, part in read if all(part is not other for _, other in kept)]
        notes.append(f"older runs of the same model and task are not read: {listing(old, most=3)}")
    return kept


def _named(read: Sequence[tuple[ScoreFile, ScorePart]], notes: list[str]) -> tuple[list[str], list[str]]:
    """The learner of each part whose rows do not name it, and a number of the run where one name was given twice."""
    learners, repeats = [""] * len(read), [""] * len(read)
    wide = _are_wide([part for _, part in read])
    own = _stems([source for source, _ in read])
    for i, (source, part) in enumerate(read):
        if not _names_learners(part) and not (wide and not source.label):
            learners[i] = source.label or part.model or own[i]
            if not source.label and not part.model:
                notes.append(f"{source.file}: no column names the learner, so the file does: {own[i]}")
        elif source.label and _names_learners(part):
            learners[i] = _single_learner(source, part)
    by_name: dict[tuple[str, tuple[str, ...]], list[int]] = defaultdict(list)
    for i, (_, part) in enumerate(read):
        if learners[i]:
            by_name[learners[i], _tasks(part)].append(i)
    for (name, _), places in by_name.items():
        given = {read[i][0].origin: None for i in places}
        if len(given) < 2:
            continue
        if all(read[i][0].label for i in places):
            for number, i in enumerate(places, start=1):
                repeats[i] = str(number)
            notes.append(f"{name}: {len(places)} files of this name are read as {len(places)} runs")
            continue
        for i in places:
            learners[i] = f"{name} ({own[i]})"
        notes.append(f"{name} stands in several files; told apart by their names (name=PATH gives others)")
    return learners, repeats


def _names_learners(part: ScorePart) -> bool:
    if "learner" in part.columns:
        return True
    return part.table is not None and any(role_of(name) == "learner" for name in part.columns)


def _single_learner(source: ScoreFile, part: ScorePart) -> str:
    header = next(name for name in part.columns if name == "learner" or role_of(name) == "learner")
    labels = set(map(str, _listed(part.columns[header])))
    if len(labels) > 1:
        raise InputError(
            f"It was called {source.label!r}, but holds {len(labels)} learners ({listing(sorted(labels), most=4)}). "
            "Leave the name out.",
            source=source.name,
        )
    return source.label


def _are_wide(parts: Sequence[ScorePart]) -> bool:
    """Whether plain tables have a column for each learner: numbers under names that are no measure's and no role's."""
    tables = [part.table for part in parts if part.table is not None]
    if not tables or len(tables) < len(parts):
        return False
    return all(
        any(
            name
            and not role_of(name)
            and not weak_role_of(name)
            and not known_measure(name)
            and table.holds_numbers(name)
            for name in table.names
        )
        and not any(role_of(name) in ("learner", "value", "measure") for name in table.names)
        and not _of_one_learner(table.names)
        for table in tables
    )


def _of_one_learner(names: Sequence[str]) -> bool:
    """Whether headers are those of a truth and what one learner, which they do not name, predicted."""
    predicted = any(role_of(name) == "prediction" or names_probabilities(name) for name in names)
    return predicted and any(role_of(name) == "truth" for name in names)


def _stems(sources: Sequence[ScoreFile]) -> list[str]:
    """A short name for each file: its own without the ending, with folders in front where that is not enough."""
    paths = [PurePosixPath(*source.parts) for source in sources]
    stems = [source.file.split(".")[0] or source.file for source in sources]
    for depth in range(1, 6):
        names = {name: len({s.name for s, n in zip(sources, stems, strict=True) if n == name}) for name in set(stems)}
        if all(count == 1 for count in names.values()):
            break
        for i, path in enumerate(paths):
            if names[stems[i]] > 1:
                folders = [each for each in path.parent.parts if each != "/"][-depth:]
                stems[i] = "/".join([*folders, sources[i].file.split(".")[0]])
    return stems


def _about_names(read: Sequence[tuple[ScoreFile, ScorePart]], learners: Sequence[str]) -> Iterable[CodedWarning]:
    """A warning where the names of files that stand for learners look like those of data and learners together."""
    by_file = {name for (source, part), name in zip(read, learners, strict=True) if not (source.label or part.model)}
    known = any(role_of(name) in ("task", "instance") for _, part in read for name in (*part.columns, part.cluster))
    if known or "" in by_file or len(by_file) < len(set(learners)):
        return
    for first, second in _grid_of_names(sorted(by_file)):
        yield CodedWarning(
            "names-of-data",
            f"Each file was taken for a learner, but their names go together as {listing(first, most=4)} with "
            f"{listing(second, most=4)}. If some of these are data sets, learners on different data were compared.",
            "Compare the files of one data set at a time, and call the learners by name=PATH; or put all in one table "
            "with columns for data set and learner.",
        )
        return


_BETWEEN_WORDS = re.compile(r"[_\-/ ]+")


def _grid_of_names(names: Sequence[str]) -> Iterable[tuple[list[str], list[str]]]:
    """Ways to cut all names in two such that every first part goes with every second.

    >>> list(_grid_of_names(["breast_cancer_bayes", "breast_cancer_tree", "wine_bayes", "wine_tree"]))
    [(['breast cancer', 'wine'], ['bayes', 'tree'])]
    >>> list(_grid_of_names(["bayes", "forest", "tree", "boosted_tree"]))
    []
    """
    words = [_BETWEEN_WORDS.split(name) for name in names]
    while len({text[0] for text in words}) == 1 and min(map(len, words)) > 2:  # what all begin with tells nothing
        words = [text[1:] for text in words]
    for cut in range(1, min(map(len, words), default=1)):
        for place in (-cut, cut):
            pairs = {(" ".join(text[:place]), " ".join(text[place:])) for text in words}
            first, second = (sorted(set(side)) for side in zip(*pairs, strict=True))
            if min(len(first), len(second)) > 1 and len(pairs) == len(first) * len(second) == len(words):
                yield first, second
                break


# ----------------------------------------------------------------------------------------------------------------------
# The long table.


def _table(
    read: Sequence[tuple[ScoreFile, ScorePart]], learners: Sequence[str], repeats: Sequence[str], notes: list[str]
) -> RawTable:
    names = list(dict.fromkeys(name for _, part in read for name in part.columns if not _is_in_the_way(name, part)))
    if any(learners) and not any(_names_learners(part) for _, part in read):
        names.insert(0, "learner")
    learner_header = next((name for name in names if name == "learner" or role_of(name) == "learner"), "learner")
    if any(repeats):
        names = [*names, "run"] if "run" not in names else names
    lengths = [_length(part) for _, part in read]
    columns: list[Labels | NDArray[np.generic]] = []
    for name in names:
        pieces: list[Cells] = []
        for (_, part), learner, repeat, length in zip(read, learners, repeats, lengths, strict=True):
            if name == learner_header and learner:
                pieces.append(Labels.constant(learner, length))
            elif name == "run" and repeat:
                pieces.append(Labels.constant(repeat, length))
            else:
                piece = part.columns.get(name)
                pieces.append(Labels.constant("", length) if piece is None else piece)
        columns.append(column_of(pieces))
    directions: dict[str, bool] = {}
    for _, part in read:
        directions |= part.directions
    tools = dict.fromkeys(part.tool for _, part in read if part.tool)
    remarks = [f"read as {listing(list(tools))}"] if tools else []
    remarks += dict.fromkeys(note for _, part in read for note in part.notes)
    clusters = {part.cluster for _, part in read if part.cluster}
    runs = {part.runs for _, part in read}
    files = list(dict.fromkeys(source.name for source, _ in read))
    return RawTable(
        files[0] if len(files) == 1 else f"{files[0]} and {len(files) - 1} more",
        tuple(names),
        tuple(columns),
        notes=(*remarks, *notes),
        roles={"cluster": clusters.pop()} if len(clusters) == 1 else {},
        decimal_comma=any(part.table is not None and part.table.decimal_comma for _, part in read),
        doubts=(*{doubt.code: doubt for _, part in read for doubt in part.doubts}.values(), *_scales(read)),
        directions=directions,
        unpaired=any(part.unpaired for _, part in read),
        splitting=RunDesign(runs.pop()) if len(runs) == 1 else NOT_KNOWN,
        scales_differ=any(part.scales_differ for _, part in read),
        headline=next((part.headline for _, part in read if part.headline), ""),
        long=any(part.long or part.table is None for _, part in read),
    )


def _scales(read: Sequence[tuple[ScoreFile, ScorePart]]) -> Iterable[CodedWarning]:
    if any(part.scales_differ for _, part in read):
        yield CodedWarning(
            "scales-differ",
            "The measure differs by task, so that differences and means over tasks mean nothing.",
            "Only procedures that look at the order of learners within each task are used.",
        )


_OWN = frozenset({"learner", "split", "resample", *KEYS, CLUSTER, *LONG_ROLES, HASH})


def _is_in_the_way(name: str, part: ScorePart) -> bool:
    """Whether a field of an item is called as a role is: doc.id would be taken for the instance."""
    return part.table is None and name not in {*_OWN, part.cluster} and role_of(name) is not None


def _length(part: ScorePart) -> int:
    return len(next(iter(part.columns.values()))) if part.columns else 0


# ----------------------------------------------------------------------------------------------------------------------
# The same items, and asked in the same way?


def _same_items(table: RawTable) -> RawTable:
    """Items matched by their ids if the contents agree, and by their contents if these do where ids do not."""
    if HASH not in table.names:
        return table
    if "instance" not in table.names or "learner" not in table.names:
        return table.without(HASH)
    learner, instance, content = (table.labels(name) for name in ("learner", "instance", HASH))
    task = table.labels("task") if "task" in table.names else Labels.constant("", table.n_rows)
    if "" in content.labels or len(learner.labels) < 2:
        return table.without(HASH)
    labels = instance.values()
    matched: list[str] = []
    for code, name in enumerate(task.labels):
        rows = np.flatnonzero(task.codes == code)
        if _contents_agree(learner.codes[rows], instance.codes[rows], content.codes[rows]):
            continue
        own = _by_content(table, rows, learner, content, instance)
        by_id, by_content = _shared(learner.codes[rows], instance.codes[rows], content.codes[rows], own)
        if by_content <= by_id:
            raise _other_items(rows, learner, instance, content, name)
        for row, label in zip(rows.tolist(), own, strict=True):
            labels[row] = label
        matched.append(name)
    table = table.without(HASH)
    if not matched:
        return table
    note = f"ids of items do not agree with their contents{_on(matched)}: items are matched by content"
    return replace(table.with_column("instance", Labels.of(labels)), notes=(*table.notes, note))


def _on(tasks: Sequence[str]) -> str:
    named = [task for task in tasks if task]
    return f" ({listing(named, most=3)})" if named else ""


def _contents_agree(learner: NDArray[np.intp], instance: NDArray[np.intp], content: NDArray[np.intp]) -> bool:
    """Whether each id has one content, and learners share ids at all."""
    _, first, inverse = np.unique(instance, return_index=True, return_inverse=True)
    if (content[first][inverse] != content).any():
        return False
    sets = [set(instance[learner == code].tolist()) for code in np.unique(learner)]
    return len(sets) < 2 or all(a & b for a, b in combinations(sets, 2))


def _by_content(
    table: RawTable, rows: NDArray[np.intp], learner: Labels, content: Labels, instance: Labels
) -> list[str]:
    """A label for each row from its content; the same content twice is numbered, in the order of the ids."""
    others = [table.labels(name) for name in ("repeat", "fold", "measure") if name in table.names]
    places: dict[tuple[int, ...], dict[int, int]] = defaultdict(dict)
    labels = []
    for row in rows.tolist():
        key = (int(learner.codes[row]), int(content.codes[row]), *(int(other.codes[row]) for other in others))
        place = places[key].setdefault(int(instance.codes[row]), len(places[key]))
        text = content.labels[content.codes[row]][:16]
        labels.append(f"{text} #{place + 1}" if place else text)
    return labels


def _shared(
    learner: NDArray[np.intp], instance: NDArray[np.intp], content: NDArray[np.intp], own: Sequence[str]
) -> tuple[int, int]:
    """How many items all learners share: by id with the same content, and by content."""

    def in_common(keys: Iterable[object]) -> int:
        sets: dict[int, set[object]] = defaultdict(set)
        for code, key in zip(learner.tolist(), keys, strict=True):
            sets[code].add(key)
        return len(set.intersection(*sets.values()))

    return in_common(zip(instance.tolist(), content.tolist(), strict=True)), in_common(own)


def _other_items(rows: NDArray[np.intp], learner: Labels, instance: Labels, content: Labels, task: str) -> MisfitError:
    seen: dict[int, int] = {}
    for row in rows.tolist():
        first = seen.setdefault(int(instance.codes[row]), row)
        if content.codes[first] != content.codes[row]:
            who = learner.labels[learner.codes[first]], learner.labels[learner.codes[row]]
            same = who[0] == who[1]
            what = f"Item {instance.labels[instance.codes[row]]!r}{f' of {task}' if task else ''}"
            between = f"twice for {who[0]}" if same else f"for {who[0]} and {who[1]}"
            return MisfitError(
                f"{what} is not the same {between}: its content differs, and few contents are shared. Compare runs on "
                "the same version of the data, with the same samples."
            )
    return MisfitError(
        f"The learners were asked about different items{_on([task])}: neither ids nor contents are shared. Compare "
        "runs on the same data."
    )


def _other_settings(read: Sequence[tuple[ScoreFile, ScorePart]], learners: Sequence[str]) -> Iterable[CodedWarning]:
    """A warning about models that were not asked alike: other few-shot examples, templates, limits, versions."""
    by_task: dict[tuple[str, ...], list[tuple[str, Mapping[str, str]]]] = defaultdict(list)
    for (_, part), learner in zip(read, learners, strict=True):
        if part.settings:
            by_task[_tasks(part)].append((learner or part.model, part.settings))
    differences: dict[str, str] = {}
    for group in by_task.values():
        for name in dict.fromkeys(key for _, settings in group for key in settings):
            values = {learner: settings.get(name, "") for learner, settings in group}
            if len(set(values.values())) > 1:
                shown = [f"{learner} {_shown(value)}" for learner, value in values.items()]
                differences.setdefault(name, f"{name} ({listing(shown, most=4)})")
    if differences:
        yield CodedWarning(
            "asked-otherwise",
            f"The learners were not asked alike: {'; '.join(differences.values())}.",
            "What is compared is model and way of asking together. Run them again with the same settings if the "
            "models alone are meant.",
        )


def _shown(value: str) -> str:
    if not value:
        return "none"
    return value if len(value) <= 24 else f"{value[:8]}…"
