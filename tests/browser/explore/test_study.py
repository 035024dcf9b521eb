"""Both ranges, next cards and all flops on Explore: the numbers of the API, filters, sorting, links, by all means."""

import re

import numpy as np
import pytest

from cfr import expected_values
from cfr.game.hand_classes import CLASS_NAMES, class_hands
from cfr.hands.made_hands import MADE
from cfr.strategy.files.stored import open_strategy
from cfr.study.flop_statistics import aggregate
from tests.browser.pages import SIZES, as_number, picture, press_on, runouts_are_there, spot_is
from tests.browser.whole.test_sizes import SCREENS

pytest.importorskip("playwright.sync_api")
pytestmark = [pytest.mark.browser, pytest.mark.thorough]

SPOT = ("Td9d6h", "rc/cr")
RANGES = f"/explore?line={SPOT[1]}&board={SPOT[0]}&show=ranges"
FLOPS = "/explore?line=rc/&board=Td9d6h&show=flops"
SHORT = {"button": "BTN", "big blind": "BB"}
# Cells and heads out of sight, names and numbers of a cell that meet, a page or table that is too wide.
FAULTS = """
() => {
  const found = [];
  const box = (element) => element.getBoundingClientRect();
  for (const element of document.querySelectorAll('#both .cell, .both-head, #both-hand, #panels a, #both-curves'))
    if (box(element).bottom > innerHeight + 1 || box(element).right > innerWidth + 1 || box(element).top < 0)
      found.push(`out of sight: ${element.textContent}`);
  for (const cell of document.querySelectorAll('#both .cell')) {
    const [name, value] = [cell.querySelector('.name'), cell.querySelector('.value')];
    if (name.scrollWidth > cell.clientWidth) found.push(`too wide: ${cell.textContent}`);
    if (value.textContent && box(value).top + 3 < box(name).bottom - 3 && box(value).left < box(name).right - 1)
      found.push(`collision: ${cell.textContent}`);
  }
  for (const table of document.querySelectorAll('#both table'))
    if (table.scrollWidth > table.parentElement.clientWidth) found.push('a table is cut off');
  if (document.documentElement.scrollWidth > innerWidth) found.push('the page is too wide');
  return found;
}
"""


def ranges_are_there(page):
    page.wait_for_selector("#both[aria-busy=false]", timeout=120_000)


def flops_are_there(page):
    page.wait_for_selector("#flops[aria-busy=false]", timeout=120_000)


def cell(page, seat, name):
    return page.locator(f"#both-{seat} .cell").nth(CLASS_NAMES.index(name))


def answer(page):
    return page.request.get("/api/ranges", params={"board": SPOT[0], "line": SPOT[1]}).json()


def kind_row(page, name):
    return page.locator("#both-kinds tr", has=page.get_by_role("button", name=name, exact=True))


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("scheme", ["dark", "light"])
def test_both_ranges_have_the_numbers_of_the_api(visit, size, scheme):
    page = visit(size, color_scheme=scheme)
    press = press_on(size)
    page.goto(RANGES.removesuffix("&show=ranges"))
    spot_is(page, SPOT[1], SPOT[0])
    getattr(page.get_by_role("link", name="Ranges", exact=True), press)()
    ranges_are_there(page)
    assert page.url.endswith("&show=ranges")
    picture(page, f"{size}-{scheme}-ranges-of-both")
    found = answer(page)
    for seat, short in SHORT.items():
        head = page.locator(f"#both-{short}-head").text_content()
        own = found["ranges"][seat]
        assert f"{own['combos']:.1f} combos, equity {100 * own['equity']:.1f}%" in head
        for name in ("A6s", "87s", "T9o"):
            hands = list(class_hands(CLASS_NAMES.index(name)))
            reach, weight, equity = (
                np.array([own["hands"][key][hand] or 0 for hand in hands]) for key in ("reach", "weight", "equity")
            )
            live = sum(found["made"]["of"][hand] >= 0 for hand in hands)
            said = f"reach {100 * reach.sum() / live:.1f}%, {reach.sum():.1f} combos"
            said += f", equity {100 * weight @ equity / weight.sum():.1f}%"
            assert cell(page, short, name).get_attribute("aria-label").replace("100.0%", "100%") == f"{name}: {said}"
    if size == "phone":  # one at a time
        assert page.locator("#both-BTN").is_visible() != page.locator("#both-BB").is_visible()
        page.get_by_role("radio", name="Big blind").tap()
        assert page.locator("#both-BB").is_visible()
        assert not page.locator("#both-BTN").is_visible()


