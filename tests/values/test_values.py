"""Expected values: against a plain enumeration, against self-play's value, zero in sum, alike for isomorphic spots."""

import re
from functools import cache
from itertools import combinations
from math import comb
from pathlib import Path

import numpy as np
import pytest

from cfr import expected_values, exploitability
from cfr.abstraction.abstraction import Abstraction
from cfr.exploit.exploitability import measure_boards
from cfr.game.betting_round import ACTIONS
from cfr.game.cards import format_cards, parse_cards
from cfr.game.evaluate import strengths
from cfr.game.rules import Game
from cfr.hands.isomorphism import hand_classes, permute_hands, suit_permutations
from cfr.strategy.built_in import BuiltIn
from cfr.strategy.files.file import set_attributes
from cfr.strategy.files.stored import Strategy
from cfr.system.errors import BadInputError, IllegalActionError
from cfr.values import expected_values as values
from cfr.values import line_copies
from cfr.values.expected_values import has_values
from tests.conftest import save_random
from tests.small_games import GAMES
from tests.thorough import thorough

RIVERS = [("Td9d6h2c3s", "rc/cc/rc/"), ("AsKsQs2s2d", "cc/crc/cc/cr"), ("7c7d7h2c2s", "rrc/rc/rrc/rrr")]


@pytest.fixture(scope="module", params=[*thorough("two rounds"), "three rounds"])
def stored(request, tmp_path_factory):
    """A strategy that mixes everywhere, without and with the values of its first round's leaves in the file."""
    game = GAMES[request.param]
    paths = [tmp_path_factory.mktemp("stored") / name for name in ("without.h5", "with.h5")]
    for path in paths:
        save_random(path, game, Abstraction.lossless(game), 4)
    with Strategy.open(paths[0]) as without:
        set_attributes(paths[1], {}, opening_values(without))
        with Strategy.open(paths[1]) as strategy:
            yield without, strategy


class Plain:
    """Every pair of hands, every board card, every action, one by one by the rules; nothing of the kernel's."""

    def __init__(self, strategy):
        self.strategy, self.hands = strategy, strategy.game.hands
        self.apart = ~np.array([np.isin(self.hands, hand).any(axis=1) for hand in self.hands])
        self._frequencies = cache(self._asked)

    def values(self, state, board, seat):
        """``(H,)`` of the hands: EV, and the EVs of the actions, in mbb; NaN where a hand does not get there."""
        pairs = self._pairs(state, board)
        pairs = pairs if seat == 0 else pairs.T
        scale = 1000 / self.strategy.game.big_blind

        def mean(chips):
            with np.errstate(invalid="ignore"):
                return scale * (pairs * chips).sum(axis=1) / pairs.sum(axis=1)

        def of(after):
            return mean(self._chips(after, board, seat))

        actions = np.full((len(self.hands), 3), np.nan)
        if seat == state.actor:
            for letter in state.legal:
                actions[:, ACTIONS.index(letter)] = of(state.act(letter))
        return of(state), actions

    def _pairs(self, state, board):
        """``(H, H)`` the probability of each pair's actions so far, seat 0's hands first."""
        pairs = self.apart & self._live(board)[:, None] & self._live(board)[None]
        walked = self.strategy.betting.root
        for letter in state.line_string.replace("/", ""):
            played = self._frequencies(walked, board)[:, ACTIONS.index(letter)]
            pairs = pairs * (played[:, None] if walked.actor == 0 else played[None])
            walked = walked.act(letter)
        return pairs

    def _asked(self, state, board):
        return self.strategy.range(format_cards(board[: state.num_board_cards]), state.line_string).frequencies

    def _live(self, board):
        return ~np.isin(self.hands, board).any(axis=1)

    def _chips(self, state, board, seat):
        """``(H, H)`` chips that the seat wins, its hands first; 0 for hands that cannot be dealt together."""
        live = self._live(board)
        possible = self.apart & live[:, None] & live[None]
        if state.folded is not None:
            return possible * float(state.payoff(None)[seat])
        if state.is_over:
            strength = strengths(np.array([board], np.uint8).reshape(1, -1), self.hands)[0].astype(int)
            return possible * np.sign(strength[:, None] - strength[None]) * float(state.payoff(seat)[seat])
        if (new := state.num_board_cards - len(board)) > 0:
            game = self.strategy.game
            left = [int(card) for card in game.deck if card not in board]
            ways = comb(len(left) - 2 * game.num_hole_cards, new)
            return sum(self._chips(state, (*board, *cards), seat) for cards in combinations(left, new)) / ways
        frequencies = self._frequencies(state, board)
        total = 0
        for letter in state.legal:
            played = frequencies[:, ACTIONS.index(letter)]
            after = self._chips(state.act(letter), board, seat)
            total = total + after * (played[:, None] if state.actor == seat else played[None])
        return total


