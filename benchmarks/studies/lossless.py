"""Solves without buckets beyond memory: the rate of updates from disk, and what narrow numbers cost.

``python -m benchmarks.studies.lossless royal --memory 5 --share 0.2`` updates a fifth of the game twice and scales up
to an iteration. ``python -m benchmarks.studies.lossless --numbers`` compares schedules, number types and averaging
delays on a 20-card deck with one raise in a round, which fits in memory. ``python -m benchmarks.studies.lossless royal
--loads`` asks, on that deck, whether a piece that is loaded may be iterated several times. ``python -m
benchmarks.studies.lossless --river-rows --cards 24`` solves such a deck with rivers by hand and by strength;
exploitability is exact, hand by hand. The fingerprint is of the bytes that are moved, or of the exploitabilities.
"""

import argparse
import re
import tempfile
import time
import zlib
from dataclasses import replace
from pathlib import Path
from statistics import median

from cfr.abstraction.abstraction import Abstraction
from cfr.game.rules import GAME_NAMES, Game
from cfr.hands.river_rows import RIVER_ROWS
from cfr.kernel.chance import enumerate_deal, in_visiting_order
from cfr.kernel.traversal import Visit
from cfr.solver.game_solver import GameSolver
from cfr.solver.memory_need import rows_of
from cfr.solver.out_of_core.disk_solver import DiskSolver
from cfr.solver.out_of_core.lossless_forecast import forecast_lossless
from cfr.solver.out_of_core.piece_plan import make_plan
from cfr.solver.presets import lossless_tables
from cfr.solver.settings import Settings
from cfr.solver.solver import Solution
from cfr.system.disk.crc32 import crc32

MEASURED_AT = (16, 32, 64, 96)
LOADED_AT = (16, 32, 64)
PER_LOAD = (0, 1, 2, 4)  # iterations; 0: a load for each seat's update, as solves do
SOLVES = (  # schedule, tables, averaging delay
    ("hs-dcfr", "int8", 0),
    ("hs-dcfr", "int8", 32),
    ("hs-dcfr", "int8", 48),
    ("hs-dcfr", "int8", 64),
    ("cfr+", "int8", 0),
    ("hs-dcfr", "float32", 0),
)


def of_disk(name: str, memory_gb: float, share: float, threads: int, disk: Path) -> list[float]:
    """Update the first pieces of a game, both seats, twice, the second time from disk. The bytes that were moved."""
    moved: list[float] = []
    game = Game.find(name)
    tables = lossless_tables(game)
    with tempfile.TemporaryDirectory(dir=disk) as folder:
        settings = Settings(
            game, None, 1, lossless=True, tables=tables, memory_gb=memory_gb, threads=threads, out=Path(folder) / "x.h5"
        )
        expected = forecast_lossless(settings, (1, threads))
        plan = make_plan(settings)
        count = max(1, min(plan.count - 1, round(share * plan.count)))
        done = plan.rows[:count].sum() / plan.rows.sum()
        print(f"{game.name}: {plan.count} pieces, {count} of them visited, {100 * done:.1f} % of the rows")
        with DiskSolver(settings, Abstraction.lossless(game), plan) as solver:
            for number in ("first", "second"):
                wall, core = time.perf_counter(), time.process_time()
                read, written = solver.files.bytes_read, solver.files.bytes_written
                for seat in (0, 1):
                    solver.visit_first(seat, count)
                solver.files.keep(lambda _: None)
                wall, core = time.perf_counter() - wall, time.process_time() - core
                read, written = solver.files.bytes_read - read, solver.files.bytes_written - written
                moved += [read, written]
                print(
                    f"{number} visit, as an iteration: {core / done:,.0f} core-seconds, {wall / done:,.0f} s, "
                    f"{read / done / 1e9:,.1f} GB read, {written / done / 1e9:,.1f} GB written"
                )
    print(
        f"forecast: {expected.core_seconds:,.0f} core-seconds, {expected.iteration_seconds:,.0f} s at "
        f"{expected.disk_gbs:.2g} GB/s, {expected.read_bytes / 1e9:,.1f} GB read, "
        f"{expected.written_bytes / 1e9:,.1f} GB written"
    )
    return moved


def of_checksums(repeats: int = 5) -> None:
    """The rate of the checksums of blocks, beside zlib's."""
    part = bytes(1 << 18)
    rates = []
    for summed in (crc32, zlib.crc32):
        spent = []
        for _ in range(repeats):
            begun = time.perf_counter()
            for _ in range(256):
                summed(part)
            spent.append(time.perf_counter() - begun)
        rates.append(256 * len(part) / median(spent) / 1e9)
    print(f"checksums: {rates[0]:.1f} GB/s of a core, {rates[0] / rates[1]:.1f} times zlib's")


