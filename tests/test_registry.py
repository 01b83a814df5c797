from __future__ import annotations

from pathlib import Path

import pytest

import bakeoff.procedures
from bakeoff.errors import UsageError
from bakeoff.registry import MODULES, explain, procedure_named, procedures


def test_names_and_modules_agree() -> None:
    assert [procedure.name for procedure in procedures()] == list(MODULES)
    files = Path(bakeoff.procedures.__file__).parent.glob("*.py")
    assert set(MODULES.values()) == {path.stem for path in files if "\nPROCEDURE = " in path.read_text()}


def test_names_may_be_written_with_underscores_and_capitals() -> None:
    assert procedure_named("Paired_T").name == "paired-t"
    assert explain("friedman") is procedure_named("friedman").card


def test_unknown_names_are_met_with_the_nearest() -> None:
    with pytest.raises(UsageError, match="Did you mean 'wilcoxon'"):
        procedure_named("wilcoxson")
