"""Models of typical players, and what counters to them win: known tilts, a log as at a real table, exact measures.

``python -m benchmarks.opponents.models`` solves Leduc, makes five typical players of known tilts, and lets each play
the solution. From so many hands it makes the model that ``cfr model`` makes, and the counter-strategies of ``cfr
counter``. For each player it prints, as means of some seeds: the share of logs in which a leak was found; the
log-likelihood of other hands above the blueprint's, as a share of what the true tilt has; and in mbb/g what the
blueprint, the counter within a risk of 60 mbb/g and a coin within that risk win from the *true* player, beside a best
response to it. The last player is the blueprint itself."""

import argparse
import random
import zlib
from collections.abc import Iterator
from dataclasses import replace
from itertools import islice
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
from tqdm import tqdm

from cfr.exploit.exploitability import exploitability
from cfr.exploit.head_to_head import value_against
from cfr.formats.logs import read_log
from cfr.game.hand import LoggedHand, SeenHand, deal_hand, showdown_winner
from cfr.game.rules import Game
from cfr.opponents import situation
from cfr.opponents.counter import Countering
from cfr.opponents.evidence import Evidence, gather
from cfr.opponents.fit import FLOORS, fit
from cfr.opponents.hand_strength import LEVELS
from cfr.opponents.likelihood import log_likelihoods
from cfr.opponents.model import model_of
from cfr.opponents.tilt import Tilt
from cfr.opponents.tilted import Tilted
from cfr.opponents.trade import best_mix, measured, within
from cfr.play.hand import play_hand
from cfr.play.strategy_player import StrategyPlayer
from cfr.solver.settings import Settings
from cfr.solver.solve import solve
from cfr.strategy.files.stored import Strategy
from cfr.strategy.strategy import BaseStrategy
from cfr.system.cores import usable_cores

CONFIDENCES = (0.2, 0.5, 0.8, 0.95, 1.0)
RISK = 60.0  # mbb/g
FOLD, RAISE = 0, 1


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--hands", type=int, nargs="+", default=[300, 1000, 3000], help="default: 300 1000 3000")
    parser.add_argument("--seeds", type=int, default=3, help="logs of each player and size (default: %(default)s)")
    parser.add_argument("--iterations", type=int, default=200, help="of each counter (default: %(default)s)")
    what = "a log of full hold'em with open cards: its first half predicts the second, and nothing else is done"
    parser.add_argument("--log", type=Path, metavar="LOG", help=what)
    parser.add_argument("--quick", action="store_true", help="two players, one log of few hands each")
    options = parser.parse_args()
    if options.quick:
        options.hands, options.seeds, options.iterations = [100], 1, 20
    if options.log is not None:
        predict_second_half(options.log)
        return
    checksum = 0
    with TemporaryDirectory() as name:
        folder = Path(name)
        solve(Settings(Game.bundled("leduc"), None, iterations=300, out=folder / "leduc.h5"))
        with Strategy.open(folder / "leduc.h5") as blueprint:
            print(
                f"{'player':<20}{'hands':>6}{'leak':>7}{'learnt':>8}{'blueprint':>11}{'counter':>9}{'coin':>8}{'best':>8}"
            )
            for title, player in islice(players(blueprint), 2 if options.quick else None):
                for hands in options.hands:
                    logs = tqdm(range(options.seeds), f"{title}, {hands} hands", leave=False)
                    found = np.mean(
                        [recovered(player, blueprint, hands, s, options.iterations, folder) for s in logs], 0
                    )
                    leak, learnt, *won = found.tolist()
                    shown = "".join(f"{each:>{width}.1f}" for each, width in zip(won, (11, 9, 8, 8), strict=True))
                    print(f"{title:<20}{hands:>6}{100 * leak:>6.0f}%{100 * learnt:>7.0f}%{shown}")
                    checksum = zlib.crc32(found.round(3).tobytes(), checksum)
    print(f"fingerprint {checksum:08x}")


