"""Range notation: what players paste, and back."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from cfr.game.hand_classes import CLASS_NAMES, class_numbers
from cfr.game.ranges import Range
from cfr.game.rules import Game
from cfr.system.errors import MalformedTextError


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
        ("QQ+,KXs", "position 5"),
        ("AAs", "neither suited"),
        ("AKs-QTs", "span"),
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


@pytest.mark.parametrize(
    ("text", "same"),
    [
        ("J9s-75s", "J9s,T8s,97s,86s,75s"),
        ("75s-J9s", "J9s,T8s,97s,86s,75s"),
        ("QJo-98o", "QJo,JTo,T9o,98o"),
        ("JT-87", "JTs,T9s,98s,87s,JTo,T9o,98o,87o"),
        ("AA-TT,[50.0]AKs,AQs[/50.0],[25.0]KQo[/25.0]", "TT+,AKs:0.5,AQs:0.5,KQo:0.25"),
        ("AA,[25%]AKs[/25%],[75%]A5s-A4s[/75%],KK", "KK+,AKs:0.25,A5s-A4s:0.75"),
        ("100: AA, AKs, 75: AQs-ATs, 50: KQo", "AA,AKs,AQs-ATs:0.75,KQo:0.5"),
        ("100: 22, 12.5: 33", "22,33:0.125"),
        ("33: AKs, 98:0.5", "AKs:0.33,98:0.5"),
        ("AA, ATs+; Weights: AQs:75%, AJs:50%, ATs:25%", "AA,AKs,AQs:0.75,AJs:0.5,ATs:0.25"),
        ("AKs@50,QQ+", "QQ+,AKs:0.5"),
        ("AA;KK;AKs", "KK+,AKs"),
        ("KcQc,AhXh", "KcQc,AhKh,AhQh,AhJh,AhTh,Ah9h,Ah8h,Ah7h,Ah6h,Ah5h,Ah4h,Ah3h,Ah2h"),
        ("*h*h", "AhXh,KhXh,QhXh,JhXh,ThXh,9hXh,8hXh,7hXh,6hXh,5hXh,4hXh,3hXh"),
        ("AXs,A*o", "A2+"),
        ("22+,A2s+,K2s+,JTs-54s,AKo-ATo", "22+,A2s+,K2s+,JTs,T9s,98s,87s,76s,65s,54s,ATo+"),
        ("A5s\u2013A2s", "A5s-A2s"),
        ("AKs:75%", "AKs:0.75"),
        ("[50.0]AA[/50],[25]KK[/25.0]", "AA:0.5,KK:0.25"),
        ("99 +, AKs +", "99+,AKs"),
        ("\u200bAA\u200b,KK\u2060", "KK+"),
        ("\uff21\uff21\uff0cAK\uff53", "AA,AKs"),
        ("100%", "random"),
        ("100 %", "random"),
        ("AA, 100%", "random"),
        ("\ufeffAA", "AA"),
        ("99:0,88:0,AA", "AA,99:0"),
        ("AA:1e-200,33:1e-200", "AA,33"),
        ("77:0.5,98:1,75:.25", "77:.5 98 75:.25"),
        ("A\u2665X\u2665", "AhXh"),
        ('"AA,KK"', "KK+"),
        ("\u201cAA\uff0cKK\uff1a50%\u201d", "AA,KK:0.5"),
    ],
)
def test_what_other_programs_write(text, same):
    assert Range.parse(text) == Range.parse(same)


def test_the_order_of_bare_weights():
    """PioSolver's order is that of hands: 2d2c, 2h2c, 2h2d and so on."""
    weights = np.arange(1326) / 1325
    assert np.array_equal(Range.parse(" ".join(map(repr, weights.tolist()))).weights, weights)


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("15%", "'15%' at position 1: programs differ in which hands are the best 15 %"),
        ("AA, 15%", "'15%' at position 5: programs differ"),
        ("top 15 %", "'top 15 %' at position 1: programs differ in which hands are the best 15 %"),
        ("QQ+, top 15 %", "'top 15 %' at position 6: programs differ"),
        ("AKs 50%", "'50%' at position 5: .*, or AKs:50% for a weight"),
        ("Kxs", "'Kxs' at position 1 leaves open whether AKs belongs to it; expected K2s[+]"),
        ("QQ,Ax", "'Ax' at position 4 leaves open whether AA belongs to it; expected A2[+]"),
        ("2x", "whether 22 belongs to it; expected A2, K2 and so on"),
        ("AhX", "'AhX' at position 1 is one card; expected two, as AsKh"),
        ("AKs:0,75", "weight '0,75' at position 5; expected a decimal point"),
        ("33,3: AA", "weight '33,3' at position 1; expected a decimal point"),
        ("QQ, 12,5%: 98s", "weight '12,5' at position 5; expected a decimal point"),
        ("[33,3]AA[/33,3]", "weight '33,3' at position 2; expected a decimal point"),
        ("AA:1e-400", "too small"),
        ("10Xs+", "'10Xs[+]' at position 1"),
        ("0 " * 1325, "1,325 bare weights; expected 1,326"),
        ("0 " * 1325 + "2", "weight 2 of AsAh"),
        ("[50]AA", "not closed"),
        ("AA[/50]", "closes no bracket"),
        ("[50]AA,[20]KK[/20]", "is inside of"),
        ("[500]AA[/500]", "weight '500%'"),
        ("AKs@.5", "is a percent"),
        ("AKs@", "weight '' at position 5"),
        ("AA:-0.5", "weight '-0.5' at position 4"),
        ("QQ--88", "'QQ--88' at position 1 is no hand"),
        ("AA; Weights: KK:50%", "no hand of the range"),
        ("AA,AA@50", "weight 0.5, but 1 before"),
        ("33: 44", "weight '44'"),
        ("Q" * 10_000, "'Q{60}[.]{3}' at position 1"),
    ],
)
def test_what_is_no_notation(text, says):
    with pytest.raises(MalformedTextError, match=says) as raised:
        Range.parse(text)
    assert len(str(raised.value)) < 400
