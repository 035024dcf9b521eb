"""Strategies switched and compared on Explore, by mouse and by keyboard."""

import signal

import pytest

from tests.browser.pages import SIZES, cell_of, picture
from tests.browser.whole.test_sizes import FAULTS, SCREENS
from tests.web.server.test_server import Server

pytest.importorskip("playwright.sync_api")
pytestmark = [pytest.mark.browser, pytest.mark.thorough]


@pytest.fixture(scope="module")
def server(tmp_path_factory):
    options = ("--seed", "1", "--also", "always-call", "--also", "uniform")
    started = Server(tmp_path_factory.mktemp("library"), *options)
    yield f"http://127.0.0.1:{started.port}"
    assert started.stop(signal.SIGINT)[0] == 0


def ready(page):
    page.wait_for_selector("#explore[aria-busy=false]")


def shares(page):
    return [each.inner_text() for each in page.locator("#totals .total .number").all()]


@pytest.mark.parametrize("size", SIZES)
def test_a_strategy_is_switched_and_compared(visit, size):
    page = visit(size)
    page.goto("/explore?line=r")
    ready(page)
    before = shares(page)
    page.locator("#strategy").select_option(label="always-call")
    page.wait_for_url("**/explore?line=r&strategy=always-call")
    ready(page)
    assert shares(page) == ["0%", "100%", "0%"]
    assert page.locator("#exact").is_hidden()
    page.locator("#with").select_option(index=1)
    page.wait_for_url("**/explore?line=r&strategy=always-call&with=hulhe-small")
    ready(page)
    assert "hulhe-small above, always-call below" in page.locator("#totals h2").inner_text()
    assert [each.inner_text() for each in page.locator("#totals .versus").all()] == [f"hulhe-small {x}" for x in before]
    assert cell_of(page, "AA").get_attribute("aria-label") == "AA: call 0% in hulhe-small, 100% in always-call"
    picture(page, f"{size}-compared")
    page.get_by_role("button", name="Call 10").first.click() if size == "desktop" else None
    page.reload()
    ready(page)
    assert "with=hulhe-small" in page.url
    page.locator("#strategy").select_option(index=0)
    page.wait_for_function("() => !location.search.includes('with')")  # nobody is compared with himself
    ready(page)
    assert shares(page) == before


def test_by_keyboard_alone(visit):
    page = visit("desktop")
    page.goto("/explore")
    ready(page)
    for _ in range(40):
        page.keyboard.press("Tab")
        if page.evaluate("document.activeElement.id") == "strategy":
            break
    page.keyboard.press("ArrowDown")
    page.wait_for_url("**/explore?strategy=always-call")
    ready(page)
    page.keyboard.press("Tab")
    page.keyboard.press("ArrowDown")
    page.wait_for_url("**/explore?strategy=always-call&with=hulhe-small")
    ready(page)
    assert page.locator("#grid.compared").count() == 1


@pytest.mark.parametrize("screen", SCREENS)
def test_nothing_collides(visit, screen):
    page = visit("desktop", viewport={"width": screen[0], "height": screen[1]})
    page.goto("/explore?line=rc/&board=Td9d6h&strategy=uniform&with=hulhe-small")
    ready(page)
    assert page.evaluate(FAULTS) == []
    picture(page, f"{screen[0]}-compared")


def test_a_spot_is_saved(visit):
    page = visit("desktop")
    page.goto("/explore?line=r&strategy=uniform")
    ready(page)
    begins = {"csv": b"hand,combos", "svg": b"<svg", "png": b"\x89PNG"}
    for kind in page.request.get("/api/game").json()["files"]:
        begin = begins[kind]
        with page.expect_download() as saved:
            page.get_by_role("button", name=kind.upper()).click()
        assert saved.value.suggested_filename == f"spot-r.{kind}"
        with open(saved.value.path(), "rb") as file:
            assert file.read(len(begin)) == begin
