"""A strategy file whose first round was solved anew: the other rounds are copied from the blueprint's file."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from cfr.strategy.files.file import (
    ATTRIBUTES_CHECKSUM,
    OF_BLUEPRINT,
    OPENING_VALUES,
    Digest,
    attributes_checksum,
    reading,
    revised,
    whole_checksum,
    write_rows,
)
from cfr.strategy.files.round_rows import RoundRows

_ROUNDS = "rounds"
MEASURED = ("exploitability", "stored_exploitability", "best_response", "self_play", "target")  # begin attributes
# What begins the attributes of a trunk that are its own; the others are its blueprint's.
_OWN = (*MEASURED, "trunk_", "format", "game", "checksum", "attributes_checksum", "created", "cfr_version")


def attributes_by_owner(attributes: Mapping[str, Any]) -> dict[str, Any]:
    """A file's attributes for people: those of a trunk's blueprint by names that begin with ``blueprint_``.

    A file that has refined flops behind a trunk names the trunk's with one ``blueprint_`` already.
    """
    if any(name.startswith(f"{OF_BLUEPRINT}trunk_") for name in attributes):
        ours = {name: value for name, value in attributes.items() if not name.startswith(OF_BLUEPRINT)}
        theirs = {n.removeprefix(OF_BLUEPRINT): v for n, v in attributes.items() if n not in ours}
        return ours | {OF_BLUEPRINT + name: value for name, value in attributes_by_owner(theirs).items()}
    if not any(name.startswith("trunk_") for name in attributes):
        return dict(attributes)
    return {name if name.startswith(_OWN) else OF_BLUEPRINT + name: value for name, value in attributes.items()}


def save_trunk(path: Path, blueprint: Path, checksum: str, first: RoundRows, attributes: Mapping[str, Any]) -> str:
    """Write a blueprint's strategy with another first round, and return the checksum.

    Args:
        path: the file to write.
        blueprint: a strategy file of a whole game.
        checksum: of the strategy that is meant.
        first: the first round, in the order of the blueprint's rows.
        attributes: to add; what was measured of the blueprint is left out.

    Raises:
        SaveError: the blueprint's file has another strategy by now, the disk is full, or the folder cannot be written.
        DamagedFileError: the blueprint cannot be read.
    """
    with revised(path, blueprint, checksum) as (source, target):
        with reading(blueprint):
            for name in source:
                if name not in (_ROUNDS, OPENING_VALUES):  # the values are of self-play, which is another now
                    source.copy(name, target)
            rounds = target.create_group(_ROUNDS)
            for number in source[_ROUNDS]:
                if number != "0":
                    source.copy(f"{_ROUNDS}/{number}", rounds)
            for name, value in source.attrs.items():
                if not name.startswith(MEASURED):
                    target.attrs[name] = value
        write_rows(rounds.create_group("0"), first, Digest(""))
        for name, value in attributes.items():
            target.attrs[name] = value
        target.attrs["checksum"] = own = whole_checksum(target)
        target.attrs[ATTRIBUTES_CHECKSUM] = attributes_checksum(target)
    return own
