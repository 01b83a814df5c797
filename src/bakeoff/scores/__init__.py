"""Scores, the matrix seen through them, and the facts that can be read off them."""

from bakeoff.scores.alignment import Alignment, align
from bakeoff.scores.blocks import Blocks, Level, Missing, Samples, blocks, samples, unpaired
from bakeoff.scores.layout import Layout, layout
from bakeoff.scores.reading import read_scores
from bakeoff.scores.table import Labels, Predictions, Scores, long_form

__all__ = [
    "Alignment",
    "Blocks",
    "Labels",
    "Layout",
    "Level",
    "Missing",
    "Predictions",
    "Samples",
    "Scores",
    "align",
    "blocks",
    "layout",
    "long_form",
    "read_scores",
    "samples",
    "unpaired",
]
