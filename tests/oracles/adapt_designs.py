"""Oracle procedures about designs: effects and surfaces in blocks, trends, Plackett–Burman."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from question import Question

from bakeoff.designs.effects import seen, trends
from bakeoff.designs.factorial import plackett_burman as burman
from bakeoff.designs.response_surface import surface_in_blocks
from bakeoff.mathematics.linear_models import block_effect

Answer = Mapping[str, Any]


def effects_in_blocks(q: Question) -> Answer:
    visible = seen(q.raw("levels"), q.raw("names"), int(q["order"])).effects
    found = [block_effect(np.array(q.raw("table")) @ effect.weights) for effect in visible]
    return {
        "effect": [effect.name for effect in visible],
        "label": [effect.label for effect in visible],
        "F": [each.f for each in found],
        "df": [each.df[0] for each in found],
        "df_error": [each.df[1] for each in found],
        "p": [each.p for each in found],
    }


def fitted_in_blocks(q: Question) -> Answer:
    found = surface_in_blocks(q.raw("points"), q.raw("table"), ["x1", "x2"])
    _, estimates, _, t, p = zip(*found.coefficients, strict=True)
    f, df, df_error, p_fit = found.lack_of_fit
    return {
        "coefficients": list(estimates),
        "r_squared": found.surface.r_squared,
        "t": list(t),
        "p": list(p),
        "lack_of_fit_F": f,
        "lack_of_fit_df": df,
        "lack_of_fit_df_error": df_error,
        "lack_of_fit_p": p_fit,
    }


def polynomial_trends(q: Question) -> Answer:
    linear, quadratic = trends(q["levels"])
    return {"linear": linear.tolist(), "quadratic": quadratic.tolist()}


def plackett_burman(q: Question) -> Answer:
    rows = sorted(burman(int(q["factors"])).tolist())
    return {"runs": len(rows), "rows_sorted": rows}
