from __future__ import annotations

import pytest

from bakeoff.scores.design import Design, design_from
from bakeoff.scores.splitting import NOT_KNOWN, Runs, Splitting, splitting_from

KINDS = [
    NOT_KNOWN,
    Splitting(Runs.INDEPENDENT),
    Splitting(Runs.FIXED_SPLIT),
    Splitting(Runs.RANDOM_SPLITS),
    Splitting(Runs.RANDOM_SPLITS, 1 / 3),
    Splitting(optimistic="bootstrap"),
    Splitting(Runs.RANDOM_SPLITS, 0.5, "632+"),
]


@pytest.mark.parametrize("splitting", KINDS)
def test_what_is_written_is_read_again(splitting: Splitting) -> None:
    assert splitting_from(splitting.parts) == splitting


@pytest.mark.parametrize("splitting", KINDS[1:])
def test_it_goes_through_the_design_of_a_table(splitting: Splitting) -> None:
    for independent in (False, True):
        design = Design(None, independent, splitting)
        assert design_from(str(design)) == design


@pytest.mark.parametrize(
    "parts",
    [
        ("runs",),
        ("runs on one split", "runs on random splits"),
        ("runs on random splits, ratio 0",),
        ("runs on random splits, ratio nan",),
        ("runs on random splits, ratio half",),
        ("tested on rows learned from (cv)",),
        ("tested on rows learned from (632)", "tested on rows learned from (632)"),
    ],
)
def test_other_words_say_something_else(parts: tuple[str, ...]) -> None:
    assert splitting_from(parts) is None
