"""Strategies by name: those that come with cfr, their flop values, and what a name that is no file may mean."""

from __future__ import annotations

import errno
import os
import re
from collections.abc import Mapping
from difflib import get_close_matches
from pathlib import Path

from cfr.game.words import ROUND_NAMES
from cfr.system.checks import check_path
from cfr.system.errors import BadInputError

BUILT_INS = ("always-call", "always-fold", "always-raise", "call-raise", "uniform")  # by rule; cfr.strategy.built_in
BUNDLED = {"small": "hulhe-small.h5"}
TRUNKS = {"small-trunk": "hulhe-small-trunk.h5"}  # play before the flop, joined with the default strategy's flops
FLOP_VALUES = {"small": "hulhe-small-flops.h5"}  # what best responses win from a bundled strategy flop by flop
DEFAULT = "small"


def default_path() -> Path:
    """The path of the supplied strategy; raises BadInputError if it is not installed."""
    found = _path_of(DEFAULT, BUNDLED)
    if found is None:
        raise BadInputError(
            f"the default strategy {BUNDLED[DEFAULT]} is not installed; name a file, or make one: cfr solve"
        )
    return found


def checked_name(argument: str, name: str | os.PathLike[str]) -> str | os.PathLike[str]:
    """A strategy's name or path as it is; raises BadInputError, which begins with the argument, for what is neither."""
    check_path(argument, name, f"a file, or a strategy's name, such as {DEFAULT!r}")
    return name


def located(name: str | os.PathLike[str] | None) -> Path:
    """The path of a strategy file, of a bundled strategy by its name, or of the default one for None.

    A file of that name comes first. A bundled trunk is joined with its blueprint in the cache.

    Raises:
        SaveError: the cache cannot be written.
        FileNotFoundError: there is neither; the message names what comes nearest.
        BadInputError: the default strategy is not installed, or the name is that of a rule, asks for re-solving, or is
            none.
    """
    if name is None:
        return default_path()
    checked_name("path", name)
    if (found := _found(name, BUNDLED | TRUNKS)) is not None:
        if found.name not in TRUNKS.values():
            return found
        from cfr.strategy.files.trunk_alone import joined

        return joined(found, default_path())
    base, plus, round_ = str(name).rpartition("+")
    if plus and round_ in ROUND_NAMES and (base in BUILT_INS or _found(base, BUNDLED | TRUNKS) is not None):
        raise BadInputError(f"{name}: the strategy as it stands in its file is asked for; leave out +{round_}")
    if name in BUILT_INS:
        raise BadInputError(f"{name} is built in; expected a strategy file")
    from cfr.game.rules import GAME_NAMES  # which needs numpy: commands start without it

    names = (*BUNDLED, *TRUNKS, *BUILT_INS)
    near = get_close_matches(str(name), names, 1)
    meant = f"did you mean {near[0]}?" if near else f"expected a file, or one of {', '.join(names)}"
    if name in GAME_NAMES:
        meant = f"{name} is a game; cfr solve {name} writes a strategy for it"
    elif re.fullmatch(r".*[\w.]:[A-Za-z_]\w*", str(name)):
        meant = "a class of your own plays in cfr match"
    raise FileNotFoundError(errno.ENOENT, f"{os.strerror(errno.ENOENT)}; {meant}", str(name))


def whole_name(name: str) -> str:
    """A strategy's name as another file keeps it: a file by its whole path, found from any folder; others as they are.

    A bundled strategy keeps its name, so that an installation elsewhere finds its own.
    """
    return str(Path(name).resolve()) if Path(name).exists() else name


def located_flop_values(name: str | os.PathLike[str]) -> Path:
    """The path of a file of flop values, or of those of a bundled strategy by its name.

    Raises:
        FileNotFoundError: there is neither.
    """
    if (found := _found(name, FLOP_VALUES)) is not None:
        return found
    bundled = f"supplied flop values are those of {', '.join(FLOP_VALUES)}"
    raise FileNotFoundError(errno.ENOENT, f"{os.strerror(errno.ENOENT)}; {bundled}", str(name))


def bundled_flop_values(strategy: Path) -> Path | None:
    """The supplied flop values of a bundled strategy's file, or None."""
    names = (name for name in FLOP_VALUES if strategy.samefile(_path_of(name, BUNDLED) or os.devnull))
    return next((_path_of(name, FLOP_VALUES) for name in names), None)


def _found(name: str | os.PathLike[str], files: Mapping[str, str]) -> Path | None:
    """A file of that name, else what belongs to a bundled strategy of that name."""
    path, bundled = Path(name), _path_of(str(name), files)
    is_there = path.exists() and (bundled is None or not path.is_dir())
    return path if is_there else bundled


def _path_of(name: str, files: Mapping[str, str]) -> Path | None:
    """The path of what belongs to a bundled strategy, if it is installed."""
    here = Path(__file__).parents[2]
    file = files.get(name.removeprefix("hulhe-").removesuffix(".h5"), "")
    paths = [folder / file for folder in (here / "strategies", here.parent / "strategies")]
    return next((path for path in paths if path.is_file()), None)
