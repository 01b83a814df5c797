from __future__ import annotations

from pathlib import Path

import pytest

import bakeoff.procedures
from bakeoff.errors import UsageError
from bakeoff.procedures import explain, procedure_named, procedures
from bakeoff.procedures.card import Compares
from bakeoff.scores import Level


def test_every_file_of_procedures_is_found() -> None:
    listed = {procedure.compute.__module__.rpartition(".")[2] for procedure in procedures()}
    files = Path(bakeoff.procedures.__file__).parent.glob("*.py")
    assert {path.stem for path in files if "\n@procedure(" in path.read_text()} == listed


def test_the_listing_begins_with_single_learners_and_goes_from_instances_to_tasks() -> None:
    cards = [procedure.card for procedure in procedures()]
    alone = [card.compares is Compares.ONE for card in cards]
    assert alone == sorted(alone, reverse=True)
    levels = [list(Level).index(card.level) for card in cards if card.compares is not Compares.ONE]
    assert levels == sorted(levels)


def test_names_may_be_written_with_underscores_and_capitals() -> None:
    assert procedure_named("Paired_T").name == "paired-t"
    assert explain("friedman") is procedure_named("friedman").card


def test_unknown_names_are_met_with_the_nearest() -> None:
    with pytest.raises(UsageError, match="Did you mean 'wilcoxon'"):
        procedure_named("wilcoxson")
