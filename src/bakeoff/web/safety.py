"""Safety: who may ask, from where, and how much; and what a browser may do with the answer.

A page on this machine can be reached by every other page that the user has open. So the name that the browser asked
for is checked (a foreign name that was rebound to this machine is refused), what changes something needs a token that
only our own pages know and must come from them, bodies are limited, and answers forbid all scripts but ours.
"""

from __future__ import annotations

import hmac
import html
import ipaddress
import secrets
from asyncio import wait_for
from dataclasses import dataclass, field
from http import HTTPStatus
from urllib.parse import parse_qsl, urlencode

from starlette.datastructures import Headers, MutableHeaders
from starlette.exceptions import HTTPException
from starlette.responses import HTMLResponse, JSONResponse, RedirectResponse, Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

FORM_TOKEN = "form"  # in the address of forms
ACCESS_TOKEN = "token"  # in the address that is opened first, if the server can be reached from elsewhere
TOKEN_HEADER = "x-bakeoff-token"
COOKIE = "bakeoff-access"
MEGABYTE = 1 << 20
SILENCE = 60.0  # seconds without a byte after which what is sent is given up
_READING = frozenset({"GET", "HEAD"})
_LOCAL = frozenset({"localhost", "127.0.0.1", "::1"})

POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; form-action 'self'; "
    "base-uri 'none'; frame-ancestors 'none'"
)
# Of a figure or file by itself: it may have styles of its own, and can do nothing.
FILE_POLICY = "default-src 'none'; style-src 'unsafe-inline'; img-src data:; sandbox; frame-ancestors 'none'"
_HEADERS = {
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    "Referrer-Policy": "same-origin",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Permissions-Policy": "camera=(), geolocation=(), microphone=()",
}


def is_loopback(address: str) -> bool:
    """Whether an address can be reached from this machine only.

    >>> is_loopback("127.0.0.1"), is_loopback("localhost"), is_loopback("0.0.0.0")
    (True, True, False)
    """
    try:
        return ipaddress.ip_address(address.strip("[]")).is_loopback
    except ValueError:
        return address.lower() == "localhost"


@dataclass(frozen=True)
class Rules:
    """Who may ask. `access` is the token that everybody needs, if the server listens to more than this machine;
    `names` are further names by which it may be called; `most_bytes` is the largest body."""

    access: str | None = None
    names: frozenset[str] = frozenset()
    most_bytes: int = 64 * MEGABYTE
    form: str = field(default_factory=lambda: secrets.token_urlsafe(24))

    def refusal(self, method: str, headers: Headers, query: dict[str, str]) -> tuple[int, str] | None:
        """The status and the sentence with which a request is refused; None if it is welcome."""
        if not self._is_ours(headers.get("host", "")):
            return HTTPStatus.MISDIRECTED_REQUEST, (
                "This server answers to the address that it printed when it was started, and to no other name."
            )
        if self.access is not None and not _same(self._access_of(headers), self.access):
            return HTTPStatus.UNAUTHORIZED, (
                "This server needs a token: open the whole address that it printed when it was started."
            )
        site = headers.get("sec-fetch-site", "")
        if method in _READING:
            foreign = site in ("cross-site", "same-site") and headers.get("sec-fetch-mode") != "navigate"
            return (HTTPStatus.FORBIDDEN, "Other pages may not read from this one.") if foreign else None
        if not self._is_from_here(headers, site):
            return HTTPStatus.FORBIDDEN, "What changes something must come from this server's own pages."
        if not _same(headers.get(TOKEN_HEADER) or query.get(FORM_TOKEN, ""), self.form):
            return HTTPStatus.FORBIDDEN, (
                "The token of the page is missing or old: the server was started anew. Load the page again."
            )
        length = headers.get("content-length", "0")
        if not length.isdigit() or int(length) > self.most_bytes:
            return HTTPStatus.REQUEST_ENTITY_TOO_LARGE, self.too_large
        return None

    @property
    def too_large(self) -> str:
        return (
            f"At most {self.most_bytes // MEGABYTE} MB can be dropped at once. `bakeoff serve --most-megabytes N` "
            "allows more, and files in the folder that is served need not be dropped."
        )

    def _is_ours(self, host: str) -> bool:
        """Whether the name that was asked for is ours. An address of digits cannot be rebound, a name can."""
        name, colon, port = host.rpartition(":") if not host.endswith("]") else (host, "", "")
        if colon and not port.isdecimal():
            return False
        name = (name if colon else host).strip("[]").lower()
        if name in _LOCAL or name in self.names:
            return True
        if self.access is None:
            return False
        try:
            ipaddress.ip_address(name)
        except ValueError:
            return False
        return True

    def _is_from_here(self, headers: Headers, site: str) -> bool:
        origin = headers.get("origin")
        if origin is not None:
            return origin in (f"http://{headers.get('host')}", f"https://{headers.get('host')}")
        return site in ("", "same-origin")

    def _access_of(self, headers: Headers) -> str:
        kind, _, token = headers.get("authorization", "").partition(" ")
        if kind.lower() == "bearer":
            return token
        parts = (part.strip().partition("=") for part in headers.get("cookie", "").split(";"))
        return next((value for name, _, value in parts if name == COOKIE), "")


