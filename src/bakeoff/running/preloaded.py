"""Imported once in the server that workers are forked from, so that no worker pays for it again."""

import contextlib
import os

from bakeoff.running.processes import COORDINATOR

if COORDINATOR in os.environ:
    # In the server itself: a worker that is stopped while it starts would complain on the user's terminal.
    with open(os.devnull, "wb") as nothing:
        os.dup2(nothing.fileno(), 2)

with contextlib.suppress(ImportError):
    import pandas  # noqa: F401
    import sklearn.base
    import sklearn.compose
    import sklearn.impute
    import sklearn.model_selection
    import sklearn.pipeline
    import sklearn.preprocessing  # noqa: F401
