"""The unpaired t test on losses: two fitted models, each tested on instances of its own."""

from __future__ import annotations

from bakeoff.procedures.card import (
    Answers,
    Card,
    Caution,
    Compares,
    Scope,
    comparing,
)
from bakeoff.procedures.result import Procedure
from bakeoff.procedures.unpaired_t import CONVENTIONS, OPTIONS, PUBLISHED, REFERENCES, unpaired_t
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
        needs=comparing(Level.INSTANCES),
        assumes=(
            "The two test sets are independent draws from the population that the models are meant for, with no "
            "instance in common.",
            "The models were fitted without them.",
            "The means are about normal: exactly if the losses are, nearly if there are many.",
        ),
        conventions=CONVENTIONS,
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
