"""How often each seat bets, raises and folds on flops, and before them: by hand, in groups, and by the command."""

import csv
import io
import json
import re
from math import comb

import numpy as np
import pytest

from cfr.cli.main import main
from cfr.game.cards import format_cards, parse_cards
from cfr.game.rules import Game
from cfr.hands.flops import first_boards
from cfr.strategy.built_in import BuiltIn
from cfr.study.flop_statistics import KINDS, aggregate, before_the_flop, kinds_of
from cfr.system.errors import BadInputError
from tests.thorough import thorough

HULHE = Game.bundled("hulhe")


@pytest.fixture(scope="module")
def rc(hulhe):
    return aggregate(hulhe, ["rc/"])


class TestFlops:
    def test_kinds_count_all_flops(self):
        flops = first_boards(HULHE)
        kinds, times = kinds_of(flops.cards), flops.share * comb(52, 3)

        def count(kind):
            return {value: round(float(times[kinds[kind] == value].sum())) for value in KINDS[kind]}

        assert count("paired") == {"unpaired": 286 * 64, "paired": 13 * 12 * 6 * 4, "trips": 52}
        assert count("suits") == {"rainbow": 8788, "two-tone": 12168, "monotone": 1144}
        assert count("high")["A"] == comb(52, 3) - comb(48, 3)
        assert sum(count("straights").values()) == comb(52, 3)

    @pytest.mark.parametrize(
        ("flop", "straights"),
        [
            *((flop, "3") for flop in ("9cTdJh", "3c4d5h")),
            *((flop, "2") for flop in ("JcQdKh", "2c3d4h", "9cTdQh")),
            *((flop, "1") for flop in ("QcKdAh", "Ac2d3h", "9cTdKh", "2cAd5h")),
            *((flop, "0") for flop in ("9cTdAh", "9c9dTh", "2c7dQh")),
        ],
    )
    def test_straights(self, flop, straights):
        assert kinds_of(np.array([parse_cards(flop)], np.uint8))["straights"].tolist() == [straights]

    @pytest.mark.parametrize("number", [*thorough(0), 700, 1754])
    def test_equal_all_pairs_of_hands_of_a_flop(self, hulhe, rc, number):
        board = format_cards(rc.boards[number].tolist())
        apart = ~np.array([np.isin(HULHE.hands, hand).any(axis=1) for hand in HULHE.hands])
        pairs = comb(49, 2) * comb(47, 2)
        for each, reached, taken in zip(rc.statistics, rc.reached[:, number], rc.taken[:, number], strict=True):
            spot = hulhe.range(board, each.line)
            weight = spot.reach * (apart @ hulhe.range(board, each.line, 1 - spot.seat).reach)
            assert spot.seat == each.seat
            played = spot.frequencies[:, "fcr".index(each.action)]
            share = rc.share[number] / pairs
            assert reached == pytest.approx(weight.sum() * share, rel=1e-6)
            assert taken == pytest.approx((weight * played).sum() * share, rel=1e-6)

    def test_statistics_of_a_raised_pot(self, rc):
        found = [(each.name, each.seat, each.line, each.action) for each in rc.statistics]
        assert found == [
            ("bet", 0, "rc/", "r"),
            ("continuation-bet", 1, "rc/c", "r"),
            ("check-back", 1, "rc/c", "c"),
            ("fold-to-bet", 1, "rc/r", "f"),
            ("raise", 1, "rc/r", "r"),
            ("fold-to-bet", 0, "rc/cr", "f"),
            ("check-raise", 0, "rc/cr", "r"),
            ("fold-to-raise", 0, "rc/rr", "f"),
            ("three-bet", 0, "rc/rr", "r"),
            ("fold-to-raise", 1, "rc/crr", "f"),
            ("three-bet", 1, "rc/crr", "r"),
        ]

    def test_groups_add_up(self, rc):
        whole = rc.columns()
        for kind in KINDS:
            parts = rc.columns(by=kind)
            for number in range(len(rc.statistics)):
                rows = parts["statistic"].size // len(rc.statistics)
                part = slice(number * rows, (number + 1) * rows)
                assert parts["share"][part].sum() == pytest.approx(1)
                reached = parts["share"][part] * parts["reached"][part]
                assert reached.sum() == pytest.approx(whole["reached"][number])
                mean = np.average(parts["frequency"][part], weights=reached)
                assert mean == pytest.approx(whole["frequency"][number])

    def test_filters(self, rc):
        chosen = rc.select(suits=["monotone"], high=["A", "K"])
        assert 0 < chosen.sum() < rc.select(suits=["monotone"]).sum()
        columns = rc.columns(chosen)
        assert set(columns["flops"].tolist()) == {int(chosen.sum())}
        with pytest.raises(BadInputError, match="rainbows"):
            rc.select(suits=["rainbows"])
        with pytest.raises(BadInputError, match="colour"):
            rc.columns(by="colour")

    def test_spots_that_are_never_reached(self):
        columns = aggregate(BuiltIn("always-call"), ["rc/"]).columns()
        assert not columns["reached"].any()
        assert np.isnan(columns["frequency"]).all()

    def test_before_the_flop_by_the_command(self, capsys, tmp_path):
        out = tmp_path / "preflop.csv"
        assert main(["flops", "uniform", "--preflop", "--json", "--out", str(out)]) == 0
        printed = json.loads(capsys.readouterr().out)
        assert printed[0] == {
            "statistic": "three-bet",
            "seat": "button",
            "line": "cr",
            "reached": pytest.approx(1 / 6),  # the button calls one time in three, the big blind raises one in two
            "frequency": pytest.approx(1 / 3),
        }
        rows = list(csv.DictReader(io.StringIO(out.read_text())))
        assert [(row["statistic"], row["line"]) for row in rows] == [(row["statistic"], row["line"]) for row in printed]

    @pytest.mark.thorough
    def test_command(self, capsys, tmp_path):
        out = tmp_path / "flops.csv"
        assert main(["flops", "uniform", "--line", "rc", "--suits", "monotone", "--by", "high", "--out", str(out)]) == 0
        assert capsys.readouterr().out.startswith(f"wrote {out}: ")
        rows = list(csv.DictReader(io.StringIO(out.read_text())))
        assert list(rows[0]) == ["statistic", "seat", "line", "high", "flops", "share", "reached", "frequency"]
        assert {row["frequency"] for row in rows if row["statistic"] == "continuation-bet"} == {"0.5"}
        assert main(["flops", "always-call", "--line", "cc/"]) == 0
        head, first, *rest = capsys.readouterr().out.splitlines()
        assert head.split() == ["statistic", "seat", "line", "flops", "share", "reached", "frequency"]
        assert first.split() == ["bet", "big", "blind", "cc/", "1755", "100.0", "%", "100.0", "%", "0.0", "%"]
        assert rest[-1].endswith(" -")
        assert main(["flops", "always-call", "--suits", "monotone"]) == 0
        printed, said = capsys.readouterr()
        assert [line.split()[0] for line in printed.splitlines()] == ["statistic", "bet", "bet", "check-back"]
        assert re.fullmatch(r"cfr: left out \d+ rows? of spots that no hand comes to; --line shows them\n", said)
        assert main(["flops", "uniform", "--line", "cc/", "--suits", "monotone", "--json", "--progress"]) == 0
        printed, bar = capsys.readouterr()
        assert "counting flops" in bar
        first = json.loads(printed)[0]
        assert first["statistic"] == "bet"
        assert first["flops"] == 286
        assert first["reached"] == pytest.approx(1 / 3 * 1 / 2)

    @pytest.mark.parametrize(
        ("arguments", "said"),
        [
            (["uniform", "--line", "r"], "'r' does not end where the flop is dealt; expected"),
            (["uniform", "--line", "rc", "--high", "1"], "'1'"),
            (["uniform", "--line", "rc", "--paired", "trips", "--straights", "3"], "no flop of all these kinds"),
            (["uniform", "--out", "x.pdf"], ".csv or .parquet"),
        ],
    )
    def test_bad_input_gets_one_line(self, capsys, arguments, said):
        assert main(["flops", *arguments]) == 2
        printed = capsys.readouterr()
        assert said in printed.err
        assert printed.err.count("\n") == 1

    def test_other_games_have_no_flops(self):
        with pytest.raises(BadInputError, match="leduc has no flops"):
            aggregate(BuiltIn("uniform", Game.bundled("leduc")))


