"""Small logs of many rooms, each with what is read of it and what is skipped."""

import random
from pathlib import Path

import pytest

from cfr.formats.logs import read_log, read_text
from cfr.formats.skipped import Omissions
from cfr.game.betting import BettingTree
from cfr.game.cards import format_cards
from cfr.game.rules import Game
from cfr.system.disk.decoded import decoded
from cfr.system.errors import CfrError

CASES = Path(__file__).parent / "cases"
TREE = BettingTree(Game.bundled("hulhe"))
# Hands that are read, then line and reason of those that are not.
READ = {
    "acpc-blanks-around.log": (3, []),
    "allin-blind.txt": (2, [(37, "all-in")]),
    "allin-call-short.txt": (2, [(53, "all-in")]),
    "button-is-big-blind.txt": (2, [(36, "the button posts the big blind")]),
    "cancelled-alone.txt": (2, [(37, "cancelled")]),
    "cancelled.txt": (2, [(41, "cancelled")]),
    "chat-line-separator.txt": (2, []),
    "cp1252-accents.txt": (2, []),
    "cp1252-one-accent.txt": (2, []),
    "cr-only.log": (3, []),
    "cr-only.phhs": (1, []),
    "exact-all-in-turn.txt": (1, []),
    "exact-all-in.phh": (1, []),
    "exact-all-in.txt": (1, []),
    "export-overlap.txt": (4, []),
    "full-tilt-all-in.txt": (3, [(59, "all-in")]),
    "full-tilt-pots.txt": (2, []),
    "gg-tournament.txt": (1, []),
    "ggpoker-between.txt": (3, []),
    "homegame-converter.txt": (3, []),
    "ipoker-by-player.xml": (1, []),
    "ipoker-hu.xml": (1, []),
    "matchstate-lines.log": (1, []),
    "mixed-8-game.txt": (3, []),
    "mixed-horse-other-round.txt": (2, [(32, "not limit hold'em")]),
    "name-dealt-to.txt": (3, []),
    "name-leading-blank.txt": (3, []),
    "name-like-header.txt": (2, []),
    "name-like-stack.txt": (3, []),
    "no-limit-between.txt": (2, [(32, "not limit hold'em")]),
    "observer-named-as-action.txt": (2, []),
    "ongame-all-in.txt": (3, []),
    "ongame-hu.txt": (1, []),
    "openspiel-states.log": (2, []),
    "ongame-split.txt": (1, []),
    "party-all-in.txt": (2, [(66, "all-in")]),
    "party-hu.txt": (1, []),
    "party-old.txt": (1, []),
    "phhs-allin-between.phhs": (3, []),
    "phhs-no-limit-between.phhs": (2, [(13, "not limit hold'em")]),
    "ps-exports.txt": (3, []),
    "ps-fulltilt-between.txt": (3, []),
    "ps-number-converter.txt": (3, []),
    "ps-spanish-between.txt": (2, [(32, "an unknown site or language")]),
    "stakes-005-010.txt": (3, []),
    "stakes-5-10.txt": (3, []),
    "stakes-75-150.txt": (3, []),
    "tournament-between.txt": (3, []),
    "two-heroes.txt": (2, []),
    "utf16-acpc.log": (3, []),
    "utf16-log.txt": (3, []),
    "winamax-fold.txt": (2, []),
    "winamax-hu.txt": (1, []),
}
REFUSED = {
    "irc-pdb.txt": "no hand of PokerStars or of another card room; expected the IRC poker database's files",
    "phh-antes-number.phh": "antes: 0; expected a list of two numbers",
    "phh-button-is-big-blind.phh": "the button (p2) posts the big blind",
    "phh-empty.phh": "the file is empty",
    "phh-small-bet-nan.phh": "small_bet: nan; expected a number",
}
TEXTS = [name for name in READ if "phh" not in name]


def read(name):
    if "phh" in name:
        pytest.importorskip("pokerkit")
    omissions = Omissions()
    return list(read_log(CASES / name, TREE, omissions)), omissions


def test_every_case_is_named():
    assert {each.name for each in CASES.iterdir()} == {*READ, *REFUSED}


@pytest.mark.parametrize("name", READ)
def test_a_case(name):
    hands, omissions = read(name)
    count, skipped = READ[name]
    assert len(hands) == count
    assert [(each.line, each.reason) for each in omissions.skipped] == skipped
    # The page has text from the browser and reads the same.
    assert list(read_text(decoded((CASES / name).read_bytes()), name, TREE, Omissions())) == hands


