"""Reviews: how long one of some hundred hands takes, and what it saves that the decisions of a round share a pass.

``python -m benchmarks.speed.review`` plays hands of the supplied strategy against itself (``--against`` another
player), reviews them as ``cfr review`` does, and prints, all in one run: the time for all hands and per hand, results
without luck included; before that, of the first flops and turns, what their decisions take hand by hand, by passes for
all hands, and by each decision's own pass, as ratios, and the largest difference between these in mbb.

The fingerprint is of the hands and of the totals to a hundredth of an mbb.
"""

import argparse
import os
import tempfile
import time
import zlib
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path

import numpy as np

from cfr.formats.logs import read_log
from cfr.game.betting import State
from cfr.game.rules import Game
from cfr.play.match import match
from cfr.play.players import RandomPlayer
from cfr.play.strategy_player import StrategyPlayer
from cfr.resolving.named_strategy import open_named
from cfr.strategy.position import Position
from cfr.strategy.strategy import BaseStrategy, Floats
from cfr.study.reviews.losses import work_of
from cfr.study.reviews.review import review
from cfr.study.reviews.reviewed import Reviewed
from cfr.system.cores import usable_cores
from cfr.values.canonical_spot import CanonicalSpot
from cfr.values.expected_values import values_at
from cfr.values.hand_values import HandValues, keeps_books
from cfr.values.round_values import RoundValues

Asked = Sequence[tuple[State, int]]  # decisions of a piece of work, and the number of the hand at each


def by_hand(position: Position[BaseStrategy], asked: Asked) -> list[Floats]:
    values = HandValues(position)
    return [values.action_ev(state, hand) for state, hand in asked]


def by_passes(position: Position[BaseStrategy], asked: Asked) -> list[Floats]:
    values = RoundValues(position)
    return [values.action_ev(state)[hand] for state, hand in asked]


def by_spot(strategy: BaseStrategy, board: tuple[int, ...], asked: Asked) -> list[Floats]:
    spots = {state: CanonicalSpot(state, board) for state, _ in asked}
    every = {state: values_at(strategy, spot, unreached=True).action_ev for state, spot in spots.items()}
    return [every[state][hand] for state, hand in asked]


def three_ways(strategy: BaseStrategy, reviewed: Reviewed, count: int) -> None:
    """Print, per round, what pieces of work take: by hand, by passes for all hands, by a pass for each spot."""
    decisions = reviewed.decisions
    work = work_of(decisions, strategy)
    for round_, name in ((1, "flop"), (2, "turn")):
        pieces = [each for each in work if each.state.round == round_][:count]
        if not pieces:
            continue
        took, worst, spots = {"hands": 0.0, "passes": 0.0, "own": 0.0}, 0.0, 0
        for piece in pieces:
            asked = [(decisions[n].state, hand) for n, hand in work[piece]]
            found: dict[str, list[Floats]] = {}
            position = strategy.at(piece.state, piece.board)
            ways: dict[str, Callable[[], list[Floats]]] = {
                "passes": partial(by_passes, position, asked),
                "own": partial(by_spot, strategy, piece.board, asked),
            }
            if keeps_books(strategy, piece.state):
                ways = {"hands": partial(by_hand, position, asked), **ways}
            for way, run in ways.items():
                started = time.perf_counter()
                found[way] = run()
                took[way] += time.perf_counter() - started
            gaps = [np.abs(np.array(each) - np.array(found["own"])) for each in found.values()]
            worst, spots = max(worst, float(np.nanmax(gaps, initial=0))), spots + len({state for state, _ in asked})
        times = ", ".join(f"{way} {took[way] / len(pieces):.3f}" for way in ways)
        base = took[next(iter(ways))]
        ratios = ", ".join(f"{way} {took[way] / base:.1f}" for way in ways)
        print(
            f"{name}: {spots} spots in {len(pieces)} pieces; seconds a piece: {times}; times as long: {ratios}; "
            f"differences up to {worst:.5f} mbb"
        )


def _opened(args: argparse.Namespace) -> BaseStrategy:
    return open_named("call-raise", game=Game.bundled("royal")) if args.quick else open_named(args.strategy)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("strategy", nargs="?", default="small", help="strategy file or built-in (default %(default)s)")
    parser.add_argument("--hands", type=int, default=500, help="default %(default)s")
    parser.add_argument("--against", choices=["self", "random"], default="self", help="who plays the other seat")
    parser.add_argument("--player", help="review one player only: first or second")
    parser.add_argument(
        "--passes", type=int, default=5, help="pieces of work that are compared per round (default %(default)s)"
    )
    parser.add_argument("--threads", type=int, default=usable_cores(), help="default: all cores, %(default)s")
    parser.add_argument("--quick", action="store_true", help="two hands of a rule in royal: shows only that it works")
    args = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder, _opened(args) as strategy:
        log, hands = Path(folder) / "x.log", 2 if args.quick else args.hands
        other = RandomPlayer() if args.against == "random" else StrategyPlayer(strategy, "second")
        match(StrategyPlayer(strategy, "first"), other, hands, seed=1, log=log)
        reviewed = Reviewed.of(read_log(log, strategy.betting), strategy, None, log)
        strategy.hold_tables()
        three_ways(strategy, reviewed, 1 if args.quick else args.passes)
        started, used = time.perf_counter(), time.process_time()
        found = review(log, strategy, player=args.player, threads=args.threads)
        took, used = time.perf_counter() - started, time.process_time() - used
        flops = sum(each.seen.state.round > 0 for each in reviewed.logged)
        print(
            f"{hands} hands, {flops} with a flop, {len(found.decisions)} decisions, {args.threads} of {os.cpu_count()} "
            f"cores: {took:.1f} s ({used:.1f} core-seconds), {took / hands:.3f} s a hand"
        )
        lost = [round(player.ev_lost, 2) for player in found.players]
        print(f"fingerprint {zlib.crc32(f'{log.read_text()} {lost}'.encode()):08x}")


if __name__ == "__main__":
    main()
