"""Logs of another deck: refused as soon as their boards tell the decks apart."""

import random
from dataclasses import replace

import pytest

from cfr.formats.logs import read_log
from cfr.game.betting import BettingTree
from cfr.game.rules import Game
from cfr.play.match import match
from cfr.strategy.built_in import BuiltIn
from cfr.study.reviews.log_deck import check_deck
from cfr.study.reviews.review import review
from cfr.system.errors import BadInputError

HULHE = Game.bundled("hulhe")
SHORT = replace(HULHE, name="short", num_ranks=10)  # 5 to ace


@pytest.fixture(scope="module")
def logs(tmp_path_factory):
    folder, found = tmp_path_factory.mktemp("decks"), {}
    for game, hands in ((HULHE, 40), (SHORT, 40), (SHORT, 4)):
        path = folder / f"{game.name}-{hands}.log"
        match("call-raise", "random", hands, game=game, seed=1, aivat=False, log=path)
        found[game.name, hands] = path
    return found


def test_a_log_of_a_shorter_deck_is_refused(logs):
    with pytest.raises(BadInputError, match=r"short-40\.log: no card below 5 on \d+ boards, so it is no log of"):
        review(logs["short", 40], BuiltIn("uniform", HULHE), ev=False)


def test_logs_of_the_own_deck_and_few_hands_are_reviewed(logs):
    assert review(logs["hulhe", 40], BuiltIn("uniform", HULHE), ev=False).hands == 40
    assert review(logs["short", 40], BuiltIn("uniform", SHORT), ev=False).hands == 40
    assert review(logs["short", 4], BuiltIn("uniform", HULHE), ev=False).hands == 4


def test_a_board_that_comes_again_tells_nothing(logs):
    [hand] = random.Random(1).sample([h for h in read_log(logs["short", 40], BettingTree(HULHE)) if h.seen.board], 1)
    check_deck([hand] * 1000, HULHE, "x.log")
