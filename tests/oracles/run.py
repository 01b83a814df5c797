"""Run the oracles: python tests/oracles/run.py [FILE] (or BAKEOFF_ORACLES=FILE). Leaves with 1 if any case differs."""

from __future__ import annotations

import sys
from collections import Counter
from pathlib import Path

import harness


def main(arguments: list[str]) -> int:
    path = Path(arguments[0]) if arguments else harness.chosen_file()
    found = harness.outcomes(path)
    names = sorted({outcome.procedure for outcome in found})
    width = max((len(name) for name in names), default=0)
    print(f"{'procedure':<{width}}  agrees  differs  uncovered")
    for name in names:
        states = Counter(outcome.state for outcome in found if outcome.procedure == name)
        print(f"{name:<{width}}  {states['agrees']:6}  {states['differs']:7}  {states['uncovered']:9}")
    wrong = [outcome for outcome in found if outcome.state == "differs"]
    for outcome in wrong:
        print(f"DIFFERS {outcome.case} ({outcome.procedure}): {outcome.why}")
    print(harness.summary(found) + f"; {len(wrong)} differ")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
