"""Hands per second of a match: plain, with AIVAT, with AIVAT over imaginary hands, and on several processes.

``python -m benchmarks.speed.match [FILE]`` lets a strategy file (default: the one that comes with cfr) play against
itself and against always-call, at the tables of ``cfr match``; the seconds until the first hand are left out. The last
two rows are whole matches, with these seconds, by one process and by several. The last column is the width of AIVAT's
interval relative to the plain one's. The fingerprint changes only with the results.
"""

import argparse
import time
import zlib
from pathlib import Path

import numpy as np

from cfr.play.match import _make_table, match
from cfr.play.match_result import MatchResult
from cfr.play.table import collect, shares
from cfr.strategy.files.bundled import default_path

SEED = 1


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("file", metavar="FILE", nargs="?", type=Path, help="a strategy file")
    parser.add_argument("--hands", type=int, default=2000, help="of each match (default %(default)s)")
    parser.add_argument("--processes", type=int, default=2, help="of the last one (default %(default)s)")
    args = parser.parse_args()
    name = str(args.file or default_path())
    fingerprint = 0
    print(f"{'opponent':<14}{'match':<22}{'hands/s':>10}{'interval':>10}")

    def show(opponent: str, what: str, result: MatchResult, seconds: float) -> None:
        nonlocal fingerprint
        fingerprint = zlib.crc32(repr(result).encode(), fingerprint)
        ratio = np.nan if result.aivat_interval_95 is None else result.aivat_interval_95 / result.interval_95
        print(f"{opponent:<14}{what:<22}{result.hands / seconds:>10,.0f}{ratio:>10.2f}")

    for opponent, other in (("itself", name), ("always-call", "always-call")):
        for what, hands in (("plain", args.hands), ("AIVAT", args.hands), ("AIVAT, imaginary", args.hands // 10)):
            made = _make_table(None, SEED, False, hands, what != "plain", what == "AIVAT, imaginary", (name, other))
            start = time.perf_counter()
            with made as table:
                result = collect(table.betting, map(table.play_some, shares(hands)), hands)
            show(opponent, what, result, time.perf_counter() - start)
    for processes in (1, args.processes):
        start = time.perf_counter()
        result = match(name, name, args.hands, seed=SEED, aivat=False, processes=processes)
        show("itself", f"plain, processes: {processes}", result, time.perf_counter() - start)
    print(f"fingerprint {fingerprint:08x}")


if __name__ == "__main__":
    main()
