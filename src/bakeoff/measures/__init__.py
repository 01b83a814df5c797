"""Measures: what a number means, and which direction is better."""

from bakeoff.measures.known import KNOWN, known_measure
from bakeoff.measures.losses import LOSSES, Loss, loss_named
from bakeoff.measures.measure import Measure

__all__ = ["KNOWN", "LOSSES", "Loss", "Measure", "known_measure", "loss_named"]
