"""Builds of the traversal kernel that this processor runs, for each type of numbers.

The widest build has the most betting lines to a vector. A tree of few lines leaves most of such a vector empty, and a
narrower build traverses it. All builds compute the same bits; ``CFR_LEVEL=base`` (or ``v3``, ``v4``) allows one only.
"""

from __future__ import annotations

import os
from contextlib import suppress
from importlib import import_module
from types import ModuleType

import numpy as np

from cfr._native.cpu import levels
from cfr.game.rules import Game

_WIDE_FROM = 1000  # hands; smaller games are computed in float64


def _load(prefix: str) -> tuple[ModuleType, ...]:
    """The fastest build of each number of lanes, the widest first."""
    wanted = os.environ.get("CFR_LEVEL")
    found: list[ModuleType] = []
    for level in [wanted] if wanted else levels():
        with suppress(ImportError):
            build = load_level(prefix, level)
            if not found or build.LANES < found[-1].LANES:
                found.append(build)
    return tuple(found) or (load_level(prefix, "base"),)


def load_level(prefix: str, level: str) -> ModuleType:
    return import_module(f"cfr._native.{prefix}_{level}")


KERNELS = {np.dtype(np.float32): _load("traverse"), np.dtype(np.float64): _load("traverse64")}


def level() -> str:
    """The name of the widest build that runs: ``base``, ``v3`` or ``v4``."""
    return KERNELS[np.dtype(np.float32)][0].__name__.rpartition("_")[2]


def kernel_of(dtype: np.dtype | type, lanes: int) -> ModuleType:
    """The build for trees with ``lanes`` lanes."""
    return next(build for build in KERNELS[np.dtype(dtype)] if lanes == build.LANES)


def widths(dtype: np.dtype | type) -> tuple[int, ...]:
    """Betting lines to a vector of ``dtype`` in each build, the largest number first."""
    return tuple(int(build.LANES) for build in KERNELS[np.dtype(dtype)])


def lanes(dtype: np.dtype | type) -> int:
    """Betting lines to a vector of the widest build."""
    return widths(dtype)[0]


def dtype_for(game: Game) -> np.dtype:
    """The number type for a game: float32, or float64 for a small game."""
    return np.dtype(np.float32 if game.num_hands >= _WIDE_FROM else np.float64)
