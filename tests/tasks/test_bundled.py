"""The table of bundled data sets says what is in their files."""

from __future__ import annotations

import csv
import io
from pathlib import Path

import numpy as np
import pytest

from bakeoff.errors import UsageError
from bakeoff.tasks.bundled import BundledSet, bundled, bundled_sets
from bakeoff.tasks.dataset import Kind
from bakeoff.tasks.roles import Roles
from bakeoff.tasks.sources import BundledSource

FOLDER = Path(__file__).parents[2] / "src" / "bakeoff" / "data" / "sets"
SETS = list(bundled_sets().values())


def test_every_file_has_an_entry_and_every_entry_a_file() -> None:
    assert {path.stem for path in FOLDER.glob("*")} == set(bundled_sets())
    assert list(bundled_sets()) == sorted(bundled_sets())
    assert {"boston_housing", "breast_cancer_wisconsin", "ionosphere", "pima_diabetes"} <= set(bundled_sets())


@pytest.mark.parametrize("card", SETS, ids=lambda card: card.name)
def test_the_numbers_of_an_entry_are_those_of_its_file(card: BundledSet) -> None:
    header, *rows = csv.reader(io.StringIO(card.content().decode()))
    target = header.index(card.target)
    aside = {card.target, card.group, *card.drop}
    inputs = [i for i, name in enumerate(header) if name not in aside]
    labelled = [row for row in rows if row[target] != ""]
    assert len(rows) == card.rows
    assert len(inputs) == card.inputs
    assert sum(row[i] == "" for row in labelled for i in inputs) == card.missing
    assert (len({row[target] for row in labelled}) if card.kind == "classification" else 0) == card.classes


@pytest.mark.parametrize("card", SETS, ids=lambda card: card.name)
def test_every_set_is_read_as_its_entry_says(card: BundledSet) -> None:
    data = BundledSource(card.name).read(card.name, Roles())
    assert (data.kind.value, len(data.features), len(data.classes), data.n_missing) == (
        card.kind,
        card.inputs,
        card.classes,
        card.missing,
    )
    assert set(card.categorical) <= set(data.categorical)
    if card.positive is not None:
        assert str(data.classes[-1]) == card.positive
    if card.classes == 2:
        assert card.positive is not None, "which class is the positive one?"


@pytest.mark.parametrize("card", SETS, ids=lambda card: card.name)
def test_every_set_has_its_attribution(card: BundledSet) -> None:
    assert all([card.creators, card.source, card.copy, card.title])
    assert card.licence.startswith(("CC BY 4.0", "CC0", "public"))
    assert (card.licence == "CC BY 4.0") <= ("archive.ics.uci.edu" in card.source)
    assert card.creators in card.attribution()


def test_they_are_small() -> None:
    sizes = [path.stat().st_size for path in FOLDER.glob("*")]
    assert max(sizes) < 400_000
    assert sum(sizes) < 2_500_000


def test_line_ends_that_a_checkout_changed_do_not_change_the_content(monkeypatch: pytest.MonkeyPatch) -> None:
    before = bundled("iris").content()
    monkeypatch.setattr(Path, "read_bytes", lambda self: before.replace(b"\n", b"\r\n"))
    assert bundled("iris").content() == before


def test_the_speakers_of_the_vowels_are_on_one_side_of_the_given_split() -> None:
    data = BundledSource("vowel").read("vowel", Roles())
    assert data.groups is not None
    assert data.test is not None
    learning = np.setdiff1d(np.arange(data.n), data.test)
    assert (len(np.unique(data.groups[learning])), len(np.unique(data.groups[data.test]))) == (8, 7)
    assert not set(data.groups[learning]) & set(data.groups[data.test])


def test_the_rise_times_of_servo_are_those_of_the_original() -> None:
    y = BundledSource("servo").read("servo", Roles()).y
    assert y is not None
    assert y[:4].tolist() == [0.28125095, 0.5062525, 0.35625148, 5.500033]
    assert (y.min(), y.max()) == (0.13124992, 7.1001077)


def test_what_the_user_says_comes_first() -> None:
    roles = bundled("vowel").roles(Roles(group="V2", test_rows=0, drop=("V1",)))
    assert (roles.group, roles.drop, roles.target) == ("V2", ("V1",), "Class")
    other = bundled("breast_cancer_wisconsin").roles(Roles(target="Mitoses"))
    assert (other.target, other.kind, other.positive) == ("Mitoses", None, None)


def test_the_density_of_a_set_is_learned_without_its_labels() -> None:
    data = BundledSource("iris").read("iris", Roles(kind=Kind.DENSITY))
    assert data.kind is Kind.DENSITY
    assert data.features == ("Sepal.Length", "Sepal.Width", "Petal.Length", "Petal.Width")


def test_an_unknown_name() -> None:
    with pytest.raises(UsageError, match=r"no data set 'ionosfere'.*Did you mean 'ionosphere'"):
        bundled("ionosfere")
