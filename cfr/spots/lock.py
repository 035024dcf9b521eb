"""Locks: fixed frequencies of a seat at one decision; the rest of the spot is solved."""

from __future__ import annotations

import csv
import math
import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from cfr.game.betting import State, action_word
from cfr.game.betting_round import ACTIONS
from cfr.game.cards import parse_cards
from cfr.game.words import ACTION_NAMES
from cfr.strategy.spot import Spot, parse_range
from cfr.strategy.strategy import Floats
from cfr.system.errors import BadInputError, CfrError, MalformedTextError
from cfr.system.text import share_of

_LOCK = re.compile(r"(?P<line>[fcr/]*)(\[(?P<range>[^\]]*)\])?:(?P<what>.+)", re.DOTALL)
_UNOPPOSED = {"check": "call", "bet": "raise"}  # what actions are called where nobody has bet
_SUM = 1e-6  # tolerance of the sum of frequencies around 1


@dataclass(frozen=True, eq=False)
class Lock:
    """Fixed frequencies of a seat at one decision, on every board.

    Attributes:
        state: the decision.
        frequencies: ``(H, 3)`` of fold, call and raise; NaN for hands that are free.
    """

    state: State
    frequencies: Floats


def locked_spot(spot: Spot, locks: Sequence[Lock]) -> Spot:
    """The spot, where suits are told apart if a lock holds some hands and not what other suits make of them."""
    if all(spot.treats_alike(lock.frequencies) for lock in locks):
        return spot
    return replace(spot, tells_suits=True)


def parse_lock(spot: Spot, text: str) -> Lock:
    """Read a lock: ``LINE:fold=0.4``, ``LINE[RANGE]:call=1`` or ``LINE:@FILE``.

    ``LINE`` has the actions after the spot's line; an empty ``LINE`` is the spot's own decision. Legal actions without
    a frequency share the rest of 1 equally; ``fold=40%`` is ``fold=0.4``. A file is a table with the columns ``hand``
    and ``fold``, ``call``, ``raise``, as in ``cfr export``; hands outside the table, and hands without frequencies, are
    free.

    Raises:
        MalformedTextError: text or a file that cannot be read, an action with two frequencies, or hands with weights.
        IllegalActionError, BadInputError: a line that leads to no decision, frequencies that are illegal there, or
            hands of which none is in the range that decides there.
        OSError: no such file.
    """
    match = _LOCK.fullmatch(text.strip())
    if match is None:
        raise MalformedTextError(
            f"lock {text!r}; expected LINE:fold=0.4, LINE[RANGE]:call=1 or LINE:@FILE, with a line of f, c and r"
        )
    state = spot.state.tree.parse(spot.state.line_string + match["line"])
    if state.is_over:
        raise BadInputError(f"lock {text!r}: the hand is over after {state.line_string!r}, nobody decides")
    what = match["what"].strip()
    if what.startswith("@"):
        if match["range"] is not None:
            raise MalformedTextError(f"lock {text!r}: a file says itself which hands it holds; leave out the brackets")
        found = _from_file(spot, state, Path(what[1:]))
    else:
        held = np.ones(spot.game.num_hands) if match["range"] is None else parse_range(spot.game, match["range"])
        if ((held > 0) & (held < 1)).any():
            raise MalformedTextError(f"lock {text!r}: a hand is held or free; leave out weights between 0 and 1")
        found = np.full((spot.game.num_hands, 3), np.nan)
        found[held > 0] = _shares(state, what, text)
    if not spot.ranges[state.actor][~np.isnan(found).all(axis=1)].any():
        raise BadInputError(f"lock {text!r}: no hand of it is in the range that decides there")
    return Lock(state, found)


def _shares(state: State, what: str, text: str) -> list[float]:
    """Frequencies of fold, call and raise."""
    named: dict[str, float] = {}
    for part in what.split(","):
        said, equals, value = (each.strip() for each in part.partition("="))
        name = _UNOPPOSED.get(said, said)
        if name not in ACTION_NAMES or not equals:
            raise MalformedTextError(f"lock {text!r}: {part.strip()!r}; expected fold=, call= or raise= and a share")
        if name in named:
            raise MalformedTextError(f"lock {text!r}: {part.strip()!r}; {name} has a share before, expected one")
        try:
            named[name] = share_of(value)
        except ValueError:
            named[name] = math.nan
        if not 0 <= named[name] <= 1:
            raise MalformedTextError(f"lock {text!r}: {part.strip()!r}; expected a share from 0 to 1, or in percent")
        letter = ACTIONS[ACTION_NAMES.index(name)]
        if letter not in state.legal or (said == "check" and action_word(letter, state) != said):
            raise BadInputError(f"lock {text!r}: {said} is illegal there; legal are {', '.join(_legal(state))}")
    rest = [name for name in _legal(state) if name not in named]
    left = 1 - sum(named.values())
    if left < -_SUM or (not rest and left > _SUM):
        raise MalformedTextError(f"lock {text!r}: the shares sum to {1 - left:g}; expected 1")
    return [named.get(name, max(left, 0.0) / len(rest) if name in rest else 0.0) for name in ACTION_NAMES]


def _legal(state: State) -> list[str]:
    return [name for name, letter in zip(ACTION_NAMES, ACTIONS, strict=True) if letter in state.legal]


def _from_file(spot: Spot, state: State, path: Path) -> Floats:
    found = np.full((spot.game.num_hands, 3), np.nan)
    try:
        rows = list(csv.DictReader(path.read_text("utf-8-sig").splitlines()))
    except (ValueError, csv.Error):  # no UTF-8, or no name of a file
        raise MalformedTextError(f"{path}: not a table; expected CSV in UTF-8") from None
    for line, row in enumerate(rows, 2):
        try:
            given = [row.get(name) or "" for name in ACTION_NAMES]
            if not any(given):
                continue  # such as hands that never come, in an export
            shares = [float(share or 0) for share in given]
            number = spot.game.hand_number(parse_cards(row["hand"]))
        except (KeyError, AttributeError, TypeError, ValueError, CfrError):
            raise MalformedTextError(f"{path}, line {line}: expected a hand such as AhKs, and shares") from None
        illegal = any(share and letter not in state.legal for share, letter in zip(shares, ACTIONS, strict=True))
        if illegal or min(shares) < 0 or not math.isclose(sum(shares), 1, abs_tol=1e-3):
            raise MalformedTextError(
                f"{path}, line {line}: expected shares of {', '.join(_legal(state))} from 0 to 1 that sum to 1"
            )
        if not np.isnan(found[number]).all():
            raise MalformedTextError(f"{path}, line {line}: {row['hand']} is there twice")
        found[number] = np.array(shares) / sum(shares)
    if np.isnan(found).all():
        raise MalformedTextError(f"{path}: no hands; expected a table with the columns hand, fold, call and raise")
    return found
