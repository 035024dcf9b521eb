"""Two players watched: at a pace, stepped by keys, with open and hidden cards."""

import pytest

from tests.browser.pages import SIZES, as_number, picture
from tests.browser.whole.test_sizes import FAULTS, SCREENS

pytest.importorskip("playwright.sync_api")
pytestmark = [pytest.mark.browser, pytest.mark.thorough]


def ready(page):
    page.wait_for_selector("#watch[aria-busy=false]", timeout=120_000)


def press(page, keys):
    for key in keys:
        page.keyboard.press(key)
        ready(page)


def answer(page, number):
    return page.request.get(f"/api/watch/hand?first=0&second=1&number={number}").json()


def open_cards(page):
    return page.locator("#watch-felt .hole .card:not(.back)").count()


@pytest.mark.parametrize("size", SIZES)
def test_a_hand_stepped_through(visit, size):
    page = visit(size)
    page.goto("/watch")
    ready(page)
    assert page.title() == "Watch \u2013 cfr"
    hand = answer(page, 1)
    for number, step in enumerate(hand["steps"], 1):
        press(page, "s")
        assert page.locator("#watch-story .log-step").count() == number
        assert page.locator("#decision h2").inner_text() == f"{hand['players'][step['who']]} decides"
        shares = [as_number(cell) for cell in page.locator("#decision td").all_inner_texts()]
        assert shares == pytest.approx([100 * each["share"] for each in step["mix"]], abs=0.051)
        assert page.locator("#decision .done").count() == 1
        if number == 1:
            picture(page, f"{size}-watch-first")
    assert page.locator("#watch-said").inner_text().endswith(".")
    assert page.locator("#watch-felt .board .card:not(.empty)").count() == len(hand["board"]) // 2
    assert page.locator("#watch-result dd").first.inner_text() == "1"
    picture(page, f"{size}-watch-end")
    press(page, "b")
    assert page.locator("#watch-story .log-step").count() == len(hand["steps"]) - 1
    assert page.locator("#watch-result dd").first.inner_text() == "0"  # it does not tell how the hand ends
    press(page, "n")
    assert page.locator("#watch-result dd").first.inner_text() == "1"
    assert page.locator("#watch-story .log-step").count() == 0
    assert open_cards(page) == 4
    press(page, "o")
    assert open_cards(page) == 0
    press(page, "s")
    assert "open them" in page.locator("#decision").inner_text()
    picture(page, f"{size}-watch-hidden")
    press(page, "o")
    link = page.locator("#watch-story .log-step").first
    address = link.get_attribute("href")
    link.click()
    page.wait_for_url(f"**{address}")


def test_it_plays_by_itself_until_it_is_paused(visit):
    page = visit("desktop")
    page.goto("/watch")
    ready(page)
    page.get_by_role("radio", name="Fast").click()
    page.get_by_role("button", name="Play").click()
    page.wait_for_function("() => document.querySelector('#watch-result dd').textContent === '3'", timeout=120_000)
    page.get_by_role("button", name="Pause").click()
    ready(page)
    story = page.locator("#watch-story").inner_text()
    page.wait_for_timeout(1000)
    assert page.locator("#watch-story").inner_text() == story
    page.locator("#watch-second").select_option("3")
    ready(page)
    page.wait_for_function("() => document.querySelector('#watch-result dd').textContent === '0'")
    assert page.locator("#watch-result h2").inner_text().endswith("against call-raise")


@pytest.mark.parametrize("screen", SCREENS, ids=str)
def test_table_decision_and_result_are_in_sight(visit, screen):
    width, height = screen
    page = visit(viewport={"width": width, "height": height})
    page.goto("/watch")
    ready(page)
    press(page, "ssss")
    sights = "#watch-controls button, #watch-felt .card, #watch-felt .plate, #decision tr, #watch-result .figure"
    assert page.evaluate(FAULTS, f"{sights}, #watch select, #watch .segments button") == []
    picture(page, f"{width}x{height}-watch")
