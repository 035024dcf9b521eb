"""Optional libraries: the command to type if one is missing."""

from __future__ import annotations


def install_hint(extra: str) -> str:
    """The command that installs the libraries of an extra, in a clone and elsewhere."""
    return f"pip install -e '.[{extra}]' in a clone, or pip install 'cfr-holdem[{extra}]'"
