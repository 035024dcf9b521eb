"""A mix of strategies: a coin at the start of each hand says which one plays it."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cfr.game.betting import State
from cfr.game.betting_round import ACTIONS
from cfr.strategy.strategy import HELD_BYTES, BaseStrategy, Cards, Floats
from cfr.system.progress import Progress


class Mixed(BaseStrategy):
    """A mix of strategies, as one strategy that plays the same (Kuhn 1953).

    At a decision a part weighs its share, the coin's chance of it, times the probability that it has played the seat's
    own actions so far with the hand. A hand that no part brings there is played by the shares alone.

    Args:
        parts: strategies of one game that play whole hands; closing the mix closes them.
        shares: the coin's chance of each; they add up to 1.

    Attributes:
        parts: as given.
        shares: ``(parts,)``; may be replaced between hands.
    """

    def __init__(self, parts: Sequence[BaseStrategy], shares: Sequence[float]) -> None:
        self.parts = list(parts)
        self._hears: Progress | None = None
        self.shares = np.array(shares, np.float64)
        self.game, self.betting = parts[0].game, parts[0].betting
        self.is_suit_blind = all(part.is_suit_blind for part in parts)
        self.re_solved_from = min((r for part in parts if (r := part.re_solved_from) is not None), default=None)

    def __reduce__(self) -> tuple[Any, ...]:
        return Mixed, (self.parts, self.shares)

    @property
    def blueprint(self) -> BaseStrategy:
        """That of the part with the largest share."""
        return self.parts[int(self.shares.argmax())].blueprint

    @property
    def trunk(self) -> BaseStrategy:
        return self.blueprint

    @property
    def hears(self) -> Progress | None:
        return self._hears

    @hears.setter
    def hears(self, hears: Progress | None) -> None:
        self._hears = hears
        for part in self.parts:
            part.hears = hears

    def re_solves(self, round_: int) -> bool:
        return any(part.re_solves(round_) for part in self.parts)

    @property
    def left_out(self) -> str:
        return "expected values are those of one strategy, not of a mix; name one of its parts"

    @property
    def identity(self) -> dict[str, str]:
        parts = [part.identity for part in self.parts]
        return {"mix": repr((parts, self.shares.tolist())), "game": self.game.text()}

    def facts(self) -> dict[str, str]:
        names = [part.facts().get("strategy", type(part).__name__) for part in self.parts]
        shares = [f"{name} ({share:g})" for name, share in zip(names, self.shares.tolist(), strict=True)]
        return {"strategy": f"mix of {', '.join(shares)}"} | super().facts()

    def hold_tables(self, most: int = HELD_BYTES) -> None:
        for part in self.parts:
            part.hold_tables(most)

    def hold_rows(self, threads: int = 1) -> None:
        for part in self.parts:
            part.hold_rows(threads)

    def close(self) -> None:
        for part in self.parts:
            part.close()

    def distribution(self, state: State, hand: Cards, board: Cards) -> tuple[float, float, float]:
        shares = self.shares_at(state, np.array([hand], np.uint8), board)[:, 0]
        fold, call, raise_ = (shares @ [part.distribution(state, hand, board) for part in self.parts]).tolist()
        return fold, call, raise_

    def all_hands(self, state: State, board: Cards) -> Floats:
        live = self.game.live(board)
        shares = np.zeros((len(self.parts), len(live)))
        shares[:, live] = self.shares_at(state, self.game.hands[live], board)
        found: Floats = np.einsum("ph,pha->ha", shares, [part.all_hands(state, board) for part in self.parts])
        return found

    def round_probabilities(
        self, entry: State, hands: NDArray[np.uint8], board: Cards, seat: int | None = None
    ) -> Floats:
        played = np.array([part.round_probabilities(entry, hands, board, seat) for part in self.parts])
        for each in (0, 1) if seat is None else (seat,):
            waiting = [(entry, self.reaches(entry, hands, board, each))]
            while waiting:
                state, reach = waiting.pop()
                if state.is_over or state.round > entry.round:
                    continue
                numbers = self.betting.rounds[entry.round].action_index[state.node]
                taken = [(state.act(letter), int(numbers[ACTIONS.index(letter)])) for letter in state.legal]
                if state.actor != each:
                    waiting += [(child, reach) for child, _ in taken]
                    continue
                waiting += [(child, reach * played[:, number]) for child, number in taken]
                shares = self._given(reach)
                for _, number in taken:
                    played[0, number] = (shares * played[:, number]).sum(axis=0)
        return np.asarray(played[0])

    def shares_at(self, state: State, hands: NDArray[np.uint8], board: Cards) -> Floats:
        """``(parts, n)`` chance of each part at a decision, given each hand of the seat to act."""
        return self._given(self.reaches(state, hands, board, state.actor))

    def _given(self, reaches: Floats) -> Floats:
        weights = self.shares[:, None] * reaches
        whole = weights.sum(axis=0)
        shares: Floats = np.where(whole > 0, weights, self.shares[:, None]) / np.where(whole > 0, whole, 1)
        return shares

    def reaches(self, state: State, hands: NDArray[np.uint8], board: Cards, seat: int) -> Floats:
        """``(parts, n)`` the product of a seat's probabilities along the line, by part and hand.

        Args:
            state: where the line ends; the hand may be over there.
            hands: ``(n, hole)`` card codes of the seat; none shares a card with the board.
            board: the cards dealt so far.
            seat: ACPC position.
        """
        found = np.ones((len(self.parts), len(hands)))
        played: list[Floats] = []
        for before, after in pairwise(self.way(state, board)):
            if before.node == 0:
                dealt = board[: before.num_board_cards]
                played = [part.round_probabilities(before, hands, dealt, seat) for part in self.parts]
            if before.actor == seat:
                letter = after.line_string.rstrip("/")[-1]
                number = self.betting.rounds[before.round].action_index[before.node, ACTIONS.index(letter)]
                found *= [each[number] for each in played]
        return found
