"""How fast a disk moves blocks, and what that takes of a processor: a trial of some hundred megabytes."""

from __future__ import annotations

import os
import time
from pathlib import Path
from typing import NamedTuple

import numpy as np

from cfr.system.disk import direct
from cfr.system.disk.block_files import BlockFiles, remove_folder
from cfr.system.errors import CfrError

_BLOCKS, _BYTES = 4, 64_000_000


class DiskRate(NamedTuple):
    """What moving blocks takes.

    Attributes:
        gbs: 10^9 bytes a second, written and read.
        core_seconds_per_gb: processor time of 10^9 bytes: their checksums, and the system's part.
    """

    gbs: float
    core_seconds_per_gb: float


def measured_disk(folder: Path) -> DiskRate:
    """Write and read some blocks in a folder, as a solve does; 1 GB/s where it takes no files: a solve says why."""
    place = folder / f".cfr-disk-trial-{os.getpid()}"
    block = direct.zeros(_BYTES)
    block[:] = np.random.default_rng(0).integers(0, 256, _BYTES, np.uint8)
    names = [str(number) for number in range(_BLOCKS)]
    begun, used = time.perf_counter(), time.process_time()
    try:
        with BlockFiles(place, {}) as files:
            for name in names:
                files.release(name, block, True)
            files.secured()
            for name in names:
                files.fetch({name: _BYTES})()
            moved = (files.bytes_written + files.bytes_read) / 1e9
        return DiskRate(moved / (time.perf_counter() - begun), (time.process_time() - used) / moved)
    except (CfrError, OSError):
        return DiskRate(1.0, 0.0)
    finally:
        remove_folder(place)
