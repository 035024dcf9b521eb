"""A position: a spot of one strategy, on states and card codes; nothing here reads text but a hand's or a card's.

The data's way::

    door        strategy.at("Td9d6h", "rc/cr") reads board and line, once; strategy.at(state, cards) reads nothing
    chain       the positions from where the strategy begins to the spot, each holding the one before it
    kept        a position asks its strategy once what all hands do, and multiplies a seat's reach once, from the
                reach of the position before it
    onward      act and deal give the next positions, which share the chain and all that it keeps
    answers     probabilities, ranges, reach; cfr.expected_values(position) adds what hands win
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import pairwise
from operator import index
from typing import Generic, Protocol, TypeVar

import numpy as np
from numpy.typing import NDArray

from cfr.game.betting import BettingTree, State
from cfr.game.betting_round import ACTIONS
from cfr.game.cards import format_cards, parse_cards
from cfr.game.hand_classes import CLASS_NAMES, class_number, classes_of
from cfr.game.line_text import action_letter
from cfr.game.ranges import Range
from cfr.game.rules import Game
from cfr.game.spot_words import spot_words
from cfr.game.words import ACTION_NAMES
from cfr.strategy.spot_range import Floats, SpotRange, hand_names
from cfr.system.checks import check_text, shown
from cfr.system.errors import BadInputError, IllegalActionError, MalformedTextError

Cards = Sequence[int]


class Plays(Protocol):
    """The part of a strategy that a position asks; see :class:`cfr.strategy.strategy.BaseStrategy`."""

    game: Game
    betting: BettingTree

    def distribution(self, state: State, hand: Cards, board: Cards) -> tuple[float, float, float]: ...
    def all_hands(self, state: State, board: Cards) -> Floats: ...
    def entering(self, board: Cards, seat: int) -> Floats: ...
    def hand_entering(self, hand: Cards, board: Cards, seat: int) -> float: ...
    def known(self, hands: Sequence[Cards], seat: int) -> Sequence[Cards]: ...
    def way(self, state: State, board: Cards) -> list[State]: ...


T = TypeVar("T", bound=np.generic)
S_co = TypeVar("S_co", bound=Plays, covariant=True)


@dataclass(frozen=True, eq=False, repr=False)
class Position(Generic[S_co]):
    """A spot of one strategy. It asks the strategy when it is asked, and keeps the answers; nobody may write to them.

    >>> import cfr
    >>> position = cfr.BuiltIn("uniform").at("Td9d6h", "rc/c")
    >>> position
    <Position of uniform: button to act on the flop, board Td9d6h, pot 40 (4 bb)>
    >>> position.probabilities("AsKh")
    {'call': 0.5, 'raise': 0.5}
    >>> position.act("c").deal("2c").state.line_string
    'rc/cc/'

    Attributes:
        strategy: what is asked.
        state: the betting so far.
        board: codes of the cards dealt so far.
    """

    strategy: S_co
    state: State
    board: tuple[int, ...]
    _came_from: Position[S_co] | None = None
    _reach: dict[int, Floats] = field(default_factory=dict, init=False)

    def __repr__(self) -> str:
        spot = f"line {self.state.line_string!r}" if self.state.is_over else spot_words(self.state, self.board)
        facts: dict[str, str] = self.strategy.facts() if hasattr(self.strategy, "facts") else {}
        name = facts.get("strategy", type(self.strategy).__name__)
        return f"<Position of {name}: {spot}>"

    @cached_property
    def before(self) -> Position[S_co] | None:
        """The position before the last action or card; None where the strategy begins."""
        found = self._came_from
        if found is None:
            for state in self.strategy.way(self.state, self.board)[:-1]:
                found = Position(self.strategy, state, self.board[: state.num_board_cards], found)
        return found

    def act(self, action: str) -> Position[S_co]:
        """The position after ``f``, ``c`` or ``r``, or a word such as ``raise`` or ``check``.

        :meth:`deal` gives the position the cards that the next round begins with.

        Raises:
            IllegalActionError: an action that the rules do not allow here.
        """
        if not isinstance(action, str):
            raise IllegalActionError(f"action: {shown(action)}; expected f, c or r")
        letter = action if action in self.state.legal else action_letter(action, self.state) or action
        return Position(self.strategy, self.state.act(letter), self.board, self)

    def deal(self, cards: str | Cards) -> Position[S_co]:
        """The position after cards of the board, as text or codes.

        Raises:
            MalformedTextError: text that cannot be read.
            BadInputError: cards that are not due, not in the deck or on the board.
        """
        codes = parse_cards(cards) if isinstance(cards, str) else codes_of(cards)
        due, deck = self.state.num_board_cards - len(self.board), self.strategy.game.deck.tolist()
        if len(codes) != due:
            raise BadInputError(f"cards {format_cards(codes)!r}: {len(codes)}, but {due} are due here")
        if any(card not in deck or card in self.board for card in codes) or len(set(codes)) < due:
            raise BadInputError(f"cards {format_cards(codes)!r}: expected cards of the deck, each of them once")
        return Position(self.strategy, self.state, (*self.board, *codes), self)

    @cached_property
    def children(self) -> dict[str, Position[S_co]]:
        """The positions after the legal actions, by their letters."""
        return {letter: self.act(letter) for letter in self.state.legal}

    def after(self, line: str) -> Position[S_co]:
        """The position after more actions of this round, in ACPC letters.

        Raises:
            IllegalActionError: an action that the rules do not allow there.
        """
        check_text("line", line, "cr")
        found = self
        for letter in line:
            found = found.children.get(letter) or found.act(letter)
        return found

    def ends(self) -> list[Position[S_co]]:
        """The positions after this round's betting, before the cards of the next one, by ascending line."""
        waiting, found = [self], []
        while waiting:
            here = waiting.pop()
            if here.state.round > self.state.round:
                found.append(here)
            elif not here.state.is_over:
                waiting += here.children.values()
        return sorted(found, key=lambda each: each.state.line)

    @cached_property
    def frequencies(self) -> Floats:
        """``(H, 3)`` probabilities of fold, call and raise; 0 where illegal, and for hands that the board blocks.

        Raises:
            BadInputError: the hand is over, or a card is due.
        """
        self._check_asked()
        return _kept(self.strategy.all_hands(self.state, self.board))

    def reach(self, seat: int | str) -> Floats:
        """``(H,)`` the product of a seat's own probabilities along the line; 0 for hands that the board blocks.

        Seats of this method and the next two are as in :meth:`range`.
        """
        if type(seat) is not int or seat not in self._reach:  # what is kept is found at once
            seat = self.strategy.game.seat(seat)
            if seat not in self._reach:
                self._reach[seat] = _kept(self._find_reach(seat))
        return self._reach[seat]

    def _find_reach(self, seat: int) -> Floats:
        before = self.before
        if before is None:
            return self.strategy.entering(self.board, seat)
        reach = before.reach(seat)
        if before._acts(seat, self):
            reach = reach * before.frequencies[:, _taken(self.state)]
        return reach * self.live if len(self.board) > len(before.board) else reach

    def presumed(self, seat: int | str) -> Floats:
        """``(H,)`` the reach if all hands had taken each action on the line that no hand of the seat takes."""
        seat, way = self.strategy.game.seat(seat), self.way
        reach = self.strategy.entering(way[0].board, seat) * self.live
        for before, after in pairwise(way):
            if before._acts(seat, after):
                taken = reach * before.frequencies[:, _taken(after.state)]
                reach = taken if taken.any() else reach
        return reach

    def expected(self, seat: int | str) -> Floats:
        """``(H,)`` how often a seat's hands are expected here: its reach, or the presumed range where no hand comes."""
        reach = self.reach(seat)
        return reach if reach.any() else self.presumed(seat)

    def reach_of(self, hand: Cards) -> float:
        """:meth:`reach` of one hand of the seat to act, without asking for the others; card codes, unchecked."""
        way, seat = self.way, self.state.actor
        reach = self.strategy.hand_entering(hand, self.board, seat)
        for before, after in pairwise(way):
            if before._acts(seat, after):
                reach *= before.distribution(hand)[_taken(after.state)]
        return reach

    @property
    def way(self) -> list[Position[S_co]]:
        """The positions from where the strategy begins to this one."""
        found = [self]
        while found[-1].before is not None:
            found.append(found[-1].before)
        return found[::-1]

    @cached_property
    def live(self) -> NDArray[np.bool_]:
        """``(H,)`` hands that share no card with the board."""
        return _kept(self.strategy.game.live(self.board))

    def distribution(self, hand: Cards) -> tuple[float, float, float]:
        """Probabilities of fold, call and raise with one hand; card codes, unchecked."""
        return self.strategy.distribution(self.state, hand, self.board)

    def mix_and_reach(self, hands: Sequence[Cards]) -> tuple[tuple[float, ...], float]:
        """Probabilities of fold, call and raise with any of some hands, by their reach, and their mean reach.

        Where none of them reaches the spot, all count alike: it is what they would do. Cards are codes, unchecked.

        Raises:
            BadInputError: the hand is over, a card is due, or the strategy knows none of the hands in the seat to act.
        """
        self._check_asked()
        known = self.strategy.known(hands, self.state.actor)
        reach = [self.reach_of(hand) for hand in known]
        mean = reach[0] if len(reach) == 1 else float(np.mean(reach))
        return self._mix(known, reach), mean if len(known) == len(hands) else mean * len(known) / len(hands)

    def probabilities(self, hand: str) -> dict[str, float]:
        """Probabilities of the legal actions by name, as :meth:`BaseStrategy.probabilities` says."""
        self._check_asked()
        known = self.strategy.known(self.held(hand), self.state.actor)
        values = self._mix(known, [] if len(known) == 1 else [self.reach_of(each) for each in known])
        named = zip(ACTION_NAMES, ACTIONS, values, strict=True)
        return {name: value for name, letter, value in named if letter in self.state.legal}

    def _mix(self, hands: Sequence[Cards], reach: Sequence[float]) -> tuple[float, ...]:
        """The mean probabilities of hands by their reach, which one hand does not need."""
        mixes = [self.distribution(hand) for hand in hands]
        if len(mixes) == 1:
            return mixes[0]
        found: list[float] = np.average(mixes, axis=0, weights=reach if any(reach) else None).tolist()
        return tuple(found)

    def held(self, hand: str) -> list[tuple[int, ...]]:
        """Card codes of the hands that a text names: one, or those of a class that the board leaves.

        Raises:
            MalformedTextError: text that cannot be read.
            BadInputError: cards that do not fit the game or the board.
        """
        check_text("hand", hand, "AsKh")
        game = self.strategy.game
        classes = classes_of(hand_names(game))
        number = None if classes is None else class_number(hand)
        if classes is not None and number is not None:
            if CLASS_NAMES[number] not in classes.names:
                raise BadInputError(f"hand {hand!r}: the deck of {game.name} has no such cards")
            whole = classes.numbers == classes.names.index(CLASS_NAMES[number])
            members = [tuple(cards) for cards in game.hands[whole].tolist()]
            left = [cards for cards in members if not set(cards) & set(self.board)]
            if not left:
                raise BadInputError(f"hand {hand!r}: the board {format_cards(self.board)} leaves none")
            return left
        try:
            hole = parse_cards(hand)
        except MalformedTextError:
            if classes is not None and _is_range(hand):
                raise BadInputError(
                    f"hand {hand!r}: a range; expected one hand, such as AsKh, or one class, such as AKs"
                ) from None
            raise
        game.hand_number(hole)
        blocked = set(hole) & set(self.board)
        if blocked:
            raise BadInputError(f"hand {hand!r}: {format_cards(sorted(blocked))} is on the board, too")
        return [hole]

    def range(self, seat: int | str | None = None) -> SpotRange:
        """All hands of a seat, ``button`` or ``big blind`` (or its ACPC position); default, the seat to act.

        Raises:
            BadInputError: a seat that is none; the hand is over, or a card is due.
        """
        self._check_asked()
        state, game = self.state, self.strategy.game
        seat, of_live = state.actor if seat is None else game.seat(seat), self.live[:, None]
        acts = seat == state.actor
        reach = self.reach(seat)
        frequencies = self.frequencies * of_live if acts else np.where(of_live, np.full((1, 3), np.nan), 0)
        return SpotRange(
            seat,
            hand_names(game),
            reach.copy(),  # who has the range may write to it
            frequencies,
            state.legal if acts else "",
            None if reach.any() else self.presumed(seat),
            game.seat_names[seat],
            spot_words(state, self.board),
            self.live.copy(),
        )

    def _acts(self, seat: int, after: Position[S_co]) -> bool:
        """Whether an action of the seat leads from here to ``after``, not a card."""
        return self.state is not after.state and self.state.actor == seat

    def _check_asked(self) -> None:
        if self.state.is_over:
            raise BadInputError(f"line {self.state.line_string!r}: the hand is over, there is nobody to act")
        if (due := self.state.num_board_cards - len(self.board)) > 0:
            line = self.state.line_string
            raise BadInputError(f"line {line!r}: cards of the board are due: {due}; deal them first")

    def _repr_html_(self) -> str:
        """The hands of the seat to act, for notebooks."""
        return self.range()._repr_html_()


def codes_of(cards: Cards) -> tuple[int, ...]:
    """Codes of cards, as Python's whole numbers; raises BadInputError for what is none."""
    try:
        return tuple(map(index, cards))
    except TypeError:
        raise BadInputError(f"cards: {shown(cards)}; expected codes of cards, such as (51, 46)") from None


def _kept(values: NDArray[T]) -> NDArray[T]:
    """A view of values that several may have, and nobody may write to."""
    kept = values.view()
    kept.flags.writeable = False
    return kept


def _taken(after: State) -> int:
    """The number of the action that led to a state."""
    return ACTIONS.index(after.line_string.rstrip("/")[-1])


def _is_range(text: str) -> bool:
    """Whether a text is that of a range, such as ``QQ+``, and could not be a hand with a mistake in it."""
    if not set("+-,:") & set(text):
        return False
    try:
        Range.parse(text)
    except MalformedTextError:
        return False
    return True
