"""Spots saved with a name and a note, found again, changed and removed, by pointer and by keys."""

import re

import pytest

from tests.browser.pages import SIZES, picture, press_on, spot_is

pytest.importorskip("playwright.sync_api")
pytestmark = [pytest.mark.browser, pytest.mark.thorough]

ADDRESS = "/explore?line=rc/crc/c&board=Td9d6hQc&show=ranges&solve=rc/crc/c&bb=QQ%2B&lock=:call%3D1"


def is_said(page, text):
    page.wait_for_function("(text) => document.querySelector('#saved-said').textContent === text", arg=text)


@pytest.mark.parametrize("size", SIZES)
def test_a_spot_is_saved_found_changed_and_removed(visit, size):
    page, press = visit(size), press_on(size)
    page.goto(ADDRESS)
    page.wait_for_selector("#explore[aria-busy=false]")
    getattr(page.locator("#saved-open"), press)()
    assert page.locator("#saved-name").input_value() == "Button to act on the turn, Td9d6hQc"
    page.locator("#saved-name").fill("Queens & up")
    page.locator("#saved-note").fill("The big blind\nhas <b>sets</b>")
    getattr(page.locator("#saved-keep"), press)()
    is_said(page, "Saved.")
    picture(page, f"{size}-saved")
    page.goto("/explore")
    page.wait_for_selector("#explore[aria-busy=false]")
    getattr(page.locator("#saved-open"), press)()
    item = page.locator("#saved-list li")
    assert item.locator("p").inner_text() == "The big blind\nhas <b>sets</b>"
    getattr(page.get_by_role("button", name="Change: Queens & up"), press)()
    page.locator("#saved-name").fill("Queens")
    getattr(page.locator("#saved-keep"), press)()
    is_said(page, "Changed.")
    assert page.locator("#saved-name").input_value() == "Button to act preflop"
    getattr(item.get_by_role("link", name="Queens"), press)()
    page.wait_for_url("**line=rc/crc/c&board=Td9d6hQc&show=ranges&solve=rc/crc/c&bb=QQ%2B&lock=:call%3D1")
    page.wait_for_selector("#saved:not([open])", state="attached")
    getattr(page.locator("#saved-open"), press)()
    getattr(page.get_by_role("button", name="Remove: Queens"), press)()
    is_said(page, "Removed: Queens.")
    assert item.count() == 0


def test_saved_spots_by_keyboard_alone(visit):
    page = visit()
    page.goto("/explore?line=rc/cr&board=Td9d6h&hand=KdJh")
    page.wait_for_selector("#explore[aria-busy=false]")
    page.keyboard.press("s")
    page.wait_for_selector("#saved[open]")
    page.keyboard.type("Facing the raise")
    page.keyboard.press("Tab")
    page.keyboard.type("fold s, call r")  # letters that are keys elsewhere
    page.keyboard.press("Tab")
    page.keyboard.press("Enter")
    is_said(page, "Saved.")
    page.keyboard.press("Escape")
    page.keyboard.press("Backspace")
    spot_is(page, "rc/c", "Td9d6h")
    page.keyboard.press("s")
    link = page.locator("#saved-list a")
    assert link.inner_text() == "Facing the raise"
    link.focus()
    page.keyboard.press("Enter")
    page.wait_for_url(re.compile(r"line=rc/cr&board=Td9d6h&hand=K[cdhs]J[cdhs]$"))
    page.wait_for_selector("#explore[aria-busy=false]")
    assert page.locator("#detail h2").inner_text() == "KJo"


def test_a_name_that_is_missing_is_asked_for(chromium, server):
    page = chromium.new_context(base_url=server).new_page()
    page.goto("/explore")
    page.wait_for_selector("#explore[aria-busy=false]")
    page.keyboard.press("s")
    page.locator("#saved-name").fill("  ")
    page.locator("#saved-keep").click()
    is_said(page, "name: expected one")
    assert page.locator("#saved-list li").count() == 0
    page.context.close()
