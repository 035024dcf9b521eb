"""Who may drop logs on Opponents: they become files on the server."""

import json
import urllib.request

import pytest

pytest.importorskip("starlette")

from cfr.strategy.files.bundled import default_path
from tests.web.server.test_server import serve  # noqa: F401 - a fixture


@pytest.mark.parametrize(
    ("flags", "takes"), [((), True), (("--public-origin", "https://poker.example"), False)], ids=["own", "public"]
)
def test_a_page_for_this_machine_alone_takes_logs(serve, tmp_path, flags, takes):  # noqa: F811
    folder = tmp_path / "players"
    folder.mkdir()
    server = serve(str(default_path()), "--opponents", str(folder), *flags)
    with urllib.request.urlopen(f"http://127.0.0.1:{server.port}/api/game") as answer:
        about = json.load(answer)
    assert about["opponents"]
    assert (about["opponent_log_bytes"] is not None) == takes
