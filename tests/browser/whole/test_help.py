"""The help: keys and words, found by a search, on a phone, too."""

import pytest

from tests.browser.pages import SIZES, picture, press_on

pytest.importorskip("playwright.sync_api")
pytestmark = [pytest.mark.browser, pytest.mark.thorough]


def shown(page):
    return page.locator("#keys dl > div").evaluate_all(
        "(all) => all.filter((each) => each.querySelector('dd').checkVisibility()).map((each) => each.innerText.trim())"
    )


@pytest.mark.parametrize("size", SIZES)
def test_the_help_is_searched(visit, size):
    page, press = visit(size), press_on(size)
    page.goto("/explore")
    page.wait_for_selector("#explore[aria-busy=false]")
    getattr(page.locator("#help-open"), press)()
    everything = shown(page)
    assert len(everything) > 35
    picture(page, f"{size}-help")
    page.locator("#keys-search").fill("Reach")
    words = [text.split("\n")[0] for text in shown(page)]
    assert "reach" in words
    assert "presumed range" not in words
    assert len(words) < 6
    page.locator("#keys-search").fill("watch hand next")  # a section's name counts
    assert len(shown(page)) == 1
    page.locator("#keys-search").fill("straddle")
    assert page.locator("#keys-none").inner_text() == "Nothing found."
    assert shown(page) == []
    page.locator("#keys-search").fill("")
    assert shown(page) == everything
    assert page.evaluate("document.querySelector('#keys').scrollWidth") <= page.viewport_size["width"]


def test_the_help_by_keyboard_alone(visit):
    page = visit()
    page.goto("/play")
    page.wait_for_selector("#play[aria-busy=false]")
    page.keyboard.press("?")
    page.wait_for_selector("#keys[open]")
    page.keyboard.type("hint")
    assert [text for text in shown(page) if "hint" in text] == shown(page) != []
    page.keyboard.press("Escape")
    page.keyboard.press("Escape")
    page.wait_for_selector("#keys:not([open])", state="attached")
    page.keyboard.press("?")
    assert page.locator("#keys-search").input_value() == ""
