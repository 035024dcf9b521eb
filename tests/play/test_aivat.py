"""AIVAT: unbiased over every deal and every line of small games, and worth its name in matches."""

import random
from itertools import combinations

import numpy as np
import pytest

from cfr.game.betting import BettingTree
from cfr.game.hand import Deal, HandRecord, showdown_winner
from cfr.game.rules import Game
from cfr.hands.showdown_margins import Margins
from cfr.play.aivat import Aivat
from cfr.play.match import match
from cfr.play.named_players import make_players
from cfr.play.players import RandomPlayer
from cfr.play.strategy_player import StrategyPlayer
from cfr.resolving.resolving_strategy import Resolving
from cfr.strategy.built_in import BuiltIn
from cfr.strategy.strategy import BaseStrategy
from cfr.system.errors import BadInputError

# Two hole cards, blinds, and the second seat first before the board.
TINY = Game.parse(
    """GAMEDEF
    limit
    numPlayers = 2
    numRounds = 2
    blind = 2 1
    raiseSize = 2 3
    firstPlayer = 2 1
    maxRaises = 1 1
    numSuits = 1
    numRanks = 5
    numHoleCards = 2
    numBoardCards = 0 1
    END GAMEDEF""",
    "tiny",
)
GAMES = {"kuhn": Game.bundled("kuhn"), "leduc": Game.bundled("leduc"), "tiny": TINY}


class Odd(BaseStrategy):
    """A strategy that does something else at every spot, and never the same as the next seed's."""

    def __init__(self, game, seed):
        self.game, self.betting, self._seed, self._said = game, BettingTree(game), seed, {}

    def distribution(self, state, hand, board):
        spot = (state.line_string, tuple(sorted(hand)), tuple(board))
        if spot not in self._said:
            rng = random.Random(f"{self._seed} {spot}")
            weights = np.array([rng.random() * (letter in state.legal) for letter in "fcr"])
            self._said[spot] = tuple((weights / weights.sum()).tolist())
        return self._said[spot]

    def all_hands(self, state, board):
        raise AssertionError("asked hand by hand")


class Secretive:
    """A player whose strategy AIVAT does not know."""

    name = "secretive"

    def __init__(self, strategy):
        self._inside = StrategyPlayer(strategy, "inside")

    def act(self, state, hand, board, rng):
        return self._inside.act(state, hand, board, rng)


def deals(game):
    deck, hole, board = game.deck.tolist(), game.num_hole_cards, sum(game.num_board_cards)
    for first in combinations(deck, hole):
        left = [card for card in deck if card not in first]
        for second in combinations(left, hole):
            rest = [card for card in left if card not in second]
            for dealt in combinations(rest, board):
                yield Deal((first, second), dealt)


def hands(strategies):
    """Every deal and line with its probability; strategies by seat."""
    game, betting = strategies[0].game, strategies[0].betting
    every = list(deals(game))
    waiting = [(deal, betting.root, 1 / len(every)) for deal in every]
    while waiting:
        deal, state, probability = waiting.pop()
        if state.is_over:
            yield HandRecord(deal, state, state.payoff(showdown_winner(state, deal))), probability
            continue
        seat = state.actor
        played = strategies[seat].distribution(state, deal.hands[seat], deal.board[: state.num_board_cards])
        for letter, share in zip("fcr", played, strict=True):
            if share:
                waiting.append((deal, state.act(letter), probability * share))


def plain_and_adjusted(first, second, known, first_seat, **options):
    """Probability, chips and AIVAT's estimate of every hand, for the first player; ``known`` of which strategies."""
    strategies = (first, second)
    players = [
        StrategyPlayer(each, "known") if open_ else Secretive(each)
        for each, open_ in zip(strategies, known, strict=True)
    ]
    aivat = Aivat(first.game, players, **options)
    rows = [
        (probability, record.chips[first_seat], aivat(record, first_seat))
        for record, probability in hands(strategies if first_seat == 0 else strategies[::-1])
    ]
    return np.array(rows).T


def assert_unbiased(name, known, first_seat, imaginary):
    # Wrong on purpose: no value is too bad to be unbiased with.
    factors = [1.7, 0.6][: GAMES[name].num_rounds]
    probability, chips, adjusted = plain_and_adjusted(
        Odd(GAMES[name], 1), Odd(GAMES[name], 2), known, first_seat, imaginary=imaginary, factors=factors
    )
    assert probability.sum() == pytest.approx(1)
    assert probability @ adjusted == pytest.approx(probability @ chips, abs=1e-12)
    assert not np.allclose(adjusted, chips)


KNOWN = [(True, True), (True, False), (False, True)]


@pytest.mark.parametrize("imaginary", [False, True])
@pytest.mark.parametrize("known", KNOWN)
@pytest.mark.parametrize(("name", "first_seat"), [("kuhn", 0), ("tiny", 1)])
def test_it_is_unbiased_over_all_deals_and_lines(name, known, first_seat, imaginary):
    assert_unbiased(name, known, first_seat, imaginary)


