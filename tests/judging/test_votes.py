"""Votes from files to a ranking: who may be first, how sure that is, and what cannot be told."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from bakeoff import rank_votes
from bakeoff.cli import main
from bakeoff.errors import InputError, MisfitError, UsageError


def battles(path: Path, strengths: dict[str, float], *, questions: int, seed: int = 1) -> Path:
    """Votes drawn from Davidson's model, one on each question."""
    rng, names = np.random.default_rng(seed), list(strengths)
    records = []
    for question in range(questions):
        i, j = rng.choice(len(names), 2, replace=False)
        a, b = np.exp(strengths[names[i]]), np.exp(strengths[names[j]])
        p = np.array([a, b, 0.3 * np.sqrt(a * b)])
        winner = str(rng.choice(["model_a", "model_b", "tie"], p=p / p.sum()))
        records.append({"question_id": question, "model_a": names[i], "model_b": names[j], "winner": winner})
    path.write_text("\n".join(map(json.dumps, records)), encoding="utf-8")
    return path


def test_the_strongest_is_found_and_the_twins_share_a_place(tmp_path):
    found = rank_votes(battles(tmp_path / "v.jsonl", {"a": 1.2, "b": 0.0, "c": 0.0, "d": -1.0}, questions=1500))
    assert found.first == ("a",)
    assert "a is first" in found.paragraph
    ranks = {each.name: (each.best_rank, each.worst_rank) for each in found.contestants}
    assert ranks["a"] == (1, 1)
    assert ranks["b"] == ranks["c"] == (2, 3)
    assert ranks["d"] == (4, 4)
    assert found.groups == (("a",), tuple(each.name for each in found.contestants[1:3]), ("d",))
    assert found.ties == pytest.approx(0.3, abs=0.1)
    assert [each.elo for each in found.contestants] == sorted((each.elo for each in found.contestants), reverse=True)


def test_few_votes_leave_the_first_place_shared(tmp_path):
    found = rank_votes(battles(tmp_path / "v.jsonl", {"a": 0.2, "b": 0.0, "c": -0.1}, questions=60))
    assert set(found.first) == {"a", "b", "c"}
    assert "First place is shared by 3" in found.paragraph


def test_votes_in_both_orders_are_one(tmp_path):
    records = [
        {"question_id": q, "judge": "j", "model_a": a, "model_b": b, "winner": "model_a"}
        for q in range(40)
        for a, b in (("x", "y"), ("y", "x"))  # whatever comes first is preferred
    ] + [{"question_id": 99, "judge": "j", "model_a": "x", "model_b": "y", "winner": w} for w in ("model_a", "model_b")]
    (tmp_path / "v.json").write_text(json.dumps(records), encoding="utf-8")
    found = rank_votes(tmp_path / "v.json", cluster="none")
    assert (found.n_votes, found.n_ties, found.n_swapped) == (41, 41, 41)
    assert not found.pairs[0].apart


def test_a_question_that_many_are_asked_counts_once(tmp_path):
    """Of twenty questions each has a favourite of its own, which fifty votes agree on: no model is stronger."""
    rng, records = np.random.default_rng(4), []
    for question in range(20):
        liked = "model_a" if rng.random() < 0.7 else "model_b"
        records += [
            {"question_id": question, "judge": f"j{judge}", "model_a": "x", "model_b": "y",
             "winner": liked if rng.random() < 0.9 else "tie"}
            for judge in range(50)
        ]  # fmt: skip
    (tmp_path / "v.json").write_text(json.dumps(records), encoding="utf-8")
    path = tmp_path / "v.json"
    naive, honest = rank_votes(path, cluster="none"), rank_votes(path)
    assert honest.clusters == "question"
    assert honest.n_clusters == (20,)
    assert honest.contestants[0].upper - honest.contestants[0].lower > 3 * (
        naive.contestants[0].upper - naive.contestants[0].lower
    )
    assert "errors from 20 questions" in honest.paragraph


def test_whoever_never_lost_is_named_with_the_way_out(tmp_path):
    records = [{"question_id": 1, "model_a": "new", "model_b": m, "winner": "model_a"} for m in "ab"]
    records += [{"question_id": 2, "model_a": "a", "model_b": "b", "winner": w} for w in ("model_a", "model_b")]
    (tmp_path / "v.json").write_text(json.dumps(records), encoding="utf-8")
    with pytest.raises(MisfitError, match=r"new never lost a vote[\s\S]*--without new"):
        rank_votes(tmp_path / "v.json")
    assert len(rank_votes(tmp_path / "v.json", without=["new"], cluster="none").contestants) == 2


def test_what_cannot_be_asked_is_a_sentence(tmp_path):
    path = battles(tmp_path / "v.jsonl", {"a": 0.5, "b": 0.0}, questions=30)
    with pytest.raises(UsageError, match="by question, judge, both or none"):
        rank_votes(path, cluster="jugde")
    with pytest.raises(MisfitError, match="two models or more"):
        rank_votes(path, without=["a", "b"])
    (tmp_path / "none.json").write_text("[]", encoding="utf-8")
    with pytest.raises(InputError, match="no votes"):
        rank_votes(tmp_path / "none.json")


