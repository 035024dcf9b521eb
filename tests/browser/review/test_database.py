"""Review of a database of 100,000 hands: few rows in the document, in order, filtered, wherever one scrolls."""

import signal

import pytest

from benchmarks.speed.hand_list import HERO, make_database
from cfr.strategy.built_in import BuiltIn
from tests.browser.pages import SIZES, as_number, picture, press_on
from tests.browser.whole.test_sizes import FAULTS
from tests.web.server.test_server import Server

pytest.importorskip("playwright.sync_api")
pytestmark = [pytest.mark.browser, pytest.mark.thorough]

HANDS = 100_000
MOST_ROWS = 40  # in the document, however long the list is


@pytest.fixture(scope="module")
def server(tmp_path_factory):
    folder = tmp_path_factory.mktemp("database")
    make_database(folder / "hands.db", HANDS, BuiltIn("uniform"))
    started = Server(folder, "uniform", "--seed", "1", "--db", str(folder / "hands.db"))
    yield f"http://127.0.0.1:{started.port}"
    assert started.stop(signal.SIGINT)[0] == 0


def ready(page):
    page.wait_for_selector("#review[aria-busy=false]")
    page.wait_for_function("() => !document.querySelector('#database-list .coming')")


def open_database(page):
    page.goto("/review")
    ready(page)
    page.wait_for_selector("#database-list [data-place='0']")


def asked(page, **filters):
    return page.request.get("/api/database/decisions", params=filters).json()


def rows(page):
    """Those in the document: place, link, loss."""
    script = (
        "(all) => all.map((row) => [+row.dataset.place, row.querySelector('a').getAttribute('href'),"
        " row.querySelector('.lost-ev').innerText, row.ariaSetSize])"
    )
    return page.locator("#database-list li").evaluate_all(script)


def check_list(page, found, offset=0):
    """The rows in the document are the decisions of the API in their places, and few."""
    shown = rows(page)
    assert 0 < len(shown) <= MOST_ROWS
    places = [row[0] for row in shown]
    assert places == list(range(places[0], places[0] + len(places)))
    for place, address, loss, size in shown:
        assert size == str(found["count"])
        if 0 <= place - offset < len(found["decisions"]):
            each = found["decisions"][place - offset]
            assert address.startswith("/explore")
            assert f"hand={each['hand']}" in address
            lost = each["ev_lost_mbb"]
            assert loss == "\u2013" if lost is None else as_number(loss) == pytest.approx(-lost / 1000, abs=0.00051)
    count = page.locator("#database-count").inner_text()
    assert count.split()[0] == f"{found['count']:,}"


def scroll_to(page, share):
    page.evaluate(
        "(share) => { const box = document.querySelector('#database-list');"
        " box.scrollTop = share * (box.scrollHeight - box.clientHeight); }",
        share,
    )
    page.wait_for_timeout(50)
    ready(page)


@pytest.mark.parametrize("size", SIZES)
def test_the_first_rows_and_the_last(visit, size):
    page = visit(size)
    open_database(page)
    assert page.locator("#database-said").inner_text() == "100,000 hands, 2026-01-01 to 2026-02-19."
    assert page.locator("#database-player").input_value() == HERO
    found = asked(page, player=HERO, mistakes=1)
    assert found["count"] > 10_000
    check_list(page, found)
    losses = [as_number(row[2]) for row in rows(page)]
    assert losses == sorted(losses)
    page.wait_for_selector("#database-side[aria-busy=false]")
    picture(page, f"{size}-database")
    assert page.evaluate(FAULTS, "#nothing") == []
    scroll_to(page, 1)
    last = found["count"] - 100
    check_list(page, asked(page, player=HERO, mistakes=1, offset=last), last)
    assert rows(page)[-1][0] == found["count"] - 1
    scroll_to(page, 0.5)
    middle = rows(page)[0][0]
    assert 0 < middle < last
    check_list(page, asked(page, player=HERO, mistakes=1, offset=middle), middle)
    scroll_to(page, 0)
    check_list(page, found)


