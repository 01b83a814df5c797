"""Votes between pairs of models: battles of an arena, judgments of MT-bench; and its grades of single answers."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from bakeoff.errors import InputError, MisfitError
from bakeoff.formats.format import RECORDS, TABLE, Format, ScorePart, Sign
from bakeoff.formats.sources import ScoreFile
from bakeoff.text import listing

FIRST, SECOND, TIE = "first", "second", "tie"
_WINNERS = {"model_a": FIRST, "model_b": SECOND, "model_1": FIRST, "model_2": SECOND, "tie": TIE, "both_bad": TIE}
_NO_ANSWER = frozenset({"error", "none", "null", "nan", ""})
_BATTLE, _JUDGMENT = ("model_a", "model_b", "winner"), ("model_1", "model_2", "g1_winner")
_COLUMNS = ("model_a", "model_b", "winner_model_a", "winner_model_b")  # a column an outcome


@dataclass(frozen=True)
class Vote:
    """Which of two models answered better, by one judge on one question; `open` if the judge saw their names."""

    first: str
    second: str
    winner: str
    question: str = ""
    judge: str = ""
    turn: str = ""
    open: bool = False


class VotesError(MisfitError):
    """A file holds votes, where scores were asked for."""


def votes_in(source: ScoreFile) -> Iterator[Vote]:
    """The votes of a file. A pair that was judged in both orders is one vote: a tie, if the orders disagree."""
    for record in source.records() if source.content.kind == RECORDS else _rows(source):
        judge = record.get("judge") or ""
        judge = " ".join(map(str, judge)) if isinstance(judge, list) else str(judge)
        question, turn = (str(record.get(key, "")) for key in ("question_id", "turn"))
        unblind = str(record.get("anony", True)).lower() == "false"
        pair = [str(record[key]) for key in _pair_of(record, source)]
        winner = _of_both_orders(record, source) if "g1_winner" in record else _winner(record, source)
        if winner is not None:
            yield Vote(pair[0], pair[1], winner, question, judge, turn, unblind)


def _rows(source: ScoreFile) -> Iterator[dict[str, Any]]:
    """The rows of a table as records, without what is empty."""
    if source.content.kind != TABLE:
        return
    table = source.table()
    columns = [table.labels(name).values() for name in table.names]
    for cells in zip(*columns, strict=True):
        yield {name: cell for name, cell in zip(table.names, cells, strict=True) if cell}


def _pair_of(record: Mapping[str, Any], source: ScoreFile) -> tuple[str, str]:
    for keys in (_BATTLE, _JUDGMENT, _COLUMNS):
        if all(key in record for key in keys):
            return keys[0], keys[1]
    raise InputError(
        f"A vote names two models and which of them is better ({', '.join(_BATTLE)}; or {', '.join(_JUDGMENT)}), but "
        f"{listing(list(record), 6) or 'nothing'} was found. Scores of models are for `bakeoff compare`.",
        source=source.name,
    )


def _winner(record: Mapping[str, Any], source: ScoreFile) -> str | None:
    if "winner" in record:
        pair = [str(record[key]).strip().lower() for key in _BATTLE[:2]]
        return _outcome(record["winner"], source, pair)
    sides = [str(record[key]).lower() in ("1", "1.0", "true") for key in _COLUMNS[2:]]
    return TIE if sides[0] == sides[1] else FIRST if sides[0] else SECOND


def _of_both_orders(record: Mapping[str, Any], source: ScoreFile) -> str | None:
    orders = [_outcome(record.get(key), source) for key in ("g1_winner", "g2_winner")]
    if None in orders:
        return None  # an error of the judge
    return orders[0] if orders[0] == orders[1] else TIE


def _outcome(answer: object, source: ScoreFile, pair: Sequence[str] = ()) -> str | None:
    """Who won; None where the judge gave no answer. Ties have several names: "tie (bothbad)", "tie (inconsistent)".

    The winner may be called by its side, or by its own name, of which `pair` has two.
    """
    word = str(answer).strip().lower()
    if word in pair and len(set(pair)) == len(pair):
        return FIRST if word == pair[0] else SECOND
    if word in _NO_ANSWER:
        return None
    outcome = TIE if word.startswith("tie") else _WINNERS.get(word)
    if outcome is None:
        raise InputError(
            f"The winner of a vote is model_a, model_b, the name of one of the two, or tie (of judgments model_1, "
            f"model_2, tie), but {answer!r} was found.",
            source=source.name,
        )
    return outcome


def _votes(source: ScoreFile) -> Iterable[ScorePart]:
    votes = list(votes_in(source))
    models = sorted({name for vote in votes for name in (vote.first, vote.second)})
    ties = sum(vote.winner == TIE for vote in votes)
    raise VotesError(
        f"{source.name} holds {len(votes)} votes ({ties} ties) between pairs of {len(models)} models. A vote is about "
        "two models and gives none of them a score of its own, so that there is no table to compare.",
        alternatives=[f"bakeoff votes {source.name}: who is stronger, and who may be first"],
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
        Sign(RECORDS, _BATTLE, certainty=3),
        Sign(RECORDS, _JUDGMENT, certainty=3),
        Sign(TABLE, _BATTLE, certainty=3),
        Sign(TABLE, _COLUMNS, certainty=3),
    ),
    maps="first, second, winner, question, judge, turn; a pair that was judged in both orders is one vote",
    drops="conversations, votes for models whose names were shown. `bakeoff compare` ranks by votes, as "
    "`bakeoff votes` does",
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
