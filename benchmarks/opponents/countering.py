"""Counter-strategies in full hold'em: what they win from players whose models come from a log, and what they risk.

``python -m benchmarks.opponents.countering --strategy quick.h5`` lets the five typical players of
``benchmarks.opponents.models``, tilted from a strategy of full hold'em, play that strategy, their cards seen at
showdowns only. From so many hands it makes the model of ``cfr model``, and counter-strategies of some confidences as
``cfr counter`` does. On a sample of flops, the same for all, it measures what each wins from the *true* player and how
exploitable it is. It prints a line for each player: what the blueprint wins; what the *coin* wins, which is chosen as
``cfr counter --risk 60`` chooses it, by the win from the model; what the greediest counter-strategy wins; each with its
exploitability above the blueprint's; all in mbb/g. At last the coin's gain on the blueprint as a share of the greediest
one's. The last player is the blueprint itself.

``--log FILE`` keeps each result; the same command goes on from there.
"""

import argparse
import zlib
from itertools import islice
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np

from benchmarks.opponents.models import RISK, hands_of, players, save_counter
from benchmarks.opponents.recovery import HELD_BYTES, Done, opened, parser_of
from cfr.exploit.head_to_head import value_against
from cfr.opponents.model import model_of
from cfr.opponents.tilted import Tilted
from cfr.opponents.trade import Point, best_mix, measured
from cfr.strategy.files.stored import Strategy
from cfr.system.cores import usable_cores


def main() -> None:
    parser = parser_of(__doc__, "two players of Leduc")
    parser.add_argument("--hands", type=int, default=3000, help="of each log (default: %(default)s)")
    parser.add_argument("--confidence", type=float, nargs="+", default=[0.5, 0.8, 1.0], help="default: 0.5 0.8 1")
    parser.add_argument("--iterations", type=int, default=2000, help="of each solve (default: %(default)s)")
    parser.add_argument("--flops", type=int, default=6, help="that are measured (default: %(default)s)")
    options = parser.parse_args()
    if options.quick:
        options.hands, options.iterations, options.flops = 300, 50, None
    done, checksum = Done(options.log), 0
    with TemporaryDirectory() as name, opened(options, Path(name)) as blueprint:
        blueprint.hold_tables(HELD_BYTES)
        print(f"{'player':<21}{'blueprint':>10}{'coin':>8}{'risk':>7}{'greedy':>8}{'risk':>8}{'share':>8}")
        for title, player in islice(players(blueprint), 2 if options.quick else None):
            key = f"{title}, {options.hands}, {options.iterations}, {options.flops}, {options.confidence}"
            found = done.of(f"{key}, {options.strategy}", countered, player, blueprint, options, Path(name))
            won, coin, coin_risk, greedy, greedy_risk = found
            share = f"{(coin - won) / (greedy - won):.0%}" if greedy > won else "-"
            print(
                f"{title:<21}{won:>10.1f}{coin:>8.1f}{coin_risk:>7.1f}{greedy:>8.1f}{greedy_risk:>8.1f}{share:>8}",
                flush=True,
            )
            checksum = zlib.crc32(np.round(found, 3).tobytes(), checksum)
    print(f"fingerprint {checksum:08x}")


def countered(player: Tilted, blueprint: Strategy, options: argparse.Namespace, folder: Path) -> list[float]:
    """What the blueprint, the coin and the greediest counter-strategy win from a player; the last two with the risk."""
    player.save(folder / "player.h5", {"algorithm": "tilted"})
    model = model_of(hands_of(player, blueprint, options.hands, 0), "ann", blueprint, options.strategy or "small")
    model.save(folder / "model.h5")
    points: list[Point] = []
    wins: dict[float, float] = {}

    def measure(confidence: float, strategy: Strategy) -> None:
        points.append(measured(confidence, strategy, tilted, options.flops, usable_cores()))
        wins[confidence] = value_against(strategy, true, options.flops, threads=usable_cores()).mbb_per_game

    with Strategy.open(folder / "model.h5") as tilted, Strategy.open(folder / "player.h5") as true:
        measure(0.0, blueprint)
        for confidence in options.confidence:
            save_counter(folder / "counter.h5", tilted, confidence, options.iterations, blueprint)
            with Strategy.open(folder / "counter.h5") as strategy:
                measure(confidence, strategy)
    mix, first = best_mix(points, RISK), points[0]
    coin = mix.mean(wins)
    greedy = points[-1]
    return [
        wins[0.0],
        coin,
        mix.worst_mbb - first.exploitability_mbb,
        wins[greedy.confidence],
        greedy.exploitability_mbb - first.exploitability_mbb,
    ]


if __name__ == "__main__":
    main()