def test_all_ranks_hold_at_once(tmp_path):
    """Over repeated experiments the true ranks of all models lie in their intervals in 95 % or more."""
    strengths = {"a": 0.6, "b": 0.3, "c": 0.0, "d": -0.9}
    wrong = 0
    for seed in range(30):
        found = rank_votes(battles(tmp_path / "v.jsonl", strengths, questions=150, seed=seed), cluster="none")
        true = {name: rank for rank, name in enumerate(strengths, start=1)}
        wrong += any(not each.best_rank <= true[each.name] <= each.worst_rank for each in found.contestants)
    assert wrong <= 5  # 5 % and three standard errors


def written(path: Path, records: list[dict[str, object]]) -> Path:
    path.write_text(json.dumps(records), encoding="utf-8")
    return path


def test_compare_ranks_a_file_of_votes(tmp_path, capsys):
    path = battles(tmp_path / "v.jsonl", {"a": 1.2, "b": 0.0, "c": -1.0}, questions=600)
    assert main(["compare", str(path)]) == 0
    compared = capsys.readouterr().out
    assert main(["votes", str(path)]) == 0
    ranked = capsys.readouterr().out
    assert compared == f"Read as votes between models, which `bakeoff votes` ranks as well.\n\n{ranked}"
    assert main(["compare", str(path), "--without", "a", "--alpha", "0.1", "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert (found["first"], found["alpha"]) == (["b"], 0.1)


def test_what_cannot_be_asked_of_votes_is_named(tmp_path, capsys):
    path = battles(tmp_path / "v.jsonl", {"a": 1.2, "b": 0.0}, questions=50)
    assert main(["compare", str(path), "--margin", "0.1", "--with", "friedman"]) == 2
    assert "--margin and --with cannot be asked of them" in capsys.readouterr().err


def test_votes_and_scores_do_not_mix(tmp_path, capsys):
    path = battles(tmp_path / "v.jsonl", {"a": 1.2, "b": 0.0}, questions=50)
    scores = written(
        tmp_path / "s.json", [{"model": "a", "item": 1, "score": 1}, {"model": "b", "item": 1, "score": 0}]
    )
    for command in (["votes", str(scores)], ["compare", str(path), str(scores)]):
        assert main(command) == 2
        assert "but model, item and score was found" in capsys.readouterr().err


def test_a_table_of_votes_is_read(tmp_path):
    rows = [("a", "b"), ("b", "a"), ("a", "b"), ("b", "c"), ("c", "b"), ("a", "c"), ("c", "a")]
    lines = [f"{q},{a},{b},1,0,0" for q, (a, b) in enumerate(rows)]
    one_hot = tmp_path / "kaggle.csv"
    one_hot.write_text("\n".join(["id,model_a,model_b,winner_model_a,winner_model_b,winner_tie", *lines]))
    named = tmp_path / "battles.csv"
    named.write_text("\n".join(["model_a,model_b,winner", *(f"{a},{b},model_a" for a, b in rows)]))
    first, second = rank_votes(one_hot), rank_votes(named)
    assert first.n_votes == second.n_votes == 7
    assert [each.strength for each in first.contestants] == [each.strength for each in second.contestants]


def test_turns_of_a_question_are_votes_of_their_own(tmp_path):
    winners = {1: "model_a", 2: "model_b"}
    records: list[dict[str, object]] = [
        {"question_id": q, "judge": "j", "turn": turn, "model_a": "x", "model_b": "y", "winner": winner}
        for q in range(30)
        for turn, winner in winners.items()
    ]
    found = rank_votes(written(tmp_path / "v.json", records))
    assert (found.n_votes, found.n_ties, found.n_swapped, found.n_clusters) == (60, 0, 0, (30,))


def test_votes_for_models_that_were_named_are_left_out(tmp_path):
    blind: list[dict[str, object]] = [
        {"model_a": "x", "model_b": "y", "winner": w, "anony": True} for w in ("model_a", "model_b", "tie (bothbad)")
    ]
    shown: list[dict[str, object]] = [{"model_a": "x", "model_b": "y", "winner": "model_a", "anony": False}] * 2
    found = rank_votes(written(tmp_path / "v.json", [*blind, *shown]))
    assert found.n_votes == 3
    assert [warning.code for warning in found.warnings] == ["votes-not-blind"]
    assert "2 of 5 votes" in str(found.warnings[0])


def test_an_unknown_winner_is_asked_about_and_ties_alone_tell_nothing(tmp_path):
    vote: dict[str, object] = {"model_a": "x", "model_b": "y", "winner": "z"}
    with pytest.raises(InputError, match="'z' was found"):
        rank_votes(written(tmp_path / "v.json", [vote]))
    found = rank_votes(written(tmp_path / "w.json", [vote | {"winner": "tie (inconsistent)"}] * 3))
    assert found.first == ("x", "y")
    assert {(each.lower, each.upper) for each in found.contestants} == {(-np.inf, np.inf)}
