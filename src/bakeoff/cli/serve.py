"""`bakeoff serve`: the page, on this machine."""

from __future__ import annotations

import argparse
import os
import secrets
import sys
from collections.abc import Sequence

from bakeoff.errors import UsageError


def run_serve(arguments: argparse.Namespace, rest: Sequence[str]) -> None:
    try:
        from bakeoff.web.app import listen, make_app, serve
        from bakeoff.web.safety import ACCESS_TOKEN, MEGABYTE, Rules, is_loopback
        from bakeoff.web.workspace import Workspace
    except ModuleNotFoundError as error:
        if str(error.name).startswith("bakeoff"):
            raise
        raise UsageError(
            f"The page needs packages that are not installed ({error.name}): pip install 'bakeoff[web]'"
        ) from None
    host, access = arguments.host, None
    if not is_loopback(host):
        access = os.environ.get("BAKEOFF_TOKEN") or secrets.token_urlsafe(24)
    if not 1 <= arguments.most_megabytes <= 4096:
        raise UsageError(f"Between 1 and 4096 MB can be dropped at once; found {arguments.most_megabytes}.")
    names = frozenset(name.lower() for name in arguments.name or ())
    rules = Rules(access=access, names=names, most_bytes=arguments.most_megabytes * MEGABYTE)
    place = arguments.place if arguments.place is not None or arguments.study else "."
    space = Workspace(place, studies=arguments.study or (), most_bytes=rules.most_bytes, workers=arguments.jobs)
    try:
        opened = listen(host, arguments.port)
        address = _address(host, opened.getsockname()[1], f"/?{ACCESS_TOKEN}={access}" if access else "/")
        print(f"The page is at {address}\nStop it with Ctrl-C.", flush=True)
        if access:
            print(
                "It can be reached from other machines, by whoever has this address, and is not encrypted.",
                file=sys.stderr,
                flush=True,
            )
        if arguments.open:
            import webbrowser

            webbrowser.open(address)
        serve(make_app(space, rules), opened)
    finally:
        space.close()


def _address(host: str, port: int, path: str) -> str:
    """The address to open.

    >>> _address("127.0.0.1", 8351, "/"), _address("::1", 8351, "/")
    ('http://127.0.0.1:8351/', 'http://[::1]:8351/')
    """
    return f"http://[{host}]:{port}{path}" if ":" in host else f"http://{host}:{port}{path}"
