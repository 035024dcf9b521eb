"""Exact all-in equity, over every run-out of the board and every pair of hands that can be dealt together.

One board of each suit-isomorphism class stands for its orbit before the flop. Its hands are sorted once, and all suit
permutations of both ranges are weighed side by side. Permutations that give the same two ranges are weighed once.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations
from math import comb

import numpy as np
from numpy.typing import NDArray
from tqdm import tqdm

from cfr._native import deals as _deals
from cfr._native import equity as _equity
from cfr.game.cards import format_cards, parse_cards
from cfr.game.evaluate import strengths
from cfr.game.notebook import lines_html
from cfr.game.ranges import Range
from cfr.game.rules import Game
from cfr.hands.boards import BoardMap
from cfr.system.checks import check_text, check_threads
from cfr.system.cores import usable_cores
from cfr.system.errors import BadInputError
from cfr.system.text import counted

Weights = NDArray[np.float64]
Side = str | Range | Weights
_BOARDS_AT_A_TIME = 4096
_DIGITS = 12  # of a count of weighted hands
_PATIENCE = 0.5  # seconds without a bar
_FLOP_UNSEEN, _TURN_UNSEEN = 47, 46  # cards that a player does not see


@dataclass(frozen=True)
class EquityResult:
    """The first side's result: weighted counts of (pair of hands, run-out), and its share of the pot."""

    win: int | float
    lose: int | float
    tie: int | float
    equity: float

    def _repr_html_(self) -> str:
        """The text, for notebooks."""
        return lines_html(str(self))

    def __str__(self) -> str:
        return f"equity {100 * self.equity:.4f} %: wins {self.win:,}, loses {self.lose:,}, ties {self.tie:,}"


@dataclass(frozen=True)
class Outs:
    """The next cards that put the hand behind in the lead, and its chances if both hands are known.

    Attributes:
        hand: the hand behind.
        cards: its outs; redraws of the other hand count in the equity, not here.
        unseen: cards in neither hand nor on the board.
        next_card: chance that the next card is an out.
        by_river: chance that an out comes by the river.
    """

    hand: str
    cards: tuple[str, ...]
    unseen: int
    next_card: float
    by_river: float

    def __str__(self) -> str:
        cards = ": " + " ".join(self.cards) if self.cards else ""
        guess = classic_outs(len(self.cards), on_turn=self.unseen + 2 == _TURN_UNSEEN)
        return (
            f"{self.hand} is behind with {counted(len(self.cards), 'out')} of {self.unseen} cards{cards}\n"
            f"both hands known: {_chances(self.next_card, self.by_river)}\n"
            f"the other hand unknown, {self.unseen + 2} cards: {_chances(*guess)}"
        )


def equity(
    first: Side, second: Side, board: str = "", threads: int | None = None, *, progress: bool = False
) -> EquityResult:
    """Exact equity of one range against another.

    Args:
        first, second: a range, its text or its ``(1326,)`` weights from 0 to 1; a hand such as ``AhKh`` is a range.
        board: 0, 3, 4 or 5 cards.
        threads: default all cores; the result does not depend on it.
        progress: show a bar on stderr where it takes longer than half a second.

    Raises:
        MalformedTextError: a board or range that cannot be read, or wrong weights.
        BadInputError: a board of another length, or ranges without two hands that can be dealt together.

    >>> print(equity("AhKh", "QcQd"))
    equity 46.2145 %: wins 787,966, loses 917,606, ties 6,732
    """
    if threads is not None:
        check_threads(threads)
    cards = _board(board)
    first, second = _weights(first), _weights(second)
    game = Game.bundled("hulhe")
    hands, live = game.hands, game.live(cards)
    if not game.weight_apart(second * live)[(first > 0) & live].any():
        raise BadInputError("no hand of the one side can be dealt together with one of the other and the board")
    if len(cards) == 0:
        known = BoardMap((5,), Game.bundled("hulhe").deck)
        boards, times = known.boards, known.weights.astype(np.float64)
        # A hand on a canonical board stands for its image under each permutation, on the image of the board.
        lanes = known.permute_hands(hands)
        divisor = len(lanes)
        both, repeats = np.unique(np.hstack((first[lanes], second[lanes])), axis=0, return_counts=True)
        one, two = np.hsplit(both, 2)
        one, two = np.ascontiguousarray((one * repeats[:, None]).T), np.ascontiguousarray(two.T)
    else:
        rest = [card for card in range(52) if card not in cards]
        boards = np.array([[*cards, *more] for more in combinations(rest, 5 - len(cards))], np.uint8)
        times, divisor = np.ones(len(boards)), 1
        one, two = first[:, None], second[:, None]
    sides = np.asarray(one.any(axis=1) + 2 * two.any(axis=1), np.uint8)
    used = np.flatnonzero(sides)
    one, two, sides, hands = one[used], two[used], sides[used], hands[used]
    out = np.zeros((len(boards), 3))
    total = len(boards) if len(used) else 0
    with tqdm(desc="equity", total=total, unit="boards", disable=not progress, delay=_PATIENCE, leave=False) as bar:
        for start in range(0, total, _BOARDS_AT_A_TIME):
            part = slice(start, start + _BOARDS_AT_A_TIME)
            _compare(boards[part], hands, one, two, sides, threads or usable_cores(), out[part])
            bar.update(len(boards[part]))
    win, lose, tie = (float(count) / divisor for count in times @ out)
    if not win + lose + tie > 0:
        raise BadInputError("the weights are too small to be multiplied; weights of 0.000001 or more are fine")
    return EquityResult(_whole(win), _whole(lose), _whole(tie), (win + tie / 2) / (win + lose + tie))


