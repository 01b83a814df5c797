"""Asking about power: how many blocks, how small a difference, or how likely to find it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial
from math import isfinite, isnan, sqrt
from typing import Any

from bakeoff.errors import DegenerateError, UsageError
from bakeoff.judging.request import apply_fallback, checked_level, checked_missing, checked_options
from bakeoff.mathematics.checks import choice
from bakeoff.mathematics.laws import normal_quantile
from bakeoff.power_analysis.answer import Pessimistic, Power, smallest_p
from bakeoff.power_analysis.guess import FIRST_STEP, Guess, own_scale
from bakeoff.power_analysis.methods import Method, assumed_correlation, card_of, has_folds, method_for, usual_find
from bakeoff.power_analysis.pilot import (
    CORRELATION,
    DISCORDANT,
    ERROR_RATE,
    SD,
    Pilot,
    about_pilot,
    pilot_for,
    with_runs,
)
from bakeoff.power_analysis.solve import (
    Point,
    check_power,
    curve_over_difference,
    curve_over_n,
    point,
    smallest_difference,
    smallest_n,
)
from bakeoff.procedures import procedures
from bakeoff.procedures.card import Card, Compares, PowerFormula, Shape
from bakeoff.scores import Missing, Scores
from bakeoff.text import number

# ----------------------------------------------------------------------------------------------------------------------
# What was said about an experiment, made into a guess: checked, and filled up from a pilot.


def guess_for(
    card: Card,
    seen: Pilot | None,
    *,
    sd: float | None,
    error: float | None,
    discordant: float | None,
    correlation: float | None,
    folds: int | None,
    learners: int | None,
    pattern: str,
    find: str | None,
    alpha: float,
    one_sided: bool,
    noise: str,
    auc: float | None = None,
    positives: float | None = None,
    measures: int | None = None,
    absent: float | None = None,
    ratio: float | None = None,
    cluster_size: float | None = None,
) -> Guess:
    """The guess; what was not said is the pilot's, or the usual."""
    if folds is not None and not has_folds(card):
        raise UsageError(f"{card.name} has no folds to choose: leave the number of folds out.")
    _check_own(card, auc=auc, positives=positives, measures=measures, absent=absent, cluster_size=cluster_size)
    given: dict[str, Any] = {
        "error": error,
        "discordant": discordant,
        "auc": auc,
        "positives": positives,
        "absent": absent,
    }
    given |= {"ratio": ratio}
    given |= {"folds": folds, "learners": learners, "measures": measures, "correlation": correlation}
    given |= {"cluster_size": cluster_size, "cluster_spread": None}
    if seen is not None:
        given |= {name: value for name, value in _of_pilot(card, seen).items() if given[name] is None}
    if card.compares is Compares.ONE:
        given["learners"] = 1
    elif given["learners"] is None:
        given["learners"] = 3 if card.compares is Compares.MANY else 2
    guess = Guess(
        sd=_sd(sd, seen, discordant if card.power is PowerFormula.CLUSTERS else None),
        pattern=pattern,
        find=find or usual_find(card),
        alpha=alpha,
        sides=1 if one_sided else 2,
        residuals=_residuals(noise, seen, sd),
        **{name: value for name, value in given.items() if value is not None},
    )
    columns = guess.learners if guess.residuals is None else guess.residuals.shape[1]
    if columns != guess.learners:
        raise UsageError(f"noise = pilot has the pilot's {columns} learners; found {guess.learners}: leave them out.")
    if one_sided and guess.find == "global":
        raise UsageError("A test of all learners at once has no sides: leave one-sided out, or find a pair.")
    return guess


def _of_pilot(card: Card, seen: Pilot) -> dict[str, Any]:
    """What a pilot says of the things that a guess is about; None where it says nothing."""
    rates = {"error": seen.error, "auc": seen.auc, "positives": seen.positives, "absent": seen.absent}
    values: dict[str, Any] = {name: None if isnan(rate) else rate for name, rate in rates.items()}
    return values | {
        "discordant": _discordant(seen),
        "folds": seen.folds if has_folds(card) else None,
        "learners": len(seen.learners),
        "measures": seen.measures,
        "correlation": seen.value if seen.varies == CORRELATION else None if isnan(seen.icc) else seen.icc,
        "ratio": seen.ratio if card.power is PowerFormula.FOLDS else None,
        "cluster_size": None if isnan(seen.cluster_size) else seen.cluster_size,
        "cluster_spread": seen.cluster_spread,
    }


