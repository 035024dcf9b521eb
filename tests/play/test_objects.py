"""Matches of players that are objects, as notebooks have them."""

import pytest

import cfr
from cfr.game.rules import Game
from cfr.play.named_players import make_players, name_of
from cfr.system.errors import BadInputError, CfrError


class Caller:
    """Calls; takes no game."""

    def act(self, state, hand, board, rng):
        return "c"


class Raiser:
    """Raises while it may."""

    def __init__(self, game):
        self.game = game

    def act(self, state, hand, board, rng):
        return state.legal[-1]


def test_an_object_a_class_and_a_strategy_play_as_their_names_do():
    always = cfr.BuiltIn("always-call")
    by_name = cfr.match("always-call", "always-raise", 60, seed=3)
    assert cfr.match(Caller(), Raiser, 60, seed=3) == by_name
    assert cfr.match(always, "tests.play.test_objects:Raiser", 60, seed=3) == by_name


class Seer(Caller):
    """What it has beside ``act`` is its own business."""

    def __enter__(self):
        raise AssertionError

    def __exit__(self, *error):
        raise AssertionError

    def watch(self, seat, number, seen):
        raise AssertionError


class Broken(Seer):
    def act(self, state, hand, board, rng):
        raise ValueError("no idea")


def test_of_an_object_only_act_is_called():
    assert cfr.match(Seer(), Raiser, 60, seed=3) == cfr.match(Caller(), Raiser, 60, seed=3)
    with pytest.raises(CfrError, match=r"player Broken, after 'c': ValueError: no idea"):
        cfr.match(Broken(), Caller(), 2, seed=1)


@pytest.mark.thorough
def test_a_strategy_says_which_game(leduc_file):
    with cfr.Strategy.open(leduc_file) as strategy:
        result = cfr.match(strategy, Raiser, 1000, seed=2)
        assert result == cfr.match(str(leduc_file), "tests.play.test_objects:Raiser", 1000, seed=2)
        assert result.aivat_mbb_per_game is not None
        with pytest.raises(BadInputError, match="always-call are for different games"):
            cfr.match(strategy, cfr.BuiltIn("always-call"), 2)
        with pytest.raises(BadInputError, match="are for different games"):
            cfr.match(strategy, Caller(), 2, game=Game.bundled("kuhn"))
    assert cfr.match(Caller(), Raiser, 4, seed=1, game=Game.bundled("kuhn")).hands == 4


def test_names_in_logs(tmp_path):
    cfr.match(Caller(), cfr.BuiltIn("uniform"), 2, seed=1, log=tmp_path / "x.log")
    assert (tmp_path / "x.log").read_text().splitlines()[0].endswith(":Caller|uniform")
    player = Caller()
    player.name = "me"
    assert [each.name for each in make_players([player, Raiser])[1]] == ["me", "Raiser"]


def test_the_name_of_a_class_is_its_own_or_what_it_says():
    class Titled(Caller):
        @property
        def name(self):
            return "titled"

    class Named(Caller):
        name = "me"

    class Slotted(Raiser):
        __slots__ = ("name",)

    assert [name_of(each) for each in (Titled, Titled(), Named, Slotted)] == ["Titled", "titled", "me", "Slotted"]


def test_objects_play_in_one_process():
    with pytest.raises(
        BadInputError,
        match=r"processes: 2; a match of an object \(Caller\) is played by 1, one of module:Class by any",
    ):
        cfr.match("random", Caller(), 1000, processes=2)


def test_what_makes_no_player():
    for wrong in (3, object(), Exception):
        with pytest.raises(CfrError, match="has no method act"):
            cfr.match(wrong, "random", 2)
