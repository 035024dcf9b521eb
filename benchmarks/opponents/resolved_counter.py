"""Counter-strategies re-solved in play, with the model of the opponent and without, exactly, in Leduc.

``python -m benchmarks.opponents.resolved_counter`` solves Leduc with few iterations, so that a re-solve has something
to mend, and makes models of the typical players of ``benchmarks.opponents.models`` and restricted Nash responses to
them, as ``cfr model`` and ``cfr counter`` do, with as few iterations. It then re-solves the second round of the
blueprint and of each response, as ``--resolve`` does: the own range is that of the strategy, target values are what a
best response wins against it, and the gadget is ``combined``. The opponent's range is

* *own*: what the strategy itself would bring in the other seat, as it is in play;
* *range*: what the model brings;
* *restricted*: as *own*, but with the confidence of the response the opponent is the model, which brings its own range
  and plays on as the model does.

It prints what the blueprint and the coin of each family within a risk of 60 mbb/g win from the *true* player, in mbb/g,
as means of some seeds; the coin is chosen by the win from the model. ``long`` is the coin of the same responses after
many iterations.
"""

from __future__ import annotations

import argparse
import zlib
from itertools import islice
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
from tqdm import tqdm

from benchmarks.opponents.data_biased import Play, Tree, coin
from benchmarks.opponents.models import CONFIDENCES, hands_of, players
from cfr.game.betting import State
from cfr.game.rules import Game
from cfr.kernel.schedules import schedule_named
from cfr.kernel.traversal import Visit
from cfr.opponents.counter import Countering
from cfr.opponents.model import model_of
from cfr.opponents.tilted import Tilted
from cfr.resolving.gadget import Entry
from cfr.resolving.resolver import AVERAGED, Effort, Resolver, Subgames, certificates, rounded_reach
from cfr.resolving.resolving_strategy import Resolving
from cfr.resolving.seat_solution import SeatSolution
from cfr.resolving.target_values import target_values
from cfr.solver.settings import Settings
from cfr.solver.solve import solve
from cfr.strategy.files.stored import Strategy
from cfr.strategy.strategy import BaseStrategy
from cfr.system.progress import Progress

LONG = 300  # iterations


class Restricted(Resolver):
    """A re-solve of the last round in which the opponent is a model, with a chance: a restricted Nash response.

    Args:
        subgames: one subgame, whose ``expected`` is what the opponent brings who is not the model.
        model: what the opponent is else.
        confidence: the chance of the model.
    """

    def __init__(self, subgames: Subgames, model: BaseStrategy, confidence: float) -> None:
        super().__init__(subgames, Effort())
        self._confidence = confidence
        (entry,), board, other = subgames.entries, subgames.board, 1 - subgames.seat
        self._brings = model.at(entry, board).reach(other)[None]
        of_hands = self.rows.rows(entry.round, np.array([board], np.uint8))[0]
        live = of_hands >= 0
        shares = np.zeros((self.rows.num_rows[entry.round], self.tree.betting.rounds[entry.round].node_actions, 1))
        for state in entry.decisions(other):
            numbers = self.tree.betting.rounds[entry.round].action_index[state.node]
            found = model.all_hands(state, board)[live][:, numbers >= 0]
            shares[np.ix_(of_hands[live], numbers[numbers >= 0], [0])] = found[..., None]
        self._model = self.tree.by_seat(shares, 0, self._regrets[0][other].dtype)[other]

    def solve(self, hears: Progress = lambda _: None) -> None:
        """As :meth:`cfr.resolving.resolver.Resolver.solve`, and each time a step against the model."""
        subgames, schedule, most = self.subgames, schedule_named(self._effort.schedule), self._effort.iterations
        seat, live = subgames.seat, subgames.game.live(subgames.board)
        entry = Entry(self._effort.gadget, subgames.expected, live, subgames.targets)
        own_regrets = self._regrets[0][seat]
        fixed = [(own_regrets, self._model) if seat == 0 else (self._model, own_regrets)]
        forgotten, averaged = (
            self._traversal.prepare(self._deal, self._regrets, seat, "update", averages=sums)
            for sums in (None, self.averages)
        )
        modelled = self._traversal.prepare(self._deal, fixed, seat, "update")
        opponent = self._traversal.prepare(self._deal, self._regrets, 1 - seat, "update")
        for iteration in range(1, most + 1):
            own = averaged if iteration > most * (1 - AVERAGED) else forgotten
            weight, kept = schedule.weight(iteration), schedule.kept(iteration)
            self._traversal.set_reach(1 - seat, entry.range)
            own.run(Visit(weight=weight, kept=(1.0, 1.0), step=1 - self._confidence))
            opponent.run(Visit(kept=kept))
            entry.learn(opponent.values_by_line[:1], schedule, iteration)
            self._traversal.set_reach(1 - seat, self._brings)
            modelled.run(Visit(kept=kept, step=self._confidence))


