"""A strategy that re-solves: a blueprint, and from some round on a new solve on each board, without buckets."""

from __future__ import annotations

from collections import OrderedDict
from contextlib import suppress
from dataclasses import asdict
from threading import Lock
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cfr.game.betting import State
from cfr.game.words import ROUND_NAMES
from cfr.hands.boards import BoardMap
from cfr.hands.isomorphism import permuted_suits
from cfr.kernel.builds import dtype_for, lanes
from cfr.resolving.gadget import Certificate
from cfr.resolving.resolved_line import ResolvedLine
from cfr.resolving.resolver import Effort, Resolver, Subgames, certificates, rounded_reach
from cfr.resolving.seat_solution import SeatSolution
from cfr.resolving.target_values import target_values
from cfr.strategy.position import Position
from cfr.strategy.strategy import HELD_BYTES, BaseStrategy, Cards, Floats
from cfr.strategy.whole import check_whole
from cfr.system.bounded_cache import BoundedCache
from cfr.system.cores import usable_cores
from cfr.system.disk.cache import fingerprint
from cfr.system.errors import BadInputError
from cfr.system.progress import Progress, heard

_METHOD = "3"  # of re-solving; a new one makes old solutions in the cache, and old logs, those of something else
_CACHED_BYTES = 4_000_000_000  # on disk
_IN_MEMORY = 12  # solutions; a turn's takes 12 MB


class Resolving(BaseStrategy):
    """A blueprint that is re-solved at the start of a round, once a hand, for each seat by itself.

    A re-solving strategy is one fixed strategy: its play depends on the public cards, the betting line, the blueprint
    and the effort alone. Hands that the blueprint never brings to a spot play like the blueprint.

    Args:
        blueprint: a strategy file or a built-in.
        from_: the round that is re-solved, with all that follows it: ``flop``, ``turn`` or ``river``.
        effort: the work of each re-solve.
        threads: number of threads; default, all that the process may use. The play does not depend on threads.
        keeps: whether to keep solutions in the cache on disk.

    Attributes:
        effort: the argument ``effort``.

    Raises:
        BadInputError: a round that the game does not have, or a blueprint that is not whole, such as a solved spot.
    """

    re_solved_from: int

    def __init__(
        self,
        blueprint: BaseStrategy,
        from_: str = "turn",
        effort: Effort | None = None,
        threads: int | None = None,
        keeps: bool = True,
    ) -> None:
        check_whole(blueprint, f"re-solving {getattr(blueprint, 'path', None) or type(blueprint).__name__}")
        self._trunk = blueprint
        self.hears = None
        self.game, self.betting = blueprint.game, blueprint.betting
        self.re_solved_from = round_from(blueprint, from_)
        self.effort = effort or Effort()
        self.is_suit_blind = blueprint.is_suit_blind
        self._threads = threads or usable_cores()
        self._boards = BoardMap(self.game.num_board_cards[1 : self.re_solved_from + 1], self.game.deck)
        self._cache = BoundedCache("resolved", _CACHED_BYTES) if keeps else None
        self._solved: OrderedDict[tuple[str, tuple[int, ...], int], SeatSolution | None] = OrderedDict()
        self._solving = Lock()

    def __reduce__(self) -> tuple[Any, ...]:
        kept = self._cache is not None
        return Resolving, (self.trunk, ROUND_NAMES[self.re_solved_from], self.effort, 1, kept)

    @property
    def trunk(self) -> BaseStrategy:
        return self._trunk

    @property
    def blueprint(self) -> BaseStrategy:
        return self.trunk.blueprint

    @property
    def hears(self) -> Progress | None:
        return self._hears

    @hears.setter
    def hears(self, hears: Progress | None) -> None:
        self._hears = self.trunk.hears = hears

    def re_solves(self, round_: int) -> bool:
        return super().re_solves(round_) or self.trunk.re_solves(round_)

    @property
    def opening_values(self) -> None:
        return None

    @property
    def identity(self) -> dict[str, str]:
        own = {"resolve": ROUND_NAMES[self.re_solved_from], "method": _METHOD, "effort": repr(asdict(self.effort))}
        return self.trunk.identity | own

    def hold_tables(self, most: int = HELD_BYTES) -> None:
        self.trunk.hold_tables(most)

    def hold_rows(self, threads: int = 1) -> None:
        self.trunk.hold_rows(threads)

    def close(self) -> None:
        self.trunk.close()

    def distribution(self, state: State, hand: Cards, board: Cards) -> tuple[float, float, float]:
        if state.round < self.re_solved_from:
            return self.trunk.distribution(state, hand, board)
        fold, call, raise_ = self.all_hands(state, board)[self.game.hand_number(tuple(hand))].tolist()
        return fold, call, raise_

    def all_hands(self, state: State, board: Cards) -> Floats:
        played = self.trunk.all_hands(state, board)
        if state.round < self.re_solved_from:
            return played
        entry, canonical, suits = self._canonical(state, board)
        solution = self._solution(entry, canonical, state.actor)
        if solution is not None:
            images = self._boards.permute_hands(self.game.hands)[suits]
            there = permuted_suits(board, suits, self.game.num_suits)
            held = solution.own[images] > 0
            played[held] = solution.all_hands(state, there)[images[held]]
        return played

    def round_probabilities(
        self, entry: State, hands: NDArray[np.uint8], board: Cards, seat: int | None = None
    ) -> Floats:
        if entry.round < self.re_solved_from:
            return self.trunk.round_probabilities(entry, hands, board, seat)
        numbers = self.game.hand_numbers(hands)
        found = np.zeros((self.betting.rounds[entry.round].node_actions, len(hands)))
        for state in entry.decisions(seat):
            index = self.betting.rounds[state.round].action_index[state.node]
            found[index[index >= 0]] = self.all_hands(state, board)[numbers][:, index >= 0].T
        return found

    def below(self, state: State, board: Cards) -> tuple[BaseStrategy, Cards, NDArray[np.intp]]:
        if state.round < self.re_solved_from:
            raise BadInputError(f"line {state.line_string!r}: what follows is solved anew on each board")
        entry, canonical, suits = self._canonical(state, board)
        solutions = [self._solution(entry, canonical, seat) for seat in (0, 1)]
        if solutions[0] is None and solutions[1] is None:
            return self.blueprint, board, np.arange(self.game.num_hands)
        both = ResolvedLine(self, self.blueprint, solutions)
        images = self._boards.permute_hands(self.game.hands)[suits].astype(np.intp)
        return both, permuted_suits(board, suits, self.game.num_suits), images

    def certificate(self, state: State, board: Cards) -> Certificate | None:
        """The certificate of the play at a state; None where the blueprint plays."""
        if state.round < self.re_solved_from:
            return None
        entry, canonical, _ = self._canonical(state, board)
        solution = self._solution(entry, canonical, state.actor)
        return None if solution is None else solution.certificate

    def _canonical(self, state: State, board: Cards) -> tuple[State, tuple[int, ...], int]:
        """The state that began the re-solved round, its canonical board, and the suit permutation to this board."""
        entry = state.round_start(self.re_solved_from)
        number, permutation = self._boards.locate(np.array([board[: entry.num_board_cards]], np.uint8))
        return entry, tuple(self._boards.indexer.unindex(number)[0].tolist()), int(permutation[0])

    def _solution(self, entry: State, board: tuple[int, ...], seat: int) -> SeatSolution | None:
        """A seat's play from a state on; None where the blueprint never brings the seat to the state."""
        key = entry.line_string, board, seat
        with self._solving:  # a second thread at a spot waits for the solution of the first
            if key not in self._solved:
                self._solved[key] = self._found(entry, board, seat)
                while len(self._solved) > _IN_MEMORY:
                    self._solved.popitem(last=False)
            self._solved.move_to_end(key)
            return self._solved[key]

    def _found(self, entry: State, board: tuple[int, ...], seat: int) -> SeatSolution | None:
        position = self.trunk.at(entry, board)
        own = rounded_reach(position.reach(seat))
        if not own.any():
            return None
        name = ""
        if self._cache is not None:
            width = lanes(dtype_for(self.game))  # of this machine's tables; others lay theirs out in another way
            name = fingerprint(sorted(self.identity.items()), board, entry.line_string, seat, width)
            arrays = self._cache.load(name)
            if arrays is not None:
                with suppress(KeyError, TypeError):  # a foreign file is written again
                    return SeatSolution.of_arrays(entry, board, seat, arrays)
        targets = self.trunk.known_targets(entry, board, seat, own)
        solution = resolve(position, seat, self.effort, self._threads, targets, self.hears)
        if self._cache is not None:
            self._cache.save(name, solution.arrays())
        return solution


