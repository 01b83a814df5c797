from __future__ import annotations

import io
import os
import random
import time
from collections import deque
from math import inf, nan
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from joblib import Memory
from scipy.stats import loguniform, randint
from sklearn.compose import ColumnTransformer
from sklearn.metrics import fbeta_score, make_scorer
from sklearn.model_selection import GridSearchCV, RandomizedSearchCV, StratifiedKFold
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, StandardScaler
from sklearn.svm import SVC

from bakeoff.errors import UsageError
from bakeoff.keys import canonical_json, canonical_value, contents, digest, key_of, seed_of

JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
    max_leaves=10,
)


@given(JSON)
def test_the_same_content_has_the_same_key_in_any_order(content: object) -> None:
    assert key_of(content) == key_of(shuffled(content))


def shuffled(content: object) -> object:
    if isinstance(content, dict):
        items = list(content.items())
        random.Random(1).shuffle(items)
        return {name: shuffled(item) for name, item in items}
    return [shuffled(item) for item in content] if isinstance(content, list) else content


def test_numpy_numbers_are_numbers() -> None:
    assert key_of(SVC(C=np.float64(1.0), max_iter=np.int64(100))) == key_of(SVC(C=1.0, max_iter=100))


def test_kinds_of_numbers_are_told_apart() -> None:
    assert len({key_of(1), key_of(1.0), key_of(True), key_of("1"), key_of(None), key_of([1])}) == 6


def test_infinities_and_nan_are_legal_parameters() -> None:
    assert len({canonical_json(value) for value in (inf, -inf, nan, 0.0)}) == 4


def test_estimators_that_differ_in_one_step_have_different_keys() -> None:
    # Their repr() is the same text, cut short.
    def made(with_mean: bool) -> ColumnTransformer:
        steps = [("a", StandardScaler(with_mean=with_mean), [0]), ("b", OneHotEncoder(), [1])]
        return ColumnTransformer(steps)

    assert key_of(made(True)) != key_of(made(False))
    assert key_of(make_pipeline(made(True), SVC())) == key_of(make_pipeline(made(True), SVC()))


def test_splitters_and_scorers_go_by_what_they_are_made_of() -> None:
    def tuned(folds: int, beta: float) -> str:
        scorer = make_scorer(fbeta_score, beta=beta)
        return key_of(GridSearchCV(SVC(), {"C": [1, 10]}, cv=StratifiedKFold(folds), scoring=scorer))

    assert tuned(3, 2.0) == tuned(3, 2.0)
    assert len({tuned(3, 2.0), tuned(5, 2.0), tuned(3, 1.0)}) == 3


def test_functions_and_classes_go_by_name() -> None:
    assert canonical_value(np.mean) == {"name": "numpy.mean"}
    assert canonical_value(SVC) == {"name": "sklearn.svm._classes.SVC"}


class _Ring:
    def __init__(self) -> None:
        self.next = self


_RING: list[object] = []
_RING.append(_RING)


@pytest.mark.parametrize(
    ("value", "message"),
    [
        (lambda x: x, "a lambda or a local function"),
        (np.random.RandomState(0), "give an integer, or nothing: bakeoff seeds every fit"),
        (np.random.default_rng(0), "give an integer, or nothing"),
        (random.Random(0), "give an integer, or nothing"),
        (io.StringIO("a"), "which has no canonical form"),
        (object(), "which has no canonical form"),
        (_Ring(), "refers to itself"),
        (_RING, "refers to itself"),
        (SVC().fit([[0.0], [1.0]], [0, 1]), "is a fitted SVC"),
    ],
)
def test_what_has_no_name_to_be_found_by_again_is_refused(value: object, message: str) -> None:
    with pytest.raises(UsageError, match=message):
        canonical_value({"inner": value}, "learner 'x'")


def test_a_refusal_names_the_place() -> None:
    with pytest.raises(UsageError, match=r"learner 'x'\.steps\[1\]"):
        canonical_value({"steps": [1, object()]}, "learner 'x'")


def test_parts_of_a_digest_do_not_run_together() -> None:
    assert digest("a", "b") != digest("ab")
    assert digest(b"a") == digest("a")


def test_keys_are_the_same_on_every_machine_and_in_every_version() -> None:
    # Stored results are found by these: a change here orphans every store, and asks for another KEY_VERSION.
    assert key_of({"path": "sklearn.svm.SVC", "parameters": {"C": 1.0}}) == "4766b559b630ca4915864b74fad353a6"
    assert seed_of("1", "learner", "task", b"split") == 1754622467


@given(st.text(), st.text())
def test_seeds_fit_into_32_bits_and_follow_the_content(first: str, second: str) -> None:
    assert 0 <= seed_of(first) < 2**32
    assert (seed_of(first) == seed_of(second)) == (first == second)


class Queue(deque[int]):
    pass


class Slim:
    __slots__ = ("size",)


class Sized(Slim):
    def __init__(self, size: int) -> None:
        self.size = size


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (pd.Timestamp("2020-01-01"), pd.Timestamp("2021-01-01")),
        (pd.Timedelta(days=1), pd.Timedelta(days=2)),
        (pd.Period("2020"), pd.Period("2021")),
        (pd.Series([1, 2], index=["a", "b"]), pd.Series([1, 2], index=["b", "a"])),
        (Queue([1]), Queue([2])),
        (Sized(1), Sized(2)),
        (loguniform(1, 10), loguniform(1, 100)),
        (randint(1, 10), loguniform(1, 10)),
    ],
)
def test_objects_that_hold_what_is_no_attribute_of_theirs_are_told_apart(one: object, other: object) -> None:
    assert key_of({"at": one}) != key_of({"at": other})


def test_looking_at_an_object_does_not_change_its_key() -> None:
    day = pd.Period("2020")
    before = key_of(day)
    assert day.freqstr
    assert key_of(day) == before


def test_a_search_may_draw_its_parameters_from_distributions() -> None:
    first, second = (RandomizedSearchCV(SVC(), {"C": loguniform(1, high)}) for high in (10, 100))
    assert key_of(first) != key_of(second)


def test_when_a_cache_was_made_does_not_matter(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    keys = set()
    for clock in (1.0, 2.0):
        monkeypatch.setattr("time.time", lambda now=clock: now)
        keys.add(key_of(make_pipeline(StandardScaler(), SVC(), memory=Memory(str(tmp_path), verbose=0))))
    assert len(keys) == 1


def test_the_rows_of_a_table_count_and_are_not_made_a_list() -> None:
    table = pd.DataFrame({"a": np.arange(300_000.0), "b": "text"})
    began = time.process_time()
    key = canonical_json(contents([table, range(3)]))
    assert time.process_time() - began < 2
    assert canonical_json(contents([table.copy(), range(3)])) == key
    for other in (table.assign(a=0.0), table.rename(columns={"a": "c"}), table.iloc[::-1]):
        assert canonical_json(contents([other, range(3)])) != key


def test_the_environment_is_no_part_of_what_holds_it(monkeypatch: pytest.MonkeyPatch) -> None:
    holding = {"settings": os.environ, "more": b"1"}
    before = contents(holding)
    monkeypatch.setenv("BAKEOFF_ANYTHING", "1")
    assert contents(holding) == before
