"""Preparing a run: tasks, splits and learners in the store, and all of it ready for the workers.

A data set is loaded only if its splits are not stored yet or if a cell of it is to be run, so that resuming a
finished study reads keys and nothing else.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass, field
from itertools import islice
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from bakeoff.errors import UsageError
from bakeoff.keys import KEY_VERSION, digest, seed_of
from bakeoff.learners.learner import facts_of
from bakeoff.learners.make import differences
from bakeoff.measures.response import Response, Truth
from bakeoff.measures.responses import response_from
from bakeoff.resampling import SCHEMES
from bakeoff.resampling.scheme import Combination
from bakeoff.resampling.simulation import owners_of, ranked
from bakeoff.resampling.split import TEST, Sample, Split, Splits
from bakeoff.running.engine import WIDEST
from bakeoff.running.scratch import Scratch
from bakeoff.running.work import PackedRows
from bakeoff.store.reader import TaskRecord
from bakeoff.study.study import Study, is_independent
from bakeoff.tasks.dataset import Dataset, Kind
from bakeoff.text import TaskRemark, listing, per_hundred

if TYPE_CHECKING:
    from bakeoff.store.writer import Store


# ----------------------------------------------------------------------------------------------------------------------
# Cells: learner × split, each with a key and a seed made from its content, in a randomised order of whole blocks.


@dataclass(frozen=True, eq=False)
class Block:
    """One task's splits as the store knows them: numbers of the rows and their content keys."""

    task: int
    task_key: str
    split_ids: NDArray[np.int64]
    split_keys: Sequence[bytes]


@dataclass(frozen=True, eq=False)
class CellGrid:
    """All cells of a study. Cell number = number of its split × number of learners + number of its learner."""

    learner_keys: tuple[str, ...]
    blocks: tuple[Block, ...]
    seed: int
    ranks: tuple[int, ...] = ()  # of the learners in going round, if each has samples of its own: see `in_study`
    identities: tuple[str, ...] = ()  # of the learners, which seeds are made from; their keys, if there are none

    def __len__(self) -> int:
        return len(self.learner_keys) * sum(len(block.split_ids) for block in self.blocks)

    def split_ids(self) -> NDArray[np.int64]:
        return np.concatenate([block.split_ids for block in self.blocks])

    def keys(self) -> Iterator[bytes]:
        """The key of every cell, in the order of their numbers. They are made when they are needed: of ten million
        cells they would fill a gigabyte."""
        for block in self.blocks:
            for split in block.split_keys:
                for learner in range(len(self.learner_keys)):
                    yield self.key_of(learner, block, split)

    def key_of(self, learner: int, block: Block, split_key: bytes) -> bytes:
        """The key of a cell: what determines its result, and nothing else."""
        return digest("cell", self.learner_keys[learner], block.task_key, split_key, str(self.seed))

    def has_twins(self) -> bool:
        """Whether several cells have the same key: a split that was drawn twice, or learners that are the same."""
        splits = {(block.task_key, split) for block in self.blocks for split in block.split_keys}
        several = len(splits) < sum(len(block.split_ids) for block in self.blocks)
        return several or len(set(self.learner_keys)) < len(self.learner_keys)

    def in_study(self) -> NDArray[np.bool_]:
        """Whether each cell is to be run. In an independent design the samples of a task go round among the learners,
        and a cell whose sample belongs to another learner is not part of the study."""
        if not self.ranks:
            return np.ones(len(self), dtype=bool)
        owners = max(self.ranks) + 1
        owner = np.concatenate([np.arange(len(block.split_ids)) % owners for block in self.blocks])
        return np.asarray(owner[:, None] == np.array(self.ranks)).ravel()

    def seed_of(self, learner: int, block: Block, split_key: bytes) -> int:
        """The seed of a cell: from its coordinates, never from the order of running."""
        own = (self.identities or self.learner_keys)[learner]
        if self.ranks:  # the key of a split is that of its rows, and who else has samples does not matter
            return seed_of(str(self.seed), own, split_key)
        return seed_of(str(self.seed), own, block.task_key, split_key)

    def order(self, study_key: str, pending: NDArray[np.bool_]) -> Iterator[int]:
        """Pending cells: splits of all tasks in random order, and within each its learners in random order.

        A run that is stopped so holds mostly complete blocks, in which all learners can be compared; and no learner
        is always first, when a machine is cold, or last, when it is hot.
        """
        rng = np.random.Generator(np.random.PCG64(seed_of("order", study_key)))
        n_learners = len(self.learner_keys)
        n_splits = len(self) // n_learners
        for split in rng.permutation(n_splits):
            first = int(split) * n_learners
            for learner in rng.permutation(n_learners).tolist():
                cell = first + learner
                if pending[cell]:
                    yield cell


