"""Strategies of somebody else's: tables, classes and policies of OpenSpiel become files that play the same."""

import csv
import re
import shlex
from pathlib import Path

import h5py
import numpy as np
import pytest

import cfr
from cfr.cli.main import main
from cfr.game.rules import Game
from cfr.strategy.built_in import BuiltIn
from cfr.strategy.spot_range import hand_names
from tests.examples import check, examples

PAGE = Path(__file__).parents[2] / "docs" / "import.md"
LEDUC = Game.bundled("leduc")
HEAD = "line,board,hand,fold,call,raise\n"


@pytest.fixture(scope="module")
def solved(tmp_path_factory):
    path = tmp_path_factory.mktemp("solved") / "leduc.h5"
    cfr.solve(cfr.Settings(LEDUC, None, iterations=300, store="float64", out=path))
    return path


def tables(path):
    with h5py.File(path) as file:
        return [file[f"rounds/{r}/probabilities"][...] for r in range(len(file["rounds"]))]


def exported(path, out):
    assert main(["export", str(path), "--all", "--out", str(out)]) == 0
    with out.open(newline="") as file:
        return list(csv.DictReader(file))


def written(path, rows):
    with path.open("w", newline="") as file:
        lines = csv.DictWriter(file, rows[0])
        lines.writeheader()
        lines.writerows(rows)


def test_what_is_exported_is_imported_again(tmp_path, solved):
    rows = exported(solved, tmp_path / "all.csv")
    assert len(rows) == 6 * 6 + 3 * 5 * 30  # hands and nodes; boards, hands and nodes
    assert list(rows[0]) == ["line", "board", "hand", "reach", "fold", "call", "raise"]
    again = cfr.import_strategy(tmp_path / "all.csv", "leduc", tmp_path / "again.h5")
    for first, second in zip(tables(solved), tables(again), strict=True):
        np.testing.assert_allclose(second, first, atol=1e-15)
    assert cfr.exploitability(again).exploitability_mbb == pytest.approx(
        cfr.exploitability(solved).exploitability_mbb, abs=1e-9
    )
    for first, second in zip(rows, exported(again, tmp_path / "again.csv"), strict=True):
        assert [first[name] for name in ("line", "board", "hand")] == [second[name] for name in list(second)[:3]]
        for name in ("reach", "fold", "call", "raise"):
            assert float(second[name] or -1) == pytest.approx(float(first[name] or -1), abs=1e-15)


def test_one_row_tells_hands_that_differ_in_their_suits(tmp_path, solved):
    rows, kept = exported(solved, tmp_path / "all.csv"), {}
    for row in reversed(rows):
        board, hand = row["board"], row["hand"]
        shape = hand[0], board[:1], hand[1] == board[1:] if board else None
        kept[row["line"], shape] = {name: row[name] for name in ("raise", "hand", "board", "line", "call", "fold")}
    assert len(kept) == 468
    written(tmp_path / "few.csv", [*kept.values()])
    again = cfr.import_strategy(tmp_path / "few.csv", LEDUC, tmp_path / "few.h5")
    for first, second in zip(tables(solved), tables(again), strict=True):
        np.testing.assert_allclose(second, first, atol=1e-15)


def test_kuhn_needs_no_board(tmp_path):
    table = tmp_path / "kuhn.csv"
    mixes = {"": ",0.5,0.5", "c": ",0.5,0.5", "r": "0.5,0.5,", "cr": "0.5,0.5,"}
    rows = [f"{line},{card},{mix}" for line, mix in mixes.items() for card in hand_names(Game.bundled("kuhn"))]
    table.write_text(HEAD.replace("board,", "") + "\n".join(rows))
    found = cfr.import_strategy(table, "kuhn", tmp_path / "kuhn.h5")
    uniform = cfr.exploitability(BuiltIn("uniform", Game.bundled("kuhn"))).exploitability_mbb
    assert cfr.exploitability(found).exploitability_mbb == pytest.approx(uniform, abs=1e-9)


