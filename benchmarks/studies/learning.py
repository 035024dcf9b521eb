"""The player that learns: what it wins from flawed players of Leduc as the hands go by.

``python -m benchmarks.studies.learning`` solves Leduc, makes a counter-strategy to each typical player of
:mod:`benchmarks.studies.models` (the one that wins most with a risk of at most 100 mbb/g), and lets ``learn:`` play the
solution and these counters against each of the players, and against the solution itself, at a risk of 60 mbb/g. It
knows the players that the counters were made for. Then it meets players that are like none of these. For
each player it prints, in mbb/g: what the solution wins; what the learning player wins in the mean of the first 300,
1,000 and 3,000 hands; and what the best coin between two of its strategies wins within the same risk, by somebody who
knows the player. The hands are played, and their luck decides what is learnt. The wins are exact: those of the shares
that the learning player had in each hand. All are means of some seeds; ``worst`` is the seed with the smallest win in
3,000 hands.

``--matches`` plays duplicate matches with the typical players and the solution instead, one for each seed, as ``cfr
match --duplicate`` does. It prints what they say, without AIVAT and with it, each with its 95 % interval, beside the
exact wins in the same hands.
"""

import argparse
import zlib
from collections.abc import Iterator, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
from tqdm import tqdm

from benchmarks.studies.models import FOLD, RAISE, players
from cfr.exploit.head_to_head import value_against
from cfr.game.betting import State
from cfr.game.rules import Game
from cfr.opponents import situation
from cfr.opponents.counter import Countering
from cfr.opponents.tilt import Tilt
from cfr.opponents.tilted import Tilted
from cfr.opponents.trade import Point, best_mix, measured
from cfr.play.aivat import Aivat
from cfr.play.learning_player import LearningPlayer
from cfr.play.match_result import MatchResult
from cfr.play.portfolio import Portfolio
from cfr.play.strategy_player import StrategyPlayer
from cfr.play.table import Table
from cfr.solver.settings import Settings
from cfr.solver.solve import solve
from cfr.strategy.files.stored import Strategy
from cfr.strategy.mixed import Mixed
from cfr.strategy.strategy import Cards

CONFIDENCES = (0.2, 0.35, 0.5, 0.65, 0.8)
RISK = 60.0  # mbb/g, of the mix
COUNTER_RISK = 100.0  # mbb/g, of each counter


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--hands", type=int, default=3000, help="of each match (default: %(default)s)")
    parser.add_argument("--seeds", type=int, default=3, help="matches with each player (default: %(default)s)")
    parser.add_argument("--first-seed", type=int, default=0, metavar="S", help="of the matches (default: %(default)s)")
    parser.add_argument("--iterations", type=int, default=200, help="of each counter (default: %(default)s)")
    parser.add_argument("--matches", action="store_true", help="duplicate matches with AIVAT beside the exact wins")
    parser.add_argument("--quick", action="store_true", help="one short match with each of two players")
    options = parser.parse_args()
    count = None
    if options.quick:
        count, options.hands, options.seeds, options.iterations = 2, 60, 1, 20
    marks = [hands for hands in (300, 1000, 3000) if hands < options.hands] + [options.hands]
    heads = "".join(f"{f'{hands:,} hands':>14}" for hands in marks)
    checksum = 0
    with TemporaryDirectory() as name:
        folder = Path(name)
        solve(Settings(Game.bundled("leduc"), None, iterations=300, out=folder / "leduc.h5"))
        with Strategy.open(folder / "leduc.h5") as blueprint:
            everybody = list(players(blueprint))
            flawed = tqdm(everybody[:-1][:count], "counters", leave=False)
            counters = [
                counter(player, blueprint, options.iterations, folder / f"{title}.h5") for title, player in flawed
            ]
            models = [str(folder / f"{title}.h5") for title, _ in everybody[:-1][:count]]
            Portfolio.make([str(folder / "leduc.h5"), *counters], RISK, models).save(folder / "bot.json")
            seeds = range(options.first_seed, options.first_seed + options.seeds)
            if options.matches:
                print_matches(
                    everybody if count is None else everybody[:count], folder / "bot.json", options.hands, seeds
                )
                return
            print(f"{'player':<22}{'solution':>10}{heads}{'worst':>8}{'best coin':>11}")
            met = everybody + list(unlike(blueprint)) if count is None else everybody[-count:]
            for title, player in met:
                won, most = wins(player, folder / "bot.json", options.hands, seeds, title)
                first = value_against(blueprint, player).mbb_per_game
                means = np.array([won[:, :hands].mean() for hands in marks])
                worst = float(won.mean(axis=1).min())
                shown = "".join(f"{each:>14.1f}" for each in means)
                print(f"{title:<22}{first:>10.1f}{shown}{worst:>8.1f}{most:>11.1f}", flush=True)
                checksum = zlib.crc32(means.round(3).tobytes(), checksum)
    print(f"fingerprint {checksum:08x}")


