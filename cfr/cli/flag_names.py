"""The names of arguments in an error, such as ``overwrite=True``, as the flags of the command line: ``--overwrite``."""

from __future__ import annotations

import re

# Arguments of Python that errors name, where a flag is not called like them.
_FLAGS = {
    "adds": "--add",
    "aivat": "--no-aivat",
    "big_blind": "--bb",
    "cluster": "--ray",
    "target_mbb": "--target",
}
_NAMES = (
    *("button", "buckets", "compact", "disk", "flops", "imaginary", "iterations", "line", "lines", "log", "lossless"),
    *("minutes", "out", "overwrite", "preset", "purge", "purge_unplayed", "resolve", "resume", "river_rows"),
    *("seed", "strategy", "tables"),
    *_FLAGS,
)
_PRESET = re.compile(r"cfr\.preset\('(\w+)'\)")
_ARGUMENT = re.compile(rf"(?<![^\s(])({'|'.join(_NAMES)})=(True|False|\w*)(?![\w'\"])")


def as_flags(message: str) -> str:
    """The message with flags for the arguments that it names; a path or a text in quotes stays as it is.

    >>> as_flags("say overwrite=True to replace it, or out= for another file")
    'say --overwrite to replace it, or --out for another file'
    >>> as_flags("use tables=int8")
    'use --tables int8'
    >>> as_flags("say cfr.preset('quick')")
    'say --preset quick'
    """
    return _PRESET.sub(r"--preset \1", _ARGUMENT.sub(_flag, message))


def in_one_line(message: object) -> str:
    """An error's message as the command line prints it: one line, with flags for arguments."""
    return as_flags(" ".join(str(message).split()))


def _flag(found: re.Match[str]) -> str:
    name, value = found.groups()
    flag = _FLAGS.get(name, f"--{name.replace('_', '-')}")
    return flag if value in ("", "True", "False") else f"{flag} {value}"
