"""Sentences and references that many cards share, each written once."""

from __future__ import annotations

from bakeoff.procedures.card import Reference

SAMPLE_OF_PROBLEMS = (
    "The tasks are a sample of the problems that the conclusion is meant for, and independent of each other."
)
NEW_INSTANCES = "The instances are independent draws from the population that the models are meant for."
SAME_FOLDS = "Within a fold both learners saw the same training and test instances."
DIETTERICH = Reference("Dietterich (1998), Neural Computation 10, 1895–1923.", "10.1162/089976698300017197")
HOTHORN = Reference(
    "Hothorn, Leisch, Zeileis and Hornik (2005), The design and analysis of benchmark experiments, J. Comput. Graph. "
    "Statist. 14, 675–699.",
    "10.1198/106186005X59630",
)
