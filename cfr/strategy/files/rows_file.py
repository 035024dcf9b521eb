"""A whole strategy as rows of a table, one for each hand at each spot: written, and read from CSV."""

from __future__ import annotations

import csv
from functools import lru_cache
from pathlib import Path

import numpy as np

from cfr.abstraction.lossless import LosslessRows
from cfr.game.betting import State
from cfr.game.betting_round import ACTIONS
from cfr.game.cards import format_cards
from cfr.game.rules import Game
from cfr.game.words import ACTION_NAMES
from cfr.strategy.hand_by_hand import Told, check_tellable
from cfr.strategy.hand_table import Columns
from cfr.strategy.spot_range import hand_names
from cfr.strategy.strategy import BaseStrategy
from cfr.strategy.tabulated import listed_spots
from cfr.system.errors import CfrError, MalformedTextError

NAMES = ("line", "board", "hand", *ACTION_NAMES)


def all_rows(strategy: BaseStrategy) -> Columns:
    """``line``, ``board``, ``hand``, ``reach``, ``fold``, ``call`` and ``raise`` of each hand at each spot.

    Boards that differ in their suits alone have one of them. Illegal actions are NaN. Unlike in a spot's table, hands
    that do not get to the spot have frequencies, too.

    Raises:
        BadInputError: the game has too many.
    """
    game, names = strategy.game, hand_names(strategy.game)
    check_tellable(game)
    parts: dict[str, list[np.ndarray]] = {name: [] for name in (*NAMES[:3], "reach", *ACTION_NAMES)}
    for state, board, rows in listed_spots(strategy.betting, LosslessRows(game)):
        live, found = rows >= 0, strategy.at(state, board).range()
        shown = np.where([letter in state.legal for letter in ACTIONS], found.frequencies, np.nan)
        count = int(live.sum())
        texts = np.full(count, state.line_string), np.full(count, format_cards(board)), names[live]
        for part, values in zip(parts.values(), (*texts, found.reach[live], *shown[live].T), strict=True):
            part.append(values)
    return {name: np.concatenate(part) for name, part in parts.items()}


def read_rows(path: Path, game: Game) -> Told:
    """The strategy that a CSV file tells, with the columns of :data:`NAMES`; others are ignored.

    Raises:
        OSError: the file cannot be read.
        MalformedTextError: what is no such file, or a row that cannot be read; the message names the row.
        CfrError: a row for no spot of the game, or what :meth:`cfr.strategy.hand_by_hand.Told.tell` refuses.
    """
    told = Told(game, str(path))
    at = lru_cache(1 << 12)(told.spot)
    try:
        with path.open(encoding="utf-8-sig", newline="") as file:
            rows = csv.DictReader(file)
            missing = [name for name in NAMES if name not in (rows.fieldnames or ())]
            missing = [name for name in missing if name != "board" or game.num_rounds > 1]
            if missing:
                raise MalformedTextError(
                    f"{path}: no column {', '.join(missing)}; expected {', '.join(NAMES)} in the first row"
                )
            for row in rows:
                where = f"row {rows.line_num}"
                try:
                    texts = {name: (row.get(name) or "").strip() for name in NAMES}
                    state, board = at(texts["board"], texts["line"])
                    hands, shares = told.held(texts["hand"], board), _shares(texts, state)
                except CfrError as error:
                    raise type(error)(f"{path}, {where}: {error}") from None
                for hand in hands:
                    told.tell(state, hand, board, shares, where)
    except (UnicodeDecodeError, csv.Error):
        raise MalformedTextError(f"{path}: no CSV file in UTF-8") from None
    return told


def _shares(texts: dict[str, str], state: State) -> list[float]:
    """Probabilities of fold, call and raise; an illegal action may be left empty."""
    shares = []
    for letter, name in zip(ACTIONS, ACTION_NAMES, strict=True):
        text = texts[name] or ("" if letter in state.legal else "0")
        try:
            shares.append(float(text))
        except ValueError:
            raise MalformedTextError(f"{name} {text!r}; expected a probability from 0 to 1") from None
    return shares
