"""Exact spots as a visitor solves them: a range painted, both plays compared, a decision locked, a link shared."""

import re
from urllib.parse import parse_qs, urlsplit

import numpy as np
import pytest

from cfr import expected_values, solve_spot
from cfr.game.hand_classes import CLASS_NAMES
from cfr.game.ranges import Range
from cfr.strategy.files.stored import open_strategy
from tests.browser.pages import SIZES, as_number, picture, press_on, runouts_are_there, spot_is

pytest.importorskip("playwright.sync_api")
pytestmark = [pytest.mark.browser, pytest.mark.thorough]

TURN = ("Td9d6hQc", "rc/crc/c")
RANGE = "AA,KK,QQ,AKs,AKo,T9s,98s,A9s"
ADDRESS = f"/explore?line={TURN[1]}&board={TURN[0]}"


def cell(page, name):
    return page.locator("#ranges-grid .weight", has_text=re.compile(f"^{name}"))


def centre(element):
    box = element.bounding_box()
    return box["x"] + box["width"] / 2, box["y"] + box["height"] / 2


def drag(page, size, *points):
    """By mouse, or by finger on a phone."""
    if size == "desktop":
        page.mouse.move(*points[0])
        page.mouse.down()
        for point in points[1:]:
            page.mouse.move(*point, steps=4)
        page.mouse.up()
        return
    finger = page.context.new_cdp_session(page)
    for number, (x, y) in enumerate(points):
        kind = "touchMove" if number else "touchStart"
        finger.send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": [{"x": x, "y": y}]})
    finger.send("Input.dispatchTouchEvent", {"type": "touchEnd", "touchPoints": []})


def settled(page):
    """The server has read the range that was painted or typed last."""
    page.wait_for_selector("#ranges[aria-busy=false]")


def is_solved(page):
    page.wait_for_selector("#explore[aria-busy=false]")
    page.wait_for_selector("#solution:not([hidden]):not([inert])", timeout=60_000)


def solution(locks=()):
    with open_strategy() as strategy:
        painted = strategy.range(*TURN, seat=1).reach * ~np.isin(np.arange(1326), hands("AA", "AKs", "AQs"))
        return solve_spot(*TURN, strategy=strategy, button=painted, big_blind=RANGE, locks=locks)


def hands(*names):
    return np.flatnonzero(Range.parse(",".join(names)).weights)


def exploitable(page, whose):
    row = page.locator("#solution dt", has_text=f"{whose}: exploitable by")
    return as_number(row.locator("xpath=following-sibling::dd[1]").inner_text().split("%")[0])


@pytest.mark.parametrize("size", SIZES)
def test_a_turn_is_solved_locked_and_shared(visit, size):
    page = visit(size)
    press = press_on(size)
    edit_ranges(page, size, press)
    compare(page, size, press)
    lock(page, size, press)
    open_the_link(visit(size), page, press)


def edit_ranges(page, size, press):
    page.goto(ADDRESS)
    spot_is(page, TURN[1], TURN[0])
    getattr(page.locator("#exact-edit"), press)()
    page.wait_for_function("() => document.querySelector('#ranges-said').textContent.includes('combos')")
    page.locator("#ranges-brush").fill("0")
    drag(page, size, *(centre(cell(page, name)) for name in ("AA", "AKs", "AQs")))
    settled(page)
    assert page.locator("#ranges-text").input_value() == "strategy; AA:0,AQs+:0"
    getattr(page.get_by_role("radio", name="Big blind"), press)()
    page.wait_for_selector("#ranges-seat [data-value=bb][aria-checked=true]")  # a tap returns before its click comes
    page.locator("#ranges-text").fill(RANGE)
    settled(page)
    assert cell(page, "T9s").get_attribute("aria-label") == "T9s: 100%"
    picture(page, f"{size}-ranges")
    getattr(page.locator("#ranges-done"), press)()
    is_solved(page)


def compare(page, size, press):
    wanted = solution()
    assert exploitable(page, "Exact") == pytest.approx(wanted.exploitability, rel=0.01)
    assert exploitable(page, "Strategy") > wanted.exploitability
    shares = [as_number(row.inner_text()) for row in page.locator("#totals .number").all()]
    own = wanted.range(*TURN)
    assert shares == pytest.approx(100 * (own.reach @ own.frequencies / own.reach.sum())[1:], abs=0.051)
    getattr(page.get_by_role("radio", name="Compare"), press)()
    with open_strategy() as strategy:
        played = strategy.range(*TURN).frequencies
    for name in ("KK", "A9s", "76s"):
        members = hands(name)
        weight = own.reach[members] / own.reach[members].sum()
        change = 100 * (weight @ (own.frequencies[members] - played[members]))
        by, letter = max((change[1], "C"), (change[2], "B"))
        text = page.locator("#grid .cell").nth(CLASS_NAMES.index(name)).locator(".value").inner_text()
        assert text == (f"{letter}+{round(by)}" if round(by) else "")
    picture(page, f"{size}-compare")
    first = page.locator(".gains button").first
    name = first.locator("b").inner_text()
    getattr(first, press)()
    assert page.locator("#detail h2").inner_text() == name
    assert "exact play gains" in page.locator("#detail").inner_text()


