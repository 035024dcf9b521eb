"""HTML for notebooks: tables, and the grid of starting hands."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from math import isqrt
from typing import Any

from cfr.game.colours import DIM, PAPER, WHITE, Colour

_ROWS = 20  # of a table that are shown
_TABLE = "border-collapse:collapse;font:13px sans-serif"


@dataclass(frozen=True)
class GridCell:
    """A class of hands in a grid.

    Attributes:
        name: such as ``AKs``.
        bands: shares of the width from left to right, at most 1 together, and their colours.
        weight: how much of the height is painted, 0 to 1.
        note: what a pointer on the cell shows.
    """

    name: str
    bands: Sequence[tuple[float, Colour]]
    weight: float
    note: str


def grid_html(cells: Sequence[GridCell]) -> str:
    """The classes in the order of their grid as an HTML table."""
    side = isqrt(len(cells))
    rows = [cells[start : start + side] for start in range(0, len(cells), side)]
    body = "".join(f"<tr>{''.join(map(_cell, row))}</tr>" for row in rows)
    return f'<table style="border-collapse:separate;border-spacing:1px;background:{_rgb(PAPER)}">{body}</table>'


def table_html(columns: Mapping[str, Iterable[Any]]) -> str:
    """Columns of equal length as an HTML table of at most twenty rows; says how many rows it leaves out."""
    listed = [list(values) for values in columns.values()]
    rows = list(zip(*listed, strict=True))
    head = "".join(_box("th", name) for name in columns)
    body = "".join(f"<tr>{''.join(_box('td', _value(each)) for each in row)}</tr>" for row in rows[:_ROWS])
    left = len(rows) - _ROWS
    more = f"<p>{left:,} more {'row' if left == 1 else 'rows'}</p>" if left > 0 else ""
    return f'<table style="{_TABLE}"><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>{more}'


def summary_html(title: str, facts: Mapping[str, str]) -> str:
    """A title, and a table with a row for each fact."""
    rows = "".join(f"<tr>{_box('th', name)}{_box('td', text)}</tr>" for name, text in facts.items())
    return f'<p><b>{escape(title)}</b></p><table style="{_TABLE}">{rows}</table>'


def lines_html(text: str) -> str:
    """Text with its line breaks and columns."""
    return f"<pre>{escape(text)}</pre>"


def escape(text: str) -> str:
    """Text in which nothing is taken for HTML."""
    from html import escape as escaped  # whose table of entities a query does not need

    return escaped(text)


def _box(tag: str, text: str) -> str:
    return f'<{tag} style="text-align:left;padding:1px 12px 1px 0">{escape(text)}</{tag}>'


def _cell(cell: GridCell) -> str:
    stops, left = [], 0.0
    for share, colour in cell.bands:
        right = left + 100 * share
        stops.append(f"{_rgb(colour)} {left:.1f}% {right:.1f}%")
        left = right
    ground = _rgb(DIM)
    if stops and cell.weight > 0:
        fill = ",".join([*stops, f"{_rgb(DIM)} {left:.1f}%"])
        ground = f"linear-gradient(to right,{fill}) bottom/100% {100 * cell.weight:.1f}% no-repeat {ground}"
    return (
        f'<td title="{escape(cell.note)}" style="width:34px;height:26px;padding:0;text-align:center;'
        f"font:11px sans-serif;color:{_rgb(WHITE)};text-shadow:0 0 2px {_rgb(PAPER)};background:{ground}"
        f'">{escape(cell.name)}</td>'
    )


def _value(value: Any) -> str:
    if isinstance(value, float):  # numpy's float64 is one
        return "" if value != value else f"{value:.4g}"  # noqa: PLR0124 - NaN
    return str(value)


def _rgb(colour: Colour) -> str:
    return "#{:02x}{:02x}{:02x}".format(*colour)
