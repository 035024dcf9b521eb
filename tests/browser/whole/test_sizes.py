"""The page on the screens that people have: all in sight, nothing over anything, numbers that can be read."""

import numpy as np
import pytest

from cfr import expected_values
from cfr.game.hand_classes import CLASS_NAMES
from cfr.strategy.files.stored import open_strategy
from tests.browser.pages import as_number, detail, picture, spot_is, values_are_there

pytest.importorskip("playwright.sync_api")
pytestmark = [pytest.mark.browser, pytest.mark.thorough]

SCREENS = [(1280, 720), (1366, 650), (1680, 1050), (1920, 1080)]
TURN = ("Td9d6h2c", "rc/crc/cr")
ADDRESS = f"/explore?line={TURN[1]}&board={TURN[0]}"
# Texts of cells that meet, buttons and cells out of sight, texts with a halo, cells of the table that are cut off.
FAULTS = """
(sights) => {
  const found = [];
  const box = (element) => element.getBoundingClientRect();
  const inside = (one, other) => one.left >= other.left - 1 && one.right <= other.right + 1 &&
    one.top >= other.top - 1 && one.bottom <= other.bottom + 1;
  const text = (element) => {
    const range = document.createRange();
    range.selectNodeContents(element);
    return box(range);
  };
  const screen = { left: 0, top: 0, right: innerWidth, bottom: innerHeight };
  for (const element of document.querySelectorAll(sights))
    if (element.offsetParent && !inside(box(element), screen)) found.push(`out of sight: ${element.textContent}`);
  for (const cell of document.querySelectorAll('#grid .cell')) {
    const [name, value] = [cell.querySelector('.name'), cell.querySelector('.value')];
    if (parseFloat(getComputedStyle(name).webkitTextStrokeWidth)) found.push('halo');
    if (value.textContent && text(name).right > text(value).left) found.push(`collision: ${cell.textContent}`);
    if (value.textContent && !inside(text(value), box(cell))) found.push(`cut off: ${cell.textContent}`);
    for (const bars of cell.querySelectorAll('.bars'))
      if (!document.querySelector('#grid.valued') && box(bars).height && text(name).bottom - 4 > box(bars).bottom)
        found.push(`bars over the text: ${cell.textContent}`);
  }
  const table = document.querySelector('#detail .scroll');
  if (table && table.scrollWidth > table.clientWidth) found.push('the table is cut off');
  if (document.documentElement.scrollWidth > innerWidth) found.push('the page is too wide');
  return found;
}
"""


@pytest.mark.parametrize("scheme", ["dark", "light"])
@pytest.mark.parametrize("screen", SCREENS, ids=str)
def test_all_of_a_spot_is_in_sight(visit, screen, scheme):
    width, height = screen
    page = visit(viewport={"width": width, "height": height}, color_scheme=scheme)
    sights = "#grid .cell, #totals button, #exact-solve, #exact-edit, .step.now button"
    for address in (ADDRESS, "/explore?line=r", "/explore?line=cr", "/explore?line=rc/&board=Td9d6h"):
        page.goto(address)
        page.wait_for_selector("#explore[aria-busy=false]")
        if "6h" not in address or address == ADDRESS:
            values_are_there(page)
        assert page.evaluate(FAULTS, sights) == [], address
        picture(page, f"{width}x{height}-{scheme}-{address.partition('=')[2].replace('/', '_')}")
    page.keyboard.press("e")
    assert page.evaluate(FAULTS, sights) == []


# Cells whose name and number, if it is shown, lie over each other or stand out of the cell.
MET = """
() => {
  const range = document.createRange();
  const text = (element) => (range.selectNodeContents(element), range.getBoundingClientRect());
  return [...document.querySelectorAll('#grid .cell')].filter((cell) => {
    const [name, value, whole] = [text(cell.querySelector('.name')), text(cell.querySelector('.value')),
      cell.getBoundingClientRect()];
    if (!value.width) return false;
    const isBeside = name.right <= value.left || name.bottom - 4 <= value.top;
    return !isBeside || value.right > whole.right || value.bottom > whole.bottom + 2 || value.left < whole.left;
  }).map((cell) => cell.textContent);
}
"""


@pytest.mark.parametrize("width", [800, 1024, 1180, 1200, 1240, 1280, 1366, 1440, 1510, 1600])
def test_numbers_of_cells_never_meet_the_names(visit, width):
    page = visit(viewport={"width": width, "height": 900})
    for address in ("/explore", "/explore?line=r"):
        page.goto(address)
        page.wait_for_selector("#explore[aria-busy=false]")
        values_are_there(page)
        assert page.evaluate(MET) == []
        assert page.locator("#grid .cell .value").nth(0).is_visible() == (width >= 1200)
        page.keyboard.press("e")
        page.wait_for_selector("#grid.valued")
        assert page.evaluate(MET) == []
        assert page.locator("#grid .cell .value").nth(0).is_visible()
        page.keyboard.press("e")


