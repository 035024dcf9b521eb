"""Shown ranges copied as text: what the readers of ranges make of it is what the page shows."""

import numpy as np
import pytest

from cfr.game.ranges import Range
from cfr.strategy.files.stored import open_strategy
from tests.browser.explore.test_study import ranges_are_there
from tests.browser.pages import spot_is

pytest.importorskip("playwright.sync_api")
pytestmark = [pytest.mark.browser, pytest.mark.thorough]

SPOT = ("Td9d6h", "rc/cr")
ADDRESS = f"/explore?line={SPOT[1]}&board={SPOT[0]}"
CARDS = [rank + suit for rank in "23456789TJQKA" for suit in "cdhs"]
HANDS = [second + first for place, second in enumerate(CARDS) for first in CARDS[:place]]
CLIPBOARD = {"permissions": ["clipboard-read", "clipboard-write"]}


def copied(page, button):
    pressed = button.element_handle()
    pressed.click()
    page.wait_for_function("(button) => button.textContent === 'Copied'", arg=pressed)
    return page.evaluate("navigator.clipboard.readText()")


def copy(page, place, name):
    return copied(page, page.locator(place).get_by_role("button", name=name))


def live(hands):
    return np.array([not {hand[:2], hand[2:]} & {"Td", "9d", "6h"} for hand in hands])


def test_the_range_of_the_seat_to_act(visit):
    page = visit(**CLIPBOARD)
    page.goto(ADDRESS)
    spot_is(page, SPOT[1], SPOT[0])
    with open_strategy() as strategy:
        spot = strategy.range(*SPOT)
    text, weights = copy(page, "#downloads", "hands"), copy(page, "#downloads", "1,326 weights")
    np.testing.assert_allclose(Range.parse(text).weights * live(HANDS), spot.reach, atol=5e-7)
    np.testing.assert_allclose(Range.parse(weights).weights, spot.reach, atol=5e-7)
    assert len(weights.split()) == 1326
    page.goto("/explore")
    page.wait_for_selector("#explore[aria-busy=false]")
    everything = copy(page, "#downloads", "hands").split(",")
    assert (everything[0], len(everything)) == ("AA", 169)


def test_both_ranges_as_far_as_they_are_chosen(visit):
    page = visit(**CLIPBOARD)
    page.goto(f"{ADDRESS}&show=ranges")
    ranges_are_there(page)
    found = page.request.get("/api/ranges", params={"board": SPOT[0], "line": SPOT[1]}).json()
    sets = np.array(found["made"]["of"]) == found["made"]["names"].index("set")
    page.locator("#both-kinds [data-kind=set]").click()
    for seat, short in (("button", "BTN"), ("big blind", "BB")):
        place = page.locator("#both-copy > span", has_text=short)
        wanted = np.where(sets, found["ranges"][seat]["hands"]["reach"], 0)
        weights = Range.parse(copied(page, place.get_by_role("button", name="1,326 weights"))).weights
        np.testing.assert_allclose(weights, wanted, atol=5e-7)
        text = copied(page, place.get_by_role("button", name="hands", exact=True))
        np.testing.assert_allclose(Range.parse(text).weights * live(HANDS), wanted, atol=5e-7)
