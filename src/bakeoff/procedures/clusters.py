"""Instances in clusters: means and differences over a sample of clusters, or over a fixed list of them (strata).

Instances of one cluster resemble one another: questions about one text, scans of one patient. A procedure is given the
values of the instances and, beside them, the cluster of each. Weighted by items every instance counts alike, weighted
by clusters every cluster does; where clusters differ in size these are different questions, and the verdict says which
was answered.
"""

from __future__ import annotations

from math import nan
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from bakeoff.errors import DegenerateError
from bakeoff.inference.evidence import Joint, JointTests
from bakeoff.mathematics.checks import Array, number_column, number_table
from bakeoff.mathematics.clusters import WEIGHTS, ClusterSums, bootstrap_means, cluster_means, gather, stratified_means
from bakeoff.mathematics.joint_flips import best_by_flips, flip_levels, joint_flips
from bakeoff.mathematics.laws import percentile_interval, t_sf
from bakeoff.mathematics.linear_models import MeanErrors, t_test
from bakeoff.mathematics.step_down import Intervals
from bakeoff.procedures.card import PowerFormula, SmallestP, flips
from bakeoff.procedures.joint_flips import DRAWS, SYMMETRIC
from bakeoff.procedures.joint_flips import SHARED as JOINT
from bakeoff.procedures.needs import enough_clusters, in_clusters, in_strata
from bakeoff.procedures.one_mean import AGAINST_P0, P0, interval_and_test
from bakeoff.procedures.procedure import Compares, Example, Level, ManyResult, NullDesign, Result, Trial, procedure
from bakeoff.scores import Layout

SAMPLE_OF_CLUSTERS = (
    "The clusters are a sample of those that the conclusion is meant for, and independent of one another; instances of "
    "one cluster may depend on one another in any way."
)
NORMAL_CLUSTERS = (
    "Sums over clusters are about normal. With three to five clusters this carries the answer; with many it hardly "
    "matters."
)
FITTED_BEFORE = "The models were fitted without these instances."
ALONE = "Instances within a cluster are independent draws from that cluster."
WEIGHTED = (
    "Weighted by items the mean is Σ S_c / N over the clusters' sums, weighted by clusters the mean of their means."
)
CR2 = (
    "Weighted by items, the standard error is CR2, √(Σ r_c²/(1 − h_c))/N with h_c = m_c/N and the residual sums r_c, "
    "and t has the degrees of freedom of Bell and McCaffrey; weighted by clusters, those of Student's t on cluster "
    "means. For clusters of equal size both are the same."
)
ALIKE = "Learners with the same value on every instance have t = 0, p = 1 and no interval."
IGNORED = (
    "Tests that take the instances for independent claim too much. With an intraclass correlation of .3 they claim "
    "43–57 % with 3 to 6 clusters and 45–84 % with 50 where nothing differs (α = 5 %)."
)
SKEWED = (
    "Cluster effects that are skewed, in few clusters: 8–10 % false claims for 4 to 10 clusters of exponential ones."
)
OPTION = {"weights": ("what counts alike: items, or clusters", WEIGHTS)}

# DEFAULTS: twenty differences in clusters of 10, 4, 3 and 3.
_TWENTY = (1, 0, 0, 1, 1, 0, -1, 0, 1, 0, 1, 1, 0, 1, 1, 0, 0, -1, 1, 1)
_FOUR = (*"aaaaaaaaaa", *"bbbb", *"ccc", *"ddd")
_RATES = (1, 1, 0, 1, 1, 0, 1, 0, 1, 1, 1, 1, 0, 1, 0, 0, 0, 1, 1, 0)


def is_fixed(layout: Layout) -> bool:
    return layout.clusters is not None and layout.clusters.fixed


def is_sample(layout: Layout) -> bool:
    return layout.clusters is not None and not layout.clusters.fixed


# --- What the procedures have in common -------------------------------------------------------------------------------
def _unit(values: Array) -> float:
    """What values are divided by, so that their squares stay in the range of numbers."""
    return float(np.abs(values).max(initial=0.0)) or 1.0