class ByModel(Resolving):
    """Re-solves by a model of the opponent: its range alone, or :class:`Restricted`.

    Args:
        blueprint: what is re-solved.
        model: the opponent's.
        confidence: the chance of the model; None for its range alone.
    """

    def __init__(self, blueprint: BaseStrategy, model: BaseStrategy, confidence: float | None) -> None:
        super().__init__(blueprint, "flop", threads=1, keeps=False)
        self._model, self._confidence = model, confidence

    def _found(self, entry: State, board: tuple[int, ...], seat: int) -> SeatSolution | None:
        position = self.trunk.at(entry, board)
        own = rounded_reach(position.reach(seat))[None]
        if not own.any():
            return None
        targets = target_values(self.blueprint, [entry], board, seat, own)
        comes = (position if self._confidence is not None else self._model.at(entry, board)).reach(1 - seat)
        subgames = Subgames([entry], board, seat, own, comes[None], targets)
        if self._confidence is None:
            resolver = Resolver(subgames, self.effort)
        else:
            resolver = Restricted(subgames, self._model, self._confidence)
        resolver.solve()
        found = certificates(resolver.subgames, resolver.best_response())
        return SeatSolution(entry, board, seat, own[0], resolver.averages, resolver.rows.river_rows, found[0])


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--hands", type=int, nargs="+", default=[300, 3000], help="default: 300 3000")
    parser.add_argument("--seeds", type=int, default=2, help="logs of each player and size (default: %(default)s)")
    parser.add_argument("--iterations", type=int, default=20, help="of each solve (default: %(default)s)")
    parser.add_argument("--quick", action="store_true", help="two players, one log of few hands each")
    options = parser.parse_args()
    if options.quick:
        options.hands, options.seeds = [100], 1
    checksum = 0
    with TemporaryDirectory() as name:
        folder = Path(name)
        solve(Settings(Game.bundled("leduc"), None, iterations=options.iterations, out=folder / "leduc.h5"))
        with Strategy.open(folder / "leduc.h5") as blueprint:
            tree = Tree(blueprint)
            print(
                f"{'player':<21}{'hands':>6}{'blueprint':>11}{'coin':>8}{'own':>8}{'range':>8}{'restricted':>12}{'long':>8}"
            )
            for title, player in islice(players(blueprint), 2 if options.quick else None):
                for hands in options.hands:
                    logs = tqdm(range(options.seeds), f"{title}, {hands} hands", leave=False)
                    won = [wins(tree, player, hands, seed, options.iterations, folder) for seed in logs]
                    found = np.mean(won, axis=0)
                    shown = "".join(
                        f"{each:>{width}.1f}" for each, width in zip(found, (11, 8, 8, 8, 12, 8), strict=True)
                    )
                    print(f"{title:<21}{hands:>6}{shown}", flush=True)
                    checksum = zlib.crc32(found.round(3).tobytes(), checksum)
    print(f"fingerprint {checksum:08x}")


def wins(tree: Tree, player: Tilted, hands: int, seed: int, iterations: int, folder: Path) -> list[float]:
    """What the blueprint and five coins win from the true player, mbb/g."""
    model = model_of(hands_of(player, tree.blueprint, hands, seed), "ann", tree.blueprint, "leduc")
    true, modelled, blueprint = (tree.play_of(each) for each in (player, model.strategy, tree.blueprint))
    families: list[list[Play]] = [[blueprint] for _ in range(5)]
    plain, own, by_range, restricted, long = families

    def add(strategy: Strategy, confidence: float) -> None:
        plain.append(tree.play_of(strategy))
        own.append(tree.play_of(Resolving(strategy, "flop", threads=1, keeps=False)))
        by_range.append(tree.play_of(ByModel(strategy, model.strategy, None)))
        restricted.append(tree.play_of(ByModel(strategy, model.strategy, confidence)))

    add(tree.blueprint, 0.0)
    model.save(folder / "model.h5")
    with Strategy.open(folder / "model.h5") as saved:
        for confidence in CONFIDENCES:
            solver = Countering(saved, confidence)
            for is_long, steps in enumerate((iterations, LONG - iterations)):
                for _ in range(steps):
                    solver.step()
                solver.save(folder / "counter.h5", {"algorithm": "counter"})
                with Strategy.open(folder / "counter.h5") as counter:
                    if is_long:
                        long.append(tree.play_of(counter))
                    else:
                        add(counter, confidence)
    return [tree.win(blueprint, true), *(coin(tree, each, modelled, true) for each in families)]


if __name__ == "__main__":
    main()
