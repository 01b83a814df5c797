"""Votes between pairs of models: battles of an arena, judgments of MT-bench; and its grades of single answers."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from bakeoff.errors import MisfitError
from bakeoff.formats.format import RECORDS, Format, ScorePart, Sign
from bakeoff.formats.sources import ScoreFile

FIRST, SECOND, TIE = "first", "second", "tie"
_ARENA = {"model_a": FIRST, "model_b": SECOND, "tie": TIE, "tie (bothbad)": TIE}
_PAIR = {"model_1": FIRST, "model_2": SECOND, "tie": TIE}


@dataclass(frozen=True)
class Vote:
    """Which of two models answered better, by one judge on one question."""

    first: str
    second: str
    winner: str
    question: str = ""
    judge: str = ""


def votes_in(source: ScoreFile) -> Iterator[Vote]:
    """The votes of a file. A pair that was judged in both orders is one vote: a tie, if the orders disagree."""
    for record in source.records():
        judge = record.get("judge") or ""
        judge = " ".join(map(str, judge)) if isinstance(judge, list) else str(judge)
        question = str(record.get("question_id", ""))
        if "winner" in record:
            winner = _ARENA.get(str(record["winner"]))
            pair = str(record["model_a"]), str(record["model_b"])
        else:
            winner = _of_both_orders(record)
            pair = str(record["model_1"]), str(record["model_2"])
        if winner is not None:
            yield Vote(*pair, winner, question, judge)


def _of_both_orders(record: Mapping[str, Any]) -> str | None:
    orders = [_PAIR.get(str(record.get(key))) for key in ("g1_winner", "g2_winner")]
    if None in orders:
        return None  # an error of the judge
    return orders[0] if orders[0] == orders[1] else TIE


def _votes(source: ScoreFile) -> Iterable[ScorePart]:
    votes = list(votes_in(source))
    models = sorted({name for vote in votes for name in (vote.first, vote.second)})
    ties = sum(vote.winner == TIE for vote in votes)
    raise MisfitError(
        f"{source.name} holds {len(votes)} votes ({ties} ties) between pairs of {len(models)} models. A vote is about "
        "two models and gives none of them a score of its own, so that there is no table to compare."
    )


def _single(source: ScoreFile) -> Iterable[ScorePart]:
    """Grades of one answer each; −1 is a judge that failed. Both turns of a question are alike: a cluster."""
    columns: dict[str, list[object]] = {
        name: [] for name in ("learner", "instance", "question", "measure", "value", "status")
    }
    for record in source.records():
        failed = record["score"] == -1
        question = str(record["question_id"])
        cells = (
            str(record["model"]),
            f"{question} turn {record.get('turn', 1)}",
            question,
            "grade",
            None if failed else float(record["score"]),
            "error" if failed else "",
        )
        for key, cell in zip(columns, cells, strict=True):
            columns[key].append(cell)
    return [ScorePart(columns, tool="MT-bench", directions={"grade": True}, cluster="question")]


FORMAT = Format(
    name="arena",
    title="votes between models",
    signs=(
        Sign(RECORDS, ("model_a", "model_b", "winner"), certainty=3),
        Sign(RECORDS, ("model_1", "model_2", "g1_winner"), certainty=3),
    ),
    maps="first, second, winner, question, judge; a pair that was judged in both orders is one vote",
    drops="conversations. Votes are read, and not compared as scores",
    read=_votes,
)
MT_BENCH = Format(
    name="mt-bench",
    title="MT-bench grades",
    signs=(Sign(RECORDS, ("question_id", "model", "score", "turn", "judge"), certainty=3),),
    maps="learner = model, instance = question and turn, cluster = question, value = score",
    drops="judgments in words. A score of −1 is a failure of the judge",
    read=_single,
)
