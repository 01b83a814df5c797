"""`bakeoff init`: a study file to begin with."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from pathlib import Path

from bakeoff.errors import UsageError
from bakeoff.studies.template import TEMPLATE


def run(arguments: argparse.Namespace, rest: Sequence[str]) -> None:
    target = Path(arguments.file)
    if target.suffix != ".toml":
        raise UsageError(f"A study file ends in .toml; found {target.name!r}.")
    try:
        with target.open("w" if arguments.force else "x", encoding="utf-8") as file:
            file.write(TEMPLATE.replace("study.toml", target.name))
    except FileExistsError:
        raise UsageError(f"{target} is there already. Name another file, or write over it with --force.") from None
    except OSError as error:
        raise UsageError(f"{target} cannot be written: {error.strerror}.") from error
    next_steps = "".join(f"\n  bakeoff {what}" for what in (f"plan {target}", f"run {target} -j 2", f"judge {target}"))
    print(f"{target} is written, and runs as it is:\n{next_steps}")
