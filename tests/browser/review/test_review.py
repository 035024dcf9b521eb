"""A log reviewed on the page: dropped or chosen, watched, filtered, each mistake a link to its spot."""

import pytest

from cfr.formats.logs import HandLog
from cfr.game.betting import BettingTree
from cfr.game.cards import parse_cards
from cfr.game.hand import Deal, HandRecord
from cfr.game.rules import Game
from tests.browser.pages import SIZES, as_number, picture, press_on
from tests.browser.whole.test_sizes import FAULTS

pytest.importorskip("playwright.sync_api")
pytestmark = pytest.mark.browser
TREE = BettingTree(Game.bundled("hulhe"))
# The first one folds aces, calls with nothing, and checks back a flush. One flop only: each takes seconds.
HANDS = [
    ("AsAh", "KdJh", "2c7d9hJs3c", "rf"),
    ("7c2d", "AsKs", "QsTs4s9d2h", "rc/crc/crc/crc"),
    ("KdJh", "AcAd", "2c7d9hJs3c", "rrf"),
]
DROP = """
([name, text]) => {
  const transfer = new DataTransfer();
  transfer.items.add(new File([text], name, { type: "text/plain" }));
  const place = document.querySelector("#review-drop");
  for (const kind of ["dragover", "drop"])
    place.dispatchEvent(new DragEvent(kind, { dataTransfer: transfer, bubbles: true, cancelable: true }));
}
"""


@pytest.fixture(scope="module")
def log(tmp_path_factory):
    """As PokerStars writes it."""
    path = tmp_path_factory.mktemp("log") / "session.txt"
    with HandLog(path, TREE.game, ("ann", "bob")) as written:
        for first, second, board, line in HANDS:
            deal = Deal((parse_cards(first), parse_cards(second)), parse_cards(board))
            written.write(HandRecord.of(deal, TREE.parse(line)), 0)
    return path


def ready(page):
    page.wait_for_selector("#review[aria-busy=false]")


def reviewed(page):
    """On a busy machine a flop takes a minute."""
    page.wait_for_selector("#review-list .lost, #review-list .faint", timeout=300_000)
    ready(page)


def state(page):
    id_ = page.evaluate("localStorage.getItem('review')")
    return page.request.get(f"/api/review?id={id_}").json()


def asked(page, **filters):
    return page.request.get("/api/review/decisions", params={"id": state(page)["id"], **filters}).json()


def check_list(page, found):
    """The list is what the API says."""
    rows = page.locator("#review-list .lost").all()
    for row, each in zip(rows, found["decisions"], strict=True):
        assert row.get_by_text(f"hand {each['number']}").count() == 1
        shown = row.locator(".lost-ev").inner_text()
        if each["ev_lost_mbb"] is None:
            assert shown == "\u2013"
        else:
            assert as_number(shown) == pytest.approx(-each["ev_lost_mbb"] / 1000, abs=0.00051)
        assert row.locator(".lost-option").count() == len(each["options"])
        assert row.locator(".lost-option.done").count() == 1
        assert row.get_by_text("Solve").count() == (each["board"] != "")


def check_totals(page, totals):
    rows = page.locator("#review-lost tbody tr").all()
    groups = [*totals["by_round"].values(), *totals["by_kind"].values()]
    assert len(rows) == len(groups) + 1
    for row, group in zip(rows, groups, strict=False):
        decisions, mistakes, lost = row.locator("td").all_inner_texts()
        assert (int(decisions), int(mistakes)) == (group["decisions"], group["mistakes"])
        if group["ev_lost_mbb"] is not None:
            assert as_number(lost) == pytest.approx(group["ev_lost_mbb"] / 1000, abs=0.00051)
    shares = [as_number(each) for each in page.locator("#review-tendencies td").all_inner_texts()]
    told = [each[who] for each in totals["tendencies"].values() for who in ("player", "strategy")]
    assert shares == pytest.approx([100 * each for each in told], abs=0.051)


