"""What a log shows of a player: the decisions of each hand, and the holdings that the cards seen allow.

A showdown leaves one holding. A hand that is mucked at showdown was one of those that lose to the hand shown. A fold
leaves all that no seen card blocks. The opponent's cards block holdings where the log has them.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from cfr.game.betting import State
from cfr.game.betting_round import ACTIONS
from cfr.game.evaluate import strengths
from cfr.game.hand import LoggedHand, SeenHand, decisions
from cfr.game.rules import Game
from cfr.opponents import situation
from cfr.opponents.hand_strength import LEVELS
from cfr.opponents.living_lines import living_lines
from cfr.opponents.tilted import Tilted

MOST_HOLDINGS = 100  # of a hand, evenly by strength, where more are possible

Floats = NDArray[np.float64]
Integers = NDArray[np.intp]


@dataclass(frozen=True, eq=False)
class Layer:
    """The k-th decisions of all hands that have so many, a row for each holding.

    Attributes:
        holding: ``(n,)`` number of the holding.
        key: ``(n,)`` situation times LEVELS plus level of strength.
        base: ``(n, 3)`` float32 the blueprint's probabilities of fold, call and raise.
        even: ``(n, 3)`` float32 one over the number of legal actions; 0 where illegal.
        action: ``(n,)`` what was done, by the actions' order.
    """

    holding: Integers
    key: Integers
    base: NDArray[np.float32]
    even: NDArray[np.float32]
    action: Integers
    _mixed: dict[float, NDArray[np.float32]] = field(default_factory=dict, init=False, repr=False)

    @cached_property
    def taken(self) -> Integers:
        """``(n,)`` place of what was done in a flat array of ``(n, 3)``."""
        return np.arange(len(self.action)) * len(ACTIONS) + self.action

    def mixed(self, floor: float) -> NDArray[np.float32]:
        """``(n, 3)`` the blueprint's probabilities with a floor; those of the last floor are kept."""
        if floor not in self._mixed:
            self._mixed.clear()
            self._mixed[floor] = (1 - floor) * self.base + floor * self.even
        return self._mixed[floor]


@dataclass(frozen=True, eq=False)
class Evidence:
    """Hands of one player.

    Attributes:
        hands: how many.
        weight: ``(m,)`` probability of each holding before any decision; those of a hand sum to 1.
        hand: ``(m,)`` the hand that each holding is of, ascending.
        layers: the decisions, in their order within a hand.
    """

    hands: int
    weight: Floats
    hand: Integers
    layers: tuple[Layer, ...]

    def of(self, wanted: NDArray[np.bool_]) -> Evidence:
        """Some of the hands; ``wanted`` is ``(hands,)``."""
        kept = wanted[self.hand]
        hand, holding = np.cumsum(wanted) - 1, np.cumsum(kept) - 1
        layers = []
        for each in self.layers:
            here = kept[each.holding]
            layers.append(
                Layer(holding[each.holding[here]], each.key[here], each.base[here], each.even[here], each.action[here])
            )
        return Evidence(int(wanted.sum()), self.weight[kept], hand[self.hand[kept]], tuple(layers))


@dataclass
class _Observed:
    """A hand on its way into the evidence."""

    seen: SeenHand
    seat: int
    taken: list[tuple[State, str]]
    holdings: Integers
    weight: Floats


def gather(
    hands: Sequence[LoggedHand], player: str, model: Tilted, *, unseen: bool = False, threads: int = 1
) -> Evidence:
    """The evidence of a player's hands; those without a decision of the player are left out.

    Args:
        hands: of a log.
        player: the player's name.
        model: gives the blueprint and the strength of its rows; its tilt does not count.
        unseen: take all holdings for possible, whatever was shown: what the player does with a whole range.
        threads: that place hands in rows.
    """
    game, observed = model.game, []
    for hand in hands:
        if player not in hand.players:
            continue
        seat = hand.players.index(player)
        taken = [(state, letter) for state, letter in decisions(hand.seen.state) if state.actor == seat]
        if taken:
            allowed = _unblocked(hand.seen, seat, game) if unseen else _allowed(hand, seat, game)
            observed.append(_Observed(hand.seen, seat, taken, allowed, np.full(len(allowed), 1 / len(allowed))))
    rows = _rows(observed, model, threads)
    _thin_out(observed, rows, model)
    weight = np.concatenate([each.weight for each in observed] or [np.zeros(0)])
    sizes = np.array([len(each.holdings) for each in observed], np.intp)
    of_holdings = np.repeat(np.arange(len(sizes)), sizes)
    return _joined(Evidence(len(observed), weight, of_holdings, _layers(observed, rows, sizes, model)))


def _unblocked(seen: SeenHand, seat: int, game: Game) -> Integers:
    return np.flatnonzero(game.live([*seen.board, *seen.hands[1 - seat]]))


def _allowed(hand: LoggedHand, seat: int, game: Game) -> Integers:
    seen = hand.seen
    own, other = seen.hands[seat], seen.hands[1 - seat]
    if own:
        return np.array([game.hand_number(own)], np.intp)
    left = _unblocked(seen, seat, game)
    if seen.state.at_showdown and other:
        strength = strengths([seen.board], game.hands)[0].astype(np.int64)
        won = -1 if hand.chips is None else np.sign(hand.chips[seat])
        as_paid = left[np.sign(strength[left] - strength[game.hand_number(other)]) == won]
        left = as_paid if len(as_paid) else left
    return left


