"""From the table of a study file to a scheme: names, synonyms, refusals."""

from __future__ import annotations

import subprocess
import sys
from typing import Any

import numpy as np
import pytest

from bakeoff.errors import UsageError
from bakeoff.resampling import SCHEMES, resampling_from
from bakeoff.resampling.cross_validation import CrossValidation, FiveByTwo
from bakeoff.resampling.split import Resampling, Sample

SYNONYMS = {other: kind.scheme for kind in SCHEMES.values() for other in kind.synonyms}


@pytest.mark.parametrize("name", [*SCHEMES, *SYNONYMS])
def test_every_name_is_a_scheme_with_defaults(name: str) -> None:
    scheme: Resampling = resampling_from({"scheme": name})
    assert scheme.scheme == SYNONYMS.get(name, name)
    assert scheme.count(Sample(100, folds=np.arange(100) % 2)) >= 1


def test_no_synonym_hides_a_name() -> None:
    assert not set(SYNONYMS) & set(SCHEMES)
    assert len(SYNONYMS) == sum(len(kind.synonyms) for kind in SCHEMES.values()), "two schemes share a synonym"


@pytest.mark.parametrize(
    ("name", "scheme"),
    [
        ("Cross Validation", "cross-validation"),
        ("LEAVE_ONE_OUT", "leave-one-out"),
        (" k-fold ", "cross-validation"),
        ("5×2", "5x2"),
        (632, "632"),
        (0.632, "632"),
        (".632+", "632+"),
        ("OOB-2n", "out-of-bootstrap-2n"),
    ],
)
def test_spelling_does_not_matter(name: Any, scheme: str) -> None:
    assert resampling_from({"scheme": name}).scheme == scheme


def test_r_times_k() -> None:
    assert resampling_from({"scheme": "3x7"}) == CrossValidation(folds=7, repeats=3)
    assert resampling_from({"scheme": "10×10 CV", "stratify": False, "folds": 10}).describe() == {
        "scheme": "cross-validation",
        "folds": 10,
        "repeats": 10,
        "stratify": False,
    }
    assert isinstance(resampling_from({"scheme": "5x2"}), FiveByTwo)
    with pytest.raises(UsageError, match="'10x10' says folds = 10, and folds = 5 stands beside it"):
        resampling_from({"scheme": "10x10", "folds": 5})
    with pytest.raises(UsageError, match="'folds' must be a whole number of at least 2; found 1"):
        resampling_from({"scheme": "10x1"})


@pytest.mark.parametrize(
    ("description", "sentence"),
    [
        ({}, "names no scheme. Known are: 5x2, 632"),
        ({"folds": 5}, "names no scheme"),
        ("cv", "a table with a scheme and its parameters; found 'cv'"),
        ({"scheme": "cross-validatoin"}, "no resampling scheme 'cross-validatoin'. Did you mean 'cross-validation'"),
        ({"scheme": "boostrap"}, "Did you mean 'bootstrap'"),
        ({"scheme": ["cv"]}, "no resampling scheme"),
        ({"scheme": None}, "no resampling scheme None"),
        ({"scheme": "cv", "folds": 1}, "'folds' must be a whole number of at least 2; found 1"),
        ({"scheme": "cv", "folds": "ten"}, "'folds' must be a whole number of at least 2; found 'ten'"),
        ({"scheme": "cv", "folds": 2.5}, "'folds' must be a whole number"),
        ({"scheme": "cv", "repeats": 0}, "'repeats' must be a whole number of at least 1; found 0"),
        ({"scheme": "cv", "stratify": "yes"}, "'stratify' must be true or false; found 'yes'"),
        ({"scheme": "cv", "repeat": 3}, "'cross-validation' has no parameter 'repeat'. Did you mean 'repeats'"),
        ({"scheme": "oob", "replicates": 250}, "Did you mean 'repeats'"),
        ({"scheme": "loo", "folds": 5}, "'leave-one-out' has no parameter 'folds'. It has none."),
        ({"scheme": "5x2", "repeats": 5}, "'5x2' has no parameter 'repeats'"),
        ({"scheme": "hold-out", "test_share": 30}, "strictly between 0 and 1; found 30"),
        ({"scheme": "time-ordered", "window": "slidng"}, "'window' cannot be 'slidng'. Did you mean 'sliding'"),
        ({"scheme": "time-ordered", "gap": -1}, "'gap' must be a whole number of at least 0; found -1"),
        ({"scheme": "time-ordered", "train_size": 20}, "say window = 'sliding', or leave train_size out"),
        ({"scheme": "predefined", "content": "abc"}, "by a file (file = 'splits.csv') or in Python"),
        ({"scheme": "splitter"}, "no resampling scheme 'splitter'"),
        ({"scheme": "disjoint-halves", "parts": 0}, "'parts' must be a whole number of at least 1"),
    ],
)
def test_mistakes_are_refused_in_a_sentence(description: Any, sentence: str) -> None:
    with pytest.raises(UsageError) as refusal:
        resampling_from(description)
    assert sentence in str(refusal.value)
    assert str(refusal.value).endswith(".")


def test_splits_stay_what_they_were() -> None:
    # Results are stored under the rows of their split. If these numbers change, every stored result is orphaned.
    strata, groups = np.arange(12) % 3, np.arange(12) // 2
    kept = {
        name: [s.test.tolist() for s in resampling_from({"scheme": name, **more}).splits(sample, 20261115).splits]
        for name, more, sample in (
            ("cross-validation", {"folds": 3}, Sample(12, strata)),
            ("hold-out", {}, Sample(12, strata, groups)),
            ("out-of-bootstrap", {"repeats": 2}, Sample(12)),
            ("bootstrap-cv", {"folds": 2, "repeats": 1}, Sample(12)),
        )
    }
    assert kept == {
        "cross-validation": [[3, 8, 9, 10], [0, 1, 2, 7], [4, 5, 6, 11]],
        "hold-out": [[6, 7, 10, 11]],
        "out-of-bootstrap": [[0, 1, 7, 8, 9], [2, 5, 8, 9]],
        "bootstrap-cv": [[2, 3, 10], [5, 11, 11]],
    }


def test_planning_needs_no_scikit_learn() -> None:
    code = (
        "import sys, bakeoff.resampling, bakeoff.resampling.cross_validation\n"
        "assert not {'sklearn', 'pandas', 'scipy'} & set(sys.modules), sorted(sys.modules)"
    )
    subprocess.run([sys.executable, "-c", code], check=True)