class TestBeforeTheFlop:
    def test_equal_all_pairs_of_hands(self, hulhe):
        columns = before_the_flop(hulhe)
        apart = ~np.array([np.isin(HULHE.hands, hand).any(axis=1) for hand in HULHE.hands])
        rows = zip(*(columns[name].tolist() for name in columns), strict=True)
        for name, seat, line, reached, frequency in rows:
            spot = hulhe.range("", line)
            weight = spot.reach * (apart @ hulhe.range("", line, 1 - spot.seat).reach)
            played = spot.frequencies[:, 0 if name.startswith("fold") else 2]
            assert seat == ("big blind", "button")[spot.seat]
            assert reached == pytest.approx(weight.sum() / (comb(52, 2) * comb(50, 2)))
            assert frequency == pytest.approx((weight * played).sum() / weight.sum())

    def test_names(self):
        columns = before_the_flop(BuiltIn("uniform"))
        assert list(zip(*(columns[name].tolist() for name in ("statistic", "seat", "line")), strict=True)) == [
            ("three-bet", "button", "cr"),
            ("fold-to-three-bet", "big blind", "crr"),
            ("four-bet", "big blind", "crr"),
            ("fold-to-four-bet", "button", "crrr"),
            ("three-bet", "big blind", "r"),
            ("fold-to-three-bet", "button", "rr"),
            ("four-bet", "button", "rr"),
            ("fold-to-four-bet", "big blind", "rrr"),
        ]
        assert columns["frequency"] == pytest.approx([1 / 3, 1 / 3, 1 / 3, 1 / 2] * 2)

    def test_command(self, capsys):
        assert main(["flops", "always-raise", "--preflop"]) == 0
        head, first, *rest = capsys.readouterr().out.splitlines()
        assert head.split() == ["statistic", "seat", "line", "reached", "frequency"]
        assert first.split() == ["three-bet", "button", "cr", "0.0", "%", "-"]
        assert rest[3].split() == ["three-bet", "big", "blind", "r", "100.0", "%", "100.0", "%"]
        assert main(["flops", "uniform", "--preflop", "--by", "suits"]) == 2
        assert "--preflop is about no flop" in capsys.readouterr().err
        with pytest.raises(BadInputError, match="leduc has no hands of two cards"):
            before_the_flop(BuiltIn("uniform", Game.bundled("leduc")))
