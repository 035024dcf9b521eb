"""Number types of a spot's tables beside each other: exploitability after the same iterations, time and memory.

``python -m benchmarks.studies.tables`` solves three turns and a flop of royal hold'em (20 cards: a flop of 52 takes
minutes) with full ranges by each number type. It prints the exploitability in percent of the pot after 80 and after 200
iterations, and the time of an iteration and the bytes of the tables as ratios to float32's. The types take turns,
iteration by iteration, so other work slows all of them alike. ``--spots`` takes others, each ``BOARD LINE`` or ``GAME
BOARD LINE``. The fingerprint is of the tables of all spots.
"""

import argparse
import platform
import zlib
from statistics import median
from time import perf_counter

import numpy as np

from cfr.game.betting import BettingTree
from cfr.game.cards import parse_cards
from cfr.game.rules import Game
from cfr.kernel.numbers import TYPES
from cfr.kernel.schedules import SCHEDULED
from cfr.spots.solver import SpotSolver
from cfr.strategy.spot import Spot, parse_range
from cfr.system.cores import usable_cores

TURNS = ("Td9d6hQc rc/crc/", "AsKh7d2c rrc/rc/", "8h8c3s5d rc/cc/")
FLOPS = ("royal AsKhTd rc/",)
RIVERS = ("Td9d6hQc2s rc/crc/cc/",)


def compare(spot: Spot, iterations: tuple[int, ...], threads: int) -> int:
    """Solve a spot with each number type and print a row for each; a fingerprint of their tables."""
    solvers = {name: SpotSolver(spot, threads, tables=name) for name in TYPES}
    times: dict[str, list[float]] = {name: [] for name in TYPES}
    percent: dict[str, list[float]] = {name: [] for name in TYPES}
    for iteration in range(1, max(iterations) + 1):
        for name, solver in solvers.items():
            start = perf_counter()
            solver.step(SCHEDULED)
            times[name].append(perf_counter() - start)
            if iteration in iterations:
                percent[name].append(100 * solver.exploitability() / spot.pot)
    sizes = {
        name: sum(table.nbytes for kind in solver.tables.values() for pair in kind for table in pair)
        for name, solver in solvers.items()
    }
    fingerprint = 0
    for name, solver in solvers.items():
        print(
            f"{spot!s:<34}{name:<10}"
            + "".join(f"{each:>9.4f} %" for each in percent[name])
            + f"{median(times[name]) / median(times['float32']):>9.2f}x{sizes[name] / sizes['float32']:>9.3f}x",
            flush=True,
        )
        fingerprint = zlib.crc32(np.ascontiguousarray(solver.averages[-1][0]).tobytes(), fingerprint)
    return fingerprint


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--quick", action="store_true", help="a river, few iterations; the fingerprint is of these")
    parser.add_argument(
        "--spots", nargs="+", metavar="SPOT", help="a board and a line, as one argument; a game before them"
    )
    parser.add_argument("--range", default="any", help="both seats' hands (default: any)")
    parser.add_argument("--threads", type=int, default=usable_cores())
    args = parser.parse_args()
    iterations = (10, 20) if args.quick else (80, 200)
    print(f"{platform.machine()}, {args.threads} threads, exploitability in percent of the pot")
    print(
        f"{'spot':<34}{'tables':<10}"
        + "".join(f"{f'after {n}':>11}" for n in iterations)
        + f"{'time':>10}{'bytes':>10}"
    )
    fingerprint = 0
    for text in args.spots or (RIVERS if args.quick else (*TURNS, *FLOPS)):
        name, board, line = ["hulhe", *text.split()][-3:]
        game = Game.bundled(name)
        hands = parse_range(game, args.range)
        spot = Spot(BettingTree(game).parse(line), parse_cards(board), np.array([hands, hands]))
        fingerprint ^= compare(spot, iterations, args.threads)
    print(f"fingerprint {fingerprint:08x}")


if __name__ == "__main__":
    main()
