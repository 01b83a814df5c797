"""Finding: rows with fixed columns, as text, frame, JSON and HTML."""

from __future__ import annotations

import json
from dataclasses import FrozenInstanceError, replace
from math import inf, isnan, nan

import numpy as np
import pytest

from bakeoff import __version__
from bakeoff.inference.effects import Effect
from bakeoff.inference.evidence import Interval
from bakeoff.inference.finding import COLUMNS, Finding, Row, versions
from bakeoff.measures import Measure
from bakeoff.scores import Level

TEST = Row("all learners alike", statistic=9.28, statistic_name="χ²", df=(3.0,), p=0.0258, p_adjusted=0.0258)
FIRST = Row(
    "lda − svm", "lda", "svm", estimate=1 / 3, lower=-0.25, upper=11 / 12, confidence=0.95,
    interval=Interval.SIMULTANEOUS, statistic=1.5, statistic_name="t", df=(2.0, 8.5), p=1e-7, p_adjusted=0.0123456,
)  # fmt: skip
REFUSED = Row("lda − knn", "lda", "knn", note="refused: constant")
POSTERIOR = Row("lda − svm", "lda", "svm", estimate=0.02, worse=0.0004, same=0.25, better=0.7496)
EFFECT = Effect(
    "lda − svm", difference=1 / 3, standardised=inf, superiority=0.875, dominance=-0.5, lower=1 / 4, upper=5 / 12
)
EACH = Row("svm", "svm", estimate=0.75)


def finding(*rows: Row, **changes: object) -> Finding:
    made = Finding(
        procedure="mine",
        title="My test",
        null="nothing differs",
        speaks_about="these learners on new problems",
        source="scores.csv",
        measure=Measure("accuracy", larger_is_better=True, lower=0, upper=1),
        level=Level.TASKS,
        learners=("lda", "svm", "knn"),
        n_blocks=12,
        contrast="all-pairs",
        adjust="holm",
        adjust_title="Holm adjustment",
        alternative="two-sided",
        alpha=0.05,
        scale="difference in accuracy",
        on_measure=True,
        larger_is_better=True,
        rows=rows,
        position={"lda": 0.8, "svm": 0.7, "knn": 0.6},
        position_name="mean accuracy",
    )
    return replace(made, **changes)  # type: ignore[arg-type]


def test_columns_are_fixed() -> None:
    assert COLUMNS == (
        "contrast", "estimate", "lower", "upper", "confidence", "interval",
        "statistic", "df", "p", "p_adjusted", "worse", "same", "better", "note", "planned",
    )  # fmt: skip
    for rows in ((), (TEST,), (TEST, FIRST, REFUSED), (EACH,)):
        assert tuple(finding(*rows).to_frame().columns) == COLUMNS


def test_the_frame_keeps_full_precision() -> None:
    frame = finding(TEST, FIRST, REFUSED).to_frame()
    assert len(frame) == 3
    row = frame.loc[1]
    assert (row["contrast"], row["interval"], row["df"]) == ("lda − svm", "simultaneous", "2, 8.5")
    for name in ("estimate", "lower", "upper", "confidence", "statistic", "p", "p_adjusted"):
        assert row[name] == getattr(FIRST, name)
    assert np.isnan(frame.loc[0, "estimate"])
    assert frame.loc[2, "interval"] == "none"
    assert frame.loc[2, "note"] == "refused: constant"


def test_a_row_says_nothing_that_it_was_not_told() -> None:
    row = Row("a − b")
    numbers = (row.estimate, row.lower, row.upper, row.confidence, row.statistic, row.p, row.p_adjusted)
    assert all(isnan(number) for number in (row.worse, row.same, row.better))
    assert all(isnan(number) for number in numbers)
    assert (row.first, row.second, row.interval, row.df, row.note) == ("", "", Interval.NONE, (), "")
    with pytest.raises(FrozenInstanceError):
        row.p = 0.01  # type: ignore[misc]


def test_rows_are_pairs_or_tests_or_neither() -> None:
    found = finding(TEST, FIRST, EACH, REFUSED)
    assert found.tests == (TEST,)
    assert found.pairs == (FIRST, REFUSED)


def test_the_heading_names_the_adjustment_only_where_there_is_something_to_adjust() -> None:
    assert finding(TEST, FIRST, REFUSED).heading == "My test (two-sided, Holm adjustment, α = 0.05)"
    assert finding(TEST, FIRST).heading == "My test (two-sided, Holm adjustment, α = 0.05)"  # asked for by name
    assert finding(TEST, FIRST, adjust="none").heading == "My test (two-sided, α = 0.05)"
    one_sided = finding(FIRST, alternative="worse", alpha=0.001, adjust="none")
    assert one_sided.heading == "My test (one-sided: the first is worse, α = 0.001)"