@pytest.mark.parametrize("size", SIZES)
def test_a_kind_of_hands_is_chosen(visit, size):
    page = visit(size)
    press = press_on(size)
    page.goto(RANGES)
    ranges_are_there(page)
    found = answer(page)
    made = np.array(found["made"]["of"]) == MADE.index("top pair")
    reach = {seat: np.array(found["ranges"][seat]["hands"]["reach"]) for seat in SHORT}
    shares = [100 * own[made].sum() / own.sum() for own in reach.values()]
    row = kind_row(page, "Top pair")
    assert [as_number(text) for text in row.locator("td.part").all_inner_texts()] == pytest.approx(
        [100 * reach[seat][made].sum() / reach[seat].sum() for seat in SHORT], abs=0.051
    )
    with open_strategy() as strategy:
        frequencies = strategy.range(*SPOT).frequencies
    mix = reach["big blind"][made] @ frequencies[made] / reach["big blind"][made].sum()
    plays = ", ".join(
        f"{word} {'0%' if share == 0 else f'{100 * share:.1f}%'}"
        for word, share in zip(("fold", "call", "raise"), mix, strict=True)
    )
    assert row.locator(".plays .sr").text_content() == plays
    getattr(row.get_by_role("button"), press)()
    assert row.get_by_role("button").get_attribute("aria-pressed") == "true"
    assert row.get_by_role("button").evaluate("(each) => document.activeElement === each") or size == "phone"
    for short in SHORT.values():
        assert cell(page, short, "AA").get_attribute("aria-label") == "AA: not there"
        assert "reach" in cell(page, short, "JTo").get_attribute("aria-label")
    said = page.locator("#both-chosen").inner_text()
    assert [float(each) for each in re.findall(r"(?:BTN|BB): ([\d.]+)%", said)] == pytest.approx(shares, abs=0.051)
    assert f"BB plays: {plays}" in said
    getattr(kind_row(page, "Flush draw").get_by_role("button"), press)()
    assert cell(page, "BTN", "JTo").get_attribute("aria-label") == "JTo: not there"  # no diamond pairs the ten
    picture(page, f"{size}-kinds")
    getattr(page.get_by_role("button", name="Show all"), press)()
    assert "reach" in cell(page, "BTN", "AA").get_attribute("aria-label")
    assert page.locator("#both-chosen").is_hidden()


def test_the_curve_of_evs_is_that_of_the_seat_to_act(visit):
    page = visit()
    line, board = "rc/crc/cc/c", "Td9d6hQc2s"
    page.goto(f"/explore?line={line}&board={board}&show=ranges")
    ranges_are_there(page)
    assert page.locator("#both-curves path.curve").count() == 2
    page.get_by_role("radiogroup", name="What the curves show").get_by_role("radio", name="EV").click()
    page.wait_for_function("() => document.querySelectorAll('#both-curves path.curve').length === 1")
    with open_strategy() as strategy:
        found = expected_values(strategy, board, line)
    there = (found.reach > 0) & ~np.isnan(found.ev)
    order = np.argsort(found.ev[there], kind="stable")
    ev, ends = found.ev[there][order], np.cumsum(found.reach[there][order]) / found.reach[there].sum()
    wanted = [ev[np.argmax(ends >= part - 1e-9)] / 1000 for part in (0.1, 0.25, 0.5, 0.75, 0.9)]
    [shown] = page.locator("#both-curves tbody tr").all()
    assert shown.locator("th").inner_text() == SHORT[found.seat_name]
    assert [as_number(text) for text in shown.locator("td").all_inner_texts()] == pytest.approx(wanted, abs=0.0051)
    picture(page, "desktop-ev-curve")
    page.goto("/explore?line=rc/crc/cc/c&board=Td9d6hQc2s&show=ranges")  # the choice is kept
    page.wait_for_function("() => document.querySelectorAll('#both-curves path.curve').length === 1")


