"""Cards: parse and print."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cfr.game.cards import format_card, format_cards, parse_card, parse_cards
from cfr.system.errors import BadInputError, MalformedTextError


@given(st.lists(st.integers(0, 51), unique=True))
def test_round_trip(codes):
    assert parse_cards(format_cards(codes)) == tuple(codes)
    assert parse_cards(" ".join(map(format_card, codes))) == tuple(codes)


def test_codes():
    assert [parse_card(text) for text in ("2c", "2d", "2h", "2s", "3c", "As", "aS")] == [0, 1, 2, 3, 4, 51, 51]


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("Xs", "'X' at position 1 is not a rank"),
        ("As1h", "'1' at position 3 is not a rank"),
        ("AsK", "the suit at position 4 is missing; expected one of cdhs"),
        ("AsKx", "'x' at position 4 is not a suit"),
        ("AsKhAs", "As at position 5 is there twice"),
        ("1h", "'1' at position 1"),
        ("10x", "'x' at position 3 is not a suit"),
    ],
)
def test_errors_name_the_position(text, says):
    with pytest.raises(MalformedTextError, match=says):
        parse_cards(text)


@pytest.mark.parametrize("code", [-1, 52])
def test_a_code_that_no_card_has(code):
    for told in (lambda: format_card(code), lambda: format_cards([0, code])):
        with pytest.raises(BadInputError, match=f"card code {code}; expected 0 to 51"):
            told()


def test_one_card_is_one():
    with pytest.raises(MalformedTextError, match="not one card"):
        parse_card("AsKh")


@given(st.text(max_size=12))
def test_any_text_parses_or_is_malformed(text):
    try:
        codes = parse_cards(text)
    except MalformedTextError as error:
        assert "\n" not in str(error)
    else:
        assert parse_cards(format_cards(codes)) == codes