def one_raise(cards: int | None = None) -> Game:
    """The deck of ``royal`` with one raise in a round, which fits in memory; or another small deck."""
    text = re.sub("maxRaises = .*", "maxRaises = 1 1 1 1", Game.bundled("royal").text())
    game = Game.parse(text, "royal with one raise")
    return game if cards is None else replace(game, name=f"{cards} cards with one raise", num_ranks=cards // 4)


def of_numbers(threads: int) -> list[float]:
    """Exploitability of the average, where there is one, and of the current strategy, in mbb/g."""
    found: list[float] = []
    game = one_raise()
    for schedule, tables, delay in SOLVES:
        settings = Settings(
            game,
            None,
            MEASURED_AT[-1],
            lossless=True,
            threads=threads,
            schedule=schedule,
            tables=tables,
            averaging_delay=delay,
        )
        solver = GameSolver(settings, Abstraction.lossless(game))
        for stop in MEASURED_AT:
            while solver.iterations < stop:
                solver.step()
            of: list[Solution] = ["current", "average"] if stop > delay else ["current"]
            measured = {solution: round(solver.exploitability_mbb(solution), 3) for solution in of}
            found += measured.values()
            print(f"{schedule:8} {tables:8} delay {delay:2}, {stop:3} iterations: {measured} mbb/g")
    return found


def of_river_rows(cards: int, threads: int) -> list[float]:
    """Exploitability of the average strategy in mbb/g after some iterations, by river rows, and what these take."""
    found: list[float] = []
    game = one_raise(cards)
    for river_rows in reversed(RIVER_ROWS):
        settings = Settings(
            game, None, MEASURED_AT[-1], lossless=True, tables="bfloat16", threads=threads, river_rows=river_rows
        )
        solver = GameSolver(settings, Abstraction.lossless(game, river_rows))
        print(f"{game.name}, rivers by {river_rows}: {rows_of(settings)[-1]:,} rows, {solver.table_bytes / 1e9:.2f} GB")
        spent = 0.0
        for stop in MEASURED_AT:
            begun = time.perf_counter()
            while solver.iterations < stop:
                solver.step()
            spent += time.perf_counter() - begun
            found.append(round(solver.exploitability_mbb("average"), 3))
            print(f"{stop:3} iterations: {found[-1]:8.3f} mbb/g, {spent / stop:.2f} s an iteration", flush=True)
    return found


def of_loads(name: str, threads: int) -> list[float]:
    """Exploitability of the average strategy in mbb/g, if several iterations below the first round share a load.

    A loaded piece meets the first round's strategies as they were when the pass over the pieces began. The first round
    learns from each of the iterations. In memory, where a pass has one piece; more pieces would not change the numbers.
    """
    found: list[float] = []
    game = one_raise() if name == "royal" else Game.find(name)
    settings = Settings(game, None, LOADED_AT[-1], lossless=True, tables=lossless_tables(game), threads=threads)
    for each in PER_LOAD:
        solver = GameSolver(settings, Abstraction.lossless(game))
        deal, _ = in_visiting_order(enumerate_deal(game, solver.abstraction), solver.abstraction)
        regrets = solver.regrets
        for iteration in range(1, LOADED_AT[-1] + 1):
            if each and iteration % each == 1 % each:
                began = regrets[0][0].copy(), regrets[0][1].copy()
            for seat in (0, 1):
                first = regrets[0]
                if each:
                    first = (first[0], began[1]) if seat == 0 else (began[0], first[1])
                visit = Visit(0, solver.schedule.weight(iteration), solver.schedule.kept(iteration), seed=iteration)
                own = [pair[seat] for pair in solver.averages]
                solver.traversal.run(deal, [first, *regrets[1:]], seat, "update", visit, averages=own)
            if iteration in LOADED_AT:
                found.append(round(solver.exploitability_mbb("average"), 3))
        how = f"{each} iterations a load" if each else "a load for each seat's update"
        at = ", ".join(f"{mbb} after {stop}" for stop, mbb in zip(LOADED_AT, found[-len(LOADED_AT) :], strict=True))
        print(f"{how:29}: {at} iterations, mbb/g")
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("game", nargs="?", default="holdem-2-4", choices=GAME_NAMES)
    parser.add_argument("--memory", type=float, default=0.3)
    parser.add_argument("--share", type=float, default=0.5)
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--disk", type=Path, default=Path())
    parser.add_argument("--numbers", action="store_true")
    parser.add_argument("--loads", action="store_true")
    parser.add_argument("--river-rows", action="store_true")
    parser.add_argument("--cards", type=int, default=20, choices=(20, 24, 28))
    options = parser.parse_args()
    if options.numbers:
        found = of_numbers(options.threads)
    elif options.river_rows:
        found = of_river_rows(options.cards, options.threads)
    elif options.loads:
        found = of_loads(options.game, options.threads)
    else:
        of_checksums()
        found = of_disk(options.game, options.memory, options.share, options.threads, options.disk)
    print(f"fingerprint {zlib.crc32(repr(found).encode()):08x}")


if __name__ == "__main__":
    main()
