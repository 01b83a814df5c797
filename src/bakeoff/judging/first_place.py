"""Which learners may be the best: a model confidence set, with the ranks that each may have.

Where the procedure draws its learners' law jointly (flips of items, clusters, runs or tasks), each learner is tested
against the hypothesis that none is better (`mathematics.joint_flips.best_by_flips`). The best learner is rejected with
a chance of at most α, so that it is among those that are not. Step-down over learners, the set holds all the best ones
at once, if several are equally good. Elsewhere both follow from the decisions about all pairs: those that no other was
shown to be better than hold all the best ones with a chance of 1 − α, too, and are more.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from bakeoff import text as show
from bakeoff.errors import UsageError
from bakeoff.judging.analysis import data_for
from bakeoff.judging.case import Case
from bakeoff.judging.judgment import verdict_on
from bakeoff.judging.request import Request
from bakeoff.judging.verdict import Verdict
from bakeoff.procedures import procedure_named
from bakeoff.procedures.card import Compares
from bakeoff.records import Answer, Record
from bakeoff.scores import Scores
from bakeoff.scores.reading import as_scores, pop_reading

if TYPE_CHECKING:
    from collections.abc import Mapping

    import pandas as pd

MOST = 200  # learners whose every pair is drawn again and again


@dataclass(frozen=True, slots=True, eq=False)
class Claimant(Record):
    """A learner: its position (mean or mean rank), the p of "none is better", and the ranks that it may have.

    `p_adjusted` is step-down over the learners. Both are None where the set follows from the decisions about pairs.
    """

    name: str
    position: float
    p: float | None
    p_adjusted: float | None
    may_be_first: bool
    may_share_it: bool
    best_rank: int
    worst_rank: int


@dataclass(frozen=True, eq=False)
class FirstPlace(Answer):
    """The learners that may be the best, and the verdict about all pairs from which their rank intervals come."""

    claimants: tuple[Claimant, ...]
    alpha: float
    jointly: bool
    verdict: Verdict

    @property
    def first(self) -> tuple[str, ...]:
        """With a chance of 1 − α the best learner is one of these (each of the best, if several are equally good)."""
        return tuple(each.name for each in self.claimants if each.may_be_first)

    @property
    def sharing(self) -> tuple[str, ...]:
        """With a chance of 1 − α all the best learners are among these, at once: the model confidence set."""
        return tuple(each.name for each in self.claimants if each.may_share_it)

    @property
    def paragraph(self) -> str:
        finding, k = self.verdict.finding, len(self.claimants)
        sure = show.percent(1 - self.alpha)
        if len(self.first) == 1:
            sentence = f"{self.first[0]} is the best of {k}, with a confidence of {sure}."
        else:
            sentence = (
                f"The best of {k} is among {len(self.first)}, with a confidence of {sure}: "
                f"{show.listing(list(self.first), 12)}. These scores do not tell which of them it is."
            )
        how = (
            "each is tested against the hypothesis that none is better"
            if self.jointly
            else "those that no other was shown to be better than, from the decisions about all pairs"
        )
        more = ""
        if self.sharing != self.first:
            more = (
                f"If several are equally good, all of them at once are among {show.listing(list(self.sharing), 12)}. "
            )
        standing = "" if self.verdict.standing is None else f"{self.verdict.standing} "
        return (
            f"{standing}{sentence} {more}By {finding.title}: {how}. The ranks that each may have hold for all at once. "
            f"The conclusion speaks about {finding.speaks_about}."
        )

    def to_text(self, most: int = 50) -> str:
        finding = self.verdict.finding
        p = ["p", "p, all at once"] if self.jointly else []
        header = ["learner", finding.position_name, "may be first", *p, "rank"]
        cells = [
            [
                each.name,
                show.number(each.position),
                "yes" if each.may_be_first else "no",
                *(show.p_value(p) for p in (each.p, each.p_adjusted) if p is not None),
                f"{each.best_rank}" if each.best_rank == each.worst_rank else f"{each.best_rank}–{each.worst_rank}",
            ]
            for each in self.claimants[:most]
        ]
        parts = [show.wrapped(self.paragraph), show.text_table(header, cells)]
        if len(self.claimants) > most:
            parts.append(f"{len(self.claimants) - most} more: --json has all.")
        parts += [show.wrapped(f"Warning {warning}", indent="  ") for warning in self.verdict.warnings]
        return "\n\n".join(parts)

    def to_frame(self) -> pd.DataFrame:
        import pandas as pd

        return pd.DataFrame([show.to_json_value(each) for each in self.claimants])

    def to_dict(self) -> dict[str, Any]:
        finding = self.verdict.finding
        return {
            "paragraph": self.paragraph,
            "first": list(self.first),
            "sharing": list(self.sharing),
            "alpha": self.alpha,
            "jointly": self.jointly,
            "procedure": finding.procedure,
            "measure": finding.measure.name,
            "learners": [show.to_json_value(each) for each in self.claimants],
            "warnings": [show.to_json_value(warning) for warning in self.verdict.warnings],
        }


def first_place(
    scores: Scores | pd.DataFrame | Mapping[str, Any],
    procedure: str | None = None,
    *,
    measure: str | None = None,
    alpha: float = 0.05,
    **request: Any,
) -> FirstPlace:
    """The learners that may be the best, with a confidence of 1 − α, and the ranks that each may have.

    Without `procedure` the advisor's choice is used. Other arguments are those of `judge`; there is no margin and no
    control: the question is about all learners.
    """
    for name in ("contrast", "control", "margin", "against", "alternative"):
        if request.get(name) is not None:
            raise UsageError(f"Who may be first is asked about all learners: there is no use for {name}.")
    table = as_scores(scores, measure, **pop_reading(request))
    case = Case(table, Request.of(procedure, measure=measure, alpha=alpha, **request))
    return _first_place(case, verdict_on(case))


def _first_place(case: Case, verdict: Verdict) -> FirstPlace:
    finding = verdict.finding
    if not verdict.ranks:
        raise UsageError(
            f"Who may be first follows from a procedure that compares all learners; {finding.procedure} does not."
        )
    p = _tested(case, verdict) if len(finding.learners) <= MOST else None
    by_pairs = set(verdict.first)
    claimants = []
    for name in verdict.ranking:
        alone, adjusted = (None, None) if p is None else p[name]
        first, shared = (name in by_pairs if each is None else each > finding.alpha for each in (alone, adjusted))
        claimants.append(Claimant(name, finding.position[name], alone, adjusted, first, shared, *verdict.ranks[name]))
    return FirstPlace(tuple(claimants), finding.alpha, p is not None, verdict)


def _tested(case: Case, verdict: Verdict) -> dict[str, tuple[float, float]] | None:
    """p of "none is better" of each learner, alone and adjusted, if the procedure draws them jointly."""
    finding = verdict.finding
    chosen = procedure_named(finding.procedure)
    card = chosen.card
    if card.compares is not Compares.MANY or not card.paired or card.takes_long_table or len(finding.learners) < 3:
        return None
    data = data_for(chosen, case.asking(procedure=finding.procedure), case.layout_for(card))
    many = chosen.compute(data.table, *data.beside, **finding.options)
    joint = getattr(many, "joint", None)
    if joint is None or joint.best is None:
        return None
    tested = joint.best(data.measure.sign)
    both = zip(map(float, tested.p), map(float, tested.p_adjusted), strict=True)
    return dict(zip(finding.learners, both, strict=True))
