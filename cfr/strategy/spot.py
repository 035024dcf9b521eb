"""Spots that can be solved: the start of a subgame, and the range of each seat there."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cached_property, lru_cache

import numpy as np
from numpy.typing import ArrayLike, NDArray

from cfr.game.betting import BettingTree, State
from cfr.game.cards import format_cards, parse_cards
from cfr.game.hand_classes import NUM_HANDS
from cfr.game.range_text import read_weight
from cfr.game.ranges import Range, checked_weights
from cfr.game.rules import Game
from cfr.hands.isomorphism import board_symmetries, permute_hands
from cfr.kernel.builds import widths
from cfr.kernel.tree import Tree, build_tree, fitted_tree
from cfr.system.errors import BadInputError, CfrError, MalformedTextError

Floats = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Spot:
    """The start of a subgame.

    Attributes:
        state: the betting so far; a seat is to act.
        board: card codes.
        ranges: ``(2, H)`` weight of each seat's hands (ACPC positions), 0 for hands that the board blocks.
        tells_suits: whether something else than ranges tells suits apart, such as a lock on one hand.

    Raises:
        BadInputError: a range that the board leaves empty, or ranges without a possible pair of hands.
    """

    state: State
    board: tuple[int, ...]
    ranges: Floats
    tells_suits: bool = False

    def __post_init__(self) -> None:
        live = self.game.live(self.board)
        given, ranges = self.ranges, np.where(live, self.ranges, 0.0)
        ranges.flags.writeable = False
        object.__setattr__(self, "ranges", ranges)
        for seat, weights in enumerate(ranges):
            if not weights.any():
                blocked = "no hand that the board does not block" if given[seat].any() else "no hand"
                raise BadInputError(f"{self}: the {self.game.seat_names[seat]}'s range has {blocked}")
        if not self.pairs.any():
            raise BadInputError(f"{self}: every hand of one range shares a card with every hand of the other")

    def __str__(self) -> str:
        return f"spot {format_cards(self.board)} {self.state.line_string}".rstrip()

    @property
    def game(self) -> Game:
        """The rules."""
        return self.state.tree.game

    @property
    def pot(self) -> int:
        """Chips in the pot from both seats."""
        return sum(self.state.stakes)

    @property
    def path(self) -> str:
        """The actions of the spot's round that led to it."""
        return self.state.line_string.rpartition("/")[2]

    @property
    def held(self) -> NDArray[np.bool_]:
        """``(H,)`` bool: hands in either range."""
        found: NDArray[np.bool_] = self.ranges.max(axis=0) > 0
        return found

    @cached_property
    def pairs(self) -> Floats:
        """``(2, H)`` weight of each hand times the weight of the opponent's hands that share no card with it."""
        against = [self.game.weight_apart(weights) for weights in self.ranges[::-1]]
        pairs: Floats = self.ranges * against
        return pairs

    @property
    def mass(self) -> float:
        """The weight of all pairs of hands."""
        return float(self.pairs[0].sum())

    @cached_property
    def is_symmetric(self) -> bool:
        """Whether the board has a suit symmetry besides the identity, and nothing tells its suits apart."""
        return len(self.symmetries) > 1 and not self.tells_suits and self.treats_alike(self.ranges.T)

    def treats_alike(self, values: Floats) -> bool:
        """Whether ``(H, n)`` values stay the same under all suit symmetries of the board; NaN is a value."""
        images = permute_hands(self.game.hands, self.game.num_suits)[self.symmetries]
        return all(np.array_equal(values[image], values, equal_nan=True) for image in images)

    @cached_property
    def symmetries(self) -> np.ndarray:
        """Numbers of the suit permutations that keep the board's cards of each round."""
        return board_symmetries(self.board, self.game.num_board_cards, self.game.num_suits)

    def tree(self, dtype: np.dtype | type = np.float32) -> Tree:
        """The betting from the spot on, laid out for the kernel of ``dtype``.

        Callers share the tree; none may write to its arrays.
        """
        return _tree(self.game, self.state.round, self.state.line, self.path, widths(dtype))


@lru_cache(maxsize=16)
def _tree(game: Game, round_: int, line: int, path: str, of_widths: tuple[int, ...]) -> Tree:
    return fitted_tree(of_widths, lambda lanes: build_tree(game, lanes, round_, [line], path=path))


def line_with_pot(betting: BettingTree, round_: int, pot: int) -> str:
    """A betting line that enters a later round with ``pot`` chips in the pot; the first of the shortest lines.

    Raises:
        BadInputError: no line has this pot; the message lists the possible pots.
    """
    stakes = betting.stakes[round_]
    lines = [betting.line_text(round_, line) for line in np.flatnonzero(2 * stakes == pot).tolist()]
    if not lines:
        pots = sorted({2 * int(stake) for stake in stakes})
        raise BadInputError(
            f"pot {pot}: no betting line of {betting.game.name} enters this round with it; "
            f"pots are {', '.join(map(str, pots))} chips, of which the big blind is {max(betting.game.blinds)}"
        )
    return min(lines, key=len)


def parse_range(game: Game, text: str) -> Floats:
    """``(H,)`` weights of a game's hands from range notation; games of one-card hands take ``Ks,Qh:0.5``.

    Raises:
        MalformedTextError: text that cannot be read.
    """
    if game.num_hole_cards == 2:
        return range_weights(game, Range.parse(text))
    found = np.full(game.num_hands, -1.0)
    if not text.strip(" ,"):
        raise MalformedTextError("a range is empty; expected cards such as 'Ks,Qh:0.5'")
    for part in re.finditer(r"[^\s,]+", text):
        card, colon, given = part[0].partition(":")
        try:
            is_any = card.lower() in ("random", "any")
            hands = np.arange(game.num_hands) if is_any else np.array([game.hand_number(parse_cards(card))])
        except CfrError:
            raise MalformedTextError(f"range {text!r}: {part[0]!r}; expected cards such as Ks or Ks:0.5") from None
        where, position = f"range {text!r}: ", part.start() + 1
        weight = read_weight(given, where, part.end() - len(given) + 1) if colon else 1.0
        before = found[hands]
        if (other := before[(before >= 0) & (before != weight)]).size:
            raise MalformedTextError(
                f"{where}{card} at position {position} has weight {weight:g}, but {other[0]:g} before"
            )
        found[hands] = weight
    found[found < 0] = 0
    return found


def range_weights(game: Game, given: str | Range | ArrayLike) -> Floats:
    """``(H,)`` weights from 0 to 1 of a game's hands, from range notation, a ``Range`` or ``(H,)`` weights.

    Raises:
        MalformedTextError: text that cannot be read, a ``Range`` for a game of one-card hands, weights of another
            shape, or a weight that is not a number from 0 to 1.
    """
    if isinstance(given, str):
        return parse_range(game, given)
    if not isinstance(given, Range):
        return checked_weights(given, game.num_hands, lambda hand: format_cards(game.hands[hand, ::-1].tolist()))
    if game.num_hole_cards != 2:
        raise MalformedTextError(
            f"a Range has hands of two cards; expected {game.num_hands} weights of {game.name}, or text such as Ks:0.5"
        )
    whole = {hand: number for number, hand in enumerate(map(tuple, Game.bundled("hulhe").hands.tolist()))}
    weights = given.weights
    return weights if game.num_hands == NUM_HANDS else weights[[whole[tuple(h)] for h in game.hands.tolist()]]
