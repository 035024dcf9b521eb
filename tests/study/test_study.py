"""Tables for study: hands, classes and flops, as columns, files, frames and by the command line."""

import csv
import doctest
import io
import json
import re
import shutil
import sys
from dataclasses import replace
from math import comb
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest

from cfr import expected_values
from cfr.cli.main import main
from cfr.game.cards import parse_cards
from cfr.game.hand_classes import CLASS_NAMES, class_numbers
from cfr.game.rules import Game
from cfr.strategy import hand_table
from cfr.strategy.built_in import BuiltIn
from cfr.strategy.files.file import set_attributes
from cfr.strategy.hand_table import to_frame, write, write_csv
from cfr.study.flop_statistics import aggregate
from cfr.study.grid import grid
from cfr.system.errors import BadInputError, SaveError

HULHE = Game.bundled("hulhe")
COLUMNS = ["hand", "combos", "reach", "fold", "call", "raise", "ev_mbb", "equity"]
SPOT = ("Td9d6h2c3s", "rc/cc/rc/r")


def export(capsys, *arguments):
    assert main(["export", *map(str, arguments)]) == 0
    return capsys.readouterr().out


def query(capsys, *arguments, spot):
    assert main(["query", *map(str, arguments), "--board", spot[0], "--line", spot[1]]) == 0
    return capsys.readouterr().out


def test_no_text_of_a_table_is_a_formula():
    """Spreadsheet programs would compute a name that begins so; numbers stay numbers."""
    names = ["=1+1", "+2", "-3", "@sum", "\t=4", "AKs"]
    out = io.StringIO()
    write_csv(out, {"=name": np.array(names), "ev_mbb": np.array([-1.5, 2, np.nan, 0, -0.25, 1])})
    rows = list(csv.reader(io.StringIO(out.getvalue())))
    assert rows[0] == ["'=name", "ev_mbb"]
    assert [name for name, _ in rows[1:]] == ["'=1+1", "'+2", "'-3", "'@sum", "'\t=4", "AKs"]
    assert [number for _, number in rows[1:]] == ["-1.5", "2.0", "", "0.0", "-0.25", "1.0"]


