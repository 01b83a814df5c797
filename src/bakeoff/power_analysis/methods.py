"""For each test a way to compute its power: a closed formula where there is an exact one, otherwise simulation."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from math import ceil, inf, sqrt
from typing import Any

import numpy as np

from bakeoff.errors import UsageError, nearest
from bakeoff.judging.advice import unmet_needs
from bakeoff.mathematics.laws import normal_sf
from bakeoff.power_analysis.formulas import (
    power_anova,
    power_binomial,
    power_correlated_t,
    power_hotelling,
    power_mcnemar,
    power_normal_approximation,
    power_proportions,
    power_sign,
    power_t,
    power_two_way,
    power_variance_ratio,
    power_welch,
    power_z,
)
from bakeoff.power_analysis.guess import Guess
from bakeoff.power_analysis.simulate import (
    Chance,
    PowerSimulation,
    TableDesign,
    simulated_table,
)
from bakeoff.procedures import procedures
from bakeoff.procedures.card import Answers, Card, Compares, PowerFormula, Shape
from bakeoff.scores import Level, layout
from bakeoff.text import count, number

# ----------------------------------------------------------------------------------------------------------------------
# A way to compute power, whatever the test: what the solver and the curve work on.


LARGEST = 10**9
LARGEST_SIMULATED = 2000


@dataclass(frozen=True, eq=False)
class Method:
    """The chance to find a difference with n blocks, and the range in which that may be asked.

    how       in words: exact, approximate, or simulated
    blocks    what is counted, in the plural
    step      n is a multiple of it, such as the folds of a repeat; `least` and `most` are its ends
    largest   the largest difference there can be, such as an error rate
    tooth     after how many further n a discrete test has gone through its ups and downs
    reaches   a cheaper way to tell whether a power is reached, where powers are simulated
    """

    name: str
    title: str
    how: str
    blocks: str
    chance: Callable[[int, float], Chance]
    least: int = 2
    most: int = LARGEST
    step: int = 1
    largest: float = inf
    tooth: int = 0
    reaches: Callable[[int, float, float], bool] | None = None
    assumptions: tuple[str, ...] = ()

    @property
    def simulated(self) -> bool:
        return self.reaches is not None

    def reached(self, n: int, difference: float, power: float) -> bool:
        """Whether n blocks are enough, and not by the luck of a tooth."""
        if self.reaches is not None:
            return self.reaches(n, difference, power)
        return all(self.chance(more, difference).power >= power for more in range(n, n + self.tooth + 1))


# ----------------------------------------------------------------------------------------------------------------------
# Closed formulas: for each test whose power is known, the way to compute it.


FOLDS = 10  # of a cross-validation, or runs on a task, if nothing is said


def _method(
    card: Card, guess: Guess, how: str, blocks: str, power: Callable[[int, float], float], **more: Any
) -> Method:
    assumed: tuple[str, ...] = more.pop("assumptions", ())
    if guess.learners > 2 and card.compares is Compares.PAIR:
        assumed += (
            f"α is shared by the {guess.pairs} pairs of {guess.learners} learners: each is tested at "
            f"{number(guess.share)} (Bonferroni; Holm's and the like find a little more)",
        )
    # A t test of differences may be planned for blocks of any kind, whatever the procedure is meant for.
    title = "Paired t test" if card.power is PowerFormula.PAIRED_T else card.title
    return Method(card.name, title, how, blocks, lambda n, d: Chance(power(n, d)), assumptions=assumed, **more)


def _level(card: Card, guess: Guess) -> float:
    return guess.share if card.compares is Compares.PAIR else guess.alpha


_NORMAL = "differences are independent and normal"


def _t(kind: str, blocks: str, assumed: str) -> Callable[[Card, Guess], Method]:
    def make(card: Card, guess: Guess) -> Method:
        alpha = _level(card, guess)

        def power(n: int, d: float) -> float:
            return power_t(n, d, guess.sd, alpha=alpha, kind=kind, sides=guess.sides, strict=False)

        return _method(card, guess, "exact, by the noncentral t law", blocks, power, assumptions=(assumed,))

    return make


def _clusters(card: Card, guess: Guess) -> Method:
    """Means of clusters: their sd is that of instances times √(ρ(1 + cv²) + (1 − ρ)/m)."""
    alpha, kind = _level(card, guess), "one-sample" if card.compares is Compares.ONE else "paired"
    size, rho = said_of_clusters(card, guess)
    sd = guess.sd * sqrt(rho * (1 + guess.cluster_spread**2) + (1 - rho) / size)

    def power(n: int, d: float) -> float:
        return power_t(n, d, sd, alpha=alpha, kind=kind, sides=guess.sides, strict=False)

    unequal = f", sizes with a coefficient of variation of {number(guess.cluster_spread, 3)}" * (
        guess.cluster_spread > 0
    )
    assumed = (
        f"a cluster holds {number(size)} instances on average{unequal}, any two of one cluster with the correlation "
        f"{number(rho, 3)}: {number(size)} of them tell as much as {number(1 / (rho + (1 - rho) / size), 3)} "
        "independent ones",
        "sums over clusters are normal",
    )
    how = "exact for clusters of equal size, by the noncentral t law"
    return _method(card, guess, how, "clusters", power, least=3, assumptions=assumed)


def said_of_clusters(card: Card, guess: Guess) -> tuple[float, float]:
    """The size of a cluster and the correlation of two instances of one, which nothing can be planned without."""
    if guess.cluster_size is None or guess.correlation is None:
        raise UsageError(
            f"{card.name} needs a guess of how many instances a cluster holds and how alike they are: cluster_size, "
            "e.g. 20, and the correlation of two of them, e.g. 0.1 (--cluster-size 20 --icc 0.1); or a pilot with "
            "clusters."
        )
    return guess.cluster_size, guess.correlation


def _welch(card: Card, guess: Guess) -> Method:
    alpha = _level(card, guess)

    def power(n: int, d: float) -> float:
        return power_welch(n, d, guess.sd, alpha=alpha, sides=guess.sides)

    assumed = ("values are independent and normal, with equal sds",)
    how = "exact, the mean of noncentral t laws over Welch's degrees of freedom"
    return _method(card, guess, how, "runs of each learner", power, assumptions=assumed)


def _z(card: Card, guess: Guess) -> Method:
    def power(n: int, d: float) -> float:
        return power_z(n, d, guess.sd, alpha=guess.alpha, sides=guess.sides, strict=False)

    assumed = ("values are independent and normal, and their sd is known",)
    return _method(card, guess, "exact, by the normal law", "runs", power, least=1, assumptions=assumed)


def _proportions(card: Card, guess: Guess) -> Method:
    error, alpha = error_rate(card, guess), _level(card, guess)

    def power(n: int, d: float) -> float:
        return power_proportions(n, error, error - d, alpha=alpha, sides=guess.sides)

    assumed = (f"the worse error rate is {number(error)}", "each learner has a test set of its own")
    blocks = "instances in each test set"
    return _method(card, guess, "normal approximation", blocks, power, least=1, largest=error, assumptions=assumed)


def _one_rate(of: Callable[..., float]) -> Callable[[Card, Guess], Method]:
    def make(card: Card, guess: Guess) -> Method:
        error = error_rate(card, guess)

        def power(n: int, d: float) -> float:
            return of(n, error, max(error - d, 0.0), alpha=guess.alpha, sides=guess.sides)

        tooth = min(ceil(3 / min(error, 1 - error)), 300)
        assumed = (f"the rate is tested against {number(error)}, and is smaller by the difference",)
        return _method(
            card, guess, "exact, by the binomial law", "instances", power,
            least=1, largest=error, tooth=tooth, assumptions=assumed,
        )  # fmt: skip

    return make


def _mcnemar(card: Card, guess: Guess) -> Method:
    alpha, given = _level(card, guess), guess.discordant
    if given is None:
        error = error_rate(card, guess)

    def discordance(d: float) -> float:
        # Independent errors: learners of the same data disagree less than that, which helps.
        return given if given is not None else (error - d) * (1 - error) + error * (1 - error + d)

    def power(n: int, d: float) -> float:
        return power_mcnemar(n, d, discordance(d), alpha=alpha, sides=guess.sides)

    assumed = (
        f"the two disagree on {number(100 * given, 3)} % of the instances"
        if given is not None
        else f"the worse error rate is {number(error)} and errors are independent, though learners "
        "mostly err alike: guess the share of instances on which they disagree (discordant) for a smaller answer"
    )
    return _method(
        card, guess, "exact, summed over the number of discordant instances", "instances", power,
        least=1, largest=given if given is not None else error, tooth=4, assumptions=(assumed,),
    )  # fmt: skip


def _sign(card: Card, guess: Guess) -> Method:
    alpha = _level(card, guess)

    def power(n: int, d: float) -> float:
        return power_sign(n, float(normal_sf(-d / guess.sd)), alpha=alpha, sides=guess.sides)

    assumed = ("differences are normal, so that the chance to win is Φ(difference/sd); there are no ties",)
    how = "exact, by the binomial law"
    return _method(card, guess, how, "tasks", power, least=1, tooth=6, assumptions=assumed)


def _anova(card: Card, guess: Guess) -> Method:
    def power(n: int, d: float) -> float:
        between = float(np.var(guess.better_by(d), ddof=1))
        return power_anova(n, guess.learners, between, guess.sd**2, alpha=guess.alpha)

    if guess.learners < 2:
        raise UsageError(f"An analysis of variance compares at least two learners; found {guess.learners}.")
    assumed = ("values are independent and normal, with the same sd for all learners",)
    blocks = "runs of each learner"
    return _method(card, guess, "exact, by the noncentral F law", blocks, power, assumptions=assumed)


def _folds(card: Card, guess: Guess) -> Method:
    """The corrected test over repeats of K folds, the naive one over K folds done once."""
    alpha, corrected = _level(card, guess), card.power is PowerFormula.FOLDS
    given = guess.ratio if corrected else None
    folds = guess.folds or FOLDS

    def power(n: int, d: float) -> float:
        k = folds if corrected else n
        ratio = given if given is not None else 1 / (k - 1)
        rho = guess.correlation if guess.correlation is not None else ratio / (1 + ratio)
        ratio = ratio if corrected else 0.0
        return power_correlated_t(n, d, guess.sd, correlation=rho, ratio=ratio, alpha=alpha, sides=guess.sides)

    splits = given is not None and guess.folds is None
    rho = "1/K" if guess.correlation is None else number(guess.correlation)
    if given is not None and guess.correlation is None:
        rho = f"{number(given / (1 + given))}, the share tested on"
    assumed: tuple[str, ...] = (f"differences of folds are normal and any two have the correlation {rho}",)
    if splits:
        assumed += (
            f"they are splits of one data set with a ratio {number(guess.ratio or 0)} of test to training size",
        )
    elif corrected:
        assumed += (f"each repeat is a {folds}-fold cross-validation, and sd is that of the folds",)
    how = "exact for folds that are equally correlated"
    step = folds if corrected and not splits else 1
    least = 2 if splits else step
    return _method(
        card,
        guess,
        how,
        "splits" if splits else "folds",
        power,
        least=least if corrected else 2,
        step=step,
        assumptions=assumed,
    )


def _variance_ratio(card: Card, guess: Guess) -> Method:
    alpha = _level(card, guess)

    def power(n: int, d: float) -> float:
        return power_variance_ratio(n, d, alpha=alpha, sides=guess.sides)

    assumed = (
        "errors are normal with mean zero, and each learner has a test set of its own",
        "the difference is that of the logarithms of the mean squared errors",
    )
    return _method(card, guess, "exact, by the F law", "instances in each test set", power, assumptions=assumed)


def _hotelling(card: Card, guess: Guess) -> Method:
    if guess.learners != 2:
        raise UsageError(f"{card.name} compares two learners; found {guess.learners}. Name two of them, or use manova.")

    def power(n: int, d: float) -> float:
        return power_hotelling(n, guess.measures, d / guess.sd, alpha=guess.alpha)

    how = "exact, by the noncentral F law"
    return _method(
        card, guess, how, "runs", power, least=guess.measures + 1, assumptions=(*distance_note(guess), _NORMAL)
    )


def distance_note(guess: Guess) -> tuple[str, ...]:
    """What a difference in several measures is."""
    return (
        f"there are {guess.measures} measures, and the difference is the distance of the learners over all of them: "
        "the root of the sum of squared differences in sds, if measures are not correlated",
    )


def _two_way(card: Card, guess: Guess) -> Method:
    runs = guess.folds or FOLDS
    if guess.learners < 2:
        raise UsageError(f"An analysis of variance compares at least two learners; found {guess.learners}.")

    def power(n: int, d: float) -> float:
        between = float(np.var(guess.better_by(d), ddof=1))
        return power_two_way(n, runs, guess.learners, between, guess.sd**2, alpha=guess.alpha)

    assumed = (
        f"each learner has {runs} runs of its own on each task, independent and normal with the same sd",
        "learners differ alike on all tasks",
    )
    return _method(card, guess, "exact, by the noncentral F law", "tasks", power, assumptions=assumed)


def error_rate(card: Card, guess: Guess) -> float:
    """The error rate of the guess, which tests of right and wrong answers cannot do without."""
    if guess.error is None:
        other = ""
        if card.power is PowerFormula.DISCORDANT:
            other = " (or, without it, the share of instances on which the two disagree: discordant)"
        raise UsageError(f"{card.name} needs a guess of the error rate: error, e.g. 0.1{other}.")
    return guess.error


CLOSED: Mapping[PowerFormula, Callable[[Card, Guess], Method]] = {
    PowerFormula.PAIRED_T: _t("paired", "pairs", _NORMAL),
    PowerFormula.ONE_T: _t("one-sample", "runs", "values are independent and normal"),
    PowerFormula.CLUSTERS: _clusters,
    PowerFormula.WELCH: _welch,
    PowerFormula.Z: _z,
    PowerFormula.PROPORTIONS: _proportions,
    PowerFormula.ONE_RATE: _one_rate(power_binomial),
    PowerFormula.ONE_RATE_NORMAL: _one_rate(power_normal_approximation),
    PowerFormula.DISCORDANT: _mcnemar,
    PowerFormula.SIGNS: _sign,
    PowerFormula.ONE_WAY: _anova,
    PowerFormula.FOLDS: _folds,
    PowerFormula.NAIVE_FOLDS: _folds,
    PowerFormula.VARIANCES: _variance_ratio,
    PowerFormula.HOTELLING: _hotelling,
    PowerFormula.TWO_WAY: _two_way,
}


# ----------------------------------------------------------------------------------------------------------------------


_UNIT = {Level.INSTANCES: "instances", Level.RESAMPLES: "runs", Level.TASKS: "tasks"}


def card_of(name: str) -> Card:
    """The card of a test by its name or a short name."""
    spelled = str(name).strip().lower().replace("_", "-")
    cards = [procedure.card for procedure in procedures()]
    card = next((card for card in cards if spelled in (card.name, card.planned_as)), None)
    if card is None:
        short = [card.planned_as for card in cards if card.planned_as]
        raise UsageError(f"There is no test {name!r}. {nearest(spelled, [*short, *(card.name for card in cards)])}")
    if card.no_power:
        raise UsageError(f"`bakeoff power` does not know {spelled}: {card.no_power}.")
    return card


def usual_find(card: Card) -> str:
    """What there is to find, if nothing is said: a pair, where the test speaks about pairs."""
    whole = card.answers in (Answers.GLOBAL, Answers.MULTIVARIATE) or card.power is PowerFormula.ONE_WAY
    return "global" if whole else "pair"


def method_for(
    card: Card,
    guess: Guess,
    options: Mapping[str, Any] | None = None,
    *,
    simulate: bool = False,
    replications: int = 1000,
    seed: int = 0,
) -> Method:
    """The way to compute the power of a test. Options of the procedure, other than defaults, are simulated."""
    own = dict(options or {})
    make = CLOSED.get(card.power) if card.power is not None else None
    if guess.residuals is None and make is not None and not simulate and not own and _one_formula(card, guess):
        return make(card, guess)
    if card.compares is Compares.ONE:
        raise UsageError(
            f"The power of {card.name} is computed by a formula and not simulated: leave out --simulate, --noise and "
            "options of the procedure."
        )
    return _simulated(card, guess, own, replications, seed)


def _one_formula(card: Card, guess: Guess) -> bool:
    return guess.find == usual_find(card)


# --- simulation -----------------------------------------------------------------------------------------------------


def _simulated(card: Card, guess: Guess, options: Mapping[str, Any], replications: int, seed: int) -> Method:
    guess = _complete(card, guess)
    fixed, folds = None, guess.folds
    if card.fixed_folds is not None:
        fixed, folds = card.fixed_folds[0] * card.fixed_folds[1], card.fixed_folds[1]
    elif folds is None and (card.repeated_folds or card.shape is Shape.RUNS):
        folds = FOLDS
    guess = replace(guess, correlation=assumed_correlation(card, guess.correlation))
    if guess.folds is not None and not has_folds(card):
        raise UsageError(f"{card.name} has no folds to choose: leave the number of folds out.")
    step = folds if folds is not None and card.level is Level.RESAMPLES else 1
    design = TableDesign(card.level, card.paired, card.binary, folds, card.shape, card.strata)
    simulation = PowerSimulation(card.name, design, guess, options, replications, seed)
    unit = "folds" if folds and step > 1 else "clusters" if card.clustered and not card.strata else _UNIT[card.level]
    return Method(
        card.name,
        card.title,
        f"simulated, {count(replications)} replications, seed {seed}",
        unit if card.paired or design.shape == Shape.RUNS else f"{unit} of each learner",
        simulation.chance,
        least=fixed or _least(card, design, guess, step),
        most=fixed or LARGEST_SIMULATED * (10 if design.level is Level.INSTANCES else 1),
        step=fixed or step,
        largest=_largest(design, guess),
        reaches=simulation.reaches,
        assumptions=_assumed(design, guess),
    )


def assumed_correlation(card: Card, correlation: float | None) -> float | None:
    """The correlation between folds: as guessed, or none where training sets are disjoint halves."""
    halves = card.fixed_folds is not None and card.fixed_folds[1] == 2
    return 0.0 if correlation is None and halves else correlation


def has_folds(card: Card) -> bool:
    """Whether there is a number of folds to choose: of each cross-validation, or of runs on each task."""
    return card.fixed_folds is None and (card.level is Level.RESAMPLES or card.shape is Shape.RUNS)


def _complete(card: Card, guess: Guess) -> Guess:
    """The guess, if all is said that the test cannot do without."""
    if guess.learners < 2:
        raise UsageError(f"{card.name} compares learners: at least two; found {guess.learners}.")
    shape = card.shape
    if card.clustered and not card.strata:
        said_of_clusters(card, guess)
    if shape == Shape.SCORES and guess.auc is None:
        raise UsageError(f"{card.name} needs a guess of the smaller area under the ROC curve: auc, e.g. 0.8.")
    if shape == Shape.HOLES:
        room = (guess.learners - 2) / guess.learners
        if guess.absent is None:
            raise UsageError(
                f"{card.name} needs a guess of the share of scores that will be missing: absent, e.g. 0.1. If none "
                "will be, plan with friedman."
            )
        if guess.absent > room:
            raise UsageError(
                f"Two of {guess.learners} learners at least are there on each task, so that a share of "
                f"{number(room)} at most can be missing; found {number(guess.absent)}."
            )
    return replace(guess, error=error_rate(card, guess)) if card.binary else guess


def _largest(design: TableDesign, guess: Guess) -> float:
    """The largest difference that there can be."""
    if design.shape == Shape.SCORES and guess.auc is not None:
        return 1 - guess.auc
    return guess.error if design.binary and guess.error is not None else np.inf


def _least(card: Card, design: TableDesign, guess: Guess, step: int) -> int:
    """The fewest blocks on which the procedure works at all."""
    for n in range(step, 100, step):
        if n < 2:
            continue
        scores = simulated_table(design, guess, n, 0.0, np.random.default_rng(0))
        reasons = unmet_needs(card, layout(scores, scores.measure.labels[0], level=card.level), essential_only=True)
        if not reasons:
            return n
    raise UsageError(f"{card.name} cannot be simulated on this design: {'; '.join(reasons)}.")


def _assumed(design: TableDesign, guess: Guess) -> tuple[str, ...]:
    if design.binary:
        rate = f"the worse error rate is {number(guess.error or 0.0)}"
        if guess.discordant is not None and design.paired:
            rate += f", and the best and the worst disagree on {number(100 * guess.discordant, 3)} % of the instances"
        return (rate,)
    if design.shape in (Shape.SCORES, Shape.SQUARES):
        return _of_shape(design, guess)
    law = "normal" if guess.residuals is None else "as in the pilot, drawn again with replacement"
    what = "differences" if design.paired else "values"
    rho = design.correlation(guess)
    folds = (
        f", any two folds with the correlation {number(rho, 3)}" if design.folds and design.shape != Shape.RUNS else ""
    )
    sentences = (f"{what} are {law}{folds}", *_of_shape(design, guess))
    if guess.learners > 2:
        how = "the first is better than all others" if guess.pattern == "one" else "learners lie at equal distances"
        return (*sentences, how)
    return sentences


def _of_shape(design: TableDesign, guess: Guess) -> tuple[str, ...]:
    """What more is taken for granted of tables that are not plain."""
    if design.shape == Shape.SCORES:
        rho = guess.correlation or 0.0
        alone = "" if guess.correlation is not None else ", though learners mostly order instances alike: guess the "
        return (
            f"the smaller area under the ROC curve is {number(guess.auc or 0.5)}, and {number(100 * guess.positives)} "
            "% of the instances are positive",
            f"within a class scores are normal, those of two learners with the correlation {number(rho)}"
            + (f"{alone}correlation for a smaller answer" if alone else ""),
        )
    if design.shape == Shape.HOLES:
        return (f"{number(100 * (guess.absent or 0.0))} % of the scores are missing at random",)
    if design.shape == Shape.RUNS:
        return (
            f"each learner has {design.folds} runs of its own on each task",
            "learners differ alike on all tasks",
        )
    if design.shape == Shape.MEASURES:
        return distance_note(guess)
    if design.shape == Shape.CLUSTERS and not design.strata:
        return (
            f"a cluster holds {number(guess.cluster_size or 1)} instances, any two of them with the correlation "
            f"{number(guess.correlation or 0.0, 3)}",
        )
    if design.shape == Shape.SQUARES:
        return ("errors are normal with mean zero", "the difference is that of logarithms of mean squared errors")
    return ()
