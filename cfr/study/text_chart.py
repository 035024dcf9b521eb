"""Charts in the terminal: the grid of a spot, or a line for each hand where the hands are not of two cards."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from cfr.game.colours import DIM, FAINT, PAPER, WHITE, Colour, blend
from cfr.game.hand_classes import classes_of
from cfr.strategy.spot_range import SpotRange
from cfr.strategy.strategy import BaseStrategy
from cfr.study.grid import grid, total_mix
from cfr.study.sheet import WOULD, Cell, big_blinds, ev_sheet, labels_of, mean_ev, mix_sheet, never_played, title_of
from cfr.values.expected_values import SpotValues


def terminal(
    strategy: BaseStrategy,
    board: str = "",
    line: str = "",
    theme: str = "standard",
    colour: bool = False,
    *,
    values: SpotValues | None = None,
) -> str:
    """A spot as text: the grid, or a line for each hand where the hands are not of two cards.

    With ``colour`` the background of a cell shows its mix from left to right, darker where only a part of the class
    gets there. Plain cells name the class and its most frequent action with its percentage, ``AKs r97``; ``.`` is a
    class that does not get there. Where no hand gets there, cells say what the seat would do, ``AKs~r97``.

    With ``values``, the spot's :func:`cfr.expected_values`, cells show instead what the class
    wins in the whole hand, in big blinds per hand, ``AKs+0.38``.

    Raises:
        CfrError: as :meth:`cfr.strategy.strategy.BaseStrategy.range`.
    """
    state, cards = strategy.spot(board, line)
    spot = strategy.range_at(state, cards)
    labels = labels_of(state)
    lines = [title_of(state, cards, line), ""]
    if classes_of(spot.hands) is None:
        totals = _totals(labels, total_mix(spot), float(spot.reach.sum()))
        if values is not None:
            totals += f"   {mean_ev(values)}"
        notes = [] if spot.is_played else [never_played(state)]
        return "\n".join([*lines, *_table(spot, labels, values), "", totals, *notes])
    chart = grid(spot)
    sheet = mix_sheet(chart, labels, theme) if values is None else ev_sheet(chart, values)
    for row in range(chart.side):
        cells = sheet.cells[chart.side * row : chart.side * row + chart.side]
        lines.append(" ".join(_painted(cell) if colour else cell.name.ljust(3) + cell.said for cell in cells).rstrip())
    keys = [f"{_paint('  ', shade) if colour else key} {what}" for key, shade, what in sheet.keys if colour or key]
    lines += ["", "   ".join([*keys, sheet.rest]), *sheet.notes]
    if not chart.is_played:
        lines.append(f"{WOULD} {never_played(state)}")
    if colour and chart.is_partial:
        lines.append("darker: only a part of the class gets here")
    if not chart.weight.all():
        lines.append("grey: does not get here" if colour else ". does not get here")
    return "\n".join(lines)


def _totals(labels: list[str], shares: NDArray[np.float64], combos: float) -> str:
    parts = [f"{label} {100 * share:.1f}%" for label, share in zip(labels, shares.tolist(), strict=True) if label]
    return "   ".join([*parts, f"{combos:.1f} combos"])


def _table(spot: SpotRange, labels: list[str], values: SpotValues | None) -> list[str]:
    legal = [number for number, label in enumerate(labels) if label]
    lines = [f"{'hand':<6}{'reach':>8}" + "".join(f"{labels[number]:>8}" for number in legal)]
    evs = np.full(len(spot.hands), np.nan) if values is None else values.ev / 1000
    if values is not None:
        lines[0] += f"{'EV':>11}"
    for hand, reach, mix, ev in zip(
        spot.hands, spot.reach.tolist(), spot.frequencies.tolist(), evs.tolist(), strict=True
    ):
        if sum(mix) > 0:  # not on the board
            shown = "".join(f"{mix[number]:>8.3f}" for number in legal)
            if values is not None:
                shown += f"{big_blinds(ev) if reach or not spot.is_played else 'unreached':>11}"
            if not reach:
                shown += "  never played"
            lines.append(f"{hand:<6}{reach:>8.3f}{shown}")
    return lines


def _painted(cell: Cell) -> str:
    if not cell.weight:
        return _paint(cell.painted, DIM, FAINT)
    edges = np.rint(np.cumsum([share for share, _ in cell.bands]) * len(cell.painted)).astype(int).tolist()
    start, painted = 0, ""
    for edge, (_, shade) in zip(edges, cell.bands, strict=True):
        if edge > start:
            painted += _paint(cell.painted[start:edge], blend(shade, PAPER, 0.4 + 0.6 * cell.weight))
            start = edge
    return painted


def _paint(text: str, shade: Colour, ink: Colour | None = None) -> str:
    """Text on a colour, by default in black or white, whichever reads better."""
    if ink is None:
        ink = (0, 0, 0) if 0.299 * shade[0] + 0.587 * shade[1] + 0.114 * shade[2] > 140 else WHITE
    return "\x1b[48;2;{};{};{}m\x1b[38;2;{};{};{}m{}\x1b[0m".format(*shade, *ink, text)
