"""All benchmarks in one run, as one table of ratios; or some by name, or one row of those that have a name for each:

python benchmarks/run.py [--strict] [NAME | NAME/ROW] …

With --strict, the exit code is 1 if a goal is missed.
"""

from __future__ import annotations

import sys
from importlib import import_module
from typing import Any

BENCHMARKS = (
    "adjustments",
    "bayes",
    "calibration",
    "cluster_bootstrap",
    "default_verdicts",
    "exact_pairs",
    "figures",
    "formats",
    "friedman",
    "hothorn",
    "joint_flips",
    "manova",
    "million_rows",
    "nemenyi",
    "page",
    "permutation",
    "report",
    "scale",
    "startup",
    "studies",
    "tukey",
)
HEAD = ("what", "ours", "peer", "theirs", "ratio", "goal", "met")


def seconds(value: float) -> str:
    return f"{value:.2f} s" if value >= 1 else f"{1000 * value:.3g} ms"


def met(row: dict[str, Any]) -> bool | None:
    """Whether the goal is met; None if there is none."""
    if row["goal"] is None:
        return None
    return bool(row["met"] if "met" in row else row["ratio"] >= row["goal"])


def cells(row: dict[str, Any]) -> tuple[str, ...]:
    goal = row["goal"]
    return (
        row["name"],
        seconds(row["ours_cpu"]),
        row["peer"],
        seconds(row["peer_cpu"]),
        f"{row['ratio']:.1f}×",
        "" if goal is None else goal if isinstance(goal, str) else f"≥ {goal:g}×",
        {True: "yes", False: "NO", None: ""}[met(row)],
    )


def show(rows: list[dict[str, Any]]) -> None:
    lines = [HEAD, *(cells(row) for row in rows)]
    widths = [max(len(line[i]) for line in lines) for i in range(len(HEAD))]
    for line in lines:
        padded = (
            text.ljust(width) if head in ("what", "peer") else text.rjust(width)
            for head, text, width in zip(HEAD, line, widths, strict=True)
        )
        print("  ".join(padded).rstrip())


def measured(name: str) -> list[dict[str, Any]]:
    """The rows of a benchmark, or one part of it: "studies", "studies/judge"."""
    home, _, part = name.partition("/")
    if home not in BENCHMARKS:
        sys.exit(f"There is no benchmark {home!r}. There are: {', '.join(BENCHMARKS)}.")
    module = import_module(home)
    if not part:
        return list(module.rows())
    parts = getattr(module, "PARTS", {})
    if part not in parts:
        sys.exit(f"{home} has no part {part!r}. It has: {', '.join(parts) or 'none that has a name'}.")
    return list(parts[part]())


def main(arguments: list[str]) -> int:
    rows = []
    for name in [each for each in arguments if each != "--strict"] or BENCHMARKS:
        print(f"running {name} …", file=sys.stderr, flush=True)
        rows += measured(name)
    show(rows)
    return int("--strict" in arguments and any(met(row) is False for row in rows))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