@pytest.mark.parametrize(
    ("row", "message"),
    [
        (",,Qs,,0.5,0.4", "row 2: fold, call and raise sum to 0.9; expected 1"),
        (",,Qs,,50,50", "row 2: call 50; expected a probability from 0 to 1"),
        (",,Qs,,1.5,-0.5", "row 2: call 1.5; expected a probability"),
        (",,Qs,,nan,1", "row 2: call nan; expected a probability"),
        (",,Qs,,,1", "row 2: call ''; expected a probability"),
        (",,Qs,,half,0.5", "row 2: call 'half'; expected a probability"),
        (",,Qs,0.5,0.5,0", "row 2: fold 0.5; expected 0, for it is illegal there"),
        (",,2s,,0.5,0.5", "row 2: .*deck of leduc does not hold"),
        (",,XX,,0.5,0.5", "row 2: "),
        ("rf,,Qs,,0.5,0.5", "row 2: .*the hand is over"),
        ("cc/,,Qs,,0.5,0.5", "row 2: board '': 0 cards"),
        ("cc/,Ks,Ks,,0.5,0.5", "row 2: .*is on the board, too"),
        ("rrr,,Qs,0.5,0.5,", "row 2: .*illegal"),
        (",,Qs,,0.5,0.5\n,,Qh,,0.25,0.75", "row 3: another mix than row 2"),
        (",,Qs,,0.5,0.5", "nothing about hand 'Kh', board '', line ''; expected each hand at each spot"),
        (",,Qs,,0.5,0.5\n\x00", "row"),
    ],
)
def test_what_is_wrong_is_one_line_with_its_row(tmp_path, capsys, row, message):
    table, out = tmp_path / "x.csv", tmp_path / "x.h5"
    table.write_text(HEAD + row)
    assert main(["import", str(table), "--game", "leduc", "--out", str(out)]) == 2
    printed, error = capsys.readouterr()
    assert printed == ""
    assert error.count("\n") == 1
    assert re.search(f"^cfr: {re.escape(str(table))}.*{message}", error) or message == "row", error
    assert not out.exists()


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("hand,fold,call,raise\n", "no column line, board; expected line, board, hand, fold, call, raise"),
        ("", "no column line, board, hand"),
    ],
)
def test_missing_columns_are_named(tmp_path, text, message):
    table = tmp_path / "x.csv"
    table.write_text(text)
    with pytest.raises(cfr.MalformedTextError, match=message):
        cfr.import_strategy(table, LEDUC, tmp_path / "x.h5")
    table.write_bytes(b"\xff\xfe\x00")
    with pytest.raises(cfr.MalformedTextError, match="no CSV file in UTF-8"):
        cfr.import_strategy(table, LEDUC, tmp_path / "x.h5")


@pytest.mark.parametrize("game", ["royal", "hulhe", "rhode-island"])
def test_a_large_game_is_refused_in_one_line(tmp_path, capsys, game):
    table = tmp_path / "x.csv"
    table.write_text(HEAD)
    message = f"cfr: {game}: .* hands at spots are too many for a row each; expected a game of at most 100,000"
    assert main(["import", str(table), "--game", game, "--out", str(tmp_path / "x.h5")]) == 2
    assert re.match(message, capsys.readouterr().err)
    assert main(["export", "small", "--all"]) == 2
    assert "hulhe: 13,803,249,787,132 hands at spots are too many" in capsys.readouterr().err


def test_an_earlier_file_stays(tmp_path, capsys):
    out = tmp_path / "x.h5"
    out.write_text("something")
    table = tmp_path / "x.csv"
    table.write_text(HEAD)
    assert main(["import", str(table), "--game", "leduc", "--out", str(out)]) == 1
    assert "another file is there already; say --overwrite" in capsys.readouterr().err
    assert out.read_text() == "something"
    mine = cfr.import_strategy(Halves, LEDUC, out, overwrite=True)
    assert cfr.exploitability(mine).exploitability_mbb > 0


