from __future__ import annotations

import numpy as np
import pytest

from bakeoff.errors import BakeoffError
from bakeoff.procedures.two_way_anova import two_way_anova


def balanced(seed: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    a, b = np.repeat(["x", "y"], 12), np.tile(np.repeat(["u", "v", "w"], 4), 2)
    return rng.normal(size=24), a, b


@pytest.mark.parametrize("seed", range(3))
def test_balanced_tables_follow_the_definition(seed: int) -> None:
    y, a, b = balanced(seed)
    effects = two_way_anova(y, a, b).details["effects"]
    first = 12 * sum((y[a == level].mean() - y.mean()) ** 2 for level in "xy")
    second = 8 * sum((y[b == level].mean() - y.mean()) ** 2 for level in "uvw")
    cells = 4 * sum((y[(a == i) & (b == j)].mean() - y.mean()) ** 2 for i in "xy" for j in "uvw")
    sums = [effect[0] for effect in effects.values()]
    assert sums[:3] == pytest.approx([first, second, cells - first - second])


@pytest.mark.parametrize("ss_type", [2, 3])
def test_types_agree_where_cells_are_equal(ss_type: int) -> None:
    y, a, b = balanced(7)
    reference = two_way_anova(y, a, b).details["effects"]
    found = two_way_anova(y, a, b, ss_type=ss_type).details["effects"]
    for name, effect in reference.items():
        assert found[name][0] == pytest.approx(effect[0])


def test_one_level_or_nothing_left_over_is_refused() -> None:
    with pytest.raises(BakeoffError):
        two_way_anova([1.0, 2.0, 3.0, 4.0], list("xxxx"), list("uuvv"))
    with pytest.raises(BakeoffError):
        two_way_anova([1.0, 2.0, 3.0, 4.0], list("xxyy"), list("uvuv"))
