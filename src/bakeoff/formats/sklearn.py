"""scikit-learn: dicts of cross_validate as JSON or CSV, and cv_results_ of a search as CSV."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from bakeoff.errors import InputError
from bakeoff.formats.format import JSON, TABLE, Format, ScorePart, Sign, plain_part
from bakeoff.formats.sources import ScoreFile

_TEST, _NEGATED = "test_", "neg_"


def read(source: ScoreFile) -> Iterable[ScorePart]:
    if source.content.kind == JSON:
        return [of_cross_validate(source.document, where=source.name)]
    table = source.table()
    return [of_cross_validate({name: table.numbers(name).tolist() for name in table.names}, where=source.name)]


def of_cross_validate(
    result: Mapping[str, Any], *, where: str = "cross_validate(…)", model: str = "", task: str = ""
) -> ScorePart:
    """What cross_validate gives, a fold a row. Of negated losses the sign is taken off; scores of training are left.

    >>> of_cross_validate({"fit_time": [1], "test_score": [0.9]}).columns["value"]
    [0.9]
    """
    tests = {key.removeprefix(_TEST): _listed(value) for key, value in result.items() if str(key).startswith(_TEST)}
    if not tests:
        raise InputError(
            "Results of cross_validate have keys such as test_score; none begins with test_. "
            f"Found: {', '.join(map(str, list(result)[:6]))}.",
            source=where,
        )
    n = len(next(iter(tests.values())))
    if any(len(values) != n for values in tests.values()):
        raise InputError("The scores of cross_validate have different lengths.", source=where)
    sizes = _sizes(result.get("indices"), n)
    columns: dict[str, list[object]] = {name: [] for name in ("fold", "measure", "value", *sizes)}
    if task:
        columns["task"] = [task] * (n * len(tests))
    directions = {}
    for scorer, values in tests.items():
        negated = scorer.startswith(_NEGATED)
        name = scorer.removeprefix(_NEGATED)
        if name == "score" or not negated:
            directions[name] = True  # a scorer of scikit-learn is larger for what is better
        columns["fold"] += [str(i) for i in range(n)]
        columns["measure"] += [name] * n
        columns["value"] += [-float(value) if negated else float(value) for value in values]
        for size, each in sizes.items():
            columns[size] += each
        if negated:
            directions[name] = False
    note = "folds are not known to be repeats of each other: name the repeats if the cross-validation was repeated"
    return ScorePart(
        columns,
        model=model,
        tool="scikit-learn's cross_validate",
        directions=directions,
        settings={} if not sizes else {"splits": _splits(result["indices"])},
        notes=(note,) if n > 10 else (),
    )


def _listed(value: Any) -> list[float]:
    return list(value.tolist()) if hasattr(value, "tolist") else list(value)


def _sizes(indices: Any, n: int) -> dict[str, list[object]]:
    """The sizes of training and test sets, where the rows of each fold were kept."""
    if not isinstance(indices, Mapping) or not {"train", "test"} <= set(indices):
        return {}
    sizes: dict[str, list[object]] = {
        f"n_{part}": [float(len(rows)) for rows in indices[part]] for part in ("train", "test")
    }
    return sizes if all(len(each) == n for each in sizes.values()) else {}


def _splits(indices: Any) -> str:
    from bakeoff.formats.format import digest

    return digest([_listed(rows) for rows in indices["test"]])


def _search(source: ScoreFile) -> Iterable[ScorePart]:
    """The table as it stands: candidates and splits are told apart where columns are prepared."""
    return [plain_part(source.table())]


CROSS_VALIDATE = Format(
    name="cross-validate",
    title="scikit-learn's cross_validate",
    signs=(
        Sign(JSON, ("fit_time", "score_time", "test_*"), certainty=3),
        Sign(TABLE, ("fit_time", "score_time", "test_*"), certainty=3),
    ),
    maps="fold = place; measure = scorer, the sign of neg_ taken off; n_train, n_test from indices; learner = the name "
    "of the file, or name=path. In Python {'tree': cross_validate(…)}, or {'iris': {'tree': …}} for several tasks",
    drops="scores on training data, times, fitted estimators",
    read=read,
)
SEARCH = Format(
    name="cv-results",
    title="scikit-learn's cv_results_",
    signs=(Sign(TABLE, ("split0_test_*", "split1_test_*"), certainty=3),),
    maps="learner = candidate (params), fold = split, measure = scorer",
    drops="means, deviations and ranks over the splits: they count what the splits hold once more",
    read=_search,
)
