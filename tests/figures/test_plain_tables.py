"""Figures of plain tables, posteriors, wins and several measures: tables against numbers, drawings by structure."""

from __future__ import annotations

from math import sqrt
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest
import verdicts
from scipy.stats import halfnorm, t
from test_figures import SIZES, TABLES, TWO_MEASURES
from test_kinds import LONG, assert_legible, table

from bakeoff.cli import main
from bakeoff.errors import MisfitError, UsageError
from bakeoff.figures import plot
from bakeoff.figures.designed import half_normal, interaction, response_contour
from bakeoff.figures.learning_curve import learning_curves, learning_difference
from bakeoff.figures.posterior import posterior_triangle
from bakeoff.figures.projection import projection
from bakeoff.figures.tables import shared_blocks
from bakeoff.figures.wins import win_chart
from bakeoff.judging import judge
from bakeoff.mathematics.multivariate import manova_blocks

MANY = pd.DataFrame(
    [
        {
            "model": LONG.format(i),
            "train_size": n,
            "seed": s,
            "accuracy": 0.5 + 0.01 * i + 0.1 * np.log10(n) + 0.001 * s,
        }
        for i in range(30)
        for n in (10, 100, 1000)
        for s in (1, 2)
    ]
)


def test_learning_curves_are_means_by_size() -> None:
    chart = learning_curves(SIZES)
    frame = chart.to_frame().set_index(["curve", "x"])
    assert frame.loc[("a", 100.0), "mean"] == pytest.approx(0.01 + 0.015)
    assert frame.loc[("b", 10.0), ["rows", "deviation"]].tolist() == pytest.approx([2, 0.01 / sqrt(2)])
    ax = chart.figure().axes[0]
    assert ax.get_xscale() == "log"
    assert [text.get_text() for text in ax.get_legend().get_texts()] == ["a", "b"]
    many = learning_curves(MANY)
    assert len(set(many.to_frame()["curve"])) == 30
    assert_legible(many)
    with pytest.raises(MisfitError, match="several sizes of the training sample"):
        learning_curves(SIZES[SIZES.n_train == 10])
    with pytest.raises(MisfitError, match="needs a column with learners"):
        learning_curves(SIZES.drop(columns="learner"))
    with pytest.raises(UsageError, match="There is no column 'm'"):
        learning_curves(SIZES, x="m")
    with pytest.raises(UsageError, match="holds 'ten' where a number was expected"):
        learning_curves(SIZES.assign(n_train=["ten"] * len(SIZES)))


def test_the_difference_is_paired_and_an_advantage() -> None:
    chart = learning_difference(SIZES)
    assert chart.to_frame()["mean"].tolist() == pytest.approx([0.1, 0.1, 0.1]), "a has the smaller error: it is ahead"
    assert chart.to_frame()["deviation"].tolist() == pytest.approx([0, 0, 0], abs=1e-12), "within folds it is the same"
    other = learning_difference(SIZES, pair=("b", "a"))
    assert other.to_frame()["mean"].tolist() == pytest.approx([-0.1, -0.1, -0.1])
    assert chart.y_axis == "advantage of a (error)"
    with pytest.raises(UsageError, match="that of two learners, and there are 30"):
        learning_difference(MANY)


def test_interaction_cells() -> None:
    chart = interaction(SIZES, factor="n_train", value="error")
    frame = chart.to_frame()
    assert list(frame.columns) == ["n_train", "learner", "rows", "mean", "standard_error"]
    assert frame["mean"].tolist() == pytest.approx(SIZES.groupby(["learner", "n_train"])["error"].mean().tolist())
    assert_legible(chart)
    assert_legible(interaction(MANY, factor="train_size"))
    with pytest.raises(MisfitError, match="2 to 30 levels"):
        interaction(SIZES.assign(factor="one"))


def test_contour_has_the_mean_of_each_setting() -> None:
    frame = pd.concat([TABLES["contour"], TABLES["contour"].assign(accuracy=0.0)])
    made = response_contour(frame)
    assert (made.x_axis, made.y_axis, made.measure) == ("C", "gamma", "accuracy")
    assert made.to_frame()["accuracy"].tolist() == pytest.approx((TABLES["contour"]["accuracy"] / 2).tolist())
    with pytest.raises(MisfitError, match="at least four settings"):
        response_contour(TABLES["contour"].query("C == 1"))
    named = response_contour(TABLES["contour"], x="gamma", y="C", value="accuracy")
    assert named.x_axis == "gamma"


def test_half_normal_quantiles_and_lenths_margin() -> None:
    effects = {"A": 21.625, "C": 9.875, "D": 14.625, "AC": -18.125, "AD": 16.625, "B": 3.125, "AB": 0.125, "BC": 2.375,
               "BD": -0.375, "CD": -1.125, "ABC": 1.875, "ABD": 4.125, "ACD": -1.625, "BCD": -2.625,
               "ABCD": 1.375}  # fmt: skip
    made = half_normal(effects)
    # Montgomery's filtration rate: median |effect| 2.625, s0 3.9375, those below 9.84 have the median 1.75.
    assert made.error == pytest.approx(2.625)
    assert made.margin == pytest.approx(2.625 * t.ppf(0.975, 5))
    assert {one.term for one in made.effects if one.beyond} == {"A", "C", "D", "AC", "AD"}
    assert [one.quantile for one in made.effects] == pytest.approx(halfnorm.ppf((np.arange(1, 16) - 0.5) / 15).tolist())
    assert [abs(one.effect) for one in made.effects] == sorted(map(abs, effects.values()))
    assert_legible(made)
    # One that is 2.5 s0 itself is not below it: as in the verdict.
    assert half_normal({"A": 1.0, "B": 3.0, "C": -4.0, "D": 15.0, "E": 20.0}).error == 4.5
    assert half_normal({"A": 0.0, "B": 0.0, "C": 1.0}).margin == 0
    with pytest.raises(MisfitError, match="at least three effects"):
        half_normal({"A": 1.0})


