"""The page in a real Chromium, at desktop and phone widths, by mouse, touch and keyboard.

Needs the extra ``test`` and a Chromium, Playwright's own (``playwright install chromium``) or the system's.
With ``CFR_SCREENSHOTS`` set to a folder, pictures of what was seen are left there.
"""

import os
import re
import shutil
import signal
import statistics
from contextlib import contextmanager
from pathlib import Path

import pytest

from cfr import expected_values
from cfr.strategy import open_strategy
from tests.test_web_server import Server

sync_api = pytest.importorskip("playwright.sync_api")
pytestmark = pytest.mark.browser

SIZES = {
    "desktop": {"viewport": {"width": 1280, "height": 860}},
    "phone": {
        "viewport": {"width": 390, "height": 844},
        "has_touch": True,
        "is_mobile": True,
        "device_scale_factor": 2,
    },
}


@pytest.fixture(scope="module")
def server(tmp_path_factory):
    started = Server(tmp_path_factory.mktemp("server"), "--seed", "1")
    yield f"http://127.0.0.1:{started.port}"
    assert started.stop(signal.SIGINT)[0] == 0


@pytest.fixture(scope="module")
def chromium():
    own = shutil.which("chromium") or shutil.which("google-chrome")
    with sync_api.sync_playwright() as playwright:
        if own is None and not Path(playwright.chromium.executable_path).exists():
            pytest.skip("there is no Chromium")
        browser = playwright.chromium.launch(executable_path=own, args=["--no-sandbox"])
        yield browser
        browser.close()


@pytest.fixture
def visit(chromium, server):
    """Opens pages in contexts of their own; at the end nothing may have failed or been asked for elsewhere."""
    contexts, problems = [], []

    def page(size="desktop", **options):
        context = chromium.new_context(base_url=server, **(SIZES[size] | options))
        contexts.append(context)
        opened = context.new_page()
        opened.on("console", lambda said: problems.append(said.text) if said.type in ("error", "warning") else None)
        opened.on("pageerror", lambda error: problems.append(str(error)))
        opened.on("request", lambda sent: None if sent.url.startswith(server) else problems.append(sent.url))
        opened.set_default_timeout(15_000)
        return opened

    yield page
    for context in contexts:
        context.close()
    assert problems == []


def picture(page, name):
    if folder := os.environ.get("CFR_SCREENSHOTS"):
        page.screenshot(path=Path(folder) / f"{name}.png", full_page=True)


def spot_is(page, line, board=""):
    query = "&".join(f"{name}={value}" for name, value in (("line", line), ("board", board)) if value)
    page.wait_for_url(f"**/explore?{query}")
    page.wait_for_selector("#explore[aria-busy=false]")


def hands_played(page):
    """How many hands are finished, when nothing is under way."""
    page.wait_for_selector("#play[aria-busy=false]")
    return int(page.locator("#result dd").first.inner_text())


def read_about_luck(page, press):
    """The luck-adjusted result comes after the hands, on a busy machine long after them; what it is unfolds."""
    for _ in range(600):
        result = page.request.get("/api/table").json()["result"]
        if result["luck_adjusted"]["hands"] == result["hands"]:
            break
        page.wait_for_timeout(500)
    page.reload()
    shown = page.locator("#result .adjusted").inner_text()
    assert float(shown.split()[0].replace("\u2212", "-")) == pytest.approx(
        result["luck_adjusted"]["bb_per_100"], abs=0.05
    )
    assert shown.endswith("big blinds per 100 hands, luck-adjusted")
    getattr(page.get_by_text("What is this?"), press)()
    assert page.locator("#result .explain p").is_visible()


def detail(page):
    """The numbers of the selected class: name, then the texts of each hand's cells."""
    name = page.locator("#detail h2").inner_text()
    rows = page.locator("#detail tbody tr").all()
    return name, [[cell.inner_text() for cell in row.locator("td:not(.mix-box)").all()] for row in rows]


def as_number(text):
    return float(text.rstrip("%").replace("\u2212", "-"))


def values_are_there(page):
    """On the flop that takes seconds, on a busy machine minutes: the server steps back behind everything else."""
    page.wait_for_selector("#explore[aria-busy=false]")
    page.wait_for_function("() => document.querySelector('#progress').textContent === ''", timeout=600_000)


