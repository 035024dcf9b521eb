"""An exploitability by Ray beside the same without Ray, and the wall time as a ratio.

``python -m benchmarks.speed.cluster [FILE] [--flops N]`` measures a strategy (default: the one that comes with cfr) in
this process with two threads, then on Ray's test cluster of two nodes on this machine, one core each. Both start cold:
the file is opened and read each time, and the nodes have nothing of it. It prints the wall times, their ratio, and what
of Ray's time goes before the first flop is given out. The fingerprint changes only with the results.
"""

import argparse
import os
import subprocess
import sys
import tempfile
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from time import perf_counter

from cfr.exploit.exploitability import exploitability
from cfr.exploit.exploitability_result import Exploitability
from cfr.strategy.built_in import BuiltIn
from cfr.strategy.files.bundled import BUILT_INS
from cfr.strategy.files.stored import open_strategy
from cfr.system.cluster.cluster import Cluster
from cfr.system.cluster.workers import Threads, Workers

ROOT = Path(__file__).parents[2]


@contextmanager
def two_nodes(cache: str) -> Iterator[str]:
    """The address of a cluster whose nodes have an empty cache."""
    with subprocess.Popen(
        [sys.executable, "-m", "tests.system.two_nodes"],
        cwd=ROOT,
        env={**os.environ, "CFR_CACHE": cache, "PYTHONPATH": str(ROOT), "RAY_USAGE_STATS_ENABLED": "0"},
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
    ) as process:
        assert process.stdout is not None
        assert process.stdin is not None
        yield process.stdout.readline().strip()
        process.stdin.close()


def measured(name: str | None, flops: int, workers: Workers) -> tuple[Exploitability, float]:
    """The result, and the seconds that it took from the opening of the file on."""
    start = perf_counter()
    strategy = BuiltIn(name) if name in BUILT_INS else open_strategy(name)
    with strategy:
        result = exploitability(strategy, flops, threads=workers, progress=sys.stderr.isatty())
    return replace(result, seconds=0.0), perf_counter() - start


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("file", metavar="FILE", nargs="?", help="a strategy file or a built-in")
    parser.add_argument("--flops", type=int, default=40, help="of the sample (default %(default)s)")
    args = parser.parse_args()
    print(f"{args.flops} flops, 2 cores; seconds of wall time")
    here, local = measured(args.file, args.flops, Threads(2))
    print(f"two threads                    {local:8.1f}")
    with tempfile.TemporaryDirectory() as cache, two_nodes(cache) as address:
        start = perf_counter()
        with Cluster(address) as cluster:
            joining = perf_counter() - start
            there, remote = measured(args.file, args.flops, cluster)
    print(f"Ray, two nodes of one core     {joining + remote:8.1f}  ({joining:.1f} to join the cluster)")
    print(f"ratio                          {(joining + remote) / local:8.2f}")
    print(f"the same bits                  {here == there!s:>8}")
    print(f"fingerprint {zlib.crc32(repr(there).encode()):08x}")


if __name__ == "__main__":
    main()
