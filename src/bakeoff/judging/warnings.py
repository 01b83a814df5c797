"""Warnings: a short stable code, a sentence, and what to do. Each is a fact about the data or the request."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from math import isfinite, isnan, sqrt

import numpy as np
from numpy.typing import NDArray

from bakeoff.inference.evidence import SINGLE_STEP, Interval
from bakeoff.inference.finding import Finding
from bakeoff.mathematics.clusters import bell_mccaffrey_df
from bakeoff.mathematics.laws import chi2_quantile
from bakeoff.mathematics.time_series import FEW_TIMES, FEW_WAVES
from bakeoff.procedures.card import Card
from bakeoff.procedures.needs import is_share
from bakeoff.resampling.scheme import SIMULATION
from bakeoff.scores import Blocks, Layout, Level, Missing, Samples, Scores
from bakeoff.text import CodedWarning, counted, listing, number, p_value, percent

# The share of a measure's range within which all learners must lie to call it a ceiling or a floor.
NEAR_THE_END = 0.02
# From so many independent draws on, small differences are found: half a standard deviation nine times in ten.
MANY_DRAWS = 50
# Below so many blocks a posterior is mostly its prior.
FEW_BLOCKS = 5
# Standard errors of a simulated p within which α is not settled: 99 % of the time it is that near.
SURE = 2.576


def about_data(layout: Layout, blocks: Blocks | None) -> Iterator[CodedWarning]:
    """What can be said before any analysis."""
    yield from _single_runs(layout)
    if layout.unequal_folds:
        yield CodedWarning(
            "unequal-folds",
            "The learners were not scored on the same splits."
            + (" Each one's own were averaged." if layout.own_runs > 1 else ""),
            "Run all learners on the same folds"
            + {
                Missing.ERROR: "; --missing drop-block compares them on the splits they share.",
                Missing.DROP_BLOCK: "; here they are compared on the splits that they share.",
                Missing.WORST: ": who was not run on a split has the worst value there, without having failed.",
            }[layout.missing],
        )
    if layout.clusters is not None and not layout.clusters.fixed and layout.clusters.n < 3:
        yield CodedWarning(
            "too-few-clusters",
            f"The {layout.n_blocks} instances lie in {layout.clusters.n} clusters ({layout.clusters.column}): two show "
            "next to nothing of how clusters differ, so that nothing can be said about others.",
            f"Add clusters; or say --strata {layout.clusters.column} for a conclusion about these very ones.",
        )
    if layout.measure.turned:
        yield CodedWarning(
            "direction-override",
            f"{layout.measure.name}: {layout.measure.better} is taken to be better, {layout.measure.origin}.",
            "Leave the flag out if that was not meant.",
        )
    if blocks is None:
        return
    if blocks.dropped:
        yield CodedWarning(
            "missing-cells",
            f"{counted(len(blocks.dropped), 'blocks')} without a value for every learner {_were(blocks.dropped)} "
            "left out: "
            f"{listing(blocks.dropped, 4)}.{_not_defined(blocks)}",
            "The others tell less; fewer folds, larger or stratified test samples would keep them all."
            if blocks.undefined
            else "A learner that fails on hard cases gains from this; --missing worst is the strict reading.",
        )
    if blocks.filled:
        yield CodedWarning(
            "missing-cells",
            f"{counted(len(blocks.filled), 'missing values')} {_were(blocks.filled)} replaced by the worst value in "
            "the table: "
            f"{listing(blocks.filled, 4)}.{_not_defined(blocks)}",
            "A value that does not exist is no failure; --missing drop-block leaves those blocks out."
            if blocks.undefined
            else "Say so where you publish; intervals of differences depend on it, ranks hardly do.",
        )
    if empty := int(np.isnan(blocks.values).sum()):
        yield CodedWarning(
            "missing-cells",
            f"{empty} of {blocks.values.size} cells have no value; pairs were compared on the blocks that have both.",
            "That is fair only if what is missing has nothing to do with how well the learner would have done; "
            "--missing worst is the strict reading.",
        )
    yield from ends_of_the_range(blocks)


def _not_defined(blocks: Blocks) -> str:
    return f" {blocks.measure.name} is not defined there: {blocks.undefined}" if blocks.undefined else ""


def _single_runs(layout: Layout) -> Iterator[CodedWarning]:
    # A rate of n instances tells by itself how well it is known; two of them on the same instances do not.
    known = not isnan(layout.n_test) and is_share(layout) and (layout.n_learners == 1 or not layout.matched)
    if layout.level is Level.SINGLE and not known:
        yield CodedWarning(
            "single-run",
            "Each learner has a single value on a single task: nothing shows how much it would vary.",
            "Score the learners on several folds, seeds or tasks, or keep the predictions for each instance."
            + (
                ""
                if isnan(layout.n_test) or not is_share(layout)
                else " If each was tested on instances of its own, say --unpaired."
            ),
        )


def _were(things: Sequence[str]) -> str:
    return "was" if len(things) == 1 else "were"


def ends_of_the_range(blocks: Blocks) -> Iterator[CodedWarning]:
    """Ceiling and floor: where all learners are near an end of the measure's range, no difference can show."""
    measure = blocks.measure
    span = measure.upper - measure.lower
    if not isfinite(span) or blocks.n_learners < 2:
        return
    if np.all(np.abs(blocks.means - measure.best) <= NEAR_THE_END * span):
        yield CodedWarning(
            "ceiling",
            f"All learners have a mean {measure.name} within {NEAR_THE_END:.0%} of the best possible "
            f"({number(measure.best)}): there is hardly room for a difference to show.",
            "Use harder tasks before concluding that the learners are alike.",
        )
    if np.all(np.abs(blocks.means - measure.worst) <= NEAR_THE_END * span):
        yield CodedWarning(
            "floor",
            f"All learners have a mean {measure.name} within {NEAR_THE_END:.0%} of the worst possible "
            f"({number(measure.worst)}): none of them has learned much here.",
            "Use easier tasks before concluding that the learners are alike.",
        )


