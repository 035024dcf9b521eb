"""Made hands and draws against counts over all flops, and against rules that look at five cards at a time."""

from collections import Counter
from itertools import combinations
from random import Random

import numpy as np
import pytest

from cfr.game.cards import parse_cards
from cfr.game.evaluate import category, evaluate
from cfr.game.rules import Game
from cfr.hands.made_hands import DRAWS, MADE, made_hands
from cfr.system.errors import BadInputError

HULHE = Game.bundled("hulhe")
DECK = range(52)


def names(board, hand):
    found = made_hands(parse_cards(board), np.array([parse_cards(hand)], np.uint8))
    return MADE[found.made[0]], DRAWS[found.draw[0]]


def over_all_flops(hand):
    """How many of the 19,600 flops make what of a hand, and how many let it draw to what."""
    held = parse_cards(hand)
    made, draws = Counter(), Counter()
    for flop in combinations([card for card in DECK if card not in held], 3):
        found = made_hands(flop, np.array([held], np.uint8))
        made[MADE[found.made[0]]] += 1
        draws[DRAWS[found.draw[0]]] += 1
    return made, draws


@pytest.mark.thorough
def test_all_flops_of_two_ranks():
    made, draws = over_all_flops("AsKh")
    # One ace or one king with two other ranks, or with a pair of another rank.
    assert made["top pair"] == 3 * 880 + 3 * 66 + 3 * 880 + 3 * 66
    assert made["two pair"] == 3 * 3 * 44
    assert made["trips"] == 2 * 3 * 44
    assert made["full house"] == 2 * 3 * 3
    assert made["four of a kind"] == 2
    assert made["straight"] == 4**3  # queen, jack and ten
    assert made["ace high"] == 44 * 43 * 42 // 6 - 4**3
    assert sum(made.values()) == 19_600
    assert draws["flush draw"] + draws["flush and straight draw"] == 2 * 220  # three of a suit
    assert draws["open-ended straight draw"] == 0


@pytest.mark.thorough
def test_all_flops_of_a_pair():
    made, _ = over_all_flops("8s8h")
    assert made["set"] == 2 * 1_056  # one of two eights, and two other ranks
    assert made["full house"] == 2 * 12 * 6 + 12 * 4  # an eight with a pair, or three of another rank
    assert made["four of a kind"] == 48
    overs = 24  # cards below the eight
    assert made["overpair"] == overs * (overs - 1) * (overs - 2) // 6 - 6 * 4  # less three of a rank: full houses
    assert made["straight"] == made["flush"] == 0
    assert made["trips"] == made["top pair"] == made["ace high"] == made["nothing"] == 0


@pytest.mark.thorough
def test_all_flops_of_suited_connectors():
    made, draws = over_all_flops("JsTs")
    assert made["flush"] + made["straight flush"] == 165
    assert made["straight flush"] == 4  # eight to queen, nine to king, ten to ace, seven to jack
    assert made["straight"] + made["straight flush"] == 4 * 4**3
    assert draws["flush draw"] + draws["flush and straight draw"] == 55 * 39  # two of eleven spades


@pytest.mark.parametrize(
    ("board", "hand", "made", "draw"),
    [
        ("Td9d6h", "TsTc", "set", "no draw"),
        ("TdTh6h", "Ts5c", "trips", "no draw"),
        ("TdTh6h", "AsKc", "ace high", "no draw"),
        ("TdTh6h", "6s5c", "second pair", "no draw"),
        ("TdTh6h", "QsQc", "overpair", "no draw"),
        ("TdTh6h", "9s9c", "underpair", "no draw"),
        ("TdTh6h", "Kh2h", "nothing", "flush draw"),
        ("Td9d6h", "Ts9c", "two pair", "no draw"),
        ("Td9d6h", "Th2c", "top pair", "no draw"),
        ("Td9d6h", "9h2c", "second pair", "no draw"),
        ("Td9d6h", "Ah6c", "low pair", "no draw"),
        ("Td9d6h", "QsJs", "nothing", "open-ended straight draw"),
        ("Td9d6h", "KsJs", "nothing", "gutshot"),
        ("Td9d6h", "Ks3s", "nothing", "no draw"),
        ("Td9d6h", "8s2c", "nothing", "gutshot"),
        ("Td9d6h", "8d7s", "straight", "no draw"),
        ("Td9d6h", "8d2d", "nothing", "flush and straight draw"),
        ("Td9d6d", "Kd2c", "nothing", "flush draw"),
        ("Td9d6d", "Kd2d", "flush", "no draw"),
        ("Td9d6d", "8d7d", "straight flush", "no draw"),
        ("Qd8d4h", "JsTc", "nothing", "gutshot"),
        ("Qd9d8h5s", "JsTc", "straight", "no draw"),
        ("AdJd8h", "Ts7c", "nothing", "gutshot"),
        ("AdTd8h6s", "9s7c", "straight", "no draw"),
        ("AdQd8h6s", "Ts9c", "nothing", "open-ended straight draw"),  # a jack or a seven
        ("Kd9d8h6s", "Tc5s", "nothing", "gutshot"),  # a seven makes two straights
        ("Ad2d4h", "5s9c", "nothing", "gutshot"),
        ("KdQdJh", "AsTc", "straight", "no draw"),
        ("9d8d7h6s", "2s2c", "underpair", "no draw"),  # a ten or a five makes the board's own straight
        ("9d8d7h6s", "Ts2c", "straight", "no draw"),
        ("5c6d7h8s", "As3d", "ace high", "no draw"),  # with a four the board has the higher straight
        ("9d8d7h6s", "Js2c", "nothing", "gutshot"),  # with a ten it has the highest
        ("7d7h7s", "AsKc", "ace high", "no draw"),
        ("7d7h7s", "5s5c", "full house", "no draw"),
        ("7d7h7s7c", "5s5c", "nothing", "no draw"),
        ("7d7h7s7c", "As5c", "ace high", "no draw"),
        ("KdKhQsQc7d", "7s2c", "nothing", "no draw"),  # it plays the board
        ("KdKhQsQc7d", "8s8c", "underpair", "no draw"),
        ("KdKhQsQc7d", "As2c", "ace high", "no draw"),
        ("AdKdQdJdTd", "9s9c", "nothing", "no draw"),
        ("8d7d6d5d4d", "9d2c", "straight flush", "no draw"),
        ("8d7d6d5d2d", "Ad3c", "flush", "no draw"),
        ("Td9d6hQc2s", "KsJc", "straight", "no draw"),
    ],
)
def test_names(board, hand, made, draw):
    assert names(board, hand) == (made, draw)


