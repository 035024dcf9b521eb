"""Gadgets and iterations of re-solving beside each other, and what a decision takes.

``python -m benchmarks.studies.resolving`` re-solves spots that the supplied strategy reaches, for both seats. For each
way it prints means over them: how much less a best response wins with the hands that the blueprint expects (drop), how
much hands gain over their targets (rise; the mean over all hands, and the most that one gains), and the time as a ratio
to the first way's. Drop and rise count together: a way that drops more and lets some hand rise is as weak against an
opponent who plays the rounds before otherwise. Then the same for turns with river rows by hand and by strength, and the
time of a first decision on a board, and of the next ones. ``--rows`` prints these two alone.
"""

import argparse
import platform
import zlib
from dataclasses import dataclass
from statistics import mean, median
from time import perf_counter

import numpy as np

from cfr.hands.river_rows import RiverRows
from cfr.resolving.gadget import GADGETS
from cfr.resolving.resolver import Effort
from cfr.resolving.resolving_strategy import Resolving, resolve
from cfr.resolving.seat_solution import SeatSolution
from cfr.strategy.files.stored import open_strategy
from cfr.strategy.strategy import BaseStrategy
from cfr.system.cores import usable_cores

TURNS = ("Td9d6hQc rc/crc/", "AsKh7d2c rc/rc/", "8h8c3s5d rrc/rc/", "QsJs4s9h rc/crrc/", "Kc6d2h7s rrc/crc/")
OF_ROWS: tuple[tuple[RiverRows, int], ...] = (
    *(("hands", iterations) for iterations in (40, 80, 160)),
    *(("strength", iterations) for iterations in (40, 80, 120, 160)),
)
RIVERS = ("Td9d6hQc2s rc/crc/cc/", "AsKh7d2c9d rrc/rc/rc/")


@dataclass(frozen=True)
class Outcome:
    """Means over spots and seats; mbb per hand that gets there, and seconds."""

    drop: float
    rise: float
    most: float
    seconds: float


def solve_all(blueprint: BaseStrategy, spots: tuple[str, ...], effort: Effort, threads: int) -> tuple[Outcome, int]:
    """Re-solve both seats on each spot; also a fingerprint of what they play."""
    found, times, fingerprint = [], [], 0
    for spot in spots:
        board, line = spot.split()
        position = blueprint.at(board, line)
        for seat in (0, 1):
            start = perf_counter()
            solution: SeatSolution = resolve(position, seat, effort, threads)
            times.append(perf_counter() - start)
            found.append(solution.certificate)
            fingerprint = zlib.crc32(np.ascontiguousarray(solution.tables[0]).tobytes(), fingerprint)
    outcome = Outcome(
        mean(c.drop for c in found), mean(c.mean for c in found), max(c.most for c in found), median(times)
    )
    return outcome, fingerprint


def print_rows(blueprint: BaseStrategy, threads: int) -> None:
    """Print what river rows by strength gain and lose on the turns, by the gadget and the schedule of play."""
    print(f"{'river rows':<20}{'iterations':>10}{'drop':>8}{'rise':>8}{'most':>8}{'time':>8}")
    first = None
    for river_rows, iterations in OF_ROWS:
        got, _ = solve_all(blueprint, TURNS, Effort(iterations, river_rows=river_rows), threads)
        first = first or got.seconds
        print(
            f"{river_rows:<20}{iterations:>10}{got.drop:>8.1f}{got.rise:>8.2f}{got.most:>8.1f}"
            f"{got.seconds / first:>7.2f}x"
        )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--quick", action="store_true", help="rivers, few iterations; the fingerprint is of these")
    parser.add_argument("--rows", action="store_true", help="only river rows by hand and by strength, and decisions")
    parser.add_argument("--threads", type=int, default=usable_cores())
    args = parser.parse_args()
    spots, numbers = (RIVERS, (10,)) if args.quick else (TURNS, (40, 80, 160))
    schedules = ("dcfr", "hs-dcfr")
    with open_strategy() as blueprint:
        print(f"{platform.machine()}, {args.threads} threads, {len(spots)} spots, both seats")
        if not args.rows:
            print(f"{'gadget':<12}{'schedule':<10}{'iterations':>10}{'drop':>8}{'rise':>8}{'most':>8}{'time':>8}")
        first = None
        for gadget in () if args.rows else GADGETS:
            for schedule in schedules:
                for iterations in numbers:
                    effort = Effort(iterations, schedule, gadget)
                    got, _ = solve_all(blueprint, spots, effort, args.threads)
                    first = first or got.seconds
                    print(
                        f"{gadget.name:<12}{schedule:<10}{iterations:>10}{got.drop:>8.1f}{got.rise:>8.2f}"
                        f"{got.most:>8.1f}{got.seconds / first:>7.2f}x"
                    )
        if not args.quick:
            print_rows(blueprint, args.threads)
        strategy = Resolving(blueprint, "river" if args.quick else "turn", keeps=False, threads=args.threads)
        cold, warm = list[float](), list[float]()
        for spot in spots:
            board, line = spot.split()
            for times in (cold, warm):
                start = perf_counter()
                strategy.range(board, line)
                times.append(perf_counter() - start)
        print(f"a decision: median {median(cold):.2f} s the first time, {1000 * median(warm):.1f} ms then")
        _, fingerprint = solve_all(blueprint, RIVERS, Effort(10), args.threads)
    print(f"fingerprint {fingerprint:08x}")


if __name__ == "__main__":
    main()
