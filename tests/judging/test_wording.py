from __future__ import annotations

import re

import numpy as np
import pytest
import zoo

from bakeoff.judging import Decision, Verdict, judge
from bakeoff.measures import known_measure
from bakeoff.scores import Scores, unpaired


def folds(k: int, gap: float) -> np.ndarray:
    rng = np.random.default_rng(0)
    return 0.7 + gap * np.arange(k) + 0.004 * rng.standard_normal((10, k))


def test_two_learners_apart() -> None:
    text = judge(zoo.table(folds(2, 0.05), kind="kfold")).paragraph
    assert text.startswith(
        "Over 10 resamples, ada and bob were compared by accuracy (larger is better). bob has the better"
    )
    assert re.search(r"bob has the better mean accuracy \(0\.\d{4} against 0\.\d{4}\)\. The comparison, by", text)
    assert "What is estimated is the mean difference in accuracy over resamples." in text
    assert "bob is better than ada by 0.0" in text
    assert "95 % interval [0.0" in text
    assert "p < 0.001" in text
    assert text.endswith("The conclusion speaks about these learners on new training sets of this problem.")


def test_two_learners_are_told_apart_once_and_with_the_numbers_of_the_table() -> None:
    verdict = judge(zoo.table(folds(2, 0.05), kind="kfold"))
    text = " ".join(verdict.to_text().split())
    assert text.count("bob is better than ada") == 1
    assert "The comparison is by Corrected resampled t test" in text
    header, (cells,) = verdict.table()
    shown = dict(zip(header, cells, strict=True))
    assert f"by {shown['advantage (accuracy)']} in accuracy (95 % interval {shown['interval']})" in text
    assert "adjusted p" not in header
    assert "adjusted p" in judge(zoo.table(folds(3, 0.05), kind="kfold")).table()[0]


def test_an_interval_without_ends_is_none() -> None:
    verdict = judge(zoo.table(np.array([[0.1, 0.4], [0.7, 0.8]]), kind="tasks"), "wilcoxon")
    assert "too few tasks for a 95 % interval" in verdict.answer
    assert "∞" not in verdict.answer


def test_two_learners_not_told_apart() -> None:
    text = judge(zoo.table(folds(2, 0.0), kind="kfold")).paragraph
    assert "these data do not tell" in text
    assert "not evidence that they are equal" in text
    assert "interval of the advantage [-" in text


def test_wins_are_grouped() -> None:
    text = judge(zoo.table(folds(4, 0.05), kind="kfold")).paragraph
    assert "dee is better than cyd, bob and ada; cyd is better than bob and ada; bob is better than ada." in text
    assert "6 comparisons" in text
    assert "Holm adjustment" in text


def test_margins_are_mentioned() -> None:
    text = judge(zoo.table(folds(2, 0.0), kind="kfold"), margin=0.05).paragraph
    assert "margin of relevance 0.05" in text
    assert "equivalent within the margin" in text


def test_one_learner() -> None:
    values = np.array([[1.0]] * 80 + [[0.0]] * 20)
    text = judge(zoo.table(values, kind="instances")).paragraph
    assert "ada: 0.8, 95 % interval [0.7112, 0.8666]" in text


def test_one_sided_undecided_says_which_side_was_not_asked() -> None:
    values = np.random.default_rng(1).random((10, 3)) + np.array([0.9, 0.0, 0.0])
    for k, sentence in ((3, "do not show that the first is worse"), (2, "do not show that ada is worse than bob")):
        text = judge(zoo.table(values[:, :k], kind="kfold"), "corrected-t", alternative="worse").paragraph
        assert sentence in text
        assert "nor was it asked whether the first is better" in text
        assert "apart" not in text


def test_independent_samples_are_counted_one_by_one() -> None:
    sizes = {"ada": 7, "bob": 5, "cyd": 6}

    def said(*names: str) -> str:
        learner = [name for name in names for _ in range(sizes[name])]
        run = [str(i) for name in names for i in range(sizes[name])]
        value = np.random.default_rng(3).random(len(learner))
        made = Scores.of(value, learner=learner, repeat=run, measures={"error": known_measure("error")})
        return judge(unpaired(made), runs="independent").paragraph

    assert said("ada", "bob").startswith("Over 7 resamples of ada and 5 of bob, ")
    assert said("ada", "bob", "cyd").startswith("Over 5 to 7 resamples each, ")
    sizes["bob"] = 7
    assert said("ada", "bob").startswith("Over 7 resamples each, ")


def test_ties_are_said_to_be_ties() -> None:
    swapped = folds(1, 0.0)
    tied = np.column_stack([swapped, swapped[::-1]])
    assert "ada and bob have the same mean accuracy (0." in judge(zoo.table(tied, kind="kfold")).paragraph
    third = np.column_stack([tied, folds(1, 0.0) - 0.1])
    text = judge(zoo.table(third, kind="kfold")).paragraph
    assert "ada and bob have the best mean accuracy (0." in text
    assert "), then comes cyd (0.6" in text


def test_means_that_would_look_the_same_are_shown_with_more_digits() -> None:
    values = folds(1, 0.0)
    text = judge(zoo.table(np.column_stack([values, values + 1e-6 * np.arange(10)[:, None]]), kind="kfold")).paragraph
    best, worst = text.split("mean accuracy (")[1].split(")")[0].split(" against ")
    assert best != worst


# ----------------------------------------------------------------------------------------------------------------------
# Posterior wording


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