# Whoever is refused gets no style sheet either: a page that stands by itself.
_PAGE = """<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark"><title>Not possible · bakeoff</title></head>
<body><h1>That is not possible</h1><p>{sentence}</p></body></html>
"""


def _same(given: str, wanted: str) -> bool:
    return hmac.compare_digest(given.encode(), wanted.encode())


class Guard:
    """Holds every request against the rules before the application sees it, and puts the headers on every answer."""

    def __init__(self, app: ASGIApp, rules: Rules) -> None:
        self.app, self.rules = app, rules

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            if scope["type"] == "lifespan":
                await self.app(scope, receive, send)
            return
        headers = Headers(scope=scope)
        pairs = parse_qsl(scope["query_string"].decode("latin-1"), keep_blank_values=True)
        answer = self._entry(scope, headers, dict(pairs)) or self._refused(scope, headers, dict(pairs))
        if answer is not None:
            await answer(scope, receive, _with_headers(send))
            return
        reading = scope["method"] in _READING
        await self.app(scope, receive if reading else self._limited(receive), _with_headers(send))

    def _refused(self, scope: Scope, headers: Headers, query: dict[str, str]) -> Response | None:
        refusal = self.rules.refusal(scope["method"], headers, query)
        if refusal is None:
            return None
        status, sentence = refusal
        if scope["path"].startswith("/api/"):
            return JSONResponse({"error": sentence}, status)
        return HTMLResponse(_PAGE.format(sentence=html.escape(sentence)), status)

    def _entry(self, scope: Scope, headers: Headers, query: dict[str, str]) -> Response | None:
        """The token in an address becomes a cookie, and leaves the address."""
        token = query.pop(ACCESS_TOKEN, None)
        rules = self.rules
        if rules.access is None or token is None or not rules._is_ours(headers.get("host", "")):
            return None
        if not _same(token, rules.access) or scope["method"] not in _READING:
            return None
        path = "/" + scope["path"].lstrip("/")
        answer = RedirectResponse(path + (f"?{urlencode(query)}" if query else ""), status_code=HTTPStatus.SEE_OTHER)
        answer.set_cookie(COOKIE, rules.access, httponly=True, samesite="strict", path="/")
        return answer

    def _limited(self, receive: Receive) -> Receive:
        """The body, as long as it is not longer than it may be, whatever its header said."""
        received = 0

        async def limited() -> Message:
            nonlocal received
            try:
                message = await wait_for(receive(), SILENCE)
            except TimeoutError:
                raise HTTPException(HTTPStatus.REQUEST_TIMEOUT, "Nothing more came for a long time.") from None
            received += len(message.get("body", b""))
            if received > self.rules.most_bytes:
                raise HTTPException(HTTPStatus.REQUEST_ENTITY_TOO_LARGE, self.rules.too_large)
            return message

        return limited


def _with_headers(send: Send) -> Send:
    async def sending(message: Message) -> None:
        if message["type"] == "http.response.start":
            headers = MutableHeaders(scope=message)
            for name, value in _HEADERS.items():
                headers[name] = value
            headers.setdefault("Content-Security-Policy", POLICY)
            headers.setdefault("Cache-Control", "no-store")
        await send(message)

    return sending