def _rows(observed: Sequence[_Observed], model: Tilted, threads: int) -> list[dict[int, NDArray[np.int32]]]:
    """By round, for each hand (its number) that decides there, ``(hands of the game,)`` row of every holding."""
    found: list[dict[int, NDArray[np.int32]]] = []
    for round_ in range(model.game.num_rounds):
        cards = sum(model.game.num_board_cards[: round_ + 1])
        there = [k for k, each in enumerate(observed) if any(state.round == round_ for state, _ in each.taken)]
        boards = np.array([observed[k].seen.board[:cards] for k in there], np.uint8).reshape(len(there), cards)
        distinct, where = np.unique(boards, axis=0, return_inverse=True) if cards else (boards[:1], [0] * len(there))
        rows = model.base.abstraction.rows(round_, distinct, threads) if there else np.zeros((0, 0), np.int32)
        found.append({k: rows[place] for k, place in zip(there, np.asarray(where).ravel().tolist(), strict=True)})
    return found


def _thin_out(observed: Sequence[_Observed], rows: Sequence[dict[int, NDArray[np.int32]]], model: Tilted) -> None:
    """Join holdings that share all rows where one round decides, and keep at most MOST_HOLDINGS of each hand."""
    for number, each in enumerate(observed):
        rounds = sorted({state.round for state, _ in each.taken})
        own = rows[rounds[-1]][number][each.holdings]
        if len(rounds) == 1 and len(own) > 1:
            _, first, counts = np.unique(own, return_index=True, return_counts=True)
            each.holdings, each.weight = each.holdings[first], counts / counts.sum()
            own = own[first]
        if len(own) > MOST_HOLDINGS:
            order = np.argsort(model.levels[rounds[-1]][own], kind="stable")
            ends = np.cumsum(each.weight[order])
            points = (np.arange(MOST_HOLDINGS) + 0.5) / MOST_HOLDINGS
            kept = order[np.minimum(np.searchsorted(ends, points), len(order) - 1)]
            each.holdings, each.weight = each.holdings[kept], np.full(MOST_HOLDINGS, 1 / MOST_HOLDINGS)


def _joined(evidence: Evidence) -> Evidence:
    """The same evidence, where holdings of a hand that all tilts play alike are one."""
    rng = np.random.default_rng(0)  # a sum of random multiples tells them apart

    def multiples(count: int) -> NDArray[np.uint64]:
        return rng.integers(1, 1 << 63, count, np.uint64) | np.uint64(1)

    mark = evidence.hand.astype(np.uint64) * multiples(1)
    for layer in evidence.layers:
        parts = np.column_stack([layer.key.astype(np.uint64), layer.base.view(np.uint32).astype(np.uint64)])
        mark[layer.holding] += parts @ multiples(4)
    _, first, same = np.unique(mark, return_index=True, return_inverse=True)
    order = np.argsort(first)  # hands ascend again
    place = np.empty_like(order)
    place[order] = np.arange(len(order))
    first, same = first[order], place[same.ravel()]
    is_first = np.zeros(len(mark), bool)
    is_first[first] = True
    layers = []
    for each in evidence.layers:
        here = is_first[each.holding]
        layers.append(
            Layer(same[each.holding[here]], each.key[here], each.base[here], each.even[here], each.action[here])
        )
    weight: Floats = np.bincount(same, evidence.weight, len(first)).astype(np.float64)
    return Evidence(evidence.hands, weight, evidence.hand[first], tuple(layers))


def _layers(
    observed: Sequence[_Observed], rows: Sequence[dict[int, NDArray[np.int32]]], sizes: Integers, model: Tilted
) -> tuple[Layer, ...]:
    starts = np.cumsum(sizes) - sizes
    living, source, betting = living_lines(model.base), model.base.source, model.betting
    together: dict[tuple[int, int], list[tuple[int, int, int]]] = {}  # by round and line: hand, place, node
    for number, each in enumerate(observed):
        for place, (state, _) in enumerate(each.taken):
            line = int(living[state.round][each.seat][state.line])
            together.setdefault((state.round, line), []).append((number, place, state.node))
    depth = max((len(each.taken) for each in observed), default=0)
    parts: list[list[tuple[np.ndarray, ...]]] = [[] for _ in range(depth)]
    for (round_, line), found in sorted(together.items()):
        shared, of_nodes = betting.rounds[round_], situation.of_nodes(betting, round_)
        own = [rows[round_][number][observed[number].holdings] for number, _, _ in found]
        used, where = np.unique(np.concatenate(own), return_inverse=True)
        table = source.probabilities(round_, used, np.array([line]))[:, :, 0]
        ends = np.cumsum([len(each) for each in own])
        for (number, place, node), here in zip(found, np.split(where, ends[:-1]), strict=True):
            numbers = shared.action_index[node]
            legal = numbers >= 0
            base = np.where(legal, table[here][:, numbers], 0)
            even = np.broadcast_to(legal / legal.sum(), base.shape)
            letter = observed[number].taken[place][1]
            parts[place].append(
                (
                    starts[number] + np.arange(len(here)),
                    of_nodes[node] * LEVELS + model.levels[round_][used[here]].astype(np.intp),
                    base.astype(np.float32),
                    even.astype(np.float32),
                    np.full(len(here), ACTIONS.index(letter)),
                )
            )
    layers = []
    for pieces in parts:
        holding, key, base, even, action = (np.concatenate(arrays) for arrays in zip(*pieces, strict=True))
        layers.append(Layer(holding, key, base, even, action))
    return tuple(layers)
