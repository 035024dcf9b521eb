"""The player that learns, at the table: under a name, without one, and forgetting."""

import signal

import pytest

from cfr.play.portfolio import Portfolio
from tests.browser.pages import SIZES, hands_played, picture, press_on
from tests.web.server.test_server import Server

pytest.importorskip("playwright.sync_api")
pytestmark = [pytest.mark.browser, pytest.mark.thorough]


@pytest.fixture(scope="module")
def portfolio(tmp_path_factory):
    path = tmp_path_factory.mktemp("portfolio") / "bot.json"
    Portfolio.make(["always-call@1163", "uniform@2406", "always-raise@3698"], 1500).save(path)
    return path


@pytest.fixture(scope="module")
def server(portfolio, tmp_path_factory):
    started = Server(tmp_path_factory.mktemp("server"), "uniform", "--learn", str(portfolio), "--seed", "1")
    yield f"http://127.0.0.1:{started.port}"
    assert started.stop(signal.SIGINT)[0] == 0


def ready(page):
    page.wait_for_selector("#play[aria-busy=false]")


def play_hands(page, count):
    for number in range(1, count + 1):
        page.keyboard.press("n")
        ready(page)
        while page.locator("#controls .deal").count() == 0:
            page.keyboard.press("c")
            ready(page)
        assert hands_played(page) == number


@pytest.mark.parametrize("size", SIZES)
def test_it_learns_from_a_visitor_by_name(visit, portfolio, size):
    page, press, name = visit(size), press_on(size), f"Ann {size}"
    page.goto("/play")
    ready(page)
    panel = page.locator("#learner")
    assert "It plays a mix of always-call, uniform, and always-raise" in panel.inner_text()
    assert not page.locator("#learner-learnt").is_visible()
    page.locator("#learner-name").fill(name)
    getattr(page.get_by_role("button", name="Play against it"), press)()
    page.wait_for_url("**/play?against=learn*")
    ready(page)
    assert page.title() == "Play against the player that learns \u2013 cfr"
    assert "You play against the player that learns." in page.locator("#said").inner_text()
    assert f"It has learnt from 0 hands of {name}" in panel.inner_text()
    assert not page.locator("#learner-forget").is_visible()
    play_hands(page, 3)
    assert f"It has learnt from 3 hands of {name}, and keeps what it learnt." in panel.inner_text()
    shares = [float(each.rstrip("%")) for each in page.locator("#learner dd").all_inner_texts()]
    assert sum(shares) == pytest.approx(100, abs=0.2)
    assert page.locator("#learner dt").all_inner_texts() == ["always-call", "uniform", "always-raise"]
    assert page.locator("#result h2").inner_text() == "Your result against the player that learns"
    assert page.locator(".bot-seat .who").inner_text() == "learner"
    assert Portfolio.read(portfolio).learnt[name].hands == 3
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    picture(page, f"{size}-learner")
    page.reload()
    ready(page)
    assert page.locator("#learner-name").input_value() == name
    assert f"3 hands of {name}" in panel.inner_text()
    getattr(page.locator("#learner-forget"), press)()
    assert name in page.locator("#unlearn-what").inner_text()
    getattr(page.locator("#unlearn-yes"), press)()
    ready(page)
    assert f"It has learnt from 0 hands of {name}" in panel.inner_text()
    assert hands_played(page) == 3
    assert name not in Portfolio.read(portfolio).learnt
    getattr(page.get_by_role("link", name="Play against uniform again"), press)()
    page.wait_for_url("**/play")
    ready(page)
    assert page.locator("#learner-name").input_value() == ""
    assert hands_played(page) == 0


def test_without_a_name_and_with_a_bad_one(visit, portfolio):
    page, before = visit(), portfolio.read_bytes()
    page.goto("/play")
    ready(page)
    page.locator("#learner-name").press("Enter")
    page.wait_for_url("**/play?against=learn*")
    ready(page)
    play_hands(page, 2)
    assert "It has learnt from 2 hands of yours, and keeps nothing beyond" in page.locator("#learner").inner_text()
    assert portfolio.read_bytes() == before
    page.locator("#learner-name").fill("a@b")
    page.locator("#learner-name").press("Enter")
    page.wait_for_selector("#notice:not([hidden])")
    ready(page)
    assert page.locator("#notice").inner_text() == "your name: expected at most 32 characters on one line, without @"
    assert hands_played(page) == 0  # the table of the first strategy
    visit.problems.clear()  # the browser's own line about the refusal
