"""Run oracles: python tests/oracles/run.py [--data FOLDER] [--strict] [FILE…]

Without FILE those of BAKEOFF_ORACLES, or else the project's own. The data files that cases name are looked for beside
FILE, in FOLDER (or BAKEOFF_ORACLES_DATA), and beside the project's own. Leaves with 1 if any case differs; with
--strict also if one asks for a procedure, an option or a field that is not known.
"""

from __future__ import annotations

import argparse
import os
import sys
from collections import Counter
from pathlib import Path

import harness


def main(arguments: list[str]) -> int:
    parser = argparse.ArgumentParser(prog="run.py", description="compare with reference values of other software")
    parser.add_argument("files", nargs="*", type=Path, metavar="FILE", help="a JSON file of cases")
    parser.add_argument("--data", metavar="FOLDER", help="where the data files of the cases are")
    parser.add_argument("--strict", action="store_true", help="fail for what is not known, too")
    asked = parser.parse_args(arguments)
    if asked.data:
        os.environ[harness.DATA] = asked.data
    if missing := [path for path in asked.files if not path.is_file()]:
        parser.error(f"there is no file {missing[0]}")
    found = [outcome for path in asked.files or harness.chosen_files() for outcome in harness.outcomes(path)]
    table(found)
    for outcome in found:
        if outcome.state != "agrees" or outcome.why:
            print(f"{outcome.state.upper()} {outcome.case} ({outcome.procedure}): {outcome.why}")
    states = Counter(outcome.state for outcome in found)
    print(harness.summary(found) + f"; {states['differs']} differ")
    return 1 if states["differs"] or (asked.strict and states["uncovered"]) else 0


def table(found: list[harness.Outcome]) -> None:
    names = sorted({outcome.procedure for outcome in found})
    width = max((len(name) for name in names), default=0)
    print(f"{'procedure':<{width}}  agrees  differs  uncovered")
    for name in names:
        states = Counter(outcome.state for outcome in found if outcome.procedure == name)
        print(f"{name:<{width}}  {states['agrees']:6}  {states['differs']:7}  {states['uncovered']:9}")


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