# ----------------------------------------------------------------------------------------------------------------------
# Spurious effects: a practical ceiling, and regression to the mean.


_WORDS = r"majority|mean|dummy|baseline|zero-?r|most[ _-]frequent|constant|prior"
BASELINE = re.compile(rf"(?<![a-z])({_WORDS})(?![a-z])", re.IGNORECASE)
SIMPLE = re.compile(r"1-?r|one-?r|stump|decision[ _-]stump", re.IGNORECASE)
HIGH, NEARLY_ALL, MOST_OF_IT = 0.1, 0.975, 0.9  # shares of the range, of the best known, of what is above a baseline
FEWEST_TASKS, FEWEST_CANDIDATES, FEWEST_BLOCKS = 5, 5, 5
BY_CHANCE = 0.5  # the share of the spread between learners from which on chance is told of


def about_effects(blocks: Blocks | None, layout: Layout, all_apart: bool) -> Iterator[CodedWarning]:
    """What may look like a finding and is none, as far as the scores themselves tell."""
    if blocks is None or np.isnan(blocks.values).any() or blocks.n_learners < 2:
        return
    if blocks.level is Level.TASKS and blocks.n_blocks >= FEWEST_TASKS and not all_apart:
        yield from _practical_ceiling(blocks)
    if blocks.n_learners >= FEWEST_CANDIDATES and blocks.n_blocks >= FEWEST_BLOCKS:
        yield from _regression(blocks, layout)


def _practical_ceiling(blocks: Blocks) -> Iterator[CodedWarning]:
    """The best known result on each task is hardly better than that of each learner, as of C4 and 1R (Holte 1993): then
    it is the tasks that make them alike. Or a rule about one attribute has nearly all that is above a baseline."""
    measure, names = blocks.measure, blocks.learners
    gain = measure.sign * blocks.values
    best = float(gain.max(axis=1).mean())
    means = {name: float(mean) for name, mean in zip(names, gain.mean(axis=0), strict=True)}
    base = [mean for name, mean in means.items() if BASELINE.search(name)]
    compared = {name: mean for name, mean in means.items() if not BASELINE.search(name)}
    shown = {name: number(measure.sign * mean) for name, mean in compared.items()}
    span, worst = measure.upper - measure.lower, measure.sign * measure.worst
    reached = ""
    if base and best > max(base):
        simple = [name for name in compared if SIMPLE.fullmatch(name)]
        shares = {name: (mean - max(base)) / (best - max(base)) for name, mean in compared.items()}
        if simple and len(compared) > 1 and min(shares.values()) >= MOST_OF_IT:
            parts = [f"{name} {percent(share)}" for name, share in shares.items()]
            reached = f"of what the best of all has above the baseline, {listing(parts, 6)} have"
    elif isfinite(span) and len(compared) > 1 and span > 0:
        high = all(measure.sign * measure.best - mean <= HIGH * span for mean in compared.values())
        shares = {name: (mean - worst) / (best - worst) for name, mean in compared.items()} if best > worst else {}
        if high and shares and min(shares.values()) >= NEARLY_ALL:
            parts = [f"{name} ({shown[name]})" for name in compared]
            reached = f"{listing(parts, 6)} reach {percent(min(shares.values()))} of it or more each"
    if reached:
        yield CodedWarning(
            "practical-ceiling",
            f"The best of the learners on each of the {blocks.n_blocks} tasks has a mean {measure.name} of "
            f"{number(measure.sign * best)}, and {reached}: there is hardly room on these tasks for a difference to "
            "show.",
            "Do not conclude that the learners are alike: use tasks on which the best known result is clearly better "
            "than these. A baseline (majority or mean) and 1R beside them show how much there is to learn.",
        )


