"""Questions that every strategy answers: what to do with a hand on a board after a betting line."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from itertools import pairwise
from os import PathLike
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from cfr.game.betting import ACTIONS, BettingTree, State
from cfr.game.cards import format_cards, parse_cards
from cfr.game.hand_classes import NUM_HANDS, class_hands, class_number
from cfr.game.line_text import read_line
from cfr.game.notebook import summary_html
from cfr.game.rules import Game
from cfr.game.spot_words import spot_words
from cfr.game.words import ACTION_NAMES
from cfr.kernel.tables import Source
from cfr.strategy.hand_table import HandTable
from cfr.system.closing import Closing
from cfr.system.errors import UnknownSpotError

Floats = NDArray[np.float64]
Cards = Sequence[int]


@dataclass(frozen=True)
class SpotRange:
    """All hands of a seat at a spot.

    >>> import cfr
    >>> spot = cfr.BuiltIn("uniform").range("Td9d6h", "rc/c")
    >>> spot.by_class().columns()["hand"][:3].tolist()
    ['AA', 'AKs', 'AQs']

    Attributes:
        seat: the seat that holds the hands.
        hands: ``(H,)`` names such as ``AhAs``; H is 1326 in hold'em.
        reach: ``(H,)`` the product of the seat's own probabilities along the line; 0 for hands that the board blocks.
        frequencies: ``(H, 3)`` of fold, call and raise; 0 where illegal, and for hands that the board blocks. The other
            hands have NaN if the seat is not to act.
        legal: letters of the legal actions; none if the seat is not to act.
        presumed: None where some hand reaches the spot; else ``(H,)`` :meth:`Spots.presumed_range`.
        seat_name: ``button`` or ``big blind``.
        spot: the spot in words.
        live: ``(H,)`` bool: hands that the board leaves; None for those with frequencies.
    """

    seat: int
    hands: NDArray[np.str_]
    reach: Floats
    frequencies: Floats
    legal: str = ACTIONS
    presumed: Floats | None = None
    seat_name: str = ""
    spot: str = ""
    live: NDArray[np.bool_] | None = None

    @property
    def is_played(self) -> bool:
        """Whether some hand reaches the spot; if none does, the frequencies say what the seat would do."""
        return self.presumed is None

    @property
    def shown(self) -> Floats:
        """``(H,)`` weights to show the hands by: the reach, or the presumed range."""
        return self.reach if self.presumed is None else self.presumed

    def sample(self, count: int, seed: int | None = None) -> NDArray[np.str_]:
        """``(count,)`` names of hands drawn by their reach, with replacement; the same seed draws the same.

        Raises:
            UnknownSpotError: no hand reaches the spot.
        """
        if not self.reach.any():
            raise UnknownSpotError("no hand gets to this spot, there is none to draw")
        return np.random.default_rng(seed).choice(self.hands, count, p=self.reach / self.reach.sum())

    def table(self) -> HandTable:
        """A row for each hand."""
        live = self.frequencies.sum(axis=1) != 0 if self.live is None else self.live
        return HandTable(self.hands, live.astype(np.int64), self.reach, self.shown, self.frequencies, self.legal)

    def by_class(self) -> HandTable:
        """A row for each of the 169 classes; raises UnknownSpotError if the hands are not hold'em's."""
        return self.table().by_class()

    def to_frame(self) -> Any:
        """:meth:`table` as a pandas ``DataFrame``; raises UnknownSpotError where pandas is not installed."""
        return self.table().to_frame()

    def facts(self) -> dict[str, str]:
        """What the whole range does, by name, in words."""
        facts = {"hands of": self.seat_name, "combos": f"{self.shown.sum():.1f}"}
        if not self.is_played:
            facts["never played"] = "no hand gets here; this is what the seat would do"
        if self.legal:
            total = self.shown @ self.frequencies / max(float(self.shown.sum()), 1e-300)
            mix = zip(ACTION_NAMES, ACTIONS, total.tolist(), strict=True)
            facts |= {name: f"{100 * share:.1f} %" for name, letter, share in mix if letter in self.legal}
        return facts

    def _repr_html_(self) -> str:
        """The spot in words and numbers, and the grid of hold'em's hands or another game's table, for notebooks."""
        table, is_holdem = self.table(), len(self.hands) == NUM_HANDS
        hands = table.by_class().grid_html() if is_holdem else table._repr_html_()
        return summary_html(self.spot, self.facts()) + hands


