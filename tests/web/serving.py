"""The page as users have it: a server at a port of its own, and a client that talks to it."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx
import uvicorn
from proofs import PATIENCE, until

from bakeoff.web.app import listen, make_app
from bakeoff.web.safety import TOKEN_HEADER, Rules
from bakeoff.web.workspace import Workspace

ROOT = Path(__file__).parents[2]
DATA = ROOT / "src" / "bakeoff" / "data"
KEPT = ROOT / "tests" / "kept" / "0.1.0"
SCORES = "dietterich2000.csv"


@dataclass
class Served:
    """A client, and what it talks to."""

    client: httpx.Client
    space: Workspace
    rules: Rules
    address: str

    def get(self, address: str, **options: Any) -> Any:
        return self.client.get(address, **options)

    def drop(self, *files: tuple[str, bytes]) -> Any:
        given = [("files", (name, data)) for name, data in files]
        return self.client.post("/api/v1/uploads", files=given, headers={TOKEN_HEADER: self.rules.form})

    def dropped(self, name: str, data: bytes) -> str:
        """The word for a file that was dropped."""
        answer = self.drop((name, data))
        assert answer.status_code == 200, answer.text
        return str(answer.json()["of"])


@contextmanager
def serving(space: Workspace, rules: Rules) -> Iterator[Served]:
    """The server, as long as the block lasts."""
    opened = listen("127.0.0.1", 0)
    address = f"http://127.0.0.1:{opened.getsockname()[1]}"
    config = uvicorn.Config(
        make_app(space, rules), log_level="critical", access_log=False, ws="none", timeout_graceful_shutdown=1
    )
    server = uvicorn.Server(config)
    thread = threading.Thread(target=server.run, kwargs={"sockets": [opened]}, daemon=True)
    thread.start()
    until(lambda: server.started, "the server to listen")
    try:
        with httpx.Client(base_url=address, timeout=PATIENCE, trust_env=False, verify=False) as client:
            yield Served(client, space, rules, address)
    finally:
        server.should_exit = True
        thread.join(PATIENCE)
        opened.close()
        space.close()
