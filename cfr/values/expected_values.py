"""Expected values: what each hand and each action wins when both seats play the strategy, and each hand's equity.

Exact from the spot on: every hand of the opponent by its reach, every board that can follow, every betting line, in one
pass of the kernel (cfr/values/line_copies.py). Where too many boards can follow, in the first round, a file may hold
what its leaves are worth; the rest of that round is then played on top of them.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from math import comb

import numpy as np
from numpy.typing import NDArray
from tqdm import tqdm

from cfr.game.betting import State
from cfr.game.betting_round import ACTIONS
from cfr.game.rules import Game
from cfr.game.spot_words import spot_words
from cfr.game.words import ROUND_NAMES
from cfr.hands.isomorphism import hand_classes
from cfr.hands.showdown_margins import margins_of
from cfr.kernel.chance import count_below
from cfr.strategy.hand_table import HandTable
from cfr.strategy.position import Position
from cfr.strategy.spot_range import SpotRange
from cfr.strategy.strategy import BaseStrategy, Cards, Floats
from cfr.system.closing import Closing
from cfr.system.errors import BadInputError
from cfr.system.progress import Progress
from cfr.system.text import signed
from cfr.values.canonical_spot import CanonicalSpot, canonical_spot
from cfr.values.known_leaves import KnownLeaves
from cfr.values.line_copies import copies_of, play_copies

MOST_BOARDS = 100_000  # that may follow a spot, as dealt: all spots but those before the flop of a game with turns
PRESUMED = "presumed range"
CHECKED_DOWN = "presumed range, checked down"
_FOLD = 0


@dataclass(frozen=True, kw_only=True, repr=False)
class SpotValues(SpotRange):
    """All hands at a spot with what they win; a seat that is not to act has NaN for frequencies and actions.

    EVs are what the seat wins in the whole hand, in mbb (thousandths of a big blind): a fold costs the seat what it has
    in the pot, and the two seats' EVs sum to zero, weighted by ``weight``. Programs that count from the spot on, where
    a fold is 0 and the pot is won, show ``ev + stake``.

    Attributes:
        weight: ``(H,)`` own reach, or presumed range, times that of all opponent's hands that can be dealt with the
            hand.
        ev: ``(H,)`` mbb per hand; NaN for hands that do not get there, unless none does.
        action_ev: ``(H, 3)`` of fold, call and raise; NaN where illegal, too.
        equity: ``(H,)`` share of the pot if nobody bet or folded any more, 0 to 1; NaN as in ``ev``.
        stake: mbb that the seat has in the pot.
        stand_in: what stands in where the strategy brings none of the opponent's hands here: its :data:`PRESUMED`
            range; before the flop of a file with stored values, which has none behind that range, the hand is also
            :data:`CHECKED_DOWN` from the next round on. None where nothing does.
    """

    weight: Floats
    ev: Floats
    action_ev: Floats
    equity: Floats
    stake: float
    stand_in: str | None = None

    def table(self) -> HandTable:
        """A row for each hand, with EVs and equities."""
        return replace(super().table(), weight=self.weight, ev=self.ev, equity=self.equity, action_ev=self.action_ev)

    def facts(self) -> dict[str, str]:
        if np.isnan(self.mean_ev):
            return super().facts() | {"EV": "none: no pair of hands gets here"}
        against = f" (against a {self.stand_in})" if self.stand_in else ""
        means = {"EV": f"{signed(self.mean_ev)} mbb per hand{against}", "equity": f"{100 * self.mean_equity:.1f} %"}
        return super().facts() | means

    def renumbered(self, images: NDArray[np.intp]) -> SpotValues:
        """The values of an isomorphic spot, where hand ``h`` is what ``images[h]`` is here."""
        return replace(
            self,
            reach=self.reach[images],
            presumed=None if self.presumed is None else self.presumed[images],
            frequencies=self.frequencies[images],
            weight=self.weight[images],
            ev=self.ev[images],
            action_ev=self.action_ev[images],
            equity=self.equity[images],
            live=None if self.live is None else self.live[images],
        )

    @property
    def mean_ev(self) -> float:
        """Of the whole range, in mbb per hand; NaN if nothing gets there."""
        return _mean(self.ev, self.weight)

    @property
    def mean_equity(self) -> float:
        """Of the whole range."""
        return _mean(self.equity, self.weight)


def values_of(
    position: Position[BaseStrategy],
    seat: int | str | None = None,
    unreached: bool = False,
    *,
    progress: bool | Progress = False,
) -> SpotValues:
    """:func:`cfr.expected_values` at a position of any board.

    Raises:
        BadInputError: a spot without values, see :func:`why_unvalued`.
    """
    strategy, state = position.strategy, position.state
    if why := why_unvalued(strategy, state):
        raise BadInputError(f"line {state.line_string!r}: {why}")
    spot, images = canonical_spot(strategy, state, position.board)
    there = position if spot.board == position.board else strategy.at(spot.state, spot.board)
    values = position_values(there, seat, unreached, progress=progress).renumbered(images)
    return replace(values, spot=spot_words(state, position.board))


def values_at(
    strategy: BaseStrategy,
    spot: CanonicalSpot,
    seat: int | str | None = None,
    unreached: bool = False,
    *,
    progress: bool | Progress = False,
) -> SpotValues:
    """:func:`values_of` a canonical spot, one that :func:`has_values`."""
    return position_values(strategy.at(spot.state, spot.board), seat, unreached, progress=progress)


def position_values(
    position: Position[BaseStrategy],
    seat: int | str | None = None,
    unreached: bool = False,
    *,
    progress: bool | Progress = False,
    checked_down: bool = False,
) -> SpotValues:
    """:func:`values_of` a position of a canonical board.

    ``checked_down`` leaves stored values of the first round out, as where they have none.
    """
    strategy, state = position.strategy, position.state
    whole, board, images = strategy.below(state, position.board)
    if whole is not strategy:
        return position_values(whole.at(state, board), seat, unreached, progress=progress).renumbered(images)
    game, hands = strategy.game, position.range(seat)
    seat = hands.seat
    reach = np.array([position.expected(each) for each in (0, 1)])
    mass = game.apart @ reach[1 - seat]
    copies = copies_of(state, seat)
    leaves = _stored_leaves(strategy, state)
    if not mass.any():  # the opponent never gets there: nothing is asked, and nothing computed
        chips = np.zeros((len(copies), game.num_hands))
    elif leaves is None:
        with _Bar(game, board, progress is True) as bar:
            hears = progress if callable(progress) else bar.advance
            chips = play_copies(strategy, state, board, seat, reach, hears)
    else:
        known = None if checked_down or stand_in_at(position, seat) else leaves[seat]
        chips = _opening(position, seat, copies, known, progress)
    to_mbb = game.mbb
    asked = _known(strategy, state, board) if unreached else hands.shown > 0
    per_hand = np.where(asked & (mass > 0), to_mbb / np.where(mass > 0, mass, 1), np.nan)
    every = np.vstack([chips * per_hand, hands.shown * mass])
    *values, called_down, weight = _alike(game, state.round, board, every) if strategy.is_suit_blind else every

    stake = state.stakes[seat] * to_mbb
    answered = ~np.isnan(called_down)
    action_ev = np.full((game.num_hands, 3), np.nan)
    ev = values[0]
    if seat == state.actor:
        for copy, letter in enumerate(copies[:-1]):
            action_ev[:, ACTIONS.index(letter)] = values[copy]
        if "f" in state.legal:
            action_ev[:, _FOLD] = np.where(answered, -stake, np.nan)
        ev = np.where(answered, np.nansum(hands.frequencies * action_ev, axis=1), np.nan)
    return SpotValues(
        **vars(hands),
        weight=weight,
        ev=ev,
        action_ev=action_ev,
        equity=(called_down / (_called_down(state).stakes[seat] * to_mbb) + 1) / 2,
        stake=stake,
        stand_in=stand_in_at(position, seat),
    )


def has_values(strategy: BaseStrategy, state: State) -> bool:
    """Whether :func:`expected_values` answers here: in hold'em, from the flop on, and before it from stored values.

    Those of a strategy that re-solves begin where it does so; a file without its last round has stored values only.
    """
    return not why_unvalued(strategy, state)


def why_unvalued(strategy: BaseStrategy, state: State) -> str:
    """Why :func:`expected_values` does not answer here, and what would do, in words; empty where it answers."""
    if strategy.re_solved_from is not None and state.round < strategy.re_solved_from:
        solved = ROUND_NAMES[strategy.re_solved_from]
        why = f"expected values of a strategy that re-solves begin on the {solved}"
        blueprint = strategy.blueprint
        if getattr(blueprint, "is_under_refined", False) or not has_values(blueprint, state):
            return why
        return f"{why}; its blueprint, named without +{solved} or resolve=, has some here"
    few = boards_to_come(state) <= MOST_BOARDS
    if (few and not strategy.left_out) or _stored_leaves(strategy, state) is not None:
        return ""
    if strategy.left_out:
        return strategy.left_out
    return (
        f"{boards_to_come(state):,} boards can follow, and there are no stored expected values; "
        "`cfr exploit FILE --save` stores them in a strategy file"
    )


def _mean(values: Floats, weight: Floats) -> float:
    there = weight > 0
    return float(np.average(values[there], weights=weight[there])) if there.any() else float("nan")


def boards_to_come(state: State) -> int:
    """Ways to deal what follows, one card after the other between rounds."""
    game = state.tree.game
    left, ways = len(game.deck) - state.num_board_cards, 1
    for new in game.num_board_cards[state.round + 1 :]:
        ways *= comb(left, new)
        left -= new
    return ways


def _known(strategy: BaseStrategy, state: State, board: Cards) -> NDArray[np.bool_]:
    """``(H,)`` hands that the board leaves and the strategy plays: a solved spot plays those of its ranges alone."""
    rows = strategy.source.rows.rows(state.round, np.array([board], np.uint8).reshape(1, -1))[0]
    known: NDArray[np.bool_] = rows >= 0
    return known


def _called_down(state: State) -> State:
    while not state.is_over:
        state = state.act("c")
    return state


def _stored_leaves(strategy: BaseStrategy, state: State) -> Floats | None:
    """``(2, leaves, H)`` of a spot that is above them, if stored."""
    return strategy.opening_values if state.round == 0 and strategy.game.num_rounds > 1 else None


def stand_in_at(position: Position[BaseStrategy], seat: int) -> str | None:
    """What stands in for the range of a seat's opponent at a position, see :attr:`SpotValues.stand_in`."""
    if position.reach(1 - seat).any():
        return None
    return PRESUMED if _stored_leaves(position.strategy, position.state) is None else CHECKED_DOWN


