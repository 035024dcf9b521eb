"""A walk through a hand by keys: how long the page takes to show expected values of the flop, the turn and the river.

``python -m benchmarks.speed.walk`` starts `cfr serve` with an empty cache and opens Explore in Chromium (Playwright's
own, or the system's; extras ``[test]`` and ``[web]``). It presses a key a second from the first decision to the turn
and the river, so nobody waits for the EVs of the flops on the way. Times are from the key that leads to a spot to its
EVs on the page. Then the walk goes to another flop and waits there, for the bar and for the EVs. Every walk has cards,
a server and a cache of its own. Numbers are medians over the walks. On a busy machine read the server's CPU times, too.

``--against PATH`` takes the same walks on the server of another checkout, by turns, and prints ratios. A checkout
brings its compiled modules, and its own ``.venv`` if it has one.

The fingerprint is of the EVs that the page showed.
"""

import argparse
import random
import shutil
import tempfile
import zlib
from dataclasses import dataclass
from pathlib import Path
from statistics import median
from typing import Any

from benchmarks.speed.web import Server
from cfr.game.cards import format_cards
from cfr.game.rules import Game
from cfr.system.cores import usable_cores

HERE = Path(__file__).parents[2]
SIZE = {"width": 1366, "height": 768}
WAIT = 600_000  # ms; a busy machine takes its time
TURN, RIVER, FLOP = "rc/crc/", "rc/crc/crc/", "rc/"
# Watches until the EVs of a spot are shown; gives the seconds until its bar, null without one, and until they are.
WATCH = """
([line, board]) => {
  const begun = performance.now();
  const since = () => (performance.now() - begun) / 1000;
  window.shown = new Promise((done) => {
    let bar = null;
    const look = () => {
      const asked = new URLSearchParams(location.search);
      const progress = document.querySelector("#progress");
      const isThere = asked.get("line") === line && asked.get("board") === board &&
        document.querySelector("#explore").getAttribute("aria-busy") === "false";
      if (isThere && progress.querySelector(".solving") && getComputedStyle(progress).opacity > 0.5) bar ??= since();
      if (isThere && !progress.textContent) done([bar, since(), document.querySelector("#totals .worth").textContent]);
      else requestAnimationFrame(look);
    };
    look();
  });
}
"""


@dataclass
class Shown:
    """When a spot's numbers were on the page, in seconds after the key that leads there.

    Attributes:
        bar: its progress; None where there was none.
        evs: its expected values.
        text: what they are.
        cpu: seconds of the server's CPU time until then.
    """

    bar: float | None
    evs: float
    text: str
    cpu: float


class Walker:
    """Goes from spot to spot on a page by keys.

    Args:
        page: of Chromium, on a server of its own.
        server: that one.
        pause: seconds after each key.
    """

    def __init__(self, page: Any, server: Server, pause: float) -> None:
        self._page, self._server, self._pause = page, server, pause
        self._cpu = 0.0  # of the server before the key that led to the spot

    def begin(self) -> None:
        """Open the first decision."""
        self._page.goto("/explore")
        self._page.wait_for_selector("#explore[aria-busy=false]")
        self._page.wait_for_timeout(1000 * self._pause)

    def act(self, keys: str, cards: str, line: str, board: str) -> None:
        """Take the actions, of which the last one asks for cards, and type these; they lead to a spot."""
        for key in keys:
            self._page.keyboard.press(key)
            self._page.wait_for_timeout(1000 * self._pause)
        self._page.wait_for_selector("#picker[open]")
        self._page.keyboard.type(cards[:-1])
        self._cpu = self._server.cpu_seconds()
        self._page.evaluate(WATCH, [line, board])
        self._page.keyboard.type(cards[-1])

    def see(self) -> Shown:
        """Wait for the EVs of the spot that was gone to last."""
        bar, evs, text = self._page.evaluate("window.shown")
        return Shown(bar, evs, text, self._server.cpu_seconds() - self._cpu)


