"""The page of a game whose deck has fewer ranks and suits."""

import re
import signal

import pytest

from cfr.cli.main import main
from tests.browser.pages import picture
from tests.small_games import short_deck
from tests.web.server.test_server import Server

pytestmark = [pytest.mark.browser, pytest.mark.thorough]


@pytest.fixture(scope="module")
def server(tmp_path_factory):
    folder = tmp_path_factory.mktemp("short")
    (folder / "six.game").write_text(short_deck("six", 2, 6, (0, 3), (1, 1)).text())
    out = str(folder / "six.h5")
    assert main(["solve", str(folder / "six.game"), "--iterations", "20", "--threads", "1", "--out", out]) == 0
    started = Server(folder, out, "--seed", "1")
    yield f"http://127.0.0.1:{started.port}"
    assert started.stop(signal.SIGINT)[0] == 0


@pytest.mark.parametrize("size", ["desktop", "phone"])
def test_the_grid_and_the_deck_are_as_large_as_the_deck(visit, size):
    page = visit(size)
    page.goto("/explore")
    page.wait_for_selector("#explore[aria-busy=false]")
    grid = page.locator("#grid")
    assert grid.locator("[role=row]").count() == 6
    assert grid.locator("[role=gridcell]").count() == 36
    # All at once: what arrives in between moves the grid.
    places = "cells => [0, 5, 30, 35].map((number) => cells[number].getBoundingClientRect().toJSON())"
    boxes = grid.locator("[role=gridcell]").evaluate_all(places)
    assert boxes[0]["y"] == boxes[1]["y"]
    assert boxes[2]["y"] == boxes[3]["y"]
    assert boxes[1]["x"] == boxes[3]["x"]
    names = grid.locator("[role=gridcell] .name").all_inner_texts()
    assert (names[0], names[1], names[5], names[35]) == ("AA", "AKs", "A9s", "99")
    grid.locator("[role=gridcell]").first.focus()
    page.keyboard.press("End")
    page.keyboard.press("ArrowDown")
    assert page.evaluate("document.activeElement.innerText").startswith("K9s")
    page.goto("/explore?line=r")
    page.wait_for_selector("#explore[aria-busy=false]")
    page.keyboard.press("c")
    page.wait_for_selector("#picker[open]")
    assert page.locator("#deck [role=row]").count() == 2
    assert page.locator("#deck [role=gridcell]").count() == 12
    picture(page, f"{size}-short-deck-picker")
    for card in ("Ts", "9h", "Kh"):
        page.locator(f"#deck [data-card='{card}']").click()
    page.wait_for_url(re.compile("board="))
    page.wait_for_selector("#explore[aria-busy=false]")
    picture(page, f"{size}-short-deck")
    assert page.locator("#exact:visible").count() == 0


def test_a_hand_is_played_with_the_deck(visit):
    page = visit()
    page.goto("/play")
    page.wait_for_selector("#play[aria-busy=false]")
    page.get_by_role("button", name="Deal").first.click()
    page.wait_for_selector("#controls button:has-text('Call'), #controls button:has-text('Check')")
