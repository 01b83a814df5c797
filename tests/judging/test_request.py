from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
import zoo

from bakeoff.cli import main
from bakeoff.errors import MisfitError, UsageError
from bakeoff.inference.contrasts import contrasts
from bakeoff.judging import advise, analyse, judge
from bakeoff.judging.advice import unmet_needs
from bakeoff.judging.request import (
    Request,
    adjustment_of_each,
    apply_fallback,
    checked_options,
    resolve_adjustment,
    validate_before_run,
)
from bakeoff.power_analysis.answer import smallest_p
from bakeoff.power_analysis.power import power
from bakeoff.procedures import answering, explain, procedures
from bakeoff.procedures.card import Fallback
from bakeoff.scores import Scores, layout

LEARNERS = ("a", "b", "c")


def request(**changes: object) -> Request:
    return Request(**changes)  # type: ignore[arg-type]


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
    assert resolve_adjustment(explain(procedure), request(**asked), family) == (adjust, title)


def test_one_comparison_needs_no_adjustment() -> None:
    family = contrasts("all-pairs", LEARNERS[:2], range(2), None)
    assert resolve_adjustment(explain("corrected-t"), request(), family)[0] == "none"


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


# ----------------------------------------------------------------------------------------------------------------------
# Where there are more learners than a procedure takes: what answers in its place, and that everything says so.


CLOSED = explain("closed-testing")
NAMES = tuple("abcdefgh")


def runs(k: int, n: int = 12, kind: str = "kfold") -> Scores:
    rng = np.random.default_rng(1)
    values = 0.7 + 0.1 * rng.standard_normal((n, 1)) + 0.02 * np.arange(k) + 0.02 * rng.standard_normal((n, k))
    return zoo.table(values, kind=kind, learners=NAMES)


def test_nothing_changes_below_the_limit() -> None:
    given = {"method": "exact"}
    made = apply_fallback(CLOSED, 4, "holm", given)
    assert (made.card, made.adjust, made.options, made.instead_of, made.because) == (CLOSED, "holm", given, "", "")
    assert apply_fallback(explain("friedman"), 50, None, {}).card is explain("friedman")


def test_every_fallback_takes_what_it_takes_over() -> None:
    with_one = [each.card for each in procedures() if each.card.fallback is not None]
    assert CLOSED in with_one
    for card in with_one:
        assert card.fallback is not None
        other = answering(card, card.fallback.most + 1)
        assert other.fallback is None, "one step is enough"
        same = ("compares", "answers", "speaks_about", "level", "paired", "posterior", "incomplete")
        assert [getattr(card, name) for name in same] == [getattr(other, name) for name in same]
        assert answering(card, card.fallback.most) is card


def test_the_sentence_names_what_was_asked_what_was_done_and_what_was_left_out() -> None:
    made = apply_fallback(CLOSED, 5, None, {"method": "exact", "seed": 3})
    assert made.because == (
        "closed-testing was asked for, which is for at most 4 learners; with 5, aligned-tukey (Tukey's simultaneous "
        "intervals on aligned performances) answers in its place. The options method, seed were not used."
    )
    shared = replace(CLOSED, fallback=Fallback("permutation", 4, "why"))
    kept = apply_fallback(shared, 5, None, {"seed": 3, "partitions": "bonferroni"})
    assert dict(kept.options) == {"seed": 3}
    assert kept.because.endswith("The option partitions was not used.")


def test_text_json_html_and_verdict_say_so() -> None:
    found = analyse(runs(5), "closed-testing", resamples=99)
    sentence = "closed-testing was asked for, which is for at most 4 learners; with 5, aligned-tukey"
    assert sentence in " ".join(found.to_text().split())
    assert sentence in found._repr_html_()
    said = json.loads(found.to_json())
    assert (said["procedure"], said["instead_of"]) == ("aligned-tukey", "closed-testing")
    assert said["instead_because"].startswith(sentence)
    assert said["options"] == {"df": "blocks"}
    assert found.title in found.heading
    assert "Tukey adjustment" in found.heading
    verdict = judge(runs(5), "closed-testing")
    (warning,) = [each for each in verdict.warnings if each.code == "fallback"]
    assert warning.text.startswith(sentence)
    assert "Tukey's simultaneous intervals" in verdict.paragraph
    assert verdict.decisions == judge(runs(5), "aligned-tukey").decisions
    assert not [each for each in judge(runs(4), "closed-testing").warnings if each.code == "fallback"]


def test_what_may_be_asked_is_what_the_fallback_can_answer() -> None:
    for request in (
        {"adjust": "closed testing"},
        {"adjust": "tukey"},
        {"adjust": "holm"},
        {"contrast": "control", "control": "b"},
        {"contrast": "control", "control": "b", "adjust": "dunnett"},
        {"contrast": "a + b vs c"},
        {"alternative": "better"},
        {"margin": 0.01},
    ):
        found = analyse(runs(6), "closed-testing", **request)  # type: ignore[arg-type]
        theirs = {**request, "adjust": "tukey"} if request == {"adjust": "closed testing"} else request
        assert found.rows == analyse(runs(6), "aligned-tukey", **theirs).rows  # type: ignore[arg-type]
        asked = {name: value for name, value in request.items() if name != "margin"}
        validate_before_run("closed-testing", NAMES[:6], **asked)  # type: ignore[arg-type]
    for refused in ({"alternative": "better"}, {"adjust": "dunnett"}):
        with pytest.raises(UsageError):
            validate_before_run("closed-testing", NAMES[:4], **refused)  # type: ignore[arg-type]
    with pytest.raises(UsageError, match="closed-testing has no option 'df'"):
        analyse(runs(6), "closed-testing", df="inf")
    with pytest.raises(UsageError, match="method='exat' is not possible for closed-testing"):
        analyse(runs(6), "closed-testing", method="exat")