def scheme_key(scheme: dict[str, object], seed: int, task_key: str) -> str:
    """The name of one instantiation of a scheme: the same splits whenever and for whomever they are asked for."""
    from bakeoff.keys import canonical_json

    return digest("splits", str(KEY_VERSION), canonical_json(scheme), str(seed), task_key).hex()


# ----------------------------------------------------------------------------------------------------------------------


_KEPT_ROWS, _READ_AHEAD = 50_000_000, 2_000_000  # bytes
_MOST_AHEAD = 400  # splits


@dataclass(eq=False)
class Prepared:
    """A study as the store knows it."""

    study: Study
    study_id: int
    grid: CellGrid
    learner_ids: list[int]
    task_ids: list[int]
    splittings: list[str]
    loaded: dict[int, Dataset] = field(default_factory=dict)
    notes: tuple[str, ...] = ()

    def locate(self, cell: int) -> tuple[int, Block, int]:
        """Learner, block and position of the split in it, of a cell by its number."""
        split, learner = divmod(cell, len(self.grid.learner_keys))
        block = bisect_right(self._starts, split) - 1
        return learner, self.grid.blocks[block], split - self._starts[block]

    def key_of(self, cell: int) -> bytes:
        """The key of a cell by its number."""
        learner, block, position = self.locate(cell)
        return self.grid.key_of(learner, block, block.split_keys[position])

    def __post_init__(self) -> None:
        sizes = [len(block.split_ids) for block in self.grid.blocks]
        self._starts = [0, *np.cumsum(sizes)[:-1].tolist()]

    def rows_of(self, store: Store) -> Callable[[list[int], Iterable[int]], dict[int, PackedRows]]:
        """Training and test rows of splits by their numbers in the store, and of some of those that will be asked for
        next, so that the store is not asked for each of them. Learners come one after the other, so that what was read
        is kept for a while: some 50 MB, or as many splits as a window has."""
        kept: dict[int, PackedRows] = {}
        size = float(_READ_AHEAD)

        def rows(split_ids: list[int], ahead: Iterable[int] = ()) -> dict[int, PackedRows]:
            nonlocal size
            lacking = [number for number in dict.fromkeys(split_ids) if number not in kept]
            wanted = {number: kept[number] for number in split_ids if number in kept}
            if lacking:
                soon = islice(ahead, min(_MOST_AHEAD, int(_READ_AHEAD / size)))
                lacking += [number for number in dict.fromkeys(soon) if number not in kept and number not in lacking]
                by_split = store.packed_rows(lacking)
                size = sum(len(train) + len(test) for train, test in by_split.values()) / len(by_split) + 1
                while kept and len(kept) > min(_KEPT_ROWS / size, WIDEST):
                    del kept[next(iter(kept))]
                kept.update(by_split)
                wanted.update({number: by_split[number] for number in split_ids if number in by_split})
            return wanted

        return rows

    def dataset(self, task: int) -> Dataset:
        if task not in self.loaded:
            self.loaded[task] = self.study.tasks[task].load()
        return self.loaded[task]

    def may_need_preparation(self) -> bool:
        """Whether something may stand between the data and a learner: missing values, categories, a common scale."""
        data = (self.dataset(number) for number in range(len(self.study.tasks)))
        scaled = any(learner.prepare.startswith("standard") for learner in self.study.learners)
        return scaled or any(each.n_missing or each.categorical for each in data)

    def write_task_data(self, scratch: Scratch) -> None:
        """Give the workers what they need: learners, data, measures."""
        responses = []
        for number in range(len(self.study.tasks)):
            data = self.dataset(number)
            scratch.put(f"task-{number}", (data, truth_of(data), facts_of(data)))
            responses.append(responses_for(self.study, data))
        scratch.put("responses", responses)
        scratch.put_each("learners", self.study.fitted)


def truth_of(data: Dataset) -> Truth:
    if data.kind is Kind.CLASSIFICATION:
        assert data.codes is not None
        return Truth("classification", data.codes, data.classes, data.weights)
    if data.kind is Kind.REGRESSION:
        return Truth("regression", np.asarray(data.y, dtype=float), data.targets, data.weights)
    if data.kind is Kind.MULTI_LABEL:
        return Truth("multi-label", np.asarray(data.y, dtype=np.int64), data.targets, data.weights)
    return Truth("density", np.zeros(data.n), weights=data.weights)


