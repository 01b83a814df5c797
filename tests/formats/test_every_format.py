"""What every format keeps, those from outside too: its card is complete, it claims its files alone, and nothing that a
file may hold ends in a traceback."""

from __future__ import annotations

import contextlib
import json
import string
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pandas as pd
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from bakeoff import BakeoffError, UsageError, rank_votes, read_scores
from bakeoff.formats import __dict__ as registry
from bakeoff.formats import claim, format_named, formats, register
from bakeoff.formats.format import JSON, Format, ScorePart, Sign
from bakeoff.formats.sources import ScoreFile, sources_of

DATA = Path(__file__).parent / "data"
# A file of each format, by its path in `data`.
EXAMPLES = {
    "aeon": "aeon/1NN-DTW_accuracy.csv",
    "amlb": "amlb/results.csv",
    "asv": "asv/a0f29428-virtualenv-py3.12.json",
    "benchopt": "benchopt/benchopt_run_2026-11-16_06h06m07.parquet",
    "arena": "arena/battles.json",
    "cross-validate": "sklearn/cross_validate_wine_tree.json",
    "cv-results": "sklearn/cv_results_single.csv",
    "helm": "helm/suite/toy:model=org_alpha/per_instance_stats.json",
    "hyperfine": "hyperfine/both.json",
    "inspect": "inspect-json/alpha.json",
    "langsmith": "langsmith/alpha.csv",
    "mlflow": "mlflow/search_runs.csv",
    "mlr3": "mlr3/score.csv",
    "mteb": "mteb/results/org__alpha/rev1/ToyRetrieval.json",
    "openai-evals": "openai-evals/alpha.jsonl",
    "openml": "openml/list_evaluations_per_fold.csv",
    "paper-table": "papers/table.md",
    "promptfoo": "promptfoo/results.json",
    "pytest-benchmark": "pytest-benchmark/base.json",
    "skore": "skore/comparison_frame.csv",
    "swe-bench": "swe-bench/alpha.run1.json",
    "tabarena": "tabarena/results.csv",
    "wandb": "wandb/export.csv",
    "weka": "weka/J48.arff",
}
WRITTEN: dict[str, Any] = {
    "deepeval": {
        "testCases": [
            {
                "name": f"test_case_{i}",
                "input": f"q{i}",
                "metricsData": [
                    {"name": "Answer Relevancy", "score": i / 4, "success": True},
                    {"name": "Toxicity", "score": 0.1, "error": "judge failed" if i == 2 else None},
                ],
            }
            for i in range(4)
        ],
        "hyperparameters": {"model": "alpha"},
    },
    "braintrust": [
        {
            "id": f"row{i}",
            "span_id": f"s{i}",
            "root_span_id": f"s{i if root else i - 1}",
            "is_root": root,
            "dataset_record_id": f"case{i // 4}",
            "experiment_id": "e1",
            "input": {"question": f"q{i // 4}"},
            "expected": "yes",
            "output": "yes",
            "scores": {"Factuality": 0.25 * (i // 2)} if root else None,
            "metadata": {"passage": i // 4},
            "error": "timeout" if i == 6 else None,
        }
        for i in range(8)
        for root in (i % 2 == 0,)
    ],
    "mt-bench": [
        {"question_id": q, "model": "alpha", "score": score, "turn": 1, "judge": ["gpt-4", "single-v1"]}
        for q, score in ((81, 7), (82, -1))
    ],
    "swe-bench-instances": {
        name: {"patch_exists": True, "patch_successfully_applied": True, "resolved": False}
        for name in ("django__django-11815", "astropy__astropy-7166")
    },
    "json": [{"model": "svm", "dataset": "iris", "scores": {"accuracy": 0.9}}],
}


def lighteval_file(folder: Path) -> Path:
    import pyarrow as pa
    import pyarrow.parquet as pq

    path = folder / "details" / "org" / "alpha" / "2026-01-02T03-04-05.6" / "details_toy_2026-01-02T03-04-05.6.parquet"
    path.parent.mkdir(parents=True)
    rows = [
        {"doc": {"id": str(i), "query": f"q{i}"}, "model_response": {"text": "x"}, "metric": {"acc": float(i % 2)}}
        for i in range(4)
    ]
    pq.write_table(pa.Table.from_pylist(rows), path)
    return path


@pytest.fixture(scope="module")
def examples(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    home = tmp_path_factory.mktemp("formats")
    found = {name: DATA / path for name, path in EXAMPLES.items()}
    found["lm-eval"] = next((DATA / "lm-eval" / "org__beta").glob("samples_times3_*"))
    found["lighteval"] = lighteval_file(home)
    for name, document in WRITTEN.items():
        found[name] = home / f"{name}.json"
        found[name].write_text(json.dumps(document))
    return found


NAMES = sorted(set(formats()) - {"xlsx"})  # its files are made in test_sources.py


@pytest.mark.parametrize("name", formats())
def test_the_card_is_complete(name: str) -> None:
    card = formats()[name]
    assert card.name == name == name.lower()
    assert card.signs
    for text in (card.title, card.maps, card.drops, card.recognised_by):
        assert len(text) > 3
        assert not text.endswith(".")
    assert set(card.to_dict()) == {"name", "title", "recognised_by", "maps", "drops"}


@pytest.mark.parametrize("name", NAMES)
def test_its_files_are_claimed_by_it_alone(name: str, examples: dict[str, Path]) -> None:
    (source,) = sources_of([examples[name]])
    claimed = claim(source)
    assert claimed is not None
    assert claimed.name == name


@pytest.mark.parametrize("name", [name for name in NAMES if name != "arena"])  # votes give no scores
def test_its_files_are_read(name: str, examples: dict[str, Path]) -> None:
    unknown = {"paper-table": True, "json": None}
    scores = read_scores(examples[name], larger_is_better=unknown.get(name))
    assert len(scores) > 0
    assert scores.notes


def test_deepeval(examples: dict[str, Path]) -> None:
    scores = read_scores(examples["deepeval"])
    assert scores.learners == ("alpha",)
    assert scores.measures["Answer Relevancy"].larger_is_better
    assert not scores.measures["Toxicity"].larger_is_better
    assert "judge failed" in scores.message.labels


def test_deepeval_keeps_a_latest_run_within_a_wrapper(tmp_path: Path) -> None:
    path = tmp_path / ".latest_test_run.json"
    path.write_text(json.dumps({"testRunData": WRITTEN["deepeval"]}))
    assert read_scores(path, measure="Answer Relevancy").learners == ("alpha",)


def test_braintrust_keeps_roots_and_tells_trials_and_errors(examples: dict[str, Path], tmp_path: Path) -> None:
    scores = read_scores(examples["braintrust"], columns="")
    assert scores.measures["Factuality"].larger_is_better
    assert len(scores) == 4
    frame = scores.to_frame()
    assert frame["instance"].tolist() == ["case0", "case0", "case1", "case1"]
    assert frame["repeat"].tolist() == ["1", "2", "1", "2"]
    assert frame["value"].tolist()[:3] == [0.0, 0.25, 0.5]
    assert "timeout" in scores.message.labels
    fetched = tmp_path / "fetched.json"
    fetched.write_text(json.dumps({"events": WRITTEN["braintrust"], "cursor": None}))
    assert len(read_scores(fetched)) == 4


def test_lighteval(examples: dict[str, Path]) -> None:
    scores = read_scores(examples["lighteval"])
    assert scores.learners == ("org/alpha",)
    assert scores.tasks == ("toy",)
    assert scores.value.tolist() == [0, 1, 0, 1]


def test_mt_bench_grades(examples: dict[str, Path]) -> None:
    scores = read_scores(examples["mt-bench"])
    assert scores.status.values() == ["ok", "error"]


@pytest.fixture
def foreign() -> Iterator[Format]:
    def read(source: ScoreFile) -> list[ScorePart]:
        document = source.document
        return [
            ScorePart(
                {"task": list(document["points"]), "value": list(document["points"].values())},
                model=document["by"],
                directions={"score": True},
            )
        ]

    sign = Sign(JSON, ("foreign", "points"), certainty=3)
    yield register(Format("foreign", "a foreign file", (sign,), "points", "nothing", read))
    registry["_FOREIGN"].pop("foreign")


def test_a_format_from_outside(foreign: Format, tmp_path: Path) -> None:
    for name in ("a", "b"):
        document = {"foreign": 1, "by": name, "points": {"iris": 0.5, "wine": 0.25}}
        (tmp_path / f"{name}.json").write_text(json.dumps(document))
    scores = read_scores(tmp_path)
    assert scores.learners == ("a", "b")
    with pytest.raises(UsageError, match="There is a format 'foreign' already"):
        register(foreign)


def test_two_equal_claims_are_asked_about(foreign: Format, tmp_path: Path) -> None:
    path = tmp_path / "both.json"
    path.write_text(
        json.dumps({"foreign": 1, "points": {"iris": 0.5}, "by": "a", "resolved_ids": [], "submitted_ids": []})
    )
    with pytest.raises(UsageError, match=r"--format (foreign|swe-bench) or --format (foreign|swe-bench)"):
        read_scores(path)
    assert read_scores(path, format="foreign").tasks == ("iris",)


def test_a_format_that_does_not_fit_says_so() -> None:
    with pytest.raises(BakeoffError, match="It was read as a HELM run, but does not hold what such files hold"):
        read_scores(DATA / "swe-bench" / "alpha.run1.json", format="helm")


# --- anything may stand in a file -------------------------------------------------------------------------------------

LEAVES = st.one_of(
    st.none(), st.booleans(), st.integers(-5, 10**20), st.floats(), st.text(string.printable, max_size=8), st.just([])
)
VALUES = st.recursive(
    LEAVES,
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.text(string.ascii_letters, max_size=5), inner, max_size=3)
    ),
    max_leaves=6,
)


def mutated(draw: Any, value: Any, chance: int = 12) -> Any:
    """A document of which some parts are gone, or are something else."""
    if draw(st.integers(0, chance)) == 0:
        return draw(VALUES)
    if isinstance(value, dict):
        kept = [key for key in value if draw(st.integers(0, chance)) > 0]
        return {key: mutated(draw, value[key], chance * 2) for key in kept}
    if isinstance(value, list):
        return [mutated(draw, each, chance * 2) for each in value[:3]]
    return value


def read_quietly(path: Path, name: str) -> None:
    for options in ({}, {"format": name}):
        try:
            read_scores(path, **options)  # type: ignore[arg-type]
        except BakeoffError:
            continue


CALM = settings(max_examples=15, deadline=None, suppress_health_check=list(HealthCheck), derandomize=True)
STRUCTURED = [n for n in NAMES if n in WRITTEN or n == "lm-eval" or EXAMPLES.get(n, "").endswith((".json", ".jsonl"))]


@pytest.mark.parametrize("name", STRUCTURED)
@CALM
@given(data=st.data())
def test_any_json_gives_scores_or_a_sentence(
    name: str, data: st.DataObject, examples: dict[str, Path], tmp_path_factory: pytest.TempPathFactory
) -> None:
    text = examples[name].read_text()
    lines = [json.loads(line) for line in text.splitlines()[:3]] if examples[name].suffix == ".jsonl" else None
    document = lines if lines is not None else json.loads(text)
    if isinstance(document, list):
        document = document[:4]
    changed = mutated(data.draw, document)
    path = tmp_path_factory.mktemp("fuzz") / examples[name].name
    if lines is not None and isinstance(changed, list):
        path.write_text("\n".join(map(json.dumps, changed)))
    else:
        path.write_text(json.dumps(changed))
    read_quietly(path, name)


TABLES = sorted(set(NAMES) - set(STRUCTURED) - {"lighteval"})


@pytest.mark.parametrize("name", TABLES)
@CALM
@given(data=st.data())
def test_any_text_gives_scores_or_a_sentence(
    name: str, data: st.DataObject, examples: dict[str, Path], tmp_path_factory: pytest.TempPathFactory
) -> None:
    example = examples[name]
    if example.suffix == ".parquet":  # older versions of benchopt wrote CSV
        example = tmp_path_factory.mktemp("text") / f"{example.stem}.csv"
        pd.read_parquet(examples[name]).to_csv(example, index=False)
    lines = example.read_text().splitlines()
    if name == "weka":
        lines = [line for line in lines if line.startswith("@")] + lines[-2:]
    lines = lines if len(lines) < 40 or name == "weka" else lines[:12]
    for _ in range(data.draw(st.integers(1, 3))):
        place = data.draw(st.integers(0, len(lines) - 1))
        start = data.draw(st.integers(0, max(len(lines[place]) - 1, 0)))
        stop = data.draw(st.integers(start, min(start + 30, len(lines[place]))))
        lines[place] = lines[place][:start] + data.draw(st.text(",|&\\'\"\n;x1. %-", max_size=4)) + lines[place][stop:]
    path = tmp_path_factory.mktemp("fuzz") / example.name
    path.write_text("\n".join(lines))
    read_quietly(path, name)


@CALM
@given(data=st.data())
def test_any_votes_are_ranked_or_give_a_sentence(data: st.DataObject, tmp_path_factory: pytest.TempPathFactory) -> None:
    names = st.sampled_from(["a", "b", "c", "", None, 3])
    outcome = st.sampled_from(["model_a", "model_b", "tie", "tie (bothbad)", "error", None, 1, "x"])
    records = data.draw(
        st.lists(
            st.fixed_dictionaries(
                {"model_a": names, "model_b": names, "winner": outcome},
                optional={"question_id": st.integers(0, 3), "judge": st.sampled_from(["j", ["k", "v"], None]),
                          "turn": st.integers(1, 2), "anony": st.booleans()},
            ),
            max_size=30,
        )
    )  # fmt: skip
    path = tmp_path_factory.mktemp("fuzz") / "votes.json"
    path.write_text(json.dumps(records))
    for cluster in (None, "question", "both"):
        with contextlib.suppress(BakeoffError):
            rank_votes(path, cluster=cluster)


@settings(max_examples=20, deadline=None, suppress_health_check=list(HealthCheck), derandomize=True)
@given(
    content=st.binary(max_size=200),
    start=st.sampled_from([b"", b"{", b"[", b"PK\x03\x04", b"\x1f\x8b", b"PAR1", b"@relation "]),
)
def test_any_bytes_give_scores_or_a_sentence(
    content: bytes, start: bytes, tmp_path_factory: pytest.TempPathFactory
) -> None:
    path = tmp_path_factory.mktemp("fuzz") / "scores"
    path.write_bytes(start + content)
    for name in (None, "weka", "lm-eval", "xlsx", "inspect", "paper-table", "aeon", "json"):
        try:
            read_scores(path, format=name)
        except BakeoffError:
            continue


def test_a_damaged_archive_of_inspect(tmp_path: Path) -> None:
    content = next((DATA / "inspect").glob("*.eval")).read_bytes()
    path = tmp_path / "log.eval"
    for cut in (5, 100, len(content) // 2, len(content) - 30):
        path.write_bytes(content[:cut])
        read_quietly(path, "inspect")
    for place in range(0, len(content), 9973):
        path.write_bytes(content[:place] + b"\xff\x00\xff" + content[place + 3 :])
        read_quietly(path, "inspect")


def test_formats_are_found_by_name() -> None:
    assert format_named("LM_Eval").name == "lm-eval"
