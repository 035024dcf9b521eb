"""Confidence by hand or by decision: restricted Nash responses beside data biased ones, exactly, in Leduc.

The opponent of a restricted Nash response plays the model in a whole hand or not at all, by one chance. The opponent of
a *data biased response* throws a coin at each of its decisions, with a chance that grows with what the log has shown
there (Johanson and Bowling 2009, "Data Biased Robust Counter Strategies"). ``python -m
benchmarks.opponents.data_biased`` makes models of the typical players of ``benchmarks.opponents.models`` as ``cfr
model`` does, and both families, each with the same five confidences. The chance at a decision is the confidence times n
/ (n + 10), where n counts the player's logged decisions there:

* *constant*: without n, the same chance everywhere;
* *by situation*: n counts decisions of the round, seat and number of raises before;
* *by strength*: of these, those with a hand as strong, among 16 levels, by the model's likelihood of holdings.

It prints what the blueprint and the coin of each family within a risk of 60 mbb/g win from the *true* player, in mbb/g,
as means of some seeds; the coin is chosen by the win from the model. Data biased responses are computed by a plain walk
of the tree, which also measures all of them.
"""

from __future__ import annotations

import argparse
import zlib
from collections.abc import Callable, Sequence
from itertools import islice
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
from numpy.typing import NDArray
from tqdm import tqdm

from benchmarks.opponents.models import CONFIDENCES, RISK, hands_of, players, save_counter
from cfr.game.betting import State
from cfr.game.betting_round import ACTIONS
from cfr.game.evaluate import strengths
from cfr.game.hand import LoggedHand
from cfr.game.rules import Game
from cfr.opponents import situation
from cfr.opponents.evidence import gather
from cfr.opponents.hand_strength import LEVELS
from cfr.opponents.likelihood import ranges
from cfr.opponents.model import Model, model_of
from cfr.opponents.tilted import Tilted
from cfr.opponents.trade import Point, best_mix
from cfr.solver.settings import Settings
from cfr.solver.solve import solve
from cfr.strategy.files.stored import Strategy
from cfr.strategy.strategy import BaseStrategy

ENOUGH = 10  # logged decisions with which the chance of the model is half the confidence
FAMILIES = ("constant", "by situation", "by strength")

Floats = NDArray[np.float64]
Play = list[Floats]  # of each decision, (legal actions, boards, hands); one board before it is dealt


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--hands", type=int, nargs="+", default=[100, 300, 3000], help="default: 100 300 3000")
    parser.add_argument("--seeds", type=int, default=2, help="logs of each player and size (default: %(default)s)")
    parser.add_argument("--iterations", type=int, default=300, help="of each solve (default: %(default)s)")
    parser.add_argument("--quick", action="store_true", help="two players, one log of few hands each")
    options = parser.parse_args()
    if options.quick:
        options.hands, options.seeds, options.iterations = [100], 1, 5
    checksum = 0
    with TemporaryDirectory() as name:
        solve(Settings(Game.bundled("leduc"), None, iterations=300, out=Path(name) / "leduc.h5"))
        with Strategy.open(Path(name) / "leduc.h5") as blueprint:
            tree = Tree(blueprint)
            print(f"{'player':<21}{'hands':>6}{'blueprint':>11}{'restricted':>12}", end="")
            print("".join(f"{family:>14}" for family in FAMILIES))
            for title, player in islice(players(blueprint), 2 if options.quick else None):
                for hands in options.hands:
                    logs = tqdm(range(options.seeds), f"{title}, {hands} hands", leave=False)
                    won = [wins(tree, player, hands, seed, options.iterations, Path(name)) for seed in logs]
                    found = np.mean(won, axis=0)
                    columns = zip(found.tolist(), (11, 12, 14, 14, 14), strict=True)
                    shown = "".join(f"{each:>{width}.1f}" for each, width in columns)
                    print(f"{title:<21}{hands:>6}{shown}", flush=True)
                    checksum = zlib.crc32(found.round(3).tobytes(), checksum)
    print(f"fingerprint {checksum:08x}")


def wins(tree: Tree, player: Tilted, hands: int, seed: int, iterations: int, folder: Path) -> list[float]:
    """What the blueprint, the restricted coin and those of FAMILIES win from the true player, mbb/g."""
    log = hands_of(player, tree.blueprint, hands, seed)
    model = model_of(log, "ann", tree.blueprint, "leduc")
    blueprint, true, modelled = (tree.play_of(each) for each in (tree.blueprint, player, model.strategy))
    biased = [
        [data_biased(tree, modelled, confidence, chances, iterations) for confidence in CONFIDENCES]
        for chances in chances_of(tree, model, log)
    ]
    families = [restricted(tree, model, iterations, folder), *biased]
    coins = [coin(tree, [blueprint, *family], modelled, true) for family in families]
    return [tree.win(blueprint, true), *coins]


