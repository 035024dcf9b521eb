"""Keys and buttons that are pressed while the page is busy: none is lost, and none does something else."""

from contextlib import contextmanager

import pytest

from tests.browser.pages import hands_played, picture, spot_is

pytest.importorskip("playwright.sync_api")
pytestmark = [pytest.mark.browser, pytest.mark.thorough]


def test_buttons_keep_the_focus(visit):
    page = visit()
    page.goto("/play")
    page.wait_for_selector("#play[aria-busy=false]")
    page.locator(".action.deal").focus()
    for _ in range(4):
        page.keyboard.press("Enter")
        page.wait_for_selector("#play[aria-busy=false]")
        assert page.evaluate("document.activeElement.closest('#controls') !== null")


def test_keys_may_be_typed_ahead(visit):
    page = visit()
    page.goto("/")
    page.wait_for_selector(".step.now")
    for key in ("r", "r", "r", "Backspace", "c"):
        page.keyboard.press(key)
    page.wait_for_selector("#picker[open]")
    page.keyboard.press("Escape")
    spot_is(page, "rr")


REFUSED = "Failed to load resource: the server responded with a status of 400 (Bad Request)"


@pytest.mark.parametrize("before", ["", "/explore?line=rr"])
def test_an_address_without_its_next_card_asks_for_it(visit, before):
    page = visit()
    if before:
        page.goto(before)
        spot_is(page, "rr")
    page.goto("/explore?line=rc/crc/c&board=Kc8h2d")
    page.wait_for_selector("#picker[open]")
    assert page.locator("#picker-title").inner_text() == "Choose the turn card"
    page.keyboard.press("Escape")
    assert page.locator("#title").inner_text() == "Big blind facing a bet on the flop"
    said = page.locator("#notice").inner_text()
    assert "add 1 to the board. This is as far as the address leads." in said
    page.keyboard.press("c")
    page.wait_for_selector("#picker[open]")
    page.keyboard.type("7s")
    spot_is(page, "rc/crc/", "Kc8h2d7s")
    assert page.locator("#notice").is_hidden()
    assert visit.problems.pop() == REFUSED


def test_an_address_is_shown_as_far_as_it_is_right(visit):
    page = visit()
    page.goto("/explore?line=rc/crc/crc/c&board=Kc8h2d7s")
    page.wait_for_selector("#picker[open]")
    page.keyboard.type("2s")
    spot_is(page, "rc/crc/crc/c", "Kc8h2d7s2s")
    page.goto("/explore?line=rc/crc/cz&board=Kc8h2d7s")
    page.wait_for_selector("#explore[aria-busy=false]")
    assert page.locator("#title").inner_text() == "Button to act on the turn"
    assert page.locator("#subtitle").inner_text().startswith("pot 60, board")
    assert "'cz' at position 8" in page.locator("#notice").inner_text()
    assert not page.locator("#picker[open]").count()
    assert [visit.problems.pop() for _ in range(2)] == [REFUSED] * 2


KEYS_AT_ONCE = """
const picker = document.querySelector('#picker');
const press = (...keys) => keys.forEach((key) =>
  document.activeElement.dispatchEvent(new KeyboardEvent('keydown', { key, bubbles: true })));
const click = (...found) => found.forEach((each) => document.querySelector(each).click());
const settled = async () => { for (let turn = 0; turn < 100; turn++) await null; };
const painted = () => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)));
"""


def at_once(page, script):
    """Runs steps in one task of the page, with no paint and no event of the browser's between them."""
    return page.evaluate(f"async () => {{ {KEYS_AT_ONCE} {script} }}")


@contextmanager
def held(page, address):
    """The next question to an address is not answered before the end."""
    questions = []

    def hold(question):
        questions.append(question)

    page.route(address, hold, times=1)
    yield
    while not questions:
        page.wait_for_timeout(10)
    questions[0].continue_()


def test_a_key_right_after_the_picker_closed_is_not_lost(visit):
    """The closed dialog keeps the focus until the browser paints, on a busy machine for long."""
    page = visit()
    page.goto("/explore?line=r")
    spot_is(page, "r")
    page.keyboard.press("c")
    page.wait_for_selector("#picker[open]")
    assert at_once(page, "picker.close(); press('c'); return !picker.open")
    page.wait_for_selector("#picker[open]")


