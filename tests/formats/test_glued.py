"""Lines of card rooms' texts that stand in the line before, in another hand, or after the end of their own."""

import pytest

from cfr.formats.logs import read_text
from cfr.formats.skipped import PLAYERS, Omissions
from cfr.system.errors import CfrError
from tests.formats import mutate

TEXTS = ["pokerstars", "ggpoker", "winamax", "full-tilt", "party", "ongame"]
# What begins lines of which nothing is read.
UNREAD = ("Table Alpha", "Total number of players", "User: ", "Dealing pocket cards")


def read(text):
    """The hands of a text, and what is skipped."""
    omissions = Omissions()
    try:
        return list(read_text(text, "x.txt", mutate.TREE, omissions)), omissions.skipped
    except CfrError:
        return [], omissions.skipped


def hands(name):
    """Each hand's text and what is read of it."""
    blocks = [block.strip("\n") for block in mutate.form(name).blocks]
    return [(block, next(read_text(block, "x.txt", mutate.TREE))) for block in blocks]


@pytest.mark.parametrize("join", ["", " "])
@pytest.mark.parametrize("name", TEXTS)
def test_a_line_within_another_one_is_not_read(name, join):
    for block, whole in hands(name):
        lines = block.split("\n")
        for place in range(1, len(lines)):
            glued = [*lines[: place - 1], join.join(lines[place - 1 : place + 1]), *lines[place + 1 :]]
            found, skipped = read("\n".join(glued))
            if lines[place].startswith(UNREAD):
                assert found == [whole]
            elif place > 1 or found:  # lines of which the first is no header are no hand
                assert not found, glued[place - 1]
                assert len(skipped) == 1


@pytest.mark.parametrize("name", ["pokerstars", "ggpoker"])
def test_a_line_of_another_hand_s_summary_is_not_read(name):
    block, _ = hands(name)[0]
    for line in ("Seat 2: bob (big blind) showed [2s Qc] and won ($80)", "Total pot $80 | Rake $0"):
        found, [skipped] = read(f"{block}\n\n\n{line}")
        assert (found, skipped.line) == ([], block.count("\n") + 4)


def test_a_mark_that_is_not_known_is_not_passed_over():
    for name in ("winamax", "full-tilt"):
        block, _ = hands(name)[0]
        assert not read(block.replace("*** SUMMARY ***", "*** SUMMARY ***|"))[0]


def test_carriage_returns_end_lines():
    block, whole = hands("pokerstars")[0]
    assert read(block.replace("bets $20\n", "bets $20\r")) == ([whole], [])


def test_words_of_players_and_observers_are_passed_over():
    block, whole = hands("pokerstars")[0]
    for said in ('ann said, "bob: folds"', 'cat said, "ann: folds"', 'bob: folds said, "*** FLOP *** Seat 1: x"'):
        assert read(block.replace("*** TURN", f"{said}\n*** TURN")) == ([whole], [])


def test_a_name_may_look_like_a_line():
    for name in ("Dealt to Al", "Seat 2: x", "Board [", "*** FLOP", "joann"):
        block, whole = hands("pokerstars")[0]
        [hand], skipped = read(block.replace("bob", name))
        assert (hand.seen, set(hand.players), skipped) == (whole.seen, {"ann", name}, [])


def test_an_action_of_somebody_who_is_not_dealt_in():
    block, _ = hands("pokerstars")[0]
    found, [skipped] = read(block.replace("*** FLOP", "cat: folds\n*** FLOP"))
    assert (found, skipped.reason) == ([], PLAYERS)
    assert "cat is not dealt in" in skipped.said


@pytest.mark.parametrize(("name", "pot"), [("pokerstars", "collected"), ("winamax", "collected"), ("party", "wins")])
def test_an_action_after_the_pot_is_paid(name, pot):
    """As where another hand's lines follow, or lines were moved."""
    block, _ = hands(name)[0]
    lines = block.split("\n")
    paid = next(place for place, line in enumerate(lines) if f" {pot} " in line)
    last = max(place for place, line in enumerate(lines[:paid]) if line.split()[1] in ("folds", "checks"))
    moved = [*lines[:last], *lines[last + 1 : paid + 1], lines[last], *lines[paid + 1 :]]
    found, [skipped] = read("\n".join(moved))
    assert (found, skipped.line) == ([], paid + 1)


@pytest.mark.parametrize("name", ["pokerstars", "winamax", "ongame"])
@pytest.mark.parametrize("damage", ["", "o"])
def test_an_action_after_the_summary_begins(name, damage):
    block, _ = hands(name)[0]
    lines = block.split("\n")
    end = next(place for place, line in enumerate(lines) if line in ("*** SUMMARY ***", "Summary:"))
    action = next(line for line in lines if " calls " in line).replace("calls ", f"calls {damage}")
    found, [skipped] = read("\n".join([*lines[: end + 1], action, *lines[end + 1 :]]))
    assert (found, skipped.line) == ([], end + 2)


@pytest.mark.parametrize(
    ("name", "old", "new"),
    [
        ("full-tilt", "Game #", "Game #em"),
        ("full-tilt", "Game #", "Seat #"),
        ("full-tilt", "Game #", "G"),
        ("pokerstars", "Hand #", "Hand #e"),
        ("ggpoker", "Hand #", "Hnd #x"),
        ("winamax", "#276", "#x"),
        ("winamax", "#", ""),
        ("party", "History for", "History the"),
        ("ongame", "History for hand", "History for"),
    ],
)
def test_a_damaged_first_line_ends_the_hand_before_it(name, old, new):
    (first, whole), (second, other), *_ = hands(name)
    header = second.split("\n")[0]
    found, [skipped] = read("\n".join([first, second.replace(header, header.replace(old, new)), second]))
    assert (found, skipped.line) == ([whole, other], first.count("\n") + 2)


@pytest.mark.parametrize("name", ["pokerstars", "ggpoker", "full-tilt", "party"])
def test_cards_that_are_dealt_after_an_action_are_another_hands(name):
    block, _ = hands(name)[0]
    lines = block.split("\n")
    line = next(each for each in lines if each.startswith("Dealt to "))
    place = next(number for number, each in enumerate(lines) if "flop" in each.lower())
    found, [skipped] = read("\n".join([*lines[:place], line, *lines[place:]]))
    assert (found, skipped.line) == ([], place + 1)


def test_cards_of_xml_stand_apart():
    block = (mutate.CASES / "ipoker-hu.xml").read_text("utf-8")
    assert len(list(read_text(block, "x.xml", mutate.TREE))) == 1
    glued = block.replace("CK H7 D2", "CK H7D2")
    assert glued != block
    with pytest.raises(CfrError, match="'H7D2'; expected a suit and a rank, such as H7"):
        list(read_text(glued, "x.xml", mutate.TREE))
