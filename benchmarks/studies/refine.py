"""One flop of a strategy, refined: processor time and memory beside the forecast of ``cfr refine``.

``python -m benchmarks.studies.refine --board 3c8c9c --iterations 30 --tables bfloat16`` solves all lines of the flop
that both seats take, for both seats. It prints seconds of the processor, peak memory and the forecast of both. By line,
it prints what the opponent's hand that gains most gains over its target, and how much less a best response wins with
the hands that the blueprint expects. The fingerprint is of the flop as it is packed.
"""

import argparse
import resource
import zlib
from functools import cached_property
from pathlib import Path
from time import perf_counter, process_time

import numpy as np

from cfr.game.cards import format_cards, parse_cards
from cfr.hands.boards import BoardMap
from cfr.resolving.refine_forecast import forecast_refine
from cfr.resolving.refine_settings import RefineSettings
from cfr.resolving.resolver import Effort
from cfr.strategy.files.stored import Strategy
from cfr.system.cores import usable_cores


class OneFlop(RefineSettings):
    """The settings for one board."""

    board: tuple[int, ...]

    @cached_property
    def boards(self) -> dict[int, tuple[int, ...]]:
        canonical = BoardMap(self.strategy.game.num_board_cards[1:2], self.strategy.game.deck)
        number = int(canonical.locate(np.array([self.board], np.uint8))[0][0])
        return {number: tuple(canonical.boards[number].tolist())}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("file", nargs="?", help="strategy file (default: the one supplied)")
    parser.add_argument("--board", default="3c8c9c", help="the flop (default: %(default)s)")
    parser.add_argument("--iterations", type=int, default=30)
    parser.add_argument("--tables", choices=("float32", "bfloat16", "int8"), default="bfloat16")
    parser.add_argument("--threads", type=int, default=usable_cores())
    options = parser.parse_args()
    with Strategy(options.file) as strategy:
        settings = OneFlop(strategy, Path("unused"), effort=Effort(options.iterations), tables=options.tables)
        object.__setattr__(settings, "board", parse_cards(options.board))
        expected = forecast_refine(settings, options.threads)
        (board,) = settings.boards.values()
        expected.check()
        began, used = perf_counter(), process_time()
        flop = settings.refiner(options.tables, options.threads).refine(board)
        seconds, used = perf_counter() - began, process_time() - used
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024
    print(f"{format_cards(board)}: {int(flop.refined.sum())} subgames of {options.iterations} iterations")
    print(f"processor {used:.0f} s, forecast {expected.seconds_per_flop:.0f} s: {used / expected.seconds_per_flop:.2f}")
    print(f"memory {peak / 1e9:.2f} GB, forecast {expected.memory_bytes / 1e9:.2f} GB")
    print(f"wall {seconds:.0f} s on {options.threads} threads; {len(flop.pack()) / 1e6:.2f} MB packed")
    for name, which in (("most", 0), ("drop", 2)):
        values = flop.certificates[flop.refined, which].tolist()
        print(f"certificates, {name}:", " ".join(f"{each:.0f}" for each in values), "mbb")
    print(f"fingerprint {zlib.crc32(flop.pack()):08x}")


if __name__ == "__main__":
    main()
