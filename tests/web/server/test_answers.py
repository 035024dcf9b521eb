"""Answers that take longer than a request: what is looked at goes first, and what nobody waits for is given up."""

import asyncio
import threading

import pytest

from cfr.web.server import answers
from cfr.web.server.answers import Answers


@pytest.fixture
def patience(monkeypatch):
    """A request waits as long as the test does; nobody who stays is taken for gone."""
    monkeypatch.setattr(answers, "_PATIENCE", 60.0)
    monkeypatch.setattr(answers, "_LOOK_EVERY", 0.01)
    monkeypatch.setattr(answers, "_ASKS_AGAIN", 0.0)


class Work:
    """Work of a question that ends when it is told to, or that is given up."""

    def __init__(self, order):
        self.order, self.begun, self.go, self.ended = order, threading.Event(), threading.Event(), None

    def __call__(self, hears):
        self.order.append(self)
        self.begun.set()
        try:
            while not self.go.wait(0.001):
                hears(0.25)
        except Exception as error:
            self.ended = error
            raise
        return "answer"


async def begun(work):
    assert await asyncio.to_thread(work.begun.wait, 60)


def test_what_nobody_waits_for_is_given_up_for_what_is_looked_at(patience):
    order = []
    flop, turn = Work(order), Work(order)
    left = False

    async def gone():
        return left

    async def visit():
        nonlocal left
        kept = Answers[str, str]("test", 4, 4)
        first = asyncio.create_task(kept.find("flop", flop, gone))
        await begun(flop)
        left = True
        assert await first is None
        second = asyncio.create_task(kept.find("turn", turn))
        await begun(turn)  # although the flop never ends
        assert isinstance(flop.ended, answers._LeftError)
        assert kept.done("turn") in (0.0, 0.25)
        turn.go.set()
        assert await second == "answer"
        flop.go.set()
        assert await kept.find("flop", flop) == "answer"
        kept.close()

    asyncio.run(visit())
    assert order == [flop, turn, flop]


def test_what_nobody_waits_for_goes_on_where_nobody_waits_for_anything(patience):
    work = Work([])

    async def visit():
        kept = Answers[str, str]("test", 4, 4)
        kept.begin("ahead", work)
        await begun(work)
        work.go.set()
        assert await kept.find("ahead", work) == "answer"
        kept.close()

    asyncio.run(visit())
    assert len(work.order) == 1


def test_what_is_looked_at_goes_first(patience):
    order = []
    held, ahead, seen = Work(order), Work(order), Work(order)

    async def visit():
        kept = Answers[str, str]("test", 4, 4)
        first = asyncio.create_task(kept.find("held", held))
        await begun(held)
        kept.begin("ahead", ahead)
        looking = asyncio.create_task(kept.find("seen", seen))
        await asyncio.sleep(0)
        for each in (held, ahead, seen):
            each.go.set()
        assert [await first, await looking] == ["answer", "answer"]
        assert await kept.find("ahead", ahead) == "answer"
        kept.close()

    asyncio.run(visit())
    assert order == [held, seen, ahead]
