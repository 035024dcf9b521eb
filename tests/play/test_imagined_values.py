"""What responses would have won: right in the mean, over every deal and line of small games."""

import numpy as np
import pytest

from cfr.exploit.head_to_head import value_against
from cfr.game.hand import SeenHand
from cfr.game.rules import Game
from cfr.play.imagined_values import imagined_values
from cfr.strategy.built_in import BuiltIn
from cfr.strategy.mixed import Mixed
from tests.play.test_aivat import Odd, hands


class Asked(Odd):
    """An odd strategy that is asked for all hands, too; on no board."""

    def all_hands(self, state, board):
        return np.array([self.distribution(state, hand, board) for hand in self.game.hands.tolist()])


def estimated(mix, other):
    """``(parts,)`` mean of the estimates in mbb/g, both seats alike."""
    total = np.zeros(len(mix.parts))
    for seat in (0, 1):
        known = {}
        for record, probability in hands((mix, other) if seat == 0 else (other, mix)):
            seen = record.deal.seen_by(seat, record.state)
            spot = seen.state.line_string, seen.board, seen.hands[1 - seat]
            if spot not in known:
                known[spot] = imagined_values(mix, seat, seen)
            total += probability * known[spot] / 2
    return total * 1000 / mix.game.big_blind


def exact(mix, other):
    return np.array([value_against(part, other).mbb_per_game for part in mix.parts])


def rules(game, first):
    return Mixed([first, BuiltIn("uniform", game), BuiltIn("call-raise", game)], [0.5, 0.3, 0.2])


def test_they_are_right_against_the_first_part(leduc):
    mix = rules(leduc.game, leduc)
    assert estimated(mix, leduc) == pytest.approx(exact(mix, leduc), abs=0.1)


def test_they_are_right_where_nobody_folds(leduc):
    caller = BuiltIn("always-call", leduc.game)
    mix = Mixed([caller, BuiltIn("call-raise", leduc.game), BuiltIn("always-raise", leduc.game)], [0.5, 0.3, 0.2])
    for other in (caller, BuiltIn("call-raise", leduc.game)):
        assert estimated(mix, other) == pytest.approx(exact(mix, other), abs=1e-6)


def test_folds_bias_them_little():
    game = Game.bundled("kuhn")
    mix, other = rules(game, Asked(game, 1)), Asked(game, 2)
    right = np.zeros(3)
    for n, part in enumerate(mix.parts):
        for seat in (0, 1):
            dealt = hands((part, other) if seat == 0 else (other, part))
            right[n] += 500 * sum(probability * record.chips[seat] for record, probability in dealt)
    found = estimated(mix, other)
    assert np.abs(found - right).max() < 0.2 * np.ptp(right)
    assert np.abs(found - right).max() > 1e-3  # the opponent's cards are not known


def test_a_hidden_showdown_says_nothing(leduc):
    state = leduc.betting.parse("cc/cc")
    cards = leduc.game.deck.tolist()
    seen = SeenHand(state, ((cards[0],), ()), (cards[3],))
    assert imagined_values(rules(leduc.game, leduc), 0, seen) is None
