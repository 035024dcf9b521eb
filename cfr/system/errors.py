"""The errors that cfr raises for its user's mistakes.

Each message is one line that says what was wrong, where, and what would be right::

    ValueError
     └─ CfrError
         ├─ MalformedTextError    text that cannot be parsed: cards, ranges, betting lines, game files
         ├─ IllegalActionError    an action that the rules do not allow at this point
         ├─ BadInputError         what does not exist, fit or make sense: a hand, board, line, game, setting or flag
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


class BadInputError(CfrError):
    """A hand, board, betting line, game, setting or flag that does not exist here, or cannot be used."""


UnknownSpotError = BadInputError  # its name up to version 0.1


class DamagedFileError(CfrError):
    """A file that is truncated, foreign or altered."""


class Interrupted(KeyboardInterrupt):
    """Ctrl-C during long work; the message says how far the work came and how to go on."""


class SaveError(CfrError):
    """A file that could not be written; the old file, if any, is untouched."""
