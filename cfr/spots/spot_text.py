"""Spots from a board, a betting line and ranges in words."""

from __future__ import annotations

import numpy as np

from cfr.game.betting import BettingTree
from cfr.game.cards import parse_cards
from cfr.game.line_text import read_line
from cfr.game.ranges import Range
from cfr.game.rules import NamedGame, game_of
from cfr.game.words import ROUND_NAMES
from cfr.strategy.spot import Spot, line_with_pot, range_weights
from cfr.strategy.strategy import BaseStrategy, Floats, check_opened
from cfr.system.checks import check_text, check_whole
from cfr.system.errors import BadInputError
from cfr.system.text import counted
from cfr.values.expected_values import MOST_BOARDS, boards_to_come


def make_spot(
    board: str,
    line: str | None = None,
    *,
    game: NamedGame | None = None,
    strategy: BaseStrategy | None = None,
    button: str | Range | Floats | None = None,
    big_blind: str | Range | Floats | None = None,
    pot: int | None = None,
) -> Spot:
    """A spot from words.

    Args:
        board: the cards dealt so far, such as ``Td9d6hQc``.
        line: the actions so far, such as ``rrc/rc/``; None for a line that enters the board's round with ``pot``.
        game: the rules, or a bundled game's name, or the path of a ``.game`` file; default, the strategy's, else full
            hold'em.
        strategy: plays along the line; its ranges replace ranges that are not given.
        button, big_blind: range notation, a ``Range``, or ``(H,)`` weights from 0 to 1; default, the strategy's range,
            else any two cards.
        pot: chips in the pot; a given line must agree with the pot. A strategy's range needs the line.

    Raises:
        MalformedTextError, IllegalActionError: text that cannot be read or played, or weights that are no range.
        BadInputError: cards, line, pot and ranges that do not fit each other.
    """
    if strategy is not None:
        check_opened(strategy)
    if line is not None:
        check_text("line", line, "rrc/rc/")
    if pot is not None:
        check_whole("pot", pot)
    if game is None:
        game = "hulhe" if strategy is None else strategy.game
    rules = game_of(game)
    if strategy is not None and strategy.game.text() != rules.text():
        raise BadInputError(f"the strategy is for {strategy.game.name}, not for {rules.name}")
    betting, cards = BettingTree(rules), parse_cards(board)
    if line is None:
        if pot is None:
            raise BadInputError("say how the hand came here: a line such as rrc/rc/, or the pot")
        if strategy is not None and (button is None or big_blind is None):
            raise BadInputError(
                f"pot {pot}: several lines can come to it, and a strategy's ranges depend on the line; say the line "
                "(line=), or both ranges (button=, big_blind=)"
            )
        shown = [sum(rules.num_board_cards[: r + 1]) for r in range(rules.num_rounds)]
        if not shown[1:]:
            raise BadInputError(f"{rules.name} deals no board; say the line")
        if len(cards) not in shown[1:]:
            raise BadInputError(
                f"board {board!r}: {counted(len(cards), 'card')}; expected {' or '.join(map(str, shown[1:]))}"
            )
        line = line_with_pot(betting, shown.index(len(cards)), pot)
    state = read_line(betting, line)
    if state.is_over:
        raise BadInputError(f"line {line!r}: the hand is over, there is nobody to act")
    if len(cards) != state.num_board_cards:
        raise BadInputError(
            f"board {board!r}: {counted(len(cards), 'card')}, but after line {line!r} there are {state.num_board_cards}"
        )
    if pot is not None and sum(state.stakes) != pot:
        raise BadInputError(f"pot {pot}: after line {line!r} there are {sum(state.stakes)} chips in it")
    foreign = [card for card in cards if card not in rules.deck]
    if foreign:
        raise BadInputError(f"board {board!r}: not all cards are in the deck of {rules.name}")
    if (boards := boards_to_come(state)) > MOST_BOARDS:
        raise BadInputError(
            f"{ROUND_NAMES[state.round]} spots of {rules.name} are too large: {boards:,} boards can follow; "
            "say a board of a later round, or use cfr solve with buckets"
        )
    ranges = np.empty((2, rules.num_hands))
    button_seat = rules.button
    for seat in (0, 1):
        given = button if seat == button_seat else big_blind
        if given is None:
            ranges[seat] = 1.0 if strategy is None else strategy.reach(state, cards, seat)
            if not ranges[seat].any():
                name, flag = ("button", "button=") if seat == button_seat else ("big blind", "big_blind=")
                raise BadInputError(
                    f"line {line!r}: the {name} never comes there by its strategy, its range has no hand; give one by "
                    f"{flag}any, or take another strategy"
                )
        else:
            ranges[seat] = range_weights(rules, given)
    return Spot(state, cards, ranges)
