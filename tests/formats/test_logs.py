"""Logs: what is written is read back, by us and by PokerKit, with the same payouts; no name and no text breaks them."""

import random
import re
import tomllib

import pokerkit
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from cfr.cli.main import main
from cfr.formats import phh
from cfr.formats.acpc import parse_hand
from cfr.formats.logs import HandLog, read_log
from cfr.game.betting import BettingTree
from cfr.game.hand import MAX_NAME, clean_names
from cfr.game.rules import GAME_NAMES, Game
from cfr.play.hand import play_hand
from cfr.play.match import match
from cfr.play.players import RandomPlayer
from cfr.play.strategy_player import StrategyPlayer
from cfr.play.terminal import play
from cfr.strategy.built_in import BuiltIn
from cfr.system.errors import BadInputError
from tests.formats.records import DEAL, HULHE, TREE, random_records, record_of, write

LOGS = (".log", ".phhs")


def check_read_back(path, records, game=HULHE):
    hands = list(read_log(path, BettingTree(game)))
    assert len(hands) == len(records)
    for number, (hand, record) in enumerate(zip(hands, records, strict=True)):
        assert hand.players == (("first", "second") if number % 2 == 0 else ("second", "first"))
        assert hand.seen.state.line_string == record.state.line_string
        assert hand.seen.hands == record.deal.hands
        assert hand.seen.board == record.deal.board[: record.state.num_board_cards]
        assert hand.seen.chips == record.chips
    return hands


def test_a_log_without_its_last_newline_goes_on_in_a_new_line(tmp_path):
    first = write(tmp_path / "x.log", random_records(3, 1), append=True)
    (tmp_path / "x.log").write_text((tmp_path / "x.log").read_text().rstrip("\n"))
    more = write(tmp_path / "x.log", random_records(2, 2), append=True)
    assert len(list(read_log(tmp_path / "x.log", TREE))) == len(first) + len(more)


def check_pokerkit_pays_the_same(folder, count):
    """The hands of a match, through the program, as PokerKit reads them."""
    first, second = StrategyPlayer(BuiltIn("uniform"), "uniform"), RandomPlayer()
    for suffix in LOGS:
        match(first, second, count, seed=8, log=folder / f"match{suffix}")
    hands = [list(read_log(folder / f"match{suffix}", TREE)) for suffix in LOGS]
    assert [hand.seen for hand in hands[0]] == [hand.seen for hand in hands[1]]
    chips = [list(hand.seen.chips) for hand in hands[0]]

    with (folder / "match.phhs").open("rb") as stream:
        histories = list(pokerkit.HandHistory.load_all(stream))
    assert [[stack - 1000 for stack in each.finishing_stacks] for each in histories] == chips
    assert [each.hand for each in histories] == list(range(1, count + 1))
    assert [pokerkit_payoffs(each) for each in histories] == chips

    game = pokerkit.FixedLimitTexasHoldem((), True, 0, (5, 10), 10, 20)
    text = (folder / "match.log").read_text()
    histories = list(pokerkit.HandHistory.from_acpc_protocol(game, 1000, text, error_status=True))
    assert [each.user_defined_fields["_results"] for each in histories] == chips
    assert [pokerkit_payoffs(each) for each in histories] == chips
    total = sum(pair[number % 2] for number, pair in enumerate(chips))
    assert text.splitlines()[-1] == f"SCORE:{total}|{-total}:uniform|random"


def pokerkit_payoffs(history):
    *_, last = history
    assert not last.status
    return list(last.payoffs)


def test_pokerkit_pays_the_same(tmp_path):
    check_pokerkit_pays_the_same(tmp_path, 250)


@pytest.mark.slow
def test_pokerkit_pays_the_same_for_10_000_hands(tmp_path):
    check_pokerkit_pays_the_same(tmp_path, 10_000)


@pytest.mark.parametrize("suffix", LOGS)
def test_what_is_written_is_read_back(suffix, tmp_path):
    path = tmp_path / f"x{suffix}"
    records = write(path, random_records(300, seed=1))
    assert {record.state.round for record in records} == {0, 1, 2, 3}
    assert {record.state.at_showdown for record in records} == {True, False}
    check_read_back(path, records)


