"""Play before the flop, solved against a few flops without buckets, with and without a control variate.

``python -m benchmarks.studies.trunk`` takes the game and the blueprint of :mod:`benchmarks.studies.split`. A stratified
sample of flops is one game without buckets, in which each flop stands for those around it. The play before the flop of
its solution is a trunk. A trunk's worth is the exploitability of the best continuation that it can have on all flops.
Few flops mislead: a hand that they favour comes in too often. The control variate knows what the blueprint's hands win
on all flops. It adds the difference between all flops and the sample to the value of each hand where the flop begins
(control variates: Hammersley and Handscomb 1964, section 5.5).

The fingerprint is of the exact numbers.
"""

import argparse
import zlib
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from statistics import mean
from tempfile import TemporaryDirectory

import numpy as np

from benchmarks.studies.lossless import one_raise
from benchmarks.studies.split import best_after, opening_play, parser_of, rows_of_hands, shown
from cfr.exploit.exploitability import measure_boards
from cfr.exploit.preflop import Opening
from cfr.game.rules import Game
from cfr.hands.flops import first_boards, sample
from cfr.kernel.chance import Deal, Dealt, Piece
from cfr.kernel.numbers import by_round
from cfr.kernel.pieces import all_boards, piece_deal
from cfr.kernel.schedules import SCHEDULED
from cfr.kernel.tables import Tables
from cfr.kernel.traversal import Traversal, Visit, layout
from cfr.kernel.tree import Tree
from cfr.solver.settings import Settings
from cfr.solver.solve import solve
from cfr.strategy.files.stored import Strategy


def of_flops(game: Game, drawn: np.ndarray) -> list[Dealt]:
    """All boards of each round below a sample of flops, which may hold a flop twice; each stands for its share."""
    levels = all_boards(game)
    kept, times = np.unique(drawn, return_counts=True)
    weight = times / len(drawn) / first_boards(game).share[kept]
    found = [levels[0], Dealt(levels[1].cards[kept], levels[1].parent[kept], levels[1].factor[kept] * weight)]
    for level in levels[2:]:
        here = np.flatnonzero(np.isin(level.parent, kept))
        parent = np.searchsorted(kept, level.parent[here]).astype(np.int32)
        found.append(Dealt(level.cards[here], parent, level.factor[here]))
        kept = here
    return found


def leaf_reach(tree: Tree, table: np.ndarray, seat: int, rows: np.ndarray) -> np.ndarray:
    """``(leaves, hands)`` reach of a seat's hands where the flop begins, by the first round's table of the seat."""
    shape, positive = tree.rounds[0].seats[seat], np.maximum(tree.seat_by_line(table, 0)[..., 0], 0)
    plan = np.ones((len(positive), shape.sequences))
    for parent, first, count in zip(shape.node_parent, shape.node_first, shape.node_count, strict=True):
        played = positive[:, first - 1 : first - 1 + count]
        total = played.sum(axis=1, keepdims=True)
        share = np.divide(played, total, out=np.full(played.shape, 1 / count), where=total > 0)
        plan[:, first : first + count] = plan[:, [parent]] * share
    return np.ascontiguousarray(plan[rows][:, shape.leaf_traverser].T)


@dataclass(frozen=True)
class ControlVariate:
    """What hands win on all flops beyond what they win on a sample, by a blueprint's values.

    Attributes:
        above: ``(2, leaves, hands)`` chips that each seat's hands win more on all flops than on the sample, where the
            flop begins; a mean over the opponent's hands.
        middle: ``(leaves,)`` half the difference of the seats' means of ``above``. Without it the corrections of both
            seats would not add up to zero.
        apart: ``(hands, hands)`` whether two hands share no card.
    """

    above: np.ndarray
    middle: np.ndarray
    apart: np.ndarray

    @classmethod
    def of(cls, opening: Opening, values: np.ndarray, game: Game, drawn: np.ndarray) -> "ControlVariate":
        """From the ``(flops, seats, leaves, classes)`` values of best responses to a blueprint, and its opening."""
        apart, share = game.apart, first_boards(game).share
        missed = np.tensordot(share, values, 1) - values[drawn].mean(axis=0)
        of_hands, met = missed[..., opening.classes], opening.reach[::-1] @ apart
        above = np.divide(of_hands, met, out=np.zeros_like(of_hands), where=met > 0)
        pairs = (opening.reach * met).sum(axis=2)
        means = np.divide((opening.reach * of_hands).sum(axis=2), pairs, out=np.zeros_like(pairs), where=pairs > 0)
        return cls(above, (means[0] - means[1]) / 2, apart)

    def values(self, seat: int, reach: np.ndarray) -> np.ndarray:
        """``(leaves, hands)`` chips to add to a seat's hands, given the ``(leaves, hands)`` reach of the other seat."""
        middle = self.middle if seat == 0 else -self.middle
        own = (self.above[seat] - middle[:, None]) * (reach @ self.apart)
        chips: np.ndarray = own - (reach * self.above[1 - seat]) @ self.apart
        return chips


