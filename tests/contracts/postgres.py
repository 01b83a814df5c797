"""A throw-away PostgreSQL server on loopback, from the binaries that are installed."""

from __future__ import annotations

import os
import shutil
import socket
import subprocess
import tempfile
import time
from pathlib import Path
from typing import NoReturn

import pytest


def binary(name: str) -> str | None:
    """A program of PostgreSQL: on the PATH, or where Debian keeps them."""
    places = sorted(Path("/usr/lib/postgresql").glob(f"*/bin/{name}"), reverse=True)
    return shutil.which(name) or (str(places[0]) if places else None)


def needs_postgresql() -> None:
    if not (binary("initdb") and binary("postgres")):
        is_missing("PostgreSQL is not installed: scripts/system-packages installs it where it may")


def is_missing(message: str) -> NoReturn:
    """Skip with a line that says so; where everything must be there, fail."""
    if os.environ.get("CI") == "true":
        pytest.fail(message)
    pytest.skip(message)


class PostgresServer:
    """Started from nothing in a folder of its own; `restart` kills it first."""

    def __init__(self) -> None:
        self.folder = Path(tempfile.mkdtemp(prefix="bakeoff-pg-"))
        self.data = self.folder / "data"
        with socket.socket() as probe:
            probe.bind(("127.0.0.1", 0))
            self.port = probe.getsockname()[1]
        # It refuses to run as root, whose files it then may not read.
        self.user = ["setpriv", "--reuid=nobody", "--regid=nogroup", "--clear-groups"] if os.getuid() == 0 else []
        if self.user:
            shutil.chown(self.folder, "nobody", "nogroup")
        self._call("initdb", "-D", str(self.data), "-U", "bakeoff", "-A", "trust", "--no-sync", "-E", "UTF8")
        self.start()
        self.databases = 0

    def _call(self, name: str, *arguments: str) -> None:
        program = binary(name)
        assert program is not None
        done = subprocess.run(
            [*self.user, program, *arguments], capture_output=True, text=True, cwd=self.folder, timeout=120, check=False
        )
        assert done.returncode == 0, done.stdout + done.stderr

    def start(self) -> None:
        options = f"-p {self.port} -c listen_addresses=127.0.0.1 -k {self.folder} -c fsync=off"
        self._call("pg_ctl", "-D", str(self.data), "-w", "-l", str(self.folder / "log"), "-o", options, "start")

    def stop(self, mode: str = "immediate") -> None:
        self._call("pg_ctl", "-D", str(self.data), "-w", "-m", mode, "stop")

    def restart(self) -> None:
        self.stop()
        self.start()

    @property
    def pid(self) -> int:
        """Of the process that all others of the server come from."""
        return int((self.data / "postmaster.pid").read_text("utf-8").split()[0])

    def start_after_kill(self) -> None:
        """Its children end when they notice, and until then it does not start."""
        end = time.monotonic() + 120
        while True:
            try:
                return self.start()
            except AssertionError:
                if time.monotonic() > end:
                    raise
                time.sleep(0.2)

    def sql(self, statement: str, database: str = "postgres") -> list[tuple[object, ...]]:
        import psycopg

        with psycopg.connect(self.address(database), autocommit=True) as connection:
            cursor = connection.execute(statement)
            return cursor.fetchall() if cursor.description else []

    def new_database(self) -> str:
        """The address of an empty one."""
        self.databases += 1
        name = f"test{self.databases}"
        self.sql(f"CREATE DATABASE {name}")
        return self.address(name)

    def address(self, database: str) -> str:
        return f"postgresql://bakeoff@127.0.0.1:{self.port}/{database}"

    def end(self) -> None:
        try:
            self.stop()
        finally:
            shutil.rmtree(self.folder, ignore_errors=True)