def test_what_does_not_fit_is_refused_by_the_name_that_was_asked_for() -> None:
    with pytest.raises(MisfitError, match=r"^Closed testing of all pairs with t\* does not fit") as refusal:
        analyse(runs(6, kind="tasks"), "closed-testing", anyway=True)
    assert len(set(refusal.value.unmet)) == len(refusal.value.unmet)
    found = analyse(runs(6, kind="repeats:3"), "closed-testing", anyway=True)
    (reason,) = found.against_advice
    assert "repeated K-fold cross-validation" in reason
    assert unmet_needs(CLOSED, layout(runs(6))) == ()


def test_the_advisor_names_the_other_and_recommends_it_by_its_own_name() -> None:
    for k in (4, 5):
        advice = advise(runs(k))
        closed = next(each for each in advice.candidates if each.procedure == "closed-testing")
        assert closed.fits
        assert closed.answered_by == ("" if k == 4 else "aligned-tukey")
        assert "closed-testing" not in advice.ranked  # which takes learners to vary alike: by name only
        assert ("it falls back on aligned-tukey" in " ".join(advice.to_text().split())) == (k == 5)
    with pytest.raises(MisfitError) as refusal:
        analyse(runs(5), "friedman")
    assert not [each for each in refusal.value.alternatives if each.startswith("closed-testing")]


def test_power_is_that_of_the_fallback() -> None:
    asked = {"n": 10, "difference": "1.5sd", "learners": 5, "replications": 60}
    ours, theirs = (power(name, **asked) for name in ("closed-testing", "aligned-tukey"))  # type: ignore[arg-type]
    assert ours.at == theirs.at
    assert ours.procedure == "aligned-tukey"
    assert ours.notes[0].startswith("closed-testing was asked for")
    assert smallest_p("closed-testing", 5, learners=5) is None
    assert smallest_p("closed-testing", 5, learners=4) is not None


def test_the_smallest_p_of_the_fallback_from_the_command_line(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["power", "closed-testing", "--smallest-p", "--n", "5", "--learners", "6"]) == 0
    said = " ".join(capsys.readouterr().out.split())
    assert "answers in its place. p of aligned-tukey has no lower end" in said


def test_the_card_says_so(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["explain", "closed-testing"]) == 0
    assert "With more than 4 learners aligned-tukey answers in its place" in " ".join(capsys.readouterr().out.split())
    assert main(["explain", "closed-testing", "--json"]) == 0
    said = json.loads(capsys.readouterr().out)["fallback"]
    assert (said["procedure"], said["most"]) == ("aligned-tukey", 4)
    assert json.loads(explain("friedman").to_json())["fallback"] is None


# ----------------------------------------------------------------------------------------------------------------------
# Foreseen


LEARNERS_FORESEEN = ["svm", "tree", "lda"]


@pytest.mark.parametrize(
    "right",
    [
        {},
        {"procedure": "friedman", "adjust": "nemenyi"},
        {"procedure": "friedman", "adjust": "holm", "contrast": "control", "control": "svm"},
        {"procedure": "wilcoxon", "contrast": ["svm + tree vs lda", "svm vs tree"]},
        {"adjust": "nemenyi"},  # of whatever procedure will fit
        {"adjust": "single-step"},
        {"adjust": "lsd"},
        {"level": "tasks", "missing": "worst", "alpha": 0.1, "margin": 0.01},
        {"procedure": "wilson"},
    ],
    ids=str,
)
def test_what_may_be_asked(right: dict[str, Any]) -> None:
    validate_before_run(right.pop("procedure", None), LEARNERS_FORESEEN, **right)


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ({"procedure": "freidman"}, "There is no procedure 'freidman'. Did you mean 'friedman'"),
        ({"procedure": "friedman", "adjust": "hlom"}, "There is no adjustment 'hlom'. Did you mean 'holm'"),
        ({"adjust": "nemeny"}, "There is no adjustment 'nemeny'. Did you mean 'nemenyi'"),
        ({"contrast": "svm + forest vs lda"}, "forest"),
        ({"contrast": "all-pair"}, "Did you mean 'all-pairs'"),
        ({"contrast": "control"}, "need its name"),
        ({"contrast": "control", "control": "svn"}, "Did you mean 'svm'"),
        ({"level": "folds"}, "There is no level 'folds'"),
        ({"missing": "ignore"}, "There is no policy 'ignore'"),
        ({"alpha": 2.0}, "2"),
        ({"margin": -1.0}, "-1"),
        ({"options": {"zeros": "pratt"}}, r"Options \(zeros\) are a procedure's own"),
        ({"procedure": "wilcoxon", "options": {"zeroes": "x"}}, "wilcoxon has no option 'zeroes'"),
        ({"procedure": "friedman", "alternative": "greater"}, "There is no alternative 'greater'"),
        ({"procedure": "wilson", "contrast": "svm vs tree"}, "looks at one learner at a time"),
    ],
    ids=str,
)
def test_what_may_not(wrong: dict[str, Any], message: str) -> None:
    with pytest.raises(UsageError, match=message):
        validate_before_run(wrong.pop("procedure", None), LEARNERS_FORESEEN, **wrong)


def test_one_learner_cannot_be_compared() -> None:
    validate_before_run("wilson", ["svm"])
    validate_before_run(None, ["svm"])
    with pytest.raises(UsageError, match="there is only one"):
        validate_before_run("mcnemar", ["svm"])
