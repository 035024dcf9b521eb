"""What a chart says: cells with a mix or with what they win, a legend, and a title; text and pictures show the same."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np

from cfr.game.betting import State, action_word
from cfr.game.betting_round import ACTIONS
from cfr.game.colours import EVEN, GAIN, LOSS, THEMES, Colour, blend
from cfr.game.spot_words import acting_seat, spot_words
from cfr.strategy.hand_table import HandTable
from cfr.study.grid import Grid

_ABSENT, _NO_EV, WOULD = ".", "-", "~"


class Valued(Protocol):
    """What hands win at a spot, see :class:`cfr.values.expected_values.SpotValues`."""

    @property
    def mean_ev(self) -> float: ...
    @property
    def stand_in(self) -> str | None: ...
    def by_class(self) -> HandTable: ...


@dataclass(frozen=True)
class Cell:
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
class Sheet:
    """What is shown of a spot.

    Attributes:
        cells: of the classes, row by row.
        keys: of the legend: a letter for plain terminals, if they need one, a colour, and what they stand for.
        rest: of the legend.
        notes: that explain more.
    """

    cells: list[Cell]
    keys: list[tuple[str, Colour, str]]
    rest: str
    notes: list[str]


def mix_sheet(chart: Grid, labels: list[str], theme: str) -> Sheet:
    cells = []
    for name, weight, mix in zip(chart.names, chart.weight.tolist(), chart.mix, strict=True):
        share = f"{100 * float(mix.max()):.0f}"
        said = f"{ACTIONS[int(mix.argmax())]}{share}" if weight else _ABSENT
        bands = list(zip(mix.tolist(), THEMES[theme], strict=True))
        mark = " " if chart.is_played or not weight else WOULD
        cells.append(Cell(name, weight, bands, f"{mark}{said:<4}", f"{mark}{name:<4}", f"{share}%" if weight else ""))
    keys = [
        (letter, shade, f"{label} {100 * share:.1f}%")
        for letter, shade, label, share in zip(ACTIONS, THEMES[theme], labels, chart.total.tolist(), strict=True)
        if label
    ]
    return Sheet(cells, keys, f"{chart.combos:.1f} combos", [])


def ev_sheet(chart: Grid, values: Valued) -> Sheet:
    table = values.by_class()
    assert table.ev is not None
    evs = np.where(chart.weight > 0, table.ev, np.nan) / 1000
    most = float(np.nanmax(np.abs(evs), initial=1e-9))
    cells = []
    for name, weight, ev in zip(chart.names, chart.weight.tolist(), evs.tolist(), strict=True):
        said = _ABSENT.rjust(2) if not weight else _NO_EV.rjust(2) if math.isnan(ev) else big_blinds(ev)
        # By the root, so that small differences are seen beside large ones.
        heat = 0.0 if math.isnan(ev) else math.sqrt(abs(ev) / most)
        shade = blend(LOSS if ev < 0 else GAIN, EVEN, heat)
        cells.append(
            Cell(
                name,
                weight,
                [(1.0, shade)],
                f"{said:<5}",
                f"{name:<3}{said:<5}",
                said.strip() if weight else "unreached",
            )
        )
    keys = [("", LOSS, "loses"), ("", GAIN, "wins")]
    unmet = (chart.weight > 0) & np.isnan(evs)
    notes = [f"{_NO_EV}: no opposing hand that it can meet gets here"] if unmet.any() else []
    if values.stand_in:
        notes.append(f"against a {values.stand_in}: the other seat never comes here")
    return Sheet(cells, keys, f"{mean_ev(values)}   {chart.combos:.1f} combos", notes)


def big_blinds(ev: float) -> str:
    """Big blinds in three digits and a sign."""
    return _NO_EV if math.isnan(ev) else f"{ev:+.{2 if abs(ev) < 9.995 else 1}f}"


def mean_ev(values: Valued) -> str:
    return f"EV in big blinds per hand, mean {big_blinds(values.mean_ev / 1000)}"


def title_of(state: State, board: Sequence[int], line: str) -> str:
    return f"{state.tree.game.name}: {spot_words(state, board)}" + (f", after {line}" if line else "")


def never_played(state: State) -> str:
    return f"never played: no hand of the {acting_seat(state)} gets here; this is what it would do"


def labels_of(state: State) -> list[str]:
    """What fold, call and raise are called; empty where illegal."""
    return [action_word(letter, state) if letter in state.legal else "" for letter in ACTIONS]
