"""Progress: the time that is left, kind by kind, and how it is shown."""

from __future__ import annotations

import pytest

from bakeoff.running.engine import ChunkSizer
from bakeoff.running.work import Outcome, Status
from bakeoff.study.progress import Bars, RemainingCells
from bakeoff.study.study import Study
from bakeoff.text import clock

STUDY = Study(["iris", "wine"], {"slow": "a.B", "fast": "a.C"})


def done(status: Status = Status.OK) -> Outcome:
    return Outcome(cell=0, status=status)


def test_times_as_people_say_them() -> None:
    assert [clock(s) for s in (0, 59.4, 60, 3599, 3600, 100_000)] == [
        "0 s", "59 s", "1 min 00 s", "59 min 59 s", "1 h 00 min", "27 h 46 min"
    ]  # fmt: skip


def test_kinds_are_reckoned_apart() -> None:
    pace = ChunkSizer()
    left = RemainingCells({(0, 0): 10, (1, 0): 100}, pace, workers=2)
    assert left.seconds() is None
    pace.learn((1, 0), 0.01)
    assert left.seconds() is None, "nothing is known of the slow one"
    assert left.seconds(1) == pytest.approx(100 * 0.01 / 2)
    pace.learn((0, 0), 3.0)
    assert left.seconds() == pytest.approx((10 * 3.0 + 100 * 0.01) / 2)
    left.cells[0, 0] = 0
    assert left.seconds(0) == 0


def test_elsewhere_than_on_a_terminal_a_line_now_and_then(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    now = [0.0]
    monkeypatch.setattr("bakeoff.study.progress.monotonic", lambda: now[0])
    with Bars(STUDY) as bars:
        pace = ChunkSizer()
        bars.begin({(0, 0): 2, (1, 1): 2}, pace, 1)
        bars.finished((0, 0), done())
        assert capsys.readouterr().err == "", "ten seconds have not passed"
        now[0] = 11.0
        bars.finished((0, 0), done(Status.ERROR))
        assert capsys.readouterr().err == "2 of 4 cells, 1 failed, time left not known yet\n"
        now[0] = 22.0
        pace.learn((1, 1), 5.0)
        bars.finished((1, 1), done())
        assert capsys.readouterr().err == "3 of 4 cells, 1 failed, 5 s left\n"


def test_quiet_is_quiet(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    now = [0.0]
    monkeypatch.setattr("bakeoff.study.progress.monotonic", lambda: now[0])
    with Bars(STUDY, quiet=True) as bars:
        bars.begin({(0, 0): 2}, ChunkSizer(), 1)
        now[0] = 100.0
        bars.finished((0, 0), done())
    assert capsys.readouterr() == ("", "")


def test_bars_on_a_terminal(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "100")
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setenv("TTY_COMPATIBLE", "1")
    monkeypatch.setattr("sys.stderr.isatty", lambda: True, raising=False)
    with Bars(STUDY) as bars:
        pace = ChunkSizer()
        bars.begin({(0, 0): 1, (1, 0): 1}, pace, 2)
        pace.learn((0, 0), 1.0)
        pace.learn((1, 0), 60.0)
        bars.finished((0, 0), done())
    shown = capsys.readouterr().err
    for part in ("study, 2 workers", "slow", "fast", "1/2", "0/1"):
        assert part in shown
