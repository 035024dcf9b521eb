"""``cfr serve``, killed at five random moments of a visitor's game: the same hands and the same result."""

import random
import time
from contextlib import suppress
from http.client import HTTPException
from threading import Timer

import pytest

pytest.importorskip("starlette")
pytest.importorskip("uvicorn")

from tests.web.server.test_server import Player, Server

KILLS, HANDS = 5, 100
PAUSE = 0.021  # seconds; a session may ask 50 times a second


class Visitor(Player):
    """Plays the same hands in the same way, whatever happens to the server between two answers."""

    def go_on(self, hands):
        """Play until so many hands are over."""
        hand = self.ask("/api/table")["hand"]
        while hand is None or not hand["over"] or hand["number"] < hands:
            time.sleep(PAUSE)
            if hand is None or hand["over"]:
                hand = self.ask("/api/table/deal", {"seat": "alternate"})["hand"]
            else:
                self.rng.seed(f"{hand['number']} {hand['line']}")
                hand = self.act(hand)["hand"]

    def result(self):
        """The result, and the latest hands as the page shows them, without what is still worked out: their luck."""
        hands = self.ask("/api/hands")["hands"]
        return self.ask("/api/table")["result"]["chips"], [hand | {"luck_adjusted": None} for hand in hands]


def played(folder, kills):
    """The result of all hands on a server that is killed so many times, a moment after each start."""
    folder.mkdir()
    rng, cookie = random.Random(4), ""
    for left in reversed(range(kills + 1)):
        server = Server(folder, "uniform", "--seed", "7")
        visitor = Visitor(server.port, cookie=cookie)
        kill = Timer(rng.uniform(0.1, 0.5), server.process.kill)
        try:
            if not left:
                visitor.go_on(HANDS)
                return visitor.result()
            kill.start()
            with suppress(HTTPException, OSError):
                visitor.go_on(HANDS)
                pytest.fail("all hands were over before the kill")
        finally:
            kill.cancel()
            server.process.kill()
            server.process.communicate()
            visitor.connection.close()
            cookie = visitor.cookie
    raise AssertionError


@pytest.mark.slow
def test_killed_five_times_the_hands_are_the_same(tmp_path):
    expected = played(tmp_path / "whole", 0)
    chips, hands = played(tmp_path / "killed", KILLS)
    assert len(hands) > 1
    assert (chips, hands) == expected
