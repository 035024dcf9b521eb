"""Mixes: the one strategy plays as the coin does, hand by hand, and is asked alike in all ways."""

import numpy as np
import pytest

from cfr.exploit.exploitability import exploitability
from cfr.exploit.head_to_head import value_against
from cfr.resolving.named_strategy import open_named, shown_name, split_mix
from cfr.strategy.built_in import BuiltIn
from cfr.strategy.mixed import Mixed
from cfr.strategy.strategy import BaseStrategy
from cfr.system.errors import BadInputError


@pytest.fixture(scope="module")
def mix(leduc):
    return Mixed([leduc, BuiltIn("always-raise", leduc.game), BuiltIn("uniform", leduc.game)], [0.5, 0.2, 0.3])


class Asked(BaseStrategy):
    """What a mix answers, spot by spot."""

    def __init__(self, mix):
        self.game, self.betting, self._mix = mix.game, mix.betting, mix

    @property
    def identity(self):
        return {}

    def all_hands(self, state, board):
        return self._mix.all_hands(state, board)

    def distribution(self, state, hand, board):
        return self._mix.distribution(state, hand, board)


def test_it_wins_what_its_coin_wins(leduc, mix):
    for other in (leduc, BuiltIn("always-call", leduc.game)):
        asked = value_against(Asked(mix), other).mbb_per_game
        assert value_against(mix, other).mbb_per_game == pytest.approx(asked, abs=1e-9)
        assert value_against(other, mix).mbb_per_game == pytest.approx(-asked, abs=1e-9)
    parts = [exploitability(part).exploitability_mbb for part in mix.parts]
    assert exploitability(mix).exploitability_mbb < mix.shares @ parts - 1  # a bound, and not the value


def test_the_coin_is_remembered(leduc, mix):
    state, (hand, board) = leduc.betting.parse("rc/rr"), ([int(c)] for c in leduc.game.deck[[2, 4]])
    reach = [each.at(state, board).reach_of(hand) for each in mix.parts]
    played = [each.distribution(state, hand, board) for each in mix.parts]
    expected = np.average(played, axis=0, weights=mix.shares * reach)
    assert mix.distribution(state, hand, board) == pytest.approx(expected, abs=1e-12)
    assert not np.allclose(expected, mix.shares @ played, atol=1e-3)


@pytest.mark.parametrize("line", ["", "r", "rc/", "crc/r"])
def test_all_ways_to_ask_agree(leduc, mix, line):
    state = leduc.betting.parse(line)
    board = [int(leduc.game.deck[5])][: state.num_board_cards]
    live = [n for n, cards in enumerate(leduc.game.hands.tolist()) if not set(cards) & set(board)]
    hands = leduc.game.hands[live]
    everybody = mix.all_hands(state, board)
    entry = leduc.betting.parse(line[: line.index("/") + 1] if "/" in line else "")
    at_once = mix.round_probabilities(entry, hands, board)
    numbers = leduc.betting.rounds[state.round].action_index[state.node]
    for column, number in enumerate(live):
        asked = mix.distribution(state, hands[column].tolist(), board)
        assert everybody[number] == pytest.approx(asked, abs=1e-12)
        assert at_once[numbers[numbers >= 0], column] == pytest.approx(np.array(asked)[numbers >= 0], abs=1e-12)
    assert everybody.sum() == pytest.approx(len(live))


def test_names(leduc_file):
    assert split_mix("mix:a@0.3,b+turn") == [("a", 0.3), ("b+turn", 0.7)]
    assert split_mix("mix:a@30%,b") == [("a", 0.3), ("b", 0.7)]
    assert split_mix("mix:a@0.3,b@0.7") == [("a", 0.3), ("b", 0.7)]
    with open_named(f"mix:uniform@0.25,{leduc_file}") as mix:
        assert mix.shares.tolist() == [0.25, 0.75]
        assert mix.game.name == "leduc"
    assert shown_name(f"mix:uniform@0.25,{leduc_file}") == f"mix:uniform@0.25,{leduc_file.stem}@0.75"


@pytest.mark.parametrize("name", ["mix:", "mix:a,b", "mix:a@0.3,b@0.3", "mix:a@2,b", "mix:a@x,b", "mix:a@0.7,b@0.7,c"])
def test_names_that_are_none(name):
    with pytest.raises(BadInputError, match="expected mix:FILE@SHARE,FILE"):
        open_named(name)


def test_mistakes(leduc_file):
    with pytest.raises(BadInputError, match="different games"):
        open_named(f"mix:small@0.5,{leduc_file}")
    with pytest.raises(BadInputError, match="not re-solved"):
        open_named(f"mix:uniform@0.5,{leduc_file}", "turn")
    with pytest.raises(FileNotFoundError):
        open_named(f"mix:nothing.h5@0.5,{leduc_file}")