@pytest.mark.parametrize("name", REFUSED)
def test_a_refusal(name):
    with pytest.raises(CfrError) as caught:
        read(name)
    assert REFUSED[name] in str(caught.value)
    assert "\n" not in str(caught.value)


def test_no_card_goes_to_another_hand():
    hands, _ = read("ps-fulltilt-between.txt")
    assert [[format_cards(each) for each in hand.seen.hands] for hand in hands[:2]] == [["", "AsKd"], ["JhTh", "QsQd"]]
    assert [hand.rake for hand in hands] == [0, 5, 0]
    hands, _ = read("ps-number-converter.txt")
    assert hands[0].seen.hands == ((), ())


def test_copies_of_both_players_have_both_hands():
    hands, omissions = read("two-heroes.txt")
    assert [format_cards(each) for each in hands[1].seen.hands] == ["QdQs", "Jc9c"]
    assert omissions.copies == 2


def test_an_all_in_with_a_whole_bet_keeps_what_was_before():
    for name, line, won in (
        ("exact-all-in.txt", "rc/crc/", (-30, 30)),
        ("exact-all-in-turn.txt", "rc/crc/crc/", (-50, 50)),
    ):
        [hand], _ = read(name)
        assert (hand.seen.state.line_string, hand.chips) == (line, won)


def mutate(rng, text):
    """Change a few characters or lines."""
    for _ in range(rng.randint(1, 3)):
        lines = text.split("\n")
        place, other = rng.randrange(len(lines)), rng.randrange(len(lines))
        match rng.randrange(5):
            case 0:
                del lines[place]
            case 1:
                lines.insert(place, lines[other])
            case 2:
                lines = lines[:place]
            case 3:
                lines[place], lines[other] = lines[other], lines[place]
            case _:
                at = rng.randrange(len(lines[place]) + 1)
                lines[place] = (
                    lines[place][:at] + rng.choice("09AKs$#:*[]()\0 ") + lines[place][at + rng.randint(0, 1) :]
                )
        text = "\n".join(lines) or " "
    return text


def check(seed):
    """No traceback, and no card in a hand that the text does not have."""
    rng = random.Random(seed)
    name = rng.choice(TEXTS)
    text = mutate(rng, decoded((CASES / name).read_bytes()))
    try:
        hands = list(read_text(text, name, TREE, Omissions()))
    except CfrError as error:
        assert "\n" not in str(error), seed
        return
    if name.endswith(".xml"):
        return  # cards have other words there
    for hand in hands:
        for card in (*hand.seen.board, *hand.seen.hands[0], *hand.seen.hands[1]):
            assert format_cards([card]) in text, seed


def test_mutations():
    for seed in range(400):
        check(seed)


@pytest.mark.slow
def test_a_million_mutations():
    """Seeds 0 to 999,999; a failure names its seed."""
    for seed in range(1_000_000):
        check(seed)


@pytest.mark.parametrize(
    ("name", "site", "old", "new"),
    [
        ("ggpoker-between.txt", "GGPoker", ": Hold'em Limit ($1/$2 USD)", new)
        for new in (
            ":  Hold'em Limit ($1/$2)",
            ": Hold'em  Limit  ($1/$2 USD)",
            ": Hold'em Limit (USD 1/USD 2)",
            ": Hold'em Limit (1 USD/2 USD)",
        )
    ]
    + [
        ("ps-fulltilt-between.txt", "Full Tilt", "Full Tilt Poker Game #", "FullTiltPoker Game #"),
        ("ps-fulltilt-between.txt", "Full Tilt", "- $1/$2 - Limit Hold'em -", " - $1/$2 USD -  Limit  Hold'em -"),
        ("ps-fulltilt-between.txt", "PokerStars", "PokerStars Hand #", "PokerStars  Hand  #"),
        ("winamax-hu.txt", "Winamax", " - Holdem fixed limit (", "  -  Holdem fixed  limit ("),
    ],
)
def test_a_header_of_a_room_as_programs_copy_it(name, site, old, new):
    hands, _ = read(name)
    text = decoded((CASES / name).read_bytes())
    assert old in text
    assert site in {each.site for each in hands}
    omissions = Omissions()
    assert list(read_text(text.replace(old, new), name, TREE, omissions)) == hands
    assert omissions.skipped == []
