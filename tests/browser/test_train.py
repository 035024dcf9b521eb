"""The trainer as visitors see it: twenty spots by mouse and touch, the same by keyboard alone."""

import re

import pytest

from tests.browser.pages import SIZES, as_number, picture, press_on
from tests.browser.whole.test_sizes import FAULTS, SCREENS

pytest.importorskip("playwright.sync_api")
pytestmark = [pytest.mark.browser, pytest.mark.thorough]
SPOTS = 20


def ready(page):
    page.wait_for_selector("#train[aria-busy=false]")


def judged(page, number):
    """The verdict about an answer, when those about all are there; the server's own words on it."""
    ready(page)
    page.wait_for_function(
        "(n) => document.querySelector('#answers .answer')?.textContent.startsWith(`#${n}`)"
        " && ['#verdict', '#answers'].every((each) => !document.querySelector(each).textContent.includes('\u2026'))",
        arg=number,
        timeout=120_000,
    )
    return page.request.get(f"/api/train/values?number={number}").json()


def check(page, found):
    """What is shown is what the API says."""
    told, score = found["feedback"], found["score"]
    figure = page.locator("#verdict .figure").inner_text().split()
    assert as_number(figure[0]) == pytest.approx(told["ev_lost_mbb"] / 1000, abs=0.00051)
    rows = page.locator("#verdict tbody tr").all()
    for row, option in zip(rows, told["options"], strict=True):
        share, ev = (cell.inner_text() for cell in row.locator("td").all())
        assert as_number(share) == pytest.approx(100 * option["share"], abs=0.051)
        assert as_number(ev) == pytest.approx(option["ev_mbb"] / 1000, abs=0.00051)
        assert row.get_by_text("you", exact=True).count() == (option["letter"] == told["action"])
    assert page.locator("#verdict.wrong").count() == told["mistake"]
    shown = page.locator("#score .figure").inner_text().split()
    assert as_number(shown[0]) == pytest.approx(score["ev_lost_mbb_per_decision"] / 1000, abs=0.00051)
    if score["interval_95_mbb"] is not None:
        assert as_number(shown[2]) == pytest.approx(score["interval_95_mbb"] / 1000, abs=0.00051)
    counts = [int(each.inner_text()) for each in page.locator("#score dd").all()]
    assert counts == [score["decisions"], score["mistakes"], found["repeats"]]


@pytest.mark.parametrize("size", SIZES)
def test_twenty_spots_by_pointer(visit, size):
    page = visit(size)
    press = press_on(size)
    page.goto("/")
    getattr(page.get_by_role("link", name="Train"), press)()
    ready(page)
    page.locator("#train-round").select_option("turn")
    page.locator("#train-decision").select_option("fold-call-raise")
    for number in range(1, SPOTS + 1):
        getattr(page.locator("#train-controls .deal"), press)()
        getattr(page.locator("#train-controls .action:not(.deal)").nth(number % 3), press)()
        check(page, judged(page, number))
        if number in (1, SPOTS):
            picture(page, f"{size}-train-{number}")
    steps = page.locator("#answers .answer")
    assert steps.count() == SPOTS
    page.reload()
    ready(page)
    assert steps.count() == SPOTS
    assert page.locator("#train-round").input_value() == "turn"
    with page.expect_download() as saved:
        getattr(page.get_by_role("link", name="CSV"), press)()
    assert len(saved.value.path().read_text().splitlines()) == SPOTS + 1
    address = steps.first.get_attribute("href")
    getattr(steps.first, press)()
    page.wait_for_url(f"**{address}")
    page.wait_for_selector("#explore[aria-busy=false]")
    assert "hand=" in address


def test_twenty_spots_and_a_hand_by_keyboard_alone(visit):
    page = visit()
    page.goto("/train")
    ready(page)
    for number in range(1, SPOTS + 1):
        page.keyboard.press("n")  # and at once, without waiting for the spot
        page.keyboard.press("c")
        page.wait_for_function("(n) => document.querySelectorAll('#answers .answer').length === n", arg=number)
    check(page, judged(page, SPOTS))
    page.locator("#train-mode [aria-checked=true]").focus()
    page.keyboard.press("ArrowRight")
    page.locator("#train-round").focus()
    page.keyboard.press("r")  # the river: keys on the filters are the filters' own
    assert page.locator("#train-round").input_value() == "river"
    page.locator("#train-controls button").focus()
    said = page.locator("#train-said")
    while not re.search("win|lose|split", said.inner_text()):  # mistakes that are due come first, as single spots
        page.keyboard.press("Enter")
        page.wait_for_selector("#train-controls .action.call")
        ready(page)
        while not page.locator("#train-controls .deal").count():
            page.keyboard.press("c")
            ready(page)
    assert page.evaluate("document.activeElement.closest('#train-controls') !== null")
    page.keyboard.press("?")
    assert "next spot or hand" in page.locator("#keys").inner_text()


@pytest.mark.parametrize("screen", SCREENS, ids=str)
def test_table_verdict_and_score_are_in_sight(visit, screen):
    width, height = screen
    page = visit(viewport={"width": width, "height": height})
    page.goto("/train")
    ready(page)
    page.locator("#train-round").select_option("river")
    page.locator("#train-decision").select_option("fold-call-raise")
    page.locator("#train-controls .deal").click()
    page.wait_for_selector("#train-controls .action.call")
    sights = "#train-controls button, #train-felt .card, #train-felt .plate, #train-mode button"
    assert page.evaluate(FAULTS, sights) == []
    page.locator("#train-controls .action.call").click()
    check(page, judged(page, 1))
    assert page.evaluate(FAULTS, f"{sights}, #verdict tr, #verdict a, #score dd") == []
    picture(page, f"{width}x{height}-train")
