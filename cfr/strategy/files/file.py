"""The strategy file: one HDF5 file, readable by plain h5py; docs/file-format.md describes it."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import h5py
import numpy as np
from numpy.typing import NDArray

from cfr.game.betting_round import BettingRound
from cfr.game.rules import Game
from cfr.strategy.files.codebook import Codebooks
from cfr.strategy.files.global_heap import check_heaps
from cfr.strategy.files.round_rows import RoundRows
from cfr.strategy.files.streamed_file import streamed
from cfr.system.disk.file_lock import Lock
from cfr.system.disk.files import first_line, reason, replacing
from cfr.system.errors import CfrError, DamagedFileError, SaveError

FORMAT = "cfr strategy"
FORMAT_VERSION = 3  # of files of whole games
SPOT_VERSION = 4  # of files of spots, which older readers do not know
REFINED_VERSION = 5  # of files with refined flops
CODED_VERSION = 6  # of files with codebooks
STRENGTH_VERSION = 7  # of files whose river rows go by strength
FLOAT_VERSION = 8  # of files whose probabilities are floating-point numbers
NEWEST_VERSION = FLOAT_VERSION
_SUMMED_FROM = 3  # the first version with a checksum over the attributes
ATTRIBUTES_CHECKSUM = "attributes_checksum"
OPENING_VALUES = "opening_values"
SPOT_BOARD = "spot_board"  # in the abstraction of a spot's file
RIVER_ROWS_KEY = "spot_river_rows"  # there, too, where they do not go by hand
REFINED = "refined"  # the group of refined flops
OF_BLUEPRINT = "blueprint_"  # begins the names of the blueprint's attributes in a file with refined flops
_CHUNK_BYTES = 1 << 14
_ROWS_AT_A_TIME = 256
_CODED_ROWS = 256  # in a chunk of codes
_CODED = ("codes", "entries", "counts")


def save(
    path: str | Path,
    game: Game,
    abstraction: Mapping[str, Any],
    rounds: Sequence[RoundRows],
    attributes: Mapping[str, Any],
    first_round: int = 0,
    is_streamed: bool = False,
) -> str:
    """Write a strategy file to a temporary name, flush it, rename it, and return its checksum.

    Args:
        path: the file; an existing file is replaced at the very end, or kept after an error.
        game: the rules.
        abstraction: arrays from :meth:`cfr.abstraction.abstraction.Abstraction.arrays`.
        rounds: the probabilities of each round from ``first_round`` on.
        attributes: the origin and the quality of the strategy; numbers and strings.
        first_round: 0, or the spot's round in a spot's file.
        is_streamed: write the file as it grows instead of building it in memory.

    Raises:
        SaveError: the disk is full or the folder cannot be written.
    """
    path = Path(path)
    digest = Digest(game.text())
    with replacing(path) as temporary, (streamed if is_streamed else new_file)(temporary) as file:
        file.attrs["format"] = FORMAT
        is_coded, is_float = any(each.coded is not None for each in rounds), any(_is_float(each) for each in rounds)
        by_strength = RIVER_ROWS_KEY in abstraction or str(abstraction.get("rounds", "")).endswith("strength")
        whole = FLOAT_VERSION if is_float else CODED_VERSION if is_coded else FORMAT_VERSION
        whole = max(whole, STRENGTH_VERSION) if by_strength else whole
        of_spot = STRENGTH_VERSION if by_strength else SPOT_VERSION
        file.attrs["format_version"] = of_spot if SPOT_BOARD in abstraction else whole
        file.attrs["game_name"] = game.name
        file.attrs["game"] = game.text()
        group = file.create_group("abstraction")
        for name in sorted(abstraction):
            value = abstraction[name]
            digest.add(name, np.asarray(value) if not isinstance(value, str) else value)
            if isinstance(value, np.ndarray) and value.ndim:
                # A query reads one row of the flop's table and all small arrays.
                rows = 1 if name == "flop_table" else max(1, len(value))
                create_array(group, name, value.shape, value.dtype, (rows, *value.shape[1:]))[...] = value
            else:
                group.attrs[name] = value
        for number, current in enumerate(rounds, first_round):
            parts = file.create_group(f"rounds/{number}")
            if current.coded is not None:
                _write_coded(parts, current.coded, digest)
            else:
                write_rows(parts, current, digest)
        for name, value in attributes.items():
            file.attrs[name] = value
        file.attrs["checksum"] = digest.hex()
        file.attrs[ATTRIBUTES_CHECKSUM] = attributes_checksum(file)
    return digest.hex()


def write_rows(group: h5py.Group, rows: RoundRows, digest: Digest) -> None:
    """Write a round's probabilities into its group, and add them to a digest."""
    number = group.name.rpartition("/")[2]
    count, actions, lines = rows.shape
    per_chunk = max(1, min(count, _CHUNK_BYTES // (actions * lines * rows.dtype.itemsize)))
    chunk = per_chunk, actions, lines
    table = create_array(group, "probabilities", rows.shape, rows.dtype, chunk, shuffle=_is_float(rows))
    step = per_chunk * max(1, _ROWS_AT_A_TIME // per_chunk)
    for start in range(0, count, step):
        part = rows.read(start, min(start + step, count))
        digest.add(f"{number}", part)
        table[start : start + len(part)] = part
    if rows.read_remainders is not None:
        left = create_array(group, "remainders", table.shape, np.dtype(np.int8), table.chunks)
        for start in range(0, count, step):
            rest = rows.read_remainders(start, min(start + step, count))
            digest.add(f"{number} remainders", rest)
            left[start : start + len(rest)] = rest


def _is_float(rows: RoundRows) -> bool:
    return rows.dtype.kind == "f"


def _write_coded(group: h5py.Group, coded: Codebooks, digest: Digest) -> None:
    """All arrays; a chunk has the codes of some rows, whose bytes of one line are neighbours and compress well."""
    number = group.name.rpartition("/")[2]
    _, lines, rows = coded.codes.shape
    chunks = {"codes": (1, lines, min(rows, _CODED_ROWS)), "entries": coded.entries.shape, "counts": coded.counts.shape}
    for name, chunk in chunks.items():
        value = getattr(coded, name)
        create_array(group, name, value.shape, value.dtype, chunk, level=9, shuffle=True)[...] = value
        digest.add(f"{number} {name}", value)


def read_table(file: h5py.File, number: int, betting: BettingRound) -> Codebooks | h5py.Dataset:
    """The probabilities of a round, which slices of rows are read from; raises KeyError if there are none."""
    group = file[f"rounds/{number}"]
    if "codes" in group:
        return Codebooks(group["codes"], group["entries"], group["counts"], betting)
    return group["probabilities"]


def set_attributes(
    path: str | Path,
    attributes: Mapping[str, Any],
    opening_values: NDArray[np.float64] | None = None,
    checksum: str | None = None,
) -> None:
    """Add or change attributes of a strategy file, in a copy that replaces it.

    Args:
        path: the file.
        attributes: numbers and strings by name; other attributes stay.
        opening_values: ``(2, leaves, hands)`` as in :attr:`Strategy.opening_values`; None keeps the old values.
        checksum: of the strategy that is meant; None takes any.

    Raises:
        SaveError: another process is writing the file, it has another strategy by now, or cannot be written.
        DamagedFileError: the file cannot be read.
    """
    path = Path(path)
    with Lock(path, "cfr"), revised(path, path, checksum) as (source, target):
        with reading(path):
            for name in source:
                if name != OPENING_VALUES or opening_values is None:
                    source.copy(name, target)
        if opening_values is not None:
            values = np.asarray(opening_values, np.float64)
            # The file's checksum does not cover these values, so the values have a checksum of their own.
            create_array(target, OPENING_VALUES, values.shape, values.dtype, values.shape, fletcher32=True)[...] = (
                values
            )
        for name, value in {**source.attrs, **attributes}.items():
            target.attrs[name] = value
        target.attrs["format_version"] = max(FORMAT_VERSION, int(source.attrs["format_version"]))
        target.attrs[ATTRIBUTES_CHECKSUM] = attributes_checksum(target)


@contextmanager
def revised(path: Path, before: Path, checksum: str | None) -> Iterator[tuple[h5py.File, h5py.File]]:
    """A strategy file, and a new one that takes the place of ``path`` at the end.

    Raises SaveError if ``before`` was replaced since its strategy with this checksum was read; None is any.
    """
    with open_file(before) as source, replacing(path) as temporary, new_file(temporary) as target:
        if checksum not in (None, source.attrs["checksum"]):
            raise SaveError(f"{before}: another strategy took its place meanwhile; nothing was written")
        yield source, target


def plain(value: Any) -> Any:
    """An attribute's value as Python has it."""
    return value.tolist() if isinstance(value, (np.generic, np.ndarray)) else value


def open_file(path: str | Path) -> h5py.File:
    """Open a strategy file; this reads kilobytes.

    Raises:
        OSError: the file does not exist, or may not be read.
        DamagedFileError: the file is truncated, foreign, or of a newer format.
    """
    path = Path(path)
    file = open_hdf5(path)
    try:
        with reading(path):
            _check(path, file)
    except BaseException:
        file.close()
        raise
    return file


def open_hdf5(path: Path) -> h5py.File:
    """Open an HDF5 file, whatever it holds.

    Raises:
        OSError: the file does not exist, or may not be read.
        DamagedFileError: the file is truncated, or no HDF5 file.
    """
    with path.open("rb"):  # raises the system's error; HDF5 has words of its own for it
        pass
    try:
        check_heaps(path)
        return _opened(path)
    except MemoryError:
        raise
    except Exception as error:  # HDF5 may raise anything over a damaged file
        reason = f"damaged, truncated or foreign ({first_line(error)})"
        raise DamagedFileError(f"{path}: not a readable HDF5 file; {reason}") from None


def _opened(path: Path) -> h5py.File:
    try:
        return h5py.File(path, "r")
    except OSError:
        # Some file systems have no locks. Reading is safe without one: no strategy file changes in place.
        with suppress(OSError):
            return h5py.File(path, "r", locking=False)
        raise


@contextmanager
def reading(path: str | Path, what: str = "damaged", source: h5py.File | h5py.Dataset | None = None) -> Iterator[None]:
    """Turn any error of HDF5 or NumPy over a damaged file in this block into a DamagedFileError that says ``what``.

    If ``source`` was closed, a CfrError says so. Errors of cfr, a full disk and too little memory pass unchanged.
    """
    if source is not None and not source:
        raise CfrError(f"{path}: was closed; open it again")
    try:
        yield
    except (CfrError, MemoryError):
        raise
    except Exception as error:
        if reason(error) == "the disk is full":
            raise
        raise DamagedFileError(f"{path}: {what}; {first_line(error)}") from None


def _check(path: Path, file: h5py.File) -> None:
    """Raise DamagedFileError for a file without a strategy or with changed attributes."""
    if file.attrs.get("format") != FORMAT:
        raise DamagedFileError(f"{path}: an HDF5 file, but not a strategy of cfr")
    version = int(file.attrs.get("format_version", 0))
    if version > NEWEST_VERSION:
        raise DamagedFileError(f"{path}: format version {version}; this cfr reads up to {NEWEST_VERSION}")
    if "game" not in file.attrs or "rounds" not in file or "abstraction" not in file:
        raise DamagedFileError(f"{path}: incomplete; the game, the abstraction or the probabilities are missing")
    found = file.attrs.get(ATTRIBUTES_CHECKSUM)
    if (version >= _SUMMED_FROM or found is not None) and found != attributes_checksum(file):
        raise DamagedFileError(f"{path}: damaged; the checksum of its game and attributes is not theirs")


def attributes_checksum(file: h5py.File) -> str:
    """SHA-256 over names, types and values of the attributes of the file (with the game's text) and the abstraction."""
    digest = hashlib.sha256()
    for where in ("/", "abstraction"):
        attributes = file[where].attrs
        for name in sorted(attributes):
            if name != ATTRIBUTES_CHECKSUM:
                value = attributes[name]
                kind = "text" if isinstance(value, str) else np.asarray(value).dtype.str
                digest.update(repr((where, name, kind, np.asarray(value).tolist())).encode("utf-8", "surrogateescape"))
    return digest.hexdigest()


def read_opening_values(file: h5py.File) -> NDArray[Any] | None:
    """The stored opening values, or None; raises OSError for unreadable values."""
    if OPENING_VALUES not in file:  # "get" would take one that cannot be opened for none
        return None
    stored = file[OPENING_VALUES]
    if not isinstance(stored, h5py.Dataset):
        raise OSError("not an array")
    return np.asarray(stored[...])


def verify(path: str | Path) -> None:
    """Read the whole file and compare it with the stored checksum.

    Raises:
        DamagedFileError: the contents changed, or a block cannot be read.
    """
    with open_file(path) as file, reading(path):
        whole = whole_checksum(file)
        read_opening_values(file)
        file.visititems(lambda *_: None)  # reads objects outside all arrays, too: other programs may use them
        is_refined = REFINED in file
        is_whole = whole == file.attrs.get(f"{OF_BLUEPRINT}checksum" if is_refined else "checksum")
        if not is_whole or (is_refined and refined_checksum(file) != file.attrs.get("checksum")):
            raise DamagedFileError(f"{path}: damaged; its checksum is not that of its contents")


def whole_checksum(file: h5py.File) -> str:
    """SHA-256 over the game, the abstraction and all probabilities but those of refined flops, as :func:`save` has."""
    digest = Digest(str(file.attrs["game"]))
    group = file["abstraction"]
    for name in sorted([*group.attrs, *group]):
        value = group.attrs[name] if name in group.attrs else group[name][...]
        digest.add(name, value if isinstance(value, str) else np.asarray(value))
    for number in sorted(map(int, file["rounds"])):
        group = file[f"rounds/{number}"]
        for name in [each for each in ("probabilities", "remainders") if each in group]:
            heading = f"{number}" if name == "probabilities" else f"{number} {name}"
            for start in range(0, len(group[name]), _ROWS_AT_A_TIME):
                digest.add(heading, group[name][start : start + _ROWS_AT_A_TIME])
        for name in [each for each in _CODED if each in group]:
            digest.add(f"{number} {name}", group[name][...])
    return digest.hex()


def refined_checksum(file: h5py.File) -> str:
    """SHA-256 over the blueprint's checksum and all refined flops, without the HDF5 layout."""
    digest = Digest(str(file.attrs[f"{OF_BLUEPRINT}checksum"]))
    for flop, group in file[REFINED].items():
        for name, stored in group.items():
            digest.add(f"{flop} {name}", stored[...])
    return digest.hex()


@contextmanager
def new_file(path: Path) -> Iterator[h5py.File]:
    """A new HDF5 file, built in memory and written at the end: HDF5 crashes if the disk fills up during a write."""
    with h5py.File(path, "w", driver="core", backing_store=False, libver=("v110", "v110")) as file:
        yield file
        file.flush()
        path.write_bytes(file.id.get_file_image())


class Digest:
    """SHA-256 over a file's meaning, without its HDF5 layout and without the date and time of its solve."""

    def __init__(self, game: str) -> None:
        self._hash = hashlib.sha256(game.encode())
        self._last = ""

    def add(self, name: str, value: NDArray[Any] | str) -> None:
        if name != self._last:
            self._hash.update(f"\0{name}\0".encode())
            self._last = name
        self._hash.update(value.encode() if isinstance(value, str) else np.ascontiguousarray(value).tobytes())

    def hex(self) -> str:
        return self._hash.hexdigest()


def create_array(
    group: h5py.Group,
    name: str,
    shape: Sequence[int],
    dtype: np.dtype[Any],
    chunk: Sequence[int],
    fletcher32: bool = False,
    level: int = 4,
    shuffle: bool = False,
) -> h5py.Dataset:
    return group.create_dataset(
        name,
        shape,
        dtype,
        chunks=tuple(chunk),
        compression="gzip",
        compression_opts=level,
        shuffle=shuffle,
        fletcher32=fletcher32,
        track_times=False,
    )
