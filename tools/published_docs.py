"""Write docs/published.md from the catalogue of published results; with --check, only say whether it is up to date."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path

from bakeoff.published import published_results
from bakeoff.published.comparison import errata
from bakeoff.published.result import Document, PublishedResult

PAGE = Path(__file__).parents[1] / "docs" / "published.md"
HEAD = """\
<!-- Written by `make docs` from src/bakeoff/published. Change that, not this page. -->

# Published results

The methods of bakeoff come from five documents. What they print can be computed again, one command each:

```console
$ bakeoff published
$ bakeoff published feelders-table4
feelders-table4: McNemar's test of a linear discriminant against a neural network
…
Of 9 numbers beside a printed one, 9 agree to the digits printed.
```

Ours stands beside the document's, cell by cell. Two numbers agree if they are the same to the digits printed; or within
what the rounding of the inputs that the document prints can explain; or, where something is simulated, within
Monte-Carlo error: |z| is below a limit that a table in which all is right exceeds anywhere with a chance of 1 %. What
differs beyond that is marked: `ERRATUM` with its number where the document is at fault, `DIFFERS` where the reason is
not known.

By default a result takes about a minute at most, and says how many replications it ran; `--full` takes the document's
own number, `--seed` other random numbers, `-j 2` two processes, `--json` everything with full precision. In Python,
`bakeoff.regenerate("feelders-table4")` returns the same, and `bakeoff.published_results()` the list.
"""


def cost(usual: float, full: float) -> str:
    """A number as it usually is, and with --full if that differs.

    >>> cost(1000, 5000), cost(3, 3)
    ('1,000; 5,000 with `--full`', '3')
    """
    return f"{usual:,.0f}" if usual == full else f"{usual:,.0f}; {full:,.0f} with `--full`"


def section(result: PublishedResult) -> str:
    """One result."""
    size = cost(result.replications, result.full_replications) if result.replications else "none, it is exact"
    but = f" ({', '.join(result.errata)})" if result.errata else ""
    return "\n".join(
        [
            f"### {result.name}\n",
            f"**{result.title}.** {result.shows}\n",
            f"- Where: {result.place}",
            f"- Outcome: {result.status.value}{but}",
            f"- Replications: {size}",
            f"- Seconds on two cores, about: {cost(round(result.seconds), round(result.full_seconds))}",
            *[f"- `--figure FILE`: {result.figure}"] * bool(result.figure),
            *["- `--store FILE`: keeps what is finished, so that the run can be resumed"] * result.resumable,
        ]
    )


def page(results: Sequence[PublishedResult]) -> str:
    """The whole page."""
    parts = [HEAD.rstrip()]
    for document in Document:
        own = [section(result) for result in results if result.document is document]
        parts += [f"## {document.value}", *own] if own else []
    rows = "\n".join(f"| {key} | {sentence.replace('|', chr(92) + '|')} |" for key, sentence in errata().items())
    parts.append(
        f"## Errata\n\nWhat the documents misprint or mistake, where it shows in a result.\n\n| | |\n|---|---|\n{rows}"
    )
    return "\n\n".join(parts) + "\n"


def main(arguments: Sequence[str]) -> int | str:
    text = page(published_results())
    if "--check" not in arguments:
        PAGE.write_text(text, encoding="utf-8")
        return 0
    if PAGE.exists() and PAGE.read_text(encoding="utf-8") == text:
        return 0
    return "docs/published.md is not what the catalogue of published results says: run `make docs`."


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
