"""Simulate every procedure under its null hypothesis, and print how often it claims a difference that is not there.

python tools/calibrate.py                        the table, with 2,000 experiments a row
python tools/calibrate.py --replications 10000 --write   and docs/calibration.md with it
python tools/calibrate.py --procedure task-flips --replications 1000 --write   those rows only; the others stay
"""

from __future__ import annotations

import argparse
import sys
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from math import isnan
from pathlib import Path

from bakeoff.calibration.table import SizeAndCoverage, all_settings, calibrate
from bakeoff.text import text_table

PAGE = Path(__file__).parents[1] / "docs" / "calibration.md"
HEADER = ["procedure", "design", "learners", "false claims", "coverage", "claims its level"]


def cells(outcome: SizeAndCoverage) -> list[str]:
    setting = outcome.setting
    return [
        setting.procedure,
        setting.design_name,
        str(setting.learners),
        f"{100 * outcome.size:.1f} ± {100 * outcome.size_error:.1f} %",
        "" if isnan(outcome.coverage) else f"{100 * outcome.coverage:.1f} ± {100 * outcome.coverage_error:.1f} %",
        ("yes" if setting.claims else "no") + (" (exceeded)" if setting.claims and outcome.too_many else ""),
    ]


def one(index: int, replications: int, seed: int) -> tuple[list[str], bool]:
    """The cells of one setting, and whether a claim was exceeded. Settings hold functions, which do not travel."""
    outcome = calibrate(all_settings()[index], replications=replications, seed=seed)
    return cells(outcome), outcome.setting.claims and outcome.too_many


def page(rows: list[list[str]], replications: int, seed: int) -> str:
    lines = [
        "# Calibration",
        "",
        "How often each procedure claims a difference at α = 5 % where there is none, and how often all its intervals",
        f"cover the true difference, in {replications:,} simulated experiments a row (seed {seed}), with Monte-Carlo",
        "standard errors. The experiments are those of `bakeoff.calibration.null_designs`: equally good learners by",
        "construction; cross-validation is carried out, not imitated. With many learners a false claim is any claim",
        "among all pairs. A posterior claims a difference if one side of zero has a probability of 95 %; that is no",
        "level, and happens in about 10 % of experiments where the prior does not matter. By `make calibrate`.",
        "",
        "| " + " | ".join(HEADER) + " |",
        "|" + "---|" * len(HEADER),
        *("| " + " | ".join(row) + " |" for row in rows),
    ]
    return "\n".join(lines) + "\n"


def with_kept_rows(rows: list[list[str]]) -> list[list[str]]:
    """New rows and those of the page, in the order of all settings."""
    written = [line.strip("| ").split(" | ") for line in PAGE.read_text(encoding="utf-8").splitlines() if "%" in line]
    known = {tuple(row[:3]): row for row in (*(row for row in written if len(row) == len(HEADER)), *rows)}
    keys = [(s.procedure, s.design_name, str(s.learners)) for s in all_settings()]
    return [known[key] for key in keys if key in known]


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--replications", type=int, default=2000)
    parser.add_argument("--seed", type=int, default=2026)
    parser.add_argument("--procedure", action="append", default=[], help="simulate only this one; may be repeated")
    parser.add_argument("--workers", type=int, help="processes at a time")
    parser.add_argument("--write", action="store_true", help="write docs/calibration.md")
    given = parser.parse_args()
    simulate = partial(one, replications=given.replications, seed=given.seed)
    wanted = [i for i, s in enumerate(all_settings()) if not given.procedure or s.procedure in given.procedure]
    with ProcessPoolExecutor(given.workers) as pool:
        outcomes = list(pool.map(simulate, wanted))
    rows = [row for row, _ in outcomes]
    print(text_table(HEADER, rows, left=2))
    if given.write and given.procedure:
        rows = with_kept_rows(rows)
    if given.write:
        PAGE.write_text(page(rows, given.replications, given.seed), encoding="utf-8")
    return int(any(exceeded for _, exceeded in outcomes))


if __name__ == "__main__":
    sys.exit(main())
