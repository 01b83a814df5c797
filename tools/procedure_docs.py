"""Write docs/procedures.md from the cards of the procedures; with --check, only say whether it is up to date."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path

from bakeoff.procedures import procedures
from bakeoff.procedures.card import Card

PAGE = Path(__file__).parents[1] / "docs" / "procedures.md"
HEAD = """\
<!-- Written by `make docs` from the cards in src/bakeoff/procedures/. Change a card, not this page. -->

# Procedures

Which one fits your data depends on what a block is, that is, on what all learners were measured on together:
`bakeoff advise SCORES` reads it off the table. `bakeoff explain NAME` shows a card in the terminal.
"""


def escaped(text: str) -> str:
    """Text that Markdown shows as it is written.

    >>> print(escaped("√(k(k+1)/(6N)) * |d| < 1"))
    √(k(k+1)/(6N)) \\* \\|d\\| &lt; 1
    """
    for sign in "\\`*_[]|":
        text = text.replace(sign, f"\\{sign}")
    return text.replace("<", "&lt;")


def overview(cards: Sequence[Card]) -> str:
    rows = [
        f"| [{card.name}](#{card.name}) | {card.compares.value} | {card.level.value} "
        f"| {card.speaks_about.value} | {escaped(card.title)} |"
        for card in cards
    ]
    return "\n".join(["| name | compares | over | speaks about | title |", "|---|---|---|---|---|", *rows])


def section(card: Card) -> str:
    """One card."""
    parts = [f"## {card.name}", f"**{escaped(card.title)}.** {escaped(card.question)}"]
    parts.append("\n".join(f"- {escaped(fact)}" for fact in card.summary()))
    for title, lines in card.sections():
        if lines:
            parts.append(f"**{title}**")
            parts.append("\n".join(f"- {linked(line)}" for line in lines))
    return "\n\n".join(parts)


def linked(line: str) -> str:
    """The line with its DOI, if one ends it, as a link."""
    text, mark, doi = line.rpartition(" doi:")
    return f"{escaped(text)} [doi:{escaped(doi)}](https://doi.org/{doi})" if mark else escaped(line)


def page(cards: Sequence[Card]) -> str:
    """The whole page."""
    return "\n\n".join([HEAD.rstrip(), overview(cards), *(section(card) for card in cards)]) + "\n"


def main(arguments: Sequence[str]) -> int | str:
    text = page([procedure.card for procedure in procedures()])
    if "--check" not in arguments:
        PAGE.write_text(text, encoding="utf-8")
        return 0
    if PAGE.exists() and PAGE.read_text(encoding="utf-8") == text:
        return 0
    return "docs/procedures.md is not what the cards say: run `make docs`."


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
