"""Write docs/formats.md from the cards of the formats; with --check, only say whether it is up to date."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path

from bakeoff.formats import formats
from bakeoff.formats.format import Format

PAGE = Path(__file__).parents[1] / "docs" / "formats.md"
HEAD = """\
<!-- Written by `make docs` from the cards in src/bakeoff/formats. Change those, not this page. -->

# Files that are read

Name files, folders or globs, as many as there are; `NAME=PATH` gives a learner its name, and `-` is standard input.
gzip, zstd and zip are unpacked. What a file is, is told by what is in it; `--format NAME` overrules that, and two
formats that claim one file are asked about. `bakeoff formats` lists them, `bakeoff formats NAME` shows one in full.

```
bakeoff compare llama/ qwen/ --measure acc                    two folders of lm-evaluation-harness
bakeoff compare logs/*.eval --cluster metadata.passage        Inspect
bakeoff compare new=a.jsonl old=b.jsonl --control old         a file for each learner
bakeoff compare runs.csv --columns learner=config.model,task=config.dataset,repeat=config.seed --where status=finished
cat scores.jsonl | bakeoff compare -
```

In Python:

```python sketch
bakeoff.read_scores("llama/", "qwen/", measure="acc")
bakeoff.judge({"tree": cross_validate(tree, X, y, return_indices=True), "svm": cross_validate(svm, X, y)})
bakeoff.judge({"iris": {"tree": …, "svm": …}, "wine": {"tree": …, "svm": …}})
bakeoff.judge(frame, rows="tasks", larger_is_better=True)
```

## How several files become one table

- **Who**: the file names the learner, or `NAME=PATH`, or its own name does. The same `NAME` twice is two runs of it.
  One model in two places is told apart by their names.
- **Which items**: they are matched by id, and checked by content where a file tells it (a hash, or the question).
  Ids that contradict the contents give way to them, with a note; other contents are refused.
- **Asked alike**: other few-shot examples, limits, templates or versions give the warning `asked-otherwise`.
- **Repeats** (epochs, seeds, `--repeat`) of an item are repeats, not more items.
- **An error is no wrong answer**: a sample that failed has no value, and `--missing` decides what becomes of it.
- **Newest**: of several runs of one model and task in one folder the newest is read, with a note.
- **Limits**: 2 GB a file (unpacked, too), 20,000 files a folder; what unpacks to more than 1,000 times its size is
  refused. Nothing in a file is executed or unpickled.

## Which column is what

| flag | what it says |
|---|---|
| `--columns learner=config.model,task=data` | which column plays which role: learner, task, repeat, fold, \
instance, cluster, measure, value, n_train, n_test, status, message, truth |
| `--where status=finished` | which rows count; also `!=`, `<`, `<=`, `>`, `>=`, and `a,b` for one of several |
| `--ignore COLUMN` | a column to leave out |
| `--transpose` | rows are columns, and columns rows |
| `--average` | several values of one cell are averaged |

Prefixes that tools put in front of headers (`config.`, `params.`, `metrics.`, `summary.`, `scores.`, `Key_`) are
understood. Cells may be `90.0%`, `87.2 ± 0.5`, `0.97 (0.01)`, `1,200.5`, `−0.3`, True and False, yes and no, C and I;
OOM, timeout and the like are failures without a value.

## Formats
"""
FOOT = """\
## A format of your own

A format is a `Format` with its signs and a function that reads a file into parts (`bakeoff.formats.format`); one in a
file of `src/bakeoff/formats/` is found by itself, and `bakeoff.formats.register(…)` adds one from outside.
"""


def escaped(text: str) -> str:
    """Text that Markdown shows as it is written.

    >>> print(escaped("samples_<task> | *"))
    samples\\_&lt;task> \\| \\*
    """
    for sign in "\\`*_[]|":
        text = text.replace(sign, f"\\{sign}")
    return text.replace("<", "&lt;")


def section(card: Format) -> str:
    lines = [f"- Recognised by: {escaped(card.recognised_by)}", f"- Maps: {escaped(card.maps)}"]
    return "\n\n".join(
        [f"### {card.name}", f"**{escaped(card.title)}**", "\n".join([*lines, f"- Drops: {escaped(card.drops)}"])]
    )


def page(cards: Sequence[Format]) -> str:
    """The whole page."""
    return "\n\n".join([HEAD.rstrip(), *(section(card) for card in cards), FOOT.rstrip()]) + "\n"


def main(arguments: Sequence[str]) -> int | str:
    text = page(list(formats().values()))
    if "--check" not in arguments:
        PAGE.write_text(text, encoding="utf-8")
        return 0
    up_to_date = PAGE.exists() and PAGE.read_text(encoding="utf-8") == text
    return 0 if up_to_date else f"{PAGE.name} is not what the formats say: run `make docs`."


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
