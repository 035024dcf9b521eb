"""One flop of full hold'em, solved without buckets from disk: rate, bytes and convergence beside the forecast.

``python -m benchmarks.studies.flop_from_disk 3c8c9c --memory 6 --disk PATH --iterations 32`` solves the flop behind all
preflop lines without limps, from the ranges with which a strategy comes there. Turns are the pieces. Each row says what
an iteration took since the row before, and the exploitability of the average strategy, in mbb for each hand that comes
to the flop. The forecast of the whole game follows from the same rates. The fingerprint is of the flop's size.
"""

import argparse
import tempfile
import time
import zlib
from pathlib import Path

import numpy as np

from cfr.abstraction.abstraction import Abstraction
from cfr.game.betting import State
from cfr.game.cards import parse_cards
from cfr.hands.river_rows import RIVER_ROWS
from cfr.kernel.chance import boards_below
from cfr.kernel.schedules import schedule_named
from cfr.kernel.traversal import layout
from cfr.kernel.tree import build_tree
from cfr.solver.memory_need import number_types
from cfr.solver.out_of_core.disk_solver import DiskSolver
from cfr.solver.out_of_core.lossless_forecast import node_actions_per_second
from cfr.solver.out_of_core.piece_plan import PiecePlan, room_for_two, split
from cfr.solver.out_of_core.piece_tables import PieceTables
from cfr.solver.settings import Settings
from cfr.strategy.files.stored import Strategy
from cfr.system.cores import usable_cores
from cfr.system.disk.disk_rate import measured_disk

FLOP = 1  # round


def entries(strategy: Strategy) -> list[State]:
    """Where the flop begins, behind all preflop lines without limps."""
    betting = strategy.betting
    states = [betting.parse(betting.line_text(FLOP, line)) for line in range(betting.num_lines[FLOP])]
    return [state for state in states if not state.line_string.startswith("c")]


def planned(settings: Settings, lines: list[State], board: tuple[int, ...]) -> PiecePlan:
    """The flop's tables, in pieces of some turns."""
    game, (wide, numbers) = settings.game, number_types(settings)
    tree = build_tree(game, layout(game).lanes, FLOP, [state.line for state in lines])
    tables = PieceTables.of(tree, wide, numbers[FLOP:], schedule_named(settings.schedule))
    return split(settings, tables, boards_below(game, np.array(board, np.uint8)))


def node_actions(plan: PiecePlan) -> int:
    """Of the flop's tables."""
    rows = (plan.rows_of_first, *plan.rows.sum(axis=0)[1:].tolist())
    rounds = zip(rows, plan.tables.tree.rounds, strict=True)
    return sum(count * sum(each.table_columns) * len(each.entry) for count, each in rounds)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("flop", nargs="?", default="3c8c9c", help="default: %(default)s")
    parser.add_argument("--strategy", help="strategy file (default: the one supplied)")
    parser.add_argument("--tables", choices=("float32", "bfloat16", "int8"), default="int8")
    parser.add_argument("--river-rows", choices=RIVER_ROWS, default="hands")
    parser.add_argument("--memory", type=float, default=6.0, metavar="GB")
    parser.add_argument("--disk", type=Path, default=Path(), help="folder for the tables")
    parser.add_argument("--iterations", type=int, default=32)
    parser.add_argument("--threads", type=int, default=usable_cores())
    options = parser.parse_args()
    board = parse_cards(options.flop)
    with Strategy(options.strategy) as strategy, tempfile.TemporaryDirectory(dir=options.disk) as folder:
        lines, game = entries(strategy), strategy.game
        live = game.live(board)
        reach = np.array([[strategy.reach(state, board, seat) * live for state in lines] for seat in (0, 1)])
        settings = Settings(
            game,
            None,
            options.iterations,
            lossless=True,
            tables=options.tables,
            river_rows=options.river_rows,
            memory_gb=options.memory,
            threads=options.threads,
            out=Path(folder) / "x.h5",
        )
        plan = planned(settings, lines, board)
        whole = plan.table_bytes
        late = room_for_two(plan.folder, whole)
        read, written = plan.tables.moved(plan.rows.sum(axis=0).tolist(), plan.resident_bytes, late)
        print(
            f"{options.flop} behind {' '.join(state.line_string for state in lines)}: {node_actions(plan):,} "
            f"node-actions, {whole / 1e9:.1f} GB of tables in {plan.count} pieces, {plan.memory_bytes / 1e9:.1f} GB of "
            f"memory, of which {plan.resident_bytes / 1e9:.1f} GB keep pieces"
        )
        disk = measured_disk(Path(folder))
        moved = (read + written) / 1e9
        core = node_actions(plan) / node_actions_per_second(settings) + disk.core_seconds_per_gb * moved
        moving = moved / disk.gbs
        print(
            f"forecast: {core:,.1f} core-seconds an iteration, {read / 1e9:,.1f} GB read, {written / 1e9:,.1f} GB "
            f"written, {max(core / options.threads, moving):,.1f} s at {disk.gbs:.2g} GB/s"
        )
        solve(
            DiskSolver(settings, Abstraction.lossless(game, options.river_rows), plan, reach=reach), options.iterations
        )
    print(f"fingerprint {zlib.crc32(repr((node_actions(plan), plan.table_bytes)).encode()):08x}")


def solve(solver: DiskSolver, iterations: int) -> None:
    """Iterate, and print rates and exploitability after 1, 2, 4, ... iterations and after the last."""
    with solver:
        done = 0
        while done < iterations:
            more = min(max(1, done), iterations - done)
            wall, used = time.perf_counter(), time.process_time()
            read, written = solver.files.bytes_read, solver.files.bytes_written
            for _ in range(more):
                solver.step()
            wall, used = (time.perf_counter() - wall) / more, (time.process_time() - used) / more
            moved = [
                (after - before) / more / 1e9
                for after, before in ((solver.files.bytes_read, read), (solver.files.bytes_written, written))
            ]
            done += more
            print(
                f"{done:4} iterations: {used:,.1f} core-seconds, {wall:,.1f} s, {moved[0]:,.1f} GB read, "
                f"{moved[1]:,.1f} GB written an iteration; {solver.exploitability_mbb('average'):,.1f} mbb",
                flush=True,
            )


if __name__ == "__main__":
    main()
