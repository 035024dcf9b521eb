"""The check that every request passes: host, origin and rate; and the headers of every response."""

from __future__ import annotations

import ipaddress
import json
import time
from collections.abc import Awaitable, Callable, Collection, MutableMapping
from functools import lru_cache
from typing import Any
from urllib.parse import urlsplit

Message = MutableMapping[str, Any]
App = Callable[[Message, Callable[[], Awaitable[Message]], Callable[[Message], Awaitable[None]]], Awaitable[None]]

_POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; "
    "base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
)
HEADERS = {
    "content-security-policy": _POLICY,
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
    "permissions-policy": "camera=(), geolocation=(), microphone=(), payment=(), usb=()",
    "referrer-policy": "no-referrer",
    "x-content-type-options": "nosniff",
    "x-frame-options": "DENY",
}
_ADDED = [(name.encode(), value.encode()) for name, value in {"cache-control": "no-cache", **HEADERS}.items()]
_SAFE_METHODS = ("GET", "HEAD")
_CACHED_HOSTS = 256


class Guard:
    """ASGI middleware that refuses foreign hosts and origins, and sets the security headers.

    Without the check of ``Host`` a foreign page could make its own name point here and read what only this machine
    may (DNS rebinding); without that of ``Origin`` it could act in a player's name.

    Args:
        app: what is guarded.
        hosts: names under which the page is served, without ports; None for any.
        origin: scheme, host and port under which a proxy publishes the page; its scheme is then that of every request.
    """

    def __init__(self, app: App, hosts: Collection[str] | None, origin: str | None = None) -> None:
        self._app = app
        self._origin = origin
        self._hosts = None if hosts is None else {host.lower() for host in hosts}

    async def __call__(
        self, scope: Message, receive: Callable[[], Awaitable[Message]], send: Callable[[Message], Awaitable[None]]
    ) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return

        if self._origin is not None:
            scope = {**scope, "scheme": urlsplit(self._origin).scheme}

        async def guarded(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = list(message["headers"])
                set_already = {name for name, _ in headers}
                headers += [added for added in _ADDED if added[0] not in set_already]
                message = {**message, "headers": headers}
            await send(message)

        status, reason = self._refusal(scope)
        if not reason:
            if any(name == b"range" for name, _ in scope["headers"]):
                # All files are small: who asks for a part gets the whole, as HTTP allows, and no refusal but in JSON.
                scope = {**scope, "headers": [each for each in scope["headers"] if each[0] != b"range"]}
            await self._app(scope, receive, guarded)
            return
        body = json.dumps({"error": reason}).encode()
        headers = [(b"content-type", b"application/json"), (b"content-length", str(len(body)).encode())]
        await guarded({"type": "http.response.start", "status": status, "headers": headers})
        await guarded({"type": "http.response.body", "body": body})

    def _refusal(self, scope: Message) -> tuple[int, str]:
        """Status and reason; no reason if all is well."""
        headers = dict(scope["headers"])
        host = headers.get(b"host", b"").decode("latin-1")
        if self._hosts is not None and _name(host) not in self._hosts:
            return 421, "this server is not known by that name; use the address that it printed"
        origin = headers.get(b"origin")
        if (
            scope["method"] not in _SAFE_METHODS
            and origin is not None
            and not self._is_own(origin.decode("latin-1"), host)
        ):
            return 403, "another site may not act here"
        return 200, ""

    def _is_own(self, origin: str, host: str) -> bool:
        """Whether a page of this origin may act here."""
        return origin == self._origin or _place(origin) == host


@lru_cache(_CACHED_HOSTS)
def _name(host: str) -> str:
    """The host without its port, lower case; an IPv6 address without its brackets."""
    try:
        return urlsplit(f"//{host}").hostname or ""
    except ValueError:
        return ""


@lru_cache(_CACHED_HOSTS)
def _place(origin: str) -> str:
    """Host and port of an origin; empty where it has none."""
    try:
        return urlsplit(origin).netloc
    except ValueError:
        return ""


def is_loopback(host: str) -> bool:
    """Whether nobody else can reach a server at this address or name."""
    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


class Buckets:
    """Token buckets: each key may ask ``rate`` times a second, and ``burst`` times at once after a rest.

    The ``size`` keys that asked last are remembered.
    """

    def __init__(
        self, rate: float, burst: float, size: int = 4096, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self._rate, self._burst, self._size, self._clock = rate, burst, size, clock
        self._left: dict[object, tuple[float, float]] = {}  # tokens and when, the latest asked last

    def wait(self, key: object) -> float:
        """0 where the key may ask now, which is counted; else the seconds until it may."""
        now = self._clock()
        left, asked = self._left.pop(key, (self._burst, now))
        left = min(self._burst, left + (now - asked) * self._rate)
        allowed = left >= 1
        self._left[key] = (left - allowed, now)
        if len(self._left) > self._size:
            del self._left[next(iter(self._left))]
        return 0.0 if allowed else (1 - left) / self._rate
