"""ACPC game files: read, write, refuse."""

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from cfr.game.cards import format_cards
from cfr.game.rules import GAME_NAMES, Game
from cfr.system.errors import BadInputError, CfrError, MalformedTextError

HULHE = Game.bundled("hulhe").text()


@pytest.mark.parametrize("name", GAME_NAMES)
def test_bundled_games_round_trip(name):
    game = Game.bundled(name)
    assert Game.parse(game.text(), name) == game
    assert game.hands.shape == (game.num_hands, game.num_hole_cards)
    assert np.array_equal(game.hand_numbers(game.hands[:, ::-1]), np.arange(game.num_hands))
    for number in range(0, game.num_hands, 37):
        assert game.hand_number(tuple(game.hands[number].tolist())) == number
        assert game.hand_number(tuple(game.hands[number].tolist()[::-1])) == number


def test_hulhe_is_the_acpc_game():
    game = Game.bundled("hulhe")
    assert (game.blinds, game.raise_sizes, game.max_raises) == ((10, 5), (10, 10, 20, 20), (3, 4, 4, 4))
    assert game.first_players == (1, 0, 0, 0)
    assert game.num_board_cards == (0, 3, 1, 1)


def test_the_button_has_the_smaller_blind_or_acts_last():
    swapped = Game.parse(HULHE.replace("blind = 10 5", "blind = 5 10").replace("2 1 1 1", "1 2 2 2"))
    games = [Game.bundled("hulhe"), swapped, Game.bundled("kuhn"), Game.bundled("leduc")]
    assert [game.button for game in games] == [1, 0, 1, 1]
    assert [game.seat_names[game.button] for game in games] == ["button"] * 4


def test_short_decks_have_the_top_ranks_and_the_last_suits():
    assert format_cards(Game.bundled("kuhn").deck) == "QsKsAs"
    assert format_cards(Game.bundled("leduc").deck) == "QhQsKhKsAhAs"
    assert format_cards(Game.bundled("royal").deck[:5]) == "TcTdThTsJc"