# Which guesses are for which tables.
_OF_SHAPE = {
    "auc": Shape.SCORES,
    "positives": Shape.SCORES,
    "measures": Shape.MEASURES,
    "absent": Shape.HOLES,
    "cluster_size": Shape.CLUSTERS,
}


def _check_own(card: Card, **options: object) -> None:
    for name, value in options.items():
        if value is not None and card.shape is not _OF_SHAPE[name]:
            tests = ", ".join(sorted(other.name for other in procedures() if other.card.shape is _OF_SHAPE[name]))
            raise UsageError(f"{name} is a guess for {tests}, and {card.name} has no use for it: leave it out.")


def chosen_card(test: str | None, pilot: Scores | None, measure: str | None, level: str | None) -> Card:
    if test is not None:
        return card_of(test)
    if pilot is None:
        raise UsageError("Name a test (t, sign, mcnemar, wilcoxon, friedman, …) or give the scores of a pilot.")
    from bakeoff.judging import advise

    advice = advise(pilot, measure=measure, level=level)
    if not advice.recommended:
        raise UsageError(f"{advice.summary} Name a test.")
    return card_of(advice.recommended)


def _sd(sd: float | None, seen: Pilot | None, discordant: float | None = None) -> float:
    """The sd as it was said, of the pilot, or of answers that are right or wrong: the root of their discordance."""
    if sd is not None:
        return float(sd)
    if discordant is not None and seen is None:
        return float(sqrt(discordant))
    return seen.value if seen is not None and seen.varies == SD else 1.0


def _discordant(seen: Pilot) -> float | None:
    return seen.value if seen.varies == DISCORDANT and 0 < seen.value < 1 else None


def _residuals(noise: str, seen: Pilot | None, sd: float | None) -> Any:
    if choice(noise, ("normal", "pilot"), "kind of noise") == "normal":
        return None
    if seen is None or seen.residuals is None:
        raise UsageError("noise = pilot takes the noise from the scores of a pilot, and there are none: give a pilot.")
    return seen.residuals * (1.0 if sd is None else sd / seen.value)


def stated_difference(
    difference: float | str | None, wins: float | None, card: Card, guess: Guess, standardised: bool
) -> float | None:
    """The difference in the unit of the sd, however it was said."""
    if wins is not None:
        if difference is not None or card.power is not PowerFormula.SIGNS:
            raise UsageError("wins, the chance to win on a task, is for the sign test, and in place of a difference.")
        if not 0.5 < wins < 1:
            raise UsageError(f"The chance that the better one wins lies between 0.5 and 1; found {wins!r}.")
        return guess.sd * normal_quantile(wins)
    if difference is None:
        return None
    value, in_sd = read_difference(difference)
    if in_sd and own_scale(card):
        raise UsageError(f"{card.name} {own_scale(card)}.")
    if standardised and not in_sd:
        raise UsageError(
            f"Whether a difference of {number(value)} is large depends on how much scores vary: say the sd of the "
            f"differences (--sd 0.05), or the difference in its unit (--difference {number(value)}sd), or give a pilot."
        )
    return value * guess.sd if in_sd else value


def read_difference(difference: float | str) -> tuple[float, bool]:
    """A difference as people say it: a number, and whether it is one of standard deviations."""
    text = str(difference).strip().lower()
    try:
        value = float(text.removesuffix("sd"))
    except ValueError:
        raise UsageError(f"A difference is a number, or a number of sds such as 0.5sd; found {difference!r}.") from None
    if not (isfinite(value) and value > 0):
        raise UsageError(
            f"The difference to find is a positive number: how much better is better; found {difference!r}."
        )
    return value, text.endswith("sd")


