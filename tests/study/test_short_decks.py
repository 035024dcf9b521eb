"""Charts and classes of decks with fewer ranks or suits than 52 cards have."""

import json
from dataclasses import replace

import numpy as np
import pytest

from cfr.cli.main import main
from cfr.game.cards import parse_cards
from cfr.game.hand_classes import CLASS_NAMES, class_name, classes_of, has_classes
from cfr.game.rules import Game
from cfr.strategy.built_in import BuiltIn
from cfr.strategy.spot_range import hand_names
from cfr.study.grid import grid
from cfr.study.picture import svg
from cfr.study.text_chart import terminal
from cfr.system.errors import BadInputError
from tests.small_games import short_deck

FORTY = replace(Game.bundled("hulhe"), name="forty", num_ranks=10)
DECKS = [FORTY, Game.bundled("royal"), short_deck("two suits", 2, 6, (0, 3), (1, 1)), Game.bundled("hulhe")]


@pytest.mark.parametrize("game", DECKS, ids=lambda game: game.name)
def test_each_hand_has_the_class_of_its_ranks_and_suits(game):
    names = hand_names(game)
    classes = classes_of(names)
    assert classes is not None
    assert has_classes(game)
    assert classes.side == game.num_ranks
    assert len(classes.names) == game.num_ranks**2 == len(set(classes.names))
    assert [classes.names[number] for number in classes.numbers] == [class_name(parse_cards(name)) for name in names]
    # The grid is the upper left corner of hold'em's.
    corner = np.array(CLASS_NAMES).reshape(13, 13)[: classes.side, : classes.side]
    assert np.array_equal(np.array(classes.names).reshape(classes.side, -1), corner)


@pytest.mark.parametrize("game", [Game.bundled("leduc"), short_deck("one suit", 1, 9, (0, 3), (1, 1))], ids=str)
def test_other_hands_have_no_classes(game):
    assert classes_of(hand_names(game)) is None
    assert not has_classes(game)
    with pytest.raises(BadInputError, match="only those have classes"):
        BuiltIn("uniform", game).range().by_class()
    assert "hand " in terminal(BuiltIn("uniform", game))


def test_forty_cards_have_ten_rows_of_ten():
    strategy = BuiltIn("call-raise", FORTY)
    lines = terminal(strategy).splitlines()
    assert lines[0].startswith("forty: button to act preflop")
    rows = [line.split() for line in lines[2:12]]
    assert [len(row) for row in rows] == [20] * 10
    assert [row[0] for row in rows] == ["AA", "AKo", "AQo", "AJo", "ATo", "A9o", "A8o", "A7o", "A6o", "A5o"]
    assert lines[12] == ""
    assert "780.0 combos" in lines[13]
    classes = strategy.range().by_class()
    assert classes.combos.tolist() == [
        6 if len(name) == 2 else 4 if name[2] == "s" else 12 for name in classes.hands.tolist()
    ]
    assert classes.combos.sum() == 780
    chart = grid(strategy.range("AsKsQs", "cc/"))
    assert chart.weight[chart.names.index("AKs")] == 0.5  # which called
    assert strategy.range("AsKsQs", "cc/").by_class().combos[1] == 3
    for picture in (svg(strategy), strategy.range()._repr_html_()):
        shown = [name for name in CLASS_NAMES if f">{name}</t" in picture]
        assert sorted(shown) == sorted(classes.hands.tolist())


def test_a_class_is_asked_for_where_the_deck_has_it():
    strategy = BuiltIn("call-raise", FORTY)
    assert len(strategy.held("AKs", ())) == 4
    assert len(strategy.held("A5o", parse_cards("As5h"))) == 3 * 3 - 2  # aces and fives that are left, of two suits
    assert strategy.probabilities("55", line="r") == {"fold": 0.0, "call": 0.5, "raise": 0.5}
    with pytest.raises(BadInputError, match="hand '22': the deck of forty has no such cards"):
        strategy.probabilities("22")


def test_the_commands_show_the_grid_of_a_short_deck(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    game = short_deck("six", 2, 6, (0, 3), (1, 1))
    (tmp_path / "six.game").write_text(game.text())
    assert main(["solve", "six.game", "--iterations", "5", "--threads", "1", "--out", "six.h5"]) == 0
    capsys.readouterr()
    assert main(["chart", "six.h5"]) == 0
    shown = capsys.readouterr().out.splitlines()
    assert [len(line.split()) >= 6 for line in shown[2:8]] == [True] * 6
    assert shown[2].startswith("AA")
    assert shown[7].startswith("A9o")
    assert main(["chart", "six.h5", "--json"]) == 0
    assert [row["hand"] for row in json.loads(capsys.readouterr().out)][:3] == ["AA", "AKs", "AQs"]
    assert main(["export", "six.h5", "--classes", "--no-ev"]) == 0
    assert capsys.readouterr().out.count("\n") == 1 + 36
    assert main(["query", "six.h5", "--hand", "AKs"]) == 0
    assert main(["chart", "six.h5", "--out", "six.svg"]) == 0
    assert "<svg" in (tmp_path / "six.svg").read_text()