class TestHandTable:
    def test_columns(self, hulhe):
        values = expected_values(hulhe, *SPOT)
        columns = values.table().columns()
        assert list(columns) == COLUMNS
        assert len(columns["hand"]) == comb(47, 2)
        number = HULHE.hand_number(parse_cards("AsKh"))
        row = columns["hand"].tolist().index("KhAs")
        assert columns["ev_mbb"][row] == values.ev[number]
        assert columns["equity"][row] == values.equity[number]
        assert [columns[name][row] for name in ("fold", "call", "raise")] == values.frequencies[number].tolist()
        more = values.table().columns(action_ev=True)
        assert [more[f"ev_{name}_mbb"][row] for name in ("fold", "call", "raise")] == values.action_ev[number].tolist()

    def test_what_is_illegal_or_not_reached_is_empty(self, hulhe):
        columns = hulhe.range("Td9d6h", "rc/").table().columns()
        assert np.isnan(columns["fold"]).all()
        assert not np.isnan(columns["call"]).any()
        reached = np.arange(1326) % 2.0
        spot = replace(BuiltIn("uniform").range(), reach=reached)
        for name in ("call", "raise"):
            assert np.isnan(spot.table().columns()[name]).tolist() == (reached == 0).tolist()

    def test_where_no_hand_gets_they_say_what_the_hands_would_do(self):
        never = BuiltIn("always-call").range("Td9d6h", "rc/c").table()
        for table in (never, never.by_class()):
            columns = table.columns()
            assert not columns["reach"].any()
            assert (columns["call"] == 1).all()
            assert np.isnan(columns["fold"]).all()

    def test_classes_are_weighted_means(self, hulhe):
        values = expected_values(hulhe, *SPOT)
        table = values.by_class()
        assert table.hands.tolist() == list(CLASS_NAMES)
        assert table.combos.sum() == comb(47, 2)
        for name in ("AA", "AKo", "T9s", "66"):
            number = CLASS_NAMES.index(name)
            members = np.flatnonzero(class_numbers() == number)
            live = members[~np.isin(HULHE.hands[members], parse_cards(SPOT[0])).any(axis=1)]
            assert table.combos[number] == len(live)
            assert table.reach[number] == pytest.approx(values.reach[live].mean())
            mean = np.average(values.frequencies[live], axis=0, weights=values.reach[live])
            np.testing.assert_allclose(table.frequencies[number], mean)
            for one, all_ in ((table.ev, values.ev), (table.equity, values.equity)):
                assert one[number] == pytest.approx(np.average(all_[live], weights=values.weight[live]))
            whole = np.average(values.action_ev[live], axis=0, weights=values.weight[live])
            np.testing.assert_allclose(table.action_ev[number], whole)

    def test_charts_show_the_same_numbers(self, hulhe):
        spot = hulhe.range("Td9d6h", "rc/c")
        np.testing.assert_array_equal(grid(spot).mix, spot.by_class().frequencies)

    def test_classes_are_hold_ems(self):
        spot = BuiltIn("uniform", Game.bundled("leduc")).range("", "r")
        assert spot.table().columns()["hand"].tolist() == ["Qh", "Qs", "Kh", "Ks", "Ah", "As"]
        with pytest.raises(BadInputError, match="only those have classes such as AKs"):
            spot.by_class()

    def test_a_seat_that_waits_has_no_frequencies(self, hulhe):
        waiting = hulhe.range("Td9d6h", "rc/c", seat=0)
        columns = waiting.by_class().columns()
        assert all(np.isnan(columns[name]).all() for name in ("fold", "call", "raise"))
        acting = hulhe.range("Td9d6h", "rc/", seat=0)
        checks = np.nan_to_num(acting.frequencies[:, 1])
        np.testing.assert_allclose(waiting.reach, acting.reach * checks)

    def test_a_walk_multiplies_up_to_the_spots_reach(self, hulhe):
        walked = hulhe.walk("Td9d6h", "rc/cr")
        assert [line for line, _ in walked] == ["", "r", "rc/", "rc/c", "rc/cr"]
        called = walked[1][1].frequencies[:, 1] * walked[2][1].frequencies[:, 1]
        np.testing.assert_allclose(walked[-1][1].reach, called)

    def test_samples_follow_reach(self, hulhe):
        spot = hulhe.range("Td9d6h", "rc/c")
        pairs = np.array([hand[0] == hand[2] for hand in spot.hands])
        spot = replace(spot, reach=np.where(pairs, spot.reach, spot.reach / 10))  # so that pairs are no small share
        drawn = spot.sample(20_000, seed=1)
        assert (drawn == spot.sample(20_000, seed=1)).all()
        expected = spot.reach[pairs].sum() / spot.reach.sum()
        assert np.mean([hand[0] == hand[2] for hand in drawn]) == pytest.approx(expected, abs=0.01)
        with pytest.raises(BadInputError, match="no hand gets"):
            BuiltIn("always-call").range("Td9d6h", "rc/c").sample(1)

    def test_frames_need_pandas(self, monkeypatch):
        columns = {"hand": np.array(["AA"]), "ev_mbb": np.array([1.5])}
        monkeypatch.setattr(hand_table, "find_spec", lambda name: None)
        with pytest.raises(
            BadInputError,
            match=r"pandas: pip install -e '\.\[frames\]' in a clone, or pip install 'cfr-holdem\[frames\]'",
        ):
            to_frame(columns)
        monkeypatch.setattr(hand_table, "find_spec", lambda name: name)
        monkeypatch.setitem(sys.modules, "pandas", SimpleNamespace(DataFrame=lambda given: ("frame", given)))
        assert to_frame(columns) == ("frame", columns)

    def test_frames(self, hulhe):
        pandas = pytest.importorskip("pandas")
        frame = hulhe.range("Td9d6h", "rc/").to_frame()
        assert isinstance(frame, pandas.DataFrame)
        assert list(frame.columns) == [*COLUMNS[:-2], "ev_mbb", "equity"]
        assert frame["fold"].isna().all()

    def test_frames_have_the_columns_numbers(self, hulhe):
        pytest.importorskip("pandas")
        values = expected_values(hulhe, *SPOT)
        for table in (values.table(), values.by_class()):
            columns, frame = table.columns(action_ev=True), table.to_frame(action_ev=True)
            values = ["ev_mbb", "equity", "ev_fold_mbb", "ev_call_mbb", "ev_raise_mbb"]
            assert list(frame.columns) == [*list(columns)[:-5], *values]
            for name, expected in zip(frame, columns.values(), strict=True):
                np.testing.assert_array_equal(frame[name].to_numpy(), expected)
            assert frame["combos"].dtype == np.int64
            assert frame["ev_mbb"].dtype == np.float64
        by_suits = aggregate(hulhe, ["rc/"]).to_frame(by="suits")
        assert by_suits.set_index(["statistic", "seat", "suits"]).loc[("bet", "big blind", "rainbow"), "line"] == "rc/"


