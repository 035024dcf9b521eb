"""Where sessions are kept, what is bounded, and what passes the guard."""

import hashlib
import sqlite3
import stat
from contextlib import closing
from dataclasses import replace

import numpy as np
import pytest
from scipy import stats

from cfr.game.hand import Deal
from cfr.game.rules import Game
from cfr.study.training.exercise import Exercise
from cfr.system.errors import BadInputError, DamagedFileError
from cfr.web.server.guard import Buckets, Guard, is_loopback
from cfr.web.store.records import Hand, Session
from cfr.web.store.schema import VERSION
from cfr.web.store.sessions import DAY, FullError, Limits, Sessions, default_path
from cfr.web.train.training import Training

HULHE = Game.bundled("hulhe")
DEAL = Deal(((0, 1), (2, 3)), (4, 5, 6, 7, 8))
HAND = Hand(1, "bot", 0, DEAL, "", None)


class Clock:
    now = 1e9

    def __call__(self):
        return self.now


@pytest.fixture
def clock():
    return Clock()


@pytest.fixture
def opened(tmp_path, clock):
    files = []

    def sessions(limits=None, game=HULHE, name="sessions"):
        files.append(Sessions(tmp_path / "folder" / name, game, limits, clock))
        return files[-1]

    yield sessions
    for each in files:
        each.close()


def latest(kept, session):
    return next(kept.hands(session, 1), None)


def test_a_hand_is_kept_from_the_deal_to_its_end(opened):
    kept = opened()
    token, session = kept.start()
    assert latest(kept, session) is None
    assert kept.add(session, replace(HAND, line="r"))
    assert latest(kept, session) == replace(HAND, line="r")
    assert kept.advance(session, replace(HAND, line="r"), replace(HAND, line="rf", chips=-10))
    assert opened().find(token)[0] == Session(session.id, 1, -10, 100)
    assert latest(opened(), session) == replace(HAND, line="rf", chips=-10)


def test_only_one_of_two_that_act_at_once_succeeds(opened):
    """Two processes on one file; the slower one's action is lost as a whole."""
    first, second = opened(), opened()
    token, session = first.start()
    assert first.add(session, HAND)
    assert not second.add(session, HAND)
    assert first.advance(session, HAND, replace(HAND, line="f", chips=-5))
    assert not second.advance(session, HAND, replace(HAND, line="cc/", chips=None))
    assert not second.advance(session, HAND, replace(HAND, line="f", chips=-5))
    assert second.find(token)[0] == Session(session.id, 1, -5, 25)


def test_hands_come_latest_first_and_in_pages(opened):
    kept = opened()
    _, session = kept.start()
    _, other = kept.start()
    for number in range(1, 8):
        assert kept.add(session, replace(HAND, number=number, line="f", chips=5))
        assert kept.add(other, replace(HAND, number=number))
    assert [hand.number for hand in kept.hands(session, 3)] == [7, 6, 5]
    assert [hand.number for hand in kept.hands(session, 9, before=3)] == [2, 1]
    kept.forget(session)
    assert list(kept.hands(session, 9)) == []
    assert len(list(kept.hands(other, 9))) == 7


def test_hands_against_a_chosen_bot_have_a_result_of_their_own(opened):
    kept = opened()
    token, session = kept.start()
    assert kept.add(session, replace(HAND, line="f", chips=-5)) == replace(session, hands=1, chips=-5, squares=25)
    chosen = replace(HAND, number=2, bot="ann", chosen=True)
    assert kept.add(session, chosen)
    assert kept.advance(session, chosen, replace(chosen, line="f", chips=20))
    session, last = kept.find(token)
    assert last == replace(chosen, line="f", chips=20)
    assert session == Session(session.id, 1, -5, 25)
    assert kept.against(session, "ann") == Session(session.id, 1, 20, 400)
    assert kept.against(session, "bot") == kept.against(session, "bob") == Session(session.id, 0, 0, 0)
    numbers = {
        against: [each.number for each in kept.hands(session, 9, against=against)] for against in (None, "", "ann")
    }
    assert numbers == {None: [2, 1], "": [1], "ann": [2]}
    assert [hand.number for _, hand in kept.waiting("ann", 9) + kept.waiting("bot", 9)] == [1]


