"""What every resampling scheme promises. A new scheme is tested here by being registered."""

from __future__ import annotations

import json
import re
from dataclasses import FrozenInstanceError, fields, replace
from itertools import pairwise
from typing import Any

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from bakeoff.errors import UsageError
from bakeoff.keys import canonical_json
from bakeoff.resampling import SCHEMES, resampling_from
from bakeoff.resampling.holdout import GivenTest
from bakeoff.resampling.scheme import REAL_WORLD, Combination, Scheme, Sharing
from bakeoff.resampling.split import APPARENT, TEST, Draws, Sample, Split, Splits

# Small enough to be quick, large enough to differ from the defaults.
SMALL = {"repeats": 4, "folds": 4, "parts": 3, "test_share": 0.25}


def small(kind: type[Scheme]) -> Scheme:
    names = {field.name for field in fields(kind)}  # type: ignore[arg-type]
    return kind(**{name: value for name, value in SMALL.items() if name in names})


def has_needs(kind: type[Scheme]) -> bool:
    """Whether a sample must have something of its own for it: groups, folds, groups that follow each other in time."""
    return kind.needs_groups or kind.of_user or kind.shares is Sharing.TIME


# A simulation has its samples drawn for it: tests/resampling/test_simulation.py.
ALL = [small(kind) for kind in SCHEMES.values() if not kind.needs_draws and not has_needs(kind)]
SPECIAL = [small(kind) for kind in SCHEMES.values() if has_needs(kind)]
RANDOM = [scheme for scheme in ALL if scheme.by_chance]
GIVEN = [
    scheme for scheme in ALL if isinstance(scheme, GivenTest) and scheme.needs_given_test
]  # who is tested came with the data
CHOOSING = [scheme for scheme in ALL if scheme not in GIVEN]
REPEATED = [scheme for scheme in ALL if "repeats" in {field.name for field in fields(scheme)}]  # type: ignore[arg-type]


def some(schemes: list[Scheme]) -> pytest.MarkDecorator:
    return pytest.mark.parametrize("scheme", schemes, ids=lambda scheme: scheme.scheme)


every = some(ALL)


