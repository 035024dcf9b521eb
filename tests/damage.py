"""Flipped bits for the tests of damage, and what commands answer."""

import random
import zipfile
from collections.abc import Iterator
from pathlib import Path

import h5py

from cfr.cli.main import main

FEW, FLIPS, CHECKPOINT_FLIPS = 25, 500, 300
OPEN_ONLY = ("seconds", "created", "attributes_checksum")  # what differs between two runs


def flips(path: Path, count: int, seed: int) -> Iterator[tuple[int, int]]:
    """Places spread over the whole file, a random one in each part, and a bit."""
    size, rng = path.stat().st_size, random.Random(seed)
    for k in range(count):
        yield rng.randrange(k * size // count, max(k * size // count + 1, (k + 1) * size // count)), rng.randrange(8)


def flip(source: Path, target: Path, place: int, bit: int) -> None:
    content = bytearray(source.read_bytes())
    content[place] ^= 1 << bit
    target.unlink(missing_ok=True)  # HDF5 would answer for a file that is still open, from what it has read
    target.write_bytes(content)


def contents(path: Path) -> dict:
    """All that can be read of a strategy file, as plain h5py reads it."""
    found = {}
    with h5py.File(path) as file:
        for where in (file, file["abstraction"]):
            found.update({(where.name, name): str(value) for name, value in where.attrs.items()})
        file.visititems(lambda name, item: found.update({name: item[...].tobytes()} if hasattr(item, "dtype") else {}))
    return found


def play(path: Path) -> dict:
    """:func:`contents` without what differs between two runs of one solve."""
    return {name: value for name, value in contents(path).items() if name[1] not in OPEN_ONLY}


def chunks(path: Path) -> list[range]:
    """Where a strategy file's arrays lie in it."""
    found = []

    def add(name, item):
        if isinstance(item, h5py.Dataset):
            for number in range(item.id.get_num_chunks()):
                about = item.id.get_chunk_info(number)
                found.append(range(about.byte_offset, about.byte_offset + about.size))

    with h5py.File(path) as file:
        file.visititems(add)
    return found


def members(path: Path) -> list[range]:
    """Where an archive's arrays lie in it."""
    content, found = path.read_bytes(), []
    with zipfile.ZipFile(path) as archive:
        for each in archive.infolist():
            name, extra = (int.from_bytes(content[each.header_offset + at :][:2], "little") for at in (26, 28))
            start = each.header_offset + 30 + name + extra
            found.append(range(start, start + each.compress_size))
    return found


def within(place: int, ranges: list[range]) -> bool:
    return any(place in each for each in ranges)


def answered(capsys, arguments: list[str]) -> tuple[int, str, str]:
    """Code, output and errors of a command."""
    capsys.readouterr()
    code = main(arguments)
    out, err = capsys.readouterr()
    return code, out, err
