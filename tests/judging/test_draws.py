"""Blocks that are independent draws, given a generator or a learning sample: what is advised, claimed and warned of."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
import zoo

from bakeoff.judging import advise, analyse, judge
from bakeoff.judging.warnings import MANY_DRAWS, about_problem
from bakeoff.judging.wording import scope
from bakeoff.procedures import procedure_named
from bakeoff.procedures.card import Compares
from bakeoff.resampling.scheme import COMPETITION, REAL_WORLD, SIMULATION
from bakeoff.scores import Scores, layout, unpaired
from bakeoff.scores.design import Problem

SAMPLE = "the empirical distribution of this learning sample"
BOOTSTRAP = Problem(REAL_WORLD, "bootstrap samples of one task", SAMPLE)
FIXED = Problem(SIMULATION, "learning samples", "the generator twonorm and this fixed test sample", fixed_test=True)
GIVEN = Problem(COMPETITION, "bootstrap samples of one task", f"{SAMPLE} and this fixed test sample", fixed_test=True)


def draws(learners: int, blocks: int = 30, problem: Problem | None = BOOTSTRAP, gap: float = 0.02) -> Scores:
    rng = np.random.default_rng(4)
    values = 0.7 + gap * np.arange(learners) + 0.02 * rng.standard_normal((blocks, learners))
    made = zoo.table(values, kind=f"repeats:{blocks}")
    sizes = {name: np.full(len(made), size) for name, size in (("n_train", 100.0), ("n_test", 37.0))}
    return replace(made, problem=problem, **sizes)


@pytest.mark.parametrize(
    ("learners", "procedure"),
    [(2, "paired-permutation"), (3, "run-flips"), (4, "run-flips"), (5, "run-flips")],
)
def test_flips_are_advised(learners: int, procedure: str) -> None:
    advice = advise(draws(learners))
    assert advice.recommended == procedure
    assert advice.ranked[0] == procedure
    assert "corrected-t" not in {candidate.procedure for candidate in advice.fitting}
    assert f"conditional on {SAMPLE}." in advice.summary
    assert judge(draws(learners)).finding.procedure == procedure


@pytest.mark.parametrize("learners", [2, 3, 5])
def test_without_a_problem_the_advice_is_what_it_was(learners: int) -> None:
    assert advise(draws(learners, problem=None)).recommended == "corrected-t"
    assert "conditional" not in advise(draws(learners, problem=None)).summary


@pytest.mark.parametrize("learners", [2, 4])
def test_independent_samples_are_compared_with_their_own_variances(learners: int) -> None:
    assert advise(unpaired(draws(learners))).recommended == "unpaired-t"


@pytest.mark.parametrize(
    ("request_", "procedure"),
    [
        ({"margin": 0.01}, "run-flips"),
        ({"control": "ada"}, "run-flips"),
        ({"contrast": "ada + bob vs cyd"}, "run-flips"),
        ({"alternative": "better"}, "run-flips"),
        ({"alpha": 0.01}, "run-flips"),
    ],
)
def test_flips_answer_whatever_is_asked(request_: dict[str, Any], procedure: str) -> None:
    verdict = judge(draws(3), **request_)
    assert verdict.finding.procedure == procedure
    assert verdict.finding.adjust in ("single-step", "none")


def test_the_corrected_t_can_be_insisted_on_and_says_so() -> None:
    verdict = judge(draws(2), "corrected-t", anyway=True)
    assert any("training sets that overlap" in reason for reason in verdict.finding.against_advice)


def test_effect_sizes_are_not_widened_for_overlap() -> None:
    free, shared = (analyse(draws(2, problem=problem), "rm-anova", anyway=True) for problem in (BOOTSTRAP, None))
    width = [row.effects[0].upper - row.effects[0].lower for row in (free, shared)]
    assert width[1] / width[0] == pytest.approx(np.sqrt((1 / 30 + 0.37) / (1 / 30)))
    assert free.conditional_on == SAMPLE
    assert shared.conditional_on == ""


def codes(scores: Scores, **request: Any) -> set[str]:
    return {warning.code for warning in judge(scores, **request).warnings}


def test_many_draws_are_warned_of_where_no_margin_was_fixed() -> None:
    many = draws(2, MANY_DRAWS)
    assert codes(many) == {"many-draws"}
    assert codes(many, margin=0.001) == set()
    assert codes(draws(2, MANY_DRAWS - 1)) == set()
    assert codes(draws(2, MANY_DRAWS, gap=0.0)) == set(), "nothing was claimed"
    assert "many-draws" in advise(many).to_text()
    (warning,) = about_problem(layout(many))
    assert "With 50 draws" in str(warning)
    assert "--margin" in str(warning)


def test_a_fixed_test_sample_is_warned_of() -> None:
    assert codes(draws(2, problem=FIXED)) == {"fixed-test-sample"}
    assert codes(draws(2, problem=GIVEN)) == {"fixed-test-sample"}
    (drawn,), (given,) = (list(about_problem(layout(draws(2, problem=problem)))) for problem in (FIXED, GIVEN))
    assert "test = 'fresh'" in drawn.action
    assert "out-of-bootstrap-2n" in given.action
    assert list(about_problem(layout(draws(1, problem=FIXED)))) == [], "one learner is not favoured over another"


def test_the_paragraph_says_what_the_conclusion_is_conditional_on() -> None:
    verdict = judge(draws(2, problem=GIVEN))
    assert verdict.paragraph.startswith("Over 30 draws,")
    assert verdict.paragraph.endswith(f"conditional on {SAMPLE} and this fixed test sample.")
    assert scope("all", "") == "all"


def test_places_of_cards() -> None:
    two, four = (layout(draws(learners)) for learners in (2, 4))
    paired, closed = (procedure_named(name).card for name in ("paired-permutation", "run-flips"))
    assert paired.compares is Compares.PAIR
    assert paired.rank_for(two) < closed.rank_for(two)
    assert closed.rank_for(four) < paired.rank_for(four)
    other = procedure_named("rm-anova").card
    assert other.rank_for(four) > paired.rank_for(four)
    assert other.rank_for(layout(draws(4, problem=None))) == (0, other.rank)
