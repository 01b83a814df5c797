"""Every kind of figure as SVG after imports, CPU time of the slowest; and memory after 200 of them."""

from __future__ import annotations

import resource
import sys
import time
from pathlib import Path
from typing import Any

from measure import row

GOAL, MEMORY = 0.250, 30_000  # seconds, kilobytes
FIGURES = 200


def rows() -> list[dict[str, Any]]:
    sys.path.insert(0, str(Path(__file__).parents[1] / "tests" / "figures"))
    from test_figures import example

    from bakeoff.figures import charts

    examples = {kind: example(kind) for kind in charts()}
    times = {}
    for kind, chart in examples.items():
        chart.to_svg()  # fonts are looked for once
        spent = []
        for _ in range(3):
            begun = time.process_time()
            chart.to_svg()
            spent.append(time.process_time() - begun)
        times[kind] = min(spent)
    slowest = max(times, key=lambda kind: times[kind])
    entry = row(f"the slowest figure, {slowest}", times[slowest], "the median", sorted(times.values())[len(times) // 2])
    kept, begun = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss, time.process_time()
    for i in range(FIGURES):
        list(examples.values())[i % len(examples)].to_svg()
    grown = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - kept  # kilobytes
    drawing = time.process_time() - begun
    memory = row(f"{FIGURES} figures, {grown / 1000:.0f} MB more", drawing, "the goal for each", FIGURES * GOAL)
    return [
        {**entry, "goal": f"within {1000 * GOAL:.0f} ms", "met": times[slowest] <= GOAL},
        {**memory, "goal": f"within {MEMORY / 1000:.0f} MB", "met": grown <= MEMORY},
    ]
