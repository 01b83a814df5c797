"""Where there are more learners than a procedure takes: what answers in its place, and that everything says so."""

from __future__ import annotations

import json
from dataclasses import replace

import numpy as np
import pytest
import zoo

from bakeoff.cli import main
from bakeoff.errors import MisfitError, UsageError
from bakeoff.judging import advise, analyse, judge
from bakeoff.judging.advice import unmet_needs
from bakeoff.judging.fallback import answering_for
from bakeoff.judging.foreseen import check_request
from bakeoff.lab.powering.asking import power
from bakeoff.lab.powering.smallest_p import smallest_p
from bakeoff.procedures.card import Fallback
from bakeoff.registry import answering, explain, procedures
from bakeoff.scores import Scores, layout

CLOSED = explain("closed-testing")
NAMES = tuple("abcdefgh")


def runs(k: int, n: int = 12, kind: str = "kfold") -> Scores:
    rng = np.random.default_rng(1)
    values = 0.7 + 0.1 * rng.standard_normal((n, 1)) + 0.02 * np.arange(k) + 0.02 * rng.standard_normal((n, k))
    return zoo.table(values, kind=kind, learners=NAMES)


def test_nothing_changes_below_the_limit() -> None:
    given = {"method": "exact"}
    made = answering_for(CLOSED, 4, "holm", given)
    assert (made.card, made.adjust, made.options, made.instead_of, made.because) == (CLOSED, "holm", given, "", "")
    assert answering_for(explain("friedman"), 50, None, {}).card is explain("friedman")


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
    made = answering_for(CLOSED, 5, None, {"method": "exact", "seed": 3})
    assert made.because == (
        "closed-testing was asked for, which is for at most 4 learners; with 5, aligned-tukey (Tukey's simultaneous "
        "intervals on aligned performances) answers in its place. The options method, seed were not used."
    )
    shared = replace(CLOSED, fallback=Fallback("permutation", 4, "why"))
    kept = answering_for(shared, 5, None, {"seed": 3, "partitions": "bonferroni"})
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
        check_request("closed-testing", NAMES[:6], **asked)  # type: ignore[arg-type]
    for refused in ({"alternative": "better"}, {"adjust": "dunnett"}):
        with pytest.raises(UsageError):
            check_request("closed-testing", NAMES[:4], **refused)  # type: ignore[arg-type]
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
        assert ("closed-testing" in advice.ranked) == (k == 4)
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
