"""What notebooks show: well-formed, and the numbers of what is shown."""

import re
from xml.etree import ElementTree

import numpy as np
import pytest

import cfr
from cfr.game.hand_classes import CLASS_NAMES
from cfr.game.notebook import table_html

SPOT = ("Td9d6h2c3s", "rc/cc/rc/")


def parsed(html):
    return ElementTree.fromstring(f"<div>{html}</div>")


def facts(html):
    return {row[0].text: row[1].text for row in parsed(html).iter("tr") if len(row) == 2 and row[0].tag == "th"}


def cells(html):
    found = {cell.text: cell for cell in parsed(html).iter("td") if cell.get("title")}
    assert list(found) == list(CLASS_NAMES)
    return found


@pytest.fixture(scope="module")
def small():
    with cfr.Strategy.open() as strategy:
        yield strategy


def test_a_strategy_shows_how_good_it_is_and_its_first_decision(small):
    html = small._repr_html_()
    shown = facts(html)
    assert shown["exploitability"].startswith(f"{small.attributes['exploitability_mbb']:.4f} mbb/g (best response")
    assert shown["strategy"] == str(small.path)
    assert "button to act" in html
    spot = small.range()
    total = spot.reach @ spot.frequencies / spot.reach.sum()
    assert [shown[name] for name in ("fold", "call", "raise")] == [f"{100 * share:.1f} %" for share in total]
    for name in ("AA", "72o", "J8s"):
        mix = small.probabilities(name)
        for action, share in mix.items():
            assert f"{action} {100 * share:.1f} %" in cells(html)[name].get("title")


def test_a_spot_shows_what_hands_win(small):
    values = cfr.expected_values(small, *SPOT)
    html = values._repr_html_()
    shown = facts(html)
    assert shown["EV"] == f"{values.mean_ev:+.1f} mbb per hand"
    assert shown["hands of"] == "big blind"
    assert "board Td9d6h2c3s" in html
    table = values.table().by_class()
    for name, ev in zip(CLASS_NAMES, table.ev.tolist(), strict=True):
        assert ("EV" in cells(html)[name].get("title")) == (not np.isnan(ev))
    best = np.nanargmax(table.ev)
    assert f"EV {table.ev[best]:+.1f} mbb" in cells(html)[CLASS_NAMES[best]].get("title")


def test_the_board_is_the_one_that_was_asked_for(small):
    """Values are worked out on a canonical board."""
    assert "board Th9h6d2s3c" in cfr.expected_values(small, "Th9h6d2s3c", "rc/cc/rc/").spot


def test_seats_by_name(small):
    for number, name in enumerate(("big blind", "button")):
        by_name, by_number = (small.range(*SPOT, seat=seat) for seat in (name, number))
        assert by_name.seat == number
        assert by_name.seat_name == by_number.seat_name == name
        assert by_name.reach.tobytes() == by_number.reach.tobytes()
        assert (
            cfr.expected_values(small, *SPOT, name).ev.tobytes()
            == cfr.expected_values(small, *SPOT, number).ev.tobytes()
        )
    with pytest.raises(cfr.BadInputError, match="seat: 'dealer'; expected button or big blind, or 0 or 1"):
        small.range(*SPOT, seat="dealer")


def test_the_other_seats_hands_have_no_mix(small):
    html = small.range(*SPOT, seat="button")._repr_html_()
    assert "fold" not in facts(html)
    assert "nan" not in html
    assert "linear-gradient" in html


def test_what_is_never_played_says_so(small):
    html = small.range("", "cr")._repr_html_()
    assert "never played" in facts(html)
    assert "linear-gradient" in html


def test_another_game_shows_a_table(leduc_file):
    with cfr.Strategy.open(leduc_file) as strategy:
        html = strategy._repr_html_()
    assert facts(html)["game"] == "leduc"
    hands = [row[0].text for row in parsed(html).iter("tr") if row[0].tag == "td"]
    assert sorted(hands) == ["Ah", "As", "Kh", "Ks", "Qh", "Qs"]


def test_a_range(small):
    found = cells(cfr.Range.parse("QQ+,AKs:0.5,AhKd")._repr_html_())
    assert found["QQ"].get("title") == "QQ: weight 1"
    assert found["AKs"].get("title") == "AKs: weight 0.5"
    assert found["AKo"].get("title") == "AKo: weight 0.0833"


def test_a_table_says_how_many_rows_it_leaves_out():
    html = table_html({"n": range(25), "<name>": ["a&b"] * 25})
    assert html.count("<tr>") == 21
    assert "5 more rows" in html
    assert "&lt;name&gt;" in html
    assert "a&amp;b" in html
    assert "more" not in table_html({"n": range(20)})


def test_results_are_shown_as_they_print(leduc_file):
    with cfr.Strategy.open(leduc_file) as strategy:
        results = (cfr.exploitability(strategy), cfr.value_against(strategy, cfr.BuiltIn("uniform", strategy.game)))
    for result in (*results, cfr.match("random", "always-call", 10, seed=1), cfr.equity("AhKh", "QcQd", "Td9d6h")):
        assert re.sub(r"\s+", " ", parsed(result._repr_html_())[0].text) == re.sub(r"\s+", " ", str(result))


def test_statistics_over_flops():
    found = cfr.aggregates.aggregate(cfr.BuiltIn("uniform"), ["rc/"])
    html = found._repr_html_()
    parsed(html)
    assert "big blind" in html
    frame = found.to_frame(by="suits")
    assert list(frame["suits"].unique()) == ["rainbow", "two-tone", "monotone"]


def test_a_solved_spot_of_a_small_game_is_a_table():
    leduc = cfr.Game.bundled("leduc")
    shown = cfr.solve_spot("Ks", "cc/", game=leduc, iterations=20, threads=1)._repr_html_()
    assert "the big blind is to act" in shown
    assert "<table" in shown
