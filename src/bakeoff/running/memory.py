"""Peak memory of one cell in a process that runs many, read from the kernel: nothing polls.

Linux keeps the largest resident size of a process and lets the process reset it. Elsewhere the largest size can only
grow, so that a cell after a larger one shows nothing of its own; then nothing is reported rather than too much.
"""

from __future__ import annotations

import os
from math import nan

_RESET = b"5"  # of /proc/self/clear_refs: reset the peak resident set size
_PEAK = b"VmHWM:"


class PeakMemory:
    """Start before, read after: bytes above what was resident before."""

    def __init__(self) -> None:
        self._before, self._known = 0, True
        try:
            self._reset = os.open("/proc/self/clear_refs", os.O_WRONLY)
            self._status = os.open("/proc/self/status", os.O_RDONLY)
            self.start()
        except (OSError, ValueError):
            self._known = False

    def start(self) -> None:
        if self._known:
            os.write(self._reset, _RESET)
            self._before = self._largest()

    def read(self) -> float:
        """Bytes by which this process grew at most since `start`; NaN where the system does not tell."""
        return float(max(0, self._largest() - self._before)) if self._known else nan

    def _largest(self) -> int:
        # Not getrusage: what it tells of a process that was started by a larger one is the larger one's size.
        status = os.pread(self._status, 4096, 0)
        start = status.index(_PEAK) + len(_PEAK)
        return int(status[start : status.index(b"kB", start)]) * 1024
