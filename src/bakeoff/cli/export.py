"""`bakeoff export`: all that is stored of a study, as tables for other tools."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from pathlib import Path

from bakeoff.cli.studying import stored, study_of
from bakeoff.errors import UsageError
from bakeoff.stores.export import export
from bakeoff.stores.table_files import format_of


def run(arguments: argparse.Namespace, rest: Sequence[str]) -> None:
    study, path = study_of(arguments)
    target, asked = Path(arguments.output), arguments.format
    ending = format_of(target)
    if asked is not None and ending not in (None, asked):
        raise UsageError(f"--format {asked} contradicts the ending of {target.name}. Leave one of them out.")
    with stored(study, path, arguments.study) as store:
        written = export(store, study.key, target, form=asked or "parquet")
    print("\n".join(str(file) for file in written))
