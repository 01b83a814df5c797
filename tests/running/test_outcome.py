from __future__ import annotations

import pickle

from bakeoff.running.outcome import Outcome, Status


def test_an_outcome_survives_the_way_to_the_coordinator() -> None:
    sent = Outcome(
        3, Status.ERROR, "ValueError: x", "trace", undefined={"auc": "one class"}, resources={"seconds": 1.0}
    )
    assert pickle.loads(pickle.dumps(sent)) == sent


def test_a_status_is_the_text_that_is_stored() -> None:
    assert [str(status) for status in Status] == ["ok", "error", "invalid", "timeout", "memory", "crash"]