class TestFiles:
    @pytest.fixture
    def columns(self):
        return {"hand": np.array(["AA", "KK"]), "combos": np.array([6, 3]), "ev_mbb": np.array([0.1 + 0.2, np.nan])}

    def test_csv_keeps_every_bit(self, columns, tmp_path):
        write(tmp_path / "x.csv", columns)
        assert (tmp_path / "x.csv").read_text() == "hand,combos,ev_mbb\nAA,6,0.30000000000000004\nKK,3,\n"

    def test_parquet(self, columns, tmp_path):
        parquet = pytest.importorskip("pyarrow.parquet")
        write(tmp_path / "x.parquet", columns)
        assert parquet.read_table(tmp_path / "x.parquet").to_pydict() == {
            "hand": ["AA", "KK"],
            "combos": [6, 3],
            "ev_mbb": [0.1 + 0.2, None],
        }

    @pytest.mark.thorough
    def test_commands_write_parquet(self, hulhe, tmp_path, capsys):
        parquet = pytest.importorskip("pyarrow.parquet")
        for words in (["--line", SPOT[1], "--board", SPOT[0]], ["--line", "r", "--no-ev", "--classes"]):
            files = [tmp_path / f"spot.{suffix}" for suffix in ("csv", "parquet")]
            for file in files:
                count = "1,081" if "--board" in words else "169"
                assert export(capsys, hulhe.path, *words, "--out", file) == f"wrote {file}: {count} rows\n"
            with files[0].open(encoding="utf-8", newline="") as file:
                rows = list(csv.DictReader(file))
            read = parquet.read_table(files[1])
            assert read.column_names == COLUMNS
            assert [str(kind) for kind in read.schema.types] == ["string", "int64", *["double"] * 6]
            assert [{k: "" if v is None else str(v) for k, v in row.items()} for row in read.to_pylist()] == rows
        out = tmp_path / "flops.parquet"
        assert main(["flops", "always-call", "--line", "cc/", "--by", "suits", "--out", str(out)]) == 0
        table = parquet.read_table(out)
        assert table.column_names == ["statistic", "seat", "line", "suits", "flops", "share", "reached", "frequency"]
        assert table["frequency"].null_count > 0  # of spots that nobody comes to

    def test_pandas_reads_the_parquet(self, hulhe, tmp_path):
        pandas = pytest.importorskip("pandas")
        pytest.importorskip("pyarrow")
        table = expected_values(hulhe, *SPOT).table()
        write(tmp_path / "x.parquet", table.columns())
        frame = table.to_frame().rename(columns={"ev_mbb": "ev_mbb"})
        pandas.testing.assert_frame_equal(pandas.read_parquet(tmp_path / "x.parquet"), frame)

    def test_what_cannot_be_written(self, columns, tmp_path, monkeypatch):
        with pytest.raises(BadInputError, match=r"\.csv or \.parquet"):
            write(tmp_path / "x.xls", columns)
        with pytest.raises(SaveError, match="there is no folder"):
            write(tmp_path / "missing" / "x.csv", columns)
        monkeypatch.setattr(hand_table, "find_spec", lambda name: None)
        with pytest.raises(
            BadInputError,
            match=r"pyarrow: pip install -e '\.\[parquet\]' in a clone, or pip install 'cfr-holdem\[parquet\]'",
        ):
            write(tmp_path / "x.parquet", columns)
        assert not list(tmp_path.iterdir())