@pytest.mark.slow
@pytest.mark.parametrize("imaginary", [False, True])
@pytest.mark.parametrize("known", KNOWN)
@pytest.mark.parametrize("name", GAMES)
@pytest.mark.parametrize("first_seat", [0, 1])
def test_it_is_unbiased_over_all_of_leduc(name, known, first_seat, imaginary):
    assert_unbiased(name, known, first_seat, imaginary)


def test_without_a_board_no_luck_is_left():
    """Values are exact in the last round: where it is the only one, every hand is worth the same."""
    game = GAMES["kuhn"]
    probability, chips, adjusted = plain_and_adjusted(Odd(game, 1), Odd(game, 2), (True, True), 0)
    assert adjusted == pytest.approx(np.full(len(chips), probability @ chips), abs=1e-12)


def deviation(probability, values):
    return float(probability @ (values - probability @ values) ** 2) ** 0.5


def test_knowing_more_leaves_less_luck():
    game = GAMES["tiny"]
    found = [
        deviation(*plain_and_adjusted(Odd(game, 1), Odd(game, 2), known, 0, factors=[1.5, 1])[::2]) for known in KNOWN
    ]
    both, first, second = found
    probability, chips, _ = plain_and_adjusted(Odd(game, 1), Odd(game, 2), (True, True), 0, factors=[1.5, 1])
    assert both < min(first, second) <= max(first, second) < deviation(probability, chips)


def test_imaginary_hands_leave_less_luck():
    game, found = GAMES["kuhn"], []
    for imaginary in (True, False):
        probability, chips, adjusted = plain_and_adjusted(
            Odd(game, 1), Odd(game, 2), (True, False), 0, imaginary=imaginary
        )
        found.append(deviation(probability, adjusted))
    assert found[0] < found[1] < deviation(probability, chips)


def test_a_player_that_nobody_knows():
    game = GAMES["kuhn"]
    with pytest.raises(BadInputError, match="those of secretive and secretive are not"):
        Aivat(game, [Secretive(Odd(game, 1)), Secretive(Odd(game, 2))])
    Aivat(game, [RandomPlayer(), Secretive(Odd(game, 2))])  # random is known: uniform


@pytest.mark.thorough
def test_a_self_match_of_leduc(leduc_file):
    result = match(str(leduc_file), str(leduc_file), 1000, seed=3)
    assert abs(result.aivat_mbb_per_game) <= result.aivat_interval_95
    assert result.aivat_interval_95 <= result.interval_95 / 2
    assert "by AIVAT" in str(result)
    assert match(str(leduc_file), str(leduc_file), 1000, seed=3, processes=2) == result
    fast = match(str(leduc_file), str(leduc_file), 1000, seed=3, aivat=False)
    assert (fast.mbb_per_game, fast.aivat_mbb_per_game) == (result.mbb_per_game, None)


def test_a_match_agrees_with_the_exact_value(leduc_file):
    _, (bot, caller) = make_players([str(leduc_file), "always-call"])
    exact = 0.0
    for seats in ((0, 1), (1, 0)):
        strategies = (bot.strategy, caller.strategy)
        for record, probability in hands([strategies[seat] for seat in seats]):
            exact += 500 * probability * record.chips[seats[0]]
    result = match(bot, caller, 1000, seed=6)
    assert result.aivat_mbb_per_game == pytest.approx(exact, abs=1.5 * result.aivat_interval_95)
    assert result.aivat_interval_95 < result.interval_95 / 2


def test_classes_and_few_hands_go_without(leduc_file):
    assert match("tests.play.test_match:Raiser", "tests.play.test_match:Raiser", 1000, seed=1).aivat_interval_95 is None
    assert match(str(leduc_file), "random", 999, seed=1).aivat_mbb_per_game is None


@pytest.mark.slow
def test_a_self_match_of_full_holdem():
    name = "strategies/hulhe-small.h5"
    result = match(name, name, 20_000, seed=1)
    assert abs(result.aivat_mbb_per_game) <= result.aivat_interval_95
    assert result.aivat_interval_95 <= result.interval_95 / 2


@pytest.mark.slow
def test_full_holdem_with_a_built_in_that_is_known_exactly():
    """Both call: only the showdown pays, and the mean is 0."""
    game = Game.bundled("hulhe")
    players = [StrategyPlayer(BuiltIn("always-call", game), name) for name in "ab"]
    result = match(*players, 1000, seed=2)
    assert result.aivat_mbb_per_game == pytest.approx(0, abs=1e-6)
    assert result.aivat_interval_95 < 1e-6


@pytest.mark.thorough
def test_a_re_solving_player_solves_nothing_before_the_first_hand(monkeypatch):
    game = Game.bundled("hulhe")
    solver = Resolving(BuiltIn("uniform", game), "river", threads=1)
    blueprint = BuiltIn("uniform", game)
    monkeypatch.setattr(solver, "all_hands", None)
    monkeypatch.setattr(solver, "distribution", None)
    players = [StrategyPlayer(solver, "re-solved"), StrategyPlayer(blueprint, "blueprint")]
    margins = Margins(game)
    plain = Aivat(game, [StrategyPlayer(blueprint, "blueprint")] * 2, margins=margins)
    assert Aivat(game, players, margins=margins).factors == plain.factors