def test_blocked_hands_have_no_name():
    found = made_hands(parse_cards("Td9d6h"), HULHE.hands)
    blocked = np.isin(HULHE.hands, parse_cards("Td9d6h")).any(axis=1)
    assert ((found.made == -1) == blocked).all()
    assert ((found.draw == -1) == blocked).all()
    assert len(made_hands(parse_cards("Td9d6h"), np.empty((0, 2), np.uint8)).made) == 0


def test_a_board_of_another_length_is_refused():
    for board in ("", "Td9d", "Td9d6hQc2s3s"):
        with pytest.raises(BadInputError, match=f"board: {len(board) // 2} cards; expected 3, 4 or 5"):
            made_hands(parse_cards(board), HULHE.hands)


RANKS_OF = {"straight flush", "four of a kind", "full house", "flush", "straight"}


def plain_rules(board, hand):
    """The made hand, by the best five cards and by who pairs whom."""
    (strength,) = evaluate([[*board, *hand]])
    if len(board) == 5 and strength == evaluate([board])[0]:
        return "nothing"
    kind, (one, two) = category(int(strength)), (card // 4 for card in hand)
    counts = Counter(card // 4 for card in board)
    above = [rank for rank in counts if rank > one] if one in counts else [rank for rank in counts if rank > two]
    if kind == "four of a kind" and 4 not in counts.values():
        return kind
    if kind in RANKS_OF - {"four of a kind"}:
        return kind
    if one == two and one in counts:
        return "set"
    if kind == "three of a kind" and {counts[one], counts[two]} & {2}:
        return "trips"
    if kind in ("pair", "two pair") and one == two:
        return "overpair" if one > max(counts) else "underpair"
    if kind in ("pair", "two pair") and one in counts and two in counts:
        return "two pair"
    if kind in ("pair", "two pair") and (one in counts or two in counts):
        return ["top pair", "second pair", "low pair"][min(len(above), 2)]
    return "ace high" if 12 in (one, two) else "nothing"


def plain_draws(board, hand):
    """The draw, by trying every card: which ranks make a straight of five ranks that the board cannot make alone."""
    kind = category(int(evaluate([[*board, *hand]])[0]))
    suits = Counter(card % 4 for card in (*board, *hand))
    if len(board) == 5 or kind in RANKS_OF - {"straight"}:
        return "no draw"
    flush = any(count == 4 and any(card % 4 == suit for card in hand) for suit, count in suits.items())
    ranks = {card // 4 for card in (*board, *hand)}
    outs = 0
    for rank in range(13):
        top = best_straight(ranks | {rank})
        if kind != "straight" and top > best_straight({card // 4 for card in board} | {rank}):
            outs += 1
    straight = ["no draw", "gutshot", "open-ended straight draw"][min(outs, 2)]
    return ("flush and straight draw" if outs else "flush draw") if flush else straight


def best_straight(ranks):
    """The highest rank of a straight among ranks, -1 for none; an ace counts low, too."""
    low = {rank + 1 for rank in ranks} | ({0} if 12 in ranks else set())
    return max((top for top in range(4, 14) if {top - k for k in range(5)} <= low), default=-1)


@pytest.mark.parametrize("size", [3, 4, 5])
def test_plain_rules_say_the_same(size):
    random = Random(size)
    for _ in range(12):
        board = tuple(random.sample(DECK, size))
        hands = [pair for pair in combinations(DECK, 2) if not set(pair) & set(board)]
        some = random.sample(hands, 150)
        found = made_hands(board, np.array(some, np.uint8))
        for hand, made, draw in zip(some, found.made.tolist(), found.draw.tolist(), strict=True):
            assert (MADE[made], DRAWS[draw]) == (plain_rules(board, hand), plain_draws(board, hand)), (board, hand)
