"""Queries per second of an open strategy against plain h5py reading the same rows, and `cfr query` in the shell.

``python -m benchmarks.speed.query [FILE]`` prints medians and a fingerprint of the answers that changes only with FILE
and the placing of hands, whatever the options. FILE defaults to the strategy that comes with cfr. Every query of a
round is of another row: a cold one meets it for the first time since the file was opened (the system may well have the
file in memory), a warm one asks again.
"""

import argparse
import subprocess
import sys
import time
import zlib
from dataclasses import dataclass
from pathlib import Path
from statistics import median

import h5py
import numpy as np

from benchmarks.clock import seconds
from cfr.game.betting import State
from cfr.game.betting_round import BettingRound
from cfr.game.cards import format_cards
from cfr.strategy.files.bundled import default_path
from cfr.strategy.files.file import read_table
from cfr.strategy.files.stored import Strategy

QUICK = 10  # spots of a round; the fingerprint covers these
Answer = dict[str, float]


@dataclass(frozen=True)
class Spot:
    """A question, and where its answer is stored."""

    hand: str
    board: str
    line: str
    row: int
    column: int
    actions: tuple[int, ...]

    def ask(self, strategy: Strategy) -> Answer:
        return strategy.probabilities(self.hand, self.board, self.line)


def raised_pots(strategy: Strategy) -> list[State]:
    """The first seat to act in each round, after a raise and a call in all earlier ones."""
    found = [strategy.betting.root]
    while len(found) < strategy.game.num_rounds:
        state = found[-1].act("r")
        while state.round < len(found):
            state = state.act("c")
        found.append(state)
    return found


def spots(strategy: Strategy, state: State, count: int) -> list[Spot]:
    """Spots of distinct rows: ``count``, or half of the rows there are, and one to open with."""
    # RandomState: its stream is frozen, and so is the fingerprint.
    random = np.random.RandomState(2013)
    wanted = min(count, strategy.table(state.round).shape[0] // 2) + 1
    numbers = strategy.betting.rounds[state.round].action_index[state.node]
    actions = tuple(numbers[numbers >= 0].tolist())
    hole = strategy.game.num_hole_cards
    found: dict[int, Spot] = {}
    for _ in range(100 * wanted):
        cards = random.permutation(strategy.game.deck)[: hole + state.num_board_cards].tolist()
        row = strategy.abstraction.place(cards[:hole], cards[hole:])
        hand, board = format_cards(cards[:hole]), format_cards(cards[hole:])
        found.setdefault(row, Spot(hand, board, state.line_string, row, state.line, actions))
        if len(found) == wanted:
            break
    return list(found.values())


def seconds_of_queries(path: Path, asked: list[Spot]) -> tuple[float, float, list[Answer]]:
    """Per query, cold and warm, and the answers. The first spot makes the tables that first use makes, untimed."""
    with Strategy.open(path) as strategy:
        asked[0].ask(strategy)
        start = time.perf_counter()
        answers = [spot.ask(strategy) for spot in asked[1:]]
        cold = time.perf_counter()
        again = [spot.ask(strategy) for spot in asked[1:]]
        warm = time.perf_counter()
    if answers != again:
        raise SystemExit("a warm answer differs from the cold one")
    return (cold - start) / len(answers), (warm - cold) / len(answers), answers


def seconds_of_reads(
    path: Path, round_: int, betting: BettingRound, asked: list[Spot]
) -> tuple[float, list[list[float]]]:
    """Per row of the file's table, and the probabilities of each spot's legal actions."""
    with h5py.File(path) as file:
        table = read_table(file, round_, betting)
        table[asked[0].row]
        start = time.perf_counter()
        rows = [table[spot.row] for spot in asked[1:]]
        took = (time.perf_counter() - start) / len(rows)
    answers = zip(asked[1:], rows, strict=True)
    return took, [[int(row[n, spot.column]) / 255 for n in spot.actions] for spot, row in answers]


def seconds_of_process(*arguments: str) -> float:
    return seconds(lambda: subprocess.run([sys.executable, *arguments], check=True, capture_output=True))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("file", metavar="FILE", nargs="?", type=Path, help="a strategy file")
    parser.add_argument("--quick", action="store_true", help="few queries, one run: shows only that it works")
    parser.add_argument("--spots", type=int, default=200, help="queries of a round (default %(default)s)")
    parser.add_argument("--repeats", type=int, default=9, help="runs per median (default %(default)s)")
    args = parser.parse_args()
    path = args.file or default_path()
    count, repeats = (QUICK, 1) if args.quick else (max(args.spots, QUICK), args.repeats)

    with Strategy.open(path) as strategy:
        betting = strategy.betting
        asked = [spots(strategy, state, count) for state in raised_pots(strategy)]
    fingerprint = 0
    print(f"{'per second':<12}{'spots':>8}{'cold':>10}{'warm':>10}{'rows':>12}   cold and warm / rows")
    for round_, chosen in enumerate(asked):
        runs = []
        for _ in range(repeats):
            cold, warm, answers = seconds_of_queries(path, chosen)
            read, stored = seconds_of_reads(path, round_, betting.rounds[round_], chosen)
            # Files of small games have remainders that make probabilities finer than the 255ths read here.
            pairs = zip(answers, stored, strict=True)
            if any(abs(p - q) > 1 / 255 for answer, row in pairs for p, q in zip(answer.values(), row, strict=True)):
                raise SystemExit(f"round {round_}: the table has other probabilities")
            runs.append((1 / cold, 1 / warm, 1 / read))
        fingerprint = zlib.crc32(repr(answers[:QUICK]).encode(), fingerprint)
        cold, warm, read = (median(column) for column in zip(*runs, strict=True))
        ratios = f"{cold / read:.2f} x, {warm / read:.2f} x"
        print(f"{f'round {round_}':<12}{len(answers):>8}{cold:>10,.0f}{warm:>10,.0f}{read:>12,.0f}   {ratios}")

    last = asked[-1][0]
    query = ["-m", "cfr", "query", str(path), "--hand", last.hand, "--board", last.board, "--line", last.line]
    times = [
        (seconds_of_process(*query), seconds_of_process("-c", "import h5py, numpy"))
        for _ in range(1 if args.quick else repeats)
    ]
    shell, imports = (median(column) for column in zip(*times, strict=True))
    print(
        f"`cfr query` in the shell: {shell:.3f} s, {shell / imports:.2f} x importing h5py and numpy ({imports:.3f} s)"
    )
    print(f"fingerprint {fingerprint:08x}")


if __name__ == "__main__":
    main()