def test_ranges_by_keyboard_alone(visit):
    page = visit()
    page.goto(RANGES.removesuffix("&show=ranges"))
    spot_is(page, SPOT[1], SPOT[0])
    page.keyboard.press("2")
    ranges_are_there(page)
    page.locator("#both-BTN .cell[tabindex='0']").focus()
    for key in ["Home", *["ArrowUp"] * 12, "ArrowRight"]:
        page.keyboard.press(key)
    assert page.locator("#both-hand th").first.inner_text() == "AKs"
    rows = [row.locator("td").all_inner_texts() for row in page.locator("#both-hand tbody tr").all()]
    assert rows[1] == ["0%", "0.0", "\u2013"]
    assert as_number(rows[0][0]) > 50
    for _ in range(8):
        page.keyboard.press("Tab")
        if page.evaluate("document.activeElement.dataset.kind"):
            break
    name = page.evaluate("document.activeElement.dataset.kind")
    page.keyboard.press("Enter")
    assert page.evaluate("document.activeElement.dataset.kind") == name  # the focus stays
    assert page.evaluate("document.activeElement.ariaPressed") == "true"
    page.keyboard.press("c")  # the line goes on, and the panel stays
    page.wait_for_selector("#picker[open]")
    page.keyboard.type("Qc")
    page.wait_for_url("**/explore?line=rc/crc/&board=Td9d6hQc&show=ranges")
    ranges_are_there(page)
    page.keyboard.press("1")
    spot_is(page, "rc/crc/", "Td9d6hQc")
    assert page.locator("#grid").is_visible()
    assert page.locator("#both").is_hidden()
    page.go_back()
    ranges_are_there(page)
    assert page.locator("#both").is_visible()


def test_a_range_that_is_never_played_says_so(visit):
    page = visit()
    page.goto("/explore?line=crc/&board=Td9d6h&show=ranges")
    ranges_are_there(page)
    assert "never played; presumed" in page.locator("#both-BTN-head").inner_text()
    assert "never played" not in page.locator("#both-BB-head").inner_text()


@pytest.mark.parametrize("screen", SCREENS, ids=str)
def test_both_grids_are_in_sight(visit, screen):
    width, height = screen
    page = visit(viewport={"width": width, "height": height})
    for address in (RANGES, "/explore?line=rc/crc/&board=Td9d6hQc&show=ranges"):
        page.goto(address)
        ranges_are_there(page)
        assert page.evaluate(FAULTS) == []
        picture(page, f"{width}-ranges-{len(address)}")


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("scheme", ["dark", "light"])
def test_all_flops_are_sorted_filtered_and_visited(visit, size, scheme):
    page = visit(size, color_scheme=scheme)
    press = press_on(size)
    page.goto(FLOPS)
    flops_are_there(page)
    with open_strategy() as strategy:
        wanted = aggregate(strategy, ["rc/"])
    picture(page, f"{size}-{scheme}-flops")
    assert page.locator("#flops-said").inner_text().startswith("1,755 flops, 100% of all that are dealt.")
    bet = next(n for n, each in enumerate(wanted.statistics) if each.name == "continuation-bet")
    header = page.locator(f"#flops-table [data-column='{bet}']")
    getattr(header, press)()
    assert page.locator("th[aria-sort]").get_attribute("aria-sort") == "descending"
    getattr(header, press)()
    assert page.locator("th[aria-sort]").get_attribute("aria-sort") == "ascending"
    page.get_by_label("Suits").select_option("monotone")
    page.get_by_label("Highest card").select_option("A")
    chosen = wanted.select(suits=["monotone"], high="A")
    columns = wanted.columns(chosen)
    means = [as_number(text) for text in page.locator("tbody.mean td").all_inner_texts()]
    assert means == pytest.approx(100 * columns["frequency"], abs=0.051)
    frequency = wanted.taken[bet][chosen] / wanted.reached[bet][chosen]
    shown = [
        as_number(text)
        for text in page.locator(f"#flops-table tbody:last-child td:nth-child({bet + 2})").all_inner_texts()
    ]
    assert shown == pytest.approx(100 * np.sort(frequency)[: len(shown)], abs=0.051)
    before = len(shown)
    getattr(page.locator("#flops-more"), press)()
    assert page.locator("#flops-table tbody:last-child tr").count() == min(before + 50, int(chosen.sum()))
    flop = page.locator("#flops-table tbody:last-child a").first
    assert flop.get_attribute("href").startswith("/explore?line=rc/c&board=A")
    picture(page, f"{size}-{scheme}-flops-chosen")
    board = flop.get_attribute("href").partition("board=")[2]
    getattr(flop, press)()
    spot_is(page, "rc/c", board)
    shares = page.locator("#totals .number").all_inner_texts()
    with open_strategy() as strategy:
        own = strategy.range(board, "rc/c")
    assert as_number(shares[-1]) == pytest.approx(100 * own.reach @ own.frequencies[:, 2] / own.reach.sum(), abs=0.051)


