"""Scores, the matrix seen through them, and the facts that can be read off them."""

from bakeoff.scores.alignment import Alignment, align
from bakeoff.scores.blocks import Blocks, Level, Missing, blocks
from bakeoff.scores.factor import Factor
from bakeoff.scores.layout import Layout, layout
from bakeoff.scores.long import long_form
from bakeoff.scores.predictions import Predictions
from bakeoff.scores.reading import read_scores
from bakeoff.scores.samples import Samples, samples, unpaired
from bakeoff.scores.table import Scores

__all__ = [
    "Alignment",
    "Blocks",
    "Factor",
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
