"""The errors that cfr raises for its user's mistakes.

Each message is one line that says what was wrong, where, and what would be right::

    ValueError
     └─ CfrError
         ├─ MalformedTextError    text that cannot be parsed: cards, ranges, betting lines, game files
         ├─ IllegalActionError    an action that the rules do not allow at this point
         ├─ UnknownSpotError      a hand, board, line or game that does not exist or that a strategy does not cover
         ├─ DamagedFileError      a strategy file that is truncated, foreign or fails its checksum
         └─ SaveError             a file that cannot be written

:class:`Interrupted` is a ``KeyboardInterrupt``, not a mistake.
"""


class CfrError(ValueError):
    """Base class of every error that cfr raises on purpose."""


class MalformedTextError(CfrError):
    """Text that cannot be parsed; the message names the position or the field."""


class IllegalActionError(CfrError):
    """An action that is not legal where it was taken."""


class UnknownSpotError(CfrError):
    """A hand, board, betting line or game that does not exist here."""


class DamagedFileError(CfrError):
    """A file that is truncated, foreign or altered."""


class Interrupted(KeyboardInterrupt):
    """Ctrl-C during long work; the message says how far the work came and how to go on."""


class SaveError(CfrError):
    """A file that could not be written; the old file, if any, is untouched."""