@pytest.mark.parametrize("size", SIZES)
def test_a_log_by_pointer(visit, log, size):
    page = visit(size)
    press = press_on(size)
    page.goto("/")
    getattr(page.get_by_role("link", name="Review"), press)()
    ready(page)
    picture(page, f"{size}-review-empty")
    if size == "phone":
        page.locator("#review-file").set_input_files(log)
    else:
        page.evaluate(DROP, [log.name, log.read_text()])
    page.wait_for_selector("#review-progress:not([hidden])")
    picture(page, f"{size}-review-under-way")
    reviewed(page)
    assert page.title() == "Review \u2013 cfr"
    found = state(page)
    names = [each["player"] for each in found["players"]]
    assert page.locator("#review-said").inner_text() == "3 hands reviewed."
    chosen = int(page.locator("#review-player").input_value())
    assert page.locator("#review-player option").all_inner_texts() == names
    check_list(page, asked(page, player=chosen, mistakes=1))
    check_totals(page, found["players"][chosen])
    picture(page, f"{size}-review")
    page.locator("#review-player").select_option(str(names.index("ann")))
    getattr(page.get_by_role("radio", name="All"), press)()
    page.locator("#review-kind").select_option("fold-call-raise")
    ready(page)
    check_list(page, asked(page, player=names.index("ann"), kind="fold-call-raise"))
    check_totals(page, found["players"][names.index("ann")])
    picture(page, f"{size}-review-filtered")
    assert page.evaluate(FAULTS, "#nothing") == []
    page.locator("#review-kind").select_option("")
    page.locator("#review-round").select_option("river")
    ready(page)
    with page.expect_download() as saved:
        getattr(page.get_by_role("link", name="CSV"), press)()
    decisions = sum(each["decisions"] for each in found["players"])
    assert len(saved.value.path().read_text().splitlines()) == decisions + 1

    links(page, press)


def links(page, press):
    """They lead to the spot with the hand marked, and to its exact solution; the review stays."""
    first = page.locator("#review-list .lost-link").first
    address = first.get_attribute("href")
    getattr(first, press)()
    page.wait_for_url(f"**{address}")
    page.wait_for_selector("#explore[aria-busy=false]")
    assert "hand=7c2d" in address
    page.mouse.move(0, 0)  # a hand that is pointed at is shown instead
    assert page.locator("#detail h2").inner_text() == "72o"
    page.go_back()
    page.wait_for_selector("#review-list .lost")
    getattr(page.locator("#review-list").get_by_text("Solve").first, press)()
    page.wait_for_url("**&solve=**")
    page.wait_for_function(
        "() => document.querySelector('#solution').innerText.includes('%')", timeout=120_000
    )  # a river takes a second
    page.goto("/review")
    reviewed(page)  # it is still there
    assert page.locator("#review-name").inner_text() == "session.txt"


def test_a_log_by_keyboard_alone(visit, log):
    page = visit()
    page.on("filechooser", lambda _: None)  # from now on, not when the first one is there already
    page.goto("/review")
    ready(page)
    with page.expect_file_chooser() as chooser:
        page.keyboard.press("o")
    chooser.value.set_files(log)
    page.wait_for_selector("#review-stop:not([hidden])")
    page.locator("#review-stop").focus()
    page.keyboard.press("Enter")
    page.wait_for_function("() => document.querySelector('#review-said').textContent === 'Cancelled.'")
    page.locator("#review-file").focus()
    picture(page, "keyboard-review-focus")
    with page.expect_file_chooser() as chooser:
        page.keyboard.press("Enter")
    chooser.value.set_files(log)
    reviewed(page)
    page.locator("#review-shows [aria-checked=true]").focus()
    page.keyboard.press("ArrowRight")
    ready(page)
    page.keyboard.press("j")
    page.keyboard.press("j")
    page.keyboard.press("k")
    focused = "document.activeElement.getAttribute('href')"
    address = page.evaluate(focused)
    assert address == page.locator("#review-list .lost-link").first.get_attribute("href")
    page.keyboard.press("Enter")
    page.wait_for_url(f"**{address}")
    page.keyboard.press("?")
    assert "choose a log" in page.locator("#keys").inner_text()


def test_a_bad_log_is_one_clear_line(visit, tmp_path):
    page = visit("phone")
    page.goto("/review")
    ready(page)
    bad = tmp_path / "bad.log"
    bad.write_text("# no hand\nSTATE:1:x\n")
    page.locator("#review-file").set_input_files(bad)
    page.wait_for_function("() => document.querySelector('#review-said').textContent.includes('line 2')")
    assert page.locator("#review-body").is_hidden()
    picture(page, "phone-review-bad")
    large = tmp_path / "large.log"
    large.write_text("x" * 2_000_001)
    page.locator("#review-file").set_input_files(large)
    page.wait_for_function("() => document.querySelector('#review-said').textContent.includes('2,000,001 bytes')")


def test_one_bad_hand_is_named_beside_the_others(visit, tmp_path):
    page = visit("phone")
    page.goto("/review")
    ready(page)
    log = tmp_path / "some.log"
    log.write_text("STATE:0:f:AsAh|KsKh:5|-5:a|b\nSTATE:1:x\n")
    page.locator("#review-file").set_input_files(log)
    reviewed(page)
    said = page.locator("#review-said").inner_text().splitlines()
    assert said[:2] == ["1 hand reviewed.", "skipped 1 hand"]
    assert sum("line 2: " in line for line in said) == 1
    assert page.locator("#review-body").is_visible()
