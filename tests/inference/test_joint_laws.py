"""Tails and critical values of the largest |t| of a family agree with each other and with what they are named after."""

from __future__ import annotations

from math import inf

import numpy as np
import pytest
from scipy import stats

from bakeoff.errors import UsageError
from bakeoff.inference.joint_laws import (
    BonferroniLaw,
    JointLaw,
    MaxTLaw,
    ModulusLaw,
    RangeLaw,
    ScheffeLaw,
    laws_of_means,
)

LAWS: list[JointLaw] = [RangeLaw(4, 20.0), RangeLaw(4), ModulusLaw(20.0), BonferroniLaw(20.0), ScheffeLaw(4, 20.0)]


@pytest.mark.parametrize("law", LAWS, ids=repr)
@pytest.mark.parametrize("alpha", [0.2, 0.05, 0.001])
def test_the_critical_value_has_the_tail_asked_for(law: JointLaw, alpha: float) -> None:
    critical = law.critical(alpha, 6)
    assert float(law.tail(np.array(critical), 6)) == pytest.approx(alpha, rel=1e-9)
    assert float(law.tail(np.array(-critical), 6)) == pytest.approx(alpha, rel=1e-9)


@pytest.mark.parametrize("law", LAWS, ids=repr)
def test_a_family_asks_for_more_than_one_comparison(law: JointLaw) -> None:
    assert law.critical(0.05, 6) > stats.t.ppf(0.975, 20 if "20" in repr(law) else inf)


def test_bonferroni_is_dunns_quantile() -> None:
    assert BonferroniLaw().critical(0.05, 10) == pytest.approx(2.80703376834381, rel=1e-12)
    assert BonferroniLaw(383).critical(0.05, 10) == pytest.approx(2.82339124235751, rel=1e-10)


def test_scheffe_does_not_count_the_contrasts() -> None:
    law = ScheffeLaw(5, 45.0)
    assert law.critical(0.05, 1) == law.critical(0.05, 1000)
    assert float(law.tail(np.array(-2.2601570250245), 1)) == pytest.approx(0.293093007707006, rel=1e-8)


def test_the_modulus_is_sharper_than_bonferroni_and_the_range_sharper_still() -> None:
    range_, modulus, bonferroni = (law.critical(0.05, 6) for law in (RangeLaw(4), ModulusLaw(), BonferroniLaw()))
    assert range_ < modulus < bonferroni


def control(k: int) -> np.ndarray:
    return np.hstack([np.eye(k - 1), -np.ones((k - 1, 1))])


def test_max_t_is_fitted_to_its_family() -> None:
    equal = MaxTLaw(20.0).fitted(np.eye(4), "all-pairs", lambda: pytest.fail("the matrix is not needed"))
    assert equal == RangeLaw(4, 20.0)
    made = MaxTLaw(20.0).fitted(np.eye(4), "control", lambda: control(4))
    critical = made.critical(0.05, 3)
    assert critical == pytest.approx(2.5405, abs=2e-3)  # Dunnett (1964): 2.54
    assert float(made.tail(np.array(-critical), 3)) == pytest.approx(0.05, rel=1e-9)
    assert stats.t(20).ppf(0.975) < critical < BonferroniLaw(20.0).critical(0.05, 3)


def test_correlated_estimates_count() -> None:
    """What the control has in common with itself is the same in all comparisons; more of it makes them more alike."""
    noisy_control = np.diag([1.0, 1.0, 1.0, 100.0])
    quiet_control = np.diag([1.0, 1.0, 1.0, 0.01])
    noisy, quiet = (
        MaxTLaw().fitted(covariance, "control", lambda: control(4)).critical(0.05, 3)
        for covariance in (noisy_control, quiet_control)
    )
    assert noisy < quiet


def test_dunnett_is_for_a_control() -> None:
    law = laws_of_means(4, 20.0)["dunnett"]
    assert isinstance(law, MaxTLaw)
    with pytest.raises(UsageError, match="comparisons with a control"):
        law.fitted(np.eye(4), "all-pairs", lambda: np.eye(4))
    with pytest.raises(UsageError, match="fitted"):
        law.critical(0.05, 3)
