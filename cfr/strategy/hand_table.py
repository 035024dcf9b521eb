"""Tables of hands at a spot: a row for each hand, or for each class such as AKs, as columns, frame or file."""

from __future__ import annotations

import csv
from collections.abc import Mapping
from dataclasses import dataclass
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import Any, TextIO

import numpy as np
from numpy.typing import NDArray

from cfr.game.betting_round import ACTIONS
from cfr.game.colours import GAIN, THEMES
from cfr.game.hand_classes import Classes, classes_of
from cfr.game.notebook import GridCell, grid_html, table_html
from cfr.game.words import ACTION_NAMES
from cfr.system.disk.files import check_writable, replacing
from cfr.system.errors import BadInputError
from cfr.system.extras import install_hint
from cfr.system.text import counted, signed

Floats = NDArray[np.float64]
Columns = Mapping[str, NDArray[Any]]
_NAMED = 3  # hands in the words of a table
_FORMULA = ("=", "+", "-", "@", "\t", "\r", "\n")


@dataclass(frozen=True, repr=False)
class HandTable:
    """Frequencies and values of each of ``n`` hands of a seat, or classes of hands.

    Attributes:
        hands: ``(n,)`` names such as ``AhAs``, or ``AKs`` of a class.
        combos: ``(n,)`` number of hands that the board leaves: 0 or 1, up to 12 for a class.
        reach: ``(n,)`` reach probability of the hand, or the mean over the class.
        weight: ``(n,)`` weight of the row's EV and equity in means.
        frequencies: ``(n, 3)`` of fold, call and raise.
        legal: letters of the legal actions.
        ev, equity: ``(n,)`` as in :class:`cfr.values.expected_values.SpotValues`; None where they were not computed.
        action_ev: ``(n, 3)``, the same for each action.
    """

    hands: NDArray[np.str_]
    combos: NDArray[np.int64]
    reach: Floats
    weight: Floats
    frequencies: Floats
    legal: str
    ev: Floats | None = None
    equity: Floats | None = None
    action_ev: Floats | None = None

    def columns(self, action_ev: bool = False) -> dict[str, NDArray[Any]]:
        """``hand``, ``combos``, ``reach``, ``fold``, ``call``, ``raise``, ``ev_mbb`` and ``equity``, in this order.

        Rows are the hands that the board leaves. Frequencies, EVs and equities of hands that do not reach the spot are
        NaN; where no hand does, they say what the hands would do and win. Illegal actions and values that were not
        computed are NaN, too.

        Args:
            action_ev: add ``ev_fold_mbb``, ``ev_call_mbb`` and ``ev_raise_mbb``.
        """
        nothing = np.full(len(self.hands), np.nan)
        found: dict[str, NDArray[Any]] = {"hand": self.hands, "combos": self.combos, "reach": self.reach}
        for number, (name, letter) in enumerate(zip(ACTION_NAMES, ACTIONS, strict=True)):
            shown = (self._present > 0) & (letter in self.legal)
            found[name] = np.where(shown, self.frequencies[:, number], np.nan)
        found["ev_mbb"] = nothing if self.ev is None else self.ev
        found["equity"] = nothing if self.equity is None else self.equity
        if action_ev:
            for number, name in enumerate(ACTION_NAMES):
                found[f"ev_{name}_mbb"] = nothing if self.action_ev is None else self.action_ev[:, number]
        return {name: values[self.combos > 0] for name, values in found.items()}

    @property
    def _present(self) -> Floats:
        """``(n,)`` how much of each hand is there: its reach, or where no hand reaches the spot its weight."""
        return self.reach if self.reach.any() else self.weight

    def by_class(self) -> HandTable:
        """The classes in the order of their grid: frequencies weighted by reach, EVs and equities by weight.

        Raises:
            BadInputError: the hands are not of two cards.
        """
        classes = classes_of(self.hands)
        if classes is None:
            raise BadInputError(f"{len(self.hands)} hands are not of two cards; only those have classes such as AKs")
        combos = _sums(classes, self.combos).astype(np.int64)
        return HandTable(
            hands=np.array(classes.names),
            combos=combos,
            reach=_sums(classes, self.reach) / np.maximum(combos, 1),
            weight=_sums(classes, self.weight),
            frequencies=_means(classes, self.frequencies, self._present),
            legal=self.legal,
            ev=None if self.ev is None else _means(classes, self.ev, self.weight),
            equity=None if self.equity is None else _means(classes, self.equity, self.weight),
            action_ev=None if self.action_ev is None else _means(classes, self.action_ev, self.weight),
        )

    def to_frame(self, action_ev: bool = False) -> Any:
        """:meth:`columns` as a pandas ``DataFrame``.

        Raises:
            BadInputError: pandas is not installed.
        """
        return to_frame(self.columns(action_ev))

    def __repr__(self) -> str:
        named = self.hands[self.combos > 0].tolist()
        few = ", ".join([*named[:_NAMED], *(["..."] if len(named) > _NAMED else [])])
        return (
            f"<{type(self).__name__} of {counted(len(named), 'row')}, {few}; columns() and to_frame() give the numbers>"
        )

    def _repr_html_(self) -> str:
        """The first rows, for notebooks."""
        return table_html(self.columns())

    def grid_html(self) -> str:
        """The classes of :meth:`by_class` as a grid for notebooks: what each does, and how much of it is there."""
        present = self._present / (1 if self.reach.any() else np.maximum(self.combos, 1))
        heights = present / (1 if self.reach.any() else max(float(present.max()), 1e-300))
        cells = []
        for number, name in enumerate(self.hands.tolist()):
            weight = float(heights[number])
            mix, note = [], [f"{name}: reach {self.reach[number]:.3g}"]
            shares = self.frequencies[number].tolist()
            for share, shade, said, letter in zip(shares, THEMES["standard"], ACTION_NAMES, ACTIONS, strict=True):
                if weight > 0 and letter in self.legal:
                    mix.append((share, shade))
                    note.append(f"{said} {100 * share:.1f} %")
            if weight > 0 and not self.legal:  # the other seat's hands
                mix.append((1.0, GAIN))
            if self.ev is not None and not np.isnan(self.ev[number]):
                note.append(f"EV {signed(self.ev[number])} mbb")
            cells.append(GridCell(name, mix, weight, ", ".join(note)))
        return grid_html(cells)