def _of_difference(
    errors: MeanErrors, unit: float, data: ClusterSums, *, confidence: float = 0.95, alternative: str = "two-sided"
) -> Result:
    """The result of a difference that has a standard error; none at all is p = 1, and one without error is refused."""
    mean, se, df = (float(part[0]) for part in (errors.estimate * unit, errors.standard_error * unit, errors.df))
    details = {**_sizes(data), "standard_error": se}
    if se == 0:
        if mean != 0:
            raise DegenerateError(
                f"The difference is {mean:.6g} on average in every cluster, so its standard error is zero and t does "
                "not exist. Report the difference itself; clusters that agree to the last digit are rarely independent."
            )
        return Result(0.0, nan, nan, 0.0, "t", (df,), 1.0, "no difference in any cluster", details)
    lower, upper, t, p = t_test(mean, se, df, confidence, alternative)
    return Result(mean, lower, upper, t, "t", (df,), p, "", details)


def _of_mean(errors: MeanErrors, unit: float, data: ClusterSums, **options: Any) -> Result:
    """The result of one learner's mean, tested against a value if there is one."""
    mean, se, df = (float(part[0]) for part in (errors.estimate * unit, errors.standard_error * unit, errors.df))
    if se == 0:
        raise DegenerateError(
            f"The mean is {mean:.6g} in every cluster, so its standard error is zero and there is neither t nor "
            "interval. Report the mean itself."
        )
    return interval_and_test(mean, df, {**_sizes(data), "standard_error": se}, **options)


def _sizes(data: ClusterSums) -> dict[str, Any]:
    return {"instances": data.items, "clusters": len(data.sizes), "effective_clusters": data.effective_number}


OF_PAIR: dict[str, Any] = {"clustered": True, "options": OPTION, "options_of": _of_difference}
OF_ONE: dict[str, Any] = {**AGAINST_P0, "clustered": True, "options": {**OPTION, **P0}}


# --- A sample of clusters: t with errors that hold for few and unequal ones -------------------------------------------
@procedure(
    Compares.PAIR,
    Level.INSTANCES,
    title="Cluster-robust t test",
    title_bracket="CR2, Bell and McCaffrey's degrees of freedom",
    question="Do two fitted models differ on new instances of new clusters like these?",
    null="the mean difference over the population of clusters is zero",
    needs=(in_clusters(3),),
    assumes=(SAMPLE_OF_CLUSTERS, FITTED_BEFORE, NORMAL_CLUSTERS),
    conventions=(
        WEIGHTED,
        CR2,
        ALIKE,
        "Many learners are compared pair by pair, adjusted by Holm unless said otherwise.",
    ),
    cautions=(
        IGNORED,
        SKEWED,
        "Where one cluster holds half of the instances, there are few degrees of freedom, and little is found.",
    ),
    references=("bell2002", "pustejovsky2018"),
    published="R 4.2.2, clubSandwich 0.5.8: coef_test(lm(d ~ 1), vcov = 'CR2', cluster = g, test = 'Satterthwaite') on "
    "twenty made-up differences in clusters of 10, 4, 3 and 3",
    printed="mean = 0.4; se = 0.106584680502; df = 2.24902723735; t = 3.75288454323; p = 0.0533861521073",
    example=Example("estimate standard_error df statistic p", _TWENTY, np.zeros(20), _FOUR),
    recommended_for="models on instances in few clusters, which are a sample",
    rank=4,
    power=PowerFormula.CLUSTERS,
    trials=(Trial(NullDesign.CLUSTERS), Trial(NullDesign.FEW_CLUSTERS), Trial(NullDesign.FEW_CLUSTERS, 4)),
    **OF_PAIR,
)
def cluster_t(a: ArrayLike, b: ArrayLike, clusters: ArrayLike, *, weights: str = "items", **options: Any) -> Result:
    """Compare two models on instances in clusters, t = d̄ / √(CR2 variance).

    Useful from three clusters on. The null hypothesis is that the mean difference over the clusters that these are a
    sample of is zero. It differs from a t test on cluster means in what counts alike (`weights`), and from the usual
    cluster-robust t with C − 1 degrees of freedom (CR1) in what unequal sizes do: with one large cluster that makes up
    to 33 % false claims, this one 5.

    >>> result = cluster_t([1, 0, 1, 1, 0, 1, 1, 1], [0, 0, 1, 0, 0, 1, 0, 1], list("aabbccdd"))
    >>> round(result.estimate, 3), round(result.statistic, 4), result.df, round(result.p, 4)
    (0.375, 3.0, (3.0,), 0.0577)
    """
    d = number_column(a) - number_column(b)
    unit = _unit(d)
    data = gather(d[:, None] / unit, clusters)
    return _of_difference(cluster_means(data, weights=weights), unit, data, **options)


