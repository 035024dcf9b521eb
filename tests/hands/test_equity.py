"""All-in equity against known counts and brute force."""

from itertools import combinations

import numpy as np
import pytest

from cfr.game.cards import format_card, format_cards, parse_cards
from cfr.game.evaluate import evaluate
from cfr.game.ranges import Range
from cfr.game.rules import Game
from cfr.hands.equity import classic_outs, equity, outs
from cfr.system.errors import BadInputError, MalformedTextError


def of(text: str) -> np.ndarray:
    return Range.parse(text).weights


def test_a_known_matchup():
    result = equity(of("AhKh"), of("QcQd"))
    assert (result.win, result.lose, result.tie) == (787_966, 917_606, 6_732)
    assert result.equity == pytest.approx((787_966 + 3_366) / 1_712_304, abs=1e-15)


def test_the_other_side_and_one_thread():
    there, back = equity(of("AhKh"), of("QcQd")), equity(of("QcQd"), of("AhKh"), threads=1)
    assert (there.win, there.lose, there.tie) == (back.lose, back.win, back.tie)


def test_ranges_add_up_from_their_hands():
    """Ranges that suit permutations leave alone, in part or not at all, weigh fewer or more lanes."""
    first, second = of("AKs"), of("QQ,JcTc:0.5")
    whole = equity(first, second)
    parts = [equity(of(f"A{suit}K{suit}"), second) for suit in "cdhs"]
    assert whole.win == sum(part.win for part in parts)
    assert whole.lose == sum(part.lose for part in parts)
    assert whole.tie == sum(part.tie for part in parts)


@pytest.mark.parametrize(("first", "second"), [("AKs:0.3,QQ", "KK"), ("AKs:0.1", "QQ:0.7"), ("[33.3]AA[/33.3]", "KK")])
def test_counts_of_weighted_hands_have_few_digits(first, second):
    found = equity(first, second, "2c3d7h")
    for count in (found.win, found.lose, found.tie):
        assert len(str(count)) < 12


def test_a_range_its_text_or_its_weights():
    first, second = Range.parse("AKs"), Range.parse("QQ")
    result = equity(first, second, "Td9d6h")
    assert result == equity(first.weights, second.weights, "Td9d6h")
    assert result == equity("AKs", "QQ", "Td9d6h")
    assert outs("AhKh", "AsAd", "Qh7h2c") == outs(of("AhKh"), of("AsAd"), "Qh7h2c")


@pytest.mark.slow
def test_aces_against_a_random_hand():
    # 85.2037 %, as every odds table has it
    aces = of("AsAh")
    assert equity(aces, of("random")).equity == pytest.approx(0.852037, abs=1e-6)


@pytest.mark.slow
def test_random_against_random_is_even():
    result = equity(of("random"), of("random"))
    assert result.win == result.lose
    assert result.win + result.lose + result.tie == 1326 * 1225 * 1_712_304


@pytest.mark.parametrize("board", ["Td9d6h", "Td9d6h2c", "Td9d6h2cKs", "AsKsQs"])
def test_ranges_against_brute_force(board):
    first, second = Range.parse("QQ+,AKs,T9s:0.5,AdKd").weights, Range.parse("JTs,99,AK,22:0.25").weights
    hands, shown = Game.bundled("hulhe").hands, parse_cards(board)
    totals = np.zeros(3)
    rest = [card for card in range(52) if card not in shown]
    runouts = [(*shown, *more) for more in combinations(rest, 5 - len(shown))][:: 7 if len(shown) == 3 else 1]
    for a in np.flatnonzero(first):
        for b in np.flatnonzero(second):
            mine, theirs = set(hands[a].tolist()), set(hands[b].tolist())
            if mine & theirs or (mine | theirs) & set(shown):
                continue
            possible = [b5 for b5 in runouts if not (mine | theirs) & set(b5)]
            if not possible:
                continue
            x = evaluate([[*mine, *b5] for b5 in possible]).astype(int)
            y = evaluate([[*theirs, *b5] for b5 in possible]).astype(int)
            weight = first[a] * second[b]
            totals += weight * np.array([(x > y).sum(), (x < y).sum(), (x == y).sum()])
    if len(shown) > 3:
        result = equity(first, second, board)
        assert np.allclose([result.win, result.lose, result.tie], totals)
    else:
        # the sample of run-outs, through the full board's answer for each
        sums = np.zeros(3)
        for b5 in runouts:
            one = equity(first, second, format_cards(b5))
            sums += [one.win, one.lose, one.tie]
        assert np.allclose(sums, totals)


