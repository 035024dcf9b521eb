"""What both ends of an ACPC connection share: lines out of packets, and the network's errors in words."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from cfr.system.errors import MalformedTextError

MAX_LINE_BYTES = 4096  # the competition's own limit


class LineBuffer:
    """Joins the pieces in which lines arrive; a line ends with LF or CR LF."""

    def __init__(self) -> None:
        self._rest = b""

    def feed(self, data: bytes) -> Iterator[str]:
        """The lines that ``data`` completes, without blank ones and comments; raises MalformedTextError."""
        *lines, self._rest = (self._rest + data).split(b"\n")
        if max(map(len, (*lines, self._rest))) > MAX_LINE_BYTES:
            raise MalformedTextError(f"a line of more than {MAX_LINE_BYTES} bytes")
        for line in lines:
            # The protocol is ASCII; what is not becomes a character that no part of a line has.
            text = line.removesuffix(b"\r").decode("ascii", errors="replace")
            if text and text[0] not in "#;":
                yield text

    @property
    def is_empty(self) -> bool:
        """Whether no line has been begun."""
        return not self._rest


@contextmanager
def network(what: str) -> Iterator[None]:
    """Turn what the operating system reports into a ConnectionError that says ``what`` happened."""
    try:
        yield
    except OSError as error:
        raise ConnectionError(f"{what}: {error.strerror or error}") from None
    except UnicodeError:
        raise ConnectionError(f"{what}: that is no name of a machine") from None