def opening_values(strategy):
    """``(2, leaves, H)`` of what a file may store, from the expected values on every first board."""
    game = strategy.game
    hole, deck, dealt = game.num_hole_cards, len(game.deck), game.num_board_cards[1]
    chance = 1 / comb(deck - hole, hole) / comb(deck - 2 * hole, dealt)
    values = np.zeros((2, len(strategy.betting.rounds[0].leaves), game.num_hands))
    for state in leaves(strategy.betting.root):
        for cards in combinations(game.deck.tolist(), dealt):
            for seat in (0, 1):
                found = expected_values(strategy, format_cards(cards), state.line_string, seat)
                there = found.reach > 0
                won = found.ev[there] * found.weight[there] / found.reach[there]
                values[seat, state.line, there] += chance * won * game.big_blind / 1000
    return values


def leaves(state):
    if state.round > 0:
        yield state
    elif not state.is_over:
        for letter in state.legal:
            yield from leaves(state.act(letter))


def check(strategy, board, line):
    state, cards = strategy.spot(board, line)
    plain = Plain(strategy)
    for seat in (0, 1):
        found = expected_values(strategy, board, line, seat)
        ev, actions = plain.values(state, cards, seat)
        np.testing.assert_allclose(found.ev, np.where(found.weight > 0, ev, np.nan), rtol=1e-9, atol=1e-7)
        np.testing.assert_allclose(
            found.action_ev, np.where(found.weight[:, None] > 0, actions, np.nan), rtol=1e-9, atol=1e-7
        )
        assert (found.weight > 0).any()


@pytest.mark.parametrize(("board", "line"), RIVERS)
def test_rivers_equal_a_plain_enumeration(hulhe, board, line):
    check(hulhe, board, line)


@pytest.mark.parametrize(
    ("board", "line"),
    [*thorough(("", "r")), ("KhAsKs", "rc/"), ("KhAsKs", "crc/cr"), ("KhAsKsQh", "cc/cc/"), ("KhAsKsQh", "cc/rc/r")],
)
def test_all_rounds_equal_a_plain_enumeration(three_rounds, board, line):
    check(three_rounds, board, line)


@pytest.mark.parametrize(("board", "line"), [pytest.param("", "r", marks=pytest.mark.slow), ("KhAsKs", "crc/cr")])
def test_boards_in_parts_equal_a_plain_enumeration(three_rounds, board, line, monkeypatch):
    monkeypatch.setattr(line_copies, "_BOARDS_AT_A_TIME", 1)
    check(three_rounds, board, line)


def test_a_bar_shows_the_work_if_asked(three_rounds, capsys, monkeypatch):
    monkeypatch.setattr(line_copies, "_BOARDS_AT_A_TIME", 1)
    silent = expected_values(three_rounds, "KhAsKs", "crc/cr")
    assert capsys.readouterr().err == ""
    shown = expected_values(three_rounds, "KhAsKs", "crc/cr", progress=True)
    bars = capsys.readouterr().err.split("\r")
    boards = [int(count) for bar in bars for count in re.findall(r"expected values: .* (\d+)/\d+ \[", bar)]
    assert boards[0] == 0
    assert boards == sorted(boards)
    assert "boards/s" in bars[1]
    np.testing.assert_array_equal(shown.ev, silent.ev)
    heard = []
    expected_values(three_rounds, "KhAsKs", "crc/cr", progress=heard.append)
    assert heard == sorted(heard)
    assert heard[-1] == pytest.approx(1)
    assert capsys.readouterr().err == ""


@pytest.mark.parametrize(("game", "board", "line"), [("kuhn", "", "c"), ("leduc", "", ""), ("leduc", "Kh", "rc/r")])
def test_small_games_equal_a_plain_enumeration(game, board, line):
    check(BuiltIn("uniform", Game.bundled(game)), board, line)


def test_the_root_is_what_self_play_wins(three_rounds):
    values = expected_values(three_rounds, seat=1)
    assert values.mean_ev == pytest.approx(exploitability(three_rounds).self_play_button_mbb, rel=1e-9, abs=1e-9)


@pytest.mark.parametrize(("board", "line"), [("Td9d6h2c3s", "rc/cc/rc/c"), ("Td9d6h2c", "cc/rc/r")])
def test_both_seats_sum_to_zero(hulhe, board, line):
    big_blind, button = (expected_values(hulhe, board, line, seat) for seat in (0, 1))
    assert big_blind.weight.sum() == pytest.approx(button.weight.sum(), rel=1e-12)
    assert np.nansum(big_blind.weight * big_blind.ev) == pytest.approx(-np.nansum(button.weight * button.ev), rel=1e-9)
    assert big_blind.mean_ev == pytest.approx(-button.mean_ev, rel=1e-9)
    assert big_blind.mean_equity + button.mean_equity == pytest.approx(1, rel=1e-12)


