"""Damaged text for every parser: it is read, or refused with one line; nothing else is raised.

`pytest -m slow tests/formats/test_fuzz.py` tries 100,000 cases in all, the default run some hundred.
"""

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from cfr.cli.main import main
from cfr.formats.acpc import MatchState, read_log
from cfr.formats.logs import read_log as read_file
from cfr.game.betting import BettingTree
from cfr.game.cards import parse_cards
from cfr.game.ranges import Range
from cfr.game.rules import Game
from cfr.play.acpc.dealer import AcpcPlayer
from cfr.play.acpc.wire import LineBuffer
from cfr.strategy.built_in import BuiltIn
from cfr.system.errors import CfrError

HULHE = Game.bundled("hulhe")
TREE = BettingTree(HULHE)
UNIFORM = BuiltIn("uniform")
CASES, QUICK = 100_000, 30
CARDS = "AsKhTd9d6h2c"
STATE = "STATE:3:rc/crc/crc/crc:AsAh|KsKh/2c7d9h/Js/3c:70|-70:a|b"
HISTORY = """variant = 'FT'
antes = [0, 0]
blinds_or_straddles = [10, 5]
small_bet = 10
big_bet = 20
starting_stacks = [1000, 1000]
actions = ['d dh p1 AsAh', 'd dh p2 KsKh', 'p2 cbr 20', 'p1 f']
players = ['a', 'b']
"""


def log_file(suffix):
    """Reads a text as a file of this format."""

    def read(text, folder):
        path = folder / f"x{suffix}"
        path.write_text(text, encoding="utf-8", errors="replace", newline="")
        list(read_file(path, TREE))

    return read


# What reads a text, in a folder of its own, and texts that it takes.
PARSERS = {
    "cards": (lambda text, _: parse_cards(text), [CARDS]),
    "range": (lambda text, _: Range.parse(text), ["QQ+, AKs, A5s-A2s:0.5, 7c6c"]),
    "line": (lambda text, _: TREE.parse(text), ["rc/crc/rrc/crf"]),
    "game": (lambda text, _: Game.parse(text), [HULHE.text(), Game.bundled("leduc").text()]),
    "match state": (lambda text, _: MatchState.parse(text, TREE), ["MATCHSTATE:1:7:rc/:|AsKh/2c3c4c"]),
    "acpc log": (lambda text, _: list(read_log(text.split("\n"), TREE)), [f"{STATE}\nSCORE:70|-70:a|b\n"]),
    "packets": (lambda text, _: list(LineBuffer().feed(text.encode("utf-8", "replace"))), ["VERSION:2.0.0\r\n#x\r\n"]),
    "acpc file": (log_file(".log"), [STATE]),
    "phh": (log_file(".phh"), [HISTORY]),
    "phhs": (log_file(".phhs"), [f"[1]\n{HISTORY}[2]\n{HISTORY}"]),
    "pokerstars": (log_file(".txt"), ["PokerStars Hand #1: Hold'em Limit ($10/$20 USD)\n"]),
    "hand": (lambda text, _: UNIFORM.probabilities(text, "Td9d6h", "rc/c"), ["AsKh"]),
    "board": (lambda text, _: UNIFORM.probabilities("AsKh", text, "rc/c"), ["Td9d6h"]),
    "port": (lambda text, _: AcpcPlayer.named(text), ["acpc:localhost:18791"]),
}
# Cut, doubled, and with what does not belong there.
PIECES = st.text(max_size=3) | st.sampled_from(["", "/", ":", "|", "-", "+", "9" * 30, "\0", "\n", "²", "٣", "r" * 40])


def damaged(text, draw):
    for _ in range(draw(st.integers(0, 3))):
        first, last = sorted(draw(st.tuples(*[st.integers(0, len(text))] * 2)))
        text = text[:first] + draw(PIECES | st.just(text[first:last] * 2)) + text[last:]
    return text


def fuzz(name, cases, folder):
    parse, examples = PARSERS[name]

    @settings(max_examples=cases, deadline=None, database=None, suppress_health_check=list(HealthCheck))
    @given(st.data())
    def run(data):
        text = data.draw(st.text(max_size=30)) if data.draw(st.integers(0, 4)) == 0 else None
        text = damaged(data.draw(st.sampled_from(examples)), data.draw) if text is None else text
        try:
            parse(text, folder)
        except CfrError as error:
            assert len(str(error).splitlines()) == 1

    run()


@pytest.mark.parametrize("name", PARSERS)
def test_damaged_text(name, tmp_path):
    if name.startswith("phh"):
        pytest.importorskip("pokerkit")
    fuzz(name, QUICK, tmp_path)


@pytest.mark.slow
@pytest.mark.parametrize("name", PARSERS)
def test_damaged_text_at_length(name, tmp_path):
    if name.startswith("phh"):
        pytest.importorskip("pokerkit")
    fuzz(name, -(-CASES // len(PARSERS)), tmp_path)


@pytest.mark.parametrize("flag", ["--hand", "--board", "--line"])
@settings(max_examples=QUICK, deadline=None, suppress_health_check=list(HealthCheck))
@given(data=st.data())
def test_flags_of_query(flag, data, capsys):
    flags = {"--hand": "AsKh", "--board": "Td9d6h", "--line": "rc/c"}
    flags[flag] = damaged(flags[flag], data.draw)
    try:
        code = main(["query", "uniform", *(f"{name}={text}" for name, text in flags.items())])
    except SystemExit as stop:
        code = stop.code
    printed = capsys.readouterr()
    assert code in (0, 2)
    assert printed.err.count("\n") == (code == 2)
