"""Procedures × experiments: what each procedure claims in each of many simulated experiments.

A procedure is called on arrays, as `analyse` would call it after reading a table: a thousand tables of the same design
need not be read a thousand times.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from html import escape
from math import isnan, nan, sqrt
from typing import TYPE_CHECKING, Any

from bakeoff import text
from bakeoff.calibration.designs import MANY_FITS, Array, Experiments, RowByRow
from bakeoff.calibration.table import standard_error
from bakeoff.errors import DegenerateError, MisfitError, UsageError
from bakeoff.inference.contrasts import contrasts
from bakeoff.inference.evidence import SINGLE_STEP, compare_decided, compare_estimates, compare_jointly
from bakeoff.judging.advice import unmet_needs
from bakeoff.judging.request import checked_options
from bakeoff.mathematics.laws import check_alpha
from bakeoff.procedures import explain, procedure_named, procedures
from bakeoff.procedures.card import Answers, Compares, Shape
from bakeoff.procedures.needs import sharing_training_data
from bakeoff.procedures.procedure import ManyResult, Procedure, Result
from bakeoff.records import Answer, Record
from bakeoff.scores import Layout, Scores, blocks
from bakeoff.scores import layout as read_layout
from bakeoff.text import count, listing, percent, text_table, wrapped

if TYPE_CHECKING:
    import pandas as pd

# Monte-Carlo procedures draw less often than in a single analysis: their own error averages out over experiments.
_SEED = "seed"
_LEARNERS = ("learner 1", "learner 2")


@dataclass(frozen=True)
class ProcedureChoice:
    """A procedure, what it reads off the design, and every reason that the advisor has against it; `on_answers` if it
    reads the answers on single rows instead of the blocks. `beside` are the clusters of the blocks, if it is given
    them."""

    procedure: Procedure
    options: Mapping[str, Any]
    unmet: tuple[str, ...]
    on_answers: bool = False
    beside: tuple[Any, ...] = ()

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


def chosen_for(experiments: Experiments, names: Sequence[str] | None = None) -> tuple[ProcedureChoice, ...]:
    """The procedures named, or all that can read experiments of this design, whether or not the advisor would.

    What cannot read the blocks may read the answers on single rows, where the experiments have them.
    """
    layout = read_layout(experiments.scores)
    readers = [_reader(experiments.scores, layout, on_answers=False)]
    if experiments.answers is not None:
        readers.append(_reader(experiments.answers.scores, read_layout(experiments.answers.scores), on_answers=True))

    def chosen(procedure: Procedure) -> ProcedureChoice | None:
        return next((reading for read in readers if (reading := read(procedure)) is not None), None)

    if names is None:
        all_chosen = tuple(reading for procedure in procedures() if (reading := chosen(procedure)) is not None)
        if not all_chosen:
            raise MisfitError(f"No procedure can be calibrated on {layout.sentence}.")
        return all_chosen
    columns = []
    for name in dict.fromkeys(names):
        procedure = procedure_named(name)
        choice = chosen(procedure)
        if choice is None:
            able = [other.name for other in procedures() if chosen(other) is not None]
            raise MisfitError(
                f"{procedure.card.title} cannot be calibrated on {layout.sentence}:",
                unmet=_against(procedure, layout),
                alternatives=[", ".join(able)] if able else [],
            )
        columns.append(choice)
    if not columns:
        raise UsageError("No procedure is named. Leave --with out for all that fit.")
    return tuple(columns)


def _reader(scores: Scores, layout: Layout, *, on_answers: bool) -> Callable[[Procedure], ProcedureChoice | None]:
    """How procedures read tables of this layout; None for one that cannot."""
    matrix = blocks(scores, level=layout.level)

    def read(procedure: Procedure) -> ProcedureChoice | None:
        if _against(procedure, layout):
            return None
        given = {name: value for name, value in checked_options(procedure.card, {}).items() if value is not None}
        given |= dict(procedure.card.fewer)
        unmet = (*unmet_needs(procedure.card, layout), *([MANY_FITS] if on_answers else []))
        beside = (matrix.cluster,) if procedure.card.clustered else ()
        return ProcedureChoice(
            procedure, {**procedure.arguments_from(matrix, layout), **given}, unmet, on_answers, beside
        )

    return read


def _against(procedure: Procedure, layout: Layout) -> tuple[str, ...]:
    """Why a procedure cannot be applied to a matrix of blocks × 2 learners."""
    card = procedure.card
    reasons = list(unmet_needs(card, layout, essential_only=True))
    if card.compares is Compares.ONE:
        reasons.append("it looks at one learner, and the question is about a difference between two")
    if card.answers is Answers.MULTIVARIATE:
        reasons.append("it compares several measures at once, and one is simulated")
    if not card.paired:
        reasons.append("it takes independent samples, and here the learners share their blocks")
    if procedure.card.shape in (Shape.RUNS, Shape.FOLDS, Shape.SCORES, Shape.CROSSED):
        reasons.append("it reads more than one score a block (folds of several tasks, or predictions)")
    return tuple(dict.fromkeys(reasons))


def claims_of(
    chosen: ProcedureChoice, values: Array, alpha: float, *, larger_is_better: bool, first: int = 0
) -> Claims:
    """Apply a procedure to experiments (experiments × blocks × 2), which are numbered from `first` on.

    A procedure that draws at random draws anew in each, by the number of the experiment.
    """
    answer = _answering(chosen.procedure, alpha, larger_is_better, chosen.beside)
    options = dict(chosen.options)
    claimed = with_interval = covered = refused = 0
    for number, table in enumerate(values, first):
        if _SEED in options:
            options[_SEED] = number
        try:
            result = answer(table, options)
        except DegenerateError:
            refused += 1
            continue
        claimed += _claims(result, alpha)
        if not (isnan(result.lower) or isnan(result.upper)):
            with_interval += 1
            covered += result.lower <= 0 <= result.upper
    return Claims(len(values), claimed, with_interval, covered, refused)


def _claims(result: Result, alpha: float) -> bool:
    """Whether a difference is claimed: by a probability of the posterior, or by p."""
    if not isnan(result.better):
        return max(result.worse, result.better) >= 1 - alpha
    return result.p <= alpha


_Compute = Callable[[Array, Mapping[str, Any]], Result]


def _answering(procedure: Procedure, alpha: float, larger_is_better: bool, beside: tuple[Any, ...] = ()) -> _Compute:
    """From the table of an experiment to p and interval of the one pair in it. `beside` goes with every table."""
    if procedure.card.compares is Compares.PAIR:

        def of_pair(table: Array, options: Mapping[str, Any]) -> Result:
            result: Result = procedure.compute(table[:, 0], table[:, 1], *beside, confidence=1 - alpha, **options)
            return result

        return of_pair
    sign = -1.0 if procedure.card.ranks and larger_is_better else 1.0  # ranks count from the best

    def of_many(table: Array, options: Mapping[str, Any]) -> Result:
        return _pair_of(procedure, procedure.compute(sign * table, *beside, **options), alpha)

    return of_many


def _pair_of(procedure: Procedure, many: ManyResult, alpha: float) -> Result:
    """The one pair of two learners, where a procedure for many answers about pairs; else its test of all."""
    card = procedure.card
    family = contrasts("all-pairs", _LEARNERS, (0, 1), None)
    adjust = SINGLE_STEP if card.default_adjust == SINGLE_STEP and card.single_step else "none"
    if many.decided is not None:
        comparison = compare_decided(many.decided, family, adjust)[0]
    elif many.estimates is not None:
        comparison = compare_estimates(many.estimates, family, adjust, alpha, "two-sided")[0]
    elif many.joint is not None:
        tested = many.joint.test(family.matrix, alpha, "two-sided")
        comparison = compare_jointly(many.joint, tested, family, SINGLE_STEP, alpha, "two-sided")[0]
    else:
        return many.tests[0] if many.tests else Result(p=nan)
    return Result(lower=comparison.lower, upper=comparison.upper, p=comparison.p_adjusted)


def all_claims(
    chosen: Iterable[ProcedureChoice], experiments: Experiments, alpha: float, *, jobs: int = 1
) -> list[tuple[Claims, Claims]]:
    """The claims of each procedure in the experiments without and with a difference."""
    larger = read_layout(experiments.scores).measure.larger_is_better
    work = []
    for one in chosen:
        read = experiments.answers if one.on_answers else experiments
        assert read is not None  # or nothing would have been chosen to read it
        work += [(one.name, dict(one.options), one.unmet, one.beside, values, alpha, larger) for values in _both(read)]
    claims = _in_processes(work, jobs) if jobs > 1 and len(work) > 1 else [_one(*each) for each in work]
    return list(zip(claims[::2], claims[1::2], strict=True))


def _both(read: Experiments | RowByRow) -> tuple[Array, Array]:
    return read.null, read.different


def _one(
    name: str,
    options: dict[str, Any],
    unmet: tuple[str, ...],
    beside: tuple[Any, ...],
    values: Array,
    alpha: float,
    larger: bool,
) -> Claims:
    """A procedure by its name, which travels to other processes where its functions do not."""
    chosen = ProcedureChoice(procedure_named(name), options, unmet, beside=beside)
    return claims_of(chosen, values, alpha, larger_is_better=larger)


def _in_processes(work: Sequence[tuple[Any, ...]], jobs: int) -> list[Claims]:
    from concurrent.futures import ProcessPoolExecutor

    from bakeoff.running.processes import context

    with ProcessPoolExecutor(min(jobs, len(work)), mp_context=context(1)) as pool:
        return [future.result() for future in [pool.submit(_one, *each) for each in work]]


# ----------------------------------------------------------------------------------------------------------------------
# What a calibration found: size, coverage and power of each procedure, and which of them to trust on this design.


HOLDS, LIBERAL, CONSERVATIVE = "holds", "liberal", "conservative"
# A size this many Monte-Carlo standard errors from α is not put down to chance.
_ERRORS_AWAY = 2.0


@dataclass(frozen=True, eq=False)
class ProcedureCalibration(Record):
    """One procedure. `size` is the share of experiments without a difference in which it claims one, `power` that of
    the experiments with one; each `…_error` is a Monte-Carlo standard error. `against` are the advisor's reasons
    against the procedure on this design, `posterior` tells that it claims no level, `on_answers` that it reads the
    answers on single rows."""

    procedure: str
    title: str
    replications: int
    size: float
    size_error: float
    verdict: str
    coverage: float
    coverage_error: float
    power: float
    power_error: float
    refused: int
    against: tuple[str, ...] = ()
    posterior: bool = False
    on_answers: bool = False


@dataclass(frozen=True, eq=False)
class Calibration(Answer):
    """Which procedures may be trusted on a design. `recommended` is the most powerful one of those that hold their
    level and that the advisor has nothing against; it is empty if there is none. `because` says why."""

    source: str
    design: str
    measure: str
    how: str
    replications: int
    alpha: float
    delta: float
    difference: str
    rows: tuple[ProcedureCalibration, ...]
    recommended: str
    because: str
    notes: tuple[str, ...] = ()

    def __getitem__(self, procedure: str) -> ProcedureCalibration:
        return next(row for row in self.rows if row.procedure == procedure)

    @property
    def resolution(self) -> float:
        """How far a size may lie from α and still be put down to chance."""
        return _ERRORS_AWAY * sqrt(self.alpha * (1 - self.alpha) / self.replications)

    @property
    def sentence(self) -> str:
        """Which procedure to trust, and why."""
        return f"Recommended: {self.recommended}, {self.because}" if self.recommended else self.because

    def to_text(self) -> str:
        n = count(self.replications)
        low, high = max(self.alpha - self.resolution, 0), self.alpha + self.resolution
        lines = [
            f"{self.design}.",
            f"{self.how} {n} experiments without a difference, and {n} in which the second learner is worse by δ = "
            f"{text.number(self.delta)} in {self.measure} ({self.difference}).",
        ]
        meaning = [
            f"Size: in how many experiments without a difference one is claimed, which should be α = "
            f"{percent(self.alpha)}; ± its Monte-Carlo standard error. Sizes between {100 * low:.1f} and "
            f"{100 * high:.1f} % hold the level as far as {n} experiments can tell; liberal procedures claim what is "
            "not there, conservative ones miss what is. Coverage: how often the interval holds the true difference. "
            "Power: how often the difference δ is found.",
        ]
        if any(row.against for row in self.rows):
            meaning.append("* against the advice for this design; `bakeoff explain NAME` tells its needs.")
        if any(row.posterior for row in self.rows):
            meaning.append(
                f"† a posterior claims no level: it claims what has a probability of {percent(1 - self.alpha)}."
            )
        if any(row.on_answers for row in self.rows):
            meaning.append("‡ reads the answers on single rows, those of all folds together as if one fit gave them.")
        sentence = self.sentence
        shown = text_table(*self.table(), left=2)
        body = [*lines, "", shown, "", *meaning, *(f"Note: {note}" for note in self.notes), "", sentence]
        return "\n".join(line if "\n" in line else wrapped(line, indent="  ") for line in body)

    def table(self) -> tuple[list[str], list[list[str]]]:
        """Header and cells as they are shown: a row a procedure."""
        rows = [
            [
                row.procedure + "*" * bool(row.against) + "†" * row.posterior + "‡" * row.on_answers,
                row.verdict,
                _share(row.size, row.size_error),
                _share(row.coverage, row.coverage_error),
                _share(row.power, row.power_error),
            ]
            for row in self.rows
        ]
        return ["procedure", "level", "size", "coverage", "power at δ"], rows

    def to_frame(self) -> pd.DataFrame:
        """A row a procedure, with full precision."""
        import pandas as pd

        return pd.DataFrame([text.to_json_value(row) for row in self.rows])

    def __repr__(self) -> str:
        tried = f"{len(self.rows)} procedures on {count(self.replications)} experiments"
        return f"<Calibration of {tried}, recommended: {self.recommended or 'none'}>"

    def _repr_html_(self) -> str:
        remarks = [f"{self.design}. {self.how}", *(f"Note: {note}" for note in self.notes)]
        lines = "<br>".join(escape(line) for line in remarks)
        shown = text.html_table(*self.table(), "Calibration")
        return f"<p><b>{escape(self.sentence)}</b></p><p>{lines}</p>{shown}"


def _share(value: float, error: float) -> str:
    return "" if isnan(value) else f"{100 * value:.1f} ± {100 * error:.1f} %"


def calibrated(
    experiments: Experiments, procedures: Sequence[str] | None = None, *, alpha: float = 0.05, jobs: int = 1
) -> Calibration:
    """Apply procedures, by default all that can be, to simulated experiments."""
    alpha = check_alpha(alpha)
    chosen = chosen_for(experiments, procedures)
    claims_of_all = all_claims(chosen, experiments, alpha, jobs=jobs)
    rows = tuple(_row(one, *claims, alpha) for one, claims in zip(chosen, claims_of_all, strict=True))
    layout = read_layout(experiments.scores)
    recommended, because = _recommended(rows, experiments)
    return Calibration(
        source=layout.source,
        design=layout.sentence,
        measure=layout.measure.name,
        how=experiments.how,
        replications=experiments.replications,
        alpha=alpha,
        delta=experiments.delta,
        difference=experiments.difference,
        rows=rows,
        recommended=recommended,
        because=because,
        notes=experiments.notes,
    )


def _row(chosen: ProcedureChoice, null: Claims, different: Claims, alpha: float) -> ProcedureCalibration:
    size = null.claimed / null.experiments
    return ProcedureCalibration(
        procedure=chosen.name,
        title=chosen.procedure.card.title,
        replications=null.experiments,
        size=size,
        size_error=standard_error(null.claimed, null.experiments),
        verdict=verdict_on(size, null.experiments, alpha),
        coverage=null.covered / null.with_interval if null.with_interval else nan,
        coverage_error=standard_error(null.covered, null.with_interval) if null.with_interval else nan,
        power=different.claimed / different.experiments,
        power_error=standard_error(different.claimed, different.experiments),
        refused=null.refused,
        against=chosen.unmet,
        posterior=chosen.procedure.card.posterior,
        on_answers=chosen.on_answers,
    )


def verdict_on(size: float, replications: int, alpha: float) -> str:
    """Whether a level is held, as far as so many experiments can tell.

    >>> verdict_on(0.06, 1000, 0.05), verdict_on(0.06, 10_000, 0.05), verdict_on(0.01, 1000, 0.05)
    ('holds', 'liberal', 'conservative')
    """
    away = (size - alpha) / sqrt(alpha * (1 - alpha) / replications)
    return LIBERAL if away > _ERRORS_AWAY else CONSERVATIVE if away < -_ERRORS_AWAY else HOLDS


def _recommended(rows: Sequence[ProcedureCalibration], experiments: Experiments) -> tuple[str, str]:
    """The most powerful procedure of those that hold their level; of those that cannot be told from it, the one that
    the advisor prefers. What is known to exceed its level is not recommended, lest a hundred lucky experiments do."""
    layout = read_layout(experiments.scores)
    able = [
        row
        for row in rows
        if row.verdict != LIBERAL and not row.against and not row.posterior and not explain(row.procedure).exceeds_level
    ]
    if experiments.breaks_dependence:
        # Only those can be trusted that make up for what the simulation leaves out.
        able = [row for row in able if _makes_up(row.procedure)]
    if not able:
        return "", "None of these procedures can be recommended: none holds its level here and fits the design."
    top = max(able, key=lambda row: row.power)
    alike = [row for row in able if top.power - row.power <= 2 * top.power_error]
    best = min(alike, key=lambda row: explain(row.procedure).rank_for(layout))
    others = [row.procedure for row in alike if row is not best]
    which = f" of the {len(able)} that fit this design and hold their level"
    because = f"the most powerful ({100 * best.power:.0f} %){which}" if len(able) > 1 else "the only one"
    if others:
        because = f"whose power ({100 * best.power:.0f} %) cannot be told from the largest{which}"
        because += f", nor can that of {listing(others)}"
    elif len(able) == 1:
        because += " that fits this design and holds its level"
    more = [" It makes up for shared training rows."] if experiments.breaks_dependence else []
    more += [
        f" {row.procedure} is not recommended whatever is found: it exceeds its level on designs of this kind."
        for row in rows
        if explain(row.procedure).exceeds_level and row.verdict != LIBERAL
    ]
    return best.procedure, f"{because}." + "".join(more)


def _makes_up(procedure: str) -> bool:
    asks = sharing_training_data.asks
    return any(need.asks == asks for need in explain(procedure).needs)