def test_flops_by_keyboard_alone(visit):
    page = visit()
    page.goto("/explore?line=r")
    spot_is(page, "r")
    page.keyboard.press("3")
    page.wait_for_url("**/explore?line=r&show=flops")
    flops_are_there(page)
    page.locator("#flops-line").focus()
    page.keyboard.press("ArrowDown")
    page.wait_for_function("() => document.querySelector('#flops-line').value === 'rrc/'")
    flops_are_there(page)
    page.wait_for_function("() => document.querySelector('#flops-table a').href.includes('line=rrc/&')")
    page.locator("#flops-table [data-column='0']").focus()
    page.keyboard.press("Enter")
    assert page.evaluate("document.activeElement.dataset.column") == "0"
    assert page.locator("th[aria-sort]").get_attribute("aria-sort") == "descending"
    page.keyboard.press("Escape")
    page.locator("#flops-table a").first.focus()
    page.keyboard.press("Enter")
    page.wait_for_url("**/explore?line=rrc/&board=*")
    page.wait_for_selector("#explore[aria-busy=false]")
    assert page.locator("#grid").is_visible()


@pytest.mark.parametrize("screen", SCREENS, ids=str)
def test_the_table_of_flops_fits(visit, screen):
    width, height = screen
    page = visit(viewport={"width": width, "height": height})
    page.goto(FLOPS)
    flops_are_there(page)
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    assert page.evaluate(
        "document.querySelector('#flops-body').getBoundingClientRect().bottom <= innerHeight"
        " && document.querySelector('#flops-body').scrollWidth <= document.querySelector('#flops-body').clientWidth"
    )
    assert page.evaluate(
        "[...document.querySelectorAll('#flops-table thead button')]"
        ".every((each) => each.scrollWidth <= each.clientWidth)"
    )
    picture(page, f"{width}-flops")


@pytest.mark.parametrize("size", SIZES)
def test_every_river_card_as_the_strategy_plays(visit, size):
    """Without a solve: bets come first, then EVs; a card leads to its spot."""
    page = visit(size)
    board, line = "Td9d6h2c", "rc/crc/c"
    page.goto(f"/explore?line={line}&board={board}")
    spot_is(page, line, board)
    assert page.locator("#runouts option").all_inner_texts() == [
        "check",
        "bet, call",
        "bet, raise, call",
        "bet, raise, raise, call",
        "bet, raise, raise, raise, call",
    ]
    getattr(page.get_by_role("button", name="Show every river card"), press_on(size))()
    runouts_are_there(page)
    assert "as the strategy plays" in page.locator("#runouts").inner_text()
    found = page.get_by_role("gridcell", name=re.compile("^seven of hearts"))
    with open_strategy() as strategy:
        own = strategy.range(board + "7h", line + "c/")
        ev = expected_values(strategy, board + "7h", line + "c/").mean_ev
    said = re.fullmatch(r".*EV (\S+) big blinds, bets (\S+)", found.get_attribute("aria-label")).groups()
    bets = 100 * own.reach @ own.frequencies[:, 2] / own.reach.sum()
    assert [as_number(each) for each in said] == [pytest.approx(ev / 1000, abs=0.0006), pytest.approx(bets, abs=0.051)]
    picture(page, f"{size}-runouts-of-the-strategy")
    getattr(found, press_on(size))()
    spot_is(page, line + "c/", board + "7h")
    assert not page.locator("#runouts").is_visible()  # no card is to come
