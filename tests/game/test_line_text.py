"""Lines as people write them: every way of writing leads to the state of the ACPC's letters."""

import random

import pytest

from cfr.game.betting import BettingTree, action_word
from cfr.game.line_text import action_letter, read_line
from cfr.game.rules import Game
from cfr.system.errors import CfrError

HULHE = BettingTree(Game.bundled("hulhe"))


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("raise call check bet", "rc/cr"),
        ("Raise, Call / Check, Bet", "rc/cr"),
        ("raise-call-check-bet", "rc/cr"),
        ("raise > call > x > b", "rc/cr"),
        ("RC/CR", "rc/cr"),
        ("rc/kb", "rc/cr"),
        ("rcxb", "rc/cr"),
        ("r c k b", "rc/cr"),
        ("limp check", "cc/"),
        ("raise 3bet", "rr"),
        ("raise, 3-bet, 4-bet, call", "rrrc/"),
        ("r>reraise>c", "rrc/"),
        ("limp raise re-raise", "crr"),
        ("rc / bet raise 3bet", "rc/rrr"),
        ("R C / B R RERAISE C", "rc/rrrc/"),
        ("raise 3bet cap call", "rrrc/"),
        ("raises, calls, checks, bets", "rc/cr"),
        ("rc / bet raise reraise caps", "rc/rrrr"),
        ("fold", "f"),
        ("", ""),
        ("rc", "rc/"),
    ],
)
def test_ways_of_writing(text, line):
    assert read_line(HULHE, text).line_string == line


def test_random_lines_in_words_and_letters():
    rng = random.Random(1)
    letters = {"fold": "f", "check": "kx", "call": "c", "bet": "br", "raise": "r"}
    for _ in range(200):
        state, words, short = HULHE.root, [], ""
        while not state.is_over and rng.random() < 0.9:
            letter = rng.choice(state.legal)
            word = action_word(letter, state)
            words.append(rng.choice([word, word.upper(), word.capitalize()]))
            short += rng.choice(letters[word])
            for each in (word, rng.choice(letters[word])):
                assert action_letter(each, state) == letter
            state = state.act(letter)
        assert read_line(HULHE, " ".join(words)).line_string == state.line_string
        if set(short) - set("fcr"):
            assert read_line(HULHE, short).line_string == state.line_string


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("raise rais", "'rais' at position 7 is no action; did you mean raise?"),
        ("raise check", "at position 7, 'check' is illegal; legal are fold, call, raise"),
        ("rk", "at position 2, 'k' is illegal"),
        ("call / check", "'/' at position 6 does not end a round"),
        ("RC//K", "'/' at position 4 does not end a round"),
        ("raise call / / check", "'/' at position 14 does not end a round"),
        ("fold call", "the hand is over"),
        (
            "3bet",
            "at position 1, '3bet' is illegal; legal are fold, call, raise; 3bet raises a raise, as in 'raise 3bet'",
        ),
        ("raise 4bet", "at position 7, '4bet' is illegal; legal are fold, call, raise"),
        ("rc / bet reraise", "'reraise' is illegal"),
        ("raise cap", "at position 7, 'cap' is illegal; legal are fold, call, raise; cap is a round's last raise"),
        ("5bet", "'5' at position 1 is no action"),
        ("raise 7", "'7' at position 7 is no action"),
    ],
)
def test_mistakes_say_where_and_what(text, says):
    with pytest.raises(CfrError, match="line ") as error:
        read_line(HULHE, text)
    assert says in str(error.value)
