"""Memory that this process may use."""

from __future__ import annotations

import os
from pathlib import Path

from cfr.system.cgroup import folders
from cfr.system.errors import CfrError


def free_bytes(root: Path = Path("/")) -> int:
    """Bytes that are free or can be freed, on the machine and in the process's cgroups; all bytes if unknown."""
    return min([_free_of_machine(root), *_free_of_cgroups(root)])


def _free_of_cgroups(root: Path) -> list[int]:
    """Bytes that each cgroup with a limit leaves; memory that only caches files counts as free."""
    found = []
    for folder in folders("memory", root):
        for limit, used, kept in (
            ("memory.max", "memory.current", "inactive_file"),
            ("memory.limit_in_bytes", "memory.usage_in_bytes", "total_inactive_file"),
        ):
            try:
                most, now = ((folder / name).read_text("ascii").strip() for name in (limit, used))
                stat = dict(line.split() for line in (folder / "memory.stat").read_text("ascii").splitlines())
                if most.isdecimal():
                    found.append(max(0, int(most) - int(now) + int(stat.get(kept, 0))))
            except (OSError, ValueError):
                continue
    return found


def _free_of_machine(root: Path) -> int:
    try:
        with (root / "proc/meminfo").open(encoding="ascii") as lines:
            for line in lines:
                if line.startswith("MemAvailable:"):
                    return int(line.split()[1]) * 1024
    except OSError:
        pass
    return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")


def check_fits(needed: int, what: str, instead: str) -> None:
    """Raise CfrError if ``needed`` bytes are more than are free, before anything is allocated."""
    free = free_bytes()
    if needed > free:
        raise CfrError(f"{what} needs about {needed / 1e9:.1f} GB of memory, {free / 1e9:.1f} GB are free; {instead}")