def test_hands_against_a_chosen_bot_keep_their_session(opened):
    kept = opened(Limits(sessions=2))
    (_, session), (_, idle) = kept.start(), kept.start()
    assert kept.add(session, replace(HAND, bot="ann", chosen=True, line="f", chips=5))
    kept.start()
    assert latest(kept, session)
    assert kept.file.execute("SELECT count(*) FROM sessions WHERE id = ?", (idle.id,)).fetchone() == (0,)


def test_idle_sessions_are_forgotten(opened, clock):
    kept = opened(Limits(idle_seconds=10 * DAY))
    used, left = kept.start(), kept.start()
    assert kept.add(left[1], HAND)
    for _ in range(3):
        clock.now += 6 * DAY
        assert kept.find(used[0]) == (used[1], None)
    assert kept.find(left[0]) is None
    assert latest(kept, left[1]) is None
    clock.now += 11 * DAY
    opened(Limits(idle_seconds=10 * DAY))  # at the start, too
    assert kept.find(used[0]) is None


def test_a_use_is_noted_later_where_another_process_writes(opened, clock):
    kept, other = opened(), opened()
    token, session = kept.start()
    clock.now += DAY
    other.begin()
    assert kept.find(token) == (session, None)
    other.commit()
    assert kept.find(token) == (session, None)
    clock.now += 89.5 * DAY
    assert kept.find(token) == (session, None)


def test_a_place_is_made_only_by_those_who_never_finished_a_hand(opened, clock):
    kept = opened(Limits(sessions=2))
    player, _ = kept.start(), kept.start()
    assert kept.add(player[1], replace(HAND, line="f", chips=-5))
    clock.now += 1
    visitor = kept.start()
    assert kept.find(player[0])
    assert kept.add(visitor[1], replace(HAND, line="f", chips=-5))
    with pytest.raises(FullError, match="all 2 places are taken"):
        kept.start()
    clock.now += 91 * DAY
    assert kept.start()


def test_sessions_of_a_flood_make_room_and_players_stay(opened, clock):
    kept = opened(Limits(sessions=50))
    player = kept.start()
    for number in range(1, 21):
        assert kept.add(player[1], replace(HAND, number=number, line="f", chips=-5))
    for _ in range(49):
        assert kept.add(kept.start()[1], replace(HAND, line="f", chips=-5))
    with pytest.raises(FullError, match="all 50 places are taken"):
        kept.start()
    clock.now += 601
    for _ in range(49):
        token, session = kept.start()
        assert kept.add(session, replace(HAND, line="f", chips=-5))
        assert kept.find(token)
    assert kept.find(player[0])


def test_an_address_that_floods_makes_room_for_others(opened):
    kept = opened(Limits())
    seated, visitor = (kept.start(address) for address in ("192.0.2.1", "192.0.2.2"))
    assert kept.add(seated[1], replace(HAND, line="f", chips=-5))
    for _ in range(1_200):
        assert kept.add(kept.start("203.0.113.9")[1], replace(HAND, line="f", chips=-5))
    newest = kept.start("192.0.2.3")
    assert all(kept.find(token) for token, _ in (seated, visitor, newest))


def test_of_a_crowd_the_session_of_few_hands_that_lay_longest_goes(opened, clock):
    """A quarter of the places is a crowd; who played 20 hands of it stays."""
    kept = opened(Limits(sessions=64))
    crowd = []
    for number in range(17):
        clock.now += 1
        crowd.append(kept.start("203.0.113.9"))
        for hand in range(1, 21 if number == 0 else 2):
            assert kept.add(crowd[-1][1], replace(HAND, number=hand, line="f", chips=-5))
    others = [kept.start(f"192.0.2.{number}") for number in range(47)]
    for _, session in others:
        assert kept.add(session, replace(HAND, line="f", chips=-5))
    others.append(kept.start("198.51.100.1"))
    assert [kept.find(token) is None for token, _ in crowd] == [number == 1 for number in range(17)]
    assert all(kept.find(token) for token, _ in others)


def test_a_few_sessions_of_an_address_make_no_room(opened):
    kept = opened(Limits(sessions=50))
    for number in range(50):
        assert kept.add(kept.start(f"192.0.2.{number // 10}")[1], replace(HAND, line="f", chips=-5))
    with pytest.raises(FullError, match="all 50 places are taken"):
        kept.start("192.0.2.9")


def test_hands_of_a_session_are_bounded(opened):
    kept = opened(Limits(hands=3))
    _, session = kept.start()
    with pytest.raises(FullError, match="has its 3 hands"):
        kept.add(session, replace(HAND, number=4))


