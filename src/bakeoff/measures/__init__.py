"""Measures: what a number means, and which direction is better."""

from bakeoff.measures.measure import KNOWN, LOSSES, Loss, Measure, known_measure, loss_named

__all__ = ["KNOWN", "LOSSES", "Loss", "Measure", "known_measure", "loss_named"]
