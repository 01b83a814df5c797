"""Bootstrap intervals of any measure: against plain resampling, clusters as a whole, refusals in prose."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from bakeoff import bootstrap
from bakeoff.cli import main
from bakeoff.errors import BakeoffError


def table(n: int = 240, per_patient: int = 3, seed: int = 1) -> pd.DataFrame:
    rng = np.random.default_rng(seed)
    y, patient = rng.integers(0, 2, n), np.arange(n) // per_patient
    p = 1 / (1 + np.exp(-(2 * y - 1 + rng.normal(size=n) + rng.normal(size=n)[patient])))
    return pd.DataFrame({"patient": patient, "truth": y, "a": p.round(4), "b": rng.random(n).round(4)})


def test_standard_errors_are_those_of_plain_resampling() -> None:
    data = table().drop(columns="patient")
    found = bootstrap(data, "error", resamples=4000)
    rng = np.random.default_rng(2)
    wrong = ((data["a"] > 0.5) != data["truth"]).to_numpy()
    plain = np.quantile([wrong[rng.integers(0, 240, 240)].mean() for _ in range(4000)], [0.025, 0.975])
    row = next(row for row in found.rows if row.contrast == "a")
    assert row.estimate == pytest.approx(wrong.mean())
    assert (row.lower, row.upper) == pytest.approx(tuple(plain), abs=0.012)


def test_clusters_are_drawn_whole() -> None:
    """Rows that are repeated tell nothing new: as clusters they give the interval of the rows themselves."""
    data = table(n=80, per_patient=1)
    often = data.loc[data.index.repeat(5)]
    once = bootstrap(data.drop(columns="patient"), "auc", resamples=2000)
    repeated = bootstrap(often, "auc", cluster="patient", resamples=2000)
    naive = bootstrap(often, "auc", ignore="patient", resamples=2000)
    assert repeated.n_clusters == 80
    for row, same, narrow in zip(once.rows, repeated.rows, naive.rows, strict=True):
        width = row.upper - row.lower
        assert same.upper - same.lower == pytest.approx(width, rel=0.12)
        assert narrow.upper - narrow.lower < 0.65 * width


def test_p_and_interval_agree_and_identical_learners_have_none() -> None:
    data = table()
    data["c"] = data["a"]
    found = {row.contrast: row for row in bootstrap(data, "f1", cluster="patient", resamples=499).rows}
    for row in found.values():
        if row.p == row.p and row.lower == row.lower:
            assert (row.lower > 0 or row.upper < 0) == (row.p <= 0.05)
    assert found["a − c"].p == 1.0
    assert np.isnan(found["a − c"].lower)


def test_smaller_is_better_and_numbers() -> None:
    rng = np.random.default_rng(3)
    y = rng.normal(size=90)
    data = pd.DataFrame({"truth": y, "good": y + 0.1 * rng.normal(size=90), "bad": y + rng.normal(size=90)})
    found = bootstrap(data, "rmse", resamples=299)
    assert [row.contrast for row in found.rows] == ["good", "bad", "good − bad"]
    assert found.rows[2].upper < 0


@pytest.mark.parametrize(
    ("change", "request_", "says"),
    [
        (lambda d: d.head(30), {"measure": "f1", "ignore": "patient"}, "30 rows, and percentiles of so few"),
        (lambda d: d, {"measure": "f1", "cluster": "patint"}, "Did you mean 'patient'"),
        (lambda d: d.assign(patient=d["patient"] % 20), {"measure": "f1"}, "20 clusters (patient)"),
        (lambda d: d, {"measure": "rmse"}, "not of classification"),
        (lambda d: d, {"measure": "f1", "learners": ["c"]}, "no learner 'c'"),
        (lambda d: d, {"measure": "f1", "resamples": 10}, "use 40 or more"),
        (lambda d: d.assign(a=d["a"].where(d.index != 3)), {"measure": "f1"}, "A prediction is missing here"),
    ],
)  # fmt: skip
def test_refusals(change: object, request_: dict[str, object], says: str) -> None:
    with pytest.raises(BakeoffError) as refusal:
        bootstrap(change(table()), **request_)  # type: ignore[operator, arg-type]
    assert says in str(refusal.value)


def test_on_the_command_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    table().to_csv(tmp_path / "predictions.csv", index=False)
    words = ["bootstrap", str(tmp_path / "predictions.csv"), "--measure", "auc", "--resamples", "199"]
    assert main([*words, "--cluster", "patient"]) == 0
    said = " ".join(capsys.readouterr().out.split())
    assert "199 resamples of 240 rows in 80 clusters (patient: a sample of such), drawn as a whole" in said
    assert main([*words, "--json"]) == 0
    assert '"contrast": "a"' in capsys.readouterr().out
