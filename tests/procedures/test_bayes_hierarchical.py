from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
import zoo

from bakeoff.errors import DegenerateError, MisfitError, UsageError
from bakeoff.judging import analyse, judge
from bakeoff.procedures.bayes import bayes_hierarchical
from bakeoff.scores import Scores

REFERENCE = json.loads((Path(__file__).parent / "hierarchical" / "reference.json").read_text(encoding="utf-8"))["cases"]
ROPES = ("0.01", "0.005", "0.002", "0.0")
RNG = np.random.default_rng(3)
FOLDS = 0.01 + 0.01 * RNG.standard_normal((8, 1)) + 0.02 * RNG.standard_normal((8, 5))


def of(differences: np.ndarray, **options: float):  # type: ignore[no-untyped-def]
    return bayes_hierarchical(list(differences), list(np.zeros_like(differences)), **{"rho": 0.2, **options})


@pytest.mark.parametrize("name", list(REFERENCE))
@pytest.mark.parametrize(("by", "close"), [("gibbs", 0.0025), ("stan", 0.015)])
def test_samplers_of_the_full_model_agree(name: str, by: str, close: float) -> None:
    # 600,000 draws of our own sampler; 100,000 of Stan's, which hardly visits small σ_0 and errs by up to 0.013.
    case = REFERENCE[name]
    d = np.array(case["differences"])
    rho = case["runs"] / d.shape[1]
    for rope in ROPES:
        found = of(d, rope=float(rope), rho=rho)
        assert [found.worse, found.same, found.better] == pytest.approx(case[by][rope], abs=close), rope
    spread = found.upper - found.lower
    assert [found.estimate, found.lower, found.upper] == pytest.approx(
        [case[by]["delta0"][i] for i in (0, 1, 3)], abs=0.02 * spread
    )


def test_exchanging_the_learners_exchanges_the_answer() -> None:
    there, back = of(FOLDS, rope=0.005), of(-FOLDS, rope=0.005)
    assert (there.worse, there.same, there.better) == (back.better, back.same, back.worse)
    assert (there.estimate, there.lower) == (-back.estimate, -back.upper)


@pytest.mark.parametrize("factor", [1e-200, 1e-7, 1e7, 1e200])
def test_the_unit_does_not_matter(factor: float) -> None:
    plain, scaled = of(FOLDS, rope=0.005), of(factor * FOLDS, rope=factor * 0.005)
    assert scaled.better == pytest.approx(plain.better, abs=1e-6)
    assert scaled.estimate == pytest.approx(factor * plain.estimate, rel=1e-6)


def test_more_tasks_are_more_convincing() -> None:
    few, many = of(FOLDS[:4]), of(np.concatenate([FOLDS, FOLDS, FOLDS]))
    assert many.better > few.better
    assert many.upper - many.lower < few.upper - few.lower


def test_uncertain_tasks_weigh_less() -> None:
    noisy = FOLDS.copy()
    noisy[0] = -0.1 + 0.4 * np.array([-1, 1, -1, 1, 0])
    sure = FOLDS.copy()
    sure[0] = -0.1 + 0.001 * np.array([-1, 1, -1, 1, 0])
    assert of(noisy).estimate > of(sure).estimate


def test_a_task_without_spread_is_no_obstacle() -> None:
    some = FOLDS.copy()
    some[2] = 0.0
    some[5] = 0.01
    found = of(some, rope=0.005)
    assert found.worse + found.same + found.better == pytest.approx(1.0)
    assert 0 < found.estimate < 0.02


def test_tasks_may_have_different_numbers_of_folds() -> None:
    first = [row[: 3 + i % 3] for i, row in enumerate(FOLDS)]
    found = bayes_hierarchical(first, [np.zeros(len(row)) for row in first], rho=0.2)
    assert 0.5 < found.better < 1


def test_the_same_learner_twice() -> None:
    none, wide = of(0 * FOLDS), of(0 * FOLDS, rope=0.01)
    assert (none.worse, none.same, none.better) == (0.5, 0.0, 0.5)
    assert (wide.worse, wide.same, wide.better) == (0.0, 1.0, 0.0)


def test_an_outlying_task_does_no_harm() -> None:
    far = np.concatenate([FOLDS, 1e9 * (1 + FOLDS[:1])])
    assert of(far).estimate < 1


@pytest.mark.parametrize(
    ("a", "b", "error", "match"),
    [
        ([[1, 2, 3]], [[1, 2, 3]], UsageError, "at least two tasks"),
        ([[1, 2, 3]] * 2, [[1, 2, 3]] * 3, UsageError, "same tasks"),
        ([[1, 2, 3]] * 2, [[1, 2, 3], [1, 2]], UsageError, "same folds; task 2 has 3 and 2"),
        ([[1, 2]] * 2, [[1, 1]] * 2, DegenerateError, "at least 3 folds"),
        ([[1, 2, 3]] * 2, [[0, 1, 2]] * 2, DegenerateError, "one and the same amount"),
        ([[1, 2, float("nan")]] * 2, [[1, 2, 3]] * 2, UsageError, "finite"),
    ],
)
def test_bad_input_is_refused(a: list[list[float]], b: list[list[float]], error: type[Exception], match: str) -> None:
    with pytest.raises(error, match=match):
        bayes_hierarchical(a, b, rho=0.2)


def scores(k: int = 3, tasks: int = 6, folds: int = 5) -> Scores:
    rng = np.random.default_rng(4)
    values = 0.7 + 0.1 * rng.standard_normal((tasks * folds, 1)) + 0.02 * np.arange(k)
    return zoo.table(values + 0.01 * rng.standard_normal((tasks * folds, k)), kind=f"folds:{folds}")


def test_analysis_passes_the_folds_of_each_task() -> None:
    found = analyse(scores(2), "bayes-hierarchical", rope=0.005)
    assert found.options["rho"] == pytest.approx(0.2)
    assert found.n_blocks == 6
    assert next(iter(found.details.values()))["tasks"] == 6
    grid = scores(2).value.reshape(6, 5, 2)
    direct = bayes_hierarchical(grid[:, :, 1], grid[:, :, 0], rope=0.005, rho=0.2)
    assert found.pairs[0].better == pytest.approx(direct.better, abs=1e-9)


def test_a_verdict_by_margin() -> None:
    verdict = judge(scores(), "bayes-hierarchical", margin=0.005)
    assert verdict.order == (("cyd",), ("bob",), ("ada",))
    assert "p <" not in verdict.paragraph
    assert "within ±0.005" in verdict.paragraph


def test_tasks_without_folds_are_refused() -> None:
    with pytest.raises(MisfitError, match="at least 3 folds of each task"):
        analyse(zoo.table(np.random.default_rng(5).random((10, 2)), kind="tasks"), "bayes-hierarchical")


def test_groups_of_learners() -> None:
    found = analyse(scores(), "bayes-hierarchical", contrast="bob + cyd vs ada")
    assert found.pairs[0].better > 0.95
    assert found.effects[0].superiority == 1.0
