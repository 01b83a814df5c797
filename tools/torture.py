"""Kill runs, workers and their server while cells are written, on this machine and on a cluster with a database server:
python tools/torture.py [--kills N] [--cluster-kills N] [--seed N] [KIND …].
"""

from __future__ import annotations

import argparse
import sys
import tempfile
import time
from concurrent.futures import ProcessPoolExecutor, as_completed
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1] / "tests" / "contracts"))
sys.path.insert(0, str(Path(__file__).parents[1] / "tests" / "running"))
sys.path.insert(0, str(Path(__file__).parents[1] / "tests" / "study"))

# Of the tests, found by the path just added.
from cluster_torture import torture_cluster
from torture import Report, Target, torture

# Of a thousand kills; a run that is killed has to be started again, and a server imports everything anew, which takes
# longest; a worker that is stopped has to be missed before it is replaced.
SHARES: dict[Target, float] = {"worker": 0.77, "run": 0.11, "server": 0.1, "stop": 0.02}
CLUSTER = "cluster"
KINDS = (*SHARES, CLUSTER)
REPEATS = 60  # of five folds and three learners: long studies bear many kills
AT_A_TIME = 2  # studies that are tortured
MOST_TOGETHER = 100  # kills of one kind, one after the other
CLUSTER_REPEATS = 15  # where most of the time goes into starting everybody again
HITS = 0.5  # the least share of the kills of runs and workers that has to hit the middle of a transaction


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--kills", type=int, default=1000, metavar="N", help="over all kinds (default: 1000)")
    parser.add_argument("--seed", type=int, default=1, metavar="N", help="of the random moments (default: 1)")
    parser.add_argument("--cluster-kills", type=int, default=200, metavar="N", help="on a cluster (default: 200)")
    parser.add_argument("kinds", nargs="*", metavar="KIND", help=f"only these, of {', '.join(KINDS)}")
    arguments = parser.parse_args()
    if unknown := set(arguments.kinds) - set(KINDS):
        parser.error(f"there is no kind {', '.join(sorted(unknown))}; there are {', '.join(KINDS)}")
    kinds = arguments.kinds or KINDS
    if here := {kind: share for kind, share in SHARES.items() if kind in kinds}:
        on_this_machine(here, arguments.kills, arguments.seed)
    if CLUSTER in kinds and arguments.cluster_kills:
        on_a_cluster(arguments.cluster_kills, arguments.seed)


def on_a_cluster(kills: int, seed: int) -> None:
    began = time.monotonic()
    with tempfile.TemporaryDirectory(prefix="torture-") as folder:
        report = torture_cluster(kills, seed, Path(folder), repeats=CLUSTER_REPEATS)
    print(f"{(time.monotonic() - began) / 60:5.1f} min  {report}", flush=True)


def on_this_machine(shares: dict[Target, float], kills: int, seed: int) -> None:
    """Two studies at a time: each spends most of its time in waiting for the moment to kill."""
    began, aimed, hits, total = time.monotonic(), 0, 0, 0
    with ProcessPoolExecutor(AT_A_TIME) as pool:
        waiting = [pool.submit(_of_one_kind, *part) for part in _parts(shares, kills, seed)]
        for done in as_completed(waiting):
            report = done.result()
            print(f"{(time.monotonic() - began) / 60:5.1f} min  {report}", flush=True)
            total += report.kills
            if report.target in ("run", "worker"):
                aimed, hits = aimed + report.kills, hits + report.hits
    minutes = (time.monotonic() - began) / 60
    print(f"{total} kills in {minutes:.1f} minutes; {hits} of {aimed} of runs and workers hit while cells were written")
    if hits < HITS * aimed:
        sys.exit(f"Too few of them hit: at least {HITS:.0%} were expected.")


def _parts(shares: dict[Target, float], kills: int, seed: int) -> list[tuple[Target, int, int]]:
    """Kills of one kind, at most so many together, and the seed of their moments."""
    parts: list[tuple[Target, int, int]] = []
    for target, share in shares.items():
        left, number = round(share * kills), 0
        while left > 0:
            parts.append((target, min(left, MOST_TOGETHER), 1000 * seed + number))
            left, number = left - MOST_TOGETHER, number + 1
    return parts


def _of_one_kind(target: Target, kills: int, seed: int) -> Report:
    with tempfile.TemporaryDirectory(prefix="torture-") as folder:
        return torture(kills, target, seed, Path(folder), repeats=REPEATS)


if __name__ == "__main__":
    main()
