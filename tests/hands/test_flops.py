"""Flops: their textures, and samples that stand for all of them."""

import numpy as np
import pytest

from cfr.game.cards import parse_cards
from cfr.game.rules import Game
from cfr.hands.flops import first_boards, sample, texture
from cfr.system.errors import BadInputError


@pytest.mark.parametrize(
    ("cards", "kind"), [("2c2d5h", "paired"), ("2c5c9c", "monotone"), ("2c5c9d", "two-tone"), ("2c5d9h", "rainbow")]
)
def test_textures(cards, kind):
    assert texture(np.array(parse_cards(cards))) == kind


def test_a_sample_stands_for_all_boards():
    boards = first_boards(Game.bundled("hulhe"))
    assert len(boards.cards) == 1755
    assert boards.share.sum() == pytest.approx(1)
    drawn = np.concatenate([sample(boards, 100, seed) for seed in range(200)])
    often = np.bincount(drawn, minlength=1755) / len(drawn)
    assert np.abs(often - boards.share).max() < 1e-3
    assert np.array_equal(sample(boards, 50, 3), sample(boards, 50, 3))
    with pytest.raises(BadInputError, match="flops: 1"):
        sample(boards, 1, 0)
    with pytest.raises(BadInputError, match=r"flops: 1,756; there are 1,755"):
        sample(boards, 1756, 0)
