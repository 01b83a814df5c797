"""Verdicts on designs: planted effects are found, absent ones mostly not, one at a time misses what all see."""

from __future__ import annotations

from dataclasses import replace
from itertools import product
from typing import Any

import numpy as np
import pytest

from bakeoff import judge_design
from bakeoff.errors import MisfitError, UsageError
from bakeoff.judging.designed import levels_as_learners
from bakeoff.measures import known_measure
from bakeoff.scores import Scores
from bakeoff.scores.design import Problem, drawn_from_generator

FRESH: Problem = drawn_from_generator("this generator", fixed_test=False, test_rows=None)


def scores_of(
    settings: dict[str, dict[str, Any]],
    table: np.ndarray,
    kind: str = "factorial",
    tasks: int = 0,
    independent: bool = True,
    **design: Any,
) -> Scores:
    """Blocks × settings as scores of a designed study: runs of one task, or tasks."""
    n = len(table)
    names = list(settings)
    factors = {f: {"levels": sorted({each[f] for each in settings.values()}, key=str)} for f in settings[names[0]]}
    task = [f"t{i % tasks}" if tasks else "t" for i in range(n) for _ in names]
    made = Scores.of(
        table.ravel(),
        learner=names * n,
        measures={"accuracy": known_measure("accuracy")},
        task=task,
        repeat=[str(i // tasks if tasks else i) for i in range(n) for _ in names],
        n_train=[90.0] * table.size,
        n_test=[10.0] * table.size,
    )
    described = {"kind": kind, "factors": {**factors, **design.pop("factors", {})}, "settings": settings, **design}
    return replace(made, settings=described, problem=FRESH if independent and not tasks else None)


def grid(**levels: list[Any]) -> dict[str, dict[str, Any]]:
    rows = [dict(zip(levels, row, strict=True)) for row in product(*levels.values())]
    return {" ".join(f"{k}={v}" for k, v in row.items()): row for row in rows}


def noisy(settings: dict[str, dict[str, Any]], mean: Any, n: int = 12, sd: float = 0.02, seed: int = 1) -> np.ndarray:
    rng = np.random.default_rng(seed)
    centres = np.array([mean(**each) for each in settings.values()])
    return 0.7 + centres + rng.normal(0, sd, (n, len(centres))) + rng.normal(0, 0.05, (n, 1))


def test_a_planted_interaction_is_found_by_the_factorial_and_missed_one_at_a_time() -> None:
    """Each factor alone does nothing from the baseline (0, 0); together they gain."""

    def gain(a: int, b: int) -> float:
        return 0.1 * (a == 2 and b == 2)

    full = grid(a=[0, 1, 2], b=[0, 1, 2])
    found = judge_design(scores_of(full, noisy(full, gain)))
    effects = {each.name: each.p_adjusted for each in found.effects}
    assert effects["a × b"] < 0.001
    assert found.best.name == "a=2 b=2"
    assert "what one does depends on the other" in found.paragraph
    arms = {name: each for name, each in full.items() if 0 in each.values()}
    missed = judge_design(scores_of(arms, noisy(arms, gain), "one-at-a-time"))
    assert [each.name for each in missed.effects] == ["a", "b"]
    assert all(each.p_adjusted > 0.05 for each in missed.effects)
    assert missed.best.mean < found.best.mean - 0.05
    assert [warning.code for warning in missed.warnings] == ["unseen-interaction"]


def test_effects_that_are_not_there_are_claimed_at_the_rate_of_alpha() -> None:
    settings = grid(a=[0, 1], b=[0, 1, 2])
    claimed = 0
    for seed in range(60):
        table = noisy(settings, lambda a, b: 0.0, n=6, seed=seed)
        claimed += any(each.p_adjusted <= 0.05 for each in judge_design(scores_of(settings, table)).effects)
    assert claimed <= 8  # of 60 at 5 %: more has a chance of 1 %


def test_overlapping_training_sets_make_f_smaller() -> None:
    settings = grid(a=[0, 1], b=[0, 1])
    table = noisy(settings, lambda a, b: 0.05 * a)
    fresh = judge_design(scores_of(settings, table)).effects[0]
    folds = judge_design(scores_of(settings, table, independent=False)).effects[0]
    assert folds.f == pytest.approx(fresh.f / (1 + 12 * 10 / 90))


def test_trends_tell_straight_from_curved() -> None:
    settings = grid(k=[1, 2, 3, 4])
    described = {"factors": {"k": {"levels": [1, 2, 3, 4], "scale": "linear"}}}
    found = judge_design(scores_of(settings, noisy(settings, lambda k: 0.03 * k), **described))
    by_degree = {trend.degree: trend.p_adjusted for trend in found.trends}
    assert by_degree["linear"] < 0.001
    assert by_degree["quadratic"] > 0.05


def test_levels_of_a_factor_are_judged_as_learners_are() -> None:
    settings = grid(a=["x", "y"], b=[0, 1, 2])
    scores = scores_of(settings, noisy(settings, lambda a, b: 0.1 * (a == "y")))
    averaged = levels_as_learners(scores, settings, "a")
    assert averaged.learners == ("x", "y")
    table = np.array([averaged.value[averaged.learner.codes == code] for code in (0, 1)]).T
    whole = scores.value.reshape(12, 6)
    np.testing.assert_allclose(table, np.column_stack([whole[:, :3].mean(axis=1), whole[:, 3:].mean(axis=1)]))
    decided = judge_design(scores).levels["a"].decisions[0]
    assert (decided.first, decided.decision.value, decided.second) == ("y", "better", "x")


def test_the_best_of_many_alike_is_told_with_its_winners_curse() -> None:
    """Thirty settings that are all the same: the best looks better, the honest numbers do not."""
    settings = grid(a=list(range(30)))
    seen, nested, shrunken = [], [], []
    for seed in range(20):
        table = noisy(settings, lambda a: 0.0, n=8, sd=0.05, seed=seed)
        best = judge_design(scores_of(settings, table)).best
        centre = table.mean()
        seen.append(best.mean - centre)
        nested.append(best.nested - centre)
        shrunken.append(best.shrunken - centre)
    assert np.mean(seen) > 0.03
    assert abs(np.mean(nested)) < 0.01
    assert abs(np.mean(shrunken)) < 0.012


def test_a_screening_without_replicates_is_held_against_its_own_effects() -> None:
    from bakeoff.designs.factorial import plackett_burman

    design = plackett_burman(11)
    settings = {f"s{i}": {f"f{j}": int(v) for j, v in enumerate(row)} for i, row in enumerate(design)}
    rng = np.random.default_rng(3)
    table = 0.7 + 0.05 * design[:, [2]].T - 0.04 * design[:, [7]].T + rng.normal(0, 0.005, (1, 12))
    found = judge_design(scores_of(settings, table, "screening"))
    assert found.screening is not None
    assert found.sizes is not None
    assert found.sizes["f2"] == pytest.approx(0.1, abs=0.01)
    active = [name for name, p in zip(found.sizes, found.screening.p, strict=True) if p < 0.02]
    assert active == ["f2", "f7"]
    assert "no-replicates" in [warning.code for warning in found.warnings]
    assert all(np.isnan(each.f) for each in found.effects)


def test_tasks_as_a_factor_have_interactions_of_their_own() -> None:
    settings = grid(a=[0, 1])
    rng = np.random.default_rng(5)
    table = rng.normal(0.7, 0.01, (20, 2))
    table[::2, 1] += 0.1  # on one of two tasks only
    described = {"factors": {"task": {"levels": ["t0", "t1"]}}}
    found = judge_design(scores_of(settings, table, tasks=2, independent=False, **described))
    effects = {each.name: each.p_adjusted for each in found.effects}
    assert set(effects) == {"a", "a × task"}
    assert effects["a × task"] < 0.001
    assert "20 resamples of 2 tasks" in found.paragraph


def test_two_tasks_by_hand() -> None:
    """With equal blocks and no overlap the interaction with the task is Welch-free: the pooled t, squared."""
    from bakeoff.judging.designed import _within_tasks

    rng = np.random.default_rng(1)
    first, second = rng.normal(0.3, 1, (7, 1)), rng.normal(0, 1, (7, 1))
    between = _within_tasks([first, second], [1 / 7, 1 / 7], between=True)
    pooled = (first.var(ddof=1) + second.var(ddof=1)) / 2
    assert between.f == pytest.approx((first.mean() - second.mean()) ** 2 / (pooled * 2 / 7))
    assert between.df == (1.0, 12.0)
    average = _within_tasks([first, second], [1 / 7, 1 / 7], between=False)
    assert average.f == pytest.approx(((first.mean() + second.mean()) / 2) ** 2 / (pooled * 2 / 7 / 4))


def test_views_hold_the_same_numbers() -> None:
    settings = grid(a=[0, 1], b=[0, 1])
    found = judge_design(scores_of(settings, noisy(settings, lambda a, b: 0.05 * a * b)))
    frame, told = found.to_frame(), found.to_dict()
    assert frame["p"].tolist() == [each["p"] for each in told["effects"]]
    assert told["best"]["name"] == found.best.name
    assert told["paragraph"] in " ".join(found.to_text().split())
    assert set(told["levels"]) == {"a", "b"}


def test_scores_without_a_design_and_too_few_settings_are_refused() -> None:
    settings = grid(a=[0, 1])
    scores = scores_of(settings, noisy(settings, lambda a: 0.0))
    with pytest.raises(UsageError, match="come from no designed study"):
        judge_design(replace(scores, settings={}))
    with pytest.raises(MisfitError, match="At least two settings of the design are needed; found 1"):
        judge_design(scores.only(learners=["a=0"]))


def test_the_best_setting_is_chosen_on_other_blocks_before_it_is_held_against_a_reference() -> None:
    """Settings that differ by chance only, and a reference that is as good: the best of twenty wins by its luck, and
    what is compared has none of that."""
    settings = grid(a=list(range(20)))
    rng = np.random.default_rng(5)
    gains, wins = [], 0
    for _ in range(40):
        table = 0.7 + rng.normal(0, 0.05, (10, 21))
        names = {**settings, "plain": {"a": -1}}
        scores = scores_of(names, table)
        described = {**scores.settings, "settings": settings, "references": ["plain"]}
        described["factors"] = {"a": {"levels": list(range(20))}}
        found = judge_design(replace(scores, settings=described))
        assert found.reference is not None
        assert set(found.reference.finding.learners) == {"best setting", "plain"}
        (row,) = found.reference.decisions
        gains.append(row.advantage if row.first == "best setting" else -row.advantage)
        wins += row.decision.value in ("better", "worse")
        assert len(found.settings) == 20
    assert abs(np.mean(gains)) < 0.015  # the best mean itself is ahead by about 0.03
    assert wins <= 6


def test_a_ceiling_of_all_settings_is_told() -> None:
    settings = grid(a=[0, 1])
    table = 0.999 - np.random.default_rng(1).uniform(0, 0.001, (12, 2))
    assert "ceiling" in [warning.code for warning in judge_design(scores_of(settings, table)).warnings]
    assert "ceiling" not in [warning.code for warning in judge_design(scores_of(settings, table - 0.3)).warnings]


def test_with_the_task_as_a_factor_the_verdict_is_about_these_tasks_and_levels_are_told_on_each() -> None:
    """The level of a matters on one task alone: so it says, with shares that add up to all of the variation."""
    settings = grid(a=[0, 1], b=[0, 1])
    rng = np.random.default_rng(2)
    table = 0.7 + rng.normal(0, 0.01, (24, 4))
    table[::2] += 0.1 * np.array([each["a"] for each in settings.values()])
    factors = {"task": {"levels": ["t0", "t1"]}}
    scores = scores_of(settings, table, tasks=2, factors=factors)
    found = judge_design(scores)
    assert "It speaks about these problems" in found.paragraph
    assert "sample" not in found.about
    shown = {each.name for each in found.effects if each.p_adjusted < 0.05}
    assert {"a", "a × task"} <= shown
    assert sum(each.share for each in found.effects) == pytest.approx(1)
    assert set(found.levels) == {"a on t0", "a on t1", "b on t0", "b on t1"}
    decided = {name: [one.decision.value for one in each.decisions] for name, each in found.levels.items()}
    assert decided["a on t0"] == ["better"]
    assert decided["a on t1"] == ["undecided"]
    assert ("a", "task") in found.shown_interactions
    header, rows = found.cell_means("a", "task")
    assert header == ["a \\ task", "t0", "t1"]
    assert [row[0] for row in rows] == ["0", "1"]
    drawn = found.plot("interaction")
    assert set(drawn.to_frame()["task"]) == {"t0", "t1"}


def test_levels_within_the_margin_are_equivalent() -> None:
    settings = grid(a=[0, 1], b=[0, 1])
    scores = scores_of(settings, noisy(settings, lambda a, b: 0.1 * b, n=30, sd=0.005))
    found = judge_design(scores, margin=0.02)
    assert [one.decision.value for one in found.levels["a"].decisions] == ["equivalent"]
    assert [one.decision.value for one in judge_design(scores).levels["a"].decisions] == ["undecided"]


def test_the_sizes_of_effects_go_from_the_first_level_named_to_the_second() -> None:
    """Whatever order the runs have; the table of a screening says which."""
    settings = dict(reversed(grid(a=["low", "high"], b=["x", "y"]).items()))
    scores = scores_of(settings, noisy(settings, lambda a, b: 0.1 * (a == "high")))
    scores.settings["factors"]["a"] = {"levels": ["low", "high"]}
    scores.settings["factors"]["b"] = {"levels": ["x", "y"]}
    found = judge_design(scores)
    assert found.sizes is not None
    assert found.sizes["a"] == pytest.approx(0.1, abs=0.03)
    assert found.screening_table()[1][0][1] == "low → high"
