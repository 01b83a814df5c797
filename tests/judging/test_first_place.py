"""Who may be the best: the set, the ranks, and where they follow from the decisions about pairs."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import bakeoff
from bakeoff import first_place
from bakeoff.cli import main
from bakeoff.errors import UsageError

DIETTERICH = Path(bakeoff.__file__).parent / "data" / "dietterich2000.csv"


def answers(n: int = 300, seed: int = 1, **rates: float) -> pd.DataFrame:
    """Right and wrong answers of models to the same items."""
    rng = np.random.default_rng(seed)
    hard = rng.normal(size=n)
    rows = [
        {"model": name, "item": i, "passage": i % 30, "correct": int(hard[i] + rng.normal() < rate)}
        for name, rate in rates.items()
        for i in range(n)
    ]
    return pd.DataFrame(rows)


def test_the_best_is_found_with_its_ranks() -> None:
    found = first_place(answers(a=1.2, b=0.2, c=0.1, d=-0.5), columns="value=correct", larger_is_better=True)
    assert found.first == found.sharing == ("a",)
    assert found.jointly
    assert found.paragraph.startswith("a is the best of 4, with a confidence of 95 %.")
    assert (found.claimants[0].best_rank, found.claimants[0].worst_rank) == (1, 1)
    assert found.claimants[0].p == 1.0


def test_smaller_is_better_turns_it_round() -> None:
    frame = answers(a=1.2, b=0.2, c=0.1, d=-0.5).rename(columns={"correct": "loss"})
    found = first_place(frame, columns="value=loss", larger_is_better=False)
    assert found.first == ("d",)


def test_the_set_is_within_that_of_all_pairs() -> None:
    found = first_place(bakeoff.read_scores(DIETTERICH, measure="error"))
    assert found.first == ("AdaBoosted C4.5", "Randomized C4.5")
    assert set(found.first) <= set(found.sharing) <= set(found.verdict.first)
    by_name = {each.name: each for each in found.claimants}
    assert by_name["Bagged C4.5"].p == pytest.approx(0.039, abs=0.005)  # 9,999 flips drawn
    assert by_name["C4.5"].best_rank == 4
    assert "all of them at once are among AdaBoosted C4.5, Randomized C4.5 and Bagged C4.5" in found.paragraph


def test_clusters_are_flipped_whole() -> None:
    frame = answers(a=0.6, b=0.2, c=0.1)
    alone = first_place(frame, columns="value=correct", larger_is_better=True, ignore=["passage"])
    whole = first_place(frame, columns="value=correct", larger_is_better=True, cluster="passage")
    assert whole.jointly
    assert whole.verdict.finding.n_clusters == 30
    assert [each.p for each in whole.claimants] != [each.p for each in alone.claimants]


def test_folds_overlap_so_that_the_decisions_about_pairs_answer() -> None:
    rng = np.random.default_rng(2)
    rows = [
        {"learner": name, "repeat": r, "fold": f, "accuracy": mean + 0.02 * rng.normal()}
        for name, mean in (("a", 0.9), ("b", 0.89), ("c", 0.7))
        for r in range(3)
        for f in range(5)
    ]
    found = first_place(pd.DataFrame(rows))
    assert not found.jointly
    assert found.first == found.sharing == found.verdict.first
    assert {each.p for each in found.claimants} == {None}
    assert "no other was shown to be better than" in found.paragraph


def test_it_is_about_all_learners() -> None:
    with pytest.raises(UsageError, match="no use for control"):
        first_place(bakeoff.read_scores(DIETTERICH, measure="error"), control="C4.5")


def test_the_command(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    assert main(["first", str(DIETTERICH), "--measure", "error"]) == 0
    text = capsys.readouterr().out
    assert "The best of 4 is among 2, with a confidence of 95 %: AdaBoosted C4.5 and Randomized C4.5." in text
    assert main(["first", str(DIETTERICH), "--measure", "error", "-o", str(tmp_path / "first.json")]) == 0
    found = json.loads((tmp_path / "first.json").read_text())
    assert found["first"] == ["AdaBoosted C4.5", "Randomized C4.5"]
    assert {"name", "position", "p", "p_adjusted", "may_be_first", "best_rank", "worst_rank"} <= set(
        found["learners"][0]
    )
    assert (
        main(["first", str(DIETTERICH), "--measure", "error", "--without", "AdaBoosted C4.5", "--with", "friedman"])
        == 0
    )
    assert "from the decisions about all pairs" in " ".join(capsys.readouterr().out.split())
