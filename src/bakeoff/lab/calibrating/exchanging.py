"""The label-exchange null: in each block, who of two learners got which score is decided by a coin.

If the learners are equally good, and their outcomes in a block may be exchanged, that is an experiment as likely as the
one that was made. Nothing is run again. What is lost is the dependence between blocks: folds that share training rows
lean to the same side, and exchanged ones do not.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from bakeoff.errors import DegenerateError, MisfitError, UsageError
from bakeoff.lab.calibrating.experiments import (
    Experiments,
    check_memory,
    checked_replications,
    checked_seed,
    difference_of,
    with_difference,
)
from bakeoff.scores import Layout, Level, Scores, blocks, layout


def exchanged(
    scores: Scores,
    pair: Sequence[str] | None = None,
    *,
    replications: int = 1000,
    seed: int = 0,
    delta: float | None = None,
    alpha: float = 0.05,
    measure: str | None = None,
) -> Experiments:
    """Experiments made from one, with the outcomes of two learners exchanged at random within blocks."""
    replications, seed = checked_replications(replications), checked_seed(seed)
    table = scores.only(measure=measure or scores.measure.labels[0], learners=_two(scores, pair))
    facts = layout(table)
    sheet = blocks(table, level=facts.level)
    if sheet.n_blocks < 2:
        raise MisfitError(
            f"{scores.source} has one block in which {' and '.join(table.learners)} are compared, and exchanging their "
            "outcomes in it makes two experiments at most. Use folds, repeats, instances or several tasks."
        )
    if (sheet.values[:, 0] == sheet.values[:, 1]).all():
        raise DegenerateError(
            f"{' and '.join(table.learners)} have the same {facts.measure.name} in all {sheet.n_blocks} blocks: there "
            "is nothing to exchange. Use learners that differ."
        )
    check_memory(replications, sheet.n_blocks)
    rng = np.random.default_rng(np.random.SeedSequence([seed, 0]))
    swap = rng.integers(0, 2, (replications, sheet.n_blocks), dtype=np.uint8).astype(bool)
    null = np.where(swap[:, :, None], sheet.values[:, ::-1], sheet.values)
    delta, origin = difference_of(null, delta, alpha)
    broken = _share_training_data(facts)
    return Experiments(
        scores=table,
        null=null,
        different=with_difference(null, delta, facts.measure, seed),
        delta=delta,
        how=f"The outcomes of {' and '.join(table.learners)}, exchanged at random within each of "
        f"{sheet.n_blocks} {facts.level.value}.",
        difference=origin,
        notes=_NOTES if broken else (),
        breaks_dependence=broken,
    )


_NOTES = (
    "Exchanging makes the resamples independent, and those of one data set are not: they share training rows. A test "
    "that takes them as independent looks better here than it is, and one that makes up for it looks timid. Two copies "
    "of a learner (--null copies) or a generator keep the dependence.",
)


def _two(scores: Scores, pair: Sequence[str] | None) -> list[str]:
    """The learners whose outcomes are exchanged."""
    names = list(scores.learners if pair is None else pair)
    if len(names) != 2:
        raise UsageError(
            f"Outcomes are exchanged between two learners; found {len(names)}. Name two: --learner A --learner B."
        )
    if names[0] == names[1]:
        raise UsageError(f"Outcomes are exchanged between two learners; {names[0]!r} is named twice.")
    return names


def _share_training_data(facts: Layout) -> bool:
    """Whether blocks are resamples of one data set, and not independent draws given what they were drawn from."""
    return facts.level is Level.RESAMPLES and facts.problem is None
