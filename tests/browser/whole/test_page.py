"""Explore and Play as visitors see them, by mouse, touch and keyboard."""

import re
import statistics

import pytest

from cfr import expected_values
from cfr.strategy.files.stored import open_strategy
from tests.browser.pages import (
    SIZES,
    as_number,
    cell_of,
    detail,
    hand_row,
    hands_played,
    picture,
    press_on,
    read_about_luck,
    spot_is,
    values_are_there,
)

pytest.importorskip("playwright.sync_api")
pytestmark = pytest.mark.browser


@pytest.mark.parametrize("size", SIZES)
def test_a_first_visitor_with_a_pointer(visit, size):
    page = visit(size)
    press = press_on(size)
    page.goto("/")
    page.wait_for_selector(".step.now")
    picture(page, f"{size}-preflop")
    for action in ("Raise to 20", "Call 10"):
        getattr(page.locator(".step.now .option", has_text=action), press)()
        if action != "Call 10":
            spot_is(page, "r")
    page.wait_for_selector("#picker[open]")
    picture(page, f"{size}-picker")
    for card in ("ten of diamonds", "nine of diamonds", "six of hearts"):
        getattr(page.get_by_role("gridcell", name=card), press)()
    spot_is(page, "rc/", "Td9d6h")
    getattr(page.locator(".step.now .option", has_text="Check"), press)()
    spot_is(page, "rc/c", "Td9d6h")
    getattr(cell_of(page, "AKo"), press)()
    name, shown = detail(page)
    assert name == "AKo"
    hands = " ".join(row.get_attribute("data-hands") for row in page.locator("#detail tbody tr").all())
    assert len(set(hands.split())) == 12
    with open_strategy() as strategy:
        wanted = strategy.range("Td9d6h", "rc/c")
        place = wanted.hands.tolist().index("KcAd")
        expected = [wanted.reach[place], *wanted.frequencies[place, 1:]]
    cells = hand_row(page, "KcAd").locator("td:not(.mix-box)").all()[: len(expected)]
    shown = [as_number(cell.inner_text().split()[0]) for cell in cells]
    assert shown == pytest.approx([100 * x for x in expected], abs=0.051)
    picture(page, f"{size}-flop")

    getattr(page.get_by_role("link", name="Play"), press)()
    for number in range(1, 11):
        assert hands_played(page) == number - 1
        getattr(page.locator(".action.deal"), press)()
        acted = 0
        while hands_played(page) < number:
            if number == 3 and acted == 1:
                getattr(page.locator(".hint-button"), press)()
                page.wait_for_selector(".hint")
                picture(page, f"{size}-play")
            getattr(page.locator(".action.call"), press)()
            acted += 1
    read_about_luck(page, press)
    getattr(page.locator("#log summary").first, press)()  # a mouse that stays there would point at a cell of Explore
    picture(page, f"{size}-log")
    assert page.locator("#log details").count() == 10
    own = page.locator("#log details").first.locator(".log-step", has_text="You").last
    held = re.search(r"hand=(\w{4})", own.get_attribute("href"))[1]
    getattr(own, press)()
    page.wait_for_url("**/explore**")
    high, low = sorted((held[0], held[2]), key="AKQJT98765432".index)
    page.wait_for_function(f"() => document.querySelector('#detail h2')?.textContent.startsWith('{high}{low}')")


@pytest.mark.parametrize("size", SIZES)
def test_a_first_visitor_with_a_keyboard(visit, size):
    page = visit(size)
    page.goto("/")
    page.wait_for_selector(".step.now")
    page.keyboard.press("r")
    spot_is(page, "r")
    page.keyboard.press("c")
    page.wait_for_selector("#picker[open]")
    for keys in (["Enter"], ["ArrowRight", "ArrowDown", " "], ["ArrowDown", "Enter"]):
        for each in keys:
            page.keyboard.press(each)
    spot_is(page, "rc/", "AsKhKd")
    page.keyboard.press("Backspace")
    spot_is(page, "r")
    page.keyboard.press("c")
    page.wait_for_selector("#picker[open]")
    page.keyboard.press("Escape")
    page.wait_for_selector("#picker:not([open])", state="attached")
    page.keyboard.press("c")
    page.wait_for_selector("#picker[open]")
    page.keyboard.type("10d 9\u2666 6h")  # at once, without a click into the field
    spot_is(page, "rc/", "Td9d6h")
    page.locator("#grid .cell[tabindex='0']").focus()
    page.keyboard.press("Home")
    for _ in range(3):
        page.keyboard.press("ArrowDown")
    page.keyboard.press("ArrowRight")
    assert detail(page)[0] in {f"{high}{low}o" for high in "AK" for low in "QJT98765432"} | {"KJo"}

    page.get_by_role("link", name="Play").focus()
    page.keyboard.press("Enter")
    for number in range(1, 11):
        assert hands_played(page) == number - 1
        page.keyboard.press("n")
        while hands_played(page) < number:
            page.keyboard.press("c")
        # One hand says nothing about 100.
        assert (page.locator("#result .figure").first.inner_text()[0] == "\u2013") == (number == 1)
    assert page.locator("#log details").count() == 10


