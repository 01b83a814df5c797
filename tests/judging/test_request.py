from __future__ import annotations

import numpy as np
import pytest
import zoo

from bakeoff.contrasts import contrasts
from bakeoff.errors import UsageError
from bakeoff.judging import analyse
from bakeoff.judging.request import Request, adjustment_asked_for, adjustment_of_each, checked_options
from bakeoff.registry import explain
from bakeoff.scores import Missing

LEARNERS = ("a", "b", "c")


def request(**changes: object) -> Request:
    given = {
        "alpha": 0.05, "contrast": "all-pairs", "control": None, "adjust": None, "alternative": "two-sided",
        "missing": Missing.ERROR, "anyway": False,
    }  # fmt: skip
    return Request(**{**given, **changes})  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("procedure", "asked", "adjust", "title"),
    [
        ("friedman", {}, "single-step", "Nemenyi adjustment"),
        ("friedman", {"adjust": "Nemenyi"}, "single-step", "Nemenyi adjustment"),
        ("friedman", {"adjust": "single step"}, "single-step", "Nemenyi adjustment"),
        ("friedman", {"alternative": "better"}, "holm", "Holm adjustment"),
        ("friedman", {"adjust": "none"}, "none", "no adjustment"),
        ("corrected-t", {}, "holm", "Holm adjustment"),
        ("corrected-t", {"adjust": "BH"}, "bh", "Benjamini–Hochberg adjustment"),
        ("hochberg-tamhane", {"adjust": "hochberg-tamhane"}, "single-step", "Hochberg–Tamhane adjustment"),
    ],
)
def test_adjustments(procedure: str, asked: dict[str, object], adjust: str, title: str) -> None:
    family = contrasts("all-pairs", LEARNERS, range(3), None)
    assert adjustment_asked_for(explain(procedure), request(**asked), family) == (adjust, title)


def test_one_comparison_needs_no_adjustment() -> None:
    family = contrasts("all-pairs", LEARNERS[:2], range(2), None)
    assert adjustment_asked_for(explain("corrected-t"), request(), family)[0] == "none"


def test_options_are_checked_against_the_card() -> None:
    assert checked_options(explain("mcnemar"), {"method": "exact"})["method"] == "exact"
    with pytest.raises(UsageError, match=r"method='exakt' is not possible for mcnemar\. Did you mean 'exact'"):
        checked_options(explain("mcnemar"), {"method": "exakt"})


def test_the_kind_of_contrast_has_a_name() -> None:
    assert request().contrast_name == "all-pairs"
    assert request(contrast="a + b vs c").contrast_name == "groups"
    assert request(contrast=[{"a": 1.0, "b": -1.0}]).contrast_name == "groups"


FOLDS = zoo.table(np.random.default_rng(1).random((10, 4)), kind="kfold")


def test_groups_in_words_average_their_members_block_by_block() -> None:
    found = analyse(FOLDS, "corrected-t", contrast="ada + bob vs cyd + dee")
    values = FOLDS.value.reshape(10, 4)
    row = found.pairs[0]
    assert row.estimate == pytest.approx((values[:, :2].mean(axis=1) - values[:, 2:].mean(axis=1)).mean())
    assert (row.first, row.second) == ("mean of ada and bob", "mean of cyd and dee")
    weights = analyse(FOLDS, "corrected-t", contrast={"ada": 0.5, "bob": 0.5, "cyd": -0.5, "dee": -0.5})
    assert weights.pairs[0].p == pytest.approx(row.p)
    assert len(analyse(FOLDS, "corrected-t", contrast=["ada vs bob", "ada + bob vs cyd"]).pairs) == 2


@pytest.mark.parametrize(
    ("contrast", "message"),
    [
        ("ada + bpb vs cyd", "Did you mean 'bob'"),
        ("ada versus", "Two sides were expected"),
        ("ada vs ada", "on both sides"),
        ({"ada": 1.0, "bob": -0.5}, "add up to zero; found 0.5"),
        ({"ada": 1.0, "eve": -1.0}, "no learner 'eve'"),
        ({"ada": float("nan"), "bob": 1.0}, "a finite number was expected"),
    ],
)
def test_contrasts_that_make_no_sense_get_a_sentence(contrast: object, message: str) -> None:
    with pytest.raises(UsageError, match=message):
        analyse(FOLDS, "corrected-t", contrast=contrast)  # type: ignore[arg-type]


def test_all_pairs_laws_do_not_take_groups() -> None:
    tasks = zoo.table(np.random.default_rng(1).random((10, 4)), kind="tasks")
    with pytest.raises(UsageError, match="for all pairs"):
        analyse(tasks, "friedman", contrast="ada + bob vs cyd", adjust="nemenyi")
    assert analyse(tasks, "friedman", contrast="ada + bob vs cyd").adjust == "none"


def test_pairs_are_read_by_the_table_once_a_side_is_asked_for() -> None:
    assert request().reading([2, 0, 1]) == [2, 0, 1]
    assert request(alternative="better").reading([2, 0, 1]) == [0, 1, 2]
    assert request(alternative="worse").reading([2, 0, 1]) == [0, 1, 2]


def test_one_at_a_time_no_adjustment_but_the_one_asked_for() -> None:
    card = explain("mean-t")
    assert adjustment_of_each(card, request()) == ("none", "no adjustment")
    assert adjustment_of_each(card, request(adjust="Holm")) == ("holm", "Holm adjustment")
    assert adjustment_of_each(card, request(adjust="lsd")) == ("none", "no adjustment")
    with pytest.raises(UsageError, match="no adjustment 'holmm'"):
        adjustment_of_each(card, request(adjust="holmm"))


@pytest.mark.parametrize(
    ("procedure", "given", "taken"),
    [
        ("wilson", {"method": "Clopper-Pearson"}, "clopper_pearson"),
        ("mcnemar", {"method": "midp"}, "mid-p"),
        ("two-way-anova", {"ss_type": 3}, "3"),
        ("permutation", {"seed": np.int64(3)}, 3),
        ("permutation", {"seed": 3.0}, 3),
        ("binomial", {"p0": np.float32(0.5)}, 0.5),
        ("corrected-t", {"ratio": None}, None),
    ],
)
def test_options_as_people_write_them(procedure: str, given: dict[str, object], taken: object) -> None:
    (name,) = given
    found = checked_options(explain(procedure), given)[name]
    assert found == taken
    assert type(found) is type(taken)
