"""What a calibration found: size, coverage and power of each procedure, and which of them to trust on this design."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from html import escape
from math import isnan, nan, sqrt
from typing import TYPE_CHECKING, Any

from bakeoff import presentation
from bakeoff.lab.calibrating.applying import Chosen, Claims, all_claims, chosen_for
from bakeoff.lab.calibrating.experiments import Experiments
from bakeoff.lab.calibration import NOT_AT_LEVEL, standard_error
from bakeoff.mathematics.laws import check_alpha
from bakeoff.presentation import count, listing, percent, text_table, wrapped
from bakeoff.procedures.card import sharing_training_data
from bakeoff.registry import explain
from bakeoff.scores import layout

if TYPE_CHECKING:
    import pandas as pd

HOLDS, LIBERAL, CONSERVATIVE = "holds", "liberal", "conservative"
# A size this many Monte-Carlo standard errors from α is not put down to chance.
_ERRORS_AWAY = 2.0


@dataclass(frozen=True)
class Calibrated:
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


@dataclass(frozen=True)
class Calibration:
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
    rows: tuple[Calibrated, ...]
    recommended: str
    because: str
    notes: tuple[str, ...] = ()

    def __getitem__(self, procedure: str) -> Calibrated:
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
            f"{presentation.number(self.delta)} in {self.measure} ({self.difference}).",
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
        said = self.sentence
        shown = text_table(*self.table(), left=2)
        body = [*lines, "", shown, "", *meaning, *(f"Note: {note}" for note in self.notes), "", said]
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

        return pd.DataFrame([presentation.plain(row) for row in self.rows])

    def to_dict(self) -> dict[str, Any]:
        made: dict[str, Any] = presentation.plain(self)
        return made

    def to_json(self) -> str:
        return presentation.to_json(self)

    def __str__(self) -> str:
        return self.to_text()

    def __repr__(self) -> str:
        tried = f"{len(self.rows)} procedures on {count(self.replications)} experiments"
        return f"<Calibration of {tried}, recommended: {self.recommended or 'none'}>"

    def _repr_html_(self) -> str:
        said = [f"{self.design}. {self.how}", *(f"Note: {note}" for note in self.notes)]
        lines = "<br>".join(escape(line) for line in said)
        shown = presentation.html_table(*self.table(), "Calibration")
        return f"<p><b>{escape(self.sentence)}</b></p><p>{lines}</p>{shown}"


def _share(value: float, error: float) -> str:
    return "" if isnan(value) else f"{100 * value:.1f} ± {100 * error:.1f} %"


def calibrated(
    experiments: Experiments, procedures: Sequence[str] | None = None, *, alpha: float = 0.05, jobs: int = 1
) -> Calibration:
    """Apply procedures, by default all that can be, to simulated experiments."""
    alpha = check_alpha(alpha)
    chosen = chosen_for(experiments, procedures)
    found = all_claims(chosen, experiments, alpha, jobs=jobs)
    rows = tuple(_row(one, *claims, alpha) for one, claims in zip(chosen, found, strict=True))
    facts = layout(experiments.scores)
    recommended, because = _recommended(rows, experiments)
    return Calibration(
        source=facts.source,
        design=facts.sentence,
        measure=facts.measure.name,
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


def _row(chosen: Chosen, null: Claims, different: Claims, alpha: float) -> Calibrated:
    size = null.claimed / null.experiments
    return Calibrated(
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


def _recommended(rows: Sequence[Calibrated], experiments: Experiments) -> tuple[str, str]:
    """The most powerful procedure of those that hold their level; of those that cannot be told from it, the one that
    the advisor prefers. What is known to exceed its level is not recommended, lest a hundred lucky experiments do."""
    facts = layout(experiments.scores)
    able = [
        row
        for row in rows
        if row.verdict != LIBERAL and not row.against and not row.posterior and row.procedure not in NOT_AT_LEVEL
    ]
    if experiments.breaks_dependence:
        # Only those can be trusted that make up for what the simulation leaves out.
        able = [row for row in able if _makes_up(row.procedure)]
    if not able:
        return "", "None of these procedures can be recommended: none holds its level here and fits the design."
    top = max(able, key=lambda row: row.power)
    alike = [row for row in able if top.power - row.power <= 2 * top.power_error]
    best = min(alike, key=lambda row: explain(row.procedure).place(facts))
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
        if row.procedure in NOT_AT_LEVEL and row.verdict != LIBERAL
    ]
    return best.procedure, f"{because}." + "".join(more)


def _makes_up(procedure: str) -> bool:
    asks = sharing_training_data().asks
    return any(need.asks == asks for need in explain(procedure).needs)
