"""Charts: what the cells show is what the strategy plays."""

import re
import struct
import sys
from xml.etree import ElementTree

import numpy as np
import pytest

from cfr import expected_values, solve_spot
from cfr.game.colours import DIM, THEMES
from cfr.game.hand_classes import CLASS_NAMES
from cfr.game.ranges import Range
from cfr.game.rules import Game
from cfr.strategy.built_in import BuiltIn
from cfr.strategy.spot_range import SpotRange, hand_names
from cfr.strategy.strategy import BaseStrategy
from cfr.study.grid import grid
from cfr.study.picture import save_png, svg
from cfr.study.text_chart import terminal
from cfr.system.errors import BadInputError, CfrError

HULHE = Game.bundled("hulhe")
SVG = "{http://www.w3.org/2000/svg}"


class Scripted(BaseStrategy):
    """Preflop: raises one range, calls with another, folds the rest; later half checks, half bets."""

    def __init__(self, raised, called):
        self.game = HULHE
        self.betting = BuiltIn("uniform").betting
        self._raised, self._called = (Range.parse(text).weights for text in (raised, called))

    def distribution(self, state, hand, board):
        low, high = sorted(hand)
        return tuple(self.all_hands(state, board)[high * (high - 1) // 2 + low])

    def all_hands(self, state, board):
        if state.round:
            return np.tile([0.0, 0.5, 0.5], (1326, 1))
        return np.stack([1 - self._raised - self._called, self._called, self._raised], axis=1)


SCRIPTED = Scripted("QQ+,AKs,AKo:0.75", "JJ-22,AQs-A2s,AcJd")


def test_the_grid_weighs_by_reach():
    spot = SCRIPTED.range()
    chart = grid(spot)
    at = {name: number for number, name in enumerate(CLASS_NAMES)}
    assert chart.mix[at["AA"]].tolist() == [0, 0, 1]
    assert chart.mix[at["AKo"]].tolist() == [0.25, 0, 0.75]
    assert chart.mix[at["AJo"]] == pytest.approx([11 / 12, 1 / 12, 0])
    assert chart.weight.tolist() == [1] * 169
    assert chart.combos == 1326
    raised, called = 18 + 4 + 9, 60 + 44 + 1
    assert chart.total == pytest.approx([1 - (raised + called) / 1326, called / 1326, raised / 1326])


def test_cards_on_the_board_and_reach_count():
    chart = grid(SCRIPTED.range("Kh7h2s", "rc/c"))
    at = {name: number for number, name in enumerate(CLASS_NAMES)}
    assert chart.weight[at["KK"]] == 1
    assert chart.weight[at["AKo"]] == 0.75
    assert chart.weight[at["JTs"]] == 0
    assert chart.mix[at["JTs"]].tolist() == [0, 0, 0]
    assert chart.combos == pytest.approx(6 + 3 + 6 + 3 + 9 * 0.75)
    assert chart.total == pytest.approx([0, 0.5, 0.5])


def test_a_range_that_never_gets_there():
    empty = SpotRange(0, hand_names(HULHE), np.zeros(1326), np.full((1326, 3), 1 / 3))
    chart = grid(empty)
    assert not chart.mix.any()
    assert chart.total.tolist() == [0, 0, 0]


def test_plain_text_says_it_all():
    text = terminal(SCRIPTED)
    lines = text.splitlines()
    assert lines[0] == "hulhe: button to act preflop, pot 15 (1.5 bb)"
    cells = re.findall(r"([2-9TJQKA]{2}[so]?) +([fcr])(\d+)", "\n".join(lines[2:15]))
    assert [name for name, _, _ in cells] == list(CLASS_NAMES)
    found = {name: letter + share for name, letter, share in cells}
    assert (found["AA"], found["AKo"], found["AQs"], found["72o"]) == ("r100", "r75", "c100", "f100")
    assert lines[-1] == "f fold 89.7%   c call 7.9%   r raise 2.3%   1326.0 combos"
    assert all(len(line) <= 120 for line in lines)


def test_the_title_says_who_acts_and_where():
    flop = terminal(SCRIPTED, "Kh7h2s", "rc/c").splitlines()[0]
    assert flop == "hulhe: button to act on the flop, board Kh7h2s, pot 40 (4 bb), after rc/c"
    assert "hulhe: big blind facing a raise preflop, pot 30 (3 bb), after r\n" in terminal(SCRIPTED, line="r")
    legend = terminal(SCRIPTED, "Kh7h2s", "rc/c").splitlines()[-2:]
    assert legend == ["c check 50.0%   r bet 50.0%   24.8 combos", ". does not get here"]
    assert "JTs ." in terminal(SCRIPTED, "Kh7h2s", "rc/c")


def test_partial_reach_is_darker():
    text = terminal(SCRIPTED, "Kh7h2s", "rc/c", colour=True)
    whole, absent = ("48;2;{};{};{}".format(*colour) for colour in (THEMES["standard"][1], DIM))
    lines = text.splitlines()
    first, second = (line.split("\x1b[0m ") for line in lines[2:4])
    assert whole in first[0]  # AA
    assert whole not in second[0]  # three of four AKo
    assert absent not in second[0]
    assert absent in first[2]  # AQs
    assert lines[-2:] == ["darker: only a part of the class gets here", "grey: does not get here"]
    assert "darker" not in terminal(SCRIPTED, colour=True)


@pytest.mark.parametrize("theme", THEMES)
def test_colours_are_shares(theme):
    text = terminal(SCRIPTED, theme=theme, colour=True)
    lines = text.splitlines()[2:15]
    for line in lines:
        assert len(re.sub(r"\x1b\[[\d;]*m", "", line)) == 13 * 6 - 1
    fold, call, raise_ = ("48;2;{};{};{}".format(*colour) for colour in THEMES[theme])
    first = lines[0]
    assert first.startswith(f"\x1b[{raise_}m")
    assert fold not in first.split("AKs")[0]
    assert call in first
    # AKo, first of the second row: one column of five folds, four raise.
    painted = re.findall(r"\x1b\[(48[\d;]*)m\x1b\[[\d;]*m([^\x1b]*)", lines[1])
    assert painted[:2] == [(fold, " "), (raise_, "AKo ")]


def test_themes_are_told_apart_without_red_and_green():
    # Okabe and Ito's blue, yellow and vermillion differ in brightness, too.
    brightness = sorted(0.299 * r + 0.587 * g + 0.114 * b for r, g, b in THEMES["colour-blind"])
    assert min(np.diff(brightness)) > 25


def test_svg_bars_are_shares():
    picture = ElementTree.fromstring(svg(SCRIPTED, "Kh7h2s", "rc/c"))
    assert picture.findtext(f"{SVG}title") == (
        "hulhe: button to act on the flop, board Kh7h2s, pot 40 (4 bb), after rc/c"
    )
    labels = [text.text for text in picture.iter(f"{SVG}text")]
    assert [label for label in labels if label in CLASS_NAMES] == list(CLASS_NAMES)
    assert {"check 50.0%", "bet 50.0%", "24.8 combos"} <= set(labels)
    assert not any("fold" in label for label in labels)
    colours = ["#{:02x}{:02x}{:02x}".format(*colour) for colour in THEMES["standard"]]
    bars = [rect for rect in picture.iter(f"{SVG}rect") if rect.get("fill") in colours]
    inner, there = 52, 5
    # Two bars for each class that is there, and the legend.
    assert len(bars) == 2 * there + 2
    half = [rect for rect in bars if float(rect.get("width")) == inner / 2]
    assert len(half) == 2 * there
    assert sorted({float(rect.get("height")) for rect in half}) == [0.75 * inner, inner]


@pytest.fixture(scope="module")
def river(hulhe):
    """A spot and what it is worth, in big blinds per hand, by class."""
    spot = ("Td9d6h2c3s", "cc/cc/cc/")
    values = expected_values(hulhe, *spot)
    classes = values.by_class()
    return spot, values, {name: f"{ev / 1000:+.2f}" for name, ev in zip(CLASS_NAMES, classes.ev, strict=True)}


def test_evs_are_those_of_the_spot(hulhe, river):
    spot, values, evs = river
    lines = terminal(hulhe, *spot, values=values).splitlines()
    cells = re.findall(r"([2-9TJQKA]{2}[so ])([+-]\d\.\d\d)", "\n".join(lines[2:15]))
    assert len(cells) == 169
    assert {name.strip(): said for name, said in cells} == evs
    assert all(len(line) <= 120 for line in lines)
    mean = np.average(values.ev[values.weight > 0], weights=values.weight[values.weight > 0]) / 1000
    assert lines[16] == f"EV in big blinds per hand, mean {mean:+.2f}   {values.reach.sum():.1f} combos"


def test_evs_have_colours_from_losing_to_winning(hulhe, river):
    spot, values, _ = river
    lines = terminal(hulhe, *spot, colour=True, values=values).splitlines()
    painted = re.findall(
        r"48;2;(\d+);(\d+);(\d+)m\x1b\[[\d;]*m([2-9TJQKA]{2}[so ])([+-][\d.]+)", "\n".join(lines[2:15])
    )
    assert len(painted) == 169
    for red, _, blue, name, said in painted:
        if abs(float(said)) > 0.2:
            assert (int(red) > int(blue)) == (float(said) < 0), name
    assert [line.count("\x1b[0m") for line in lines[2:17]] == [13] * 13 + [0, 2]
    assert re.sub(r"\x1b\[[\d;]*m", "", lines[16]).startswith("   loses      wins   EV in big blinds per hand, mean ")


def test_evs_in_a_picture(hulhe, river):
    spot, values, evs = river
    labels = [text.text for text in ElementTree.fromstring(svg(hulhe, *spot, values=values)).iter(f"{SVG}text")]
    for name, said in evs.items():
        assert labels[labels.index(name) + 1] == said
    assert {"loses", "wins"} <= set(labels)
    assert any(label.startswith("EV in big blinds per hand, mean ") for label in labels)


def test_hands_without_an_ev_are_marked():
    """The solved spot's button has aces alone, of which the board has one: two more leave it none."""
    solved = solve_spot("As9d6h2c3s", button="AA", big_blind="AA,KK", pot=40, iterations=2, threads=1)
    values = expected_values(solved.strategy, "As9d6h2c3s", "rc/cc/cc/")
    lines = terminal(solved.strategy, "As9d6h2c3s", "rc/cc/cc/", values=values).splitlines()
    assert lines[2].split()[:2] == ["AA", "-"]
    assert "-: no opposing hand that it can meet gets here" in lines


def test_what_is_shown_against_a_presumed_range():
    caller, spot = BuiltIn("always-call"), ("Td9d6h2c3s", "cc/cc/cc/r")
    values = expected_values(caller, *spot)  # of the button, facing a bet that the big blind never makes
    lines = terminal(caller, *spot, values=values).splitlines()
    assert lines[2].split()[0] == "AA"
    assert float(lines[2].split()[1]) > 0
    assert lines[16:] == [
        "EV in big blinds per hand, mean +0.00   1081.0 combos",
        "against a presumed range: the other seat never comes here",
    ]
    spot = ("Td9d6h2c3s", "cc/cc/cc/rr")
    values = expected_values(caller, *spot)  # and now of the big blind
    lines = terminal(caller, *spot, values=values).splitlines()
    assert lines[-1] == "~ never played: no hand of the big blind gets here; this is what it would do"


def test_a_line_that_is_never_played_shows_what_the_seat_would_do():
    """The button never limps; facing a raise of its limp, it plays as before the limp, and has no range of its own."""
    raiser = Scripted("QQ+,AKs", "random:0")
    spot = raiser.range("", "cr")
    assert not spot.is_played
    assert not spot.reach.any()
    assert spot.shown.tolist() == [1] * 1326
    text = terminal(raiser, "", "cr")
    assert "AA ~r100 AKs~r100 AQs~f100" in text
    assert text.splitlines()[-1] == "~ never played: no hand of the button gets here; this is what it would do"
    assert "~" not in terminal(raiser, "", "")
    # A raise that some hands make narrows the range, a limp that none makes does not.
    assert raiser.range("Td9d6h", "crrc/c").shown.sum() == Range.parse("QQ+,AKs").weights.sum()


def test_pictures_hatch_what_is_never_played(tmp_path):
    raiser = Scripted("QQ+,AKs", "random:0")
    never, played = (ElementTree.fromstring(svg(raiser, "", line)) for line in ("cr", ""))
    assert len([rect for rect in never.iter(f"{SVG}rect") if rect.get("fill") == "url(#hatching)"]) > 169
    assert played.find(f"{SVG}defs") is None
    assert any("never played" in (text.text or "") for text in never.iter(f"{SVG}text"))


@pytest.mark.thorough
def test_a_png_is_hatched_too(tmp_path):
    image = pytest.importorskip("matplotlib.image")
    raiser = Scripted("QQ+,AKs", "random:0")
    shades = []
    for line in ("cr", "rr"):
        save_png(tmp_path / "x.png", raiser, "", line)
        cell = image.imread(tmp_path / "x.png")[220:240, 320:350]  # of AQs, no text in it
        shades.append(len(np.unique(cell.reshape(-1, cell.shape[-1]), axis=0)))
    assert shades[0] > shades[1] == 1


def test_the_table_of_other_games_marks_hands_that_are_never_there():
    caller = BuiltIn("always-call", Game.bundled("leduc"))
    lines = terminal(caller, "Ks", "rc/").splitlines()
    assert all(line.endswith("never played") for line in lines[3:8])
    assert lines[-1] == "never played: no hand of the big blind gets here; this is what it would do"


def test_other_games_have_evs_in_the_table():
    caller = BuiltIn("always-call", Game.bundled("leduc"))
    text = terminal(caller, "Ks", "cc/", values=expected_values(caller, "Ks", "cc/")).splitlines()
    assert text[2].split() == ["hand", "reach", "check", "bet", "EV"]
    evs = {line.split()[0]: line.split()[-1] for line in text[3:8]}
    assert (evs["Kh"], evs["Qs"]) == ("+1.00", "-0.75")
    assert text[-1].endswith("EV in big blinds per hand, mean +0.00")
    never = terminal(caller, "Ks", "rc/", values=expected_values(caller, "Ks", "rc/", seat=0)).splitlines()
    assert never[3].split()[-3:] == ["-2.25", "never", "played"]


def test_png_has_the_size_of_the_svg(tmp_path):
    pytest.importorskip("matplotlib")
    path = tmp_path / "chart"
    save_png(path, SCRIPTED, "Kh7h2s", "rc/c")
    head = path.read_bytes()[:24]
    picture = ElementTree.fromstring(svg(SCRIPTED))
    assert head[:8] == b"\x89PNG\r\n\x1a\n"
    assert struct.unpack(">II", head[16:]) == tuple(2 * int(picture.get(side)) for side in ("width", "height"))


def test_png_names_what_it_needs(tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "matplotlib.figure", None)
    with pytest.raises(
        BadInputError, match=r"pip install -e '\.\[plot\]' in a clone, or pip install 'cfr-holdem\[plot\]'"
    ):
        save_png(tmp_path / "chart.png", SCRIPTED)
    assert not list(tmp_path.iterdir())


def test_a_grid_is_for_holdem():
    with pytest.raises(BadInputError, match="6 hands"):
        svg(BuiltIn("uniform", Game.bundled("leduc")))


def test_text_from_outside_is_escaped():
    game = Game.parse(HULHE.text(), "a<b&c")
    picture = ElementTree.fromstring(svg(BuiltIn("uniform", game)))
    assert picture.findtext(f"{SVG}title") == "a<b&c: button to act preflop, pot 15 (1.5 bb)"


def test_other_games_have_a_table():
    text = terminal(BuiltIn("uniform", Game.bundled("leduc")), "Ks", "rc/r")
    lines = text.splitlines()
    assert lines[2].split() == ["hand", "reach", "fold", "call", "raise"]
    assert [line.split()[0] for line in lines[3:8]] == ["Qh", "Qs", "Kh", "Ah", "As"]
    assert lines[3].split() == ["Qh", "0.333", "0.333", "0.333", "0.333"]


def test_errors_are_the_strategys():
    with pytest.raises(CfrError, match="board"):
        terminal(SCRIPTED, "Kh7h", "rc/")
    with pytest.raises(CfrError, match="line"):
        svg(SCRIPTED, "", "rrrrr")
