"""Spots of all kinds solved exactly: how exploitable the supplied strategy is there, and what a solve takes.

``python -m benchmarks.spot_table`` runs one ``cfr spot`` command for each spot and prints the table of docs/spots.md
in Markdown. ``--flop`` adds a monotone flop, which takes minutes and 8 GB of memory. The fingerprint is of the spots,
and of how exploitable the supplied strategy is there, to three digits.
"""

import argparse
import json
import subprocess
import sys
import tempfile
import zlib
from pathlib import Path

STRATEGY = "strategies/hulhe-small.h5"
ANY = f"--button random --bb random --strategy {STRATEGY}"
TIGHT = f"--button QQ+,AKs,AKo,AQs --bb 99+,AJs+,AQo+,KQs --strategy {STRATEGY}"
SPOTS = (
    ("river, raised, connected", "--board Td9d6hQc2s --line rc/rc/rc/"),
    ("river, raised, paired", "--board KsKh7d4c4s --line rc/crc/rc/"),
    ("river, three-bet, rainbow", "--board AhJd5cTs2h --line rrc/rc/rc/"),
    ("river, raised, four of a suit", "--board 9h6h2hKdQh --line rc/rc/cc/"),
    ("turn, raised, connected", "--board Td9d6hQc --line rc/crc/"),
    ("turn, raised, paired", "--board 8s8d3hAc --line rc/rc/"),
    ("turn, raised, monotone", "--board Qh8h3h2h --line rc/crrc/"),
    ("turn, three-bet, rainbow", "--board Kc7d2hJs --line rrc/rc/"),
    ("turn, limped, two suits", f"--board Jc8c3d5d --line cc/rc/ {ANY}"),
    ("turn, four-bet, rainbow", f"--board AsQh4dTc --line rrrc/rc/ {TIGHT}"),
)
FLOP = ("flop, raised, monotone", "--board Qh8h3h --line rc/")


def solved(flags: str, target: float, threads: int | None, folder: Path) -> dict[str, float]:
    """The numbers of one command, and how large its file is."""
    out = folder / "spot.h5"
    command = [sys.executable, "-m", "cfr", "spot", *flags.split(), "--target", f"{target:g}", "--out", str(out)]
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
    print("| spot | `cfr spot ...` | supplied, % of the pot | solved, % of the pot | iterations | seconds | MB |")
    print("|---|---|---|---|---|---|---|")
    with tempfile.TemporaryDirectory() as folder:
        for name, flags in spots:
            found = solved(flags, 1 if args.quick else args.target, args.threads, Path(folder))
            supplied = found["blueprint_exploitability_percent_of_pot"]
            print(
                f"| {name} | `{flags}` | {supplied:.2f} | {found['exploitability_percent_of_pot']:.3f} | "
                f"{found['iterations']} | {found['seconds']:.2g} | {found['megabytes']:.2g} |",
                flush=True,
            )
            fingerprint = zlib.crc32(f"{flags} {supplied:.3g}".encode(), fingerprint)
    print(f"fingerprint {fingerprint:08x}")


if __name__ == "__main__":
    main()
