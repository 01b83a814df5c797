from __future__ import annotations

import json

from bakeoff.studies.analysis import Analysis


def test_the_request_is_what_judge_takes() -> None:
    asked = Analysis("error", contrast=("a vs b", "c vs d"), adjust="holm", options={"zeros": "wilcox"}).request()
    assert asked["contrast"] == ["a vs b", "c vs d"]
    assert asked["zeros"] == "wilcox"
    assert "procedure" not in asked


def test_the_description_is_json_and_comes_back_the_same() -> None:
    described = Analysis("error", contrast=("a vs b",), margin=0.01).describe()
    assert json.loads(json.dumps(described)) == described


def test_the_sentence_says_what_is_asked() -> None:
    said = Analysis("auc", procedure="friedman", control="svm", contrast="control", adjust="holm", margin=0.02).sentence
    assert said == "auc, by friedman, against svm, holm adjustment, α = 0.05, margin 0.02"
