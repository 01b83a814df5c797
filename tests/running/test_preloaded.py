from __future__ import annotations

import subprocess
import sys


def test_what_most_cells_need_is_there_before_the_first_worker() -> None:
    code = "import bakeoff.running.preloaded, sys; print('sklearn.pipeline' in sys.modules, 'pandas' in sys.modules)"
    out = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout
    assert out.split() == ["True", "True"]