def test_the_event_of_one_picker_does_not_close_the_next(visit):
    """A dialog's `close` event comes late: spots that are known already are there before it."""
    page = visit()
    page.goto("/explore?line=r")
    spot_is(page, "r")
    pick = "press('c'); await settled(); click('[data-card=Td]', '[data-card=\"9d\"]', '[data-card=\"6h\"]');"
    at_once(page, pick)
    spot_is(page, "rc/", "Td9d6h")
    page.keyboard.press("Backspace")
    spot_is(page, "r")
    assert at_once(page, f"{pick} press('Backspace', 'c'); await settled(); return picker.open")
    assert at_once(page, "await painted(); return picker.open")
    page.keyboard.press("Escape")
    spot_is(page, "r")


def test_picking_other_cards_right_after_escape_does_not_hold_up_the_keys(visit):
    page = visit()
    page.goto("/explore?line=rc/c&board=Td9d6h")
    spot_is(page, "rc/c", "Td9d6h")
    page.keyboard.press("c")
    page.wait_for_selector("#picker[open]")
    at_once(page, "picker.close(); click('.step.round [data-suit]'); await painted();")
    assert page.locator("#picker-title").inner_text() == "Change the flop"
    page.keyboard.press("Escape")
    page.keyboard.press("Backspace")
    spot_is(page, "rc/", "Td9d6h")


def test_keys_that_wait_for_a_spot_do_not_follow_to_the_other_view(visit):
    page = visit()
    page.goto("/")
    page.wait_for_selector(".step.now")
    # The supplied strategy never limps, so this spot is not fetched ahead.
    with held(page, "**/api/spot?line=c&**"):
        page.keyboard.press("c")
        page.keyboard.press("c")
        page.get_by_role("link", name="Play").click()
        page.wait_for_selector("#play[aria-busy=false]")
    page.wait_for_selector("#explore[aria-busy=false]", state="attached")
    at_once(page, "await painted()")
    assert (page.url.rpartition("/")[2], page.title(), page.locator("#picker").is_visible()) == (
        "play",
        "Play \u2013 cfr",
        False,
    )


def test_keys_at_the_table_may_be_typed_ahead(visit):
    """From before the table is there; whoever calls needs two calls per round at most."""
    page = visit()
    with held(page, "**/api/table"):
        page.goto("/play")
        page.wait_for_selector("#play[aria-busy=true]")
        for _ in range(2):
            at_once(page, "press('n', ...'cccccccc')")
    assert hands_played(page) == 2
    assert not page.locator("#notice").is_visible()


def test_a_button_that_is_pressed_twice_acts_once(visit):
    page = visit()
    page.goto("/play")
    page.wait_for_selector("#play[aria-busy=false]")
    for _ in range(3):
        at_once(page, "click('.deal', '.deal')")
        page.wait_for_selector("#play[aria-busy=false]")
        if page.locator(".action.call").count():
            at_once(page, "click('.call', '.call')")
            page.wait_for_selector("#play[aria-busy=false]")
            steps = page.request.get("/api/table").json()["hand"]["steps"]
            assert [step["who"] for step in steps].count("you") == 1
        at_once(page, "press(...'cccccccc')")
        page.wait_for_selector("#play[aria-busy=false]")
    assert hands_played(page) == 3
    assert not page.locator("#notice").is_visible()


@pytest.mark.parametrize("size", ["desktop", "phone"])
def test_a_bot_that_solves_a_flop_shows_how_far_it_is(visit, size):
    """A real flop takes minutes: here the answers are those of such a bot."""
    page = visit(size)
    shares = iter([0.0, 0.25, 0.75])
    page.route("**/api/game", lambda route: route.fulfill(json=route.fetch().json() | {"resolve": "flop"}))
    page.route("**/api/table/solving", lambda route: route.fulfill(json={"share": next(shares, 0.75)}))
    page.goto("/play")
    page.wait_for_selector("#play[aria-busy=false]")
    assert page.locator("#bot-solves").is_hidden()
    held = []
    page.route("**/api/table/deal*", lambda route: held.append(route))  # noqa: PLW0108 - a bound method has no attributes
    page.locator(".action.deal").click()
    page.wait_for_selector("#bot-progress[aria-valuenow='75']")
    assert "The bot solves the flop on this board" in page.locator("#bot-solves").inner_text()
    bar, done = (page.locator(each).bounding_box()["width"] for each in ("#bot-progress", "#bot-progress > span"))
    assert done == pytest.approx(0.75 * bar, rel=0.02)
    picture(page, f"play-solving-{size}")
    held[0].continue_()
    page.wait_for_selector("#play[aria-busy=false]")
    assert page.locator("#bot-solves").is_hidden()
