"""Equities of two ranges against exact equities of single hands, and against every pair and run-out of a small deck."""

from itertools import combinations, product

import numpy as np
import pytest

from cfr.game.cards import parse_cards
from cfr.game.evaluate import strengths
from cfr.game.ranges import Range
from cfr.game.rules import Game
from cfr.hands.equity import equity
from cfr.hands.range_equity import range_equities
from cfr.hands.showdown_margins import Margins
from cfr.system.errors import BadInputError

HULHE, ROYAL = Game.bundled("hulhe"), Game.bundled("royal")
BOARDS = ["Td9d6h", "Td9d6hQc", "Td9d6hQc2s"]
ONE, TWO = "AA,KQs:0.5,T9o,87s:0.25,22", "QQ-JJ,AKo:0.75,T8s,A5s:0.1"


def weights(*ranges):
    return np.array([Range.parse(each).weights for each in ranges])


def slowly(game, board, ranges):
    """Every hand against every other on every run-out, one after the other."""
    rest = [card for card in game.deck.tolist() if card not in board]
    boards = [[*board, *more] for more in combinations(rest, sum(game.num_board_cards) - len(board))]
    found = strengths(np.array(boards, np.uint8), game.hands).astype(np.int64)
    shares, met = np.zeros((2, game.num_hands)), np.zeros((2, game.num_hands))
    for seat, (other, hand) in product((0, 1), np.argwhere(game.apart)):
        weight = ranges[1 - seat][other]
        for strength in found if weight else ():
            if strength[hand] and strength[other]:
                shares[seat, hand] += weight * (np.sign(strength[hand] - strength[other]) + 1) / 2
                met[seat, hand] += weight
    return np.divide(shares, met, out=np.full_like(met, np.nan), where=met > 0)


@pytest.mark.parametrize("board", BOARDS)
def test_each_hand_has_its_exact_equity(board):
    ranges = weights(ONE, TWO)
    found = range_equities(HULHE, parse_cards(board), ranges)
    for seat, texts in enumerate([(ONE, TWO), (TWO, ONE)]):
        for hand in ("AhAs", "KhQh", "2h2c", "8c7c", "AsKd"):
            wanted = equity(hand, texts[1], board).equity
            assert found[seat, HULHE.hand_number(parse_cards(hand))] == pytest.approx(wanted, abs=1e-12)
        pairs = ranges[seat] * ~np.isnan(found[seat]) * (ranges[1 - seat] * live(board) @ HULHE.apart) * live(board)
        mean = np.average(np.nan_to_num(found[seat]), weights=pairs)
        assert mean == pytest.approx(equity(*texts, board).equity, abs=1e-12)


def live(board):
    return ~np.isin(HULHE.hands, parse_cards(board)).any(axis=1)


@pytest.mark.parametrize("board", ["AdKcTh", "AdKcThTd", "AdKcThTdQs"])
def test_a_small_deck_hand_by_hand(board):
    cards = parse_cards(board)
    rng = np.random.default_rng(3)
    ranges = rng.random((2, ROYAL.num_hands)) * (rng.random((2, ROYAL.num_hands)) < 0.05)
    np.testing.assert_allclose(range_equities(ROYAL, cards, ranges), slowly(ROYAL, cards, ranges), atol=1e-12)


@pytest.mark.thorough
def test_before_the_board_all_pairs_count():
    ranges = np.random.default_rng(1).random((2, ROYAL.num_hands))
    found = range_equities(ROYAL, (), ranges)
    assert np.nansum(found[0] * ranges[0] * (ROYAL.apart @ ranges[1])) + np.nansum(
        found[1] * ranges[1] * (ROYAL.apart @ ranges[0])
    ) == pytest.approx(ranges[0] @ ROYAL.apart @ ranges[1])
    margins = Margins(ROYAL)
    for hand in (0, 77, 189):
        against = np.array([margins.against(ROYAL.hands[[hand]], each, ())[0] for each in ROYAL.hands.tolist()])
        pairs = ranges[1] * ROYAL.apart[hand]
        assert found[0, hand] == pytest.approx((pairs @ against / pairs.sum() + 1) / 2, abs=1e-12)


def test_a_game_that_ends_on_the_flop():
    game, cards = Game.bundled("flop-holdem"), parse_cards("Td9d6h")
    found = range_equities(game, cards, weights("AA", "TT,JJ:0.5"))
    ahead = 0.5 * 6 / (3 + 0.5 * 6)  # three sets of tens, six pairs of jacks at half weight
    assert found[0, game.hand_number(parse_cards("AsAh"))] == pytest.approx(ahead, abs=1e-12)
    assert range_equities(game, (), weights("AA", "KK"))[0, game.hand_number(parse_cards("AsAh"))] > 0.8


def test_who_meets_nobody_has_none():
    cards = parse_cards("Td9d6h")
    found = range_equities(HULHE, cards, weights("AsAh,KsKh", "AsKs,AsQs"))
    number = {hand: HULHE.hand_number(parse_cards(hand)) for hand in ("AsAh", "KsKh", "AsQs", "Td2c", "7s2c")}
    assert np.isnan(found[0, number["AsAh"]])  # both hands of the other seat hold its ace
    assert np.isnan(found[:, number["Td2c"]]).all()
    assert not np.isnan(found[0, [number["KsKh"], number["7s2c"]]]).any()
    assert found[1, number["AsQs"]] == pytest.approx(equity("AsQs", "KsKh", "Td9d6h").equity, abs=1e-12)
    assert np.isnan(range_equities(HULHE, cards, np.zeros((2, 1326)))).all()


def test_small_weights_count_like_large_ones():
    cards, ranges = parse_cards("Td9d6hQc2s"), weights(ONE, TWO)
    np.testing.assert_allclose(
        range_equities(HULHE, cards, 1e-30 * ranges), range_equities(HULHE, cards, ranges), atol=1e-12
    )


def test_other_games_are_refused():
    with pytest.raises(BadInputError, match="leduc has no hands of two cards"):
        range_equities(Game.bundled("leduc"), (), np.ones((2, 6)))
    with pytest.raises(BadInputError, match="board: 4 cards; flop-holdem has 3"):
        range_equities(Game.bundled("flop-holdem"), parse_cards("Td9d6hQc"), np.ones((2, 1326)))
