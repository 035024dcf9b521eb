"""Charts as pictures, SVG and PNG."""

from __future__ import annotations

from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from xml.sax.saxutils import escape

from cfr.game.colours import DIM, FAINT, PAPER, WHITE, Colour
from cfr.game.spot_words import spot_title
from cfr.strategy.strategy import BaseStrategy
from cfr.study.grid import grid
from cfr.study.sheet import Valued, ev_sheet, labels_of, mix_sheet, title_of
from cfr.system.errors import BadInputError
from cfr.system.extras import install_hint

_LEAST = 560  # pixels of width that titles and legends take


def svg(
    strategy: BaseStrategy, board: str = "", line: str = "", theme: str = "standard", *, values: Valued | None = None
) -> str:
    """A spot as an SVG picture: a cell's bars are its mix, their height is how much of the class gets there.

    With ``values`` a cell has what the class wins, as in :func:`terminal`, and its colour goes from losing to winning.

    Raises:
        CfrError: as :meth:`cfr.strategy.strategy.BaseStrategy.range`.
    """
    picture = _draw(strategy, board, line, theme, values)
    width, height = picture.width, picture.height
    # Text is outlined in the background's colour, so that it can be read on every bar.
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" viewBox="0 0 {width} {height}" '
        'role="img" font-family="Helvetica, Arial, DejaVu Sans, sans-serif" stroke-linejoin="round" '
        f'stroke="{_hex(PAPER)}" stroke-width="2.5" paint-order="stroke">',
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
    strategy: BaseStrategy,
    board: str = "",
    line: str = "",
    theme: str = "standard",
    *,
    values: Valued | None = None,
) -> None:
    """Write the picture of :func:`svg` as PNG, at twice its size.

    Raises:
        BadInputError: matplotlib is not installed.
        CfrError: as :meth:`cfr.strategy.strategy.BaseStrategy.range`.
        OSError: the file cannot be written.
    """
    try:
        # By name: type checking must not need an optional package.
        figures, patches, effects = (
            import_module(f"matplotlib.{name}") for name in ("figure", "patches", "patheffects")
        )
    except ImportError:
        raise BadInputError(f"a .png needs matplotlib: {install_hint('plot')}; an .svg needs nothing") from None
    picture = _draw(strategy, board, line, theme, values)
    figure = figures.Figure(figsize=(picture.width / 72, picture.height / 72), dpi=144)
    axes = figure.add_axes((0, 0, 1, 1), xlim=(0, picture.width), ylim=(picture.height, 0))
    axes.set_axis_off()
    for number, bar in enumerate(picture.bars):
        hatch = "////" if picture.hatched and number else None  # not the paper
        colours = {"facecolor": _hex(bar.shade), "edgecolor": _hex(PAPER)}
        axes.add_patch(patches.Rectangle((bar.x, bar.y), bar.width, bar.height, linewidth=0, hatch=hatch, **colours))
    outline = [effects.withStroke(linewidth=2, foreground=_hex(PAPER))]
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
    ink: Colour = WHITE


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


def _draw(strategy: BaseStrategy, board: str, line: str, theme: str, values: Valued | None) -> _Picture:
    state, cards = strategy.spot(board, line)
    chart, title = grid(strategy.range_at(state, cards)), title_of(state, cards, line)
    sheet = mix_sheet(chart, labels_of(state), theme) if values is None else ev_sheet(chart, values)
    size, gap, top, margin = 54, 2, 72, 20
    inner = size - gap
    width, height = max(chart.side * size - gap + 2 * margin, _LEAST), top + chart.side * size + 52
    bars = [_Bar(0, 0, width, height, PAPER)]
    heading = spot_title(state)
    texts = [_Text(margin, 34, heading[0].upper() + heading[1:], 19), _Text(margin, 56, title, 13, FAINT)]
    for number, cell in enumerate(sheet.cells):
        x, y = margin + number % chart.side * size, top + number // chart.side * size
        bars.append(_Bar(x, y, inner, inner, DIM))
        tall, left = inner * cell.weight, float(x)
        for share, shade in cell.bands:
            if share * tall > 0:
                bars.append(_Bar(left, y + inner - tall, inner * share, tall, shade))
            left += inner * share
        ink = WHITE if tall else FAINT
        texts.append(_Text(x + 5, y + 18, cell.name, 13, ink))
        if cell.label:
            texts.append(_Text(x + 5, y + inner - 6, cell.label, 11 if tall else 9, ink))
    x, y = margin, top + chart.side * size + 28
    for _, shade, what in sheet.keys:
        bars.append(_Bar(x, y - 13, 16, 16, shade))
        texts.append(_Text(x + 24, y, what, 14))
        x += 56 + 8 * len(what)
    texts.append(_Text(x, y, sheet.rest if chart.is_played else "never played: what it would do", 14, FAINT))
    return _Picture(title, width, height, bars, texts, not chart.is_played)


def _hex(shade: Colour) -> str:
    return "#{:02x}{:02x}{:02x}".format(*shade)


_SVG_HATCHING = (
    '<defs><pattern id="hatching" width="6" height="6" patternUnits="userSpaceOnUse" patternTransform="rotate(45)">'
    f'<rect width="2.5" height="6" stroke="none" fill="{_hex(PAPER)}" fill-opacity="0.6"/></pattern></defs>'
)