def test_a_list_that_is_taller_than_a_box_can_be(visit):
    page = visit()
    open_database(page)
    page.locator("#database-player").select_option("")
    page.locator("#database-size").select_option("all")
    ready(page)
    found = asked(page)
    assert found["count"] * 62 > 8_000_000
    for share, offset in ((0, 0), (1, found["count"] - 100)):
        scroll_to(page, share)
        check_list(page, asked(page, offset=offset), offset)
    assert rows(page)[-1][0] == found["count"] - 1
    inside = (
        "() => { const box = document.querySelector('#database-list').getBoundingClientRect();"
        " const row = document.querySelector('#database-list li:last-child').getBoundingClientRect();"
        " return row.top >= box.top && row.bottom <= box.bottom + 1; }"
    )
    assert page.evaluate(inside)


def test_filters(visit):
    page = visit()
    open_database(page)
    chosen = {"player": HERO, "mistakes": 1}
    for name, option, changed in [
        ("player", "villain-3", {"player": "villain-3"}),
        ("size", "500", {"lost": 500}),
        ("player", "", {"player": ""}),
        ("round", "river", {"round": "river"}),
        ("line", "rc/*", {"line": "rc/*"}),
    ]:
        page.locator(f"#database-{name}").select_option(option)
        ready(page)
        chosen |= changed
        found = asked(page, **chosen)
        check_list(page, found)
        assert found["count"] < 10_000
        for each in found["decisions"]:
            assert each["mistake"]
            assert each["ev_lost_mbb"] >= chosen.get("lost", 10)
            assert each["player"] == (chosen["player"] or each["player"])
            assert each["round"] == chosen.get("round", each["round"])
            assert each["line"].startswith("rc/" if "line" in chosen else "")
    assert page.locator("#database-side").is_hidden()
    picture(page, "desktop-database-filtered")
    page.locator("#database-since").fill("2026-02-10")
    page.locator("#database-until").fill("2026-02-11")
    ready(page)
    chosen |= {"since": "2026-02-10", "until": "2026-02-11"}
    found = asked(page, **chosen)
    check_list(page, found)
    assert {each["day"] for each in found["decisions"]} == {"2026-02-10", "2026-02-11"}
    page.locator("#database-line").select_option("-")
    ready(page)
    assert page.locator("#database-count").inner_text().startswith("0 mistakes")  # of a river before the flop
    assert page.locator("#database-list li").count() == 0


def test_totals_are_of_the_player_and_the_days(visit):
    page = visit()
    open_database(page)
    for player, since in ((HERO, ""), ("villain-7", ""), ("villain-7", "2026-02-15")):
        page.locator("#database-player").select_option(player)
        page.locator("#database-since").fill(since)
        ready(page)
        page.wait_for_selector("#database-side[aria-busy=false]")
        told = page.request.get("/api/database/totals", params={"player": player, "since": since}).json()
        cells = page.locator("#database-lost tbody tr:last-child td").all_inner_texts()
        assert cells[0] == f"{told['decisions']:,}"
        assert cells[1] == f"{sum(each['mistakes'] for each in told['by_round'].values()):,}"
        assert f"{told['hands']:,} hands" in page.locator("#database-totals .figure").inner_text()


def test_by_keyboard(visit):
    page = visit()
    open_database(page)
    place = "document.activeElement.closest('[data-place]')?.dataset.place"
    for pressed, number in (("j", "0"), ("j", "1"), ("k", "0"), ("k", "0")):
        page.keyboard.press(pressed)
        assert page.evaluate(place) == number
    for _ in range(30):
        page.keyboard.press("j")
    assert page.evaluate(place) == "30"
    check_list(page, asked(page, player=HERO, mistakes=1))
    address = page.evaluate("document.activeElement.getAttribute('href')")
    page.keyboard.press("Enter")
    page.wait_for_url(f"**{address}")


def test_a_log_beside_the_database(visit, tmp_path):
    page = visit("phone")
    open_database(page)
    page.get_by_role("radio", name="A log").tap()
    ready(page)
    assert page.locator("#database").is_hidden()
    log = tmp_path / "x.log"
    log.write_text("STATE:0:f:AsAh|KsKh:5|-5:a|b\n")
    page.locator("#review-file").set_input_files(log)
    page.wait_for_function("() => document.querySelector('#review-said').textContent === '1 hand reviewed.'")
    page.get_by_role("radio", name="hands.db").tap()
    ready(page)
    assert page.locator("#database-list li").count() > 5
    page.reload()
    ready(page)
    assert page.locator("#database").is_visible()


