"""Charts: the 13x13 grid of a spot, in the terminal and as SVG; a table for games without the 169 classes."""

from __future__ import annotations

from dataclasses import dataclass
from xml.sax.saxutils import escape

import numpy as np
from numpy.typing import NDArray

from cfr.betting import State
from cfr.players import action_word, seat_name
from cfr.ranges import CLASS_NAMES, NUM_HANDS, class_numbers
from cfr.strategy import SpotRange, Spots

Colour = tuple[int, int, int]
# Fold, check/call, bet/raise; the second by Okabe and Ito.
THEMES: dict[str, tuple[Colour, Colour, Colour]] = {
    "standard": ((52, 101, 190), (46, 139, 72), (200, 52, 46)),
    "colour-blind": ((0, 114, 178), (240, 228, 66), (213, 94, 0)),
}
_DIM: Colour = (58, 58, 62)
_CELL = 5  # characters of a cell in the terminal, a gap follows: 13 fit into 80 columns
_NEVER = 0.0005  # a class that reaches the spot less often than this is shown as not there


@dataclass(frozen=True)
class Grid:
    """The 169 classes at a spot, in the order of ``CLASS_NAMES``.

    Attributes:
        weight: ``(169,)`` mean reach of the class's hands that the board leaves; 0 where none gets there.
        mix: ``(169, 3)`` fold, call and raise, weighted by reach; 0 where the class does not get there.
        total: ``(3,)`` the whole range's mix.
        combos: hands that get there, weighted by reach.
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
    return Grid(weight * there, mix, _total(spot), float(reach.sum()))


def terminal(strategy: Spots, board: str = "", line: str = "", theme: str = "standard", colour: bool = False) -> str:
    """A spot as text: the grid, or a line for each hand where the hands are not hold'em's.

    With ``colour`` the background of a cell shows its mix from left to right. Plain cells name the class and its most
    frequent action with its percentage, ``AKs r97``; ``.`` is a class that does not get there.

    Raises:
        CfrError: as :meth:`cfr.strategy.Spots.range`.
    """
    state, _ = strategy.spot(board, line)
    spot = strategy.range(board, line)
    labels = _labels(state)
    lines = [_title(state, board, line), ""]
    if len(spot.hands) != NUM_HANDS:
        return "\n".join([*lines, *_table(spot, labels), "", _totals(labels, _total(spot), float(spot.reach.sum()))])
    chart = grid(spot)
    for row in range(13):
        numbers = range(13 * row, 13 * row + 13)
        cells = [_painted(chart, number, theme) if colour else _spelled(chart, number) for number in numbers]
        lines.append(" ".join(cells).rstrip())
    keys = [f"{_background(shade)}  \x1b[0m" for shade in THEMES[theme]] if colour else list("fcr")
    labels = [f"{key} {label}" for key, label in zip(keys, labels, strict=True)]
    return "\n".join([*lines, "", _totals(labels, chart.total, chart.combos)])


def svg(strategy: Spots, board: str = "", line: str = "", theme: str = "standard") -> str:
    """A hold'em spot as an SVG picture: a cell's bars are its mix, their height is how much of the class gets there.

    Raises:
        CfrError: as :meth:`cfr.strategy.Spots.range`.
    """
    state, _ = strategy.spot(board, line)
    chart = grid(strategy.range(board, line))
    title, colours = escape(_title(state, board, line)), THEMES[theme]
    size, top, margin = 52, 64, 20
    width, height = 13 * size + 2 * margin, top + 13 * size + 64
    # Text is outlined in the background's colour, so that it can be read on every bar.
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" viewBox="0 0 {width} {height}" '
        'role="img" font-family="Helvetica, Arial, sans-serif" fill="#f4f4f6" stroke="#16171b" stroke-width="2.5" '
        'stroke-linejoin="round" paint-order="stroke">',
        f"<title>{title}</title>",
        f'<rect width="{width}" height="{height}" fill="#16171b" stroke="none"/>',
        f'<text x="{margin}" y="40" font-size="20">{title}</text>',
    ]
    for number, name in enumerate(CLASS_NAMES):
        x, y = margin + number % 13 * size, top + number // 13 * size
        inner = size - 2
        parts.append(_bar(x, y, inner, inner, _DIM))
        tall = inner * float(chart.weight[number])
        left = float(x)
        for share, shade in zip(chart.mix[number].tolist(), colours, strict=True):
            if share * tall > 0:
                parts.append(_bar(left, y + inner - tall, inner * share, tall, shade))
            left += inner * share
        faint = "" if tall else ' opacity="0.45"'
        parts.append(f'<text x="{x + 5}" y="{y + 17}" font-size="13"{faint}>{name}</text>')
        if tall:
            most = f"{100 * float(chart.mix[number].max()):.0f}%"
            parts.append(f'<text x="{x + 5}" y="{y + inner - 6}" font-size="11">{most}</text>')
    y = top + 13 * size + 34
    for k, (label, shade, share) in enumerate(zip(_labels(state), colours, chart.total.tolist(), strict=True)):
        x = margin + k * 170
        parts.append(_bar(x, y - 13, 16, 16, shade))
        parts.append(f'<text x="{x + 24}" y="{y}" font-size="14">{label} {100 * share:.1f}%</text>')
    parts.append(f'<text x="{margin + 510}" y="{y}" font-size="14">{chart.combos:.1f} combos</text>')
    return "\n".join([*parts, "</svg>", ""])


def _title(state: State, board: str, line: str) -> str:
    game = state.tree.game
    where = (f"board {board}, " if board else "") + (f"after {line}" if line else "first to act")
    return f"{game.name}: {seat_name(state.actor, game.first_players[0])}, {where}"


def _labels(state: State) -> list[str]:
    return [action_word(letter, state) for letter in "fcr"]


def _total(spot: SpotRange) -> NDArray[np.float64]:
    """The mix of the whole range, ``(3,)``; 0 where no hand gets there."""
    played: NDArray[np.float64] = spot.reach @ spot.frequencies
    return played / max(float(spot.reach.sum()), 1e-300)


def _totals(labels: list[str], shares: NDArray[np.float64], combos: float) -> str:
    parts = [f"{label} {100 * share:.1f}%" for label, share in zip(labels, shares.tolist(), strict=True)]
    return "   ".join([*parts, f"{combos:.1f} combos"])


def _table(spot: SpotRange, labels: list[str]) -> list[str]:
    lines = [f"{'hand':<6}{'reach':>8}" + "".join(f"{label:>8}" for label in labels)]
    for hand, reach, mix in zip(spot.hands, spot.reach.tolist(), spot.frequencies.tolist(), strict=True):
        if sum(mix) > 0:  # not on the board
            lines.append(f"{hand:<6}{reach:>8.3f}" + "".join(f"{share:>8.3f}" for share in mix))
    return lines


def _spelled(chart: Grid, number: int) -> str:
    name, mix = CLASS_NAMES[number], chart.mix[number]
    best = int(mix.argmax())
    said = f"{'fcr'[best]}{100 * float(mix[best]):.0f}" if chart.weight[number] > 0 else "."
    return f"{name:<3} {said:<4}"


def _painted(chart: Grid, number: int, theme: str) -> str:
    text = f" {CLASS_NAMES[number]:<{_CELL - 1}}"
    if not chart.weight[number]:
        return f"{_background(_DIM)}\x1b[38;2;120;120;124m{text}\x1b[0m"
    edges = np.rint(np.cumsum(chart.mix[number]) * _CELL).astype(int).tolist()
    start, painted = 0, ""
    for edge, shade in zip(edges, THEMES[theme], strict=True):
        if edge > start:
            painted += _background(shade) + _ink(shade) + text[start:edge]
            start = edge
    return painted + "\x1b[0m"


def _background(shade: Colour) -> str:
    return "\x1b[48;2;{};{};{}m".format(*shade)


def _ink(shade: Colour) -> str:
    bright = 0.299 * shade[0] + 0.587 * shade[1] + 0.114 * shade[2] > 150
    return "\x1b[38;2;0;0;0m" if bright else "\x1b[38;2;255;255;255m"


def _bar(x: float, y: float, wide: float, tall: float, shade: Colour) -> str:
    colour = "#{:02x}{:02x}{:02x}".format(*shade)
    return f'<rect x="{x:g}" y="{y:.2f}" width="{wide:.2f}" height="{tall:.2f}" fill="{colour}" stroke="none"/>'