def predict_second_half(log: Path) -> None:
    """Print the log-likelihood of the second half of a log by four predictors, for each player."""
    with Strategy.open() as blueprint:
        blueprint.hold_tables(1 << 30)
        hands = list(read_log(log, blueprint.betting))
        first, second = hands[: len(hands) // 2], hands[len(hands) // 2 :]
        none = Tilted(blueprint, Tilt.none(blueprint.game))
        for player in sorted({name for hand in hands for name in hand.players}):
            test, train = gather(second, player, none), gather(first, player, none)
            hidden = gather([without_folded(hand, player) for hand in first], player, none)
            situations = situation.count(blueprint.game)
            zero = none.tilt.parameters
            plain = max(float(log_likelihoods(test, Tilt(zero, floor)).sum()) for floor in FLOORS)
            print(f"{player}: {test.hands:,} hands of the second half with a decision; log-likelihood in nats")
            print(f"  the blueprint with its best floor     {plain:10.1f}")
            print(f"  frequencies by street                 {by_street(train, test):10.1f}")
            for what, evidence in (("all cards open", train), ("folded hands hidden", hidden)):
                fitted = fit(evidence, situations).tilt
                print(f"  the model, {what:<26} {float(log_likelihoods(test, fitted).sum()):10.1f}", flush=True)


def by_street(train: Evidence, test: Evidence) -> float:
    """The log-likelihood by how often each action was taken on each street, among the legal ones."""
    counts = np.ones((4, 3))
    for layer in train.layers:
        np.add.at(counts, (layer.key // LEVELS // (2 * situation.RAISES), layer.action), 1)
    total = 0.0
    for layer in test.layers:
        shares = counts[layer.key // LEVELS // (2 * situation.RAISES)] * (layer.even > 0)
        taken = np.take_along_axis(shares, layer.action[:, None], axis=1)[:, 0]
        total += float(np.log(taken / shares.sum(axis=1)).sum())
    return total


def without_folded(hand: LoggedHand, player: str) -> LoggedHand:
    """The hand as a real table shows it to the player's opponent."""
    if hand.seen.state.at_showdown:
        return hand
    seat = hand.players.index(player)
    hands = (hand.seen.hands[0], ()) if seat else ((), hand.seen.hands[1])
    return replace(hand, seen=replace(hand.seen, hands=hands))


def players(blueprint: Strategy) -> Iterator[tuple[str, Tilted]]:
    """Typical players by name, and the blueprint."""
    last = blueprint.game.num_rounds - 1

    def tilted(action: int, shape: int, value: float, round_: int | None = None, raised: int | None = None) -> Tilted:
        parameters = np.zeros((situation.count(blueprint.game), 2, 4))
        for k in range(len(parameters)):
            here, _, bets = situation.parts(k)
            if round_ in (None, here) and raised in (None, bets):
                parameters[k, action, shape] = value
        return Tilted(blueprint, Tilt(parameters, 0.02))

    yield "calls too much", tilted(FOLD, 0, -2.0)
    yield "folds too much", tilted(FOLD, 0, 1.5)
    yield "raises too much", tilted(RAISE, 0, 1.5)
    yield "never bluffs at last", tilted(RAISE, 2, -8.0, last, 0)
    yield "plays too many", tilted(FOLD, 0, -3.0, 0)
    yield "the blueprint", Tilted(blueprint, Tilt.none(blueprint.game))


def recovered(
    player: Tilted, blueprint: Strategy, hands: int, seed: int, iterations: int, folder: Path
) -> tuple[float, ...]:
    """Whether a leak was found, the share that was learnt, and what four strategies win from the player, mbb/g."""
    model = model_of(hands_of(player, blueprint, hands, seed), "ann", blueprint, "leduc")
    other = gather(hands_of(player, blueprint, 2000, seed + 1000), "ann", player)
    none = Tilt(np.zeros_like(player.tilt.parameters), 0.001)
    plain, fitted, true = (
        float(log_likelihoods(other, tilt if not tilt.is_none else none).sum())
        for tilt in (none, model.strategy.tilt, player.tilt)
    )
    learnt = (fitted - plain) / (true - plain) if not player.tilt.is_none else 0.0
    model.save(folder / "model.h5")
    with Strategy.open(folder / "model.h5") as tilted:
        points, strategies = [measured(0.0, blueprint, tilted, None)], {0.0: blueprint}
        for confidence in CONFIDENCES:
            path = folder / f"{confidence}.h5"
            save_counter(path, tilted, confidence, iterations)
            strategies[confidence] = Strategy.open(path)
            points.append(measured(confidence, strategies[confidence], tilted, None))
        won = {p: value_against(each, player).mbb_per_game for p, each in strategies.items()}
        for confidence in CONFIDENCES:
            strategies[confidence].close()
    mix = best_mix(points, RISK)
    coin = mix.mean(won)
    best = exploitability(player).exploitability_mbb
    return float(not model.strategy.tilt.is_none), learnt, won[0.0], won[within(points, RISK).confidence], coin, best


def save_counter(
    path: Path, model: Strategy, confidence: float, iterations: int, blueprint: Strategy | None = None
) -> None:
    """Solve and write a counter-strategy; its tables, which may take most of the memory, are gone afterwards."""
    solver = Countering(model, confidence, usable_cores(), blueprint=blueprint)
    for _ in range(iterations - solver.iterations):
        solver.step()
    solver.save(path, {"algorithm": "counter", "counter_of": str(model.attributes["checksum"])})


def hands_of(
    player: BaseStrategy, blueprint: BaseStrategy, hands: int, seed: int, *, shown: bool = True
) -> list[LoggedHand]:
    """Hands of ``player``, who is "ann" and sits in both seats by turns, with the cards that a real table shows.

    Ann's cards are known at showdowns, the other's always. Unless all showdowns are ``shown``, ann mucks those that
    she loses.
    """
    rng = random.Random(seed)
    ann, hero = StrategyPlayer(player, "ann"), StrategyPlayer(blueprint, "hero")
    found = []
    for number in range(hands):
        seat = number % 2
        deal = deal_hand(player.game, rng)
        state = play_hand(player.betting, deal, (ann, hero) if seat == 0 else (hero, ann), rng).state
        cards = list(deal.hands)
        mucks = not shown and showdown_winner(state, deal) == 1 - seat
        if mucks or not state.at_showdown:
            cards[seat] = ()
        names = ("ann", "hero") if seat == 0 else ("hero", "ann")
        board = deal.board[: state.num_board_cards]
        found.append(LoggedHand(number, names, SeenHand(state, (cards[0], cards[1]), board)))
    return found


if __name__ == "__main__":
    main()
