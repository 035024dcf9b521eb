"""What the browser tests read on the page, and the screens it is shown on."""

import os
from pathlib import Path

import pytest

from cfr.game.hand_classes import CLASS_NAMES

SIZES = {
    "desktop": {"viewport": {"width": 1280, "height": 860}},
    "phone": {
        "viewport": {"width": 390, "height": 844},
        "has_touch": True,
        "is_mobile": True,
        "device_scale_factor": 2,
    },
}


def press_on(size):
    """The method of a place on the page that presses it, as people do on a screen of this size."""
    return "tap" if size == "phone" else "click"


def picture(page, name):
    """Judge what is on the page, and leave a picture of it."""
    check_accessible(page)
    if folder := os.environ.get("CFR_SCREENSHOTS"):
        page.screenshot(path=Path(folder) / f"{name}.png", full_page=True)


def check_accessible(page):
    """Axe-core finds no serious fault of accessibility on the page as it is."""
    axe = pytest.importorskip("axe_playwright_python.sync_playwright").Axe()
    # Colours that fade are judged where they end.
    page.evaluate(
        "for (const each of document.getAnimations())"
        " if (Number.isFinite(each.effect.getComputedTiming().endTime)) each.finish()"
    )
    serious = [
        f"{each['id']}: {node['target']} {node.get('failureSummary', '')}"
        for each in axe.run(page).response["violations"]
        if each["impact"] in ("serious", "critical")
        for node in each["nodes"]
    ]
    assert not serious, "\n".join(serious)


def spot_is(page, line, board="", hand=""):
    named = (("line", line), ("board", board), ("hand", hand))
    query = "&".join(f"{name}={value}" for name, value in named if value)
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


def runouts_are_there(page):
    page.wait_for_function(
        "() => document.querySelector('#runouts')?.textContent.includes(' to act on the ')", timeout=600_000
    )


def cell_of(page, name):
    """The grid's cell of a class such as ``AKo``."""
    return page.locator("#grid .cell").nth(CLASS_NAMES.index(name))


def hand_row(page, hand):
    """The row of a hand such as ``KcAd``, which it may share with hands that have the same numbers."""
    return page.locator(f'#detail tbody tr[data-hands~="{hand}"]')
