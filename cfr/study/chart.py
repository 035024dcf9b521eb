"""Charts: the 13x13 grid of a spot, in the terminal, as SVG and as PNG; a table for games without
the 169 classes.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from importlib import import_module
from pathlib import Path
from xml.sax.saxutils import escape

import numpy as np
from numpy.typing import NDArray

from cfr.game.betting import ACTIONS, State, action_word
from cfr.game.ranges import CLASS_NAMES, NUM_HANDS
from cfr.game.spot_words import acting_seat, spot_title, spot_words
from cfr.strategy.strategy import SpotRange, Spots
from cfr.subgame.values import SpotValues
from cfr.system.errors import UnknownSpotError
from cfr.system.extras import install_hint

Colour = tuple[int, int, int]
# Fold, check/call, bet/raise; the second by Okabe and Ito.
THEMES: dict[str, tuple[Colour, Colour, Colour]] = {
    "standard": ((52, 101, 190), (46, 139, 72), (200, 52, 46)),
    "colour-blind": ((0, 114, 178), (240, 228, 66), (213, 94, 0)),
}
_PAPER: Colour = (22, 23, 27)
_DIM: Colour = (52, 53, 58)  # a class that does not get there
_FAINT: Colour = (132, 133, 140)
_WHITE: Colour = (245, 245, 247)
_GAIN: Colour = (28, 131, 120)  # what wins, loses, and does neither: the page's, which nobody mixes up
_LOSS: Colour = (165, 106, 18)
_EVEN: Colour = (38, 46, 56)
_ABSENT, _NO_EV, _WOULD = ".", "-", "~"
_NEVER = 0.0005  # a class that reaches the spot less often than this is shown as not there


@dataclass(frozen=True)
class Grid:
    """The 169 classes at a spot, in the order of ``CLASS_NAMES``.

    Attributes:
        weight: ``(169,)`` mean reach of the class's hands that the board leaves; 0 where none gets there.
        mix: ``(169, 3)`` fold, call and raise, weighted by reach; 0 where the class does not get there.
        total: ``(3,)`` the whole range's mix.
        combos: hands that get there, weighted by reach.
        is_played: whether some hand gets there. If none does, weights, mixes and the total are those of the presumed
            range (:attr:`cfr.strategy.strategy.SpotRange.presumed`), and ``combos`` is 0.
    """

    weight: NDArray[np.float64]
    mix: NDArray[np.float64]
    total: NDArray[np.float64]
    combos: float
    is_played: bool = True

    @property
    def is_partial(self) -> bool:
        """Whether some class gets there with only a part of its hands."""
        return bool(((self.weight > 0) & (self.weight < 0.995)).any())


def grid(spot: SpotRange) -> Grid:
    """Gather the 1,326 hands of hold'em by class; raises UnknownSpotError for another game's."""
    if len(spot.hands) != NUM_HANDS:
        raise UnknownSpotError(f"{len(spot.hands)} hands are not hold'em's; their chart is a table in the terminal")
    classes = replace(spot, reach=spot.shown).by_class()
    # A spot that is hardly ever played has no blank grid either.
    there = classes.reach > _NEVER * min(1.0, float(classes.reach.max()))
    mix = np.where(there[:, None], classes.frequencies, 0)
    return Grid(classes.reach * there, mix, _total(spot), float(spot.reach.sum()), spot.is_played)


@dataclass(frozen=True)
class _Cell:
    """What is shown of a class.

    Attributes:
        name: such as ``AKs``.
        weight: how much of it gets there; the bands are as high, or dark.
        bands: shares of the cell from left to right, and their colours.
        said: after the name in a plain terminal.
        painted: the whole cell in a coloured terminal, 5 characters wide so that 13 fit into 80 columns, 8 with EVs.
        label: below the name in a picture.
    """

    name: str
    weight: float
    bands: list[tuple[float, Colour]]
    said: str
    painted: str
    label: str


@dataclass(frozen=True)
class _Sheet:
    """What is shown of a spot.

    Attributes:
        cells: of the 169 classes.
        keys: of the legend: a letter for plain terminals, if they need one, a colour, and what they stand for.
        rest: of the legend.
        notes: that explain more.
    """

    cells: list[_Cell]
    keys: list[tuple[str, Colour, str]]
    rest: str
    notes: list[str]


def terminal(
    strategy: Spots,
    board: str = "",
    line: str = "",
    theme: str = "standard",
    colour: bool = False,
    *,
    values: SpotValues | None = None,
) -> str:
    """A spot as text: the grid, or a line for each hand where the hands are not hold'em's.

    With ``colour`` the background of a cell shows its mix from left to right, darker where only a part of the class
    gets there. Plain cells name the class and its most frequent action with its percentage, ``AKs r97``; ``.`` is a
    class that does not get there. Where no hand gets there, cells say what the seat would do, ``AKs~r97``.

    With ``values``, the spot's :func:`cfr.subgame.values.expected_values`, cells show instead what the class wins in
    the whole hand, in big blinds per hand, ``AKs+0.38``.

    Raises:
        CfrError: as :meth:`cfr.strategy.strategy.Spots.range`.
    """
    state, cards = strategy.spot(board, line)
    spot = strategy.range_at(state, cards)
    labels = _labels(state)
    lines = [_title(state, cards, line), ""]
    if len(spot.hands) != NUM_HANDS:
        totals = _totals(labels, _total(spot), float(spot.reach.sum()))
        if values is not None:
            totals += f"   {_mean(values)}"
        notes = [] if spot.is_played else [_never_played(state)]
        return "\n".join([*lines, *_table(spot, labels, values), "", totals, *notes])
    chart = grid(spot)
    sheet = _mix_sheet(chart, labels, theme) if values is None else _ev_sheet(chart, values)
    for row in range(13):
        cells = sheet.cells[13 * row : 13 * row + 13]
        lines.append(" ".join(_painted(cell) if colour else cell.name.ljust(3) + cell.said for cell in cells).rstrip())
    keys = [f"{_paint('  ', shade) if colour else key} {what}" for key, shade, what in sheet.keys if colour or key]
    lines += ["", "   ".join([*keys, sheet.rest]), *sheet.notes]
    if not chart.is_played:
        lines.append(f"{_WOULD} {_never_played(state)}")
    if colour and chart.is_partial:
        lines.append("darker: only a part of the class gets here")
    if not chart.weight.all():
        lines.append("grey: does not get here" if colour else ". does not get here")
    return "\n".join(lines)


def svg(
    strategy: Spots, board: str = "", line: str = "", theme: str = "standard", *, values: SpotValues | None = None
) -> str:
    """A hold'em spot as an SVG picture: a cell's bars are its mix, their height is how much of the class gets there.

    With ``values`` a cell has what the class wins, as in :func:`terminal`, and its colour goes from losing to winning.

    Raises:
        CfrError: as :meth:`cfr.strategy.strategy.Spots.range`.
    """
    picture = _draw(strategy, board, line, theme, values)
    width, height = picture.width, picture.height
    # Text is outlined in the background's colour, so that it can be read on every bar.
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" viewBox="0 0 {width} {height}" '
        'role="img" font-family="Helvetica, Arial, DejaVu Sans, sans-serif" stroke-linejoin="round" '
        f'stroke="{_hex(_PAPER)}" stroke-width="2.5" paint-order="stroke">',
        f"<title>{escape(picture.title)}</title>",
    ]
    if picture.hatched:
        parts.append(_SVG_HATCHING)
    for number, bar in enumerate(picture.bars):
        place = f'<rect x="{bar.x:.2f}" y="{bar.y:.2f}" width="{bar.width:.2f}" height="{bar.height:.2f}" stroke="none"'
        parts.append(f'{place} fill="{_hex(bar.shade)}"/>')
        if picture.hatched and number:  # not the paper
            parts.append(f'{place} fill="url(#hatching)"/>')
    parts += [
        f'<text x="{each.x}" y="{each.y}" font-size="{each.size}" fill="{_hex(each.ink)}">{escape(each.text)}</text>'
        for each in picture.texts
    ]
    return "\n".join([*parts, "</svg>", ""])


def save_png(
    path: Path,
    strategy: Spots,
    board: str = "",
    line: str = "",
    theme: str = "standard",
    *,
    values: SpotValues | None = None,
) -> None:
    """Write the picture of :func:`svg` as PNG, at twice its size.

    Raises:
        UnknownSpotError: matplotlib is not installed.
        CfrError: as :meth:`cfr.strategy.strategy.Spots.range`.
        OSError: the file cannot be written.
    """
    try:
        # By name: type checking must not need an optional package.
        figures, patches, effects = (
            import_module(f"matplotlib.{name}") for name in ("figure", "patches", "patheffects")
        )
    except ImportError:
        raise UnknownSpotError(f"a .png needs matplotlib: {install_hint('plot')}; an .svg needs nothing") from None
    picture = _draw(strategy, board, line, theme, values)
    figure = figures.Figure(figsize=(picture.width / 72, picture.height / 72), dpi=144)
    axes = figure.add_axes((0, 0, 1, 1), xlim=(0, picture.width), ylim=(picture.height, 0))
    axes.set_axis_off()
    for number, bar in enumerate(picture.bars):
        hatch = "////" if picture.hatched and number else None  # not the paper
        colours = {"facecolor": _hex(bar.shade), "edgecolor": _hex(_PAPER)}
        axes.add_patch(patches.Rectangle((bar.x, bar.y), bar.width, bar.height, linewidth=0, hatch=hatch, **colours))
    outline = [effects.withStroke(linewidth=2, foreground=_hex(_PAPER))]
    for each in picture.texts:
        # matplotlib's own font is wider than those that viewers of an SVG take.
        axes.text(each.x, each.y, each.text, size=0.9 * each.size, color=_hex(each.ink), path_effects=outline)
    figure.savefig(path, format="png")


@dataclass(frozen=True)
class _Bar:
    x: float
    y: float
    width: float
    height: float
    shade: Colour


@dataclass(frozen=True)
class _Text:
    x: int
    y: int
    text: str
    size: int
    ink: Colour = _WHITE


@dataclass(frozen=True)
class _Picture:
    """What to paint, in this order, in pixels from the top left; the y of a text is its base line.

    Attributes:
        hatched: whether lines cross the bars: the spot is never played.
    """

    title: str
    width: int
    height: int
    bars: list[_Bar]
    texts: list[_Text]
    hatched: bool


def _draw(strategy: Spots, board: str, line: str, theme: str, values: SpotValues | None) -> _Picture:
    state, cards = strategy.spot(board, line)
    chart, title = grid(strategy.range_at(state, cards)), _title(state, cards, line)
    sheet = _mix_sheet(chart, _labels(state), theme) if values is None else _ev_sheet(chart, values)
    size, gap, top, margin = 54, 2, 72, 20
    inner = size - gap
    width, height = 13 * size - gap + 2 * margin, top + 13 * size + 52
    bars = [_Bar(0, 0, width, height, _PAPER)]
    heading = spot_title(state)
    texts = [_Text(margin, 34, heading[0].upper() + heading[1:], 19), _Text(margin, 56, title, 13, _FAINT)]
    for number, cell in enumerate(sheet.cells):
        x, y = margin + number % 13 * size, top + number // 13 * size
        bars.append(_Bar(x, y, inner, inner, _DIM))
        tall, left = inner * cell.weight, float(x)
        for share, shade in cell.bands:
            if share * tall > 0:
                bars.append(_Bar(left, y + inner - tall, inner * share, tall, shade))
            left += inner * share
        ink = _WHITE if tall else _FAINT
        texts.append(_Text(x + 5, y + 18, cell.name, 13, ink))
        if cell.label:
            texts.append(_Text(x + 5, y + inner - 6, cell.label, 11 if tall else 9, ink))
    x, y = margin, top + 13 * size + 28
    for _, shade, what in sheet.keys:
        bars.append(_Bar(x, y - 13, 16, 16, shade))
        texts.append(_Text(x + 24, y, what, 14))
        x += 56 + 8 * len(what)
    texts.append(_Text(x, y, sheet.rest if chart.is_played else "never played: what it would do", 14, _FAINT))
    return _Picture(title, width, height, bars, texts, not chart.is_played)


def _title(state: State, board: Sequence[int], line: str) -> str:
    return f"{state.tree.game.name}: {spot_words(state, board)}" + (f", after {line}" if line else "")


def _never_played(state: State) -> str:
    return f"never played: no hand of the {acting_seat(state)} gets here; this is what it would do"


def _labels(state: State) -> list[str]:
    """What fold, call and raise are called; empty where illegal."""
    return [action_word(letter, state) if letter in state.legal else "" for letter in ACTIONS]


def _total(spot: SpotRange) -> NDArray[np.float64]:
    """The mix of the whole range, ``(3,)``; 0 where no hand gets there."""
    played: NDArray[np.float64] = spot.shown @ spot.frequencies
    return played / max(float(spot.shown.sum()), 1e-300)


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
                shown += f"{_big_blinds(ev) if reach or not spot.is_played else 'unreached':>11}"
            if not reach:
                shown += "  never played"
            lines.append(f"{hand:<6}{reach:>8.3f}{shown}")
    return lines


def _mix_sheet(chart: Grid, labels: list[str], theme: str) -> _Sheet:
    cells = []
    for name, weight, mix in zip(CLASS_NAMES, chart.weight.tolist(), chart.mix, strict=True):
        share = f"{100 * float(mix.max()):.0f}"
        said = f"{ACTIONS[int(mix.argmax())]}{share}" if weight else _ABSENT
        bands = list(zip(mix.tolist(), THEMES[theme], strict=True))
        mark = " " if chart.is_played or not weight else _WOULD
        cells.append(_Cell(name, weight, bands, f"{mark}{said:<4}", f"{mark}{name:<4}", f"{share}%" if weight else ""))
    keys = [
        (letter, shade, f"{label} {100 * share:.1f}%")
        for letter, shade, label, share in zip(ACTIONS, THEMES[theme], labels, chart.total.tolist(), strict=True)
        if label
    ]
    return _Sheet(cells, keys, f"{chart.combos:.1f} combos", [])


def _ev_sheet(chart: Grid, values: SpotValues) -> _Sheet:
    table = values.by_class()
    assert table.ev is not None
    evs = np.where(chart.weight > 0, table.ev, np.nan) / 1000
    most = float(np.nanmax(np.abs(evs), initial=1e-9))
    cells = []
    for name, weight, ev in zip(CLASS_NAMES, chart.weight.tolist(), evs.tolist(), strict=True):
        said = _ABSENT.rjust(2) if not weight else _NO_EV.rjust(2) if math.isnan(ev) else _big_blinds(ev)
        # By the root, so that small differences are seen beside large ones.
        heat = 0.0 if math.isnan(ev) else math.sqrt(abs(ev) / most)
        shade = _blend(_LOSS if ev < 0 else _GAIN, _EVEN, heat)
        cells.append(
            _Cell(
                name,
                weight,
                [(1.0, shade)],
                f"{said:<5}",
                f"{name:<3}{said:<5}",
                said.strip() if weight else "unreached",
            )
        )
    keys = [("", _LOSS, "loses"), ("", _GAIN, "wins")]
    unmet = (chart.weight > 0) & np.isnan(evs)
    notes = [f"{_NO_EV}: no hand that is left against it gets here"] if unmet.any() else []
    return _Sheet(cells, keys, f"{_mean(values)}   {chart.combos:.1f} combos", notes)


def _big_blinds(ev: float) -> str:
    """In three digits and a sign."""
    return _NO_EV if math.isnan(ev) else f"{ev:+.{2 if abs(ev) < 9.995 else 1}f}"


def _mean(values: SpotValues) -> str:
    return f"EV in big blinds per hand, mean {_big_blinds(values.mean_ev / 1000)}"


def _painted(cell: _Cell) -> str:
    if not cell.weight:
        return _paint(cell.painted, _DIM, _FAINT)
    edges = np.rint(np.cumsum([share for share, _ in cell.bands]) * len(cell.painted)).astype(int).tolist()
    start, painted = 0, ""
    for edge, (_, shade) in zip(edges, cell.bands, strict=True):
        if edge > start:
            painted += _paint(cell.painted[start:edge], _blend(shade, _PAPER, 0.4 + 0.6 * cell.weight))
            start = edge
    return painted


def _paint(text: str, shade: Colour, ink: Colour | None = None) -> str:
    """Text on a colour, by default in black or white, whichever reads better."""
    if ink is None:
        ink = (0, 0, 0) if 0.299 * shade[0] + 0.587 * shade[1] + 0.114 * shade[2] > 140 else _WHITE
    return "\x1b[48;2;{};{};{}m\x1b[38;2;{};{};{}m{}\x1b[0m".format(*shade, *ink, text)


def _blend(shade: Colour, other: Colour, part: float) -> Colour:
    """So much of a colour, and the rest of the other."""
    red, green, blue = (round(part * a + (1 - part) * b) for a, b in zip(shade, other, strict=True))
    return red, green, blue


def _hex(shade: Colour) -> str:
    return "#{:02x}{:02x}{:02x}".format(*shade)


_SVG_HATCHING = (
    '<defs><pattern id="hatching" width="6" height="6" patternUnits="userSpaceOnUse" patternTransform="rotate(45)">'
    f'<rect width="2.5" height="6" stroke="none" fill="{_hex(_PAPER)}" fill-opacity="0.6"/></pattern></defs>'
)