class Halves:
    """Two actions alike, folds never."""

    def __init__(self, game):
        self.game = game

    def probabilities(self, hand, board, line):
        raises = len(line.rpartition("/")[2].replace("c", ""))
        return (0, 1, 0) if raises == 2 else (0, 0.5, 0.5)


def made(game):
    return Halves(game)


def test_a_class_and_an_object_are_asked(tmp_path):
    plain = cfr.exploitability(BuiltIn("call-raise", LEDUC)).exploitability_mbb
    for number, given in enumerate([Halves, Halves(LEDUC), made, BuiltIn("call-raise", LEDUC)]):
        found = cfr.import_strategy(given, LEDUC, tmp_path / f"{number}.h5")
        assert cfr.exploitability(found).exploitability_mbb == pytest.approx(plain, abs=1e-9)


@pytest.mark.parametrize(
    ("answer", "message"),
    [
        (lambda hand, board, line: {"call": 0.5}, r"hand 'Qh', board '', line '': fold, call and raise sum to 0.5"),
        (lambda hand, board, line: {"check": 1}, r"\['check'\]; expected fold, call, raise"),
        (lambda hand, board, line: (0.5, 0.5), "2 numbers; expected those of fold, call, raise"),
        (lambda hand, board, line: 1 / 0, r"ZeroDivisionError: division by zero \(test_imported.py, line \d+\)"),
        (lambda hand, board, line: (0, hand[1] == "h", hand[1] != "h"), "another mix than hand 'Qh'"),
    ],
)
def test_answers_that_are_none_are_named(tmp_path, answer, message):
    mine = type("Mine", (), {"probabilities": staticmethod(answer)})()
    with pytest.raises(cfr.CfrError, match=message):
        cfr.import_strategy(mine, LEDUC, tmp_path / "x.h5")
    assert not (tmp_path / "x.h5").exists()


@pytest.mark.parametrize(
    ("given", "message"),
    [
        (7, "strategy: 7; expected a .csv file, module:Class, or an object that answers"),
        ("nothing.here:Mine", "strategy nothing.here:Mine: No module named"),
        (lambda game: object(), "has no method probabilities"),
        (lambda game: 1 / 0, "ZeroDivisionError"),
    ],
)
def test_what_is_no_strategy_is_refused(tmp_path, given, message):
    with pytest.raises(cfr.BadInputError, match=message):
        cfr.import_strategy(given, LEDUC, tmp_path / "x.h5")


def test_policies_of_openspiel_are_the_same_strategy(tmp_path, solved):
    pytest.importorskip("open_spiel.python.policy")
    from cfr.formats import openspiel

    with cfr.Strategy.open(solved) as strategy:
        for number, policy in enumerate((openspiel.tabular_policy(strategy), openspiel.SpotPolicy(strategy))):
            again = cfr.import_strategy(policy, LEDUC, tmp_path / f"{number}.h5")
            for first, second in zip(tables(solved), tables(again), strict=True):
                np.testing.assert_allclose(second, first, atol=1e-15)
        with pytest.raises(cfr.BadInputError, match="expected one of kuhn_poker"):
            cfr.import_strategy(openspiel.tabular_policy(strategy), "kuhn", tmp_path / "x.h5")


def test_the_page(tmp_path, monkeypatch, capsys, pytestconfig):
    pytest.importorskip("open_spiel.python.policy")
    monkeypatch.chdir(tmp_path)
    mine, in_python, theirs = re.findall(r"```python\n(.*?)```", PAGE.read_text("utf-8"), re.DOTALL)
    Path("timid.py").write_text(mine)
    Path("theirs.py").write_text(theirs)
    found = examples(PAGE)
    assert len(found) >= 8
    for command, output in found:
        words = shlex.split(command)
        assert main(words[1:]) == 0
        check(PAGE, command, output, capsys.readouterr().out, pytestconfig.getoption("write_examples"))
    exec(compile(in_python, "page", "exec"), {})
    assert float(capsys.readouterr().out) < 1
