"""What the eye meets first: what was asked for is in sight, what belongs together stands together."""

import pytest

from tests.browser.explore.test_exact import is_solved
from tests.browser.explore.test_study import flops_are_there
from tests.browser.pages import cell_of, check_accessible, spot_is, values_are_there
from tests.browser.test_watch import press, ready
from tests.browser.whole.test_sizes import FAULTS

pytest.importorskip("playwright.sync_api")
pytestmark = [pytest.mark.browser, pytest.mark.thorough]

TURN = "/explore?line=rc/crc/c&board=Td9d6hQc"
LARGE = [(1366, 768), (1920, 1080)]


def edges(page, selector):
    return page.locator(selector).evaluate_all("(found) => found.map((each) => each.getBoundingClientRect().toJSON())")


@pytest.mark.parametrize("screen", LARGE, ids=str)
def test_runouts_and_the_lock_are_in_sight(visit, screen):
    width, height = screen
    page = visit(viewport={"width": width, "height": height})
    page.goto(f"{TURN}&solve=rc/crc/c")
    is_solved(page)
    page.locator("#runouts .button").click()
    page.wait_for_selector("#runouts .runout")
    assert page.evaluate(FAULTS, ".runout, .lock-bar, #solution .button") == []


@pytest.mark.parametrize("screen", LARGE, ids=str)
def test_bars_of_a_comparison_are_seen(visit, screen):
    width, height = screen
    page = visit(viewport={"width": width, "height": height})
    page.goto(f"{TURN}&solve=rc/crc/c")
    is_solved(page)
    page.locator("#source").get_by_text("Compare").click()
    assert all(bar["height"] >= 4 for bar in edges(page, "#grid .cell:not(.absent, .alone) .bars"))
    assert edges(page, "#legend")[0]["bottom"] < height


def test_a_hovered_cell_and_the_selected_one_look_different(visit):
    page = visit()
    page.goto(TURN)
    spot_is(page, "rc/crc/c", "Td9d6hQc")
    cell_of(page, "QTs").click()
    page.evaluate("document.activeElement.blur()")
    cell_of(page, "KK").hover()
    selected, hovered, other = (
        cell_of(page, name).evaluate("(cell) => getComputedStyle(cell).outlineStyle") for name in ("QTs", "KK", "AA")
    )
    assert (selected, hovered, other) == ("solid", "dashed", "none")


def test_titles_name_a_ten_as_its_card_does(visit):
    page = visit()
    page.goto(TURN)
    spot_is(page, "rc/crc/c", "Td9d6hQc")
    assert page.locator(".step .card b").first.inner_text() == "10"
    assert page.locator("#subtitle .small-card").all_inner_texts()[0].startswith("10")
    assert cell_of(page, "T9s").locator(".name").inner_text() == "T9s"


def test_save_as_stands_on_one_line(visit):
    page = visit(viewport={"width": 1366, "height": 768})
    page.goto(TURN)
    values_are_there(page)
    baselines = page.locator("#downloads > span, #downloads button").evaluate_all("""(all) => all.map((each) => {
        const range = document.createRange();
        range.selectNodeContents(each.firstChild);
        return range.getBoundingClientRect().bottom;
    })""")
    assert len(baselines) > 2
    assert max(baselines) - min(baselines) < 0.6


def test_both_columns_of_the_keys_are_used(visit):
    page = visit(viewport={"width": 1366, "height": 768})
    page.goto("/explore")
    page.wait_for_selector(".step.now")
    page.keyboard.press("?")
    parts = edges(page, "#keys section:not(.words)")
    bottoms = [
        max(part["bottom"] for part in parts if part["left"] == left) for left in {part["left"] for part in parts}
    ]
    assert len(bottoms) == 2
    assert max(bottoms) - min(bottoms) < 120
    check_accessible(page)


def test_bars_of_flops_end_where_their_numbers_end(visit):
    page = visit()
    page.goto("/explore?line=rc/&board=Td9d6h&show=flops")
    flops_are_there(page)
    places = page.locator("#flops-table td").evaluate_all(
        "(cells) => cells.map((cell) => [getComputedStyle(cell).textAlign, getComputedStyle(cell).backgroundPositionX])"
    )
    assert {tuple(each) for each in places} == {("right", "100%")}


def test_a_phone_shows_whole_columns_of_flops(visit):
    page = visit("phone")
    page.goto("/explore?line=rc/&board=Td9d6h&show=flops")
    flops_are_there(page)
    [body] = edges(page, "#flops-body")
    columns = edges(page, "#flops-table thead th")
    assert sum(each["right"] <= body["right"] for each in columns) == 5
    assert not any(each["left"] < body["right"] - 1 < each["right"] for each in columns)
    cut = page.locator("#flops-table thead button").evaluate_all(
        "(heads) => heads.filter((head) => head.scrollWidth > head.clientWidth).map((head) => head.textContent)"
    )
    assert cut == []


def test_on_a_phone_the_whole_range_comes_first_and_fingers_meet_cells(visit):
    page = visit("phone")
    page.goto(TURN)
    spot_is(page, "rc/crc/c", "Td9d6hQc")
    totals, detail, exact = (edges(page, selector)[0]["top"] for selector in ("#totals", "#detail", "#exact"))
    assert totals < detail < exact
    page.locator("#exact-edit").tap()
    page.wait_for_function("() => document.querySelector('#ranges-said').textContent.includes('combos')")
    cells = edges(page, "#ranges-grid .weight")
    assert min(min(each["width"], each["height"]) for each in cells) > 28
    assert edges(page, "#ranges-done")[0]["bottom"] < 844
    check_accessible(page)


def test_a_watched_hand_counts_when_its_end_was_seen(visit):
    page = visit()
    page.goto("/watch")
    ready(page)
    counted = page.locator("#watch-result dd").first
    press(page, "s")
    assert counted.inner_text() == "0"
    press(page, "n")
    assert counted.inner_text() == "1"
    hand = page.request.get("/api/watch/hand?first=0&second=1&number=1").json()
    assert page.locator("#watch-story .log-step").count() == len(hand["steps"])
    press(page, "n")
    assert counted.inner_text() == "1"
    assert page.locator("#watch-story .log-step").count() == 0


def test_players_read_big_blinds_and_researchers_mbb(visit):
    page = visit()
    page.goto("/play")
    page.wait_for_function("() => document.querySelector('#about').textContent.includes('loses at most')")
    said = page.locator("#about").inner_text()
    assert "big blinds per 100 hands" in said
    assert "mbb" not in page.locator("body").inner_text()
    loses = float(said.rpartition("at most ")[2].split()[0])
    page.get_by_role("link", name="Explore", exact=True).click()
    page.wait_for_function("() => document.querySelector('#about').textContent.includes('mbb/g exploitable')")
    exploitable = float(page.locator("#about").inner_text().rpartition(", ")[2].split()[0])
    assert loses == pytest.approx(exploitable / 10, abs=0.051)
