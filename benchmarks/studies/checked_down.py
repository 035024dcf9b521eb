"""Checked-down hands: how far the losses are off that they give before the flop.

``python -m benchmarks.studies.checked_down`` takes the decisions before the flop that the supplied strategy has stored
values for, and works out what each action of each hand loses twice: from the stored values, and as if all hands were
checked down from the flop on, which stands in where there are none. It prints, per decision, the root mean square of
the differences in mbb, and the size that 95 % of them do not exceed. The largest of these is the noise of such a loss
(:mod:`cfr.study.reviews.mistake`).
"""

import argparse
import zlib

import numpy as np

from cfr.resolving.named_strategy import open_named
from cfr.strategy.position import Position
from cfr.strategy.strategy import BaseStrategy, Floats
from cfr.values.expected_values import position_values

LINES = ("", "r", "rr")


def losses(position: Position[BaseStrategy], checked_down: bool) -> Floats:
    """``(n,)`` mbb that the legal actions of all hands lose."""
    found = position_values(position, unreached=True, checked_down=checked_down).action_ev
    lost: Floats = np.nanmax(found, axis=1, keepdims=True) - found
    return lost[~np.isnan(lost)]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("strategy", nargs="?", default="small", help="file with stored values (default %(default)s)")
    parser.add_argument("--quick", action="store_true", help="one decision: shows only that it works")
    args = parser.parse_args()
    with open_named(args.strategy) as strategy:
        sizes = []
        for line in LINES[:1] if args.quick else LINES:
            position = strategy.at("", line)
            off = np.abs(losses(position, True) - losses(position, False))
            sizes.append(float(np.quantile(off, 0.95)))
            print(
                f"{line or '-'}: losses off by {np.sqrt(np.mean(off**2)):.1f} mbb (root mean square), "
                f"95 % by at most {sizes[-1]:.1f} mbb"
            )
    print(f"fingerprint {zlib.crc32(repr([round(size) for size in sizes]).encode()):08x}")


if __name__ == "__main__":
    main()
