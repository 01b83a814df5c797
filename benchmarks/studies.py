"""`bakeoff run` against a bare scikit-learn loop over the same fits and splits: CPU of all processes, start to end.

Both sides start an interpreter, import what they need, fit, predict classes and probabilities, and compute the error.
Ours also isolates each cell, computes keys, stores scores and predictions, and can be resumed.
"""

from __future__ import annotations

import os
import sqlite3
import subprocess
import tempfile
import time
from pathlib import Path
from typing import Any

from measure import row
from processes import PYTHON, cpu_of, pinned

STUDY = """
seed = 1
measures = ["error"]
[[task]]
data = "{data}"
[resampling]
scheme = "cross-validation"
folds = 10
repeats = {repeats}
[[learner]]
name = "one"
path = "{path}"
parameters = {{ {parameters} }}
"""

# The same splits, read from the store; the same fits.
BARE = """
import sqlite3, sys
import numpy as np
from importlib import import_module
sys.path[:0] = {path!r}
from bakeoff.tasks.task import as_task
from bakeoff.stores.reader import Reader
data = as_task("x", {data!r}).load()
X, y = data.X, data.y
module, name = {learner!r}.rsplit(".", 1)
kind = getattr(import_module(module), name)
with Reader(__import__("pathlib").Path({store!r})) as store:
    splits = [store.split_rows(number) for number in range(1, {splits} + 1)]
errors = []
for number, split in enumerate(splits):
    model = kind(**{parameters!r})
    model.fit(X[split.train], y[split.train])
    predicted = model.predict(X[split.test])
    probabilities = model.predict_proba(X[split.test])
    errors.append(float(np.mean(predicted != y[split.test])))
print(sum(errors) / len(errors))
"""

JOBS = (
    # name, data, learner, parameters of it, repeats of 10-fold cross-validation, goal
    ("50 ms a cell", "sonar", "sklearn.ensemble.RandomForestClassifier", {"n_estimators": 30}, 40, 1.05),
    ("1 ms a cell", "iris", "sklearn.naive_bayes.GaussianNB", {}, 1500, 1.3),
)


def bakeoff(*arguments: str) -> list[str]:
    return [PYTHON, "-m", "bakeoff", *arguments]


def against_a_bare_loop(
    name: str, data: str, learner: str, parameters: dict[str, Any], repeats: int, goal: float
) -> dict[str, Any]:
    with tempfile.TemporaryDirectory() as folder:
        given = ", ".join(f"{key} = {value}" for key, value in parameters.items())
        (Path(folder) / "study.toml").write_text(
            STUDY.format(data=data, repeats=repeats, path=learner, parameters=given)
        )
        ours = cpu_of(bakeoff("run", "study.toml", "-j", "2", "--quiet"), folder=folder)
        cells = 10 * repeats
        script = BARE.format(
            path=[entry for entry in os.environ.get("PYTHONPATH", "").split(os.pathsep) if entry],
            data=data,
            learner=learner,
            parameters=parameters,
            store=str(Path(folder) / "study.sqlite"),
            splits=cells,
        )
        theirs = cpu_of([PYTHON, "-c", script], folder=folder, environment=pinned())
    made = row(
        f"bakeoff run, {cells:,} cells, {name}: {ours / theirs:.2f}× the loop", ours, "scikit-learn loop", theirs
    )
    return {**made, "goal": f"≤ {goal:g}× its CPU", "met": ours <= goal * theirs}


def resume_and_read() -> list[dict[str, Any]]:
    """Resume a finished study of 100,000 cells; read 1,000,000 scores into a matrix. Wall seconds."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder)
        (path / "study.toml").write_text(MANY)
        script = [PYTHON, str(Path(__file__).with_name("many_cells.py")), str(path / "study.toml")]
        subprocess.run(script, check=True, cwd=folder)
        begun = time.perf_counter()
        subprocess.run(bakeoff("run", "study.toml"), check=True, cwd=folder, stdout=subprocess.DEVNULL)
        resumed = time.perf_counter() - begun
        with sqlite3.connect(path / "study.sqlite") as connection:
            cells = connection.execute("select count(*) from cell").fetchone()[0]
        script = "import sys; sys.argv = ['x', 'study.toml']; import many_cells; print(many_cells.matrix('study.toml'))"
        environment = {
            **os.environ,
            "PYTHONPATH": os.pathsep.join([str(Path(__file__).parent), os.environ.get("PYTHONPATH", "")]),
        }
        done = subprocess.run(
            [PYTHON, "-c", script], check=True, cwd=folder, capture_output=True, text=True, env=environment
        )
        seconds, rows = done.stdout.split()
    return [
        {
            **row(f"resume of a finished study, {cells:,} cells, {resumed:.2f} s", resumed, "2 s", 2.0),
            "goal": "under 2 s",
            "met": resumed < 2,
        },
        {
            **row(f"{int(rows):,} scores into a matrix, {float(seconds):.2f} s", float(seconds), "2 s", 2.0),
            "goal": "under 2 s",
            "met": float(seconds) < 2,
        },
    ]


MANY = """
seed = 1
measures = [
    "error", "accuracy", "f1_macro", "mcc", "kappa", "balanced_accuracy", "auc", "log_loss", "brier", "fit_time"
]
[[task]]
data = "iris"
[resampling]
scheme = "cross-validation"
folds = 10
repeats = 1000
""" + "".join(
    f"""
[[learner]]
name = "learner {number}"
path = "sklearn.naive_bayes.GaussianNB"
parameters = {{ var_smoothing = 1e-{number + 5} }}
"""
    for number in range(10)
)


def rows() -> list[dict[str, Any]]:
    return [*(against_a_bare_loop(*job) for job in JOBS), *resume_and_read()]