def responses_for(study: Study, data: Dataset) -> list[Response]:
    """The measures of the study, for one task."""
    try:
        responses = [response_from(response, data.kind, data.classes or None) for response in study.measures]
    except UsageError as error:
        raise UsageError(f"Task {data.name!r}: {error}") from error
    for response in responses:
        if (why := response.misfit(data.kind, None, data.weights is not None)) is not None:
            raise UsageError(f"Task {data.name!r}: {why}")
    if study.design is not None and "class-noise" in study.design.factors and data.kind is not Kind.CLASSIFICATION:
        raise UsageError(
            f"Task {data.name!r}: class-noise gives rows a wrong class, and this is a {data.kind} task. Use "
            "attribute-noise, or leave the task out."
        )
    if getattr(study.resampling, "combine", None) is Combination.WEIGHED_PLUS:
        for response in responses:
            if (why := response.why_not_632_plus) is not None:
                raise UsageError(f"Measure {response.name!r}: {why} Choose that scheme, or leave the measure out.")
    return responses


def about_weights(study: Study, data: Dataset) -> tuple[str, ...]:
    """That scores do not weigh rows which learners do, where no measure says otherwise."""
    if data.weights is None or any(response.weighted for response in study.measures):
        return ()
    first = study.measures[0].name
    return (
        "rows are weighted when they are learned from and count alike in the scores; "
        f'{{ name = "weighted {first}", measure = "{first}", weighted = true }} is a measure that weighs them as well',
    )


def prepare(study: Study, store: Store) -> Prepared:
    """Register the study and all it consists of."""
    study_id = store.add_study(study.key, study.name, study.describe())
    learner_ids = [store.add_learner(learner.key, learner.describe()) for learner in study.fitted]
    blocks: list[Block] = []
    task_ids: list[int] = []
    schemes: list[str] = []
    loaded: dict[int, Dataset] = {}
    notes: list[str] = []
    for number, task in enumerate(study.tasks):
        name = scheme_key(study.resampling.describe(), study.seed, task.data_key())
        record = store.task_of(name)
        index = None if record is None else store.splits_index(record[0], name)
        if record is None or index is None:
            data = task.load()
            loaded[number] = data
            responses_for(study, data)
            record = store.add_task(_record(data)), data.task_key
            splits = splits_for(study, data)
            store.put_splits(record[0], name, _scheme(study, splits), study.seed, splits)
            for remark in about_rows(study, data, splits):
                store.keep("remark", f"{name}/{remark.code}", {**asdict(remark), "text": remark.text})
            notes += [f"{task.name}: {note}" for note in (*data.notes, *splits.notes, *about_weights(study, data))]
            index = store.splits_index(record[0], name)
        assert index is not None
        blocks.append(Block(number, record[1], index.ids, index.keys))
        task_ids.append(record[0])
        schemes.append(name)
    store.link(
        study_id,
        tasks=[
            (task_id, task.name, scheme) for task_id, task, scheme in zip(task_ids, study.tasks, schemes, strict=True)
        ],
        learners=[(learner_id, learner.name) for learner_id, learner in zip(learner_ids, study.fitted, strict=True)],
        measures=[(response.name, response.describe()) for response in study.measures],
    )
    keys, identities = zip(*((learner.key, learner.identity) for learner in study.fitted), strict=True)
    grid = CellGrid(keys, tuple(blocks), study.seed, ranks_of(study), identities)
    return Prepared(study, study_id, grid, learner_ids, task_ids, schemes, loaded, tuple(notes))


def _scheme(study: Study, splits: Splits) -> dict[str, Any]:
    """The scheme as the store keeps it: with what its splits share, where only they tell, and with the learners among
    whom the samples of an independent design go round."""
    description: dict[str, Any] = study.resampling.describe()
    if getattr(study.resampling, "of_user", False):
        description["sharing"] = str(study.resampling.sharing(splits))
    if not is_independent(study.resampling):
        return description
    return {**description, "owners": sorted(owners_of(each.describe() for each in study.learners))}


def ranks_of(study: Study) -> tuple[int, ...]:
    """The place of each learner among those that samples go round of; nothing if all learn from the same samples."""
    if not is_independent(study.resampling):
        return ()
    ranks = ranked(owners_of(each.describe() for each in study.learners))
    return tuple(rank for rank, learner in zip(ranks, study.learners, strict=True) for _ in range(learner.fits))


