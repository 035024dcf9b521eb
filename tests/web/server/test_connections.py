"""Connections that bring nothing, or half a request, take nobody's place; and how many there may be."""

import asyncio
import logging
import resource
import socket
import sys
from contextlib import suppress
from http.client import HTTPConnection

import pytest

pytest.importorskip("httptools")
uvicorn = pytest.importorskip("uvicorn")

from cfr.cli.commands.serve import _config  # noqa: E402
from cfr.cli.main import main  # noqa: E402
from cfr.web.server import connections as module  # noqa: E402
from cfr.web.server.connections import (  # noqa: E402
    DOWNLOAD_SECONDS,
    REQUEST_SECONDS,
    Connections,
    OncePerMinute,
    room_for_connections,
)
from tests.web.server.test_server import Player, serve  # noqa: E402, F401

IDLE, HALF_SENT = 1_500, 2_100


class Open:
    """A connection that notes its end."""

    def __init__(self):
        self.transport, self.is_open, self.unread = self, True, 0

    def abort(self):
        self.is_open = False

    def get_write_buffer_size(self):
        return self.unread


class Clock:
    now = 0.0

    def __call__(self):
        return self.now


def test_who_still_reads_an_answer_has_longer():
    clock = Clock()
    found, slow, idle = Connections(4, clock=clock), Open(), Open()
    for connection, address in ((slow, "10.0.0.1"), (idle, "10.0.0.2")):
        assert found.enter(connection, address)
    slow.unread = 1_000
    clock.now = 1.1 * REQUEST_SECONDS
    found.close_late()
    assert (slow.is_open, idle.is_open) == (True, False)
    clock.now = 1.1 * DOWNLOAD_SECONDS
    found.close_late()
    assert not slow.is_open


def test_who_waits_longest_makes_room():
    found, each = Connections(8), [Open() for _ in range(10)]
    for number in range(8):
        assert found.enter(each[number], f"10.0.0.{number}")
    found.works(each[0])
    assert found.enter(each[8], "10.0.0.8")
    assert [one.is_open for one in each[:3]] == [True, False, True]
    found.waits(each[2])  # has asked just now
    assert found.enter(each[9], "10.0.0.9")
    assert [one.is_open for one in each[:4]] == [True, False, True, False]


def test_nobody_is_closed_in_the_middle_of_an_answer():
    found, each = Connections(8), [Open() for _ in range(9)]
    for number, one in enumerate(each[:8]):
        found.enter(one, f"10.0.0.{number}")
        found.works(one)
    assert not found.enter(each[8], "10.0.0.8")
    assert all(one.is_open for one in each)
    found.leave(each[0])
    assert found.enter(each[8], "10.0.0.8")


@pytest.mark.parametrize(("proxies", "open_"), [((), 2), (("10.0.0.1",), 7)])
def test_an_address_takes_its_own_places_only(proxies, open_):
    found, other, crowd = Connections(8, proxies), Open(), [Open() for _ in range(9)]
    found.enter(other, "10.0.0.2")
    found.waits(other)
    for one in crowd[:7]:
        assert found.enter(one, "10.0.0.1")
    assert other.is_open
    assert sum(one.is_open for one in crowd[:7]) == open_
    for one in crowd[7:]:
        assert found.enter(one, "10.0.0.1")
    assert sum(one.is_open for one in crowd) == (8 if proxies else 2)


def test_late_requests_are_closed():
    clock = Clock()
    found, idle, busy = Connections(8, clock=clock), Open(), Open()
    found.enter(idle, "10.0.0.1")
    found.enter(busy, "10.0.0.1")
    found.works(busy)
    clock.now = REQUEST_SECONDS
    found.close_late()
    assert idle.is_open
    clock.now += 1
    found.close_late()
    assert (idle.is_open, busy.is_open) == (False, True)


@pytest.mark.parametrize(
    ("soft", "hard", "raised", "most"),
    [(1024, 1 << 19, 6272, 2048), (1024, 1024, 1024, 448), (64, 64, 64, 4), (8192, 8192, 8192, 2048)],
)
def test_connections_stay_below_the_descriptors(soft, hard, raised, most, monkeypatch):
    limit = [soft, hard]
    monkeypatch.setattr(resource, "getrlimit", lambda _: tuple(limit))
    monkeypatch.setattr(resource, "setrlimit", lambda _, both: limit.__setitem__(slice(None), both))
    found, backlog = room_for_connections()
    assert limit == [raised, hard]
    assert found == most
    assert found + module._TAKEN * backlog <= max(raised - module._SPARE, 8)


def test_a_flood_is_one_line(caplog):
    clock = Clock()
    log, limit = logging.getLogger("test_a_flood"), OncePerMinute(clock)
    log.addFilter(limit)
    for _ in range(1_000):
        log.warning("Invalid HTTP request received.")
    log.warning("something else")
    clock.now = 61.0
    log.warning("Invalid HTTP request received.")
    assert caplog.messages == [
        "Invalid HTTP request received.",
        "something else",
        "Invalid HTTP request received. (999 more since the last line)",
    ]


