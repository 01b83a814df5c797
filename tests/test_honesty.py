"""From a written file to the verdict, on a small scale; `make honesty` does it on a large one (docs/honesty.md)."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

from bakeoff import judge, read_scores

ROOT = Path(__file__).parents[1]
sys.path.insert(0, str(ROOT / "tools"))
import honesty  # noqa: E402
from kind_of_file import Kind  # noqa: E402
from ordinary_files import KINDS  # noqa: E402

CONDITIONAL = ("`split`", "`iteration`", "`run`", "`seed`", "`resample`", "`partition`", "called folds by",
               "nothing said", "split0_test_score", "not known", "nothing is known", "`Resample01`",
               "`subsampling`")  # fmt: skip


def kind_named(words: str) -> Kind:
    (kind,) = [kind for kind in KINDS if words in kind.name]
    return kind


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.name)
def test_every_kind_of_file_is_judged_as_it_should_be(kind: Kind, tmp_path: Path) -> None:
    """A condition is said where, and only where, something decisive is not known; and what is refused is excused."""
    for apart in (False, True):
        made = honesty.outcome(kind, tmp_path / "scores.csv", np.random.default_rng(7), apart)
        if made.refused:
            assert kind.excused
            continue
        matched_or_told = kind.ask.get("runs") is not None or "items ×" in kind.name or "tasks ×" in kind.name
        expected = any(words in kind.name for words in CONDITIONAL) and not matched_or_told
        expected = expected and "folds × 3 seeds" not in kind.name and not kind.name.startswith("12 items")
        # One file in twenty has runs that differ by chance as much as trainings do, and says so.
        assert made.conditional == (expected or bool({"unlike-runs", "slow-drift"} & set(made.warned)))
        assert made.procedure


def test_there_are_enough_kinds() -> None:
    assert len(KINDS) >= 40
    assert len({kind.name for kind in KINDS}) == len(KINDS)


def test_every_kind_has_a_rival_or_says_why_there_is_none() -> None:
    for kind in KINDS:
        assert bool(kind.rival) != bool(kind.alone), kind.name


def test_the_page_says_why_there_is_no_rival() -> None:
    text = (ROOT / "docs" / "honesty.md").read_text(encoding="utf-8")
    assert honesty.without_rivals() in text
    for kind in KINDS:
        assert not kind.alone or kind.alone in text


def test_power_is_that_of_the_rival(tmp_path: Path) -> None:
    """Over all kinds that have one, two files each: what the default finds is 90 % of what its rivals find."""
    ours, theirs = [], []
    for kind in KINDS:
        if not kind.rival or "not known" in kind.name:
            continue
        for i in range(2):
            made = honesty.outcome(kind, tmp_path / "scores.csv", np.random.default_rng([5, i]), True)
            assert not np.isnan(made.rival_hits), kind.name
            ours.append(made.hits)
            theirs.append(made.rival_hits)
    assert np.mean(ours) >= 0.9 * np.mean(theirs)


def test_every_claim_of_losses_of_unlike_shape_is_warned_of(tmp_path: Path) -> None:
    """There nothing holds its level: each claim comes with the warning. Losses that are alike are seldom warned of."""
    unlike, warned = kind_named("lognormal losses of unlike shape"), 0
    for i in range(30):
        made = honesty.outcome(unlike, tmp_path / "scores.csv", np.random.default_rng([6, i]), bool(i % 2))
        warned += "skewed-losses" in made.warned
    assert warned == 30
    rng, as_items = np.random.default_rng(7), {"measure": "mae", "rows": "instances"}
    alarms = [
        warning.code
        for _ in range(40)
        for warning in judge(
            read_scores(pd.DataFrame(rng.normal(5, 1, (60, 2)), columns=["a", "b"]), **as_items)
        ).warnings
    ]
    assert sum(code in ("skewed-losses", "one-instance") for code in alarms) <= 5


# The analysis that each file would mislead one into, by name, and insisted on.
NAIVE: dict[str, dict[str, Any]] = {
    "30 random splits with `n_train`": {"procedure": "paired-permutation"},
    "caret, 10 × 10 folds": {"procedure": "kfold-t"},
    "20 clusters of 25 items: `subject`": {"procedure": "mcnemar"},
    "200 times, autocorrelation 0.8": {"procedure": "paired-t"},
    "60 tasks, a pool that makes mean ranks differ": {"procedure": "friedman"},
}


@pytest.mark.parametrize("words", NAIVE)
def test_what_misleads_does_not_mislead(words: str, tmp_path: Path) -> None:
    """Of 25 files of learners that are alike, 5 % are 1 or 2; what is naive makes far more false claims."""
    kind, path, false = kind_named(words), tmp_path / "scores.csv", {"default": 0, "naive": 0}
    for i in range(25):
        rng = np.random.default_rng([2026, i])
        false["default"] += honesty.outcome(kind, path, rng, False).false
        scores = honesty.declared(read_scores(path, **kind.read), kind.ask)
        verdict = judge(scores, anyway=True, **NAIVE[words])
        false["naive"] += any(claim not in kind.always for claim in honesty.claims(verdict))
    assert false["default"] <= 6  # of a rate of 5 % more are met once in 6,000 times, of a rate of 30 % mostly
    assert false["naive"] >= 7


def test_answers_are_not_items(tmp_path: Path) -> None:
    """The same answers, each called an item of its own, make false claims; as they are, they do not."""
    kind, path, false = kind_named("20 items × 10 trials: `trial`"), tmp_path / "scores.csv", [0, 0]
    for i in range(25):
        false[0] += honesty.outcome(kind, path, np.random.default_rng([2026, i]), False).false
        table = pd.read_csv(path)
        table["item"] = table["item"].astype(str) + "-" + table.pop("trial").astype(str)
        false[1] += bool(honesty.claims(judge(read_scores(table))))
    assert false[0] <= 6
    assert false[1] >= 7


def test_the_page_is_made_of_these_kinds() -> None:
    text = (ROOT / "docs" / "honesty.md").read_text(encoding="utf-8")
    rows = [line.split(" | ")[0].removeprefix("| ") for line in text.splitlines() if line.startswith("| ")]
    assert rows[2:] == [kind.name for kind in KINDS]
    assert "too many" not in text.partition("| file |")[2]
    assert f"simulated for {len(KINDS)} kinds of file" in (ROOT / "README.md").read_text(encoding="utf-8")
