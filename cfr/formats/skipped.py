"""Hands of a log that are not read, each with its line and its reason."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from typing import Any

from cfr.system.errors import BadInputError, CfrError, IllegalActionError
from cfr.system.text import counted

ALL_IN = "all-in"
BUTTON = "the button posts the big blind"
CANCELLED = "cancelled"
CUT_OFF = "cut off"
NO_LIMIT = "not limit hold'em"
NUMBER = "a number that another hand has"
PLAYERS = "not two players"
SITE = "an unknown site or language"
STAKES = "other stakes"
_UNCLEAR, _ILLEGAL = "not understood", "betting against the rules"
_SHOWN = 20  # hands that text lists


class OddHandError(BadInputError):
    """A hand that is not read, for a reason that has a name."""

    def __init__(self, reason: str, said: str) -> None:
        super().__init__(said)
        self.reason = reason


@dataclass(frozen=True)
class Skipped:
    """A hand that was not read.

    Attributes:
        line: of the text, where the hand begins or where it is odd, from 1; 0 where it is not known.
        hand: its number or name in the text; empty without one.
        reason: in a few words, the same for all hands of a kind.
        said: what is odd, in one line.
        file: where several files are read; else empty.
    """

    line: int
    hand: str
    reason: str
    said: str
    file: str = ""

    def __str__(self) -> str:
        where = f"{self.file}: " if self.file else ""
        where += f"line {self.line}: " if self.line else ""
        return f"{where}hand {self.hand}: {self.said}" if self.hand else f"{where}{self.said}"

    def to_dict(self) -> dict[str, Any]:
        """For JSON."""
        return {
            "line": self.line,
            "hand": self.hand,
            "reason": self.reason,
            "said": self.said,
            **({"file": self.file} if self.file else {}),
        }


@dataclass
class Omissions:
    """What a log has beside the hands that were read.

    Attributes:
        skipped: hands, in order.
        copies: of hands that were read already, counted once.
        other_blinds: hands whose small blind is not the strategy's part of a bet.
        file: what is read now, where there are several files; else empty.
    """

    skipped: list[Skipped] = field(default_factory=list)
    copies: int = 0
    other_blinds: int = 0
    file: str = ""

    @property
    def reasons(self) -> dict[str, int]:
        """How many hands each reason has; the most first."""
        return dict(Counter(each.reason for each in self.skipped).most_common())

    def add(self, line: int, hand: str, error: CfrError) -> None:
        """Count a hand that an error refuses."""
        self.skipped.append(Skipped(line, hand, reason_of(error), str(error), self.file))

    def to_dict(self) -> dict[str, Any]:
        """For JSON."""
        return {
            "count": len(self.skipped),
            "reasons": self.reasons,
            "hands": [each.to_dict() for each in self.skipped],
            "copies": self.copies,
            "other_blinds": self.other_blinds,
        }

    def summary(self) -> str:
        """One line: the reasons and the first hand."""
        if len(self.skipped) == 1:
            return str(self.skipped[0])
        reasons = ", ".join(f"{count:,} {reason}" for reason, count in self.reasons.items())
        return f"{len(self.skipped):,} skipped ({reasons}); {self.skipped[0]}"

    def __str__(self) -> str:
        """Lines for a reader; empty where there is nothing to say."""
        lines = []
        if self.skipped:
            lines.append(f"skipped {counted(len(self.skipped), 'hand')}")
            for reason, count in self.reasons.items():
                lines.append(f"  {count:,} {reason}")
            lines += [f"    {each}" for each in self.skipped[:_SHOWN]]
            if len(self.skipped) > _SHOWN:
                lines.append(f"    and {len(self.skipped) - _SHOWN:,} more, in the JSON")
        if self.copies:
            lines.append(
                f"counted once: {self.copies:,} {'copy' if self.copies == 1 else 'copies'} of hands that were read"
            )
        if self.other_blinds:
            lines.append(
                f"another small blind than in the strategy's game: {counted(self.other_blinds, 'hand')}; "
                "play before the flop is compared with that of other blinds"
            )
        return "\n".join(lines)


def reason_of(error: CfrError) -> str:
    """Why an error refuses a hand, in a few words."""
    if reason := getattr(error, "reason", None):
        return str(reason)
    return _ILLEGAL if isinstance(error, IllegalActionError) else _UNCLEAR


def located(error: CfrError, where: str) -> CfrError:
    """The same error with a message that begins with where it is."""
    if isinstance(error, OddHandError):
        return OddHandError(error.reason, f"{where}{error}")
    return type(error)(f"{where}{error}")