@pytest.fixture
def descriptors():
    """Enough of them for both crowds."""
    before = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = IDLE + HALF_SENT + 500
    if before[1] != resource.RLIM_INFINITY and before[1] < wanted:
        pytest.skip(f"needs {wanted} descriptors")
    resource.setrlimit(resource.RLIMIT_NOFILE, (wanted, before[1]))
    yield before[1]
    resource.setrlimit(resource.RLIMIT_NOFILE, before)


def crowd(server, count, sent):
    """Connections from an address of its own, which bring so much and no more."""
    found = []
    for _ in range(count):
        one = socket.create_connection(("127.0.0.1", server.port), timeout=60, source_address=("127.0.0.2", 0))
        with suppress(OSError):  # closed already, to make room
            one.sendall(sent)
        found.append(one)
    return found


def seconds_among_crowds(serve):  # noqa: F811
    """What a seated visitor waited for each answer; a new one gets in, too."""
    server = serve("uniform")
    seated = Player(server.port)
    seated.play(1)
    seated.seconds.clear()
    crowds = []
    for sent in (
        b"",
        b"GET /api/game HTTP/1.1\r\nhost: 127",
        b"POST /api/table/deal HTTP/1.1\r\ncontent-length: 9\r\n\r\n{",
    ):
        count = IDLE if not sent else HALF_SENT // 2
        crowds += crowd(server, count, sent)
        seated.connection.close()  # as a browser, that opens another one where the old one was closed
        seated.play(1)
        Player(server.port, 1).play(1)
    for each in crowds:
        each.close()
    code, out, err = server.stop(2)
    assert (code, out) == (0, "")
    assert "Traceback" not in err
    assert len(err.splitlines()) <= 3, err
    return seated.seconds


@pytest.mark.thorough
@pytest.mark.usefixtures("descriptors")
@pytest.mark.skipif(sys.platform != "linux", reason="this machine has one address only")
def test_idle_and_half_sent_connections_take_no_places(serve):  # noqa: F811
    assert seconds_among_crowds(serve)


@pytest.mark.slow
@pytest.mark.usefixtures("descriptors")
def test_a_seated_visitor_among_crowds_waits_less_than_300_ms(serve):  # noqa: F811
    assert max(seconds_among_crowds(serve)) < 0.3


def asked(server, visitor, **headers):
    """Status and headers of a deal that a proxy passes on."""
    connection = HTTPConnection("127.0.0.1", server.port, timeout=60)
    headers = {name.replace("_", "-"): value for name, value in headers.items()} | {
        "content-type": "application/json",
        "x-forwarded-for": f"203.0.113.9, {visitor}",  # what comes first, the visitor may have made up
        "x-forwarded-proto": "https",
    }
    connection.request("POST", "/api/table/deal", '{"seat": "bb"}', headers)
    answer = connection.getresponse()
    answer.read()
    connection.close()
    return answer.status, answer.getheader("set-cookie") or ""


def test_behind_a_proxy(serve):  # noqa: F811
    server = serve("uniform", "--public-origin", "https://poker.example", "--trusted-proxy", "127.0.0.1")
    status, cookie = asked(server, "198.51.100.1", origin="https://poker.example")
    assert status == 200
    assert "secure" in cookie.lower()
    assert asked(server, "198.51.100.1", host="poker.example", origin="https://poker.example")[0] == 200
    assert asked(server, "198.51.100.1", host="poker.example", origin="https://evil.example")[0] == 403
    assert asked(server, "198.51.100.1", host="evil.example")[0] == 421


def test_rates_are_by_visitor():
    """The visitor that the proxy names; without a trusted proxy, whoever connects."""
    asked = []

    async def app(scope, receive, send):
        asked.append((scope["client"][0], scope["scheme"]))

    headers = [(b"x-forwarded-for", b"203.0.113.9, 198.51.100.1"), (b"x-forwarded-proto", b"https")]
    for proxies in (["127.0.0.1"], []):
        for proxy in ("127.0.0.1", "192.0.2.5"):
            config = _config(app, Connections(10, proxies), 10, proxies)
            config.load()
            scope = {"type": "http", "scheme": "http", "client": (proxy, 1), "headers": headers}
            asyncio.run(config.loaded_app(scope, None, None))
    plain = [("127.0.0.1", "http"), ("192.0.2.5", "http")]
    assert asked == [("198.51.100.1", "https"), plain[1], *plain]


def test_players_are_kept_as_long_and_as_many_as_asked_for(serve):  # noqa: F811
    server = serve("uniform", "--max-sessions", "1", "--idle-days", "2")
    first, second = (Player(server.port, seed) for seed in (1, 2))
    first.play(1)
    with pytest.raises(AssertionError, match="all 1 places are taken"):
        second.play(1)
    assert "max-age=172800" in asked(server, "198.51.100.1", cookie=first.cookie)[1].lower()
    for each in (first, second):
        each.connection.close()


@pytest.mark.parametrize("flags", [["--public-origin", "poker.example"], ["--trusted-proxy", "proxy"]])
def test_bad_addresses_are_one_line(flags, capsys):
    with pytest.raises(SystemExit, match="2"):
        main(["serve", *flags])
    assert capsys.readouterr().err.count("\n") == 1