def walk(browser: Any, checkout: Path, strategy: list[str], number: int, pause: float) -> dict[str, Shown]:
    """One walk on a server that knows nothing yet, by the name of what was waited for."""
    deck = Game.bundled("hulhe").deck.tolist()
    cards = [format_cards([code]) for code in random.Random(number).sample(deck, 8)]
    flop, turn, river, other = "".join(cards[:3]), cards[3], cards[4], "".join(cards[5:])
    with tempfile.TemporaryDirectory() as folder, Server(Path(folder), *strategy, checkout=checkout) as server:
        context = browser.new_context(base_url=f"http://127.0.0.1:{server.port}", viewport=SIZE)
        page = context.new_page()
        page.set_default_timeout(WAIT)
        walker = Walker(page, server, pause)
        walker.begin()
        walker.act("rc", flop, FLOP, flop)
        page.wait_for_timeout(1000 * pause)
        walker.act("crc", turn, TURN, flop + turn)
        found = {"turn": walker.see()}
        walker.act("crc", river, RIVER, flop + turn + river)
        found["river"] = walker.see()
        walker.begin()
        walker.act("rc", other, FLOP, other)
        found["flop"] = walker.see()
        context.close()
    return found


def report(name: str, found: list[dict[str, Shown]]) -> dict[str, float]:
    """Print and return the medians of one checkout."""
    evs = {spot: median(each[spot].evs for each in found) for spot in ("turn", "river", "flop")}
    bars = [each["flop"].bar for each in found]
    seen = [bar for bar in bars if bar is not None]
    bar = f"bar after {median(seen):.2f} s" if len(seen) > len(bars) / 2 else "no bar"
    cpu = {spot: f"(CPU {median(each[spot].cpu for each in found):.2f} s)" for spot in evs}
    worst = max(each["turn"].evs for each in found)
    print(f"{name}: EVs of the turn after {evs['turn']:.2f} s {cpu['turn']}, at most {worst:.2f} s")
    print(f"{name}: of the river after {evs['river']:.2f} s {cpu['river']}")
    print(f"{name}: of the flop after {evs['flop']:.2f} s {cpu['flop']}, {bar}", flush=True)
    return evs


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("file", metavar="FILE", nargs="?", help="a strategy (default: the one that comes with cfr)")
    parser.add_argument("--walks", type=int, default=5, help="of each checkout (default %(default)s)")
    parser.add_argument("--pause", type=float, default=1.0, help="seconds after a key (default %(default)s)")
    parser.add_argument("--against", type=Path, metavar="PATH", help="another checkout, compiled")
    parser.add_argument("--quick", action="store_true", help="one walk in a hurry: shows only that it works")
    args = parser.parse_args()
    walks, pause = (1, 0.0) if args.quick else (args.walks, args.pause)
    strategy = [args.file] if args.file else []
    from playwright.sync_api import sync_playwright

    checkouts = {"here": HERE} | ({"against": args.against.resolve()} if args.against else {})
    found: dict[str, list[dict[str, Shown]]] = {name: [] for name in checkouts}
    with sync_playwright() as playwright:
        own = shutil.which("chromium") or shutil.which("google-chrome")
        browser = playwright.chromium.launch(executable_path=own, args=["--no-sandbox"])
        for number in range(walks):
            for name, checkout in checkouts.items():
                found[name].append(walk(browser, checkout, strategy, number, pause))
        browser.close()
    print(f"{walks} walks, a key each {pause:g} s, {usable_cores()} cores for server and browser")
    medians = {name: report(name, each) for name, each in found.items()}
    if args.against:
        ratios = [f"{spot} {medians['against'][spot] / own:.1f}" for spot, own in medians["here"].items()]
        print(f"EVs against {args.against} take so many times as long: {', '.join(ratios)}")
    said = [shown.text for each in found["here"] for shown in each.values()]
    print(f"fingerprint {zlib.crc32(repr(said).encode()):08x}")


if __name__ == "__main__":
    main()