class Spots(Closing):
    """Base class of strategies: checks questions and answers them.

    Subclasses say what to do with one hand (:meth:`distribution`) and with all of them (:meth:`all_hands`).
    """

    game: Game
    betting: BettingTree
    is_whole = False  # whether it has a :attr:`source`
    re_solved_from: int | None = None  # the first round whose play is solved when it is asked for, if any
    is_suit_blind = True  # whether it plays isomorphic spots alike

    @property
    def blueprint(self) -> Spots:
        """What a strategy that re-solves starts from; any other is its own."""
        return self

    @property
    def trunk(self) -> Spots:
        """What plays before a strategy re-solves: its blueprint, with refined flops if it has them."""
        return self

    def re_solves(self, round_: int) -> bool:
        """Whether play in a round is solved when it is asked for."""
        return self.re_solved_from is not None and round_ >= self.re_solved_from

    @property
    def left_out(self) -> str:
        """Says that the last round is left out, and how to solve it; empty where it is not."""
        return ""

    @property
    def opening_values(self) -> Floats | None:
        """Chips that hands win behind each leaf of the first round, see :attr:`Strategy.opening_values`, or None."""
        return None

    @property
    def source(self) -> Source:
        """The strategy as a whole: which row every hand owns, and each round's probabilities by row.

        Raises:
            UnknownSpotError: the strategy answers spot by spot only (see :attr:`is_whole`).
        """
        raise UnknownSpotError("only strategy files and built-in strategies are read as a whole")

    @property
    def identity(self) -> dict[str, str]:
        """The strategy's name or checksum and its game, which identify results that are kept for later.

        Raises:
            UnknownSpotError: the strategy has neither a name nor a checksum.
        """
        raise UnknownSpotError("partial results are kept for files and built-in strategies only")

    def facts(self) -> dict[str, str]:
        """How the strategy was made and how good it is, by name, in words."""
        return {"game": self.game.name}

    def _repr_html_(self) -> str:
        """The facts and the first decision, for notebooks."""
        return summary_html(type(self).__name__, self.facts()) + self.range()._repr_html_()

    def shares_rows(self, other: Spots) -> bool:
        """Whether one table can hold this strategy and ``other``: rules fit any card abstraction."""
        return True

    def hold_tables(self, most: int) -> None:
        """Load each round's table of at most ``most`` bytes for many questions; a rule has no table."""

    def hold_rows(self, threads: int = 1) -> None:
        """Load the tables that place many hands in their rows, or compute them on ``threads`` if no cache has them."""

    def close(self) -> None:
        """Close what is open; a ``with`` block does so at its end."""

    @abstractmethod
    def distribution(self, state: State, hand: Cards, board: Cards) -> tuple[float, float, float]:
        """Probabilities of fold, call and raise at a state that is not over; cards are codes, unchecked."""

    @abstractmethod
    def all_hands(self, state: State, board: Cards) -> Floats:
        """``(H, 3)`` the same probabilities for all hands; 0 for hands that collide with the board."""

    def below(self, state: State, board: Cards) -> tuple[Spots, Cards, NDArray[np.intp]]:
        """A strategy that plays the same from a state on, and is whole there.

        Returns:
            The strategy, the board that it calls this one, and ``(H,)`` the hand that it calls each hand.

        Raises:
            UnknownSpotError: there is none.
        """
        return self, board, np.arange(self.game.num_hands)

    def known_targets(self, entry: State, board: Cards, seat: int, own: Floats) -> Floats | None:
        """Target values for a re-solve of a seat's play from a state on, where a round begins.

        Args:
            entry: the state.
            board: card codes.
            seat: the seat that is re-solved (ACPC position).
            own: ``(H,)`` reach of the seat's hands.

        Returns:
            ``(H,)`` chips that each hand of the other seat wins at most, summed over the seat's hands by their reach;
            None if they are not known, but to be found by best response against the blueprint.
        """
        return None

    def round_probabilities(
        self, entry: State, hands: NDArray[np.uint8], board: Cards, seat: int | None = None
    ) -> Floats:
        """``(node_actions, n)`` probabilities of what ``(n, hole)`` hands do in a whole round on one betting line.

        Args:
            entry: the state in which the round begins.
            hands: card codes; none shares a card with the board.
            board: the cards dealt so far.
            seat: whose decisions are wanted, where not both; the others may be 0.
        """
        found = np.zeros((self.betting.rounds[entry.round].node_actions, len(hands)))
        for state in entry.decisions(seat):
            numbers = self.betting.rounds[state.round].action_index[state.node]
            for column, hand in enumerate(hands.tolist()):
                played = self.distribution(state, hand, board)
                found[numbers[numbers >= 0], column] = [played[ACTIONS.index(letter)] for letter in state.legal]
        return found

    def probabilities(self, hand: str, board: str = "", line: str = "") -> dict[str, float]:
        """Probabilities of the actions with a hand.

        Args:
            hand: hole cards, such as ``AsKh``, or a class, such as ``AKs``: the mean of its hands by their reach.
            board: the cards dealt so far, such as ``Td9d6h``.
            line: the actions so far in ACPC letters, such as ``rc/cr``, or as :func:`cfr.game.line_text.read_line`
                reads them.

        Returns:
            Probabilities by ``fold``, ``call`` (or check) and ``raise`` (or bet); illegal actions are absent.

        Raises:
            MalformedTextError, IllegalActionError: text that cannot be read or played.
            UnknownSpotError: cards that do not fit the game, the line or each other.
        """
        state, cards = self.spot(board, line)
        values, _ = self.mix_and_reach(state, self.held(hand, cards), cards)
        return {
            name: value
            for name, letter, value in zip(ACTION_NAMES, ACTIONS, values, strict=True)
            if letter in state.legal
        }

    def held(self, hand: str, board: Cards) -> list[tuple[int, ...]]:
        """Card codes of the hands that a text names: one, or those of a class that the board leaves.

        Errors as in :meth:`probabilities`.
        """
        number = class_number(hand) if self.game.num_hands == NUM_HANDS else None
        if number is not None:
            members = [tuple(cards) for cards in self.game.hands[list(class_hands(number))].tolist()]
            left = [cards for cards in members if not set(cards) & set(board)]
            if not left:
                raise UnknownSpotError(f"hand {hand!r}: the board {format_cards(board)} leaves none")
            return left
        hole = parse_cards(hand)
        self.game.hand_number(hole)
        blocked = set(hole) & set(board)
        if blocked:
            raise UnknownSpotError(f"hand {hand!r}: {format_cards(sorted(blocked))} is on the board, too")
        return [hole]

    def mix_and_reach(self, state: State, hands: Sequence[Cards], board: Cards) -> tuple[tuple[float, ...], float]:
        """Probabilities of fold, call and raise with any of some hands, by their reach, and their mean reach.

        Where none of them reaches the spot, all count alike: it is what they would do. Cards are codes, unchecked.
        """
        mixes = [self.distribution(state, hand, board) for hand in hands]
        reach = np.array([self.reach_of(state, hand, board) for hand in hands])
        if len(hands) == 1:
            return mixes[0], float(reach[0])
        mean = np.average(mixes, axis=0, weights=reach if reach.any() else None)
        return tuple(mean.tolist()), float(reach.mean())

    def range(self, board: str = "", line: str = "", seat: int | str | None = None) -> SpotRange:
        """All hands at a spot; arguments and errors as in :meth:`probabilities`.

        Args:
            seat: the seat that holds the hands, ``button`` or ``big blind`` (or its ACPC position: 0 big blind, 1
                button); default, the seat to act.
        """
        return self.range_at(*self.spot(board, line), seat)

    def range_at(self, state: State, board: Cards, seat: int | str | None = None) -> SpotRange:
        """:meth:`range` at a state that is not over, on card codes that fit it."""
        names = self.game.seat_names
        if isinstance(seat, str) and seat in names:
            seat = names.index(seat)
        if isinstance(seat, str) or seat not in (None, 0, 1):
            raise UnknownSpotError(f"seat: {seat}; expected button or big blind, or 0 or 1")
        live = self._live(board)
        acts = seat is None or seat == state.actor
        seat = state.actor if seat is None else seat
        reach = self.reach(state, board, seat)
        of_live = live[:, None]
        frequencies = self.all_hands(state, board) * of_live if acts else np.where(of_live, np.full((1, 3), np.nan), 0)
        presumed = None if reach.any() else self.presumed_range(state, board, seat)
        legal = state.legal if acts else ""
        spot = spot_words(state, board)
        return SpotRange(seat, hand_names(self.game), reach, frequencies, legal, presumed, names[seat], spot, live)

    def walk(self, board: str = "", line: str = "") -> list[tuple[str, SpotRange]]:
        """Every decision on the way to a spot, and the spot itself: the line so far, and the hands of the seat to act.

        Arguments and errors as in :meth:`probabilities`.

        >>> [line for line, _ in BuiltIn("uniform").walk("Td9d6h", "rc/c")]
        ['', 'r', 'rc/', 'rc/c']
        """
        state, cards = self.spot(board, line)
        return [
            (each.line_string, self.range_at(each, cards[: each.num_board_cards])) for each in self._way(state, cards)
        ]

    def reach(self, state: State, board: Cards, seat: int) -> Floats:
        """``(H,)`` the product of a seat's own probabilities along the line; 0 for hands that the board blocks."""
        reach = self._entering(board, seat)
        for played in self._played(state, board, seat):
            reach = reach * played
        return reach

    def presumed_range(self, state: State, board: Cards, seat: int) -> Floats:
        """``(H,)`` the reach if all hands had taken each action on the line that no hand of the seat takes."""
        reach = self._entering(board, seat)
        for played in self._played(state, board, seat):
            taken = reach * played
            reach = taken if taken.any() else reach
        return reach

    def reach_of(self, state: State, hand: Cards, board: Cards) -> float:
        """:meth:`reach` of one hand of the seat to act; cards are codes, unchecked."""
        reach = self._hand_entering(hand, board, state.actor)
        for before, after in pairwise(self._way(state, board)):
            if before.actor == state.actor:
                reach *= self.distribution(before, hand, board[: before.num_board_cards])[_taken(after)]
        return reach

    def _played(self, state: State, board: Cards, seat: int) -> Iterator[Floats]:
        """``(H,)`` probabilities of each of a seat's actions along the line."""
        for before, after in pairwise(self._way(state, board)):
            if before.actor == seat:
                yield self.all_hands(before, board[: before.num_board_cards])[:, _taken(after)]

    def _entering(self, board: Cards, seat: int) -> Floats:
        """``(H,)`` weights of a seat's hands where the strategy begins; 0 for hands that the board blocks."""
        return self._live(board).astype(np.float64)

    def _hand_entering(self, hand: Cards, board: Cards, seat: int) -> float:
        """:meth:`_entering` of one hand."""
        return float(set(hand).isdisjoint(board))

    def _way(self, state: State, board: Cards) -> list[State]:
        """The states from where the strategy begins to ``state``; ``board`` is that of ``state``."""
        way = [self._first]
        for letter in state.line_string[len(self._first.line_string) :].replace("/", ""):
            way.append(way[-1].act(letter))
        return way

    @property
    def _first(self) -> State:
        return self.betting.root

    def _live(self, board: Cards) -> NDArray[np.bool_]:
        live: NDArray[np.bool_] = self.game.live(board)
        return live

    def spot(self, board: str, line: str) -> tuple[State, tuple[int, ...]]:
        """The state and the board's cards, checked against each other; errors as in :meth:`probabilities`."""
        state = read_line(self.betting, line)
        if state.is_over:
            raise UnknownSpotError(f"line {line!r}: the hand is over, there is nobody to act")
        cards = parse_cards(board)
        if len(cards) != state.num_board_cards:
            missing = state.num_board_cards - len(cards)
            add = f"add {missing} to the board" if missing > 0 else f"leave out {-missing}, or add to the line"
            raise UnknownSpotError(
                f"board {board!r}: {len(cards)} cards, but after line {line!r} there are {state.num_board_cards}; {add}"
            )
        foreign = [card for card in cards if card not in self._deck]
        if foreign:
            raise UnknownSpotError(f"board {board!r}: {format_cards(foreign)} is not in the deck of {self.game.name}")
        return state, cards

    @cached_property
    def _deck(self) -> frozenset[int]:
        return frozenset(self.game.deck.tolist())


