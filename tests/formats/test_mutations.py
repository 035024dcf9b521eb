"""Mutated logs of every format: nothing but one line is raised, and what is read of a hand stands in its own lines.

The default run tries some hundred logs of each format. ``python -m tests.formats.mutate`` tries as many as somebody
wants, in parts; ``CFR_MUTATIONS=1000000 CFR_SEED=0 pytest -m slow tests/formats/test_mutations.py`` does the same here.
"""

import os
from dataclasses import replace

import pytest

from cfr.formats.logs import read_text
from cfr.game.cards import format_card
from tests.formats import mutate

QUICK = 100
COUNT, SEED = int(os.environ.get("CFR_MUTATIONS", "5000")), int(os.environ.get("CFR_SEED", "0"))


@pytest.fixture(params=mutate.FORMATS)
def name(request):
    if request.param == "phhs":
        pytest.importorskip("pokerkit")
    return request.param


def test_some_logs(name, tmp_path):
    read = sum(mutate.check(name, seed, tmp_path) for seed in range(QUICK))
    assert read > QUICK / 2  # most changes leave other hands alone


@pytest.mark.slow
def test_many_logs(name):
    *_, failed = mutate.run([name], SEED, COUNT)
    assert failed == []


def test_a_hand_stands_in_its_own_lines_alone(name, tmp_path):
    kind = mutate.form(name)
    if name == "irc":
        hands, texts = mutate.read_database(list(kind.blocks), tmp_path), ["".join(kind.blocks)]
    else:
        hands, texts = list(read_text("".join(kind.blocks), f"x{kind.suffix}", mutate.TREE)), list(kind.blocks)
    assert len(hands) == mutate.HANDS
    lines = [line for text in texts for line in text.split("\n")] if kind.by_line else texts
    there = "".join(texts).lower()
    absent = [
        card for card in range(52) if not {format_card(card).lower(), format_card(card)[::-1].lower()} & pairs(there)
    ]
    for line in lines:
        for hand in hands:
            if kind.stands_in(hand, line):
                seen, state = hand.seen, hand.seen.state
                others = [replace(seen, board=(*seen.board[:-1], absent[0]))]
                others += [replace(seen, state=state.tree.parse("rrf" if state.line_string == "f" else "f"))]
                assert not any(kind.stands_in(replace(hand, seen=each), line) for each in others)
    assert all(any(kind.stands_in(hand, line) for line in lines) for hand in hands)


@pytest.mark.parametrize("name", ["pokerstars", "ggpoker", "winamax", "full-tilt", "party", "ongame"])
def test_a_hand_may_begin_in_the_last_line_of_another(name):
    """As in files without a last line end, one after the other."""
    kind = mutate.form(name)
    whole, glued = (
        list(read_text(join.join(each.strip("\n") for each in kind.blocks), f"x{kind.suffix}", mutate.TREE))
        for join in ("\n\n", "")
    )
    assert [hand.seen for hand in glued] == [hand.seen for hand in whole]
    assert len(whole) == mutate.HANDS


def test_words_at_the_table_begin_no_hand():
    first, *_ = mutate.form("pokerstars").blocks
    said = 'ann said, "look at PokerStars Hand #123456789: Hold\'em Limit ($5/$10)"\n'
    [hand] = read_text(first.replace("*** SUMMARY", f"{said}*** SUMMARY"), "x.txt", mutate.TREE)
    assert hand.seen == next(iter(read_text(first, "x.txt", mutate.TREE))).seen


def pairs(text):
    """Each two letters that follow one another."""
    return {text[place : place + 2] for place in range(len(text) - 1)}
