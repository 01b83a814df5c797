"""Calibrating procedures on a design of the user's own: which of them may be trusted there?

Experiments with two learners are simulated in which neither is better, and the same with a known difference; every
procedure that can read them is applied to all of them.

    designs       by name: cross-validation and other experiments, carried out for many samples at once
    refit         two copies of a learner, or two learners on fresh samples, run as a study; outcomes of two learners
                  exchanged at random; the answers on single rows of a cross-validation, for tests that read rows
    apply         procedures × experiments, and what came out
    calibrate     bakeoff.calibrate
    null_designs  and table: every procedure on the designs that it is meant for (docs/calibration.md)
"""

from __future__ import annotations
