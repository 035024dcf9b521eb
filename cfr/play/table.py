"""Matches of many hands between two players.

Every hand of a match has its own random numbers, from the seed and the hand's number. So a hand goes the same way
in whatever process and order it is played.
"""

from __future__ import annotations

import random
import secrets
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import ExitStack
from functools import partial
from itertools import zip_longest
from typing import NamedTuple, Protocol, Self

import numpy as np

from cfr.formats.logs import HandLog
from cfr.game.betting import BettingTree, State
from cfr.game.hand import Deal, HandRecord, deal_hand, decisions
from cfr.game.rules import Game
from cfr.play.hand import play_hand
from cfr.play.match_result import MatchResult
from cfr.play.player import Player, Watcher
from cfr.play.players import known_strategy
from cfr.system.errors import BadInputError

HANDS_AT_A_TIME = 200  # that one process plays
MAX_HANDS = 100_000_000  # of a match; their results take 1.6 GB
CHECKED_FIRST = 1000  # hands of a log that are all played again
CHECKED_EVERY = 20  # of so many later ones two are
_SEED_BITS = 128


class Adjust(Protocol):
    """What a hand was worth to the first player, in chips, with luck taken out."""

    def __call__(self, record: HandRecord, first_seat: int) -> float: ...


class Played(NamedTuple):
    """A finished hand as processes exchange it: its deal, its line, and what the first player won, in chips.

    ``adjusted`` is the same with luck taken out, or None.
    """

    deal: Deal
    line: str
    chips: int
    adjusted: float | None


class Table:
    """Two players at a table where every hand is known by its number; they change seats from hand to hand.

    As a context it opens players that watch (:class:`cfr.play.player.Watcher`), and closes them after the last hand.

    Args:
        game: the rules.
        players: the first and the second; in the hand of number 0 the first has seat 0.
        seed: of cards and actions.
        duplicate: hands 0 and 1 are of one deal, 2 and 3, and so on.
        adjust: gives :attr:`Played.adjusted`.
    """

    def __init__(
        self, game: Game, players: Sequence[Player], seed: int, *, duplicate: bool = False, adjust: Adjust | None = None
    ) -> None:
        self.betting = BettingTree(game)
        self._players = tuple(players)
        self._seed = seed << 64
        self._duplicate = duplicate
        self._adjust = adjust
        self._known = [known_strategy(player, game) for player in players]
        self._watchers = [(place, player) for place, player in enumerate(players) if isinstance(player, Watcher)]
        self._guests = ExitStack()

    def __enter__(self) -> Self:
        with ExitStack() as guests:
            for _, player in self._watchers:
                guests.enter_context(player)
            self._guests = guests.pop_all()
        return self

    def __exit__(self, *error: object) -> None:
        self._guests.close()

    def play(self, number: int, line: str | None = None) -> Played:
        """Play a hand, or with ``line`` take it as played so before; errors as :func:`play_hand`.

        Some lines are checked: their actions are asked for again, up to the first that seed and number do not fix.
        Where an action differs, the hand is played anew, and the result differs from its log.
        """
        first_seat = number % 2
        dealt = number // 2 if self._duplicate else number
        deal = deal_hand(self.betting.game, random.Random(self._seed + 2 * dealt))
        seats = self._players if first_seat == 0 else self._players[::-1]
        watch = partial(self._show, number, deal) if self._watchers else None
        before = None if line is None else self.betting.parse(line)
        if before is None or (_is_checked(number) and not self._goes_so_again(number, deal, before)):
            record = play_hand(self.betting, deal, seats, self._rng(number), watch)
        else:
            record = HandRecord.of(deal, before)
        adjusted = None if self._adjust is None else self._adjust(record, first_seat)
        return Played(deal, record.state.line_string, record.chips[first_seat], adjusted)

    def _rng(self, number: int) -> random.Random:
        """The random numbers of a hand's actions."""
        return random.Random(self._seed + 2 * number + 1)

    def _goes_so_again(self, number: int, deal: Deal, before: State) -> bool:
        """Whether a hand's first actions are what the players now do, up to one that nothing here fixes.

        That is the first by a player that somebody else wrote. Without ``adjust``, which solves there anyway, it is
        also the first that takes a re-solve: a match is not resumed to solve all again.
        """
        rng = self._rng(number)
        for state, action in decisions(before):
            place = (state.actor + number) % 2
            strategy = self._known[place]
            if strategy is None or (self._adjust is None and strategy.re_solves(state.round)):
                break
            board = deal.board[: state.num_board_cards]
            if self._players[place].act(state, deal.hands[state.actor], board, rng) != action:
                return False
        return True

    def _show(self, number: int, deal: Deal, state: State) -> None:
        """Tell those that watch: each sees its own hand, and at a showdown both."""
        for place, player in self._watchers:
            own = (place + number) % 2
            player.watch(own, number, deal.seen_by(own, state))

    def play_some(self, share: Share) -> list[Played]:
        """Play several hands; the last is the first that differs from its line, whose log is of another match."""
        played = []
        for number, line in zip_longest(share.numbers, share.lines):
            played.append(self.play(number, line))
            if line is not None and line != played[-1].line:
                break
        return played


def _is_checked(number: int) -> bool:
    return number < CHECKED_FIRST or number % CHECKED_EVERY < 2  # both orders of the seats


def chosen_seed(seed: int | None) -> int:
    """``seed``, or for None one from the operating system's randomness."""
    return secrets.randbits(_SEED_BITS) if seed is None else int(seed)


def check_hands(hands: int, duplicate: bool) -> None:
    """Raise BadInputError for a number of hands that cannot be played."""
    if hands < 1 or (duplicate and hands % 2):
        raise BadInputError(f"hands: {hands}; expected at least 1, and an even number for duplicate matches")
    if hands > MAX_HANDS:
        raise BadInputError(f"hands: more than {MAX_HANDS:,}, the most that a match may have")


class Share(NamedTuple):
    """Hands of a match that one process plays at a time: their numbers, and the lines of the first, played before."""

    numbers: range
    lines: Sequence[str] = ()


def shares(hands: int, lines: Sequence[str] = ()) -> Iterator[Share]:
    """A match's hands, of which the first were played before, by ``lines``."""
    for start in range(0, hands, HANDS_AT_A_TIME):
        stop = min(start + HANDS_AT_A_TIME, hands)
        yield Share(range(start, stop), lines[start:stop])


def collect(
    betting: BettingTree,
    played: Iterable[Sequence[Played]],
    hands: int,
    *,
    duplicate: bool = False,
    log: HandLog | None = None,
    progress: Callable[[int], object] | None = None,
) -> MatchResult:
    """The result of hands that come in order, several at a time, and their log.

    Args:
        betting: the game's betting.
        played: the hands.
        hands: how many there are.
        duplicate: two and two are of the same deal.
        log: gets the hands.
        progress: hears how many came.
    """
    won, adjusted = np.zeros(hands), np.full(hands, np.nan)
    for number, hand in enumerate(_one_by_one(played, progress)):
        won[number] = hand.chips
        if hand.adjusted is not None:
            adjusted[number] = hand.adjusted
        if log is not None:
            log.write(HandRecord.of(hand.deal, betting.parse(hand.line)), number % 2)
    known = not np.isnan(adjusted).any()
    return MatchResult.of(won, betting.game, duplicate=duplicate, adjusted=adjusted if known else None)


def _one_by_one(played: Iterable[Sequence[Played]], progress: Callable[[int], object] | None) -> Iterator[Played]:
    for some in played:
        yield from some
        if progress is not None:
            progress(len(some))
