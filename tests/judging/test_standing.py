from __future__ import annotations

from bakeoff.judging.standing import Standing

KEY = "0123456789abcdef"


def test_a_planned_analysis_names_its_study() -> None:
    assert str(Standing("wines", KEY, planned=True)) == "Planned in study 'wines' (01234567)."


def test_another_one_is_shouted_with_its_reason() -> None:
    assert str(Standing("wines", KEY, False, "α 0.1 instead of 0.05")) == (
        "EXPLORATORY: study 'wines' (01234567) did not plan this analysis (α 0.1 instead of 0.05)."
    )
    assert str(Standing("wines", KEY, False)).endswith("did not plan this analysis.")


def test_a_study_without_a_name_of_its_own_is_not_called_study_study() -> None:
    assert str(Standing("study", KEY, planned=True)) == "Planned in the study (01234567)."