def coin(tree: Tree, family: Sequence[Play], model: Play, true: Play) -> float:
    """What the coin of a family, the blueprint first, wins from the true player; the model chooses the coin."""
    points = [Point(float(k), tree.win(each, model), tree.exploitability(each), 0.0) for k, each in enumerate(family)]
    mix = best_mix(points, RISK)
    return mix.mean(
        {each.confidence: tree.win(family[int(each.confidence)], true) for each in (mix.safer, mix.greedier)}
    )


def restricted(tree: Tree, model: Model, iterations: int, folder: Path) -> list[Play]:
    """The restricted Nash responses of ``cfr counter``."""
    model.save(folder / "model.h5")
    found = []
    with Strategy.open(folder / "model.h5") as strategy:
        for confidence in CONFIDENCES:
            save_counter(folder / "counter.h5", strategy, confidence, iterations)
            with Strategy.open(folder / "counter.h5") as counter:
                found.append(tree.play_of(counter))
    return found


def chances_of(tree: Tree, model: Model, log: Sequence[LoggedHand]) -> list[list[Floats]]:
    """For each of FAMILIES, by decision ``(boards, hands)`` the chance of the model where the confidence is 1."""
    strategy = model.strategy
    seen = np.zeros(situation.count(tree.game) * LEVELS)
    for layer, _, share in ranges(gather(log, model.player, strategy), strategy.tilt):
        np.add.at(seen, layer.key, share)
    by_strength = seen.reshape(-1, LEVELS)
    constant, by_situation, each = [], [], []
    for decision in tree.decisions:
        here = by_strength[situation.number(decision.state)]
        level = np.array([strategy.levels[decision.state.round][rows] for rows in tree.rows(decision.state.round)])
        constant.append(np.ones(level.shape))
        by_situation.append(np.full(level.shape, here.sum() / (here.sum() + ENOUGH)))
        each.append(here[level] / (here[level] + ENOUGH))
    return [constant, by_situation, each]


def data_biased(tree: Tree, model: Play, confidence: float, chances: list[Floats], iterations: int) -> Play:
    """A data biased response by CFR+, each seat against an adversary of its own.

    An adversary's decision plays the model with its chance, and learns with the rest: its regrets are those of the
    rest, and its values those of both.
    """
    chances = [confidence * each for each in chances]
    found: Play = [np.empty(0)] * len(tree.decisions)
    for seat in (0, 1):
        regrets, sums = ([np.zeros(each.shape) for each in tree.decisions] for _ in range(2))
        for iteration in range(1, iterations + 1):
            for traverser in (seat, 1 - seat):
                learnt = [matched(each) for each in regrets]
                forced = zip(tree.decisions, chances, model, learnt, strict=True)
                met = [x if d.actor == seat else p * m + (1 - p) * x for d, p, m, x in forced]
                learn(tree, traverser, regrets, learnt, met)
            add_average(tree.root, seat, [matched(each) for each in regrets], sums, np.array(float(iteration)))
        for decision in tree.decisions:
            if decision.actor == seat:
                found[decision.number] = matched(sums[decision.number])
    return found


def learn(tree: Tree, seat: int, regrets: Play, learnt: Play, met: Play) -> None:
    """Add one iteration to a seat's regrets for what it learnt, where both seats play what is met."""

    def at_own(number: int, values: Floats) -> Floats:
        regret = values - (values * learnt[number]).sum(axis=0)
        regrets[number] = np.maximum(regrets[number] + regret, 0)
        return np.asarray((values * met[number]).sum(axis=0))

    tree.values(seat, met, at_own)


def matched(regrets: Floats) -> Floats:
    """Shares of regrets, none of them negative; evenly where there are none."""
    total = regrets.sum(axis=0)
    return np.where(total > 0, regrets / np.where(total > 0, total, 1), 1 / len(regrets))


def add_average(decision: Decision, seat: int, play: Play, sums: Play, reach: Floats) -> None:
    """Add a seat's reach of each of its actions, from here on."""
    own = decision.actor == seat
    if own:
        sums[decision.number] += reach * play[decision.number]
    for child, taken in zip(decision.children, play[decision.number], strict=True):
        if isinstance(child, Decision):
            add_average(child, seat, play, sums, reach * taken if own else reach)