def _regression(blocks: Blocks, layout: Layout) -> Iterator[CodedWarning]:
    """The best of many learners is partly the luckiest. Of the variance of learners' means, the share 1/F is what
    chance makes; so much of the lead of the best is expected to be gone when it is run again."""
    n, k = blocks.values.shape
    residuals = blocks.values - blocks.values.mean(axis=0) - blocks.values.mean(axis=1, keepdims=True)
    residuals = residuals + blocks.values.mean()
    error = float((residuals**2).sum()) / ((n - 1) * (k - 1))
    ratio = layout.test_train_ratio
    overlap = ratio if layout.level is Level.RESAMPLES and layout.problem is None and not isnan(ratio) else 0.0
    spread = float(np.var(blocks.means, ddof=1))
    if not spread > 0:
        return
    share = error * (1 / n + overlap) / spread
    gains = blocks.measure.sign * blocks.means
    best = int(np.argmax(gains))
    lead = float(gains[best] - gains.mean())
    if share >= BY_CHANCE:
        left = max(0.0, 1 - share) * lead
        yield CodedWarning(
            "regression",
            f"{blocks.learners[best]} is the best of {k} learners, by {number(lead)} {blocks.measure.name} over their "
            f"mean; {percent(min(1.0, share))} of the spread between them is what chance alone makes. Run again, its "
            f"lead is expected to be about {number(left)}: regression to the mean.",
            "Do not report the best of many by the score it was chosen for: run it again on the same problems, or "
            "score it on rows that were kept apart (bakeoff conclude).",
        )


def about_problem(layout: Layout, *, margin: float | None = None, apart: bool = True) -> Iterator[CodedWarning]:
    """What to keep in mind where blocks are draws that one can make as many of as one likes."""
    if layout.problem is None or layout.n_learners < 2:
        return
    if layout.n_blocks >= MANY_DRAWS and margin is None and apart:
        yield CodedWarning(
            "many-draws",
            f"With {layout.n_blocks} draws even a difference that matters to nobody can be significant, and more draws "
            "would make it so.",
            "Fix a margin of relevance (--margin), and look at the size of the difference.",
        )
    if layout.problem.fixed_test:
        yield CodedWarning(
            "fixed-test-sample",
            "All draws were tested on one test sample, which may favour a learner by chance; no number of draws "
            "averages that out.",
            "Test on fresh samples (test = 'fresh') or on a larger one."
            if layout.problem.kind == SIMULATION
            else "Use out-of-bootstrap of all rows (out-of-bootstrap-2n merges a given test sample), if you may.",
        )


