"""Every published result by its rules: named, placed, and held to the outcome that the listing states."""

from __future__ import annotations

import re

import pytest

from bakeoff.errors import UsageError
from bakeoff.published import published_results, regenerate, result_named
from bakeoff.published.comparison import Reproduction, errata
from bakeoff.published.result import Document, PublishedResult

EXACT = [result for result in published_results() if not result.replications]


@pytest.mark.parametrize("result", published_results(), ids=lambda result: result.name)
def test_the_record_is_complete(result: PublishedResult) -> None:
    assert re.fullmatch(r"[a-z]+(-[a-z0-9]+)+", result.name)
    assert result.title
    assert result.place
    assert result.shows.endswith(".")
    assert set(result.errata) <= set(errata())
    assert all(key.startswith(result.document.name) for key in result.errata)
    assert result.full_replications >= result.replications
    assert result.full_seconds >= result.seconds > 0


def test_names_are_unique_and_every_document_has_some() -> None:
    names = [result.name for result in published_results()]
    assert len(set(names)) == len(names)
    assert {result.document for result in published_results()} == set(Document)


@pytest.mark.parametrize("result", EXACT, ids=lambda result: result.name)
def test_what_is_exact_comes_out_as_stated(result: PublishedResult) -> None:
    made = result.regenerate(False, 0, 1)
    assert made.name == result.name
    assert not made.differing, made.to_text()
    assert made.status is result.status
    assert made.errata == result.errata
    assert len({(cell.row, cell.column) for cell in made.cells}) == len(made.cells)


def test_names_are_forgiving_and_wrong_ones_are_a_sentence() -> None:
    assert result_named("Feelders_Table4").name == "feelders-table4"
    with pytest.raises(UsageError, match="Did you mean 'feelders-table4'"):
        regenerate("feelders-tabel4")


@pytest.mark.parametrize(("option", "value"), [("jobs", 0), ("jobs", -2), ("jobs", True), ("seed", -1)])
def test_impossible_options_are_refused(option: str, value: int) -> None:
    with pytest.raises(UsageError, match=f"{option}.*found {value!r}"):
        regenerate("feelders-table4", **{option: value})  # type: ignore[arg-type]


def test_one_worker_a_processor() -> None:
    assert regenerate("feelders-table4", jobs=-1).status is Reproduction.REPRODUCED
