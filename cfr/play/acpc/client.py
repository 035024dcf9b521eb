"""A player for the ACPC's dealer: protocol 2.0.0 over TCP.

The dealer sends the state of the hand whenever it changes, and the player whose turn it is sends the same line back
with its action. The dealer says nothing at the end: it closes the connection when the last hand is over.
"""

from __future__ import annotations

import random
import socket
from collections.abc import Iterator

import numpy as np

from cfr.formats.acpc import MatchState
from cfr.play.acpc.wire import LineBuffer, network
from cfr.play.learning_player import LearningPlayer
from cfr.play.match_result import MatchResult
from cfr.play.strategy_player import StrategyPlayer
from cfr.strategy.strategy import BaseStrategy
from cfr.system.errors import CfrError

CONNECT_SECONDS = 10.0


def play_match(
    strategy: BaseStrategy | LearningPlayer, host: str, port: int, *, seed: int | None = None
) -> MatchResult:
    """Play at a dealer until the match ends; returns the strategy's result.

    Args:
        strategy: who plays, or an entered player that learns; its game must be the dealer's.
        host, port: where the dealer waits for this player.
        seed: of the actions; None takes the operating system's randomness.

    Raises:
        ConnectionError: nobody answers there, or the dealer goes away before the last hand is over.
        MalformedTextError, IllegalActionError, BadInputError: the dealer sends a line that is not of the protocol,
            or not of this game.
    """
    # The first questions to a strategy read its file and tables; the dealer's clock must not run meanwhile.
    player = strategy if isinstance(strategy, LearningPlayer) else StrategyPlayer(strategy, "cfr")
    player.strategy.hold_tables()
    _warm_up(player.strategy)
    rng = random.SystemRandom() if seed is None else random.Random(seed)
    dealer = f"{host}:{port}"
    with network(f"no dealer at {dealer}"):
        connection = socket.create_connection((host, port), CONNECT_SECONDS)
    with connection:
        connection.settimeout(None)
        connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        connection.setsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE, 1)
        return _Session(player, connection, dealer, rng).run()


class _Session:
    """One connection: reads states, answers where it is the player's turn, and adds up what hands win."""

    def __init__(
        self, player: StrategyPlayer | LearningPlayer, connection: socket.socket, dealer: str, rng: random.Random
    ) -> None:
        self._strategy = player.strategy
        self._player = player
        self._connection = connection
        self._dealer = dealer
        self._rng = rng
        self._lines = LineBuffer()
        self._last: MatchState | None = None
        self._won: list[int] = []

    def run(self) -> MatchResult:
        self._send(b"VERSION:2.0.0\r\n")
        while data := self._receive():
            for said in self._read(data):
                self._last = said
                self._answer(said)
        if self._last is None or not self._last.seen.state.is_over or not self._lines.is_empty:
            raise ConnectionError(self._gone())
        return MatchResult.of(np.array(self._won), self._strategy.game)

    def _read(self, data: bytes) -> Iterator[MatchState]:
        try:
            for line in self._lines.feed(data):
                yield MatchState.parse(line, self._strategy.betting)
        except CfrError as error:
            raise type(error)(f"from the dealer at {self._dealer}: {error}") from None

    def _answer(self, said: MatchState) -> None:
        seen, chips = said.seen, said.seen.chips
        if chips is not None:
            self._won.append(chips[said.position])
            if isinstance(self._player, LearningPlayer):
                self._player.watch(said.position, said.number, seen)
        elif seen.state.actor == said.position:
            action = self._player.act(seen.state, seen.hands[said.position], seen.board, self._rng)
            self._send(f"{said.line}:{action}\r\n".encode("ascii"))

    def _receive(self) -> bytes:
        with network(self._gone()):
            return self._connection.recv(1 << 16)

    def _send(self, data: bytes) -> None:
        with network(self._gone()):
            self._connection.sendall(data)

    def _gone(self) -> str:
        if self._last is None:
            where = "before the first hand"
        else:
            state = self._last.seen.state
            where = f"{'after' if state.is_over else f'at {state.line_string!r} of'} hand {self._last.number}"
        return f"the dealer at {self._dealer} went away {where}"


def _warm_up(strategy: BaseStrategy) -> None:
    """Ask for one decision in each round."""
    game = strategy.game
    cards = game.deck.tolist()
    hand, deck = cards[: game.num_hole_cards], cards[game.num_hole_cards :]
    state = strategy.betting.root
    while not state.is_over:
        strategy.distribution(state, hand, deck[: state.num_board_cards])
        state = state.act("c")
