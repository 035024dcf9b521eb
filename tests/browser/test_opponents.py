"""Players' models on the page: leaks, the way from safe to greedy, and the grid beside the equilibrium's."""

import signal

import pytest

from cfr.strategy.files.stored import Strategy
from tests.browser.pages import SIZES, as_number, hands_played, picture, press_on
from tests.opponents.files import GREEDY, SAFE, write_counter, write_model
from tests.web.server.test_server import Server

pytest.importorskip("playwright.sync_api")
pytestmark = [pytest.mark.browser, pytest.mark.thorough]


@pytest.fixture(scope="module")
def folder(hulhe_file, tmp_path_factory):
    made = tmp_path_factory.mktemp("players")
    with Strategy.open(hulhe_file) as base:
        ann = write_model(made / "ann.h5", base)
        write_model(made / "bob.h5", base, "<b>bob", seed=2, leaks=[], model_gain_nats=None, model_result=None)
    for name, point in (("beat-ann-0.5", SAFE), ("beat-ann-1", GREEDY)):
        write_counter(made / f"{name}.h5", ann, point)
    return made


@pytest.fixture(scope="module")
def server(hulhe_file, folder, tmp_path_factory):
    started = Server(tmp_path_factory.mktemp("server"), str(hulhe_file), "--opponents", str(folder))
    yield f"http://127.0.0.1:{started.port}"
    assert started.stop(signal.SIGINT)[0] == 0


def ready(page, view="opponents"):
    page.wait_for_selector(f"#{view}[aria-busy=false]")


@pytest.mark.parametrize("size", SIZES)
def test_a_player_from_safe_to_greedy(visit, folder, size):
    page = visit(size)
    page.goto("/play")
    getattr(page.get_by_role("link", name="Opponents"), press_on(size))()
    ready(page)
    page.locator("#opponents-player").select_option("ann")
    page.wait_for_url("**/opponents?player=ann")
    ready(page)
    leaks = [row.inner_text().split("\t") for row in page.locator(".leaks tbody tr").all()]
    assert [each.strip() for each in leaks[0]] == [
        "Calls before the flop as the button",
        "32 % ± 5",
        "0 %",
        "56.3",
        "+12.0 bb/100",
    ]
    result = page.locator("#opponents-result")
    said = "+87.5 big blinds per 100 hands, ± 123.5 (95 % interval), in 4 hands whose result is known."
    assert result.locator("p").inner_text() == said
    assert result.locator("svg .curve").get_attribute("d").count("L") == 4
    mix = page.locator("#opponents-mix")
    assert "+2.0 big blinds per 100 hands 20.0 mbb/g" in mix.inner_text()
    page.locator("#opponents-coin").focus()
    for _ in range(25):
        page.keyboard.press("ArrowRight")
    assert "cfr match mix:beat-ann-1.h5@0.250000,beat-ann-0.5.h5 OPPONENT" in mix.inner_text()
    assert "+9.5 big blinds per 100 hands 95.0 mbb/g" in mix.inner_text()
    assert "Loses at most\n21.1 big blinds per 100 hands 211.0 mbb/g" in mix.inner_text()
    points = [row.inner_text().split("\t") for row in page.locator("#opponents-points tr").all()]
    assert [each[2] for each in points] == ["in 80 % of draws", "", "", "+150.0 to +260.0"]
    with page.expect_download() as saved:
        getattr(page.locator("#opponents-points a").first, press_on(size))()
    assert saved.value.suggested_filename == "beat-ann-0.5.h5"
    assert saved.value.path().read_bytes() == (folder / "beat-ann-0.5.h5").read_bytes()
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    picture(page, f"{size}-opponents")
    getattr(page.get_by_role("link", name="Grid beside random"), press_on(size))()
    page.wait_for_url("**/explore?strategy=ann&with=random")
    ready(page, "explore")
    assert "random above, ann below" in page.locator("#totals h2").inner_text()


