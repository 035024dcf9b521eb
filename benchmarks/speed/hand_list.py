"""A database of many reviewed hands on the page: how long the first rows, each filter and the totals take.

``python -m benchmarks.speed.hand_list`` makes a database of random hands with random losses, serves it by ``cfr serve
--db`` and asks as the page does. It prints the milliseconds of the whole answer for each question, the median of some.
Hands are made once in a thousand by the writer of ``cfr review --db``; SQL copies them with other numbers, days and
losses.

The fingerprint is of the answers.
"""

import argparse
import json
import random
import tempfile
import time
import urllib.request
import zlib
from dataclasses import replace
from pathlib import Path
from statistics import median
from typing import Any
from urllib.parse import urlencode

from benchmarks.speed.web import Server
from cfr.game.betting_round import ACTIONS
from cfr.game.hand import HandRecord, LoggedHand, SeenHand, deal_hand
from cfr.play.hand import play_hand
from cfr.play.players import RandomPlayer
from cfr.strategy.built_in import BuiltIn
from cfr.strategy.strategy import BaseStrategy
from cfr.study.reviews.decision import Decision
from cfr.study.reviews.hand_database import HandDatabase
from cfr.study.reviews.reviewed import Reviewed

FIRST = 1_000  # hands of the writer; the others are their copies
HERO = "ann"
_DECISIONS = "/api/database/decisions"
_COPY_HANDS = """
INSERT INTO hands(key, site, number, day, big_blind, button, line, board, big_blind_hand, button_hand, won_big_blind,
    won_button, rake, other_blinds)
SELECT key || :copy, site, number + :hands, date(day, :days), big_blind, button, line, board, big_blind_hand,
    button_hand, won_big_blind, won_button, rake, other_blinds FROM hands WHERE id <= :first ORDER BY id
"""
_COPY_DECISIONS = """
INSERT INTO decisions(hand, round, player, cards, board, line, fold, call, "raise", action, ev_lost_mbb, stand_in)
SELECT hand + :hands, round, player, cards, board, line, fold, call, "raise", action,
    ev_lost_mbb * (1 + :copy / 1000.0), stand_in FROM decisions WHERE hand <= :first ORDER BY id
"""
QUESTIONS: dict[str, dict[str, Any]] = {
    "first rows": {"mistakes": 1},
    "all decisions": {},
    "a player": {"player": HERO, "mistakes": 1},
    "all decisions of a player": {"player": HERO},
    "days": {"since": "2026-01-20", "until": "2026-02-10", "mistakes": 1},
    "days, all decisions": {"since": "2026-01-20", "until": "2026-02-10"},
    "a round": {"round": "river", "mistakes": 1},
    "a preflop line": {"line": "rc/*", "mistakes": 1},
    "a preflop line, all decisions": {"line": "rc/*"},
    "a size of mistake": {"lost": 250, "mistakes": 1},
}


def logged(record: HandRecord, number: int) -> LoggedHand:
    """A hand of a card room that shows all cards, half of them with the hero on the button."""
    other = f"villain-{number % 20}"
    players = (HERO, other) if number % 2 else (other, HERO)
    seen = SeenHand(record.state, record.deal.hands, record.deal.board[: record.state.num_board_cards])
    return LoggedHand(10**12 + number, players, seen, site="PokerStars", day="2026-01-01")


def judged(decision: Decision, rng: random.Random) -> Decision:
    """A decision with some mix and some loss: of two in three nothing, of one in fifty none that is known."""
    weights = [rng.random() ** 3 if letter in decision.state.legal else 0.0 for letter in ACTIONS]
    mix = (weights[0] / sum(weights), weights[1] / sum(weights), weights[2] / sum(weights))
    lost = None if rng.random() < 0.02 else max(0.0, rng.expovariate(1 / 200) - 220)
    return replace(decision, mix=mix, ev_lost=lost)


def make_database(path: Path, hands: int, strategy: BaseStrategy) -> None:
    """Write so many hands, a multiple of :data:`FIRST`, or fewer than these."""
    rng, first = random.Random(1), min(hands, FIRST)
    records = [
        play_hand(strategy.betting, deal_hand(strategy.game, rng), [RandomPlayer(), RandomPlayer()], rng)
        for _ in range(first)
    ]
    whole = Reviewed.of((logged(each, number) for number, each in enumerate(records)), strategy, None, path)
    with HandDatabase(path, strategy) as database:
        for hand, here in zip(whole.logged, whole.by_hand, strict=True):
            database.add(hand, [judged(each, rng) for each in here])
        for copy in range(1, hands // first):
            told = {"copy": copy, "hands": copy * first, "days": f"+{copy // 2} days", "first": first}
            for each in (_COPY_HANDS, _COPY_DECISIONS):
                database.rows(each, told)
        database.commit()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--hands", type=int, default=100_000, help="a multiple of 1000 (default %(default)s)")
    parser.add_argument("--repeats", type=int, default=5, help="of each question (default %(default)s)")
    parser.add_argument("--quick", action="store_true", help="a hundred hands: shows only that it works")
    args = parser.parse_args()
    hands, repeats = (100, 1) if args.quick else (args.hands, args.repeats)
    with tempfile.TemporaryDirectory() as name:
        path = Path(name) / "hands.db"
        make_database(path, hands, BuiltIn("uniform"))
        print(f"{hands:,} hands, {path.stat().st_size / 1e6:.0f} MB")
        with Server(Path(name), "uniform", "--db", str(path)) as server:
            page, said = f"http://127.0.0.1:{server.port}", []

            def ask(what: str, question: str, asked: dict[str, Any]) -> Any:
                times = []
                for _ in range(repeats):
                    started = time.perf_counter()
                    with urllib.request.urlopen(f"{page}{question}?{urlencode(asked)}") as answer:
                        text = answer.read()
                    times.append(1000 * (time.perf_counter() - started))
                said.append(text)
                print(f"{what}: {times[0]:.0f} ms at first, {median(times):.0f} ms (median of {repeats})")
                return json.loads(text)

            ask("the database", "/api/database", {})
            for what, asked in QUESTIONS.items():
                count = ask(what, "/api/database/decisions", asked)["count"]
                ask(
                    f"{what}, last of {count:,} rows",
                    "/api/database/decisions",
                    {**asked, "offset": max(count - 100, 0)},
                )
            ask("totals of a player", "/api/database/totals", {"player": HERO})
        print(f"fingerprint {zlib.crc32(b''.join(said)):08x}")


if __name__ == "__main__":
    main()
