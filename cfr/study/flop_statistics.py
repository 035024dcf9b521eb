"""Aggregates: how often each seat bets, checks back, raises and folds over all flops, or over those of a kind.

On each canonical flop every pair of hands that can be dealt counts by the probability that the strategy brings it to
the spot; flops count by their suit permutations.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from math import comb
from typing import Any

import numpy as np
from numpy.typing import NDArray
from tqdm import tqdm

from cfr.game.betting import State
from cfr.game.betting_round import ACTIONS
from cfr.game.cards import RANKS, format_cards
from cfr.game.line_text import read_line
from cfr.game.notebook import table_html
from cfr.game.rules import Game
from cfr.hands.flops import first_boards
from cfr.strategy.hand_table import to_frame
from cfr.strategy.strategy import BaseStrategy, Floats
from cfr.strategy.whole import check_whole
from cfr.study.flop_counts import FLOPS_AT_A_TIME, FlopCounter, Statistic, dealt_with, statistics_of
from cfr.system.cluster.workers import Begin, Threads, Workers, in_order
from cfr.system.disk.mapped import Mapped
from cfr.system.errors import BadInputError

KINDS: Mapping[str, tuple[str, ...]] = {
    "paired": ("unpaired", "paired", "trips"),
    "suits": ("rainbow", "two-tone", "monotone"),
    "straights": ("0", "1", "2", "3"),
    "high": tuple(RANKS[::-1]),
}
# By how many raises there were: what an action before the flop is called.
_PREFLOP: Mapping[int, Mapping[str, str]] = {
    1: {"three-bet": "r"},
    2: {"fold-to-three-bet": "f", "four-bet": "r"},
    3: {"fold-to-four-bet": "f"},
}
_STRAIGHTS = tuple({(low + k) % 13 for k in range(5)} for low in (12, *range(9)))  # ace low first


@dataclass(frozen=True)
class Aggregates:
    """All statistics on all flops.

    Attributes:
        statistics: ``s`` of them.
        boards: ``(n, 3)`` uint8 the canonical flops.
        share: ``(n,)`` their probabilities.
        kinds: for each of ``KINDS``, ``(n,)`` what a flop is.
        reached: ``(s, n)`` probability that a hand comes to this flop and spot.
        taken: ``(s, n)`` and that the action follows.
        seat_names: of the game.
    """

    statistics: tuple[Statistic, ...]
    boards: NDArray[np.uint8]
    share: Floats
    kinds: Mapping[str, NDArray[np.str_]]
    reached: Floats
    taken: Floats
    seat_names: tuple[str, str]

    def select(self, **wanted: Sequence[str]) -> NDArray[np.bool_]:
        """``(n,)`` which flops are of all the kinds asked for, such as ``suits=["rainbow"], high="AK"``.

        Raises:
            BadInputError: a kind that there is not.
        """
        check_kinds(wanted)
        chosen = np.ones(len(self.boards), np.bool_)
        for kind, values in wanted.items():
            chosen &= np.isin(self.kinds[kind], list(values))
        return chosen

    def columns(self, chosen: NDArray[np.bool_] | None = None, by: str | None = None) -> dict[str, NDArray[np.generic]]:
        """A row for each statistic: its name, ``seat``, ``line``, ``flops``, ``share``, ``reached``, ``frequency``.

        ``flops`` counts canonical ones, ``share`` is their probability, ``reached`` how often a hand comes to the spot
        when one of them is dealt, and ``frequency`` how often the action follows; NaN if the spot is never reached.

        Args:
            chosen: ``(n,)`` which flops; default all.
            by: one of ``KINDS``, or ``flop``: a row for each of its values, in a column of that name.
        """
        chosen = np.ones(len(self.boards), np.bool_) if chosen is None else chosen
        groups = [(name, members & chosen) for name, members in self._groups(by)]
        groups = [(name, members) for name, members in groups if members.any()]
        weights = np.array([members for _, members in groups], dtype=np.float64).reshape(len(groups), -1).T
        share, reached, taken = self.share @ weights, self.reached @ weights, self.taken @ weights
        size, times = len(self.statistics), len(groups)
        frequency = np.divide(taken, reached, out=np.full_like(taken, np.nan), where=reached > 0)
        result: dict[str, NDArray[np.generic]] = {
            "statistic": np.repeat([each.name for each in self.statistics], times),
            "seat": np.repeat([self.seat_names[each.seat] for each in self.statistics], times),
            "line": np.repeat([each.line for each in self.statistics], times),
        }
        if by is not None:
            result[by] = np.tile([name for name, _ in groups], size)
        return result | {
            "flops": np.tile(weights.sum(axis=0).astype(np.int64), size),
            "share": np.tile(share, size),
            "reached": (reached / share).reshape(-1),
            "frequency": frequency.reshape(-1),
        }

    def to_frame(self, chosen: NDArray[np.bool_] | None = None, by: str | None = None) -> Any:
        """:meth:`columns` as a pandas ``DataFrame``; raises BadInputError where pandas is not installed."""
        return to_frame(self.columns(chosen, by))

    def _repr_html_(self) -> str:
        """The statistics over all flops, for notebooks."""
        return table_html(self.columns())

    def _groups(self, by: str | None) -> Iterator[tuple[str, NDArray[np.bool_]]]:
        if by is None:
            yield "", np.ones(len(self.boards), np.bool_)
        elif by == "flop":
            for number, board in enumerate(self.boards.tolist()):
                yield format_cards(board[::-1]), np.arange(len(self.boards)) == number
        elif by in KINDS:
            for value in KINDS[by]:
                yield value, self.kinds[by] == value
        else:
            raise BadInputError(f"flops by {by!r}; expected flop, {', '.join(KINDS)}")


def check_kinds(wanted: Mapping[str, Sequence[str]]) -> None:
    """Refuse kinds of flops that there are not; errors as :meth:`Aggregates.select`."""
    for kind, values in wanted.items():
        for value in values:
            if value not in KINDS.get(kind, ()):
                known = ", ".join(KINDS.get(kind, KINDS))
                raise BadInputError(f"flops by {kind}: there are none of {value!r}; expected {known}")


def kinds_of(boards: NDArray[np.uint8]) -> dict[str, NDArray[np.str_]]:
    """What ``(n, 3)`` flops are, by the names in ``KINDS``.

    ``straights`` is how connected a flop is: how many pairs of ranks make a straight on it.

    >>> {kind: str(found[0]) for kind, found in kinds_of(np.array([[32, 36, 41]], np.uint8)).items()}
    {'paired': 'unpaired', 'suits': 'two-tone', 'straights': '3', 'high': 'Q'}
    """
    ranks, suits = boards // 4, boards % 4
    distinct, colours = (np.array([len(set(row)) for row in each.tolist()]) for each in (ranks, suits))
    straights = [
        sum(set(row) <= straight for straight in _STRAIGHTS) if len(set(row)) == 3 else 0 for row in ranks.tolist()
    ]
    return {
        "paired": np.array(KINDS["paired"])[3 - distinct],
        "suits": np.array(KINDS["suits"])[3 - colours],
        "straights": np.array(KINDS["straights"])[straights],
        "high": np.array(list(RANKS))[ranks.max(axis=1)],
    }


def aggregate(
    strategy: BaseStrategy,
    lines: Sequence[str] | None = None,
    *,
    workers: Workers | None = None,
    progress: bool = False,
) -> Aggregates:
    """Statistics of flop play over all flops; takes seconds.

    Args:
        strategy: a file or a built-in.
        lines: the lines before the flop, such as ``rc/``; default all.
        workers: who counts; default, this process. The result does not depend on it.
        progress: show a bar on stderr.

    Raises:
        BadInputError: a game without flops, a line that does not lead to one, or a strategy that is not whole.

    >>> found = aggregate(BuiltIn("uniform"), ["rc/"]).columns()
    >>> list(zip(found["statistic"].tolist(), found["seat"].tolist(), found["frequency"].tolist()))[:2]
    [('bet', 'big blind', 0.5), ('continuation-bet', 'button', 0.5)]
    """
    game = strategy.game
    _check_flops(game)
    check_whole(strategy, getattr(strategy, "path", None) or type(strategy).__name__)
    workers = workers or Threads()
    roots = [read_flop_root(strategy, line) for line in lines] if lines else flop_roots(strategy)
    make = partial(FlopCounter, strategy, [root.line_string for root in roots])
    flops = first_boards(game)
    starts = range(0, len(flops.cards), FLOPS_AT_A_TIME)
    units = [(line, start) for line in range(len(roots)) for start in starts]
    begin: Begin = (lambda: make().count) if workers.shares_memory else Mapped(make, "count")
    found: list[list[Floats]] = [[] for _ in roots]
    with tqdm(
        in_order(workers.run(begin, units)),
        f"counting flops{workers.where}",
        len(units),
        disable=not progress,
        leave=False,
    ) as bar:
        for (line, _), counted in zip(units, bar, strict=True):
            found[line].append(counted)
    counts = np.concatenate([np.concatenate(parts, axis=2) for parts in found], axis=1) * flops.share
    return Aggregates(
        statistics=tuple(statistic for root in roots for statistic in statistics_of(root)),
        boards=flops.cards,
        share=flops.share,
        kinds=kinds_of(flops.cards),
        reached=counts[0],
        taken=counts[1],
        seat_names=game.seat_names,
    )


def before_the_flop(strategy: BaseStrategy) -> dict[str, NDArray[np.generic]]:
    """A row for each ``three-bet``, ``fold-to-three-bet``, ``four-bet`` and ``fold-to-four-bet`` before the flop.

    Columns are those of :meth:`Aggregates.columns` without flops: ``reached`` is the probability that a hand comes to
    the spot, ``frequency`` the mean over all pairs of hands that get there; NaN if none does. The big blind is
    the first bet, so that who raises a raise three-bets.

    Raises:
        BadInputError: a game of other than two hole cards.

    >>> found = before_the_flop(BuiltIn("uniform"))
    >>> list(zip(found["statistic"].tolist(), found["line"].tolist()))[:2]
    [('three-bet', 'cr'), ('fold-to-three-bet', 'crr')]
    """
    game = strategy.game
    if game.num_hole_cards != 2:
        raise BadInputError(f"{game.name} has no hands of two cards")
    hands, deck = game.hands, len(game.deck)
    pairs = comb(deck, 2) * comb(deck - 2, 2)
    rows = []
    for state in _raised(strategy.betting.root):
        reach = [strategy.reach(state, (), seat)[None] for seat in (0, 1)]
        weight = (reach[state.actor] * dealt_with(reach[1 - state.actor], hands))[0]
        frequencies = strategy.range_at(state, ()).frequencies
        for name, action in _PREFLOP.get(state.line_string.count("r"), {}).items():
            if action in state.legal:
                taken = float(weight @ frequencies[:, ACTIONS.index(action)])
                total = float(weight.sum())
                seat = game.seat_names[state.actor]
                rows.append((name, seat, state.line_string, total / pairs, taken / total if total else np.nan))
    names = ("statistic", "seat", "line", "reached", "frequency")
    return {name: np.array([row[number] for row in rows]) for number, name in enumerate(names)}


def _raised(state: State) -> Iterator[State]:
    """The decisions before the flop that face a raise, from a state on."""
    if not state.is_over and state.round == 0:
        if state.line_string.endswith("r"):
            yield state
        for letter in state.legal:
            yield from _raised(state.act(letter))


def has_flops(game: Game) -> bool:
    """Whether three cards are dealt after the first round, to hands of two."""
    return game.num_rounds > 1 and game.num_board_cards[1] == 3 and game.num_hole_cards == 2


def flop_roots(strategy: BaseStrategy) -> list[State]:
    """The states in which a flop is dealt, of a game that has flops."""
    betting = strategy.betting
    return [betting.entry(1, line) for line in range(betting.num_lines[1])]


def read_flop_root(strategy: BaseStrategy, line: str) -> State:
    """The state in which a line deals the flop; raises BadInputError where it does not."""
    _check_flops(strategy.game)
    state = read_line(strategy.betting, line)
    if state.is_over or (state.round, state.node) != (1, 0):
        known = ", ".join(root.line_string for root in flop_roots(strategy))
        raise BadInputError(f"line {line!r} does not end where the flop is dealt; expected {known}")
    return state


def _check_flops(game: Game) -> None:
    if not has_flops(game):
        raise BadInputError(f"{game.name} has no flops")
