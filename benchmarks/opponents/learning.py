"""The player that learns: what it wins from flawed players of Leduc as the hands go by.

``python -m benchmarks.opponents.learning`` solves Leduc, makes a counter-strategy to each typical player of
:mod:`benchmarks.opponents.models` (the one that wins most with a risk of at most 100 mbb/g), and lets ``learn:`` play
the solution and these counters against each of the players, and against the solution itself, at a risk of 60 mbb/g. It
knows the players that the counters were made for. Then it meets players that are like none of these. For each player it
prints, in mbb/g: what the solution wins; what the learning player wins in the mean of the first 300, 1,000 and 3,000
hands; and what the best coin between two of its strategies wins within the same risk, by somebody who knows the player.
The hands are played, and their luck decides what is learnt. The wins are exact: those of the shares that the learning
player had in each hand. All are means of some seeds; ``worst`` is the seed with the smallest win in 3,000 hands.

``--matches`` plays duplicate matches with the typical players and the solution instead, one for each seed, as ``cfr
match --duplicate`` does. It prints what they say, without AIVAT and with it, each with its 95 % interval, beside the
exact wins in the same hands.

``--strategy FILE`` takes a strategy of full hold'em in the solution's place. Counters begin with its play, as in ``cfr
counter``, and all wins and exploitabilities are those on the same few flops (``--flops``). ``--keep FOLDER`` keeps
counters and results; the same command goes on from there.
"""

import argparse
import zlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
from tqdm import tqdm

from benchmarks.opponents.models import FOLD, RAISE, players, save_counter
from benchmarks.opponents.recovery import HELD_BYTES, Done
from cfr.exploit.exploitability import exploitability
from cfr.exploit.head_to_head import value_against
from cfr.game.betting import State
from cfr.game.rules import Game
from cfr.opponents import situation
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
from cfr.system.cores import usable_cores

CONFIDENCES = [0.2, 0.35, 0.5, 0.65, 0.8]
RISK = 60.0  # mbb/g, of the mix
COUNTER_RISK = 100.0  # mbb/g, of each counter
FEW_HANDS = 100  # of a small game


@dataclass(frozen=True)
class Setting:
    """Where the players meet.

    Attributes:
        name: of the blueprint's file.
        blueprint: open.
        folder: of the files.
        iterations, confidences: of the counters.
        flops: that are measured; None for all.
        done: results so far.
    """

    name: str
    blueprint: Strategy
    folder: Path
    iterations: int
    confidences: list[float]
    flops: int | None
    done: Done

    def key(self, title: str, *of: object) -> str:
        """What a result of a player depends on."""
        return ", ".join(map(str, (title, self.name, self.iterations, self.confidences, self.flops, *of)))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--hands", type=int, default=3000, help="of each match (default: %(default)s)")
    parser.add_argument("--seeds", type=int, default=3, help="matches with each player (default: %(default)s)")
    parser.add_argument("--first-seed", type=int, default=0, metavar="S", help="of the matches (default: %(default)s)")
    parser.add_argument("--strategy", metavar="FILE", help="of full hold'em (default: a solution of Leduc)")
    parser.add_argument("--flops", type=int, default=6, help="of hold'em that are measured (default: %(default)s)")
    parser.add_argument("--iterations", type=int, help="of each counter (default: 200, in hold'em 2,000)")
    parser.add_argument("--confidence", type=float, nargs="+", default=CONFIDENCES, help="default: .2 .35 .5 .65 .8")
    parser.add_argument("--keep", type=Path, metavar="FOLDER", help="keep files here, and go on from those it has")
    parser.add_argument("--matches", action="store_true", help="duplicate matches with AIVAT beside the exact wins")
    parser.add_argument("--quick", action="store_true", help="one short match with each of two players")
    options = parser.parse_args()
    count = None
    if options.quick:
        count, options.hands, options.seeds, options.iterations = 2, 60, 1, 20
    with TemporaryDirectory() as name:
        file = options.strategy or str(Path(name) / "leduc.h5")
        if options.strategy is None:
            solve(Settings(Game.bundled("leduc"), None, iterations=300, out=Path(file)))
        with Strategy.open(file) as blueprint:
            blueprint.hold_tables(HELD_BYTES)
            folder = (options.keep or Path(name)) / str(blueprint.attributes["checksum"])[:8]
            folder.mkdir(parents=True, exist_ok=True)
            iterations = options.iterations or (200 if options.strategy is None else 2000)
            flops = None if options.strategy is None else options.flops
            done = Done(folder / "results.jsonl")
            here = Setting(options.strategy or "leduc", blueprint, folder, iterations, options.confidence, flops, done)
            everybody = list(players(blueprint))
            flawed = everybody[:-1][:count]
            first = here.done.of(here.key("the blueprint's exploitability"), exploitable, here)[0]
            most_lost = first + COUNTER_RISK
            shown = tqdm(flawed, "counters", leave=False)
            counters = [counter(title, player, most_lost, here) for title, player in shown]
            models = [str(folder / f"{title}.h5") for title, _ in flawed]
            bot = folder / "bot.json"
            Portfolio.make([f"{file}@{first}", *counters], RISK, models).save(bot)
            seeds = range(options.first_seed, options.first_seed + options.seeds)
            if options.matches:
                print_matches(everybody[:count], bot, options.hands, seeds, here)
            else:
                met = everybody + list(unlike(blueprint)) if count is None else everybody[-count:]
                print_wins(met, bot, options.hands, seeds, here)