@pytest.mark.parametrize("size", SIZES)
def test_a_reviewed_hand_is_replayed_on_the_felt(visit, size):
    page = visit(size)
    open_database(page)
    press = press_on(size)
    first = asked(page, player=HERO, mistakes=1)["decisions"][0]
    getattr(page.locator("#database-list [data-place='0']").get_by_text("Replay"), press)()
    page.wait_for_url(f"**/watch?hand={first['hand_id']}&player={HERO}")
    page.wait_for_selector("#watch[aria-busy=false]")
    assert page.title() == "Replay \u2013 cfr"
    hand = page.request.get("/api/database/hand", params={"hand": first["hand_id"], "player": HERO}).json()
    assert page.locator("#watch-felt .who").all_inner_texts() == hand["players"][::-1]
    assert page.locator("#watch-first").is_hidden()
    for number, step in enumerate(hand["steps"], 1):
        page.keyboard.press("s")
        page.wait_for_selector("#watch[aria-busy=false]")
        assert page.locator("#watch-story .log-step").count() == number
        lost = step["ev_lost_mbb"]
        said = page.locator("#decision").inner_text()
        if lost is not None:
            assert ("A mistake" in said) == step["mistake"]
            assert as_number(said.split("EV ")[-1].split()[0]) == pytest.approx(-lost / 1000, abs=0.00051)
        if step["mistake"]:
            picture(page, f"{size}-replay")
    assert page.evaluate(FAULTS, "#nothing") == []
    assert page.locator("#watch-felt .board .card:not(.empty)").count() == len(hand["board"]) // 2
    page.keyboard.press("n")
    page.wait_for_url(f"**/watch?hand={hand['next']}&player={HERO}")
    page.reload()
    page.wait_for_selector("#watch[aria-busy=false]")
    following = page.request.get("/api/database/hand", params={"hand": hand["next"], "player": HERO}).json()
    assert f"Hand {following['number']}" in page.locator("#watch-result").inner_text()
    getattr(page.get_by_text("Back to the review"), press)()
    page.wait_for_selector("#database-list [data-place='0']")
    getattr(page.get_by_role("link", name="Watch"), press)()
    page.wait_for_selector("#watch[aria-busy=false]")
    assert page.locator("#watch-first").is_visible()
    assert page.locator("#watch-result h2").inner_text().endswith("against always-call")


@pytest.mark.parametrize("size", SIZES)
def test_hands_played_at_the_table_are_reviewed(visit, size):
    page = visit(size)
    press = press_on(size)
    page.goto("/play")
    page.wait_for_selector("#play[aria-busy=false]")
    assert page.locator("#review-played").is_hidden()
    getattr(page.get_by_role("radio", name="Button"), press)()
    for _ in range(3):
        page.keyboard.press("n")
        page.keyboard.press("f")
    page.wait_for_function("() => document.querySelector('#result dd').textContent === '3'")
    page.keyboard.press("n")  # the hand that is being played is not reviewed
    page.wait_for_selector(".action.hint-button")
    picture(page, f"{size}-play-reviewable")
    getattr(page.locator("#review-played"), press)()
    page.wait_for_function("() => document.querySelector('#review-said').textContent === '3 hands reviewed.'")
    ready(page)
    assert page.locator("#review-name").inner_text() == "your hands.log"
    assert page.locator("#review-player option:checked").inner_text() == "you"
    getattr(page.locator("#review-shows").get_by_text("All"), press)()
    ready(page)
    assert page.locator("#review-list .lost").count() == 3
    picture(page, f"{size}-review-played")
    getattr(page.locator("#review-list").get_by_text("Replay").nth(1), press)()
    page.wait_for_url("**/watch?id=*")
    page.wait_for_selector("#watch[aria-busy=false]")
    assert page.locator("#watch-felt .who").all_inner_texts() == ["uniform", "you"]
    assert page.locator("#watch-felt .bot-seat .back").count() == 2  # whose cards nobody saw
    picture(page, f"{size}-replay-played")
    page.keyboard.press("s")
    page.wait_for_function("() => document.querySelector('#watch-said').textContent === 'uniform wins 5.'")