def sample_of(n: int, classes: int = 0, groups: int = 0, seed: int = 0) -> Sample:
    """A sample with labels that are neither sorted nor numbered from zero; the last fifth came as a test sample."""
    rng = np.random.default_rng(seed)
    some = np.arange(groups) if groups else np.zeros(0, dtype=int)
    return Sample(
        n,
        strata=3 * rng.integers(0, classes, n) + 1 if classes else None,
        groups=rng.permutation(np.concatenate([some, rng.integers(0, groups, n - groups)])) * 7 + 2 if groups else None,
        given_test=np.arange(n - max(1, n // 5), n),
    )


SAMPLES = {
    "plain": sample_of(61),
    "classes": sample_of(60, classes=3),
    "groups": sample_of(64, groups=17),
    "classes and groups": sample_of(80, classes=2, groups=23),
}
with_groups = pytest.mark.parametrize("name", ["groups", "classes and groups"])
on_every_sample = pytest.mark.parametrize("sample", SAMPLES.values(), ids=SAMPLES.keys())


def content(splits: Splits) -> list[tuple[int, int, str, list[int], list[int]]]:
    return [(s.repeat, s.fold, s.role, s.train.tolist(), s.test.tolist()) for s in splits.splits]


@every
@on_every_sample
def test_splits_are_well_formed(scheme: Any, sample: Sample) -> None:
    made = scheme.splits(sample, 1)
    assert 0 < len(made.splits) <= scheme.count(sample)
    places = {(s.repeat, s.fold, s.role) for s in made.splits}
    assert len(places) == len(made.splits)
    for s in made.splits:
        assert isinstance(s, Split)
        assert (s.repeat, s.fold) >= (1, 1) or s.role == APPARENT
        for rows in (s.train, s.test):
            assert rows.dtype == np.int32
            assert len(rows)
            assert (np.diff(rows) >= 0).all()
            assert 0 <= rows[0] <= rows[-1] < sample.n
            assert not rows.flags.writeable
        if not scheme.with_copies:
            assert len(np.unique(s.train)) == len(s.train)
        if scheme.scheme != "bootstrap-cv":
            assert len(np.unique(s.test)) == len(s.test)
    assert all(note.endswith(".") for note in made.notes)


@every
@on_every_sample
def test_nothing_is_tested_on_that_was_learned_from(scheme: Any, sample: Sample) -> None:
    for s in scheme.splits(sample, 2).splits:
        if scheme.overlaps or s.role == APPARENT:
            assert s.test.tolist() == list(range(sample.n))
        else:
            assert not np.isin(s.test, s.train).any()


@some(GIVEN)
@with_groups
def test_groups_that_came_on_both_sides_are_told(scheme: Any, name: str) -> None:
    assert any("groups that are also learned from" in note for note in scheme.splits(SAMPLES[name], 3).notes)


@some(CHOOSING)
@with_groups
def test_no_group_is_on_both_sides_and_none_is_torn(scheme: Any, name: str) -> None:
    sample = SAMPLES[name]
    assert sample.groups is not None
    sizes = dict(zip(*(part.tolist() for part in np.unique(sample.groups, return_counts=True)), strict=True))
    for s in scheme.splits(sample, 3).splits:
        if not scheme.overlaps and s.role == TEST:
            assert not np.isin(sample.groups[s.test], sample.groups[s.train]).any()
        for rows in (s.train, s.test):
            names, counts = np.unique(sample.groups[rows], return_counts=True)
            # With copies, a group is there once, twice, …: always whole.
            assert all(count % sizes[group] == 0 for group, count in zip(names.tolist(), counts.tolist(), strict=True))
            for group in names.tolist():
                assert len(set(np.unique(rows[sample.groups[rows] == group], return_counts=True)[1].tolist())) == 1


@some([s for s in ALL if s.partition or s.shares in (Sharing.RANDOM_ROWS, Sharing.ONE_SPLIT)])
@on_every_sample
def test_who_is_not_learned_from_is_tested(scheme: Any, sample: Sample) -> None:
    for s in scheme.splits(sample, 4).splits:
        assert sorted([*s.train.tolist(), *s.test.tolist()]) == list(range(sample.n))


@some([s for s in ALL if s.partition])
@on_every_sample
def test_each_row_is_tested_once_a_repeat(scheme: Any, sample: Sample) -> None:
    made = scheme.splits(sample, 4).splits
    for repeat in {s.repeat for s in made}:
        tested = np.concatenate([s.test for s in made if s.repeat == repeat])
        assert sorted(tested.tolist()) == list(range(sample.n))


@some([s for s in ALL if s.shares is Sharing.NOTHING and not s.problem])
@on_every_sample
def test_parts_that_do_not_overlap_make_up_the_whole(scheme: Any, sample: Sample) -> None:
    rows = np.concatenate([np.concatenate([s.train, s.test]) for s in scheme.splits(sample, 4).splits])
    assert sorted(rows.tolist()) == list(range(sample.n))


@some([s for s in ALL if s.with_copies and s.problem == REAL_WORLD and s.combine is not Combination.FOLDS])
@pytest.mark.parametrize("name", ["plain", "classes"])
def test_samples_with_copies_are_as_large_as_all_rows(scheme: Any, name: str) -> None:
    assert {len(s.train) for s in scheme.splits(SAMPLES[name], 4).splits} == {SAMPLES[name].n}


@every
def test_what_splits_share_is_said_and_true(scheme: Any) -> None:
    made = [s for s in scheme.splits(SAMPLES["plain"], 4).splits if s.role == TEST]
    assert scheme.shares is not None, "judging must know it"
    learned = [set(s.train.tolist()) for s in made]
    overlap = any(first & second for first, second in pairwise(learned))
    if scheme.shares is Sharing.NOTHING:
        assert scheme.problem or not overlap
    elif len(made) > 1 and scheme.shares is not Sharing.ONE_SPLIT:
        assert overlap
    if scheme.optimistic == "most":
        assert scheme.overlaps
        assert all(set(s.test.tolist()) & set(s.train.tolist()) for s in made)


@every
@on_every_sample
def test_the_seed_decides_and_nothing_else(scheme: Any, sample: Sample) -> None:
    first = scheme.splits(sample, 5)
    state = np.random.get_state()[1].copy()
    np.random.default_rng().random(10)
    again = resampling_from(scheme.describe()).splits(
        Sample(sample.n, *(None if x is None else x.copy() for x in (sample.strata, sample.groups, sample.given_test))),
        5,
    )
    assert content(first) == content(again)
    assert first.notes == again.notes
    assert [s.key for s in first.splits] == [s.key for s in again.splits]
    other = scheme.splits(sample, 6)
    assert (content(first) == content(other)) == (not scheme.by_chance)
    assert (np.random.get_state()[1] == state).all()


@some(REPEATED)
@on_every_sample
def test_adding_repeats_keeps_the_earlier_ones(scheme: Any, sample: Sample) -> None:
    few, many = (replace(scheme, repeats=repeats).splits(sample, 7) for repeats in (3, 9))
    assert content(many)[: len(few.splits)] == content(few)
    assert [s.key for s in many.splits][: len(few.splits)] == [s.key for s in few.splits]
    assert len(many.splits) > len(few.splits)


@pytest.mark.parametrize("fresh", [False, True])
@pytest.mark.parametrize("name", [name for name, kind in SCHEMES.items() if kind.needs_draws])
def test_adding_draws_keeps_the_earlier_ones(name: str, fresh: bool) -> None:
    scheme = resampling_from({"scheme": name})
    drawn = (Draws(count, n=5, m=3, fresh=fresh) for count in (3, 9))
    few, many = (scheme.splits(Sample(draws.rows, draws=draws), 7) for draws in drawn)
    assert content(many)[:3] == content(few)
    assert len(many.splits) == 9


@some(RANDOM)
def test_repeats_differ(scheme: Any) -> None:
    made = [s for s in scheme.splits(SAMPLES["plain"], 8).splits if s.role == TEST]
    assert len({s.key for s in made}) == len(made)


@every
def test_labels_do_not_matter_only_what_they_distinguish(scheme: Any) -> None:
    sample = SAMPLES["classes and groups"]
    assert sample.groups is not None
    assert sample.strata is not None
    renamed = Sample(sample.n, sample.strata * 5 - 40, sample.groups + 1000, sample.given_test)
    assert content(scheme.splits(sample, 9)) == content(scheme.splits(renamed, 9))


@every
def test_description_is_json_and_comes_back(scheme: Any) -> None:
    described = scheme.describe()
    assert described["scheme"] == scheme.scheme
    assert set(described) == {"scheme", *(field.name for field in fields(scheme))}
    assert resampling_from(json.loads(canonical_json(described))) == scheme
    assert resampling_from({"scheme": scheme.scheme}).scheme == scheme.scheme


@every
def test_schemes_are_documented_and_frozen(scheme: Any) -> None:
    assert scheme.about
    assert type(scheme).__doc__
    assert isinstance(scheme.combine, Combination)
    with pytest.raises(FrozenInstanceError):
        scheme.anything = 1


@every
@pytest.mark.parametrize("n", [0, 1])
def test_a_sample_that_is_too_small_is_refused_in_a_sentence(scheme: Any, n: int) -> None:
    with pytest.raises(UsageError, match=r"found .*\.$"):
        scheme.splits(Sample(n, given_test=np.arange(n)), 10)


@every
@pytest.mark.parametrize("n", [2, 3, 4])
def test_a_small_sample_is_split_properly_or_refused_in_a_sentence(scheme: Any, n: int) -> None:
    try:
        made = scheme.splits(Sample(n, given_test=np.arange(n // 2, n)), 10).splits
    except UsageError as refusal:
        # Some schemes do with so few rows, others do not.
        made, said = (), str(refusal)
        assert re.search(r"(found|too few) .*\.$", said)
    assert all(len(s.train) and len(s.test) for s in made)


@some(RANDOM)
@pytest.mark.parametrize("seed", [-1, 1.5, True, "7", None])
def test_a_strange_seed_is_refused(scheme: Any, seed: Any) -> None:
    with pytest.raises(UsageError, match="whole number that is not negative"):
        scheme.splits(SAMPLES["plain"], seed)


@every
def test_labels_of_the_wrong_length_are_refused(scheme: Any) -> None:
    for bad in (Sample(10, strata=np.zeros(9, dtype=int)), Sample(10, groups=np.zeros((10, 1), dtype=int))):
        with pytest.raises(UsageError, match="one for each of its 10 rows"):
            scheme.splits(replace(bad, given_test=np.array([9])), 1)


@every
@settings(max_examples=25)
@given(st.data())
def test_any_sample_is_split_properly_or_refused(scheme: Any, data: st.DataObject) -> None:
    n = data.draw(st.integers(2, 40))
    labels = st.lists(st.integers(-3, 4), min_size=n, max_size=n)
    strata, groups = (data.draw(st.none() | labels) for _ in range(2))
    n_test = data.draw(st.integers(1, n - 1))
    sample = Sample(n, *(None if x is None else np.array(x) for x in (strata, groups)), np.arange(n - n_test, n))
    try:
        made = scheme.splits(sample, data.draw(st.integers(0, 2**64)))
    except UsageError:
        # Refused is what is too small, not what is uneven.
        assume(n >= 8 and (groups is None or len(set(groups)) >= 8))
        raise
    assert 0 < len(made.splits) <= scheme.count(sample)
    for s in made.splits:
        assert len(s.train)
        assert len(s.test)
        if scheme.overlaps or s.role == APPARENT:
            continue
        assert not np.isin(s.test, s.train).any()
        if sample.groups is not None and scheme.scheme not in ("given", "competition"):
            assert not np.isin(sample.groups[s.test], sample.groups[s.train]).any()


# --- schemes that ask something of a sample keep the same promises ---------------------------------------------------


def suited(scheme: Any, sample: Sample) -> Sample:
    """The sample with what the scheme needs."""
    groups = sample.groups
    if scheme.needs_groups and groups is None:
        groups = np.arange(sample.n) // 3
    if scheme.shares is Sharing.TIME and groups is not None:
        groups = np.sort(groups)  # one ends before the next begins
    folds = np.arange(sample.n) % 4 - (np.arange(sample.n) % 9 == 0)  # some rows are never tested on
    return replace(sample, groups=groups, folds=folds)


@some(SPECIAL)
@on_every_sample
def test_special_schemes_keep_the_promises_too(scheme: Any, sample: Sample) -> None:
    own = suited(scheme, sample)
    test_splits_are_well_formed(scheme, own)
    test_nothing_is_tested_on_that_was_learned_from(scheme, own)
    assert content(scheme.splits(own, 1)) == content(scheme.splits(own, 1))
    assert [s.key for s in scheme.splits(own, 1).splits] == [s.key for s in scheme.splits(own, 2).splits]
    scheme.try_out(own)
    if scheme.partition:
        test_who_is_not_learned_from_is_tested(scheme, own)
        test_each_row_is_tested_once_a_repeat(scheme, own)


@some([scheme for scheme in SPECIAL if not scheme.of_user])
@with_groups
def test_special_schemes_tear_no_group(scheme: Any, name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(SAMPLES, name, suited(scheme, SAMPLES[name]))
    test_no_group_is_on_both_sides_and_none_is_torn(scheme, name)


@some(SPECIAL)
def test_special_schemes_say_what_they_share(scheme: Any) -> None:
    made = scheme.splits(suited(scheme, SAMPLES["plain"]), 4)
    learned = [set(s.train.tolist()) for s in made.splits]
    assert any(first & second for first, second in pairwise(learned))
    assert scheme.sharing(made) is scheme.shares
    assert all(s.train.max() < s.test.min() for s in made.splits) == (scheme.shares is Sharing.TIME)


@some(SPECIAL)
def test_special_schemes_are_described_and_refuse(scheme: Any) -> None:
    test_schemes_are_documented_and_frozen(scheme)
    described = scheme.describe()
    assert resampling_from(json.loads(canonical_json(described))) == scheme
    assert set(described) == {"scheme", *(field.name for field in fields(scheme) if field.compare)}
    for n in (0, 1):
        with pytest.raises(UsageError, match=r"found .*\.$"):
            scheme.splits(suited(scheme, Sample(n)), 10)
    if scheme.needs_groups or scheme.of_user:
        with pytest.raises(UsageError, match=r"needs (groups|folds), and found none: name their column"):
            scheme.splits(Sample(20), 1)
