from __future__ import annotations

import re

import numpy as np
import pytest
import zoo

from bakeoff.judging import Decision, Verdict, judge


def verdict(gap: float, *, noise: float = 0.01, k: int = 2, n: int = 12, **request: object) -> Verdict:
    rng = np.random.default_rng(1)
    values = 0.7 + 0.05 * rng.standard_normal((n, 1)) + gap * np.arange(k) + noise * rng.standard_normal((n, k))
    return judge(zoo.table(values, kind="kfold"), "bayes-correlated-t", **request)  # type: ignore[arg-type]


def no_p(text: str) -> bool:
    return not re.search(r"\bp [=<]|α|significan|adjust", text)


def test_a_claim_comes_with_its_probability() -> None:
    text = verdict(0.05, margin=0.01).paragraph
    assert "bob is better than ada by more than 0.01 with probability above 0.999" in text
    assert "95 % credible interval [0.0" in text
    assert "differences within ±0.01 counting as practically the same" in text
    assert no_p(text)


def test_without_a_rope_it_says_so() -> None:
    text = verdict(0.05).paragraph
    assert "any difference counting, however small (no rope was given)" in text
    assert "bob is better than ada with probability above 0.999" in text


def test_practically_the_same() -> None:
    found = verdict(0.0, noise=0.002, margin=0.02)
    assert found.decisions[0].decision is Decision.EQUIVALENT
    assert "practically the same with probability above 0.999: " in found.paragraph


def test_non_inferior() -> None:
    found = verdict(0.012, margin=0.01)
    assert found.decisions[0].decision is Decision.NON_INFERIOR
    assert "better or practically the same (non-inferior), with probability 0.9" in found.paragraph


def test_no_claim() -> None:
    text = verdict(0.0, noise=0.1, margin=0.01).paragraph
    assert "no claim about" in text
    assert "practically the same with 0." in text
    assert no_p(text)


def test_many_pairs() -> None:
    found = verdict(0.03, k=4, margin=0.01)
    assert "6 comparisons, by Bayesian correlated t test" in found.paragraph
    assert "dee is better than" in found.paragraph
    assert [w.code for w in found.warnings] == ["pointwise"]
    assert "each probability is about its own" in found.to_text()
    undecided = verdict(0.0, noise=0.1, k=3).paragraph
    assert "all 3 pairs are undecided: no claim about them is probable enough." in undecided


def test_worse_than_the_control() -> None:
    text = verdict(-0.05, margin=0.01, control="ada").paragraph
    assert "ada is better than bob by more than 0.01 with probability above 0.999 (advantage 0.0" in text


def test_a_level_of_its_own() -> None:
    assert "a claim needs a probability of at least 0.8:" in verdict(0.0, alpha=0.2).paragraph


def test_tables_have_probabilities_instead_of_p() -> None:
    found = verdict(0.05, k=3, margin=0.01)
    header, cells = found.table()
    assert header[-3:] == ["P(worse)", "P(same)", "P(better)"]
    assert not any("adjusted" in name or name == "P(first better)" for name in header)
    assert len(cells) == 3
    frame = found.to_frame()
    assert (frame[["p_worse", "p_same", "p_better"]].sum(axis=1)).to_list() == pytest.approx([1.0] * 3)
    assert frame["superiority"].to_list() == pytest.approx([1.0] * 3)
    assert found.finding.heading == "Bayesian correlated t test (posterior probabilities; a claim needs 0.95)"


def test_probabilities_are_not_adjusted() -> None:
    from bakeoff.errors import UsageError

    with pytest.raises(UsageError, match="not adjusted"):
        verdict(0.05, adjust="holm")
    with pytest.raises(UsageError, match="no sides"):
        verdict(0.05, alternative="better")