def test_by_keyboard_alone(visit):
    page = visit("desktop")
    page.goto("/opponents?player=ann")
    ready(page)
    page.keyboard.press("k")
    page.wait_for_url("**/opponents?player=bob")
    ready(page)
    assert page.locator("#opponents-player option:checked").inner_text() == "<b>bob, bob (1,333 hands)"
    assert "cfr counter bob.h5 --out beat-bob.h5" in page.locator("#opponents-untraded").inner_text()
    assert "No leak found." in page.locator("#opponents-leaks").inner_text()
    assert "earlier version" in page.locator("#opponents-result").inner_text()
    assert page.locator("#opponents-result svg").count() == 0
    picture(page, "opponents-bob")
    page.keyboard.press("j")
    page.wait_for_url("**/opponents?player=ann")


def test_a_player_who_is_not_there_is_the_first(visit):
    page = visit("desktop")
    page.goto("/opponents?player=nobody")
    ready(page)
    assert page.locator("#opponents-player").input_value() == "bob"


@pytest.mark.parametrize("size", SIZES)
def test_playing_against_a_player_and_a_mix(visit, size):
    press = press_on(size)
    page = visit(size)
    page.goto("/opponents?player=ann")
    ready(page)
    getattr(page.get_by_role("link", name="Play against this player"), press)()
    page.wait_for_url("**/play?against=ann")
    ready(page, "play")
    assert page.locator("#said").inner_text().startswith("You play against ann.")
    assert page.locator("#result h2").inner_text() == "Your result against ann"
    getattr(page.get_by_role("button", name="Deal the first hand"), press)()
    ready(page, "play")
    while not page.locator(".action.deal").count():
        assert page.locator(".bot-seat .who").inner_text() == "ann"
        getattr(page.locator(".action.call"), press)()
        ready(page, "play")
    assert hands_played(page) == 1
    assert page.locator("#log details").count() == 1
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    picture(page, f"{size}-play-against-ann")
    page.goto("/opponents?player=ann")
    ready(page)
    page.locator("#opponents-coin").focus()
    for _ in range(25):
        page.keyboard.press("ArrowRight")
    getattr(page.get_by_role("link", name="Play against the counter-strategy"), press)()
    ready(page, "play")
    assert page.locator("#result h2").inner_text() == "Your result against mix:beat-ann-1@0.250000,beat-ann-0.5"
    assert hands_played(page) == 0
    getattr(page.locator(".action.deal"), press)()
    ready(page, "play")
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    picture(page, f"{size}-play-against-mix")
    getattr(page.get_by_role("link", name="Play", exact=True), press)()
    page.wait_for_url("**/play")
    ready(page, "play")
    if not page.locator(".action.deal").count():  # a hand that is under way goes on first
        assert page.locator("#said").inner_text().endswith("After this hand you play against random.")
        while not page.locator(".action.deal").count():
            getattr(page.locator(".action.call"), press)()
            ready(page, "play")
    page.goto("/play")
    assert hands_played(page) == 0


@pytest.mark.parametrize("size", SIZES)
def test_training_against_a_player(visit, size):
    press = press_on(size)
    page = visit(size)
    page.goto("/opponents?player=ann")
    ready(page)
    getattr(page.get_by_role("link", name="Train against this player"), press)()
    page.wait_for_url("**/train?against=ann")
    ready(page, "train")
    assert page.locator("#train-said").inner_text().startswith("You play against ann. Decide what wins most")
    assert page.locator("#score h2").inner_text() == "Your score against ann"
    page.locator("#train-round").select_option("turn")
    getattr(page.locator("#train-controls .deal"), press)()
    page.wait_for_selector("#train-controls .action.call")
    assert page.locator("#train-felt .bot-seat .who").inner_text() == "ann"
    getattr(page.locator("#train-controls .action.call"), press)()
    page.wait_for_selector("#answers .answer")
    page.wait_for_function("() => !document.querySelector('#verdict').textContent.includes('\u2026')", timeout=60_000)
    told = page.request.get("/api/train/values?number=1&against=ann").json()["feedback"]
    shown = page.locator("#verdict tbody td.best").inner_text()
    assert as_number(shown) == pytest.approx(
        max(each["ev_mbb"] or -9e9 for each in told["options"]) / 1000, abs=0.00051
    )
    assert "EVs are those of your best play against ann from here on." in page.locator("#verdict").inner_text()
    assert page.locator("#answers .answer").count() == 1
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    picture(page, f"{size}-train-against-ann")
    getattr(page.get_by_role("link", name="Train", exact=True), press)()
    page.wait_for_url("**/train")
    ready(page, "train")
    assert page.locator("#score h2").inner_text() == "Your score"
    assert page.locator("#score dd").first.inner_text() == "0"


