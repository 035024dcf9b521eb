"""The process of :mod:`cfr.web.table.luck`: people's results, adjusted by AIVAT, one line after the other."""

from __future__ import annotations

import os
import random
import select
import signal
import sys
import threading
from collections.abc import Iterable, Iterator, Sequence

from cfr.game.betting import State
from cfr.game.cards import parse_cards
from cfr.game.hand import Deal, HandRecord
from cfr.play.aivat import Aivat
from cfr.play.strategy_player import StrategyPlayer
from cfr.resolving.named_strategy import open_named
from cfr.system.errors import CfrError, IllegalActionError

_NICENESS = 5  # below those who wait for an answer


class _Person:
    """A player of whom nothing is known; its hands are over."""

    name = "person"

    def act(self, state: State, hand: Sequence[int], board: Sequence[int], rng: random.Random) -> str:
        raise IllegalActionError("the hand is over")


def answer(source: str, requests: Iterable[str]) -> Iterator[float]:
    """A person's chips, luck-adjusted, for each line of :func:`cfr.web.table.luck.request`.

    Errors are those of :func:`open_named`.
    """
    with open_named(source) as strategy:
        aivat = Aivat(strategy.game, [StrategyPlayer(strategy, "bot"), _Person()], imaginary=True)
        for request in requests:
            seat, cards, board, line, chips = request.rstrip("\n").split(",")
            person, own, unseen, won = int(seat), parse_cards(cards), (), int(chips)
            deal = Deal((own, unseen) if person == 0 else (unseen, own), parse_cards(board))
            results = (won, -won) if person == 0 else (-won, won)
            yield -aivat(HandRecord(deal, strategy.betting.parse(line), results), 1 - person)


def main() -> None:
    """The process: requests come in, one a line, until its owner closes the pipe or dies."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is for the server, which ends this
    os.nice(_NICENESS)
    threading.Thread(target=_end_with_owner, daemon=True).start()
    try:
        for chips in answer(sys.argv[1], sys.stdin):
            print(chips, flush=True)
    except (CfrError, OSError) as error:
        sys.exit(f"cfr: {error}")


def _end_with_owner() -> None:
    """End at once, not after the hands that it has, when the other end of the pipe is closed."""
    pipe = select.poll()
    pipe.register(sys.stdin, 0)  # hang-ups only
    pipe.poll()
    os._exit(0)


if __name__ == "__main__":
    main()
