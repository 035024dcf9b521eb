"""Realisation plans of a file with codebooks: an entry planned once and looked up, against rows planned one by one.

``python -m benchmarks.speed.plans`` makes both seats' plans of a round of a strategy file, as measuring it does, in
turn by entries and by rows, and prints the medians of some repeats and their ratio. ``--round`` chooses the round, the
turn by default: a river's plans take 3 GB.

The fingerprint is of the plans, which both ways give to the last bit.
"""

import argparse
import tempfile
import zlib
from functools import partial
from pathlib import Path

import numpy as np

from benchmarks.clock import rates
from cfr.game.rules import Game
from cfr.game.words import ROUND_NAMES
from cfr.kernel.traversal import layout
from cfr.solver.settings import Settings
from cfr.solver.solve import solve
from cfr.strategy.files.bundled import DEFAULT
from cfr.strategy.files.stored import Strategy
from cfr.strategy.realisation import Target, plan_tables


class Rows:
    """A round's probabilities without the books that keep them."""

    def __init__(self, strategy: Strategy, round_: int) -> None:
        self._round = strategy.source.rounds[round_]
        self.shape = self._round.shape

    def __getitem__(self, rows: slice) -> np.ndarray:
        return self._round[rows]


def compare(strategy: Strategy, round_: int, repeats: int) -> None:
    tree = layout(strategy.game)
    targets = [Target(tree, round_, seat) for seat in (0, 1)]
    ways = {"by entries": strategy.source.rounds[round_], "by rows": Rows(strategy, round_)}
    made: dict[str, list[np.ndarray]] = {}

    def plan(name: str) -> None:
        made[name] = plan_tables(ways[name], targets, np.float32)

    speed = rates({name: (1, partial(plan, name)) for name in ways}, repeats)
    entries, rows = (1 / speed[name] for name in ways)
    block, lane = np.divmod(tree.rounds[round_].entry, tree.lanes)  # other lanes are padding
    first, second = (
        zlib.crc32(b"".join(table[:, block, :, lane].tobytes() for table in tables)) for tables in made.values()
    )
    assert first == second, "the two ways differ"
    print(
        f"{ROUND_NAMES[round_]}: {entries:.2f} s by entries, {rows:.2f} s by rows: {rows / entries:.2f} times as long"
    )
    print(f"fingerprint {first:08x}")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument(
        "strategy", nargs="?", default=DEFAULT, help="strategy file with codebooks (default: %(default)s, supplied)"
    )
    parser.add_argument("--round", choices=ROUND_NAMES[1:], default="turn", help="default %(default)s")
    parser.add_argument("--repeats", type=int, default=3, help="default %(default)s")
    parser.add_argument("--quick", action="store_true", help="a small game's strategy: shows only that it works")
    args = parser.parse_args()
    if args.quick:
        with tempfile.TemporaryDirectory() as folder:
            out = Path(folder) / "leduc.h5"
            solve(Settings(Game.bundled("leduc"), None, iterations=20, compact=True, out=out))
            with Strategy.open(out) as strategy:
                compare(strategy, 1, 1)
        return
    with Strategy.open(args.strategy) as strategy:
        compare(strategy, ROUND_NAMES.index(args.round), args.repeats)


if __name__ == "__main__":
    main()
