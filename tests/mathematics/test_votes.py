"""Votes: strengths as R has them, what cannot be told, and swapped votes."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from bakeoff.errors import DegenerateError, UsageError
from bakeoff.judging.votes import SeparatedError, fit_strengths, merge_swaps

HERE = Path(__file__).parent
# R 4.2.2, BradleyTerry2: data(citations); countsToBinomial; BTm(cbind(win1, win2), j1, j2): Biometrika is the reference
CITATIONS = np.array([[0, 730, 498, 221], [33, 0, 68, 17], [320, 813, 0, 142], [284, 276, 325, 0]])
PRINTED = ([-2.949072497, -0.479569770, 0.268954056], [0.1025453354, 0.0605887292, 0.0708299651])


def made_votes() -> np.ndarray:
    """120 votes between four, drawn from Davidson's model: first, second, outcome, question, judge."""
    return np.loadtxt(HERE / "data" / "votes.csv", delimiter=",", skiprows=1).T


def against_first(fitted) -> tuple[np.ndarray, np.ndarray]:
    """Differences from the first contestant, and their standard errors."""
    weights = np.eye(len(fitted.values))[1:] - np.eye(len(fitted.values))[0]
    return weights @ fitted.values, np.sqrt(np.diag(weights @ fitted.covariance @ weights.T))


def test_citations_of_journals_as_bradleyterry2_has_them():
    first, second = np.nonzero(CITATIONS)
    times = CITATIONS[first, second]
    fitted = fit_strengths(np.repeat(first, times), np.repeat(second, times), np.ones(times.sum()), 4)
    difference, error = against_first(fitted)
    assert difference == pytest.approx(PRINTED[0], abs=1e-8)
    assert error == pytest.approx(PRINTED[1], abs=1e-8)
    assert fitted.ties == 0


def test_ties_as_psychotools_has_them():
    # btmodel(paircomp(…), undecided = TRUE, ref = 1): coef, loglik, sqrt(diag(vcov))
    first, second, outcome, _, _ = made_votes()
    fitted = fit_strengths(first, second, outcome, 4)
    difference, error = against_first(fitted)
    assert difference == pytest.approx([-0.402201170, -0.264385327, -1.249051418], abs=1e-7)
    assert np.log(fitted.ties) == pytest.approx(-0.479626937, abs=1e-7)
    assert fitted.log_likelihood == pytest.approx(-122.755599, abs=1e-6)
    assert error == pytest.approx([0.374286692, 0.356211072, 0.404973612], abs=1e-5)  # its Hessian is numerical


@pytest.mark.parametrize(
    ("sorts", "errors", "df"),
    [
        ((3,), [0.480391895, 0.520445623, 0.485001854], 11),
        ((3, 4), [0.450284121, 0.571334931, 0.378572285], 6),
    ],
)
def test_clusters_as_sandwich_has_them(sorts, errors, df):
    # glm(binomial) of the votes that are no ties; vcovCL(m, cluster, type = "HC0", cadjust = TRUE)
    votes = made_votes()
    votes = votes[:, votes[2] != 0.5]
    fitted = fit_strengths(*votes[:3], 4, [votes[sort] for sort in sorts])
    difference, error = against_first(fitted)
    assert difference == pytest.approx([-0.487253025, -0.311717295, -1.327566358], abs=1e-8)
    assert error == pytest.approx(errors, abs=1e-6)
    assert fitted.df == df


def test_order_and_names_of_contestants_do_not_matter():
    first, second, outcome, question, _ = made_votes()
    one = fit_strengths(first, second, outcome, 4, [question])
    other = fit_strengths(3 - second, 3 - first, 1 - outcome, 4, [question])
    assert other.values[::-1] == pytest.approx(one.values, abs=1e-9)
    assert other.covariance[::-1, ::-1] == pytest.approx(one.covariance, abs=1e-9)


def test_whoever_never_lost_is_named():
    with pytest.raises(SeparatedError, match="1 of 3 contestants never lost") as caught:
        fit_strengths([0, 0, 1, 2], [1, 2, 2, 1], [1, 1, 1, 1], 3)
    assert caught.value.above == (0,)
    with pytest.raises(SeparatedError):  # two halves of the field that never met
        fit_strengths([0, 0, 2, 2], [1, 1, 3, 3], [1, 0, 1, 0], 4)


def test_a_win_and_a_tie_tell_no_end_of_strength():
    with pytest.raises(SeparatedError) as caught:
        fit_strengths([0, 0], [1, 1], [1, 0.5], 2)
    assert caught.value.above == (0,)


def test_nothing_but_ties_is_all_alike():
    fitted = fit_strengths([0, 1], [1, 0], [0.5, 0.5], 2)
    assert fitted.values == pytest.approx([0, 0])


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (([0], [0], [1], 2), "one contestant twice"),
        (([0], [1], [0.3], 2), "found 0.3"),
        (([0], [2], [1], 2), "numbered from 0 to 1"),
        (([], [], [], 2), "three columns"),
    ],
)
def test_what_is_no_vote_is_refused(arguments, message):
    with pytest.raises(UsageError, match=message):
        fit_strengths(*arguments)


def test_one_cluster_tells_nothing_of_clusters():
    with pytest.raises(DegenerateError, match="one cluster"):
        fit_strengths([0, 0], [1, 1], [1, 0], 2, [["q", "q"]])


def test_a_judge_that_likes_what_comes_first_has_no_preference():
    first, second, outcome, row = merge_swaps([0, 1, 0, 1], [1, 0, 1, 0], [1, 1, 1, 0], ["a", "a", "b", "b"])
    assert outcome.tolist() == [0.5, 1.0]
    assert (first.tolist(), second.tolist(), row.tolist()) == ([0, 0], [1, 1], [0, 2])


def test_intervals_hold_where_votes_come_in_clusters():
    """Each question favours one of the two at random: votes that are taken for independent claim far too much."""
    rng, wrong = np.random.default_rng(5), np.zeros(2)
    for _ in range(200):
        question = np.repeat(np.arange(30), 10)
        chance = np.repeat(rng.beta(1, 1, 30), 10)
        outcome = (rng.random(300) < chance).astype(float)
        for sort, clusters in enumerate([(), (question,)]):
            fitted = fit_strengths(np.zeros(300, int), np.ones(300, int), outcome, 2, clusters)
            z = (fitted.values[0] - fitted.values[1]) / np.sqrt(4 * fitted.covariance[0, 0])
            wrong[sort] += abs(z) > 1.96 if not clusters else abs(z) > 2.045
    assert wrong[0] > 60  # of 200
    assert wrong[1] <= 22
