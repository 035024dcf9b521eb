"""Questions that every strategy answers: what to do with a hand on a board after a betting line."""

from __future__ import annotations

import re
from abc import abstractmethod
from collections.abc import Sequence
from functools import cached_property
from typing import Protocol, Self, cast, overload

import numpy as np
from numpy.typing import NDArray

from cfr.game.betting import BettingTree, State
from cfr.game.betting_round import ACTIONS
from cfr.game.cards import format_cards, parse_cards
from cfr.game.line_text import read_line
from cfr.game.notebook import summary_html
from cfr.game.rules import Game
from cfr.kernel.tables import Source
from cfr.strategy.position import Position, codes_of
from cfr.strategy.spot_range import SpotRange
from cfr.system.checks import check_text, shown
from cfr.system.closing import Closing
from cfr.system.errors import BadInputError, MalformedTextError
from cfr.system.progress import Progress
from cfr.system.text import counted

Floats = NDArray[np.float64]
Cards = Sequence[int]
_LINE = re.compile(r"[fcrkxb/ ]+", re.IGNORECASE)  # what can only be betting, not cards
HELD_BYTES = 128 << 20  # of a round's table: of full hold'em in codebooks


class BaseStrategy(Closing):
    """Base class of strategies: checks questions and answers them.

    Subclasses say what to do with one hand (:meth:`distribution`) and with all of them (:meth:`all_hands`).
    """

    game: Game
    betting: BettingTree
    is_whole = False  # whether it has a :attr:`source`
    re_solved_from: int | None = None  # the first round whose play is solved when it is asked for, if any
    hears: Progress | None = None  # of each such solve, in the thread that solves
    is_suit_blind = True  # whether it plays isomorphic spots alike

    @property
    def blueprint(self) -> BaseStrategy:
        """What a strategy that re-solves starts from; any other is its own."""
        return self

    @property
    def trunk(self) -> BaseStrategy:
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
            BadInputError: the strategy answers spot by spot only (see :attr:`is_whole`).
        """
        raise BadInputError("only strategy files and built-in strategies are read as a whole")

    @property
    def identity(self) -> dict[str, str]:
        """The strategy's name or checksum and its game, which identify results that are kept for later.

        Raises:
            BadInputError: the strategy has neither a name nor a checksum.
        """
        raise BadInputError("partial results are kept for files and built-in strategies only")

    def facts(self) -> dict[str, str]:
        """How the strategy was made and how good it is, by name, in words."""
        return {"game": self.game.name}

    def __repr__(self) -> str:
        facts = ", ".join(value if name == "strategy" else f"{name} {value}" for name, value in self.facts().items())
        return f"<{type(self).__name__} {facts}>"

    def _repr_html_(self) -> str:
        """The facts and the first decision, for notebooks."""
        return summary_html(type(self).__name__, self.facts()) + self.range()._repr_html_()

    def shares_rows(self, other: BaseStrategy) -> bool:
        """Whether one table can hold this strategy and ``other``: rules fit any card abstraction."""
        return True

    def hold_tables(self, most: int = HELD_BYTES) -> None:
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

    def below(self, state: State, board: Cards) -> tuple[BaseStrategy, Cards, NDArray[np.intp]]:
        """A strategy that plays the same from a state on, and is whole there.

        Returns:
            The strategy, the board that it calls this one, and ``(H,)`` the hand that it calls each hand.

        Raises:
            BadInputError: there is none.
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
            BadInputError: cards that do not fit the game, the line or each other.
        """
        return self.at(board, line).probabilities(hand)

    def held(self, hand: str, board: Cards) -> list[tuple[int, ...]]:
        """Card codes of the hands that a text names: one, or those of a class that the board leaves.

        Errors as in :meth:`probabilities`.
        """
        return Position(self, self.betting.root, codes_of(board)).held(hand)

    def mix_and_reach(self, state: State, hands: Sequence[Cards], board: Cards) -> tuple[tuple[float, ...], float]:
        """:meth:`cfr.strategy.position.Position.mix_and_reach` at a state that is not over."""
        return self.at(state, board).mix_and_reach(hands)

    def range(self, board: str = "", line: str = "", seat: int | str | None = None) -> SpotRange:
        """All hands at a spot; arguments and errors as in :meth:`probabilities`.

        Args:
            seat: the seat that holds the hands, ``button`` or ``big blind`` (or its ACPC position: 0 big blind, 1
                button); default, the seat to act.
        """
        return self.at(board, line).range(seat)

    def range_at(self, state: State, board: Cards, seat: int | str | None = None) -> SpotRange:
        """:meth:`range` at a state that is not over, on card codes that fit it."""
        return self.at(state, board).range(seat)

    def walk(self, board: str = "", line: str = "") -> list[tuple[str, SpotRange]]:
        """Every decision on the way to a spot, and the spot itself: the line so far, and the hands of the seat to act.

        Arguments and errors as in :meth:`probabilities`.

        >>> [line for line, _ in BuiltIn("uniform").walk("Td9d6h", "rc/c")]
        ['', 'r', 'rc/', 'rc/c']
        """
        return [(each.state.line_string, each.range()) for each in self.at(board, line).way]

    def reach(self, state: State, board: Cards, seat: int | str) -> Floats:
        """``(H,)`` the product of a seat's own probabilities along the line; 0 for hands that the board blocks."""
        return self.at(state, board).reach(seat)

    def presumed_range(self, state: State, board: Cards, seat: int | str) -> Floats:
        """``(H,)`` the reach if all hands had taken each action on the line that no hand of the seat takes."""
        return self.at(state, board).presumed(seat)

    def reach_of(self, state: State, hand: Cards, board: Cards) -> float:
        """:meth:`reach` of one hand of the seat to act; cards are codes, unchecked."""
        return self.at(state, board).reach_of(hand)

    def entering(self, board: Cards, seat: int) -> Floats:
        """``(H,)`` weights of a seat's hands where the strategy begins; 0 for hands that the board blocks."""
        return self.game.live(board).astype(np.float64)

    def hand_entering(self, hand: Cards, board: Cards, seat: int) -> float:
        """:meth:`entering` of one hand."""
        return float(set(hand).isdisjoint(board))

    def known(self, hands: Sequence[Cards], seat: int) -> Sequence[Cards]:
        """Those of some hands of a seat that the strategy answers for; raises BadInputError where there is none."""
        return hands

    @overload
    def at(self, board: str = "", line: str = "") -> Position[Self]: ...
    @overload
    def at(self, board: State, line: Cards = ()) -> Position[Self]: ...
    def at(self, board: str | State = "", line: str | Cards = "") -> Position[Self]:
        """The position at a spot: it keeps what it is asked, and so do the positions on the way to it.

        Args:
            board, line: texts as in :meth:`probabilities`; or a state, and the codes of the board's cards, unchecked.

        Raises:
            CfrError: as in :meth:`probabilities`.
        """
        if isinstance(board, State):
            return Position(self, board, codes_of(cast(Cards, line)))
        return Position(self, *self.spot(board, cast(str, line)))

    def way(self, state: State, board: Cards) -> list[State]:
        """The states from where the strategy begins to ``state``; ``board`` is that of ``state``."""
        way = [self._first]
        for letter in state.line_string[len(self._first.line_string) :].replace("/", ""):
            way.append(way[-1].act(letter))
        return [*way[:-1], state]

    @property
    def _first(self) -> State:
        return self.betting.root

    def spot(self, board: str, line: str) -> tuple[State, tuple[int, ...]]:
        """The state and the board's cards, checked against each other; errors as in :meth:`probabilities`."""
        check_spot(board, line)
        if _LINE.fullmatch(board.strip()):
            raise MalformedTextError(f"board {board!r}: a betting line; the board comes first, then the line")
        state = read_line(self.betting, line)
        if state.is_over:
            raise BadInputError(f"line {line!r}: the hand is over, there is nobody to act")
        cards = parse_cards(board)
        if len(cards) != state.num_board_cards:
            missing = state.num_board_cards - len(cards)
            add = f"add {missing} to the board" if missing > 0 else f"leave out {-missing}, or add to the line"
            raise BadInputError(
                f"board {board!r}: {counted(len(cards), 'card')}, but after line {line!r} there are "
                f"{state.num_board_cards}; {add}"
            )
        foreign = [card for card in cards if card not in self._deck]
        if foreign:
            raise BadInputError(f"board {board!r}: {format_cards(foreign)} is not in the deck of {self.game.name}")
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
    """Raise BadInputError for what is no strategy, such as a number."""
    if not hasattr(strategy, "game"):
        given = shown(strategy)
        raise BadInputError(f"strategy: {given}; expected a name, such as 'small', or cfr.open_named('small')")


def check_spot(board: object, line: object) -> None:
    """Raise BadInputError for a board or a line that is no text."""
    check_text("board", board, "Td9d6h")
    check_text("line", line, "rc/cr")


def last_round_left_out(what: object, file: object) -> str:
    """The words of :attr:`BaseStrategy.left_out`: ``what`` lacks the round, and ``file`` is named in the command."""
    return f"{what}: the last round is left out; solve it from here: cfr spot --strategy {file} --board ... --line ..."
