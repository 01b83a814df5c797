from __future__ import annotations

import os
from collections.abc import Iterator

import pytest
from chromium import Chromium, chromium


@pytest.fixture(scope="module")  # even a browser without a page has something to do all the time
def chromium_program() -> Iterator[Chromium]:
    if chromium() is None:
        if os.environ.get("CI") == "true":
            pytest.fail("There is no Chromium: scripts/system-packages installs it.")
        pytest.skip("There is no Chromium, so that no page is opened: scripts/system-packages installs it.")
    with Chromium() as started:
        yield started


@pytest.fixture
def browser(chromium_program: Chromium) -> Iterator[Chromium]:
    yield chromium_program
    chromium_program.close_tabs()
