"""Node-actions per second of update and best-response passes: a narrow, a middle and the full game.

``python -m benchmarks.speed.passes`` prints, for Rhode Island hold'em and [2-4] hold'em (lossless, all boards) and full
limit hold'em (sampled boards, hands in 50 rows), medians with one thread and with all: how many (hand, board,
node-action) triples a pass for one seat visits in a second, and the share of the machine's memory bandwidth that the
tables' traffic is. The bandwidth is that of copying an array in the same run, with one thread. The fingerprint is of
the games' sizes.
"""

import argparse
import os
import zlib

import numpy as np

from benchmarks.clock import seconds
from benchmarks.speed.traverse import HULHE, sampled
from cfr.abstraction.abstraction import Abstraction
from cfr.game.rules import Game
from cfr.kernel.chance import Deal, enumerate_deal
from cfr.kernel.traversal import Traversal, Visit, layout


class Pass:
    """A game with tables, to be traversed for the second seat over and over."""

    def __init__(self, game: Game, deal: Deal, threads: int) -> None:
        self.deal = deal
        self.kernel = Traversal(layout(game), threads)
        self.regrets, averages = (self.kernel.zeros(deal.num_rows) for _ in range(2))
        rng = np.random.default_rng(0)
        for pair in self.regrets:
            for table in pair:
                table[...] = rng.random(table.shape, np.float32)
        self.sums = [tables[1] for tables in averages]
        self.roots = len(deal.rounds[0].cards)

    def update(self) -> None:
        for root in range(self.roots):
            self.kernel.run(self.deal, self.regrets, 1, "update", Visit(root), averages=self.sums)

    def best(self) -> None:
        for root in range(self.roots):
            self.kernel.run(self.deal, self.regrets, 1, "best", Visit(root))

    @property
    def node_actions(self) -> int:
        """(hand, board, node-action) triples of a pass."""
        tree = self.kernel.tree.betting
        return sum(
            int(boards.live_count.sum()) * shared.node_actions * lines
            for boards, shared, lines in zip(self.deal.rounds, tree.rounds, tree.num_lines, strict=True)
        )

    def traffic(self, mode: str) -> int:
        """Bytes of tables that a pass moves, each row once per board."""
        moved = 0
        for boards, tables in zip(self.deal.rounds, self.regrets, strict=True):
            own, other = (table[0].nbytes for table in reversed(tables))
            moved += int(boards.row_count.sum()) * (other + (4 * own if mode == "update" else 0))
        return moved


def bandwidth(repeats: int) -> float:
    """Bytes per second, read and written, of copying far more than any cache holds."""
    source = np.ones(1 << 25, np.float64)
    target = np.zeros_like(source)
    return 2 * source.nbytes / seconds(lambda: np.copyto(target, source), repeats)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument(
        "--quick", action="store_true", help="Leduc in place of the large games: shows only that it works"
    )
    parser.add_argument("--threads", type=int, default=os.cpu_count() or 1, help="for 'all' (default %(default)s)")
    parser.add_argument("--repeats", type=int, default=5, help="passes per median (default %(default)s)")
    args = parser.parse_args()
    names = ["leduc"] if args.quick else ["rhode-island", "holdem-2-4", "hulhe"]
    repeats = 1 if args.quick else args.repeats
    speed = bandwidth(max(repeats, 3))
    print(f"copying moves {speed / 1e9:.1f} GB/s with one thread")
    fingerprint = 0
    for name in names:
        game = Game.bundled(name)
        deal = sampled(16) if game == HULHE else enumerate_deal(game, Abstraction.lossless(game))
        for threads in sorted({1, args.threads}):
            passes = Pass(game, deal, threads)
            for mode, action in (("update", passes.update), ("best", passes.best)):
                action()
                took = seconds(action, repeats)
                print(
                    f"{name:<13}{mode:<7}{threads} threads {passes.node_actions / took / 1e9:8.2f} G node-actions/s,"
                    f" tables {100 * passes.traffic(mode) / took / speed:5.1f} % of the bandwidth"
                )
            fingerprint = zlib.crc32(f"{name} {passes.node_actions}".encode(), fingerprint)
    print(f"fingerprint {fingerprint:08x}")


if __name__ == "__main__":
    main()