class Decision:
    """A public state in which a seat acts, on all boards.

    Attributes:
        state, actor: the betting, and the seat to act.
        number: its place among the tree's decisions.
        shape: ``(legal actions, boards, hands)``; one board before it is dealt.
        children: by action the next decision, or what each seat wins at the end, ``(boards, own, other)``.
    """

    def __init__(self, state: State, number: int, hands: int) -> None:
        self.state, self.actor, self.number = state, state.actor, number
        self.shape = (len(state.legal), hands if state.round else 1, hands)
        self.children: list[Decision | tuple[Floats, Floats]] = []


class Tree:
    """All of Leduc: a card each, and one on the board."""

    def __init__(self, blueprint: Strategy) -> None:
        self.blueprint, self.game = blueprint, blueprint.game
        cards = self.game.hands
        different = ~np.eye(len(cards), dtype=bool)
        self._dealt = (different[:, :, None] & different[:, None, :] & different[None]).astype(float)
        found = strengths(cards, cards).astype(float)
        self._order = np.sign(found[:, :, None] - found[:, None, :])
        self._nobody_left_out = np.ones((1, len(cards)))
        self.decisions: list[Decision] = []
        self.root = self._decision(blueprint.betting.root)

    def rows(self, round_: int) -> NDArray[np.int32]:
        """``(boards, hands)`` rows of the abstraction."""
        boards = self.game.hands if round_ else np.empty((1, 0), np.uint8)
        return np.maximum(self.blueprint.abstraction.rows(round_, boards), 0)

    def play_of(self, strategy: BaseStrategy) -> Play:
        """What a strategy does at each decision."""
        found = []
        for decision in self.decisions:
            boards: list[list[int]] = self.game.hands.tolist() if decision.state.round else [[]]
            legal = [ACTIONS.index(action) for action in decision.state.legal]
            taken = np.array([strategy.all_hands(decision.state, board)[:, legal].T for board in boards])
            found.append(matched(np.nan_to_num(taken.swapaxes(0, 1))))
        return found

    def values(self, seat: int, others: Play, at_own: Callable[[int, Floats], Floats]) -> float:
        """What a seat wins from the other's play, mbb/g.

        Args:
            seat: whose values.
            others: the other seat's play is read.
            at_own: the number of one of the seat's decisions and ``(actions, boards, hands)`` values there, to values.
        """
        value = self._values(self.root, seat, others, at_own, self._nobody_left_out)
        return float(value.sum()) * self.game.mbb / int(self._dealt.sum())

    def win(self, play: Play, other: Play) -> float:
        """What one play wins from another, mbb/g, the mean of both seats."""
        return sum(self.values(s, other, lambda n, found: (found * play[n]).sum(axis=0)) for s in (0, 1)) / 2

    def exploitability(self, play: Play) -> float:
        """What a best response wins, mbb/g, the mean of both seats."""
        return sum(self.values(s, play, lambda _, found: found.max(axis=0)) for s in (0, 1)) / 2

    def _decision(self, state: State) -> Decision:
        found = Decision(state, len(self.decisions), len(self.game.hands))
        self.decisions.append(found)
        for action in state.legal:
            after = state.act(action)
            found.children.append(self._winnings(after) if after.is_over else self._decision(after))
        return found

    def _winnings(self, state: State) -> tuple[Floats, Floats]:
        if not state.at_showdown:
            return self._dealt * state.payoff(None)[0], self._dealt * state.payoff(None)[1]
        first, second = (self._dealt * self._order * state.payoff(seat)[seat] for seat in (0, 1))
        return first, second

    def _values(
        self, decision: Decision, seat: int, others: Play, at_own: Callable[[int, Floats], Floats], reach: Floats
    ) -> Floats:
        values = []
        for child, taken in zip(decision.children, others[decision.number], strict=True):
            coming = reach if decision.actor == seat else reach * taken
            if isinstance(child, Decision):
                value = self._values(child, seat, others, at_own, coming)
            else:
                value = np.einsum("bot,bt->bo", child[seat], np.broadcast_to(coming, self._dealt.shape[:2]))
            is_dealt = decision.shape[1] == 1 and len(value) > 1
            values.append(value.sum(axis=0, keepdims=True) if is_dealt else value)
        if decision.actor == seat:
            return at_own(decision.number, np.array(values))
        return np.asarray(sum(values))


if __name__ == "__main__":
    main()