@procedure(
    Compares.ONE,
    Level.INSTANCES,
    title="Interval and test of one model's mean over clusters",
    title_bracket="CR2",
    question="How well does this model do on new instances of new clusters, and is that better than a fixed value?",
    needs=(in_clusters(3),),
    assumes=(SAMPLE_OF_CLUSTERS, FITTED_BEFORE, NORMAL_CLUSTERS, "p0 was chosen without these data."),
    conventions=(WEIGHTED, CR2, "A mean that is the same in every cluster is refused: it has no standard error."),
    cautions=(
        IGNORED,
        "Intervals of two models on the same instances are not a comparison: use cluster-t, which is paired.",
        "Near 0 and 1 the interval of a rate is cut off there, and covers too rarely if clusters are few.",
    ),
    references=("bell2002", "pustejovsky2018"),
    published="R 4.2.2, clubSandwich 0.5.8: conf_int(lm(x ~ 1), vcov = 'CR2', cluster = g) on twenty made-up answers "
    "in clusters of 10, 4, 3 and 3",
    printed="mean = 0.6; se = 0.12558685768634; df = 2.24902723735409; lower = 0.11311776482442; upper = "
    "1.08688223517558",
    example=Example("estimate standard_error df lower upper", _RATES, _FOUR, p0=0.3),
    recommended_for="one model's scores of instances in clusters, which are a sample",
    rank=4,
    power=PowerFormula.CLUSTERS,
    trials=(Trial(NullDesign.ONE_CLUSTERED),),
    **OF_ONE,
)
def cluster_mean(x: ArrayLike, clusters: ArrayLike, *, weights: str = "items", **options: Any) -> Result:
    """The mean of one model over instances in clusters, with the interval of the cluster-robust t.

    >>> result = cluster_mean([1, 0, 1, 1, 0, 1, 1, 1], list("aabbccdd"))
    >>> round(result.estimate, 3), round(result.lower, 3), round(result.upper, 3)
    (0.75, 0.291, 1.209)
    """
    column = number_column(x)
    unit = _unit(column)
    data = gather(column[:, None] / unit, clusters)
    return _of_mean(cluster_means(data, weights=weights), unit, data, **options)


# --- A sample of clusters: flips of whole clusters --------------------------------------------------------------------
_EIGHT = np.array([(62, 60), (71, 66), (80, 78), (55, 56), (90, 84), (77, 70), (66, 63), (58, 51)])


def _published_flips(many: Any) -> list[float]:
    tested = many.joint.test(np.array([[1.0, -1.0]]), 0.05, "two-sided")
    return [*tested.p, *tested.statistic]


