"""Pictures of how solves converge."""

import re

import pytest

import cfr
from cfr.cli.main import main
from cfr.solver.convergence import draw_convergence
from cfr.system.errors import BadInputError, DamagedFileError

pytest.importorskip("matplotlib")

HEAD = "iterations,seconds,exploitability_mbb,strategy\n"
ROWS = "1,0.5,1000,current\n2,1.0,100,average\n4,2.0,10,average\n"


def markers(svg):
    """Points of the picture with their fill; grid lines and ticks have no such style."""
    found = re.findall(r'<use xlink:href="#\w+" x="([\d.]+)" y="([\d.]+)" style="fill: (#\w+); stroke: (#\w+)', svg)
    return [(float(x), float(y), fill, stroke) for x, y, fill, stroke in found if stroke != "#000000"]


def test_the_history_of_a_solve_is_drawn(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    cfr.solve(cfr.Settings(cfr.Game.bundled("kuhn"), None, iterations=8, out="k.h5", history="k.csv"))
    assert main(["plot", "k.csv", "--out", "k.svg"]) == 0
    assert main(["plot", "k.csv", "--out", "k.png"]) == 0
    assert (tmp_path / "k.png").read_bytes().startswith(b"\x89PNG")
    svg = (tmp_path / "k.svg").read_text()
    assert "<!-- exploitability, mbb/g -->" in svg
    assert "<!-- iterations -->" in svg


def test_axes_are_logarithmic_and_current_strategies_hollow(tmp_path):
    table, picture = tmp_path / "x.csv", tmp_path / "x.svg"
    table.write_text(HEAD + ROWS)
    draw_convergence([table], picture, "seconds")
    svg = picture.read_text()
    assert "<!-- seconds of the solve -->" in svg
    points = markers(svg)
    filled, hollow = points[:3], points[3:]
    xs, ys = [x for x, *_ in filled], [y for _, y, *_ in filled]
    assert xs[1] - xs[0] == pytest.approx(xs[2] - xs[1], abs=1e-3)  # doubled twice
    assert ys[1] - ys[0] == pytest.approx(ys[2] - ys[1], abs=1e-3)  # a tenth twice, and downwards
    assert ys[1] > ys[0]
    assert [each[:3] for each in hollow] == [(xs[0], ys[0], "#ffffff")]


def test_several_histories_have_a_legend_of_their_names(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "first.csv").write_text(HEAD + ROWS)
    (tmp_path / "second.csv").write_text(HEAD + ROWS.replace("current", "average") + "8,4.0,0,average\n")
    draw_convergence(["first.csv", "second.csv"], "both.svg")
    svg = (tmp_path / "both.svg").read_text()
    assert "<!-- first -->" in svg
    assert "<!-- second -->" in svg
    assert len({stroke for *_, stroke in markers(svg)}) == 2
    assert len(markers(svg)) == 3 + 1 + 3 + 2  # the 0 is left out; two in the legend


@pytest.mark.parametrize(
    ("text", "arguments", "error", "message"),
    [
        (HEAD, ("x.csv", "x.svg"), BadInputError, "x.csv: no row with iterations and exploitability above 0"),
        ("a,b\n1,2\n", ("x.csv", "x.svg"), DamagedFileError, "x.csv: no history of a solve"),
        (HEAD + ROWS, ("x.csv", "x.pdf"), BadInputError, "x.pdf: pictures are .svg or .png"),
        (HEAD + ROWS, ("x.csv", "x.svg", "hours"), BadInputError, "by: 'hours'; expected iterations or seconds"),
        (HEAD + ROWS, ("y.csv", "x.svg"), OSError, "y.csv"),
    ],
)
def test_what_cannot_be_drawn_is_refused(tmp_path, monkeypatch, text, arguments, error, message):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "x.csv").write_text(text)
    with pytest.raises(error, match=message):
        draw_convergence([arguments[0]], *arguments[1:])
    assert not (tmp_path / "x.svg").exists()