def solved_opening(
    game: Game, deal: Deal, iterations: int, threads: int, control: ControlVariate | None = None
) -> np.ndarray:
    """``(node_actions, hands)`` play before the flop of a deal's solution."""
    wide = np.dtype(np.float32)
    tree = layout(game, wide)
    traversal = Traversal(tree, threads, wide, table_dtype=by_round("bfloat16", game.num_rounds))
    regrets, averages = traversal.zeros(deal.num_rows), traversal.zeros(deal.num_rows, sums=True)
    rows = rows_of_hands(deal)
    for iteration in range(1, iterations + 1):
        visit = Visit(0, SCHEDULED.weight(iteration), SCHEDULED.kept(iteration), seed=iteration)
        for seat in (0, 1):
            carried = traversal.carried()
            if control is not None:
                reach = leaf_reach(tree, regrets[0][1 - seat], 1 - seat, rows)
                by_lane = np.zeros((tree.rounds[1].stride, game.num_hands))
                by_lane[tree.rounds[1].entry] = control.values(seat, reach)
                carried[...] = by_lane.reshape(len(carried), tree.lanes, -1).transpose(0, 2, 1)
            whole = replace(deal, piece=Piece(carried, [0] * game.num_rounds, is_last=True))
            traversal.run(whole, regrets, seat, "update", visit, averages=[pair[seat] for pair in averages])
    return by_hand(tree, averages[0], rows)


def by_hand(tree: Tree, first: Tables, rows: np.ndarray) -> np.ndarray:
    """``(node_actions, hands)`` sums of the first round; what hands never come to is uniform."""
    found: np.ndarray = tree.by_line(first, 0)[rows, :, 0].T
    return found


def main() -> None:
    parser = parser_of(__doc__, river_rows="strength")
    parser.add_argument("--flops", type=int, nargs="+", default=[4, 8, 16], help="of the samples")
    parser.add_argument("--seeds", type=int, default=3, help="samples of each size")
    parser.add_argument("--quick", action="store_true", help="one small sample, few iterations")
    options = parser.parse_args()
    if options.quick:
        options.buckets, options.blueprint_iterations, options.iterations = 20, 200, 8
        options.flops, options.seeds = [4], 1
    print(f"fingerprint {zlib.crc32(repr(study(options)).encode()):08x}")


def study(options: argparse.Namespace) -> list[float]:
    """Print the tables; the exact numbers."""
    game, threads = one_raise(options.cards), options.threads
    settings = Settings(
        game,
        None,
        options.iterations,
        lossless=True,
        tables="bfloat16",
        threads=threads,
        river_rows=options.river_rows,
    )
    found: list[float] = []
    with TemporaryDirectory() as folder:
        out = Path(folder) / "blueprint.h5"
        buckets = (options.buckets,) * 3
        solve(Settings(game, buckets, options.blueprint_iterations, schedule="cfr-br", threads=threads, out=out))
        with Strategy(out) as blueprint:
            measured = measure_boards(blueprint, threads=threads)
            values = measured.flop_values("blueprint").values[:, :2].astype(float)
            opening = measured.measurement.opening
            played = opening_play(blueprint)
    print(f"{game.name}, {len(values)} flops; the best that a trunk allows, mbb/g")
    print(f"{'':<44}{'mean':>9}{'button':>9}{'big bl.':>9}")
    found += shown(game, "the blueprint's trunk", best_after(settings, played))

    def deal_of(levels: Sequence[Dealt]) -> Deal:
        return piece_deal(game, levels, 0, len(levels[1].cards), options.river_rows)

    all_flops = solved_opening(game, deal_of(all_boards(game)), options.iterations, threads)
    found += shown(game, "of all flops", best_after(settings, all_flops))
    for count in options.flops:
        for name in ("flops", "flops, with the control variate"):
            of_seeds = []
            for seed in range(options.seeds):
                drawn = sample(first_boards(game), count, seed)
                control = ControlVariate.of(opening, values, game, drawn) if "," in name else None
                trunk = solved_opening(game, deal_of(of_flops(game, drawn)), options.iterations, threads, control)
                of_seeds.append(best_after(settings, trunk))
            won = mean(each[0] for each in of_seeds), mean(each[1] for each in of_seeds)
            totals = ", ".join(f"{sum(each) / 2:.1f}" for each in of_seeds)
            found += shown(game, f"of {count} {name}", won, f"  ({totals})")
    return found


if __name__ == "__main__":
    main()