def _opening(
    position: Position[BaseStrategy],
    seat: int,
    copies: Sequence[str],
    leaves: Floats | None,
    progress: bool | Progress,
) -> Floats:
    """As :func:`cfr.values.line_copies.play_copies`, in the first round, from ``(leaves, H)`` of the seat.

    Without leaves, all hands are checked down behind them.
    """
    game, state = position.strategy.game, position.state
    margins = margins_of(game).all_pairs(progress)
    if leaves is None:
        ends = position.ends()
        behind = {each.state.line: each.state.stakes[seat] * (margins @ each.expected(1 - seat)) for each in ends}
        values = KnownLeaves(seat, state.round, behind).behind
    else:
        hands = comb(len(game.deck) - game.num_hole_cards, game.num_hole_cards)  # that a hand leaves the opponent
        values = KnownLeaves(seat, state.round, leaves * hands).behind
    called = _called_down(state).stakes[seat] * (margins @ position.expected(1 - seat))
    asked = [position.children[letter] if letter else position for letter in copies[:-1]]
    return np.array([*map(values, asked), called])


def _alike(game: Game, round_: int, board: Sequence[int], values: Floats) -> Floats:
    """``(n, H)`` values, to the last bit the same for hands that the board's suits cannot tell apart."""
    groups = game.num_board_cards[1 : round_ + 1]
    classes = hand_classes(np.array([board], np.uint8).reshape(1, -1), groups, game.hands, game.deck)[0]
    first = np.zeros(classes.max() + 2, np.intp)
    first[classes[::-1]] = np.arange(len(classes))[::-1]
    alike: Floats = values[:, np.where(classes >= 0, first[classes], np.arange(len(classes)))]
    return alike


class _Bar(Closing):
    """Shows the share of the work that is done as so many of the boards that end a hand."""

    def __init__(self, game: Game, board: Sequence[int], shown: bool) -> None:
        self._boards = count_below(game, np.array(board, np.uint8)) if shown else 0
        self._bar = tqdm(
            desc="expected values",
            total=self._boards,
            unit="boards",
            disable=not shown,
            leave=False,
            smoothing=0,
            miniters=1,
        )

    def advance(self, fraction: float) -> None:
        self._bar.update(round(fraction * self._boards) - self._bar.n)

    def close(self) -> None:
        self._bar.close()
