"""Tables laid out in vectors of lines, and back: whole rows moved at once, against an index for each number.

``python -m benchmarks.speed.laying_out`` lays out rows of the river of full hold'em for the kernel, from bytes as a
strategy file has them and from single precision, and puts tables back into the order of the betting tree. Each is done
as ``cfr.kernel.tree`` does it and by numpy's assignment with an array of places. It prints the medians of some repeats
and their ratio.

The fingerprint is of the tables, which both ways give to the last bit.
"""

import argparse
import zlib
from collections.abc import Callable
from functools import partial

import numpy as np

from benchmarks.clock import rates
from cfr.game.rules import Game
from cfr.kernel.traversal import layout
from cfr.kernel.tree import Tree

BYTES, SINGLE = np.uint8, np.float32


def placed(tree: Tree, lines: np.ndarray, round_: int) -> np.ndarray:
    """A seat's table from ``(rows, node_actions, lines)``, number by number."""
    rows, blocks, columns, width = tree.table_shape(round_, 0, len(lines))
    flat = np.zeros((rows, columns, blocks * width), SINGLE)
    flat[:, :, places(tree, round_)] = lines
    return np.ascontiguousarray(flat.reshape(rows, columns, blocks, width).transpose(0, 2, 1, 3))


def taken(tree: Tree, table: np.ndarray, round_: int) -> np.ndarray:
    """The way back, number by number."""
    rows, _, columns, _ = table.shape
    found: np.ndarray = table.transpose(0, 2, 1, 3).reshape(rows, columns, -1)[:, :, places(tree, round_)]
    return found


def places(tree: Tree, round_: int) -> np.ndarray:
    """Where lines stand in the blocks of a table."""
    block, lane = np.divmod(tree.rounds[round_].entry, tree.lanes)
    found: np.ndarray = block * tree.rounds[round_].width + lane
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rows", type=int, default=2048, help="default %(default)s")
    parser.add_argument("--repeats", type=int, default=9, help="default %(default)s")
    parser.add_argument("--quick", action="store_true", help="few rows of a small game: shows only that it works")
    options = parser.parse_args()
    if options.quick:
        options.rows, options.repeats = 7, 1
    tree = layout(Game.bundled("leduc" if options.quick else "hulhe"), SINGLE)
    last, checksum = len(tree.rounds) - 1, 0
    columns = tree.rounds[last].seats[0].columns
    numbers = np.random.default_rng(0).integers(
        0, 256, (options.rows, tree.betting.rounds[last].node_actions, len(tree.rounds[last].entry)), BYTES
    )
    whole = {kind: np.ascontiguousarray(numbers.astype(kind)) for kind in (BYTES, SINGLE)}
    own = {kind: np.ascontiguousarray(each[:, columns]) for kind, each in whole.items()}
    table = placed(tree, own[BYTES], last)
    print(f"{'table':<24}{'at once, ms':>13}{'by number, ms':>15}{'ratio':>7}")
    ways: dict[str, tuple[Callable[[], np.ndarray], Callable[[], np.ndarray]]] = {
        "from bytes": (
            lambda: tree.of_seat(whole[BYTES], last, 0, SINGLE),
            lambda: placed(tree, whole[BYTES][:, columns], last),
        ),
        "from single precision": (
            lambda: tree.of_seat(whole[SINGLE], last, 0, SINGLE),
            lambda: placed(tree, whole[SINGLE][:, columns], last),
        ),
        "back": (partial(tree.seat_by_line, table, last), partial(taken, tree, table, last)),
    }
    for title, (now, plain) in ways.items():
        assert np.array_equal(now(), plain()), f"{title}: the two ways differ"
        checksum = zlib.crc32(now().tobytes(), checksum)
        speed = rates({"now": (1, now), "plain": (1, plain)}, options.repeats)
        fast, slow = (1000 / speed[name] for name in ("now", "plain"))
        print(f"{title:<24}{fast:>13.1f}{slow:>15.1f}{fast / slow:>7.2f}", flush=True)
    print(f"fingerprint {checksum:08x}")


if __name__ == "__main__":
    main()
