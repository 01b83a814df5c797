"""Kill runs, workers and their server at random moments, many times: python tools/torture.py [--kills N] [--seed N]."""

from __future__ import annotations

import argparse
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1] / "tests" / "studies"))

from torture import torture  # of the tests, found by the path just added


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--kills", type=int, default=50, metavar="N", help="of each kind (default: 50)")
    parser.add_argument("--seed", type=int, default=1, metavar="N", help="of the random moments (default: 1)")
    arguments = parser.parse_args()
    for target in ("run", "worker", "server"):
        with tempfile.TemporaryDirectory(prefix="torture-") as folder:
            print(torture(arguments.kills, target, arguments.seed, Path(folder)), flush=True)


if __name__ == "__main__":
    main()