class TestExport:
    def test_the_file_has_the_numbers_of_the_api_and_of_query(self, hulhe, tmp_path, capsys):
        out = tmp_path / "spot.csv"
        assert (
            export(capsys, hulhe.path, "--board", SPOT[0], "--line", SPOT[1], "--out", out)
            == f"wrote {out}: 1,081 rows\n"
        )
        rows = {row["hand"]: row for row in csv.DictReader(io.StringIO(out.read_text()))}
        assert list(next(iter(rows.values()))) == COLUMNS
        columns = expected_values(hulhe, *SPOT).table().columns()
        assert list(rows) == columns["hand"].tolist()
        assert [float(row["ev_mbb"]) for row in rows.values()] == columns["ev_mbb"].tolist()
        assert [float(row["equity"]) for row in rows.values()] == columns["equity"].tolist()
        for hand in ("KhAs", "2d2h", "7c8c"):
            asked = hulhe.probabilities(hand, *SPOT)
            assert {name: float(rows[hand][name]) for name in asked} == asked

    def test_query_has_the_values_of_the_export(self, hulhe, capsys):
        text = export(capsys, hulhe.path, "--board", SPOT[0], "--line", SPOT[1], "--action-ev", "--json")
        rows = {row["hand"]: row for row in json.loads(text)}
        for hand in ("KhAs", "2d2h"):
            said = json.loads(query(capsys, hulhe.path, "--hand", hand, "--ev", "--json", spot=SPOT))
            wanted = {name: value for name, value in rows[hand].items() if name not in ("hand", "combos")}
            assert {name: said[name] for name in wanted} == wanted
            assert list(said)[:3] == ["hand", "board", "line"]
        assert "ev_mbb" not in json.loads(query(capsys, hulhe.path, "--hand", "KhAs", "--json", spot=SPOT))

    def test_classes_as_json(self, capsys):
        text = export(capsys, "always-call", "--board", "Td9d6h2c", "--line", "cc/cc/", "--classes", "--json")
        rows = json.loads(text)
        assert [row["hand"] for row in rows] == list(CLASS_NAMES)
        assert list(rows[0]) == COLUMNS
        assert rows[0]["fold"] is None
        assert rows[0]["ev_mbb"] == pytest.approx(1000 * (2 * rows[0]["equity"] - 1))

    def test_before_the_flop_evs_are_empty_and_it_says_so(self, capsys):
        assert main(["export", "uniform", "--line", "r"]) == 0
        printed = capsys.readouterr()
        assert "ev and equity stay empty: 51,979,200 boards can follow" in printed.err
        rows = list(csv.DictReader(io.StringIO(printed.out)))
        assert len(rows) == 1326
        assert {(row["fold"], row["ev_mbb"]) for row in rows} == {(str(1 / 3), "")}

    def test_before_the_flop_evs_are_there_if_the_file_has_them(self, hulhe_file, tmp_path, capsys):
        path = tmp_path / "values.h5"
        shutil.copy(hulhe_file, path)
        set_attributes(path, {}, np.ones((2, 7, 1326)))
        assert main(["export", str(path), "--line", "r", "--action-ev"]) == 0
        printed = capsys.readouterr()
        assert printed.err == ""
        rows = list(csv.DictReader(io.StringIO(printed.out)))
        assert {row["ev_fold_mbb"] for row in rows} == {"-1000.0"}
        assert all(row["ev_mbb"] and row["equity"] for row in rows)

    def test_seats_and_actions(self, capsys):
        text = export(capsys, "uniform", "--board", "Td9d6h2c3s", "--line", "cc/cc/cc/r", "--action-ev")
        row = next(csv.DictReader(io.StringIO(text)))
        assert list(row) == [*COLUMNS, "ev_fold_mbb", "ev_call_mbb", "ev_raise_mbb"]
        assert float(row["ev_fold_mbb"]) == -1000
        text = export(capsys, "uniform", "--board", "Td9d6h2c3s", "--line", "cc/cc/cc/r", "--seat", "bb")
        row = next(csv.DictReader(io.StringIO(text)))
        assert row["call"] == ""
        assert row["ev_mbb"] != ""

    @pytest.mark.parametrize(
        ("arguments", "said"),
        [
            (["uniform", "--out", "x.xls"], ".csv or .parquet"),
            (["uniform", "--line", "rx"], "at position 2, 'x' is illegal"),
            (["uniform", "--line", "rc/"], "there are 3"),
            (["missing.h5"], "missing.h5"),
            (["uniform", "--seat", "middle"], "middle"),
        ],
    )
    def test_bad_input_gets_one_line(self, capsys, arguments, said):
        try:
            code = main(["export", *arguments])
        except SystemExit as stop:
            code = stop.code
        printed = capsys.readouterr()
        assert code == 2
        assert said in printed.err
        assert printed.err.count("\n") == 1


def test_the_pages_examples(monkeypatch):
    root = Path(__file__).parents[2]
    monkeypatch.chdir(root)
    page = (root / "docs" / "study.md").read_text("utf-8")
    [block] = re.findall(r"```python\n(.*?)```", page, re.DOTALL)
    test = doctest.DocTestParser().get_doctest(block, {}, "study", "study.md", 0)
    assert doctest.DocTestRunner().run(test).failed == 0
