"""The unpaired t test on losses: two fitted models, each tested on instances of its own."""

from __future__ import annotations

from bakeoff.procedures.card import (
    Answers,
    Card,
    Caution,
    Compares,
    Scope,
    at_least_blocks,
    at_least_learners,
    at_level,
)
from bakeoff.procedures.result import Procedure
from bakeoff.procedures.unpaired_t import OPTIONS, PUBLISHED, REFERENCES, unpaired_t
from bakeoff.scores import Level

PROCEDURE = Procedure(
    card=Card(
        name="unpaired-losses",
        title="Unpaired t test on losses of independent test sets (Welch)",
        question="Do two fitted models, each tested on instances of its own, have different mean losses?",
        null="the two models have the same mean loss",
        compares=Compares.PAIR,
        answers=Answers.PAIRS,
        speaks_about=Scope.MODELS,
        level=Level.INSTANCES,
        needs=(at_level(Level.INSTANCES), at_least_learners(2), at_least_blocks(2)),
        assumes=(
            "The two test sets are independent draws from the population that the models are meant for, with no "
            "instance in common.",
            "The models were fitted without them.",
            "The means are about normal: exactly if the losses are, nearly if there are many.",
        ),
        conventions=(
            "The estimate is the first mean minus the second; variances may differ, degrees of freedom are Welch's. "
            "The option df=pooled takes one common variance, df=smaller counts min(n1, n2) − 1, as the slides do.",
            "Samples in which all values are the same have t = 0 and p = 1; two different constants are refused.",
        ),
        cautions=(
            Caution("On the same instances it throws the pairing away and finds less: use paired-t."),
            Caution("For answers that are right or wrong (0 or 1), two-proportions says it better."),
            Caution("Heavy-tailed losses let single instances decide: look at the largest ones."),
        ),
        references=REFERENCES,
        published=PUBLISHED,
        because="two models with losses on test sets of their own",
        preference=30,
        options=OPTIONS,
        paired=False,
    ),
    compute=unpaired_t,
)
