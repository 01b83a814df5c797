"""What a worker answers is tested through the engine (test_engine.py); here, how answers travel."""

from __future__ import annotations

import pickle
from pathlib import Path

import numpy as np

from bakeoff.measures.prediction import Prediction
from bakeoff.running.outcome import Outcome, Status
from bakeoff.running.worker import received


def test_a_large_result_is_read_from_its_file_which_is_then_gone(tmp_path: Path) -> None:
    sent = [Outcome(0, Status.OK, prediction=Prediction(np.arange(1000.0)))]
    (tmp_path / "result-1-0").write_bytes(pickle.dumps(sent))
    got = received(tmp_path, "result-1-0")
    assert got[0].prediction is not None
    assert (got[0].prediction.values == np.arange(1000.0)).all()
    assert not list(tmp_path.iterdir())


def test_a_small_result_comes_as_it_is(tmp_path: Path) -> None:
    assert received(tmp_path, pickle.dumps([Outcome(0, Status.OK)])) == [Outcome(0, Status.OK)]
