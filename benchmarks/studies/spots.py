"""Exact spots: how long solves take, how well they fill the vectors and the memory, and what 16-bit tables cost.

``python -m benchmarks.studies.spots`` prints the machine's name, then, all in one run:

- a turn (Td9d6hQc, pot 80, any two cards) solved to 0.1 % and 0.01 % of the pot, and its river (2s) to 0.1 %: median
  time with set-up, iterations, and the time as a ratio to that with one thread;
- the processor time, user and system, of solves of one iteration: nearly all of it is set-up, rounding and measuring;
- of the turn, the share of lanes that betting lines fill, node-actions per second of an iteration, and the share of the
  bandwidth of copying (one thread, ``benchmarks.speed.passes``) that the tables' traffic is;
- float32 against bfloat16 on three turns and a flop of royal hold'em (20 cards: a flop of 52 takes minutes): the
  exploitability after the same iterations, and the time as a ratio to float32.

The fingerprint is of the turn's size and of the iterations.
"""

import argparse
import os
import platform
import zlib
from functools import partial
from pathlib import Path
from statistics import median
from time import process_time

from benchmarks.clock import rates, seconds
from benchmarks.speed.passes import bandwidth
from cfr.game.rules import Game
from cfr.kernel.schedules import SCHEDULED
from cfr.spots.settings import SpotSettings
from cfr.spots.solve import SpotResult, solve_spot
from cfr.spots.solver import SpotSolver
from cfr.spots.spot_text import make_spot
from cfr.strategy.spot import Spot

TURN, POT, RIVER = "Td9d6hQc", 80, "2s"
TURNS = (TURN, "KsKh7d4c", "Qh8h3h2h")
ROYAL = Game.bundled("royal")
FLOP = ("AsKhTd", "rc/")


def machine() -> str:
    """The processor's name and how many threads it offers."""
    info = Path("/proc/cpuinfo")
    names = [line.partition(":")[2].strip() for line in info.read_text().splitlines() if line.startswith("model name")]
    return f"{names[0] if names else platform.processor() or platform.machine()}, {os.cpu_count()} threads"


def times(board: str, target: float, threads: int, repeats: int) -> int:
    """Print how long solves to a target take, set-up included; their iterations."""
    results: dict[str, SpotResult] = {}

    def solve(count: int) -> None:
        spot = make_spot(board, pot=POT)
        results[str(count)] = solve_spot(SpotSettings(spot=spot, target_percent=target, threads=count))

    counts = sorted({1, threads})
    found = rates({str(count): (1, partial(solve, count)) for count in counts}, repeats)
    for count in counts:
        took, result = 1 / found[str(count)], results[str(count)]
        print(
            f"{board:<11}to {target:g} %  {count} threads {took:8.3f} s, {found['1'] * took:.2f} of one thread's,"
            f" {result.iterations} iterations"
        )
    return results["1"].iterations


def set_up(board: str, repeats: int) -> None:
    """Print the processor time of a solve of one iteration: nearly all is set-up, memory, rounding and measuring."""
    spent = []
    for _ in range(repeats + 1):  # the first one loads modules
        start = process_time()
        solve_spot(SpotSettings(spot=make_spot(board, pot=POT), iterations=1))
        spent.append(process_time() - start)
    print(f"{board:<11}one iteration with all set-up  1 threads {median(spent[1:]):8.3f} s of processor time")


