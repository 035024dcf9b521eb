"""Range notation: what players paste, and back."""

import doctest

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from cfr.game import ranges
from cfr.game.ranges import CLASS_NAMES, Range, class_numbers
from cfr.game.rules import Game
from cfr.system.errors import MalformedTextError


def test_docstrings():
    assert doctest.testmod(ranges).failed == 0


def test_classes_have_their_combos():
    sizes = np.bincount(class_numbers(), minlength=169)
    for name, size in zip(CLASS_NAMES, sizes, strict=True):
        assert size == (6 if len(name) == 2 else 4 if name.endswith("s") else 12)
    assert CLASS_NAMES[0] == "AA"
    assert CLASS_NAMES[1] == "AKs"
    assert CLASS_NAMES[13] == "AKo"
    hands = Game.bundled("hulhe").hands
    for hand, number in zip(hands, class_numbers(), strict=True):
        ranks = sorted((int(card) >> 2 for card in hand), reverse=True)
        assert "".join("23456789TJQKA"[rank] for rank in ranks) == CLASS_NAMES[number][:2]


@pytest.mark.parametrize(
    ("text", "combos"),
    [
        ("QQ+", 18),
        ("AKs", 4),
        ("AK", 16),
        ("ATo+", 48),
        ("A5s-A2s", 16),
        ("A2s-A5s", 16),
        ("JJ-88", 24),
        ("88-JJ", 24),
        ("AsKh", 1),
        ("KhAs", 1),
        ("random", 1326),
        ("any two", 1326),
        ("Any Two:.5", 663),
        ("22+, AK\nqq", 6 * 13 + 16),
        ("JJ - 88 , A5s -A2s\n", 24 + 16),
        ("AA : 0.5 KK: .5,QQ :0.5", 9),
        ("AA:5e-1", 3),
        ("K9s+", 16),
        ("ka", 16),
        ("AA:0.5", 3),
        ("AA:0", 0),
    ],
)
def test_combos(text, combos):
    assert Range.parse(text).weights.sum() == combos


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("", "empty"),
        ("QQ+,AXs", "position 5"),
        ("AAs", "neither suited"),
        ("AKs-QJs", "span"),
        ("AKs-AQo", "span"),
        ("AA:1.5", "position 4"),
        ("AA:", "position 4"),
        ("AA:nan", "position 4"),
        ("QQ+,AsAs", "'AsAs' at position 5 is the same card twice"),
        ("AA : 2", "'2' at position 6"),
        ("AA:\u0660", "position 4"),
        ("QQ+,any three", "'three' at position 9"),
        ("-AA", "'-AA' at position 1"),
        ("AK,:0.5", "'' at position 4"),
        ("AA-", "'AA-' at position 1"),
        ("AA:1:", "'1:' at position 4"),
        ("AA,AcAd:0.5", "AdAc at position 4 has weight 0.5, but 1 before"),
        ("AKs+-", "position 1"),
    ],
)
def test_errors_name_the_place(text, says):
    with pytest.raises(MalformedTextError, match=says):
        Range.parse(text)


@given(
    st.dictionaries(st.integers(0, 168), st.sampled_from([1.0, 0.5, 0.1, 1 / 3]), max_size=40),
    st.dictionaries(st.integers(0, 1325), st.floats(0, 1, allow_subnormal=False), max_size=8),
)
def test_notation_round_trips(classes, hands):
    weights = np.zeros(1326)
    for number, weight in classes.items():
        weights[class_numbers() == number] = weight
    for hand, weight in hands.items():
        weights[hand] = weight
    written = Range(weights)
    assert Range.parse(str(written)) == written
    assert eval(repr(written)) == written
    assert hash(Range(np.where(weights == 0, -0.0, weights))) == hash(written)


@pytest.mark.parametrize(
    ("text", "shortest"),
    [
        ("random", "random"),
        ("AKo,AKs", "AK"),
        ("AA,KK,QQ", "QQ+"),
        ("AA,KK,JJ", "KK+,JJ"),
        ("KK,QQ,JJ", "KK-JJ"),
        ("54s,53s,52s", "52s+"),
        ("AQs-ATs", "AQs-ATs"),
        ("AKs,AKo,AQs,AQo,AJs,ATs", "AQ+,ATs+"),  # a suited part over again is shorter than AJs-ATs
        ("KQs-KTs,KJo-K8o", "KTs+,KJo-K8o"),  # what both have is not named apart
        ("AA:0.5,KK,QQ:.5,72o:5e-1", "KK,AA:0.5,QQ:0.5,72o:0.5"),
        ("AhAs,AcAs,AdAs,AcAd,AcAh,AdAh,KsKh:0.25", "AA,KsKh:0.25"),
        ("random:0", "random:0"),
        ("AA:0", "random:0"),
    ],
)
def test_notation_is_short(text, shortest):
    assert str(Range.parse(text)) == shortest


def test_notation_is_the_shortest_there_is():
    """All sets of the eight classes under a six, against the best cover by all parts there are."""
    names = [f"6{low}{kind}" for low in "5432" for kind in "so"]
    spans = [(a, b) for a in range(4) for b in range(a, 4)]
    texts = ["6" + "5432"[b] + kind + "+" for _, b in spans for kind in ("", "s", "o")]
    texts += [f"6{'5432'[a]}{kind}-6{'5432'[b]}{kind}" for a, b in spans for kind in ("", "s", "o") if a < b]
    texts += [*names, "65", "64", "63", "62"]

    def mask(text):
        weights = Range.parse(text).weights
        return sum(1 << bit for bit, name in enumerate(names) if (weights * Range.parse(name).weights).any())

    parts = {text: mask(text) for text in texts}
    for target in range(1, 256):
        usable = [(len(text) + 1, part) for text, part in parts.items() if part & ~target == 0]
        best = {0: 0}
        for named in range(target + 1):
            if named in best:
                for cost, part in usable:
                    best[named | part] = min(best.get(named | part, 1000), best[named] + cost)
        written = str(Range.parse(",".join(name for bit, name in enumerate(names) if target >> bit & 1)))
        assert mask(written) == target
        assert len(written) + 1 == best[target]


@given(st.text("AKQ23sohd+-:.5, \n", max_size=12))
def test_any_text_parses_or_is_malformed(text):
    try:
        parsed = Range.parse(text)
    except MalformedTextError as error:
        assert "\n" not in str(error)
    else:
        assert Range.parse(str(parsed)) == parsed


def test_weights_are_checked():
    with pytest.raises(MalformedTextError, match=r"needs 1326 weights, not an array of \(169,\)"):
        Range(np.ones(169))
    for wrong in (1.5, -0.5, np.nan):
        weights = np.ones(1326)
        weights[Game.bundled("hulhe").hand_number((51, 46))] = wrong
        with pytest.raises(MalformedTextError, match=f"AsKh has {wrong}"):
            Range(weights)


@pytest.mark.parametrize(
    ("written", "plain"),
    [("10s9s", "Ts9s"), ("A\u2660K\u2665", "AsKh"), ("A\u2660\ufe0fK\u2665\ufe0f", "AsKh"), ("1010+, A10s", "TT+,ATs")],
)
def test_tens_and_symbols(written, plain):
    assert Range.parse(written) == Range.parse(plain)
    weighted, wanted = (text.replace(",", ":0.10,") + ":0.10" for text in (written, plain))
    assert Range.parse(weighted) == Range.parse(wanted)
    assert Range.parse(weighted).weights.max() == 0.1
