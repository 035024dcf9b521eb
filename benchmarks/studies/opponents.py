"""What the opponents of CFR-BR miss: they know buckets before the last round, a best response knows the cards.

``python -m benchmarks.studies.opponents`` solves with the settings of the preset ``quick`` and fixes the average
strategy, nothing purged. The solve's own opponents go on to learn against it for some boards. Before the last round
they play by buckets, in the last round their best response. The benchmark prints what they win in the second half of
these boards, with a 95 % interval; what a best response wins, from a sample of flops; and the share of the latter that
they win.
"""

import argparse
import zlib
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
from tqdm import tqdm

from cfr.abstraction.abstraction import Abstraction
from cfr.exploit.exploitability import exploitability
from cfr.game.rules import Game
from cfr.kernel.chance import BoardSampler
from cfr.kernel.traversal import Visit
from cfr.solver.cfr_br import TOGETHER
from cfr.solver.ending import write
from cfr.solver.game_solver import GameSolver
from cfr.solver.presets import PRESETS
from cfr.solver.settings import Settings
from cfr.strategy.files.stored import Strategy
from cfr.system.cores import usable_cores
from cfr.system.interval import half_width

SEED = 1  # of other boards than the solve's


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("game", nargs="?", default="hulhe", choices=("hulhe", "royal"))
    parser.add_argument("--iterations", type=int, default=13_000, help="of the solve (default: %(default)s)")
    parser.add_argument("--boards", type=int, default=16_384, help="that opponents learn on (default: %(default)s)")
    parser.add_argument("--flops", type=int, default=100, help="of the best response (default: %(default)s)")
    parser.add_argument("--quick", action="store_true", help="royal, few iterations, boards and flops")
    options = parser.parse_args()
    if options.quick:
        options.game, options.iterations, options.boards, options.flops = "royal", 64, 64, 2
    game, threads = Game.find(options.game), usable_cores()
    with TemporaryDirectory() as folder:
        solver = solved(game, options.iterations, threads, Path(folder) / "x.h5")
        won = won_by_opponents(solver, options.boards)[options.boards // 2 :]
        interval = half_width(float(won.std()), len(won))
        with Strategy(solver.settings.out) as strategy:
            best = exploitability(strategy, options.flops, threads=threads, progress=True).exploitability_mbb
    print(f"{game.name}, {options.iterations:,} iterations of quick, nothing purged, in mbb/g:")
    print(f"opponents by buckets before the last round win {won.mean():.1f} +- {interval:.1f} ({len(won):,} boards)")
    print(f"a best response wins {best:.1f} ({options.flops} flops); opponents win {won.mean() / best:.0%} of it")
    print(f"fingerprint {zlib.crc32(won.data):08x}")


def solved(game: Game, iterations: int, threads: int, out: Path) -> GameSolver:
    """A solve with the settings of ``quick``, and its file, in which nothing is purged."""
    preset = PRESETS["quick"]
    buckets = preset.buckets_for(game)
    assert buckets is not None  # main offers games that need them
    settings = Settings(
        game,
        buckets,
        iterations,
        threads=threads,
        out=out,
        warm_up=preset.warm_up,
        **preset.fixed(game, buckets),
    )
    solver = GameSolver(settings, Abstraction.build(game, buckets, threads=threads))
    with tqdm(total=iterations, desc="solving", unit="iterations") as bar:
        while solver.iterations < iterations:
            solver.respond_if_warm(solver.iterations / iterations)
            solver.step(iterations - solver.iterations)
            bar.update(solver.iterations - bar.n)
    write(out, solver)
    return solver


def won_by_opponents(solver: GameSolver, boards: int) -> np.ndarray:
    """``(boards,)`` mean winnings of both seats' opponents against the average strategy, in mbb/g."""
    settings, sides = solver.settings, solver.sides
    assert sides is not None
    assert solver.responding_since is not None
    sampler = BoardSampler(settings.game, solver.abstraction, SEED, settings.rivers)
    step = solver.schedule.step(solver.iterations, solver.responding_since)
    to_mbb = 1000 / settings.game.big_blind / step
    won = np.zeros(boards)
    for first in tqdm(range(0, boards, TOGETHER), "opponents learn", unit_scale=TOGETHER, unit="boards"):
        deal = sampler.deal(first // TOGETHER, TOGETHER)
        there = int(deal.rounds[0].own_count[0])  # hands that no board of a chain blocks
        # The averages stand where a solve has its regrets, and only the responses run: they change no own table.
        for response, _ in sides.prepare(deal, solver.averages, solver.responders, solver.averages):
            for root in range(min(TOGETHER, boards - first)):
                response.run(Visit(root, step=step, seed=first + root))
                won[first + root] += response.values.sum() / there / 2 * to_mbb
    return won


if __name__ == "__main__":
    main()