@procedure(
    Compares.MANY,
    Level.INSTANCES,
    title="Joint sign flips of whole clusters",
    question="Which of several fitted models differ on new instances of new clusters like these?",
    null="each pair of models is equally good: the clusters' differences are symmetric about zero",
    needs=(
        in_clusters(3),
        enough_clusters(8, "below eight clusters cluster-t finds more, and below six these flips find nothing"),
    ),
    assumes=(SAMPLE_OF_CLUSTERS, FITTED_BEFORE, SYMMETRIC.replace("their differences", "their sums over a cluster")),
    conventions=(
        WEIGHTED,
        "p counts flips: z of a pair is Σ S / √Σ S² over the clusters' sums (or means); the sign of a whole cluster "
        "is flipped, once for all pairs.",
        DRAWS.replace("blocks", "clusters"),
        "Adjusted p-values step down from the largest |z| (Westfall and Young; Romano and Wolf).",
        "The t that is shown, and intervals, are by CR2 with Bell and McCaffrey's degrees of freedom, each at the "
        "level that the quantile of the largest |z| has for its pair; where they contradict p, the end next to zero "
        "is moved onto it.",
    ),
    cautions=(
        "With C clusters p cannot be below 2^(1−C), however many models there are.",
        IGNORED,
        "Clusters whose effects are skewed, for one model more than for another, are not symmetric: 5–9 % false claims "
        "for exponential ones.",
    ),
    references=("westfall1993", "romano2005", "bell2002", "pustejovsky2018"),
    published="All 256 flips of the sums of eight made-up clusters of two models, gone through by other code (p), and "
    "R 4.2.2, t.test(d) of the eight sums (t)",
    printed="p = 0.015625; t = 3.84507677227",
    example=Example(_published_flips, np.repeat(_EIGHT / 2, 2, axis=0), np.repeat(np.arange(8), 2)),
    recommended_for="models on instances in eight clusters or more, which are a sample",
    rank=3,
    first_for=is_sample,
    clustered=True,
    smallest_p=SmallestP(flips, "clusters", "one model wins in all of them", jointly=True),
    trials=(Trial(NullDesign.CLUSTERS), Trial(NullDesign.CLUSTERS, 2)),
    **{**JOINT, "options": {**JOINT["options"], **OPTION}},
)
def cluster_flips(
    table: ArrayLike, clusters: ArrayLike, *, weights: str = "items", resamples: int = 9_999, seed: int = 1
) -> ManyResult:
    """Compare k models on instances in C clusters, each pair with its own variance, by flips that all pairs share.

    Useful from eight clusters on. The null hypothesis of a pair is that a cluster's difference is as likely to be d as
    −d. It needs no normality, and holds its level where clusters are very unequal in size.

    >>> rng = np.random.default_rng(1)
    >>> many = cluster_flips(rng.normal(size=(40, 3)), [*"abcdefgh"] * 5)
    >>> many.details["clusters"], many.details["effective_clusters"]
    (8, 8.0)
    """
    values = number_table(table, "table", columns=2)
    unit = _unit(values)
    data = gather(values / unit, clusters)
    rows = data.means if weights == "clusters" else data.sums

    def test(C: Array, alpha: float, alternative: str) -> JointTests:
        tested = joint_flips(rows, C, alternative=alternative, alpha=alpha, draws=resamples, seed=seed)
        errors = cluster_means(data, C, weights)
        levels = np.full(len(C), alpha)
        if len(C) > 1:
            beyond = flip_levels(rows, C, critical=tested.critical, alternative=alternative, draws=resamples, seed=seed)
            levels = np.clip(beyond, alpha / len(C), alpha)
        ends = errors.intervals(1 - levels, alternative)
        intervals = Intervals(ends.estimate * unit, ends.lower * unit, ends.upper * unit)

        def statistic_at(shift: float) -> Array:
            with np.errstate(divide="ignore", invalid="ignore"):
                return np.asarray((errors.estimate - shift / unit) / errors.standard_error)

        def tail(t: Array) -> tuple[Array, Array]:
            """One-sided p by CR2, by itself and adjusted by what its level is of α: as the intervals have it."""
            alone = np.asarray(t_sf(t, float(errors.df[0])))
            return alone, np.maximum(alone, np.where(t > 0, np.minimum(alone * alpha / levels, 0.5), 0.5))

        return JointTests(
            errors.t, tested.p, tested.p_adjusted, intervals, statistic_at, tail, tested.draws, tested.exact, errors.df
        )

    joint = Joint(test, "t", seed, lambda sign: best_by_flips(sign * rows, draws=resamples, seed=seed))
    return ManyResult(joint=joint, details=_sizes(data))


# --- A sample of clusters: resampling them ----------------------------------------------------------------------------
FEWEST_RESAMPLED = 50
_SIXTY = np.repeat(np.arange(60), 5)
_WAVES = np.sin(np.arange(300.0)) + 0.2 * np.sin(_SIXTY)


