"""A player's result over hands: beside plain sums, thinned out, kept in a file, and what is not known."""

import random
from dataclasses import replace
from statistics import fmean, stdev

import pytest

from cfr.game.hand import HandRecord, LoggedHand, SeenHand, deal_hand
from cfr.game.rules import Game
from cfr.opponents.winnings import MOST_POINTS, Winnings
from cfr.play.hand import play_hand
from cfr.play.strategy_player import StrategyPlayer
from cfr.strategy.built_in import BuiltIn
from cfr.system.interval import half_width

LEDUC = Game.bundled("leduc")


def played(hands):
    """Ann and bob play at random, in both seats by turns; each hand with both players' cards, and its chips."""
    rng, found = random.Random(3), []
    ann, bob = (StrategyPlayer(BuiltIn("uniform", LEDUC), name) for name in ("ann", "bob"))
    for number in range(hands):
        names = ("ann", "bob") if number % 2 else ("bob", "ann")
        deal = deal_hand(LEDUC, rng)
        state = play_hand(ann.strategy.betting, deal, (ann, bob) if number % 2 else (bob, ann), rng).state
        seen = SeenHand(state, deal.hands, deal.board[: state.num_board_cards])
        found.append((LoggedHand(number, names, seen), HandRecord.of(deal, state).chips))
    return found


def own(hands, player="ann"):
    return [chips[hand.players.index(player)] * 1000 / LEDUC.big_blind for hand, chips in hands]


@pytest.fixture(scope="module")
def hands():
    return played(2500)


@pytest.mark.parametrize("count", [2, 30, 999, 1000, 1001, 2500])
def test_sums_and_interval(hands, count):
    some = hands[:count]
    found, won = Winnings.of([hand for hand, _ in some], "ann", LEDUC.big_blind), own(some)
    assert found.hands == found.after[-1] == count
    assert len(found.won_mbb) == len(set(found.after)) == min(count, MOST_POINTS)
    assert found.won_mbb == tuple(round(sum(won[:after])) for after in found.after)
    assert found.mbb_per_game == pytest.approx(fmean(won), abs=1)
    if count >= 30:
        assert found.interval_95_mbb == pytest.approx(half_width(stdev(won), count))
    assert found.rate()["bb_per_100"] == pytest.approx(fmean(won) / 10, abs=0.1)
    assert f"in {count:,} hands" in str(found)


def test_what_one_wins_the_other_loses(hands):
    ann, bob = (Winnings.of([hand for hand, _ in hands], name, LEDUC.big_blind) for name in ("ann", "bob"))
    assert [-each for each in ann.won_mbb] == list(bob.won_mbb)
    assert ann.interval_95_mbb == pytest.approx(bob.interval_95_mbb)


def test_a_hand_that_is_mucked_at_showdown_lost(hands):
    """With the loser's cards hidden, and all cards of folded hands, the result is the same."""
    hidden = []
    for hand, chips in hands:
        cards = [()] * 2
        if hand.seen.state.at_showdown:
            cards = [each if chips[seat] >= 0 else () for seat, each in enumerate(hand.seen.hands)]
        hidden.append(replace(hand, seen=replace(hand.seen, hands=tuple(cards))))
    whole = Winnings.of([hand for hand, _ in hands], "ann", LEDUC.big_blind)
    assert Winnings.of(hidden, "ann", LEDUC.big_blind) == whole


def test_what_is_not_known_does_not_count(hands):
    at_showdown = [hand for hand, _ in hands if hand.seen.state.at_showdown]
    none = [replace(hand, seen=replace(hand.seen, hands=((), ()))) for hand in at_showdown]
    found = Winnings.of(none, "ann", LEDUC.big_blind)
    assert (found, found.after, found.mbb_per_game) == (Winnings(0, (), None), (), None)
    assert found.rate() == {"hands": 0, "bb_per_100": None, "interval_95": None}
    assert "not known" in str(found)
    assert Winnings.of(at_showdown, "cat", LEDUC.big_blind) == found
    paid = [replace(hand, won=(1.5, -1.5)) for hand in none[:2]]  # as the card room says, without cards
    assert Winnings.of(paid, "ann", LEDUC.big_blind).hands == 2


def test_a_file_has_it_whole(hands):
    found = Winnings.of([hand for hand, _ in hands], "ann", LEDUC.big_blind)
    assert Winnings.in_file(found.attributes) == found
    assert Winnings.in_file(Winnings(1, (-5,), None).attributes) == Winnings(1, (-5,), None)
    assert Winnings.in_file({}) is None


@pytest.mark.parametrize(
    "kept",
    [
        "x",
        "[]",
        "{}",
        '{"hands": 2, "won_mbb": [1], "interval_95_mbb": null}',
        '{"hands": "2", "won_mbb": [1, 2], "interval_95_mbb": null}',
        '{"hands": 1, "won_mbb": ["x"], "interval_95_mbb": null}',
        '{"hands": 1, "won_mbb": [1], "interval_95_mbb": "x"}',
    ],
)
def test_what_is_no_result_is_refused(kept):
    with pytest.raises((KeyError, TypeError, ValueError)):
        Winnings.in_file({"model_result": kept})
