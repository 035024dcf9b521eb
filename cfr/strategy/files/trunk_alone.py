"""A trunk alone: its play before the flop, without the blueprint that plays on.

Such a file takes some kilobytes. The whole trunk is joined from it and from its blueprint's file, once, in the cache.
"""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path

import numpy as np

from cfr.strategy.files.file import new_file, open_file, open_hdf5, reading
from cfr.strategy.files.round_rows import RoundRows
from cfr.strategy.files.trunk_file import MEASURED, save_trunk
from cfr.system.disk.cache import cache_directory, fingerprint
from cfr.system.disk.files import replacing
from cfr.system.errors import BadInputError, DamagedFileError

FORMAT = "cfr trunk"
_TABLES = ("probabilities", "remainders")  # of the first round


def save_alone(path: Path, trunk: Path) -> None:
    """Write the first round of a trunk's file, how it was solved and what was measured of it, to a file of its own.

    Raises:
        BadInputError: the file is no trunk.
        OSError, DamagedFileError, SaveError: a file that cannot be read or written.
    """
    with open_file(trunk) as source, replacing(path) as temporary, new_file(temporary) as target, reading(trunk):
        if "trunk_blueprint" not in source.attrs:
            raise BadInputError(f"{trunk}: no trunk; cfr solve --lossless --blueprint FILE makes one")
        target.attrs["format"] = FORMAT
        for name, value in source.attrs.items():
            if name.startswith((*MEASURED, "trunk_")) or name in ("checksum", "created", "cfr_version"):
                target.attrs[name] = value
        for name in _TABLES:
            target.create_dataset(name, data=source[f"rounds/0/{name}"][...], compression="gzip", track_times=False)


def joined(alone: Path, blueprint: Path) -> Path:
    """The file of the whole trunk, in the cache; any other file is given back as it is.

    Args:
        alone: a file by :func:`save_alone`.
        blueprint: the file of the strategy that plays on.

    Raises:
        OSError, DamagedFileError: a file that cannot be read, or is damaged.
        SaveError: the blueprint's file has another strategy, or the cache cannot be written.
    """
    with open_hdf5(alone) as file, reading(alone):
        attributes = dict(file.attrs)
        if attributes.pop("format", None) != FORMAT:
            return alone
        checksum, of = str(attributes.pop("checksum")), str(attributes["trunk_blueprint"])
        probabilities, remainders = (np.asarray(file[name]) for name in _TABLES)
    version = fingerprint(checksum, *sorted(map(str, attributes.items())))
    path = cache_directory() / "trunks" / f"{alone.stem}-{version}.h5"
    if not path.exists():
        with suppress(OSError):  # save_trunk says why it cannot write
            path.parent.mkdir(parents=True, exist_ok=True)
        made = save_trunk(path, blueprint, of, RoundRows.of(probabilities, remainders), attributes)
        if made != checksum:
            path.unlink()
            raise DamagedFileError(f"{alone}: damaged; the checksum of its play is not that of the trunk")
    return path