def test_the_sign_is_the_direction() -> None:
    assert finding(larger_is_better=True).sign == 1
    assert finding(larger_is_better=False).sign == -1


def test_the_table_rounds_and_leaves_empty_columns_out() -> None:
    assert finding(FIRST).table() == (
        ["contrast", "estimate", "simultaneous interval", "statistic", "df", "p", "adjusted p"],
        [["lda − svm", "0.3333", "[-0.25, 0.9167]", "t = 1.5", "2, 8.5", "<0.001", "0.012"]],
    )
    assert finding(TEST, REFUSED).table() == (
        ["contrast", "statistic", "df", "p", "adjusted p", "note"],
        [
            ["all learners alike", "χ² = 9.28", "3", "0.026", "0.026", ""],
            ["lda − knn", "", "", "", "", "refused: constant"],
        ],
    )
    assert finding().table() == (["contrast"], [])


def test_probabilities_stand_where_there_is_no_p() -> None:
    assert finding(POSTERIOR).table() == (
        ["contrast", "estimate", "P(worse)", "P(same)", "P(better)"],
        [["lda − svm", "0.02", "<0.001", "0.250", "0.750"]],
    )
    row = finding(POSTERIOR).to_frame().loc[0]
    assert (row["worse"], row["same"], row["better"]) == (0.0004, 0.25, 0.7496)


def test_effect_sizes_have_a_table_of_their_own() -> None:
    header, cells = finding(FIRST, effects=(EFFECT, EFFECT)).effect_table()
    assert header == ["effect sizes", "difference", "95 % interval", "standardised", "P(first better)", "Cliff's δ"]
    assert cells == [["lda − svm", "0.3333", "[0.25, 0.4167]", "∞", "0.875", "-0.5"]] * 2
    assert len(finding(FIRST, effects=(EFFECT, EFFECT)).effect_table(most=1)[1]) == 1
    assert "effect sizes" in finding(FIRST, effects=(EFFECT,)).to_text()
    assert "effect sizes" not in finding(FIRST).to_text()


def test_half_an_interval_is_shown_with_its_infinite_end() -> None:
    _, cells = finding(replace(FIRST, lower=-inf)).table()
    assert cells[0][2] == "[-∞, 0.9167]"


def test_text_has_everything_in_order() -> None:
    text = finding(
        TEST,
        FIRST,
        effects=(EFFECT,),
        conventions=("a convention",),
        cautions=("a caution",),
        against_advice=("a reason",),
    ).to_text()
    parts = [
        "My test (two-sided, Holm adjustment, α = 0.05)", "\nNull hypothesis: nothing differs.\n",
        "\nThe estimate is the difference in accuracy.\n", "\nall learners alike", "\nlda − svm", "\neffect sizes",
        "\n  a convention\n", "\nBeware:\n  a caution\n", "\nDone against advice:\n  a reason",
    ]  # fmt: skip
    places = [text.find(part) for part in parts]
    assert -1 not in places
    assert places == sorted(places)


def test_text_has_no_titles_without_content() -> None:
    text = finding(FIRST).to_text()
    assert "Beware" not in text
    assert "against advice" not in text
    assert str(finding(FIRST)) == text


def test_rows_beyond_the_most_are_counted() -> None:
    rows = [replace(FIRST, contrast=f"pair {i:02}") for i in range(62)]
    assert "more rows" not in finding(*rows[:60]).to_text()
    text = finding(*rows).to_text()
    assert "pair 59" in text
    assert "pair 60" not in text
    assert "\n… and 2 more rows" in text
    short = finding(*rows).to_text(most=1)
    assert "pair 00" in short
    assert "pair 01" not in short
    assert "\n… and 61 more rows" in short


def test_a_column_that_only_hidden_rows_use_is_not_shown() -> None:
    text = finding(TEST, FIRST).to_text(most=1)
    assert "interval" not in text
    assert "[-0.25" not in text


def test_json_has_everything_as_it_is() -> None:
    details = {"matrix": np.eye(2), "n": np.int64(3), "large": inf, 1: None}
    found = finding(TEST, FIRST, effects=(EFFECT,), options={"ratio": 0.1}, details=details, versions=versions())
    made = found.to_dict()
    assert json.loads(json.dumps(made, allow_nan=False)) == made
    assert json.loads(found.to_json()) == made
    assert set(made) == set(Finding.__dataclass_fields__)
    assert made["rows"][0]["estimate"] is None
    assert made["rows"][1]["estimate"] == 1 / 3
    assert made["rows"][1]["interval"] == "simultaneous"
    assert made["rows"][1]["df"] == [2.0, 8.5]
    assert made["effects"][0]["standardised"] == "Infinity"
    assert made["measure"]["name"] == "accuracy"
    assert made["level"] == "tasks"
    assert made["details"] == {"matrix": [[1.0, 0.0], [0.0, 1.0]], "n": 3, "large": "Infinity", "1": None}


