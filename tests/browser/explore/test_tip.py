"""The tip beside a cell: its hands' numbers under the mouse and by keys; a finger selects."""

import pytest

from cfr import expected_values
from cfr.game.hand_classes import CLASS_NAMES
from cfr.strategy.files.stored import open_strategy
from tests.browser.explore.test_study import RANGES, SHORT, SPOT, answer, cell, ranges_are_there
from tests.browser.pages import SIZES, as_number, cell_of, detail, picture, spot_is, values_are_there

pytest.importorskip("playwright.sync_api")
pytestmark = [pytest.mark.browser, pytest.mark.thorough]

TURN = ("Td9d6h2c", "rc/crc/cr")
BOXES = "(found) => found.map((each) => each.getBoundingClientRect().toJSON())"


def numbers_of(page, hand):
    cells = page.locator(f'#tip tbody tr[data-hands~="{hand}"] td:not(.mix-box)').all_inner_texts()
    return [[as_number(text) for text in cell.split()] for cell in cells]


@pytest.mark.parametrize("size", SIZES)
def test_keys_open_the_tip_of_each_cell_and_escape_closes_it(visit, size):
    page = visit(size)
    page.goto(f"/explore?line={TURN[1]}&board={TURN[0]}&hand=KcJd")
    spot_is(page, *TURN[::-1], hand="KcJd")
    values_are_there(page)
    page.locator("#grid .cell[tabindex='0']").focus()
    page.keyboard.press("ArrowDown")
    page.keyboard.press("ArrowDown")
    page.keyboard.press("ArrowDown")
    name = "K8o"
    assert page.locator("#tip h2").inner_text() == detail(page)[0] == name
    focused = cell_of(page, name)
    assert focused.get_attribute("aria-describedby") == "tip"
    assert page.locator("#grid [aria-describedby], #grid .cell[tabindex='0']").count() == 1
    with open_strategy() as strategy:
        wanted = expected_values(strategy, *TURN)
    place = wanted.hands.tolist().index("8cKs")
    evs = wanted.action_ev[place] / 1000
    expected = [
        [100 * wanted.reach[place]],
        *([100 * share, ev] for share, ev in zip(wanted.frequencies[place], evs, strict=True)),
        [wanted.ev[place] / 1000],
        [100 * wanted.equity[place]],
    ]
    shown = numbers_of(page, "8cKs")
    assert [len(each) for each in shown] == [len(each) for each in expected]
    for said, each in zip(shown, expected, strict=True):
        assert said == pytest.approx(each, abs=0.051)
    picture(page, f"{size}-tip")
    box, beside = (page.locator(each).evaluate_all(BOXES)[0] for each in ("#tip", "#grid [aria-describedby]"))
    apart = box["right"] <= beside["left"] or box["left"] >= beside["right"]
    assert apart or box["bottom"] <= beside["top"] or box["top"] >= beside["bottom"]
    page.keyboard.press("Escape")
    assert not page.locator("#tip").is_visible()
    assert page.locator("[aria-describedby=tip]").count() == 0
    page.keyboard.press("ArrowUp")  # the focus has stayed
    assert page.locator("#tip h2").inner_text() == "K9o"
    page.keyboard.press("Tab")
    assert not page.locator("#tip").is_visible()


def test_the_tip_goes_along_with_the_spot_and_not_to_another_panel(visit):
    page = visit()
    page.goto("/explore?line=r")
    spot_is(page, "r")
    cell_of(page, "KK").hover()
    assert "call" in page.locator("#tip .detail-head").inner_text()
    page.keyboard.press("r")
    spot_is(page, "rr")
    assert page.locator("#tip h2").inner_text() == "KK"
    with open_strategy() as strategy:
        mix = strategy.range("", "rr").by_class().frequencies[CLASS_NAMES.index("KK")]
    assert f"{100 * mix.max():.1f}%".replace("100.0%", "100%") in page.locator("#tip .detail-head").inner_text()
    page.keyboard.press("3")
    page.wait_for_url("**show=flops")
    page.wait_for_selector("#explore[aria-busy=false]")
    assert not page.locator("#tip").is_visible()


def test_a_finger_selects_and_opens_no_tip(visit):
    page = visit("phone")
    page.goto("/explore?line=r")
    spot_is(page, "r")
    cell_of(page, "T9s").tap()
    assert detail(page)[0] == "T9s"
    assert not page.locator("#tip").is_visible()


def test_a_tip_of_both_ranges_has_each_hand_of_both(visit):
    page = visit()
    page.goto(RANGES)
    ranges_are_there(page)
    cell(page, "BB", "87s").hover()
    assert page.locator("#tip").is_visible()
    ranges = answer(page)["ranges"]
    with open_strategy() as strategy:
        place = strategy.range(*SPOT).hands.tolist().index("7c8c")
    expected = [100 * ranges[seat]["hands"][what][place] for seat in SHORT for what in ("reach", "equity")]
    assert [each for [each] in numbers_of(page, "7c8c")] == pytest.approx(expected, abs=0.051)
    assert page.locator("#both-hand thead th").first.inner_text() != "87s"  # the selected hand stays
    picture(page, "desktop-tip-of-both")
