"""ACPC game files: read, write, refuse."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from cfr.cards import format_cards
from cfr.errors import CfrError, MalformedTextError, UnknownSpotError
from cfr.game import GAME_NAMES, Game

HULHE = Game.bundled("hulhe").text()


@pytest.mark.parametrize("name", GAME_NAMES)
def test_bundled_games_round_trip(name):
    game = Game.bundled(name)
    assert Game.parse(game.text(), name) == game
    assert game.hands.shape == (game.num_hands, game.num_hole_cards)
    for number in range(0, game.num_hands, 37):
        assert game.hand_number(tuple(game.hands[number].tolist())) == number
        assert game.hand_number(tuple(game.hands[number].tolist()[::-1])) == number


def test_hulhe_is_the_acpc_game():
    game = Game.bundled("hulhe")
    assert (game.blinds, game.raise_sizes, game.max_raises) == ((10, 5), (10, 10, 20, 20), (3, 4, 4, 4))
    assert game.first_players == (1, 0, 0, 0)
    assert game.num_board_cards == (0, 3, 1, 1)


def test_short_decks_have_the_top_ranks_and_the_last_suits():
    assert format_cards(Game.bundled("kuhn").deck) == "QsKsAs"
    assert format_cards(Game.bundled("leduc").deck) == "QhQsKhKsAhAs"
    assert format_cards(Game.bundled("royal").deck[:5]) == "TcTdThTsJc"


def test_hands_are_in_colexicographic_order():
    hands = Game.bundled("hulhe").hands
    low, high = hands[:, 0].astype(int), hands[:, 1].astype(int)
    assert np.array_equal(high * (high - 1) // 2 + low, np.arange(1326))


def test_reads_what_the_dealer_reads(tmp_path):
    text = HULHE.replace("raiseSize = ", "# a comment\nRAISESIZE=").replace("limit\n", "Limit\nstack = 1 1\n\n")
    path = tmp_path / "mine.game"
    path.write_text(text)
    assert Game.read(path) == Game.parse(HULHE, "mine")


@pytest.mark.parametrize(
    ("old", "new", "says"),
    [
        ("limit\n", "nolimit\n", "line 2: nolimit"),
        ("limit\n", "", "neither limit nor nolimit"),
        ("numPlayers = 2", "numPlayers = 3", "numPlayers must be 2"),
        ("numRounds = 4\n", "", "numRounds is missing"),
        ("numRounds = 4", "numRounds = 3", "numBoardCards"),
        ("numSuits = 4", "numSuits = 5", "numSuits: 5; expected 1 to 4"),
        ("numRanks = 13", "numRanks = 14", "numRanks: 14"),
        ("numRanks = 13", "numRanks = 2", "8 cards are not enough"),
        ("numHoleCards = 2", "numHoleCards = 3", "numHoleCards: 3; expected 1 or 2"),
        ("numHoleCards = 2", "numHoleCards = two", "line 11: numHoleCards: 'two'"),
        ("numHoleCards = 2", "numHoleCards = 1 1", "numHoleCards: '1 1'; expected one number"),
        ("numBoardCards = 0 3 1 1", "numBoardCards = 1 3 1 1", "in the first round"),
        ("numBoardCards = 0 3 1 1", "numBoardCards = 0 3 1 3", "9 cards at showdown"),
        ("numBoardCards = 0 3 1 1", "numBoardCards = 0 3 0 1", "0 in a later round"),
        ("raiseSize = 10 10 20 20", "raiseSize = 10 10 20", "raiseSize: 3 values"),
        ("raiseSize = 10 10 20 20", "raiseSize = 10 0 20 20", "raiseSize: 10 0 20 20"),
        ("firstPlayer = 2 1 1 1", "firstPlayer = 3 1 1 1", "firstPlayer: 3 1 1 1"),
        ("maxRaises = 3 4 4 4", "maxRaises = 3 4 4 99", "maxRaises"),
        ("blind = 10 5", "blind = 10", "blind: 1 values"),
        ("blind = 10 5", "blind = 0 0", "blind: 0 0"),
        ("blind = 10 5", "blind = 10 5\nblind = 10 5", "blind is there twice"),
        ("blind = 10 5", "ante = 10 5", "unknown field 'ante'"),
        ("END GAMEDEF\n", "", "no END GAMEDEF"),
        ("GAMEDEF\nlimit", "limit", "expected GAMEDEF first"),
        ("END GAMEDEF\n", "END GAMEDEF\nmore\n", "after END GAMEDEF"),
    ],
)
def test_what_cannot_be_played_is_refused_by_field(old, new, says):
    assert old in HULHE
    with pytest.raises(MalformedTextError) as error:
        Game.parse(HULHE.replace(old, new, 1), "bad")
    assert says in str(error.value)
    assert "\n" not in str(error.value)


def test_unknown_names_and_hands():
    with pytest.raises(UnknownSpotError, match="bundled are kuhn"):
        Game.bundled("holdem")
    with pytest.raises(UnknownSpotError, match="2 different cards"):
        Game.bundled("hulhe").hand_number((1, 1))
    with pytest.raises(UnknownSpotError, match="does not hold"):
        Game.bundled("leduc").hand_number((0,))


@given(st.lists(st.integers(0, 9), min_size=4, max_size=4), st.integers(0, 5), st.integers(0, 14), st.integers(0, 3))
def test_any_numbers_make_a_game_or_one_line(values, suits, ranks, hole):
    row = " ".join(map(str, values))
    text = HULHE.replace("numSuits = 4", f"numSuits = {suits}").replace("numRanks = 13", f"numRanks = {ranks}")
    text = text.replace("numHoleCards = 2", f"numHoleCards = {hole}")
    text = text.replace("raiseSize = 10 10 20 20", f"raiseSize = {row}")
    try:
        game = Game.parse(text, "any")
    except CfrError as error:
        assert "\n" not in str(error)
    else:
        assert Game.parse(game.text(), "any") == game
