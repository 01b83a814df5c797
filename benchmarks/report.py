"""The report of 20 learners on 200 tasks: CPU seconds of the process, and how large the page is. No peer has one."""

from __future__ import annotations

from typing import Any

from measure import row, side

SECONDS, BYTES = 4.0, 3_000_000

_SETUP = """
import numpy as np, pandas as pd, bakeoff
from bakeoff.reports.report import report_of
rng = np.random.default_rng(1)
values = np.clip(0.7 + 0.005 * np.arange(20) + 0.05 * rng.standard_normal((200, 20)), 0, 1)
frame = pd.DataFrame(values, columns=[f"learner {i}" for i in range(20)])
frame.insert(0, "dataset", [f"data set {i}" for i in range(200)])
scores = bakeoff.read_scores(frame, rows="tasks", measure="accuracy")
"""
_JOB = "return len(report_of([bakeoff.judge(scores)], scores).render().encode())"


def rows() -> list[dict[str, Any]]:
    ours, bare = side(_SETUP, _JOB, 3), side("import matplotlib.figure, pandas", "return 0", 1)
    entry = row(
        f"report of 20 × 200, {ours.answer / 1e6:.1f} MB", ours.whole, "importing matplotlib and pandas", bare.whole
    )
    return [
        {**entry, "goal": f"{SECONDS:g} s, {BYTES / 1e6:g} MB", "met": ours.whole <= SECONDS and ours.answer <= BYTES}
    ]