def exploitable(here: Setting) -> list[float]:
    """The blueprint's exploitability, mbb/g."""
    return [exploitability(here.blueprint, here.flops).exploitability_mbb]


def print_wins(met: Sequence[tuple[str, Tilted]], bot: Path, hands: int, seeds: range, here: Setting) -> None:
    """Print what the learning player wins from each player as the hands go by, but for luck."""
    marks = [mark for mark in (300, 1000, 3000) if mark < hands] + [hands]
    heads = "".join(f"{f'{mark:,} hands':>14}" for mark in marks)
    print(f"{'player':<22}{'solution':>10}{heads}{'worst':>8}{'best coin':>11}")
    checksum = 0
    for title, player in met:
        exact = here.done.of(here.key(title, "exact"), exact_wins, player, bot, here)
        played = [
            here.done.of(here.key(title, marks, seed), wins, player, bot, marks, seed, exact)
            for seed in tqdm(seeds, title, leave=False)
        ]
        means, worst = np.mean(played, axis=0), min(won[-1] for won in played)
        shown = "".join(f"{each:>14.1f}" for each in means)
        print(f"{title:<22}{exact[0]:>10.1f}{shown}{worst:>8.1f}{most(exact, bot):>11.1f}", flush=True)
        checksum = zlib.crc32(means.round(3).tobytes(), checksum)
    print(f"fingerprint {checksum:08x}")


def counter(title: str, player: Tilted, most_lost: float, here: Setting) -> str:
    """Write counters to a player; name the one that wins most and loses at most so much, with its exploitability."""
    path = here.folder / f"{title}.h5"
    if not path.exists():
        player.save(path, {"algorithm": "tilted"})
    with Strategy.open(path) as model:
        points: list[tuple[float, float, Path]] = []
        for confidence in here.confidences:
            kept = path.with_stem(f"{path.stem}-{confidence:g}-{here.iterations}")
            won, lost = here.done.of(here.key(title, confidence), countered, model, confidence, kept, here)
            points.append((won, lost, kept))
    _, lost, best = max(points, key=lambda point: (point[1] <= most_lost, point[0]))
    return f"{best}@{lost}"


