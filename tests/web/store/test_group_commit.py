"""Writes of many requests in one transaction: all are kept before any is answered, or none is."""

import asyncio
import sqlite3
from dataclasses import replace

import pytest

from cfr.game.hand import Deal
from cfr.game.rules import Game
from cfr.web.store.group_commit import Together
from cfr.web.store.records import Hand
from cfr.web.store.sessions import FullError, Sessions

HAND = Hand(1, "bot", 0, Deal(((0, 1), (2, 3)), (4, 5, 6, 7, 8)), "", None)
FINISHED = replace(HAND, line="f", chips=-5)


@pytest.fixture
def files(tmp_path):
    opened = [Sessions(tmp_path / "sessions", Game.bundled("hulhe")) for _ in range(2)]
    yield opened
    for each in opened:
        each.close()


def test_blocks_of_a_round_share_a_commit_and_end_after_it(files):
    kept, other = files
    players = [kept.start() for _ in range(5)]
    together, commits = Together(kept), []
    kept.file.set_trace_callback(lambda statement: commits.append(statement) if statement == "COMMIT" else None)

    async def finish(token, session):
        async with together:
            then = kept.add(session, FINISHED)
            assert other.find(token) == (session, None)
        assert other.find(token) == (then, FINISHED)  # another process sees it as soon as the block has ended
        return then.chips

    async def everybody():
        return await asyncio.gather(*(finish(*player) for player in players))

    assert asyncio.run(everybody()) == [-5] * 5
    assert len(commits) == 1
    asyncio.run(finish(*kept.start()))
    assert len(commits) == 3  # start's own, and another round's


def test_where_one_write_fails_all_of_its_round_fail_and_nothing_is_kept(files):
    kept, other = files
    tokens, sessions = zip(*(kept.start() for _ in range(3)), strict=True)
    together = Together(kept)

    async def finish(session, fails=False):
        async with together:
            kept.add(session, FINISHED)
            if fails:
                raise sqlite3.OperationalError("disk full")

    async def everybody(*blocks):
        return await asyncio.gather(*blocks, return_exceptions=True)

    found = asyncio.run(everybody(*(finish(session, session == sessions[1]) for session in sessions)))
    assert [str(each) for each in found[:2]] == ["disk full", "disk full"]
    assert found[2] is None  # it came after the failure: a transaction of its own
    assert [other.find(token)[0].hands for token in tokens] == [0, 0, 1]
    kept.file.execute("PRAGMA query_only = ON")
    [refused] = asyncio.run(everybody(finish(sessions[0])))
    assert isinstance(refused, sqlite3.OperationalError)
    kept.file.execute("PRAGMA query_only = OFF")
    assert asyncio.run(everybody(finish(sessions[0]))) == [None]


def test_what_is_refused_fails_alone(files):
    kept, other = files
    token, session = kept.start()
    together = Together(kept)

    async def refused():
        async with together:
            kept.add(session, replace(HAND, number=10_001))

    async def finish():
        async with together:
            kept.add(session, FINISHED)

    async def both():
        return await asyncio.gather(refused(), finish(), return_exceptions=True)

    first, second = asyncio.run(both())
    assert isinstance(first, FullError)
    assert second is None
    assert other.find(token)[0].hands == 1


def test_who_leaves_takes_nobody_along(files):
    kept, _ = files
    together = Together(kept)
    token, session = kept.start()

    async def finish():
        async with together:
            kept.add(session, FINISHED)

    async def leave():
        task = asyncio.create_task(finish())
        await asyncio.sleep(0)
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)
        await asyncio.sleep(0)

    asyncio.run(leave())
    assert kept.find(token)[0].hands == 1


def test_a_file_that_another_process_locks_holds_nobody_up(files):
    kept, other = files
    token, session = kept.start()
    together, looks = Together(kept), []
    other.begin()

    async def finish():
        async with together:
            kept.add(session, FINISHED)

    async def go_on():
        for _ in range(5):  # other requests: they are answered while the file is locked
            await asyncio.sleep(0)
            looks.append(kept.find(token))
        other.commit()

    async def both():
        await asyncio.gather(finish(), go_on())

    asyncio.run(both())
    assert looks == [(session, None)] * 5
    assert other.find(token)[1] == FINISHED


def test_a_file_that_stays_locked_fails_its_writes(files, monkeypatch):
    monkeypatch.setattr("cfr.web.store.group_commit._PATIENCE", 0.0)
    kept, other = files
    _, session = kept.start()
    together = Together(kept)
    other.begin()

    async def finish():
        async with together:
            kept.add(session, FINISHED)

    with pytest.raises(sqlite3.OperationalError, match="locked"):
        asyncio.run(finish())
    other.commit()
    asyncio.run(finish())
    assert [hand.number for hand in other.hands(session, 9)] == [1]