@pytest.mark.parametrize("screen", SCREENS, ids=str)
def test_all_of_the_table_is_in_sight(visit, screen):
    width, height = screen
    page = visit(viewport={"width": width, "height": height})
    page.goto("/play")
    page.wait_for_selector("#play[aria-busy=false]")
    page.keyboard.press("n")
    page.wait_for_selector(".action.hint-button")
    page.keyboard.press("h")
    page.wait_for_selector(".hint")
    assert page.evaluate(FAULTS, "#controls button, #controls .hint, .felt .card, .plate") == []


def test_cells_say_how_often_the_likeliest_action_is_taken(visit):
    page = visit()
    page.goto("/explore?line=r")
    spot_is(page, "r")
    with open_strategy() as strategy:
        mix = strategy.range("", "r").by_class().frequencies
    shown = page.locator("#grid .cell .value").all_inner_texts()
    assert shown == [f"{round(100 * float(each))}%" for each in mix.max(axis=1)]


def test_the_heaviest_hand_is_selected_first_and_reach_can_be_relative(visit):
    page = visit()
    page.goto(ADDRESS)
    spot_is(page, TURN[1], TURN[0])
    with open_strategy() as strategy:
        reach = strategy.range(*TURN).by_class().reach
    heaviest = int(reach.argmax())
    assert page.locator("#detail h2").inner_text() == CLASS_NAMES[heaviest]

    def heights():
        weights = (
            "[...document.querySelectorAll('#grid .cell')].map((cell) => +cell.style.getPropertyValue('--weight'))"
        )
        return page.evaluate(weights)

    np.testing.assert_allclose(heights(), np.where(reach > 0.0005 * reach.max(), reach, 0))
    page.get_by_role("radio", name="Relative").click()
    assert max(heights()) == 1
    np.testing.assert_allclose(heights(), np.where(reach > 0.0005 * reach.max(), reach, 0) / reach.max())
    assert f"as part of {100 * reach.max():.1f}%" in page.locator("#legend").inner_text()
    page.goto("/explore?line=r")
    spot_is(page, "r")
    assert not page.locator("#height").is_visible()


def test_hands_with_the_same_numbers_share_a_row(visit):
    page = visit()
    page.goto("/explore?line=r&hand=AsAh")
    spot_is(page, "r", hand="AsAh")
    values_are_there(page)
    assert detail(page)[0] == "AA"
    assert page.locator("#detail tbody tr").count() == 1
    assert len(page.locator("#detail tbody tr").get_attribute("data-hands").split()) == 6
    page.goto(f"{ADDRESS}&hand=As3h")
    spot_is(page, *TURN[::-1], hand="As3h")
    values_are_there(page)
    with open_strategy() as strategy:
        values = expected_values(strategy, *TURN)
    rows = {}
    for name, each in zip(values.hands.tolist(), values.action_ev.tolist(), strict=True):
        if {name[0], name[2]} == {"A", "3"} and name[1] != name[3] and not {name[:2], name[2:]} & {"2c"}:
            place = values.hands.tolist().index(name)
            key = (str(each), values.reach[place], *values.frequencies[place], str(values.ev[place]))
            rows.setdefault(key, set()).add(name)
    shown = [set(row.get_attribute("data-hands").split()) for row in page.locator("#detail tbody tr").all()]
    assert sorted(map(sorted, shown)) == sorted(map(sorted, rows.values()))


def test_values_of_the_next_spots_are_there_before_somebody_goes_on(visit):
    page, asked = visit(), []
    page.on("requestfinished", lambda sent: asked.append(sent.url))
    address = "/explore?line=rc/crc/&board=Td9d6h2c"
    page.goto(address)
    values_are_there(page)
    ahead = ("rc%2Fcrc%2Fc&", "rc%2Fcrc%2Fr&")
    while not all(any("/api/values" in url and line in url for url in asked) for line in ahead):
        page.wait_for_timeout(50)
    before = len(asked)
    page.keyboard.press("c")
    spot_is(page, "rc/crc/c", "Td9d6h2c")
    assert page.locator("#progress").inner_text() == ""
    assert "\u2026" not in page.locator("#detail").inner_text()
    assert not [url for url in asked[before:] if "crc%2Fc&" in url]


def test_the_header_says_how_exploitable_the_strategy_is(visit):
    page = visit()
    page.goto("/")
    with open_strategy() as strategy:
        loses = strategy.attributes["exploitability_mbb"]
    page.wait_for_function("() => document.querySelector('#about').textContent")
    assert as_number(page.locator("#about").inner_text().split(", ")[-1].split()[0]) == pytest.approx(loses, abs=0.05)


@pytest.mark.parametrize("address", ["/", "/play"])
def test_a_question_mark_shows_the_keys(visit, address):
    page = visit()
    page.goto(address)
    page.wait_for_selector(".step.now, .action.deal")
    page.keyboard.press("?")
    page.wait_for_selector("#keys[open]")
    assert "hint" in page.locator("#keys").inner_text()
    page.keyboard.press("Escape")
    page.wait_for_selector("#keys:not([open])", state="attached")