def test_wins_against_all_and_against_one() -> None:
    scores = verdicts.scores(verdicts.DEMSAR, verdicts.DEMSAR_LEARNERS)
    made = win_chart(shared_blocks(scores))
    frame = made.to_frame().set_index("learner")
    assert frame["wins"].sum() == frame["losses"].sum()
    assert (frame.sum(axis=1) == 3 * len(verdicts.DEMSAR)).all()
    one = scores.plot.wins(control="C4.5").to_frame().set_index("learner")
    difference = np.array(verdicts.DEMSAR)[:, 1] - np.array(verdicts.DEMSAR)[:, 0]
    assert one.loc["C4.5+m"].tolist() == [
        int((difference > 0).sum()),
        int((difference == 0).sum()),
        int((difference < 0).sum()),
    ]
    for k in (2, 12, 30):
        assert_legible(table(k, names=[LONG.format(i) for i in range(k)]).plot.wins())


def test_the_triangle_has_the_probabilities_of_the_verdict() -> None:
    scores = verdicts.scores(verdicts.DEMSAR, verdicts.DEMSAR_LEARNERS)
    verdict = judge(scores, "bayes-sign", margin=0.01)
    made = posterior_triangle(verdict)
    frame = made.to_frame()
    assert frame[["worse", "same", "better"]].sum(axis=1).tolist() == pytest.approx([1.0] * len(frame))
    assert frame["better"].tolist() == [one.row.better for one in verdict.decisions]
    assert made.cloud == ()
    pair = posterior_triangle(judge(scores.only(learners=["C4.5", "C4.5+m"]), "bayes-sign", margin=0.01))
    assert len(pair.cloud) == 600
    assert np.sum(pair.cloud, axis=1) == pytest.approx(1.0)
    mean = np.mean(pair.cloud, axis=0)
    assert int(np.argmax(mean)) == int(np.argmax([pair.pairs[0].worse, pair.pairs[0].same, pair.pairs[0].better]))
    with pytest.raises(MisfitError, match="gives no posterior probabilities"):
        verdicts.demsar().plot("posterior")


def test_projection_is_manovas() -> None:
    made = projection(TWO_MEASURES)
    cube = np.stack([shared_blocks(TWO_MEASURES, name).values for name in ("error", "auc")], axis=2)
    shares = manova_blocks(cube).shares
    assert made.shares == pytest.approx(shares[: len(made.shares)].tolist())
    frame = made.to_frame()
    assert len(frame) == 30
    weights = np.array(made.weights[0])
    assert frame["direction 1"].tolist() == pytest.approx((cube[:, :, :] @ weights).T.ravel().tolist())
    assert made.flat
    with pytest.raises(MisfitError, match="needs several measures"):
        projection(TWO_MEASURES.only(measure="auc"))


def test_power_curves_of_a_table() -> None:
    made = plot(TABLES["power"], "power")
    assert made.to_frame()["y"].tolist() == [0.4, 0.8, 0.3, 0.6]
    assert len(plot(TABLES["power"].drop(columns="curve").head(2), "power").to_frame()) == 2


def test_the_command_draws_plain_tables(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for kind, frame in TABLES.items():
        frame.to_csv(tmp_path / f"{kind}.csv", index=False)
        assert main(["plot", kind, str(tmp_path / f"{kind}.csv"), "-o", str(tmp_path / f"{kind}.svg")]) == 0, kind
    said = capsys.readouterr().out
    assert "By how much a is better than b in error" in " ".join(said.split())
    sizes = str(tmp_path / "learning-curve.csv")
    assert main(["plot", "interaction", sizes, "--x", "n_train", "-o", str(tmp_path / "x.svg")]) == 0
    assert main(["plot", "learning-curve", sizes, "--x", "nn", "-o", str(tmp_path / "x.svg")]) == 2
    assert "no column 'nn'" in capsys.readouterr().err
    assert main(["plot", "contour", str(tmp_path / "none.csv"), "-o", str(tmp_path / "x.svg")]) == 2
    (tmp_path / "odd.parquet").write_text("no table")
    assert main(["plot", "contour", str(tmp_path / "odd.parquet"), "-o", str(tmp_path / "x.svg")]) == 2
    assert "A table in CSV or Parquet was expected" in capsys.readouterr().err
    assert main(["plot", sizes]) == 0
    assert "learning-curve" in capsys.readouterr().out.split("These cannot:")[0]


def test_judged_curves_keep_their_bands() -> None:
    def points(*means: float) -> list[SimpleNamespace]:
        ends = [(10.0, means[0]), (20.0, means[1])]
        return [SimpleNamespace(size=x, mean=mean, lower=mean - 0.1, upper=mean + 0.1) for x, mean in ends]

    apart = SimpleNamespace(first="a", second="b", differences=points(-0.1, -0.3))
    curves = {"a": points(0.4, 0.2), "b": points(0.5, 0.5)}
    judged = SimpleNamespace(measure="error", alpha=0.05, curves=curves, separations=[apart])
    chart = plot(judged, "learning-curve")
    assert chart.to_frame()["mean"].tolist() == [0.4, 0.2, 0.5, 0.5]
    assert len(chart.figure().axes[0].collections) == 2
    assert "simultaneous over all sizes (95 %)" in chart.caption
    assert plot(judged, "difference").to_frame()["mean"].tolist() == [-0.1, -0.3]
