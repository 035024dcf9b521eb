"""The page in a real Chromium, at desktop and phone widths.

Needs the extra ``test`` and a Chromium, Playwright's own (``playwright install chromium``) or the system's.
With ``CFR_SCREENSHOTS`` set to a folder, pictures of what was seen are left there.
"""

import shutil
import signal
from pathlib import Path

import pytest

from tests.browser.pages import SIZES
from tests.web.server.test_server import Server


@pytest.fixture(scope="module")
def server(tmp_path_factory):
    started = Server(tmp_path_factory.mktemp("server"), "--seed", "1")
    yield f"http://127.0.0.1:{started.port}"
    assert started.stop(signal.SIGINT)[0] == 0


@pytest.fixture(scope="module")
def chromium():
    sync_api = pytest.importorskip("playwright.sync_api")
    own = shutil.which("chromium") or shutil.which("google-chrome")
    with sync_api.sync_playwright() as playwright:
        if own is None and not Path(playwright.chromium.executable_path).exists():
            pytest.skip("there is no Chromium")
        browser = playwright.chromium.launch(executable_path=own, args=["--no-sandbox"])
        yield browser
        browser.close()


@pytest.fixture
def visit(chromium, server):
    """Opens pages in contexts of their own; at the end nothing may have failed or been asked for elsewhere.

    A test that means a failure takes it out of ``problems``.
    """
    contexts, problems = [], []

    def page(size="desktop", **options):
        context = chromium.new_context(base_url=server, **(SIZES[size] | options))
        contexts.append(context)
        opened = context.new_page()
        opened.on("console", lambda said: problems.append(said.text) if said.type in ("error", "warning") else None)
        opened.on("pageerror", lambda error: problems.append(str(error)))
        opened.on("request", lambda sent: None if sent.url.startswith(server) else problems.append(sent.url))
        opened.set_default_timeout(15_000)
        return opened

    page.problems = problems
    yield page
    for context in contexts:
        context.close()
    assert problems == []
