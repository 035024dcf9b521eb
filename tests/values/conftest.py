"""What tests of values share."""

import pytest

from cfr.abstraction.abstraction import Abstraction
from cfr.strategy.files.stored import Strategy
from tests.conftest import save_random
from tests.small_games import short_deck


@pytest.fixture(scope="module")
def three_rounds(tmp_path_factory):
    """A strategy of a game with three rounds and eight cards that mixes everywhere, all hands apart."""
    game = short_deck("three rounds", 2, 4, (0, 3, 1), (1, 1, 1))
    path = tmp_path_factory.mktemp("three") / "three.h5"
    save_random(path, game, Abstraction.lossless(game), 3)
    with Strategy.open(path) as strategy:
        yield strategy
