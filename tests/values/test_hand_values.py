"""One hand's values are those of the pass for all hands, and of the hand with other suits."""

import numpy as np
import pytest

from cfr.game.cards import format_cards, parse_cards
from cfr.study.reviews import losses
from cfr.study.reviews.decision import Decision
from cfr.values.canonical_spot import CanonicalSpot
from cfr.values.expected_values import values_at
from cfr.values.hand_values import HandValues, keeps_books
from cfr.values.round_values import RoundValues
from tests.thorough import with_thorough

HANDS = ["AsKs", "9c9s", "Jc4h", "8h7h", "2c2d", "Td2s"]


def number(strategy, hand):
    return strategy.game.hand_number(parse_cards(hand))


SPOTS = [("Td9h6h", "rrc/", ["", "c", "cr", "crr"]), ("Ac8c3c", "rc/", [""])]


@pytest.mark.parametrize(("board", "entry", "paths"), with_thorough(SPOTS[:1], SPOTS))
def test_a_flop_hand_wins_what_it_wins_among_all(coded, board, entry, paths):
    position = coded.at(board, entry)
    by_hand, of_all = HandValues(position), RoundValues(position)
    for path in paths:
        state = position.after(path).state
        every = of_all.action_ev(state)
        for hand in HANDS:
            found = by_hand.action_ev(state, number(coded, hand))
            np.testing.assert_allclose(found, every[number(coded, hand)], atol=0.02)
            assert np.isfinite(found).any() == position.live[number(coded, hand)]
        assert by_hand.stand_in(state) == of_all.stand_in(state)


def test_a_turn_hand_wins_what_its_own_pass_says(coded):
    position = coded.at("Td9h6hQc", "rc/crc/")
    by_hand = HandValues(position)
    for path in ["", "c", "cr", "crrr"]:
        state = position.after(path).state
        own = values_at(coded, CanonicalSpot(state, position.board), unreached=True).action_ev
        for hand in range(0, coded.game.num_hands, 7):
            np.testing.assert_allclose(by_hand.action_ev(state, hand), own[hand], atol=0.02)


def test_a_river_hand_wins_what_its_own_pass_says(hulhe):
    position = hulhe.at("Td9h6hQc2s", "rc/crc/rc/")
    by_hand = HandValues(position)
    for path in ["", "c", "cr", "crrr"]:
        state = position.after(path).state
        own = values_at(hulhe, CanonicalSpot(state, position.board), unreached=True).action_ev
        for hand in range(hulhe.game.num_hands):
            np.testing.assert_allclose(by_hand.action_ev(state, hand), own[hand], atol=1e-6)


def test_all_hands_stand_in_where_the_opponent_never_comes(coded):
    """The strategy never limps."""
    position = coded.at("Td9h6hQc", "cc/cc/")
    by_hand = HandValues(position)
    assert by_hand.stand_in(position.state) == "presumed range"
    own = values_at(coded, CanonicalSpot(position.state, position.board), unreached=True).action_ev
    for hand in HANDS[:3]:
        np.testing.assert_allclose(
            by_hand.action_ev(position.state, number(coded, hand)), own[number(coded, hand)], atol=0.02
        )


def test_suits_have_no_worth(coded):
    """Spades and hearts change places: no number changes by more than rounding."""
    swap = str.maketrans("hs", "sh")
    board, line = "Td9h6hQc", "rc/cc/"
    one, other = (HandValues(coded.at(each, line)) for each in (board, board.translate(swap)))
    state = coded.at(board, line).state
    for hand in HANDS:
        mirrored = format_cards(parse_cards(hand.translate(swap)))
        np.testing.assert_allclose(
            one.action_ev(state, number(coded, hand)), other.action_ev(state, number(coded, mirrored)), atol=0.002
        )


def test_a_blocked_hand_has_no_value(coded):
    position = coded.at("Td9h6hQc", "rc/cc/")
    assert np.isnan(HandValues(position).action_ev(position.state, number(coded, "Td2s"))).all()


def test_only_codebooks_before_the_last_round_are_asked_by_hand(coded, hulhe):
    at = [("", "r", False), ("Td9h6h", "rc/", True), ("Td9h6hQc", "rc/cc/", True), ("Td9h6hQc2s", "rc/cc/cc/", True)]
    for board, line, expected in at:
        assert keeps_books(coded, coded.spot(board, line)[0]) == expected
        assert keeps_books(hulhe, hulhe.spot(board, line)[0]) == (len(board) == 10)  # nothing follows the river


@pytest.mark.thorough
def test_losses_do_not_depend_on_the_way(coded, monkeypatch):
    """Few hands are asked one by one, many by a pass for all."""
    decisions = []
    for line, hand, action in [
        ("rc/", "8h7h", "c"),
        ("rc/c", "AsKs", "r"),
        ("rc/cr", "8h7h", "f"),
        ("rc/cr", "Jc4h", "c"),
    ]:
        state, board = coded.spot("Td9h6h", line)
        decisions.append(Decision(1, "ann", parse_cards(hand), board, state, (0.0, 1.0, 0.0), action))
    few = losses.with_losses(decisions, coded)
    monkeypatch.setattr(losses, "_FEW_HANDS", 0)
    many = losses.with_losses(decisions, coded)
    for one, other in zip(few, many, strict=True):
        assert one.ev_lost == pytest.approx(other.ev_lost, abs=0.02)
        assert one.ev_lost is not None
