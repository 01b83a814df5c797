"""Imported once in the server that workers are forked from, so that no worker pays for it again."""

import contextlib
import gc
import os

from bakeoff.running.processes import COORDINATOR, adopt_orphans, ignore_ctrl_c

if COORDINATOR in os.environ:
    # In the server itself: a worker that is stopped while it starts would complain on the user's terminal.
    with open(os.devnull, "wb") as nothing:
        os.dup2(nothing.fileno(), 2)
    adopt_orphans()
    ignore_ctrl_c()

with contextlib.suppress(Exception):  # whatever is wrong with what is installed, the cells will say
    import pandas  # noqa: F401
    from sklearn.dummy import DummyClassifier  # (what the learners of a study are made of was imported before)

    # What scikit-learn imports and looks up when an estimator first learns in a process takes longer than many a fit.
    DummyClassifier().fit([[0.0], [1.0]], [0, 1]).predict([[0.0]])

if COORDINATOR in os.environ:
    with contextlib.suppress(ImportError):
        from threadpoolctl import threadpool_limits

        threadpool_limits(int(os.environ["OMP_NUM_THREADS"]))
    # What was imported before the fork stays: to look through it again and again would slow down every fit, and a
    # worker that only looks at it gets a copy of its own.
    gc.collect()
    gc.freeze()
