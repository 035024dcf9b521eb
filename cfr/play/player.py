"""What a player is: an object that chooses actions, and may watch the rest of the hand."""

from __future__ import annotations

import random
from collections.abc import Sequence
from typing import Protocol, runtime_checkable

from cfr.game.betting import State
from cfr.game.hand import SeenHand


class Player(Protocol):
    """Chooses actions; ``name`` is for logs."""

    name: str

    def act(self, state: State, hand: Sequence[int], board: Sequence[int], rng: random.Random) -> str:
        """A legal action's letter, for the seat to act, which sees its own ``hand`` and the ``board``."""
        ...


@runtime_checkable
class Watcher(Protocol):
    """A player that is told of every state of a hand, not only of those where it acts.

    A table enters it as a context before the first hand and leaves it after the last.
    """

    def __enter__(self) -> object: ...
    def __exit__(self, *error: object) -> None: ...
    def watch(self, seat: int, number: int, seen: SeenHand) -> None:
        """The hand of this number has come so far; ``seen`` holds what the watcher, in ``seat``, may know."""
        ...
