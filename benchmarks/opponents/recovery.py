"""Known tilts in full hold'em, found again by ``cfr model`` from logs as at a real table.

``python -m benchmarks.opponents.recovery`` lets the five typical players of ``benchmarks.opponents.models``, tilted
from a strategy of full hold'em, play that strategy. Their cards are seen at showdowns only. From so many hands it makes
the model of ``cfr model``, and prints, as means of some seeds: the share of logs in which a leak was found; the
log-likelihood of 3,000 other hands above the blueprint's with its best floor, in thousandths of a nat a hand, by the
model and by the true tilt, and the former as a share of the latter (*learnt*); how many leaks were named; the share of
them that is *right*: the true player strays in the leak's situation the same way, by at least a point; and the share of
logs whose first leak is right and stands where the player was tilted. At last the blueprint itself plays, and it counts
the logs in which no leak was found.

``--log FILE`` keeps each log's result; the same command goes on from there.
"""

import argparse
import json
import time
import zlib
from collections.abc import Callable
from itertools import islice
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np

from benchmarks.opponents.models import hands_of, players
from cfr.game.hand import LoggedHand
from cfr.game.rules import Game
from cfr.opponents import leak
from cfr.opponents.evidence import gather
from cfr.opponents.fit import best_floor
from cfr.opponents.leak import Leak
from cfr.opponents.likelihood import log_likelihoods
from cfr.opponents.model import model_of
from cfr.opponents.tilt import Tilt
from cfr.opponents.tilted import Tilted
from cfr.solver.settings import Settings
from cfr.solver.solve import solve
from cfr.strategy.files.stored import Strategy

OTHER = 3000  # hands that the model did not see
TOLD_BY = 1500  # hands, from whose spots the true frequencies are counted
POINT = 0.01  # least difference of frequencies that makes a leak a right one
HELD_BYTES = 1 << 30
HEAD = ("leak", "model", "true", "learnt", "leaks", "right", "first")


def main() -> None:
    parser = parser_of(__doc__, "two players of Leduc, one log of few hands each")
    parser.add_argument("--hands", type=int, nargs="+", default=[300, 1000, 3000], help="default: 300 1000 3000")
    parser.add_argument("--seeds", type=int, default=2, help="logs of each player and size (default: %(default)s)")
    parser.add_argument("--null", type=int, default=20, help="logs of the blueprint itself (default: %(default)s)")
    parser.add_argument("--null-hands", type=int, default=3000, help="of each of them (default: %(default)s)")
    options = parser.parse_args()
    if options.quick:
        options.hands, options.seeds, options.null, options.null_hands = [300], 1, 1, 100
    done = Done(options.log)
    with TemporaryDirectory() as folder, opened(options, Path(folder)) as blueprint:
        blueprint.hold_tables(HELD_BYTES)
        name, checksum = options.strategy or "small", 0
        print(f"{'player':<21}{'hands':>6}" + "".join(f"{each:>8}" for each in HEAD))
        *typical, (_, none) = players(blueprint)
        for title, player in islice(typical, 2 if options.quick else None):
            for hands in options.hands:
                rows = np.array(
                    [
                        done.of(f"{title}, {hands}, {seed}, {name}", recovered, player, blueprint, name, hands, seed)
                        for seed in range(options.seeds)
                    ]
                )
                named = ~np.isnan(rows)
                found = np.where(named, rows, 0).sum(axis=0) / np.maximum(named.sum(axis=0), 1)
                found[~named.any(axis=0)] = np.nan
                print(f"{title:<21}{hands:>6}" + written(found), flush=True)
                checksum = zlib.crc32(found.round(3).tobytes(), checksum)
        nothing = 0.0
        for seed in range(options.null):
            key = f"the blueprint, {options.null_hands}, {seed}, {name}"
            nothing += done.of(key, unfound, none, blueprint, name, options.null_hands, seed)[0]
        if options.null:
            shown = f"{options.null} logs of {options.null_hands:,} hands"
            print(f"the blueprint itself: no leak found in {nothing:.0f} of {shown}")
    print(f"fingerprint {zlib.crc32(repr(nothing).encode(), checksum):08x}")


