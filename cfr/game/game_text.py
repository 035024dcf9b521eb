"""The text of a game in the ACPC's ``.game`` format: its fields, and what is wrong with them."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Any, NamedTuple

from cfr.system.errors import MalformedTextError
from cfr.system.text import counted

MAX_ROUNDS = 4


class FieldError(MalformedTextError):
    """A problem with a field of a ``.game`` file."""

    def __init__(self, where: str, field: str, problem: str) -> None:
        super().__init__(f"game {where}: {field}: {problem}")
        self.field = field
        self.problem = problem


class Field(NamedTuple):
    """The values of a field in a ``.game`` file, and its line."""

    values: tuple[int, ...]
    line: int


# The format's fields: spelling, whether the value is one number, whether the field is optional. maxRaises is required:
# the ACPC's dealer takes a game without this field for a game without a cap.
_FIELDS = {
    "numplayers": ("numPlayers", True, False),
    "numrounds": ("numRounds", True, False),
    "stack": ("stack", False, True),
    "blind": ("blind", False, False),
    "raisesize": ("raiseSize", False, False),
    "firstplayer": ("firstPlayer", False, True),
    "maxraises": ("maxRaises", False, False),
    "numsuits": ("numSuits", True, False),
    "numranks": ("numRanks", True, False),
    "numholecards": ("numHoleCards", True, False),
    "numboardcards": ("numBoardCards", False, False),
}


def row(values: Iterable[int]) -> str:
    return " ".join(map(str, values))


def read_fields(text: str, game: str) -> dict[str, Field]:
    """The fields by their names in lower case; only optional fields may be missing."""
    fields: dict[str, Field] = {}
    began = ended = limit = False
    for number, raw in enumerate(text.splitlines(), 1):
        line = raw.split("#", 1)[0].strip()
        where = f"game {game}, line {number}"
        word = " ".join(line.lower().split())
        if not line:
            continue
        if ended:
            raise MalformedTextError(f"{where}: {line!r} after END GAMEDEF")
        if not began:
            if word != "gamedef":
                raise MalformedTextError(f"{where}: {line!r}; expected GAMEDEF first")
            began = True
        elif word == "end gamedef":
            ended = True
        elif word == "limit":
            limit = True
        elif word == "nolimit":
            raise MalformedTextError(f"{where}: nolimit; only limit games can be played")
        else:
            field, values = _read_line(line, where)
            if field in fields:
                raise MalformedTextError(f"{where}: {_FIELDS[field][0]} is there twice")
            fields[field] = Field(values, number)
    if not ended:
        raise MalformedTextError(f"game {game}: no END GAMEDEF" if began else f"game {game}: no GAMEDEF")
    if not limit:
        raise MalformedTextError(f"game {game}: neither limit nor nolimit; only limit games can be played")
    for field, (spelling, single, optional) in _FIELDS.items():
        if field not in fields and not optional:
            raise MalformedTextError(f"game {game}: {spelling} is missing; expected {_expected(single)}")
    return fields


def _read_line(line: str, where: str) -> tuple[str, tuple[int, ...]]:
    match = re.fullmatch(r"(\w+)\s*=?\s*(.*)", line)
    field = match[1].lower() if match else ""
    if match is None or field not in _FIELDS:
        known = ", ".join(spelling for spelling, _, _ in _FIELDS.values())
        raise MalformedTextError(f"{where}: unknown field {line.split(maxsplit=1)[0]!r}; expected {known}")
    spelling, single, _ = _FIELDS[field]
    words = match[2].split()
    if not words or (single and len(words) != 1) or not all(re.fullmatch(r"[0-9]{1,10}", word) for word in words):
        raise MalformedTextError(f"{where}: {spelling}: {match[2]!r}; expected {_expected(single)}")
    return field, tuple(int(word) for word in words)


def _expected(single: bool) -> str:
    return "one number" if single else "whole numbers"


def attributes_of(fields: dict[str, Field], game: str) -> dict[str, Any]:
    """The attributes of :class:`Game` except its name."""
    (players,), (rounds,) = fields["numplayers"].values, fields["numrounds"].values
    if players != 2:
        raise FieldError(game, "numPlayers", f"{players}; expected 2")
    if not 1 <= rounds <= MAX_ROUNDS:
        raise FieldError(game, "numRounds", f"{rounds}; expected 1 to {MAX_ROUNDS}")
    board = fields["numboardcards"].values
    if len(board) != rounds:
        raise FieldError(
            game,
            "numBoardCards",
            f"{counted(len(board), 'value')}; expected one for each of {counted(rounds, 'round')}",
        )
    first = fields["firstplayer"].values if "firstplayer" in fields else (1,) * rounds
    return {
        "blinds": fields["blind"].values,
        "raise_sizes": fields["raisesize"].values,
        "first_players": tuple(player - 1 for player in first),
        "max_raises": fields["maxraises"].values,
        "num_suits": fields["numsuits"].values[0],
        "num_ranks": fields["numranks"].values[0],
        "num_hole_cards": fields["numholecards"].values[0],
        "num_board_cards": board,
    }


def check_stacks(fields: dict[str, Field], game: str, needed: int) -> None:
    """Refuse stacks that do not pay for every bet, which takes ``needed`` chips: a game has no stacks."""
    if "stack" not in fields:
        return
    stacks = fields["stack"].values
    if len(stacks) != 2:
        raise FieldError(game, "stack", f"{counted(len(stacks), 'value')}; expected one for each of 2 players")
    if min(stacks) < needed:
        raise FieldError(game, "stack", f"{row(stacks)}; nobody may run out of chips, expected at least {needed}")