def hand_row(page, *cards):
    row = page.locator("#detail tbody tr")
    for card in cards:
        row = row.filter(has=page.get_by_label(card))
    return row


@pytest.mark.parametrize("size", SIZES)
def test_a_first_visitor_with_a_pointer(visit, size):
    page = visit(size)
    press = "tap" if size == "phone" else "click"
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
    getattr(page.locator(".cell", has_text=re.compile("^AKo$")), press)()
    name, shown = detail(page)
    assert (name, len(shown)) == ("AKo", 12)
    with open_strategy() as strategy:
        wanted = strategy.range("Td9d6h", "rc/c")
        place = wanted.hands.tolist().index("KcAd")
        expected = [wanted.reach[place], *wanted.frequencies[place, 1:]]
    cells = hand_row(page, "ace of diamonds", "king of clubs").locator("td:not(.mix-box)").all()[: len(expected)]
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
    page.locator("#log summary").first.click()
    picture(page, f"{size}-log")
    assert page.locator("#log details").count() == 10
    page.locator("#log .log-step").first.click()
    page.wait_for_url("**/explore**")


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
    page.locator("#typed").focus()
    page.keyboard.type("Td 9d 6h")
    spot_is(page, "rc/", "Td9d6h")
    page.locator(".cell[tabindex='0']").focus()
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
    assert page.locator("#log details").count() == 10


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
    with held(page, "**/api/spot?line=r&**"):
        page.keyboard.press("r")
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


def test_hovering_shows_and_leaving_restores(visit):
    page = visit()
    page.goto("/explore?line=r")
    spot_is(page, "r")
    page.locator(".cell", has_text=re.compile("^QQ$")).click()
    page.locator(".cell", has_text=re.compile("^72o$")).hover()
    assert detail(page)[0] == "72o"
    page.mouse.move(2, 2)
    assert detail(page)[0] == "QQ"


TURN = ("Td9d6h2c", "rc/crc/cr")


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("scheme", ["dark", "light"])
def test_expected_values_are_those_of_the_api(visit, size, scheme):
    page = visit(size, color_scheme=scheme)
    page.goto(f"/explore?line={TURN[1]}&board={TURN[0]}")
    spot_is(page, TURN[1], TURN[0])  # until then the grid moves under the mouse
    getattr(page.locator(".cell", has_text=re.compile("^K7o")), "tap" if size == "phone" else "click")()
    values_are_there(page)
    with open_strategy() as strategy:
        wanted = expected_values(strategy, *TURN)
    hand, classes = wanted.hands.tolist().index("7cKs"), wanted.by_class()
    expected = [*wanted.action_ev[hand] / 1000, wanted.ev[hand] / 1000, 100 * wanted.equity[hand]]
    cells = hand_row(page, "king of spades", "seven of clubs").locator("td:not(.mix-box)").all()[1:]
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
    assert not cell.locator(".value").is_visible()
    page.keyboard.press("e")
    assert as_number(cell.locator(".value").inner_text()) == pytest.approx(
        classes.ev[number_of_class] / 1000, abs=0.0051
    )
    assert re.match(r"K7o: EV \S+ big blinds, fold ", cell.get_attribute("aria-label"))
    page.locator("#unit").get_by_text("mbb").click()
    assert as_number(cells[3].inner_text().split()[-1]) == pytest.approx(wanted.ev[hand], abs=0.51)
    picture(page, f"{size}-{scheme}-ev")

    page.locator(".cell", has_text=re.compile("^AA")).focus()  # it would have raised before
    assert {texts[-1] for texts in detail(page)[1]} == {"unreached"}
    assert page.locator("#detail .worth").count() == 0
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
    assert [url.startswith("called off") for url in of_flop] == [True]
    page.go_back()
    values_are_there(page)
    assert re.fullmatch(r"EV \S+ big blinds .*", page.locator("#totals .worth").inner_text())


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


def test_a_bad_address_says_why_and_shows_the_start(chromium, server):
    context = chromium.new_context(base_url=server)
    page = context.new_page()
    page.goto("/explore?line=rx")
    page.wait_for_selector(".step.now")
    assert "'x' at position 2 is no action" in page.locator("#notice").inner_text()
    assert page.locator("#title").inner_text() == "Button to act preflop"
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