@pytest.mark.parametrize("name", GAME_NAMES)
def test_every_game_has_acpc_logs(name, tmp_path):
    path, game = tmp_path / "x.log", Game.bundled(name)
    records = write(path, random_records(50, 2, game))
    check_read_back(path, records, game)
    if name != "hulhe":
        for suffix in (".phhs", ".txt"):
            with pytest.raises(BadInputError, match=rf"{suffix} is for limit hold'em, not for {name}"):
                HandLog(tmp_path / f"y{suffix}", game, ("a", "b"))
            assert not (tmp_path / f"y{suffix}").exists()
        with pytest.raises(BadInputError, match=f"not for {name}"):
            list(read_log(tmp_path / "y.phhs", BettingTree(game)))


def test_one_hand_is_a_phh_file(tmp_path):
    path = tmp_path / "x.phh"
    records = write(path, random_records(1, 3), hands=1, append=True)
    check_read_back(path, records)
    for options in ({"hands": 1, "append": True}, {"hands": 2}, {}):
        with pytest.raises(BadInputError, match=r"x.phh: a .phh file holds one hand; for more name it .phhs"):
            HandLog(path, HULHE, ("a", "b"), **options)
    check_read_back(path, records)


@pytest.mark.parametrize("suffix", LOGS)
def test_logs_can_be_continued(suffix, tmp_path):
    path = tmp_path / f"x{suffix}"
    records = []
    for seed in (4, 5, 6):
        records += write(path, random_records(10, seed), append=True)
    check_read_back(path, records)
    records = write(path, random_records(10, 7))
    check_read_back(path, records)


def test_stakes_may_differ(tmp_path):
    game = Game.parse(HULHE.text().replace("blind = 10 5", "blind = 4 2").replace("10 10 20 20", "4 4 8 8"), "small")
    records = write(tmp_path / "x.phhs", random_records(30, 8, game))
    # Read with the larger stakes of the strategy's game, chips are that game's.
    hands = list(read_log(tmp_path / "x.phhs", TREE))
    assert [hand.seen.chips for hand in hands] == [tuple(2.5 * chips for chips in each.chips) for each in records]
    text = (tmp_path / "x.phhs").read_text().replace("big_bet = 8", "big_bet = 4")
    (tmp_path / "x.phhs").write_text(text)
    with pytest.raises(BadInputError, match=r"hand 1: .*expected the proportions of hulhe, 5 10, 10 and 20"):
        list(read_log(tmp_path / "x.phhs", TREE))


BAD_NAMES = [
    "",
    ":",
    "a|b",
    "a:b",
    "x\ny",
    "x\r\ny",
    "'",
    "'''",
    '"',
    "\\",
    "\x1b[31m",
    "#",
    "é",
    "名",
    "[1]",
    "a b",
    "\ud800",
]


@given(st.lists(st.text() | st.sampled_from(BAD_NAMES), min_size=2, max_size=2))
@example(["a", "a"])
@example(["a", "a-2"])
@example(["0" * 64, "0" * 64])
@example(["x" * 1000, "y" * 1000])
@example(["\ud800", "\udfff"])
def test_names_cannot_break_a_line(tmp_path_factory, names):
    folder = tmp_path_factory.mktemp("names")
    cleaned = clean_names(names)
    assert cleaned == clean_names(cleaned)
    assert len(set(cleaned)) == 2
    assert max(map(len, cleaned)) <= MAX_NAME
    records = [record_of("rc/crc/crc/crc"), record_of("rf")]
    for suffix in LOGS:
        write(folder / f"x{suffix}", records, names)
        hands = list(read_log(folder / f"x{suffix}", TREE))
        assert [hand.players for hand in hands] == [cleaned, cleaned[::-1]]
        assert [hand.seen.chips for hand in hands] == [record.chips for record in records]
    lines = (folder / "x.log").read_text("utf-8").split("\n")
    assert [line.split(":")[0] for line in lines] == ["STATE", "STATE", "SCORE", ""]
    assert [each["players"] for each in tomllib.loads((folder / "x.phhs").read_text("utf-8")).values()] == [
        list(cleaned),
        list(cleaned[::-1]),
    ]
    write(folder / "x.txt", records, names)
    text = (folder / "x.txt").read_text("utf-8")
    assert (
        re.findall(r"^Seat (\d): (\S+) \(\$1000 in chips\)$", text, re.MULTILINE)
        == [
            ("1", cleaned[0]),
            ("2", cleaned[1]),
        ]
        * 2
    )