def test_html_is_escaped() -> None:
    found = finding(replace(FIRST, contrast="<b>a</b> − b & c", note='"<i>"'), title="<script>")
    page = found._repr_html_()
    assert page.count("<tr>") == 2
    assert "&lt;b&gt;a&lt;/b&gt; − b &amp; c" in page
    assert "<caption>&lt;script&gt; (two-sided" in page
    for raw in ("<b>", "<i>", "<script>"):
        assert raw not in page


def test_html_shows_all_rows() -> None:
    rows = [replace(FIRST, contrast=f"pair {i}") for i in range(100)]
    assert finding(*rows)._repr_html_().count("<tr>") == 101


def test_versions_are_those_in_use() -> None:
    made = versions()
    assert set(made) == {"bakeoff", "python", "numpy", "scipy"}
    assert (made["bakeoff"], made["numpy"]) == (__version__, np.__version__)


def test_nan_is_not_a_number_to_show() -> None:
    _, cells = finding(replace(FIRST, lower=nan)).table()
    assert cells[0] == ["lda − svm", "0.3333", "t = 1.5", "2, 8.5", "<0.001", "0.012"]


def test_tables_of_the_procedure_are_shown() -> None:
    table = (["source", "SS", "p"], [["between", 1.5, 0.25], ["within", 2.0, nan]])
    found = finding(TEST, details={"tables": {"analysis": table}, "lda − svm": {"tables": {"each": table}}, "n": 3})
    assert found.further_tables()["analysis"][1] == [["between", "1.5", "0.25"], ["within", "2", ""]]
    assert list(found.further_tables()) == ["analysis", "lda − svm: each"]
    assert "analysis:\nsource" in found.to_text()


def test_the_heading_names_the_adjustment_of_a_single_contrast() -> None:
    assert "Scheffé" in finding(FIRST, adjust="scheffe", adjust_title="Scheffé adjustment").heading
    assert "adjustment" not in finding(FIRST, adjust="none", adjust_title="no adjustment").heading
    assert "Holm" not in finding(TEST, adjust="holm", adjust_title="Holm adjustment").heading


LONG = "tested against p0 = 0.03; N p0 = 3.6 is below 5: use binomial"


def test_a_long_note_stands_below_the_table_in_full() -> None:
    rows = [replace(FIRST, note=LONG), replace(REFUSED, note="short")]
    text = finding(*rows).to_text()
    assert f"\n  lda − svm: {LONG}\n" in text
    assert "\n  lda − knn: short" in text
    assert "…" not in text
    assert "note" not in text
    alike = finding(*(replace(row, note=LONG) for row in rows)).to_text()
    assert alike.count(LONG) == 1
    assert f"\n  All: {LONG}" in alike


def test_a_short_note_has_a_column() -> None:
    text = finding(FIRST, REFUSED).to_text()
    assert "refused: constant" in text
    assert "note" in text


def test_notes_of_tests_of_the_same_name_are_told_apart() -> None:
    other = replace(TEST, statistic_name="t*", note=LONG)
    assert f"\n  all learners alike, t*: {LONG}" in finding(TEST, other).to_text()


def test_a_group_of_learners_is_named_in_full() -> None:
    name = "mean of tree and forest − mean of lda and logistic"
    assert name in finding(replace(FIRST, contrast=name)).to_text()


def test_the_options_are_shown_as_they_were_used() -> None:
    given = {"method": "wald", "correction": False, "resamples": 1000, "ratio": 1 / 9, "fold": np.arange(3)}
    text = finding(FIRST, options=given).to_text()
    assert "\nOptions: method = wald, correction = no, resamples = 1000, ratio = 0.1111.\n" in text
    assert "Options" not in finding(FIRST).to_text()
    assert "Options" not in finding(FIRST, options={"ratio": float("nan")}).to_text()  # not known, so not used


def test_one_learner_is_better_than_a_value_not_than_another() -> None:
    assert finding(EACH, alternative="better").sides == "one-sided: better than the value tested against"
    assert finding(FIRST, alternative="better").sides == "one-sided: the first is better"


def test_a_test_of_all_learners_has_no_sides() -> None:
    assert finding(TEST).heading == "My test (α = 0.05)"


def test_what_is_estimated_is_said() -> None:
    assert "The estimate is the median accuracy." in finding(EACH, estimate="median accuracy").to_text()
