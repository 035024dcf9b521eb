"""A Ray cluster of two nodes on this machine, one core each, for tests; and work for it.

Run as a program it prints the cluster's address. At each line on its input, it kills the second node; at the end of
the input the cluster ends.
"""

import os
import subprocess
import sys
import time
from functools import partial
from pathlib import Path

from cfr.system.errors import BadInputError

ROOT = Path(__file__).parents[2]
STORE = 100 << 20  # bytes of Ray's store, a node

QUICK_TO_MISS = {"health_check_initial_delay_ms": 1000, "health_check_period_ms": 1000}  # a node; else some 15 s


def main() -> None:
    from ray.cluster_utils import Cluster

    node = {"num_cpus": 1, "object_store_memory": STORE}
    cluster = Cluster(initialize_head=True, head_node_args={**node, "_system_config": QUICK_TO_MISS})
    second = cluster.add_node(**node)
    print(cluster.address, flush=True)
    for _ in sys.stdin:
        cluster.remove_node(second, allow_graceful=False)
        print("killed", flush=True)
    cluster.shutdown()


class TwoNodes:
    """The cluster, and where its nodes keep what they are sent."""

    def __init__(self, folder: Path) -> None:
        self.cache = folder
        self.process = subprocess.Popen(
            [sys.executable, "-m", "tests.system.two_nodes"],
            cwd=ROOT,
            env={**os.environ, "CFR_CACHE": str(folder), "PYTHONPATH": str(ROOT), "RAY_USAGE_STATS_ENABLED": "0"},
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
        )
        assert self.process.stdout is not None
        self.address = self.process.stdout.readline().strip()
        assert ":" in self.address

    def kill_one(self) -> None:
        self.process.stdin.write("\n")
        self.process.stdin.flush()
        assert self.process.stdout.readline() == "killed\n"

    def end(self) -> None:
        self.process.communicate()


def begin_squares():
    """Begins: the square of a number, and the process that found it."""
    return lambda number: (number * number, os.getpid())


def fail(number):
    raise BadInputError(f"number {number}")


def begin_failing():
    return fail


class FailingResident:
    """Stays on a node."""

    fail = staticmethod(fail)

    def square(self, number):
        return number * number


def wait_for_ever(folder: Path, number: int) -> None:
    """Wait until stopped, and keep a file in the folder as long; number 0 does not wait."""
    if number:
        waits = folder / str(os.getpid())
        try:
            waits.touch()
            while True:
                time.sleep(0.01)
        finally:
            waits.unlink(missing_ok=True)


def begin_waiting(folder: Path):
    return partial(wait_for_ever, folder)


if __name__ == "__main__":
    main()
