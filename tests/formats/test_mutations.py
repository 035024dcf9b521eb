"""Mutated logs: bytes, lines and fields change, and what is read of a hand still stands in its own lines.

The default run tries some hundred logs of each format. ``CFR_MUTATIONS=1000000 pytest -m slow -s
tests/formats/test_mutations.py`` tries a million; a failure names its seed.
"""

import os
import random
import re
from itertools import count, islice

import pytest

from cfr.formats.logs import HandLog, read_text
from cfr.formats.skipped import Omissions
from cfr.game.betting import BettingTree
from cfr.game.cards import format_card
from cfr.game.hand import deal_hand
from cfr.game.rules import Game
from cfr.play.hand import play_hand
from cfr.play.players import RandomPlayer
from cfr.system.decoded import decoded
from cfr.system.errors import CfrError

HULHE = Game.bundled("hulhe")
TREE = BettingTree(HULHE)
QUICK, SLOW = 150, 20_000
COUNT = int(os.environ.get("CFR_MUTATIONS", SLOW))
HANDS = 4
# Where a format's hands begin, and the words of its actions.
BEGINS = {".log": r"(?m)^STATE:", ".txt": r"(?m)^PokerStars Hand #", ".phhs": r"(?m)^\[[0-9]+\]$"}
ACTIONS = {
    ".txt": r"(?m)^(?:ann|bob): (folds|checks|calls|bets|raises)\b",
    ".phhs": r"'p[12] (f|cc|cbr)\b",
}
LETTERS = {"folds": "f", "checks": "c", "calls": "c", "bets": "r", "raises": "r", "f": "f", "cc": "c", "cbr": "r"}


@pytest.fixture(scope="module")
def logs(tmp_path_factory):
    """The hands of a log in each format, as text."""
    home, rng = tmp_path_factory.mktemp("logs"), random.Random(5)
    players = [RandomPlayer(), RandomPlayer()]
    played = (play_hand(TREE, deal_hand(HULHE, rng), players, rng) for _ in count())
    records = list(islice((each for each in played if each.state.round > 1), HANDS))
    found = {}
    for suffix, begin in BEGINS.items():
        with HandLog(home / f"x{suffix}", HULHE, ["ann", "bob"]) as log:
            for number, record in enumerate(records):
                log.write(record, number % 2)
        text = (home / f"x{suffix}").read_text("utf-8")
        text = re.sub(r"Hand #[0-9]+([0-9]):(.*) - .*", r"Hand #21000\1:\2 - 2011/05/02 20:15:00 ET", text)  # no clock
        starts = [match.start() for match in re.finditer(begin, text)]
        found[suffix] = [text[a:b] for a, b in zip(starts, [*starts[1:], len(text)], strict=True)]
        assert len(starts) == HANDS
        assert len(list(read_text(text, f"x{suffix}", TREE))) == HANDS
    return found


def mutated(blocks, rng):
    """The hands of a log with one to three changes, each of which stays in a hand, or moves a line into another."""
    blocks = list(blocks)
    for _ in range(rng.randint(1, 3)):
        place = rng.randrange(len(blocks))
        kind, text = rng.randrange(8), blocks[place]
        lines = text.split("\n")
        at = rng.randrange(len(lines))
        if kind == 0:  # a byte
            where = rng.randrange(len(text))
            text = text[:where] + chr(rng.randrange(1, 256)) + text[where + rng.randint(0, 1) :]
        elif kind == 1:
            where = rng.randrange(len(text))
            text = text[:where] + text[where + rng.randint(1, 20) :]
        elif kind == 2:
            del lines[at]
            text = "\n".join(lines)
        elif kind == 3:
            lines.insert(rng.randrange(len(lines)), lines[at])
            text = "\n".join(lines)
        elif kind == 4:
            other = rng.randrange(len(lines))
            lines[at], lines[other] = lines[other], lines[at]
            text = "\n".join(lines)
        elif kind == 5:  # a line of another hand
            lines.insert(at, rng.choice(rng.choice(blocks).split("\n")))
            text = "\n".join(lines)
        else:  # a field
            fields = list(re.finditer(r"[\w.$]+", text)) or [re.match("", text)]
            field = rng.choice(fields)
            new = rng.choice(re.findall(r"[\w.$]+", rng.choice(blocks)) or [""])
            text = text[: field.start()] + new + text[field.end() :]
        blocks[place] = text or "\n"
    return blocks


def stands_in(hand, block, suffix):
    """Whether a hand's number, actions, cards and chips stand in the lines of one hand."""
    line = hand.seen.state.line_string
    cards = [format_card(card) for each in (*hand.seen.hands, hand.seen.board) for card in each]
    if (str(hand.number) not in block and suffix != ".phhs") or not all(
        card.lower() in block.lower() for card in cards
    ):
        return False
    if suffix == ".log":
        told = re.search(r":(-?[0-9.]+)\|(-?[0-9.]+):", block)
        is_paid = told is None or hand.chips in (None, (float(told[1]), float(told[2])))
        is_named = told is None or all(name in block for name in hand.players)  # OpenSpiel names nobody
        return f":{line}:" in block and is_paid and is_named
    block = block[max(block.find("PokerStars Hand #"), 0) :]  # what stands before it is of the hand before
    told = "".join(LETTERS[word] for word in re.findall(ACTIONS[suffix], block))
    pot = re.search(r"Total pot:? \D{0,4}([0-9.]+)", block[max(block.find("*** SUMMARY"), 0) :])
    chips = max(hand.chips or (0, 0))
    if pot is not None and suffix == ".txt" and chips and float(pot[1]) != 2 * chips * scale_of(block):
        return False
    return told == line.replace("/", "")


def scale_of(block):
    """Dollars of a chip, by the small bet."""
    return float(re.search(r"Limit \(\D{0,4}([0-9.]+)/", block)[1]) / HULHE.raise_sizes[0]


def check(blocks, suffix, seed):
    rng = random.Random(f"{suffix} {seed}")
    changed = mutated(blocks, rng)
    text = "".join(changed)
    if rng.random() < 0.1:
        text = decoded(text.encode("utf-16"))
    omissions = Omissions()
    try:
        read = list(read_text(text, f"x{suffix}", TREE, omissions))
    except CfrError as error:
        assert "\n" not in str(error) or suffix == ".phhs", f"seed {seed}"
        return 0
    witnesses = changed if suffix == ".txt" else text.split("\n")  # elsewhere one line has the actions and the cards
    for hand in read:
        assert any(stands_in(hand, each, suffix) for each in witnesses), f"seed {seed}: {suffix}: hand {hand.number}"
    return len(read)


@pytest.mark.parametrize("suffix", BEGINS)
def test_some_logs(logs, suffix):
    read = sum(check(logs[suffix], suffix, seed) for seed in range(QUICK))
    assert read > QUICK * (HANDS - 3) / 2  # most changes leave the other hands alone


@pytest.mark.slow
@pytest.mark.parametrize("suffix", BEGINS)
def test_many_logs(logs, suffix):
    first = random.SystemRandom().randrange(2**40)
    print(f"\n{suffix}: {COUNT // len(BEGINS):,} logs from seed {first}")
    for seed in range(first, first + COUNT // len(BEGINS)):
        check(logs[suffix], suffix, seed)
