"""mlr3: scores of a benchmark, as bmr$score() gives them, written as CSV."""

from __future__ import annotations

from collections.abc import Iterable

from bakeoff.formats.format import TABLE, Format, ScorePart, Sign
from bakeoff.formats.sources import ScoreFile
from bakeoff.measures import known_measure

_KEYS = ("nr", "task_id", "learner_id", "resampling_id", "iteration", "uhash")
_OF_FOLDS = frozenset({"cv", "custom_cv", "loo"})  # each case is tested once
_OF_NO_TEST = "insample"


def read(source: ScoreFile) -> Iterable[ScorePart]:
    table = source.table()
    measures = [name for name in table.names if "." in name and name not in _KEYS and table.holds_numbers(name)]
    cells = {name: table.labels(name).values() for name in _KEYS if name in table.names}
    times = len(measures)
    schemes = set(cells["resampling_id"])
    if _OF_NO_TEST in schemes:
        raise table.error(
            f"The resampling {_OF_NO_TEST!r} tests on what was learned from, which tells nothing of new cases. Leave "
            "its rows out of the file.",
            column="resampling_id",
        )
    # Subsamples and bootstraps overlap more than folds do, and of a repeated cross-validation nothing says where a
    # repeat ends: their iterations are splits.
    split = "fold" if schemes <= _OF_FOLDS else "split"
    names = {name: _name(name) for name in measures}
    return [
        ScorePart(
            {
                "learner": cells["learner_id"] * times,
                "task": cells["task_id"] * times,
                split: cells["iteration"] * times,
                "measure": [names[name] for name in measures for _ in range(table.n_rows)],
                "value": [
                    None if value != value else value for name in measures for value in table.numbers(name).tolist()
                ],
            },
            tool="mlr3",
        )
    ]


def _name(measure: str) -> str:
    """A measure without its kind of task, where that is enough to know it.

    >>> _name("classif.ce"), _name("regr.rmse"), _name("classif.own")
    ('classif.ce', 'rmse', 'classif.own')
    """
    short = measure.partition(".")[2]
    return measure if known_measure(measure) or known_measure(short) is None else short


FORMAT = Format(
    name="mlr3",
    title="mlr3 scores",
    signs=(Sign(TABLE, ("task_id", "learner_id", "resampling_id", "iteration"), certainty=3),),
    maps="task_id, learner_id; fold = iteration of cv (of subsampling, bootstrap and repeated_cv a split); measures "
    "such as classif.ce",
    drops="objects in list columns, which no CSV file can hold",
    read=read,
)
