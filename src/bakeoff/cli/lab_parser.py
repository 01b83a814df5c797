"""The grammar of the commands of the laboratory. Only argparse is imported here."""

from __future__ import annotations

import argparse

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    Command = Callable[..., argparse.ArgumentParser]


def add_lab_commands(command: Command, output: Callable[[argparse.ArgumentParser], None]) -> None:
    """What procedures do before anyone trusts them, and what has been published about them."""
    published = command("published", "list the published results, or compute one again beside what was printed")
    _published(published)
    output(published)


def _published(command: argparse.ArgumentParser) -> None:
    """All of them, or one."""
    command.add_argument("name", metavar="NAME", nargs="?", help="the result to compute again")
    command.add_argument("--full", action="store_true", help="with the document's own number of replications")
    command.add_argument("--seed", type=int, default=0, metavar="N", help="of what is simulated (default 0)")
    command.add_argument(
        "-j", "--jobs", type=int, default=1, metavar="N", help="worker processes (-1: one a processor)"
    )