@pytest.mark.parametrize(("view", "own"), [("play", "#result"), ("train", "#score")])
def test_an_opponent_who_is_not_there_is_said(visit, view, own):
    page = visit("desktop")
    page.goto(f"/{view}?against=nobody")
    ready(page, view)
    assert page.locator("#notice").inner_text() == "strategy 'nobody'; expected one of random"
    assert page.locator(f"{own} h2").inner_text() in ("Your result", "Your score")
    visit.problems[:] = [each for each in visit.problems if "status of 400" not in each]


def logged(hands):
    """A log of two players, one of whom folds to every raise after a call."""
    lines = ("crf:AsKh|QdJd:10|-10", "crf:2s7h|QdJd:10|-10", "rc/cc/cc/cc:AsKh|QdJd/Td9d6h/2c/3s:20|-20")
    return "".join(f"STATE:{n}:{lines[n % 3]}:dan|eve\n" for n in range(hands)).encode()


@pytest.mark.parametrize("size", SIZES)
def test_a_log_becomes_a_player(visit, folder, size):
    press, name = press_on(size), {"desktop": "dan", "phone": "eve"}[size]
    page = visit(size)
    page.goto("/opponents")
    ready(page)
    said = page.locator("#opponents-learnt")
    page.locator("#opponents-file").set_input_files(
        {"name": "x.log", "mimeType": "text/plain", "buffer": b"STATE:1:crf:Ks|Qs:-1|1:ann|bob\n"}
    )
    page.wait_for_selector("#opponents-drop.wrong")
    assert said.inner_text().startswith("x.log: the hands are of another game than hulhe, such as kuhn")
    page.locator("#opponents-file").set_input_files(
        {"name": "session.log", "mimeType": "text/plain", "buffer": logged(90)}
    )
    page.wait_for_selector("#opponents-whom:not([hidden])")
    assert said.inner_text() == "90 hands read. Whose model?"
    chosen = page.locator("#opponents-chosen")
    assert [each.inner_text() for each in chosen.locator("option").all()] == ["dan (90 hands)", "eve (90 hands)"]
    chosen.select_option(name)
    picture(page, f"{size}-opponents-whom")
    getattr(page.get_by_role("button", name="Learn"), press)()
    page.wait_for_selector("#opponents-stop:not([hidden])")
    picture(page, f"{size}-opponents-learning")
    page.wait_for_url(f"**/opponents?player={name}", timeout=120_000)
    ready(page)
    assert page.locator("#opponents-player").input_value() == name
    assert said.inner_text() == f"{name} joined the players, in {name}.h5."
    assert page.locator("#opponents-standing").inner_text().startswith("90 hands with a decision")
    assert (folder / f"{name}.h5").exists()
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    picture(page, f"{size}-opponents-learnt")
    getattr(page.get_by_role("button", name="Learn"), press)()
    page.wait_for_selector("#opponents-drop.wrong")
    assert said.inner_text().startswith(f"{name}.h5 is there already, and the page replaces no file")
    visit.problems[:] = [each for each in visit.problems if "status of 400" not in each]


def test_learning_is_cancelled(visit, folder):
    before = set(folder.glob("*.h5"))
    page = visit("desktop")
    page.goto("/opponents")
    ready(page)
    page.locator("#opponents-file").set_input_files(
        {"name": "session.log", "mimeType": "text/plain", "buffer": logged(60).replace(b"eve", b"fay")}
    )
    page.wait_for_selector("#opponents-whom:not([hidden])")
    page.locator("#opponents-chosen").select_option("fay")
    page.get_by_role("button", name="Learn").click()
    page.get_by_role("button", name="Cancel").click()
    assert page.locator("#opponents-learnt").inner_text() == "Cancelled."
    for _ in range(50):  # the process is killed soon
        if not any(folder.glob(".*")):
            break
        page.wait_for_timeout(100)
    assert set(folder.iterdir()) == before