@pytest.mark.slow
def test_both_seats_sum_to_zero_on_a_flop(hulhe):
    big_blind, button = (expected_values(hulhe, "Td9d6h", "rc/c", seat) for seat in (0, 1))
    assert big_blind.mean_ev == pytest.approx(-button.mean_ev, rel=1e-9)


@pytest.mark.parametrize(("board", "line"), [("Td9d6h2c3s", "rc/cc/rc/c"), ("7d7c6s2s", "rc/crc/c")])
def test_isomorphic_spots_give_identical_numbers(hulhe, board, line):
    wanted = expected_values(hulhe, board, line)
    cards = parse_cards(board)
    moves = permute_hands(hulhe.game.hands)
    for number in (1, 7, 22):
        suits = suit_permutations()[number]
        moved = format_cards(4 * (card // 4) + int(suits[card % 4]) for card in cards)
        shuffled = moved[4:6] + moved[:4] + moved[6:]  # the flop's order means nothing either
        found = expected_values(hulhe, shuffled, line)
        for name in ("reach", "weight", "ev", "action_ev", "equity", "frequencies"):
            np.testing.assert_array_equal(getattr(found, name)[moves[number]], getattr(wanted, name), err_msg=name)


def test_hands_that_the_suits_cannot_tell_apart_have_the_same_bits(hulhe):
    values = expected_values(hulhe, "7d7c6s2s", "rc/crc/c")
    for one, other in (("AdAs", "AcAs"), ("KhQc", "KhQd")):
        a, b = (hulhe.game.hand_number(parse_cards(hand)) for hand in (one, other))
        assert values.ev[a] == values.ev[b]
        assert values.equity[a] == values.equity[b]


def openings(strategy):
    """Every spot of the first round."""
    waiting = [strategy.betting.root]
    while waiting:
        state = waiting.pop()
        if state.round == 0 and not state.is_over:
            yield state
            waiting += [state.act(letter) for letter in state.legal]


def test_stored_openings_equal_a_pass_over_all_boards(stored, monkeypatch):
    without, strategy = stored
    known = {
        (state.line_string, seat): expected_values(without, "", state.line_string, seat)
        for state in openings(strategy)
        for seat in (0, 1)
    }
    monkeypatch.setattr(values, "MOST_BOARDS", 0)
    monkeypatch.delattr(values, "play_copies")  # the stored values are all there is
    for state in openings(strategy):
        assert has_values(strategy, state)
        assert not has_values(without, state)
        for seat in (0, 1):
            found, wanted = expected_values(strategy, "", state.line_string, seat), known[state.line_string, seat]
            for name in ("reach", "weight", "frequencies", "stake"):
                np.testing.assert_array_equal(getattr(found, name), getattr(wanted, name), err_msg=name)
            for name in ("ev", "action_ev", "equity"):
                np.testing.assert_allclose(getattr(found, name), getattr(wanted, name), 1e-9, 1e-9, err_msg=name)
    with pytest.raises(BadInputError, match=r"boards can follow.*cfr exploit FILE --save"):
        expected_values(without, "", "r")


def test_a_measurement_finds_what_is_stored(stored):
    _, strategy = stored
    boards = measure_boards(strategy, values=True)
    np.testing.assert_allclose(boards.opening_values(), strategy.opening_values, rtol=1e-9, atol=1e-12)


def test_stored_openings_add_up(stored):
    _, strategy = stored
    for state in openings(strategy):
        big_blind, button = (expected_values(strategy, "", state.line_string, seat) for seat in (0, 1))
        assert big_blind.mean_ev == pytest.approx(-button.mean_ev, rel=1e-9, abs=1e-9)
        assert big_blind.mean_equity + button.mean_equity == pytest.approx(1, rel=1e-12)
        acting = (big_blind, button)[state.actor]
        mixed = np.nansum(acting.frequencies * acting.action_ev, axis=1)
        np.testing.assert_allclose(acting.ev, np.where(acting.weight > 0, mixed, np.nan), rtol=1e-12)
        if "f" in state.legal:
            assert (acting.action_ev[:, 0] == -acting.stake).all()
        classes = hand_classes(np.zeros((1, 0), np.uint8), (), strategy.game.hands, strategy.game.deck)[0]
        first = [classes.tolist().index(number) for number in classes]
        for name in ("ev", "action_ev", "equity", "weight"):
            np.testing.assert_array_equal(getattr(acting, name), getattr(acting, name)[first], err_msg=name)
    self_play = exploitability(strategy).self_play_button_mbb
    assert expected_values(strategy, seat=1).mean_ev == pytest.approx(self_play, rel=1e-9)
    assert expected_values(strategy, seat=0).mean_ev == pytest.approx(-self_play, rel=1e-9)


def test_the_supplied_strategy_knows_what_hands_win_before_the_flop():
    with Strategy.open(Path(__file__).parents[2] / "strategies" / "hulhe-small.h5") as strategy:
        for line in ("", "r", "rr"):
            big_blind, button = (expected_values(strategy, "", line, seat).mean_ev for seat in (0, 1))
            assert big_blind == pytest.approx(-button, abs=2e-3)  # mbb: what single precision leaves
            if not line:
                assert button == pytest.approx(strategy.attributes["self_play_button_mbb"], abs=2e-3)


def test_callers_win_by_equity_alone():
    values = expected_values(BuiltIn("always-call"), "Td9d6h2c", "cc/cc/")
    there = values.weight > 0
    assert there.sum() == comb(48, 2)
    assert values.stake == 1000
    np.testing.assert_allclose(values.ev[there], 1000 * (2 * values.equity[there] - 1), atol=1e-8)
    np.testing.assert_array_equal(values.ev[there], values.action_ev[there, 1])
    assert np.isnan(values.action_ev[:, 0]).all()
    assert values.mean_equity == pytest.approx(0.5)


def test_equity_is_that_of_all_hands_against_all(hulhe):
    """Against the range of a caller who reveals nothing, by the counting of run-outs that ``cfr equity`` does."""
    from cfr.hands.equity import equity

    values = expected_values(BuiltIn("always-call"), "Td9d6h2c", "cc/cc/")
    for hand in ("AsKh", "TsTc", "8d7d", "3s2s"):
        number = Game.bundled("hulhe").hand_number(parse_cards(hand))
        assert values.equity[number] == pytest.approx(equity(hand, "random", "Td9d6h2c").equity, rel=1e-12)


def test_all_hands_stand_in_where_none_comes():
    """A folder's river, to which no hand of either seat comes, is a caller's, to which all do."""
    board, line = "Td9d6h2c3s", "rc/cc/cc/"
    values, called = (expected_values(BuiltIn(name), board, line) for name in ("always-fold", "always-call"))
    assert (values.stand_in, called.stand_in) == ("presumed range", "presumed range")  # a caller never raises
    np.testing.assert_array_equal(values.weight, called.weight)
    np.testing.assert_array_equal(values.equity, called.equity)
    assert "EV" in values.facts()
    assert values.facts()["EV"].endswith(" (against a presumed range)")


def test_unreached_hands_are_marked():
    values = expected_values(BuiltIn("always-call"), "Td9d6h2c3s", "cc/cc/cc/")
    blocked = Game.bundled("hulhe").hand_number(parse_cards("TdKh"))
    assert np.isnan([values.ev[blocked], values.equity[blocked]]).all()
    assert values.reach[blocked] == values.weight[blocked] == 0


def test_hands_that_another_way_of_playing_brings_there():
    """A caller never raises; who does so meets all the hands of a caller."""
    caller = BuiltIn("always-call", Game.bundled("leduc"))
    board, line = "As", "rc/"
    values = expected_values(caller, board, line, unreached=True)
    assert not values.reach.any()
    assert values.weight.any()  # of the presumed range
    np.testing.assert_array_equal(values.action_ev, expected_values(caller, board, line).action_ev)
    number = caller.game.hand_number(parse_cards("Ah"))
    np.testing.assert_allclose(values.action_ev[number], [np.nan, 3000, 7000])
    assert np.isnan(values.ev[caller.game.hand_number(parse_cards("As"))])
    assert expected_values(caller, board, line).stand_in is None
    assert expected_values(caller, board, "rc/c", unreached=True).stand_in == "presumed range"  # the raiser is not


def test_a_fold_costs_the_stake(hulhe):
    values = expected_values(hulhe, "Td9d6h2c3s", "rc/cc/rc/r")
    assert values.stake == 4000
    there = values.weight > 0
    assert (values.action_ev[there, 0] == -4000).all()
    mixed = (values.frequencies * np.nan_to_num(values.action_ev)).sum(axis=1)
    np.testing.assert_allclose(values.ev[there], mixed[there], rtol=1e-12)


@pytest.mark.parametrize(
    ("strategy", "arguments", "error", "said"),
    [
        (BuiltIn("uniform"), ("", "rc"), BadInputError, "there are 3"),
        (BuiltIn("uniform"), ("", "r"), BadInputError, "boards can follow"),
        (BuiltIn("uniform"), ("", "rrrr"), IllegalActionError, "position 4"),
        (BuiltIn("uniform"), ("Td9d6h2c3s", "rc/cc/cc/", 2), BadInputError, "seat: 2"),
    ],
)
def test_impossible_spots_get_one_line(strategy, arguments, error, said):
    with pytest.raises(error, match=said) as caught:
        expected_values(strategy, *arguments)
    assert "\n" not in str(caught.value)
