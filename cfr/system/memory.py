"""How much memory there is."""

from __future__ import annotations

import os

from cfr.system.errors import CfrError


def free_bytes() -> int:
    """Memory that is free now, or could be at once; all there is where the system does not say."""
    try:
        with open("/proc/meminfo", encoding="ascii") as lines:
            for line in lines:
                if line.startswith("MemAvailable:"):
                    return int(line.split()[1]) * 1024
    except OSError:
        pass
    return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")


def check_fits(needed: int, what: str, instead: str) -> None:
    """Refuse, before anything is allocated, what needs more bytes than are free; raises CfrError."""
    free = free_bytes()
    if needed > free:
        raise CfrError(f"{what} needs about {needed / 1e9:.1f} GB of memory, {free / 1e9:.1f} GB are free; {instead}")
