"""Rivers by strength against rivers by hand, on turns with full ranges and a pot of 60, on one thread.

``python -m benchmarks.studies.river_rows`` prints, all in one run: of a turn of 52 cards the rows of the last round,
bytes of the tables, median milliseconds of an iteration with their ratio, and exploitability in percent of the pot
after 40, 80 and 160 iterations; what two threads gain by strength; then the floor by strength of decks of 20 to 52
cards, after ``--iterations``, in percent of the pot and in mbb per hand that gets there.

The fingerprint is of the numbers of rows.
"""

import argparse
import zlib
from dataclasses import replace
from functools import partial
from statistics import median
from time import perf_counter

from benchmarks.clock import seconds
from cfr.game.rules import Game
from cfr.hands.river_rows import RIVER_ROWS, RiverRows
from cfr.kernel.schedules import SCHEDULED
from cfr.spots.solver import SpotSolver
from cfr.spots.spot_text import make_spot
from cfr.strategy.spot import Spot

HULHE = Game.bundled("hulhe")
TURN, POT = "Td9d6hQc", 60
MEASURED = (40, 80, 160)
DECKS = {5: "AsKhTdQc", 6: "AsKhTdQc", 7: "AsKhTd8c", 8: "AsKhTd8c", 10: "AsKhTd6c", 13: TURN}  # by ranks


def turn(board: str, ranks: int = 13) -> Spot:
    """A turn with all hands of both seats."""
    game = HULHE if ranks == 13 else replace(HULHE, name=f"{4 * ranks} cards", num_ranks=ranks)
    return make_spot(board, pot=POT, game=game, button="any", big_blind="any")


def compared(river_rows: RiverRows) -> tuple[float, int]:
    """Print the figures of the turn of 52 cards; milliseconds of an iteration, and rows of the river."""
    spot = turn(TURN)
    solver, percents, times = SpotSolver(spot, river_rows=river_rows), [], []
    for number in range(1, MEASURED[-1] + 1):
        start = perf_counter()
        solver.step(SCHEDULED)
        times.append(1000 * (perf_counter() - start))
        if number in MEASURED:
            percents.append(f"{100 * solver.exploitability() / spot.pot:.3f}")
    size = sum(table.nbytes for kind in solver.tables.values() for pair in kind for table in pair)
    took = median(times)
    rows = solver.rows.num_rows[-1]
    print(
        f"{TURN} {river_rows:<9}{rows:>7,} rows {size:>12,} bytes {took:7.1f} ms  {' / '.join(percents)} % of the pot"
    )
    return took, rows


def on_threads(threads: int) -> float:
    """Median milliseconds of an iteration by strength, with tables of bfloat16 as in play."""
    solver = SpotSolver(turn(TURN), threads, tables="bfloat16", river_rows="strength")
    return 1000 * seconds(partial(solver.step, SCHEDULED), MEASURED[0])


def main() -> None:
    """Print all figures."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--iterations", type=int, default=320, help="of the solves that show floors")
    iterations = parser.parse_args().iterations
    (by_hand, hands), (by_strength, strengths) = (compared(each) for each in RIVER_ROWS)
    print(f"an iteration by hand takes {by_hand / by_strength:.2f} times as long as by strength")
    one, two = (median(on_threads(threads) for _ in range(5)) for threads in (1, 2))
    print(f"by strength, bfloat16: {one:.2f} ms on one thread, {two:.2f} ms on two, {one / two:.2f} times faster")
    for ranks, board in DECKS.items():
        spot = turn(board, ranks)
        solver = SpotSolver(spot, river_rows="strength")
        for _ in range(iterations):
            solver.step(SCHEDULED)
        chips = solver.exploitability()
        mbb = 1000 * chips / spot.game.big_blind
        print(f"{4 * ranks} cards {board}: floor {100 * chips / spot.pot:.3f} % of the pot, {mbb:.1f} mbb per hand")
    print(f"fingerprint {zlib.crc32(f'{hands} {strengths}'.encode()):08x}")


if __name__ == "__main__":
    main()
