"""No serious fault of accessibility on any page, in either theme, on desktop and phone, before anything was done.

The tests of each page judge it again wherever they leave a picture.
"""

import pytest

from tests.browser.pages import SIZES, check_accessible

pytest.importorskip("playwright.sync_api")
pytestmark = [pytest.mark.browser, pytest.mark.thorough]
PAGES = ("explore?line=rc/cr&board=Td9d6h", "play", "train", "review", "watch", "opponents")


@pytest.mark.parametrize("theme", ["light", "dark"])
@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("address", PAGES)
def test_no_serious_fault(visit, address, size, theme):
    page = visit(size, color_scheme=theme)
    page.goto(f"/{address}")
    page.wait_for_selector(f"#{address.partition('?')[0]}[aria-busy=false]")
    check_accessible(page)