def test_hands_are_in_colexicographic_order():
    hands = Game.bundled("hulhe").hands
    low, high = hands[:, 0].astype(int), hands[:, 1].astype(int)
    assert np.array_equal(high * (high - 1) // 2 + low, np.arange(1326))


@pytest.mark.parametrize("name", ["hulhe", "royal", "leduc"])
def test_the_weight_of_the_hands_that_share_no_card(name):
    game, rng = Game.bundled(name), np.random.default_rng(2)
    weights = rng.random(game.num_hands)
    np.testing.assert_allclose(game.weight_apart(weights), game.apart @ weights, rtol=1e-12)
    weights[~np.isin(game.hands, game.deck[-1:]).any(axis=1)] = (
        0  # all others share a card with every hand of this card
    )
    exact = game.apart @ weights
    assert np.array_equal(game.weight_apart(weights) == 0, exact == 0)
    assert (exact == 0).any()
    np.testing.assert_allclose(game.weight_apart(weights), exact, rtol=1e-12)


def test_reads_what_the_dealer_reads(tmp_path):
    text = HULHE.replace("raiseSize = ", "# a comment\nRAISESIZE=").replace("limit\n", "Limit\nSTACK 240 240\n\n")
    path = tmp_path / "mine.game"
    path.write_text(text)
    assert Game.read(path) == Game.parse(HULHE, "mine")


def test_the_first_player_is_1_where_nothing_is_said():
    assert Game.parse(HULHE.replace("firstPlayer = 2 1 1 1\n", "")).first_players == (0, 0, 0, 0)


def test_stacks_must_not_limit_the_betting():
    """All raises are 10 + 3 * 10 + 4 * (10 + 20 + 20) chips."""
    assert Game.bundled("hulhe").max_stake == 240
    calm = HULHE.replace("maxRaises = 3 4 4 4", "maxRaises = 3 4 4 0")
    for text, enough in [(HULHE, 240), (calm, 161)]:
        Game.parse(text.replace("limit\n", f"limit\nstack = {enough} 9999\n"))
        with pytest.raises(MalformedTextError, match=f"line 3: stack: .* expected at least {enough}"):
            Game.parse(text.replace("limit\n", f"limit\nstack = 9999 {enough - 1}\n"))


@pytest.mark.parametrize(
    ("old", "new", "says"),
    [
        ("limit\n", "nolimit\n", "line 2: nolimit"),
        ("limit\n", "", "neither limit nor nolimit"),
        ("numPlayers = 2", "numPlayers = 3", "line 3: numPlayers: 3; expected 2"),
        ("numRounds = 4\n", "", "numRounds is missing; expected one number"),
        ("maxRaises = 3 4 4 4\n", "", "maxRaises is missing; expected whole numbers"),
        ("numRounds = 4", "numRounds = 0", "line 4: numRounds: 0; expected 1 to 4"),
        ("numRounds = 4", "numRounds = 999999999", "line 4: numRounds: 999999999; expected 1 to 4"),
        ("numRounds = 4", "numRounds = 3", "line 12: numBoardCards: 4 values; expected one for each of 3 rounds"),
        ("numSuits = 4", "numSuits = 5", "line 9: numSuits: 5; expected 1 to 4"),
        ("numRanks = 13", "numRanks = 14", "line 10: numRanks: 14; expected 1 to 13"),
        (
            "numRanks = 13",
            "numRanks = 2",
            "line 10: numRanks: a deck of 8 cards is too small; two hands and the board take 9",
        ),
        ("numHoleCards = 2", "numHoleCards = 3", "line 11: numHoleCards: 3; expected 1 or 2"),
        ("numHoleCards = 2", "numHoleCards = two", "line 11: numHoleCards: 'two'; expected one number"),
        ("numHoleCards = 2", "numHoleCards = 1 1", "line 11: numHoleCards: '1 1'; expected one number"),
        ("numBoardCards = 0 3 1 1", "numBoardCards = 1 3 1 1", "line 12: numBoardCards: 1 in the first round"),
        ("numBoardCards = 0 3 1 1", "numBoardCards = 0 3 1 3", "line 12: numBoardCards: 9 cards at showdown"),
        ("numBoardCards = 0 3 1 1", "numBoardCards = 0 1 0 1", "line 12: numBoardCards: 0 1 0 1; expected at least 1"),
        ("raiseSize = 10 10 20 20", "raiseSize = 10 10 20", "line 6: raiseSize: 3 values; expected one for each of 4"),
        ("raiseSize = 10 10 20 20", "raiseSize = 10 0 20 20", "line 6: raiseSize: 10 0 20 20; expected at least 1"),
        ("raiseSize = 10 10 20 20", "raiseSize = 10 -5 20 20", "line 6: raiseSize: '10 -5 20 20'; expected whole"),
        ("raiseSize = 10", "raiseSize = 999999999", "line 6: raiseSize: up to 3000000207 chips from a seat"),
        ("firstPlayer = 2 1 1 1", "firstPlayer = 3 1 1 1", "line 7: firstPlayer: 3 1 1 1; expected 1 or 2"),
        ("firstPlayer = 2 1 1 1", "firstPlayer = 0 1 1 1", "line 7: firstPlayer: 0 1 1 1; expected 1 or 2"),
        ("maxRaises = 3 4 4 4", "maxRaises = 3 4 4 99", "line 8: maxRaises: 3 4 4 99; expected 0 to 8"),
        ("blind = 10 5", "blind = 10", "line 5: blind: 1 value; expected one for each of 2 players"),
        ("blind = 10 5", "blind = 0 0", "line 5: blind: 0 0; expected chips from somebody"),
        ("blind = 10 5", "blind = 10 5\nblind = 10 5", "line 6: blind is there twice"),
        ("blind = 10 5", "blind =", "line 5: blind: ''; expected whole numbers"),
        ("blind = 10 5", "blind = 10 5\nstack = 500", "line 6: stack: 1 value; expected one for each of 2 players"),
        ("blind = 10 5", "ante = 10 5", "line 5: unknown field 'ante'; expected numPlayers, "),
        ("blind = 10 5", "= 10 5", "line 5: unknown field '='"),
        ("END GAMEDEF\n", "", "no END GAMEDEF"),
        ("GAMEDEF\nlimit", "limit", "line 1: 'limit'; expected GAMEDEF first"),
        ("END GAMEDEF\n", "END GAMEDEF\nmore\n", "line 14: 'more' after END GAMEDEF"),
        (HULHE, "", "no GAMEDEF"),
    ],
)
def test_what_cannot_be_played_is_refused_by_field(old, new, says):
    assert old in HULHE
    with pytest.raises(MalformedTextError) as error:
        Game.parse(HULHE.replace(old, new, 1), "bad")
    assert says in str(error.value)
    assert str(error.value).startswith("game bad")
    assert "\n" not in str(error.value)


def test_a_game_of_nothing_is_refused():
    with pytest.raises(MalformedTextError, match="numRounds: 0; expected 1 to 4"):
        Game("void", (1, 1), (), (), (), 4, 13, 2, ())
    with pytest.raises(MalformedTextError, match="raiseSize: 0 values"):
        Game("void", (1, 1), (), (0,), (1,), 4, 13, 2, (0,))


def test_unknown_names_and_hands():
    with pytest.raises(BadInputError, match="bundled are kuhn"):
        Game.bundled("holdem")
    with pytest.raises(BadInputError, match="2 different cards, not 1"):
        Game.bundled("hulhe").hand_number((1, 1))
    with pytest.raises(BadInputError, match="does not hold"):
        Game.bundled("leduc").hand_number((0,))


@st.composite
def games(draw):
    """Any game that can be played."""
    hole = draw(st.integers(1, 2))
    board = draw(st.sampled_from([(), (1,), (2,), (1, 1), (3,), (4,), (3, 1), (3, 1, 1), (2, 2, 1), (5,)]))
    assume(hole + sum(board) != 4)  # no ranking of four cards
    ranks, suits = draw(st.integers(1, 13)), draw(st.integers(1, 4))
    assume(ranks * suits >= 2 * hole + sum(board))
    rounds = 1 + len(board)

    def per_round(values):
        return draw(st.tuples(*[values] * rounds))

    return Game(
        "any",
        draw(st.tuples(st.integers(0, 1000), st.integers(0, 1000)).filter(any)),
        per_round(st.integers(1, 10**6)),
        per_round(st.integers(0, 1)),
        per_round(st.integers(0, 8)),
        suits,
        ranks,
        hole,
        (0, *board),
    )


@given(games())
def test_any_game_round_trips(game):
    assert Game.parse(game.text(), "any") == game
    assert len(game.deck) == game.num_suits * game.num_ranks
    assert game.deck[-1] == 51
    cards = game.hands.tolist()
    assert len({tuple(hand) for hand in cards}) == len(cards) == game.num_hands
    assert all(hand == sorted(set(hand)) for hand in cards)
    assert set(game.hands.reshape(-1).tolist()) == set(game.deck.tolist())


@given(games(), st.randoms())
def test_the_layout_of_a_file_says_nothing(game, rng):
    """Fields in any order and case, with or without '=', with comments and blank lines."""
    first, *fields, last, _ = game.text().split("\n")
    rng.shuffle(fields)
    lines = [rng.choice([str.upper, str.lower, str])(line) for line in fields]
    lines = [
        line.replace("=", rng.choice(["=", " ", " =\t"])) + rng.choice(["", "  # why", "\n", "\r"]) for line in lines
    ]
    assert Game.parse("\n".join(["# a comment", first, *lines, last]), "any") == game


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


def test_seats_are_named_in_any_case():
    hulhe = Game.bundled("hulhe")
    assert [hulhe.seat(each) for each in ("big blind", "BB", "Big_Blind", "bb", 0)] == [0] * 5
    assert [hulhe.seat(each) for each in ("button", "Button", "BUTTON", 1)] == [1] * 4
    with pytest.raises(BadInputError, match="seat: 'Dealer'; expected button or big blind, or 0 or 1"):
        hulhe.seat("Dealer")
