"""What a mistake is, the same for all who ask."""

from dataclasses import replace

import numpy as np
import pytest

from cfr.game.rules import Game
from cfr.strategy.built_in import BuiltIn
from cfr.study.reviews.decision import Decision
from cfr.study.reviews.mistake import is_mistake, noise_of
from cfr.values.expected_values import CHECKED_DOWN, PRESUMED

STATE = BuiltIn("uniform", Game.bundled("leduc")).betting.parse("r")


@pytest.mark.parametrize(
    ("share", "lost", "stand_in", "expected"),
    [
        (0.0, 10.0, None, True),
        (0.0, 9.9, None, False),
        (0.24, 500.0, None, True),
        (0.25, 500.0, None, False),
        (0.0, 10.0, PRESUMED, True),
        (0.0, 999.0, CHECKED_DOWN, False),
        (0.0, 1000.0, CHECKED_DOWN, True),
        (0.0, None, None, False),
    ],
)
def test_it_is_rare_and_loses_more_than_its_noise(share, lost, stand_in, expected):
    assert is_mistake(share, lost, stand_in) is expected


def test_the_main_action_is_none_however_much_it_loses():
    """Of three actions the likeliest has a third at least."""
    for mix in ((0.34, 0.33, 0.33), (0.0, 0.5, 0.5), (0.0, 1.0, 0.0)):
        main = "fcr"[int(np.argmax(mix))]
        decision = Decision(1, "ann", (0,), (), STATE, mix, main)
        assert not decision.with_loss(np.where("fcr".index(main) == np.arange(3), -9000.0, 0.0)).is_mistake


def test_a_decision_without_an_ev_has_nothing_that_stands_in():
    decision = replace(Decision(1, "ann", (0,), (), STATE, (0.0, 1.0, 0.0), "f"), ev_lost=1.0, stand_in=PRESUMED)
    lost = decision.with_loss(np.full(3, np.nan), PRESUMED)
    assert (lost.ev_lost, lost.stand_in, lost.is_mistake) == (None, None, False)
    assert "(against a presumed range)" in str(decision)
    assert noise_of(None) == noise_of(PRESUMED) < noise_of(CHECKED_DOWN)