def test_hovering_shows_and_leaving_restores(visit):
    page = visit()
    page.goto("/explore?line=r")
    spot_is(page, "r")
    cell_of(page, "QQ").click()
    cell_of(page, "72o").hover()
    assert page.locator("#tip h2").inner_text() == "72o"
    assert detail(page)[0] == "QQ"
    page.mouse.move(2, 2)
    assert not page.locator("#tip").is_visible()
    assert detail(page)[0] == "QQ"


TURN = ("Td9d6h2c", "rc/crc/cr")


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("scheme", ["dark", "light"])
def test_expected_values_are_those_of_the_api(visit, size, scheme):
    page = visit(size, color_scheme=scheme)
    page.goto(f"/explore?line={TURN[1]}&board={TURN[0]}")
    spot_is(page, TURN[1], TURN[0])  # until then the grid moves under the mouse
    getattr(cell_of(page, "K7o"), press_on(size))()
    values_are_there(page)
    with open_strategy() as strategy:
        wanted = expected_values(strategy, *TURN)
    hand, classes = wanted.hands.tolist().index("7cKs"), wanted.by_class()
    expected = [*wanted.action_ev[hand] / 1000, wanted.ev[hand] / 1000, 100 * wanted.equity[hand]]
    cells = hand_row(page, "7cKs").locator("td:not(.mix-box)").all()[1:]
    shown = [cell.inner_text().split() for cell in cells]
    assert [as_number(texts[-1]) for texts in shown] == pytest.approx(expected, abs=0.051)
    assert [as_number(texts[-1]) for texts in shown[:4]] == pytest.approx(expected[:4], abs=0.00051)
    number_of_class = classes.hands.tolist().index("K7o")
    for place, ev, equity in (
        ("#totals", wanted.mean_ev, wanted.mean_equity),
        ("#detail", classes.ev[number_of_class], classes.equity[number_of_class]),
    ):
        said = re.fullmatch(
            r"EV (\S+) big blinds \((\S+) mbb\), equity (\S+)", page.locator(f"{place} .worth").inner_text()
        )
        assert as_number(said[1]) == pytest.approx(ev / 1000, abs=0.00051)
        assert as_number(said[2]) == pytest.approx(ev, abs=0.51)
        assert as_number(said[3]) == pytest.approx(100 * equity, abs=0.051)

    cell = page.locator(".cell").nth(number_of_class)
    if size == "desktop":
        assert cell.locator(".value").inner_text().endswith("%")
    page.keyboard.press("e")
    assert as_number(cell.locator(".value").inner_text()) == pytest.approx(
        classes.ev[number_of_class] / 1000, abs=0.0051
    )
    assert re.match(r"K7o: EV \S+ big blinds, fold ", cell.get_attribute("aria-label"))
    page.locator("#unit").get_by_text("mbb").click()
    assert as_number(cells[3].inner_text().split()[-1]) == pytest.approx(wanted.ev[hand], abs=0.51)
    picture(page, f"{size}-{scheme}-ev")

    cell_of(page, "AA").focus()  # it would have raised before
    assert {(texts[0], texts[-1]) for texts in detail(page)[1]} == {("never", "\u2013")}
    assert page.locator("#detail .worth").count() == 0
    assert "does not get here; would fold" in page.locator("#detail p").inner_text()
    page.reload()  # the choice is kept
    values_are_there(page)
    assert cell.locator(".value").is_visible()


def test_expected_values_come_after_the_frequencies(visit):
    """A flop spot takes seconds: the grid is there at once, and who goes on does not ask for it any more."""
    page, asked = visit(), []
    page.on("requestfinished", lambda sent: asked.append(sent.url))
    page.on("requestfailed", lambda sent: asked.append(f"called off {sent.url}"))
    with page.expect_request("**/api/values?**"):
        page.goto("/explore?line=rc/&board=QsJs7d")
    assert "on the flop this takes some seconds" in page.locator("#progress").inner_text()
    assert detail(page)[1][0][1].endswith("%\n\u2026")
    page.keyboard.press("Backspace")
    spot_is(page, "r")
    of_flop = [url for url in asked if "/api/values" in url and "QsJs7d" in url]
    # A slow machine says now and then that it is still at work, and is asked again; the last question is called off.
    assert [url.startswith("called off") for url in of_flop] == [*[False] * (len(of_flop) - 1), True]
    page.go_back()
    values_are_there(page)
    assert re.fullmatch(r"EV \S+ big blinds .*", page.locator("#totals .worth").inner_text())