def check_test_sample(study: Study, data: Dataset) -> None:
    """Refuse a scheme that has no place for the test sample that came with the data: it is never learned from."""
    if data.test is None or getattr(study.resampling, "needs_given_test", False):
        return
    able = listing([repr(name) for name, kind in SCHEMES.items() if kind.needs_given_test])
    raise UsageError(
        f"Task {data.name!r} names a test sample of {len(data.test)} rows, which is never learned from and never "
        f"resampled, and the scheme {study.resampling.scheme!r} has no place for it. The schemes {able} score it. To "
        f"split the other rows, leave the test sample out; to split all {data.n} rows, say pool = true with the task."
    )


def splits_for(study: Study, data: Dataset) -> Splits:
    """The splits of a task by the scheme and the seed of the study."""
    check_test_sample(study, data)
    try:
        splits: Splits = study.resampling.splits(sample_of(data), seed_of("splits", str(study.seed), data.key))
    except UsageError as error:
        raise UsageError(f"Task {data.name!r}: {error}") from error
    return splits


def checked_count(study: Study, data: Dataset) -> int:
    """How many splits a task will have at most. Refuses what making them would refuse, without making them all."""
    check_test_sample(study, data)
    sample = sample_of(data)
    try_out = getattr(study.resampling, "try_out", None)  # a scheme of the user's own may have none
    try:
        if try_out is not None:
            try_out(sample)
    except UsageError as error:
        raise UsageError(f"Task {data.name!r}: {error}") from error
    count: int = study.resampling.count(sample)
    return count


# ----------------------------------------------------------------------------------------------------------------------
# What the rows say of the splits: found out once, when these are made, and kept for whoever reads the scores.


_TWINS = 0.02  # the share of test rows with a twin among the learning rows from which on it is told
_MOST_NUMBERS, _MOST_SPLITS = 20_000_000, 50


def about_rows(study: Study, data: Dataset, splits: Splits) -> Iterator[TaskRemark]:
    """Identical rows on both sides of a split; and where splits were not drawn at random, parts that differ."""
    scheme = study.resampling
    tested = [split for split in splits.splits if split.role == TEST][:_MOST_SPLITS]
    if data.draws is None and not getattr(scheme, "overlaps", False) and tested:
        yield from _twins(data, tested)
    if data.draws is None and (getattr(scheme, "needs_given_test", False) or getattr(scheme, "of_user", False)):
        from bakeoff.study.sampling_bias import about_parts

        yield from about_parts(data, splits.splits, study.seed)


def _twins(data: Dataset, splits: Sequence[Split]) -> Iterator[TaskRemark]:
    numbers = row_numbers(data)
    if numbers is None or numbers.max() + 1 == data.n:
        return
    share = float(np.mean([np.isin(numbers[split.test], numbers[split.train]).mean() for split in splits]))
    if share >= _TWINS:
        yield TaskRemark(
            "duplicated-rows",
            f"{data.name}: {per_hundred(share)}",
            (
                "% of the test rows have a twin, the same in inputs and target, among the rows that are learned from: "
                "whoever remembers rows is rewarded for it.",
            ),
            "If they are copies, drop them or give them one group (group = '…'); if inputs have few values, twins come "
            "about by themselves, and new rows will have them too.",
        )


def row_numbers(data: Dataset) -> NDArray[np.int64] | None:
    """A number for each row, the same for identical ones; None where inputs are no table, or a very large one."""
    if data.form != "table" or data.n * max(1, len(data.features)) > _MOST_NUMBERS:
        return None
    if not hasattr(data.X, "iloc") and not isinstance(data.X, np.ndarray):
        return None  # it is read from a file as it is needed
    if hasattr(data.X, "iloc"):
        from pandas.util import hash_pandas_object

        columns = [hash_pandas_object(data.X, index=False).to_numpy()[:, None].view(np.float64)]
    else:
        columns = [np.asarray(data.X, dtype=np.float64) + 0.0]
    target = data.codes if data.codes is not None else data.y
    if target is not None:
        columns.append(np.asarray(target, dtype=np.float64).reshape(data.n, -1))
    table = np.ascontiguousarray(np.column_stack(columns))
    rows = table.view(np.dtype((np.void, table.itemsize * table.shape[1]))).ravel()
    return np.unique(rows, return_inverse=True)[1].astype(np.int64).ravel()