def test_a_flop_is_the_sum_of_its_run_outs():
    first, second, board = of("AKs"), of("QQ"), "Td9d6h"
    whole = equity(first, second, board)
    rest = [card for card in range(52) if card not in parse_cards(board)]
    turns = [equity(first, second, board + format_card(card)) for card in rest]
    assert 2 * whole.win == sum(turn.win for turn in turns)
    assert 2 * whole.lose == sum(turn.lose for turn in turns)
    assert 2 * whole.tie == sum(turn.tie for turn in turns)
    total = whole.win + whole.lose + whole.tie
    assert whole.equity == pytest.approx((whole.win + whole.tie / 2) / total)


def test_outs_with_both_hands_known():
    flush_draw = outs(of("AhKh"), of("QcQd"), "Qh7h2c")
    assert flush_draw is not None
    assert flush_draw.hand == "AhKh"
    # Nine hearts are left, but the deuce fills the queens up.
    assert flush_draw.cards == ("3h", "4h", "5h", "6h", "8h", "9h", "Th", "Jh")
    assert flush_draw.next_card == 8 / 45
    assert flush_draw.by_river == pytest.approx(1 - 37 * 36 / (45 * 44))


def test_no_outs_for_ranges_rivers_and_ties():
    assert outs(of("AK"), of("QcQd"), "Qh7h2c") is None
    assert outs(of("AhKh"), of("QcQd"), "Qh7h2c3d4d") is None
    assert outs(of("AhKh"), of("AcKc"), "Qs7s2s") is None
    assert outs(of("AhKh"), of("AhQh"), "Qs7s2s") is None
    assert outs(of("AhKh"), of("QcQd"), "Qc7s2s") is None


def test_outs_say_both_ways_of_counting():
    found = outs(Range.parse("AhKh"), Range.parse("AsAd"), "Qh7h2c")
    assert str(found) == (
        "AhKh is behind with 9 outs of 45 cards: 2h 3h 4h 5h 6h 8h 9h Th Jh\n"
        "both hands known: 20.0 % with the next card, 36.4 % by the river\n"
        "the other hand unknown, 47 cards: 19.1 % with the next card, 35.0 % by the river"
    )
    found = outs(Range.parse("AhKh"), Range.parse("AsAd"), "Qh7h2c4s")
    assert "both hands known: 20.5 % with the next card, 20.5 % by the river" in str(found)
    assert "the other hand unknown, 46 cards: 19.6 %" in str(found)


def test_no_outs_at_all():
    found = outs(of("KsKd"), of("AsAd"), "AhAc2c")
    assert found is not None
    assert (found.cards, found.next_card, found.by_river) == ((), 0, 0)
    assert str(found).startswith("KsKd is behind with 0 outs of 45 cards\n")


@pytest.mark.parametrize(
    ("count", "flop_next", "by_river", "turn_next"),
    [(1, 2, 4, 2), (2, 4, 8, 4), (4, 9, 16, 9), (8, 17, 31, 17), (9, 19, 35, 20), (12, 26, 45, 26), (15, 32, 54, 33)],
)
def test_the_classic_table(count, flop_next, by_river, turn_next):
    assert [round(100 * chance) for chance in classic_outs(count)] == [flop_next, by_river]
    assert round(100 * classic_outs(count, on_turn=True)[0]) == turn_next


def test_errors():
    with pytest.raises(BadInputError, match="expected 0, 3, 4 or 5"):
        equity(of("AA"), of("KK"), "2c3c")
    with pytest.raises(MalformedTextError, match="position 3"):
        equity(of("AA"), of("KK"), "2cXx")
    with pytest.raises(BadInputError, match="dealt together"):
        equity(of("AsKs"), of("AsKs"))
    with pytest.raises(BadInputError, match="dealt together"):  # sums of such weights are not 0 to the last bit
        equity("AsKs", "AsQd:0.1,AsQh:0.2,AsJd:0.3,KsQd:0.7,KsJd:0.1", "2c3d4h9c9d")
    with pytest.raises(BadInputError, match="too small to be multiplied"):
        equity("AA:1e-200,2c2d", "KK:1e-200,2c2h", "2c3d4h")
    with pytest.raises(BadInputError, match="threads: -1"):
        equity("AsKs", "QQ", threads=-1)
    with pytest.raises(MalformedTextError, match="position 1"):
        equity("Xh", "QQ")
    with pytest.raises(MalformedTextError, match="1326 weights"):
        equity(np.ones(169), of("KK"))
    with pytest.raises(BadInputError, match="48 outs"):
        classic_outs(48)
