from __future__ import annotations

import signal
import threading
from collections.abc import Iterator
from types import FrameType

import pytest

from bakeoff.running.interrupts import held_back


@pytest.fixture
def noted() -> Iterator[list[int]]:
    """The signals that a handler of SIGTERM was given."""
    found: list[int] = []

    def handler(number: int, frame: FrameType | None) -> None:
        found.append(number)

    before = signal.signal(signal.SIGTERM, handler)
    yield found
    signal.signal(signal.SIGTERM, before)


def test_a_signal_is_delivered_once_and_at_the_end(noted: list[int]) -> None:
    with held_back():
        signal.raise_signal(signal.SIGTERM)
        signal.raise_signal(signal.SIGTERM)
        assert noted == []
    assert noted == [signal.SIGTERM]
    signal.raise_signal(signal.SIGTERM)
    assert noted == [signal.SIGTERM] * 2, "the handler is back in its place"


def test_an_error_inside_is_not_lost(noted: list[int]) -> None:
    @held_back()
    def work() -> None:
        signal.raise_signal(signal.SIGTERM)
        raise ValueError("inside")

    with pytest.raises(ValueError, match="inside"):
        work()
    assert noted == [signal.SIGTERM]


def test_ctrl_c_comes_after_what_it_would_have_cut_in_two() -> None:
    steps = []

    @held_back()
    def work() -> None:
        steps.append("begun")
        signal.raise_signal(signal.SIGINT)
        steps.append("finished")

    with pytest.raises(KeyboardInterrupt):
        work()
    assert steps == ["begun", "finished"]


def test_without_a_signal_nothing_happens() -> None:
    before = signal.getsignal(signal.SIGINT)
    with held_back():
        assert signal.getsignal(signal.SIGINT) is not before
    assert signal.getsignal(signal.SIGINT) is before


def test_another_thread_changes_no_handler() -> None:
    before = signal.getsignal(signal.SIGINT)
    found = []

    def work() -> None:
        with held_back():
            found.append(signal.getsignal(signal.SIGINT))

    thread = threading.Thread(target=work)
    thread.start()
    thread.join()
    assert found == [before]
