"""The number of cores that this process may use, and what many cores cost each other."""

from __future__ import annotations

import math
import os
from pathlib import Path

from cfr.system.cgroup import folders

_CROWD = 16, 1.6  # cores, and how many times the processor time of one


def usable_cores(root: Path = Path("/")) -> int:
    """Cores that the process may run on, or fewer if a cgroup's quota gives it less time; at least 1."""
    try:
        cores = len(os.sched_getaffinity(0))
    except (AttributeError, OSError):
        cores = os.cpu_count() or 1
    for folder in folders("cpu", root):
        quota = _quota(folder)
        if quota is not None:
            cores = min(cores, math.ceil(quota))
    return max(1, cores)


def crowding(cores: int) -> float:
    """How many times as much processor time work takes where so many cores of a machine do it side by side.

    16 cores of one machine measured 1.6 (docs/many-cores.md): they share caches and memory. Up to there it grows
    evenly, beyond it stays.

    >>> crowding(1), crowding(16), crowding(64)
    (1.0, 1.6, 1.6)
    """
    measured, growth = _CROWD
    return 1 + (growth - 1) * (min(cores, measured) - 1) / (measured - 1)


def _quota(folder: Path) -> float | None:
    """Cores that a cgroup's quota of time allows; None without a quota."""
    try:
        if (folder / "cpu.max").exists():
            quota, period = (folder / "cpu.max").read_text("ascii").split()
        else:
            quota = (folder / "cpu.cfs_quota_us").read_text("ascii").strip()
            period = (folder / "cpu.cfs_period_us").read_text("ascii").strip()
        return float(quota) / float(period) if quota.isdecimal() and int(period) > 0 else None
    except (OSError, ValueError):
        return None
