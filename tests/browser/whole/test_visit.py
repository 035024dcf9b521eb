"""A whole visit, on three screens by pointer and once by keyboard alone: trained, reviewed, compared, switched."""

import signal

import pytest

from cfr.cli.main import main
from cfr.strategy.files.bundled import default_path
from tests.browser.pages import as_number, check_accessible, picture
from tests.browser.whole.test_sizes import FAULTS
from tests.web.server.test_server import Server

pytest.importorskip("playwright.sync_api")
pytestmark = [pytest.mark.browser, pytest.mark.slow]
HANDS, SPOTS = 50, 20
LARGE = {"laptop": (1366, 650), "desktop": (1920, 1080)}


@pytest.fixture(scope="module")
def server(tmp_path_factory):
    started = Server(tmp_path_factory.mktemp("visit"), "--seed", "1", "--also", "always-call")
    yield f"http://127.0.0.1:{started.port}"
    assert started.stop(signal.SIGINT)[0] == 0


@pytest.fixture(scope="module")
def log(tmp_path_factory):
    """Fifty hands against a player who ignores its cards, as PokerStars writes them."""
    path = tmp_path_factory.mktemp("log") / "session.txt"
    players = [str(default_path()), "call-raise"]
    assert main(["match", *players, "--hands", str(HANDS), "--seed", "3", "--log", str(path)]) == 0
    assert path.read_text().count("PokerStars Hand #") == HANDS
    return path


@pytest.fixture
def open_page(visit):
    def opened(size):
        if size == "phone":
            return visit("phone")
        width, height = LARGE[size]
        return visit(viewport={"width": width, "height": height})

    return opened


def ready(page, view):
    page.wait_for_selector(f"#{view}[aria-busy=false]")


def go_to(page, name, press):
    link = page.get_by_role("navigation", name="Views").get_by_role("link", name=name)
    if press == "keys":
        link.focus()
        page.keyboard.press("Enter")
    else:
        getattr(link, press)()
    ready(page, name.lower())


def train(page, press):
    go_to(page, "Train", press)
    page.locator("#train-round").select_option("river")
    ready(page, "train")
    for number in range(1, SPOTS + 1):
        if press == "keys":
            page.locator("#train-controls button").first.focus()
            page.keyboard.press("n")
            page.keyboard.press("c")
        else:
            getattr(page.locator("#train-controls .deal"), press)()
            getattr(page.locator("#train-controls .action.call"), press)()
        page.wait_for_function("(n) => document.querySelectorAll('#answers .answer').length === n", arg=number)
        ready(page, "train")
    page.wait_for_function("() => !document.querySelector('#answers').textContent.includes('\u2026')", timeout=120_000)
    assert page.locator("#score dd").first.inner_text() == str(SPOTS)


def review(page, press, log):
    go_to(page, "Review", press)
    if press == "keys":
        with page.expect_file_chooser() as chooser:
            page.keyboard.press("o")
        chooser.value.set_files(log)
    else:
        page.locator("#review-file").set_input_files(log)
    page.wait_for_function(
        "(n) => document.querySelector('#review-said').textContent === `${n} hands reviewed.`",
        arg=HANDS,
        timeout=900_000,
    )
    ready(page, "review")
    worst = page.locator("#review-list .lost").first
    id_, player = page.evaluate("localStorage.getItem('review')"), page.locator("#review-player").input_value()
    asked = {"id": id_, "player": player, "mistakes": "1"}  # what the list shows first
    told = page.request.get("/api/review/decisions", params=asked).json()["decisions"]
    losses = [each["ev_lost_mbb"] for each in told if each["ev_lost_mbb"] is not None]
    assert as_number(worst.locator(".lost-ev").inner_text()) == pytest.approx(-max(losses) / 1000, abs=0.00051)
    picture(page, f"visit-{page.viewport_size['width']}-{press}-review")
    address = worst.locator(".lost-link").get_attribute("href")
    if press == "keys":
        page.keyboard.press("j")
        page.keyboard.press("Enter")
    else:
        getattr(worst.locator(".lost-link"), press)()
    page.wait_for_url(f"**{address}")
    ready(page, "explore")
    assert page.locator("#detail h2").is_visible()


def compare_and_switch(page, press):
    if press == "keys":
        page.locator("#with").focus()
        page.keyboard.press("ArrowDown")
    else:
        page.locator("#with").select_option(label="always-call")
    page.wait_for_url("**with=always-call**")
    ready(page, "explore")
    assert page.locator("#grid.compared").count() == 1
    picture(page, f"visit-{page.viewport_size['width']}-{press}-compared")
    if press == "keys":
        page.locator("#strategy").focus()
        page.keyboard.press("ArrowDown")
    else:
        page.locator("#strategy").select_option(label="always-call")
    page.wait_for_url("**strategy=always-call**")
    ready(page, "explore")
    if press == "tap":  # a phone's cells have no numbers
        for place in ("document.documentElement", "document.querySelector('#detail .scroll')"):
            assert page.evaluate(f"{place}.scrollWidth <= {place}.clientWidth")
    else:
        assert page.evaluate(FAULTS, "#nothing") == []
    check_accessible(page)


@pytest.mark.parametrize(
    ("size", "press"), [("laptop", "click"), ("desktop", "click"), ("phone", "tap"), ("laptop", "keys")]
)
def test_a_visit(open_page, log, size, press):
    page = open_page(size)
    page.on("filechooser", lambda _: None)  # from now on, not when the first one is there already
    page.goto("/")
    ready(page, "explore")
    train(page, press)
    review(page, press, log)
    compare_and_switch(page, press)
