"""The line that begins a hand of a card room: programs that copy hands write one blank or several between its words."""

from __future__ import annotations

import re


def header_pattern(pattern: str) -> re.Pattern[str]:
    """A regular expression in which each blank stands for one to three, unless a quantifier follows it."""
    return re.compile(re.sub(" (?![?*+{])", " {1,3}", pattern))
