"""Charts: the 13x13 grid of a spot, in the terminal and as SVG."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from xml.sax.saxutils import escape

import numpy as np
from numpy.typing import NDArray

from cfr.betting import ACTION_NAMES
from cfr.ranges import CLASS_NAMES, class_numbers
from cfr.strategy import SpotRange

Colour = tuple[int, int, int]
# Fold, check/call, bet/raise; the second by Okabe and Ito.
THEMES: dict[str, tuple[Colour, Colour, Colour]] = {
    "standard": ((52, 101, 190), (46, 139, 72), (200, 52, 46)),
    "colour-blind": ((0, 114, 178), (240, 228, 66), (213, 94, 0)),
}
_DIM: Colour = (58, 58, 62)
_CELL = 6  # characters of a cell in the terminal
_NEVER = 0.0005  # a class that reaches the spot less often than this is shown as not there


@dataclass(frozen=True)
class Grid:
    """The 169 classes at a spot, in the order of ``CLASS_NAMES``.

    Attributes:
        weight: ``(169,)`` mean reach of the class's hands that the board leaves.
        mix: ``(169, 3)`` fold, call and raise, weighted by reach; 0 where the class does not get there.
        total: ``(3,)`` the whole range's mix.
        combos: hands that get there, weighted.
    """

    weight: NDArray[np.float64]
    mix: NDArray[np.float64]
    total: NDArray[np.float64]
    combos: float


def grid(spot: SpotRange) -> Grid:
    """Gather the 1,326 hands of hold'em by class."""
    classes = class_numbers()
    live = spot.frequencies.sum(axis=1) > 0
    reach = np.bincount(classes, spot.reach, minlength=169)
    hands = np.bincount(classes, live, minlength=169)
    played = np.stack([np.bincount(classes, spot.reach * f, minlength=169) for f in spot.frequencies.T], axis=1)
    weight = reach / np.maximum(hands, 1)
    there = weight > _NEVER
    mix = np.where(there[:, None], played / np.where(there, reach, 1)[:, None], 0)
    total = played.sum(axis=0) / max(float(reach.sum()), 1e-300)
    return Grid(weight * there, mix, total, float(reach.sum()))


def action_labels(facing_bet: bool) -> tuple[str, str, str]:
    """What the three actions are called."""
    return ("fold", "call", "raise") if facing_bet else ("fold", "check", "bet/raise")


def terminal(chart: Grid, title: str, labels: Sequence[str], theme: str = "standard", colour: bool = True) -> str:
    """The grid as text: with ``colour``, the background of each cell shows its mix; without, letters do.

    Plain cells name the class and its most frequent action with its percentage: ``AKs r97``; ``.`` is a class that does
    not get there.
    """
    lines = [title, ""]
    for row in range(13):
        cells = [_cell(chart, row * 13 + column, theme, colour) for column in range(13)]
        lines.append(("" if colour else " ").join(cells).rstrip())
    lines += ["", _legend(chart, labels, theme, colour)]
    return "\n".join(lines)


def svg(chart: Grid, title: str, labels: Sequence[str], theme: str = "standard") -> str:
    """The grid as an SVG picture; a cell's bars are its mix, their height is how much of the class gets there."""
    colours = THEMES[theme]
    size, top, margin = 52, 64, 20
    width, height = 13 * size + 2 * margin, top + 13 * size + 64
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" '
        f'viewBox="0 0 {width} {height}" font-family="Helvetica, Arial, sans-serif">',
        f'<rect width="{width}" height="{height}" fill="#16171b"/>',
        f'<text x="{margin}" y="40" font-size="20" fill="#f0f0f2">{escape(title)}</text>',
    ]
    for number, name in enumerate(CLASS_NAMES):
        x, y = margin + number % 13 * size, top + number // 13 * size
        inner = size - 2
        parts.append(f'<rect x="{x}" y="{y}" width="{inner}" height="{inner}" rx="3" fill="{_hex(_DIM)}"/>')
        tall = inner * float(chart.weight[number])
        left = float(x)
        for share, colour in zip(chart.mix[number], colours, strict=True):
            wide = inner * float(share)
            if wide > 0 and tall > 0:
                parts.append(
                    f'<rect x="{left:.2f}" y="{y + inner - tall:.2f}" width="{wide:.2f}" height="{tall:.2f}" '
                    f'fill="{_hex(colour)}"/>'
                )
            left += wide
        parts.append(f'<text x="{x + 5}" y="{y + 17}" font-size="13" fill="#ffffff">{name}</text>')
        best = int(chart.mix[number].argmax())
        if chart.weight[number] > 0:
            share_text = f"{100 * float(chart.mix[number, best]):.0f}%"
            parts.append(f'<text x="{x + 5}" y="{y + inner - 6}" font-size="11" fill="#ffffff">{share_text}</text>')
    y = top + 13 * size + 34
    for k, (label, colour, share) in enumerate(zip(labels, colours, chart.total, strict=True)):
        x = margin + k * 200
        parts.append(f'<rect x="{x}" y="{y - 13}" width="16" height="16" rx="3" fill="{_hex(colour)}"/>')
        text = f"{label} {100 * float(share):.1f}%"
        parts.append(f'<text x="{x + 24}" y="{y}" font-size="14" fill="#f0f0f2">{escape(text)}</text>')
    return "\n".join([*parts, "</svg>", ""])


def table(spot: SpotRange) -> str:
    """A line for each hand, for games whose hands are not hold'em's."""
    lines = [f"{'hand':<6}{'reach':>8}" + "".join(f"{name:>8}" for name in ACTION_NAMES)]
    for hand, reach, mix in zip(spot.hands, spot.reach, spot.frequencies, strict=True):
        lines.append(f"{hand:<6}{reach:>8.3f}" + "".join(f"{share:>8.3f}" for share in mix))
    return "\n".join(lines)


def _cell(chart: Grid, number: int, theme: str, colour: bool) -> str:
    name, mix = CLASS_NAMES[number], chart.mix[number]
    there = bool(chart.weight[number] > 0)
    if not colour:
        best = int(mix.argmax())
        shown = f"{name:<3} {'fcr'[best]}{100 * float(mix[best]):<3.0f}" if there else f"{name:<3} .   "
        return shown
    text = f" {name:<{_CELL - 1}}"
    if not there:
        return f"{_background(_DIM)}\x1b[38;2;120;120;124m{text}\x1b[0m"
    edges = np.rint(np.cumsum(mix) * _CELL).astype(int)
    start, painted = 0, ""
    for edge, shade in zip(edges, THEMES[theme], strict=True):
        if edge > start:
            painted += _background(shade) + _ink(shade) + text[start:edge]
            start = int(edge)
    return painted + "\x1b[0m"


def _legend(chart: Grid, labels: Sequence[str], theme: str, colour: bool) -> str:
    parts = []
    for label, letter, shade, share in zip(labels, "fcr", THEMES[theme], chart.total, strict=True):
        key = f"{_background(shade)}  \x1b[0m" if colour else letter
        parts.append(f"{key} {label} {100 * float(share):.1f}%")
    return "   ".join([*parts, f"{chart.combos:.1f} combos"])


def _background(shade: Colour) -> str:
    return "\x1b[48;2;{};{};{}m".format(*shade)


def _ink(shade: Colour) -> str:
    bright = 0.299 * shade[0] + 0.587 * shade[1] + 0.114 * shade[2] > 150
    return "\x1b[38;2;0;0;0m" if bright else "\x1b[38;2;255;255;255m"


def _hex(shade: Colour) -> str:
    return "#{:02x}{:02x}{:02x}".format(*shade)
