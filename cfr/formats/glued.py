"""Lines in which another line begins, as where a line end was lost: a hand with one is not understood."""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from functools import lru_cache, reduce

from cfr.system.errors import MalformedTextError

# What begins a line in the texts of card rooms, after another character of the line. The set of first characters makes
# the search ten times as fast.
_WITHIN = re.compile(
    r"[*SBTDUMRP-](?:(?<=[^\n*]\*)\*{1,4} ?[A-Z]|(?<=[^\n-]-)-- ?[A-Z]"
    r"|(?<=[^\n]S)(?<! -- S)(?:eat [0-9]{1,2}(?:: | is the button)|ummary:|tart hand: )"
    r"|(?<=[^\n]B)(?:oard:? ?\[|utton: seat)|(?<=[^\n]T)(?:able:? '|otal pot|he button is)"
    r"|(?<=[^\n]D)eal(?:t|ing) to |(?<=[^\n]U)ncalled bet|(?<=[^\n]M)ain pot: |(?<=[^\n]R)ake taken"
    r"|(?<=[^\n]P)layers in round)"
)
_CHAT = re.compile(r'(?:^| )said, ".*"$')
_ACTION = re.compile(r"(?:folds|checks|calls|bets|raises|posts)\b")
_DOES = r":? (?:folds|checks|calls|bets|raises|posts|shows|mucks|collected|wins|ties|does)\b"


def glued(lines: Sequence[str], names: Collection[str]) -> int | None:
    """The place of the first line of a hand in which a line that is nobody's begins.

    Args:
        lines: of the hand.
        names: of its players, which may look like the beginning of a line.
    """
    if not _WITHIN.search("\n".join(lines)):
        return None
    odd = [name for name in names if _WITHIN.search(f" {name} [")]
    for place, line in enumerate(lines):
        said = reduce(lambda text, name: text.replace(name, ""), odd, line)
        if _WITHIN.search(said) and not _CHAT.search(said):
            return place
    return None


def check_alone(said: str, names: Collection[str]) -> None:
    """Raise MalformedTextError if words that may be of any kind have an action of a player in them."""
    if (found := _acts_of(tuple(names)).search(said)) and not _CHAT.search(said):
        raise MalformedTextError(f"{found[1]} acts within another line")


@lru_cache(256)
def _acts_of(names: tuple[str, ...]) -> re.Pattern[str]:
    return re.compile(f"({'|'.join(map(re.escape, names))}){_DOES}")


def is_action(said: str) -> bool:
    """Whether words after a player's name begin as an action does, whole or damaged."""
    return bool(_ACTION.match(said)) and not _CHAT.search(said)
