"""Oracle procedures about values that depend on one another: clusters, crossed items and runs, blocks, resamples."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from question import Question

from bakeoff.mathematics.linear_models import two_factors_in_blocks as effects_in_blocks
from bakeoff.procedures import one_mean
from bakeoff.procedures.clusters import cluster_t as by_clusters
from bakeoff.procedures.mixed_model import mixed_model as by_items_and_runs

Answer = Mapping[str, Any]


def cluster_t(q: Question) -> Answer:
    d = np.asarray(q["d"], dtype=float)
    codes = np.unique(q["cluster"], return_inverse=True)[1]
    found = by_clusters(d, np.zeros(len(d)), codes)
    se = found.details["standard_error"]
    return {"estimate": found.estimate, "se": se, "df": found.df[0], "t": found.statistic, "p_value": found.p}


def mixed_model(q: Question) -> Answer:
    d = np.asarray(q["d"], dtype=float)
    item, run = (index.ravel() for index in np.indices(d.shape))
    found = by_items_and_runs(d.ravel(), np.zeros(d.size), item, run)
    parts = {f"var_{name}": found.details[f"sd_of_{name}"] ** 2 for name in ("items", "runs", "rest")}
    return {"estimate": found.estimate, "se": found.details["standard_error"], "df": found.df[0], **parts}


def two_factors_in_blocks(q: Question) -> Answer:
    found = effects_in_blocks(q["y"])
    return {"F": [each.f for each in found], "df": [list(each.df) for each in found], "p_a": found[0].p}


def corrected_mean(q: Question) -> Answer:
    found = one_mean.corrected_mean(q["x"], ratio=q["ratio"], p0=q["p0"])
    return {"lower": found.lower, "upper": found.upper, "t": found.statistic, "p_value": found.p}
