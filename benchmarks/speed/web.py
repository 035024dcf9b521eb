"""`cfr serve` under a crowd: CPU time of a request in the server and in its players, and how long answers take.

``python -m benchmarks.speed.web [FILE]`` starts the server and lets players, each with a connection of its own, play at
random without a pause. A request is a deal or an action. On a busy machine read CPU times, not seconds. The players'
chips are added up here, too. The fingerprint is that of a few players on a server with a seed.
"""

import argparse
import asyncio
import json
import os
import random
import re
import subprocess
import sys
import tempfile
import time
import zlib
from pathlib import Path
from typing import Any, Self

import numpy as np

from cfr.strategy.files.bundled import default_path

SEED, FEW_PLAYERS, FEW_HANDS = 1, 4, 10  # of the fingerprint


def serve_command(folder: Path, *options: str) -> list[str]:
    """Starts ``cfr serve`` on a free port, with its sessions in a folder."""
    return [sys.executable, "-m", "cfr", "serve", "--port", "0", "--sessions", str(folder / "sessions"), *options]


class Server:
    """``cfr serve`` on a free port, with an empty file of sessions.

    Args:
        folder: for the file.
        options: of the command.
        checkout: whose command it is, with an empty cache; default, this one's with the user's cache.

    Attributes:
        port: where it listens.
    """

    def __init__(self, folder: Path, *options: str, checkout: Path | None = None) -> None:
        command, variables = serve_command(folder, *options), dict(os.environ)
        if checkout:
            variables["CFR_CACHE"] = str(folder / "cache")
            if (own := checkout / ".venv" / "bin" / "python").exists():
                command[0] = str(own)
        self._process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True, cwd=checkout, env=variables)
        assert self._process.stdout
        self.port = int(self._process.stdout.readline().rpartition(":")[2].partition("/")[0])

    def cpu_seconds(self) -> float:
        """CPU time so far, without that of luck-adjusted results; Linux only."""
        return sum(_cpu_seconds(each) for each in (self._process.pid, *_workers(self._process.pid)))

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        self._process.terminate()
        self._process.communicate()


def _workers(process: int) -> list[int]:
    children = Path(f"/proc/{process}/task/{process}/children").read_text().split()
    return [int(each) for each in children if b"cfr.web.table.luck" not in Path(f"/proc/{each}/cmdline").read_bytes()]


def _cpu_seconds(process: int) -> float:
    fields = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


class Crowd:
    """Players in one thread, each with a connection that is kept: on two cores their cost counts, too.

    Attributes:
        seconds: that each answer took.
    """

    def __init__(self, port: int) -> None:
        self._port, self.seconds = port, list[float]()

    def play(self, players: int, hands: int) -> list[dict[str, Any]]:
        """The last result of each player; everyone plays at once."""

        async def everybody() -> list[dict[str, Any]]:
            return await asyncio.gather(*(self._player(seed, hands) for seed in range(players)))

        return asyncio.run(everybody())

    async def _player(self, seed: int, hands: int) -> dict[str, Any]:
        rng, cookie, total = random.Random(seed), "", 0
        reader, writer = await asyncio.open_connection("127.0.0.1", self._port)

        async def ask(path: str, **body: object) -> dict[str, Any]:
            nonlocal cookie
            sent = json.dumps(body)
            head = f"POST /api/table/{path} HTTP/1.1\r\nhost: 127.0.0.1\r\ncontent-type: application/json\r\n"
            started = time.perf_counter()
            writer.write(f"{head}{cookie}content-length: {len(sent)}\r\n\r\n{sent}".encode())
            said = (await reader.readuntil(b"\r\n\r\n")).decode()
            length = re.search(r"content-length: (\d+)", said)
            assert length, said
            read = await reader.readexactly(int(length[1]))
            self.seconds.append(time.perf_counter() - started)
            assert said.startswith("HTTP/1.1 200 "), (said, read)
            if found := re.search(r"set-cookie: ([^;]+)", said):
                cookie = f"cookie: {found[1]}\r\n"
            answered: dict[str, Any] = json.loads(read)
            return answered

        for _ in range(hands):
            answer = await ask("deal", seat="alternate")
            while not (hand := answer["hand"])["over"]:
                action = rng.choice(hand["actions"])["letter"]
                answer = await ask("act", hand=hand["number"], line=hand["line"], action=action)
            total += hand["chips"]
        writer.close()
        await writer.wait_closed()
        result: dict[str, Any] = answer["result"]
        assert (result["hands"], result["chips"]) == (hands, total)
        return result


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument(
        "file", metavar="FILE", nargs="?", help="a strategy file (default: the one that comes with cfr)"
    )
    parser.add_argument("--players", type=int, default=200, help="at once (default %(default)s)")
    parser.add_argument("--hands", type=int, default=100, help="of each (default %(default)s)")
    args = parser.parse_args()
    file = str(args.file or default_path())
    with tempfile.TemporaryDirectory() as folder, Server(Path(folder), file) as server:
        crowd = Crowd(server.port)
        before, own, start = server.cpu_seconds(), time.process_time(), time.perf_counter()
        crowd.play(args.players, args.hands)
        seconds, own, spent = time.perf_counter() - start, time.process_time() - own, server.cpu_seconds() - before
    requests = len(crowd.seconds)
    print(f"requests         {requests:,} in {seconds:.1f} s, {requests / seconds:,.0f} per second")
    print(f"CPU per request  server {1e3 * spent / requests:.3f} ms, players {1e3 * own / requests:.3f} ms")
    shares = (0.5, 0.95, 0.99, 1.0)
    found = ", ".join(f"{share:.0%} {1e3 * np.quantile(crowd.seconds, share):.0f}" for share in shares)
    print(f"answered within  {found} ms")
    with tempfile.TemporaryDirectory() as folder, Server(Path(folder), file, "--seed", str(SEED)) as server:
        results = [result["chips"] for result in Crowd(server.port).play(FEW_PLAYERS, FEW_HANDS)]
    print(f"fingerprint {zlib.crc32(repr(results).encode()):08x}")


if __name__ == "__main__":
    main()