@procedure(
    Compares.PAIR,
    Level.INSTANCES,
    title="Paired bootstrap of whole clusters, percentile interval",
    question="Do two fitted models differ on new instances of new clusters, by what resampled clusters say?",
    null="the mean difference over the population of clusters is zero",
    needs=(
        in_clusters(2),
        enough_clusters(FEWEST_RESAMPLED, "percentiles of resampled clusters are too narrow where clusters are few"),
    ),
    assumes=(SAMPLE_OF_CLUSTERS, FITTED_BEFORE),
    conventions=(
        WEIGHTED,
        "Clusters are drawn with replacement, with all their instances and for both models at once; the interval has "
        "the percentiles of the mean difference, and p is twice the smaller share of resamples on the other side of "
        "zero, (1 + count)/(1 + resamples).",
        "Models with the same value on every instance have p = 1 and no interval.",
    ),
    cautions=(
        "It claims too much where clusters are few: use cluster-flips or cluster-t. False claims at α = 5 %: 24–29 % "
        "with 3 clusters, 11–13 % with 10, 7–10 % with 20, 7–9 % with 50.",
    ),
    references=("davison1997", "bell2002"),
    published="R 4.2.2, quantile(S %*% rmultinom(1e6, 60, rep(1, 60)) / 300, c(.025, .975)) with the sums S of sixty "
    "made-up clusters of five",
    printed="mean = 0.011249; lower = -0.044; upper = 0.066",
    example=Example("estimate lower upper", _WAVES, np.zeros(300), _SIXTY, resamples=99_999),
    recommended_for="models on instances in very many clusters",
    rank=60,
    clustered=True,
    options={**OPTION, "resamples": "how many resamples are drawn", "seed": "of the draws"},
    fewer=(("resamples", 999),),
    trials=(Trial(NullDesign.MANY_CLUSTERS), Trial(NullDesign.CLUSTERS, holds=False)),
    synonyms=("bootstrap test", "block bootstrap"),
)
def cluster_bootstrap(
    a: ArrayLike,
    b: ArrayLike,
    clusters: ArrayLike,
    *,
    weights: str = "items",
    resamples: int = 9_999,
    seed: int = 1,
    confidence: float = 0.95,
    alternative: str = "two-sided",
) -> Result:
    """Compare two models by the mean difference in resamples of whole clusters.

    >>> rng = np.random.default_rng(2)
    >>> clusters = np.repeat(np.arange(60), 4)
    >>> result = cluster_bootstrap(rng.normal(size=240), rng.normal(size=240), clusters, resamples=999)
    >>> result.lower < result.estimate < result.upper
    True
    """
    d = number_column(a) - number_column(b)
    unit = _unit(d)
    data = gather(d[:, None] / unit, clusters)
    details = _sizes(data) | {"resamples": resamples}
    rows, labels = (data.means, None) if weights == "clusters" else (d[:, None] / unit, clusters)
    estimate = float(rows.mean()) * unit
    if np.ptp(rows) <= 1e-13:
        if estimate != 0:
            raise DegenerateError(
                f"The difference is {estimate:.6g} everywhere, so that resamples of it do not vary. Report the "
                "difference itself."
            )
        return Result(0.0, nan, nan, 0.0, "d", (), 1.0, "the two columns are the same", details)
    means = np.sort(bootstrap_means(rows, labels, resamples=resamples, seed=seed)[:, 0])
    lower, upper, p = percentile_interval(means, 1 - confidence, alternative)
    return Result(estimate, lower * unit, upper * unit, estimate, "d", (), p, "", details)


# --- A fixed list of clusters: strata ---------------------------------------------------------------------------------
VERY_THESE = (
    "The strata are a fixed list, such as the subjects of a benchmark: the conclusion is about these very ones."
)
WITHIN = (
    "The variance is Σ w_c² s_c²/m_c, with s_c² the variance within stratum c and w_c its weight: m_c/N by items, 1/C "
    "by clusters; the degrees of freedom are Satterthwaite's."
)
STRATA: dict[str, Any] = {"needs": (in_strata,), "strata": True, "first_for": is_fixed, "rank": 6}