def about_finding(finding: Finding, card: Card, layout: Layout) -> Iterator[CodedWarning]:
    """What can be said about an analysis that was made."""
    family = len(finding.pairs)
    if finding.instead_of:
        yield CodedWarning(
            "fallback",
            finding.instead_because,
            f"Say so where you publish, or ask for {finding.procedure} by its name.",
        )
    if (bound := card.least_p(layout)) is not None:
        least = bound / (1 if finding.alternative == "two-sided" else 2)
        jointly = card.smallest_p is not None and card.smallest_p.jointly and finding.adjust == SINGLE_STEP
        stepped = least if jointly or finding.adjust in ("none", "bh", "by") else least * max(family, 1)
        if stepped > finding.alpha:
            cause = f"With {counted(card.counted(layout), _things(card, layout))} p cannot go below {p_value(least)}"
            if least <= finding.alpha:
                cause += f", which is {p_value(min(1.0, stepped))} after adjustment for {family} comparisons"
            yield CodedWarning(
                "alpha-unreachable",
                f"{cause}; α = {number(finding.alpha)} is out of reach whatever the data say.",
                f"Add {_needed(card, layout, finding, stepped / least)}, compare fewer learners, or fix another α "
                "before looking at the data.",
            )
    yield from _about_clusters(finding, card, layout)
    yield from _about_series(finding)
    yield from _about_slow_parts(finding)
    codes = {need.unmet(layout): need.code for need in card.needs}
    for reason in finding.against_advice:
        yield CodedWarning(
            codes.get(reason, "against-advice"),
            f"{finding.title} was used although {reason}.",
            "Say so where you publish, or follow `bakeoff advise`.",
        )
    if finding.posterior and layout.n_blocks < FEW_BLOCKS:
        yield CodedWarning(
            "few-blocks",
            f"There are only {counted(layout.n_blocks, layout.level.value)}: what was assumed beforehand says as much "
            "about these probabilities as the data do.",
            f"Add {layout.level.value}, and claim nothing from probabilities alone.",
        )
    if family > 1 and finding.posterior:
        yield CodedWarning(
            "pointwise",
            f"{family} pairs were looked at, and each probability is about its own: that some claim among many is "
            "wrong is more probable than that a given one is.",
            "Claim single pairs, not all of them at once.",
        )
    elif family > 1 and any(row.interval is Interval.POINTWISE for row in finding.pairs):
        yield CodedWarning(
            "pointwise",
            f"{family} comparisons were made without adjustment: each has its own error rate of "
            f"{number(finding.alpha)}, the chance of some false claim is larger.",
            "Choose an adjustment (--adjust holm).",
        )
    refused = [row.contrast for row in finding.pairs if row.refused]
    if refused:
        yield CodedWarning(
            "degenerate",
            f"{counted(len(refused), 'comparisons')} could not be made: {listing(refused, 4)}.",
            "See the notes of those rows.",
        )


def about_fits(scores: Scores) -> Iterator[CodedWarning]:
    """What is known of the chance in the learners themselves."""
    for one in scores.fits:
        yield CodedWarning(
            "averaged-fits", one.sentence, "More learning samples tell more about the learner than more fits to one."
        )


# Below so many degrees of freedom intervals over clusters are long, and lean on normality.
FEW_DF = 4
# Up to so many clusters their normality carries the answer.
FEW_CLUSTERS = 5


def _about_clusters(finding: Finding, card: Card, layout: Layout) -> Iterator[CodedWarning]:
    """What clusters as a sample leave open."""
    clusters = layout.clusters
    if clusters is None or clusters.fixed or not card.clustered:
        return
    if clusters.n <= FEW_CLUSTERS:
        yield CodedWarning(
            "few-clusters",
            f"There are {clusters.n} clusters ({clusters.column}): that their effects are about normal carries this "
            "answer, and so few cannot show whether they are.",
            "Add clusters; more instances of the same ones hardly help.",
        )
    if clusters.largest_share > 0.5:
        yield CodedWarning(
            "large-cluster",
            f"One of {clusters.n} clusters ({clusters.column}) holds {percent(clusters.largest_share)} of the "
            "instances: what is special about it decides.",
            "Look at it by itself, or let every cluster count alike (--weights clusters), which is another question.",
        )
    df = bell_mccaffrey_df(clusters.sizes)
    if clusters.unequal and df < FEW_DF and finding.options.get("weights", "items") == "items":
        yield CodedWarning(
            "unequal-clusters",
            f"The {clusters.n} clusters ({clusters.column}) are very unequal: they tell as much as "
            f"{number(clusters.effective, 3)} of equal size, and leave {number(df, 3)} degrees of freedom.",
            "Add clusters, or let every cluster count alike (--weights clusters), which is another question.",
        )


def _about_series(finding: Finding) -> Iterator[CodedWarning]:
    """Series that nearly were too persistent for their length, or that are short."""
    waves = [each["waves"] for each in finding.details.values() if isinstance(each, Mapping) and "waves" in each]
    doubtful = [each for each in waves if each <= FEW_WAVES]
    if doubtful:
        yield CodedWarning(
            "persistent-series",
            f"What one time has to do with the next leaves {min(doubtful)} waves to tell how much a mean varies: so "
            "near to what is refused, answers are wrong in 9 to 12 % of the cases instead of 5.",
            "Collect more times before claiming anything.",
        )
    if waves and finding.n_blocks < FEW_TIMES:
        yield CodedWarning(
            "short-series",
            f"In {finding.n_blocks} times a slow drift can hide under the noise unseen; where there is one, 11 to 17 % "
            "of the answers from so few are wrong instead of 5.",
            f"Collect {FEW_TIMES} times or more, or look at the series of differences for a drift.",
        )


