"""Fill the store of a study with outcomes that were not computed, so that reading many cells can be measured."""

from __future__ import annotations

import sys
import time
from pathlib import Path

import numpy as np

from bakeoff.measures.response import Prediction
from bakeoff.results.scores import scores_of
from bakeoff.running.work import Outcome, Status
from bakeoff.store.reader import CellRecord, Reader
from bakeoff.store.writer import Store
from bakeoff.study.file import read_study
from bakeoff.study.prepare import prepare


def fill(path: str) -> None:
    study = read_study(path)
    rng = np.random.default_rng(1)
    with Store.open(Path(path).with_suffix(".sqlite")) as store:
        prepared = prepare(study, store)
        run = store.start_run(prepared.study_id, {}, 1, 1)
        batch = []
        for number, key in enumerate(prepared.grid.keys()):
            learner, block, position = prepared.locate(number)
            record = CellRecord(key, prepared.learner_ids[learner], int(block.split_ids[position]), 1)
            scores = dict(zip(study.measure_names, rng.random(len(study.measure_names)).tolist(), strict=True))
            prediction = Prediction(rng.integers(0, 3, 15), rng.random((15, 3)), True).packed()
            batch.append(
                (
                    record,
                    Outcome(number, Status.OK, scores=scores, resources={"fit_time": 0.001}, prediction=prediction),
                )
            )
            if len(batch) == 2000:
                store.write(run, batch)
                batch = []
        store.write(run, batch)
        store.finish_run(run)


def matrix(path: str) -> str:
    """Seconds and number of scores: all measures of all cells, as tables of learners × splits."""
    study = read_study(path)
    with Reader(Path(path).with_suffix(".sqlite")) as store:
        begun = time.perf_counter()
        scores = scores_of(store, study.key)
        learners, measures = len(scores.learners), len(scores.measure.labels)
        assert scores.value.reshape(-1, learners, measures).shape[0] * learners * measures == len(scores)
        return f"{time.perf_counter() - begun} {len(scores)}"


if __name__ == "__main__":
    fill(sys.argv[1])
