"""The public names: each can be imported, each is documented, verbs are functions of the same name as the command."""

from __future__ import annotations

import subprocess
import sys

import pytest

import bakeoff


@pytest.mark.parametrize("name", bakeoff.__all__)
def test_every_public_name_is_there_and_documented(name: str) -> None:
    value = getattr(bakeoff, name)
    assert name in dir(bakeoff)
    if name != "__version__":
        assert value.__doc__


def test_unknown_names_are_attribute_errors() -> None:
    with pytest.raises(AttributeError, match="no attribute 'nonsense'"):
        _ = bakeoff.nonsense


def test_verbs_stay_functions_whatever_was_imported_before() -> None:
    code = (
        "import bakeoff, bakeoff.judging.judgment, bakeoff.cli.compare, bakeoff.procedures\n"
        "import bakeoff.cli.lab, bakeoff.cli.lab, bakeoff.calibration.calibrate, bakeoff.power_analysis.power\n"
        "verbs = 'advise analyse judge explain read_scores power calibrate regenerate'.split()\n"
        "assert all(callable(getattr(bakeoff, v)) for v in verbs)"
    )
    subprocess.run([sys.executable, "-c", code], check=True)