def outs(first: Side, second: Side, board: str = "") -> Outs | None:
    """The outs of the hand that is behind on a flop or turn; None for ranges, other boards, ties and shared cards."""
    cards = _board(board)
    held = [np.flatnonzero(_weights(side)) for side in (first, second)]
    if len(cards) not in (3, 4) or any(len(side) != 1 for side in held):
        return None
    hands = Game.bundled("hulhe").hands[np.concatenate(held)]
    now = strengths([cards], hands)[0]
    if now[0] == now[1] or not now.all() or len(np.unique(hands)) < 4:
        return None
    behind, ahead = (0, 1) if now[0] < now[1] else (1, 0)
    rest = [card for card in range(52) if card not in cards and card not in hands]
    after = strengths([[*cards, card] for card in rest], hands)
    found = [card for card, values in zip(rest, after, strict=True) if values[behind] > values[ahead]]
    to_come = 5 - len(cards)
    return Outs(
        hand=format_cards(sorted(hands[behind].tolist(), reverse=True)),
        cards=tuple(format_cards([card]) for card in found),
        unseen=len(rest),
        next_card=len(found) / len(rest),
        by_river=_hit(len(found), len(rest), to_come),
    )


def classic_outs(count: int, on_turn: bool = False) -> tuple[float, float]:
    """Chances of ``count`` outs with the next card and by the river, as in the classic table.

    The table counts the cards that a player does not see: 47 on the flop, 46 on the turn. Raises BadInputError for
    a count that exceeds them.

    >>> [round(100 * chance) for chance in classic_outs(9)]
    [19, 35]
    """
    unseen = _TURN_UNSEEN if on_turn else _FLOP_UNSEEN
    if not 0 <= count <= unseen:
        raise BadInputError(f"{counted(count, 'out')}; expected 0 to {unseen}")
    return count / unseen, _hit(count, unseen, 1 if on_turn else 2)


def _chances(next_card: float, by_river: float) -> str:
    return f"{100 * next_card:.1f} % with the next card, {100 * by_river:.1f} % by the river"


def _weights(side: Side) -> Weights:
    if isinstance(side, str):
        side = Range.parse(side)
    return (side if isinstance(side, Range) else Range(side)).weights


def _hit(count: int, unseen: int, to_come: int) -> float:
    return 1 - comb(unseen - count, to_come) / comb(unseen, to_come)


def _board(text: str) -> tuple[int, ...]:
    check_text("board", text, "Td9d6h")
    cards = parse_cards(text)
    if len(cards) not in (0, 3, 4, 5):
        raise BadInputError(f"board {text!r}: {counted(len(cards), 'card')}; expected 0, 3, 4 or 5")
    return cards


def _compare(
    boards: NDArray[np.uint8],
    hands: NDArray[np.uint8],
    one: Weights,
    two: Weights,
    sides: NDArray[np.uint8],
    threads: int,
    out: Weights,
) -> None:
    shape = (len(boards), len(hands))
    live, group_end = np.empty(shape, np.int16), np.empty(shape, np.int16)
    live_count, group_count = np.empty(len(boards), np.int32), np.empty(len(boards), np.int32)
    no_slots = np.zeros(shape, np.int16)
    strength = strengths(boards, hands, threads)
    _deals.sort_by_strength(strength, no_slots, None, live, group_end, live_count, group_count)
    _equity.compare(live, live_count, group_end, group_count, hands.astype(np.int16), one, two, sides, threads, out)


def _whole(value: float) -> int | float:
    """The count without the rounding errors of its sum; an int if it is whole."""
    value = float(f"{value:.{_DIGITS}g}")
    return int(value) if value.is_integer() else value