def parser_of(description: str | None, quick: str) -> argparse.ArgumentParser:
    """The options that :func:`opened` and :class:`Done` read."""
    parser = argparse.ArgumentParser(description=description, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--strategy", metavar="FILE", help="the blueprint (default: small, the one supplied)")
    parser.add_argument("--log", type=Path, metavar="FILE", help="keep results here, and go on from those that it has")
    parser.add_argument("--quick", action="store_true", help=quick)
    return parser


class Done:
    """Results that are kept in a file, a line of JSON each."""

    def __init__(self, path: Path | None) -> None:
        self._path = path
        lines = path.read_text("utf-8").splitlines() if path is not None and path.exists() else []
        self._known: dict[str, list[float]] = {each["of"]: each["found"] for each in map(json.loads, lines)}

    def of(self, key: str, work: Callable[..., list[float]], *arguments: object) -> list[float]:
        """What ``work`` finds with these arguments, unless it was found before."""
        if key not in self._known:
            started = time.perf_counter()
            found = self._known[key] = work(*arguments)
            if self._path is not None:
                line = {"of": key, "found": found, "seconds": round(time.perf_counter() - started, 1)}
                with self._path.open("a", encoding="utf-8") as file:
                    file.write(json.dumps(line) + "\n")
        return self._known[key]


def opened(options: argparse.Namespace, folder: Path) -> Strategy:
    """The blueprint; a solution of Leduc where all is to be quick."""
    if not options.quick:
        return Strategy(options.strategy)
    solve(Settings(Game.bundled("leduc"), None, iterations=300, out=folder / "leduc.h5"))
    return Strategy.open(folder / "leduc.h5")


def recovered(player: Tilted, blueprint: Strategy, name: str, hands: int, seed: int) -> list[float]:
    """The figures of HEAD of one log; *right* is NaN where no leak was named."""
    log = hands_of(player, blueprint, hands, seed)
    model = model_of(log, "ann", blueprint, name)
    other = gather(hands_of(player, blueprint, OTHER, seed + 1000), "ann", player)
    zero = np.zeros_like(player.tilt.parameters)
    plain = Tilt(zero, best_floor(other, zero))
    learnt = plain if model.strategy.tilt.is_none else model.strategy.tilt
    base, fitted, true = (float(log_likelihoods(other, tilt).mean()) for tilt in (plain, learnt, player.tilt))
    right = truly(model.leaks, player, log)
    first = bool(right) and right[0] and bool(player.tilt.parameters[model.leaks[0].situation].any())
    return [
        float(not model.strategy.tilt.is_none),
        1000 * (fitted - base),
        1000 * (true - base),
        (fitted - base) / (true - base),
        float(len(model.leaks)),
        float(np.mean(right)) if right else float("nan"),
        float(first),
    ]


def truly(leaks: list[Leak], player: Tilted, log: list[LoggedHand]) -> list[bool]:
    """Whether the true player strays as each leak says, by the spots of the log."""
    told = gather(log[:TOLD_BY], "ann", player, unseen=True)
    none = Tilt(np.zeros_like(player.tilt.parameters), 1e-6)
    strays = leak.frequencies(told, player.tilt)[0] - leak.frequencies(told, none)[0]
    actions = ("fold", "call", "raise")
    found = []
    for each in leaks:
        truth = strays[each.situation, leak.PARTS.index(each.part), actions.index(each.action)]
        found.append(bool(truth * np.sign(each.frequency - each.blueprint) >= POINT))
    return found


def unfound(none: Tilted, blueprint: Strategy, name: str, hands: int, seed: int) -> list[float]:
    """One where the blueprint's own log shows no leak."""
    model = model_of(hands_of(none, blueprint, hands, seed + 2000), "ann", blueprint, name)
    return [float(model.strategy.tilt.is_none)]


def written(found: np.ndarray) -> str:
    leak_, model, true, learnt, leaks, right, first = found.tolist()
    share = "-" if np.isnan(right) else f"{right:.0%}"
    return f"{leak_:>8.0%}{model:>8.1f}{true:>8.1f}{learnt:>8.0%}{leaks:>8.1f}{share:>8}{first:>8.0%}"


if __name__ == "__main__":
    main()
