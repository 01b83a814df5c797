"""MTEB: the results of a model on a task. The main score differs by the kind of task: only ranks compare."""

from __future__ import annotations

from collections.abc import Iterable
from statistics import fmean

from bakeoff.formats.format import JSON, Format, ScorePart, Sign, digest, text_of
from bakeoff.formats.sources import ScoreFile


def read(source: ScoreFile) -> Iterable[ScorePart]:
    document = source.document
    splits = document["scores"]
    split = "test" if "test" in splits else next(iter(splits))
    task = str(document["task_name"])
    subsets = [each for each in splits[split] if isinstance(each.get("main_score"), int | float)]
    columns: dict[str, list[object]] = {}
    if subsets:
        mean = fmean(float(each["main_score"]) for each in subsets)
        columns = {"task": [task], "measure": ["main_score"], "value": [mean]}
    names = sorted(str(each.get("hf_subset", "")) for each in subsets)
    return [
        ScorePart(
            columns,
            model=_model(source),
            tool="MTEB",
            directions={"main_score": True},
            settings={
                "revision of the data": text_of(document.get("dataset_revision")),
                "split": split,
                "subsets": f"{len(names)}: {', '.join(names)}"[:200]
                if len(names) < 20
                else f"{len(names)} {digest(names)}",
            },
            scales_differ=True,
            notes=("the score of a task is the mean over its subsets, as in MTEB",) if len(subsets) > 1 else (),
        )
    ]


def _model(source: ScoreFile) -> str:
    """results/<model>/<revision>/<Task>.json; older files lie beside the revisions. A model is <owner>__<name>."""
    folders = source.parts[:-1]
    named = next((folder for folder in reversed(folders) if "__" in folder), folders[-2] if len(folders) > 1 else "")
    return named.replace("__", "/")


FORMAT = Format(
    name="mteb",
    title="MTEB results",
    signs=(Sign(JSON, ("task_name", "scores", "dataset_revision"), certainty=3),),
    maps="task = task_name, value = main_score of the test part, the mean over subsets (languages) if there are "
    "several; learner from the path results/<model>/<revision>/<Task>.json",
    drops="other scores, times, emissions. The main score differs by task: only ranks are compared",
    read=read,
)