def _sums(classes: Classes, values: NDArray[Any]) -> Floats:
    return np.bincount(classes.numbers, values, minlength=len(classes.names)).astype(np.float64)


def _means(classes: Classes, values: Floats, weight: Floats) -> Floats:
    """Means of ``(H, ...)`` values over each class; NaN for a class without weight."""
    total = _sums(classes, weight)
    parts = np.where(weight > 0, values.T, 0) * weight  # NaN times 0 is NaN
    means = np.array([_sums(classes, part) for part in np.atleast_2d(parts)]) / np.where(total > 0, total, np.nan)
    return means.T if values.ndim > 1 else means[0]


def to_frame(columns: Columns) -> Any:
    """Columns as a pandas ``DataFrame``; raises BadInputError where pandas is not installed."""
    if find_spec("pandas") is None:
        raise BadInputError(f"data frames need pandas: {install_hint('frames')}")
    return import_module("pandas").DataFrame(dict(columns))


def check_out(path: Path) -> None:
    """Raise BadInputError, or SaveError, for a path that :func:`write` cannot write."""
    if path.suffix.lower() not in (".csv", ".parquet"):
        raise BadInputError(f"{path}: tables are .csv or .parquet")
    if path.suffix.lower() == ".parquet" and find_spec("pyarrow") is None:
        raise BadInputError(f"{path}: Parquet needs pyarrow: {install_hint('parquet')}")
    check_writable(path)


def write(path: Path, columns: Columns) -> None:
    """Write columns as ``.csv`` or ``.parquet``; NaN becomes an empty field, or null.

    Raises:
        BadInputError: another suffix, or pyarrow is not installed.
        SaveError: the file cannot be written; the old file, if any, is untouched.
    """
    check_out(path)
    with replacing(path) as temporary:
        if path.suffix.lower() == ".csv":
            with temporary.open("w", encoding="utf-8", newline="") as file:
                write_csv(file, columns)
        else:
            arrow, parquet = import_module("pyarrow"), import_module("pyarrow.parquet")
            named = {name: arrow.array(values, from_pandas=True) for name, values in columns.items()}
            parquet.write_table(arrow.table(named), temporary)


def write_csv(file: TextIO, columns: Columns) -> None:
    """Write columns as comma-separated text under a head line; numbers keep the fewest exact digits."""
    lines = csv.writer(file, lineterminator="\n")
    lines.writerow(map(cell, columns))
    lines.writerows(map(cell, row.values()) for row in rows_of(columns))


def cell(value: Any) -> Any:
    """A value as a cell of a CSV file: None is empty, and no text is a formula to a spreadsheet program.

    Text that begins with ``=``, ``+``, ``-`` or ``@``, or with a tab or line end before them, gets an apostrophe in
    front. Numbers stay numbers.

    >>> cell("=1+1"), cell(-0.5), cell("AKs")
    ("'=1+1", -0.5, 'AKs')
    """
    if value is None:
        return ""
    return f"'{value}" if isinstance(value, str) and value.startswith(_FORMULA) else value


def rows_of(columns: Columns) -> list[dict[str, Any]]:
    """Rows as dictionaries for JSON, where NaN is None."""
    listed = [
        [None if isinstance(value, float) and np.isnan(value) else value for value in values.tolist()]
        for values in columns.values()
    ]
    return [dict(zip(columns, row, strict=True)) for row in zip(*listed, strict=True)]
