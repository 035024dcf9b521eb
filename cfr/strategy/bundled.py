"""Strategies by name: those that come with cfr, and what a name that is no file may mean."""

from __future__ import annotations

import errno
import os
from difflib import get_close_matches
from pathlib import Path

from cfr.system.errors import UnknownSpotError

BUILT_INS = ("always-call", "always-fold", "always-raise", "call-raise", "uniform")  # by rule; cfr.strategy.built_in
BUNDLED = {"small": "hulhe-small.h5"}
DEFAULT = "small"


def default_path() -> Path:
    """The path of the strategy that comes with cfr; raises UnknownSpotError if it is not installed."""
    found = _path_of(DEFAULT)
    if found is None:
        raise UnknownSpotError(
            f"the default strategy {BUNDLED[DEFAULT]} is not installed; name a file, or make one: cfr solve"
        )
    return found


def located(name: str | os.PathLike[str] | None) -> Path:
    """The path of a strategy file, of a bundled strategy by its name, or of the default one for None.

    A file of that name comes first.

    Raises:
        FileNotFoundError: there is neither; the message names what comes nearest.
        UnknownSpotError: the default strategy is not installed.
    """
    if name is None:
        return default_path()
    path = Path(name)
    if path.exists():
        return path
    if (bundled := _path_of(str(name))) is not None:
        return bundled
    near = get_close_matches(str(name), (*BUNDLED, *BUILT_INS), 1)
    meant = f"did you mean {near[0]}?" if near else f"a bundled strategy is {', '.join(BUNDLED)}"
    raise FileNotFoundError(errno.ENOENT, f"{os.strerror(errno.ENOENT)}; {meant}", str(name))


def _path_of(name: str) -> Path | None:
    """The path of a bundled strategy, if it is installed."""
    here = Path(__file__).parents[1]
    file = BUNDLED.get(name.removeprefix("hulhe-").removesuffix(".h5"), "")
    paths = [folder / file for folder in (here / "strategies", here.parent / "strategies")]
    return next((path for path in paths if path.is_file()), None)
