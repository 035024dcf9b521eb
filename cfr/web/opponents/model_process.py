"""The process that makes one model: a file takes a minute to write, and the server reads its own files meanwhile."""

from __future__ import annotations

import os
from contextlib import suppress
from dataclasses import dataclass
from multiprocessing.connection import Connection
from pathlib import Path

from cfr.formats.logs import read_text
from cfr.opponents.model import model_of
from cfr.strategy.files.stored import Strategy
from cfr.system.errors import CfrError

_NICENESS = 5  # below those who wait for an answer
_HELD_BYTES = 1 << 30  # of a round's table
_FITTED = 0.2  # rough share of the time until the file is written


@dataclass(frozen=True)
class Order:
    """What is wanted.

    Attributes:
        blueprint: the name of the strategy file that the model tilts.
        name, text: the log; the name's suffix says the format.
        player: whose model.
        out: the file.
    """

    blueprint: str
    name: str
    text: str
    player: str
    out: Path


def make_model(order: Order, told: Connection) -> None:
    """Make a model; ``told`` hears the share that is done, at last None, or why there is none, in a line."""
    os.nice(_NICENESS)
    with suppress(BrokenPipeError):  # the server was killed
        try:
            _make(order, told)
            told.send(None)
        except (CfrError, MemoryError) as error:
            told.send(str(error) or "there is not enough memory")


def _make(order: Order, told: Connection) -> None:
    with Strategy.open(order.blueprint) as strategy:
        hands = read_text(order.text, order.name, strategy.betting)
        own = [hand for hand in hands if order.player in hand.players and hand.players[0] != hand.players[1]]
        strategy.hold_tables(_HELD_BYTES)
        found = model_of(own, order.player, strategy, order.blueprint, hears=lambda share: told.send(_FITTED * share))
        found.save(order.out, lambda share: told.send(_FITTED + (1 - _FITTED) * share))