def _about_slow_parts(finding: Finding) -> Iterator[CodedWarning]:
    """Series in which noise hides a slow part, so that what one time has to do with the next is not all."""
    if any(isinstance(each, Mapping) and each.get("slow") for each in finding.details.values()):
        yield CodedWarning(
            "slow-drift",
            "Times far apart have more in common than the next one tells: a slow drift seems to lie under the noise, "
            "and these times are too few to show how much it moves a mean.",
            "Look at the series of differences, and collect more times before claiming anything.",
        )


def _needed(card: Card, layout: Layout, finding: Finding, factor: float) -> str:
    """How many blocks would have the level within reach, in words."""
    assert card.smallest_p is not None
    sides = 1 if finding.alternative == "two-sided" else 2
    things = _things(card, layout)
    for n in range(card.counted(layout) + 1, 65):
        if factor * card.smallest_p.law(n, layout.n_learners) / sides <= finding.alpha:
            return f"{things} ({n} {card.smallest_p.counted} are the fewest)"
    return things


def _things(card: Card, layout: Layout) -> str:
    """What the p of a procedure counts, in the plural."""
    return "clusters" if card.clustered and layout.clusters is not None else layout.level.value


# ----------------------------------------------------------------------------------------------------------------------
# What the values say about what a procedure assumes: variances that it pools, losses that one instance decides, blocks
# too few to look at, draws too few to settle a p.


# Learners beyond which pairs are not looked at one by one for a warning.
MOST_LEARNERS = 60
FEW_INSTANCES = 20  # below which every instance carries much
LARGE_SHARE, COCHRAN = 0.1, 25  # of one instance in a sum of squares; instances needed for a squared skewness
RARE = 0.01  # how often normal differences may have an instance that is said to carry much
UNLIKE, DECILE = 4.6, 1.2816  # two standard errors of a log ratio of deciles, times √n; the normal decile


def about_values(finding: Finding, card: Card, layout: Layout, values: Blocks | Samples) -> Iterator[CodedWarning]:
    """What the scores say about what a procedure assumes of them."""
    if finding.posterior or layout.n_learners < 2:
        return
    if card.pooled:
        yield _pooled(card, values)
    fewest = min(finding.n_each, default=layout.n_blocks)
    if fewest < card.normal_below and finding.pairs:
        models = layout.level is Level.INSTANCES
        assumed = (
            "are about normal and models scatter alike: these assumptions carry"
            if models
            else "are about normal: that assumption carries"
        )
        yield CodedWarning(
            "normality",
            f"With {counted(fewest, layout.level.value)} nothing in the data shows whether differences "
            f"{assumed} this answer.",
            f"Add {layout.level.value}.",
        )
    draws = finding.details.get("draws")
    if draws and not finding.details.get("exact") and finding.adjust == SINGLE_STEP:
        yield from _not_settled(finding, int(draws))
    if isinstance(values, Blocks) and layout.level is Level.INSTANCES and not layout.binary:
        yield from _one_instance(values)


def _pooled(card: Card, values: Blocks | Samples) -> CodedWarning:
    variances = _variances_of_pairs(values)
    spread = ""
    if len(variances) > 1 and variances.max() > 0:
        most, least = number(float(variances.max()), 3), number(float(variances.min()), 3)
        times = f", {number(float(variances.max() / variances.min()), 3)} times as much" if variances.min() > 0 else ""
        spread = f" The pairs' own variances go from {least} to {most}{times}."
    return CodedWarning(
        "pooled",
        f"{card.title} {card.pooled}.{spread}",
        "Without a procedure by name each pair is compared on its own.",
    )


