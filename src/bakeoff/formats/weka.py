"""WEKA's Experimenter: a row a fold of a run, as CSV (with single quotes) or ARFF. It tells the sizes exactly."""

from __future__ import annotations

import csv
import re
from collections.abc import Iterable

from bakeoff.errors import InputError
from bakeoff.formats.format import TABLE, TEXT, Format, ScorePart, Sign
from bakeoff.formats.sources import ScoreFile

TOOL = "WEKA's Experimenter"
_KEYS = {"Key_Dataset": "task", "Key_Run": "repeat", "Key_Fold": "fold"}
_SIZES = {"Number_of_training_instances": "n_train", "Number_of_testing_instances": "n_test"}
# Areas and F of the first class alone are left out: those over all classes say Weighted_avg_.
_MEASURES = {
    "Percent_correct": True,
    "Kappa_statistic": True,
    "Weighted_avg_area_under_ROC": True,
    "Weighted_avg_F_measure": True,
    "Correlation_coefficient": True,
    "Mean_absolute_error": False,
    "Root_mean_squared_error": False,
    "Elapsed_Time_training": False,
}


def read(source: ScoreFile) -> Iterable[ScorePart]:
    text = source.text()
    names, rows = _arff(text) if text.lstrip().lower().startswith("@relation") else _csv(text)
    if any(name.startswith("Avg_") for name in names):
        raise InputError(
            "These are averages over folds, which leave nothing to compare by. Write a row for each fold "
            "(CrossValidationResultProducer, not AveragingResultProducer).",
            source=source.name,
        )
    wrong = next((i for i, row in enumerate(rows) if len(row) != len(names)), None)
    if wrong is not None:
        raise InputError(
            f"Row {wrong + 1} has {len(rows[wrong])} cells, and there are {len(names)} columns.", source=source.name
        )
    cells = {name: [row[i] for row in rows] for i, name in enumerate(names)}
    schemes = [scheme.rpartition(".")[2] for scheme in cells["Key_Scheme"]]
    options = cells.get("Key_Scheme_options", [""] * len(rows))
    pairs = list(dict.fromkeys(zip(schemes, options, strict=True)))
    measures = [name for name in _MEASURES if name in cells]
    parts = []
    for scheme, option in pairs:
        mine = [i for i in range(len(rows)) if (schemes[i], options[i]) == (scheme, option)]
        several = sum(other == scheme for other, _ in pairs) > 1
        columns: dict[str, list[object]] = {
            role: [cells[name][i] for _ in measures for i in mine] for name, role in _KEYS.items() if name in cells
        }
        for name, role in _SIZES.items():
            if name in cells:
                columns[role] = [_number(cells[name][i]) for _ in measures for i in mine]
        columns["measure"] = [name for name in measures for _ in mine]
        columns["value"] = [_number(cells[name][i]) for name in measures for i in mine]
        parts.append(
            ScorePart(
                columns,
                model=f"{scheme} {option}".strip() if several else scheme,
                tool=TOOL,
                directions={name: _MEASURES[name] for name in measures},
                headline=measures[0] if measures else "",
            )
        )
    return parts


def _number(cell: str) -> float | None:
    return None if cell.strip() in ("?", "") else float(cell)


def _csv(text: str) -> tuple[list[str], list[list[str]]]:
    rows = [row for row in csv.reader(text.splitlines(), quotechar="'", escapechar="\\", skipinitialspace=True) if row]
    return rows[0], rows[1:]


def _arff(text: str) -> tuple[list[str], list[list[str]]]:
    head, _, body = re.split(r"(?im)^(@data)\s*$", text, maxsplit=1)
    names = re.findall(r"(?im)^@attribute\s+('[^']*'|\S+)", head)
    lines = [line for line in body.splitlines() if line.strip() and not line.startswith("%")]
    return [name.strip("'") for name in names], list(
        csv.reader(lines, quotechar="'", escapechar="\\", skipinitialspace=True)
    )


FORMAT = Format(
    name="weka",
    title="results of WEKA's Experimenter",
    signs=(
        Sign(TABLE, ("Key_Dataset", "Key_Scheme", "Key_Run"), certainty=3),
        Sign(TEXT, pattern=r"(?i)^\s*@relation\s+'?InstanceResultListener", certainty=3),
    ),
    maps="task, repeat, fold = Key_Dataset, Key_Run, Key_Fold; learner = the last part of Key_Scheme, with its options "
    "if there are several; n_train, n_test exactly; Percent_correct (read unless another is named), Kappa_statistic, "
    "averages of area and F over classes, errors of regression, training time",
    drops="measures of the first class alone, of information and of the model; averages over folds are refused",
    read=read,
)
