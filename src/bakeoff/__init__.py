"""bakeoff: which method learns most from the data?"""

__version__ = "0.1.0"
