"""How long solves take to end when they are told to: from SIGTERM to a whole checkpoint.

``python -m benchmarks.speed.stopping`` stops solves at random moments and resumes them. It prints how long each took to
end, and the last one's time as a ratio to writing as many bytes. In the end the file must have the bits of a solve that
nobody stopped. Docker waits for ten seconds before it kills. The fingerprint is of the checksums.
"""

import argparse
import os
import random
import subprocess
import sys
import tempfile
import time
import zlib
from pathlib import Path

import h5py
import numpy as np

SOLVES = {
    "rhode-island": ["rhode-island", "--iterations", "3000"],
    "quick": ["hulhe", "--preset", "quick", "--iterations", "8000"],
    "laptop": ["hulhe", "--preset", "laptop", "--iterations", "8000"],
}
QUICK = {"rhode-island": ["rhode-island", "--iterations", "30"]}
STOPPED = 130  # the exit code
LONGEST, SOON = 8.0, 1.0  # seconds that a solve goes on between two stops; of the quick one


def start(*words: str) -> subprocess.Popen[bytes]:
    """A solve as a process of its own."""
    return subprocess.Popen(
        [sys.executable, "-m", "cfr", "solve", *words], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE
    )


def ended(child: subprocess.Popen[bytes]) -> int:
    """Its exit code; raises RuntimeError where it is none of a solve that was stopped or is done."""
    said = child.communicate()[1].decode()
    if child.returncode not in (0, STOPPED):
        raise RuntimeError(f"exit code {child.returncode}: {said}")
    return child.returncode


def checksum(file: Path) -> str:
    """Of the solved strategy."""
    with h5py.File(file) as strategy:
        return str(strategy.attrs["checksum"])


def stops(words: list[str], tries: int, folder: Path, longest: float) -> tuple[list[float], int, str]:
    """Seconds of each stop, bytes of the last checkpoint, and the checksum in the end."""
    rng, file, seconds, size = random.Random(1), folder / "x.h5", list[float](), 0
    kept, lock = folder / "x.h5.checkpoint", folder / ".x.h5.lock"
    while True:
        child = start("--resume", str(kept)) if kept.exists() else start(*words, "--out", str(file))
        if len(seconds) < tries:
            while child.poll() is None and not lock.exists():  # until then SIGTERM has nothing to keep
                time.sleep(0.01)
            try:
                child.wait(rng.uniform(0, longest))
            except subprocess.TimeoutExpired:
                begun = time.perf_counter()
                child.terminate()
        code = ended(child)
        if code == 0:
            return seconds, size, checksum(file)
        seconds.append(time.perf_counter() - begun)
        size = kept.stat().st_size if kept.exists() else size


def writing(size: int, folder: Path) -> float:
    """Seconds to write so many bytes to the disk."""
    part, begun = os.urandom(1 << 20), time.perf_counter()
    with (folder / "copy").open("wb") as file:
        for _ in range(size >> 20):
            file.write(part)
        os.fsync(file.fileno())
    return time.perf_counter() - begun


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--quick", action="store_true", help="a small game, stopped once: shows only that it works")
    parser.add_argument("--only", choices=SOLVES, help="one solve of the three")
    what = "of each solve: enough of them for all stops (default: 3000 of rhode-island, 8000 of the others)"
    parser.add_argument("--iterations", type=int, help=what)
    parser.add_argument("--tries", type=int, default=20, help="stops of each solve (default %(default)s)")
    args = parser.parse_args()
    sums = []
    solves = QUICK if args.quick else {args.only: SOLVES[args.only]} if args.only else SOLVES
    for name, usual in solves.items():
        words = [*usual[:-1], str(args.iterations)] if args.iterations else usual
        with tempfile.TemporaryDirectory() as place:
            folder = Path(place)
            tries, longest = (1, SOON) if args.quick else (args.tries, LONGEST)
            seconds, size, stopped = stops(words, tries, folder, longest)
            child = start(*words, "--out", str(folder / "whole.h5"))
            ended(child)
            whole = checksum(folder / "whole.h5")
            ratio = (seconds[-1] / writing(size, folder)) if size >> 20 and seconds else float("nan")
        found = ", ".join(f"{share:.0%} {np.quantile(seconds or [0.0], share):.2f} s" for share in (0.5, 0.95, 1.0))
        same = "the same bits" if stopped == whole else "OTHER BITS"
        print(f"{name:<13} {len(seconds)} stops within {found}; {size / 1e6:,.0f} MB", end=", ")
        print(f"{ratio:.1f} of writing as much; {same}", flush=True)
        sums.append(whole)
    print(f"fingerprint {zlib.crc32(repr(sums).encode()):08x}")


if __name__ == "__main__":
    main()