def lock(page, size, press):
    bar = page.locator(".lock-bar")
    bar.scroll_into_view_if_needed()
    box, (x, y) = bar.bounding_box(), centre(page.locator(".handle"))
    drag(page, size, (x, y), (box["x"] + 0.5 * box["width"], y), (box["x"] + 0.9 * box["width"], y))
    handle = page.get_by_role("slider", name=re.compile("Border between check and bet"))
    assert handle.get_attribute("aria-valuenow") == "90"
    handle.focus()
    for key in ("ArrowLeft", "ArrowLeft", "PageDown"):
        page.keyboard.press(key)
    assert handle.get_attribute("aria-valuetext") == "check 78%, bet 22%"
    picture(page, f"{size}-lock")
    getattr(page.get_by_role("button", name="Lock and solve again"), press)()
    page.wait_for_url(re.compile("lock="))
    is_solved(page)
    locked = solution([":call=0.78,raise=0.22"])
    assert exploitable(page, "Exact") == pytest.approx(locked.exploitability, rel=0.01)
    assert page.locator(".locks code").inner_text() == "here:call=0.78,raise=0.22"
    shares = [as_number(row.inner_text()) for row in page.locator("#totals .number").all()]
    assert shares == pytest.approx([78, 22], abs=0.3)


def open_the_link(other, page, press):
    other.goto(page.url)
    is_solved(other)
    assert other.locator("#totals .number").all_inner_texts() == page.locator("#totals .number").all_inner_texts()
    assert other.locator("#exact-ranges").inner_text() == "Range edited: button and big blind. 1 decision locked."
    getattr(other.get_by_role("button", name=re.compile("^Remove the lock")), press)()
    other.wait_for_function("() => !location.search.includes('lock=')")
    is_solved(other)
    assert exploitable(other, "Exact") == pytest.approx(solution().exploitability, rel=0.01)


def test_every_next_card_has_its_spot(visit):
    page = visit()
    page.goto(f"{ADDRESS}&solve={TURN[1]}&button=AA,KK,QJs,87s&bb={RANGE}")
    is_solved(page)
    page.locator("#runouts .button").click()
    page.wait_for_function("() => document.querySelectorAll('#runouts-map button').length === 48", timeout=60_000)
    runouts_are_there(page)
    with open_strategy() as strategy:
        wanted = solve_spot(*TURN, strategy=strategy, button="AA,KK,QJs,87s", big_blind=RANGE)
    board, line = TURN[0] + "7h", TURN[1] + "c/"
    found = page.get_by_role("gridcell", name=re.compile("^seven of hearts"))
    ev, bets = re.fullmatch(r".*EV (\S+) big blinds, bets (\S+)", found.get_attribute("aria-label")).groups()
    assert as_number(ev) == pytest.approx(expected_values(wanted.strategy, board, line).mean_ev / 1000, abs=0.0006)
    own = wanted.range(board, line)
    assert as_number(bets) == pytest.approx(100 * own.reach @ own.frequencies[:, 2] / own.reach.sum(), abs=0.051)
    found.focus()
    page.keyboard.press("ArrowRight")  # over the six, which is on the board
    assert page.evaluate("document.activeElement.dataset.card") == "5h"
    picture(page, "desktop-runouts")
    found.click()
    page.wait_for_url(f"**line={line}&board={board}&solve=**")
    is_solved(page)
    assert page.locator("#totals .number").last.inner_text() == bets
    page.keyboard.press("Backspace")  # the solution stays on the way back
    page.wait_for_url(f"**line={TURN[1]}&**solve=**")
    is_solved(page)
    page.locator("#exact-close").click()
    spot_is(page, *reversed(TURN))
    assert not page.locator("#source").is_visible()


def test_ranges_are_painted_by_keys_and_what_cannot_be_read_is_said(chromium, server):
    context = chromium.new_context(base_url=server)  # whose console may say that the server refused
    page = context.new_page()
    page.goto(ADDRESS)
    page.locator("#exact-edit").click()
    page.wait_for_function("() => document.querySelector('#ranges-said').textContent.includes('combos')")
    page.locator("#ranges-text").fill("AAx")
    page.wait_for_function("() => document.querySelector('#ranges-said').textContent.includes('is no hand')")
    assert page.locator("#ranges-done").is_disabled()
    page.get_by_role("button", name="No hand").click()
    page.wait_for_function("() => document.querySelector('#ranges-said').textContent.includes('has no hand')")
    assert cell(page, "KK").get_attribute("aria-label") == "KK: 0%"
    cell(page, "AA").focus()
    page.keyboard.press("Enter")
    for key in ("Shift+ArrowDown", "Shift+ArrowRight", "ArrowRight", " "):
        page.keyboard.press(key)
    settled(page)
    assert page.locator("#ranges-text").input_value() == "KK+,AKo,KQs"
    assert page.locator("#ranges-done").is_enabled()
    page.keyboard.press("Escape")
    assert not page.locator("#ranges").is_visible()
    assert "solve" not in parse_qs(urlsplit(page.url).query)
    context.close()


