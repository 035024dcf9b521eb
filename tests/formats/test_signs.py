"""Amounts below zero and chat in two lines: the hand is skipped with one reason, at the line."""

import re

import pytest

from cfr.formats.logs import read_text
from cfr.formats.skipped import Omissions
from cfr.system.errors import CfrError
from tests.formats import mutate

SUFFIX = {"ipoker": ".xml"}
# In lines of which the amount is read; a group is the amount without its currency.
READ = {
    "pokerstars": r"(?:bets|calls|blind|raises|collected|to|pot|Rake) \$(\d+)|\w+ \(\$(\d+) in chips",
    "ggpoker": r"(?:bets|calls|blind|raises|collected|to|pot|Rake) \$(\d+)|\w+ \(\$(\d+) in chips",
    "winamax": r"(?:bets|calls|blind|raises|collected|pot) (\d[\d.]*)€|Seat .: \w+ \((\d+)€\)\n",
    "full-tilt": r"(?:bets|calls|blind of|to|pot|Rake) \(?\$(\d[\d.]*)|Seat .: \w+ \(\$(\d+)\)\n",
    "party": r"(?:bets|calls|blind|raises) \[\$(\d[\d.]*)|wins \$(\d+)|\( \$(\d+) USD \)",
    "ongame": r"(?:bets|calls|raises|pot:|taken:) \$(\d+)|blind \(\$(\d+)\)|Seat .: \w+ \(\$([\d,]+)\)\n",
    "ipoker": r"(?:sum|win|chips)=\"\$(\d[\d.]*)\"",
}


def read(name, text):
    """The hands of a text of a room, and what is skipped."""
    omissions = Omissions()
    try:
        hands = list(read_text(text, f"x{SUFFIX.get(name, '.txt')}", mutate.TREE, omissions))
    except CfrError as error:
        assert "\n" not in str(error)
        hands = []
    return hands, omissions.skipped


@pytest.mark.parametrize("sign", ["-", "\u2212"])
@pytest.mark.parametrize("name", READ)
def test_no_amount_is_below_zero(name, sign):
    block = mutate.form(name).blocks[0].strip("\n")
    [whole], _ = read(name, block)
    assert whole.seen.state.is_over
    places = [found.start(found.lastindex) for found in re.finditer(READ[name], block)]
    assert len(places) > 5
    for place in places:
        hands, [skipped] = read(name, f"{block[:place]}{sign}{block[place:]}")
        assert hands == [], block[:place].rpartition("\n")[2]
        assert skipped.reason == "not understood"
        if name != "ipoker":  # an element has no line
            assert skipped.line == block.count("\n", 0, place) + 1
            assert re.search(r"is no amount; expected chips|expected an action such as", skipped.said)


def test_the_sign_may_stand_before_the_currency():
    block = mutate.form("pokerstars").blocks[0].strip("\n")
    hands, [skipped] = read("pokerstars", block.replace("bets $10", "bets -$10", 1))
    assert hands == []
    assert skipped.said == "'-$10' is no amount; expected chips such as 0.50"


@pytest.mark.parametrize("chat", ["hello\nworld", "hello\nann: folds\nbye", "\n"])
@pytest.mark.parametrize("who", ["ann", "a guest [observer]"])
def test_chat_in_two_lines_is_named(who, chat):
    block = mutate.form("pokerstars").blocks[0].strip("\n")
    before, bet, after = block.partition("bob: bets $10\n")
    hands, [skipped] = read("pokerstars", f'{before}{who} said, "{chat}"\n{bet}{after}')
    assert hands == []
    assert (skipped.reason, skipped.line) == ("not understood", before.count("\n") + 1)
    assert skipped.said.endswith("chat that goes on in the next line; expected it in one line")
    [whole], _ = read("pokerstars", f'{before}{who} said, "hello world"\n{bet}{after}')
    assert whole == read("pokerstars", block)[0][0]