@procedure(
    Compares.PAIR,
    Level.INSTANCES,
    title="Stratified t test",
    question="Do two fitted models differ on new instances of these very tasks, subjects or other strata?",
    null="the weighted mean of the strata's differences is zero",
    assumes=(VERY_THESE, ALONE, FITTED_BEFORE, "There are enough instances for means to be about normal."),
    conventions=(
        WEIGHTED,
        WITHIN,
        ALIKE,
        "Many models are compared pair by pair, adjusted by Holm unless said otherwise.",
    ),
    cautions=(
        "It says nothing about other subjects or tasks: for those, strata are a sample (--cluster, or --about "
        "problems).",
    ),
    references=("cochran1977 section 5.4",),
    published="R 4.2.2, sum(tapply(d, g, sum)) / 20, sqrt(sum(m * tapply(d, g, var))) / 20 and the same with equal "
    "weights, on twenty made-up differences in strata of 10, 4, 3 and 3",
    printed="mean = 0.4; se = 0.16244657241348; mean, equal weights = 0.42916666666667; se, equal weights = "
    "0.2036558234975",
    example=(
        Example("estimate standard_error", _TWENTY, np.zeros(20), _FOUR),
        Example("estimate standard_error", _TWENTY, np.zeros(20), _FOUR, weights="clusters"),
    ),
    recommended_for="models on instances of a fixed list of strata, which the conclusion is about",
    trials=(Trial(NullDesign.STRATA), Trial(NullDesign.STRATA, 4)),
    power=PowerFormula.PAIRED_T,
    **STRATA,
    **OF_PAIR,
)
def stratified_t(a: ArrayLike, b: ArrayLike, clusters: ArrayLike, *, weights: str = "items", **options: Any) -> Result:
    """Compare two models on instances of a fixed list of strata; only the variance within strata counts.

    Useful for a benchmark of many subjects if the question is about these subjects. `weights` "clusters" makes every
    subject count alike, as the means of means that leaderboards show.

    >>> result = stratified_t([1, 0, 1, 1, 0, 1, 1, 0], [0, 0, 1, 0, 0, 1, 1, 1], list("aabbccdd"))
    >>> round(result.estimate, 3), round(result.statistic, 4)
    (0.125, 0.5774)
    """
    d = number_column(a) - number_column(b)
    unit = _unit(d)
    errors = stratified_means(d[:, None] / unit, clusters, weights=weights)
    return _of_difference(errors, unit, gather(d[:, None], clusters), **options)


@procedure(
    Compares.ONE,
    Level.INSTANCES,
    title="Interval and test of one model's stratified mean",
    question="How well does this model do on new instances of these strata, and is that better than a fixed value?",
    assumes=(VERY_THESE, ALONE, FITTED_BEFORE, "p0 was chosen without these data."),
    conventions=(WEIGHTED, WITHIN, "Values that never vary within a stratum are refused: there is no standard error."),
    cautions=(
        "Intervals of two models on the same instances are not a comparison: use stratified-t, which is paired.",
    ),
    references=("cochran1977 section 5.4",),
    published="R 4.2.2, mean(x) and sqrt(sum(m * tapply(x, g, var))) / 20 on twenty made-up answers in strata of 10, "
    "4, 3 and 3",
    printed="mean = 0.6; se = 0.10408329997331",
    example=Example("estimate standard_error", _RATES, _FOUR),
    recommended_for="one model's scores of instances of a fixed list of strata",
    power=PowerFormula.ONE_T,
    trials=(Trial(NullDesign.ONE_STRATIFIED),),
    **STRATA,
    **OF_ONE,
)
def stratified_mean(x: ArrayLike, clusters: ArrayLike, *, weights: str = "items", **options: Any) -> Result:
    """The mean of one model over a fixed list of strata.

    >>> result = stratified_mean([1, 0, 1, 1, 0, 1, 1, 0], list("aabbccdd"), weights="clusters")
    >>> round(result.estimate, 3), round(result.details["standard_error"], 4)
    (0.625, 0.2165)
    """
    column = number_column(x)
    unit = _unit(column)
    errors = stratified_means(column[:, None] / unit, clusters, weights=weights)
    return _of_mean(errors, unit, gather(column[:, None], clusters), **options)