def test_results():
    chips = [10, -20, 40, 5]
    result = Session(1, 4, sum(chips), sum(x * x for x in chips)).result(10)
    assert result["bb_per_100"] == pytest.approx(100 * np.mean(chips) / 10)
    assert result["interval_95"] == pytest.approx(100 * stats.t.ppf(0.975, 3) * stats.sem(chips) / 10)
    assert Session(1, 0, 0, 0).result(10)["bb_per_100"] is None
    assert Session(1, 1, 10, 100).result(10)["interval_95"] is None
    few, many = Session(1, 3, 15, 75).result(10), Session(1, 30, 150, 750).result(10)  # all hands ended alike
    assert (few["bb_per_100"], few["interval_95"]) == (50, None)
    assert (many["bb_per_100"], many["interval_95"]) == (50, 0)


def test_the_file_is_its_owners_only(opened, tmp_path):
    opened()
    for path, expected in ((tmp_path / "folder", 0o700), (tmp_path / "folder" / "sessions", 0o600)):
        assert stat.S_IMODE(path.stat().st_mode) == expected


def test_tokens_are_not_in_the_file(opened, tmp_path):
    token, _ = opened().start()
    assert not any(token.encode() in path.read_bytes() for path in (tmp_path / "folder").iterdir())


def test_files_that_are_something_else_are_left_alone(opened, tmp_path):
    folder = tmp_path / "folder"
    opened()
    with pytest.raises(BadInputError, match="hands of another game"):
        opened(game=Game.bundled("flop-holdem"))
    (folder / "text").write_text("no database " * 100)
    with pytest.raises(DamagedFileError, match="not a file of sessions"):
        opened(name="text")
    for name, change in (("foreign", "CREATE TABLE x (y)"), ("newer", f"PRAGMA user_version = {VERSION + 1}")):
        with closing(sqlite3.connect(folder / name)) as file:
            file.execute(change)
        before = (folder / name).read_bytes()
        with pytest.raises(DamagedFileError, match="no file of sessions"):
            opened(name=name)
        with closing(sqlite3.connect(folder / name)) as file:
            assert "sessions" not in str(file.execute("SELECT name FROM sqlite_master").fetchall())
        assert len((folder / name).read_bytes()) == len(before)
    with pytest.raises(OSError, match="Is a directory"):
        Sessions(tmp_path, HULHE)


def test_the_default_file(monkeypatch, tmp_path):
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path))
    assert default_path(HULHE) == tmp_path / "cfr" / "sessions-hulhe.sqlite3"
    monkeypatch.delenv("XDG_STATE_HOME")
    assert default_path(HULHE).parts[-4:-1] == (".local", "state", "cfr")


def test_buckets_fill_at_their_rate():
    clock = Clock()
    buckets = Buckets(rate=2, burst=3, size=2, clock=clock)
    assert [buckets.wait("a") for _ in range(3)] == [0, 0, 0]
    assert buckets.wait("a") == pytest.approx(0.5)
    assert buckets.wait("b") == 0
    clock.now += 0.25
    assert buckets.wait("a") == pytest.approx(0.25)
    clock.now += 0.25
    assert buckets.wait("a") == 0
    clock.now += 100
    assert [buckets.wait("a") == 0 for _ in range(4)] == [True, True, True, False]
    for key in range(10):
        buckets.wait(key)
    assert len(buckets._left) == 2


@pytest.mark.parametrize(
    ("host", "expected"),
    [(host, True) for host in ("127.0.0.1", "127.8.8.8", "::1", "localhost")]
    + [(host, False) for host in ("0.0.0.0", "::", "192.168.1.2", "example.org", "")],
)
def test_loopback(host, expected):
    assert is_loopback(host) is expected


def test_the_guard_lets_through_what_is_not_http():
    passed = []

    async def app(scope, receive, send):
        passed.append(scope["type"])

    guarded = Guard(app, {"localhost"})({"type": "lifespan"}, None, None)
    with pytest.raises(StopIteration):
        guarded.send(None)
    assert passed == ["lifespan"]


def test_a_hand_of_another_strategy_waits_no_more(opened):
    """Chips that are not finite: the strategy of this name never plays what was played."""
    kept = opened()
    token, session = kept.start()
    assert kept.add(session, replace(HAND, number=1))
    kept.advance(session, replace(HAND, number=1), replace(HAND, number=1, line="f", chips=-5))
    kept.adjust([(session.id, 1, float("nan"))])
    assert kept.waiting("bot", 9) == []
    assert [hand.adjusted for hand in kept.hands(session, 2)] == [None]
    assert kept.find(token)[0].adjusted == 0


