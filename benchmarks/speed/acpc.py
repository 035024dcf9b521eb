"""How long a player of the ACPC takes to answer: from the dealer's line to the action, over a real socket.

``python -m benchmarks.speed.acpc [FILE]`` lets a strategy file (default: the one that comes with cfr; ``small+turn``
solves anew from the turn on) play at a dealer in a thread beside it, against random actions, and prints quantiles in
milliseconds, of all answers and of those after the flop. A dealer of the competition waits for seconds. The fingerprint
is of the first hands' betting lines and changes only with FILE.
"""

import argparse
import random
import socket
import threading
import time
import zlib
from itertools import pairwise
from typing import BinaryIO

import numpy as np

from cfr.game.betting import State
from cfr.game.cards import format_cards
from cfr.game.hand import Deal, deal_hand
from cfr.game.words import ROUND_NAMES
from cfr.play.acpc.client import play_match
from cfr.resolving.named_strategy import open_named
from cfr.resolving.resolving_strategy import Resolving
from cfr.strategy.files.bundled import DEFAULT
from cfr.strategy.strategy import BaseStrategy

SEED = 1
LATER = 2  # the turn
FIRST = 10  # hands; the fingerprint is taken after these


def shown(deal: Deal, state: State, viewer: int) -> str:
    """The cards as a dealer shows them to a position: its own, and at a showdown both hands."""
    hands = [format_cards(hand) if seat == viewer or state.at_showdown else "" for seat, hand in enumerate(deal.hands)]
    ends = np.cumsum(state.tree.game.num_board_cards)[: state.round + 1].tolist()
    board = [format_cards(deal.board[start:end]) for start, end in pairwise(ends)]
    return "/".join(["|".join(hands), *board])


class Dealer:
    """Deals hands to the first player that connects, who sits in each seat by turns; the other's actions are random.

    Attributes:
        seconds: each answer's.
        rounds: in which round each was given.
        lines: the betting lines, hand by hand.
    """

    def __init__(self, strategy: BaseStrategy, hands: int) -> None:
        self._strategy, self._hands, self._rng = strategy, hands, random.Random(SEED)
        self.seconds: list[float] = []
        self.rounds: list[int] = []
        self.lines: list[str] = []

    def serve(self, listener: socket.socket) -> None:
        connection, _ = listener.accept()
        connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        with connection, connection.makefile("rb") as answers:
            answers.readline()  # the protocol's version
            for number in range(self._hands):
                self._deal(number, connection, answers)

    def _deal(self, number: int, connection: socket.socket, answers: BinaryIO) -> None:
        deal, state, own = deal_hand(self._strategy.game, self._rng), self._strategy.betting.root, number % 2
        while True:
            line = f"MATCHSTATE:{own}:{number}:{state.line_string}:{shown(deal, state, own)}\r\n".encode()
            start = time.perf_counter()
            connection.sendall(line)
            if state.is_over:
                break
            if state.actor == own:
                answer = answers.readline()
                self.seconds.append(time.perf_counter() - start)
                self.rounds.append(state.round)
                state = state.act(chr(answer.rstrip()[-1]))
            else:
                state = state.act(self._rng.choice(state.legal))
        self.lines.append(state.line_string)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("file", metavar="FILE", nargs="?", default=DEFAULT, help="a strategy file, or its name")
    parser.add_argument("--hands", type=int, default=1000, help="at least 10 (default %(default)s)")
    args = parser.parse_args()
    with open_named(args.file) as opened, socket.create_server(("127.0.0.1", 0)) as listener:
        strategy = opened
        if isinstance(opened, Resolving):  # the cards are those of earlier runs, which kept their solutions
            strategy = Resolving(opened.trunk, ROUND_NAMES[opened.re_solved_from], keeps=False)
        dealer = Dealer(strategy, max(args.hands, FIRST))
        dealing = threading.Thread(target=dealer.serve, args=(listener,))
        dealing.start()
        play_match(strategy, "127.0.0.1", listener.getsockname()[1], seed=SEED)
        dealing.join()
    seconds, is_later = np.array(dealer.seconds), np.array(dealer.rounds) >= LATER
    for which, taken in (("answers", seconds), ("answers on turn and river", seconds[is_later])):
        if not len(taken):  # Leduc has two rounds.
            continue
        for what, share in (("half", 0.5), ("95 %", 0.95), ("99 %", 0.99), ("all", 1.0)):
            print(f"{what:>5} of {len(taken):,} {which} within{1000 * np.quantile(taken, share):9.2f} ms")
    print(f"fingerprint {zlib.crc32(repr(dealer.lines[:FIRST]).encode()):08x}")


if __name__ == "__main__":
    main()
