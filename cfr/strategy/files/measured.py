"""What the exploitability among a file's attributes is of: the strategy as it was solved, or as the file holds it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

AS_SOLVED, AS_STORED = "exploitability_mbb", "stored_exploitability_mbb"
_METHOD = "exploitability_method"  # of what was measured of the file itself, by `cfr exploit --save` or for a target
_IN_FILE = "of the probabilities in the file"


def measured_of(attributes: Mapping[str, Any]) -> dict[str, str]:
    """Of what each exploitability among a file's attributes is, by their names; those of blueprints and trunks, too."""
    beginnings = [name.removesuffix(AS_STORED) for name in attributes if name.endswith(AS_STORED)]
    found = {}
    for begin in beginnings:
        own = {name.removeprefix(begin): value for name, value in attributes.items() if name.startswith(begin)}
        where = ", in the trunk's game" * begin.endswith("trunk_")
        found[begin + AS_SOLVED] = (_IN_FILE if _METHOD in own else _as_solved(own)) + where
        found[begin + AS_STORED] = _as_stored(own) + where
    return {name: of for name, of in found.items() if name in attributes}


def exploitability_words(attributes: Mapping[str, Any]) -> str | None:
    """How exploitable the strategy in a file is, in words; None where nobody measured it."""
    if AS_SOLVED not in attributes:
        return None
    said = f"{attributes[AS_SOLVED]:.4f} mbb/g"
    if _METHOD in attributes:
        return f"{said} ({attributes[_METHOD]})"
    if AS_STORED not in attributes:
        return f"{said} (measured while it was solved)"
    return f"{attributes[AS_STORED]:.4f} mbb/g {_as_stored(attributes)}, {said} {_as_solved(attributes)}"


def exploitability_of_file(attributes: Mapping[str, Any]) -> float | None:
    """In mbb/g, of the probabilities in a file as far as they were measured; None where nobody measured it."""
    is_as_solved = AS_STORED in attributes and _METHOD not in attributes
    found = attributes.get(AS_STORED if is_as_solved else AS_SOLVED)
    return None if found is None else float(found)


def _as_solved(attributes: Mapping[str, Any]) -> str:
    return f"of the {attributes.get('strategy', 'average')} strategy as solved, before the file rounds it"


def _as_stored(attributes: Mapping[str, Any]) -> str:
    return _IN_FILE + ", and of the last round as solved" * bool(attributes.get("without_rivers"))
