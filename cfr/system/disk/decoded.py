"""Text from bytes whose encoding nobody names."""

from __future__ import annotations

import codecs

_SAMPLE = 400  # bytes that tell UTF-16 without a mark


def decoded(data: bytes) -> str:
    """The text, without a byte-order mark: UTF-16 where its bytes say so, else UTF-8, else cp1252.

    Text without a mark is UTF-16 if most of its even or odd bytes are zero.
    """
    if data.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        return data.decode("utf-16", "replace")
    sample = data[:_SAMPLE]
    for name, zeros in (("utf-16-le", sample[1::2]), ("utf-16-be", sample[::2])):
        if len(zeros) > 1 and zeros.count(0) > 0.8 * len(zeros):
            return data.decode(name, "replace")
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError:
        return data.removeprefix(codecs.BOM_UTF8).decode("cp1252", "replace")


def with_line_feeds(text: str) -> str:
    """The text with LF at the end of each line, where it has CR or CRLF, and without a byte-order mark."""
    return text.removeprefix("\ufeff").replace("\r\n", "\n").replace("\r", "\n")
