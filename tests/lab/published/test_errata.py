"""The misprints: each a sentence, each known to the results that show it."""

from __future__ import annotations

import re

import pytest

from bakeoff.errors import UsageError
from bakeoff.lab.published.errata import errata, erratum


@pytest.mark.parametrize("key", errata())
def test_each_is_a_sentence_under_the_letter_of_a_document(key: str) -> None:
    assert re.fullmatch(r"[FASRH]\d+", key)
    assert erratum(key).endswith(".")
    assert len(erratum(key).split()) > 5


def test_an_unknown_one_is_a_sentence_too() -> None:
    with pytest.raises(UsageError, match="There is no erratum 'Z9'"):
        erratum("Z9")


def test_they_cannot_be_changed() -> None:
    with pytest.raises(TypeError):
        errata()["F1"] = "nothing"  # type: ignore[index]
