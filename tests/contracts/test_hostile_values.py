"""Every procedure on awkward numbers: ties, zeros, constants, tiny and huge values, from 1 to 10,000 blocks.

Whatever comes in, what comes out is a Finding without NaN where a number is promised, or a refusal in prose.
"""

from __future__ import annotations

import math

import numpy as np
import pytest
import zoo
from hypothesis import given, settings
from hypothesis import strategies as st

from bakeoff.errors import BakeoffError
from bakeoff.inference.finding import Finding, Row
from bakeoff.judging import analyse
from bakeoff.judging.advice import unmet_needs
from bakeoff.procedures import procedures
from bakeoff.procedures.card import Answers, Card
from bakeoff.procedures.procedure import Procedure
from bakeoff.scores import Scores, layout

SHAPES = ("ties", "zeros", "constant", "constant difference", "tiny", "huge", "mixed", "one outlier")


def values(shape: str, n: int, k: int, binary: bool, rng: np.random.Generator) -> np.ndarray:
    if binary:
        p = {"zeros": 0.0, "constant": 1.0, "ties": 0.5}.get(shape, 0.3)
        return (rng.random((n, k)) < p).astype(float)
    plain = rng.standard_normal((n, k))
    made = {
        "ties": rng.integers(0, 3, (n, k)).astype(float),
        "zeros": np.zeros((n, k)),
        "constant": np.full((n, k), 0.1),
        "constant difference": np.round(rng.random((n, 1)), 3) + 0.1 * np.arange(k),
        "tiny": plain * 1e-250,
        "huge": plain * 1e250,
        "mixed": plain * 10.0 ** rng.integers(-8, 8, (n, k)),
        "one outlier": np.where(np.arange(n * k).reshape(n, k) == 0, 1e12, plain),
    }
    return made[shape]


DRAWS = ("resamples", "samples")


def made(card: Card, shape: str, n: int, seed: int) -> Scores:
    if card.fixed_folds is not None:
        repeats = card.fixed_folds[0]
        n = max(n // repeats, 1) * repeats
    table = values(shape, n, zoo.learners_for(card), card.binary, np.random.default_rng(seed))
    return zoo.scores_for(card, np.abs(table) if card.measure == "squared_error" else table)


def outcome(procedure: Procedure, shape: str, n: int, seed: int) -> Finding | BakeoffError:
    card = procedure.card
    # So many draws are enough to see what comes out; how good they are is for the tests of the procedures.
    options = {**zoo.options_for(card), **{name: fewer // 10 for name, fewer in card.fewer if name in DRAWS}}
    try:
        return analyse(made(card, shape, n, seed), card.name, anyway=True, **options)  # type: ignore[arg-type]
    except BakeoffError as refusal:
        return refusal


def of_any_size(card: Card) -> bool:
    """Who is made for a number of folds may take no other."""
    return card.fixed_folds is None or not unmet_needs(card, layout(made(card, "ties", 50, 1)), essential_only=True)


def check(found: Finding | BakeoffError, procedure: Procedure) -> None:
    if isinstance(found, BakeoffError):
        assert len(str(found).split()) > 5, "prose; tests of the procedures look at the sentences"
    else:
        check_finding(found, procedure)


def check_finding(found: Finding, procedure: Procedure) -> None:
    for row in found.rows:
        if not row.note.startswith(("refused", "needs")):
            check_row(row, found, procedure)
    for effect in found.effects:
        assert 0 <= effect.superiority <= 1, effect
        assert -1 <= effect.dominance <= 1, effect
        assert not math.isnan(effect.standardised), effect
        assert math.isnan(effect.lower) or effect.lower <= effect.difference <= effect.upper, effect
    found.to_text()
    found.to_json()


def check_row(row: Row, found: Finding, procedure: Procedure) -> None:
    card = procedure.card
    if card.posterior:
        chances = (row.worse, row.same, row.better)
        assert min(chances) >= 0, row
        assert sum(chances) == pytest.approx(1, abs=1e-9), row
    elif card.answers is Answers.EACH:  # without a value to hold against, there is no p
        assert math.isnan(row.p) or 0 <= row.p <= 1, row
    else:
        assert 0 <= row.p <= 1, row
        assert row.p <= row.p_adjusted + 1e-15 or found.adjust in ("bh", "by"), row
    if not math.isnan(row.lower):
        assert row.lower <= row.upper, row


def every(some: list[Procedure]) -> pytest.MarkDecorator:
    return pytest.mark.parametrize("procedure", some, ids=lambda p: p.name)


OF_ANY_SIZE = [procedure for procedure in procedures() if of_any_size(procedure.card)]


@every(OF_ANY_SIZE)
@settings(max_examples=16)  # of eight shapes, for each of sixty procedures
@given(shape=st.sampled_from(SHAPES), n=st.integers(1, 40), seed=st.integers(0, 2**32))
def test_small_tables(procedure: Procedure, shape: str, n: int, seed: int) -> None:
    check(outcome(procedure, shape, n, seed), procedure)


@every([p for p in procedures() if p not in OF_ANY_SIZE])
@settings(max_examples=25)
@given(shape=st.sampled_from(SHAPES), seed=st.integers(0, 2**32))
def test_tables_of_the_only_size(procedure: Procedure, shape: str, seed: int) -> None:
    assert procedure.card.fixed_folds is not None
    check(outcome(procedure, shape, math.prod(procedure.card.fixed_folds), seed), procedure)


@every(OF_ANY_SIZE)
@settings(max_examples=4, deadline=None)
@given(shape=st.sampled_from(SHAPES), n=st.integers(41, 10_000), seed=st.integers(0, 2**32))
def test_large_tables(procedure: Procedure, shape: str, n: int, seed: int) -> None:
    check(outcome(procedure, shape, min(n, 500) if procedure.name == "bayes-hierarchical" else n, seed), procedure)


@every(OF_ANY_SIZE)
@pytest.mark.parametrize("shape", ["ties", "mixed"])
def test_ten_thousand_blocks(procedure: Procedure, shape: str) -> None:
    # The hierarchical sum takes ten seconds at that size: once is enough, and of the other shape a tenth.
    shorter = (procedure.name, shape) == ("bayes-hierarchical", "mixed")
    check(outcome(procedure, shape, 1_000 if shorter else 10_000, seed=1), procedure)
