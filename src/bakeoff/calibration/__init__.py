"""Calibrating procedures on a design of the user's own: which of them may be trusted there?

Experiments with two learners are simulated in which neither is better, and the same with a known difference; every
procedure that can read them is applied to all of them.

    built_in     designs by name: cross-validation and other experiments, carried out for many samples at once
    exchanging   two learners' outcomes exchanged at random, from stored scores
    refitting    two copies of a learner, or two learners on fresh samples, run as a study
    row_by_row   the answers on single rows of a cross-validation, for tests that read rows
    applying     procedures × experiments
    calibration  what came out
    asking       bakeoff.calibrate
"""

from __future__ import annotations