# ----------------------------------------------------------------------------------------------------------------------


POWER = 0.8


def power(
    test: str | None = None,
    *,
    n: int | None = None,
    difference: float | str | None = None,
    power: float | None = None,
    sd: float | None = None,
    wins: float | None = None,
    error: float | None = None,
    discordant: float | None = None,
    correlation: float | None = None,
    folds: int | None = None,
    auc: float | None = None,
    positives: float | None = None,
    measures: int | None = None,
    absent: float | None = None,
    cluster_size: float | None = None,
    learners: int | None = None,
    pattern: str = "one",
    find: str | None = None,
    alpha: float = 0.05,
    one_sided: bool = False,
    pilot: Scores | None = None,
    measure: str | None = None,
    level: str | None = None,
    missing: str | Missing = Missing.ERROR,
    noise: str = "normal",
    runs: str | None = None,
    curve: bool | None = None,
    simulate: bool = False,
    replications: int = 1000,
    seed: int = 0,
    **options: Any,
) -> Power:
    """How many blocks a test needs, how small a difference it finds, or how likely it is to find one.

    Of `n`, `difference` and `power` give two; the third is found (a power of 0.8 is wanted if only one is given). A
    test is named as `bakeoff procedures` has it, or "t", "z", "proportions". Its power is computed by a formula where
    an exact one is known, and otherwise simulated: `replications` tables as the guess has them, the same for the same
    `seed`. `simulate` asks for that in any case. `options` are the procedure's own.

    The guess: `sd` of the differences of two learners from block to block (or differences in its unit, "0.5sd"); for
    the sign test `wins`, the chance to win; for right and wrong answers `error`, the worse error rate, and
    `discordant`, the share of instances on which exactly one is right; `correlation` between `folds`; of areas under
    ROC curves the smaller one, `auc`, the share of `positives`, and the `correlation` of scores within a class; how
    many `measures` are compared at once; the share of scores that will be `absent`; of clusters the `cluster_size` and
    the `correlation` of two instances of one (n then counts clusters); how many `learners`, in which
    `pattern`, and what to `find`: "pair", "any", "all" or "global". Or a `pilot`: scores from which sd and rates are
    taken; the answer then also says what if the pilot was lucky. With `noise` "pilot" what is simulated varies as the
    pilot did, instead of normally; `runs` says what the runs of the pilot are, if its table does not (see `advise`). A
    `curve` comes along unless it would have to be simulated and was not asked for.

    >>> result = power("t", difference=0.02, sd=0.05)
    >>> result.n, round(result.power, 4)
    (52, 0.8078)
    >>> round(power("t", n=20, sd=0.05).difference, 4)
    0.033
    >>> power("sign", n=10, wins=0.8, one_sided=True).sentence
    'With 10 tasks, a difference of 0.8416 sd is found with a power of 0.376; it is missed with a probability of 0.624.'
    """
    pilot = with_runs(pilot, runs, options)
    card = chosen_card(test, pilot, measure, level)
    seen = None
    if pilot is not None:
        seen = pilot_for(
            pilot, card, measure=measure, level=checked_level(level), missing=checked_missing(missing),
            correlation=assumed_correlation(card, correlation),
        )  # fmt: skip
    guess = guess_for(
        card, seen, sd=sd, error=error, discordant=discordant, correlation=correlation, folds=folds, learners=learners,
        pattern=pattern, find=find, alpha=alpha, one_sided=one_sided, noise=noise, auc=auc, positives=positives,
        measures=measures, absent=absent, ratio=_ratio(card, options, simulate, noise), cluster_size=cluster_size,
    )  # fmt: skip
    unsaid = sd is None and (discordant is None or card.power is not PowerFormula.CLUSTERS)
    standardised = unsaid and (seen is None or seen.is_difference) and not own_scale(card)
    target = PowerTarget(n, stated_difference(difference, wins, card, guess, standardised), power)
    own = checked_options(card, options) if options else {}
    answer = apply_fallback(card, guess.learners, None, {name: own[name] for name in options})
    card = answer.card
    own_way: Any = {"options": answer.options, "simulate": simulate, "replications": replications, "seed": seed}
    method = partial(method_for, card, **own_way)
    target = target.settled(n is None and difference is None, seen)
    outcome = _answer(card, guess, target, method, standardised, curve, seen)
    warnings = (*about_pilot(pilot, card, measure, level, missing), *outcome.warnings)
    notes = (answer.because, *outcome.notes) if answer.instead_of else outcome.notes
    return replace(outcome, warnings=warnings, notes=notes)