def _record(data: Dataset) -> TaskRecord:
    truth = truth_of(data).values
    units = data.clusters if data.clusters is not None else data.groups
    if units is None and data.times is not None and data.times[-1] + 1 < data.n:
        units = data.times  # several rows of one time
    named = (data.task_key, data.name, data.kind, data.n, data.features, data.classes or data.targets)
    return TaskRecord(*named, truth, data.notes, units, data.weights)


def sample_of(data: Dataset) -> Sample:
    """What a scheme may know of the data."""
    return Sample(data.n, data.codes, data.groups, data.test, data.draws, data.name, data.times, data.folds)


# ----------------------------------------------------------------------------------------------------------------------
# Whether each learner is there and of a kind that its tasks ask for: found out once, before the first cell is run.
#
# A misspelt learner, or a regressor that is to tell classes apart, would fail in each of its cells, one by one. It is
# the study that is wrong then, and not the learner, so that it is refused as a whole.


def check_learners_fit(
    prepared: Prepared, engine: Any, resolved: Sequence[object | None], pending: Collection[tuple[int, int]]
) -> None:
    """Refuse a study with a learner that can never be made, or is clearly made for another kind of task than its own.

    `pending` are the pairs (learner, task) that cells are left of. `engine.unsuited` makes the learner in a worker: its
    code may do anything. What `engine.resolve` said of each is in `resolved`: a sentence, if its path or a parameter
    does not exist. One that ended its worker instead is not asked again: its cells will say why.
    """
    misfits: dict[str, list[str]] = {}  # by reason: the settings of a design have theirs in common
    for number, learner in enumerate(prepared.study.fitted):
        tasks = sorted(task for which, task in pending if which == number)
        if not tasks or resolved[number] is None:
            continue
        if isinstance(never := resolved[number], str):
            misfits.setdefault(never, []).append(learner.name)
            continue
        first_of: dict[str, str] = {}  # one task of each kind will do
        for task in tasks:
            first_of.setdefault(prepared.dataset(task).problem, prepared.study.tasks[task].name)
        why = engine.unsuited(number, [(name, kind) for kind, name in first_of.items()])
        if why is not None:
            misfits.setdefault(why, []).append(learner.name)
    if misfits:
        sentences = [f"{_learners(names)}: {why}" for why, names in misfits.items()]
        raise UsageError(" ".join([*sentences, "Nothing was run."]))


def _learners(names: Sequence[str]) -> str:
    """Learners in a few words.

    >>> _learners(["a"]), _learners(["a", "b", "c", "d"])
    ("learner 'a'", "learners 'a', 'b' and 2 more")
    """
    return f"learner{'s' * (len(names) > 1)} {listing([repr(name) for name in names], 2)}"


# ----------------------------------------------------------------------------------------------------------------------
# Whether a learner is still what it was when its first cells were stored.
#
# A learner's key holds what the study says of it, and its code where that is the user's own. A default of an installed
# package can change under the same key; results of both must not be mixed without a word. Parameters that changed are
# refused. A package of another version is told and goes on: an upgrade does not undo results.


_MAY_CHANGE = ("packages", "files")  # version 0.1 kept the hashes of a program's files here as well
_MOST = 3


def check_learners_unchanged(prepared: Prepared, resolved: Sequence[dict[str, Any] | None], store: Store) -> list[str]:
    """Compare each learner with what is stored of it, or store it; returns what the user should know.

    `resolved` is what each learner is now, as `Engine.resolve` finds out.
    """
    messages = []
    for learner, learner_id, now in zip(prepared.study.fitted, prepared.learner_ids, resolved, strict=True):
        if now is None:
            continue  # it cannot be made; its cells will say why
        then = store.resolved(learner_id)
        if then is None:
            store.set_resolved(learner_id, now)
            continue
        if changed := differences(_without(then), _without(now)):
            raise UsageError(
                f"Learner {learner.name!r} is not what it was when its first cells were stored: "
                f"{'; '.join(changed[:_MOST])}. Say in the study which one is meant, or use another store (--store), "
                "so that old and new results are not mixed."
            )
        if changed := differences(_only(then), _only(now)):
            messages.append(f"{learner.name}: changed since its first cells were stored: {'; '.join(changed[:_MOST])}")
    return messages


def _without(resolved: dict[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in resolved.items() if name not in _MAY_CHANGE}


def _only(resolved: dict[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in resolved.items() if name in _MAY_CHANGE}