def countered(model: Strategy, confidence: float, path: Path, here: Setting) -> list[float]:
    """Write the counter to a model; what it wins from the model and its exploitability, mbb/g."""
    save_counter(path, model, confidence, here.iterations, here.blueprint)
    with Strategy.open(path) as strategy:
        point = measured(confidence, strategy, model, here.flops, usable_cores())
    return [point.win_mbb, point.exploitability_mbb]


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
    """Let a mix look reaches up that it was asked for before, which are few in a small game."""
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
        if each.game.num_hands <= FEW_HANDS:
            remember(each)
    return learner


def print_matches(met: Sequence[tuple[str, Tilted]], bot: Path, hands: int, seeds: range, here: Setting) -> None:
    """Print what duplicate matches of so many hands say, beside the exact wins of the shares that were played.

    All are means of the seeds, and intervals those of the means.
    """
    print(f"{'player':<22}{'match':>9}{'+-':>7}{'AIVAT':>9}{'+-':>7}{'exact':>9}")
    checksum = 0
    for title, player in met:
        exact = here.done.of(here.key(title, "exact"), exact_wins, player, bot, here)
        played = np.array(
            [
                here.done.of(here.key(title, "duplicate", hands, seed), duel, player, bot, hands, seed, exact)
                for seed in tqdm(seeds, title, leave=False)
            ]
        )
        means, widths = played.mean(axis=0), np.linalg.norm(played, axis=0) / len(played)
        shown = "".join(f"{means[k]:>9.1f}{widths[k + 1]:>7.1f}" for k in (0, 2))
        print(f"{title:<22}{shown}{means[4]:>9.1f}", flush=True)
        checksum = zlib.crc32(f"{means[4]:.3f}".encode(), checksum)
    print(f"fingerprint {checksum:08x}")


def exact_wins(player: Tilted, bot: Path, here: Setting) -> list[float]:
    """What each response of the learning player wins from a player but for luck, mbb/g."""
    with learner_of(bot).strategy as mix:
        return [value_against(part, player, here.flops).mbb_per_game for part in mix.parts]


def duel(player: Tilted, bot: Path, hands: int, seed: int, exact: list[float]) -> list[float]:
    """A duplicate match of a learning player: its mean and interval, both by AIVAT, and its win but for luck; mbb/g."""
    learner, other = learner_of(bot), StrategyPlayer(player, "other")
    adjust = Aivat(player.game, (learner, other))
    won, chips, adjusted = np.empty(hands), np.empty(hands), np.empty(hands)
    with learner.strategy, Table(player.game, (learner, other), seed, duplicate=True, adjust=adjust) as table:
        for number in range(hands):
            won[number] = learner.strategy.shares @ exact
            played = table.play(number)
            assert played.adjusted is not None
            chips[number], adjusted[number] = played.chips, played.adjusted
    found = MatchResult.of(chips, player.game, duplicate=True, adjusted=adjusted)
    assert found.aivat_mbb_per_game is not None
    assert found.aivat_interval_95 is not None
    return [
        found.mbb_per_game,
        found.interval_95,
        found.aivat_mbb_per_game,
        found.aivat_interval_95,
        float(won.mean()),
    ]


def wins(player: Tilted, bot: Path, marks: list[int], seed: int, exact: list[float]) -> list[float]:
    """What the learning player wins in the mean of so many first hands, but for luck; mbb/g."""
    won, learner = np.empty(marks[-1]), learner_of(bot)
    with learner.strategy, Table(player.game, (learner, StrategyPlayer(player, "other")), seed) as table:
        for number in range(marks[-1]):
            won[number] = learner.strategy.shares @ exact
            table.play(number)
    return [float(won[:mark].mean()) for mark in marks]


def most(exact: list[float], bot: Path) -> float:
    """What the best coin between two responses wins within the risk, mbb/g."""
    lost = [each.exploitability_mbb for each in Portfolio.read(bot).responses]
    points = [Point(n, value, risk, 0.0) for n, (value, risk) in enumerate(zip(exact, lost, strict=True))]
    return best_mix(points, RISK).win_mbb


if __name__ == "__main__":
    main()