def test_a_border_pushes_the_next_one(visit):
    page = visit()
    line = "rc/crc/rc/cr"  # three actions
    page.goto(f"/explore?line={line}&board=Td9d6hQc2s&solve={line}&bb={RANGE}&lock=:fold=1")
    is_solved(page)
    first, second = page.get_by_role("slider").all()
    second.focus()
    for key in ("PageDown", "PageDown", "ArrowRight"):
        page.keyboard.press(key)
    assert first.get_attribute("aria-valuetext") == "fold 80%, call 1%, raise 19%"
    first.focus()
    page.keyboard.press("End")
    assert second.get_attribute("aria-valuetext") == "fold 100%, call 0%, raise 0%"
    assert page.get_by_role("button", name="Lock and solve again").is_enabled()


def test_what_cannot_be_solved_is_said(visit):
    page = visit()
    page.route("**/api/exact/solve", lambda route: route.fulfill(json={"id": "x", "state": "failed", "problem": "so"}))
    page.goto(f"{ADDRESS}&solve={TURN[1]}")
    page.wait_for_function("() => document.querySelector('#exact-said').textContent === 'Not solved: so'")
    assert page.locator("#exact-solve").is_visible()


@pytest.mark.parametrize("width", [320, 390])
def test_nothing_is_wider_than_a_phone(visit, width):
    page = visit("phone", viewport={"width": width, "height": 640})
    page.goto(f"/explore?line=rc/crc/rc/cr&board=Td9d6hQc2s&solve=rc/crc/rc/cr&bb={RANGE}")
    is_solved(page)
    page.get_by_role("radio", name="Compare").tap()
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    page.locator("#exact-edit").tap()
    page.wait_for_selector("#ranges[open]")
    assert page.evaluate("document.querySelector('#ranges').scrollWidth") <= width


def test_the_target_is_chosen(visit):
    page = visit()
    page.goto(f"{ADDRESS}&solve={TURN[1]}&button={RANGE}&bb={RANGE}&target=3")
    is_solved(page)
    target = page.locator("#exact-target")
    assert target.locator("option:checked").inner_text() == "3% of the pot"
    assert not page.locator("#exact-solve").is_visible()
    assert 0.02 < exploitable(page, "Exact") < 3
    target.select_option("0.02")
    page.get_by_role("button", name="Solve again", exact=True).click()
    page.wait_for_url("**&target=0.02")
    is_solved(page)
    assert exploitable(page, "Exact") < 0.02
    assert not page.locator("#exact-solve").is_visible()
    target.select_option("0.1")
    page.locator("#exact-edit").click()
    settled(page)
    page.locator("#ranges-done").click()
    page.wait_for_url(re.compile("solve=(?!.*target)"))
    is_solved(page)


def test_some_hands_are_locked(visit):
    page = visit()
    page.goto(f"{ADDRESS}&solve={TURN[1]}&bb={RANGE}")
    is_solved(page)
    page.locator("#grid .cell").nth(CLASS_NAMES.index("KK")).click()
    page.get_by_role("button", name="Selected hand").click()
    hands_field = page.locator(".lock-hands")
    assert hands_field.input_value() == "KK"
    hands_field.fill("KK,AhKh")
    page.get_by_role("slider").focus()
    page.keyboard.press("End")
    page.get_by_role("button", name="Lock and solve again").click()
    page.wait_for_url(re.compile("lock="))
    is_solved(page)
    assert page.locator(".locks code").inner_text() == "here[KK,AhKh]:call=1,raise=0"
    assert page.locator("#totals .number").first.inner_text() != "100%"
    page.locator("#grid .cell").nth(CLASS_NAMES.index("KK")).click()
    assert page.locator("#detail .detail-head p").first.inner_text().startswith("check 100%, bet 0%")
    page.locator(".handle").focus()
    page.keyboard.press("Home")
    page.get_by_role("button", name="Lock and solve again").click()  # the whole range; what some hands do stays
    page.wait_for_function("() => document.querySelectorAll('.locks li').length === 2", timeout=60_000)
    is_solved(page)
    assert page.locator("#detail .detail-head p").first.inner_text().startswith("check 100%, bet 0%")
    page.locator("#grid .cell").nth(CLASS_NAMES.index("QQ")).click()
    assert page.locator("#detail .detail-head p").first.inner_text().startswith("check 0%, bet 100%")


def test_the_button_solves_to_the_usual_target(visit):
    page = visit()
    line, board = "rc/crc/rc/cr", "Td9d6hQc2s"
    page.goto(f"/explore?line={line}&board={board}")
    spot_is(page, line, board)
    assert page.locator("#exact-target option:checked").inner_text() == "0.1% of the pot"
    page.locator("#exact-solve").click()
    page.wait_for_url(re.compile(f"solve={line}$"))
    is_solved(page)
    assert exploitable(page, "Exact") < 0.1
