"""Spots of all kinds solved exactly: how exploitable the supplied strategy is there, and what a solve takes.

``python -m benchmarks.docs.spot_table`` runs one ``cfr spot`` command for each spot and prints the table of
docs/spots.md in Markdown. ``--flop`` adds a monotone flop, which takes minutes and 8 GB of memory. The fingerprint is
of the spots, and of how exploitable the supplied strategy is there, to three digits.
"""

import argparse
import json
import subprocess
import sys
import tempfile
import zlib
from pathlib import Path

SPOTS = (
    ("river, two-tone", "Td9d6hQc2s", "rc/crc/cc/"),
    ("river, a 3-bet pot", "AsKh7d2c9d", "rrc/rc/rc/"),
    ("river, paired, raised on the turn", "8h8c3s5dJh", "rc/cc/crrc/"),
    ("turn, two-tone", "Td9d6hQc", "rc/crc/"),
    ("turn, a 3-bet pot", "AsKh7d2c", "rrc/rc/"),
    ("turn, paired, checked flop", "8h8c3s5d", "rc/cc/"),
    ("turn, a monotone flop", "QsJs4s9h", "rc/rrc/"),
    ("turn, monotone and connected", "9h8h7h2c", "rc/crc/"),
    ("turn, trips", "TsTdThKd", "rrc/crrc/"),
    ("turn, a 3-bet pot, rainbow", "Kc6d2h7s", "rrc/crc/"),
)
FLOP = ("flop, monotone", "Qh8h3h", "rc/")


def solved(board: str, line: str, target: float, threads: int | None, folder: Path) -> dict[str, float]:
    """The numbers of one command, and how large its file is."""
    out = folder / "spot.h5"
    command = [sys.executable, "-m", "cfr", "spot", "--board", board, "--line", line, "--target", f"{target:g}"]
    command += ["--out", str(out)]
    command += ["--overwrite", "--json", *(["--threads", str(threads)] if threads else [])]
    found = json.loads(subprocess.run(command, capture_output=True, text=True, check=True).stdout)
    return {**found, "megabytes": out.stat().st_size / 1e6}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--quick", action="store_true", help="one river, roughly: shows only that it works")
    parser.add_argument("--flop", action="store_true", help="add a monotone flop")
    parser.add_argument("--target", type=float, default=0.05, help="percent of the pot (default %(default)s)")
    parser.add_argument("--threads", type=int, help="default: all")
    args = parser.parse_args()
    spots = SPOTS[:1] if args.quick else SPOTS + ((FLOP,) if args.flop else ())
    fingerprint = 0
    print("| spot | board | line | iterations | supplied strategy | exact | seconds | MB |")
    print("|---|---|---|---|---|---|---|---|")
    with tempfile.TemporaryDirectory() as folder:
        for name, board, line in spots:
            found = solved(board, line, 1 if args.quick else args.target, args.threads, Path(folder))
            supplied = found["blueprint_exploitability_percent_of_pot"]
            print(
                f"| {name} | {board} | {line} | {found['iterations']} | {supplied:.2f} % | "
                f"{found['exploitability_percent_of_pot']:.3f} % | {found['seconds']:.2g} | {found['megabytes']:.2g} |",
                flush=True,
            )
            fingerprint = zlib.crc32(f"{board} {line} {supplied:.3g}".encode(), fingerprint)
    print(f"fingerprint {fingerprint:08x}")


if __name__ == "__main__":
    main()
