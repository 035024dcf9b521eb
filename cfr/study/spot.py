"""Spots as people ask for them: from a board, a betting line and ranges in words to an exact solution."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from cfr.game.betting import BettingTree
from cfr.game.cards import parse_cards
from cfr.game.rules import Game
from cfr.game.words import ROUND_NAMES
from cfr.solver.solve_spot import SpotResult, SpotSettings
from cfr.solver.solve_spot import solve_spot as solve_settings
from cfr.strategy.spot import Spot, line_with_pot, parse_range
from cfr.strategy.strategy import Floats, SpotRange, Spots
from cfr.study.chart import svg
from cfr.subgame.fixed_play import fixed_play
from cfr.subgame.lock import parse_lock
from cfr.subgame.spot_solver import SpotSolver
from cfr.subgame.values import MOST_BOARDS, SpotValues, boards_to_come, expected_values
from cfr.system.cores import usable_cores
from cfr.system.errors import UnknownSpotError


@dataclass(frozen=True, kw_only=True)
class SolvedSpot(SpotResult):
    """An exact solution of a spot and of all that follows; see :class:`cfr.solver.solve_spot.SpotResult`.

    Boards and lines are whole, as for every strategy; without both, the spot itself is meant.
    """

    @property
    def exploitability(self) -> float:
        """In percent of the pot, by exact best response."""
        return self.exploitability_percent_of_pot

    def probabilities(self, hand: str, board: str = "", line: str = "") -> dict[str, float]:
        """What to do with a hand; see :meth:`cfr.strategy.strategy.Spots.probabilities`."""
        return self.strategy.probabilities(hand, board, line)

    def range(self, board: str = "", line: str = "", seat: int | None = None) -> SpotRange:
        """All hands; see :meth:`cfr.strategy.strategy.Spots.range`."""
        return self.strategy.range(board, line, seat)

    def values(self, board: str = "", line: str = "", seat: int | None = None) -> SpotValues:
        """All hands with what they win; see :func:`cfr.expected_values`."""
        return expected_values(self.strategy, board, line, seat)

    def save(self, path: str | Path) -> None:
        """Write the strategy file; raises SaveError."""
        self.strategy.save(path)

    def _repr_html_(self) -> str:
        """The numbers and the chart, for notebooks."""
        lines = str(self).splitlines()
        return "<p>" + "<br>".join(lines) + f"</p>{svg(self.strategy)}"


def make_spot(
    board: str,
    line: str | None = None,
    *,
    game: Game | None = None,
    strategy: Spots | None = None,
    button: str | Floats | None = None,
    big_blind: str | Floats | None = None,
    pot: int | None = None,
) -> Spot:
    """A spot from words.

    Args:
        board: the cards dealt so far, such as ``Td9d6hQc``.
        line: the actions so far, such as ``rrc/rc/``; None for one that enters the board's round with ``pot``.
        game: the rules; default, the strategy's, else full hold'em.
        strategy: plays along the line and so gives both ranges that are not given.
        button, big_blind: range notation or ``(H,)`` weights; default, the strategy's range, else any two cards.
        pot: chips in the pot where the line is not given, or has to agree.

    Raises:
        MalformedTextError, IllegalActionError: text that cannot be read or played.
        UnknownSpotError: cards, line, pot and ranges that do not fit each other.
    """
    rules = game or (strategy.game if strategy is not None else Game.bundled("hulhe"))
    if strategy is not None and strategy.game.text() != rules.text():
        raise UnknownSpotError(f"the strategy is for {strategy.game.name}, not for {rules.name}")
    betting, cards = BettingTree(rules), parse_cards(board)
    if line is None:
        if pot is None:
            raise UnknownSpotError("say how the hand came here: a line such as rrc/rc/, or the pot")
        shown = [sum(rules.num_board_cards[: r + 1]) for r in range(rules.num_rounds)]
        if len(cards) not in shown[1:]:
            raise UnknownSpotError(f"board {board!r}: {len(cards)} cards; expected {' or '.join(map(str, shown[1:]))}")
        line = line_with_pot(betting, shown.index(len(cards)), pot)
    state = betting.parse(line)
    if state.is_over:
        raise UnknownSpotError(f"line {line!r}: the hand is over, there is nobody to act")
    if len(cards) != state.num_board_cards:
        raise UnknownSpotError(
            f"board {board!r}: {len(cards)} cards, but after line {line!r} there are {state.num_board_cards}"
        )
    if pot is not None and sum(state.stakes) != pot:
        raise UnknownSpotError(f"pot {pot}: after line {line!r} there are {sum(state.stakes)} chips in it")
    foreign = [card for card in cards if card not in rules.deck]
    if foreign:
        raise UnknownSpotError(f"board {board!r}: not all cards are in the deck of {rules.name}")
    if (boards := boards_to_come(state)) > MOST_BOARDS:
        raise UnknownSpotError(
            f"{ROUND_NAMES[state.round]} spots of {rules.name} are too large: {boards:,} boards can follow; "
            "say a board of a later round, or use cfr solve with buckets"
        )
    ranges = np.empty((2, rules.num_hands))
    button_seat = rules.first_players[0]
    for seat in (0, 1):
        given = button if seat == button_seat else big_blind
        if given is None:
            ranges[seat] = 1.0 if strategy is None else strategy.reach(state, cards, seat)
        else:
            ranges[seat] = parse_range(rules, given) if isinstance(given, str) else given
    return Spot(state, cards, ranges)


def solve_spot(
    board: str,
    line: str | None = None,
    *,
    game: Game | None = None,
    strategy: Spots | None = None,
    button: str | Floats | None = None,
    big_blind: str | Floats | None = None,
    pot: int | None = None,
    target: float | None = None,
    iterations: int | None = None,
    minutes: float | None = None,
    locks: Sequence[str] = (),
    threads: int | None = None,
    out: str | Path | None = None,
    progress: bool = False,
) -> SolvedSpot:
    """Solve a spot of any round without buckets.

    Args:
        board, line, game, strategy, button, big_blind, pot: the spot, see :func:`make_spot`.
        target: exploitability in percent of the pot that is enough; default, 0.1 unless another limit is given.
        iterations, minutes: when to stop at the latest.
        locks: decisions that are held, see :func:`cfr.subgame.lock.parse_lock`.
        threads: how many; default, all that the process may use. The result does not depend on it.
        out: a strategy file to write.
        progress: show a bar on stderr.

    Raises:
        CfrError: a spot that cannot be solved, or a file that cannot be written.
    """
    spot = make_spot(board, line, game=game, strategy=strategy, button=button, big_blind=big_blind, pot=pot)
    settings = SpotSettings(
        spot=spot,
        target_percent=target,
        iterations=iterations,
        minutes=minutes,
        locks=tuple(parse_lock(spot, text) for text in locks),
        threads=threads or usable_cores(),
        out=None if out is None else Path(out),
    )
    return SolvedSpot(**vars(solve_settings(settings, progress)))


def blueprint_percent(strategy: Spots, spot: Spot, threads: int = 1) -> float:
    """How exploitable a strategy is from a spot on, in percent of the pot, by exact best response over all boards.

    Raises:
        UnknownSpotError: a strategy that answers spot by spot only.
    """
    solver = SpotSolver(spot, threads)
    return 100 * solver.measure(fixed_play(strategy.source, solver)).exploitability / spot.pot
