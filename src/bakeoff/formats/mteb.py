"""MTEB: the results of a model on a task. The main score differs by the kind of task: only ranks compare."""

from __future__ import annotations

from collections.abc import Iterable

from bakeoff.formats.format import JSON, Format, ScorePart, Sign, text_of
from bakeoff.formats.sources import ScoreFile


def read(source: ScoreFile) -> Iterable[ScorePart]:
    document = source.document
    splits = document["scores"]
    split = "test" if "test" in splits else next(iter(splits))
    task = str(document["task_name"])
    subsets = [each for each in splits[split] if isinstance(each.get("main_score"), int | float)]
    n = len(subsets)
    names = [task if n == 1 else f"{task} ({each.get('hf_subset', i)})" for i, each in enumerate(subsets)]
    return [
        ScorePart(
            {
                "task": list(names),
                "measure": ["main_score"] * n,
                "value": [float(each["main_score"]) for each in subsets],
            }
            if n
            else {},
            model=_model(source),
            tool="MTEB",
            directions={"main_score": True},
            settings={"revision of the data": text_of(document.get("dataset_revision"))},
            scales_differ=True,
            notes=(
                *((f"{task}: {n} subsets are read as tasks; they are alike, and no {n} draws",) if n > 1 else ()),
                *((f"{task}: split {split}",) if split != "test" else ()),
            ),
        )
    ]


def _model(source: ScoreFile) -> str:
    """results/<model>/<revision>/<Task>.json"""
    return source.parts[-3].replace("__", "/") if len(source.parts) > 2 else ""


FORMAT = Format(
    name="mteb",
    title="MTEB results",
    signs=(Sign(JSON, ("task_name", "scores", "dataset_revision"), certainty=3),),
    maps="task = task_name (a task a subset, if there are several), value = main_score of the test part, learner from "
    "the path results/<model>/<revision>/<Task>.json",
    drops="other scores, times, emissions. The main score differs by task: only ranks are compared",
    read=read,
)