class AnyStrategy(Protocol):
    """The part of a strategy that players and pictures need."""

    @property
    def game(self) -> Game: ...
    @property
    def betting(self) -> BettingTree: ...
    def distribution(self, state: State, hand: Cards, board: Cards) -> tuple[float, float, float]: ...
    def range(self, board: str = "", line: str = "") -> SpotRange: ...


def check_opened(strategy: object) -> None:
    """Raise UnknownSpotError for what is no strategy, such as a strategy's name."""
    if not hasattr(strategy, "game"):
        name = f"{strategy}" if isinstance(strategy, str | PathLike) else "small"
        raise UnknownSpotError(f"strategy: {strategy!r}; expected an open one, such as cfr.open_named({name!r})")


def last_round_left_out(what: object, file: object) -> str:
    """The words of :attr:`Spots.left_out`: ``what`` lacks the round, and ``file`` is named in the command."""
    return f"{what}: the last round is left out; solve it from here: cfr spot --strategy {file} --board ... --line ..."


def _taken(after: State) -> int:
    """The number of the action that led to a state."""
    return ACTIONS.index(after.line_string.rstrip("/")[-1])


@lru_cache(4)
def _names(game: Game) -> NDArray[np.str_]:
    return np.array([format_cards(hand) for hand in game.hands.tolist()])


def hand_names(game: Game) -> NDArray[np.str_]:
    """``(H,)`` the two or four letters of each hand of ``game.hands``."""
    return _names(game)