def counter(player: Tilted, blueprint: Strategy, iterations: int, path: Path) -> str:
    """Write counters to a player, and name the one that wins most within the risk, with its exploitability."""
    player.save(path, {"algorithm": "tilted"})
    with Strategy.open(path) as model:
        points = [measured(0.0, blueprint, model, None)]
        for confidence in CONFIDENCES:
            solver = Countering(model, confidence)
            for _ in range(iterations):
                solver.step()
            kept = path.with_stem(f"{path.stem}-{confidence:g}")
            solver.save(kept, {"algorithm": "counter", "counter_of": str(model.attributes["checksum"])})
            with Strategy.open(kept) as found:
                points.append(measured(confidence, found, model, None))
    most = points[0].exploitability_mbb + COUNTER_RISK
    best = max(points[1:], key=lambda each: (each.exploitability_mbb <= most, each.win_mbb))
    return f"{path.with_stem(f'{path.stem}-{best.confidence:g}')}@{best.exploitability_mbb}"


def unlike(blueprint: Strategy) -> Iterator[tuple[str, Tilted]]:
    """Players by name that are like none of the typical ones."""

    def tilted(*values: tuple[int, float, int | None], floor: float = 0.02) -> Tilted:
        tilt = Tilt(Tilt.none(blueprint.game).parameters, floor)
        for action, value, only in values:
            for k, of_situation in enumerate(tilt.parameters):
                of_situation[action, 0] += value * (only in (None, situation.parts(k)[1]))
        return Tilted(blueprint, tilt)

    yield "calls a little more", tilted((FOLD, -0.7, None))
    yield "folds a little more", tilted((FOLD, 0.6, None))
    yield "folds first, or calls", tilted((FOLD, 1.5, 0), (FOLD, -2.0, 1))
    yield "raises little, folds", tilted((RAISE, -1.5, None), (FOLD, 1.0, None))
    yield "at random", tilted(floor=1.0)


def remember(mix: Mixed) -> None:
    """Let a mix look reaches up that it was asked for before, which are few in Leduc."""
    known: dict[tuple[str, bytes, bytes, int], np.ndarray] = {}
    asked = mix.reaches

    def reaches(state: State, hands: np.ndarray, board: Cards, seat: int) -> np.ndarray:
        spot = (state.line_string, hands.tobytes(), bytes(board), seat)
        if spot not in known:
            known[spot] = asked(state, hands, board, seat)
        return known[spot]

    mix.reaches = reaches  # type: ignore[method-assign]


def learner_of(bot: Path) -> LearningPlayer:
    """A learning player that has seen no hand."""
    learner = LearningPlayer(f"learn:{bot}")
    for each in (learner.strategy, learner.models):
        assert each is not None
        remember(each)
    return learner


def print_matches(met: Sequence[tuple[str, Tilted]], bot: Path, hands: int, seeds: range) -> None:
    """Print what duplicate matches of so many hands say, beside the exact wins of the shares that were played.

    All are means of the seeds, and intervals those of the means.
    """
    print(f"{'player':<22}{'match':>9}{'+-':>7}{'AIVAT':>9}{'+-':>7}{'exact':>9}")
    checksum = 0
    for title, player in met:
        played = [duel(player, bot, hands, seed) for seed in tqdm(seeds, title, leave=False)]
        exact = float(np.mean([each for _, each in played]))
        plain = [(found.mbb_per_game, found.interval_95) for found, _ in played]
        adjusted = [(found.aivat_mbb_per_game, found.aivat_interval_95) for found, _ in played]
        shown = ""
        for results in (plain, adjusted):
            means, widths = np.array(results, float).T
            shown += f"{means.mean():>9.1f}{np.linalg.norm(widths) / len(widths):>7.1f}"
        print(f"{title:<22}{shown}{exact:>9.1f}", flush=True)
        checksum = zlib.crc32(f"{exact:.3f}".encode(), checksum)
    print(f"fingerprint {checksum:08x}")


def duel(player: Tilted, bot: Path, hands: int, seed: int) -> tuple[MatchResult, float]:
    """A duplicate match of a learning player, and the mean of what it wins but for luck, mbb/g."""
    learner, other = learner_of(bot), StrategyPlayer(player, "other")
    exact = np.array([value_against(part, player).mbb_per_game for part in learner.strategy.parts])
    adjust = Aivat(player.game, (learner, other))
    won, chips, adjusted = np.empty(hands), np.empty(hands), np.empty(hands)
    with learner.strategy, Table(player.game, (learner, other), seed, duplicate=True, adjust=adjust) as table:
        for number in range(hands):
            won[number] = learner.strategy.shares @ exact
            played = table.play(number)
            assert played.adjusted is not None
            chips[number], adjusted[number] = played.chips, played.adjusted
    return MatchResult.of(chips, player.game, duplicate=True, adjusted=adjusted), float(won.mean())


def wins(player: Tilted, bot: Path, hands: int, seeds: range, title: str) -> tuple[np.ndarray, float]:
    """``(seeds, hands)`` what the learning player wins from another, but for luck, and the best coin's win; mbb/g."""
    won = np.empty((len(seeds), hands))
    for row, seed in zip(won, tqdm(seeds, title, leave=False), strict=True):
        learner = learner_of(bot)
        exact = np.array([value_against(part, player).mbb_per_game for part in learner.strategy.parts])
        with learner.strategy, Table(player.game, (learner, StrategyPlayer(player, "other")), seed) as table:
            for number in range(hands):
                row[number] = learner.strategy.shares @ exact
                table.play(number)
    lost = [each.exploitability_mbb for each in learner.portfolio.responses]
    points = [Point(n, value, risk, 0.0) for n, (value, risk) in enumerate(zip(exact.tolist(), lost, strict=True))]
    return won, best_mix(points, RISK).win_mbb


if __name__ == "__main__":
    main()
