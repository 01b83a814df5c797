"""A real Chromium without a window, driven through a pipe by the protocol of its developer tools.

with Chromium() as browser:
    page = browser.open(path)       a file, opened as a user would
    page.errors, page.requests      what its console complained of; every address that it asked for
    page.run("document.title")      JavaScript, its value as Python's
    page.tree()                     what a screen reader is told: (role, name, description)
    page.picture(path, width=360, dark=True)
"""

from __future__ import annotations

import base64
import json
import os
import shutil
import subprocess
import sys
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from tempfile import TemporaryDirectory
from time import monotonic
from typing import Any, Self

SECONDS = 120  # for what takes one: machines are busy
# The protocol is spoken on descriptors 3 and 4: a small program puts ours there and becomes the browser.
LAUNCH = """
import fcntl, os, sys
ends = [fcntl.fcntl(int(number), fcntl.F_DUPFD, 10) for number in sys.argv[1:3]]
os.dup2(ends[0], 3), os.dup2(ends[1], 4)
os.execv(sys.argv[3], sys.argv[3:])
"""


def chromium() -> str | None:
    """The program, if this machine has one."""
    return next(
        (found for name in ("chromium", "chromium-browser", "google-chrome") if (found := shutil.which(name))), None
    )


class Chromium:
    """The browser: one process, which ends with the block."""

    def __init__(self) -> None:
        program = chromium()
        assert program is not None
        self._folder = TemporaryDirectory(prefix="chromium", ignore_cleanup_errors=True)
        theirs_in, self._out = os.pipe()
        self._in, theirs_out = os.pipe()

        flags = ("--headless=new", "--no-sandbox", "--disable-gpu", "--hide-scrollbars", "--remote-debugging-pipe")
        quiet = ("--disable-background-networking", "--disable-component-update", "--no-first-run", "--disable-sync")
        options = (*flags, *quiet, f"--user-data-dir={self._folder.name}", "about:blank")
        self._process = subprocess.Popen(
            [sys.executable, "-c", LAUNCH, str(theirs_in), str(theirs_out), program, *options],
            pass_fds=(theirs_in, theirs_out),
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        os.close(theirs_in)
        os.close(theirs_out)
        self._number, self._rest = 0, b""
        self.events: list[dict[str, Any]] = []
        self._targets: list[str] = []

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._process.kill()
        self._process.wait()
        os.close(self._in)
        os.close(self._out)
        self._folder.cleanup()

    def ask(self, method: str, session: str | None = None, **parameters: Any) -> Any:
        """One call of the protocol, and its answer."""
        self._number += 1
        call: dict[str, Any] = {"id": self._number, "method": method, "params": parameters}
        os.write(self._out, json.dumps(call | ({"sessionId": session} if session else {})).encode() + b"\0")
        while (message := self._read()).get("id") != self._number:
            self.events.append(message)
        assert "error" not in message, f"{method}: {message['error']}"
        return message["result"]

    def wait_for(self, event: str, session: str) -> dict[str, Any]:
        """What the browser tells of the event."""
        end = monotonic() + SECONDS
        while True:
            for each in self.events:
                if each.get("method") == event and each.get("sessionId") == session:
                    return each
            assert monotonic() < end, f"no {event}"
            self.events.append(self._read())

    def _read(self) -> dict[str, Any]:
        while b"\0" not in self._rest:
            part = os.read(self._in, 1 << 20)
            assert part, "Chromium is gone"
            self._rest += part
        message, _, self._rest = self._rest.partition(b"\0")
        read: dict[str, Any] = json.loads(message)
        return read

    def open(self, path: Path | str, *, width: int = 1280, dark: bool = False, context: str | None = None) -> Tab:
        """A file, or an address, in a tab of its own, loaded; in a context, which shares nothing with others."""
        apart = {} if context is None else {"browserContextId": context}
        target = self.ask("Target.createTarget", url="about:blank", **apart)["targetId"]
        self._targets.append(target)
        session = self.ask("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        for domain in ("Page", "Network", "Runtime", "Log", "Accessibility"):
            self.ask(f"{domain}.enable", session)
        tab = Tab(self, session)
        tab.size(width, dark)
        self.ask("Page.navigate", session, url=path if isinstance(path, str) else path.resolve().as_uri())
        self.wait_for("Page.loadEventFired", session)
        return tab

    def close_tabs(self) -> None:
        """All of them: a page that watches a run asks for news as long as it is open."""
        while self._targets:
            self.ask("Target.closeTarget", targetId=self._targets.pop())
        self.events.clear()


@dataclass
class Tab:
    """A page in the browser."""

    browser: Chromium
    session: str
    wide: int = field(default=1280)

    def size(self, width: int, dark: bool = False, height: int = 900) -> None:
        self.wide = width
        self.browser.ask(
            "Emulation.setDeviceMetricsOverride",
            self.session,
            width=width,
            height=height,
            deviceScaleFactor=1,
            mobile=width < 600,
        )
        wish = {"name": "prefers-color-scheme", "value": "dark" if dark else "light"}
        self.browser.ask("Emulation.setEmulatedMedia", self.session, features=[wish])

    def _told(self, *methods: str) -> list[Mapping[str, Any]]:
        self.run("0")  # whatever was under way has been told after this
        return [
            event["params"]
            for event in self.browser.events
            if event.get("sessionId") == self.session and event.get("method") in methods
        ]

    @property
    def errors(self) -> list[str]:
        """What the console complained of."""
        thrown = [str(each["exceptionDetails"]) for each in self._told("Runtime.exceptionThrown")]
        logged = [each["entry"]["text"] for each in self._told("Log.entryAdded") if each["entry"]["level"] == "error"]
        said = [
            str(each["args"]) for each in self._told("Runtime.consoleAPICalled") if each["type"] in ("error", "warning")
        ]
        return thrown + logged + said

    @property
    def requests(self) -> list[str]:
        """Every address that was asked for, but for what lies in the page itself."""
        asked = [each["request"]["url"] for each in self._told("Network.requestWillBeSent")]
        return [address for address in asked if not address.startswith("data:")]

    def run(self, script: str) -> Any:
        """The value of an expression of JavaScript."""
        answer = self.browser.ask(
            "Runtime.evaluate", self.session, expression=script, returnByValue=True, awaitPromise=True
        )
        assert "exceptionDetails" not in answer, answer["exceptionDetails"]
        return answer["result"].get("value")

    def press(self, key: str, code: int) -> None:
        text = {"Enter": "\r", " ": " "}.get(key, key if len(key) == 1 else "")
        for kind in ("keyDown", "keyUp"):
            self.browser.ask(
                "Input.dispatchKeyEvent", self.session, type=kind, key=key, windowsVirtualKeyCode=code, text=text
            )

    def tree(self) -> list[tuple[str, str, str]]:
        """(role, name, description) of all that a screen reader is told."""
        nodes = self.browser.ask("Accessibility.getFullAXTree", self.session)["nodes"]
        return [
            tuple(str(node.get(part, {}).get("value", "")) for part in ("role", "name", "description"))  # type: ignore[misc]
            for node in nodes
            if not node.get("ignored")
        ]

    def picture(self, path: Path, *, whole: bool = True) -> Path:
        """A picture of the page."""
        shot = self.browser.ask(
            "Page.captureScreenshot", self.session, captureBeyondViewport=whole, **self._clip(whole)
        )
        path.write_bytes(base64.b64decode(shot["data"]))
        return path

    def _clip(self, whole: bool) -> dict[str, Any]:
        if not whole:
            return {}
        size = self.browser.ask("Page.getLayoutMetrics", self.session)["cssContentSize"]
        return {"clip": {"x": 0, "y": 0, "width": self.wide, "height": min(size["height"], 16000), "scale": 1}}

    def printed(self, path: Path) -> Path:
        """The page as it would be printed, as PDF."""
        made = self.browser.ask("Page.printToPDF", self.session, printBackground=False, preferCSSPageSize=True)
        path.write_bytes(base64.b64decode(made["data"]))
        return path