def test_the_number_of_a_forgotten_session_is_nobody_elses(opened):
    kept = opened()
    numbers = []
    for _ in range(3):
        _, session = kept.start()
        kept.forget(session)
        numbers.append(session.id)
    assert len(set(numbers)) == 3


def test_luck_adjusted_results_are_kept_with_their_hands(opened):
    kept = opened()
    token, session = kept.start()
    for number in (1, 2):
        assert kept.add(session, replace(HAND, number=number))
        assert kept.waiting("bot", 9) == [(session.id, replace(HAND, number=1, line="f", chips=-5))] * (number - 1)
        kept.advance(session, replace(HAND, number=number), replace(HAND, number=number, line="f", chips=-5))
    assert kept.waiting("another", 9) == []
    assert [hand.number for _, hand in kept.waiting("bot", 9)] == [1, 2]
    kept.adjust([(session.id, 1, -4.5)])
    kept.adjust([(session.id, 1, -4.5), (session.id, 2, 0.5), (99, 1, 3.0)])  # what waits no more is left alone
    again = opened()
    assert again.waiting("bot", 9) == []
    assert [hand.adjusted for hand in again.hands(session, 2)] == [0.5, -4.5]
    assert again.find(token)[0] == Session(session.id, 2, -10, 50, 2, -4.0, 20.5)
    result = again.find(token)[0].result(10)["luck_adjusted"]
    assert result == {"hands": 2, "bb_per_100": -20.0, "interval_95": pytest.approx(stats.t.ppf(0.975, 1) * 2.5 * 10)}


def test_a_forgotten_session_waits_for_nothing(opened):
    kept = opened()
    _, session = kept.start()
    assert kept.add(session, replace(HAND, line="f", chips=-5))
    kept.forget(session)
    assert kept.waiting("bot", 9) == []


def test_hands_of_version_1_are_read_and_stay_unadjusted(opened, tmp_path):
    (tmp_path / "folder").mkdir()
    with closing(sqlite3.connect(tmp_path / "folder" / "sessions")) as file:
        file.executescript(
            """
            CREATE TABLE about (game TEXT NOT NULL);
            CREATE TABLE sessions (id INTEGER PRIMARY KEY, token BLOB NOT NULL UNIQUE, used REAL NOT NULL,
                hands INTEGER NOT NULL DEFAULT 0, chips INTEGER NOT NULL DEFAULT 0, squares INTEGER NOT NULL DEFAULT 0);
            CREATE INDEX sessions_by_use ON sessions (used);
            CREATE TABLE hands (session INTEGER NOT NULL REFERENCES sessions ON DELETE CASCADE, number INTEGER NOT NULL,
                bot TEXT NOT NULL, seat INTEGER NOT NULL, first TEXT NOT NULL, second TEXT NOT NULL,
                board TEXT NOT NULL, line TEXT NOT NULL, chips INTEGER, PRIMARY KEY (session, number)) WITHOUT ROWID;
            INSERT INTO sessions VALUES (7, x'00', 1e9, 1, -5, 25);
            INSERT INTO hands VALUES (7, 1, 'bot', 0, '2c2d', '2h2s', '3c3d3h3s4c', 'f', -5);
            PRAGMA user_version = 1;
            """
        )
        file.execute("INSERT INTO about VALUES (?)", (HULHE.text(),))
        file.execute("UPDATE sessions SET token = ?", (hashlib.sha256(b"token").digest(),))
        file.commit()
    for _ in range(2):
        kept = opened()
        assert kept.find("token") == (Session(7, 1, -5, 25), replace(HAND, line="f", chips=-5))
        assert kept.waiting("bot", 9) == []


def test_nothing_is_dealt_to_a_session_that_was_forgotten_meanwhile(opened):
    """What others write in the same transaction stays."""
    kept = opened()
    (_, gone), (_, here) = kept.start(), kept.start()
    kept.forget(gone)
    training = Training(kept.file, kept.transaction, 9)
    with kept.transaction():
        assert kept.add(here, HAND)
        assert kept.add(gone, HAND) is None
        assert training.deal(here.id, Exercise(1, "bot", 0, DEAL, ""))
        assert not training.deal(gone.id, Exercise(1, "bot", 0, DEAL, ""))
    assert latest(opened(), here) == HAND
    assert training.latest(here.id).number == 1
