"""Files of a spot from the page: what the commands write."""

import sys

import pytest

from cfr.cli.main import main

pytest.importorskip("starlette")
pytest.importorskip("httpx2")

from tests.web.clients import clients

make = pytest.fixture(clients, name="make")


def fetched(client, path, **parameters):
    while (answer := client.get(path, params=parameters)).status_code == 202:
        pass
    return answer


def test_a_table_is_what_export_writes(make, strategy, capsys):
    spot = {"board": "Td9d6hQc2s", "line": "rc/crc/cc/"}
    answer = fetched(make(strategy), "/api/spot.csv", **spot)
    assert answer.headers["content-disposition"] == 'attachment; filename="spot-rc-crc-cc--Td9d6hQc2s.csv"'
    assert main(["export", "--board", spot["board"], "--line", spot["line"], "--action-ev"]) == 0
    assert answer.text.splitlines() == capsys.readouterr().out.splitlines()


@pytest.mark.thorough
@pytest.mark.parametrize("theme", ["standard", "colour-blind"])
def test_a_picture_is_what_chart_draws(make, strategy, tmp_path, theme):
    spot, client = {"board": "Td9d6h", "line": "rc/cr"}, make(strategy)
    kinds = client.get("/api/game").json()["files"]
    assert kinds[:2] == ["csv", "svg"]
    for file in (tmp_path / f"chart.{kind}" for kind in kinds[1:]):
        assert main(["chart", "--board", "Td9d6h", "--line", "rc/cr", "--theme", theme, "--out", str(file)]) == 0
        answer = client.get(f"/api/spot{file.suffix}", params=spot | {"theme": theme})
        assert answer.content == file.read_bytes()


def test_a_picture_of_values_is_what_chart_draws(make, strategy, tmp_path):
    spot, out = ["--board", "Td9d6hQc2s", "--line", "rc/crc/cc/"], tmp_path / "ev.svg"
    assert main(["chart", *spot, "--ev", "--out", str(out)]) == 0
    answer = fetched(make(strategy), "/api/spot.svg", board=spot[1], line=spot[3], view="ev")
    assert answer.text == out.read_text("utf-8")


@pytest.mark.parametrize(
    ("query", "said"),
    [
        ("theme=pink", "theme 'pink'; expected one of standard, colour-blind"),
        ("view=x", "view 'x'; expected mix or ev"),
        ("strategy=x", "strategy 'x'; expected one of bot"),
        ("line=rx", "line 'rx'"),
    ],
)
def test_a_file_that_cannot_be_is_refused(make, query, said):
    for suffix in ("csv", "svg"):
        answer = make().get(f"/api/spot.{suffix}?{query}")
        assert answer.status_code == 400
        assert said in answer.json()["error"]


def test_a_png_without_matplotlib_is_refused_in_one_line(make, monkeypatch):
    monkeypatch.setitem(sys.modules, "matplotlib.figure", None)
    answer = make().get("/api/spot.png")
    assert answer.status_code == 400
    assert answer.json()["error"].startswith("a .png needs matplotlib")
