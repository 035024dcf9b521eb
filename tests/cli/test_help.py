"""``cfr help``: every example in it is one that the program reads."""

import argparse
import re
import shlex

import pytest

from cfr.cli.help import TOPICS
from cfr.cli.main import COMMANDS, _parser, main
from cfr.game.betting import BettingTree
from cfr.game.line_text import read_line
from cfr.game.ranges import Range
from cfr.game.rules import Game
from cfr.play.named_players import make_players
from cfr.strategy.built_in import BuiltIn


def shown(capsys, *words):
    code = main(["help", *words])
    return code, *capsys.readouterr()


def examples(topic, flag):
    """What follows a flag, without the explanation beside it."""
    text = TOPICS[topic][1]
    return [shlex.split(word)[0] for word in re.findall(rf"^  {flag} ('[^']*'|\"[^\"]*\"|\S+)", text, re.MULTILINE)]


def test_topics_and_commands_are_listed(capsys):
    code, out, _ = shown(capsys)
    assert code == 0
    for word in (*TOPICS, "solve", "query", "serve", "help"):
        assert word in out
    assert all(len(line) <= 112 for line in out.splitlines())


@pytest.mark.parametrize("topic", TOPICS)
def test_topics_are_told(capsys, topic):
    code, out, _ = shown(capsys, topic)
    assert (code, out) == (0, TOPICS[topic][1] + "\n")
    assert all(len(line) <= 112 for line in out.splitlines())


def test_a_command_is_told_as_by_its_own_flag(capsys):
    _, out, _ = shown(capsys, "query")
    with pytest.raises(SystemExit):
        main(["query", "--help"])
    assert out == capsys.readouterr().out


def test_lines_are_read():
    found = [read_line(BettingTree(Game.bundled("hulhe")), line).line_string for line in examples("lines", "--line")]
    assert found == ["", "r", "rc/", "rc/cr", "rc/crc/", "rc/cr", "rrc/", "rc/cr"]


def test_cards_are_read():
    strategy = BuiltIn("uniform")
    hands = examples("cards", "--hand")
    assert len(hands) == 3
    for hand in hands:
        assert sum(strategy.probabilities(hand).values()) == pytest.approx(1)
    for board, line in zip(examples("cards", "--board"), ("rc/", "rc/cc/"), strict=True):
        strategy.spot(board, line)


def test_ranges_are_read():
    text = TOPICS["ranges"][1]
    for name in re.findall(r"^  ([A-Za-z0-9+:.-]+) ", text, re.MULTILINE):
        if name != "cfr":
            assert Range.parse(name).weights.any()
    for name in re.findall(r'"([^"]+)"', text):
        Range.parse(name)


def test_players_are_known():
    names = ["small", "random", "acpc:18791", *re.findall(r"always-\w+|call-raise|uniform", TOPICS["players"][1])]
    assert len(make_players(names)[1]) == len(names)


@pytest.mark.parametrize("name", [name for names in COMMANDS.values() for name in names])
def test_examples_of_commands_are_read_and_need_no_strategy_that_is_not_there(name):
    (commands,) = [each.choices for each in _parser()._actions if isinstance(each, argparse._SubParsersAction)]
    made = {None, "small", "bot.json"}  # a new player is made by cfr learn itself
    for example in commands[name].epilog.removeprefix("example: ").split(" && "):
        words = [word for word in shlex.split(example)[1:] if not word.startswith("(")]
        options = vars(_parser(words[0]).parse_args(words))
        file = options.get("file")
        assert (file if file is None else str(file)) in made, example
        made.add(str(options.get("out")))


def test_what_is_no_topic_is_said_in_one_line(capsys):
    code, _, err = shown(capsys, "line")
    assert code == 2
    assert err == "cfr: help 'line': there is no such topic or command; did you mean lines?\n"