def _ratio(card: Card, options: dict[str, Any], simulate: bool, noise: str) -> float | None:
    """The ratio of test to training size, which the formula takes; other options of a procedure are simulated."""
    by_formula = card.power is PowerFormula.FOLDS and not simulate and noise == "normal"
    return options.pop("ratio", None) if by_formula else None


@dataclass(frozen=True, slots=True)
class PowerTarget:
    """Two of three; the third is asked for."""

    n: int | None
    difference: float | None
    power: float | None

    def settled(self, nothing_given: bool, seen: Pilot | None) -> PowerTarget:
        """With the usual power, and of a pilot the difference seen, where nothing else was said."""
        target = self
        if nothing_given and target.difference is None and seen is not None and seen.difference > 0:
            target = replace(target, difference=seen.difference)
        given = [name for name in ("n", "difference", "power") if getattr(target, name) is not None]
        if len(given) == 3:
            raise UsageError(
                "Of n, difference and power two are given and the third is found; found all three. Leave out the one "
                "that you want to know."
            )
        if target.power is not None:
            check_power(target.power)
        if not given or given == ["power"]:
            raise UsageError(
                "Say what the experiment is to find (difference) or how large it is (n), e.g. --difference 0.02 or "
                "--n 20; what is not given is found."
            )
        return target if len(given) == 2 else replace(target, power=POWER)

    @property
    def unknown(self) -> str:
        return next(name for name in ("n", "difference", "power") if getattr(self, name) is None)

    def solve(self, method: Method, scale: float) -> Point:
        """All three, and the Monte-Carlo error of the power."""
        if self.n is not None:
            _check_n(self.n, method)
        if self.difference is not None and self.difference > method.largest * (1 + 1e-9):
            raise UsageError(
                f"A difference of {number(self.difference)} is more than there can be: error rates, and the share of "
                f"instances on which the two disagree, leave room for {number(method.largest)}."
            )
        n, difference = self.n, self.difference
        if n is None and difference is not None and self.power is not None:
            n = smallest_n(method, difference, self.power)
        elif difference is None and n is not None and self.power is not None:
            difference = smallest_difference(method, n, self.power, scale)
        assert n is not None  # settled() sees to it
        assert difference is not None
        return point(method, n, difference)


def _answer(
    card: Card,
    guess: Guess,
    target: PowerTarget,
    method_of: Callable[[Guess], Method],
    standardised: bool,
    curve: bool | None,
    seen: Pilot | None,
) -> Power:
    method = method_of(guess)
    scale = guess.sd if not own_scale(card) else FIRST_STEP
    at = target.solve(method, scale)
    drawn: tuple[Point, ...] = ()
    if curve or (curve is None and not method.simulated):
        over = curve_over_difference if target.unknown == "difference" or method.least == method.most else curve_over_n
        drawn = over(method, at.n, at.difference)
    # McNemar's is that of discordant instances, Skillings and Mack's that of pairs.
    without = card.power is PowerFormula.DISCORDANT or (card.shape is Shape.HOLES and guess.find == "global")
    least = None if without else smallest_p(
        card.name, at.n, learners=guess.learners, alpha=guess.alpha, sides=guess.sides,
        tests=guess.pairs if card.compares is Compares.PAIR else 1,
    )  # fmt: skip
    warnings = (least.sentence,) if least is not None and not least.in_reach else ()
    assumptions = method.assumptions
    if not own_scale(card):
        what = "sd of the differences" if card.paired and card.compares is not Compares.ONE else "sd of the values"
        assumptions = (
            f"{what} {'1 (differences are in its unit)' if standardised else number(guess.sd)}",
            *assumptions,
        )
    return Power(
        procedure=card.name,
        title=method.title,
        solved_for=target.unknown,
        wanted=target.power,
        at=at,
        blocks=method.blocks,
        how=method.how,
        guess=guess,
        standardised=standardised,
        assumptions=assumptions,
        notes=_notes(card, method, target, at, seen, guess),
        warnings=warnings,
        curve=drawn,
        smallest_p=least,
        pilot=seen,
        pessimistic=_pessimistic(guess, target, method_of, scale, seen),
    )