@pytest.mark.parametrize("size", SIZES)
def test_a_line_that_is_never_played_shows_what_the_seat_would_do(visit, size):
    """The supplied strategy never limps: the button facing a raise of its limp has no range."""
    page = visit(size)
    page.goto("/explore?line=cr&hand=KhQh")
    spot_is(page, "cr", hand="KhQh")
    assert page.locator("#unplayed").inner_text() == (
        "Never played: no hand of the button gets here. Hatched is what it would do."
    )
    assert page.locator("#detail h2").inner_text() == "KQs"
    with open_strategy() as strategy:
        spot = strategy.range("", "cr")
        values = expected_values(strategy, "", "cr")
    place = spot.hands.tolist().index("QhKh")
    cells = [cell.inner_text().split() for cell in hand_row(page, "QhKh").locator("td:not(.mix-box)").all()]
    assert cells[0] == ["never"]
    shares = [as_number(texts[0]) for texts in cells[1:4]]
    assert shares == pytest.approx(100 * spot.frequencies[place], abs=0.051)
    values_are_there(page)
    page.wait_for_selector("#totals .worth")
    said = page.locator("#totals .worth b").first.inner_text()
    assert as_number(said) == pytest.approx(values.mean_ev / 1000, abs=0.00051)
    hatched = "getComputedStyle(document.querySelector('.cell .bars')).maskImage"
    assert "gradient" in page.evaluate(hatched)
    picture(page, f"{size}-never")
    page.goto("/explore?line=r")
    spot_is(page, "r")
    assert "gradient" not in page.evaluate(hatched)
    page.goto("/explore?line=c")
    spot_is(page, "c")
    assert page.locator("#unplayed").inner_text() == (
        "The button never plays this line. EVs are rough: against its presumed range, checked down from the flop on."
    )


def test_spots_have_addresses(visit):
    page = visit()
    page.goto("/explore?line=rc/cr&board=Td9d6h")
    page.wait_for_function(
        "() => document.querySelector('#title').textContent === 'Big blind facing a bet on the flop'"
    )
    page.keyboard.press("c")
    page.wait_for_selector("#picker[open]")
    page.get_by_role("button", name="Deal at random").click()
    page.wait_for_url(re.compile(r"line=rc/crc/&board=Td9d6h\w\w$"))
    page.go_back()
    spot_is(page, "rc/cr", "Td9d6h")


def test_a_bad_address_says_why_and_is_followed_as_far_as_it_leads(chromium, server):
    context = chromium.new_context(base_url=server)
    page = context.new_page()
    page.goto("/explore?line=rx")
    page.wait_for_selector(".step.now")
    assert "at position 2, 'x' is illegal" in page.locator("#notice").inner_text()
    assert page.locator("#title").inner_text() == "Big blind facing a raise preflop"
    context.close()


@pytest.mark.parametrize("scheme", ["dark", "light"])
def test_themes_follow_the_system_and_are_kept(visit, scheme):
    page = visit(color_scheme=scheme)
    background = "getComputedStyle(document.body).backgroundColor"
    colours = {"dark": "rgb(14, 17, 22)", "light": "rgb(243, 244, 247)"}
    other = "light" if scheme == "dark" else "dark"
    page.goto("/")
    assert page.evaluate(background) == colours[scheme]
    page.locator("#theme").click()
    page.locator("#palette").click()
    for _ in range(2):
        assert page.evaluate(background) == colours[other]
        assert page.evaluate("getComputedStyle(document.documentElement).getPropertyValue('--call')") == "#f0e442"
        assert page.locator("#palette").get_attribute("aria-pressed") == "true"
        page.reload()


@pytest.mark.parametrize(
    "address",
    [
        "/",
        "/explore?line=rc/crrrrc/crrrrc/crrrr&board=Td9d6h2c5s",
        "/explore?line=rc/crc/cr&board=Td9d6h2c",
        "/play",
        "/train",
    ],
)
def test_nothing_is_wider_than_a_phone(visit, address):
    page = visit("phone", viewport={"width": 320, "height": 640})
    page.goto(address)
    page.wait_for_selector(".step.now, .action.deal")
    if "board" in address:
        values_are_there(page)
    assert page.evaluate("document.documentElement.scrollWidth") <= 320


@pytest.mark.slow  # not because it is, but because a busy machine is
def test_it_is_quick(visit):
    """The page with its first spot in under a second, a flop spot in under 100 ms; medians of five."""
    loads, spots = [], []
    for number in range(5):
        page = visit()
        page.goto("/")
        page.wait_for_selector(".step.now")
        loads.append(page.evaluate("performance.now()"))
        flop = ("Td9d6h", "AsKd2c", "7h7c2d", "JcTc9c", "4d3s2h")[number]
        page.goto(f"/explore?line=rc/&board={flop}")
        page.wait_for_selector(".step.now")
        timing = "performance.getEntriesByType('resource').find((entry) => entry.name.includes('/api/spot')).duration"
        spots.append(page.evaluate(timing))
    assert statistics.median(loads) < 1000, loads
    assert statistics.median(spots) < 100, spots