def test_names_that_are_fine_stay():
    assert clean_names(["strategies/hulhe-small.h5", "always-call"]) == ("strategies/hulhe-small.h5", "always-call")
    assert clean_names(["me", "me", "me-2"]) == ("me", "me-2", "me-2-2")


def test_play_and_match_choose_the_format(tmp_path, capsys):
    for suffix in (".log", ".phhs", ".txt", ".LOG"):
        log = tmp_path / f"m{suffix}"
        assert main(["match", "always-call", "random", "--hands", "4", "--seed", "1", "--log", str(log)]) == 0
        play(
            BuiltIn("always-call"), hands=2, seed=1, log=tmp_path / f"p{suffix}", ask=lambda _: "c", say=lambda _: None
        )
    assert (tmp_path / "m.log").read_text() == (tmp_path / "m.LOG").read_text()
    for name in "mp":
        assert (tmp_path / f"{name}.log").read_text().startswith("STATE:0:")
        assert (tmp_path / f"{name}.phhs").read_text().startswith("[1]\nvariant = 'FT'\n")
        assert (tmp_path / f"{name}.txt").read_text().startswith("PokerStars Hand #")
    assert "Dealt to you [" in (tmp_path / "p.txt").read_text()
    capsys.readouterr()
    assert main(["match", "always-call", "random", "--hands", "4", "--log", str(tmp_path / "m.csv")]) == 2
    assert capsys.readouterr().err == f"cfr: {tmp_path}/m.csv: .csv is no log; expected .log, .phhs, .phh or .txt\n"
    assert main(["match", "always-call", "random", "--hands", "4", "--log", str(tmp_path / "no" / "m.log")]) == 1


def test_without_pokerkit(tmp_path, monkeypatch):
    def missing(name):
        raise ImportError(name)

    monkeypatch.setattr(phh, "import_module", missing)
    with pytest.raises(
        BadInputError,
        match=r"PokerKit: pip install -e '\.\[formats\]' in a clone, or pip install 'cfr-holdem\[formats\]'",
    ):
        HandLog(tmp_path / "x.phhs", HULHE, ("a", "b"))
    assert not (tmp_path / "x.phhs").exists()


def test_pokerkit_speaks_the_protocol(tmp_path):
    """The states that PokerKit's own dealer side makes of a history are those that the client reads."""
    write(tmp_path / "x.phhs", random_records(30, 12))
    with (tmp_path / "x.phhs").open("rb") as stream:
        histories = list(pokerkit.HandHistory.load_all(stream))
    for history, hand in zip(histories, read_log(tmp_path / "x.phhs", TREE), strict=True):
        for position in (0, 1):
            for direction, line in history.to_acpc_protocol(position):
                fields = line.strip().split(":")
                seen = parse_hand(fields[3], fields[4], TREE)
                assert hand.seen.state.line_string.startswith(seen.state.line_string)
                assert seen.hands[position] == hand.seen.hands[position]
                if direction == "<-C":
                    assert seen.state.actor == position
                    assert hand.seen.state.line_string.startswith(seen.state.line_string + fields[5])


def test_play_hand_is_logged_as_it_went(tmp_path):
    """The log of a hand says what the players were asked."""
    rng = random.Random(13)
    record = play_hand(TREE, DEAL, [RandomPlayer(), RandomPlayer()], rng)
    write(tmp_path / "x.log", [record])
    (hand,) = read_log(tmp_path / "x.log", TREE)
    assert hand.seen.state == record.state
