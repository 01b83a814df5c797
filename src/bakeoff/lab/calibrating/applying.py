"""Procedures × experiments: what each procedure claims in each of many simulated experiments.

A procedure is called on arrays, as `analyse` would call it after reading a table: a thousand tables of the same design
need not be read a thousand times.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from math import isnan, nan
from typing import Any

from bakeoff.contrasts import contrasts
from bakeoff.errors import DegenerateError, MisfitError, UsageError
from bakeoff.evidence import SINGLE_STEP, compare_decided, compare_estimates
from bakeoff.judging.advice import unmet_needs
from bakeoff.judging.request import checked_options
from bakeoff.lab.calibrating.experiments import MANY_FITS, Array, Experiments, RowByRow
from bakeoff.procedures.card import Answers, Compares
from bakeoff.procedures.result import Many, Procedure, Result
from bakeoff.registry import procedure_named, procedures
from bakeoff.scores import Layout, Scores, blocks, layout

# Monte-Carlo procedures draw less often than in a single analysis: their own error averages out over experiments.
_FEWER: dict[str, Any] = {"resamples": 1999, "samples": 5000}
_SEED = "seed"
_LEARNERS = ("learner 1", "learner 2")


@dataclass(frozen=True)
class Chosen:
    """A procedure, what it reads off the design, and every reason that the advisor has against it; `on_answers` if it
    reads the answers on single rows instead of the blocks."""

    procedure: Procedure
    options: Mapping[str, Any]
    unmet: tuple[str, ...]
    on_answers: bool = False

    @property
    def name(self) -> str:
        return self.procedure.name


@dataclass(frozen=True)
class Claims:
    """In how many experiments a difference was claimed; and how often the interval
    covered zero, among those that have one. `refused` ones had no statistic, and claim nothing."""

    experiments: int
    claimed: int
    with_interval: int
    covered: int
    refused: int


def chosen_for(experiments: Experiments, names: Sequence[str] | None = None) -> tuple[Chosen, ...]:
    """The procedures named, or all that can read experiments of this design, whether or not the advisor would.

    What cannot read the blocks may read the answers on single rows, where the experiments have them.
    """
    facts = layout(experiments.scores)
    readers = [_reader(experiments.scores, facts, on_answers=False)]
    if experiments.answers is not None:
        readers.append(_reader(experiments.answers.scores, layout(experiments.answers.scores), on_answers=True))

    def chosen(procedure: Procedure) -> Chosen | None:
        return next((made for read in readers if (made := read(procedure)) is not None), None)

    if names is None:
        found = tuple(made for procedure in procedures() if (made := chosen(procedure)) is not None)
        if not found:
            raise MisfitError(f"No procedure can be calibrated on {facts.sentence}.")
        return found
    asked = []
    for name in dict.fromkeys(names):
        procedure = procedure_named(name)
        made = chosen(procedure)
        if made is None:
            able = [other.name for other in procedures() if chosen(other) is not None]
            raise MisfitError(
                f"{procedure.card.title} cannot be calibrated on {facts.sentence}:",
                unmet=_against(procedure, facts),
                alternatives=[", ".join(able)] if able else [],
            )
        asked.append(made)
    if not asked:
        raise UsageError("No procedure is named. Leave --with out for all that fit.")
    return tuple(asked)


def _reader(scores: Scores, facts: Layout, *, on_answers: bool) -> Callable[[Procedure], Chosen | None]:
    """How procedures read tables of this layout; None for one that cannot."""
    sheet = blocks(scores, level=facts.level)

    def read(procedure: Procedure) -> Chosen | None:
        if _against(procedure, facts):
            return None
        given = {
            name: min(_FEWER[name], value) if name in _FEWER else value
            for name, value in checked_options(procedure.card, {}).items()
            if value is not None
        }
        unmet = (*unmet_needs(procedure.card, facts), *([MANY_FITS] if on_answers else []))
        return Chosen(procedure, {**procedure.facts(sheet, facts), **given}, unmet, on_answers)

    return read


def _against(procedure: Procedure, facts: Layout) -> tuple[str, ...]:
    """Why a procedure cannot be applied to a matrix of blocks × 2 learners."""
    card = procedure.card
    reasons = list(unmet_needs(card, facts, essential_only=True))
    if card.compares is Compares.ONE:
        reasons.append("it looks at one learner, and the question is about a difference between two")
    if card.answers is Answers.MULTIVARIATE:
        reasons.append("it compares several measures at once, and one is simulated")
    if not card.paired:
        reasons.append("it takes independent samples, and here the learners share their blocks")
    if procedure.long or procedure.within_tasks or procedure.on_predictions:
        reasons.append("it reads more than one score a block (folds of several tasks, or predictions)")
    return tuple(dict.fromkeys(reasons))


def claims_of(chosen: Chosen, values: Array, alpha: float, *, larger_is_better: bool, first: int = 0) -> Claims:
    """Apply a procedure to experiments (experiments × blocks × 2), which are numbered from `first` on.

    A procedure that draws at random draws anew in each, by the number of the experiment.
    """
    answer = _answering(chosen.procedure, alpha, larger_is_better)
    options = dict(chosen.options)
    claimed = with_interval = covered = refused = 0
    for number, table in enumerate(values, first):
        if _SEED in options:
            options[_SEED] = number
        try:
            found = answer(table, options)
        except DegenerateError:
            refused += 1
            continue
        claimed += _claims(found, alpha)
        if not (isnan(found.lower) or isnan(found.upper)):
            with_interval += 1
            covered += found.lower <= 0 <= found.upper
    return Claims(len(values), claimed, with_interval, covered, refused)


def _claims(found: Result, alpha: float) -> bool:
    """Whether a difference is claimed: by a probability of the posterior, or by p."""
    if not isnan(found.better):
        return max(found.worse, found.better) >= 1 - alpha
    return found.p <= alpha


Answer = Callable[[Array, Mapping[str, Any]], Result]


def _answering(procedure: Procedure, alpha: float, larger_is_better: bool) -> Answer:
    """From the table of an experiment to p and interval of the one pair in it."""
    if procedure.card.compares is Compares.PAIR:

        def of_pair(table: Array, options: Mapping[str, Any]) -> Result:
            made: Result = procedure.compute(table[:, 0], table[:, 1], confidence=1 - alpha, **options)
            return made

        return of_pair
    sign = -1.0 if procedure.ranks and larger_is_better else 1.0  # ranks count from the best

    def of_many(table: Array, options: Mapping[str, Any]) -> Result:
        return _pair_of(procedure, procedure.compute(sign * table, **options), alpha)

    return of_many


def _pair_of(procedure: Procedure, many: Many, alpha: float) -> Result:
    """The one pair of two learners, where a procedure for many answers about pairs; else its test of all."""
    card = procedure.card
    family = contrasts("all-pairs", _LEARNERS, (0, 1), None)
    adjust = SINGLE_STEP if card.default_adjust == SINGLE_STEP and card.single_step else "none"
    if many.decided is not None:
        found = compare_decided(many.decided, family, adjust)[0]
    elif many.estimates is not None:
        found = compare_estimates(many.estimates, family, adjust, alpha, "two-sided")[0]
    else:
        return many.tests[0] if many.tests else Result(p=nan)
    return Result(lower=found.lower, upper=found.upper, p=found.p_adjusted)


def all_claims(
    chosen: Iterable[Chosen], experiments: Experiments, alpha: float, *, jobs: int = 1
) -> list[tuple[Claims, Claims]]:
    """The claims of each procedure in the experiments without and with a difference."""
    larger = layout(experiments.scores).measure.larger_is_better
    work = []
    for one in chosen:
        read = experiments.answers if one.on_answers else experiments
        assert read is not None  # or nothing would have been chosen to read it
        work += [(one.name, dict(one.options), one.unmet, values, alpha, larger) for values in _both(read)]
    found = _in_processes(work, jobs) if jobs > 1 and len(work) > 1 else [_one(*each) for each in work]
    return list(zip(found[::2], found[1::2], strict=True))


def _both(read: Experiments | RowByRow) -> tuple[Array, Array]:
    return read.null, read.different


def _one(
    name: str, options: dict[str, Any], unmet: tuple[str, ...], values: Array, alpha: float, larger: bool
) -> Claims:
    """A procedure by its name, which travels to other processes where its functions do not."""
    return claims_of(Chosen(procedure_named(name), options, unmet), values, alpha, larger_is_better=larger)


def _in_processes(work: Sequence[tuple[Any, ...]], jobs: int) -> list[Claims]:
    from concurrent.futures import ProcessPoolExecutor

    from bakeoff.running.processes import context

    with ProcessPoolExecutor(min(jobs, len(work)), mp_context=context(1)) as pool:
        return [future.result() for future in [pool.submit(_one, *each) for each in work]]
