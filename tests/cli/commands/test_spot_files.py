"""Commands on solutions of spots, and on files without their last round: what they answer, and what they refuse."""

import csv
import io
import json

import pytest

from cfr.cli.main import main

BOARD, LINE = "Td9d6hQc2s", "rc/crc/cc/"
RANGES = ("--button", "AhKh,QQ,JJ", "--bb", "77,55", "--iterations", "20", "--threads", "1", "--json")
SPOT = ("--board", BOARD, "--line", LINE)
CHECKED = ("--board", BOARD, "--line", LINE + "c")  # the button acts


@pytest.fixture(scope="module")
def files(tmp_path_factory):
    folder = tmp_path_factory.mktemp("spots")
    found = {name: str(folder / f"{name}.h5") for name in ("river", "turn", "leduc", "checks")}
    turn = ("--board", BOARD[:8], "--line", "rc/crc/", "--without-rivers")
    leduc = ("leduc", "--lossless", "--without-rivers", "--iterations", "50", "--threads", "1", "--json")
    assert main(["spot", *SPOT, *RANGES, "--out", found["river"]]) == 0
    assert main(["spot", *turn, *RANGES, "--out", found["turn"]]) == 0
    assert main(["spot", *SPOT, *RANGES, "--lock", ":call=1", "--out", found["checks"]]) == 0
    assert main(["solve", *leduc, "--out", found["leduc"]]) == 0
    return found


def test_other_spots_take_no_ranges_from_a_file(run, files):
    for board, line in ((BOARD[:8] + "3s", LINE), (BOARD, "c" + LINE), (BOARD[:8], "rc/crc/")):
        asked = ("--board", board, "--line", line, "--dry-run")
        code, out, err = run("spot", "--strategy", files["river"], *asked)
        assert (code, out) == (2, "")
        assert err == (
            f"cfr: board {board}, line '{line}': only what follows board {BOARD}, line '{LINE}' is solved here\n"
        )


def test_another_board_without_a_line_names_the_spot(run, files):
    code, out, err = run("query", files["river"], "--hand", "QhQd", "--board", BOARD[:8])
    assert (code, out) == (2, "")
    assert err == (f"cfr: board '{BOARD[:8]}': the file is of the solved spot {BOARD} {LINE}; leave the board out\n")


def test_the_spot_is_answered_by_its_board_alone(run, files):
    """The file knows its line; the cards may come in any order."""
    turned = "".join(BOARD[i : i + 2] for i in range(0, len(BOARD), 2)[::-1])
    wanted = run("query", files["river"], "--hand", "7c7d", "--board", BOARD, "--line", LINE)
    for board in (BOARD, turned):
        assert run("query", files["river"], "--hand", "7c7d", "--board", board)[:2] == wanted[:2]


def test_a_line_of_the_spots_round_needs_no_board(run, files):
    asked = ("query", files["river"], "--hand", "AhKh", "--line", LINE + "c")
    assert run(*asked)[:2] == run(*asked, "--board", BOARD)[:2]
    assert run(*asked)[0] == 0
    code, _, err = run("query", files["turn"], "--hand", "AhKh", "--line", LINE)
    assert (code, err) == (
        2,
        f"cfr: board '{BOARD[:8]}': 4 cards, but after line '{LINE}' there are 5; add 1 to the board\n",
    )
    code, _, err = run("query", files["turn"], "--hand", "AhKh", "--line", "rc/")
    assert (code, err) == (2, "cfr: board '': 0 cards, but after line 'rc/' there are 3; add 3 to the board\n")


def test_a_class_is_that_of_the_table(run, files):
    rows = list(csv.DictReader(io.StringIO(run("export", files["river"], *CHECKED, "--classes")[1])))
    table = {row["hand"]: row for row in rows}
    assert len(rows) == 169
    for name in ("AKs", "QQ", "JJ"):
        answer = json.loads(run("query", files["river"], "--hand", name, *CHECKED, "--json")[1])
        assert answer["reach"] == float(table[name]["reach"])
        for action in ("call", "raise"):
            assert answer[action] == pytest.approx(float(table[name][action]))
    assert (table["AKs"]["combos"], table["AKs"]["reach"]) == ("4", "0.25")
    assert run("query", files["river"], "--hand", "88", *SPOT)[2].startswith("cfr: hand '88': in neither range")


