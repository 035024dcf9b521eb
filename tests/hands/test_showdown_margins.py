"""Showdown margins against equities, and the count of all pairs against pairs one by one."""

import re

import numpy as np
import pytest

from cfr.game.cards import parse_cards
from cfr.game.evaluate import evaluate
from cfr.game.rules import Game
from cfr.hands.equity import equity
from cfr.hands.showdown_margins import Margins, count_margins
from cfr.system.disk.cache import Cache

HULHE = Game.bundled("hulhe")


@pytest.mark.parametrize("board", ["Qh7h2c", "Qh7h2c2d", "Qh7h2c2dAs"])
def test_a_margin_is_that_of_the_equity(board):
    hand, other, dealt = parse_cards("AhKh"), parse_cards("QcQd"), parse_cards(board)
    margins = Margins(HULHE).against(HULHE.hands, other, dealt)
    known = equity("AhKh", "QcQd", board)
    assert margins[HULHE.hand_number(hand)] == pytest.approx(2 * known.equity - 1, abs=1e-12)
    (alone,) = Margins(HULHE).against(np.array([hand], np.uint8), other, dealt)
    assert alone == margins[HULHE.hand_number(hand)]
    for blocked in ("QhAd", "QcAd"):
        assert margins[HULHE.hand_number(parse_cards(blocked))] == 0


def test_leduc_by_brute_force():
    game = Game.bundled("leduc")
    margins = Margins(game).all_pairs()
    for first, second in np.ndindex(6, 6):
        a, b = game.deck[[first, second]].tolist()
        boards = [card for card in game.deck.tolist() if card not in (a, b)]
        won = [np.sign(int(x) - int(y)) for x, y in (evaluate([[a, c], [b, c]]) for c in boards)]
        assert margins[first, second] == pytest.approx(0 if a == b else np.mean(won), abs=1e-15)


def test_all_pairs_of_starting_hands(tmp_path, capsys):
    game = Game.bundled("royal")
    counted = count_margins(game)
    assert (counted == -counted.T).all()
    assert capsys.readouterr().err == ""
    assert (count_margins(game, progress=True) == counted).all()
    assert re.search(r"counting showdowns: .*boards/s", capsys.readouterr().err)
    margins = Margins(game, Cache(tmp_path))
    for number in (0, 77, 189):
        one_by_one = margins.against(game.hands, game.hands[number].tolist(), ())
        assert counted[:, number] / 4368 == pytest.approx(one_by_one, abs=1e-12)


@pytest.mark.slow
def test_all_pairs_of_full_holdem(tmp_path):
    counted = Margins(HULHE, Cache(tmp_path)).all_pairs()
    first, second = (HULHE.hand_number(parse_cards(hand)) for hand in ("AhKh", "QcQd"))
    assert counted[first, second] == (787_966 - 917_606) / 1_712_304
    kept = Margins(HULHE, Cache(tmp_path)).against(HULHE.hands, HULHE.hands[second].tolist(), ())
    assert np.array_equal(kept, counted[:, second])