def _variances_of_pairs(values: Blocks | Samples) -> NDArray[np.float64]:
    """The variance of the difference of each pair, over shared blocks or of means of samples of their own."""
    if isinstance(values, Samples):
        own = np.array([np.var(x, ddof=1) / len(x) if len(x) > 1 else 0.0 for x in values.values])
        total = own[:, None] + own
    elif values.n_blocks < 2 or np.isnan(values.values).any():
        return np.zeros(0)
    else:
        V = np.atleast_2d(np.cov(values.values, rowvar=False))
        total = np.diag(V)[:, None] + np.diag(V) - 2 * V
    return np.asarray(np.maximum(total[np.triu_indices(len(total), 1)], 0.0))


def _not_settled(finding: Finding, draws: int) -> Iterator[CodedWarning]:
    """Adjusted p-values so near α that other draws might decide otherwise."""
    open_ = [
        row.contrast
        for row in finding.pairs
        if abs(row.p_adjusted - finding.alpha) <= SURE * sqrt(row.p_adjusted * (1 - row.p_adjusted) / draws)
    ]
    if open_:
        yield CodedWarning(
            "not-settled",
            f"p comes from {draws:,} draws, and is too near α = {number(finding.alpha)} to be settled by them: "
            f"{listing(open_, 4)}.",
            "Draw more (--resamples 99999, in Python resamples=), and keep the seed.",
        )


def _one_instance(blocks: Blocks) -> Iterator[CodedWarning]:
    """Pairs whose difference one instance decides, or that is too skewed for so many instances."""
    n, k = blocks.values.shape
    if n < FEW_INSTANCES or k > MOST_LEARNERS or np.isnan(blocks.values).any():
        return
    first, second = np.triu_indices(k, 1)
    d = blocks.values[:, first] - blocks.values[:, second]
    squares = d * d
    total = squares.sum(axis=0)
    share = np.divide(squares.max(axis=0), total, out=np.zeros(len(total)), where=total > 0)
    worst = int(np.argmax(share))
    if share[worst] > max(LARGE_SHARE, chi2_quantile(1 - RARE / n, 1) / n):
        name = f"{blocks.learners[first[worst]]} and {blocks.learners[second[worst]]}"
        yield CodedWarning(
            "one-instance",
            f"One of {n} instances carries {percent(float(share[worst]))} of the variation between {name}.",
            "Look at it: a difference of means may be that instance's.",
        )
    r = d - d.mean(axis=0)
    spread = np.sqrt((r * r).mean(axis=0))
    skewness = np.divide((r**3).mean(axis=0), spread**3, out=np.zeros(len(spread)), where=spread > 0)
    if not isfinite(blocks.measure.upper - blocks.measure.lower):
        skewness = np.maximum(np.abs(skewness), _skewness_of_unlike(blocks.values, first, second))
    most = int(np.argmax(np.abs(skewness)))
    if n < COCHRAN * skewness[most] ** 2:
        name = f"{blocks.learners[first[most]]} and {blocks.learners[second[most]]}"
        yield CodedWarning(
            "skewed-losses",
            f"The differences between {name} are so skewed ({number(float(abs(skewness[most])), 3)}) that {n} "
            f"instances are few for their mean: {int(COCHRAN * skewness[most] ** 2) + 1} would be enough by "
            "Cochran's rule.",
            "If the models err in unlike ways, no procedure keeps its error rate here; more instances help.",
        )


def _skewness_of_unlike(
    values: NDArray[np.float64], first: NDArray[np.intp], second: NDArray[np.intp]
) -> NDArray[np.float64]:
    """The skewness of the more skewed of two models whose losses differ in shape; 0 if they do not, clearly.

    False claims are made of samples from which the rare large losses are missing, and there the skewness of the sample
    is small as well. Deciles tell it all the same: with r the ratio of the upper to the lower half of their range,
    σ = |ln r|/1.28 is that of a lognormal law. Of 2,000 tables of 200 losses with σ = 0.3 and 1.5 all are warned of so,
    of normal ones none, and of lognormal ones that are alike 5 to 8 %.
    """
    low, middle, high = np.quantile(values, [0.1, 0.5, 0.9], axis=0)
    with np.errstate(divide="ignore", invalid="ignore"):
        ratio = np.log((high - middle) / (middle - low))
    unlike = np.abs(ratio[first] - ratio[second]) > UNLIKE * sqrt(2 / len(values))
    square = np.square(np.maximum(np.abs(ratio[first]), np.abs(ratio[second])) / DECILE)
    known = unlike & np.isfinite(square)
    square = np.where(known, np.minimum(square, 20.0), 0.0)
    return np.asarray((np.exp(square) + 2) * np.sqrt(np.expm1(square)))
