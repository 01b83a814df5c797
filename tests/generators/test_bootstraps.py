from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from bakeoff.generators.classic import BayesianBootstrap, EmpiricalBootstrap, rows_of
from bakeoff.generators.generator import dice

X = np.arange(50.0)[:, None]
Y = np.arange(50)


def test_rows_stay_whole() -> None:
    for kind in (EmpiricalBootstrap, BayesianBootstrap):
        drawn, y = kind(X, Y).draw(200, dice(1))
        assert (drawn[:, 0] == y).all()
        assert set(y.tolist()) <= set(range(50))


def test_the_bootstrap_leaves_out_a_share_of_1_over_e_and_the_bayesian_one_half() -> None:
    left = {
        kind: np.mean([50 - len(set(kind(X, Y).draw(50, dice(b))[1].tolist())) for b in range(400)]) / 50
        for kind in (EmpiricalBootstrap, BayesianBootstrap)
    }
    assert left[EmpiricalBootstrap] == pytest.approx((1 - 1 / 50) ** 50, abs=0.01)
    # E (1 − w)ⁿ for w ~ Beta(1, n − 1) is (n − 1)/(2n − 1).
    assert left[BayesianBootstrap] == pytest.approx(49 / 99, abs=0.015)


def test_frames_keep_their_types() -> None:
    frame = pd.DataFrame({"a": [1.0, 2.0], "b": pd.Categorical(["x", "y"])})
    drawn, _ = EmpiricalBootstrap(frame, np.array([0, 1])).draw(5, dice(1))
    assert list(drawn.dtypes) == list(frame.dtypes)
    assert drawn.index.tolist() == [0, 1, 2, 3, 4]
    assert rows_of(frame, np.array([1])).iloc[0, 1] == "y"