class Iteration:
    """Iterations of one spot."""

    def __init__(self, spot: Spot, threads: int) -> None:
        self.solver = SpotSolver(spot, threads)

    def run(self) -> None:
        self.solver.step(SCHEDULED)

    @property
    def node_actions(self) -> int:
        """(hand, board, node-action) triples that both seats' updates visit."""
        tree = self.solver.tree
        return 2 * sum(
            int(boards.live_count.sum()) * sum(current.table_columns) * len(current.entry)
            for boards, current in zip(self.solver.deal.rounds, tree.rounds, strict=True)
        )

    @property
    def filled(self) -> float:
        """The share of lanes that lines fill, weighted by the work of their round."""
        found = [
            (int(boards.live_count.sum()) * sum(current.table_columns) * current.stride, len(current.entry))
            for boards, current in zip(self.solver.deal.rounds, self.solver.tree.rounds, strict=True)
        ]
        work = sum(each for each, _ in found)
        lanes = [current.stride for current in self.solver.tree.rounds]
        return sum(each * lines / stride for (each, lines), stride in zip(found, lanes, strict=True)) / work

    @property
    def traffic(self) -> int:
        """Bytes of tables that it moves: each update reads both regrets, and writes its own and its average."""
        return sum(5 * table.nbytes for pair in self.solver.regrets for table in pair)


def speed(board: str, threads: int, repeats: int) -> int:
    """Print lanes, node-actions per second and the share of the bandwidth; the node-actions of an iteration."""
    copying = bandwidth(max(repeats, 3))
    print(f"copying moves {copying / 1e9:.1f} GB/s with one thread")
    counts = sorted({1, threads})
    each = {count: Iteration(make_spot(board, pot=POT), count) for count in counts}
    for iteration in each.values():
        iteration.run()
    found = rates({str(count): (1, iteration.run) for count, iteration in each.items()}, 5 * repeats)
    for count, iteration in each.items():
        rate = found[str(count)]
        share = rate * iteration.traffic / copying
        print(
            f"{board:<11}iteration  {count} threads {1000 / rate:7.2f} ms, {found['1'] / rate:.2f} of one thread's, "
            f"{100 * iteration.filled:.0f} % of lanes filled, "
            f"{rate * iteration.node_actions / 1e9:.2f} G node-actions/s, tables {100 * share:.0f} % of the bandwidth"
        )
    return each[1].node_actions


def numbers(name: str, spot: Spot, iterations: int, threads: int) -> None:
    """Print what bfloat16 costs and gains against float32."""
    results: dict[str, SpotResult] = {}

    def solve(tables: str) -> None:
        results[tables] = solve_spot(SpotSettings(spot=spot, iterations=iterations, tables=tables, threads=threads))

    took = {tables: seconds(partial(solve, tables)) for tables in ("float32", "bfloat16")}
    first, second = (each.exploitability_percent_of_pot for each in results.values())
    print(
        f"{name:<18}{iterations} iterations: float32 {first:.4f} %, bfloat16 {second:.4f} % of the pot, "
        f"{second / first:.2f} times; time {took['bfloat16'] / took['float32']:.2f} of float32's"
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--quick", action="store_true", help="rivers and few iterations: shows only that it works")
    parser.add_argument("--threads", type=int, default=os.cpu_count() or 1, help="for 'all' (default %(default)s)")
    parser.add_argument("--repeats", type=int, default=5, help="solves per median (default %(default)s)")
    parser.add_argument("--iterations", type=int, nargs="+", default=[80, 200], help="of the number types")
    args = parser.parse_args()
    repeats = 1 if args.quick else args.repeats
    print(machine())
    river = TURN + RIVER
    asked = [(river, 1.0)] if args.quick else [(river, 0.1), (TURN, 0.1), (TURN, 0.01)]
    iterations = [times(board, target, args.threads, repeats) for board, target in asked]
    for board in (river,) if args.quick else (river, TURN):
        set_up(board, repeats)
    visited = speed(river if args.quick else TURN, args.threads, repeats)
    flop = make_spot(*FLOP, game=ROYAL)
    for count in [2] if args.quick else args.iterations:
        for board in [river] if args.quick else TURNS:
            numbers(board, make_spot(board, pot=POT), count, args.threads)
        if not args.quick:
            numbers(f"royal {FLOP[0]}", flop, count, args.threads)
    print(f"fingerprint {zlib.crc32(f'{visited} {iterations}'.encode()):08x}")


if __name__ == "__main__":
    main()