def _notes(
    card: Card, method: Method, target: PowerTarget, at: Point, seen: Pilot | None, guess: Guess
) -> tuple[str, ...]:
    notes = []
    if card.power in (PowerFormula.FOLDS, PowerFormula.NAIVE_FOLDS) and not method.simulated:
        false = guess.sides * method.chance(at.n, 0.0).power
        if false > 1.1 * guess.share:
            notes.append(
                f"Without any difference this test claims one with a probability of {number(false, 3)}, not "
                f"{number(guess.share)}, because folds are correlated: its power is bought with false claims."
            )
    if method.tooth and target.unknown == "n":
        notes.append(
            f"The power of this test goes up and down with n, because its p jumps; from {at.n} {method.blocks} on it "
            "stays above."
        )
    if seen is not None and target.difference == seen.difference:
        notes.append(
            "The difference is the one that the pilot saw between its two best, which is likely to be too large. "
            "Better say the smallest difference that would matter (--difference)."
        )
    return tuple(notes)


def _pessimistic(
    guess: Guess, target: PowerTarget, method_of: Callable[[Guess], Method], scale: float, seen: Pilot | None
) -> Pessimistic | None:
    if seen is None or seen.varies == ERROR_RATE:
        return None
    if seen.is_difference:
        return _unlucky_difference(guess, target, method_of, scale, seen)
    if seen.varies == SD:
        stretch = seen.upper / seen.value
        noise = None if guess.residuals is None else guess.residuals * stretch
        worse = replace(guess, sd=guess.sd * stretch, residuals=noise)
        value = worse.sd
    elif seen.varies == CORRELATION:
        worse, value = replace(guess, correlation=seen.unlucky), seen.unlucky
    else:
        worse, value = replace(guess, discordant=seen.upper), seen.upper
    try:
        return Pessimistic(seen.varies, value, target.solve(method_of(worse), scale))
    except (DegenerateError, UsageError) as refused:
        return Pessimistic(seen.varies, value, None, str(refused))


def _unlucky_difference(
    guess: Guess, target: PowerTarget, method_of: Callable[[Guess], Method], scale: float, seen: Pilot
) -> Pessimistic | None:
    """Where the difference is the pilot's own, the same for the smallest one that it does not exclude."""
    if target.difference != seen.difference:
        return None
    if seen.lower <= 0:
        return Pessimistic(seen.varies, seen.lower, None, "there is nothing to find.")
    try:
        return Pessimistic(
            seen.varies, seen.lower, replace(target, difference=seen.lower).solve(method_of(guess), scale)
        )
    except (DegenerateError, UsageError) as refused:
        return Pessimistic(seen.varies, seen.lower, None, str(refused))


def _check_n(n: int, method: Method) -> None:
    if isinstance(n, bool) or not isinstance(n, int) or n < 1:
        raise UsageError(f"n, the number of {method.blocks}, is a whole number, one at least; found {n!r}.")
    if not method.least <= n <= method.most:
        if method.least == method.most:
            raise UsageError(f"{method.title} has {method.least} {method.blocks}, neither more nor less; found {n}.")
        side = f"at least {method.least}" if n < method.least else f"at most {method.most}, where it is simulated"
        raise UsageError(f"{method.title} needs {side} {method.blocks}; found {n}.")
    if n % method.step:
        raise UsageError(f"The number of {method.blocks} is a multiple of {method.step}, a repeat each; found {n}.")
