"""How likely players do what an opponent did: by every deal and line of small games."""

import numpy as np
import pytest

from cfr.game.hand import SeenHand
from cfr.game.rules import Game
from cfr.play import model_likelihoods
from cfr.play.model_likelihoods import log_likelihoods
from cfr.strategy.built_in import BuiltIn
from cfr.strategy.mixed import Mixed
from tests.play.test_aivat import hands
from tests.play.test_imagined_values import Asked


def players(game):
    return [Asked(game, 1), Asked(game, 2), BuiltIn("uniform", game)]


@pytest.mark.parametrize("game", ["kuhn", pytest.param("leduc", marks=pytest.mark.thorough)])
@pytest.mark.parametrize("seat", [0, 1])
def test_ratios_are_one_in_the_mean(monkeypatch, game, seat):
    """So are those of every probability of what is seen to the right one; and the right one is the likeliest."""
    game = Game.bundled(game)
    models = Mixed(players(game), [1, 0, 0])
    monkeypatch.setattr(model_likelihoods, "_ODD", 0.0)
    mean, informs, own = np.zeros(3), np.zeros(3), BuiltIn("uniform", game)
    for record, probability in hands((own, models.parts[0]) if seat == 0 else (models.parts[0], own)):
        found = log_likelihoods(models, seat, record.deal.seen_by(seat, record.state))
        mean += probability * np.exp(found - found[0])
        informs += probability * (found - found[0])
    assert mean == pytest.approx(np.ones(3), abs=1e-9)
    assert (informs[1:] < -0.01).all()


def test_no_hand_rules_a_player_out(leduc):
    cards = leduc.game.deck.tolist()
    seen = SeenHand(leduc.betting.parse("rf"), ((cards[0],), ()), ())
    models = Mixed([BuiltIn("always-call", leduc.game), BuiltIn("uniform", leduc.game)], [1, 0])
    seats = [
        log_likelihoods(models, seat, seen if seat == 0 else SeenHand(seen.state, ((), (cards[0],)), ()))
        for seat in (0, 1)
    ]
    assert min(float(each.min() - each.max()) for each in seats) == pytest.approx(np.log(0.005 / 0.995))
    nobody = Mixed([BuiltIn("always-call", leduc.game)] * 2, [1, 0])
    assert all(log_likelihoods(nobody, seat, seen).tolist() == [0, 0] for seat in (0, 1))
