"""Pictures of the page for README and docs, made from the running page: ``python -m benchmarks.docs.screenshots
[FOLDER]``.

The command starts `cfr serve` with the supplied strategy, opens it in Chromium (Playwright's own, or the system's), and
writes ``page-*.png`` of 256 colours to docs/ or to a folder (extras ``[test]``, ``[web]`` and ``[plot]``, which brings
Pillow). Spots and cards are fixed, so that the pictures show the same each time.
"""

from __future__ import annotations

import argparse
import shutil
from collections.abc import Callable
from io import BytesIO
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any, Literal

from benchmarks.speed.web import Server

if TYPE_CHECKING:
    from playwright.sync_api import ViewportSize

DOCS = Path(__file__).parents[2] / "docs"
SIZE: ViewportSize = {"width": 1280, "height": 760}
WAIT = 180_000  # ms; a busy machine takes its time


def explore(page: Any) -> None:
    """The strategy at a spot, with expected values."""
    page.goto("/explore?line=rc/cr&board=Td9d6h&hand=KdJh")
    _values_are_there(page)


def ranges(page: Any) -> None:
    """Both ranges at the same spot."""
    page.goto("/explore?line=rc/cr&board=Td9d6h&hand=KdJh&show=ranges")
    page.wait_for_selector("#both[aria-busy=false]")
    page.locator("#both-BB .cell", has_text="QJo").click()


def exact(page: Any) -> None:
    """A turn solved exactly, compared with the strategy."""
    page.goto("/explore?line=rc/crc/c&board=Td9d6hQc&solve=rc/crc/c")
    page.wait_for_selector("#solution:not([hidden]):not([inert])")
    page.get_by_role("radio", name="Compare").click()
    page.locator(".gains button").first.click()


def train(page: Any) -> None:
    """A decision in the trainer, judged."""
    page.goto("/train")
    page.wait_for_selector("#train[aria-busy=false]")
    page.locator("#train-round").select_option("turn")
    page.locator("#train-decision").select_option("fold-call-raise")
    for number in (1, 2, 3):
        page.locator("#train-controls .deal").click()
        page.locator("#train-controls .action.call").click()
        page.wait_for_function(
            "(n) => document.querySelectorAll('#answers .answer').length === n && ['#verdict', '#answers']"
            ".every((each) => !document.querySelector(each).textContent.includes('\u2026'))",
            arg=number,
        )


PICTURES: dict[str, tuple[Literal["dark", "light"], Callable[[Any], None]]] = {
    "explore": ("dark", explore),
    "ranges": ("dark", ranges),
    "exact": ("light", exact),
    "train": ("dark", train),
}


def _values_are_there(page: Any) -> None:
    page.wait_for_selector("#explore[aria-busy=false]")
    page.wait_for_function("() => document.querySelector('#progress').textContent === ''")


def take(folder: Path, names: list[str]) -> None:
    """Write the pictures of these names to a folder."""
    from PIL import Image
    from playwright.sync_api import sync_playwright

    with TemporaryDirectory() as kept, Server(Path(kept), "--seed", "1") as server, sync_playwright() as playwright:
        own = shutil.which("chromium") or shutil.which("google-chrome")
        browser = playwright.chromium.launch(executable_path=own, args=["--no-sandbox"])
        for name in names:
            scheme, visit = PICTURES[name]
            context = browser.new_context(
                base_url=f"http://127.0.0.1:{server.port}", viewport=SIZE, color_scheme=scheme, reduced_motion="reduce"
            )
            page = context.new_page()
            page.set_default_timeout(WAIT)
            visit(page)
            page.mouse.move(2, 2)
            page.evaluate("document.activeElement.blur()")
            path = folder / f"page-{name}.png"
            picture = Image.open(BytesIO(page.screenshot())).convert("RGB")
            picture.quantize(method=Image.Quantize.MEDIANCUT, dither=Image.Dither.NONE).save(path, optimize=True)
            context.close()
            print(f"{path.name}: {path.stat().st_size / 1000:.0f} kB")
        browser.close()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", nargs="?", type=Path, default=DOCS, help="where to (default docs/)")
    parser.add_argument("--only", choices=PICTURES, action="append", help="this picture")
    args = parser.parse_args()
    take(args.folder, args.only or list(PICTURES))


if __name__ == "__main__":
    main()
