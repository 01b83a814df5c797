"""Power by simulation: any procedure, on tables as the guess has them, many times."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from math import isnan, nan
from typing import Any

import numpy as np

from bakeoff.errors import DegenerateError, MisfitError, UsageError
from bakeoff.finding import Finding, Row
from bakeoff.judging import analyse
from bakeoff.lab.monte_carlo import monte_carlo_se
from bakeoff.lab.powering.guess import Guess
from bakeoff.lab.powering.simulated_scores import Design
from bakeoff.lab.powering.special_tables import binormal, simulated_table
from bakeoff.procedures.card import Answers, Compares
from bakeoff.procedures.result import Procedure, Result
from bakeoff.registry import procedure_named
from bakeoff.scores import blocks, layout

BATCH = 100
# A power is told from the one wanted, and the rest of the replications saved, when it is so many errors away.
CLEAR = 4.0
# Resamples inside each of a thousand replications: fewer than for a single analysis; a multiple of 1/α less one.
FEWER: Mapping[str, dict[str, int]] = {
    "permutation": {"resamples": 1999},
    "closed-testing": {"resamples": 1999},
    "independent-permutation": {"resamples": 1999},
    "bayes-signed-rank": {"samples": 2000},
}


@dataclass(frozen=True, slots=True)
class Chance:
    """A power; `error` is its Monte-Carlo standard error, NaN where nothing was simulated."""

    power: float
    error: float = nan


@dataclass(frozen=True, eq=False)
class Simulation:
    """A procedure on a design, to be repeated. The same seed gives the same powers."""

    procedure: str
    design: Design
    guess: Guess
    options: Mapping[str, Any] = field(default_factory=dict)
    replications: int = 1000
    seed: int = 0

    def __post_init__(self) -> None:
        if not isinstance(self.replications, int) or self.replications < 10:
            raise UsageError(f"A simulation needs at least 10 replications; found {self.replications!r}.")
        if not isinstance(self.seed, int) or self.seed < 0:
            raise UsageError(f"The seed is a whole number that is not negative; found {self.seed!r}.")

    def chance(self, n: int, difference: float) -> Chance:
        """The share of all replications in which the difference is found."""
        found = self._found(n, difference)
        share = sum(found(r) for r in range(self.replications)) / self.replications
        # One more of either kind keeps a share of 0 or 1 from looking certain.
        near = (share * self.replications + 1) / (self.replications + 2)
        return Chance(share, float(monte_carlo_se(near, self.replications)))

    def reaches(self, n: int, difference: float, power: float) -> bool:
        """Whether the power is at least that much: of all replications, or of the first ones if they are clear."""
        found = self._found(n, difference)
        hits = done = 0
        while done < self.replications:
            upto = min(done + BATCH, self.replications)
            hits += sum(found(r) for r in range(done, upto))
            done = upto
            if abs(hits / done - power) > CLEAR * float(monte_carlo_se((hits + 1) / (done + 2), done)):
                break
        return hits / done >= power

    def _found(self, n: int, difference: float) -> Callable[[int], bool]:
        """Whether replication r finds the difference."""
        chosen = procedure_named(self.procedure)
        options = {**FEWER.get(self.procedure, {}), **self.options}
        children = np.random.SeedSequence(self.seed).spawn(self.replications)

        def drawn(r: int) -> Any:
            return simulated_table(self.design, self.guess, n, difference, np.random.default_rng(children[r]))

        first = drawn(0)
        finding = self._analysed(first, options)  # refuses what cannot be analysed, once and in full
        if self.guess.find == "pair" and self.guess.learners == 2 and _by_columns(chosen, self.design):
            given = {**chosen.facts(blocks(first), layout(first)), **options}
            if chosen.on_predictions:
                rng = np.random.default_rng
                return lambda r: self._areas_found(chosen, *binormal(self.guess, n, difference, rng(children[r])))
            return lambda r: self._pair_found(chosen, drawn(r), given)
        names = first.learners
        self._check_answers(finding)
        return lambda r: self._in_finding(drawn(r), names, options)

    def _analysed(self, scores: Any, options: Mapping[str, Any]) -> Finding | None:
        sided = "two-sided" if self.guess.sides == 2 else "better"
        try:
            return analyse(scores, self.procedure, alpha=self.guess.alpha, alternative=sided, anyway=True, **options)
        except DegenerateError:
            return None  # no statistic, no claim

    def _check_answers(self, found: Finding | None) -> None:
        answers = procedure_named(self.procedure).card.answers
        wanted = self.guess.find
        if wanted != "global" and answers in (Answers.GLOBAL, Answers.MULTIVARIATE):
            raise UsageError(f"{self.procedure} answers about all learners at once; it can find only: global.")
        if wanted == "global" and found is not None and not found.tests and answers is not Answers.MULTIVARIATE:
            raise UsageError(f"{self.procedure} has no test of all learners at once; find pair, any or all.")

    def _pair_found(self, chosen: Procedure, scores: Any, given: Mapping[str, Any]) -> bool:
        """The shortest way for two learners: straight to the mathematics, as the analysis would take it."""
        values = np.asarray(scores.value).reshape(-1, 2)
        sides = {"alternative": "two-sided" if self.guess.sides == 2 else "less"} if chosen.card.sides else {}
        alpha = self.guess.alpha
        try:
            result: Result = chosen.compute(values[:, 0], values[:, 1], confidence=1 - alpha, **sides, **given)
        except DegenerateError:
            return False
        if not isnan(result.worse):  # of values of which smaller is better
            return result.worse >= 1 - alpha
        less = float(values[:, 0].mean() - values[:, 1].mean()) if isnan(result.estimate) else result.estimate
        return result.p <= alpha and less < 0

    def _areas_found(self, chosen: Procedure, truth: Any, values: Any) -> bool:
        """The same for areas under ROC curves, of which larger is better."""
        side, alpha = "two-sided" if self.guess.sides == 2 else "greater", self.guess.alpha
        try:
            result: Result = chosen.compute(truth, *values.T, confidence=1 - alpha, alternative=side)
        except DegenerateError:
            return False
        return result.p <= alpha and result.estimate > 0

    def _in_finding(self, scores: Any, names: tuple[str, ...], options: Mapping[str, Any]) -> bool:
        found = self._analysed(scores, options)
        if found is None:
            return False
        guess = self.guess
        if guess.find == "global":
            # Several measures of two learners are tested at once in the row of their pair.
            return (found.tests or found.rows)[0].p <= guess.alpha
        better = dict(zip(names, guess.better_by(1.0).tolist(), strict=True))
        true = [row for row in found.pairs if better[row.first] != better[row.second]]
        if not true:
            raise MisfitError(f"{self.procedure} compared no pair of learners that differ.")
        if guess.find == "pair":
            true = [row for row in true if {row.first, row.second} == {names[0], names[-1]}]
        claimed = [_claims(row, found, better[row.first] > better[row.second], guess.alpha) for row in true]
        return any(claimed) if guess.find == "any" else all(claimed)


def _by_columns(chosen: Procedure, design: Design) -> bool:
    """Whether the mathematics takes two plain columns of the blocks."""
    card = chosen.card
    special = chosen.within_tasks or chosen.with_sizes or chosen.long or chosen.ranks
    several = card.answers is Answers.MULTIVARIATE
    return card.compares is Compares.PAIR and card.paired and design.paired and not special and not several


def _claims(row: Row, found: Finding, first_is_better: bool, alpha: float) -> bool:
    """Whether a row claims what is true: the difference, and its direction."""
    if not isnan(row.better):
        return (row.better if first_is_better else row.worse) >= 1 - alpha
    estimate = row.estimate
    if isnan(estimate):
        estimate = found.position[row.first] - found.position[row.second]
    return row.p_adjusted <= alpha and (found.sign * estimate > 0) == first_is_better and estimate != 0
