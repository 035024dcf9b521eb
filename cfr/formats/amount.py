"""Amounts in texts of card rooms, as whole millionths of a chip."""

from __future__ import annotations

import re
from functools import lru_cache

from cfr.formats.replay import amount_of
from cfr.system.errors import MalformedTextError

MILLIONTHS = 1_000_000  # of a chip: amounts are whole numbers of them
# An amount in a pattern, with the sign or without: a sign is heard, so that :func:`amount` refuses it.
SIGNED = r"(?:[-\u2212\u2013][^0-9]{0,3})?[0-9.,]{1,20}"
# A character before an amount, such as a currency's; the point of "$.50" is of the amount, that of "Rs.50" is not.
UNSIGNED = r"(?:[^0-9.\u2212\u2013-]|(?<=[^\W\d_])\.|\.(?![0-9]))"
_BY_COMMAS = re.compile(r"[0-9]{1,3}(?:,[0-9]{3})+(?:\.[0-9]+)?")
_BY_POINTS = re.compile(r"[0-9]{1,3}(?:\.[0-9]{3})+,[0-9]{1,2}")


@lru_cache(4096)
def amount(text: str | None) -> int:
    """Millionths of a chip of a text: ``1,024.75``, ``1.024,75`` or ``0,50``.

    Raises:
        MalformedTextError: any other text, also below zero.
    """
    said = text or ""
    if _BY_COMMAS.fullmatch(said):
        said = said.replace(",", "")
    elif _BY_POINTS.fullmatch(said) or re.fullmatch(r"[0-9]+,[0-9]{1,2}", said):
        said = said.replace(".", "").replace(",", ".")
    try:
        found = int(amount_of(said) * MILLIONTHS)
    except (ValueError, ArithmeticError):
        found = -1
    if said.startswith("-") or found < 0:
        raise MalformedTextError(f"{text!r} is no amount; expected chips such as 0.50")
    return found