def resolve(
    position: Position[BaseStrategy],
    seat: int,
    effort: Effort,
    threads: int = 1,
    targets: Floats | None = None,
    hears: Progress | None = None,
) -> SeatSolution:
    """Re-solve a seat's play from where the board's round begins; the seat's range must not be empty.

    ``position`` is that of the strategy that is re-solved.

    ``targets`` are ``(H,)`` target values of the opponent's hands; default, those of a best response to the blueprint.
    ``hears`` is told the share that is done: 0 when the solve begins, 1 when it ends, also with an error.
    """
    entry, board = position.state, position.board
    with heard(hears) as share:
        own, expected = (position.reach(each)[None] for each in (seat, 1 - seat))
        if targets is None:
            targets = target_values(position.strategy.blueprint, [entry], board, seat, own, threads)[0]
        resolver = Resolver(Subgames([entry], board, seat, own, expected, targets[None]), effort, threads)
        resolver.solve(share)
        certified = certificates(resolver.subgames, resolver.best_response())
    own, river_rows = resolver.subgames.own[0], resolver.rows.river_rows
    return SeatSolution(entry, board, seat, own, resolver.averages, river_rows, certified[0])


def round_from(strategy: BaseStrategy, name: str) -> int:
    """The number of a round to re-solve from; raises BadInputError."""
    known = ROUND_NAMES[1 : strategy.game.num_rounds]
    if not known:
        raise BadInputError(f"re-solving: {strategy.game.name} has one round, there is no later one to solve anew")
    if name not in known:
        raise BadInputError(f"re-solving from {name!r}; expected {' or '.join(known)} in {strategy.game.name}")
    return ROUND_NAMES.index(name)
