"""Review of a database without EVs: it lists decisions, and says that no mistake is known."""

import signal

import pytest

from cfr.cli.main import main
from tests.browser.pages import SIZES, picture
from tests.web.server.test_server import Server

pytest.importorskip("playwright.sync_api")
pytestmark = [pytest.mark.browser, pytest.mark.thorough]


@pytest.fixture(scope="module")
def server(tmp_path_factory):
    folder = tmp_path_factory.mktemp("unvalued")
    log, hands = folder / "x.log", folder / "hands.db"
    assert main(["match", "uniform", "call-raise", "--hands", "30", "--seed", "1", "--log", str(log)]) == 0
    assert main(["review", str(log), "--db", str(hands), "--no-ev", "--strategy", "uniform"]) == 0
    started = Server(folder, "uniform", "--seed", "1", "--db", str(hands))
    yield f"http://127.0.0.1:{started.port}"
    assert started.stop(signal.SIGINT)[0] == 0


@pytest.mark.parametrize("size", SIZES)
def test_no_mistake_is_counted_where_none_is_known(visit, size):
    page = visit(size)
    page.goto("/review")
    page.wait_for_selector("#database-list [data-place='0']")
    page.wait_for_selector("#database-side[aria-busy=false]")
    assert page.locator("#database-said").inner_text() == "30 hands, reviewed without EVs: no mistake is known."
    assert "decisions" in page.locator("#database-count").inner_text()
    assert page.locator("#database-size").is_disabled()
    cells = page.locator("#database-lost tbody tr:last-child td").all_inner_texts()
    assert cells[-2:] == ["\u2013", "\u2013"]
    picture(page, f"{size}-unvalued")
