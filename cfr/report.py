"""Where a strategy leaks: what best responses gain, by seat, by preflop line and by kind of flop.

A best response's gain is split in two. What it gains *after the flop* behind a preflop line is what it would gain
there if it played the strategy's own preflop; this is split further by flop. The rest it gains *preflop*, by choosing
other lines than the strategy does. All parts are at least zero, up to rounding, and sum to the whole gain.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from cfr.boardwise import BIG_BLIND, BUTTON
from cfr.cards import RANKS
from cfr.errors import UnknownSpotError
from cfr.exploit import Measurement
from cfr.flops import TEXTURES, texture

if TYPE_CHECKING:
    from matplotlib.figure import Figure

SEATS = {BUTTON: "button", BIG_BLIND: "big blind"}
_LOW = "T or lower"


@dataclass(frozen=True)
class Report:
    """Gains of the best response in mbb/g, by what the strategy's opponent is.

    Attributes:
        lines: preflop lines that see a flop, such as ``rc/``.
        kinds: names of the kinds of flops: textures, then high cards.
        preflop: ``(2,)`` by seat (ACPC position): what it gains by preflop play.
        after: ``(2, lines, kinds)`` what it gains after the flop. Textures sum to the gain behind a line, and so do
            high cards.
        is_estimate: whether flops were sampled; then preflop gains read too high (docs/exploitability.md).
    """

    lines: tuple[str, ...]
    kinds: tuple[str, ...]
    preflop: np.ndarray
    after: np.ndarray
    is_estimate: bool

    def __str__(self) -> str:
        width = max(12, *(len(kind) + 2 for kind in self.kinds))
        head = f"{'gain in mbb/g':<22}{'all flops':>{width}}" + "".join(f"{kind:>{width}}" for kind in self.kinds)
        rows = [head]
        for seat, name in SEATS.items():
            total = self.preflop[seat] + self._textures(seat).sum()
            rows.append(f"best response as the {name}: {total:.1f}")
            rows.append(f"{'  preflop':<22}{self.preflop[seat]:>{width}.1f}")
            for number, line in enumerate((*self.lines, "all lines")):
                gains = self.after[seat].sum(axis=0) if number == len(self.lines) else self.after[seat, number]
                whole = gains[: len(TEXTURES)].sum()
                rows.append(f"{'  after ' + line:<22}{whole:>{width}.1f}" + "".join(f"{g:>{width}.1f}" for g in gains))
        if self.is_estimate:
            rows.append("from a sample of flops: preflop gains read too high, see docs/exploitability.md")
        return "\n".join(rows)

    def as_dict(self) -> dict[str, Mapping[str, object]]:
        """For JSON: gains in mbb/g by seat, then ``preflop`` and each line, then each kind of flop."""
        return {
            name: {
                "preflop": float(self.preflop[seat]),
                **{
                    line: dict(zip(self.kinds, self.after[seat, k].tolist(), strict=True))
                    for k, line in enumerate(self.lines)
                },
            }
            for seat, name in SEATS.items()
        }

    def save(self, path: Path) -> None:
        """Draw it as stacked bars, ``.svg`` or ``.png``.

        Raises:
            UnknownSpotError: another suffix, or matplotlib is not installed.
        """
        check_picture(path)
        from matplotlib.figure import Figure

        self._draw(Figure(figsize=(9, 4.5), layout="constrained")).savefig(path, format=path.suffix[1:].lower())

    def _draw(self, figure: Figure) -> Figure:
        names = ["preflop", *self.lines]
        axes = figure.subplots(1, 2, sharex=True, sharey=True)
        colours = ("#0072b2", "#56b4e9", "#009e73", "#e69f00")  # Okabe and Ito: readable without red and green
        for seat, panel in zip(SEATS, axes, strict=True):
            left = np.zeros(len(names))
            panel.barh(names[:1], [self.preflop[seat]], color="#999999", label="preflop")
            for number, (kind, colour) in enumerate(zip(TEXTURES, colours, strict=True)):
                gains = np.append(0.0, self.after[seat, :, number])
                panel.barh(names, gains, left=left, color=colour, label=f"{kind} flops")
                left += gains
            total = self.preflop[seat] + self._textures(seat).sum()
            panel.set_title(f"best response as the {SEATS[seat]}: {total:.0f} mbb/g")
            panel.set_xlabel("gain in mbb/g")
            panel.spines[["top", "right"]].set_visible(False)
        axes[0].invert_yaxis()
        axes[1].legend(frameon=False, loc="lower right")
        return figure

    def _textures(self, seat: int) -> np.ndarray:
        after: np.ndarray = self.after[seat, :, : len(TEXTURES)]
        return after


def check_picture(path: Path) -> None:
    """Refuse what :meth:`Report.save` could not draw; errors as there."""
    if path.suffix.lower() not in (".svg", ".png"):
        raise UnknownSpotError(f"{path}: pictures are .svg or .png")
    if find_spec("matplotlib") is None:
        raise UnknownSpotError("the picture needs matplotlib: pip install 'cfr[plot]'")


def make_report(measurement: Measurement, results: dict[int, np.ndarray], numbers: np.ndarray, exact: bool) -> Report:
    """Split the gains of results by :func:`cfr.exploit.measure_boards`."""
    game, opening, cards = measurement.game, measurement.opening, measurement.boards.cards[numbers]
    draws = measurement.weighted(results, numbers, exact)
    best, played = measurement.split(draws)[0], measurement.played(draws)
    high = (cards // 4).max(axis=1)
    ranks = [RANKS.index("T"), *range(RANKS.index("J"), len(RANKS))]
    kinds = (*TEXTURES, _LOW, *(f"{RANKS[r]} high" for r in ranks[1:]))
    textures = [texture(board) for board in cards]
    belongs = np.array(
        [[t == name for t in textures] for name in TEXTURES] + [high <= ranks[0]] + [high == r for r in ranks[1:]]
    ).astype(float)
    scale = 1000 / game.big_blind
    preflop = np.empty(2)
    after = np.empty((2, opening.leaves, len(kinds)))
    for seat in SEATS:
        gains = opening.behind(seat, best[:, seat]) - played[:, seat]
        after[seat] = (belongs @ gains).T * scale
        best_play = float(opening.mean(opening.best(seat, best[:, seat].sum(axis=0))[0]))
        preflop[seat] = (best_play - opening.folded(seat) - float(played[:, seat].sum() + gains.sum())) * scale
    betting = measurement.betting
    lines = tuple(betting.line_text(1, line) for line in range(opening.leaves))
    return Report(lines, kinds, preflop.round(9) + 0.0, after.round(9) + 0.0, not exact)
