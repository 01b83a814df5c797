"""A published result as a record."""

from __future__ import annotations

import json

from bakeoff.lab.published.cells import Cell
from bakeoff.lab.published.comparison import Comparison
from bakeoff.lab.published.result import Document, Published


def nothing(full: bool, seed: int, jobs: int) -> Comparison:
    raise NotImplementedError


RESULT = Published("x-table1", "A title", Document.F, "Table 1", "Nothing.", nothing, replications=10)


def test_json_holds_all_but_the_function() -> None:
    told = json.loads(json.dumps(RESULT.to_dict()))
    assert "regenerate" not in told
    assert told["document"] == "Feelders & Verkooijen"
    assert told["status"] == "reproduced"
    assert told["replications"] == 10


def test_a_comparison_bears_the_name_and_place_of_its_result() -> None:
    made = RESULT.compared((Cell("r", "c", 1.0, "1.0"),), replications=10, seed=3)
    assert (made.name, made.title, made.seed, made.replications) == ("x-table1", "A title", 3, 10)
    assert made.place == "Feelders & Verkooijen: Table 1"
