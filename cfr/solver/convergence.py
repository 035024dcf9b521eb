"""A picture of how exploitability falls during solves."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from cfr.exploit.report import check_picture
from cfr.solver.history import read
from cfr.system.disk.files import replacing
from cfr.system.errors import BadInputError

_SHAPES = "os^Dv"  # each for ten colours
AXES = {"iterations": ("iterations", 0), "seconds": ("seconds of the solve", 1)}  # labels, and places in a row


def draw_convergence(histories: Sequence[str | Path], out: str | Path, by: str = "iterations") -> None:
    """Draw histories of solves (:class:`cfr.solver.history.History`) in one picture, on logarithmic axes.

    Points of the average strategy are filled, those of the current one hollow. Exploitabilities of 0 are left out.

    Args:
        histories: CSV files; each becomes a line with the file's name.
        out: the picture, ``.svg`` or ``.png``.
        by: what goes along the horizontal axis, ``iterations`` or ``seconds``.

    Raises:
        BadInputError: another suffix or axis, matplotlib is not installed, or a history without a row to draw.
        DamagedFileError: a file that is no history.
        OSError, SaveError: a file that cannot be read or written.
    """
    out = Path(out)
    if by not in AXES:
        raise BadInputError(f"by: {by!r}; expected {' or '.join(AXES)}")
    label, place = AXES[by]
    lines = []
    for path in map(Path, histories):
        rows = [row for row in read(path) if row[2] > 0 and row[:2][place] > 0]
        if not rows:
            raise BadInputError(f"{path}: no row with {by} and exploitability above 0, there is nothing to draw")
        lines.append((str(path.with_suffix("")), rows))
    check_picture(out)  # what is wrong with the input is said before what is not installed
    from matplotlib.figure import Figure

    figure = Figure(figsize=(7, 4.5), layout="constrained")
    axes = figure.subplots()
    axes.set(xscale="log", yscale="log", xlabel=label, ylabel="exploitability, mbb/g")
    axes.grid(alpha=0.3)
    for number, (name, rows) in enumerate(lines):
        along, mbb = [row[:2][place] for row in rows], [row[2] for row in rows]
        shape, colour = _SHAPES[number // 10 % len(_SHAPES)], f"C{number % 10}"
        axes.plot(along, mbb, f"-{shape}", color=colour, markersize=5, label=name)
        hollow = [(x, y) for x, y, row in zip(along, mbb, rows, strict=True) if row[3] == "current"]
        if hollow:
            axes.plot(*zip(*hollow, strict=True), shape, color=colour, markersize=5, markerfacecolor="white")
    if len(lines) > 1:
        axes.legend(frameon=False, fontsize="small")
    else:
        axes.set_title(lines[0][0], fontsize="medium")
    with replacing(out) as temporary:
        figure.savefig(temporary, format=out.suffix[1:].lower())
