"""skore: the frame of a ComparisonReport, a row a metric and a column a learner's split."""

from __future__ import annotations

import re
from collections.abc import Iterable

from bakeoff.errors import InputError
from bakeoff.formats.format import TABLE, Format, ScorePart, Sign
from bakeoff.formats.sources import ScoreFile

_SPLIT = re.compile(r"(.+)_split_(\d+)")
_SAME_AS_ANOTHER = frozenset({"default_score"})


def read(source: ScoreFile) -> Iterable[ScorePart]:
    table = source.table()
    columns = {name: match for name in table.names if (match := _SPLIT.fullmatch(name))}
    if not columns:
        raise InputError(
            "These are means and deviations over splits, which leave nothing to compare by. Write the frame per split: "
            "report.metrics.summarize(aggregate=None).frame().",
            source=source.name,
        )
    metrics = table.labels(table.names[0]).values()
    rows: dict[str, list[object]] = {name: [] for name in ("learner", "fold", "measure", "value")}
    for name, match in columns.items():
        for metric, value in zip(metrics, table.numbers(name).tolist(), strict=True):
            if metric in _SAME_AS_ANOTHER:
                continue
            for key, cell in zip(rows, (match[1], match[2], metric, value), strict=True):
                rows[key].append(cell)
    known = {"brier_score": False, "fit_time": False, "predict_time": False, "log_loss": False}
    directions = {str(name): known.get(str(name), _larger(str(name))) for name in dict.fromkeys(rows["measure"])}
    return [
        ScorePart(
            rows, tool="skore", directions={name: larger for name, larger in directions.items() if larger is not None}
        )
    ]


def _larger(metric: str) -> bool | None:
    """Scores of a class are those of the measure: precision_0."""
    return True if re.fullmatch(r"(accuracy|precision|recall|roc_auc|r2)(_.+)?", metric) else None


FORMAT = Format(
    name="skore",
    title="a skore comparison",
    signs=(Sign(TABLE, ("*_split_0",), certainty=3), Sign(TABLE, ("mean_*", "std_*", ""), certainty=2)),
    maps="learner and fold from the headers <name>_split_<i>, measure = row",
    drops="the row default_score, which repeats another; frames of means and deviations are refused",
    read=read,
)
