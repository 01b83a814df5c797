"""Kill runs, workers and their server while cells are written: python tools/torture.py [--kills N] [--seed N]."""

from __future__ import annotations

import argparse
import sys
import tempfile
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1] / "tests" / "study"))

from torture import Target, torture  # of the tests, found by the path just added

# Of a thousand kills; a run that is killed has to be started again, and a server imports everything anew, which takes
# longest; a worker that is stopped has to be missed before it is replaced.
SHARES: dict[Target, float] = {"worker": 0.77, "run": 0.11, "server": 0.1, "stop": 0.02}
REPEATS = 60  # of five folds and three learners: long studies bear many kills
HITS = 0.5  # the least share of the kills of runs and workers that has to hit the middle of a transaction


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--kills", type=int, default=1000, metavar="N", help="over all kinds (default: 1000)")
    parser.add_argument("--seed", type=int, default=1, metavar="N", help="of the random moments (default: 1)")
    arguments = parser.parse_args()
    began, aimed, hits, total = time.monotonic(), 0, 0, 0
    for target, share in SHARES.items():
        kills = max(1, round(share * arguments.kills))
        with tempfile.TemporaryDirectory(prefix="torture-") as folder:
            report = torture(kills, target, arguments.seed, Path(folder), repeats=REPEATS)
        print(f"{(time.monotonic() - began) / 60:5.1f} min  {report}", flush=True)
        total += report.kills
        if target in ("run", "worker"):
            aimed, hits = aimed + report.kills, hits + report.hits
    minutes = (time.monotonic() - began) / 60
    print(f"{total} kills in {minutes:.1f} minutes; {hits} of {aimed} of runs and workers hit while cells were written")
    if hits < HITS * aimed:
        sys.exit(f"Too few of them hit: at least {HITS:.0%} were expected.")


if __name__ == "__main__":
    main()
