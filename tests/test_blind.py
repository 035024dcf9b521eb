"""Best responses to players that do not look at their cards: kernel, independent twin, published values."""

import numpy as np
import pytest

from benchmarks.studies.blind import PUBLISHED, BlindTwin, net_wins
from cfr import exploitability
from cfr.game.cards import format_cards
from cfr.game.rules import Game
from cfr.hands.equity import equity
from cfr.kernel.chance import sample_boards
from cfr.strategy.built_in import BuiltIn
from cfr.strategy.files.bundled import BUILT_INS
from tests.small_games import short_deck

HULHE = Game.bundled("hulhe")
GAMES = {
    "leduc": Game.bundled("leduc"),
    "two rounds": short_deck("two rounds", 4, 5, (0, 3), (2, 2)),
    "three rounds": short_deck("three rounds", 3, 4, (0, 3, 1), (1, 2, 2)),
    # Full hold'em's betting, with all of its 16 stakes in the last round.
    "twelve cards": Game(
        "twelve cards", HULHE.blinds, HULHE.raise_sizes, HULHE.first_players, HULHE.max_raises, 4, 3, 2, (0, 3, 1, 1)
    ),
}


@pytest.fixture(scope="module", params=GAMES)
def twin(request):
    return BlindTwin(GAMES[request.param])


@pytest.mark.parametrize("name", BUILT_INS)
def test_equals_the_kernel(twin, name):
    player = BuiltIn(name, twin.game)
    measured = exploitability(player)
    for seat, won in enumerate((measured.best_response_big_blind_mbb, measured.best_response_button_mbb)):
        assert twin.best_response(player.mix, seat) == pytest.approx(won, rel=1e-9), seat


def test_net_wins_are_those_of_equity():
    boards = sample_boards(HULHE, 3, np.random.default_rng(4))
    everything = np.ones(HULHE.num_hands)
    for board, net in zip(boards, net_wins(boards, HULHE.hands, 990), strict=True):
        blocked = np.isin(HULHE.hands, board).any(axis=1)
        assert (net[blocked] == 1981).all()
        for hand in np.flatnonzero(~blocked)[::30].tolist():
            counts = equity(format_cards(HULHE.hands[hand]), everything, format_cards(board), threads=1)
            assert net[hand] - 990 == counts.win - counts.lose


@pytest.mark.slow
def test_full_hold_em_as_published():
    twin = BlindTwin(HULHE)
    for name, published in PUBLISHED.items():
        won = [twin.best_response(BuiltIn(name).mix, seat) for seat in (0, 1)]
        assert sum(won) / 2 == pytest.approx(published, abs=0.006), name
