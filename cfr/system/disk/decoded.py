"""Text from bytes whose encoding nobody names."""

from __future__ import annotations

import codecs
import re
import unicodedata
from collections.abc import Iterator

_SAMPLE = 400  # bytes that tell UTF-16 without a mark
_SOME = 64  # bytes that tell it where other text was before
_MARKS = {codecs.BOM_UTF16_LE: "utf-16-le", codecs.BOM_UTF16_BE: "utf-16-be"}
# Where UTF-16 ends: a line in it, and then text of one byte a character.
_OTHER = rb"(?=(?:\xef\xbb\xbf)?[ -~]{20})"
_ENDS = {"utf-16-le": re.compile(rb"\n\0" + _OTHER), "utf-16-be": re.compile(rb"\0\n" + _OTHER)}
_ZEROS = re.compile(rb"\0{4,}")  # more than UTF-16 has in a text
# What cp1252 has where ISO 8859-1 has control characters; browsers keep the five that it leaves out.
_WINDOWS = {byte: bytes([byte]).decode("cp1252", "ignore") or chr(byte) for byte in range(0x80, 0xA0)}

# How files begin that are no text, and what they are.
_OTHER_FILES = {
    b"PK\x03\x04": "a zip archive or a file of an office program",
    b"\x1f\x8b": "packed by gzip",
    b"BZh": "packed by bzip2",
    b"\xfd7zXZ": "packed by xz",
    b"7z\xbc\xaf": "a 7z archive",
    b"Rar!": "a rar archive",
    b"%PDF-": "a PDF file",
    b"{\\rtf": "an RTF file",
    b"\x89HDF\r\n": "an HDF5 file",
    b"SQLite format 3\0": "an SQLite database",
}


def decoded(data: bytes) -> str:
    """The text, without a byte-order mark: UTF-16 where its bytes say so, else UTF-8, else cp1252.

    Text without a mark is UTF-16 if most of its even or odd bytes are zero. Files that were put together may change the
    encoding: to UTF-16 anywhere, from it after a line, and between UTF-8 and cp1252 from line to line. Zeros that a
    crash left between lines of one byte a character end a line.
    """
    if data[:2] not in _MARKS and not _wide(data[:_SAMPLE], 0.8):
        data = _ZEROS.sub(b"\n", data)
    text = "".join(run.decode(wide, "replace") if wide else _narrow(run) for wide, run in _runs(data))
    return text.removeprefix("\ufeff")


def _runs(data: bytes) -> Iterator[tuple[str, bytes]]:
    """Each part of one encoding: UTF-16's name, or an empty one; and the bytes."""
    place = 0
    wide = _MARKS.get(data[:2], "") or _wide(data[:_SAMPLE], 0.8)
    while place < len(data):
        if wide:
            ends = (found.end() for found in _ENDS[wide].finditer(data, place) if (found.end() - place) % 2 == 0)
            end, following = next(ends, len(data)), ""
        else:
            end, following = _next_wide(data, place)
        yield wide, data[place:end]
        place, wide = end, following


def _next_wide(data: bytes, place: int) -> tuple[int, str]:
    """Where UTF-16 begins at or after a place, and which one; the end if it does not."""
    while (zero := data.find(b"\0", place)) >= 0:
        is_line = data[zero - 1 : zero] == b"\n"  # the low byte of one character, or a line's end before another one
        for start in (zero, zero - 1) if is_line else (zero - 1, zero):
            wide = _wide(data[max(start, place) : start + _SOME], 0.6)
            if wide == ("utf-16-le" if start < zero else "utf-16-be"):
                mark = data[start - 2 : start] if start >= place + 2 else b""
                return (start - 2 if mark in _MARKS else start), wide
        place = zero + 1
    return len(data), ""


def _wide(sample: bytes, share: float) -> str:
    """The UTF-16 of which a sample is, by its zeros; empty for none."""
    for name, zeros in (("utf-16-le", sample[1::2]), ("utf-16-be", sample[::2])):
        if len(zeros) > 1 and zeros.count(0) > share * len(zeros):
            return name
    return ""


def _narrow(data: bytes) -> str:
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError:
        return "".join(map(_line, data.splitlines(keepends=True)))


def _line(data: bytes) -> str:
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError:
        return data.decode("latin-1").translate(_WINDOWS)


def with_line_feeds(text: str) -> str:
    """The text with LF at the end of each line, where it has CR or CRLF, without a byte-order mark and DOS's end mark.

    Letters with marks are one character where there is one: programs differ in how they write them.
    """
    text = text if text.isascii() else unicodedata.normalize("NFC", text)
    return text.removeprefix("\ufeff").removesuffix("\x1a").replace("\r\n", "\n").replace("\r", "\n")


def other_than_text(text: str) -> str:
    """What a file is, such as ``a PDF file``, of whose bytes a text was made although they are none; else empty."""
    return next((kind for begin, kind in _OTHER_TEXTS.items() if text.startswith(begin)), "")


_OTHER_TEXTS = {
    with_line_feeds(decode(begin)): kind
    for begin, kind in _OTHER_FILES.items()
    for decode in (decoded, lambda data: data.decode("utf-16-le", "ignore"))  # zeros among the bytes look like UTF-16
}
