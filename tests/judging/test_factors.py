"""A second factor that is not the data set."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from bakeoff.calibration.null_designs import errors_and_mistakes
from bakeoff.cli import main
from bakeoff.errors import InputError, MisfitError, UsageError
from bakeoff.judging.factors import analyse_factor, judge_factor
from bakeoff.mathematics.linear_models import two_factors_in_blocks
from bakeoff.scores.reading import read_by_factor


def table(interaction: float, folds: int = 10, seed: int = 0) -> str:
    rng, rows = np.random.default_rng(seed), ["learner,extractor,fold,error"]
    for fold in range(folds):
        hard = 0.05 * rng.standard_normal()
        for i, extractor in enumerate(("pca", "raw", "wavelet")):
            for j, learner in enumerate(("svm", "knn")):
                value = 0.3 + hard + 0.02 * i + 0.03 * j + interaction * (i == 1) * j + 0.005 * rng.standard_normal()
                rows.append(f"{learner},{extractor},{fold},{value:.6f}")
    return "\n".join(rows) + "\n"


@pytest.fixture
def write(tmp_path: Path):
    def make(text: str) -> Path:
        path = tmp_path / "factor.csv"
        path.write_text(text)
        return path

    return make


# R 4.2.2: y <- c(3,4,5,2, 5,7,8,5, 6,6,7,9, 4,6,5,5, 8,9,7,9, 9,9,12,10); block × a(2) × b(3), block fastest, then a
# d <- expand.grid(block = factor(1:4), a = factor(1:2), b = factor(1:3)); d$y <- y
# summary(aov(y ~ a * b + Error(block / (a * b)), d))
R_VALUES = [3, 4, 5, 2, 5, 7, 8, 5, 6, 6, 7, 9, 4, 6, 5, 5, 8, 9, 7, 9, 9, 9, 12, 10]


def test_effects_in_blocks_are_those_of_r() -> None:
    y = np.array(R_VALUES, dtype=float).reshape(3, 2, 4).transpose(2, 1, 0)
    a, b, both = two_factors_in_blocks(y)
    assert (a.f, b.f, both.f) == pytest.approx((3.5714285714286, 23.871794871795, 9.1212121212121), rel=1e-9)
    assert (a.df, b.df, both.df) == ((1, 3), (2, 6), (2, 6))
    assert a.p == pytest.approx(0.15518171532879, rel=1e-9)
    corrected = two_factors_in_blocks(y, ratio=0.5)
    assert [3 * each.f for each in corrected] == pytest.approx([a.f, b.f, both.f])


def test_effects_in_blocks_hold_their_level() -> None:
    rng = np.random.default_rng(1)
    p = np.array([[e.p for e in two_factors_in_blocks(rng.standard_normal((8, 3, 4)))] for _ in range(1000)])
    assert np.all(np.abs((p <= 0.05).mean(axis=0) - 0.045) < 0.025)


def test_random_splits_are_made_up_for() -> None:
    """Six learners that are alike, as 3 × 2, over 30 splits with a third tested: F as it is claims far too much."""
    claims = {0.0: 0, 0.5: 0}
    for i in range(40):
        rng = np.random.default_rng([11, i])
        label = rng.permutation(np.arange(150) < 75)
        x = (rng.standard_normal((150, 6)) + 0.8 * label[:, None])[:, :, None]
        fold = np.stack([rng.permutation(np.arange(150) % 3) for _ in range(30)])
        errors = errors_and_mistakes(label, x, fold, 3)[0][:, 0].reshape(30, 3, 2)
        for ratio in claims:
            claims[ratio] += sum(effect.p <= 0.05 for effect in two_factors_in_blocks(errors, ratio=ratio))
    assert claims[0.5] <= 14  # of 120 tests, 5 % and more than three standard errors
    assert claims[0.0] >= 60


def test_with_an_interaction_the_levels_are_told_apart(write) -> None:
    factor, by_level = read_by_factor(write(table(0.06)), "extractor", measure="error")
    found = judge_factor(by_level, factor=factor)
    assert found.interaction.p < 0.001
    assert "The differences between learners change with extractor (F(2, 18) =" in found.paragraph
    assert "Within each level (α = 0.01667 each, 0.05 for all): pca: svm is better than knn" in found.paragraph
    assert set(found.within) == {"pca", "raw", "wavelet"}
    assert list(found.to_frame()["extractor"]) == ["pca", "raw", "wavelet"]


def test_without_one_the_means_over_levels_are_compared(write) -> None:
    factor, by_level = read_by_factor(write(table(0.0)), "extractor", measure="error")
    found = judge_factor(by_level, factor=factor)
    assert "are not shown to change with extractor" in found.paragraph
    assert "Of the means over extractor: svm is better than knn by 0.03" in found.paragraph
    assert found.centres["svm"][0] == pytest.approx(float(np.mean(by_level["pca"].only(learners=["svm"]).value)))


def test_the_order_of_rows_does_not_matter(write) -> None:
    header, *rows = table(0.02).strip().split("\n")
    np.random.default_rng(5).shuffle(rows)
    shuffled = judge_factor(read_by_factor(write("\n".join([header, *rows]) + "\n"), "extractor", measure="error")[1])
    plain = judge_factor(read_by_factor(write(table(0.02)), "extractor", measure="error")[1])
    assert [e.f for e in shuffled.effects[::2]] == pytest.approx([e.f for e in plain.effects[::2]])


def test_the_table_of_independent_samples(write) -> None:
    _, by_level = read_by_factor(write(table(0.02)), "extractor", measure="error")
    found = analyse_factor(by_level, "two-way-anova", factor="extractor")
    assert list(found.effects) == ["learner", "extractor", "learner × extractor", "error"]
    with pytest.raises(UsageError, match=r"takes no second factor\. Those that do: two-way-anova"):
        analyse_factor(by_level, "friedman", factor="extractor")


def test_refusals(write) -> None:
    path = write(table(0.0))
    with pytest.raises(UsageError, match="There is no column 'extracter'"):
        read_by_factor(path, "extracter", measure="error")
    lines = table(0.0).strip().split("\n")
    lacking = write("\n".join(line for line in lines if not line.startswith("knn,raw,3")) + "\n")
    with pytest.raises(MisfitError, match=r"Every cell is needed at every level|have no value"):
        judge_factor(read_by_factor(lacking, "extractor", measure="error")[1], factor="extractor")
    gone = write("\n".join(line for line in lines if not line.startswith("knn,raw")) + "\n")
    with pytest.raises(MisfitError, match="Every learner is needed at every level of extractor: knn"):
        judge_factor(read_by_factor(gone, "extractor", measure="error")[1], factor="extractor")
    one = write("\n".join([lines[0], *(line for line in lines if ",pca," in line)]) + "\n")
    with pytest.raises(InputError, match="is to be a factor of 2 to 50 levels; it has 1"):
        read_by_factor(one, "extractor", measure="error")


def test_by_command(write, capsys: pytest.CaptureFixture[str]) -> None:
    path = str(write(table(0.06)))
    assert main(["compare", path, "--measure", "error", "--factor", "extractor"]) == 0
    said = capsys.readouterr().out
    assert "change with extractor" in " ".join(said.split())
    assert main(["compare", path, "--measure", "error", "--factor", "extractor", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["factor"] == "extractor"
    assert main(["analyse", path, "--measure", "error", "--with", "two-way-anova", "--factor", "extractor"]) == 0
    assert "learner × extractor" in capsys.readouterr().out
