"""Queries per second of an open strategy, against reading the same chunk with plain h5py, and `cfr query` in the shell.

    python benchmarks/query.py [FILE] [--quick]

FILE defaults to the shipped strategy. Cold queries meet a row for the first time, warm ones again. The fingerprint
covers the answers: it changes only with the strategy and the placing of hands.
"""

import argparse
import hashlib
import statistics
import subprocess
import sys
import time

import h5py
import numpy as np

from cfr.cards import format_cards
from cfr.strategy import Strategy, default_path

LINES = {0: "r", 3: "rc/cr", 4: "rc/cc/r", 5: "rc/cc/cc/"}


def spots(strategy: Strategy, count: int) -> list[tuple[str, str, str]]:
    rng = np.random.default_rng(0)
    found = []
    for number in range(count):
        board = list(LINES)[number % len(LINES)]
        cards = rng.permutation(strategy.game.deck).tolist()
        found.append((format_cards(cards[:2]), format_cards(cards[2 : 2 + board]), LINES[board]))
    return found


def per_query(strategy: Strategy, asked: list[tuple[str, str, str]]) -> tuple[float, list[dict[str, float]]]:
    """Median seconds, and the answers."""
    seconds, answers = [], []
    for spot in asked:
        begun = time.perf_counter()
        answers.append(strategy.probabilities(*spot))
        seconds.append(time.perf_counter() - begun)
    return statistics.median(seconds), answers


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("file", nargs="?", default=None)
    parser.add_argument("--quick", action="store_true", help="a few queries only")
    options = parser.parse_args()
    path = options.file or default_path()
    count, shells = (40, 1) if options.quick else (2000, 5)
    with Strategy.open(path) as strategy:
        asked = spots(strategy, count)
        per_query(strategy, asked[:8])  # tables of hand strengths and indices are made on first use
        cold, answers = per_query(strategy, asked)
        warm, again = per_query(strategy, asked)
    assert answers == again
    with h5py.File(path) as plain:
        reads = []
        for number in range(count):
            table = plain["rounds/3/probabilities"]
            begun = time.perf_counter()
            table[number % len(table)]
            reads.append(time.perf_counter() - begun)
    read = statistics.median(reads)
    print(f"cold    {1 / cold:9.0f} queries/s, {1e3 * cold:.3f} ms each")
    print(f"warm    {1 / warm:9.0f} queries/s, {1e3 * warm:.3f} ms each, {cold / warm:.1f}x")
    print(
        f"h5py    {1 / read:9.0f} river rows/s, {1e3 * read:.3f} ms each; a cold query takes {cold / read:.2f} of them"
    )
    times = []
    for _ in range(shells):
        begun = time.perf_counter()
        command = [
            sys.executable,
            "-m",
            "cfr",
            "query",
            str(path),
            "--hand",
            "AsKh",
            "--board",
            "Td9d6h",
            "--line",
            "rc/",
        ]
        subprocess.run(command, check=True, capture_output=True)
        times.append(time.perf_counter() - begun)
    print(f"shell   {statistics.median(times):.2f} s for `cfr query`, import included")
    print(f"fingerprint {hashlib.sha256(repr(answers).encode()).hexdigest()[:16]}")


if __name__ == "__main__":
    main()
