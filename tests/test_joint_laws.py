"""Tails and critical values of the largest |t| of a family agree with each other and with what they are named after."""

from __future__ import annotations

from math import inf

import numpy as np
import pytest
from scipy import stats

from bakeoff.joint_laws import BonferroniLaw, JointLaw, ModulusLaw, RangeLaw, ScheffeLaw

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
