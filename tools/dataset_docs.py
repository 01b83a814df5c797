"""Write docs/datasets.md from src/bakeoff/data/sets.toml; with --check, only say whether it is up to date."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path

from bakeoff.tasks.sources import BundledSet, bundled_sets

PAGE = Path(__file__).parents[1] / "docs" / "datasets.md"
HEAD = """\
<!-- Written by `make docs` from src/bakeoff/data/sets.toml. Change that, not this page. -->

# Data

## Your own data

A task of a study names a file beside it, or a function that returns data; in Python, `bakeoff.as_task` takes a path,
`(X, y)`, a scikit-learn Bunch, a DataFrame with `target=`, or a function.

```toml
[[task]]
name = "mine"
file = "mine.csv"        # .csv (comma, semicolon, tab), .parquet or .arff
target = "class"         # what is to be predicted
kind = "classification"  # or regression, or density (then without target); read off the target if left out
group = "patient"        # rows that must stay on one side of every split
drop = ["id"]
categorical = ["ward"]   # numbers that are names
positive = "ill"         # of two classes, the one that recall and AUC speak of
test_file = "later.csv"  # or test_rows = 100: a test sample that came with the data, never learned from
```

Other columns have other roles: `time` (the order of rows, for the scheme `time-ordered`), `fold` (folds that are given,
for `predefined`), `weight` (how much a row counts when it is learned from). None of them is an input.

| data | how they are given |
|---|---|
| texts | `text = "body"` names a column of a file, which is then the only input; in Python a list of texts, \
`(texts, y)`. The learner begins with a vectoriser |
| arrays of any rank, such as images | `file = "images.npz"` with the arrays `X` and `y` (`target = "…"` names \
another), or `file = "X.npy"` with `target_file = "y.npy"`; in Python `(X, y)`. They keep their type. Arrays of \
objects, which only pickle could read, are refused |
| sparse matrices | a file of `scipy.sparse.save_npz` with `target_file`; in Python `(X, y)`. They stay sparse; \
`prepare = "standard"` scales them without moving their zeros |
| several targets, labels | `target = ["a", "b"]`, or in Python a `y` with several columns: predicted \
together, by learners that can (trees, forests, neighbours, networks, linear models of numbers; others inside \
`sklearn.multioutput`). Columns of two values are labels (kind `multi-label`), of which the second as sorted \
means that it applies. `separate = true`, in Python `bakeoff.tasks.task.separate_tasks`, makes a task of each; \
such tasks share rows and are no sample of independent problems, as `bakeoff plan` says |
| weights of rows | `weight = "w"`, in Python `as_task(name, (X, y), weights=w)`: passed to `fit` as `sample_weight`. \
Learners that take none are refused. Test rows count alike, unless a measure is `weighted` \
([studies.md](studies.md#measures)) |
| more than memory holds | a Parquet file above 1 GB whose inputs are numbers stays where it is; cells read the row \
groups that hold their rows. What one cell learns from must fit into memory |

| what | how it is read |
|---|---|
| missing values | an empty cell, `?`, `NA`, `NaN` in any case, not `none` or `-`; in Parquet null, NaN; in ARFF `?` |
| columns | numbers if every cell that is not missing is a number, else categories; Parquet and ARFF say it themselves |
| kind | classification if the target holds text, categories or truth values; or whole numbers, if they are two, or at \
most 20 with five rows each on average. Otherwise regression. The decision is noted with the data |
| classes | sorted; of two, the last is the positive one unless `positive` names it |
| rows without a target | left out and counted. A missing group is an error |
| columns that are constant or empty | kept and noted |
| infinite values | an error that names line and column |
| key of the data | the hash of a file's bytes and of how it is read; from memory or a loader, that of the arrays |

A loader (`loader = "sklearn.datasets.load_wine"`) is code: it is imported and called by `bakeoff run` only.

## Bundled data

Real data to try a study on, and those that the literature on comparing learners uses: `data = "ionosphere"` in a task,
or `as_task("radar", "ionosphere")`. `bakeoff datasets` lists them, `bakeoff datasets NAME` shows one in full.
"""
FOOT = """\
### Licences

[CC BY 4.0](https://creativecommons.org/licenses/by/4.0/) is what the UCI Machine Learning Repository gives its data
under: whoever passes them on names the creators, the source and what was changed, as the entries above do. All files
were written anew as CSV with a header, an empty cell for a missing value; what else was changed is said in the entry.
The licence of bakeoff itself does not extend to the data.
"""


def escaped(text: str) -> str:
    """Text that Markdown shows as it is written.

    >>> print(escaped("day_of_month | <5"))
    day\\_of\\_month \\| &lt;5
    """
    for sign in "\\`*_[]|":
        text = text.replace(sign, f"\\{sign}")
    return text.replace("<", "&lt;")


def overview(cards: Sequence[BundledSet]) -> str:
    rows = [
        f"| [{c.name}](#{c.name}) | {c.kind} | {c.rows} | {c.inputs} | {c.classes or ''} | {c.missing or ''} "
        f"| {c.licence} | {escaped(c.title)} |"
        for c in cards
    ]
    head = "| name | kind | rows | inputs | classes | missing | licence | title |"
    return "\n".join([head, "|---|---|---|---|---|---|---|---|", *rows])


def section(card: BundledSet) -> str:
    """One data set."""
    reading = [f"target `{card.target}`"]
    reading += [f"positive class `{card.positive}`"] if card.positive else []
    reading += [f"groups `{card.group}`"] if card.group else []
    reading += ["categories " + ", ".join(f"`{name}`" for name in card.categorical)] if card.categorical else []
    reading += ["not used " + ", ".join(f"`{name}`" for name in card.drop)] if card.drop else []
    reading += [f"the last {card.test_rows} rows are the given test sample"] if card.test_rows else []
    lines = [f"- Read with: {'; '.join(reading)}"]
    lines.append(f"- Creators: {escaped(card.creators)}")
    source = f"<{card.source}>" if card.source.startswith("http") else escaped(card.source)
    lines.append(f"- Source: {source}; taken from {escaped(card.copy)}")
    lines.append(f"- Licence: {card.licence}")
    lines += [f"- Changed: {escaped(card.changes)}"] if card.changes else []
    lines += [f"- Reference: {escaped(card.reference)}"] if card.reference else []
    parts = [f"### {card.name}", f"**{escaped(card.title)}.** {escaped(card.note)}".rstrip(), "\n".join(lines)]
    return "\n\n".join(parts)


def page(cards: Sequence[BundledSet]) -> str:
    """The whole page."""
    return "\n\n".join([HEAD.rstrip(), overview(cards), *(section(card) for card in cards), FOOT.rstrip()]) + "\n"


def main(arguments: Sequence[str]) -> int | str:
    text = page(list(bundled_sets().values()))
    if "--check" not in arguments:
        PAGE.write_text(text, encoding="utf-8")
        return 0
    if PAGE.exists() and PAGE.read_text(encoding="utf-8") == text:
        return 0
    return "docs/datasets.md is not what src/bakeoff/data/sets.toml says: run `make docs`."


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