@pytest.mark.parametrize("name", ["turn", "leduc"])
def test_tables_without_a_last_round_have_no_expected_values(run, files, name):
    code, out, err = run("export", files[name])
    assert code == 0
    rows = list(csv.DictReader(io.StringIO(out)))
    assert {row["ev_mbb"] + row["equity"] for row in rows} == {""}
    assert any(row["call"] for row in rows)
    assert err == (
        f"cfr: ev and equity stay empty: {files[name]}: the last round is left out; solve it from here: "
        f"cfr spot --strategy {files[name]} --board ... --line ...\n"
    )
    assert run("export", files[name], "--no-ev") == (0, out, "")


@pytest.mark.parametrize(
    "command", ["play FILE", "train FILE", "match FILE uniform --hands 2", "review LOG --strategy FILE"]
)
@pytest.mark.parametrize(
    ("name", "said"), [("turn", "a solution of one spot"), ("leduc", "its last round is left out")]
)
def test_whole_hands_need_all_rounds(run, files, tmp_path, command, name, said):
    """One line, before a card is dealt."""
    log = tmp_path / "x.log"
    log.write_text("STATE:0:c:\n")
    words = command.replace("FILE", files[name]).replace("LOG", str(log)).split()
    code, out, err = run(*words)
    assert (code, out) == (2, "")
    assert err.startswith(f"cfr: {files[name]}: {said}")
    assert err.endswith("; expected a strategy of a whole game, such as small\n")
    assert err.count("\n") == 1


@pytest.mark.parametrize(
    ("name", "said"), [("river", "a solution of one spot"), ("leduc", "its last round is left out")]
)
def test_what_is_no_blueprint_is_not_solved_anew(run, files, name, said):
    hand = "AhKh" if name == "river" else "Ks"
    code, out, err = run("query", files[name], "--resolve", "river" if name == "river" else "flop", "--hand", hand)
    assert (code, out) == (2, "")
    assert err.startswith(f"cfr: re-solving {files[name]}: {said}")
    assert err.count("\n") == 1


def test_flops_are_not_those_of_a_spot(run, files):
    message = f"cfr: {files['river']}: a solution of one spot; expected a strategy of a whole game, such as small\n"
    assert run("flops", files["river"]) == (2, "", message)
    assert run("flops", files["river"], "--line", "rc/") == (2, "", message)
    code, out, err = run("flops", files["river"], "--preflop")
    assert (code, out, err.count("\n")) == (2, "", 1)


def test_where_there_is_no_ev_none_is_a_guess(run, files):
    """AhKh is the button's, whatever the big blind does, and no hand of the big blind's bets."""
    asked = ("query", files["checks"], "--hand", "AhKh", *SPOT, "--ev")
    assert "no hand bets here" in run(*asked[:3], "77", *asked[4:])[1]
    never = ("query", "--hand", "7c2d", "--line", "rr", "--ev")  # the supplied strategy's button folds it at once
    assert run(*never)[1].splitlines()[3:] == ["no EV: the strategy never plays this hand to this spot"]
    answer = json.loads(run(*never, "--json")[1])
    assert (answer["ev_mbb"], answer["ev_unlearnt"]) == (None, [])
    said = f"cfr: hand 'AhKh': not in the big blind's range of the solved spot {BOARD} {LINE}\n"
    assert run(*asked) == run(*asked, "--json") == run(*asked[:-1]) == (2, "", said)
    assert run(*asked[:-2], f"{LINE}c", "--ev")[0] == 0


def test_why_a_table_has_no_expected_values(run):
    """The reason is the flag's or the name's, and the advice is true."""
    asked = ("--board", "Td9d6h", "--line", "rc/", "--seat", "bb")
    for words in (["small+turn"], ["small", "--resolve", "turn"]):
        assert run("export", *words, *asked)[2] == (
            "cfr: ev and equity stay empty: expected values of a strategy that re-solves begin on the turn; "
            "its blueprint, named without +turn or --resolve, has some here\n"
        )
    assert run("export", "uniform+turn")[2] == (
        "cfr: ev and equity stay empty: expected values of a strategy that re-solves begin on the turn\n"
    )
    assert run("export", "uniform")[2] == (
        "cfr: ev and equity stay empty: 51,979,200 boards can follow, and there are no stored expected values; "
        "`cfr exploit FILE --save` stores them in a strategy file\n"
    )
